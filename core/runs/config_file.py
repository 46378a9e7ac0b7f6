"""config.toml of a run: what the user chose, readable and enough to run it again."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, fields
from pathlib import Path

from core.domain.run import AuditConfig
from core.errors import RunError
from core.runs.files import replacing


def write_config(path: Path, config: AuditConfig) -> None:
    """Write the chosen values; what was left to the program (None) is left out."""
    lines = ["# What this audit was asked for. `python -m core runs resume` reads it."]
    for name, value in asdict(config).items():
        if value is not None:
            lines.append(f"{name} = {_toml(value)}")
    with replacing(path) as stream:
        stream.write(("\n".join(lines) + "\n").encode())


def read_config(path: Path) -> AuditConfig:
    """Raises: RunError if the file is missing, damaged or holds fields this version does not know."""
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise RunError("the run has no config.toml", where=path.parent.name) from error
    except (OSError, ValueError) as error:
        raise RunError(f"config.toml cannot be read: {error}", where=path.parent.name) from error
    known = {f.name for f in fields(AuditConfig)}
    if unknown := sorted(set(values) - known):
        raise RunError("config.toml has a field this version does not know", value=unknown[0])
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return AuditConfig(**values)


def _toml(value: object) -> str:
    """A TOML value. A JSON string is a valid TOML basic string once DEL is escaped too."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    raise TypeError(f"{type(value).__name__} has no place in config.toml")
