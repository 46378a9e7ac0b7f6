"""Run SymbalBench: every setting once, results kept as they come, a stopped run goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from core.audit.table import versions
from core.bench.symbalbench.baselines import by_chance, by_direct_prompting, without_grouping
from core.bench.symbalbench.coco import BaseSample, base_dataset, read_coco
from core.bench.symbalbench.engine import SettingRunner, all_sentences
from core.bench.symbalbench.evaluate import (
    Judge,
    Outcome,
    Prediction,
    as_json,
    from_json,
    judged,
    prediction_of,
)
from core.bench.symbalbench.kept_models import embedded, image_vectors
from core.bench.symbalbench.llm_judge import LlmJudge
from core.bench.symbalbench.medical import ReportColumns, corpus_sentences, medical_pairs, read_reports
from core.bench.symbalbench.names import means
from core.bench.symbalbench.settings import Setting, make_settings, sampled_pairs, table_3
from core.domain.finding import VisualFeatureRule
from core.domain.judgement import Unscored
from core.errors import ConfigError
from core.models.registry import Models
from core.runs.keys import tagged_hash
from core.runs.workspace import Workspace

Method = Literal["symbal", "no-grouping", "direct", "random"]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class BenchConfig:
    """What is run.

    coco: annotations of the natural half; reports: a CSV of reports for the medical half instead.
    n: settings, spread evenly over the list; None = all. n_pairs: pairs drawn from the data in place of
    Table 3's; 0 = Table 3. setting: reference-free needs `images`, the folder of the images; samples whose
    image is not there are left out. judge: "llm" asks the preset's `judge_chat`. direct_samples: samples in
    the question of the direct-prompting baseline, which asks the preset's `summarizer_chat`.
    """

    coco: Path | None = None
    instances: Path | None = None
    reports: Path | None = None
    report_columns: ReportColumns = field(default_factory=ReportColumns)
    n: int | None = None
    n_pairs: int = 0
    seed: int = 0
    setting: Literal["reference-based", "reference-free"] = "reference-based"
    images: Path | None = None
    rule: VisualFeatureRule = "contrast"
    method: Method = "symbal"
    judge: Literal["offline", "llm"] = "offline"
    direct_samples: int = 100


def prepare(config: BenchConfig) -> tuple[list[BaseSample], list[Setting]]:
    """The base dataset and the settings asked for."""
    samples, settings = _everything(config)
    if config.n is not None and config.n < len(settings):
        chosen = np.unique(np.linspace(0, len(settings) - 1, max(1, config.n)).round().astype(int))
        settings = [settings[i] for i in chosen]
    return samples, settings


def _everything(config: BenchConfig) -> tuple[list[BaseSample], list[Setting]]:
    """The base dataset and all settings. Raises: ConfigError if the data can carry none."""
    if config.reports is not None:
        samples = read_reports(config.reports, config.report_columns)
        pairs = medical_pairs()
        said = corpus_sentences((s.references[0] for s in samples), sorted({t for t, _ in pairs}))
        settings = make_settings(samples, pairs, config.seed, sentences=said)
    else:
        if config.coco is None:
            raise ConfigError("no base dataset", remedy="give --coco or --reports")
        samples = base_dataset(read_coco(config.coco, config.instances), config.seed)
        if config.setting == "reference-free":
            samples = _with_images(samples, config.images)
        shown = [s.image for s in samples]
        pairs = sampled_pairs(shown, config.n_pairs, config.seed) if config.n_pairs else table_3()
        settings = make_settings(samples, pairs, config.seed)
    if not settings:
        raise ConfigError(
            "no pair can be planted in this data: too few samples show v", value=f"{len(samples)} samples"
        )
    return samples, settings


def _with_images(samples: list[BaseSample], images: Path | None) -> list[BaseSample]:
    if images is None:
        raise ConfigError("the reference-free setting compares with images", remedy="give --images")
    there = [s for s in samples if s.image.file_name and (images / s.image.file_name).is_file()]
    if not there:
        raise ConfigError("none of the images is in the folder", where="--images", value=str(images))
    return there


def run_bench(
    config: BenchConfig, workspace: Workspace, models: Models, progress: Progress = lambda *_: None
) -> list[Outcome]:
    """Outcomes in the order of the settings.

    Raises: DataError for a file that is not COCO or has no reports, ConfigError for what does not fit.
    """
    if config.reports is not None and config.setting == "reference-free":
        raise ConfigError("the medical half is run reference-based: reports have no images here")
    samples, every_setting = _everything(config)
    settings = prepare(config)[1]
    every = all_sentences(samples, every_setting)
    sentences = embedded(every, workspace.create(), models, progress)
    vectors = None
    if config.setting == "reference-free" and config.images is not None:
        names = [s.image.file_name for s in samples]
        vectors = image_vectors(names, config.images, workspace, models, progress)
    runner = SettingRunner(samples, sentences, models, config.rule, config.seed, vectors)
    results = _results_file(config, workspace, models, every)
    done = {o.label.name: o for o in _kept(results)}
    how = _Method(config, runner, models)
    for i, setting in enumerate(settings):
        progress("settings", i, len(settings))
        if setting.label.name not in done:
            outcome = how.outcome(setting, i)
            with results.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(as_json(outcome), ensure_ascii=False) + "\n")
            done[setting.label.name] = outcome
    progress("settings", len(settings), len(settings))
    return [done[s.label.name] for s in settings]


class _Method:
    """What is measured, with its judge."""

    def __init__(self, config: BenchConfig, runner: SettingRunner, models: Models) -> None:
        self.config, self.runner, self.models = config, runner, models
        self.vocabulary = sorted({c for s in runner.samples for c in s.image.annotated})
        self.llm = LlmJudge(models.chat("judge_chat")) if config.judge == "llm" else None

    def outcome(self, setting: Setting, i: int) -> Outcome:
        """One setting run and judged. No usable answer is a setting not solved, with its reason."""
        said = self._prediction(setting, i)
        if isinstance(said, Unscored):
            outcome = judged(setting.label, prediction_of(()))
            return replace(outcome, reason=f"unscored: {said.reason}: {said.detail}")
        judge: Judge = means
        if self.llm is not None:
            self.llm.prepare(said, setting.label.t, setting.label.v)
            judge = self.llm
        return judged(setting.label, said, judge)

    def _prediction(self, setting: Setting, i: int) -> Prediction | Unscored:
        runner, method = self.runner, self.config.method
        generator = np.random.default_rng((runner.seed, 3, i))
        if method == "random":
            return by_chance(self.vocabulary, generator)
        if method == "direct":
            pairs = [
                (" ".join(s.references), " ".join(filter(None, (s.caption, setting.added.get(row)))))
                for row, s in enumerate(runner.samples)
            ]
            chat = self.models.chat("summarizer_chat")
            return by_direct_prompting(chat, pairs, self.config.direct_samples, generator)
        if method == "no-grouping":
            facts = runner.facts(setting)
            return without_grouping(facts, runner.features(facts))
        return prediction_of(runner.findings(setting))


def _results_file(config: BenchConfig, workspace: Workspace, models: Models, texts: Sequence[str]) -> Path:
    asked = {k: v for k, v in asdict(config).items() if k in {"seed", "rule", "method"}}
    defaults = asdict(BenchConfig())
    for name in ("setting", "judge", "direct_samples", "n_pairs"):
        if getattr(config, name) != defaults[name]:
            asked[name] = getattr(config, name)
    if config.judge == "llm":
        asked["judge"] = models.chat("judge_chat").identity
    if config.method == "direct":
        asked["direct"] = models.chat("summarizer_chat").identity
    if config.setting == "reference-free":
        asked["image"] = models.joint_image_embedder.identity
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
