"""What the Models page shows: presets, what each role uses, what a check found, how to serve."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import AuditError, RunError, shorten
from core.models.preset import Preset
from core.models.preset_checks import CHAT_SCORERS
from core.models.registry import load_preset, preset_names
from core.views.launch import REPOSITORY

CHECK_SECONDS = 120.0
EMBEDDED = frozenset({"minilm", "efficientnet-lite0", "conse", "spacy"})
DOES = {
    "text_embedder": "Groups facts",
    "image_embedder": "Groups images",
    "joint_image_embedder": "Compares images with facts",
    "concept_extractor": "Finds what a sentence names",
    "detector": "Finds things in images",
    "scorer_chat": "Judges facts",
    "summarizer_chat": "Names features",
    "captioner_chat": "Describes images without references",
    "judge_chat": "Judges the benchmark's answers",
    "decomposer_chat": "Takes responses apart (Evian)",
    "auditor_chat": "Scores responses (Evian)",
    "critic_chat": "Judges sentences (VNLI-Critique)",
    "reviser_chat": "Rewrites sentences (VNLI-Critique)",
}
SCORERS = {
    "": "What the data calls for: object lists, else references, else images by embedding",
    "embedding": "Embedding: cosine of fact and image",
    "text-only": "Text-only: a language model compares facts with references or captions",
    "vision-language": "Vision-language: a model looks at the image",
}
SUMMARIZERS = {
    "contrast": "Contrast: concepts are counted",
    "text-only": "Text-only: a language model names features of facts and descriptions",
    "vision-language": "Vision-language: a model names features of images",
}
NO_CHAT = "Stated heuristic"
NO_CRITIC = "none: the VNLI step needs a critic_chat beside a chat scorer"
OPTIONAL = {"decomposer_chat", "auditor_chat", "critic_chat", "reviser_chat"}


@dataclass(frozen=True, slots=True)
class RoleRow:
    """does: what the role is for. model: "" where nothing fills it. where: process or addresses."""

    role: str
    does: str
    model: str
    where: str
    baseline: bool = False


@dataclass(frozen=True, slots=True)
class PresetView:
    """A preset in words. problem: why it cannot be read, "" if it can."""

    name: str
    description: str
    scorer: str
    summarizer: str
    rows: tuple[RoleRow, ...]
    n_servers: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found of one model. able: (what, yes or no). notes: less than it could be."""

    roles: str
    model: str
    where: str
    problem: str
    able: tuple[tuple[str, bool], ...]
    notes: tuple[str, ...]
    serve: str


def presets_shown() -> list[str]:
    """The shipped presets, the default first."""
    return sorted(preset_names(), key=lambda name: (name != "embedded", name))


def preset_view(name: str) -> PresetView:
    """A preset by name or path; one that cannot be read says why."""
    try:
        preset = load_preset(name)
    except AuditError as error:
        return PresetView(Path(name).stem, "", "", "", (), 0, error.sentence())
    roles = [role for role in DOES if _named(preset, role) or role in OPTIONAL]
    if preset.scorer in CHAT_SCORERS:
        roles.remove("joint_image_embedder")  # only the embedding scorer compares vectors
    rows = tuple(_row(preset, role) for role in roles)
    servers = [c for c in preset.chat.values() if c.engine == "server"]
    scorer, summarizer = SCORERS[preset.scorer], SUMMARIZERS[preset.summarizer]
    n_servers = len(servers) + len(preset.embed)
    return PresetView(preset.name, preset.description, scorer, summarizer, rows, n_servers)


def serve_lines(name: str) -> list[tuple[str, str]]:
    """(model, command that serves it) of every model behind a server."""
    from core.models.check import serve_command

    preset = load_preset(name)
    served = [c for c in preset.chat.values() if c.engine == "server"]
    return [(s.model, serve_command(s)) for s in (*served, *preset.embed.values())]


def check_preset(name: str) -> tuple[Found, ...]:
    """Ask the preset's servers what they can do, in a process of its own.

    Raises: RunError if the check did not end in time or said nothing.
    """
    command = [sys.executable, "-m", "core", "models", "check", "--preset", name, "--json"]
    try:
        done = subprocess.run(
            command, cwd=REPOSITORY, capture_output=True, text=True, timeout=CHECK_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise RunError(
            "the check did not end", value=f"{CHECK_SECONDS:.0f} s", remedy="see whether the servers answer"
        ) from None
    try:
        return found_of(json.loads(done.stdout))
    except (ValueError, TypeError, KeyError):
        said = (done.stderr.strip().splitlines() or ["nothing was printed"])[-1]
        raise RunError(
            f"the check failed: {shorten(said)}", remedy="run `python -m core models check` in a terminal"
        ) from None


def found_of(printed: Sequence[Mapping[str, Any]]) -> tuple[Found, ...]:
    """What `models check --json` printed."""
    found = []
    for model in printed:
        able = model["capabilities"] or {}
        names = {
            "answers held to labels": "choice_field",
            "log-probabilities": "logprobs",
            "JSON schema": "json_schema",
            "images": "images",
        }
        can = tuple((said, bool(able[key])) for said, key in names.items()) if able else ()
        roles = ", ".join(DOES.get(role, role) for role in model["roles"]) or "No role"
        notes = tuple(model["degradation"])
        found.append(
            Found(roles, model["model"], model["where"], model["problem"], can, notes, model["serve"])
        )
    return tuple(found)


def _named(preset: Preset, role: str) -> str:
    return str(getattr(preset, role))


def _row(preset: Preset, role: str) -> RoleRow:
    name, does = _named(preset, role), DOES[role]
    if role.endswith("_chat"):
        if not name and role in {"critic_chat", "reviser_chat"} and preset.scorer in CHAT_SCORERS:
            return RoleRow(role, does, NO_CRITIC, "")
        if not name:
            return RoleRow(role, does, NO_CHAT, "this process", baseline=True)
        chat = preset.chat[name]
        where = ", ".join(chat.base_urls) or f"this process ({chat.engine})"
        return RoleRow(role, does, chat.model, where)
    if name == "server":
        embed = preset.embed.get("text" if role == "text_embedder" else "image")
        model = embed.model if embed else "no table in the preset"
        return RoleRow(role, does, model, ", ".join(embed.base_urls) if embed else "")
    if name in preset.local:
        local = preset.local[name]
        model = " ".join(filter(None, (local.model, local.weights)))
        return RoleRow(role, does, model, f"this process ({local.kind})")
    return RoleRow(role, does, name, "this process", baseline=name in EMBEDDED)
