"""The command line: audit, runs, demo. Progress on stderr, results on stdout.

Exit codes: 0 done, 1 a fault of Faultline, 2 a mistake the user can mend, 3 cancelled.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.bench.cli import add_bench
from core.cli_evian import add_evian
from core.cli_export import add_export
from core.cli_models import models_parser, print_dry_run
from core.cli_plant import plant_parser
from core.cli_report import add_report
from core.domain.run import AuditConfig
from core.errors import AuditError, ConfigError
from core.findings.believe import holds_up
from core.runs.workspace import Workspace

if TYPE_CHECKING:
    from core.audit.run_audit import AuditResult

DEFAULT_WORKSPACE = "workspace"


def main(arguments: Sequence[str]) -> int:
    """Run a command; returns the exit code. No traceback for a user's mistake."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.command(options)
    except AuditError as error:
        print(f"error: {error.sentence()}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("cancelled", file=sys.stderr)
        return 3
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m core", description="Find systematic errors in machine-written image captions."
    )
    commands = parser.add_subparsers(
        required=True, metavar="{audit,runs,models,plant,bench,evian,report,export,demo}"
    )
    models_parser(commands.add_parser("models", help="what the models of a preset are and can do"))
    _audit_parser(commands.add_parser("audit", help="audit a captions file"))
    _runs_parser(commands.add_parser("runs", help="list, show, cancel or resume runs"))
    plant_parser(
        commands.add_parser("plant", help="plant known errors in a run's captions and look for them")
    )
    add_bench(commands.add_parser("bench", help="measure the method on rebuilt benchmarks"))
    add_evian(commands)
    add_report(commands)
    add_export(commands)
    demo = commands.add_parser(
        "demo", help="draw a small synthetic dataset with a planted error and audit it"
    )
    _common(demo)
    demo.add_argument("--seed", type=int, default=7, help="seed of the drawing and of the audit (default 7)")
    demo.set_defaults(command=_demo)
    return parser


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workspace", default=DEFAULT_WORKSPACE, help="folder of all results (./workspace)")
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")
    parser.add_argument("--run-file", help="write the run's id to this file as soon as it is known")


