"""The settings of SymbalBench: pairs (t, v) at three strengths. Paper: SymbalBench 5, B, C (Table 3)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.bench.symbalbench.coco import BaseSample, CocoImage
from core.bench.symbalbench.inject import LEVELS, choose_carriers, sentence, templates
from core.bench.symbalbench.names import HERE, mentions, plain

POPULAR = 10
STRATEGIES = ("random", "popular", "adversarial")


@dataclass(frozen=True, slots=True)
class Label:
    """The hidden truth of a setting. strategies: how t can have been sampled given v.

    v_share: mean share of the image v covers where it is shown.
    """

    t: str
    v: str
    level: float
    achieved: float
    n_carriers: int
    n_with_v: int
    strategies: tuple[str, ...]
    v_share: float

    @property
    def name(self) -> str:
        return f"{self.t}--{self.v}--{self.level}".replace(" ", "-")


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One setting: the label, and the sentence added to some samples (row -> sentence)."""

    label: Label
    added: dict[int, str]


def table_3() -> list[tuple[str, str]]:
    """The pairs (t, v) of the paper's Table 3 on natural images, in its order."""
    return read_pairs(HERE / "table_3_natural.txt")


def read_pairs(path: Path) -> list[tuple[str, str]]:
    """Pairs (t, v) of a file with lines `v: t, t, ...`."""
    pairs = []
    for line in path.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            v, _, listed = line.partition(":")
            pairs += [(t.strip(), v.strip()) for t in listed.split(",")]
    return pairs


def sampled_pairs(images: Sequence[CocoImage], n: int, seed: int) -> list[tuple[str, str]]:
    """`n` pairs for random v, t by each of the three strategies in turn (random, popular, adversarial)."""
    generator = np.random.default_rng((seed, 2))
    popular, together = _popular(images), _together(images)
    names = sorted({c for image in images for c in image.annotated})
    pairs: dict[tuple[str, str], None] = {}
    while len(pairs) < min(n, len(names) * (len(names) - 1)):
        v = str(generator.choice(names))
        strategy = STRATEGIES[len(pairs) % 3]
        if strategy == "adversarial" and together[v]:
            t = together[v]
        else:
            t = str(generator.choice(popular if strategy == "popular" else names))
        if t != v:
            pairs[t, v] = None
        elif strategy == "adversarial":
            break
    return list(pairs)


def make_settings(
    samples: Sequence[BaseSample],
    pairs: Sequence[tuple[str, str]],
    seed: int,
    levels: Sequence[float] = LEVELS,
    sentences: Mapping[str, Sequence[str]] | None = None,
) -> list[Setting]:
    """Every pair at every level that can be reached with this data, in order.

    sentences: t -> whole sentences to add, instead of the templates.
    """
    images = [s.image for s in samples]
    popular, together = set(_popular(images)), _together(images)
    said = [" / ".join(plain(c) for c in s.image.captions) for s in samples]
    settings = []
    can: dict[str, npt.NDArray[np.bool_]] = {}
    for t, v in pairs:
        if t not in can:
            can[t] = np.array([_can_carry(s, said[i], t) for i, s in enumerate(samples)])
        shows = np.array([v in image.objects for image in images])
        shares = [image.objects[v] for image in images if v in image.objects]
        for level in levels:
            generator = np.random.default_rng([seed, *f"{t}|{v}|{level}".encode()])
            found = choose_carriers(can[t], shows, level, generator)
            if found is None:
                continue
            label = Label(
                t, v, level, round(found.achieved, 4), len(found.carriers), found.with_v,
                _strategies(t, v, popular, together), round(float(np.mean(shares)), 4),
            )  # fmt: skip
            ready = sentences[t] if sentences is not None else [sentence(how, t) for how in templates()]
            chosen = generator.choice(np.array(ready), len(found.carriers))
            added = {int(row): str(said) for row, said in zip(found.carriers, chosen, strict=True)}
            settings.append(Setting(label, added))
    return settings


def _can_carry(sample: BaseSample, said: str, t: str) -> bool:
    """t is neither in the image (labels, all human captions) nor in the caption."""
    return t not in sample.image.annotated and not mentions(said, t)


def _strategies(t: str, v: str, popular: set[str], together: dict[str, str]) -> tuple[str, ...]:
    """A pair popular or adversarial by this data is called so; all others are random."""
    named = [n for n, yes in (("popular", t in popular), ("adversarial", together.get(v) == t)) if yes]
    return tuple(named) or ("random",)


def _popular(images: Sequence[CocoImage]) -> list[str]:
    counts = Counter(c for image in images for c in image.annotated)
    return [name for name, _ in counts.most_common(POPULAR)]


def _together(images: Sequence[CocoImage]) -> dict[str, str]:
    """For each category the one that shares most images with it."""
    counts: dict[str, Counter[str]] = {}
    for image in images:
        for a in image.annotated:
            counts.setdefault(a, Counter()).update(image.annotated - {a})
    return {a: c.most_common(1)[0][0] if c else "" for a, c in counts.items()}


def write_setting(folder: Path, samples: Sequence[BaseSample], setting: Setting) -> Path:
    """Write `captions.jsonl`, which any tool can read, and in `hidden/` the label and who carries it."""
    place = folder / setting.label.name
    (place / "hidden").mkdir(parents=True, exist_ok=True)
    with (place / "captions.jsonl").open("w", encoding="utf-8") as stream:
        for row, sample in enumerate(samples):
            more = f" {setting.added[row]}" if row in setting.added else ""
            line = {
                "id": sample.image.image_id,
                "image": sample.image.file_name,
                "caption": sample.caption + more,
                "references": list(sample.references),
            }
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
    hidden = {"label": asdict(setting.label), "carriers": {str(k): v for k, v in setting.added.items()}}
    (place / "hidden" / "label.json").write_text(json.dumps(hidden, ensure_ascii=False, indent=1))
    return place / "captions.jsonl"
