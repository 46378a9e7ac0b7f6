"""`python -m core plant RUN`: how much an audit can see on this very data."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ConfigError
from core.runs.workspace import Workspace

if TYPE_CHECKING:
    from core.bench.planted_results import Recall


def plant_parser(parser: argparse.ArgumentParser) -> None:
    """The options of `plant`."""
    parser.add_argument("run", help="name of a finished run")
    parser.add_argument("--n", type=int, default=20, help="errors at each strength (default 20)")
    parser.add_argument("--levels", default="0.3,0.6,0.9", help="strengths (Cramer's V), with commas")
    parser.add_argument("--seed", type=int, default=0, help="seed of the drawing (default 0)")
    parser.add_argument(
        "--sentences", metavar="FILE",
        help="sentences to plant, one a line, {t} or {a} for the name (default: fifty for photographs)",
    )  # fmt: skip
    parser.add_argument("--workspace", default="workspace", help="folder of all results (./workspace)")
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")
    parser.set_defaults(command=plant_command)


def plant_command(options: argparse.Namespace) -> int:
    """Plant errors, look for them, print the recall by strength."""
    from core.audit.reopen import reopen
    from core.bench.planted import plant
    from core.bench.planted_results import recall_by_level

    if options.n < 1:
        raise ConfigError("the number of errors must be at least 1", where="--n", value=options.n)
    levels = _levels(options.levels)
    sentences = _sentences(options.sentences)
    audit = reopen(Workspace(Path(options.workspace)), options.run)
    results = plant(audit, n=options.n, seed=options.seed, levels=levels, sentences=sentences, progress=_tell)
    print(file=sys.stderr)
    recall = recall_by_level(results)
    if options.json:
        shown = {"recall": [asdict(r) for r in recall], "planted": [asdict(r) for r in results]}
        print(json.dumps(shown, ensure_ascii=False))
        return 0
    print("\n".join(recall_lines(recall)))
    for r in results:
        if r.rank is None:
            instead = f"{r.said[0]} <- {r.said[1] or '(no feature found)'}" if r.said[0] else "no finding"
            named = f"t at rank {r.rank_t} with another feature" if r.rank_t else f"first was {instead}"
            print(f"not found: {r.t} <- {r.v} at V {r.level} ({r.n_carriers} captions); {named}")
    return 0


def recall_lines(recall: Sequence[Recall]) -> list[str]:
    """The table printed."""
    lines = [f"{'planted':<12}{'n':>4}{'first':>8}{'in five':>9}{'shown':>7}{'believed':>10}   95 % of shown"]
    for r in recall:
        span = f"{r.interval.low:.0%} to {r.interval.high:.0%}"
        name = f"V {r.level:g}"
        lines.append(f"{name:<12}{r.n:>4}{r.first:>8}{r.five:>9}{r.shown:>7}{r.believed:>10}   {span}")
    return lines


def _levels(text: str) -> tuple[float, ...]:
    try:
        levels = tuple(float(x) for x in text.split(","))
    except ValueError:
        levels = ()
    if not levels or not all(0 < x < 1 for x in levels):
        raise ConfigError("strengths are numbers between 0 and 1, with commas", where="--levels", value=text)
    return levels


def _sentences(path: str | None) -> tuple[str, ...]:
    if path is None:
        return ()
    try:
        lines = [line.strip() for line in Path(path).read_text("utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the sentences cannot be read: {error}", where=path) from error
    kept = tuple(line for line in lines if line and not line.startswith("#"))
    for line in kept:
        try:
            filled = line.format(t="\0", a="\0", A="\0")
        except (KeyError, IndexError, ValueError):
            filled = ""
        if "\0" not in filled:
            raise ConfigError(
                "a sentence has no place for the name", where=path, value=line,
                remedy="write {t}, or {a} for the name with its article",
            )  # fmt: skip
    if not kept:
        raise ConfigError("the file has no sentences", where=path, remedy="give a sentence a line")
    return kept


def _tell(done: int, total: int) -> None:
    print(f"\rplanted errors looked for: {done} of {total}   ", end="", file=sys.stderr, flush=True)
