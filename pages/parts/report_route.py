"""The preview of a report by URL, so that it is fetched once and not sent with every rerun."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from core.errors import AuditError
from core.report.build import build_report
from core.report.data import Options
from core.views.open_run import open_run
from pages.parts.workspace import open_workspace

KEPT = 200
_asked: OrderedDict[str, tuple[str, Options]] = OrderedDict()
_lock = threading.Lock()


def preview_address(run_id: str, options: Options, version: str) -> str:
    """The address of this report. version: changes when the verdicts do, so that no old one is shown."""
    token = hashlib.sha256(repr((run_id, options, version)).encode("utf-8", "replace")).hexdigest()[:32]
    with _lock:
        _asked[token] = (run_id, options)
        _asked.move_to_end(token)
        while len(_asked) > KEPT:
            _asked.popitem(last=False)
    return f"/report-preview/{token}"


def get_preview(request: Request) -> Response:
    """GET /report-preview/TOKEN: the report in a sandbox; 404 for what this server was not asked for."""
    with _lock:
        asked = _asked.get(request.path_params["token"])
    if asked is None:
        return PlainTextResponse(
            "This preview is no longer kept. Open the Report page again.", status_code=404
        )
    try:
        made = build_report(open_run(open_workspace(), asked[0]), asked[1])
    except AuditError as error:
        return PlainTextResponse(error.sentence(), status_code=404)
    headers = {
        "Content-Security-Policy": "sandbox; frame-ancestors 'self'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=300",
    }
    return Response(made.html, media_type="text/html; charset=utf-8", headers=headers)


REPORT_ROUTES = [Route("/report-preview/{token}", get_preview, methods=["GET"])]
