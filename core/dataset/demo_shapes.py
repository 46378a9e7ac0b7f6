"""The demo's objects as simple drawings. Each draws into a box (x, y, w, h) of an ImageDraw."""

from __future__ import annotations

from collections.abc import Callable

from PIL import ImageDraw

Box = tuple[float, float, float, float]
Draw = ImageDraw.ImageDraw
Colour = tuple[int, int, int]
Shape = Callable[[Draw, Box, Colour], None]
DARK: Colour = (45, 48, 56)
GLASS: Colour = (190, 220, 235)
WOOD: Colour = (150, 105, 65)


def _rect(d: Draw, b: Box, x: float, y: float, w: float, h: float, fill: Colour, radius: float = 0) -> None:
    """Rectangle in fractions of the box."""
    x0, y0 = b[0] + x * b[2], b[1] + y * b[3]
    d.rounded_rectangle((x0, y0, x0 + w * b[2], y0 + h * b[3]), radius * min(b[2], b[3]), fill=fill)


def _oval(d: Draw, b: Box, x: float, y: float, w: float, h: float, fill: Colour) -> None:
    x0, y0 = b[0] + x * b[2], b[1] + y * b[3]
    d.ellipse((x0, y0, x0 + w * b[2], y0 + h * b[3]), fill=fill)


def _poly(d: Draw, b: Box, points: list[tuple[float, float]], fill: Colour) -> None:
    d.polygon([(b[0] + x * b[2], b[1] + y * b[3]) for x, y in points], fill=fill)


def _line(d: Draw, b: Box, points: list[tuple[float, float]], fill: Colour, width: float) -> None:
    size = max(1, round(width * min(b[2], b[3])))
    d.line([(b[0] + x * b[2], b[1] + y * b[3]) for x, y in points], fill=fill, width=size, joint="curve")


def _shade(c: Colour, by: float) -> Colour:
    return (min(255, int(c[0] * by)), min(255, int(c[1] * by)), min(255, int(c[2] * by)))


def bus(d: Draw, b: Box, c: Colour) -> None:
    _rect(d, b, 0, 0.05, 1, 0.78, c, 0.12)
    _rect(d, b, 0, 0.55, 1, 0.08, _shade(c, 0.75))
    for i in range(5):
        _rect(d, b, 0.05 + i * 0.155, 0.17, 0.125, 0.28, GLASS, 0.03)
    _rect(d, b, 0.84, 0.17, 0.12, 0.6, _shade(GLASS, 0.85), 0.03)
    for x in (0.12, 0.68):
        _oval(d, b, x, 0.7, 0.17, 0.3, DARK)
        _oval(d, b, x + 0.055, 0.8, 0.06, 0.1, (180, 180, 185))


def car(d: Draw, b: Box, c: Colour) -> None:
    _poly(d, b, [(0.18, 0.45), (0.32, 0.12), (0.7, 0.12), (0.86, 0.45)], c)
    _poly(d, b, [(0.26, 0.43), (0.36, 0.2), (0.49, 0.2), (0.49, 0.43)], GLASS)
    _poly(d, b, [(0.53, 0.43), (0.53, 0.2), (0.67, 0.2), (0.78, 0.43)], GLASS)
    _rect(d, b, 0, 0.42, 1, 0.36, c, 0.15)
    for x in (0.12, 0.66):
        _oval(d, b, x, 0.58, 0.22, 0.42, DARK)
        _oval(d, b, x + 0.07, 0.71, 0.08, 0.15, (185, 185, 190))


def person(d: Draw, b: Box, c: Colour) -> None:
    _oval(d, b, 0.3, 0, 0.4, 0.2, (224, 178, 142))
    _rect(d, b, 0.2, 0.21, 0.6, 0.4, c, 0.2)
    _rect(d, b, 0.05, 0.24, 0.16, 0.34, _shade(c, 0.85), 0.1)
    _rect(d, b, 0.79, 0.24, 0.16, 0.34, _shade(c, 0.85), 0.1)
    _rect(d, b, 0.24, 0.58, 0.22, 0.42, DARK, 0.05)
    _rect(d, b, 0.54, 0.58, 0.22, 0.42, DARK, 0.05)


def traffic_light(d: Draw, b: Box, c: Colour) -> None:
    _rect(d, b, 0.44, 0.4, 0.12, 0.6, (90, 92, 98))
    _rect(d, b, 0.22, 0, 0.56, 0.46, DARK, 0.15)
    for y, colour in ((0.03, (220, 60, 50)), (0.17, (235, 190, 60)), (0.31, (80, 180, 90))):
        _oval(d, b, 0.34, y, 0.32, 0.12, colour)


def dog(d: Draw, b: Box, c: Colour) -> None:
    _oval(d, b, 0.12, 0.35, 0.62, 0.36, c)
    _oval(d, b, 0.62, 0.1, 0.32, 0.36, c)
    _poly(d, b, [(0.66, 0.16), (0.6, 0.42), (0.72, 0.34)], _shade(c, 0.7))
    _oval(d, b, 0.88, 0.25, 0.09, 0.1, DARK)
    for x in (0.18, 0.3, 0.54, 0.65):
        _rect(d, b, x, 0.58, 0.08, 0.4, _shade(c, 0.9))
    _line(d, b, [(0.15, 0.45), (0.02, 0.2)], c, 0.08)


