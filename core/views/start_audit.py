"""What the Run audit page shows: the file chosen, its columns, a preview and what is still missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.dataset.images import check_image_folder, locate_image
from core.dataset.read_dataset import Preview, preview
from core.domain.run import AuditConfig
from core.errors import AuditError
from core.views.findings import SETTINGS
from core.views.numbers import count

PREVIEW_ROWS = 5
ROLES: Mapping[str, str] = {
    "caption": "Caption",
    "image": "Image path",
    "references": "References",
    "objects": "Objects",
    "id": "Id",
    "captioner": "Captioner",
    "instruction": "Instruction",
}
"""Column role -> its label. The flag of a role is `--ROLE-column`, but --references and --objects."""

ROLE_HELP: Mapping[str, str] = {
    "caption": "The text to audit.",
    "image": "Path of the image, relative to the image folder.",
    "references": "Captions by people, or other trusted text about the image: evidence, not proof.",
    "objects": "A list of everything of a closed vocabulary that is in the image, such as detector labels.",
    "id": "A name for each row; row numbers otherwise.",
    "captioner": "Which model wrote the caption.",
    "instruction": "What the model was asked.",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What the form holds. columns: role -> column name where the user chose one."""

    captions: str = ""
    images: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    preset: str = "embedded"
    top_k: int = 10
    seed: int = 0
    keep_bad_rows: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """A line under a field: what was found, or what is wrong."""

    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class StartView:
    """The form's answer to a choice.

    captions, images: the line under each field, None while it is empty. names: columns of the file.
    chosen: the columns chosen by hand that this file has. found: role -> column in use. setting: what
    the audit would judge against, in words. blocked: why the audit cannot start, "" if it can.
    hint: what the user may have overlooked, "" if nothing.
    suggested_images: a folder the image paths lead to, "" if none was found or one is given.
    """

    captions: Check | None
    images: Check | None
    names: tuple[str, ...]
    chosen: Mapping[str, str]
    found: Mapping[str, str]
    rows: tuple[Mapping[str, str], ...]
    setting: str
    problems: tuple[str, ...]
    blocked: str
    suggested_images: str
    hint: str = ""


_EMPTY = StartView(None, None, (), {}, {}, (), "", (), "Choose a captions file.", "")


def start_view(choice: Choice) -> StartView:
    """Check a choice; reads the head of the file only. Never raises for a user's mistake."""
    if not choice.captions.strip():
        return _EMPTY
    try:
        seen, choice = _preview(choice)
    except AuditError as e:
        return replace(
            _EMPTY, captions=Check(False, e.sentence()), blocked="The captions file cannot be used."
        )
    columns = seen.columns
    found = {} if columns is None else _found(seen)
    suggested = "" if choice.images.strip() else _suggest_images(choice, seen)
    images = _check_images(choice, seen)
    setting = seen.setting or ""
    return StartView(
        captions=Check(columns is not None, seen.error or _read_line(seen)),
        images=images,
        names=seen.names,
        chosen=choice.columns,
        found=found,
        rows=seen.rows,
        setting=_setting_line(setting, bool(choice.images.strip())),
        hint=_objects_hint(setting, seen.names),
        problems=tuple(f"Row {p.row}: {p.kind}: {p.reason}" for p in seen.problems),
        blocked=_blocked(columns is not None, images, setting, bool(choice.images.strip())),
        suggested_images=suggested,
    )


def _preview(choice: Choice) -> tuple[Preview, Choice]:
    """The head of the file, and the choice without columns of a file chosen before."""
    seen = _head(choice)
    kept = {role: column for role, column in choice.columns.items() if column in seen.names}
    if len(kept) == len(choice.columns):
        return seen, choice
    choice = replace(choice, columns=kept)
    return _head(choice), choice


def _head(choice: Choice) -> Preview:
    """The head of the file, its image column looked for as if there were an image folder."""
    config = _config(choice)
    seen = preview(replace(config, images=str(Path(config.captions).absolute().parent)), PREVIEW_ROWS)
    if seen.columns is not None or config.image_column is not None:
        return seen
    return preview(replace(config, images=None), PREVIEW_ROWS)


