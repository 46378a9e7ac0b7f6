"""Rows to measure on: a mixture on the sphere, and real caption sentences."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import numpy as np

from benchmarks.harness import DATA
from core.seams import FloatMatrix

CACHE = Path(__file__).parent / ".cache"


def mixture(n: int, d: int, clusters: int, seed: int = 0) -> tuple[FloatMatrix, np.ndarray]:
    """(n, d) unit rows around `clusters` centres, sizes falling as 1 / rank, and the centre of each row.

    Spread so that a row's cosine to its centre is about .6 and centres overlap little.
    """
    rng = np.random.default_rng(seed)
    weight = 1 / np.arange(1, clusters + 1)
    label = rng.choice(clusters, n, p=weight / weight.sum())
    centres = unit(rng.standard_normal((clusters, d), np.float32))
    rows = rng.standard_normal((n, d), np.float32)
    rows *= np.float32(1.3 / np.sqrt(d))
    rows += centres[label]
    return unit(rows), label


def unit(rows: FloatMatrix) -> FloatMatrix:
    """Rows divided by their length, in place."""
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def caption_sentences() -> FloatMatrix | None:
    """(about 25,000, 384) MiniLM rows of the sentences of COCO val2017's captions; None without the data.

    Embedding takes minutes; the rows are kept beside the benchmarks.
    """
    kept = CACHE / "coco_val2017_minilm.npy"
    if kept.is_file():
        return np.load(kept)
    source = DATA / "coco_val2017.jsonl.gz"
    if not source.is_file():
        return None
    from core.facts.sentences import split_sentences
    from core.models.registry import Models, load_preset

    print("embedding caption sentences once (minutes) ...", file=sys.stderr, flush=True)
    texts = []
    with gzip.open(source) as stream:
        for row in stream:
            for caption in json.loads(row)["captions"]:
                texts += [caption[a:b] for a, b in split_sentences(caption)]
    different = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    rows = Models(load_preset("embedded")).text_embedder.embed_texts(list(different))
    CACHE.mkdir(exist_ok=True)
    every = rows[[different[text] for text in texts]]
    np.save(kept, every)
    return every


def sentence_like(n: int, seed: int = 0) -> FloatMatrix:
    """(n, 384) rows between real sentences and their neighbours; of a mixture without the data."""
    real = caption_sentences()
    if real is None:
        return mixture(n, 384, 400, seed)[0]
    import faiss

    base = np.unique(real, axis=0)
    index = faiss.IndexFlatIP(base.shape[1])
    index.add(base)
    near = index.search(base, 10)[1]
    rng = np.random.default_rng(seed)
    one = rng.integers(0, len(base), n)
    other = near[one, rng.integers(1, 10, n)]
    share = rng.random((n, 1), np.float32)
    noise = rng.standard_normal((n, base.shape[1]), np.float32) * np.float32(0.01)
    return unit(base[one] * share + base[other] * (1 - share) + noise)
