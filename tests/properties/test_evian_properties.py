"""Properties of Evian's tags and of the rule-based tagger. Paper: Evian 3.2 step 1."""

import hypothesis.strategies as st
from hypothesis import given, settings

from core.bench.evian_defects import changed_span
from core.domain.evian import TagSpan
from core.domain.evian_tags import TAG, insert_tags, parse_marked, strip_tags
from core.domain.judgement import Unscored
from core.facts.evian_2_distill import distill_by_deletion, words
from core.models.embedded.evian_tagger import RuleTagger

TAGGER = RuleTagger()
TEXTS = st.text(max_size=200).filter(lambda t: not TAG.search(t))


@st.composite
def tagged(draw):
    text = draw(TEXTS)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    spans = [TagSpan(draw(st.sampled_from(["INFER", "KNOW"])), a, b) for a, b in pairs if text[a:b].strip()]
    return text, tuple(spans)


@given(tagged())
def test_taking_tags_out_gives_back_every_character(case):
    text, spans = case
    assert strip_tags(insert_tags(text, spans)) == text


@given(tagged(), st.sampled_from(["", "Marked Response: ", "**Marked Response:** ", "marked response:\n"]))
def test_a_faithful_answer_gives_back_its_spans_or_is_unscored(case, prefix):
    text, spans = case
    found = parse_marked(text, prefix + insert_tags(text, spans))
    if isinstance(found, Unscored):
        return
    assert strip_tags(insert_tags(text, found)) == text
    assert [(s.tag, text[s.start : s.stop].strip()) for s in found] == [
        (s.tag, text[s.start : s.stop].strip()) for s in spans
    ]


@given(TEXTS, st.text(max_size=200))
def test_no_answer_breaks_the_reader_or_changes_the_response(text, answer):
    found = parse_marked(text, answer)
    if not isinstance(found, Unscored):
        assert strip_tags(insert_tags(text, found)) == text


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["A dog sits", "it may rain", "which is a type of cat", "so", "!", ", ", ". "]))
)
def test_the_rule_tagger_gives_disjoint_spans_inside_the_response(parts):
    text = " ".join(parts)
    (spans,) = TAGGER.tag([text])
    edges = [e for s in spans for e in (s.start, s.stop)]
    assert edges == sorted(edges)
    assert strip_tags(insert_tags(text, spans)) == text
    assert all(s.start < s.stop <= len(text) for s in spans)


@given(tagged())
def test_deletion_adds_no_word(case):
    text, spans = case
    known = words(insert_tags(text, spans).replace("INFER", " ").replace("KNOW", " "))
    assert set(words(distill_by_deletion(text, spans))) <= set(known) | set(words(text))


@given(st.text(max_size=80), st.text(max_size=80))
def test_outside_the_changed_span_the_texts_agree(original, text):
    start, stop = changed_span(original, text)
    assert 0 <= start <= stop <= len(text)
    assert original.startswith(text[:start])
    assert original.endswith(text[stop:])
