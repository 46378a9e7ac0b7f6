"""What a scorer gets to see of one (fact, image) pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.domain.fact import Concept, Fact
from core.domain.sample import Sample


@dataclass(frozen=True, slots=True, eq=False)
class ScoringItem:
    """A fact, its sample and what earlier stages know of them.

    concepts: what the fact names, in reading order.
    reference_concepts: what the sample's references name (all references together).
    text_vector, image_vector: unit rows in one joint space, for embedding scorers; else None.
    """

    fact: Fact
    sample: Sample
    concepts: tuple[Concept, ...]
    reference_concepts: tuple[Concept, ...] = ()
    text_vector: npt.NDArray[np.float32] | None = None
    image_vector: npt.NDArray[np.float32] | None = None
