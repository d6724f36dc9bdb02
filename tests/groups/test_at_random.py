"""Groups by lot."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeroom import AtRandom, Classroom


@given(students=st.integers(1, 60), k=st.integers(1, 60), seed=st.integers(0, 99))
def test_groups_are_as_equal_as_can_be_and_none_is_empty(students: int, k: int, seed: int) -> None:
    """Sizes differ by at most one."""
    k = min(k, students)
    room = Classroom(np.ones((students, 1)), np.full(students, 0.1), [0.0])
    sizes = np.bincount(AtRandom(k).split(room, np.random.default_rng(seed)), minlength=k)
    assert len(sizes) == k
    assert sizes.min() >= 1
    assert sizes.max() - sizes.min() <= 1


def test_the_lot_is_that_of_the_generator() -> None:
    room = Classroom.sample(students=50)
    one, two, other = (AtRandom(3).split(room, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert (one == two).all()
    assert (one != other).any()


def test_there_are_no_more_groups_than_students() -> None:
    with pytest.raises(ValueError, match="`k` must be at least 1 and at most 3, but is 4"):
        AtRandom(4).split(Classroom.sample(students=3), np.random.default_rng(0))


@pytest.mark.parametrize("k", [0, -1])
def test_there_is_at_least_one_group(k: Any) -> None:
    with pytest.raises(ValueError, match="`k` must be at least 1, but is"):
        AtRandom(k)
