"""A server that knows the demo's images: it answers Symbal's questions by what is drawn in them."""

import base64
import hashlib
import json
import re

from tests.protocol.faulty_server import FaultyServer, text_of

FACT = re.compile(r'Caption: (.+)|\[B\]: (.+)|caption of an image: "(.+)"')
TRUTH = re.compile(r"\[A\]: (.+)")


class SeeingServer(FaultyServer):
    """drawn: sha256 of an image file -> the objects in it. broken: word -> answers outside the format."""

    def __init__(self, drawn, broken="", **more):
        super().__init__(**more)
        self.drawn = drawn
        self.names = sorted({name for names in drawn.values() for name in names} | {"handbag"})
        self.broken = broken

    def answer(self, body):
        text = text_of(body["messages"][-1])
        if "choice" in body.get("structured_outputs", {}):
            return self.score(body, text)
        if self.broken and self.broken in text:
            return "I see nothing to list."
        if "Answer:" in text:
            seen = self.seen_in(body) or self.said_in(self.fact(text) or "")
            return "Answer: " + ", ".join(f"a {name}" for name in seen)
        if found := self.seen_in(body):
            return "A picture of " + " and ".join(f"a {name}" for name in found) + "."
        return None

    def score(self, body, text):
        """A label outside the format for broken facts; else None, and the usual soft answer is given."""
        return "maybe" if self.broken and self.broken in text else None

    def probability(self, body):
        """0.9 if all that the fact names is drawn (or stands in [A]), else 0.1."""
        text = text_of(body["messages"][-1])
        truth = TRUTH.search(text)
        there = self.said_in(truth[1]) if truth else self.seen_in(body)
        return 0.9 if set(self.said_in(self.fact(text))) <= set(there) else 0.1

    def fact(self, text):
        found = FACT.search(text)
        return next((g for g in found.groups() if g), "") if found else ""

    def said_in(self, text):
        return [name for name in self.names if re.search(rf"\b{name}s?\b", text.lower())]

    def seen_in(self, body):
        content = body["messages"][-1]["content"]
        urls = [p["image_url"]["url"] for p in content if isinstance(p, dict) and p["type"] == "image_url"]
        if not urls:
            return []
        return self.drawn.get(hashlib.sha256(base64.b64decode(urls[0].split(",")[1])).hexdigest(), [])


def drawn_in(demo):
    """sha256 of each image of the demo -> its objects."""
    rows = [json.loads(line) for line in demo.captions.read_text().splitlines()]
    return {hashlib.sha256((demo.images / r["image"]).read_bytes()).hexdigest(): r["objects"] for r in rows}
