"""The map as an SVG drawing."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from homeroom.crowd.atlas.drawing import (
    EDGE,
    MANY,
    MAX_LINES,
    RADIUS,
    MapScene,
    NamedLine,
    colour_of,
    draw_map,
    drawn_people,
    ellipses,
    invisible_groups,
    with_free_names,
)
from homeroom.crowd.atlas.geometry import WIDTH, Segment, Viewport
from homeroom.plots import COLOURS


def test_groups_have_colours_of_their_own_as_long_as_there_are_any() -> None:
    first = [colour_of(group) for group in range(len(COLOURS))]
    assert len(set(first)) == len(COLOURS)
    assert colour_of(len(COLOURS)) == first[0]


def line(x: float, name: str = "1", along: float = 0.88) -> NamedLine:
    """Return an upright line whose yes-side is on the right."""
    return NamedLine(
        Segment(x, 0.0, x, 500.0), np.array([1.0, 0.0]), name, "#000", "middle", "", along
    )


def test_a_name_does_not_cover_items() -> None:
    """A name moves along its line, away from items."""
    free = with_free_names([line(300.0)], np.array([[0.0, 0.0]]), 500.0)[0]
    there = free.tag(free.along)
    items = there + np.random.default_rng(0).normal(0.0, 8.0, size=(30, 2))
    moved = with_free_names([line(300.0)], items, 500.0)[0]
    away = np.hypot(*(moved.tag(moved.along) - items).T).min()
    assert np.hypot(*(there - items).T).min() < 10
    assert away > 20
    assert moved.foot(moved.along)[0] == 300.0


def test_names_stand_off_each_other() -> None:
    first, second = with_free_names([line(300.0), line(302.0, "2")], np.zeros((1, 2)), 500.0)
    assert np.hypot(*(first.tag(first.along) - second.tag(second.along))) > 20


def test_a_name_stays_on_the_picture() -> None:
    """A line at the bottom right has its name farther up, inside the picture."""
    low = NamedLine(
        Segment(WIDTH - 200, 500.0, WIDTH, 300.0),
        np.array([1.0, -1.0]),
        "target",
        "#000",
        "target",
        "",
        0.95,
    )
    (placed,) = with_free_names([low], np.zeros((1, 2)), 500.0)
    x, y = placed.tag(placed.along)
    assert EDGE < x < WIDTH - EDGE
    assert EDGE < y < 500 - EDGE


def drawn(covariance: np.ndarray) -> tuple[list[float], Viewport]:
    """Return the numbers of one ellipse: two radii, the middle, and the angle."""
    frame = Viewport.around(np.array([[-3.0, -2.0], [3.0, 2.0]]))
    places = frame.place(np.array([[1.0, 0.5]]))
    text = ellipses(frame, places, covariance[None])
    return [float(number) for number in re.findall(r"-?\d+\.\d", text)], frame


def test_an_ellipse_holds_95_percent_of_a_gaussian() -> None:
    """Points drawn from the Gaussian are inside the ellipse as often as stated."""
    covariance = np.array([[0.5, 0.3], [0.3, 0.4]])
    (long, short, x, y, turn), frame = drawn(covariance)
    rng = np.random.default_rng(0)
    points = frame.place(rng.multivariate_normal([1.0, 0.5], covariance, size=20_000))
    angle = np.radians(turn)
    gaps = points - [x, y]
    along = gaps @ [np.cos(angle), np.sin(angle)]
    across = gaps @ [-np.sin(angle), np.cos(angle)]
    inside = (along / long) ** 2 + (across / short) ** 2 < 1
    assert inside.mean() == pytest.approx(0.95, abs=0.005)


def test_only_the_first_two_axes_are_drawn() -> None:
    (long, short, *_), frame = drawn(np.diag([0.01, 0.04, 9.0]))
    assert [long, short] == pytest.approx(frame.scale * RADIUS * np.array([0.2, 0.1]), abs=0.06)


def test_one_axis_or_no_covariances_have_no_ellipses() -> None:
    frame = Viewport.around(np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert ellipses(frame, np.zeros((1, 2)), np.ones((1, 1, 1))) == ""
    assert ellipses(frame, np.zeros((1, 2)), None) == ""


SVG = "{http://www.w3.org/2000/svg}"


def scene() -> MapScene:
    return MapScene(
        items=np.array([[0.0, 0.0], [2.0, 1.0], [1.0, 2.0]]),
        people=np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]),
        thresholds=np.array([1.0, 1.0, 1.5, 50.0]),
        groups=np.array([0, 0, 1, 2]),
        labels=np.array([1.0, -1.0, np.nan]),
        item_words=["a <b>", "b", "c"],
        person_words=["Ada & co", "Ben", "Cleo", "Dee"],
        target=np.array([1.0, 1.0, -1.0]),
    )


def drawn_svg(what: MapScene) -> ElementTree.Element:
    """Return the drawing, which must be well-formed."""
    return ElementTree.fromstring(draw_map(what, words='A "map"'))


def by_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [one for one in root.iter() if name in (one.get("class") or "").split()]


def test_every_item_is_a_point_with_a_tooltip() -> None:
    points = by_class(drawn_svg(scene()), "item")
    assert [point.findtext(f"{SVG}title") for point in points] == ["a <b>", "b", "c"]
    assert [point.get("fill") for point in points] == ["#1c1c1c", "#fff", "#8a8a8a"]


def test_many_items_are_small_points() -> None:
    many = replace(
        scene(),
        items=np.random.default_rng(0).standard_normal((MANY + 1, 2)),
        labels=np.ones(MANY + 1),
        item_words=["one of many"] * (MANY + 1),
    )
    sizes = [{float(point.get("r") or 0) for point in by_class(drawn_svg(what), "item")}
             for what in (scene(), many)]  # fmt: skip
    assert max(sizes[1]) < min(sizes[0])


def test_every_visible_annotator_is_a_line_in_the_groups_colour() -> None:
    lines = by_class(drawn_svg(scene()), "person")
    assert [line.findtext(f"{SVG}title") for line in lines] == ["Ada & co", "Ben", "Cleo"]
    assert lines[0].get("stroke") == lines[1].get("stroke") != lines[2].get("stroke")


def test_groups_and_the_target_have_names() -> None:
    names = [text.text for text in drawn_svg(scene()).iter(f"{SVG}text")]
    assert names == ["1", "2", "target"]
    assert invisible_groups(scene()) == [2]


def test_without_a_target_no_target_is_drawn() -> None:
    assert not by_class(drawn_svg(replace(scene(), target=None)), "target")


def test_the_arrow_points_to_the_yes_side() -> None:
    (arrow,) = by_class(drawn_svg(scene()), "target")[1:]
    line = arrow.find(f"{SVG}line")
    assert line is not None
    x1, y1, x2, y2 = (float(line.get(name) or "nan") for name in ("x1", "y1", "x2", "y2"))
    assert x2 > x1  # to the right
    assert y2 < y1  # and upwards, as y counts downwards


def test_a_picture_replaces_the_point_of_its_item() -> None:
    root = drawn_svg(replace(scene(), pictures={1: "data:image/png;base64,AA"}))
    (image,) = root.iter(f"{SVG}image")
    assert image.get("href") == "data:image/png;base64,AA"
    assert len(by_class(root, "item")) == 3


def test_some_annotators_of_each_group_are_drawn_if_there_are_many() -> None:
    groups = np.array([0] * 5000 + [1] * 50)
    chosen = drawn_people(groups)
    assert len(chosen) <= MAX_LINES + 2
    assert set(groups[chosen].tolist()) == {0, 1}
    assert drawn_people(np.zeros(5, dtype=np.int64)).tolist() == [0, 1, 2, 3, 4]


def test_a_map_of_one_dimension_has_upright_lines() -> None:
    flat = replace(
        scene(),
        items=np.array([[0.0], [1.0], [2.0]]),
        people=np.array([[1.0], [1.0], [-1.0], [1.0]]),
        thresholds=np.array([0.5, 1.0, -1.5, 1.0]),
        target=np.array([1.0, -1.0]),
    )
    for line in by_class(drawn_svg(flat), "person"):
        assert line.get("x1") == line.get("x2")


@pytest.mark.parametrize("dimensions", [1, 2])
def test_names_of_classes_stay_on_the_picture_and_off_stacked_items(dimensions: int) -> None:
    """With one dimension, items are stacked from the bottom, and names are above them."""
    rng = np.random.default_rng(0)
    items = rng.standard_normal((60, dimensions))
    rows = 4.0 * np.column_stack([np.arange(4.0) - 1.5, np.arange(4.0) % 2])[:, :dimensions]
    thresholds = 0.5 * (rows**2).sum(axis=1) / 4.0
    names = ("the shortest", "oak", "lime tree", "a name of some length")
    what = MapScene(
        items=items,
        people=np.tile(rows, (3, 1, 1)),
        thresholds=np.tile(thresholds, (3, 1)),
        groups=np.zeros(3, dtype=np.int64),
        labels=np.zeros(60),
        item_words=[str(number) for number in range(60)],
        person_words=["Ada", "Ben", "Cleo"],
        target=None,
        classes=names,
    )
    drawn = drawn_svg(what)
    texts = [each for each in drawn.iter() if each.get("class") == "name"]
    assert {each.text for each in texts} == set(names)
    for each in texts:
        assert each.text is not None
        half = 4.0 * len(each.text)
        assert half <= float(each.get("x", "0")) <= WIDTH - half
    heights = [float(each.get("y", "0")) for each in texts]
    if dimensions == 1:
        assert max(heights) <= 3 * EDGE
        assert all(one != other for one, other in pairwise(heights))
