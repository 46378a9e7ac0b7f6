"""Questions a second through the chat client, beside a bare asyncio client sending the same requests.

Both ask a real vLLM on the CPU (`make vllm`) with a tiny model, in turns, about the same images. The bare
client gets its requests ready made: no image is read, no answer checked or kept, nothing tried again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
from PIL import Image

from benchmarks.harness import Row, in_turns, main, versus
from core.domain.chat import Ask, Completion, ImageInput, PromptRef
from core.models.calls import CachedChat
from core.models.preset import ChatSettings
from core.models.server.capabilities import FULL
from core.models.server.chat import ServerChat
from core.models.server.images import data_url
from core.models.server.messages import body_of
from core.runs.calls import CallStore
from tests.protocol.vllm_server import MODEL, VllmServer, why_not

PROMPT = PromptRef("benchmark/fact@1", "0" * 64)
CONCURRENCY = 64
FACTS_AN_IMAGE = 8


def open_rgb(path: Path) -> Image.Image:
    return Image.open(path).convert("RGB")


def pictures(folder: Path, n: int) -> list[ImageInput]:
    rng = np.random.default_rng(0)
    made = []
    for i in range(n):
        path = folder / f"{i}.jpg"
        small = Image.fromarray(rng.integers(0, 256, (12, 12, 3), np.uint8))
        small.resize((336, 336), Image.Resampling.BICUBIC).save(path, quality=90)
        made.append(ImageInput(path, hashlib.sha256(path.read_bytes()).hexdigest()))
    return made


def questions(images: list[ImageInput], turn: str) -> list[Ask]:
    """The facts of every image; no turn repeats a text, so that none profits from another's."""
    return [
        Ask(
            f"{turn} fact {k}: a dog runs over the grass. 1 or 0?",
            PROMPT,
            images=(image,),
            choices=("0", "1"),
        )
        for image in images
        for k in range(FACTS_AN_IMAGE)
    ]


async def bare(url: str, bodies: list[dict[str, Any]]) -> None:
    gate = asyncio.Semaphore(CONCURRENCY)
    limits = httpx2.Limits(max_connections=CONCURRENCY)
    async with httpx2.AsyncClient(timeout=120, limits=limits) as client:

        async def one(body: dict[str, Any]) -> None:
            async with gate:
                answer = await client.post(f"{url}/chat/completions", json=body)
                answer.raise_for_status()
                json.loads(answer.content)

        await asyncio.gather(*(one(body) for body in bodies))


def run(quick: bool) -> Iterator[Row]:
    if reason := why_not():
        print(f"client_throughput: {reason}", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = VllmServer(folder).start()
        try:
            yield measure(server.url, folder, 12 if quick else 40, 3 if quick else 7)
        finally:
            server.stop()


def measure(url: str, folder: Path, n_images: int, rounds: int) -> Row:
    images = pictures(folder, n_images)
    settings = ChatSettings("bench", MODEL, (url,), max_concurrency=CONCURRENCY)
    server = ServerChat(settings, open_image=open_rgb)
    chat = CachedChat("scorer_chat", server, CallStore(folder / "calls"), settings.image_max_side)
    urls = {image.sha256: data_url(image, open_rgb, settings.image_max_side) for image in images}
    turn = [0]

    def ready(ask: Ask) -> dict[str, Any]:
        return body_of(ask, [urls[ask.images[0].sha256]], MODEL, FULL, top_logprobs=5, samples=8)

    bodies = [[ready(ask) for ask in questions(images, f"bare {i}")] for i in range(rounds + 1)]

    def ours() -> None:
        answers = chat.complete(questions(images, f"ours {turn[0]}"))
        assert all(isinstance(answer, Completion) for answer in answers)

    def theirs() -> None:
        asyncio.run(bare(url, bodies[turn[0]]))
        turn[0] += 1

    in_turns(ours, theirs, 1)
    mine, other = in_turns(ours, theirs, rounds)
    n = n_images * FACTS_AN_IMAGE
    return versus(f"{n} questions, {n / mine:.0f} a second", mine, other, 0.95, "bare asyncio client")


if __name__ == "__main__":
    main(run, "client_throughput")