def arguments(choice: Choice) -> list[str]:
    """The command line of this audit, after `python -m core` and without --workspace."""
    words = ["audit", str(Path(choice.captions.strip()).expanduser().absolute())]
    if choice.images.strip():
        words += ["--images", str(Path(choice.images.strip()).expanduser().absolute())]
    for role, column in choice.columns.items():
        if role == "image" and not choice.images.strip():
            continue
        flag = f"--{role}" if role in ("references", "objects") else f"--{role}-column"
        words += [flag, column]
    if choice.name.strip():
        words += ["--name", choice.name.strip()]
    words += ["--preset", choice.preset, "--top-k", str(choice.top_k), "--seed", str(choice.seed)]
    if choice.keep_bad_rows:
        words += ["--on-bad-row", "keep"]
    return words


def _config(choice: Choice) -> AuditConfig:
    columns = choice.columns
    return AuditConfig(
        captions=str(Path(choice.captions.strip()).expanduser()),
        images=str(Path(choice.images.strip()).expanduser()) if choice.images.strip() else None,
        caption_column=columns.get("caption"),
        image_column=columns.get("image"),
        id_column=columns.get("id"),
        references_column=columns.get("references"),
        objects_column=columns.get("objects"),
        instruction_column=columns.get("instruction"),
        captioner_column=columns.get("captioner"),
        on_bad_row="keep" if choice.keep_bad_rows else "skip",
    )


def _found(seen: Preview) -> dict[str, str]:
    c = seen.columns
    assert c is not None
    by_role = {
        "caption": c.caption,
        "image": c.image,
        "references": c.references,
        "objects": c.objects,
        "id": c.sample_id,
        "captioner": c.captioner,
        "instruction": c.instruction,
    }
    return {role: column for role, column in by_role.items() if column is not None}


def _read_line(seen: Preview) -> str:
    if seen.n_rows is None:
        return f"{seen.format.upper()} file"
    return f"{seen.format.upper()} file, {'' if seen.exact else 'about '}{count(seen.n_rows)} rows"


def _image_paths(seen: Preview) -> list[str]:
    column = seen.columns.image if seen.columns else None
    return [row[column] for row in seen.rows if column and row.get(column)]


def _hits(folder: Path, paths: list[str]) -> int:
    hits = 0
    for path in paths:
        try:
            locate_image(folder, path)
        except (AuditError, OSError):
            continue
        hits += 1
    return hits


def _check_images(choice: Choice, seen: Preview) -> Check | None:
    if not choice.images.strip():
        return None
    folder = Path(choice.images.strip()).expanduser()
    try:
        check_image_folder(folder)
    except AuditError as e:
        return Check(False, e.sentence())
    paths = _image_paths(seen)
    if not paths:
        return Check(False, "The file has no column with image paths; choose one below, or leave this empty.")
    hits = _hits(folder, paths)
    if hits == 0:
        return Check(False, f"None of the first {len(paths)} images is in this folder, such as {paths[0]!r}.")
    return Check(True, f"{hits} of the first {len(paths)} images found")


def _suggest_images(choice: Choice, seen: Preview) -> str:
    """The folder near the captions file from which the image paths lead to files; "" if there is none."""
    paths = _image_paths(seen)
    parent = Path(choice.captions.strip()).expanduser().absolute().parent
    for folder in (parent, parent / "images", parent.parent, parent.parent / "images"):
        if paths and folder.is_dir() and _hits(folder, paths) == len(paths):
            return str(folder)
    return ""


def _setting_line(setting: str, has_images: bool) -> str:
    if setting == "reference-free" and not has_images:
        return ""
    line = SETTINGS.get(setting, "")
    if setting == "reference-free":
        line += " (approximate with the embedded models)"
    return line


def _objects_hint(setting: str, names: tuple[str, ...]) -> str:
    """Labels are never taken unasked; a column that looks like them is pointed out."""
    likely = next((name for name in names if "object" in name.lower()), None)
    if setting != "reference-free" or likely is None:
        return ""
    return f"Column ‘{likely}’ may hold object lists: choose it under Objects to judge against them."


def _blocked(readable: bool, images: Check | None, setting: str, has_images: bool) -> str:
    if not readable:
        return "Choose the columns."
    if images is not None and not images.ok:
        return "The image folder cannot be used."
    if setting == "reference-free" and not has_images:
        return "There is nothing to judge the captions against: give an image folder, references or objects."
    return ""
