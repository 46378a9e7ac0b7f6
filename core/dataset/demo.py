"""The demo: drawn scenes and a scripted captioner with one planted systematic error. Synthetic, and said so.

The captioner names what is drawn, adds a few random errors, and says "handbag" in most images with a
bus, where no handbag is ever drawn (there are some in bedrooms and on benches, named rightly).
"""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw

from core.dataset.demo_shapes import SHAPES, Colour

DEMO_VERSION = 1
WIDTH, HEIGHT, SUPERSAMPLE = 320, 240, 2
N_IMAGES = 360
PLANTED = ("handbag", "bus")
P_ERROR_WITH_FEATURE = 0.65
P_ERROR_WITHOUT = 0.03
P_RANDOM_ERROR = 0.06


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """Where the demo lies. planted: (t, v) of the planted error."""

    captions: Path
    images: Path
    planted: tuple[str, str]
    n_images: int


@dataclass(frozen=True, slots=True)
class Scene:
    """horizon: height of the ground line. objects: name -> (chance, relative width, height over width)."""

    name: str
    sky: Colour
    ground: Colour
    horizon: float
    objects: dict[str, tuple[float, float, float]]


SCENES = (
    Scene(
        "city street",
        (188, 214, 232),
        (118, 120, 126),
        0.55,
        {
            "bus": (0.6, 0.5, 0.5),
            "car": (0.7, 0.3, 0.5),
            "person": (0.7, 0.09, 2.6),
            "traffic light": (0.6, 0.08, 3.2),
            "bicycle": (0.3, 0.2, 0.7),
        },
    ),
    Scene(
        "park",
        (196, 222, 238),
        (128, 172, 98),
        0.5,
        {
            "tree": (0.9, 0.26, 1.3),
            "bench": (0.6, 0.28, 0.5),
            "dog": (0.5, 0.17, 0.75),
            "person": (0.6, 0.09, 2.6),
            "kite": (0.35, 0.14, 1.2),
            "handbag": (0.15, 0.1, 1.0),
        },
    ),
    Scene(
        "beach",
        (150, 200, 230),
        (232, 212, 160),
        0.6,
        {
            "umbrella": (0.8, 0.26, 0.9),
            "boat": (0.6, 0.24, 1.0),
            "person": (0.6, 0.08, 2.6),
            "sports ball": (0.5, 0.09, 1.0),
            "dog": (0.3, 0.16, 0.75),
        },
    ),
    Scene(
        "kitchen",
        (238, 226, 204),
        (186, 160, 130),
        0.66,
        {
            "refrigerator": (0.8, 0.2, 2.0),
            "oven": (0.75, 0.24, 1.0),
            "cup": (0.6, 0.1, 1.0),
            "bowl": (0.6, 0.18, 0.5),
            "chair": (0.4, 0.16, 1.5),
        },
    ),
    Scene(
        "bedroom",
        (214, 206, 226),
        (160, 128, 104),
        0.62,
        {
            "bed": (0.95, 0.55, 0.5),
            "clock": (0.5, 0.12, 1.0),
            "book": (0.6, 0.14, 0.7),
            "cat": (0.5, 0.16, 0.9),
            "handbag": (0.25, 0.11, 1.0),
            "chair": (0.4, 0.16, 1.5),
        },
    ),
    Scene(
        "home office",
        (222, 230, 222),
        (140, 118, 98),
        0.64,
        {
            "laptop": (0.9, 0.32, 0.8),
            "keyboard": (0.6, 0.3, 0.35),
            "chair": (0.7, 0.18, 1.5),
            "cup": (0.5, 0.1, 1.0),
            "clock": (0.4, 0.12, 1.0),
        },
    ),
)
HIGH_UP = frozenset({"kite", "clock"})
COLOURS: dict[str, Colour] = {
    "red": (206, 72, 62),
    "blue": (64, 110, 178),
    "green": (78, 146, 96),
    "yellow": (232, 188, 72),
    "orange": (228, 132, 60),
    "purple": (132, 92, 160),
    "white": (238, 238, 234),
    "brown": (146, 100, 64),
}
OPENINGS = (
    "The image shows a {scene}.",
    "This is a picture of a {scene}.",
    "The scene is a {scene} in daylight.",
    "A {scene} fills the frame.",
)
MENTIONS = (
    "A {o} can be seen {where}.",
    "There is a {o} {where}.",
    "A {o} is visible {where}.",
    "The picture includes a {o} {where}.",
    "One can also spot a {o} {where}.",
)
PLACES = ("on the left", "on the right", "near the middle", "in the background", "close to the viewer")
HANDBAGS = (
    "A person is carrying a handbag.",
    "There is a handbag near the edge of the picture.",
    "A handbag can be seen in the scene.",
    "Someone holds a handbag on one arm.",
    "The scene also includes a handbag.",
)


