"""Drafts of lessons, and the fewest examples that reach the goal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, EveryoneGoal
from homeroom.goals import DistanceGoal
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.population import Population
from homeroom.teachers.planning.request import BUDGET, Request
from homeroom.teachers.planning.search import Drafter, PlanSearch
from homeroom.teachers.planning.simulation import Simulation
from homeroom.teachers.planning.transients import StudentLimits
from tests.teachers.planning.small_classes import make_limits, make_room, make_simulation, replay


@pytest.fixture
def simulation() -> Simulation:
    return make_simulation(make_room(0.9))


def request_for(simulation: Simulation, **settings: Any) -> Request:
    rows, goal = simulation.representatives, simulation.objective.goal
    limits = StudentLimits.at_start(rows.gaps, rows.rates, goal, within=0.0)
    standard: dict[str, Any] = {"polish": True, "at_most": 1000, "limits": limits}
    return Request(goal, 4.0, **standard | settings)


def drafter_for(simulation: Simulation, **settings: Any) -> Drafter:
    return Drafter(simulation, request_for(simulation, **settings))


def test_the_shortened_lesson_is_shorter_and_reaches_the_goal(
    simulation: Simulation,
) -> None:
    drafter, axes = drafter_for(simulation), Axes(simulation.representatives, 4.0)
    axes.grow(100)
    first = drafter.draft(axes.draft(next(n for n, e in enumerate(axes.errors) if e <= 0.1)))
    found = drafter.shorten(first)
    assert found is not None
    assert found.reached
    assert len(found.xs) < len(first.xs)
    assert simulation.score(found.xs) <= 0.1


def test_every_draft_keeps_the_limits(simulation: Simulation) -> None:
    """The longest first moves students far away: it is shortened, and then polished within."""
    drafter, first = drafter_for(simulation), simulation.representatives.gaps
    xs = Axes(simulation.representatives, 4.0).draft(14)[::-1]
    room = Classroom(first, simulation.representatives.rates, np.zeros(first.shape[1]))
    limits = StudentLimits.at_start(room.gaps, room.rates, simulation.objective.goal, 0.0).squared
    assert (np.array(replay(room, xs)) / limits).max() > 1.1
    draft = drafter.draft(xs)
    polished = drafter.polish(draft, 100)
    assert polished.score < draft.score
    for lesson in (draft, polished, drafter.draft(xs, longer=True)):
        assert (np.array(replay(room, lesson.xs)) / limits).max() <= 1.0 + 1e-12
    assert len(drafter.watched.rates)


def search_for(simulation: Simulation, **settings: Any) -> PlanSearch:
    rows = simulation.representatives
    population = Population(rows, len(rows.rates), sketch=lambda: pytest.fail("not needed"))
    request = request_for(simulation, **{"budget": BUDGET / 10} | settings)
    return PlanSearch(population, request, np.random.default_rng(0))


@pytest.mark.parametrize("goal", [AverageGoal(0.1), EveryoneGoal(0.4)])
def test_the_first_draft_is_no_longer_than_classroom_teaching(
    goal: DistanceGoal,
) -> None:
    for diversity in (0.05, 0.15, 0.9):
        search = search_for(make_simulation(make_room(diversity), goal))
        first = search.make_first_draft()
        assert first.reached
        safe = search.request.safe_length
        steps = [search.draft_step_by_step(rule, safe) for rule in ("static", "dynamic", "joint")]
        assert len(first.xs) <= min(len(draft.xs) for draft in steps)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [5, 7])
def test_with_too_few_rounds_no_student_is_moved_far_away_either(
    seed: int,
) -> None:
    """The closest lesson of all would do that; one that leaves a few per cent more does not."""
    rng = np.random.default_rng(seed)
    room = Classroom(rng.standard_normal((12, 2)), 0.1 + 4.9 * rng.random(12), np.zeros(2))
    simulation = make_simulation(room, AverageGoal(1e-6))
    farthest, left = [], []
    for settings in ({"limits": make_limits(room)}, {}):
        search = search_for(simulation, at_most=5, **settings)
        found = search.find_closest(search.make_first_draft())
        assert not found.reached
        assert len(found.xs) == 5
        farthest.append(make_limits(room).worst_transient(found.xs))
        left.append(found.score)
    assert farthest[0] > 8.0
    assert farthest[1] <= 2.0
    assert left[1] < 1.1 * left[0]


@pytest.mark.slow
def test_an_older_lesson_is_renewed() -> None:
    """What it lacks is added, and what it has to spare is left out."""
    search = search_for(make_simulation(make_room(0.5)))
    first = search.make_first_draft()
    for known in (first.xs[:0], first.xs[:4], first.xs):
        found = search.renew(known, first)
        assert found.reached
        assert len(found.xs) < len(first.xs)
