"""q, replication and clustered intervals: against scipy, on planted links and on captions dealt at random."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from core.domain.cluster import Cluster
from core.domain.finding import TextualFact
from core.findings.association import associate, clustered_interval
from core.findings.believe import Trial, believe
from core.findings.false_discovery import at_risk, benjamini_hochberg, pair_tests
from core.findings.features import pairs_from_objects
from core.findings.replicate import halves
from core.findings.systematic_misalignment import ErrorIndicator, Stage2, TextualError, candidate

NAMES = [f"o{i}" for i in range(30)]


def world(rng, n):
    """Objects of n images that come in groups, so that some go together and others shun each other."""
    scene = rng.integers(0, 5, n)
    rates = np.where(np.arange(30) % 5 == scene[:, None], 0.35, 0.03)
    return rng.random((n, 30)) < rates


def trials_of(said, shown):
    """Every t of a captioner that says `said` (n, 30) of images that show `shown` (n, 30)."""
    table = pairs_from_objects([[NAMES[j] for j in np.flatnonzero(row)] for row in shown]).table(
        np.zeros(0, np.int64)
    )
    found = []
    for j, t in enumerate(NAMES):
        wrong = said[:, j] & ~shown[:, j]
        if wrong.any():
            error = TextualError(TextualFact(t, ()), Cluster(j, 9, 9, 0, 0.5, None, j + 1), ())
            indicator = ErrorIndicator(wrong, np.flatnonzero(wrong))
            c = candidate(error, indicator, table, Stage2(None, ()), "contrast", [t])
            found.append(Trial(c, table, [t]))
    return found


def test_p_is_fishers_over_images_that_do_not_show_t():
    rng = np.random.default_rng(0)
    shown = world(rng, 300)
    c = trials_of(world(rng, 300), shown)[3]
    tests = pair_tests(c.candidate.wrong.samples, c.table, np.arange(300), t="o3", without=["o3"])
    j = int(tests.features[0])
    rows = at_risk(c.candidate.wrong.samples, c.table, "o3")
    assert not (rows & shown[:, 3]).any()
    wrong, present = c.candidate.wrong.samples[rows], c.table.column(c.table.names[j])[rows]
    cells = [
        [(wrong & present).sum(), (wrong & ~present).sum()],
        [(~wrong & present).sum(), (~wrong & ~present).sum()],
    ]
    assert tests.p[0] == pytest.approx(fisher_exact(cells, alternative="greater").pvalue)
    assert c.table.names.index("o3") not in tests.features


def test_copies_of_a_caption_change_neither_p_nor_the_interval():
    rng = np.random.default_rng(1)
    shown, said = world(rng, 200), world(rng, 200)
    once = believe(trials_of(said, shown), np.arange(200), seed=0)
    five = believe(
        trials_of(np.repeat(said, 5, 0), np.repeat(shown, 5, 0)), np.repeat(np.arange(200), 5), seed=0
    )
    by_t = {c.error.textual_fact.text: c for c in once}
    same_v = 0
    for c in five:
        other = by_t[c.error.textual_fact.text]
        if c.visual_feature.text and c.visual_feature.text == other.visual_feature.text:
            same_v += 1
            assert c.association.q == pytest.approx(other.association.q)
    assert same_v >= 5
    wrong, present = said[:, 0], shown[:, 1]
    alone = associate(wrong, present).risk_ratio_interval
    copied = clustered_interval(np.repeat(wrong, 5), np.repeat(present, 5), np.repeat(np.arange(200), 5))
    assert copied.low == pytest.approx(alone.low, rel=0.02)
    assert copied.high == pytest.approx(alone.high, rel=0.02)


def test_a_planted_link_is_believed_and_replicates():
    rng = np.random.default_rng(2)
    shown = world(rng, 1000)
    said = shown.copy()
    said[:, 0] |= shown[:, 1] & (rng.random(1000) < 0.6)
    said[:, 2] |= rng.random(1000) < 0.05
    first, second = believe(trials_of(said, shown), np.arange(1000), seed=0)
    assert first.visual_feature.text == "o1"
    assert first.association.q < 1e-6
    assert first.association.replicated is True
    assert first.association.replication.feature == "o1"
    assert first.association.replication.held_out.risk_ratio > 5
    assert first.association.n_tests > 40
    assert first.association.presence_from == "objects"
    assert second.association.q > 0.05
    assert not second.association.replicated


def test_too_few_images_is_neither_true_nor_false():
    rng = np.random.default_rng(3)
    shown = world(rng, 400)
    said = shown.copy()
    said[np.flatnonzero(shown[:, 1] & ~shown[:, 0])[:6], 0] = True
    (only,) = believe(trials_of(said, shown), np.arange(400), seed=0)
    assert only.visual_feature.text
    assert only.association.replicated is None
    assert only.association.replication is None


def test_captions_dealt_at_random_give_few_false_findings():
    """At most 5 % of datasets: in 60, eight or more would be seen once in 100 times at a true 5 %."""
    false = replicated = trials = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        said, shown = world(rng, 300), world(rng, 300)
        found = believe(trials_of(said, shown), np.arange(300), seed=seed)
        false += any(c.association.q is not None and c.association.q < 0.05 for c in found)
        replicated += sum(c.association.replicated is True for c in found)
        trials += sum(c.association.replicated is not None for c in found)
    assert false <= 7
    assert trials > 300
    assert replicated / trials < 0.05


def test_halves_never_split_an_image():
    images = np.repeat(np.arange(101), 5)
    first = halves(images, 4)
    assert all(len(set(first[images == i])) == 1 for i in range(101))
    assert first.reshape(101, 5)[:, 0].sum() == 50


def test_q_by_hand():
    assert benjamini_hochberg(np.array([0.01, 0.04, 0.03, 0.5])) == pytest.approx(
        [0.04, 0.16 / 3, 0.16 / 3, 0.5]
    )
    assert len(benjamini_hochberg(np.zeros(0))) == 0
