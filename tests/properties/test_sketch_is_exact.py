"""The sketch gives the same lesson as the students."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import AverageGoal, Classroom, ClassroomTeacher, teach


@st.composite
def classes(draw: st.DrawFn) -> Classroom:
    """Classes whose rates go over up to two decades, by one of three laws."""
    students, dimensions = draw(st.integers(20, 800)), draw(st.sampled_from([1, 2, 5, 12, 40, 100]))
    slowest, wide = draw(st.floats(0.02, 0.5)), draw(st.floats(1.01, 100.0))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    even = rng.random(students)
    law = draw(st.sampled_from(["even", "mostly slow", "a few fast"]))
    rates = {
        "even": slowest * (1 + (wide - 1) * even),
        "mostly slow": slowest * wide ** (even**3),
        "a few fast": np.where(even < 0.05, slowest * wide, slowest * (1 + 0.2 * even)),
    }[law]
    states = rng.standard_normal((students, dimensions)) * rng.lognormal(size=(students, 1))
    return Classroom(
        states, rates, rng.standard_normal(dimensions), example_radius=draw(st.floats(0.5, 5.0))
    )


@pytest.mark.slow
@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    room=classes(),
    eps=st.floats(1e-6, 0.3),
    magnitude=st.sampled_from(["static", "dynamic", "joint", "best"]),
    safe=st.booleans(),
)
def test_the_sketch_is_exact(room: Classroom, eps: float, magnitude: str, safe: bool) -> None:
    """Rounds within one per cent; the error that its examples bring about, to 1e-9 of itself and
    never farther off than it says (but for 1e-13)."""
    lesson: dict[str, Any] = {
        "teacher": ClassroomTeacher(magnitude, safe=safe),
        "goal": AverageGoal(eps * room.error),
        "max_rounds": 1000,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about examples that are long for a student
        sketched = teach(room, engine="sketch", **lesson)
        exact = teach(room, engine="exact", **lesson)
    assert abs(sketched.rounds - exact.rounds) <= max(1, 0.01 * exact.rounds)
    gaps = np.array(room.gaps)
    for x in sketched.examples.xs:
        gaps -= (room.rates * (gaps @ x))[:, None] * x
    truth = float((gaps**2).sum(axis=1).mean())
    assert abs(sketched.errors[-1] - truth) <= 1e-9 * truth
    assert abs(sketched.errors[-1] - truth) <= sketched.error_estimate + 1e-13 * room.error
