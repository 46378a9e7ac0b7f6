"""From a run to the bytes of its report, within the size asked for."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import ConfigError
from core.report.data import Options
from core.report.gather import gather
from core.report.render import render
from core.report.thumbs import embed
from core.views.open_run import OpenRun


@dataclass(frozen=True, slots=True)
class Report:
    """html: the file. n_images: distinct thumbnails in it. left_out: those beyond the size."""

    html: bytes
    n_findings: int
    n_images: int
    left_out: int
    broken: int


def build_report(run: OpenRun, options: Options) -> Report:
    """The report of a finished run; same run, verdicts and options, same bytes.

    Raises RunError if the run is not finished, ConfigError for options that cannot be met.
    """
    data = gather(run, options)
    bare = len(render(data))
    room = int(options.max_mb * 1_000_000) - bare
    if room < 0:
        raise ConfigError(
            f"the text of the report alone takes {bare / 1e6:.1f} MB",
            value=f"{options.max_mb:g} MB",
            remedy="allow more with --max-mb, or choose fewer findings",
        )
    images = embed(run.workspace, run.run_id, data.findings, int(room * 0.98))
    html = render(data, images)
    return Report(html, len(data.findings), len(images.urls), images.left_out, len(images.problems))
