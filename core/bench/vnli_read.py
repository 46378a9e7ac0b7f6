"""Readers of benchmark files with labelled sentences. Paper: VNLI-Critique 3, 4.2.

chocolate: `sentences` with `error_types` a sentence (an empty list = factual).
docci: one record a description: image, model, sentences with the labels of five raters and rationales.
mhal: M-HalDetect's records: response, annotations with start, end (or text) and label.
labels: our own files, see docs/vnli.md. objects: labels made from an object list. hat: words marked wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from core.bench.vnli_items import Description, LabelledSentence, joined, majority
from core.bench.vnli_object_truth import wrong_objects
from core.dataset.source import open_source
from core.domain.sample import RowProblem
from core.domain.vnli import FourLabel
from core.errors import DataError
from core.facts.sentences import split_sentences

Record = Mapping[str, Any]
_LABELS: dict[str, FourLabel] = {
    "entailment": "Entailment", "entailed": "Entailment", "accurate": "Entailment", "factual": "Entailment",
    "correct": "Entailment", "yes": "Entailment", "true": "Entailment", "neutral": "Neutral",
    "contradiction": "Contradiction", "inaccurate": "Contradiction", "non-entailment": "Contradiction",
    "incorrect": "Contradiction", "no": "Contradiction", "false": "Contradiction",
    "nothing to assess": "Nothing to assess", "n/a": "Nothing to assess", "analysis": "Nothing to assess",
}  # fmt: skip
_UNDECIDED = {"", "unsure", "none", "unanswerable"}


def read_file(path: Path, form: str) -> list[Description]:
    """All descriptions of a file, in file order, with unique ids.

    Raises: DataError for a record that is not of the format, with file and row; OSError never.
    """
    read = FORMATS[form]
    found: list[Description] = []
    seen: set[str] = set()
    vocabulary = _object_words(path) if form == "objects" else frozenset()
    for number, record in enumerate(_records(path), 1):
        try:
            one = _objects(record, vocabulary) if form == "objects" else read(record)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            missing = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
            raise DataError(
                f"this is no record of the format {form!r}: {missing}", where=f"{path.name} record {number}",
                remedy="see docs/vnli.md for what each format holds",
            ) from None  # fmt: skip
        item_id = one.item_id if one.item_id and one.item_id not in seen else f"{number}"
        seen.add(item_id)
        found.append(replace(one, item_id=item_id))
    if not any(s.label for d in found for s in d.sentences):
        raise DataError("no sentence of the file has a label", where=path.name)
    return found


def _records(path: Path) -> Iterator[Record]:
    for row in open_source(path).rows():
        if isinstance(row, RowProblem):
            raise DataError(row.reason, where=f"{path.name} row {row.row}", value=row.value)
        yield row[1]


def label_of(value: object) -> FourLabel | None:
    """A label in any of the formats' words. Raises: ValueError for a word of none of them."""
    if value is None or isinstance(value, bool):
        return None if value is None else ("Entailment" if value else "Contradiction")
    word = str(value).strip().lower().replace("_", " ")
    if word in _UNDECIDED:
        return None
    if word not in _LABELS:
        raise ValueError(f"unknown label {value!r}")
    return _LABELS[word]


def _chocolate(record: Record) -> Description:
    texts, kinds = list(record["sentences"]), list(record["error_types"])
    if len(texts) != len(kinds):
        raise ValueError(f"{len(texts)} sentences, {len(kinds)} lists of error types")
    caption, spans = joined([str(t) for t in texts])
    sentences = tuple(
        LabelledSentence(a, b, "Contradiction" if types else "Entailment", types=tuple(map(str, types)))
        for (a, b), types in zip(spans, kinds, strict=True)
    )
    return _description(record, caption, sentences)


def _docci(record: Record) -> Description:
    given = record["sentences"]
    texts = [str(_first(s, "sentence", "text", "description_sentence")) for s in given]
    whole = _maybe(record, "description", "caption", "response")
    caption, spans = _place(texts, str(whole)) if whole else joined(texts)
    sentences = []
    for (a, b), one in zip(spans, given, strict=True):
        raters = tuple(
            label_of(_maybe(r, "label", "judgment", "judgement") if isinstance(r, Mapping) else r)
            for r in _first(one, "raters", "labels", "ratings", "annotations", "judgments")
        )
        told = [r.get("rationale") for r in one.get("raters", ()) if isinstance(r, Mapping)]
        rationales = tuple(str(r) for r in (*(_maybe(one, "rationales") or ()), *told) if r)
        sentences.append(LabelledSentence(a, b, majority(raters), raters, rationales=rationales))
    return _description(record, caption, tuple(sentences))


