"""The two ends: everybody together, and everybody alone."""

import numpy as np

from homeroom import Classroom, Individuals, WholeClass

ROOM, RNG = Classroom.sample(students=5), np.random.default_rng(0)


def test_the_whole_class_is_one_group() -> None:
    assert WholeClass().split(ROOM, RNG).tolist() == [0] * 5


def test_individuals_are_a_group_each() -> None:
    assert Individuals().split(ROOM, RNG).tolist() == [0, 1, 2, 3, 4]
