"""The benchmark judged by a chat model, not by the table. Paper: SymbalBench 5, B (LLM-as-a-judge)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.bench.symbalbench.evaluate import Prediction
from core.domain.judgement import Scored
from core.scores.symbal_judge import judge_pairs
from core.seams import ChatModel

EQUAL_FROM = 0.5


@dataclass(slots=True)
class LlmJudge:
    """Answers kept by (phrase, term). unscored: pairs without a usable answer; they count as not equal."""

    chat: ChatModel
    known: dict[tuple[str, str], bool] = field(default_factory=dict)
    unscored: set[tuple[str, str]] = field(default_factory=set)

    def prepare(self, said: Prediction, t: str, v: str) -> None:
        """Ask all that judging a prediction can need in one go."""
        self._ask([*((x, t) for x in said.ts), *((x, v) for vs in said.vs for x in vs)])

    def __call__(self, phrase: str, term: str) -> bool:
        self._ask([(phrase, term)])
        return self.known[phrase, term]

    def _ask(self, pairs: Iterable[tuple[str, str]]) -> None:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.known]
        for pair, judged in zip(new, judge_pairs(self.chat, new) if new else [], strict=True):
            self.known[pair] = isinstance(judged, Scored) and judged.value >= EQUAL_FROM
            if not isinstance(judged, Scored):
                self.unscored.add(pair)
