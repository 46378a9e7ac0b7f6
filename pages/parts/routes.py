"""HTTP routes beside the pages."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.errors import AuditError, DataError
from core.views.thumbnails import WIDTHS, thumbnail
from pages.parts.map_routes import MAP_ROUTES
from pages.parts.report_route import REPORT_ROUTES
from pages.parts.workspace import open_workspace

FOREVER = "private, max-age=31536000, immutable"


def get_thumbnail(request: Request) -> Response:
    """GET /thumb/RUN/SHA256[?w=1024]: a JPEG; 404 for anything that is no image of this run."""
    width = request.query_params.get("w", str(WIDTHS[0]))
    try:
        if not width.isascii() or not width.isdigit():
            raise DataError("a width is a number of pixels", value=width)
        path: Path = thumbnail(
            open_workspace(), request.path_params["run_id"], request.path_params["sha256"], int(width)
        )
    except AuditError as e:
        return PlainTextResponse(e.sentence(), status_code=404)
    return FileResponse(
        path,
        media_type="image/jpeg",
        headers={"Cache-Control": FOREVER, "X-Content-Type-Options": "nosniff"},
    )


ROUTES = [Route("/thumb/{run_id}/{sha256}", get_thumbnail, methods=["GET"]), *MAP_ROUTES, *REPORT_ROUTES]
