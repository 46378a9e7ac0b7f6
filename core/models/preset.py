"""Presets: a named choice of models, read from TOML and checked before any work."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from core.errors import ConfigError, ModelError
from core.models.local_settings import LocalSettings
from core.models.preset_checks import check_preset

ENGINES = ("server", "vllm-offline", "paligemma")
PRESET_DIR = Path(__file__).parent / "presets"
NO_TABLES: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """A model behind OpenAI-compatible servers. `name` is the name of its table in the preset.

    base_urls: where it is served, each ending in /v1; an image always goes to the same one.
    revision: commit or date of the weights; a server does not tell it, and it is part of every key.
    api_key_env: environment variable (or Streamlit secret) that holds the key; "" = no key.
    image_max_side: longer side in pixels that images are scaled down to; part of every key.
    timeout_s: longest wait for one answer. max_attempts, backoff_s: retries, first wait (it doubles).
    serve_args: what `vllm serve MODEL` needs besides; printed by `models check`.
    """

    name: str
    model: str
    base_urls: tuple[str, ...] = ()
    revision: str = ""
    api_key_env: str = ""
    max_concurrency: int = 64
    image_max_side: int = 1024
    timeout_s: float = 120.0
    max_attempts: int = 6
    backoff_s: float = 0.5
    serve_args: str = ""


@dataclass(frozen=True, slots=True)
class ChatSettings(ServerSettings):
    """A chat model: table `[chat.NAME]`.

    engine: "server"; "vllm-offline" for vLLM's LLM class, or "paligemma" for a critic by transformers, in
        this process (no base_urls).
    top_logprobs: alternatives asked for with a choice. samples: answers drawn where a server gives no
        log-probabilities; 1 = one hard label.
    """

    engine: Literal["server", "vllm-offline", "paligemma"] = "server"
    top_logprobs: int = 5
    samples: int = 8


@dataclass(frozen=True, slots=True)
class EmbedSettings(ServerSettings):
    """An embedding model: tables `[embed.text]` and `[embed.image]`; equal models share a space.

    batch_size: texts in one request. text_padding: "max_length" for SigLIP, whose text vectors are
    wrong without. input_pixels: shorter side of the images the model reads.
    """

    batch_size: int = 64
    text_padding: str = ""
    input_pixels: int = 224


@dataclass(frozen=True, slots=True)
class Preset:
    """A named choice of models. Every field but `name` is a field of the TOML file.

    scorer: "embedding", "text-only" or "vision-language" (Symbal 4.1); "" = what the data calls for:
        object lists, else references, else the embedding scorer. summarizer: "contrast" counts concepts;
        "text-only" and "vision-language" ask summarizer_chat for features.
    *_chat: name of the `[chat.NAME]` table that fills the role; "" = the preset has none for it.
    An embedder is a registered name, "server", or the name of a `[local.NAME]` table.
    """

    name: str
    description: str
    text_embedder: str
    image_embedder: str
    joint_image_embedder: str
    concept_extractor: str
    detector: str = ""
    scorer: str = ""
    summarizer: str = "contrast"
    scorer_chat: str = ""
    captioner_chat: str = ""
    judge_chat: str = ""
    summarizer_chat: str = ""
    decomposer_chat: str = ""
    auditor_chat: str = ""
    critic_chat: str = ""
    reviser_chat: str = ""
    chat: Mapping[str, ChatSettings] = field(default_factory=lambda: NO_TABLES)
    embed: Mapping[str, EmbedSettings] = field(default_factory=lambda: NO_TABLES)
    local: Mapping[str, LocalSettings] = field(default_factory=lambda: NO_TABLES)


CHAT_ROLES = tuple(f.name for f in fields(Preset) if f.name.endswith("_chat"))


def preset_names() -> list[str]:
    """Names of the presets that ship with Faultline."""
    return sorted(path.stem for path in PRESET_DIR.glob("*.toml"))


def read_preset(name: str) -> Preset:
    """A shipped preset by name, or a user's TOML file by path; its models are not looked up yet.

    Raises: ConfigError for an unknown name, an unreadable file, an unknown, missing or impossible field.
    """
    path = Path(name) if name.endswith(".toml") else PRESET_DIR / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(preset_names())
        raise ConfigError("unknown preset", value=name, remedy=f"choose one of {known}, or a TOML file")
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"the preset is not valid TOML: {error}", where=path.name) from error
    tables: dict[str, Any] = {
        "chat": _tables(path, values.pop("chat", {}), "chat", ChatSettings),
        "embed": _tables(path, values.pop("embed", {}), "embed", EmbedSettings),
        "local": _tables(path, values.pop("local", {}), "local", LocalSettings),
    }
    preset = Preset(name=path.stem, **_texts(path, values), **tables)
    for role in CHAT_ROLES:
        if (chosen := getattr(preset, role)) and chosen not in preset.chat:
            raise ConfigError(
                f"'{role}' names a chat model without a table",
                where=path.name,
                value=chosen,
                remedy=f"add a table [chat.{chosen}], or choose one of {sorted(preset.chat)}",
            )
    check_preset(path.name, preset)
    return preset


def read_key(settings: ServerSettings, secrets: Mapping[str, str]) -> str:
    """The API key, "" if none is needed. Raises: ModelError if it is not set."""
    name = settings.api_key_env
    if name and not secrets.get(name):
        raise ModelError(
            f"the API key of {settings.model} is not set",
            where=f"table {settings.name!r} of the preset",
            remedy=f"set the environment variable {name}",
        )
    return secrets[name] if name else ""


def _texts(path: Path, values: Mapping[str, object]) -> dict[str, Any]:
    """The fields outside tables, all of them text."""
    named = {f.name: f for f in fields(Preset) if f.name not in {"name", "chat", "embed", "local"}}
    required = {name for name, f in named.items() if f.default is MISSING}
    unknown, missing = sorted(set(values) - set(named)), sorted(required - set(values))
    if unknown:
        raise _unknown(path.name, unknown[0], sorted(named))
    if missing:
        raise ConfigError("a field is missing in the preset", where=path.name, value=missing[0])
    wrong = [key for key, value in values.items() if not isinstance(value, str)]
    if wrong:
        raise ConfigError("a field of the preset is not text", where=path.name, value=values[wrong[0]])
    return dict(values)


def _unknown(where: str, name: str, known: list[str]) -> ConfigError:
    if name == "api_key":
        return ConfigError(
            "an API key has no place in a preset",
            where=where,
            remedy="put it in an environment variable and name that variable in api_key_env",
        )
    return ConfigError(
        "unknown field in the preset", where=where, value=name, remedy=f"the fields are {', '.join(known)}"
    )


Table = TypeVar("Table", bound=ServerSettings | LocalSettings)


def _tables(path: Path, values: object, kind: str, make: type[Table]) -> dict[str, Table]:
    if not isinstance(values, dict):
        raise ConfigError(f"'{kind}' is not a table", where=path.name, value=values)
    return {name: _table(f"{path.name} [{kind}.{name}]", name, table, make) for name, table in values.items()}


def _table(where: str, name: str, values: object, make: type[Table]) -> Table:
    """One server's settings, each of the type of its default."""
    if not isinstance(values, dict):
        raise ConfigError("this is not a table", where=where, value=values)
    known = {f.name: f for f in fields(make) if f.name != "name"}
    if unknown := sorted(set(values) - set(known)):
        raise _unknown(where, unknown[0], sorted(known))
    if not isinstance(values.get("model"), str) or not values["model"]:
        raise ConfigError("the model is missing", where=where, remedy="give its name as the server lists it")
    given: dict[str, Any] = {"name": name}
    for key, value in values.items():
        default = "" if key == "model" else known[key].default
        given[key] = _typed(f"{where} {key}", value, default)
    settings = make(**given)
    if isinstance(settings, ServerSettings):
        _check(where, settings)
    return settings


