"""Prompts as files: `core/prompts/<paper>/<name>@<version>.txt`, text and digest."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.domain.chat import PromptRef
from core.errors import ConfigError

PROMPT_DIR = Path(__file__).parent
SLOT = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template with `{slots}`. ref: its id (`symbal/judge@1`) and the sha256 of its text."""

    text: str
    ref: PromptRef

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(SLOT.findall(self.text))

    def fill(self, **values: str) -> str:
        """The template with every slot filled once; braces in the values stay as they are.

        Raises: ValueError when the values are not exactly the slots.
        """
        if set(values) != self.slots:
            raise ValueError(f"{self.ref.id} takes {sorted(self.slots)}, not {sorted(values)}")
        return SLOT.sub(lambda found: values[found[1]], self.text)


@lru_cache(maxsize=256)
def load_prompt(prompt_id: str) -> Prompt:
    """The prompt `paper/name@version`. Raises: ConfigError if there is no such file."""
    path = PROMPT_DIR / f"{prompt_id}.txt"
    if not path.is_file():
        raise ConfigError("there is no such prompt", value=prompt_id, remedy="reinstall Faultline")
    text = path.read_text("utf-8").strip()
    return Prompt(text, PromptRef(prompt_id, hashlib.sha256(text.encode()).hexdigest()))
