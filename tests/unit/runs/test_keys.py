"""Keys: one spelling, no accidental equality."""

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.keys import canonical_json, file_sha256, tagged_hash

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), values))
def test_order_of_fields_does_not_matter(fields):
    turned = dict(reversed(list(fields.items())))
    assert canonical_json(fields) == canonical_json(turned)
    assert tagged_hash(fields, "a") == tagged_hash(turned, "a")


def test_tags_and_values_keep_keys_apart():
    assert tagged_hash({"a": 1}, "stage") != tagged_hash({"a": 1}, "run")
    assert tagged_hash({"a": 1}, "stage") != tagged_hash({"a": "1"}, "stage")
    assert tagged_hash(["ab", "c"], "t") != tagged_hash(["a", "bc"], "t")


@dataclass
class Point:
    x: int
    tags: tuple[str, ...]


def test_dataclasses_and_tuples_have_a_place():
    assert canonical_json(Point(1, ("a",))) == canonical_json({"tags": ["a"], "x": 1})


@pytest.mark.parametrize("value", [math.nan, math.inf, {"a": [math.nan]}])
def test_numbers_without_a_spelling_are_refused(value):
    with pytest.raises(ValueError, match="canonical"):
        canonical_json(value)


@pytest.mark.parametrize("value", [{1: "a"}, object(), {"a": b"bytes"}, {"a": {1, 2}}])
def test_types_without_a_spelling_are_refused(value):
    with pytest.raises(TypeError):
        canonical_json(value)


def test_file_digest(tmp_path):
    file = tmp_path / "f"
    file.write_bytes(b"abc")
    assert file_sha256(file) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
