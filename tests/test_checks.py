"""Checks of arguments: what they accept, and what their errors say."""

import math
import pickle
from pathlib import Path
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import homeroom
from homeroom import (
    AsGiven,
    Classroom,
    ClassroomTeacher,
    InputError,
    InputTypeError,
    ItemPool,
    Lesson,
    PoolTeacher,
    RandomTeacher,
    _checks,
    certify,
    compare,
    teach,
)

GOOD: dict[str, Any] = {
    "states": [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]],
    "rates": [0.5, 0.25, 0.1],
    "target": [0.6, 0.8],
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": [1.0, 2.0]}, r"`states` must have shape \(students, dimensions\), but has "
                                 r"shape \(2,\)\. For a single row, write states=\[\[\.\.\.\]\]"),
        ({"states": 1.0}, r"`states` must have shape .* but has shape \(\)"),
        ({"states": np.ones((2, 2, 2))}, r"`states` must have shape .* shape \(2, 2, 2\)"),
        ({"states": np.ones((0, 2))}, r"at least one row and one column, .* shape \(0, 2\)"),
        ({"states": np.ones((3, 0))}, r"at least one row and one column, .* shape \(3, 0\)"),
        ({"states": [[1, 2], [3, math.nan], [5, 6]]}, r"`states` must be finite, but "
                                                      r"states\[1, 1\] is nan\. Fill in"),
        ({"states": [[1, math.inf], [3, -math.inf], [5, 6]]}, r"states\[0, 1\] is inf \(and 1 "
                                                              r"more are not\)"),
        ({"rates": [0.1, 0.2]}, r"`rates` must have one number for each student, shape \(3,\), "
                                r"but has shape \(2,\)"),
        ({"rates": [[0.1, 0.2, 0.3]]}, r"`rates` must have one number .* shape \(1, 3\)"),
        ({"rates": [0.1, math.nan, 0.3]}, r"`rates` must be finite, but rates\[1\] is nan"),
        ({"rates": [0.1, 0.2, 0.0]}, r"`rates` must be positive, but student 2 has 0\.0\. A "
                                     r"student with this rate does not learn\. Drop the row"),
        ({"rates": [0.1, -0.2, 0.0]}, r"student 1 has -0\.2\. A student with this rate moves "
                                      r"away from what is shown\. Drop the row"),
        ({"target": [1.0]}, r"`target` must have one number for each dimension, shape \(2,\), "
                            r"but has shape \(1,\)"),
        ({"target": [1.0, math.inf]}, r"`target` must be finite, but target\[1\] is inf"),
        ({"target": [3.0, 4.0], "state_radius": 4.0}, r"`target` must lie within "
            r"state_radius=4\.0, but its length is 5: no student can reach it\. Raise"),
        ({"state_radius": 1.5}, r"`states` must lie within state_radius=1\.5, but student 1 has "
                                r"length 2\. Raise state_radius, or project"),
        ({"states": [[1e99, 0]] * 3, "state_radius": 9.0}, "`states` must lie within .* 1e.99"),
        ({"target": [1e99, 0.0], "state_radius": 9.0}, "`target` must lie within .* is 1e.99"),
        ({"state_radius": 0.0}, r"`state_radius` must be positive, but is 0\.0\. Try state_rad"),
        ({"state_radius": -1}, "`state_radius` must be positive, but is -1"),
        ({"state_radius": math.nan}, "`state_radius` must be positive, but is nan"),
        ({"example_radius": 0}, "`example_radius` must be positive and finite, but is 0"),
        ({"example_radius": -2.0}, "`example_radius` must be positive and finite, but is -2"),
        ({"example_radius": math.inf}, "`example_radius` must be positive and finite, but is inf"),
        ({"names": ["Ada"]}, "`names` must have one name for each of the 3 students, but has 1"),
    ],
)  # fmt: skip
def test_an_invalid_class_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Classroom(**(GOOD | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": [[1.0, 2.0], [3.0]]}, "`states` must be numbers in rows of equal length"),
        ({"states": [["a", "b"]]}, "`states` must be numbers in rows of equal length"),
        ({"states": None}, "`states` must be numbers|`states` must have shape"),
        ({"states": np.ones((3, 2), dtype=complex)}, "`states` must be real numbers, but has "
                                                     "dtype complex128"),
        ({"states": np.array([["a", "b"]])}, "`states` must be real numbers, but has dtype <U1"),
        ({"states": np.array([[object()]])}, "`states` must be real numbers, but has dtype obj"),
        ({"states": strict.ones((3, 2), dtype=strict.int64)}, "`states` must be float32 or float64"
                                                              ", but has dtype .*int64"),
        ({"states": [[10**400, 1.0]]}, "`states` must be numbers in rows"),
        ({"rates": strict.ones(3)}, "`rates` must be an array of the same library as `states`, "
                                    "but is array_api_strict"),
        ({"state_radius": "wide"}, "`state_radius` must be a number, but is 'wide'"),
        ({"example_radius": "2.0"}, "`example_radius` must be a number, but is '2.0'"),
        ({"example_radius": None}, "`example_radius` must be a number, but is None"),
        ({"names": "Ada"}, "`names` must be a list of texts"),
        ({"names": [1, 2, 3]}, "`names` must be a list of texts"),
    ],
)  # fmt: skip
def test_a_class_of_the_wrong_kind_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Classroom(**(GOOD | changes))


