"""Pieces of a caption are exactly its text, and the marked words are in every excerpt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.views.marked_text import GAP, LONGEST_FULL, Piece, Span, cut, excerpt, full, word_spans

texts = st.text(max_size=400)
marks = st.sampled_from(["sentence", "concept", "feature"])


@st.composite
def texts_with_spans(draw, texts=texts):
    text = draw(texts)
    place = st.integers(0, len(text) + 3)
    spans = draw(st.lists(st.builds(Span, place, place, marks), max_size=6))
    return text, spans


@given(texts_with_spans())
def test_pieces_joined_are_the_text(case):
    text, spans = case
    assert "".join(p.text for p in cut(text, spans)) == text
    assert "".join(p.text for p in full(text, spans)) == text


@given(texts_with_spans())
def test_every_character_has_the_strongest_mark_on_it(case):
    text, spans = case
    strength = {"": 0, "feature": 1, "sentence": 2, "concept": 3}
    drawn = [p.mark for p in cut(text, spans) for _ in p.text]
    for i, mark in enumerate(drawn):
        over = [s.mark for s in spans if s.start <= i < s.stop]
        assert strength[mark] == max((strength[m] for m in over), default=0)


@given(texts_with_spans(st.text(alphabet="ab ", min_size=330, max_size=2000)))
def test_an_excerpt_is_a_part_of_the_text_and_keeps_a_strongest_mark(case):
    text, spans = case
    pieces = excerpt(text, spans)
    inner = "".join(p.text for p in pieces if p.mark != "gap")
    assert inner in text
    inside = [s.mark for s in spans if s.start < min(s.stop, len(text))]
    if "concept" in inside:
        assert "concept" in {p.mark for p in pieces}


def test_a_short_caption_is_shown_whole():
    assert excerpt("A cat on a mat.", [Span(2, 5, "concept")]) == (
        Piece("A ", ""),
        Piece("cat", "concept"),
        Piece(" on a mat.", ""),
    )


def test_a_long_caption_is_cut_around_its_wrong_sentence():
    before, wrong, after = "Word " * 100, "There is a red handbag here. ", "More " * 100
    at = len(before)
    spans = [Span(at, at + len(wrong), "sentence"), Span(at + 15, at + 22, "concept")]
    pieces = excerpt(before + wrong + after, spans)
    assert pieces[0] == Piece(GAP.lstrip(), "gap")
    assert pieces[-1] == Piece(GAP.rstrip(), "gap")
    assert Piece("handbag", "concept") in pieces
    assert sum(len(p.text) for p in pieces) < 260


def test_a_text_of_ten_megabytes_is_cut_off_with_its_size_said():
    pieces = full("x" * 10_000_000, [])
    assert len(pieces[0].text) == LONGEST_FULL
    assert pieces[1].text == " … 9,980,000 more characters"


def test_words_are_found_whole_in_any_case_and_plural():
    text = "Bus, buses and business; a BUS."
    assert [text[s.start : s.stop] for s in word_spans(text, "bus", "feature")] == ["Bus", "buses", "BUS"]
    assert word_spans(text, " ", "feature") == []
    assert word_spans("a (b", "(b", "feature") == [Span(2, 4, "feature")]
