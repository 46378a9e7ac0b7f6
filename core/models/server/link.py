"""The way to the servers of one model: retries, rate limits, pinned images, and a clear stop."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, AsyncOpenAI
from openai import Timeout as ClientTimeout

from core.errors import ModelError, ServerDownError
from core.models.preset import ServerSettings, read_key

MAX_WAIT_S = 30.0
MAX_RETRY_AFTER_S = 300.0
FAILED_IN_A_ROW = 16
"""Requests given up one after the other, none answered between, that mean the server is down."""
REQUESTS_A_CLIENT = 8
RETRIED = frozenset({408, 409, 425, 429}) | frozenset(range(500, 600))

Result = TypeVar("Result")


class RefusedError(Exception):
    """The server refuses this request for good (too long, broken image): others may still work."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class NoAnswerError(Exception):
    """All attempts at this request failed; the server may still answer others. kind: of the last try."""

    def __init__(self, detail: str, kind: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.kind = kind


class _FailedTry(Exception):  # noqa: N818 (never leaves this file)
    def __init__(self, kind: str, detail: str, wait: float | None = None) -> None:
        self.kind, self.detail, self.wait = kind, detail, wait


class _Server:
    """One base URL and how it has been doing.

    Its requests are spread over several clients: a pool of connections looks through all of them at
    every request, and that costs more than the request from about 16 on.
    """

    def __init__(self, url: str, make_client: Callable[[str], AsyncOpenAI]) -> None:
        self.url = url
        self._make_client = make_client
        self._clients: list[tuple[AsyncOpenAI, list[int]]] = []
        self.label = urlsplit(url).netloc
        self.not_before = 0.0
        self.last_success = 0.0
        self.failed_in_a_row = 0
        self.down = ""

    @contextlib.contextmanager
    def client(self) -> Iterator[AsyncOpenAI]:
        """The first client with room for one more request."""
        place = next((c for c in self._clients if c[1][0] < REQUESTS_A_CLIENT), None)
        if place is None:
            place = (self._make_client(self.url), [0])
            self._clients.append(place)
        client, busy = place
        busy[0] += 1
        try:
            yield client
        finally:
            busy[0] -= 1


class ServerLink:
    """Sends requests to the servers of one model. Safe to use from any thread; one loop serves all."""

    def __init__(self, settings: ServerSettings, secrets: Mapping[str, str] = os.environ) -> None:
        self.settings = settings
        self.requests: Counter[str] = Counter()
        self._key = read_key(settings, secrets)
        self._servers: list[_Server] = []

    @property
    def servers(self) -> list[_Server]:
        """Made on first use: a client belongs to the loop it runs in."""
        if not self._servers:
            self._servers = [_Server(url, self._client) for url in self.settings.base_urls]
        return self._servers

    def _client(self, url: str) -> AsyncOpenAI:
        wait = ClientTimeout(self.settings.timeout_s, connect=min(10.0, self.settings.timeout_s))
        return AsyncOpenAI(base_url=url, api_key=self._key or "none", max_retries=0, timeout=wait)

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run `work` in the loop of all links and wait for it."""
        future = asyncio.run_coroutine_threadsafe(work, _loop())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def hidden(self, text: str) -> str:
        """`text` without the API key, should a server repeat it."""
        return text.replace(self._key, "[key]") if self._key else text

    async def get_all(self, path: str) -> list[tuple[str, Any]]:
        """(address, answer) of every server that answers. Raises: ServerDownError if none does."""
        answers = []
        last = ""
        for server in self.servers:
            try:
                answers.append((server.label, await self._persist(server, "GET", path, None)))
            except ServerDownError as error:
                last = error.what
            except NoAnswerError as error:
                last = server.down = f"{server.label}: {error.detail}"
        if not answers:
            raise self._all_down(last)
        return answers

    async def post(self, path: str, body: Mapping[str, object], pin: str) -> Any:
        """The JSON answer of the server that `pin` (an image's digest) belongs to, else of another.

        Raises: RefusedError, NoAnswerError for this request; ServerDownError when no server answers;
        ModelError for a wrong key or model name.
        """
        last = ""
        for server in self._preferred(pin):
            try:
                return await self._persist(server, "POST", path, body)
            except ServerDownError as error:
                last = error.what
        raise self._all_down(last)

    def _preferred(self, pin: str) -> list[_Server]:
        """Servers that are not known to be down, the pin's own first (rendezvous hashing)."""

        def weight(server: _Server) -> bytes:
            return hashlib.sha256(f"{server.url}\0{pin}".encode()).digest()

        return sorted((s for s in self.servers if not s.down), key=weight)

    def _all_down(self, detail: str) -> ServerDownError:
        reasons = "; ".join(dict.fromkeys(s.down for s in self.servers if s.down)) or detail
        for server in self.servers:  # the next audit in this process looks again
            server.down, server.failed_in_a_row = "", 0
        return ServerDownError(
            f"{self.settings.model} does not answer: {self.hidden(reasons)}",
            remedy="start the server (`python -m core models check` prints the command) and resume the run; "
            "answers given so far are kept",
        )

    async def _persist(self, server: _Server, method: str, path: str, body: object) -> Any:
        """Try until there is an answer, with growing waits; a server that never answers is down."""
        first_failed = 0.0
        seen: list[_FailedTry] = []
        for attempt in range(self.settings.max_attempts):
            if server.down:
                raise ServerDownError(server.down)
            await _sleep_until(server.not_before)
            try:
                answer = await self._try(server, method, path, body)
            except _FailedTry as failed:
                seen.append(failed)
                first_failed = first_failed or time.monotonic()
                self.requests[failed.kind] += 1
                if failed.wait is not None:
                    server.not_before = max(server.not_before, time.monotonic() + failed.wait)
                if attempt + 1 < self.settings.max_attempts:
                    await asyncio.sleep(self._backoff(attempt))
                continue
            server.last_success, server.failed_in_a_row = time.monotonic(), 0
            self.requests["answered"] += 1
            return answer
        raise self._given_up(server, first_failed, seen)

    def _given_up(self, server: _Server, first_failed: float, seen: list[_FailedTry]) -> Exception:
        """Only this request, or the server: it is down if nobody else was answered meanwhile."""
        last = seen[-1]
        detail = f"{last.detail} ({len(seen)} attempts)"
        server.failed_in_a_row += 1
        silent = server.last_success < first_failed
        gone = last.kind == "no connection" and silent
        if gone or last.kind == "rate limit" or (silent and server.failed_in_a_row >= FAILED_IN_A_ROW):
            server.down = f"{server.label}: {detail}"
            return ServerDownError(server.down)
        return NoAnswerError(detail, last.kind)

    def _backoff(self, attempt: int) -> float:
        return min(MAX_WAIT_S, self.settings.backoff_s * 2.0**attempt) * random.uniform(0.5, 1.0)

    async def _try(self, server: _Server, method: str, path: str, body: object) -> Any:
        self.requests["sent"] += 1
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                with server.client() as client:
                    if method == "GET":
                        raw = await client.get(path, cast_to=str)
                    else:
                        raw = await client.post(path, cast_to=str, body=body)
            return json.loads(raw)
        except (APITimeoutError, TimeoutError):
            raise _FailedTry("timeout", f"no answer in {self.settings.timeout_s:g} s") from None
        except APIConnectionError as error:
            cause = error.__cause__ or error
            kind = "no connection" if "Connect" in type(cause).__name__ else "cut off"
            text = "no connection" if kind == "no connection" else "the answer was cut off"
            raise _FailedTry(kind, f"{text} ({self.hidden(str(cause)) or type(cause).__name__})") from None
        except APIStatusError as error:
            raise self._status(server, error) from None
        except (ValueError, APIError) as error:
            raise _FailedTry("cut off", f"the answer is not JSON ({type(error).__name__})") from None

    def _status(self, server: _Server, error: APIStatusError) -> Exception:
        """What an HTTP status means for this request, or for the run."""
        detail = self.hidden(" ".join(f"HTTP {error.status_code}: {_message(error)}".split()))[:600]
        if error.status_code in RETRIED:
            kind = "rate limit" if error.status_code == 429 else "server error"
            return _FailedTry(kind, detail, _retry_after(error.response.headers))
        if error.status_code in (401, 403):
            return ModelError(
                f"{server.label} refuses the API key ({detail})",
                remedy=f"check the variable {self.settings.api_key_env or 'named in api_key_env'}",
            )
        if error.status_code == 404:
            return ModelError(
                f"{server.label} does not serve this ({detail})",
                value=self.settings.model,
                remedy="check the model's name and that base_urls end in /v1",
            )
        return RefusedError(error.status_code, detail)


def _message(error: APIStatusError) -> str:
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        found = inner.get("message") if isinstance(inner, Mapping) else inner
        return str(found or body)
    return str(body or error.message)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds a server asks to wait: a number, or a date."""
    text = headers.get("retry-after", "")
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError):
            return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S) if seconds == seconds else None


async def _sleep_until(moment: float) -> None:
    if (wait := moment - time.monotonic()) > 0:
        await asyncio.sleep(wait * random.uniform(1.0, 1.05))


_LOOPS: list[asyncio.AbstractEventLoop] = []
_LOOP_LOCK = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """The loop of all links, in a thread of its own."""
    with _LOOP_LOCK:
        if not _LOOPS:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="model servers", daemon=True).start()
            _LOOPS.append(loop)
        return _LOOPS[0]
