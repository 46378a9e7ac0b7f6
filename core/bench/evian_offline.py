"""The offline injector: defects from word tables, so that the benchmark runs without a chat model.

A heuristic. It plants the five consistency subtypes, three of the reasoning ones as a stock sentence about
something the text names, and swaps of named entities where the data has another entity of the same kind.

Paper: Evian 3.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from core.bench.evian_defects import Defect, choose_category, make_defect
from core.domain.judgement import Unscored
from core.runs.keys import tagged_hash

_RINGS: dict[str, tuple[tuple[str, ...], ...]] = {
    "consistency_attribute": (
        ("red", "blue", "green", "yellow", "purple", "orange", "pink", "brown"),
        ("black", "white", "gray"),
        ("two", "five", "three", "six", "four", "seven"),
        ("large", "small"), ("big", "tiny"), ("wooden", "metal", "plastic"), ("young", "old"),
        ("striped", "plain"), ("open", "closed"), ("long", "short"), ("tall", "low"),
    ),
    "consistency_spatial": (
        ("on top of", "underneath"), ("left side", "right side"), ("next to", "far away from"),
        ("in front of", "behind"), ("above", "below"), ("inside", "outside"), ("near", "far from"),
        ("beside", "above"), ("in the background", "in the foreground"),
        ("surrounded by", "facing away from"),
        ("on", "under"),
    ),
    "consistency_action": (
        ("sitting", "running", "dancing"), ("standing", "lying down"), ("walking", "sleeping"),
        ("riding", "repairing"), ("holding", "throwing"), ("eating", "painting"), ("playing", "arguing"),
        ("wearing", "washing"), ("looking", "waving"), ("parked", "on fire"), ("lying", "jumping"),
        ("smiling", "crying"), ("flying", "landing"), ("driving", "pushing"),
    ),
    "consistency_misidentification": (
        ("dog", "cat", "sheep"), ("dogs", "cats"), ("car", "truck", "bus"), ("cars", "trucks", "buses"),
        ("motorcycle", "bicycle"), ("train", "airplane", "boat"), ("horse", "cow", "elephant"),
        ("man", "woman"), ("men", "women"), ("boy", "girl"), ("pizza", "cake", "sandwich"),
        ("chair", "bench"), ("couch", "bed"), ("table", "couch"), ("laptop", "television"), ("cup", "bowl"),
        ("bottle", "vase"), ("apple", "orange"), ("umbrella", "kite"), ("surfboard", "skateboard"),
        ("fork", "knife"), ("bird", "cat"), ("book", "cell phone"), ("toilet", "sink"), ("bear", "giraffe"),
        ("zebra", "horse"), ("tie", "backpack"), ("frisbee", "sports ball"),
    ),
}  # fmt: skip
FAKES = (
    "dog", "cat", "bicycle", "umbrella", "handbag", "backpack", "bench", "potted plant", "clock", "bottle",
    "laptop", "teddy bear", "skateboard", "suitcase", "vase", "kite", "traffic light", "fire hydrant",
)  # fmt: skip
_REASONING = {
    "reasoning_conclusion": " Therefore, this must be the most famous {noun} in the world.",
    "reasoning_causal": " The {noun} is there because the weather changed, leading to all the rest.",
    "reasoning_prediction": " It is certain that the {noun} will one day change the course of history.",
}
_NOUN = re.compile(r"\b(?:a|an|the)\s+(?:\w+\s+)?(\w{3,})\b", re.IGNORECASE)
Entities = Sequence[tuple[int, int, str]]
"""(start, stop, label) of the named entities of a text."""


class OfflineInjector:
    """Plants one defect a text. seed: of all choices; equal texts get equal defects."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def inject(
        self, texts: Sequence[str], entities: Sequence[Entities], reasons: Sequence[bool]
    ) -> list[Defect | Unscored]:
        """entities: of each text. reasons: whether each text has inferences (stage 1 of the paper)."""
        pool: dict[str, list[str]] = {}
        for text, found in zip(texts, entities, strict=True):
            for a, b, label in found:
                pool.setdefault(label, []).append(text[a:b])
        pool = {label: sorted(set(names)) for label, names in pool.items()}
        return [self._one(t, e, r, pool) for t, e, r in zip(texts, entities, reasons, strict=True)]

    def _one(
        self, text: str, entities: Entities, reasons: bool, pool: Mapping[str, Sequence[str]]
    ) -> Defect | Unscored:
        rng = random.Random(tagged_hash({"seed": self._seed, "text": text}, "faultline-defect"))
        category = choose_category(reasons, bool(entities), rng)
        if category == "knowledge" and (swapped := _swap_entity(text, entities, pool, rng)):
            return make_defect(text, swapped, "knowledge_entity")
        if category == "reasoning" and (found := _NOUN.search(text)):
            code = rng.choice(sorted(_REASONING))
            return make_defect(
                text, text.rstrip() + _REASONING[code].format(noun=found.group(1).lower()), code
            )
        codes = [*_RINGS, "consistency_fake"]
        rng.shuffle(codes)
        for code in codes:
            changed = _fake(text, rng) if code == "consistency_fake" else swap_word(text, _RINGS[code], rng)
            if changed is not None:
                return make_defect(text, changed, code)
        return Unscored("nothing to change", "no word of the tables is in the text", text)


def swap_word(text: str, rings: Sequence[Sequence[str]], rng: random.Random) -> str | None:
    """One word of a ring replaced by another of the same ring; None if the text has none."""
    found = []
    for ring in rings:
        for word in ring:
            found += [(m, word, ring) for m in re.finditer(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)]
    if not found:
        return None
    longest = (
        max(len(word) for _, word, _ in found if " " in word) if any(" " in w for _, w, _ in found) else 0
    )
    choices = [f for f in found if len(f[1]) == longest] if longest else found
    match, word, ring = rng.choice(choices)
    others = [w for w in ring if w != word and w.lower() not in text.lower()] or [
        w for w in ring if w != word
    ]
    new = rng.choice(others)
    new = new.capitalize() if match.group()[0].isupper() else new
    return text[: match.start()] + new + text[match.end() :]


def _fake(text: str, rng: random.Random) -> str | None:
    absent = [f for f in FAKES if f not in text.lower()]
    if not absent:
        return None
    thing = rng.choice(absent)
    article = "an" if thing[0] in "aeiou" else "a"
    stripped = text.rstrip()
    end = "" if stripped.endswith((".", "!", "?")) else "."
    return f"{stripped}{end} There is also {article} {thing} nearby."


def _swap_entity(
    text: str, entities: Entities, pool: Mapping[str, Sequence[str]], rng: random.Random
) -> str | None:
    choices = []
    for a, b, label in entities:
        others = [n for n in pool.get(label, ()) if n.lower() not in text.lower()]
        if others:
            choices.append((a, b, others))
    if not choices:
        return None
    a, b, others = rng.choice(choices)
    return text[:a] + rng.choice(others) + text[b:]
