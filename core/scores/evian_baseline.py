"""The embedded triplet: stated heuristics in the place of Evian's auditor model. A baseline throughout.

S_V: the alignment scorer's mean over the sentences that the visual summary keeps.
S_L: how strongly an inference is worded against how near it is to what the response describes.
S_K: how near a knowledge claim is to what the response is about. It checks no fact: nothing here knows any.
Departs: Evian 3.3 asks Qwen2.5-VL-7B for all three.

Paper: Evian 4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.domain.evian import AxisScore, Decomposition, EvianItem, ScoreTriplet
from core.domain.evian_tags import untagged
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.errors import shorten
from core.scores.evian_rubric import default_score
from core.seams import FloatMatrix, TextEmbedder

_CERTAIN = re.compile(
    r"\b(?:must|definitely|certainly|surely|clearly|obviously|undoubtedly|always|never|proves?|guarantee[sd]?|"
    r"destined|without doubt|no doubt|inevitably|will)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:may|might|could|possibly|perhaps|likely|probably|seems?|appears?|suggest\w*|maybe)\b",
    re.IGNORECASE,
)
_FAR = re.compile(r"\b(?:future|one day|destined|forever|world|famous|history|champion\w*)\b", re.IGNORECASE)
NEAR, LINKED = 0.45, 0.25
VERSION = "2"


@dataclass(frozen=True, slots=True)
class AlignmentScale:
    """What alignments mean: cuts between the scores 1|2|3|4|5, ascending. Higher = better aligned."""

    cuts: tuple[float, float, float, float]

    def score(self, alignment: float) -> float:
        """1..5, piecewise linear between the cuts, so that it orders like the alignment does."""
        a, b, c, d = self.cuts
        points = (a - (b - a), *self.cuts, d + (d - c))
        return float(np.interp(alignment, points, (1.0, 1.5, 2.5, 3.5, 4.5, 5.0)))


UNIT_SCALE = AlignmentScale((0.2, 0.45, 0.65, 0.85))
"""Of scorers from 0 to 1 that give the share of what holds (object lists). Set by meaning, not calibrated:
no people's ratings of captions with object lists are at hand."""
REFERENCE_SCALE = AlignmentScale((0.385, 0.524, 0.59, 0.95))
"""Of the reference scorer: on experts' ratings of Flickr8k captions (`python -m benchmarks.evian_cuts`)."""
STANDARD_SCALE = AlignmentScale((0.489, 1.446, 2.394, 3.397))
"""Of the standardised embedding scorer, in standard deviations: on the same ratings."""


def scale_of(scorer: str) -> AlignmentScale:
    """The scale of an alignment scorer by its name."""
    return {"reference-match": REFERENCE_SCALE, "embedding": STANDARD_SCALE}.get(scorer, UNIT_SCALE)


class BaselineTriplets:
    """Scores triplets from alignments and a text embedder."""

    def __init__(self, text: TextEmbedder, scale: AlignmentScale) -> None:
        self._text = text
        self._scale = scale

    @property
    def identity(self) -> ModelIdentity:
        revision = f"{VERSION}+{self._text.identity.revision}"
        return ModelIdentity("evian-baseline-triplets", revision, "embedded", baseline=True)

    def score(self, items: Sequence[EvianItem]) -> list[ScoreTriplet]:
        """One triplet an item, in order."""
        vectors = self._vectors(items)
        return [self._one(item, vectors) for item in items]

    def _vectors(self, items: Sequence[EvianItem]) -> dict[str, FloatMatrix]:
        texts: dict[str, None] = {}
        for item in items:
            d = item.decomposition
            if isinstance(d, Decomposition) and d.spans:
                texts.update(dict.fromkeys([_context(d), *d.inferences, *d.knowledge_claims]))
        wanted = [t for t in texts if t.strip()]
        return dict(zip(wanted, self._text.embed_texts(wanted), strict=True)) if wanted else {}

    def _one(self, item: EvianItem, vectors: dict[str, FloatMatrix]) -> ScoreTriplet:
        d = item.decomposition
        if isinstance(d, Unscored):
            return ScoreTriplet(item.sample_id, d, d, d)
        return ScoreTriplet(
            item.sample_id,
            self._consistency(d, item.alignments),
            _worst([_coherence(t, _nearness(t, d, vectors)) for t in d.inferences], "INFER"),
            _worst([_accuracy(t, _nearness(t, d, vectors)) for t in d.knowledge_claims], "KNOW"),
        )

    def _consistency(
        self, d: Decomposition, alignments: Sequence[tuple[int, int, float]]
    ) -> AxisScore | Unscored:
        if isinstance(d.visual_summary, Unscored):
            return d.visual_summary
        kept = [(a, b, v) for a, b, v in alignments if _visual_share(d, a, b) >= 0.3]
        if not kept:
            return Unscored("no scored sentence", "no sentence of the visual summary could be scored")
        mean = float(np.mean([v for _, _, v in kept]))
        worst = min(kept, key=lambda k: k[2])
        expected = self._scale.score(mean)
        said = shorten(d.response[worst[0] : worst[1]], 90)
        return AxisScore(
            round_half_up(expected),
            f"mean alignment {mean:.2f} of {len(kept)} visual sentence(s); lowest {worst[2]:.2f}: '{said}'",
            expected=expected,
        )


def round_half_up(value: float) -> int:
    """Nearest integer in 1..5, .5 upwards."""
    return int(min(5, max(1, np.floor(value + 0.5))))


def _coherence(text: str, near: float) -> tuple[float, str]:
    """Worded with certainty and far from the description: a leap. Hedged or near: plausible to sound."""
    certain, hedged = bool(_CERTAIN.search(text)), bool(_HEDGED.search(text))
    linked = float(np.clip((near - LINKED) / (NEAR - LINKED), 0, 1))
    if certain and not hedged:
        value = (1.0 if _FAR.search(text) else 1.8) + 1.2 * linked
        why = "certain wording"
    else:
        value = 2.6 + 1.4 * linked - (0.8 if _FAR.search(text) else 0.0)
        why = "hedged wording" if hedged else "plain wording"
    return value, f"{why}, similarity {near:.2f} to what is described: '{shorten(text, 90)}'"


def _accuracy(text: str, near: float) -> tuple[float, str]:
    value = 2.4 + 2.0 * float(np.clip((near - LINKED / 2) / (NEAR - LINKED / 2), 0, 1))
    return value, f"not fact-checked; similarity {near:.2f} to the response's subject: '{shorten(text, 90)}'"


def _worst(found: list[tuple[float, str]], tag: str) -> AxisScore:
    """The lowest of the passages: one flaw is a flaw."""
    if not found:
        return default_score(tag)
    value, why = min(found)
    return AxisScore(round_half_up(value), f"heuristic: {why}", expected=value)


def _context(d: Decomposition) -> str:
    return d.cleaned_response if isinstance(d.cleaned_response, str) and d.cleaned_response else d.response


def _nearness(text: str, d: Decomposition, vectors: dict[str, FloatMatrix]) -> float:
    context = _context(d)
    if text not in vectors or context not in vectors:
        return 0.0
    return float(vectors[text] @ vectors[context])


def _visual_share(d: Decomposition, start: int, stop: int) -> float:
    """Share of a sentence's letters that carry no tag."""
    letters = sum(c.isalnum() for c in d.response[start:stop])
    free = sum(
        c.isalnum()
        for a, b in untagged(d.response, d.spans)
        for c in d.response[max(a, start) : min(b, stop)]
    )
    return free / letters if letters else 0.0
