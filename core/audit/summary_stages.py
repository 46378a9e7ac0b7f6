"""Features named by a chat model, per misaligned fact and per sample. Paper: Symbal 4.1, 4.2, A.1, A.2.

Step one of the paper's summarisers. Departs: step two, the most frequent features, is counted over these
answers with the same statistics as the embedded summariser's, so that every finding has a 2x2 table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from core.audit.chat_scoring import captioner_of, has_references, locate_in, plan_captions
from core.audit.context import Audit, Stage
from core.domain.chat import Ask, PlannedCalls
from core.domain.judgement import Unscored
from core.domain.sample import ImageRef
from core.findings.contrast import FeaturePairs
from core.findings.features import pairs_from_references
from core.findings.one_name import OneName
from core.models.preset_checks import CHAT_SUMMARIZERS
from core.prompts.answers import read_list
from core.runs.executor_local import run_parts
from core.runs.parts import StageStore
from core.scores.symbal_captioner import no_caption, stand_in
from core.summaries.symbal_features import MAX_FEATURES, ChatSummarizer, image_question, text_question

A_PART = 256
FEATURES_SCHEMA = pa.schema(
    [
        ("index", pa.int64()),
        ("features", pa.list_(pa.string())),
        ("names", pa.list_(pa.string())),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("raw", pa.string()),
    ]
)
"""index: fact_id or sample index. features: as answered, null = unscored. names: what they name."""
PRESENCE = {
    "vision-language": "image, by a chat model",
    "text-only": "description of the image, by a chat model",
}


def asks_for_features(audit: Audit) -> bool:
    """Whether the preset's summariser is a chat model."""
    return audit.models.preset.summarizer in CHAT_SUMMARIZERS


def fact_features_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Features of the facts that count as wrong and whose scorer does not say what is wrong in them."""
    texts = audit.stores["facts"].read_table(["text"])["text"]
    scores = audit.stores["scores"].read_table(["value", "unsupported"])
    below = audit.summary("scores")["wrong_below"]
    rows = zip(scores["value"].to_pylist(), scores["unsupported"].to_pylist(), strict=True)
    ids = [i for i, (value, named) in enumerate(rows) if value is not None and value < below and not named]

    def make_part(start: int, stop: int) -> pa.Table:
        part = ids[start:stop]
        return _features(audit, part, [text_question(texts[i].as_py()) for i in part], None)

    return _run(audit, store, len(ids), make_part, "facts")


def image_features_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Features of what every sample's image shows; equal images are asked about once."""
    samples = _Described(audit)

    def make_part(start: int, stop: int) -> pa.Table:
        limit = MAX_FEATURES if audit.models.preset.summarizer == "vision-language" else None
        return _features(audit, range(start, stop), samples.questions(start, stop), limit)

    return _run(audit, store, len(samples), make_part, "samples")


