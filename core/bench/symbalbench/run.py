"""Run SymbalBench: every setting once, results kept as they come, a stopped run goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from core.audit.table import versions
from core.audit.text_stages import concepts_array, concepts_of
from core.bench.symbalbench.baselines import by_chance, without_grouping
from core.bench.symbalbench.coco import BaseSample, base_dataset, read_coco
from core.bench.symbalbench.engine import Sentences, SettingRunner, all_sentences
from core.bench.symbalbench.evaluate import Outcome, as_json, from_json, judged, prediction_of
from core.bench.symbalbench.settings import Setting, make_settings, table_3
from core.domain.finding import VisualFeatureRule
from core.models.registry import Models
from core.runs.keys import tagged_hash
from core.runs.parts import StageStore
from core.runs.workspace import Workspace

Method = Literal["symbal", "no-grouping", "random"]
Progress = Callable[[str, int, int], None]
SENTENCES_A_PART = 1024
LIST_OF_CONCEPTS = "concepts"


@dataclass(frozen=True, slots=True)
class BenchConfig:
    """What is run. n: settings, spread evenly over the list; None = all."""

    coco: Path
    instances: Path | None = None
    n: int | None = None
    seed: int = 0
    rule: VisualFeatureRule = "contrast"
    method: Method = "symbal"


def prepare(config: BenchConfig) -> tuple[list[BaseSample], list[Setting]]:
    """The base dataset and the settings asked for."""
    samples = base_dataset(read_coco(config.coco, config.instances), config.seed)
    settings = make_settings(samples, table_3(), config.seed)
    if config.n is not None and config.n < len(settings):
        chosen = np.unique(np.linspace(0, len(settings) - 1, max(1, config.n)).round().astype(int))
        settings = [settings[i] for i in chosen]
    return samples, settings


def run_bench(
    config: BenchConfig, workspace: Workspace, models: Models, progress: Progress = lambda *_: None
) -> list[Outcome]:
    """Outcomes in the order of the settings. Raises DataError for a file that is not COCO."""
    samples, settings = prepare(config)
    every = all_sentences(samples, make_settings(samples, table_3(), config.seed))
    sentences = embedded(every, workspace.create(), models, progress)
    runner = SettingRunner(samples, sentences, models, config.rule, config.seed)
    results = _results_file(config, workspace, models, every)
    done = {o.label.name: o for o in _kept(results)}
    vocabulary = sorted({c for s in samples for c in s.image.annotated})
    for i, setting in enumerate(settings):
        progress("settings", i, len(settings))
        if setting.label.name not in done:
            outcome = _outcome(config.method, runner, setting, vocabulary, i)
            with results.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(as_json(outcome), ensure_ascii=False) + "\n")
            done[setting.label.name] = outcome
    progress("settings", len(settings), len(settings))
    return [done[s.label.name] for s in settings]


def _outcome(
    method: Method, runner: SettingRunner, setting: Setting, vocabulary: Sequence[str], i: int
) -> Outcome:
    if method == "random":
        return judged(setting.label, by_chance(vocabulary, np.random.default_rng((runner.seed, 3, i))))
    if method == "no-grouping":
        facts = runner.facts(setting)
        return judged(setting.label, without_grouping(facts, runner.features(facts)))
    return judged(setting.label, prediction_of(runner.findings(setting)))


def embedded(
    texts: Sequence[str], workspace: Workspace, models: Models, progress: Progress = lambda *_: None
) -> Sentences:
    """Vectors and concepts of sentences, kept in the workspace part by part."""
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


def _store(workspace: Workspace, stage: str, texts: Sequence[str], identity: object) -> StageStore:
    key = tagged_hash({"stage": stage, "texts": list(texts), "model": identity}, "faultline-bench")
    return StageStore(workspace, stage, key)


def _results_file(config: BenchConfig, workspace: Workspace, models: Models, texts: Sequence[str]) -> Path:
    asked = {k: v for k, v in asdict(config).items() if k in {"seed", "rule", "method"}}
    key = tagged_hash(
        {
            "asked": asked,
            "texts": list(texts),
            "stages": versions(),
            "models": [models.text_embedder.identity, models.concept_extractor.identity],
        },
        "faultline-bench",
    )
    folder = Path(workspace.root) / "bench" / f"symbal-{key[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "results.jsonl"


def _kept(path: Path) -> list[Outcome]:
    """Outcomes written before; a line cut by a kill is left out and asked again."""
    if not path.is_file():
        return []
    kept = []
    for line in path.read_text("utf-8").splitlines():
        try:
            kept.append(from_json(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            continue
    return kept
