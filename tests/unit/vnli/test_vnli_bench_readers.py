"""Readers of the AutoRater's files. Paper: VNLI-Critique 3, 4.2."""

import json

import pytest

from core.bench.vnli_object_truth import wrong_objects
from core.bench.vnli_read import read_file
from core.errors import DataError

E, N, C, X = "Entailment", "Neutral", "Contradiction", "Nothing to assess"


def read(tmp_path, form, *records):
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return read_file(path, form)


def said(description):
    return [(description.caption[s.start : s.end], s.label) for s in description.sentences]


def test_chocolate(tmp_path):
    record = {
        "image": "a.png", "captioner": "m", "sentences": ["It rises.", "It is 3."],
        "error_types": [[], ["value_error", "label_error"]],
    }  # fmt: skip
    (one,) = read(tmp_path, "chocolate", record)
    assert said(one) == [("It rises.", E), ("It is 3.", C)]
    assert one.caption == "It rises. It is 3."
    assert one.sentences[1].types == ("value_error", "label_error")
    assert (one.image, one.captioner) == ("a.png", "m")


def test_docci_takes_the_majority_of_five_and_keeps_rationales(tmp_path):
    record = {
        "image": "a.jpg", "model": "gpt", "description": "A dog.\n\nIt barks. Nice!",
        "sentences": [
            {"sentence": "A dog.", "raters": [E, E, E, N, C], "rationales": ["no dog", "unclear"]},
            {"sentence": "It barks.", "raters": [{"label": c, "rationale": "mute"} for c in (N, N, C, E, E)]},
            {"sentence": "Nice!", "raters": [X, X, X, X, None]},
        ],
    }  # fmt: skip
    (one,) = read(tmp_path, "docci", record)
    assert said(one) == [("A dog.", E), ("It barks.", N), ("Nice!", X)]
    assert one.caption == record["description"]
    assert one.sentences[0].rationales == ("no dog", "unclear")
    assert one.sentences[1].rationales == ("mute",) * 5
    assert one.sentences[2].right is None


def test_m_haldetect_labels_sentences_by_their_spans(tmp_path):
    response = "A man sits. He eats a red apple. It feels calm. Two cars wait."
    spans = [("A man sits.", "ACCURATE"), ("He eats", "ACCURATE"), ("a red apple.", "INACCURATE"),
             ("It feels calm.", "ANALYSIS"), ("Two cars wait.", "UNSURE")]  # fmt: skip
    record = {"image": "x.jpg", "response": response, "annotations": [
        {"text": t, "label": label} for t, label in spans
    ]}  # fmt: skip
    (one,) = read(tmp_path, "mhal", record)
    assert [label for _, label in said(one)] == [E, C, X, None]
    at = [{"start": response.index(t), "end": response.index(t) + len(t), "label": k} for t, k in spans]
    (same,) = read(tmp_path, "mhal", {**record, "annotations": at})
    assert same.sentences == one.sentences


def test_our_labels_by_span_or_by_text(tmp_path):
    by_span = {"id": "a", "caption": "A dog. It barks.", "sentences": [
        {"start": 0, "end": 6, "label": E}, {"start": 7, "end": 16, "raters": [C, C, E], "error_types": ["x"]}
    ]}  # fmt: skip
    by_text = {"id": "b", "sentences": [{"text": "A cat.", "label": "Neutral"}], "objects": ["Cat"]}
    one, two = read(tmp_path, "labels", by_span, by_text)
    assert said(one) == [("A dog.", E), ("It barks.", C)]
    assert (two.caption, said(two), two.objects) == ("A cat.", [("A cat.", N)], ("cat",))


def test_words_marked_wrong(tmp_path):
    words = [["A", False], ["dog", False], ["runs.", False], ["A", False], ["cat", True], ["sits.", False]]
    (one,) = read(tmp_path, "hat", {"caption": "A dog runs. A cat sits.", "grounding": words})
    assert said(one) == [("A dog runs.", E), ("A cat sits.", C)]


def test_labels_from_object_lists(tmp_path):
    rows = [
        {
            "image": "1",
            "caption": "A man eats a hot dog. A couch is near.",
            "coco_objects": ["person", "hot dog"],
        },
        {"image": "2", "caption": "Nothing here.", "coco_objects": ["dog", "couch"]},
    ]
    one, two = read(tmp_path, "objects", *rows)
    assert [label for _, label in said(one)] == [E, C]
    assert said(two) == [("Nothing here.", E)]


def test_a_longer_name_is_read_first():
    words = frozenset({"dog", "hot dog", "teddy bear", "bear", "person"})
    assert wrong_objects("Two hot dogs and a teddy bear.", ["hot dog", "teddy bear"], words) == []
    assert wrong_objects("A dog.", ["hot dog"], words) == ["dog"]
    assert wrong_objects("A car.", [], words) == []  # not in the vocabulary: not judged


@pytest.mark.parametrize(
    ("form", "record", "told"),
    [
        ("chocolate", {"sentences": ["A."], "error_types": []}, "1 sentences, 0 lists"),
        ("docci", {"image": "a"}, "'sentences' is missing"),
        ("docci", {"sentences": [{"sentence": "A dog.", "raters": ["maybe"]}]}, "unknown label 'maybe'"),
        ("docci", {"description": "B.", "sentences": [{"sentence": "A.", "raters": [E]}]}, "does not hold"),
        ("mhal", {"response": "A.", "annotations": [{"text": "B.", "label": "ACCURATE"}]}, "does not hold"),
        ("labels", {"caption": "A.", "sentences": [{"start": 0, "end": 9, "label": E}]}, "outside"),
        ("hat", {"caption": "A dog.", "grounding": [["cat", True]]}, "marked word 'cat'"),
        ("objects", {"caption": "A dog."}, "'objects' is missing"),
    ],
)
def test_a_record_of_another_format_is_one_sentence(tmp_path, form, record, told):
    if form == "objects":
        with pytest.raises(DataError, match=told):
            read(tmp_path, form, {"caption": "x", "objects": ["dog"]}, record)
        return
    with pytest.raises(DataError, match=told) as found:
        read(tmp_path, form, record)
    assert "record 1" in str(found.value)


def test_a_file_without_labels_is_refused(tmp_path):
    record = {"image": "x", "response": "A dog.", "annotations": [{"text": "A dog.", "label": "UNSURE"}]}
    with pytest.raises(DataError, match="no sentence of the file has a label"):
        read(tmp_path, "mhal", record)


def test_repeated_ids_stay_apart(tmp_path):
    record = {"id": "a", "sentences": [{"text": "A cat.", "label": E}]}
    assert [d.item_id for d in read(tmp_path, "labels", record, record)] == ["a", "2"]
