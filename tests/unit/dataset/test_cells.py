import pytest

from core.dataset.cells import (
    MODEL_SPEAKERS,
    as_text,
    encodable,
    is_missing,
    joined,
    objects_of,
    texts_of,
    turns_of,
)


@pytest.mark.parametrize("value", [None, float("nan"), "", " \n", "nan", "NaN", "None", "null", "<NA>"])
def test_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, False, [], "0", "A nan.", "none of them"])
def test_not_missing(value):
    assert not is_missing(value)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (["dog", "cat", "dog", " "], ("dog", "cat")),
        ([{"category": "dog", "box": [1]}, {"name": "cat"}, {"label": "bus"}], ("dog", "cat", "bus")),
        ("dog; hot dog, plain", ("dog", "hot dog, plain")),
        ("dog, cat", ("dog", "cat")),
        ('["dog", "cat"]', ("dog", "cat")),
        ("['dog', 'cat']", ("dog", "cat")),
        ({"dog": 2, "cat": 0}, ("dog",)),
        ([], ()),
        ("[]", ()),
        ("", None),
        (None, None),
        (float("nan"), None),
    ],
)
def test_objects(value, names):
    assert objects_of(value) == (names, "")


@pytest.mark.parametrize("value", [5, True, "['dog' 'cat']", "[dog, cat]", [1, 2]])
def test_objects_that_cannot_be_read_say_so(value):
    names, complaint = objects_of(value)
    assert names is None
    assert complaint


def test_bad_entries_are_counted_and_the_rest_kept():
    assert objects_of(["dog", 3]) == (("dog",), "1 of 2 entries are not object names and were left out")
    assert texts_of(["a", 3, None]) == (["a"], "1 of 3 entries are not text and were left out")


def test_references():
    assert texts_of("A dog.") == (["A dog."], "")
    assert texts_of("[A dog] runs.") == (["[A dog] runs."], "")
    assert texts_of('["a", "b", ""]') == (["a", "b"], "")
    assert texts_of([{"raw": "a"}, {"caption": "b"}]) == (["a", "b"], "")
    assert texts_of("['A dog.'\n 'A cat.']")[0] == []
    assert texts_of(5)[1].startswith("expected a text")


def test_turns_of_the_model_without_image_tokens():
    turns = [
        {"from": "human", "value": "<image>\nWhat is it?"},
        {"from": "gpt", "value": "A dog. <image>"},
        {"from": "human", "value": "And now?"},
        {"from": "gpt", "value": "Still a dog."},
    ]
    assert turns_of(turns, MODEL_SPEAKERS) == "A dog.\n\nStill a dog."
    assert turns_of(turns, frozenset({"human"})) == "What is it?\n\nAnd now?"
    chat = [{"role": "assistant", "content": [{"type": "text", "text": "A cat."}]}]
    assert turns_of(chat, MODEL_SPEAKERS) == "A cat."
    assert turns_of(turns[:1], MODEL_SPEAKERS) is None


def test_joining_keeps_sentences_apart():
    assert joined(["A dog.", "A cat"]) == "A dog. A cat"
    assert joined(["A dog", "A cat", 'He said "no."', "B"]) == 'A dog\n\nA cat\n\nHe said "no." B'


def test_text_of_numbers_and_halves_of_characters():
    assert [as_text(v) for v in (5, 5.0, 5.5, "x", None, [1, "é"])] == [
        "5",
        "5",
        "5.5",
        "x",
        None,
        '[1, "é"]',
    ]
    assert encodable({"a\ud800": ["b\udfff", "😀", 1]}) == {"a\ufffd": ["b\ufffd", "😀", 1]}