@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
def test_half_precision_is_refused(precision: str) -> None:
    torch = pytest.importorskip("torch")
    states = torch.ones((2, 2), dtype=getattr(torch, precision))
    with pytest.raises(TypeError, match=rf"`states` must be float32 or float64, .*{precision}"):
        Classroom(states, [0.1, 0.2], [0.0, 0.0])
    with pytest.raises(TypeError, match=rf"`rates` must be float32 or float64, .*{precision}"):
        Classroom(torch.ones((2, 2)), states[0], [0.0, 0.0])


def test_numbers_are_taken_while_their_squares_are_finite() -> None:
    room = Classroom([[1e150, 1e150], [-1e150, 1e150]], [1.0, 1.0], [1e150, 0.0])
    assert math.isfinite(room.error)
    assert (room.squared_distances < math.inf).all()


@pytest.mark.parametrize(
    ("states", "target"),
    [([[1e200, 0.0], [1.0, 1.0]], [0.0, 0.0]), ([[1.0, 0.0], [1.0, 1.0]], [0.0, -1e200])],
)
@pytest.mark.parametrize("radius", [math.inf, 1e201])
def test_distances_whose_squares_are_infinite_are_refused(
    states: Any, target: Any, radius: float
) -> None:
    with pytest.raises(
        ValueError,
        match=r"`states` .*squared distances fit into float64, but .*1e\+200.*Divide both",
    ):
        Classroom(states, [0.1, 0.1], target, state_radius=radius)


def test_distances_are_those_of_the_students_precision() -> None:
    states = np.full((2, 1), 1e30, dtype=np.float32)
    with pytest.raises(ValueError, match="squared distances fit into float32"):
        Classroom(states, [0.1, 0.1], [0.0])


def test_a_number_too_large_for_the_states_precision_is_refused() -> None:
    states = np.zeros((1, 1), dtype=np.float32)
    with pytest.raises(ValueError, match=r"`target` must be finite, but target\[0\] is inf"):
        Classroom(states, [0.1], [1e300])
    with pytest.raises(ValueError, match=r"`rates` must be positive, but student 0 has 0\.0"):
        Classroom(states, [1e-300], [0.0])


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="no long double")
def test_a_long_double_beyond_float64_is_refused() -> None:
    states = np.array([["1e4000"]], dtype=np.longdouble)
    with pytest.raises(ValueError, match=r"`states` must be finite, but states\[0, 0\] is inf"):
        Classroom(states, [0.1], [0.0])


@pytest.mark.parametrize("dtype", ["i4", "u1", "?", "f2", ">f8", ">f4"])
def test_other_kinds_of_numbers_become_float64(dtype: str) -> None:
    room = Classroom(np.ones((2, 2), dtype=dtype), [0.1, 0.2], [0.0, 0.0])
    assert room.states.dtype == np.float64


def test_vectors_take_the_precision_of_the_states() -> None:
    for xp in (np, strict):
        states = xp.zeros((2, 2), dtype=xp.float32)
        room = Classroom(states, xp.asarray([0.1, 0.2]), [0.0, 0.0])
        assert room.rates.dtype == xp.float32
        assert room.target.dtype == xp.float32


def test_points_on_the_sphere_in_single_precision_are_inside() -> None:
    rng = np.random.default_rng(0)
    states = rng.standard_normal((500, 7)).astype(np.float32)
    states *= np.float32(3.0) / np.sqrt((states * states).sum(axis=1, keepdims=True))
    Classroom(states, np.full(500, 0.1), states[0], state_radius=3.0)


def test_whole_numbers_have_limits() -> None:
    assert _checks.whole(np.int32(3), "k", at_least=1) == 3  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`k` must be at least 2 and at most 5, but is 7"):
        _checks.whole(7, "k", at_least=2, at_most=5)
    with pytest.raises(ValueError, match="`k` must be at least 2, but is 1"):
        _checks.whole(1, "k", at_least=2)


