"""Defect injection in three stages over a chat model. Paper: Evian 4, B.1, B.2."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.bench.evian_taxonomy import BY_CODE, P_KNOWLEDGE, P_REASONING, Subtype, of_category
from core.domain.chat import Ask, Completion
from core.domain.judgement import Unscored
from core.prompts.load_prompt import load_prompt
from core.runs.keys import tagged_hash
from core.seams import ChatModel

MAX_TOKENS = 1024
_PREAMBLE = re.compile(
    r"(?:sure|certainly|here(?: is|'s)|rewritten text|corrupted text)\b[^.\n]*:", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Defect:
    """A planted defect. start, stop: what changed, in `text` (whole words; empty for a deletion)."""

    original: str
    text: str
    subtype: str
    start: int
    stop: int

    @property
    def category(self) -> str:
        return BY_CODE[self.subtype].category


def make_defect(original: str, text: str, subtype: str) -> Defect | Unscored:
    """A defect with its changed span; Unscored if nothing changed but white space."""
    if text.split() == original.split():
        return Unscored("unchanged", "the rewritten text equals the original", text)
    start, stop = changed_span(original, text)
    return Defect(original, text, subtype, start, stop)


def changed_span(original: str, text: str) -> tuple[int, int]:
    """The smallest run of whole words of `text` outside of which it equals `original`."""
    limit = min(len(original), len(text))
    head = next((i for i in range(limit) if original[i] != text[i]), limit)
    tail = next((i for i in range(limit - head) if original[-1 - i] != text[-1 - i]), limit - head)
    start, stop = head, len(text) - tail
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while stop < len(text) and text[stop].isalnum():
        stop += 1
    return start, max(start, stop)


class ChatInjector:
    """Plants one defect a text. seed: of the cascade and of the consistency subtypes."""

    def __init__(self, chat: ChatModel, seed: int = 0) -> None:
        self._chat = chat
        self._seed = seed

    def inject(self, texts: Sequence[str]) -> list[Defect | Unscored]:
        """One defect a text, in order; a failed stage is Unscored with the model's raw text."""
        analysed = self._ask([analysis_ask(t) for t in texts])
        flags = [read_analysis(a) for a in analysed]
        chosen = self._subtypes(texts, flags)
        asks = {
            i: rewrite_ask(t, s)
            for i, (t, s) in enumerate(zip(texts, chosen, strict=True))
            if isinstance(s, Subtype)
        }
        written = dict(zip(asks, self._ask(list(asks.values())), strict=True))
        results: list[Defect | Unscored] = []
        for i, (text, subtype) in enumerate(zip(texts, chosen, strict=True)):
            results.append(
                subtype if isinstance(subtype, Unscored) else read_rewrite(text, subtype, written[i])
            )
        return results

    def _subtypes(
        self, texts: Sequence[str], flags: Sequence[Mapping[str, bool] | Unscored]
    ) -> list[Subtype | Unscored]:
        chosen: list[Subtype | Unscored] = []
        asks: dict[int, tuple[Ask, tuple[Subtype, ...]]] = {}
        for i, (text, flag) in enumerate(zip(texts, flags, strict=True)):
            if isinstance(flag, Unscored):
                chosen.append(flag)
                continue
            rng = random.Random(tagged_hash({"seed": self._seed, "text": text}, "faultline-defect"))
            category = choose_category(flag["contains_reasoning"], flag["contains_knowledge"], rng)
            options = of_category(category)
            chosen.append(rng.choice(options))
            if category != "consistency":
                asks[i] = (subtype_ask(text, options), options)
        answers = self._ask([ask for ask, _ in asks.values()])
        for (i, (_, options)), answer in zip(asks.items(), answers, strict=True):
            chosen[i] = read_subtype(answer, options)
        return chosen

    def _ask(self, asks: Sequence[Ask]) -> list[Completion | Unscored]:
        return self._chat.complete(asks) if asks else []


