"""Checks of arguments: what they accept, and what their errors say."""

import math
import pickle
from collections.abc import Callable
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
from tests.bad_input import refuse

GOOD: dict[str, Any] = {
    "states": [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]],
    "rates": [0.5, 0.25, 0.1],
    "target": [0.6, 0.8],
}


BAD_CLASSES: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("states", [[1.0, 2.0], 1.0, np.ones((2, 2, 2)), np.ones((0, 2)), np.ones((3, 0))], {}),
    ("states[1, 1]", [[[1, 2], [3, math.nan], [5, 6]]], {}),
    ("states[0, 1]", [[[1, math.inf], [3, -math.inf], [5, 6]]], {}),
    ("rates", [[0.1, 0.2], [[0.1, 0.2, 0.3]], [0.1, math.nan, 0.3], [0.1, 0.2, 0.0]], {}),
    ("student 1 has -0.2", [[0.1, -0.2, 0.0]], {}),
    ("target", [[1.0], [1.0, math.inf]], {}),
    ("target", [[3.0, 4.0], [1e99, 0.0]], {"state_radius": 4.0}),
    ("states", [[[1e99, 0]] * 3], {"state_radius": 9.0}),
    ("state_radius", [1.5, 0.0, -1, math.nan, "wide"], {}),
    ("example_radius", [0, -2.0, math.inf, "2.0", None], {}),
    ("names", [["Ada"], "Ada", [1, 2, 3]], {}),
    ("states", [[[1.0, 2.0], [3.0]], [["a", "b"]], None, [[10**400, 1.0]]], {}),
    ("states", [np.ones((3, 2), dtype=complex), np.array([["a"]]), np.array([[object()]])], {}),
    ("states", [strict.ones((3, 2), dtype=strict.int64)], {}),
    ("rates", [strict.ones(3)], {}),
]
"""What the error must name, values of the argument, and further arguments."""


@pytest.mark.parametrize(
    ("named", "value", "others"),
    [(named, value, others) for named, values, others in BAD_CLASSES for value in values],
)
def test_an_invalid_class_is_refused(named: str, value: Any, others: dict[str, Any]) -> None:
    """The argument is named, and what was expected, also where a value is of the wrong type."""
    argument = "rates" if named.startswith("student") else named.partition("[")[0]
    with pytest.raises(InputError) as refused:
        Classroom(**(GOOD | {argument: value} | others))
    assert named in str(refused.value)
    assert " must " in str(refused.value)


@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
def test_half_precision_is_refused(precision: str) -> None:
    torch = pytest.importorskip("torch")
    states = torch.ones((2, 2), dtype=getattr(torch, precision))
    refuse(lambda: Classroom(states, [0.1, 0.2], [0.0, 0.0]), "`states`")
    refuse(lambda: Classroom(torch.ones((2, 2)), states[0], [0.0, 0.0]), "`rates`")


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
    refuse(lambda: Classroom(states, [0.1, 0.1], target, state_radius=radius), "`states`")


def test_distances_are_those_of_the_students_precision() -> None:
    states = np.full((2, 1), 1e30, dtype=np.float32)
    refuse(lambda: Classroom(states, [0.1, 0.1], [0.0]), "distances")


def test_a_number_too_large_for_the_states_precision_is_refused() -> None:
    states = np.zeros((1, 1), dtype=np.float32)
    refuse(lambda: Classroom(states, [0.1], [1e300]), "`target`")
    refuse(lambda: Classroom(states, [1e-300], [0.0]), "`rates`")


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="no long double")
def test_a_long_double_beyond_float64_is_refused() -> None:
    states = np.array([["1e4000"]], dtype=np.longdouble)
    refuse(lambda: Classroom(states, [0.1], [0.0]), "`states`")


@pytest.mark.parametrize("dtype", ["i4", "u1", "?", "f2", ">f8", ">f4"])
def test_other_kinds_of_numbers_become_float64(dtype: str) -> None:
    room = Classroom(np.ones((2, 2), dtype=dtype), [0.1, 0.2], [0.0, 0.0])
    assert room.states.dtype == np.float64


def test_points_on_the_sphere_in_single_precision_are_inside() -> None:
    rng = np.random.default_rng(0)
    states = rng.standard_normal((500, 7)).astype(np.float32)
    states *= np.float32(3.0) / np.sqrt((states * states).sum(axis=1, keepdims=True))
    Classroom(states, np.full(500, 0.1), states[0], state_radius=3.0)


def test_whole_numbers_have_limits() -> None:
    assert _checks.whole(np.int32(3), "k", at_least=1) == 3  # type: ignore[arg-type]
    refuse(lambda: _checks.whole(1, "k", at_least=2, at_most=5), "`k`")
    refuse(lambda: _checks.whole(7, "k", at_least=2, at_most=5), "`k`")


BAD_VALUES: list[tuple[str, Callable[[Any], object], list[Any]]] = [
    ("k", lambda value: _checks.whole(value, "k", at_least=1), [2.0, "2", True, None, 0]),
    (
        "delta",
        lambda value: _checks.not_negative(value, "delta", example="0.5"),
        [-0.1, math.nan, math.inf],
    ),
    (
        "rates",
        lambda value: _checks.interval(value, "rates"),
        [(0.2, 0.1), (0.0, 0.1), (0.1, math.inf), 0.1, (0.1,), (1, 2, 3), ("a", "b"), None],
    ),
    (
        "students",
        lambda value: _checks.check_students(value, 3),
        [[], [[0]], [True, False, True], [0.0], 1, [-1], [0, 3]],
    ),
    ("items", lambda value: _checks.width(value, "items", 3), [np.ones((5, 4))]),
]
"""The argument that the error must name, the check, and values that it refuses."""


@pytest.mark.parametrize(
    ("named", "check", "value"),
    [(named, check, value) for named, check, values in BAD_VALUES for value in values],
)
def test_an_invalid_value_is_refused(
    named: str, check: Callable[[Any], object], value: Any
) -> None:
    refuse(lambda: check(value), f"`{named}` must")


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