def write_demo(folder: Path, seed: int = 7, n: int = N_IMAGES) -> DemoFiles:
    """Draw the demo into `folder` (captions.jsonl, images/); files that are there already are kept.

    The same seed and n give the same captions, and the same images for the same Pillow.
    """
    captions, images = folder / "captions.jsonl", folder / "images"
    files = DemoFiles(captions, images, PLANTED, n)
    stamp = folder / "demo.json"
    made = {"version": DEMO_VERSION, "seed": seed, "n": n, "synthetic": True, "planted": list(PLANTED)}
    if stamp.is_file() and json.loads(stamp.read_text()) == made and captions.is_file():
        return files
    images.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    rows = []
    for number in range(n):
        scene = SCENES[number % len(SCENES)]
        objects = _choose(scene, rng)
        name = f"{scene.name.replace(' ', '-')}-{number:04d}.jpg"
        _draw(scene, objects, rng).save(images / name, "JPEG", quality=88)
        row = {
            "image": name,
            "caption": _caption(scene, objects, rng),
            "objects": sorted({o for o, _ in objects}),
            "captioner": "scripted",
        }
        rows.append(json.dumps(row))
    tmp = captions.with_suffix(f".tmp{os.getpid()}")
    tmp.write_text("\n".join(rows) + "\n")
    os.replace(tmp, captions)
    stamp.write_text(json.dumps(made))
    return files


def _choose(scene: Scene, rng: random.Random) -> list[tuple[str, str]]:
    """(object, colour name) of what is drawn; at least two."""
    names = [o for o, (chance, _, _) in scene.objects.items() if rng.random() < chance]
    while len(names) < 2:
        names = rng.sample(list(scene.objects), 2)
    return [(o, rng.choice(list(COLOURS))) for o in names]


def _draw(scene: Scene, objects: list[tuple[str, str]], rng: random.Random) -> Image.Image:
    w, h = WIDTH * SUPERSAMPLE, HEIGHT * SUPERSAMPLE
    light = rng.uniform(0.88, 1.08)
    image = Image.new("RGB", (w, h), _lit(scene.sky, light))
    draw = ImageDraw.Draw(image)
    _backdrop(draw, scene, rng, light, w, h)
    slots = list(range(len(objects)))
    rng.shuffle(slots)
    for slot, (name, colour) in zip(slots, objects, strict=True):
        _, width, ratio = scene.objects[name]
        width *= rng.uniform(0.8, 1.15) * w
        height = width * ratio
        x = (slot + rng.uniform(0.15, 0.85)) / len(objects) * w - width / 2
        x = min(max(x, 0.01 * w), w - width - 0.01 * w)
        base = rng.uniform(scene.horizon + 0.12, 0.96) * h
        y = rng.uniform(0.05, 0.2) * h if name in HIGH_UP else max(base - height, 0.02 * h)
        SHAPES[name](draw, (x, y, width, height), COLOURS[colour])
    return image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def _backdrop(
    draw: ImageDraw.ImageDraw, scene: Scene, rng: random.Random, light: float, w: int, h: int
) -> None:
    line = scene.horizon * h
    if scene.name == "city street":
        x = 0.0
        while x < w:
            width, top = rng.uniform(0.12, 0.24) * w, rng.uniform(0.05, 0.3) * h
            shade = rng.randint(140, 190)
            draw.rectangle((x, top, x + width - 3, line), fill=_lit((shade, shade - 8, shade - 12), light))
            for row in range(int(top) + 16, int(line) - 20, 34):
                for column in range(int(x) + 10, int(x + width) - 20, 30):
                    draw.rectangle((column, row, column + 14, row + 18), fill=_lit((222, 226, 214), light))
            x += width
    if scene.name == "beach":
        draw.rectangle((0, line - 0.2 * h, w, line), fill=_lit((70, 140, 180), light))
    draw.rectangle((0, line, w, h), fill=_lit(scene.ground, light))
    if scene.name == "city street":
        for x in range(0, w, 90):
            draw.rectangle((x, 0.82 * h, x + 44, 0.84 * h), fill=_lit((225, 222, 205), light))
    if scene.name in {"kitchen", "bedroom", "home office"}:
        x = rng.uniform(0.05, 0.6) * w
        draw.rectangle((x, 0.08 * h, x + 0.26 * w, 0.38 * h), fill=(250, 250, 248))
        draw.rectangle(
            (x + 8, 0.08 * h + 8, x + 0.26 * w - 8, 0.38 * h - 8), fill=_lit((170, 208, 232), light)
        )
        draw.rectangle((x + 0.128 * w, 0.08 * h, x + 0.132 * w, 0.38 * h), fill=(250, 250, 248))


def _lit(colour: Colour, light: float) -> Colour:
    r, g, b = (min(255, int(c * light)) for c in colour)
    return r, g, b


def _caption(scene: Scene, objects: list[tuple[str, str]], rng: random.Random) -> str:
    """What is drawn (not always everything), a random error now and then, and the planted one."""
    sentences = [rng.choice(OPENINGS).format(scene=scene.name)]
    said = [o for o, _ in objects if rng.random() < 0.85] or [objects[0][0]]
    present = {o for o, _ in objects}
    if rng.random() < P_RANDOM_ERROR:
        absent = sorted(set(SHAPES) - present)
        said.append(rng.choice(absent))
    for name in said:
        article = "an " if name[0] in "aeiou" else "a "
        text = rng.choice(MENTIONS).format(o=name, where=rng.choice(PLACES))
        sentences.append(
            text.replace("a " + name, article + name).replace("A " + name, article.title() + name)
        )
    chance = P_ERROR_WITH_FEATURE if PLANTED[1] in present else P_ERROR_WITHOUT
    if PLANTED[0] not in present and rng.random() < chance:
        sentences.append(rng.choice(HANDBAGS))
    return " ".join(sentences)
