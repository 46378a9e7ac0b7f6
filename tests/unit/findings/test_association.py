"""2x2 statistics against scipy and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, fisher_exact
from scipy.stats.contingency import relative_risk

from core.findings.association import associate, associate_counts

counts = st.integers(1, 200)


@given(counts, counts, counts, counts)
def test_agrees_with_scipy(a, b, c, d):
    found = associate_counts(a, b, c, d)
    risk = relative_risk(a, a + c, b, b + d)
    interval = risk.confidence_interval(0.95)
    assert found.risk_ratio == pytest.approx(risk.relative_risk)
    assert found.risk_ratio_interval.low == pytest.approx(interval.low)
    assert found.risk_ratio_interval.high == pytest.approx(interval.high)
    assert found.p == pytest.approx(
        fisher_exact([[a, b], [c, d]], alternative="greater").pvalue, rel=1e-6, abs=1e-12
    )
    chi2 = chi2_contingency([[a, b], [c, d]], correction=False).statistic
    assert found.cramers_v == pytest.approx(np.sqrt(chi2 / (a + b + c + d)))


def test_empty_cell_gives_a_finite_ratio():
    found = associate_counts(3, 0, 12, 485)
    assert 10 < found.risk_ratio < 1000
    assert found.risk_ratio_interval.low > 1


@pytest.mark.parametrize("table", [(0, 0, 5, 5), (0, 3, 0, 5), (0, 0, 0, 0), (2, 0, 3, 0)])
def test_an_empty_margin_has_no_statistics(table):
    found = associate_counts(*table)
    assert found.risk_ratio is None
    assert found.cramers_v is None
    assert found.p is None


def test_counts_come_from_the_two_indicators():
    wrong, present = np.array([1, 1, 0, 0, 1], bool), np.array([1, 0, 1, 0, 1], bool)
    found = associate(wrong, present)
    cells = (found.wrong_present, found.wrong_absent, found.right_present, found.right_absent)
    assert cells == (2, 1, 1, 1)
    with pytest.raises(ValueError, match="entries"):
        associate(wrong, present[:3])
