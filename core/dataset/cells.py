"""Values of a row as the papers' nouns: text, references, objects, model turns.

Every reader here answers `(value, complaint)`: the complaint is "" or says what of the cell was left out.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Mapping, Sequence

MISSING_WORDS = frozenset({"nan", "none", "null", "<na>", "#n/a"})
"""A whole cell of one of these (any case) is a missing value written as text."""

TEXT_KEYS = ("text", "caption", "raw", "value", "content", "sentence")
OBJECT_KEYS = ("category", "name", "label", "class", "object", "category_name")
MODEL_SPEAKERS = frozenset({"gpt", "assistant", "model", "bot", "chatbot"})
USER_SPEAKERS = frozenset({"human", "user"})
IMAGE_TOKENS = re.compile(r"[ \t]*</?(?:image|img|im_start|im_end)>[ \t]*\n?", re.IGNORECASE)
MAX_LIST_CHARACTERS = 1 << 20
MAX_PYTHON_LIST_CHARACTERS = 1 << 16

_SENTENCE_END = re.compile(r"""[.!?。！？…]["'”’)\]]*$""")
_NUMPY_LIST = re.compile(r"""^\[\s*(?P<q>['"]).*(?P=q)\s+(?P=q)""", re.DOTALL)


def is_missing(value: object) -> bool:
    """None, NaN, blank text, or a word that stands for a missing value."""
    if value is None:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, str):
        text = value.strip()
        return not text or (len(text) <= 6 and text.lower() in MISSING_WORDS)
    return False


def as_text(value: object) -> str | None:
    """A short text role (captioner, instruction, id) as text: numbers as written, others as JSON."""
    if is_missing(value):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def listed(value: object) -> object:
    """The list behind a cell: JSON or Python list syntax in a text becomes a list, else the value itself."""
    if isinstance(value, tuple):
        return list(value)
    if not isinstance(value, str) or not value.lstrip().startswith("[") or len(value) > MAX_LIST_CHARACTERS:
        return value
    text = value.strip()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        if len(text) > MAX_PYTHON_LIST_CHARACTERS or _NUMPY_LIST.match(text):
            return value  # a printed NumPy array: without commas, Python would join its texts into one
        try:
            found = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return value
    return found if isinstance(found, list) else value


def texts_of(value: object) -> tuple[list[str], str]:
    """References of a cell: one text, a list of texts, or records holding a text. Blank ones are dropped."""
    if is_missing(value):
        return [], ""
    found = listed(value)
    if isinstance(found, str):
        if _NUMPY_LIST.match(found.strip()):
            return [], "the list is printed without commas, its texts cannot be told apart"
        return [found], ""
    if not isinstance(found, list):
        return [], f"expected a text or a list of texts, found {kind_of(found)}"
    texts, n_bad = [], 0
    for item in found:
        text = _keyed(item, TEXT_KEYS) if isinstance(item, Mapping) else item
        if isinstance(text, str):
            if not is_missing(text):
                texts.append(text)
        elif not is_missing(text):
            n_bad += 1
    return texts, f"{n_bad} of {len(found)} entries are not text and were left out" if n_bad else ""


def objects_of(value: object) -> tuple[tuple[str, ...] | None, str]:
    """Object names of a cell, each once, in order; None = not given, () = given and empty.

    A list of names or of records with a category, name or label; a record name -> count; or a text
    "a; b" or "a, b" (semicolons, where there are any, are the only separators).
    """
    if is_missing(value):
        return None, ""
    found = listed(value)
    if isinstance(found, str):
        text = found.strip()
        if text.startswith("[") and text.endswith("]"):
            return None, "the list of objects cannot be read; write it as a JSON list"
        found = text.split(";" if ";" in text else ",")
    if isinstance(found, Mapping):
        found = [name for name, count in found.items() if count]
    if not isinstance(found, list):
        return None, f"expected a list of object names, found {kind_of(found)}"
    names: dict[str, None] = {}
    n_bad = 0
    for item in found:
        name = _keyed(item, OBJECT_KEYS) if isinstance(item, Mapping) else item
        if isinstance(name, str):
            if name.strip():
                names[" ".join(name.split())] = None
        elif not is_missing(name):
            n_bad += 1
    complaint = f"{n_bad} of {len(found)} entries are not object names and were left out" if n_bad else ""
    if n_bad and not names:
        return None, complaint
    return tuple(names), complaint


def is_conversation(value: object) -> bool:
    """Whether a cell holds turns with a speaker (LLaVA `from`/`value`, chat `role`/`content`)."""
    found = listed(value)
    return (
        isinstance(found, list)
        and bool(found)
        and all(isinstance(t, Mapping) and ("from" in t or "role" in t) for t in found)
    )


def turns_of(value: object, speakers: frozenset[str]) -> str | None:
    """All turns of the speakers, image tokens removed, joined by a blank line; None if there are none."""
    found = listed(value)
    texts = []
    for turn in found if isinstance(found, list) else ():
        if isinstance(turn, Mapping) and str(turn.get("from", turn.get("role"))).lower() in speakers:
            content = turn.get("value", turn.get("content"))
            text = "\n".join(texts_of(content)[0])
            if cleaned := IMAGE_TOKENS.sub("", text).strip():
                texts.append(cleaned)
    return "\n\n".join(texts) or None


def joined(texts: Sequence[str]) -> str:
    """Several texts of one row as one caption: by a space after the end of a sentence, else by a blank line,
    so that no sentence runs into the next and no word changes."""
    out = ""
    for text in texts:
        if out:
            out += " " if _SENTENCE_END.search(out) else "\n\n"
        out += text.strip()
    return out


def encodable(value: object) -> object:
    """The value with lone surrogates (halves of characters) replaced by U+FFFD, at any depth."""
    if isinstance(value, str):
        if is_encodable(value):
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {encodable(str(k)): encodable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [encodable(v) for v in value]
    return value


def is_encodable(text: str) -> bool:
    """Whether the text has no lone surrogates."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _keyed(record: Mapping[object, object], keys: tuple[str, ...]) -> object:
    return next((record[k] for k in keys if k in record), record)


def kind_of(value: object) -> str:
    """What a value is, in plain words."""
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, int | float):
        return "a number"
    names: dict[type, str] = {dict: "a record", list: "a list", str: "a text"}
    return names.get(type(value), type(value).__name__)
