"""What the models say of the benchmark's sentences and images, kept in the workspace part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.audit.text_stages import concepts_array, concepts_of
from core.bench.symbalbench.engine import Sentences
from core.dataset.images import open_image
from core.models.registry import Models
from core.runs.keys import tagged_hash
from core.runs.parts import StageStore
from core.runs.workspace import Workspace
from core.seams import FloatMatrix

Progress = Callable[[str, int, int], None]
SENTENCES_A_PART = 1024
IMAGES_A_PART = 128
LIST_OF_CONCEPTS = "concepts"


def embedded(
    texts: Sequence[str], workspace: Workspace, models: Models, progress: Progress = lambda *_: None
) -> Sentences:
    """Vectors and concepts of sentences."""
    vectors = _store(workspace, "bench_vectors", texts, models.text_embedder.identity)
    concepts = _store(workspace, "bench_concepts", texts, models.concept_extractor.identity)
    starts = range(0, len(texts), SENTENCES_A_PART)
    for store, what in ((vectors, "sentences embedded"), (concepts, "sentences parsed")):
        if store.is_complete:
            continue
        with store.lock():
            for part, start in enumerate(starts):
                progress(what, start, len(texts))
                some = list(texts[start : start + SENTENCES_A_PART])
                if not store.has_part(part):
                    if store is vectors:
                        store.write_array(part, models.text_embedder.embed_texts(some))
                    else:
                        found = concepts_array(models.concept_extractor.extract(some))
                        store.write_table(part, pa.Table.from_arrays([found], [LIST_OF_CONCEPTS]))
            store.commit({"n": len(texts)})
    cells = concepts.read_table()[LIST_OF_CONCEPTS].to_pylist()
    return Sentences(tuple(texts), np.asarray(vectors.read_array()), tuple(concepts_of(c) for c in cells))


def image_vectors(
    names: Sequence[str],
    folder: Path,
    workspace: Workspace,
    models: Models,
    progress: Progress = lambda *_: None,
) -> FloatMatrix:
    """(n, d) vectors of the images in the joint space, as the scorer compares them."""
    embedder = models.joint_image_embedder
    seen = [f"{name} {(folder / name).stat().st_size}" for name in names]
    store = _store(workspace, "bench_images", seen, embedder.identity)
    if not store.is_complete:
        with store.lock():
            for part, start in enumerate(range(0, len(names), IMAGES_A_PART)):
                progress("images embedded", start, len(names))
                if not store.has_part(part):
                    some = names[start : start + IMAGES_A_PART]
                    images = [open_image(folder / name, embedder.input_pixels) for name in some]
                    store.write_array(part, embedder.embed_images(images))
            store.commit({"n": len(names)})
    return np.asarray(store.read_array())


def _store(workspace: Workspace, stage: str, texts: Sequence[str], identity: object) -> StageStore:
    key = tagged_hash({"stage": stage, "texts": list(texts), "model": identity}, "faultline-bench")
    return StageStore(workspace, stage, key)
