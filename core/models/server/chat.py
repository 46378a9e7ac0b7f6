"""A chat model behind OpenAI-compatible servers: bounded concurrency, images in order, checked answers."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence

from core.domain.chat import Ask, Completion, ImageInput
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.errors import AuditError, ModelError
from core.models.preset import ChatSettings
from core.models.server.answers import read_answer
from core.models.server.capabilities import FULL, Capabilities
from core.models.server.images import ChangedImageError, ImageOpener, data_url, preprocessing
from core.models.server.link import NoAnswerError, RefusedError, ServerLink
from core.models.server.messages import body_of
from core.models.server.probe import probe

OnAnswer = Callable[[int, Completion | Unscored], None]
Check = Callable[[], None]
CHECK_EVERY_S = 0.1


class ServerChat:
    """Answers questions over the wire. Implements core.seams.ChatModel.

    open_image: how a file is opened (None: questions with images are refused as a mistake of the
    program). check: called ten times a second while asking; raises to stop.
    """

    def __init__(
        self,
        settings: ChatSettings,
        *,
        open_image: ImageOpener | None = None,
        secrets: Mapping[str, str] = os.environ,
        check: Check = lambda: None,
    ) -> None:
        self.settings = settings
        self.link = ServerLink(settings, secrets)
        self._open_image = open_image
        self._check = check
        self._able: Capabilities | None = None
        self._probing = threading.Lock()
        self._urls: dict[str, asyncio.Task[str]] = {}

    @property
    def identity(self) -> ModelIdentity:
        return chat_identity(self.settings)

    @property
    def capabilities(self) -> Capabilities:
        """What the server can do, found on first use.

        Raises: ServerDownError if it does not answer, ModelError if it does not serve the model.
        """
        with self._probing:
            if self._able is None:
                self._able = self.link.run(probe(self.link, self.settings))
        return self._able

    @property
    def degradation(self) -> tuple[str, ...]:
        """What is worse than with a full server, a sentence each."""
        return self.capabilities.degradation(self.settings.samples)

    def variant(self, ask: Ask) -> str:
        """How this server weighs the answer: part of the answer's key. See Capabilities.choice_mode."""
        return self.capabilities.choice_mode(self.settings.samples) if ask.choices else ""

    def best_variant(self, ask: Ask) -> str:
        """The variant of a server that can do everything; known without asking one."""
        return FULL.choice_mode(self.settings.samples) if ask.choices else ""

    def complete(self, asks: Sequence[Ask]) -> list[Completion | Unscored]:
        """One answer a question, in the order given. Raises: ServerDownError, ModelError."""
        answers: dict[int, Completion | Unscored] = {}
        self.answer_each(asks, answers.__setitem__)
        return [answers[i] for i in range(len(asks))]

    def answer_each(self, asks: Sequence[Ask], on_answer: OnAnswer) -> None:
        """Ask all; on_answer(index, answer) is called as answers come, one call at a time."""
        if asks:
            able = self.capabilities
            self.link.run(self._ask_all(asks, able, on_answer))

    async def _ask_all(self, asks: Sequence[Ask], able: Capabilities, on_answer: OnAnswer) -> None:
        waiting = iter(by_image(asks))
        workers = min(self.settings.max_concurrency, len(asks))
        running = [asyncio.create_task(self._worker(waiting, asks, able, on_answer)) for _ in range(workers)]
        try:
            pending = set(running)
            while pending:
                done, pending = await asyncio.wait(
                    pending, timeout=CHECK_EVERY_S, return_when=asyncio.FIRST_EXCEPTION
                )
                for task in done:
                    task.result()
                self._check()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            self._urls.clear()

    async def _worker(
        self, waiting: Iterator[int], asks: Sequence[Ask], able: Capabilities, on_answer: OnAnswer
    ) -> None:
        for index in waiting:
            on_answer(index, await self._answer(asks[index], able))

    async def _answer(self, ask: Ask, able: Capabilities) -> Completion | Unscored:
        if ask.images and not able.images:
            return Unscored("no image support", f"{self.settings.model} does not take images here")
        try:
            images = [await self._url(image) for image in ask.images]
        except ChangedImageError as error:
            return Unscored("image changed", str(error))
        except AuditError as error:
            return Unscored("no image", error.sentence())
        settings = self.settings
        body = body_of(
            ask,
            images,
            settings.model,
            able,
            top_logprobs=settings.top_logprobs,
            samples=settings.samples,
        )
        try:
            answer = await self.link.post("/chat/completions", body, pin_of(ask))
        except RefusedError as error:
            return Unscored("refused by the server", error.detail)
        except NoAnswerError as error:
            return Unscored("no answer", error.detail)
        return self._read(ask, answer, able)

    def _read(self, ask: Ask, answer: object, able: Capabilities) -> Completion | Unscored:
        read = read_answer(ask, answer, able.choice_mode(self.settings.samples))
        if isinstance(read, Unscored):
            return Unscored(read.reason, self.link.hidden(read.detail), self.link.hidden(read.raw))
        return read

    async def _url(self, image: ImageInput) -> str:
        """The image's data URL; made once for the questions that follow each other about it."""
        if self._open_image is None:
            raise ModelError("this model was opened without a way to read images")
        task = self._urls.get(image.sha256)
        if task is None:
            while len(self._urls) >= 2 * self.settings.max_concurrency:
                self._urls.pop(next(iter(self._urls)))
            work = asyncio.to_thread(data_url, image, self._open_image, self.settings.image_max_side)
            task = self._urls[image.sha256] = asyncio.create_task(work)
        return await asyncio.shield(task)


def chat_identity(settings: ChatSettings) -> ModelIdentity:
    """The model and all that is done to its input; neither address nor concurrency."""
    revision = settings.revision or "revision not given"
    return ModelIdentity(settings.model, f"{revision}; {preprocessing(settings.image_max_side)}", "server")


def pin_of(ask: Ask) -> str:
    """What decides the server a question goes to: its first image, else its text."""
    return ask.images[0].sha256 if ask.images else f"{ask.prompt.sha256}\0{ask.text}"


def by_image(asks: Sequence[Ask]) -> list[int]:
    """Indices in the order of asking: questions about one image follow each other."""
    return sorted(range(len(asks)), key=lambda i: (asks[i].images[0].sha256 if asks[i].images else "", i))
