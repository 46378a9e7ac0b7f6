"""A finding: a textual error t that goes with a visual feature v."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.domain.cluster import Cluster, Interval

VisualFeatureRule = Literal["contrast", "paper"]


@dataclass(frozen=True, slots=True)
class Vote:
    """A candidate name and the weight behind it (count for votes, z for contrast)."""

    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class TextualFact:
    """t: the unifying concept of C_text. Paper: Symbal 4.1 (summarising)."""

    text: str
    candidates: tuple[Vote, ...]


@dataclass(frozen=True, slots=True)
class VisualFeature:
    """v: the visual feature the error goes with. Paper: Symbal 4.2 (summarising).

    rule: "paper" (most frequent in the worst image cluster) or "contrast" (strongest association
        with the error over the dataset).
    presence_from: where the presence of a feature was read ("objects", "references",
        "rest of the caption", "image classes").
    """

    text: str
    candidates: tuple[Vote, ...]
    rule: VisualFeatureRule
    presence_from: str


@dataclass(frozen=True, slots=True)
class Effect:
    """How often t is said wrongly with and without v, in images where t is not. Counts: images."""

    wrong_present: int
    present: int
    wrong_absent: int
    absent: int
    risk_ratio: float | None


@dataclass(frozen=True, slots=True)
class Replication:
    """v chosen on one random half of the images (`discovery`), looked at again on the other (`held_out`).

    feature: the v the discovery half chooses. p: one-sided Fisher exact test on the held-out half.
    """

    feature: str
    discovery: Effect
    held_out: Effect
    p: float


@dataclass(frozen=True, slots=True)
class Association:
    """2x2 table over samples: is t said wrongly (wrong / right) x is v present (present / absent).

    risk_ratio: P(wrong | present) / P(wrong | absent); None when a margin is empty.
    risk_ratio_interval: clustered by image where the images are known.
    cramers_v: 0..1. p: one-sided Fisher exact test that wrong goes with present.
    q: Benjamini-Hochberg over all `n_tests` pairs (t, v) of the audit, counted in images; None without v.
    replicated: found on one half of the images and confirmed on the other; None = too few to tell.
    presence_from: where the presence of v was read.
    """

    wrong_present: int
    wrong_absent: int
    right_present: int
    right_absent: int
    risk_ratio: float | None
    risk_ratio_interval: Interval | None
    cramers_v: float | None
    p: float | None
    q: float | None = None
    n_tests: int = 0
    replicated: bool | None = None
    replication: Replication | None = None
    presence_from: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """(t, v) with its evidence. finding_id is stable over runs on the same data: hash of t and v."""

    finding_id: str
    rank: int
    textual_fact: TextualFact
    visual_feature: VisualFeature
    text_cluster: Cluster
    image_cluster: Cluster | None
    association: Association
    example_sample_ids: tuple[str, ...]
