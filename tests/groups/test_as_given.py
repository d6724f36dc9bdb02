"""Groups that somebody else has decided on."""

from typing import Any

import numpy as np
import pytest

from homeroom import AsGiven, Classroom

ROOM, RNG = Classroom.sample(students=4), np.random.default_rng(0)


def test_groups_are_as_given_whatever_they_are_called() -> None:
    assert AsGiven(["red", "blue", "red", "green"]).split(ROOM, RNG).tolist() == [2, 0, 2, 1]
    assert AsGiven(np.array([9, 9, 4, 4])).split(ROOM, RNG).tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("labels", [[1, 2, 3], [[1, 2, 3, 4]], 1, []])
def test_there_is_a_label_for_each_student(labels: Any) -> None:
    with pytest.raises(ValueError, match="`labels` must name the group of each of the 4 students"):
        AsGiven(labels).split(ROOM, RNG)


def test_labels_may_be_objects() -> None:
    labels = np.array(["b", "a", "b", "a"], dtype=object)
    assert AsGiven(labels).split(ROOM, RNG).tolist() == [1, 0, 1, 0]


def test_ragged_labels_are_refused() -> None:
    ragged: Any = [[1], [1, 2], 3, 4]
    with pytest.raises(
        ValueError, match="`labels` must name the group of each of the 4 students, but is a li"
    ):
        AsGiven(ragged).split(ROOM, RNG)


def test_a_label_that_is_missing_is_refused() -> None:
    names: Any = ["a", "b", None, "a"]
    with pytest.raises(ValueError, match=r"`labels` must name the group of each .*student 1 has"):
        AsGiven([1.0, np.nan, np.nan, 2.0]).split(ROOM, RNG)
    with pytest.raises(ValueError, match=r"`labels` must name the group of each .*student 2 has"):
        AsGiven(names).split(ROOM, RNG)
