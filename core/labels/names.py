"""Annotator names as file names, and back."""

from __future__ import annotations

import unicodedata
from urllib.parse import quote, unquote

from core.errors import ConfigError, one_line

LONGEST_FILE_NAME = 200
SUFFIX = ".jsonl"


def clean_annotator(name: str) -> str:
    """The name as stored: NFC, no control characters, outer and repeated white space folded.

    Raises ConfigError if nothing is left, or if its file name would be too long.
    """
    cleaned = one_line(unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8")))
    if not cleaned:
        raise ConfigError("the annotator has no name", value=name, remedy="enter a name")
    if len(_quoted(cleaned)) > LONGEST_FILE_NAME:
        raise ConfigError("the annotator's name is too long", value=cleaned, remedy="enter a shorter one")
    return cleaned


def file_name(annotator: str) -> str:
    """One plain file name for a name: never a path, never hidden, different for different names."""
    return _quoted(clean_annotator(annotator)) + SUFFIX


def annotator_of(name: str) -> str:
    """The annotator whose labels a file of this name holds."""
    return unquote(name.removesuffix(SUFFIX))


def _quoted(annotator: str) -> str:
    quoted = quote(annotator, safe="")
    return "%2E" + quoted[1:] if quoted.startswith(".") else quoted