def choose_category(contains_reasoning: bool, contains_knowledge: bool, rng: random.Random) -> str:
    """The cascade of 0.8 for knowledge and then 0.6 for reasoning; else consistency."""
    if contains_knowledge and rng.random() < P_KNOWLEDGE:
        return "knowledge"
    if contains_reasoning and rng.random() < P_REASONING:
        return "reasoning"
    return "consistency"


def analysis_ask(text: str) -> Ask:
    """Stage 1: does the text reason, does it hold outside knowledge?"""
    prompt = load_prompt("evian/analyse_content@1")
    schema = _object_schema({k: {"type": "boolean"} for k in ("contains_reasoning", "contains_knowledge")})
    return Ask(prompt.fill(text=text), prompt.ref, json_schema=schema, max_tokens=64)


def read_analysis(answer: Completion | Unscored) -> dict[str, bool] | Unscored:
    """The two flags. Unscored unless both are there and boolean."""
    found = _json_object(answer)
    if isinstance(found, Unscored):
        return found
    keys = ("contains_reasoning", "contains_knowledge")
    if not all(isinstance(found.get(k), bool) for k in keys):
        return Unscored("unparseable", "expected two boolean keys", json.dumps(found))
    return {k: bool(found[k]) for k in keys}


def subtype_ask(text: str, options: Sequence[Subtype]) -> Ask:
    """Stage 2: which of the subtypes suits the text best?"""
    prompt = load_prompt("evian/choose_subtype@1")
    listed = "\n".join(f"- {s.code}: {s.instruction}" for s in options)
    schema = _object_schema({"choice": {"enum": [s.code for s in options]}})
    return Ask(prompt.fill(options=listed, text=text), prompt.ref, json_schema=schema, max_tokens=64)


def read_subtype(answer: Completion | Unscored, options: Sequence[Subtype]) -> Subtype | Unscored:
    """The chosen subtype: the one value of the object that is one of the options."""
    found = _json_object(answer)
    if isinstance(found, Unscored):
        return found
    codes = {s.code: s for s in options}
    chosen = [codes[v] for v in found.values() if isinstance(v, str) and v in codes]
    if len(chosen) != 1:
        return Unscored("unparseable", "expected one of the options", json.dumps(found))
    return chosen[0]


def rewrite_ask(text: str, subtype: Subtype) -> Ask:
    """Stage 3: the rewriting."""
    prompt, system = load_prompt("evian/inject@1"), load_prompt("evian/inject_system@1")
    body = prompt.fill(instruction=subtype.instruction, text=text)
    return Ask(body, prompt.ref, system=system.text, max_tokens=MAX_TOKENS)


def read_rewrite(text: str, subtype: Subtype, answer: Completion | Unscored) -> Defect | Unscored:
    """The defect. Unscored if cut off, empty, unchanged, or wrapped in a preamble."""
    if isinstance(answer, Unscored):
        return answer
    written = answer.text.strip()
    if len(written) > 1 and written[0] == written[-1] == '"' and not text.startswith('"'):
        written = written[1:-1].strip()
    if answer.finish_reason == "length":
        return Unscored("cut off", "the answer ended at its token limit", answer.text)
    if not written:
        return Unscored("unparseable", "the answer is empty", answer.text)
    if re.match(
        r"(?:sure|certainly|here(?: is|'s)|rewritten text|corrupted text)\b[^.\n]*:", written, re.IGNORECASE
    ):
        return Unscored("unparseable", "the answer has a preamble", answer.text)
    return make_defect(text, written, subtype.code)


def _object_schema(properties: Mapping[str, object]) -> str:
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return json.dumps(schema)


def _json_object(answer: Completion | Unscored) -> dict[str, object] | Unscored:
    if isinstance(answer, Unscored):
        return answer
    start, end = answer.text.find("{"), answer.text.rfind("}")
    try:
        value = json.loads(answer.text[start : end + 1]) if start >= 0 else None
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return Unscored("unparseable", "expected one JSON object", answer.text)
    return value
