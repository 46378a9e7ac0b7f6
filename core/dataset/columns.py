"""Which column plays which role: by flag, else by usual name; told in words before the audit starts."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence

from core.dataset.cells import is_conversation, is_missing, listed, objects_of, texts_of
from core.domain.run import AuditConfig
from core.domain.sample import Columns
from core.errors import ConfigError, DataError, shorten

Record = Mapping[str, object]

CAPTION_NAMES = (
    "caption",
    "captions",
    "text",
    "response",
    "answer",
    "description",
    "generated_text",
    "generated_caption",
    "output",
    "report",
    "conversations",
    "conversation",
    "messages",
    "sentences",
)
IMAGE_NAMES = ("image", "image_path", "file_name", "filename", "img", "img_path", "image_file", "path")
ID_NAMES = ("id", "sample_id", "key", "uid")
REFERENCE_NAMES = ("references", "reference", "refs", "reference_captions", "captions")
OBJECT_NAMES = ("objects", "objects_present")
INSTRUCTION_NAMES = ("instruction", "question", "prompt", "query")
CAPTIONER_NAMES = ("captioner", "model", "source_model", "model_name", "model_id")

FLAGS = {
    "caption": "--caption-column",
    "image": "--image-column",
    "sample_id": "--id-column",
    "references": "--references",
    "objects": "--objects",
    "instruction": "--instruction-column",
    "captioner": "--captioner-column",
}


def flagged_columns(config: AuditConfig) -> dict[str, str | None]:
    """Role -> column given by the user. Raises ConfigError if one column is given two roles."""
    given = {
        "caption": config.caption_column,
        "image": config.image_column,
        "sample_id": config.id_column,
        "references": config.references_column,
        "objects": config.objects_column,
        "instruction": config.instruction_column,
        "captioner": config.captioner_column,
    }
    roles: dict[str, str] = {}
    for role, name in given.items():
        if name is not None and name in roles:
            raise ConfigError(
                f"{FLAGS[roles[name]]} and {FLAGS[role]} name the same column",
                value=name,
                remedy="give each its own column",
            )
        if name is not None:
            roles[name] = role
    return given


def choose_columns(
    names: Sequence[str],
    rows: Sequence[Record],
    config: AuditConfig,
    exists: Callable[[str], bool] | None = None,
) -> Columns:
    """The column of every role.

    A flag decides; else the first usual name (in the order of the lists above, letter case and "-" or
    " " for "_" aside) whose values in `rows` fit the role. Objects are found by the exact names
    `objects` and `objects_present` alone: other lists of objects may be of another kind and need the
    flag. `image_id` is never an id by itself (several captions may share an image), nor is an id column
    that repeats within `rows`. Without an image folder no image column is used.
    exists: asked about a flagged column that is not in `names`.
    Raises DataError for a flag that names no column, for no caption column, or for no image column
    though an image folder is given; ConfigError for flags that contradict each other.
    """
    given = flagged_columns(config)
    _check_given(given, names, config, exists)
    taken = {name for name in given.values() if name is not None}

    def pick(role: str, usual: Sequence[str], fits: Callable[[str], bool]) -> str | None:
        if given[role] is not None:
            return given[role]
        for candidate in _named(names, usual):
            if candidate not in taken and fits(candidate):
                taken.add(candidate)
                return candidate
        return None

    def values(name: str) -> list[object]:
        return [v for row in rows if not is_missing(v := row.get(name))]

    objects = pick("objects", OBJECT_NAMES, lambda n: any(objects_of(v)[0] is not None for v in values(n)))
    caption = pick("caption", CAPTION_NAMES, lambda n: _one_text_a_row(n, values(n)))
    if caption is None:
        raise _no_caption(names, values, taken, config.captions)
    _check_caption(caption, rows, config.captions)
    image = None
    if config.images is not None:
        image = pick("image", IMAGE_NAMES, lambda n: all(isinstance(v, str) for v in values(n)))
        if image is None:
            raise _no_image(names, config.captions)
    return Columns(
        caption=caption,
        image=image,
        sample_id=pick("sample_id", ID_NAMES, lambda n: _distinct(values(n))),
        references=pick("references", REFERENCE_NAMES, lambda n: any(texts_of(v)[0] for v in values(n))),
        objects=objects,
        instruction=pick("instruction", INSTRUCTION_NAMES, lambda n: True),
        captioner=pick("captioner", CAPTIONER_NAMES, lambda n: True),
    )


def describe_columns(columns: Columns, names: Sequence[str] = (), rows: Sequence[Record] = ()) -> str:
    """The choice in one sentence; with `names` and `rows` also what else could have been meant."""
    caption = f"captions from '{columns.caption}'"
    values = [v for row in rows if not is_missing(v := row.get(columns.caption))]
    per_row = max((_n_texts(v) for v in values), default=1)
    if any(is_conversation(v) for v in values):
        caption += " (the model's turns)"
    elif per_row > 1:
        caption += f" (up to {per_row} texts a row, joined into one caption)"
    said = [
        caption,
        f"images from '{columns.image}'" if columns.image else "no images",
        f"ids from '{columns.sample_id}'" if columns.sample_id else "ids from the row number",
    ]
    for label, name in (
        ("references", columns.references),
        ("objects", columns.objects),
        ("instructions", columns.instruction),
        ("captioner", columns.captioner),
    ):
        if name:
            said.append(f"{label} from '{name}'")
    text = "Columns: " + ", ".join(said) + "."
    used = set(_used(columns))
    others = [n for n in _named(names, CAPTION_NAMES) if n not in used]
    if others:
        text += f" Also possible as caption: {_quoted(others)} (choose with --caption-column)."
    return text


def _used(columns: Columns) -> list[str]:
    roles = (
        columns.caption,
        columns.image,
        columns.sample_id,
        columns.references,
        columns.objects,
        columns.instruction,
        columns.captioner,
    )
    return [name for name in roles if name is not None]


def _named(names: Sequence[str], usual: Sequence[str]) -> list[str]:
    """The names that are usual, in the order of `usual`."""
    by_plain: dict[str, list[str]] = {}
    for name in names:
        by_plain.setdefault(_plain(name), []).append(name)
    return [name for wanted in usual for name in by_plain.get(wanted, ())]


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _one_text_a_row(name: str, values: Sequence[object]) -> bool:
    """Fits a caption: text or turns; several texts a row only where they are the caption's sentences."""
    if not values:
        return False
    if any(is_conversation(v) for v in values):
        return True
    if _plain(name) == "sentences":
        return any(texts_of(v)[0] for v in values)
    return any(isinstance(v, str) for v in values) and all(_n_texts(v) <= 1 for v in values)


