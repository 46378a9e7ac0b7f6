"""HTTP routes of the maps: typed arrays, pictures, and the texts of a few points by id."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.errors import AuditError, DataError
from core.views.map_colours import colour_codes
from core.views.map_data import MapData, map_data, map_kind, texts_at
from core.views.map_density import density_png
from core.views.map_selection import Filter, filter_mask
from core.views.map_view import MAX_IDS, colour_version, mask_bytes, places_bytes
from core.views.numbers import decimal
from core.views.open_run import OpenRun, open_run
from pages.parts.workspace import open_workspace

FOREVER = "private, max-age=31536000, immutable"
NOSNIFF = {"X-Content-Type-Options": "nosniff"}
BYTES = "application/octet-stream"
MAX_DIGITS = 12

_Answer = Callable[[Request, OpenRun, MapData], Response]


def _on_map(answer: _Answer) -> Callable[[Request], Response]:
    """Open run and map of the address; anything that is none of them is a sentence with 404."""

    def endpoint(request: Request) -> Response:
        try:
            run = open_run(open_workspace(), request.path_params["run_id"])
            return answer(request, run, map_data(run, map_kind(request.path_params["kind"])))
        except AuditError as e:
            return PlainTextResponse(e.sentence(), status_code=404, headers=NOSNIFF)

    return endpoint


def _kept(request: Request, version: str) -> dict[str, str]:
    """Kept for good under the version in the address, not at all under any other."""
    fresh = request.query_params.get("v") == version
    return {"Cache-Control": FOREVER if fresh else "no-store", **NOSNIFF}


def get_places(request: Request, _run: OpenRun, data: MapData) -> Response:
    """GET /map/RUN/KIND/xy: little-endian uint16 x, y of every point."""
    return Response(places_bytes(data), media_type=BYTES, headers=_kept(request, data.version))


def get_colours(request: Request, run: OpenRun, data: MapData) -> Response:
    """GET /map/RUN/KIND/colour/BY: one uint8 code a point."""
    codes, colouring = colour_codes(run, data, request.path_params["by"])
    version = colour_version(run, data, colouring.by)
    return Response(codes.tobytes(), media_type=BYTES, headers=_kept(request, version))


def get_density(request: Request, run: OpenRun, data: MapData) -> Response:
    """GET /map/RUN/KIND/density/BY[?dark=1&low=&high=&cluster=&q=]: a PNG of the whole map."""
    codes, colouring = colour_codes(run, data, request.path_params["by"])
    colours = colouring.dark if request.query_params.get("dark") == "1" else colouring.light
    shown = _filter(request)
    mask = slice(None) if shown.is_empty else filter_mask(run, data, shown)
    picture = density_png(data.places[mask], codes[mask], colours, scale=colouring.by == "alignment")
    version = colour_version(run, data, colouring.by)
    return Response(picture, media_type="image/png", headers=_kept(request, version))


def get_mask(request: Request, run: OpenRun, data: MapData) -> Response:
    """GET /map/RUN/KIND/mask[?low=&high=&cluster=&q=]: one bit a point."""
    mask = filter_mask(run, data, _filter(request))
    return Response(mask_bytes(mask), media_type=BYTES, headers=_kept(request, data.version))


def get_texts(request: Request, run: OpenRun, data: MapData) -> Response:
    """GET /map/RUN/KIND/texts?ids=1,2: {"1": {"text", "alignment"}} of at most MAX_IDS points."""
    asked = request.query_params.get("ids", "").split(",")
    if len(asked) > MAX_IDS or not all(map(_is_id, asked)):
        raise DataError(f"ids are 1 to {MAX_IDS} whole numbers", value=",".join(asked)[:60])
    ids = list(dict.fromkeys(int(i) for i in asked))
    texts = texts_at(run, data, ids)
    found = {str(i): {"text": t, "alignment": _alignment(data, i)} for i, t in zip(ids, texts, strict=True)}
    return JSONResponse(found, headers=_kept(request, data.version))


def get_plotly(_request: Request) -> Response:
    """GET /map-assets/plotly.js?v=DIGEST: plotly.js as the plotly package carries it."""
    path = plotly_js()
    if not path.is_file():
        return PlainTextResponse("The plotly package lacks plotly.min.js.", status_code=404)
    headers = {"Cache-Control": FOREVER, **NOSNIFF}
    return FileResponse(path, media_type="text/javascript", headers=headers)


@lru_cache(maxsize=1)
def plotly_js() -> Path:
    """plotly.min.js of the installed package, found without importing the package."""
    from importlib.util import find_spec

    spec = find_spec("plotly")
    origin = spec.origin if spec and spec.origin else ""
    return Path(origin).parent / "package_data" / "plotly.min.js"


@lru_cache(maxsize=1)
def plotly_address() -> str:
    """The address of plotly.js; another file has another address."""
    path = plotly_js()
    digest = sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else "none"
    return f"/map-assets/plotly.js?v={digest}"


def _filter(request: Request) -> Filter:
    asked = request.query_params
    cluster = asked.get("cluster")
    if cluster is not None and not _is_id(cluster):
        raise DataError("a cluster is a whole number", value=cluster)
    return Filter(
        _number(asked.get("low")),
        _number(asked.get("high")),
        None if cluster is None else int(cluster),
        asked.get("q", ""),
    )


def _number(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError("a bound of alignment is a number", value=text[:40])
    return value


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS


def _alignment(data: MapData, point: int) -> str:
    value = float(data.alignment[point])
    return "not judged" if math.isnan(value) else decimal(value)


MAP_ROUTES = [
    Route("/map-assets/plotly.js", get_plotly, methods=["GET"]),
    Route("/map/{run_id}/{kind}/xy", _on_map(get_places), methods=["GET"]),
    Route("/map/{run_id}/{kind}/colour/{by}", _on_map(get_colours), methods=["GET"]),
    Route("/map/{run_id}/{kind}/density/{by}", _on_map(get_density), methods=["GET"]),
    Route("/map/{run_id}/{kind}/mask", _on_map(get_mask), methods=["GET"]),
    Route("/map/{run_id}/{kind}/texts", _on_map(get_texts), methods=["GET"]),
]
