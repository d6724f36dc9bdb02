from __future__ import annotations

import numpy as np

from homeroom.crowd.atlas.frame import WIDTH, Segment
from homeroom.crowd.atlas.rules import EDGE, Rule, with_room


def line(x: float, name: str = "1", along: float = 0.88) -> Rule:
    """Return an upright line whose yes-side is on the right."""
    return Rule(Segment(x, 0.0, x, 500.0), np.array([1.0, 0.0]), name, "#000", "middle", "", along)


def test_a_name_stands_off_the_items() -> None:
    """Items where the name would stand push it away, and it stays on its line."""
    free = with_room([line(300.0)], np.array([[0.0, 0.0]]), 500.0)[0]
    there = free.tag(free.along)
    items = there + np.random.default_rng(0).normal(0.0, 8.0, size=(30, 2))
    moved = with_room([line(300.0)], items, 500.0)[0]
    away = np.hypot(*(moved.tag(moved.along) - items).T).min()
    assert np.hypot(*(there - items).T).min() < 10
    assert away > 20
    assert moved.foot(moved.along)[0] == 300.0


def test_names_stand_off_each_other() -> None:
    first, second = with_room([line(300.0), line(302.0, "2")], np.zeros((1, 2)), 500.0)
    assert np.hypot(*(first.tag(first.along) - second.tag(second.along))) > 20


def test_a_name_stays_on_the_picture() -> None:
    """A line at the bottom right has its name farther up, where there is paper for it."""
    low = Rule(
        Segment(WIDTH - 200, 500.0, WIDTH, 300.0),
        np.array([1.0, -1.0]),
        "target",
        "#000",
        "target",
        "",
        0.95,
    )
    (placed,) = with_room([low], np.zeros((1, 2)), 500.0)
    x, y = placed.tag(placed.along)
    assert EDGE < x < WIDTH - EDGE
    assert EDGE < y < 500 - EDGE