class _Described:
    """The question about each sample: its image, else its references or a caption of its image."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        self._looks = audit.models.preset.summarizer == "vision-language"
        self._samples = audit.stores["samples"].read_table(["image_path", "image_sha256", "references"])
        self._captioned = not self._looks and not has_references(audit)

    def __len__(self) -> int:
        return int(self._samples.num_rows)

    def questions(self, start: int, stop: int, *, made: bool = True) -> list[Ask | Unscored]:
        """made: False = captions are not made yet, something stands for them."""
        rows = self._samples.slice(start, stop - start).to_pylist()
        images = [
            ImageRef(row["image_path"], row["image_sha256"], 0, 0) if row["image_sha256"] else None
            for row in rows
        ]
        texts: list[str | Unscored] = [" ".join(row["references"] or ()) for row in rows]
        if self._captioned:
            stand_ins: list[str | Unscored] = [stand_in(i.sha256) if i else "" for i in images]
            texts = self._captions(images) if made else stand_ins
        return [self._question(image, text) for image, text in zip(images, texts, strict=True)]

    def _captions(self, images: Sequence[ImageRef | None]) -> list[str | Unscored]:
        locate = locate_in(self._audit)
        shown = [locate(image) for image in images if image is not None]
        made = iter(captioner_of(self._audit).caption(shown))
        found: list[str | Unscored] = ["" if image is None else next(made) for image in images]
        return [no_caption(c) if isinstance(c, Unscored) else c for c in found]

    def _question(self, image: ImageRef | None, text: str | Unscored) -> Ask | Unscored:
        if self._looks:
            if image is None:
                return Unscored("no image", "the row has no image to look at")
            return image_question(locate_in(self._audit)(image), text if isinstance(text, str) else "")
        if isinstance(text, Unscored):
            return text
        return text_question(text) if text else Unscored("no reference", "nothing describes the image")


def _run(audit: Audit, store: StageStore, n: int, make_part: Any, unit: str) -> Mapping[str, object]:
    run_parts(store, n, A_PART, make_part, cancel=audit.cancel, emit=audit.emit, unit=unit)
    reasons = [r for r in store.read_table(["reason"])["reason"].to_pylist() if r is not None]
    identity = _summarizer(audit).identity
    if reasons:
        audit.emit("warning", message=f"{store.stage}: {len(reasons)} of {n} {unit} have no features")
    return {
        "model": {"name": identity.name, "revision": identity.revision, "backend": identity.backend},
        "n_asked": n,
        "n_unscored": len(reasons),
        "unscored_reasons": {r: reasons.count(r) for r in sorted(set(reasons))},
    }


def _features(
    audit: Audit, ids: Sequence[int], questions: Sequence[Ask | Unscored], limit: int | None
) -> pa.Table:
    chat = audit.models.chat("summarizer_chat")
    answers = iter(chat.complete([q for q in questions if isinstance(q, Ask)]))
    found = [read_list(next(answers), limit) if isinstance(q, Ask) else q for q in questions]
    unique = list(dict.fromkeys(f for items in found if not isinstance(items, Unscored) for f in items))
    named = dict(
        zip(unique, map(_names, unique, audit.models.concept_extractor.extract(unique)), strict=True)
    )
    rows = []
    for index, items in zip(ids, found, strict=True):
        row: dict[str, object] = {"index": index, "features": None, "names": []}
        if isinstance(items, Unscored):
            row |= {"reason": items.reason, "detail": items.detail, "raw": items.raw}
        else:
            names = dict.fromkeys(name for item in items for name in named[item])
            row |= {"features": list(items), "names": list(names)}
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=FEATURES_SCHEMA)


def _names(feature: str, concepts: Sequence[Any]) -> tuple[str, ...]:
    """What a phrase names, as captions are read: "a red double-decker bus" names a bus."""
    return tuple(c.text for c in concepts) or (feature,)


def names_of_facts(audit: Audit) -> dict[int, list[str]]:
    """fact id -> names of its features, for the facts that were asked about ([] where unscored)."""
    table = audit.stores["fact_features"].read_table(["index", "names"])
    return dict(zip(table["index"].to_pylist(), table["names"].to_pylist(), strict=True))


def names_of_samples(audit: Audit) -> tuple[list[set[str]], list[bool]]:
    """Names of what each sample shows; False where that is not known."""
    table = audit.stores["image_features"].read_table(["names", "reason"])
    return [set(n) for n in table["names"].to_pylist()], [r is None for r in table["reason"].to_pylist()]


def pairs_from_answers(audit: Audit, called: OneName) -> FeaturePairs:
    """Candidates for v from the summariser's answers."""
    names, known = names_of_samples(audit)
    pairs = pairs_from_references(names, known, (), called)
    return replace(pairs, presence_from=PRESENCE[audit.models.preset.summarizer])


def _summarizer(audit: Audit) -> ChatSummarizer:
    return ChatSummarizer(audit.models.chat("summarizer_chat"))


def _params(audit: Audit) -> Mapping[str, object]:
    return {"summarizer": audit.models.preset.summarizer, "model": _summarizer(audit).identity}


def _image_params(audit: Audit) -> Mapping[str, object]:
    captions = audit.models.preset.summarizer == "text-only" and not has_references(audit)
    more = {"captioner": captioner_of(audit).identity} if captions else {}
    return {**_params(audit), **more, "names": audit.models.concept_extractor.identity}


def _plan_facts(audit: Audit) -> Sequence[PlannedCalls]:
    texts = audit.stores["facts"].read_table(["text"])["text"].to_pylist()
    chat = audit.models.chat("summarizer_chat")
    return [chat.plan([text_question(t) for t in texts], exact=False)]


def _plan_images(audit: Audit) -> Sequence[PlannedCalls]:
    samples, calls, made = _Described(audit), [], True
    if audit.models.preset.summarizer == "text-only" and not has_references(audit):
        captions = plan_captions(audit)
        made = captions.calls == 0
        if audit.scorer_kind != "text-only":  # else the scores stage has counted them
            calls.append(captions)
    asked = [q for q in samples.questions(0, len(samples), made=made) if isinstance(q, Ask)]
    return [*calls, audit.models.chat("summarizer_chat").plan(asked, exact=made)]


def said_wrongly(audit: Audit, by_concepts: Mapping[int, list[str]]) -> dict[int, list[str]]:
    """fact id -> names said wrongly, by the summariser where it was asked."""
    if "fact_features" not in audit.stores:
        return dict(by_concepts)
    answered = names_of_facts(audit)
    return {fact: answered.get(fact, names) for fact, names in by_concepts.items()}


SUMMARY_STAGES = (
    Stage(
        "fact_features",
        1,
        ("facts", "scores"),
        lambda audit: {**_params(audit), "names": audit.models.concept_extractor.identity},
        fact_features_work,
        asks_for_features,
        plan=_plan_facts,
        plan_inputs=("facts",),
    ),
    Stage(
        "image_features",
        1,
        ("samples",),
        _image_params,
        image_features_work,
        asks_for_features,
        plan=_plan_images,
        plan_inputs=(),
    ),
)
