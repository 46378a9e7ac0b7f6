"""Step 3, fluent synthesis. Paper: Evian 3.2, A.3."""

from __future__ import annotations

from core.domain.chat import Ask, Completion
from core.domain.evian_tags import TAG, has_prefix, without_prefix
from core.domain.judgement import Unscored
from core.facts.evian_1_tag import answer_tokens
from core.facts.evian_2_distill import words
from core.prompts.load_prompt import load_prompt

PROMPT_ID = "evian/synthesize@1"
# Words a rearrangement may need: they add no content.
_FRAME = frozenset(
    """a an the this that these those it its they their he she his her there here is are was were be been
    being has have had and or but with without of in on at to from by for as into onto over under while where
    which who whose also both each one another other image picture photo scene visible shown seen shows show
    depicts features contains includes including sits stands lies located positioned placed""".split()
)
_STEM = 5


def ask_synthesis(cleaned: str, instruction: str) -> Ask:
    """The question for one cleaned response."""
    prompt = load_prompt(PROMPT_ID)
    text = prompt.fill(instruction=instruction or "Describe the image.", cleaned_response=cleaned)
    return Ask(text, prompt.ref, max_tokens=answer_tokens(cleaned))


def read_synthesis(cleaned: str, answer: Completion | Unscored) -> str | Unscored:
    """The visual summary.

    Unscored without its prefix, if empty, tagged, cut off, or with a number the input does not have.
    """
    if isinstance(answer, Unscored):
        return answer
    if answer.finish_reason == "length":
        return Unscored("cut off", "the answer ended at its token limit", answer.text)
    if not has_prefix(answer.text, "Visual Summary"):
        return Unscored("no prefix", "the answer does not begin with 'Visual Summary:'", answer.text)
    summary = without_prefix(answer.text, "Visual Summary").strip()
    if not summary:
        return Unscored("unparseable", "the answer is empty", answer.text)
    if TAG.search(summary):
        return Unscored("tags left", "the visual summary has tags", answer.text)
    known = {w for w in words(cleaned) if w.isdigit()}
    if new := [w for w in words(summary) if w.isdigit() and w not in known]:
        return Unscored("new content", f"numbers that were not there: {', '.join(new)}", answer.text)
    return summary


def new_words(cleaned: str, summary: str) -> tuple[str, ...]:
    """Content words of the summary that begin like no word of the cleaned response, in order.

    A hint for people, not a verdict: a fair rewording has some ("is on" becomes "sits").
    """
    known = {w[:_STEM] for w in words(cleaned)}
    found = [w for w in words(summary) if w not in _FRAME and w[:_STEM] not in known]
    return tuple(dict.fromkeys(found))
