"""The AutoRater's report as lines of text. Paper: VNLI-Critique 4.2, A."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.bench.vnli_leaderboard import CRITERIA, CRITERION_NAMES

SHORT = {"response": "whole response", "sentences": "sentences", "per_description": "per description"}


def lines_of(report: Mapping[str, Any]) -> list[str]:
    """The tables that the command prints."""
    critic = report["critic"]
    kind = "embedded baseline, a heuristic" if critic["baseline"] else "model"
    verdicts = ", ".join(f"{n:,} {v}" for v, n in report["verdicts"].items())
    return [
        f"{report['data']}: {report['n_descriptions']:,} descriptions of {report['n_images']:,} images, "
        f"{report['n_sentences']:,} sentences",
        f"critic: {critic['name']} ({kind}); compared with {', '.join(report['compared_with'])}",
        f"verdicts: {verdicts}",
        f"sentences that the audit splits otherwise than the labels: {report['sentences_split_otherwise']:,}",
        "",
        *_boards(report),
        *_sentences(report),
        *_types(report["error_types"]),
        *_agreement(report["agreement"]),
        *_pairs(report["pairs"]),
        *_revisions(report["revisions"]),
    ]


def _boards(report: Mapping[str, Any]) -> list[str]:
    truth = {r["captioner"]: r for r in report["labels_leaderboard"]}
    lines = [f"{'captioner':<16}" + "".join(f"{SHORT[c] + ': critic / labels':>38}" for c in CRITERIA)]
    for row in report["leaderboard"]:
        other = truth.get(row["captioner"])
        cells = [_cell(row, c) + " / " + (_plain(other, c) if other else "-") for c in CRITERIA]
        lines.append(f"{row['captioner']:<16}" + "".join(f"{cell:>38}" for cell in cells))
    for name, key in (("all labels", "correlation"), ("same sentences", "correlation_judged_sentences")):
        for c in CRITERIA:
            one = report[key][c]
            if one["spearman"] is not None:
                lines.append(
                    f"{CRITERION_NAMES[c]}, {name}: "
                    f"Spearman {one['spearman']:.3f} (p {one['spearman_p']:.2g}), "
                    f"Kendall {one['kendall']:.3f} (p {one['kendall_p']:.2g}), {one['n']} captioners"
                )
    return [*lines, ""]


def _cell(row: Mapping[str, Any], c: str) -> str:
    if row["values"][c] is None:
        return "-"
    return f"{row['ranks'][c]}: {row['values'][c]:.3f} [{row['low'][c]:.3f}, {row['high'][c]:.3f}]"


def _plain(row: Mapping[str, Any], c: str) -> str:
    return "-" if row["values"][c] is None else f"{row['ranks'][c]}: {row['values'][c]:.3f}"


def _sentences(report: Mapping[str, Any]) -> list[str]:
    one, table = report["sentences"], report["sentences"]["table"]
    left = ", ".join(f"{n:,} {reason}" for reason, n in one["not_compared"].items())
    return [
        f"sentences compared: {one['n']:,} ({one['n_right']:,} right); ROC-AUC {_number(one['roc_auc'])}, "
        f"Macro-F1 {_number(one['macro_f1'])}, accuracy {_number(one['accuracy'])}",
        f"  right: {table['right_called_right']:,} called right, {table['right_called_wrong']:,} wrong; "
        f"wrong: {table['wrong_called_wrong']:,} called wrong, {table['wrong_called_right']:,} right",
        *([f"  not compared: {left}"] if left else []),
        "",
    ]


def _types(types: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = [
        f"{'kind of error':<28}{'n':>7}{'called wrong':>14}{'called right':>14}{'no verdict':>12}{'share':>8}"
    ]
    lines += [
        f"{kind:<28}{r['n']:>7,}{r['called_wrong']:>14,}{r['called_right']:>14,}{r['no_verdict']:>12,}"
        f"{_number(r['share_called_wrong']):>8}"
        for kind, r in types.items()
    ]
    return [*lines, ""]


def _agreement(found: Mapping[str, Any] | None) -> list[str]:
    if found is None:
        return []
    return [
        f"raters: {found['n_sentences']:,} sentences by up to {found['most_raters']}; Krippendorff's alpha "
        f"{_number(found['alpha_four_labels'])} (four labels), {_number(found['alpha_binary'])} (right or "
        f"wrong); no majority on {found['no_majority']:,}",
        "",
    ]


def _pairs(pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = ["pairs on the same images (by the critic): difference of correct sentences, McNemar on images"]
    for pair in pairs:
        one = pair["differences"]["sentences"]
        if one is None:
            continue
        span = f"[{one['low']:+.3f}, {one['high']:+.3f}]"
        lines.append(
            f"  {pair['first']} - {pair['second']}: {one['value']:+.3f} {span} p {one['p']:.2g}; wholly "
            f"right only {pair['only_first']:,} / {pair['only_second']:,} of {pair['n_images']:,} images, "
            f"p {pair['mcnemar_p']:.2g}"
        )
    return [*lines, ""] if len(lines) > 1 else []


def _revisions(found: Mapping[str, Any]) -> list[str]:
    return [
        f"revisions: {found['flagged']:,} flagged, {found['judged']:,} rewritten and judged again "
        f"({found['accepted']:,} accepted, self-consistency {_number(found['self_consistency'])}), "
        f"{found['deleted']:,} taken out, {found['unscored']:,} not revised"
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
