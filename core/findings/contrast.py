"""v by contrast: the feature whose presence goes most with the error over the whole dataset.

Departs: Symbal 4.2 names the feature most frequent in the worst image cluster, where frequent
features ("person", "wall") win by being frequent. See DESIGN 5.1 and `summaries.symbal_2_visual_feature`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import sparse, stats

from core.domain.finding import Vote

MAX_CANDIDATES = 5
MIN_TOGETHER = 2
SHORTLIST = 60


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """Which sample shows which feature.

    names: (m,) feature names. present: (n, m) sparse 0/1. known: (n,) False where nothing is known
    of the sample's features; such samples are in no 2x2 table. presence_from: where presence was read.
    """

    names: tuple[str, ...]
    present: sparse.csc_matrix
    known: npt.NDArray[np.bool_]
    presence_from: str

    def column(self, name: str) -> npt.NDArray[np.bool_]:
        """(n,) True where the sample shows the feature; all False for an unknown name."""
        if name not in self.names:
            return np.zeros(self.present.shape[0], bool)
        return np.asarray(self.present[:, self.names.index(name)].toarray()[:, 0] > 0)


@dataclass(frozen=True, slots=True, eq=False)
class FeaturePairs:
    """Mentions of features by sample, from which a table can be built with some facts left out.

    sample, feature: (p,) indices. fact: (p,) id of the fact the mention stands in, -1 if in none.
    called: names counted under another name of the same thing (`core.findings.one_name`).
    """

    names: tuple[str, ...]
    sample: npt.NDArray[np.int64]
    feature: npt.NDArray[np.int64]
    fact: npt.NDArray[np.int64]
    known: npt.NDArray[np.bool_]
    presence_from: str
    called: Mapping[str, str] = field(default_factory=dict)

    def table(self, without_facts: npt.NDArray[np.int64]) -> FeatureTable:
        """The features of all samples, not counting mentions inside `without_facts`."""
        keep = ~np.isin(self.fact, without_facts) if (self.fact >= 0).any() else slice(None)
        sample, feature = self.sample[keep], self.feature[keep]
        shape = (len(self.known), len(self.names))
        present = sparse.csc_matrix((np.ones(len(sample), np.int32), (sample, feature)), shape=shape)
        present.data[:] = 1  # several mentions in one sample count once
        return FeatureTable(self.names, present, self.known, self.presence_from)


@dataclass(frozen=True, slots=True)
class Contrast:
    """Candidates for v, strongest first. log_p: natural log of the best one's one-sided Fisher p."""

    candidates: tuple[Vote, ...]
    log_p: float


def contrast_features(
    wrong: npt.NDArray[np.bool_], table: FeatureTable, *, without: Collection[str]
) -> Contrast:
    """Up to five features by strength of association with the error, strongest first.

    wrong: (n,) the sample says t wrongly. Order: hypergeometric z of one standard error less than the
    number of samples in which feature and error meet, so that neither a frequent companion ("desk" for
    "keyboard") nor a feature seen three times wins; weight: z itself. A feature needs two samples in which
    it meets the error, and more of them than chance would give.
    """
    wrong = wrong[table.known]
    present = table.present[table.known]
    n, n_wrong = len(wrong), int(wrong.sum())
    totals = np.asarray(present.sum(axis=0)).ravel().astype(np.float64)
    together = np.asarray(present.T @ wrong.astype(np.int32)).ravel()
    z = hypergeometric_z(together, n, totals, n_wrong)
    barred = np.isin(np.array(table.names), list(without)) if table.names else np.zeros(0, bool)
    usable = np.flatnonzero((together >= MIN_TOGETHER) & (z > 0) & ~barred)
    shortlist = usable[np.argsort(-z[usable], kind="stable")[:SHORTLIST]]
    by_count = usable[np.argsort(-together[usable], kind="stable")[:SHORTLIST]]
    shortlist = np.union1d(shortlist, by_count)
    if not len(shortlist):
        return Contrast((), 0.0)
    fewer = together[shortlist] - np.sqrt(together[shortlist])
    cautious = hypergeometric_z(fewer, n, totals[shortlist], n_wrong)
    order = shortlist[np.lexsort((shortlist, -z[shortlist], -cautious))[:MAX_CANDIDATES]]
    votes = tuple(Vote(table.names[i], round(float(z[i]), 3)) for i in order)
    best = order[0]
    log_p = float(stats.hypergeom.logsf(together[best] - 1, n, int(totals[best]), n_wrong))
    return Contrast(votes, log_p)


def hypergeometric_z(
    together: npt.NDArray[np.integer] | npt.NDArray[np.floating],
    n: int,
    totals: npt.NDArray[np.float64],
    n_wrong: int,
) -> npt.NDArray[np.float64]:
    """(m,) standardised excess of wrong-and-present samples over chance; > 0 = more than chance."""
    if n < 2:
        return np.zeros(len(totals))
    expected = totals * n_wrong / n
    variance = expected * (1 - totals / n) * (n - n_wrong) / (n - 1)
    return np.asarray((together - expected) / np.sqrt(np.maximum(variance, 1e-12)))
