"""Does a shortened sentence still read as one? By spaCy's parse of it and of the original. A heuristic.

Model: en-core-web-sm, as in `core.models.embedded.spacy_concepts`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from core.models.embedded.spacy_concepts import load_english

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

VERSION = "1"
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl", "csubj", "csubjpass"})
_NO_COMPLEMENT = _SUBJECTS | {"punct", "aux", "auxpass", "neg", "cc", "advcl", "mark", "conj", "dep"}
_OBJECTS = frozenset({"dobj", "obj", "attr", "oprd", "dative", "ccomp", "xcomp"})
_OPEN_ENDS = frozenset({"DET", "AUX", "CCONJ", "SCONJ", "PART"})
_LEFT_OVER = re.compile(
    r"(?:,\s*|\band\s+)(?:some|one|two|three|each|both|most|all|many|few|several|another|others?)"
    r"(?:\s+of\s+(?:them|which|whom|these|those))?\s*[.!?]*\s*\Z",
    re.I,
)
"""A list of some of them, of which nothing is said any more."""
_ARTICLES = frozenset({"a", "an", "the", "his", "her", "its", "their"})


def faults(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Per (original, shortened): what makes the shortened one no sentence, "" if nothing was found."""
    flat = [text for pair in pairs for text in pair]
    docs = list(load_english().pipe(flat, batch_size=64)) if flat else []
    return [_fault(docs[2 * i], docs[2 * i + 1]) for i in range(len(pairs))]


def _fault(before: Doc, after: Doc) -> str:
    words = [t for t in after if not t.is_punct and not t.is_space]
    if len(words) < 3:
        return "too few words"
    if _LEFT_OVER.search(after.text):
        return "it ends in a word that stands for something taken out"
    return (
        _commas(after)
        or _root(before, after)
        or _open_end(before, words[-1])
        or next((fault for t in words if (fault := _token(t))), "")
        or _lost_object(before, after)
    )


def _commas(doc: Doc) -> str:
    commas = 0
    for left, right in pairwise(doc):
        commas += left.text == ","
        if left.text == "," and right.pos_ == "AUX" and commas % 2:
            return f"a comma before '{right.text}'"
        if left.text == "," and right.is_punct and right.text not in "\"'“”‘’(":
            return "a comma before a mark"
        if right.text == "," and (left.text == "," or left.pos_ in ("AUX", "DET", "CCONJ")):
            return f"a comma after '{left.text}'"
    return "a comma at the start" if len(doc) and doc[0].text == "," else ""


def _root(before: Doc, after: Doc) -> str:
    roots = [t for t in after if t.dep_ == "ROOT" and not t.is_punct]
    if len(roots) != 1:
        return "not one main clause"
    root = roots[0]
    if root.pos_ not in ("VERB", "AUX"):
        named = [t for t in before if t.dep_ == "ROOT"]
        both = len(named) == 1 and named[0].pos_ == root.pos_ and root.pos_ in ("NOUN", "PROPN")
        return "" if both else "no main verb"
    if not any(c.dep_ in _SUBJECTS for c in root.children):
        return "no subject"
    finite = root.tag_ in ("VBZ", "VBP", "VBD", "MD") or any(
        c.dep_ in ("aux", "auxpass") for c in root.children
    )
    return "" if finite else f"'{root.text}' is no finite verb"


def _open_end(before: Doc, last: Token) -> str:
    ends = [t.lower_ for t in before if not t.is_punct and not t.is_space][-1:]
    open_end = last.pos_ in _OPEN_ENDS or (last.pos_ == "ADP" and last.lower_ not in ends)
    return f"it ends in '{last.text}'" if open_end else ""


def _token(t: Token) -> str:
    """What a word lacks that it cannot be without."""
    children = list(t.children)
    if t.dep_ == "prep" and not any(c.dep_ in ("pobj", "pcomp", "prep", "amod", "advmod") for c in children):
        return f"'{t.text}' has no object"
    if t.dep_ == "cc" and not any(c.dep_ == "conj" and c.i > t.i for c in t.head.children):
        return f"'{t.text}' joins nothing"
    if (
        t.lower_ in _ARTICLES
        and t.dep_ in ("det", "poss")
        and (t.head.i < t.i or t.head.pos_ not in ("NOUN", "PROPN", "NUM", "ADJ"))
    ):
        return f"'{t.text}' has no noun"
    is_main = t.lemma_ == "be" and t.dep_ not in ("aux", "auxpass")
    if is_main and not any(c.dep_ not in _NO_COMPLEMENT and c.i != t.i for c in children):
        return f"'{t.text}' says nothing"
    if (
        t.dep_ in ("nsubj", "nsubjpass")
        and t.pos_ in ("NOUN", "PROPN")
        and t.head.pos_ not in ("VERB", "AUX")
    ):
        return f"'{t.text}' has no verb"
    return ""


def _lost_object(before: Doc, after: Doc) -> str:
    """A verb that had an object and has none now ("The man is holding.")."""
    had = {t.lemma_ for t in before if t.pos_ == "VERB" and any(c.dep_ in _OBJECTS for c in t.children)}
    without = {
        t.lemma_ for t in before if t.pos_ == "VERB" and not any(c.dep_ in _OBJECTS for c in t.children)
    }
    for t in after:
        if t.pos_ == "VERB" and t.lemma_ in had - without and not any(c.dep_ in _OBJECTS for c in t.children):
            return f"'{t.text}' has lost its object"
    return ""
