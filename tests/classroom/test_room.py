"""The class: states, rates and the target."""

import math
from dataclasses import FrozenInstanceError
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from homeroom import Classroom, Example
from homeroom._arrays import Floats, to_numpy
from homeroom.classroom import project
from homeroom.classroom.room import stays_in_ball

POINTS = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.floats(-1e6, 1e6, allow_subnormal=False),
)


def small_room(**changes: Any) -> Classroom:
    parts: dict[str, Any] = {
        "states": [[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]],
        "rates": [0.5, 0.25, 0.1],
        "target": [0.0, 0.0],
        "names": ["Ada", "Ben", "Cleo"],
    }
    return Classroom(**(parts | changes))


def test_distances_and_error_are_those_of_the_definition() -> None:
    room = small_room(target=[1.0, 1.0])
    assert room.gaps.tolist() == [[0.0, -1.0], [-1.0, 1.0], [2.0, 3.0]]
    assert room.squared_distances.tolist() == [1.0, 2.0, 13.0]
    assert room.error == pytest.approx(16 / 3)


def test_a_class_does_not_change() -> None:
    room = small_room()
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'rates'"):
        room.rates = [1.0]  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        room.states[0, 0] = 1.0
    assert room.names == ("Ada", "Ben", "Cleo")


def test_arrays_stay_in_their_library_and_on_their_device() -> None:
    states = strict.ones((2, 3), dtype=strict.float32)
    room = Classroom(states, [0.1, 0.2], np.zeros(3))
    assert room.states is states
    assert room.error == pytest.approx(3.0)
    mine = np.ones((2, 3))
    assert np.shares_memory(Classroom(mine, [0.1, 0.2], np.zeros(3)).states, mine)


@pytest.mark.parametrize("xp", [np, strict])
def test_a_subset_has_only_those_students_in_that_order(xp: Any) -> None:
    room = small_room(states=xp.asarray([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]]), state_radius=9.0)
    part = room.subset([2, 0])
    assert to_numpy(part.states).tolist() == [[3.0, 4.0], [1.0, 0.0]]
    assert to_numpy(part.rates).tolist() == [0.1, 0.5]
    assert part.names == ("Cleo", "Ada")
    assert part.state_radius == 9.0


@pytest.mark.parametrize("rows", [[3], [-1]])
def test_a_subset_must_be_of_the_class(rows: list[int]) -> None:
    with pytest.raises(ValueError, match="`students` must be numbers from 0 to 2"):
        small_room().subset(rows)


@pytest.mark.parametrize("rows", [[], [True, False, True]])
def test_a_subset_is_a_list_of_students(rows: list[Any]) -> None:
    with pytest.raises(ValueError, match="`students` must be a list of one or more students"):
        small_room().subset(rows)


def test_new_states_keep_the_rest() -> None:
    room = small_room()
    moved = room.with_states(np.zeros((3, 2)))
    assert moved.error == 0.0
    assert moved.names == room.names
    assert room.error > 0


def test_a_class_states_its_size() -> None:
    assert repr(small_room()) == "Classroom(3 students, 2 dimensions, rates 0.1 to 0.5)"
    alone = Classroom([[1.0]], [0.1], [0.0])
    assert repr(alone) == "Classroom(1 student, 1 dimension, rates 0.1 to 0.1)"


