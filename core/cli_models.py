"""`models check` (what a preset's models can do, how to serve them) and `audit --dry-run`."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from core.domain.run import AuditConfig
from core.runs.workspace import Workspace

if TYPE_CHECKING:
    from core.models.check import CheckedModel


def models_parser(parser: argparse.ArgumentParser) -> None:
    """The options of `models`."""
    actions = parser.add_subparsers(required=True, metavar="{check}")
    check = actions.add_parser("check", help="ask the servers of a preset what they can do")
    check.add_argument("--preset", default="embedded", help="a name or a TOML file")
    check.add_argument("--json", action="store_true", help="print one JSON list on stdout")
    check.set_defaults(command=models_check)


def models_check(options: argparse.Namespace) -> int:
    """Print every model; exit code 2 if one cannot be used."""
    from core.dataset.images import open_image
    from core.models.check import check_models
    from core.models.registry import Models, load_preset

    checked = check_models(Models(load_preset(options.preset), open_image=open_image))
    if options.json:
        print(json.dumps([asdict(model) for model in checked]))
    else:
        for model in checked:
            print("\n".join(_lines(model)))
    return 2 if any(model.problem for model in checked) else 0


def _lines(model: CheckedModel) -> list[str]:
    lines = [f"{', '.join(model.roles) or '(no role)'}: {model.model}  {model.where}"]
    if model.problem:
        lines.append(f"  cannot be used: {model.problem}")
    if able := model.capabilities:
        yes = {
            "choice": able.choice_field,
            "log-probabilities": able.logprobs,
            "JSON schema": able.json_schema,
            "images": able.images,
        }
        lines.append("  " + ", ".join(f"{name}: {'yes' if there else 'no'}" for name, there in yes.items()))
        if able.context:
            lines.append(f"  context: {able.context} tokens")
    lines += [f"  less than it could be: {note}" for note in model.degradation]
    if model.serve:
        lines.append(f"  serve: {model.serve}")
    return lines


def print_dry_run(config: AuditConfig, options: argparse.Namespace) -> int:
    """Count the calls an audit would make and print them."""
    from core.audit.dry_run import dry_run
    from core.progress import ProgressLine

    with ProgressLine() as line:
        found = dry_run(config, Workspace(Path(options.workspace)), on_event=line.show)
    if options.json:
        print(json.dumps(asdict(found)))
        return 0
    print(f"{found.n_samples} samples, {found.setting}, {found.n_problems} problems")
    if not found.calls:
        print("no calls to chat models: everything runs in this process")
    for call in found.calls:
        bound = "" if call.exact else "at most "
        print(
            f"{call.role}: {bound}{call.calls:,} calls to {call.model} ({call.questions:,} questions), "
            f"about {call.prompt_tokens:,} tokens in, at most {call.completion_tokens:,} out"
        )
    return 0
