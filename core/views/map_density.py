"""The density layer of a large map: a picture of where points are many, coloured as the points are."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import numpy as np
import numpy.typing as npt
from PIL import Image

from core.views.map_colours import TOP, UNSCORED, Codes

MANY = 100_000
"""Above this many points a map opens with its density layer."""
PIXELS = 512
_SHIFT = 7
_QUIET = 0.05

Places = npt.NDArray[np.uint16]


def density_png(places: Places, codes: Codes, colours: Sequence[str], *, scale: bool) -> bytes:
    """A PIXELS x PIXELS picture of the whole map: opacity by the logarithm of the density.

    places: (n, 2). codes: (n,). colours: 256 by code. scale: codes are an alignment scale and a pixel shows
    the mean of its scored points; else it shows the mixed colours of its groups, the quiet ones (REST,
    UNSCORED) counting little.
    """
    column, row = (places >> _SHIFT).astype(np.int64).T
    cell = (PIXELS - 1 - row) * PIXELS + column
    counts = np.bincount(cell, minlength=PIXELS * PIXELS)
    table = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colours], np.float64)
    colour = _mean_code(cell, codes, table) if scale else _mixed(cell, codes, table)
    picture = np.zeros((PIXELS * PIXELS, 4), np.uint8)
    there = counts > 0
    picture[there, :3] = np.rint(colour[there]).astype(np.uint8)
    strength = np.log1p(counts[there]) / np.log1p(np.percentile(counts[there], 99.5) if there.any() else 1)
    picture[there, 3] = np.rint(90 + 165 * np.clip(strength, 0, 1)).astype(np.uint8)
    stream = BytesIO()
    image = Image.fromarray(picture.reshape(PIXELS, PIXELS, 4), "RGBA")
    image.save(stream, "PNG", compress_level=3)
    return stream.getvalue()


def _mean_code(
    cell: npt.NDArray[np.int64], codes: Codes, table: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    scored = codes <= TOP
    counts = np.bincount(cell[scored], minlength=PIXELS * PIXELS)
    sums = np.bincount(cell[scored], weights=codes[scored], minlength=PIXELS * PIXELS)
    mean = np.divide(sums, counts, out=np.full(len(counts), float(UNSCORED)), where=counts > 0)
    return np.asarray(table[np.rint(mean).astype(np.int64)])


def _mixed(
    cell: npt.NDArray[np.int64], codes: Codes, table: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    weight = np.where(codes >= TOP, _QUIET, 1.0)
    total = np.maximum(np.bincount(cell, weights=weight, minlength=PIXELS * PIXELS), 1e-12)
    channels = [
        np.bincount(cell, weights=weight * table[codes, i], minlength=PIXELS * PIXELS) for i in range(3)
    ]
    return np.stack(channels, axis=1) / total[:, None]