def _audit_parser(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("captions", help="JSONL (.gz), JSON, CSV, TSV or Parquet with a caption a row")
    parser.add_argument("--images", help="folder the image paths are relative to")
    parser.add_argument("--references", metavar="COL", help="column of reference captions")
    parser.add_argument("--objects", metavar="COL", help="column of the objects known to be in the image")
    for role in ("caption", "image", "id", "instruction", "captioner"):
        parser.add_argument(f"--{role}-column", metavar="COL", help=f"column of the {role}")
    parser.add_argument(
        "--vocabulary", metavar="FILE", help="closed object vocabulary, a term a line (default: all objects)"
    )
    parser.add_argument(
        "--on-bad-row", choices=("skip", "keep"), default="skip", help="rows with a bad image"
    )
    parser.add_argument(
        "--steps", default="symbal", help="systems to run, with commas: symbal, evian, vnli (default symbal)"
    )
    parser.add_argument(
        "--entailment-threshold", type=float, default=0.5, metavar="P",
        help="vnli: a sentence is factual from this probability on (default 0.5)",
    )  # fmt: skip
    parser.add_argument("--preset", default="embedded", help="models to use: a name or a TOML file")
    parser.add_argument("--dry-run", action="store_true", help="count the calls to chat models, ask nothing")
    parser.add_argument("--name", help="name of the dataset on screen")
    parser.add_argument("--top-k", type=int, default=10, help="how many findings (default 10)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the grouping (default 0)")
    parser.add_argument(
        "--visual-feature", choices=("contrast", "paper"), default="contrast", help="rule that names v"
    )
    _common(parser)
    parser.set_defaults(command=_audit)


def _runs_parser(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="{list,show,cancel,resume}")
    for name, command in (
        ("list", _runs_list),
        ("show", _runs_show),
        ("cancel", _runs_cancel),
        ("resume", _runs_resume),
    ):
        action = actions.add_parser(name)
        if name != "list":
            action.add_argument("run", help="name of the run")
        _common(action)
        action.set_defaults(command=command)
    _common(parser)
    parser.set_defaults(command=_runs_list)


def _config(options: argparse.Namespace) -> AuditConfig:
    return AuditConfig(
        captions=options.captions,
        images=options.images,
        name=options.name,
        caption_column=options.caption_column,
        image_column=options.image_column,
        id_column=options.id_column,
        references_column=options.references,
        objects_column=options.objects,
        instruction_column=options.instruction_column,
        captioner_column=options.captioner_column,
        vocabulary=_vocabulary(options.vocabulary),
        preset=options.preset,
        top_k=options.top_k,
        seed=options.seed,
        visual_feature_rule=options.visual_feature,
        on_bad_row=options.on_bad_row,
        steps=tuple(step.strip() for step in options.steps.split(",") if step.strip()),
        entailment_threshold=options.entailment_threshold,
    )


def _vocabulary(path: str | None) -> tuple[str, ...]:
    if path is None:
        return ()
    try:
        terms = tuple(line.strip() for line in Path(path).read_text("utf-8").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the vocabulary cannot be read: {error}", where=path) from error
    if not terms:
        raise ConfigError("the vocabulary has no terms", where=path, remedy="give a term a line")
    return terms


def _audit(options: argparse.Namespace) -> int:
    if options.dry_run:
        return print_dry_run(_config(options), options)
    return _run(_config(options), options)


def _run(config: AuditConfig, options: argparse.Namespace) -> int:
    from core.audit.run_audit import run_audit
    from core.progress import ProgressLine

    def tell(run_id: str) -> None:
        if options.run_file:
            Path(options.run_file).write_text(run_id)

    with ProgressLine() as line:
        result = run_audit(
            config,
            Workspace(Path(options.workspace)),
            on_event=line.show,
            on_run_id=tell,
            handle_signals=True,
        )
    _print_result(result, options)
    return 0


def _print_result(result: AuditResult, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(asdict(result)))
        return
    findings = json.loads(Path(result.findings_path).read_text("utf-8"))["findings"]
    print(f"{result.run_id}: {len(findings)} findings in {result.seconds:.1f} s")
    for f in findings:
        a = f["association"]
        ratio = f"{a['risk_ratio']:.1f}" if a["risk_ratio"] is not None else "-"
        v = f["visual_feature"]["text"] or "(no feature found)"
        print(
            f"{f['rank']:>3}. {f['textual_fact']['text']} <- {v}   risk ratio {ratio}   "
            f"wrong in {a['wrong_present']} of {a['wrong_present'] + a['right_present']} with it, "
            f"{a['wrong_absent']} of {a['wrong_absent'] + a['right_absent']} without   {_belief(a)}"
        )


def _belief(association: Mapping[str, Any]) -> str:
    """q, replication and where the presence of v was read, in words."""
    q, replicated = association["q"], association["replicated"]
    held = {True: "replicated", False: "not replicated", None: "too few images to replicate"}[replicated]
    said = f"q {q:.2g}, {held}, v from {association['presence_from']}" if q is not None else "not tested"
    return said if holds_up(q, replicated) else f"{said}: not yet to be believed"


def _runs_list(options: argparse.Namespace) -> int:
    from core.runs.manifest import list_runs

    runs = list_runs(Workspace(Path(options.workspace)))
    if options.json:
        print(json.dumps([asdict(run) for run in runs]))
        return 0
    if not runs:
        print("no runs yet")
    for run in runs:
        print(f"{run.run_id}  {run.state}  {run.n_samples} samples  {run.started}  {run.message}")
    return 0


def _runs_show(options: argparse.Namespace) -> int:
    from core.runs.manifest import read_manifest

    print(json.dumps(read_manifest(Workspace(Path(options.workspace)), options.run), indent=1))
    return 0


def _runs_cancel(options: argparse.Namespace) -> int:
    from core.runs.cancel import request_cancel
    from core.runs.manifest import read_manifest

    workspace = Workspace(Path(options.workspace))
    state = read_manifest(workspace, options.run)["state"]
    if state != "running":
        raise ConfigError("the run is not going on", where=options.run, value=state)
    request_cancel(workspace.run_dir(options.run))
    print("asked to stop; what is finished is kept")
    return 0


def _runs_resume(options: argparse.Namespace) -> int:
    from core.runs.config_file import read_config
    from core.runs.manifest import read_manifest

    workspace = Workspace(Path(options.workspace))
    read_manifest(workspace, options.run)
    return _run(read_config(workspace.run_dir(options.run) / "config.toml"), options)


def _demo(options: argparse.Namespace) -> int:
    from core.dataset.demo import write_demo

    workspace = Workspace(Path(options.workspace)).create()
    files = write_demo(workspace.root / "demo", seed=options.seed)
    print(
        f"The demo is synthetic: {files.n_images} drawn images, a scripted captioner and one planted error "
        f"({files.planted[0]} <- {files.planted[1]}).",
        file=sys.stderr,
    )
    config = AuditConfig(
        captions=str(files.captions),
        images=str(files.images),
        name="demo (synthetic)",
        objects_column="objects",
    )
    return _run(config, options)
