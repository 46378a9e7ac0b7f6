"""Annotator names become plain file names and come back unchanged."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ConfigError
from core.labels.names import annotator_of, clean_annotator, file_name


@given(st.text(min_size=1, max_size=30))
def test_a_name_is_one_plain_file_name_and_comes_back(name):
    try:
        cleaned = clean_annotator(name)
    except ConfigError:
        return
    written = file_name(name)
    assert PurePosixPath(written).name == written
    assert not written.startswith(".")
    assert "/" not in written
    assert "\\" not in written
    assert annotator_of(written) == cleaned == clean_annotator(cleaned)


@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20))
def test_different_names_have_different_files(first, second):
    try:
        same_name = clean_annotator(first) == clean_annotator(second)
        same_file = file_name(first) == file_name(second)
    except ConfigError:
        return
    assert same_name == same_file


@pytest.mark.parametrize("name", ["..", "../../etc/passwd", ".hidden", "a/b", "a\\b", "CON", "名前", "n\0ul"])
def test_awkward_names_stay_inside_the_folder(name, tmp_path):
    assert (tmp_path / file_name(name)).resolve().parent == tmp_path.resolve()


@pytest.mark.parametrize("name", ["", "   ", "\n\t", "\0"])
def test_a_blank_name_is_refused_in_one_sentence(name):
    with pytest.raises(ConfigError, match="the annotator has no name"):
        clean_annotator(name)


def test_a_name_too_long_for_a_file_is_refused():
    with pytest.raises(ConfigError, match="too long"):
        clean_annotator("é" * 60)


def test_composed_and_decomposed_spellings_are_one_annotator():
    assert file_name("Zoë") == file_name(unicodedata.normalize("NFD", "Zoë"))
