"""Candidates for v: what a sample shows, read from objects, references or the rest of its caption."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from core.findings.contrast import FeaturePairs
from core.findings.one_name import PERSON, OneName, also_barred, features_of

MIN_SAMPLES = 2
AS_SAID: Mapping[str, str] = MappingProxyType({})


def pairs_from_objects(objects: Sequence[Collection[str] | None]) -> FeaturePairs:
    """Features = the sample's object names (lower case); None = nothing known of the sample."""
    mentions = ((i, name.lower(), -1) for i, names in enumerate(objects) if names for name in names)
    return _pairs(mentions, [names is not None for names in objects], "objects")


def pairs_from_references(
    concepts: Sequence[Collection[str]],
    has_references: Sequence[bool],
    aligned_facts: Iterable[tuple[int, int, Collection[str]]] = (),
    called: OneName = AS_SAID,
) -> FeaturePairs:
    """Features = concepts the sample's references name, and what its caption says in agreement with them.

    concepts: for each sample, the names (compound and head) in its references. aligned_facts: (sample index,
    fact id, names in the fact) of facts that are well aligned: references leave out much of an image, and a
    fact they support is one more description of it. called: names counted under another.
    """
    mentions = [(i, name, -1) for i, names in enumerate(concepts) for name in features_of(names, called)]
    mentions += [
        (sample, name, fact) for sample, fact, names in aligned_facts for name in features_of(names, called)
    ]
    return replace(_pairs(mentions, has_references, "references"), called=called)


def pairs_from_captions(
    facts: Iterable[tuple[int, int, Collection[str]]], n_samples: int, called: OneName = AS_SAID
) -> FeaturePairs:
    """Features = concepts the sample's own caption names, to be used without the facts in question.

    facts: (sample index, fact id, names in the fact).
    """
    mentions = ((sample, name, fact) for sample, fact, names in facts for name in features_of(names, called))
    return replace(_pairs(mentions, [True] * n_samples, "rest of the caption"), called=called)


def _pairs(
    mentions: Iterable[tuple[int, str, int]], known: Sequence[bool], presence_from: str
) -> FeaturePairs:
    """Mentions as arrays; features seen in fewer than two samples are left out."""
    ids: dict[str, int] = {}
    samples: list[int] = []
    features: list[int] = []
    facts: list[int] = []
    for sample, name, fact in mentions:
        samples.append(sample)
        features.append(ids.setdefault(name, len(ids)))
        facts.append(fact)
    names = sorted(ids)
    position = np.zeros(len(names), np.int64)
    for new, name in enumerate(names):
        position[ids[name]] = new
    sample_index = np.array(samples, np.int64)
    feature_index = position[np.array(features, np.int64)] if names else np.zeros(0, np.int64)
    fact_index = np.array(facts, np.int64)
    return _drop_rare(
        tuple(names), sample_index, feature_index, fact_index, np.array(known, bool), presence_from
    )


def _drop_rare(
    names: tuple[str, ...],
    sample: np.ndarray[tuple[int], np.dtype[np.int64]],
    feature: np.ndarray[tuple[int], np.dtype[np.int64]],
    fact: np.ndarray[tuple[int], np.dtype[np.int64]],
    known: np.ndarray[tuple[int], np.dtype[np.bool_]],
    presence_from: str,
) -> FeaturePairs:
    distinct = np.unique(np.stack([feature, sample]), axis=1)[0] if len(feature) else feature
    counts = np.bincount(distinct, minlength=len(names))
    kept = np.flatnonzero(counts >= MIN_SAMPLES)
    renumber = np.full(len(names), -1, np.int64)
    renumber[kept] = np.arange(len(kept))
    inside = renumber[feature] >= 0 if len(feature) else np.zeros(0, bool)
    return FeaturePairs(
        tuple(names[i] for i in kept),
        sample[inside],
        renumber[feature[inside]],
        fact[inside],
        known,
        presence_from,
    )


def same_thing(
    textual_fact: str, features: Iterable[str], *, closed_vocabulary: bool, called: OneName = AS_SAID
) -> list[str]:
    """The features that only repeat t and so cannot explain it.

    In a closed vocabulary only t itself; in free text also its one name, and names that end in t or that t
    ends in ("leather handbag" for "handbag").
    """
    if closed_vocabulary:
        return [textual_fact]
    repeats = {textual_fact, *also_barred(textual_fact, called)}
    ends = tuple(f" {name}" for name in repeats - {PERSON} | {textual_fact})
    return [
        f for f in features if f in repeats or f.endswith(ends) or any(t.endswith(f" {f}") for t in repeats)
    ]
