"""How well free concepts are matched to a closed vocabulary, on COCO val2017.

Human captions name things that are there. A match is good when the term is among the image's labels:
printed per way of matching, with the share that is. Names of COCO's labels are the vocabulary.

    python benchmarks/vocabulary_match.py ../shared/data/coco_val2017.jsonl.gz
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.models.registry import Models, load_preset
from core.scores.vocabulary import Match, ObjectVocabulary, unsupported_matches


def main(path: str) -> None:
    models = Models(load_preset("embedded"))
    with gzip.open(path) as stream:
        rows = [json.loads(line) for line in stream]
    terms = sorted({o["category"] for row in rows for o in row["objects"]})
    found = models.concept_extractor.extract(terms)
    lemmas = {t: c[0].text for t, c in zip(terms, found, strict=True) if len(c) == 1}
    vocabulary = ObjectVocabulary(terms, lemmas, models.text_embedder)
    captions = [(i, caption) for i, row in enumerate(rows) for caption in row["captions"]]
    concepts = models.concept_extractor.extract([c for _, c in captions])
    labels = [{o["category"] for o in row["objects"]} for row in rows]
    right: dict[tuple[str, Match], list[bool]] = defaultdict(list)
    for (i, _), named in zip(captions, concepts, strict=True):
        for concept, match in zip(named, vocabulary.match(named), strict=True):
            if match is not None:
                right[concept.text, match].append(match.term in labels[i])
    inexact = {pair: hits for pair, hits in right.items() if pair[1].inexact}
    taken_back = unsupported_matches(inexact)
    print(f"{'way':<10}{'mentions':>10}{'in the labels':>15}")
    for how in ("exact", "compound", "spelling", "person", "head", "synonym"):
        for label, keep in ((how, False), (f"{how}, kept", True)):
            barred = taken_back if keep else frozenset()
            hits = [h for pair, v in right.items() if pair[1].how == how and pair not in barred for h in v]
            if hits and (not keep or how in {"head", "synonym"}):
                print(f"{label:<16}{len(hits):>8}{sum(hits) / len(hits):>12.1%}")
    print("taken back:", ", ".join(sorted({c for c, _ in taken_back})))


if __name__ == "__main__":
    main(sys.argv[1])
