"""Twelve students in the plane, on their way to the target."""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats
from homeroom.classroom import Classroom
from homeroom.groups import AbstractGrouping, AsGiven, Individuals, WholeClass
from homeroom.lessons import Lesson
from homeroom.paper.cells import Row

GROUP_OF = np.repeat([0, 1], 6)
ROUNDS = 6


def three_ways(seed: int) -> list[Row]:
    """Return where twelve students are after each round, and the examples, in the three ways."""
    rng = np.random.default_rng(seed)
    centres = np.array([[2.4, 0.5], [-0.6, 2.0]])[GROUP_OF]
    room = Classroom(centres + 0.28 * rng.standard_normal((12, 2)), np.full(12, 0.15), [0.0, 0.0])
    ways: dict[str, AbstractGrouping] = {
        "individually": Individuals(),
        "whole class": WholeClass(),
        "two groups": AsGiven(GROUP_OF),
    }
    rows: list[Row] = []
    for way, groups in ways.items():
        lesson = Lesson(room, groups=groups, max_rounds=ROUNDS)
        rows += _positions(lesson, way, 0)
        number = 0
        while (asked := lesson.ask()) is not None:
            shown = asked if isinstance(asked, tuple) else (asked,)
            rows += [
                {"way": way, "kind": "example", "who": i, "round": number, **_place(example.x)}
                for i, example in enumerate(shown)
                if example is not None
            ]
            lesson.tell()
            number += 1
            rows += _positions(lesson, way, number)
    return rows


def _positions(lesson: Lesson, way: str, number: int) -> list[Row]:
    states = lesson.record().final_states
    return [
        {"way": way, "kind": "student", "who": who, "round": number, **_place(state)}
        for who, state in enumerate(states)
    ]


def _place(point: Floats) -> dict[str, float]:
    return {"x": float(point[0]), "y": float(point[1])}
