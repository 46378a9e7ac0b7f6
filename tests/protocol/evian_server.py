"""A server that answers Evian's questions as the paper's models would, and wrongly where the caption says so.

The words of a caption decide: "WRONGTAGS", "REWORDED", "NOPREFIX", "SIX", "PROSE" and "TWOSCORES" each make
one question go wrong; `fault=NAME` makes the server itself fail (see faulty_server).
"""

from __future__ import annotations

import re
import time

from tests.protocol.faulty_server import MODEL, FaultyServer, text_of

INFERENCE = re.compile(r"It may [^.]*")
KINDS = (
    ("Marked Response:", "tag", "Response: "),
    ("Cleaned Response:", "distill", "Annotated Response: "),
    ("Visual Summary:", "synthesize", "Cleaned Response: "),
)


def kind_of(question):
    """(kind of the question, the text it is about)."""
    for prefix, kind, before in KINDS:
        if f'with "{prefix}"' in question:
            return kind, question.rsplit(f"\n{before}", 1)[1]
    axis = "know" if question.startswith("You check facts") else "see"
    axis = "infer" if "<INFER>" in question.rsplit("\nText: ", 1)[0] else axis
    return axis, question.rsplit("\nText: ", 1)[1]


def good_answer(question):
    kind, text = kind_of(question)
    if kind == "tag":
        marked = INFERENCE.sub(lambda m: f"<INFER>{m.group()}</INFER>", text)
        if "WRONGTAGS" in text:
            marked = marked.replace("</INFER>", "</KNOW>")
        if "REWORDED" in text:
            marked = marked.replace("A ", "One ")
        return f"Marked Response: {marked}"
    if kind == "distill":
        cleaned = re.sub(r"\s*<INFER>.*?</INFER>\.?", "", text)
        return f"Cleaned Response: {cleaned}"
    if kind == "synthesize":
        return f"Sure, here it is. {text}" if "NOPREFIX" in text else f"Visual Summary: {text}"
    if "SIX" in text:
        return "Score: 6\nExplanation: outstanding"
    if "TWOSCORES" in text:
        return "Score: 2\nExplanation: or rather\nScore: 4"
    if "PROSE" in text:
        return "It is a fair description, I would say."
    return f"Score: {4 if kind == 'see' else 3}\nExplanation: {kind}"


class EvianServer(FaultyServer):
    """delay_s: how long every answer takes."""

    delay_s = 0.0

    def body(self, body):
        question = text_of(body["messages"][-1])
        if question in {"Say hello.", "Which colour?"} or body.get("structured_outputs"):
            return super().body(body)
        time.sleep(self.delay_s)
        message = {"role": "assistant", "content": good_answer(question)}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        return {"choices": choices, "usage": {"prompt_tokens": 7, "completion_tokens": 9}, "model": MODEL}


PRESET = """description = "test"
text_embedder = "minilm"
image_embedder = "efficientnet-lite0"
joint_image_embedder = "conse"
concept_extractor = "spacy"
decomposer_chat = "vl"
auditor_chat = "vl"
[chat.vl]
model = "faulty"
base_urls = ["{url}"]
timeout_s = 2.0
max_attempts = 3
backoff_s = 0.01
max_concurrency = 4
"""
