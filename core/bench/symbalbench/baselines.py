"""What Symbal is compared with: no grouping, direct prompting, chance. Paper: SymbalBench 6.3, D."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from core.audit.finding_tables import Facts
from core.bench.symbalbench.evaluate import TOP, Prediction
from core.domain.judgement import Unscored
from core.findings.contrast import FeaturePairs
from core.seams import ChatModel
from core.summaries.symbal_direct_prompting import predict_directly


def without_grouping(facts: Facts, features: FeaturePairs) -> Prediction:
    """t: the concepts most misaligned facts hold; v: the features most of their images show."""
    said = Counter(name for names in facts.said_wrongly.values() for name in set(names))
    ts = tuple(name for name, _ in sorted(said.items(), key=lambda kv: (-kv[1], kv[0]))[:TOP])
    table = features.table(np.zeros(0, np.int64))
    samples = np.unique(facts.sample[list(facts.said_wrongly)]) if facts.said_wrongly else np.zeros(0, int)
    counts = np.asarray(table.present[samples].sum(axis=0)).ravel()
    order = np.lexsort((np.arange(len(counts)), -counts))
    most = [table.names[i] for i in order[: TOP + 1]]
    return Prediction(ts, tuple(tuple(v for v in most if v != t)[:TOP] for t in ts))


def by_direct_prompting(
    chat: ChatModel, pairs: Sequence[tuple[str, str]], n: int, generator: np.random.Generator
) -> Prediction | Unscored:
    """One question about a random sample of the dataset: more would not fit the model's context.

    pairs: (reference, caption) of every sample. The features are candidates for each of the errors.
    """
    chosen = np.sort(generator.choice(len(pairs), min(n, len(pairs)), replace=False))
    found = predict_directly(chat, [pairs[i] for i in chosen])
    if isinstance(found, Unscored):
        return found
    return Prediction(found.textual_errors, tuple(found.visual_features for _ in found.textual_errors))


def by_chance(names: Sequence[str], generator: np.random.Generator) -> Prediction:
    """Five names of the vocabulary as t, five as v of each."""
    n = min(TOP, len(names))
    ts = tuple(str(t) for t in generator.choice(names, n, replace=False))
    return Prediction(ts, tuple(tuple(str(v) for v in generator.choice(names, n, False)) for _ in ts))
