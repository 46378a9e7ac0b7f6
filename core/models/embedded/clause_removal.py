"""A sentence without what it says of unsupported concepts, cut along spaCy's parse. A heuristic baseline.

Departs: the paper asks an LLM, which may also put right what is wrong; this only takes out.
Model: en-core-web-sm, as in `core.models.embedded.spacy_concepts`. Paper: VNLI-Critique 5.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from core.models.embedded.spacy_concepts import load_english

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Span: TypeAlias = tuple[int, int]
Edit: TypeAlias = tuple[int, int, str]
"""Characters start..stop become text."""
_CLAUSES = frozenset({"acl", "advcl", "relcl", "appos", "parataxis"})
_NEED_A_PREPOSITION = frozenset(
    "look lead belong consist depend refer focus lean rely result head lie face participate cater".split()
)
_NEED_A_CLAUSE = frozenset({"mean", "intend", "design"})
_SINGULAR = {"are": "is", "were": "was", "have": "has"}
_END = re.compile(r"[.!?][\"'”’)]*\Z")


class _NoCutError(Exception):
    """There is no cut that leaves a sentence."""


def without_concepts(sentences: Sequence[str], spans: Sequence[Sequence[Span]]) -> list[str | None]:
    """Each sentence without the clauses, phrases or list items that hold its spans.

    spans: (start, end) of unsupported concepts in the sentence. "" = the sentence is about them and goes as a
    whole; None = no cut was found that leaves the rest as it is. What is kept is kept to the character, but
    for commas, "and", a capital letter, and is/are where one of several things is left.
    """
    docs = load_english().pipe(list(sentences), batch_size=64)
    return [_shorten(doc, some) for doc, some in zip(docs, spans, strict=True)]


def _shorten(doc: Doc, spans: Sequence[Span]) -> str | None:
    bad = {head.i for span in spans if (head := _head(doc, span)) is not None}
    if not bad:
        return None
    edits: list[Edit] = []
    try:
        for i in sorted(bad):
            if not any(a <= doc[i].idx < b for a, b, _ in edits):
                edits += _cut(doc[i], bad)
    except _NoCutError:
        return None
    return _tidy(_applied(doc.text, edits), doc.text)


def _head(doc: Doc, span: Span) -> Token | None:
    """The word of a span that the others hang on."""
    inside = [t for t in doc if span[0] <= t.idx < span[1]]
    return next((t for t in inside if t.head.i == t.i or t.head not in inside), None)


def _cut(token: Token, bad: set[int]) -> list[Edit]:
    """Edits that take out the smallest phrase around a concept that can go."""
    whole: list[Edit] = [(0, len(token.doc.text), "")]
    for _ in range(len(token.doc)):
        members = _members(token)
        if len(members) > 1 and token.pos_ in ("NOUN", "PROPN", "PRON", "NUM"):
            kept = [m for m in members if m.i not in bad and m.i != token.i]
            if kept:
                return _relisted(members, kept)
            token = members[0]
        if token.dep_ == "ROOT":
            other = _own_clause(token)
            return [(0, other[0], ""), (other[1], _end_of(token.doc), "")] if other else whole
        if token.dep_ in _CLAUSES and token.head.lemma_ not in _NEED_A_CLAUSE:
            return [_phrase(token)]
        if token.dep_ == "conj" and token.pos_ in ("VERB", "AUX"):
            return [_joined_clause(token)]
        if token.dep_ in ("prep", "agent") and token.lower_ != "of" and not _needed(token):
            return [_phrase(token)]
        token = token.head
    return whole


def _members(token: Token) -> list[Token]:
    """All members of the list a word is in, in order; the word alone if it is in none."""
    first = token
    while first.dep_ == "conj" and first.head.pos_ in ("NOUN", "PROPN", "PRON", "NUM"):
        first = first.head
    found, open_ones = [], [first]
    while open_ones:
        one = open_ones.pop()
        found.append(one)
        open_ones += [
            c for c in one.children if c.dep_ == "conj" and c.pos_ in ("NOUN", "PROPN", "PRON", "NUM")
        ]
    return sorted(found, key=lambda t: t.i)


def _relisted(members: Sequence[Token], kept: Sequence[Token]) -> list[Edit]:
    """The list with the kept members only. Raises: _NoCutError if it is no plain list."""
    doc, items, used = members[0].doc, {}, set()
    others = {m.i for m in members}
    for m in members:
        words = {t.i for t in m.subtree}
        for other in others - {m.i}:
            if doc[other].is_ancestor(m):
                continue
            words -= {t.i for t in doc[other].subtree}
        words -= {
            c.i
            for c in m.children
            if c.dep_ in ("cc", "punct", "preconj") and (c.i > m.i or c.dep_ == "preconj")
        }
        if max(words) - min(words) + 1 != len(words):
            raise _NoCutError
        items[m.i] = (min(words), max(words))
        used |= words
    first, last = min(a for a, _ in items.values()), max(b for _, b in items.values())
    between = [doc[i] for i in range(first, last + 1) if i not in used]
    link = next((t.text for t in between if t.dep_ == "cc"), "and")
    if any(t.dep_ not in ("cc", "punct", "preconj") for t in between):
        raise _NoCutError
    texts = [doc[items[m.i][0] : items[m.i][1] + 1].text for m in kept]
    start, stop = doc[first].idx, doc[last].idx + len(doc[last])
    joined = (
        texts[0]
        if len(texts) == 1
        else f"{', '.join(texts[:-1])}{',' if len(texts) > 2 else ''} {link} {texts[-1]}"
    )
    return [*_agreement(members[0], kept), (start, stop, joined)]


def _agreement(first: Token, kept: Sequence[Token]) -> list[Edit]:
    """is for are where one thing is left of a subject. Raises: _NoCutError for other plural verbs."""
    verb = first.head
    expl = any(c.dep_ == "expl" for c in verb.children)
    if len(kept) > 1 or kept[0].tag_ not in ("NN", "NNP"):
        return []
    if first.dep_ not in ("nsubj", "nsubjpass") and not (expl and first.dep_ in ("attr", "dobj", "nsubj")):
        return []
    for t in (*(c for c in verb.children if c.dep_ in ("aux", "auxpass")), verb):
        if t.lower_ in _SINGULAR:
            return [(t.idx, t.idx + len(t), _SINGULAR[t.lower_])]
        if t.tag_ == "VBP":
            raise _NoCutError
    return []


def _needed(prep: Token) -> bool:
    """Whether a verb cannot do without this prepositional phrase ("is on the table", "filled with")."""
    verb = prep.head
    if verb.tag_ in ("RBR", "JJR"):  # "closer to the couch"
        return True
    if verb.pos_ not in ("VERB", "AUX"):
        return False
    others = [c for c in verb.children if c.dep_ in ("prep", "agent") and c.i != prep.i and c.i > verb.i]
    if verb.lemma_ == "be":
        return not others and not any(
            c.dep_ in ("attr", "acomp", "nsubj") and c.i > verb.i for c in verb.children
        )
    if verb.lemma_ in _NEED_A_PREPOSITION or verb.tag_ == "VBN":
        return not others
    return False


def _phrase(token: Token) -> Edit:
    """A phrase with its comma."""
    words = [t.i for t in token.subtree]
    if words != list(range(words[0], words[-1] + 1)):
        raise _NoCutError
    doc, first, last = token.doc, words[0], words[-1]
    while last > first and doc[last].is_punct:
        last -= 1
    start, stop = doc[first].idx, doc[last].idx + len(doc[last])
    before = first > 0 and doc[first - 1].text == ","
    after = last + 1 < len(doc) and doc[last + 1].text == ","
    if first == 0 and after:
        return start, doc[last + 1].idx + 1, ""
    if before:
        start = doc[first - 1].idx
        if after and token.dep_ in ("relcl", "appos", "acl"):
            stop = doc[last + 1].idx + 1
    return start, stop, ""


def _joined_clause(verb: Token) -> Edit:
    """ ", and a car is parked": the clause with what joins it. Raises: _NoCutError within longer lists."""
    head, doc = verb.head, verb.doc
    if [c for c in head.children if c.dep_ == "conj"] != [verb] or any(
        c.dep_ == "conj" for c in verb.children
    ):
        raise _NoCutError
    words = [t.i for t in verb.subtree if not (t.is_punct and t.i == len(doc) - 1)]
    first, last = words[0], words[-1]
    if last - first + 1 != len(words):
        raise _NoCutError
    while first > 0 and (doc[first - 1].dep_ == "cc" or doc[first - 1].text == ","):
        first -= 1
    return doc[first].idx, doc[last].idx + len(doc[last]), ""


def _own_clause(root: Token) -> Span | None:
    """The one other main clause, with a subject of its own, that can stand when the first one goes."""
    doc = root.doc
    others = [c for c in root.children if c.dep_ == "conj" and c.pos_ in ("VERB", "AUX")]
    if len(others) != 1 or not any(c.dep_ in ("nsubj", "nsubjpass", "expl") for c in others[0].children):
        return None
    words = [t.i for t in others[0].subtree if not (t.is_punct and t.i == len(doc) - 1)]
    named = {t.lower_ for t in others[0].subtree} & {
        "it",
        "they",
        "them",
        "its",
        "their",
        "one",
        "another",
        "other",
    }
    if named or words[-1] - words[0] + 1 != len(words) or words[-1] < _end_word(doc):
        return None
    return doc[words[0]].idx, doc[words[-1]].idx + len(doc[words[-1]])


def _end_word(doc: Doc) -> int:
    return max((t.i for t in doc if not t.is_punct and not t.is_space), default=0)


def _end_of(doc: Doc) -> int:
    """Where the end mark begins."""
    last = doc[_end_word(doc)]
    return int(last.idx + len(last))


def _applied(text: str, edits: Sequence[Edit]) -> str:
    done = len(text)
    pieces = []
    for start, stop, new in sorted(set(edits), reverse=True):
        if stop > done:
            if new:
                raise ValueError("edits overlap")
            stop = done
        pieces += [text[stop:done], new]
        done = min(start, done)
    pieces.append(text[:done])
    return "".join(reversed(pieces))


def _tidy(text: str, original: str) -> str:
    """Blanks, commas, the end mark and the capital letter as a sentence has them."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s+([,.;!?])", r"\1", text)
    text = re.sub(r",(?=\s*[,.!?]|$)", "", text)
    text = re.sub(r"^(?:[,;]|and\b|or\b|while\b|but\b)\s*", "", text).strip()
    if not re.search(r"\w", text):
        return ""
    end = _END.search(original.rstrip())
    if end and not _END.search(text):
        text = text.rstrip(",; ") + end.group()
    return text[0].upper() + text[1:] if original[:1].isupper() else text
