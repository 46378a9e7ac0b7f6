"""The settings are what the paper describes, the judge is strict, the accuracies are counted right."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.bench.symbalbench import inject, settings
from core.bench.symbalbench.coco import base_dataset, read_coco
from core.bench.symbalbench.evaluate import Prediction, accuracies, as_json, from_json, judged, strata, table
from core.bench.symbalbench.inject import choose_carriers, cramers_v, sentence, templates
from core.bench.symbalbench.names import HERE, means, mentions, name_table, plain
from core.bench.symbalbench.settings import (
    Label,
    make_settings,
    read_pairs,
    sampled_pairs,
    table_3,
    write_setting,
)
from core.errors import DataError

PLACES = ("bus", "dog", "pizza", "chair")


@pytest.fixture
def coco(tmp_path):
    """400 images in the compact form: each shows one of four things, some show a tiny handbag too."""
    path = tmp_path / "coco.jsonl"
    with path.open("w") as stream:
        for i in range(400):
            name = PLACES[i % 4]
            objects = [{"category": name, "area_fraction": 0.2}]
            if i % 20 == 3:
                objects.append({"category": "handbag", "area_fraction": 0.01})
            if i % 100 == 7:
                objects = [{"category": "cup", "area_fraction": 0.01}]
            captions = [
                f"A {name} number {i} seen {how}." for how in ("here", "there", "now", "again", "once")
            ]
            row = {"image_id": i, "file_name": f"{i}.jpg", "captions": captions, "objects": objects}
            stream.write(json.dumps(row) + "\n")
    return path


def test_tiny_objects_and_images_without_objects_are_dropped(coco):
    images = read_coco(coco)
    assert len(images) == 396
    assert all("handbag" not in image.objects for image in images)
    assert sum("handbag" in image.annotated for image in images) == 20
    assert len(images[0].captions) == 5


def test_official_annotation_files_give_the_same(coco, tmp_path):
    rows = [json.loads(line) for line in coco.read_text().splitlines()]
    names = sorted({o["category"] for r in rows for o in r["objects"]})
    images = [{"id": r["image_id"], "file_name": r["file_name"], "width": 100, "height": 100} for r in rows]
    said = [{"image_id": r["image_id"], "caption": c} for r in rows for c in r["captions"]]
    boxes = []
    for row in rows:
        for item in row["objects"]:
            area = item["area_fraction"] * 1e4
            category = names.index(item["category"])
            boxes.append({"image_id": row["image_id"], "category_id": category, "area": area})
    (tmp_path / "captions_val.json").write_text(json.dumps({"images": images, "annotations": said}))
    categories = [{"id": i, "name": n} for i, n in enumerate(names)]
    (tmp_path / "instances_val.json").write_text(json.dumps({"categories": categories, "annotations": boxes}))
    ours, theirs = read_coco(coco), read_coco(tmp_path / "captions_val.json")
    assert [(i.image_id, i.captions, set(i.objects)) for i in ours] == [
        (i.image_id, i.captions, set(i.objects)) for i in theirs
    ]


@pytest.mark.parametrize("text", ["not json", '{"image_id": 1}', ""])
def test_other_files_are_refused_in_one_sentence(tmp_path, text):
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(DataError):
        read_coco(tmp_path / "x.jsonl")


def test_two_captions_make_t_and_the_others_r(coco):
    samples = base_dataset(read_coco(coco), 0)
    for sample in samples:
        assert len(sample.references) == 3
        both = [c for c in sample.image.captions if c not in sample.references]
        assert sorted(sample.caption.split(". ")) == sorted(
            c.rstrip(".") + ("." if sample.caption.endswith(c) else "") for c in both
        )
    assert samples == base_dataset(read_coco(coco), 0)
    assert samples != base_dataset(read_coco(coco), 1)


def test_table_3_has_the_papers_pairs():
    pairs = table_3()
    assert len(pairs) == len(set(pairs)) == 131
    assert {("handbag", "bus"), ("frisbee", "bus"), ("person", "bus"), ("chair", "tv")} <= set(pairs)
    assert {name for pair in pairs for name in pair} <= set(name_table())
    medical = read_pairs(HERE / "table_3_medical.txt")
    assert len(medical) == 25


def test_fifty_templates_that_name_the_term():
    assert len(set(templates())) == 50
    for template in templates():
        assert "traffic light" in sentence(template, "traffic light")
    assert sentence("{A} is here.", "oven") == "An oven is here."
    assert sentence("There is {a}.", "scissors") == "There is scissors."


@pytest.mark.parametrize("level", [0.3, 0.6, 0.9])
def test_carriers_reach_the_association_asked_for(level):
    rng = np.random.default_rng(0)
    can, shows = rng.random(4000) < 0.9, rng.random(4000) < 0.05
    found = choose_carriers(can, shows, level, rng)
    carrying = np.zeros(4000, bool)
    carrying[found.carriers] = True
    assert not (carrying & ~can).any()
    a, b = int((carrying & shows).sum()), int((carrying & ~shows).sum())
    c, d = int((can & shows).sum()) - a, int((can & ~shows).sum()) - b
    assert cramers_v(a, b, c, d) == pytest.approx(found.achieved) == pytest.approx(level, abs=0.03)
    assert (a, c + a) == (found.with_v, found.possible_with_v)


def test_too_few_samples_are_no_setting():
    shows = np.arange(1000) < inject.FEWEST - 1
    assert choose_carriers(np.ones(1000, bool), shows, 0.6, np.random.default_rng(0)) is None


def test_errors_go_only_where_they_are_wrong(coco):
    samples = base_dataset(read_coco(coco), 0)
    made = make_settings(samples, [("handbag", "bus"), ("dog", "bus"), ("chair", "cup")], 0)
    assert {(s.label.t, s.label.v) for s in made} == {("handbag", "bus"), ("dog", "bus")}
    for setting in made:
        for row, text in setting.added.items():
            image = samples[row].image
            assert setting.label.t not in image.annotated
            assert not mentions(plain(" ".join(image.captions)), setting.label.t)
            assert mentions(plain(text), setting.label.t)
        assert len(setting.added) == setting.label.n_carriers
    again = make_settings(samples, [("handbag", "bus")], 0)
    assert again[0].added == made[0].added


def test_pairs_can_be_sampled_by_the_three_strategies(coco):
    images = read_coco(coco)
    pairs = sampled_pairs(images, 6, 0)
    assert len(set(pairs)) == len(pairs)
    assert all(t != v for t, v in pairs)
    assert settings._strategies("bus", "dog", {"bus"}, {"dog": "bus"}) == ("popular", "adversarial")
    assert settings._strategies("cup", "dog", {"bus"}, {"dog": "bus"}) == ("random",)


def test_written_settings_are_plain_caption_files_with_a_hidden_label(coco, tmp_path):
    samples = base_dataset(read_coco(coco), 0)
    setting = make_settings(samples, [("handbag", "bus")], 0, levels=(0.6,))[0]
    path = write_setting(tmp_path / "out", samples, setting)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == len(samples)
    assert sum("handbag" in row["caption"] for row in rows) == setting.label.n_carriers
    assert set(rows[0]) == {"id", "image", "caption", "references"}
    assert json.loads((path.parent / "hidden" / "label.json").read_text())["label"]["t"] == "handbag"


@pytest.mark.parametrize(
    ("phrase", "term", "yes"),
    [
        ("handbag", "handbag", True), ("handbags", "handbag", True), ("a purse", "handbag", True),
        ("bag", "handbag", False), ("sofa", "couch", True), ("chair", "couch", False),
        ("man", "person", False), ("people", "person", True), ("buses", "bus", True),
        ("ski", "skis", True), ("television", "tv", True), ("stove", "oven", False),
        ("pleural effusions", "pleural effusion", True), ("", "bus", False),
    ],
)  # fmt: skip
def test_the_judge_is_strict(phrase, term, yes):
    assert means(phrase, term) is yes


LABEL = Label("handbag", "bus", 0.6, 0.6, 40, 20, ("random",), 0.2)


@pytest.mark.parametrize(
    ("ts", "vs", "expected", "reason"),
    [
        (["purse"], [["bus"]], (1, 1, 1, 1, 1, 1), ""),
        (["dog", "handbag"], [["x"], ["y", "bus"]], (0, 1, 0, 1, 0, 1), "another error comes first: dog"),
        (["handbag"], [["street", "bus"]], (1, 1, 0, 1, 0, 1), "another feature comes first: street"),
        (["handbag"], [["street"]], (1, 1, 0, 0, 0, 0), "v not among the candidates: street"),
        (["dog"], [["bus"]], (0, 0, 0, 0, 0, 0), "t not among the first five: dog"),
        ([], [], (0, 0, 0, 0, 0, 0), "no finding"),
    ],
)
def test_outcomes_and_reasons(ts, vs, expected, reason):
    outcome = judged(LABEL, Prediction(tuple(ts), tuple(tuple(v) for v in vs)))
    seen = (
        outcome.t_at_1, outcome.t_at_5, outcome.v_given_t_at_1, outcome.v_given_t_at_5,
        outcome.both_at_1, outcome.both_at_5,
    )  # fmt: skip
    assert seen == tuple(map(bool, expected))
    assert outcome.reason == reason
    assert from_json(json.loads(json.dumps(as_json(outcome)))) == outcome


def test_accuracies_by_stratum():
    right = judged(LABEL, Prediction(("handbag",), (("bus",),)))
    wrong = judged(replace(LABEL, level=0.3, strategies=("popular",)), Prediction((), ()))
    found = accuracies([right, wrong])
    assert found["stage 1"] == (50, 50)
    assert found["stage 2, t given"] == (100, 100)
    assert found["end to end"] == (50, 50)
    groups = strata([right, wrong])
    assert {"all", "Cramer's V 0.3", "Cramer's V 0.6", "t random", "t popular", "v 15 to 30 %"} == set(groups)
    assert "50.0" in table([right, wrong])
