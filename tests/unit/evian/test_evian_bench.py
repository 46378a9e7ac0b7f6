"""Defect injection and the report."""

import random

import numpy as np
import pytest

from core.bench.evian_defects import ChatInjector, Defect, choose_category, make_defect
from core.bench.evian_offline import OfflineInjector
from core.bench.evian_report import discrimination, js_divergence, lines_of, roc_auc
from core.bench.evian_taxonomy import BY_CODE, SUBTYPES
from core.domain.judgement import Unscored
from tests.unit.evian.fake_chat import FakeChat, by_prompt

TEXT = "A red car is parked next to a man who is sitting on a bench."


def test_the_taxonomy_has_fourteen_subtypes():
    counts = [sum(s.category == c for s in SUBTYPES) for c in ("consistency", "reasoning", "knowledge")]
    assert counts == [5, 5, 4]
    assert len(BY_CODE) == 14


def test_the_cascade_has_the_papers_probabilities():
    rng = random.Random(0)
    drawn = [choose_category(True, True, rng) for _ in range(20000)]
    assert drawn.count("knowledge") / 20000 == pytest.approx(0.8, abs=0.02)
    assert drawn.count("reasoning") / 20000 == pytest.approx(0.12, abs=0.02)
    assert {choose_category(False, False, rng) for _ in range(50)} == {"consistency"}


def test_three_stages_over_a_chat_model():
    answers = by_prompt(
        analyse_content='{"contains_reasoning": false, "contains_knowledge": true}',
        choose_subtype='{"choice": "knowledge_entity"}',
        inject="A red car is parked in Paris, England.",
    )
    found = ChatInjector(FakeChat(answers), seed=1).inject([TEXT + str(i) for i in range(30)])
    defects = [d for d in found if isinstance(d, Defect)]
    assert len(defects) == 30
    assert 15 <= sum(d.subtype == "knowledge_entity" for d in defects) <= 29


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"analyse_content": "no idea"}, "unparseable"),
        ({"analyse_content": '{"contains_reasoning": "yes", "contains_knowledge": false}'}, "unparseable"),
        ({"inject": TEXT}, "unchanged"),
        ({"inject": "Here is the rewritten text: A cat."}, "unparseable"),
        ({"inject": " "}, "unparseable"),
    ],
)
def test_a_failed_stage_is_unscored(answers, reason):
    base = {"analyse_content": '{"contains_reasoning": false, "contains_knowledge": false}', "inject": "x"}
    (found,) = ChatInjector(FakeChat(by_prompt(**{**base, **answers}))).inject([TEXT])
    assert isinstance(found, Unscored)
    assert found.reason == reason


def test_offline_defects_keep_original_subtype_and_span():
    found = OfflineInjector(3).inject([TEXT], [[]], [False])
    assert found == OfflineInjector(3).inject([TEXT], [[]], [False])
    (defect,) = found
    assert isinstance(defect, Defect)
    assert defect.original == TEXT != defect.text
    assert defect.category == "consistency"
    assert defect.text[defect.start : defect.stop]


def test_entities_are_swapped_for_others_of_their_kind():
    texts = ["This is Paris.", "This is Rome."]
    found = OfflineInjector(0).inject(texts, [[(8, 13, "GPE")], [(8, 12, "GPE")]], [False, False])
    swapped = [d for d in found if isinstance(d, Defect) and d.subtype == "knowledge_entity"]
    assert swapped
    assert {d.text for d in swapped} <= {"This is Rome.", "This is Paris."}


def test_only_white_space_is_no_defect():
    assert isinstance(make_defect("a b", "a  b", "consistency_fake"), Unscored)


def test_figures_of_separated_and_of_equal_groups():
    high, low = np.full(50, 4.0), np.full(50, 2.0)
    assert (roc_auc(high, low), js_divergence(high, low)) == (1.0, 1.0)
    assert (roc_auc(low, low), js_divergence(low, low)) == (0.5, 0.0)
    assert roc_auc(high, np.array([np.nan])) is None


def test_the_report_names_axes_subtypes_and_ablations():
    scores = np.array([[5, 2, 2], [2, 2, 2], [4, 4, 2], [4, 1, 2]], float)
    defaulted = np.array([[0, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 1]], bool)
    codes = ["", "consistency_fake", "", "reasoning_causal"]
    report = discrimination(
        scores, scores, defaulted, np.array([False, True, False, True]), codes,
        np.array([[0, 1], [2, 3]]), np.array([5.0, 3, 4, 4]),
    )  # fmt: skip
    assert report["overall"]["roc_auc"] == 1.0
    assert report["axes"]["factual_accuracy"]["roc_auc"] == 0.5
    assert report["pairs"]["original_higher"] == 1.0
    assert report["subtypes"]["consistency_fake"]["roc_auc_by_axis"]["logical_coherence"] == 0.75
    assert {"without S_V", "without S_L", "without S_K", "without decomposition"} <= set(report["ablations"])
    assert any("0.860" in line for line in lines_of(report))
