"""Terms of the benchmark, what else they are called, and the strict offline judge. Paper: SymbalBench 5, B.

The judge compares lemmas through a written table; it knows no similarity, so "bag" is not "handbag".
Departs: the paper asks Llama-3.3-70B; `core.bench.symbalbench.llm_judge` does so where a chat model is given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "knives": "knife",
    "shelves": "shelf", "sheep": "sheep", "buses": "bus", "skis": "skis", "scissors": "scissors",
    "wolves": "wolf",
    "mice": "mouse", "geese": "goose", "oxen": "ox", "glasses": "glass", "dishes": "dish", "benches": "bench",
    "couches": "couch", "sandwiches": "sandwich", "toothbrushes": "toothbrush", "switches": "switch",
    "watches": "watch", "bus": "bus", "gas": "gas", "glass": "glass", "tennis": "tennis", "atelectasis":
    "atelectasis", "atelectases": "atelectasis", "pneumothoraces": "pneumothorax", "edema": "edema",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Names:
    """same: names that mean the same (the term among them). narrower: names that only mention it."""

    same: frozenset[str]
    narrower: frozenset[str]


def plain(phrase: str) -> str:
    """A phrase in lower case with every word in the singular by rule, articles left out."""
    words = [singular(word) for word in _WORD.findall(phrase.lower())]
    return " ".join(word for word in words if word not in {"a", "an", "the"})


def singular(word: str) -> str:
    """The singular of an English noun by rule."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@cache
def name_table() -> dict[str, Names]:
    """The written table: term -> its other names."""
    table = {}
    for line in (HERE / "synonyms.txt").read_text("utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        term, _, others = line.partition(":")
        names = [name.strip() for name in others.split(",") if name.strip()]
        same = {plain(term), *(plain(n) for n in names if not n.startswith("!"))}
        table[term.strip()] = Names(
            frozenset(same), frozenset(plain(n[1:]) for n in names if n.startswith("!"))
        )
    return table


def means(phrase: str, term: str) -> bool:
    """Whether `phrase` means the term: the offline judge."""
    names = name_table().get(term)
    return plain(phrase) in (names.same if names else {plain(term)})


def mentions(plain_text: str, term: str) -> bool:
    """Whether a text (by `plain`) names the term by any of its names, narrower ones too."""
    names = name_table().get(term, Names(frozenset({plain(term)}), frozenset()))
    padded = f" {plain_text} "
    return any(f" {name} " in padded for name in names.same | names.narrower)