def _mhal(record: Record) -> Description:
    caption = str(record["response"])
    marks: list[tuple[int, int, str]] = []
    position = 0
    for one in record["annotations"]:
        start, end = one.get("start"), one.get("end")
        if start is None or end is None:
            start = caption.find(str(one["text"]), position)
            if start < 0:
                raise ValueError(f"the response does not hold {one['text']!r}")
            end = start + len(str(one["text"]))
        position = int(end)
        marks.append((int(start), int(end), str(one["label"]).strip().upper()))
    sentences = []
    for a, b in split_sentences(caption):
        kinds = {label for start, end, label in marks if start < b and end > a}
        sentences.append(LabelledSentence(a, b, _mhal_label(kinds)))
    return _description(record, caption, tuple(sentences))


def _mhal_label(kinds: set[str]) -> FourLabel | None:
    """A sentence with an inaccurate span is wrong; with analysis only there is nothing to assess."""
    if unknown := kinds - {"ACCURATE", "INACCURATE", "ANALYSIS", "UNSURE"}:
        raise ValueError(f"unknown label {sorted(unknown)[0]!r}")
    if "INACCURATE" in kinds:
        return "Contradiction"
    if "UNSURE" in kinds or not kinds:
        return None
    return "Entailment" if "ACCURATE" in kinds else "Nothing to assess"


def _labels(record: Record) -> Description:
    given = record["sentences"]
    caption = record.get("caption")
    if given and "start" in given[0]:
        caption = str(record["caption"])
        spans = [(int(s["start"]), int(s["end"])) for s in given]
    else:
        texts = [str(s["text"]) for s in given]
        caption, spans = _place(texts, str(caption)) if caption else joined(texts)
    sentences = []
    for (a, b), one in zip(spans, given, strict=True):
        if not 0 <= a < b <= len(caption):
            raise ValueError(f"a sentence lies outside the caption: {a}..{b}")
        raters = tuple(map(label_of, one.get("raters") or ()))
        label = majority(raters) if raters else label_of(one["label"])
        types, said = one.get("error_types") or (), one.get("rationales") or ()
        sentences.append(LabelledSentence(a, b, label, raters, tuple(map(str, types)), tuple(map(str, said))))
    return _description(record, caption, tuple(sentences))


def _hat(record: Record) -> Description:
    caption = str(record["caption"])
    wrong, position = [], 0
    for word, is_wrong in record["grounding"]:
        at = caption.find(str(word), position)
        if at < 0:
            raise ValueError(f"the caption does not hold the marked word {word!r}")
        position = at + len(str(word))
        if is_wrong:
            wrong.append((at, position))
    sentences = tuple(
        LabelledSentence(a, b, "Contradiction" if any(s < b and e > a for s, e in wrong) else "Entailment")
        for a, b in split_sentences(caption)
    )
    return _description(record, caption, sentences)


def _objects(record: Record, vocabulary: frozenset[str]) -> Description:
    caption = str(record["caption"])
    objects = tuple(str(o).lower() for o in _first(record, "objects", "coco_objects"))
    sentences = []
    for a, b in split_sentences(caption):
        wrong = wrong_objects(caption[a:b], objects, vocabulary)
        label: FourLabel = "Contradiction" if wrong else "Entailment"
        sentences.append(LabelledSentence(a, b, label, types=("missing object",) if wrong else ()))
    return replace(_description(record, caption, tuple(sentences)), objects=objects)


def _object_words(path: Path) -> frozenset[str]:
    lists = (
        _first(r, "objects", "coco_objects") for r in _records(path) if _maybe(r, "objects", "coco_objects")
    )
    return frozenset(str(o).lower() for objects in lists for o in objects)


def _description(record: Record, caption: str, sentences: tuple[LabelledSentence, ...]) -> Description:
    objects = _maybe(record, "objects", "coco_objects")
    return Description(
        item_id=str(_maybe(record, "id", "sample_id", "_id") or ""),
        image=str(_maybe(record, "image", "image_path", "image_id") or ""),
        captioner=str(_maybe(record, "captioner", "model", "model_name") or "captioner"),
        caption=caption,
        sentences=sentences,
        references=tuple(str(r) for r in cast(Sequence[object], record.get("references") or ())),
        objects=None if objects is None else tuple(str(o).lower() for o in objects),
    )


def _place(texts: Sequence[str], caption: str) -> tuple[str, list[tuple[int, int]]]:
    """Where the sentences stand in the caption, in order. Raises: ValueError if one does not."""
    spans, position = [], 0
    for text in texts:
        at = caption.find(text, position)
        if at < 0:
            raise ValueError(f"the description does not hold the sentence {text!r}")
        position = at + len(text)
        spans.append((at, position))
    return caption, spans


def _maybe(record: Mapping[str, Any], *names: str) -> Any:
    return next((record[n] for n in names if record.get(n) is not None), None)


def _first(record: Mapping[str, Any], *names: str) -> Any:
    found = _maybe(record, *names)
    if found is None:
        raise KeyError(names[0])
    return found


FORMATS: dict[str, Callable[[Record], Description]] = {
    "chocolate": _chocolate,
    "docci": _docci,
    "mhal": _mhal,
    "labels": _labels,
    "objects": lambda record: _objects(record, frozenset()),
    "hat": _hat,
}
