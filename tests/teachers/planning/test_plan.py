"""A plan, and what it is expected to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, EveryoneGoal, GradientLearner, ItemPool
from homeroom._arrays import Floats
from homeroom.engines import ExactClass
from homeroom.goals import AbstractGoal
from homeroom.moments import sketch_of
from homeroom.teachers.planning.plan import LessonPlan, Request, plan_for
from homeroom.teachers.planning.population import Population, of_sketch, population_of
from homeroom.teachers.planning.transients import ClassLimits, StudentLimits


def for_students(room: Classroom, goal: AbstractGoal) -> Population:
    return population_of(ExactClass(room, GradientLearner(), np.random.default_rng(0)).look(), goal)


def planned(whom: Population, goal: AbstractGoal = AverageGoal(0.1), **settings: Any) -> LessonPlan:
    rows, dimensions = whom.representatives, whom.representatives.gaps.shape[1]
    limits = (
        StudentLimits.at_start(rows.gaps, rows.rates, goal, 0.0)
        if rows.counted.any()
        else ClassLimits(float(rows.rates.min()), rows.fastest, dimensions, 0.0)
    )
    standard = {"ceiling": 4.0, "polish": True, "at_most": 1000, "budget": 2e9, "limits": limits}
    request = Request(goal, **standard | settings)
    return plan_for(whom, request, np.random.default_rng(0))


@pytest.mark.parametrize("goal", [AverageGoal(0.1), EveryoneGoal(0.5)])
def test_a_plan_has_the_expected_effect(
    goal: AbstractGoal,
    make_room: Callable[..., Classroom],
    replay: Callable[[Classroom, Floats], list[Floats]],
) -> None:
    """Replaying it on the students gives the errors it expects, and the goal at its end."""
    room = make_room(0.9)
    plan = planned(for_students(room, goal), goal)
    along = replay(room, plan.xs)
    np.testing.assert_allclose(plan.expected, [one.mean() for one in along], rtol=1e-9)
    assert plan.reached
    assert goal.reached(along[-1].mean(), float(np.sqrt(along[-1].max())))
    assert plan.worst_transient <= 2.0
    assert (plan.items == -1).all()


@pytest.mark.slow
def test_a_plan_from_a_sketch_has_the_expected_effect_on_the_students(
    make_room: Callable[..., Classroom],
    replay: Callable[[Classroom, Floats], list[Floats]],
) -> None:
    room = make_room(0.9, students=600)
    plan = planned(of_sketch(sketch_of(room)))
    end = replay(room, plan.xs)[-1].mean()
    assert end <= 0.1
    assert plan.expected[-1] == pytest.approx(end, rel=1e-9)


@pytest.mark.slow
def test_a_plan_from_a_coarse_sketch_is_corrected_by_a_finer_one(
    make_room: Callable[..., Classroom],
) -> None:
    """Where nine and seventeen nodes disagree, the plan satisfies the seventeen."""
    room = make_room(8.0, students=400, dimensions=2)
    whom = of_sketch(sketch_of(room, nodes=19))
    assert whom.finer is not None
    plan = planned(whom)
    gaps = room.gaps
    for x in plan.xs:
        gaps = gaps - (room.rates * (gaps @ x))[:, None] * x
    assert plan.reached
    assert float((gaps**2).sum(axis=1).mean()) == pytest.approx(plan.expected[-1], rel=0.02)


@pytest.mark.slow
def test_with_too_few_rounds_it_uses_all_and_reports_the_miss(
    make_room: Callable[..., Classroom],
) -> None:
    plan = planned(for_students(make_room(), AverageGoal()), at_most=5)
    assert plan.rounds == 5
    assert not plan.reached


def test_a_plan_from_a_pool_names_its_items(make_room: Callable[..., Classroom]) -> None:
    room = make_room(students=20, dimensions=3)
    items = np.random.default_rng(0).standard_normal((20, 3))
    items *= 1.5 / np.linalg.norm(items, axis=1, keepdims=True)
    plan = planned(for_students(room, AverageGoal()), pool=ItemPool(items))
    assert plan.reached
    np.testing.assert_array_equal(items[plan.items], plan.xs)


def test_planning_reports_how_far_it_is(make_room: Callable[..., Classroom]) -> None:
    said: list[tuple[float, int]] = []
    planned(
        for_students(make_room(), AverageGoal()),
        report=lambda share, rounds: said.append((share, rounds)),
    )
    shares = [share for share, _ in said]
    assert len(said) > 3
    assert shares == sorted(shares)
    assert all(rounds > 0 for _, rounds in said)
