from collections.abc import Callable

import numpy as np
import pytest

from homeroom import Classroom, LargeClass, certify, compare, teach
from homeroom.classroom.opening import find
from homeroom.classroom.pieces.arrays import ArrayPiece
from homeroom.classroom.tables import Place
from tests.bad_input import refuse

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
    refuse(lambda: LargeClass([], ROOM.target), "class")
    refuse(lambda: LargeClass(PIECES, ROOM.target, state_radius=0.5), "`target`")
    refuse(lambda: LargeClass(PIECES, ROOM.target, outputs=2), "coordinates")
    refuse(lambda: LargeClass(PIECES, ROOM.target, example_radius=0.0), "`example_radius`")
    refuse(lambda: LargeClass(PIECES, ROOM.target, rates=(0.0, 1.0)), "`rates`")
    refuse(lambda: LargeClass(PIECES, np.array([np.nan, 0.0, 0.0])), "`target`")


@pytest.mark.parametrize("rates", [None, (0.1, 0.5)])
def test_pieces_may_be_empty_but_not_all(rates: tuple[float, float] | None) -> None:
    empty = ArrayPiece(ROOM.states[:0], ROOM.rates[:0], Place("nowhere"))
    some = LargeClass([empty, *PIECES, empty], ROOM.target, rates=rates)
    np.testing.assert_array_equal(
        teach(some, verify=True).errors, teach(LargeClass(PIECES, ROOM.target, rates=rates)).errors
    )
    refuse(lambda: teach(LargeClass([empty], ROOM.target, rates=rates)), "pieces")


@pytest.mark.parametrize("advice", [certify, compare])
def test_a_class_that_is_not_in_memory_gets_no_advice(advice: Callable[..., object]) -> None:
    refuse(lambda: advice(LargeClass(PIECES, ROOM.target)), "Classroom.load")
