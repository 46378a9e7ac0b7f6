"""The map as data: bytes, colours, filters, outlines, neighbours."""

from __future__ import annotations

import math
import time
from io import BytesIO
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from core.errors import AuditError
from core.views.finding import finding_target
from core.views.map_colours import REST, TOP, UNSCORED, colour_codes, ways_to_colour
from core.views.map_data import SIDE, has_map, map_data, map_kind, quantise, texts_at
from core.views.map_density import PIXELS, density_png
from core.views.map_selection import (
    Filter,
    filter_mask,
    image_strip,
    inside,
    nearest,
    point_rows,
    polygon_of,
    select,
)
from core.views.map_view import (
    cluster_labels,
    colour_version,
    curve_view,
    map_captions,
    mask_bytes,
    places_bytes,
)
from core.views.open_run import labels_of, open_run
from tests.pages import audit_fixture as fixture
from tests.pages.map_fixture import add_map, places_of


@pytest.fixture
def run(root, workspace, finished):
    return open_run(workspace, add_map(root, finished))


@pytest.fixture
def facts(run):
    return map_data(run, "facts")


def crosses(x, y, polygon):
    """Even-odd rule of one point, edge by edge."""
    odd = False
    for (x1, y1), (x2, y2) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            odd = not odd
    return odd


def placed(places):
    places = np.asarray(places, np.uint16)
    return SimpleNamespace(n=len(places), places=places, by_height=np.argsort(places[:, 1], kind="stable"))


def test_places_keep_their_proportions(facts):
    raw = places_of(120).astype(float)
    sent = np.frombuffer(places_bytes(facts), "<u2").reshape(-1, 2).astype(float)
    assert sent.shape == (120, 2)
    scale = SIDE / np.ptp(raw, axis=0).max()
    assert np.allclose(sent - sent[0], (raw - raw[0]) * scale, atol=1.01)
    assert np.ptp(sent, axis=0).max() == SIDE


@pytest.mark.parametrize("places", [np.zeros((3, 2)), np.ones((1, 2)), np.zeros((0, 2))])
def test_places_without_extent(places):
    assert len(quantise(places)) == len(places)


def test_places_that_are_no_numbers_are_said():
    with pytest.raises(AuditError, match="damaged"):
        quantise(np.array([[0.0, np.nan]]))


def test_alignment_codes(run, facts):
    codes, colouring = colour_codes(run, facts, "alignment")
    assert codes.dtype == np.uint8
    unscored = np.isnan(facts.alignment)
    assert unscored.sum() == 60
    assert (codes[unscored] == UNSCORED).all()
    assert (codes[facts.alignment == 0] == 0).all()
    assert (codes[facts.alignment == 1] == TOP).all()
    assert (colouring.low, colouring.high, colouring.categories[0].n) == ("0.00", "1.00", 60)
    assert len(colouring.light) == len(colouring.dark) == 256


def test_cluster_codes_follow_the_rank(run, facts):
    codes, colouring = colour_codes(run, facts, "cluster")
    assert (codes[facts.cluster == 0] == REST).all()
    for rank in (1, 2, 3):
        assert (codes[facts.cluster == rank] == rank - 1).all()
    assert [c.name for c in colouring.categories] == [
        "1. handbag",
        "2. chair",
        "3. mouse",
        "other clusters",
    ]


def test_verdict_codes_and_their_version_follow_the_verdicts(run, facts):
    before = colour_version(run, facts, "verdict")
    codes, _ = colour_codes(run, facts, "verdict")
    wrong = [2 * i + 1 for i in range(60) if fixture.is_wrong(i)]
    assert (codes[wrong] == 4).all()
    assert (np.delete(codes, wrong) == REST).all()
    store = labels_of(run.workspace, run.fingerprint)
    target = finding_target(fixture.finding_id("handbag", "bus"))
    store.give(target, "confirmed", annotator="ann", dataset=run.fingerprint, run_id=run.run_id)
    codes, _ = colour_codes(run, facts, "verdict")
    assert (codes == 0).sum() == sum(fixture.is_wrong(i) for i in range(0, 60, 3))
    assert colour_version(run, facts, "verdict") != before


def test_ways_to_colour(run, facts):
    assert ways_to_colour(run, facts) == ("alignment", "cluster", "verdict")
    assert ways_to_colour(run, map_data(run, "images")) == ("alignment",)
    with pytest.raises(AuditError, match="cannot be coloured"):
        colour_codes(run, facts, "captioner")


def test_images_have_the_mean_of_their_facts(run):
    images = map_data(run, "images")
    assert images.n == 60
    assert images.alignment.tolist() == [0.0 if fixture.is_wrong(i) else 1.0 for i in range(60)]
    assert images.wrong.tolist() == [fixture.is_wrong(i) for i in range(60)]
    assert images.sample.tolist() == list(range(60))


def test_outline_equals_the_rule_point_by_point():
    rng = np.random.default_rng(3)
    data = placed(rng.integers(0, SIDE + 1, (800, 2)))
    for n in (3, 4, 9, 40):
        polygon = rng.uniform(-9000, SIDE + 9000, (n, 2))
        expected = [crosses(x, y, polygon.tolist()) for x, y in data.places.tolist()]
        assert inside(data, polygon).tolist() == expected


def test_outline_of_200k_points_is_quick():
    rng = np.random.default_rng(3)
    data = placed(rng.integers(0, SIDE + 1, (200_000, 2)))
    angle = np.linspace(0, 2 * math.pi, 300, endpoint=False)
    polygon = np.stack([32768 + 25000 * np.cos(angle), 32768 + 25000 * np.sin(angle)], axis=1)
    times = []
    for _ in range(5):
        began = time.perf_counter()
        found = inside(data, polygon).sum()
        times.append(time.perf_counter() - began)
    assert abs(found / 200_000 - math.pi * 25000**2 / 65536**2) < 0.01
    assert min(times) < 0.1


