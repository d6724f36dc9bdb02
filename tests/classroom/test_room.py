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
from tests.bad_input import refuse

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


@pytest.mark.parametrize("rows", [[], [True, False, True], [3], [-1]])
def test_a_subset_is_a_list_of_students(rows: list[Any]) -> None:
    refuse(lambda: small_room().subset(rows), "`students`")


class TestSample:
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
            ({"students": 0}, "`students`"),
            ({"dimensions": 0}, "`dimensions`"),
            ({"clusters": 26}, "`clusters`"),
            ({"rates": (0.2, 0.1)}, "`rates`"),
            ({"state_radius": -1.0}, "`state_radius`"),
            ({"state_radius": math.nan}, "`state_radius`"),
            ({"example_radius": 0.0}, "`example_radius`"),
            ({"spread": math.nan}, "`spread`"),
            ({"spread": -1.0}, "`spread`"),
            ({"spread": "a"}, "`spread`"),
            ({"cluster_distance": math.inf}, "`cluster_distance`"),
        ],
    )
    def test_refuses_impossible_settings(self, settings: dict[str, Any], message: str) -> None:
        refuse(lambda: Classroom.sample(**settings), message)


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

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_precision_and_library_are_kept(self, dtype: str) -> None:
        for xp in (np, strict):
            states = xp.asarray([[3.0, 4.0], [0.0, 0.0]], dtype=getattr(xp, dtype))
            found = project(states, 1.0)
            assert found.dtype == states.dtype
            np.testing.assert_allclose(to_numpy(found), [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)


class TestStaysInBall:
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
