"""Asking a server what it can do: a few tiny requests, judged by what comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from PIL import Image

from core.errors import ModelError, ServerDownError
from core.models.preset import ServerSettings
from core.models.server.answers import first_token_logprobs, label_probabilities, schema_problem
from core.models.server.capabilities import Capabilities
from core.models.server.images import jpeg_url
from core.models.server.link import NoAnswerError, RefusedError, ServerLink

LABELS = ("3", "8")
CHOICE_FIELDS = ("structured_outputs", "guided_choice")
"""vLLM's field today and until 0.11; the older one is ignored in silence by newer servers."""
SCHEMA = (
    '{"type": "object", "properties": {"word": {"enum": ["yes"]}}, "required": ["word"], '
    '"additionalProperties": false}'
)
SHOWN_MODELS = 5


async def probe(link: ServerLink, settings: ServerSettings) -> Capabilities:
    """What the servers can do. All that answer have to list the model; one is asked for the rest.

    Raises: ServerDownError if none answers, ModelError if one does not serve the model.
    """
    models, context = await served_models(link, settings)
    field = ""
    for name in CHOICE_FIELDS:
        value: object = {"choice": list(LABELS)} if name == "structured_outputs" else list(LABELS)
        answer = await _ask(link, settings, "Say hello.", max_tokens=1, **{name: value})
        if answer is not None and _said(answer) in LABELS:
            field = name
            break
    samples = False
    logprobs = await _gives_logprobs(link, settings, field)
    if not logprobs:
        drawn = await _ask(link, settings, "Say hello.", max_tokens=1, temperature=1.0, n=2)
        samples = drawn is not None and len(_choices(drawn)) == 2
    return Capabilities(
        models,
        context,
        field,
        logprobs,
        samples or logprobs,
        await _follows_schema(link, settings),
        await _takes_images(link, settings),
    )


async def served_models(link: ServerLink, settings: ServerSettings) -> tuple[tuple[str, ...], int]:
    """(names listed by the first server, its context length). Raises: ModelError as `probe`."""
    found: tuple[tuple[str, ...], int] | None = None
    answers = await link.get_all("/models")
    for label, answer in answers:
        data = answer.get("data") if isinstance(answer, Mapping) else None
        entries = [e for e in data if isinstance(e, Mapping)] if isinstance(data, list) else []
        names = tuple(str(entry.get("id", "")) for entry in entries)
        if settings.model not in names:
            shown = ", ".join(names[:SHOWN_MODELS]) or "none"
            raise ModelError(
                f"{label} does not serve the model",
                value=settings.model,
                remedy=f"it lists: {shown}{' and more' if len(names) > SHOWN_MODELS else ''}",
            )
        context = entries[names.index(settings.model)].get("max_model_len")
        found = found or (names, context if isinstance(context, int) else 0)
    assert found is not None, "a server has at least one address"
    return found


async def _gives_logprobs(link: ServerLink, settings: ServerSettings, field: str) -> bool:
    """True if every label's log-probability comes back (with labels held), or 20 at all (without)."""
    extra: dict[str, object] = {"logprobs": True, "top_logprobs": 5 if field else 20}
    if field == "structured_outputs":
        extra[field] = {"choice": list(LABELS)}
    elif field:
        extra[field] = list(LABELS)
    answer = await _ask(link, settings, "Say hello.", max_tokens=1, **extra)
    if answer is None or not (choices := _choices(answer)):
        return False
    listed = first_token_logprobs(choices[0])
    return bool(label_probabilities(choices[0], LABELS)) if field else len(listed) > 1


async def _follows_schema(link: ServerLink, settings: ServerSettings) -> bool:
    wanted = {"name": "answer", "schema": json.loads(SCHEMA), "strict": True}
    answer = await _ask(
        link,
        settings,
        "Say hello.",
        max_tokens=64,
        response_format={"type": "json_schema", "json_schema": wanted},
    )
    return answer is not None and not schema_problem(_said(answer), SCHEMA)


async def _takes_images(link: ServerLink, settings: ServerSettings) -> bool:
    url = jpeg_url(Image.new("RGB", (64, 64), (200, 30, 30)), 64)
    content = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "Which colour?"}]
    return await _ask(link, settings, content, max_tokens=1) is not None


async def _ask(link: ServerLink, settings: ServerSettings, content: object, **fields: object) -> Any:
    """The answer, None if the server refuses the request."""
    body: dict[str, object] = {
        "model": settings.model,
        "messages": [{"role": "user", "content": content}],
        "temperature": 0.0,
    }
    try:
        return await link.post("/chat/completions", {**body, **fields}, "")
    except RefusedError:
        return None
    except NoAnswerError as error:
        if error.kind == "server error":  # poor servers fall over a field they do not know
            return None
        raise ServerDownError(
            f"{settings.model} does not answer a first question: {error.detail}",
            remedy="look at the server's log, or raise timeout_s in the preset, and resume the run",
        ) from error


def _choices(answer: object) -> list[Mapping[str, Any]]:
    found = answer.get("choices") if isinstance(answer, Mapping) else None
    return [c for c in found if isinstance(c, Mapping)] if isinstance(found, list) else []


def _said(answer: object) -> str:
    choices = _choices(answer)
    message = choices[0].get("message") if choices else None
    content = message.get("content") if isinstance(message, Mapping) else None
    return content.strip() if isinstance(content, str) else ""