def _n_texts(value: object) -> int:
    found = listed(value)
    return len(texts_of(found)[0]) if isinstance(found, list) and not is_conversation(found) else 1


def _distinct(values: Sequence[object]) -> bool:
    shown = [str(v) for v in values if isinstance(v, str | int | float)]
    return len(shown) == len(values) > 0 and len(set(shown)) == len(shown)


def _check_caption(name: str, rows: Sequence[Record], where: str) -> None:
    """A caption column without any text in the rows seen is a mistake, not a list of bad rows."""
    values = [row.get(name) for row in rows]
    present = [v for v in values if not is_missing(v)]
    if present and not any(texts_of(v)[0] or is_conversation(v) for v in present):
        what = f"the caption column '{name}' holds no text"
        raise DataError(what, where=where, value=present[0], remedy="choose another with --caption-column")


def _check_given(
    given: Mapping[str, str | None],
    names: Sequence[str],
    config: AuditConfig,
    exists: Callable[[str], bool] | None,
) -> None:
    for role, name in given.items():
        if name is not None and name not in names and not (exists and exists(name)):
            raise _no_such_column(role, name, names, config.captions)
    if given["image"] is not None and config.images is None:
        raise ConfigError(
            "--image-column is given but no image folder", remedy="give the folder too, with --images"
        )


def _no_image(names: Sequence[str], where: str) -> DataError:
    return DataError(
        "an image folder is given, but no column has a usual name for image paths",
        where=where,
        remedy=f"name it with --image-column; the columns are {_quoted(names)}",
    )


def _no_such_column(role: str, name: str, names: Sequence[str], where: str) -> DataError:
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean '{close[0]}'? The columns are" if close else "the columns are"
    return DataError(
        f"{FLAGS[role]} names a column that is not there",
        where=where,
        value=name,
        remedy=f"{hint} {_quoted(names)}",
    )


def _no_caption(
    names: Sequence[str], values: Callable[[str], list[object]], taken: set[str], where: str
) -> DataError:
    for name in _named(names, CAPTION_NAMES):
        texts = max((_n_texts(v) for v in values(name)), default=0)
        if texts > 1 and name not in taken:
            return DataError(
                f"'{name}' holds {texts} texts a row, as references do, and no other column looks like "
                "the caption to audit",
                where=where,
                remedy=f"name the caption column with --caption-column; for '{name}' the texts are joined",
            )
    return DataError(
        "no column has a usual name for captions (caption, text, response, ...) and holds text",
        where=where,
        remedy=f"name it with --caption-column; the columns are {_quoted(names)}",
    )


def _quoted(names: Sequence[str]) -> str:
    return shorten(", ".join(f"'{n}'" for n in names), 600) if names else "none"
