"""What a server was found to do, and what that costs the audit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Found by probing, not by reading a version.

    models: names the server lists. context: longest prompt and answer in tokens, 0 = not told.
    choice_field: request field that holds an answer to given labels, "" = none is honoured.
    logprobs: log-probabilities of the labels are given. samples: several answers a request.
    json_schema: an answer follows a schema. images: an image is accepted.
    """

    models: tuple[str, ...] = ()
    context: int = 0
    choice_field: str = ""
    logprobs: bool = False
    samples: bool = False
    json_schema: bool = False
    images: bool = False

    def choice_mode(self, samples: int) -> str:
        """How labels are weighed: "logprobs", "samples-N" or "hard". Enters the key of an answer."""
        if self.logprobs:
            return "logprobs"
        return f"samples-{samples}" if self.samples and samples > 1 else "hard"

    def degradation(self, samples: int) -> tuple[str, ...]:
        """What is worse than with a full server, a sentence each; () = nothing."""
        mode = self.choice_mode(samples)
        notes = []
        if not self.choice_field:
            notes.append("Answers are not held to the labels: those outside them stay unscored.")
        if mode == "hard":
            notes.append("There are no log-probabilities: scores are hard labels, ties are common.")
        elif mode != "logprobs":
            notes.append(f"There are no log-probabilities: scores are shares of {samples} drawn answers.")
        if not self.json_schema:
            notes.append("JSON schemas are not honoured: more answers may stay unscored.")
        if not self.images:
            notes.append("Images are not accepted: only text questions work.")
        return tuple(notes)


FULL = Capabilities((), 0, "structured_outputs", True, True, True, True)
