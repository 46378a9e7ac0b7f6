"""Do the scores tell clean responses from defective ones? Paper: Evian 5.2, 5.4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core.domain.evian import AXES
from core.findings.evian_selection import Weights, overall

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
BINS = np.round(np.arange(1 - 1 / 6, 5 + 1 / 3, 1 / 3), 6)
"""Edges of bins a third wide, centred on the values that a mean of three integers can take."""
PAPER = {"js_divergence": 0.35, "roc_auc": 0.86}


def roc_auc(clean: Floats, defect: Floats) -> float | None:
    """Probability that a clean response scores higher than a defective one, ties half; None without both."""
    from scipy.stats import rankdata

    clean, defect = clean[~np.isnan(clean)], defect[~np.isnan(defect)]
    if not len(clean) or not len(defect):
        return None
    ranks = rankdata(np.concatenate([clean, defect]))
    u = ranks[: len(clean)].sum() - len(clean) * (len(clean) + 1) / 2
    return float(u / (len(clean) * len(defect)))


def js_divergence(clean: Floats, defect: Floats) -> float | None:
    """Jensen-Shannon divergence of the two histograms, base 2, 0..1."""
    p, _ = np.histogram(clean[~np.isnan(clean)], BINS)
    q, _ = np.histogram(defect[~np.isnan(defect)], BINS)
    if not p.sum() or not q.sum():
        return None
    p, q = p / p.sum(), q / q.sum()
    m = (p + q) / 2
    return float((_kl(p, m) + _kl(q, m)) / 2)


def _kl(p: Floats, m: Floats) -> float:
    inside = p > 0
    return float((p[inside] * np.log2(p[inside] / m[inside])).sum())


def discrimination(
    scores: Floats,
    expected: Floats,
    defaulted: Flags,
    is_defect: Flags,
    subtypes: Sequence[str],
    pairs: npt.NDArray[np.int64],
    whole: Floats,
) -> dict[str, Any]:
    """The benchmark's figures.

    scores, expected, defaulted: (n, 3) in the order of AXES. is_defect: (n,). subtypes: (n,) code, "" for
    clean. pairs: (m, 2) rows of an original and its defect. whole: (n,) score without decomposition.
    """
    mean, fine = overall(scores, defaulted), overall(expected, defaulted)
    codes = np.asarray(subtypes, dtype=object)
    report: dict[str, Any] = {
        "n_clean": int((~is_defect).sum()),
        "n_defect": int(is_defect.sum()),
        "n_unscored": int(np.isnan(mean).sum()),
        "overall": _figures(mean, fine, is_defect),
        "pairs": _pairs(fine, pairs),
        "axes": {a: _figures(scores[:, i], expected[:, i], is_defect) for i, a in enumerate(AXES)},
        "subtypes": {
            code: _subtype(scores, expected, fine, is_defect, codes == code)
            for code in sorted({c for c in subtypes if c})
        },
        "ablations": _ablations(scores, expected, defaulted, is_defect, whole),
        "distribution": _distribution(mean, is_defect),
        "paper": PAPER,
    }
    return report


def _figures(values: Floats, fine: Floats, is_defect: Flags) -> dict[str, float | None]:
    return {
        "mean_clean": _mean(values[~is_defect]),
        "mean_defect": _mean(values[is_defect]),
        "js_divergence": js_divergence(values[~is_defect], values[is_defect]),
        "roc_auc": roc_auc(values[~is_defect], values[is_defect]),
        "roc_auc_expected": roc_auc(fine[~is_defect], fine[is_defect]),
    }


def _subtype(scores: Floats, expected: Floats, fine: Floats, is_defect: Flags, own: Flags) -> dict[str, Any]:
    clean = ~is_defect
    by_axis = {a: roc_auc(expected[clean, i], expected[own, i]) for i, a in enumerate(AXES)}
    return {
        "n": int(own.sum()),
        "roc_auc": roc_auc(overall_of(scores, clean), overall_of(scores, own)),
        "roc_auc_expected": roc_auc(fine[clean], fine[own]),
        "roc_auc_by_axis": by_axis,
    }


def overall_of(scores: Floats, rows: Flags) -> Floats:
    """(m,) overall scores of some rows, defaults counted."""
    return overall(scores[rows], np.zeros_like(scores[rows], np.bool_))


def _ablations(
    scores: Floats, expected: Floats, defaulted: Flags, is_defect: Flags, whole: Floats
) -> dict[str, Any]:
    leave_out = {
        "without S_V": Weights(image_text_consistency=0),
        "without S_L": Weights(logical_coherence=0),
        "without S_K": Weights(factual_accuracy=0),
        "only S_V": Weights(logical_coherence=0, factual_accuracy=0),
    }
    found: dict[str, Any] = {
        name: _figures(overall(scores, defaulted, w), overall(expected, defaulted, w), is_defect)
        for name, w in leave_out.items()
    }
    fine = overall(expected, defaulted, count_defaulted=False)
    found["defaulted axes left out"] = _figures(
        overall(scores, defaulted, count_defaulted=False), fine, is_defect
    )
    found["without decomposition"] = _figures(np.floor(whole + 0.5), whole, is_defect)
    return found


def _pairs(fine: Floats, pairs: npt.NDArray[np.int64]) -> dict[str, float | int | None]:
    if not len(pairs):
        return {"n": 0, "original_higher": None, "equal": None}
    a, b = fine[pairs[:, 0]], fine[pairs[:, 1]]
    both = ~np.isnan(a) & ~np.isnan(b)
    n = int(both.sum())
    share = (lambda hit: float((hit & both).sum() / n)) if n else (lambda hit: None)
    return {"n": n, "original_higher": share(a > b + 1e-9), "equal": share(np.abs(a - b) <= 1e-9)}


def _distribution(mean: Floats, is_defect: Flags) -> dict[str, list[float]]:
    centres = ((BINS[:-1] + BINS[1:]) / 2).round(3).tolist()
    count = {
        name: np.histogram(mean[rows & ~np.isnan(mean)], BINS)[0].tolist()
        for name, rows in (("clean", ~is_defect), ("defect", is_defect))
    }
    return {"centre": centres, **count}


def _mean(values: Floats) -> float | None:
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else None


def lines_of(report: Mapping[str, Any]) -> list[str]:
    """The report as lines for a terminal."""

    def row(name: str, f: Mapping[str, Any]) -> str:
        shown = [
            "  -  " if f.get(k) is None else f"{f[k]:5.3f}"
            for k in ("js_divergence", "roc_auc", "roc_auc_expected")
        ]
        return f"{name:<34} {'   '.join(shown)}"

    head = [
        f"{report['n_clean']} clean and {report['n_defect']} defective responses, "
        f"{report['n_unscored']} unscored",
        f"{'':<34} {'JSD':<5}   {'AUC':<5}   AUC of unrounded scores",
        row("overall", report["overall"]),
    ]
    parts = [row(a, f) for a, f in report["axes"].items()]
    parts += [row(f"{code} (n={f['n']})", f) for code, f in report["subtypes"].items()]
    parts += [row(name, f) for name, f in report["ablations"].items()]
    return [*head, *parts, "Evian's paper, with its models: JSD 0.350, AUC 0.860"]
