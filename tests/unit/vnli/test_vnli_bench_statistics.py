"""The AutoRater's statistics beside scikit-learn, scipy and statsmodels. Paper: VNLI-Critique 4.2, A."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.bench.vnli_classification import agreement, by_error_type, classification, macro_f1
from core.bench.vnli_compare import all_pairs, compare, mcnemar
from core.bench.vnli_items import LabelledSentence, majority
from core.bench.vnli_leaderboard import Counts, correlations, leaderboard, spearman
from core.domain.judgement import Unscored
from core.domain.vnli import Factuality, verdict_of
from core.labels.agreement import krippendorff_alpha

E, N, C, X = "Entailment", "Neutral", "Contradiction", "Nothing to assess"


def judged(p):
    return Factuality(p, verdict_of(p), "logprobs")


def counts_of(rows):
    return [Counts(*row) for row in rows]


@pytest.mark.parametrize(
    ("raters", "outcome"),
    [
        ([E, E, E, C, N], E),
        ([C, C, N, E, E], C),
        ([N, N, C, E, E], N),
        ([X, X, X, E, C], X),
        ([E, E, C, N, X], None),
        ([E, E, C, C, None], None),
        ([None, None], None),
        ([C], C),
    ],
)
def test_the_majority_of_raters(raters, outcome):
    assert majority(raters) == outcome


def test_alpha_of_krippendorffs_own_example():
    # Computing Krippendorff's Alpha-Reliability (2011), section C: nominal data, four observers, gaps.
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    assert krippendorff_alpha(zip(*rows, strict=True)) == pytest.approx(0.743, abs=5e-4)


def test_alpha_of_two_raters_and_two_values():
    # The same source, section A: ten units, binary data without gaps.
    a, b = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha(zip(a, b, strict=True)) == pytest.approx(0.095, abs=5e-4)


def test_alpha_where_nothing_could_differ_is_unknown():
    assert krippendorff_alpha([[1, 1], [1, 1]]) is None
    assert krippendorff_alpha([[1, None], [2]]) is None
    assert krippendorff_alpha([[1, 1], [2, 2]]) == 1.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_macro_f1_is_scikit_learns(pairs):
    from sklearn.metrics import f1_score

    truth, said = (np.array(column) for column in zip(*pairs, strict=True))
    assert macro_f1(truth, said) == pytest.approx(f1_score(truth, said, average="macro"))


def test_roc_auc_is_scikit_learns_and_what_cannot_be_compared_is_counted():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(3)
    truth = rng.random(200) < 0.6
    p = np.round(np.clip(truth * 0.3 + rng.random(200) * 0.7, 0, 1), 1)
    labelled = [LabelledSentence(0, 1, E if t else C) for t in truth]
    labelled += [LabelledSentence(0, 1, X), LabelledSentence(0, 1, None), LabelledSentence(0, 1, E)]
    found = classification(labelled, [*map(judged, p), judged(0.9), judged(0.9), Unscored("no image")])
    assert found["n"] == 200
    assert found["roc_auc"] == pytest.approx(roc_auc_score(truth, p))
    assert found["not_compared"] == {"label: nothing to assess": 1, "no image": 1, "no label": 1}
    assert sum(found["table"].values()) == 200


def test_confusion_by_kind_of_error():
    labelled = [
        LabelledSentence(0, 1, C, types=("value", "label")),
        LabelledSentence(0, 1, C, types=("value",)),
        LabelledSentence(0, 1, C),
        LabelledSentence(0, 1, E),
        LabelledSentence(0, 1, None, types=("value",)),
    ]
    found = by_error_type(labelled, [judged(0.1), judged(0.8), Unscored("no image"), judged(0.9), judged(0)])
    assert found["value"] == {
        "n": 2, "called_wrong": 1, "called_right": 1, "no_verdict": 0, "share_called_wrong": 0.5
    }  # fmt: skip
    assert found["label"]["share_called_wrong"] == 1.0
    assert found["wrong, kind not given"]["share_called_wrong"] is None
    assert found["right"]["called_right"] == 1


def test_agreement_over_both_views():
    labelled = [LabelledSentence(0, 1, C, (N, C, C)), LabelledSentence(0, 1, E, (E, E, E))]
    found = agreement(labelled)
    assert found["alpha_binary"] == 1.0
    assert found["alpha_four_labels"] < 1.0
    assert agreement([LabelledSentence(0, 1, C)]) is None


def test_the_three_criteria_by_hand():
    rows = leaderboard(
        counts_of([("a", "1", 2, 2), ("a", "2", 1, 4), ("b", "1", 0, 1), ("b", "2", 3, 3), ("b", "3", 0, 0)])
    )
    by_name = {r.captioner: r for r in rows}
    assert by_name["a"].values == {"response": 0.5, "sentences": 0.5, "per_description": 0.625}
    assert by_name["b"].values == {"response": 0.5, "sentences": 0.75, "per_description": 0.5}
    assert by_name["b"].n_descriptions == 2
    assert [r.captioner for r in rows] == ["b", "a"]
    assert by_name["a"].ranks == {"response": 1, "sentences": 2, "per_description": 1}


def test_intervals_are_a_bootstrap_over_images():
    rng = np.random.default_rng(0)
    right = rng.integers(0, 5, 300)
    counts = [Counts("a", str(i), int(k), 4) for i, k in enumerate(right)]
    row = leaderboard(counts, times=4000)[0]
    error = (right / 4).std() / np.sqrt(300)
    assert row.low["sentences"] == pytest.approx(right.mean() / 4 - 1.96 * error, abs=0.006)
    assert row.high["sentences"] == pytest.approx(right.mean() / 4 + 1.96 * error, abs=0.006)
    assert leaderboard(counts, seed=1, times=500) == leaderboard(counts, seed=1, times=500)


def test_captions_of_one_image_are_drawn_together():
    alone = leaderboard([Counts("a", str(i), i % 2, 1) for i in range(100)])[0]
    together = leaderboard([Counts("a", str(i // 10), (i // 10) % 2, 1) for i in range(100)])[0]
    assert together.high["sentences"] - together.low["sentences"] > 2 * (
        alone.high["sentences"] - alone.low["sentences"]
    )


def test_a_captioner_without_a_verdict_has_no_rank():
    rows = leaderboard(counts_of([("a", "1", 1, 1), ("b", "1", 0, 0)]))
    assert rows[-1].captioner == "b"
    assert rows[-1].values["sentences"] is None
    assert rows[-1].ranks["sentences"] is None


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=7))
def test_correlations_are_scipys(pairs):
    from scipy.stats import kendalltau, permutation_test, spearmanr

    x, y = (np.array(c, float) / 10 for c in zip(*pairs, strict=True))

    def board(values):
        return leaderboard([Counts(f"c{i}", "1", round(10 * v), 10) for i, v in enumerate(values)], times=2)

    found = correlations(board(x), board(y))["sentences"]
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert found["spearman"] is None
        return
    assert found["spearman"] == pytest.approx(spearmanr(x, y).statistic)
    assert found["kendall"] == pytest.approx(kendalltau(x, y).statistic)
    exact = (
        permutation_test(
            (x,), lambda a: spearmanr(a, y).statistic, permutation_type="pairings", n_resamples=np.inf
        )
        if len(x) <= 5
        else None
    )
    if exact is not None:
        rho = abs(spearmanr(x, y).statistic)
        share = (np.abs(exact.null_distribution) >= rho - 1e-9).mean()
        assert found["spearman_p"] == pytest.approx(share)


def test_p_of_five_in_the_same_order():
    rho, p = spearman(np.arange(5.0), np.arange(5.0))
    assert rho == pytest.approx(1.0)
    assert p == pytest.approx(2 / 120)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (3, 9), (12, 2), (5, 5), (0, 7)])
def test_mcnemar_is_statsmodels(b, c):
    from statsmodels.stats.contingency_tables import mcnemar as theirs

    assert mcnemar(b, c) == pytest.approx(theirs([[4, b], [c, 4]], exact=True).pvalue)


def test_a_paired_comparison_uses_shared_images_only():
    rng = np.random.default_rng(5)
    counts = []
    for i in range(200):
        hard = rng.random()
        for name, skill in (("a", 0.2), ("b", 0.0)):
            right = int((rng.random(4) < np.clip(hard + skill, 0, 1)).sum())
            counts.append(Counts(name, str(i), right, 4))
    counts += [Counts("b", f"only b {i}", 4, 4) for i in range(500)]
    pair = compare(counts, "a", "b")
    assert pair.n_images == 200
    assert pair.both + pair.neither + pair.only_first + pair.only_second == 200
    one = pair.differences["sentences"]
    assert one.low > 0
    assert one.low < one.value < one.high
    assert one.p < 0.01
    swapped = compare(counts, "b", "a").differences["sentences"]
    assert (swapped.value, swapped.low, swapped.high) == pytest.approx((-one.value, -one.high, -one.low))
    widths = [
        compare(
            [c for c in counts if c.captioner == "a"]
            + [Counts("b", c.image, c.right, c.judged) for c in counts if c.captioner == "a"],
            "a",
            "b",
        )
        .differences["sentences"]
        .high
    ]
    assert widths == [0.0]  # equal on every image: no difference in any resample


def test_captioners_without_a_shared_image_are_not_paired():
    counts = counts_of([("a", "1", 1, 1), ("b", "2", 1, 1), ("c", "1", 0, 1)])
    assert [(p.first, p.second) for p in all_pairs(counts, times=10)] == [("a", "c")]
