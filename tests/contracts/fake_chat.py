"""A chat model for tests: answers by rule, remembers what it was asked."""

from core.domain.chat import Completion
from core.domain.provenance import ModelIdentity


class FakeChat:
    """answer(ask) -> text, Completion or Unscored."""

    def __init__(self, answer, name="fake"):
        self.answer = answer
        self.asked = []
        self.identity = ModelIdentity(name, "1", "local")

    def complete(self, asks):
        self.asked += asks
        answers = [self.answer(ask) for ask in asks]
        return [Completion(a) if isinstance(a, str) else a for a in answers]
