"""Prompts as files: text without its version line, and a reference with the file's sha256."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.domain.chat import PromptRef
from core.errors import ConfigError

PROMPT_DIR = Path(__file__).parent
_VERSION = re.compile(r"# version (\d+)\n")
_FIELD = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template. Fields are `{name}` in lower case; every other brace is text."""

    text: str
    ref: PromptRef

    def render(self, **fields: str) -> str:
        """The template with its fields filled in once: a field's value is never read as a template.

        Raises: KeyError for a field without a value.
        """
        return _FIELD.sub(lambda match: fields[match.group(1)], self.text)


@lru_cache(maxsize=128)
def load_prompt(id: str) -> Prompt:  # noqa: A002
    """The prompt `room/name`. Raises: ConfigError if there is none, or it has no version line."""
    path = PROMPT_DIR / f"{id}.txt"
    if not path.is_file():
        raise ConfigError("there is no such prompt", value=id)
    text = path.read_text("utf-8")
    match = _VERSION.match(text)
    if match is None:
        raise ConfigError("the prompt does not begin with '# version N'", where=path.name)
    body = text[match.end() :].strip()
    return Prompt(body, PromptRef(f"{id}@{match.group(1)}", hashlib.sha256(body.encode()).hexdigest()))
