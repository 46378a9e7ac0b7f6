"""Where a number came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Backend = Literal["embedded", "local", "server"]


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """What decides a model's output: name, revision (version + weights digest), backend.

    baseline: True = a stated heuristic or stand-in; every screen and report marks it.
    """

    name: str
    revision: str
    backend: Backend
    baseline: bool = False
