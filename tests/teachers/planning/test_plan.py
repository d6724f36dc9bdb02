"""A plan, and what it is expected to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, EveryoneGoal, GradientLearner
from homeroom.engines import ExactClass
from homeroom.goals import ClassProgress, DistanceGoal
from homeroom.moments import sketch_of
from homeroom.teachers.planning.plan import LessonPlan, make_plan
from homeroom.teachers.planning.population import Population, observe_population, represent_sketch
from homeroom.teachers.planning.request import Request
from homeroom.teachers.planning.transients import ClassLimits, StudentLimits
from tests.teachers.planning.small_classes import make_room, replay


def for_students(room: Classroom, goal: DistanceGoal) -> Population:
    return observe_population(
        ExactClass(room, GradientLearner(), np.random.default_rng(0)).look(), goal
    )


def planned(whom: Population, goal: DistanceGoal = AverageGoal(0.1), **settings: Any) -> LessonPlan:
    rows, dimensions = whom.representatives, whom.representatives.gaps.shape[1]
    limits = (
        StudentLimits.at_start(rows.gaps, rows.rates, goal, 0.0)
        if rows.counted.any()
        else ClassLimits(float(rows.rates.min()), rows.fastest, dimensions, 0.0)
    )
    standard = {"ceiling": 4.0, "polish": True, "at_most": 1000, "budget": 2e9, "limits": limits}
    request = Request(goal, **standard | settings)
    return make_plan(whom, request, np.random.default_rng(0))


@pytest.mark.parametrize("goal", [AverageGoal(0.1), EveryoneGoal(0.5)])
def test_a_plan_has_the_expected_effect(
    goal: DistanceGoal,
) -> None:
    """Replaying it on the students gives the errors it expects, and the goal at its end."""
    room = make_room(0.9)
    plan = planned(for_students(room, goal), goal)
    along = replay(room, plan.xs)
    np.testing.assert_allclose(plan.expected, [one.mean() for one in along], rtol=1e-9)
    assert plan.reached
    assert goal.reached(ClassProgress(along[-1].mean(), float(np.sqrt(along[-1].max()))))
    assert plan.worst_transient <= 2.0
    assert (plan.items == -1).all()


@pytest.mark.slow
def test_a_plan_from_a_sketch_has_the_expected_effect_on_the_students() -> None:
    room = make_room(0.9, students=600)
    plan = planned(represent_sketch(sketch_of(room)))
    end = replay(room, plan.xs)[-1].mean()
    assert end <= 0.1
    assert plan.expected[-1] == pytest.approx(end, rel=1e-9)


@pytest.mark.slow
def test_a_plan_from_a_coarse_sketch_is_corrected_by_a_finer_one() -> None:
    """Where nine and seventeen nodes disagree, the plan satisfies the seventeen."""
    room = make_room(8.0, students=400, dimensions=2)
    whom = represent_sketch(sketch_of(room, nodes=19))
    assert whom.finer is not None
    plan = planned(whom)
    gaps = room.gaps
    for x in plan.xs:
        gaps = gaps - (room.rates * (gaps @ x))[:, None] * x
    assert plan.reached
    assert float((gaps**2).sum(axis=1).mean()) == pytest.approx(plan.expected[-1], rel=0.02)