@pytest.mark.parametrize("value", [2.0, "2", True, None])
def test_whole_numbers_are_whole(value: Any) -> None:
    with pytest.raises(TypeError, match="`k` must be a whole number, but is"):
        _checks.whole(value, "k", at_least=1)


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf])
def test_what_must_not_be_negative_must_be_finite_too(value: float) -> None:
    assert _checks.not_negative(0.0, "delta", example="0.5") == 0.0
    with pytest.raises(ValueError, match=r"`delta` must be finite and not negative, .* delta=0\.5"):
        _checks.not_negative(value, "delta", example="0.5")


@pytest.mark.parametrize("value", [(0.2, 0.1), (0.0, 0.1), (-1, 1), (0.1, math.inf)])
def test_an_interval_is_positive_and_low_first(value: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match=r"`rates` must be two positive numbers \(low, high\)"):
        _checks.interval(value, "rates")


@pytest.mark.parametrize("value", [0.1, (0.1,), (1, 2, 3), ("a", "b"), None])
def test_an_interval_is_two_numbers(value: Any) -> None:
    with pytest.raises(TypeError, match=r"`rates` must be two numbers \(low, high\), but is"):
        _checks.interval(value, "rates")


@pytest.mark.parametrize("value", [[], [[0]], [True, False, True], [0.0], 1])
def test_chosen_students_are_a_list_of_numbers(value: Any) -> None:
    with pytest.raises(ValueError, match="`students` must be a list of one or more students"):
        _checks.chosen(value, 3)


@pytest.mark.parametrize("value", [[-1], [0, 3]])
def test_chosen_students_are_in_the_class(value: Any) -> None:
    with pytest.raises(ValueError, match="`students` must be numbers from 0 to 2, but go from"):
        _checks.chosen(value, 3)


def test_a_pool_has_the_width_of_the_classs_examples() -> None:
    _checks.width(np.ones((5, 3)), "items", 3)
    with pytest.raises(
        ValueError,
        match="`items` must have 3 columns, one for each dimension of "
        "an example in this class, but have 4",
    ):
        _checks.width(np.ones((5, 4)), "items", 3)


def test_wrong_input_has_its_own_error_type() -> None:
    """Callers may catch ValueError and TypeError, and can still tell bad input from a bug."""
    with pytest.raises(InputError) as value:
        Classroom(**(GOOD | {"rates": [0.1]}))
    with pytest.raises(InputTypeError) as kind:
        Classroom(**(GOOD | {"names": "Ada"}))
    assert isinstance(value.value, ValueError)
    assert isinstance(kind.value, TypeError)
    assert isinstance(kind.value, InputError)
    assert pickle.loads(pickle.dumps(kind.value)).args == kind.value.args


def test_a_tensor_that_tracks_gradients_is_taken_without_a_warning() -> None:
    torch = pytest.importorskip("torch")
    states = torch.ones((3, 2), dtype=torch.float64, requires_grad=True)
    rates = torch.full((3,), 0.5, dtype=torch.float64, requires_grad=True)
    target = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    room = Classroom(states, rates, target)
    assert not room.states.requires_grad
    assert teach(room).rounds == teach(Classroom(np.ones((3, 2)), [0.5] * 3, [0.0, 0.0])).rounds


def test_warnings_are_about_the_line_that_called_the_package() -> None:
    """Whatever the number of functions in between, so that users find what to change."""
    room = Classroom([[8.0, 0.0], [0.3, 1.0]], [0.1, 0.9], [0.0, 0.0])
    pool = ItemPool([[1.0, 0.0], [9.0, 9.0], [0.5, 0.0]])
    teacher = ClassroomTeacher("joint")
    calls = (
        lambda: teach(room, teacher=PoolTeacher(pool), max_rounds=3),
        lambda: teach(room, teacher=RandomTeacher(pool), max_rounds=3),
        lambda: teach(room, teacher=teacher, engine="exact"),
        lambda: teach(room, teacher=teacher, engine="sketch"),
        lambda: teach(room, teacher=teacher, groups=AsGiven([0, 0])),
        lambda: Lesson(room, teacher=teacher).ask(),
        lambda: certify(room, teacher=PoolTeacher(pool)),
        lambda: compare(room, teacher=teacher),
        lambda: pool.fit(2, 2.0),
    )
    named = r"groups=|`items`|`example_radius`|`pool`"
    for call in calls:
        with pytest.warns(UserWarning, match=named) as said:
            call()
        for warning in said:
            assert warning.filename == __file__
            assert warning.lineno == call.__code__.co_firstlineno


def test_warnings_in_a_package_with_a_similar_name_are_about_its_line() -> None:
    file = f"{Path(homeroom.__file__).parent}_of_mine/module.py"
    code = compile("\n\npool.fit(2, 2.0)", file, "exec")
    with pytest.warns(UserWarning, match="`items`") as said:
        exec(code, {"pool": ItemPool([[1.0, 0.0], [9.0, 9.0]])})
    assert (said[0].filename, said[0].lineno) == (file, 3)