class TestSample:
    def test_draws_rates_then_target_then_states(self) -> None:
        rng = np.random.default_rng(5)
        rates = 0.05 + 0.2 * rng.random(300)
        target = rng.standard_normal(25)
        target /= np.linalg.norm(target)
        states = rng.standard_normal((300, 25))
        room = Classroom.sample(seed=5)
        np.testing.assert_allclose(room.rates, rates, rtol=1e-14)
        np.testing.assert_allclose(room.target, target, rtol=1e-13)
        np.testing.assert_array_equal(room.states, states)

    def test_takes_a_generator_as_its_seed(self) -> None:
        one = Classroom.sample(students=4, seed=np.random.default_rng(3))
        other = Classroom.sample(students=4, seed=3)
        np.testing.assert_array_equal(one.states, other.states)

    def test_stays_inside_the_ball(self) -> None:
        room = Classroom.sample(students=50, state_radius=0.5)
        assert np.linalg.norm(room.states, axis=1).max() <= 0.5 * (1 + 1e-15)
        assert np.linalg.norm(room.target) == pytest.approx(0.5)

    def test_splits_students_evenly_over_clusters(self) -> None:
        room = Classroom.sample(
            students=9, dimensions=4, clusters=3, cluster_distance=100.0, spread=0.1
        )
        assert room.states.argmax(axis=1).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
        assert room.states.max(axis=1).round().tolist() == [100.0] * 9

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"students": 0}, "`students` must be at least 1, but is 0"),
            ({"dimensions": 0}, "`dimensions` must be at least 1, but is 0"),
            ({"clusters": 26}, "`clusters` must be at least 0 and at most 25, but is 26"),
            ({"rates": (0.2, 0.1)}, "`rates` must be two positive numbers"),
            ({"state_radius": -1.0}, "`state_radius` must be positive, but is -1"),
            ({"state_radius": math.nan}, "`state_radius` must be positive, but is nan"),
            ({"example_radius": 0.0}, "`example_radius` must be positive and finite, but is 0"),
            ({"spread": math.nan}, "`spread` must be finite and not negative, but is nan"),
            ({"spread": -1.0}, "`spread` must be finite and not negative, but is -1"),
            ({"cluster_distance": math.inf}, "`cluster_distance` must be finite and not negative"),
        ],
    )
    def test_refuses_impossible_settings(self, settings: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Classroom.sample(**settings)

    def test_the_spread_is_a_number(self) -> None:
        with pytest.raises(TypeError, match="`spread` must be a number, but is 'a'"):
            Classroom.sample(spread="a")  # type: ignore[arg-type]


class TestProject:
    @given(states=POINTS, radius=st.floats(1e-3, 1e5))
    def test_the_result_is_in_the_ball(self, states: Floats, radius: float) -> None:
        """|Proj(w)| <= D_W, to the last digit but a few."""
        assert np.linalg.norm(project(states, radius), axis=1).max() <= radius * (1 + 1e-14)

    @given(states=POINTS, radius=st.floats(1e-3, 1e5))
    def test_projecting_twice_is_projecting_once(self, states: Floats, radius: float) -> None:
        """Proj(Proj(w)) = Proj(w)."""
        once = project(states, radius)
        np.testing.assert_allclose(project(once, radius), once, rtol=1e-14, atol=1e-300)

    @given(states=POINTS, radius=st.floats(1e-3, 1e5))
    def test_students_inside_the_ball_are_unchanged_bit_for_bit(
        self, states: Floats, radius: float
    ) -> None:
        """Proj(w) = w for |w| <= D_W."""
        inside = np.sqrt((states * states).sum(axis=1)) <= radius
        assert project(states, radius)[inside].tobytes() == states[inside].tobytes()

    @given(states=POINTS, radius=st.floats(1e-3, 1e5))
    def test_the_result_is_the_nearest_point_of_the_ball(
        self, states: Floats, radius: float
    ) -> None:
        """Outside the ball, Proj(w) = D_W w / |w|."""
        lengths = np.array([[math.hypot(*row)] for row in states])
        outside = lengths[:, 0] > radius * (1 + 1e-12)
        expected = radius * (states[outside] / lengths[outside])
        np.testing.assert_allclose(
            project(states, radius)[outside], expected, rtol=1e-12, atol=1e-300
        )

    def test_without_a_ball_nothing_happens(self) -> None:
        states = np.ones((2, 2))
        assert project(states, math.inf) is states

    def test_the_input_is_not_modified(self) -> None:
        states = np.array([[3.0, 4.0]])
        project(states, 1.0)
        assert states.tolist() == [[3.0, 4.0]]

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_precision_and_library_are_kept(self, dtype: str) -> None:
        for xp in (np, strict):
            states = xp.asarray([[3.0, 4.0], [0.0, 0.0]], dtype=getattr(xp, dtype))
            found = project(states, 1.0)
            assert found.dtype == states.dtype
            np.testing.assert_allclose(to_numpy(found), [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)


class TestStaysInBall:
    def test_without_a_ball(self) -> None:
        assert stays_in_ball(small_room())

    def test_in_a_wide_ball_only(self) -> None:
        """|w*| + max |e_j| <= D_W keeps all students inside while none moves away."""
        states, target = [[1.0, 0.0], [-1.0, 0.0]], [1.0, 0.0]
        assert stays_in_ball(Classroom(states, [0.1] * 2, target, state_radius=3.0))
        assert not stays_in_ball(Classroom(states, [0.1] * 2, target, state_radius=2.9))


def test_an_example_is_its_magnitude_times_its_direction() -> None:
    """x = gamma u with |u| = 1."""
    example = Example(np.array([1.0, -2.0, 2.0]), y=0.5)
    assert example.magnitude == 3.0
    np.testing.assert_allclose(example.magnitude * example.direction, example.x)


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int64, np.float16, np.float32])
def test_the_magnitude_of_an_example_of_any_number_type_does_not_overflow(kind: type) -> None:
    example = Example(np.array([16, 100], dtype=kind), y=1.0)
    assert example.x.dtype == np.float64
    assert example.magnitude == pytest.approx(np.hypot(16, 100))
    assert np.linalg.norm(example.direction) == pytest.approx(1.0)


def test_a_synthesised_example_has_no_item() -> None:
    assert Example(np.ones(1), 1.0).item is None
    assert Example(np.ones(1), 1.0, item=7).item == 7


def test_an_example_is_immutable() -> None:
    with pytest.raises(AttributeError, match="cannot assign"):
        Example(np.ones(1), 1.0).y = 2.0  # type: ignore[misc]