def cat(d: Draw, b: Box, c: Colour) -> None:
    _oval(d, b, 0.1, 0.4, 0.6, 0.55, c)
    _oval(d, b, 0.52, 0.15, 0.4, 0.42, c)
    _poly(d, b, [(0.55, 0.26), (0.56, 0.02), (0.7, 0.18)], c)
    _poly(d, b, [(0.89, 0.26), (0.88, 0.02), (0.74, 0.18)], c)
    _oval(d, b, 0.62, 0.3, 0.06, 0.08, (60, 120, 70))
    _oval(d, b, 0.77, 0.3, 0.06, 0.08, (60, 120, 70))
    _line(d, b, [(0.14, 0.8), (0.0, 0.6), (0.06, 0.3)], _shade(c, 0.85), 0.09)


def bench(d: Draw, b: Box, c: Colour) -> None:
    for y in (0.1, 0.28, 0.5):
        _rect(d, b, 0, y, 1, 0.12, WOOD, 0.03)
    for x in (0.1, 0.82):
        _rect(d, b, x, 0.1, 0.08, 0.9, DARK)


def tree(d: Draw, b: Box, c: Colour) -> None:
    _rect(d, b, 0.43, 0.5, 0.14, 0.5, (110, 78, 50))
    for x, y in ((0.05, 0.22), (0.4, 0.18), (0.22, 0.0), (0.2, 0.3)):
        _oval(d, b, x, y, 0.56, 0.36, (70, 130, 75))


def kite(d: Draw, b: Box, c: Colour) -> None:
    _poly(d, b, [(0.5, 0), (0.95, 0.32), (0.5, 0.75), (0.05, 0.32)], c)
    _poly(d, b, [(0.5, 0), (0.95, 0.32), (0.5, 0.32)], _shade(c, 0.75))
    _line(d, b, [(0.5, 0.75), (0.6, 0.85), (0.42, 0.92), (0.55, 1)], DARK, 0.03)


def bicycle(d: Draw, b: Box, c: Colour) -> None:
    for x in (0.0, 0.6):
        box = (b[0] + x * b[2], b[1] + 0.4 * b[3], b[0] + (x + 0.4) * b[2], b[1] + b[3])
        d.ellipse(box, outline=DARK, width=max(2, round(b[2] * 0.03)))
    frame = [(0.2, 0.7), (0.36, 0.3), (0.7, 0.3), (0.48, 0.7), (0.2, 0.7), (0.48, 0.7), (0.36, 0.3)]
    _line(d, b, frame, c, 0.05)
    _line(d, b, [(0.8, 0.7), (0.68, 0.15), (0.8, 0.1)], c, 0.05)
    _rect(d, b, 0.28, 0.2, 0.16, 0.07, DARK, 0.02)


def umbrella(d: Draw, b: Box, c: Colour) -> None:
    _rect(d, b, 0.48, 0.2, 0.04, 0.8, (200, 200, 205))
    d.pieslice((b[0], b[1], b[0] + b[2], b[1] + 0.9 * b[3]), 180, 360, fill=c)
    for start in (205, 275):
        d.pieslice((b[0], b[1], b[0] + b[2], b[1] + 0.9 * b[3]), start, start + 28, fill=(245, 243, 236))


def boat(d: Draw, b: Box, c: Colour) -> None:
    _rect(d, b, 0.47, 0, 0.03, 0.72, DARK)
    _poly(d, b, [(0.53, 0.03), (0.92, 0.64), (0.53, 0.64)], (246, 244, 238))
    _poly(d, b, [(0.44, 0.12), (0.14, 0.64), (0.44, 0.64)], _shade(c, 1.2))
    _poly(d, b, [(0, 0.7), (1, 0.7), (0.82, 1), (0.16, 1)], c)


def sports_ball(d: Draw, b: Box, c: Colour) -> None:
    _oval(d, b, 0, 0, 1, 1, (246, 244, 238))
    d.pieslice((b[0], b[1], b[0] + b[2], b[1] + b[3]), 300, 30, fill=c)
    d.pieslice((b[0], b[1], b[0] + b[2], b[1] + b[3]), 120, 210, fill=c)


def refrigerator(d: Draw, b: Box, c: Colour) -> None:
    _rect(d, b, 0, 0, 1, 1, (205, 212, 218), 0.06)
    _rect(d, b, 0, 0.36, 1, 0.02, (130, 136, 144))
    _rect(d, b, 0.82, 0.12, 0.05, 0.18, (110, 115, 122))
    _rect(d, b, 0.82, 0.44, 0.05, 0.28, (110, 115, 122))


def oven(d: Draw, b: Box, c: Colour) -> None:
    _rect(d, b, 0, 0, 1, 1, (225, 225, 228), 0.04)
    _rect(d, b, 0.12, 0.34, 0.76, 0.48, DARK, 0.06)
    _rect(d, b, 0.2, 0.42, 0.6, 0.32, (225, 140, 60), 0.06)
    for i in range(4):
        _oval(d, b, 0.13 + i * 0.2, 0.08, 0.12, 0.13, (95, 98, 105))


