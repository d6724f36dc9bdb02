"""Laws of planning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from homeroom import AverageGoal, Classroom, GradientLearner, PlannedTeacher, teach
from homeroom._arrays import Floats
from homeroom.engines import ExactClass
from homeroom.teachers.planning.axes import best_lengths
from homeroom.teachers.planning.plan import make_plan
from homeroom.teachers.planning.population import observe_population
from homeroom.teachers.planning.request import BUDGET, Request
from homeroom.teachers.planning.transients import StudentLimits

seeds = st.integers(0, 2**32 - 1)


def a_class(rng: np.random.Generator, students: int, dimensions: int) -> Classroom:
    rates = 0.05 + rng.choice([0.2, 1.0, 5.0]) * rng.random(students)
    states = rng.standard_normal((students, dimensions)) * (0.1 + rng.random(dimensions))
    target = 0.5 * rng.standard_normal(dimensions)
    return Classroom(states, rates, target, example_radius=float(rng.choice([1.0, 2.0, 5.0])))


def left_along(g: Floats, rates: Floats, energies: Floats) -> float:
    factors = np.prod([1.0 - rates * one for one in g], axis=0)
    return float(energies @ factors**2)


@given(seeds, st.integers(1, 5), st.sampled_from([0.5, 1.0, 2.0, 4.0, 1e6]))
def test_no_other_lengths_along_a_direction_leave_less(
    seed: int, count: int, ceiling: float
) -> None:
    """The Gauss nodes, and those at the ceiling, are a minimum over all allowed lengths."""
    rng = np.random.default_rng(seed)
    rates, energies = 0.1 + rng.random(12), rng.random(12)
    found = best_lengths(rates, energies, count, ceiling)
    assert found.left == pytest.approx(left_along(found.g, rates, energies), rel=1e-9, abs=1e-15)
    for _ in range(4):
        start = np.minimum(1.0 / rng.choice(rates, count), ceiling)
        other = minimize(
            left_along,
            start,
            args=(rates, energies),
            bounds=[(0.0, ceiling)] * count,
            method="L-BFGS-B",
        )
        assert found.left <= other.fun * (1 + 1e-6) + 1e-12


@given(seeds, st.integers(1, 12), st.integers(1, 4))
@settings(max_examples=8)
def test_in_a_safe_plan_no_student_ever_moves_away(
    seed: int, students: int, dimensions: int
) -> None:
    """No student's distance grows in any round, not even by a rounding error."""
    room = a_class(np.random.default_rng(seed), students, dimensions)
    teacher = PlannedTeacher(safe=True, polish=bool(seed % 2))
    record = teach(
        room, teacher=teacher, goal=AverageGoal(0.05), watch=range(students), max_rounds=60
    )
    grown = np.diff(record.watched_errors, axis=0)
    assert (grown <= 1e-12 * record.watched_errors[:-1]).all()


@given(seeds, st.integers(2, 30), st.integers(1, 4))
@settings(max_examples=15)
def test_a_plan_reaches_the_goal_in_no_more_rounds_than_classroom_teaching(
    seed: int, students: int, dimensions: int
) -> None:
    room = a_class(np.random.default_rng(seed), students, dimensions)
    planned = teach(room, teacher=PlannedTeacher(polish=False), max_rounds=2000)
    joint = teach(room, teacher="classroom:magnitude=joint,safe=true", max_rounds=2000)
    static = teach(room, max_rounds=2000)
    assert planned.rounds <= min(joint.rounds, static.rounds)


def best_on_a_grid(room: Classroom, rounds: int) -> float:
    """Return the least error of all lessons on a grid of examples, the best of them refined."""
    radius, width = room.example_radius, room.dimensions
    lengths = radius * np.linspace(0.2, 1.0, 5)
    angles = np.pi * np.arange(9 if width == 2 else 1) / 9
    units = np.stack([np.cos(angles), np.sin(angles)], axis=1)[:, :width]
    grid = (lengths[:, None, None] * units).reshape(-1, width)
    gaps, lessons = room.gaps[None], np.zeros((1, 0), dtype=np.int64)
    for _ in range(rounds):  # all lessons as long as they are few, then the best five thousand
        answers = room.rates * (grid @ gaps.transpose(0, 2, 1))
        moves = answers[..., None] * grid[:, None, :]
        gaps = (gaps[:, None] - moves).reshape(-1, *room.gaps.shape)
        last = np.tile(np.arange(len(grid)), len(lessons))
        lessons = np.column_stack([np.repeat(lessons, len(grid), axis=0), last])
        order = np.argsort((gaps**2).sum(axis=(1, 2)))[:5000]
        gaps, lessons = gaps[order], lessons[order]
    return min(refined(room, grid[lesson]) for lesson in lessons[:12])


def refined(room: Classroom, xs: Floats) -> float:
    def error(place: Floats) -> float:
        gaps = room.gaps
        for length, free in zip(*parts(place), strict=True):
            x = length * free / np.linalg.norm(free)
            gaps = gaps - (room.rates * (gaps @ x))[:, None] * x
        return float((gaps**2).sum(axis=1).mean())

    def parts(place: Floats) -> tuple[Floats, Floats]:
        return place[: len(xs)], place[len(xs) :].reshape(xs.shape)

    lengths = np.linalg.norm(xs, axis=1)
    limits = [(0.0, room.example_radius)] * len(xs) + [(None, None)] * xs.size
    start = np.concatenate([lengths, (xs / lengths[:, None]).reshape(-1)])
    return float(minimize(error, start, method="L-BFGS-B", bounds=limits).fun)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_on_tiny_classes_a_plan_is_as_good_as_a_fine_search(seed: int) -> None:
    """At most 4 students, 2 dimensions, 4 rounds: within 1 % of a grid with local refinement."""
    rng = np.random.default_rng(seed)
    students, dimensions, rounds = rng.integers(1, 5), rng.integers(1, 3), rng.integers(1, 5)
    room = a_class(rng, int(students), int(dimensions))
    seen = ExactClass(room, GradientLearner(), rng).look()
    out_of_reach = AverageGoal(1e-300)
    any_distance = np.full(room.students, np.inf)
    request = Request(
        out_of_reach,
        room.example_radius**2,
        polish=True,
        at_most=int(rounds),
        limits=StudentLimits(room.gaps, room.rates, any_distance, 0.0, np.inf),
        budget=BUDGET / 10,
    )
    plan = make_plan(observe_population(seen, out_of_reach), request, rng)
    nothing = 1e-7 * float(room.squared_distances.mean())
    assert plan.expected[-1] + nothing <= 1.01 * (best_on_a_grid(room, int(rounds)) + nothing)
