import numpy as np
import pytest

from homeroom import Classroom, LargeClass
from homeroom.moments import sketch_of
from homeroom.moments.build import first_nodes, source_of
from homeroom.moments.rate_statistics import RateStatistics


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


def test_the_given_range_of_rates_is_used_for_the_nodes(room: Classroom) -> None:
    sketch = sketch_of(read(room, (0.05, 2.5)))
    assert sketch.nodes[0] == 2.5
    assert sketch.nodes[-1] == pytest.approx(0.05)
    assert sketch.error == pytest.approx(room.error, rel=1e-12)


@pytest.mark.parametrize("rates", [(0.5, 2.5), (0.05, 1.0)])
def test_a_rate_outside_the_given_range_is_refused(
    room: Classroom, rates: tuple[float, float]
) -> None:
    with pytest.raises(ValueError, match="were announced to be between"):
        sketch_of(read(room, rates))


def test_one_rate_for_all_is_not_a_range() -> None:
    rng = np.random.default_rng(0)
    room = Classroom(rng.standard_normal((50, 3)), np.full(50, 0.3), np.zeros(3))
    for sketch in (sketch_of(room), sketch_of(read(room)), sketch_of(read(room, (0.3, 0.3)))):
        assert sketch.exact
        assert sketch.error == pytest.approx(room.error)


def test_some_rows_give_a_sketch_of_these_students(room: Classroom) -> None:
    rows = np.arange(100, 300)
    own, some = sketch_of(room.subset(rows)), source_of(room, rows).sketch(33)
    np.testing.assert_array_equal(some.nodes, own.nodes)
    np.testing.assert_array_equal(some.matrices, own.matrices)


def test_the_weights_of_the_nodes_give_the_mean_rate(room: Classroom) -> None:
    sketch = sketch_of(room)
    assert sketch.weights.sum() == pytest.approx(1.0, rel=1e-12)
    assert sketch.weights @ sketch.nodes == pytest.approx(float(room.rates.mean()), rel=1e-12)


@pytest.mark.parametrize(("wide", "nodes"), [(1.0, 33), (11.0, 33), (30.0, 65), (1e4, 129)])
def test_wide_ranges_of_rates_begin_with_more_nodes(wide: float, nodes: int) -> None:
    assert first_nodes(RateStatistics(10, 0.1, 0.1 * wide, None)) == nodes


def test_few_different_rates_are_found_within_a_known_range_too() -> None:
    rng = np.random.default_rng(0)
    room = Classroom(rng.standard_normal((90, 3)), rng.choice([1e-4, 100.0], 90), np.zeros(3))
    sketch = sketch_of(read(room, (1e-5, 1e3)))
    assert sketch.exact
    assert sketch.nodes.tolist() == [1e-4, 100.0]
