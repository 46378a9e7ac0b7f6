"""Properties of claims and of re-assembled captions. Paper: VNLI-Critique 5.1."""

import re

import hypothesis.strategies as st
from hypothesis import given, settings

from core.domain.vnli import reassemble, revised_span
from core.facts.vnli_claims import claims_of
from core.models.embedded.clause_removal import without_concepts

PIECES = st.sampled_from(
    (
        "A dog sits. ",
        "Two men ride!  ",
        "- a cat\n",
        "1. a bus.\n",
        "\n\n",
        "It is 3.5 m. ",
        "“No.” ",
        "e.g. a ",
    )
)
CAPTIONS = st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=120))


@given(CAPTIONS)
def test_the_claims_cover_the_caption(caption):
    claims = claims_of("s", caption)
    outside, position = [], 0
    for claim in claims:
        assert claim.start >= position
        assert claim.prefix + claim.text == caption[: claim.end]
        outside.append(caption[position : claim.start])
        position = claim.end
    outside.append(caption[position:])
    for piece in outside:  # white space, bullets, item numbers; no word is left out
        assert not any(c.isalpha() for c in piece)


@given(CAPTIONS, st.data())
def test_what_is_not_revised_stays_byte_for_byte(caption, data):
    claims = claims_of("s", caption)
    chosen = [c for c in claims if data.draw(st.booleans())]
    edits = {(c.start, c.end): data.draw(st.sampled_from(["", "NEW.", c.text])) for c in chosen}
    spans = [(*revised_span(caption, a, b, text), text) for (a, b), text in sorted(edits.items())]
    rest, position = [], 0
    for a, b, text in spans:
        rest += [caption[position : max(a, position)], text]
        position = max(b, position)
    rest.append(caption[position:])
    assert reassemble(caption, edits) == "".join(rest)
    for claim in claims:  # what a deletion takes along is never a part of another sentence
        for (start, end), text in edits.items():
            if (claim.start, claim.end) != (start, end):
                a, b = revised_span(caption, start, end, text)
                assert b <= claim.start or a >= claim.end


@given(CAPTIONS)
def test_no_edit_no_change(caption):
    claims = claims_of("s", caption)
    assert reassemble(caption, {}) == caption
    assert reassemble(caption, {(c.start, c.end): c.text for c in claims}) == caption


SENTENCES = (
    "A man is standing next to a bus with a red handbag, while two dogs and a cat run past the old shop.",
    "In the kitchen, there are cups, forks, and knives on a table that is set for a meal with friends.",
    "a dog sits",
    "The room has a couch, and several chairs are placed around it, suggesting that people meet there.",
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SENTENCES), st.lists(st.tuples(st.integers(0, 95), st.integers(1, 20)), max_size=3))
def test_the_baseline_only_deletes(sentence, spans):
    (kept,) = without_concepts([sentence], [[(a, a + n) for a, n in spans]])
    if kept is None:
        return
    allowed = [w.lower() for w in re.findall(r"\w+", sentence)]
    for word in re.findall(r"\w+", kept.lower()):  # every word is the sentence's, or joins what is left
        assert word in allowed or word in {"and", "is", "was", "has"}
