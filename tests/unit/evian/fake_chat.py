"""A deterministic chat model for tests: answers by a function of the question."""

from core.domain.chat import Completion
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity


class FakeChat:
    """answer: Ask -> text, Completion or Unscored. asked: every question so far."""

    identity = ModelIdentity("fake", "1", "server")

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def complete(self, asks):
        self.asked += asks
        found = [self.answer(ask) for ask in asks]
        return [f if isinstance(f, Completion | Unscored) else Completion(f) for f in found]


def by_prompt(**answers):
    """Answers by the prompt's name, such as tag=..., distill=...; a callable gets the question."""

    def answer(ask):
        found = answers[ask.prompt.id.split("/")[1].split("@")[0]]
        return found(ask) if callable(found) else found

    return answer
