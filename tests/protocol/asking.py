"""Questions, settings and images of the protocol tests."""

import hashlib
import json

from PIL import Image

from core.domain.chat import Ask, ImageInput, PromptRef
from core.models.preset import ChatSettings
from core.models.server.chat import ServerChat

PROMPT = PromptRef("tests/score@1", "0" * 64)
SCORE_SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"score": {"type": "integer"}},
        "required": ["score"],
        "additionalProperties": False,
    }
)


def choice(text, images=(), labels=("0", "1"), **more):
    return Ask(text, PROMPT, images=tuple(images), choices=labels, **more)


def free(text, **more):
    return Ask(text, PROMPT, **more)


def settings(*urls, model="faulty", **more):
    fields = {"timeout_s": 1.0, "max_attempts": 3, "backoff_s": 0.01, **more}
    return ChatSettings(name="test", model=model, base_urls=tuple(urls), **fields)


def opener(path):
    return Image.open(path).convert("RGB")


def chat(*urls, secrets=None, check=lambda: None, **more):
    return ServerChat(settings(*urls, **more), open_image=opener, secrets=secrets or {}, check=check)


def image(folder, name, colour=(200, 30, 30), size=(64, 48)):
    path = folder / f"{name}.png"
    Image.new("RGB", size, colour).save(path)
    return ImageInput(path, hashlib.sha256(path.read_bytes()).hexdigest())
