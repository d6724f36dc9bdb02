"""Bad input to pools, goals and groups: the error names the argument."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from homeroom import (
    AsGiven,
    AtRandom,
    AverageGoal,
    Ball,
    ByKnowledge,
    Classroom,
    DirectionPool,
    EveryoneGoal,
    ItemPool,
)
from tests.bad_input import refuse

FOUR, RNG = Classroom.sample(students=4), np.random.default_rng(0)

CALLS: list[tuple[str, Callable[[], object]]] = [
    *(
        ("`eps`", lambda bad=bad, goal=goal: goal(bad))
        for goal in (AverageGoal, EveryoneGoal)
        for bad in (0.0, -1.0, math.nan, math.inf, "small", None, [0.1], True, 1j)
    ),
    ("directions", lambda: DirectionPool([[1.0, 0.0], [0.0, 0.0]])),
    ("directions", lambda: DirectionPool(np.ones((0, 3)))),
    ("directions", lambda: DirectionPool([])),
    ("directions", lambda: DirectionPool([1.0, 2.0])),
    ("directions", lambda: DirectionPool([[1.0, np.nan]])),
    ("`directions`", lambda: DirectionPool(np.eye(3)).fit(4, 1.0)),
    ("items", lambda: ItemPool(np.ones((0, 3)))),
    ("items", lambda: ItemPool([])),
    ("items", lambda: ItemPool([[1.0, np.inf]])),
    ("`items`", lambda: ItemPool([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]]).fit(2, 2.0)),
    ("`items`", lambda: ItemPool(np.zeros((2, 2))).fit(2, 2.0)),
    ("`items`", lambda: ItemPool(np.eye(2)).fit(3, 2.0)),
    *(
        ("label", lambda bad=bad: ItemPool([[1.0], [2.0]], bad))
        for bad in ([1.0], [1.0, np.nan], ["yes", None], ["yes"], np.array([1.0, "no"], object))
    ),
    ("relabel", lambda: Ball().relabel(np.ones(2))),
    *(
        ("`labels`", lambda bad=bad: AsGiven(bad).split(FOUR, RNG))
        for bad in (
            [1, 2, 3],
            [[1, 2, 3, 4]],
            1,
            [],
            [[1], [1, 2], 3, 4],
            [1.0, np.nan, np.nan, 2.0],
            ["a", "b", None, "a"],
        )
    ),
    ("`k`", lambda: AtRandom(0)),
    ("`k`", lambda: AtRandom(-1)),
    ("`k`", lambda: AtRandom(5).split(FOUR, RNG)),
    ("`k`", lambda: ByKnowledge(0)),
    ("`k`", lambda: ByKnowledge(5).split(FOUR, RNG)),
]


@pytest.mark.parametrize(("named", "call"), CALLS, ids=range(len(CALLS)))
def test_bad_input_is_named(named: str, call: Callable[[], object]) -> None:
    refuse(call, named)
