"""Accuracy@1 and @5 of predictions against hidden labels. Paper: SymbalBench 5 (evaluation), 6.3, D."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from core.bench.symbalbench.names import means
from core.bench.symbalbench.settings import Label
from core.domain.finding import Finding

TOP = 5
Judge = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a method says of a setting, best first. ts: textual facts. vs: for each t, candidates for v."""

    ts: tuple[str, ...]
    vs: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One setting judged. v_given_t: at 1 and 5, whether v is right where t was among the top five."""

    label: Label
    prediction: Prediction
    t_at_1: bool
    t_at_5: bool
    v_given_t_at_1: bool
    v_given_t_at_5: bool
    both_at_1: bool
    both_at_5: bool
    reason: str


def prediction_of(findings: Sequence[Finding]) -> Prediction:
    """The first five findings as a prediction."""
    first = findings[:TOP]
    return Prediction(
        tuple(f.textual_fact.text for f in first),
        tuple(tuple(c.text for c in f.visual_feature.candidates[:TOP]) for f in first),
    )


def judged(label: Label, said: Prediction, judge: Judge = means) -> Outcome:
    """t is right at k if one of the first k findings names it; v if its first k candidates name it there.

    End to end at 1: the first finding names t, and v first. At 5: one of the first five findings names t,
    and v among its five candidates.
    """
    right = [judge(t, label.t) for t in said.ts[:TOP]]
    named = next((vs for yes, vs in zip(right, said.vs, strict=False) if yes), ())
    v1 = bool(named) and judge(named[0], label.v)
    v5 = any(judge(v, label.v) for v in named[:TOP])
    first = bool(right) and right[0]
    outcome = Outcome(label, said, first, any(right), v1, v5, first and v1, any(right) and v5, "")
    return replace(outcome, reason=_reason(outcome))


def _reason(o: Outcome) -> str:
    """Why a setting is not right at 1, "" if it is."""
    if o.both_at_1:
        return ""
    if not o.prediction.ts:
        return "no finding"
    if not o.t_at_5:
        return f"t not among the first five: {', '.join(o.prediction.ts)}"
    if not o.t_at_1:
        return f"another error comes first: {o.prediction.ts[0]}"
    vs = o.prediction.vs[0]
    if o.v_given_t_at_5:
        return f"another feature comes first: {vs[0]}"
    return f"v not among the candidates: {', '.join(vs)}" if vs else "no feature found"


MEASURES = {
    "stage 1": ("t_at_1", "t_at_5"),
    "stage 2, t given": ("v_given_t_at_1", "v_given_t_at_5"),
    "end to end": ("both_at_1", "both_at_5"),
}


def accuracies(outcomes: Sequence[Outcome]) -> dict[str, tuple[float, float]]:
    """Measure -> per cent right at 1 and at 5. Stage 2 is over the settings whose t was found."""
    found = {}
    for name, (one, five) in MEASURES.items():
        counted = [o for o in outcomes if o.t_at_5] if name.startswith("stage 2") else list(outcomes)
        n = max(1, len(counted))
        found[name] = (
            100 * sum(getattr(o, one) for o in counted) / n,
            100 * sum(getattr(o, five) for o in counted) / n,
        )
    return found


SIZES = ((0.0, 0.15, "v below 15 % of the image"), (0.15, 0.3, "v 15 to 30 %"), (0.3, 9.0, "v above 30 %"))


def strata(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Outcomes by strength, by how t was sampled, and by the mean size of v."""
    groups: dict[str, list[Outcome]] = {"all": list(outcomes)}
    for level in sorted({o.label.level for o in outcomes}):
        groups[f"Cramer's V {level}"] = [o for o in outcomes if o.label.level == level]
    for strategy in ("random", "popular", "adversarial"):
        groups[f"t {strategy}"] = [o for o in outcomes if strategy in o.label.strategies]
    for low, high, name in SIZES:
        groups[name] = [o for o in outcomes if low <= o.label.v_share < high]
    return {name: some for name, some in groups.items() if some}


def table(outcomes: Sequence[Outcome]) -> str:
    """The accuracies of every stratum as text."""
    head = f"{'':<28}{'n':>5}" + "".join(f"{name + ' @1':>20}{'@5':>7}" for name in MEASURES)
    lines = [head]
    for name, some in strata(outcomes).items():
        cells = "".join(f"{one:>20.1f}{five:>7.1f}" for one, five in accuracies(some).values())
        lines.append(f"{name:<28}{len(some):>5}{cells}")
    return "\n".join(lines)


def as_json(outcome: Outcome) -> Mapping[str, object]:
    """An outcome as it is written to a results file."""
    return asdict(outcome)


def from_json(row: Mapping[str, object]) -> Outcome:
    """The outcome a results file holds."""
    fields = dict(row)
    label, said = dict(fields["label"]), dict(fields["prediction"])  # type: ignore[call-overload]
    label["strategies"] = tuple(label["strategies"])
    fields["label"] = Label(**label)
    fields["prediction"] = Prediction(tuple(said["ts"]), tuple(tuple(v) for v in said["vs"]))
    return Outcome(**fields)  # type: ignore[arg-type]
