from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np

from homeroom.crowd.atlas.scene import Scene
from homeroom.crowd.atlas.svg import MANY, MAX_LINES, draw_map, drawn_people, out_of_sight

SVG = "{http://www.w3.org/2000/svg}"


def scene() -> Scene:
    return Scene(
        items=np.array([[0.0, 0.0], [2.0, 1.0], [1.0, 2.0]]),
        people=np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]),
        thresholds=np.array([1.0, 1.0, 1.5, 50.0]),
        groups=np.array([0, 0, 1, 2]),
        labels=np.array([1.0, -1.0, np.nan]),
        item_words=["a <b>", "b", "c"],
        person_words=["Ada & co", "Ben", "Cleo", "Dee"],
        target=np.array([1.0, 1.0, -1.0]),
    )


def drawn(what: Scene) -> ElementTree.Element:
    """Return the drawing, which must be well-formed."""
    return ElementTree.fromstring(draw_map(what, words='A "map"'))


def by_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [one for one in root.iter() if name in (one.get("class") or "").split()]


def test_every_item_is_a_point_with_a_word() -> None:
    points = by_class(drawn(scene()), "item")
    assert [point.findtext(f"{SVG}title") for point in points] == ["a <b>", "b", "c"]
    assert [point.get("fill") for point in points] == ["#1c1c1c", "#fff", "#8a8a8a"]


def test_many_items_are_small_points() -> None:
    many = replace(
        scene(),
        items=np.random.default_rng(0).standard_normal((MANY + 1, 2)),
        labels=np.ones(MANY + 1),
        item_words=["one of many"] * (MANY + 1),
    )
    sizes = [{float(point.get("r") or 0) for point in by_class(drawn(what), "item")}
             for what in (scene(), many)]  # fmt: skip
    assert max(sizes[1]) < min(sizes[0])


def test_everybody_in_sight_is_a_line_in_the_colour_of_the_group() -> None:
    lines = by_class(drawn(scene()), "person")
    assert [line.findtext(f"{SVG}title") for line in lines] == ["Ada & co", "Ben", "Cleo"]
    assert lines[0].get("stroke") == lines[1].get("stroke") != lines[2].get("stroke")


def test_groups_and_the_target_have_names() -> None:
    names = [text.text for text in drawn(scene()).iter(f"{SVG}text")]
    assert names == ["1", "2", "target"]
    assert out_of_sight(scene()) == [2]


def test_without_a_target_there_is_none() -> None:
    assert not by_class(drawn(replace(scene(), target=None)), "target")


def test_the_arrow_points_to_the_yes_side() -> None:
    (arrow,) = by_class(drawn(scene()), "target")[1:]
    line = arrow.find(f"{SVG}line")
    assert line is not None
    x1, y1, x2, y2 = (float(line.get(name) or "nan") for name in ("x1", "y1", "x2", "y2"))
    assert x2 > x1  # to the right
    assert y2 < y1  # and upwards, as y counts downwards


def test_a_picture_stands_for_its_item() -> None:
    root = drawn(replace(scene(), pictures={1: "data:image/png;base64,AA"}))
    (image,) = root.iter(f"{SVG}image")
    assert image.get("href") == "data:image/png;base64,AA"
    assert len(by_class(root, "item")) == 3


def test_of_many_people_some_of_each_group_are_drawn() -> None:
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
    for line in by_class(drawn(flat), "person"):
        assert line.get("x1") == line.get("x2")
