from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from homeroom import Classroom, LargeClass, certify, compare, teach
from homeroom.classroom.opening import find

ROOM = Classroom.sample(students=40, dimensions=3, rates=(0.1, 0.5))
PIECES = find((ROOM.states, ROOM.rates), None).pieces


def test_it_describes_itself() -> None:
    assert repr(LargeClass(PIECES, ROOM.target)) == "LargeClass(1 piece, 3 dimensions)"
    assert LargeClass(PIECES, ROOM.target).dimensions == 3


def test_user_defined_pieces_make_a_class() -> None:
    large = LargeClass([*PIECES, *PIECES], ROOM.target)
    record = teach(large)
    assert len(record.group_of) == 80
    np.testing.assert_allclose(record.errors[0], ROOM.error)


def test_arguments_are_validated_and_frozen() -> None:
    large = LargeClass(PIECES, [[1, 0, 0]])  # type: ignore[arg-type]
    assert large.target.tolist() == [1.0, 0.0, 0.0]
    assert not large.target.flags.writeable
    with pytest.raises(ValueError, match="A class needs at least one student, but there is nothin"):
        LargeClass([], ROOM.target)
    with pytest.raises(
        ValueError, match=r"`target` must lie within state_radius=0\.5, but its len"
    ):
        LargeClass(PIECES, ROOM.target, state_radius=0.5)
    with pytest.raises(
        ValueError, match="same number of coordinates for each of 2 outputs, but has 3"
    ):
        LargeClass(PIECES, ROOM.target, outputs=2)
    with pytest.raises(ValueError, match="`example_radius` must be positive and finite"):
        LargeClass(PIECES, ROOM.target, example_radius=0.0)
    with pytest.raises(ValueError, match="`rates` must be two positive numbers"):
        LargeClass(PIECES, ROOM.target, rates=(0.0, 1.0))
    with pytest.raises(ValueError, match="`target` must be finite"):
        LargeClass(PIECES, np.array([np.nan, 0.0, 0.0]))


@pytest.mark.parametrize("rates", [None, (0.1, 0.5)])
def test_pieces_may_be_empty_but_not_all(rates: tuple[float, float] | None) -> None:
    [empty] = find((ROOM.states, ROOM.rates), None).pieces
    empty = replace(empty, states=ROOM.states[:0], own_rates=ROOM.rates[:0])  # type: ignore[type-var]
    some = LargeClass([empty, *PIECES, empty], ROOM.target, rates=rates)
    np.testing.assert_array_equal(
        teach(some, verify=True).errors, teach(LargeClass(PIECES, ROOM.target, rates=rates)).errors
    )
    with pytest.raises(ValueError, match="at least one student, but all its pieces are empty"):
        teach(LargeClass([empty], ROOM.target, rates=rates))


@pytest.mark.parametrize("advice", [certify, compare])
def test_a_class_that_is_not_in_memory_gets_no_advice(advice: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match="looks at every student: load the class with"):
        advice(LargeClass(PIECES, ROOM.target))