def _typed(where: str, value: object, default: object) -> object:
    if isinstance(default, tuple):
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise ConfigError("this is not a list of texts", where=where, value=value)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(default):
        kind = {"str": "text", "int": "a whole number", "float": "a number"}[type(default).__name__]
        raise ConfigError(f"this is not {kind}", where=where, value=value)
    if isinstance(value, (int, float)) and value <= 0:
        raise ConfigError("this has to be above 0", where=where, value=value)
    return value


def _check(where: str, settings: ServerSettings) -> None:
    engine = settings.engine if isinstance(settings, ChatSettings) else "server"
    if engine not in ENGINES:
        raise ConfigError(
            "unknown engine", where=where, value=engine, remedy=f"choose of {', '.join(ENGINES)}"
        )
    if engine == "server" and not settings.base_urls:
        raise ConfigError("base_urls is missing", where=where, remedy='e.g. ["http://localhost:8000/v1"]')
    if engine != "server" and settings.base_urls:
        raise ConfigError(
            "a model in this process has no base_urls", where=where, value=settings.base_urls[0]
        )
    for url in settings.base_urls:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigError("this is not the address of a server", where=where, value=url)
        if parts.username or parts.password or parts.query:
            raise ConfigError(
                "an address with a password or key in it would end in logs",
                where=where,
                value=parts.hostname,
                remedy="name an environment variable in api_key_env",
            )
    if isinstance(settings, ChatSettings) and settings.top_logprobs > 20:
        raise ConfigError(
            "servers give at most 20", where=f"{where} top_logprobs", value=settings.top_logprobs
        )
