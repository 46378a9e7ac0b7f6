"""How well p_entailment and the verdicts match labels of sentences. Paper: VNLI-Critique 4.2 (Table 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core.bench.evian_report import roc_auc
from core.bench.vnli_items import LabelledSentence
from core.domain.vnli import Factuality, FactualityJudgement, binary
from core.labels.agreement import krippendorff_alpha

Flags = npt.NDArray[np.bool_]


def macro_f1(truth: Flags, said: Flags) -> float | None:
    """Mean of the F1 of right and of wrong sentences; a class nobody named counts 0. None for no rows."""
    if not len(truth):
        return None
    scores = []
    for value in (True, False):
        hit = int(((truth == value) & (said == value)).sum())
        named = int((truth == value).sum() + (said == value).sum())
        if named:
            scores.append(2 * hit / named)
    return float(np.mean(scores))


def classification(
    labelled: Sequence[LabelledSentence], judged: Sequence[FactualityJudgement]
) -> dict[str, Any]:
    """ROC-AUC, Macro-F1, the 2x2 table, and what could not be compared, by reason.

    Compared are sentences with a label and a verdict; both sides' "nothing to assess" is left out.
    """
    truth, said, p = [], [], []
    left_out: dict[str, int] = {}
    for sentence, one in zip(labelled, judged, strict=True):
        verdict = binary(one.verdict) if isinstance(one, Factuality) else None
        if sentence.right is None:
            reason = "no label" if sentence.label is None else "label: nothing to assess"
        elif verdict is None:
            reason = "verdict: nothing to assess" if isinstance(one, Factuality) else one.reason
        else:
            truth.append(sentence.right)
            said.append(verdict)
            p.append(one.p_entailment if isinstance(one, Factuality) else None)
            continue
        left_out[reason] = left_out.get(reason, 0) + 1
    right, called = np.array(truth, np.bool_), np.array(said, np.bool_)
    score = np.array(p, np.float64)
    return {
        "n": len(right),
        "n_right": int(right.sum()),
        "roc_auc": roc_auc(score[right], score[~right]),
        "macro_f1": macro_f1(right, called),
        "accuracy": float((right == called).mean()) if len(right) else None,
        "table": {
            "right_called_right": int((right & called).sum()),
            "right_called_wrong": int((right & ~called).sum()),
            "wrong_called_right": int((~right & called).sum()),
            "wrong_called_wrong": int((~right & ~called).sum()),
        },
        "not_compared": dict(sorted(left_out.items())),
    }


def by_error_type(
    labelled: Sequence[LabelledSentence], judged: Sequence[FactualityJudgement]
) -> dict[str, dict[str, Any]]:
    """Per kind of error (and for right sentences): called wrong, called right, no verdict.

    A sentence with two kinds of error counts under both.
    """
    found: dict[str, dict[str, Any]] = {}
    for sentence, one in zip(labelled, judged, strict=True):
        if sentence.right is None:
            continue
        verdict = binary(one.verdict) if isinstance(one, Factuality) else None
        said = "no_verdict" if verdict is None else "called_right" if verdict else "called_wrong"
        for kind in ("right",) if sentence.right else sentence.types or ("wrong, kind not given",):
            row = found.setdefault(kind, {"n": 0, "called_wrong": 0, "called_right": 0, "no_verdict": 0})
            row["n"] += 1
            row[said] += 1
    for row in found.values():
        known = row["called_wrong"] + row["called_right"]
        row["share_called_wrong"] = row["called_wrong"] / known if known else None
    return dict(sorted(found.items(), key=lambda pair: (pair[0] == "right", -pair[1]["n"], pair[0])))


def agreement(labelled: Sequence[LabelledSentence]) -> dict[str, Any] | None:
    """Krippendorff's alpha of the raters, over four labels and the binary view; None without raters."""
    units = [s.raters for s in labelled if s.raters]
    if not units:
        return None
    views = [[None if r is None else binary(r) for r in raters] for raters in units]
    return {
        "n_sentences": len(units),
        "most_raters": max(map(len, units)),
        "alpha_four_labels": krippendorff_alpha(units),
        "alpha_binary": krippendorff_alpha(views),
        "no_majority": sum(s.label is None for s in labelled if s.raters),
    }