@pytest.mark.parametrize(
    "value",
    [
        None, "x", [], [[0, 0], [1, 1]], [[0, 0], [1, 1], [2]], [[0, 0], [1, 1], [math.nan, 2]],
        [[0, 0], [1, 1], ["2", 2]], [[0, 0], [1, 1], [True, 2]], [[0, 0]] * 10_001,
    ],
)  # fmt: skip
def test_what_is_no_outline_is_none(value):
    assert polygon_of(value) is None


def test_filters(run, facts):
    low = filter_mask(run, facts, Filter(high=0.5))
    assert np.flatnonzero(low).tolist() == np.flatnonzero(facts.alignment <= 0.5).tolist()
    chair = filter_mask(run, facts, Filter(text="RED chair"))
    assert np.flatnonzero(chair).tolist() == [2 * i + 1 for i in range(60) if i % 3 == 1]
    both = filter_mask(run, facts, Filter(cluster=2, text="chair"))
    assert (both == chair).all()
    assert filter_mask(run, facts, Filter()).all()
    images = map_data(run, "images")
    assert np.flatnonzero(filter_mask(run, images, Filter(text="chair"))).tolist() == list(range(1, 60, 3))
    with pytest.raises(AuditError, match="no clusters"):
        filter_mask(run, images, Filter(cluster=1))
    with pytest.raises(AuditError, match="at most"):
        filter_mask(run, facts, Filter(text="x" * 201))
    assert np.unpackbits(np.frombuffer(mask_bytes(low), np.uint8), bitorder="little")[:120].tolist() == [
        int(v) for v in low
    ]


def test_selection_is_worst_first(run, facts):
    chosen = select(run, facts, np.ones(120, bool))
    values = facts.alignment[chosen.ids]
    assert np.isnan(values[60:]).all()
    assert (np.diff(values[:60]) >= 0).all()
    n_wrong = sum(fixture.is_wrong(i) for i in range(60))
    assert chosen.n_scored == 60
    assert chosen.share_wrong == f"{100 * n_wrong / 60:.0f} %"
    assert {link.title: link.n for link in chosen.findings} == {f"{t} ← {v}": 20 for t, v in fixture.PAIRS}
    none = select(run, facts, np.zeros(120, bool))
    assert (len(none.ids), none.mean_alignment, none.findings) == (0, "–", ())


def test_rows_and_images_of_points(run, facts):
    rows = point_rows(run, facts, [3, 0])
    assert rows[0].text == "There is a red chair near the middle of it."
    assert rows[0].sample_id == "s001"
    assert rows[1].value is None
    assert image_strip(facts, np.array([3, 2, 0]), 5) == ((facts.shas[1], 3), (facts.shas[0], 0))
    assert texts_at(run, map_data(run, "images"), [1])[0].startswith("The picture shows")
    for outside in (-1, 120):
        with pytest.raises(AuditError, match="no such point"):
            texts_at(run, facts, [outside])


def test_nearest_in_meaning_over_all_parts(run, facts):
    found = nearest(run, facts, 51)
    texts = [row.text for row in point_rows(run, facts, [i for i, _ in found])]
    own = point_rows(run, facts, [51])[0].text
    assert len(set(texts)) == len(texts)
    assert own not in texts
    cosines = [c for _, c in found]
    assert cosines == sorted(cosines, reverse=True)
    angle = np.linspace(0, 3, 120)
    assert all(c == pytest.approx(math.cos(angle[i] - angle[51]), abs=1e-5) for i, c in found)
    with pytest.raises(AuditError):
        nearest(run, facts, 120)


def test_words_around_the_map(run, facts):
    said = " ".join(map_captions(run, "facts"))
    for words in (
        "0.953",
        "A note of the engine.",
        "mean nothing",
        "not made from this map",
    ):
        assert words in said
    assert "of them different" in " ".join(map_captions(run, "images"))
    curve = curve_view(run)
    assert [(p.k, p.chosen) for p in curve.points] == [(2, False), (4, True), (6, False)]
    assert "effective K = 3" in curve.title
    assert next(label.text for label in cluster_labels(facts)) == "handbag"


def test_labels_in_one_place_end(facts):
    """Labels that would cover each other are moved apart, also at mid-height."""
    same = SimpleNamespace(
        cluster=facts.cluster,
        clusters=facts.clusters,
        places=np.full((120, 2), SIDE // 2, np.uint16),
    )
    heights = [label.y for label in cluster_labels(same)]
    assert len(heights) == len(set(heights)) == 3


def test_density_picture(run, facts):
    codes, colouring = colour_codes(run, facts, "alignment")
    picture = Image.open(BytesIO(density_png(facts.places, codes, colouring.light, scale=True)))
    assert picture.size == (PIXELS, PIXELS)
    alpha = np.asarray(picture)[:, :, 3]
    columns, rows = (facts.places >> 7).T
    assert (alpha[PIXELS - 1 - rows.astype(int), columns] > 0).all()
    assert (alpha > 0).sum() == len({(int(c), int(r)) for c, r in zip(columns, rows, strict=True)})


def test_a_run_without_map_says_what_to_do(root, workspace):
    run = open_run(workspace, fixture.write_finished(root, images=False))
    assert not has_map(run, "facts")
    with pytest.raises(AuditError, match="Resume the run to draw its map"):
        map_data(run, "facts")
    assert curve_view(run) is None
    with pytest.raises(AuditError, match="no such map"):
        map_kind("../facts")
