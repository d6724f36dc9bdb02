import numpy as np
import pytest

from homeroom import Classroom, LargeClass
from homeroom.moments import sketch_of
from tests.bad_input import refuse


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=500, dimensions=4, rates=(0.1, 2.0))


def read(room: Classroom, rates: tuple[float, float] | None = None) -> LargeClass:
    return LargeClass.open((room.states, room.rates), target=room.target, rates=rates)


def test_a_class_read_piece_by_piece_has_the_same_sketch(room: Classroom) -> None:
    held, found = sketch_of(room), sketch_of(read(room))
    np.testing.assert_array_equal(found.nodes, held.nodes)
    np.testing.assert_allclose(found.matrices, held.matrices, atol=1e-13)
    np.testing.assert_allclose(found.weights, held.weights, atol=1e-13)
    assert (found.students, found.fastest) == (held.students, held.fastest)
    assert found.farthest == pytest.approx(held.farthest)


@pytest.mark.parametrize("rates", [(0.5, 2.5), (0.05, 1.0)])
def test_a_rate_outside_the_given_range_is_refused(
    room: Classroom, rates: tuple[float, float]
) -> None:
    refuse(lambda: sketch_of(read(room, rates)), "announced")
