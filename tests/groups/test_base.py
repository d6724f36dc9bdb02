"""Group numbers."""

from typing import Any

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, MeanTeacher, teach
from homeroom._arrays import Ints
from homeroom.groups import AbstractGrouping, AbstractInformed, Individuals
from homeroom.groups.base import numbered


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([7, 7, -1, 3], [2, 2, 0, 1]),
        (["b", "a", "b"], [1, 0, 1]),
        ([0.5], [0]),
        ([True, False], [1, 0]),
    ],
)
def test_labels_of_any_kind_become_numbers_without_gaps(labels: Any, expected: Any) -> None:
    found = numbered(np.asarray(labels))
    assert found.tolist() == expected
    assert found.dtype == np.int64


class Curious(AbstractGrouping, AbstractInformed):
    """Splits as individuals, and remembers what it was told."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = {}

    def informed(self, **lesson: Any) -> AbstractGrouping:
        self.told = lesson
        return Individuals()

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        raise AssertionError("the informed grouping splits")


def test_a_grouping_that_asks_for_it_is_told_about_the_lesson() -> None:
    groups, goal = Curious(), AverageGoal(0.5)
    room = Classroom.sample(students=4, dimensions=2)
    record = teach(room, groups=groups, goal=goal, teacher="mean", max_rounds=7)
    assert record.group_of.tolist() == [0, 1, 2, 3]
    assert groups.told.pop("progress") is not None
    assert set(groups.told) == {"teacher", "goal", "observer", "learner", "max_rounds"}
    assert groups.told["goal"] is goal
    assert isinstance(groups.told["teacher"], MeanTeacher)
    assert groups.told["max_rounds"] == 7
