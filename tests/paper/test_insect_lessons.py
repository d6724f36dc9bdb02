"""What is measured of the insects' crowd is what the library gives."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import AsGiven, AtRandom, AverageGoal, Individuals, PoolTeacher, teach
from homeroom.paper import Plan, Row, Settings
from homeroom.paper.drawing import where
from homeroom.paper.experiments import insect_map, insects, insects_shown
from homeroom.paper.fig4c import Figure4c
from homeroom.paper.insect_crowd import class_of_types, crowd_for

SETTINGS = Settings(crowd_students=16)


@pytest.fixture(scope="module")
def shown() -> list[Row]:
    return insects_shown(SETTINGS.as_json(), 0)


def test_the_four_ways_are_what_teach_gives() -> None:
    rows = where(insects(SETTINGS.as_json(), 2), diversity=3)
    room, types = class_of_types(SETTINGS, 3, 2)
    teacher, goal = PoolTeacher(crowd_for(SETTINGS, 2).pool), AverageGoal(0.2)
    ways = {"CTwP-Opt": AsGiven(types), "CTwP-Rand": AtRandom(3), "IT": Individuals()}
    for way, groups in ways.items():
        record = teach(room, teacher=teacher, goal=goal, groups=groups, seed=2)
        (row,) = where(rows, way=way)
        assert (row["T"], row["S"]) == (record.rounds, record.workload)
    (row,) = where(rows, way="CT")
    assert row["T"] == row["S"] == teach(room, teacher=teacher, goal=goal).rounds


def test_every_diversity_is_measured_in_every_way() -> None:
    rows = insects(SETTINGS.as_json(), 0)
    assert [row["diversity"] for row in rows] == [k for k in (1, 2, 3, 4) for _ in range(4)]
    one = {row["way"]: row["T"] for row in where(rows, diversity=1)}
    assert one["CT"] == one["CTwP-Opt"] == one["CTwP-Rand"]


def test_examples_are_shown_to_whom_they_are_for(shown: list[Row]) -> None:
    """Each type's row is the lesson of its learners alone."""
    room, types = class_of_types(SETTINGS, 4, 0)
    crowd = crowd_for(SETTINGS, 0)
    for kind in ("P1", "P2", "P3", "P4"):
        own = teach(
            room.subset(np.flatnonzero(types == kind)),
            teacher=PoolTeacher(crowd.pool),
            goal=AverageGoal(0.2),
        )
        rows = where(shown, who=kind)
        assert [row["item"] for row in rows] == own.examples.items.tolist()
        assert [row["species"] for row in rows] == [
            crowd.insects.species[item] for item in own.examples.items
        ]


def test_rounds_are_numbered_from_zero_in_every_lesson(shown: list[Row]) -> None:
    for who in ("CT", "P1", "P2", "P3", "P4"):
        own = [row["round"] for row in where(shown, who=who)]
        assert own == list(range(len(own)))
        assert own


def test_the_map_has_everybody_and_everything() -> None:
    rows = insect_map(SETTINGS.as_json(), 0)
    crowd = crowd_for(SETTINGS, 0)
    assert [len(where(rows, kind=kind)) for kind in ("insect", "worker", "target")] == [160, 67, 1]
    (target,) = where(rows, kind="target")
    assert [target[name] for name in ("x", "y", "bias")] == crowd.target.tolist()
    first = where(rows, kind="worker")[0]
    assert [first[name] for name in ("x", "y", "bias")] == crowd.states[0].tolist()


@pytest.mark.parametrize("change", ["crowd_eps=1000", "crowd_students=4"])
def test_a_strip_is_drawn_of_any_lesson(change: str) -> None:
    """Of none at all, and of four learners."""
    settings = SETTINGS.changed(change)
    rows = insects_shown(settings.as_json(), 0)
    assert bool(rows) == (change != "crowd_eps=1000")
    drawn = Figure4c().draw(rows, Plan(settings, quick=True))
    drawn.draw_without_rendering()
    names = [label.get_text() for label in drawn.axes[0].get_yticklabels()]
    assert len(names) == 5
    assert ("0 examples" in names[0]) == (not rows)


def test_a_long_lesson_skips_rounds() -> None:
    rows = [
        {"seed": 0, "who": "CT", "round": number, "item": 0, "species": "cmoth"}
        for number in range(60)
    ]
    drawn = Figure4c().draw(rows, Plan(SETTINGS, quick=True))
    drawn.draw_without_rendering()
    ticks = [int(label.get_text()) for label in drawn.axes[0].get_xticklabels()]
    assert ticks == list(range(1, 61, 3))