def cup(d: Draw, b: Box, c: Colour) -> None:
    d.ellipse(
        (b[0] + 0.55 * b[2], b[1] + 0.2 * b[3], b[0] + b[2], b[1] + 0.7 * b[3]),
        outline=c,
        width=max(2, round(b[2] * 0.09)),
    )
    _rect(d, b, 0.05, 0.05, 0.68, 0.9, c, 0.16)
    _oval(d, b, 0.05, 0, 0.68, 0.18, _shade(c, 0.7))


def bowl(d: Draw, b: Box, c: Colour) -> None:
    d.pieslice((b[0], b[1] - 0.9 * b[3], b[0] + b[2], b[1] + b[3]), 0, 180, fill=c)
    for i, colour in enumerate(((220, 80, 60), (240, 170, 60), (120, 170, 80))):
        _oval(d, b, 0.18 + i * 0.22, -0.18, 0.24, 0.4, colour)


def bed(d: Draw, b: Box, c: Colour) -> None:
    _rect(d, b, 0, 0, 0.06, 1, WOOD, 0.1)
    _rect(d, b, 0.94, 0.35, 0.06, 0.65, WOOD, 0.1)
    _rect(d, b, 0.04, 0.45, 0.92, 0.4, (240, 238, 232), 0.06)
    _rect(d, b, 0.34, 0.42, 0.62, 0.42, c, 0.08)
    _rect(d, b, 0.08, 0.3, 0.22, 0.2, (252, 252, 250), 0.2)


def clock(d: Draw, b: Box, c: Colour) -> None:
    _oval(d, b, 0, 0, 1, 1, c)
    _oval(d, b, 0.1, 0.1, 0.8, 0.8, (250, 249, 244))
    _line(d, b, [(0.5, 0.5), (0.5, 0.2)], DARK, 0.06)
    _line(d, b, [(0.5, 0.5), (0.72, 0.58)], DARK, 0.06)


def book(d: Draw, b: Box, c: Colour) -> None:
    for i, by in enumerate((1.0, 0.75, 1.2)):
        _rect(d, b, 0.02 + 0.04 * i, 0.02 + i * 0.33, 0.9 - 0.05 * i, 0.3, _shade(c, by), 0.05)
        _rect(d, b, 0.86 - 0.02 * i, 0.06 + i * 0.33, 0.05, 0.22, (250, 248, 240))


def laptop(d: Draw, b: Box, c: Colour) -> None:
    _rect(d, b, 0.14, 0, 0.72, 0.66, DARK, 0.06)
    _rect(d, b, 0.18, 0.05, 0.64, 0.55, (120, 175, 215))
    _poly(d, b, [(0.1, 0.7), (0.9, 0.7), (1, 0.95), (0, 0.95)], (180, 184, 190))


def keyboard(d: Draw, b: Box, c: Colour) -> None:
    _rect(d, b, 0, 0, 1, 1, (70, 74, 82), 0.15)
    for row in range(3):
        for column in range(10):
            _rect(d, b, 0.035 + column * 0.095, 0.12 + row * 0.28, 0.075, 0.2, (225, 227, 230), 0.02)


def chair(d: Draw, b: Box, c: Colour) -> None:
    _rect(d, b, 0.12, 0, 0.1, 1, _shade(c, 0.8))
    _rect(d, b, 0.14, 0.06, 0.16, 0.4, c, 0.1)
    _rect(d, b, 0.12, 0.5, 0.72, 0.12, c, 0.05)
    _rect(d, b, 0.74, 0.55, 0.09, 0.45, _shade(c, 0.8))


def handbag(d: Draw, b: Box, c: Colour) -> None:
    x0, y0 = b[0] + 0.25 * b[2], b[1]
    d.arc(
        (x0, y0, x0 + 0.5 * b[2], y0 + 0.8 * b[3]),
        180,
        360,
        fill=_shade(c, 0.6),
        width=max(3, round(b[2] * 0.07)),
    )
    _poly(d, b, [(0.08, 0.36), (0.92, 0.36), (1, 1), (0, 1)], c)
    _rect(d, b, 0.08, 0.36, 0.84, 0.2, _shade(c, 0.8))
    _oval(d, b, 0.45, 0.48, 0.1, 0.12, (240, 215, 120))


SHAPES: dict[str, Shape] = {
    "bus": bus,
    "car": car,
    "person": person,
    "traffic light": traffic_light,
    "dog": dog,
    "cat": cat,
    "bench": bench,
    "tree": tree,
    "kite": kite,
    "bicycle": bicycle,
    "umbrella": umbrella,
    "boat": boat,
    "sports ball": sports_ball,
    "refrigerator": refrigerator,
    "oven": oven,
    "cup": cup,
    "bowl": bowl,
    "bed": bed,
    "clock": clock,
    "book": book,
    "laptop": laptop,
    "keyboard": keyboard,
    "chair": chair,
    "handbag": handbag,
}
