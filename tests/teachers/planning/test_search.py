"""Drafts of lessons, and the fewest examples that reach the goal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, EveryoneGoal
from homeroom._arrays import Floats
from homeroom.goals import AbstractGoal
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.search import BUDGET, Drafter, PlanSearch
from homeroom.teachers.planning.simulation import Simulation
from homeroom.teachers.planning.transients import StudentLimits, worst_transient


@pytest.fixture
def simulation(
    make_room: Callable[..., Classroom], make_simulation: Callable[..., Simulation]
) -> Simulation:
    return make_simulation(make_room(0.9))


def drafter_for(
    simulation: Simulation,
    budget: float = BUDGET,
    report: Callable[[float, int], None] = lambda _share, _rounds: None,
) -> Drafter:
    rows, goal = simulation.representatives, simulation.objective.goal
    limits = StudentLimits.at_start(rows.gaps, rows.rates, goal, within=0.0)
    return Drafter(simulation, 2.0, limits, at_most=1000, budget=budget, report=report)


def test_a_draft_ends_where_it_reaches_the_goal(simulation: Simulation) -> None:
    axes = Axes(simulation.representatives, 4.0)
    longer = drafter_for(simulation).draft(axes.draft(40))
    assert longer.reached
    assert len(longer.xs) < 40
    shorter = drafter_for(simulation).draft(longer.xs[:-1])
    assert not shorter.reached


def test_the_example_that_matters_least_is_left_out(simulation: Simulation) -> None:
    drafter = drafter_for(simulation)
    draft = drafter.draft(Axes(simulation.representatives, 4.0).draft(12))
    left = drafter.without(draft, 1)
    scores = [simulation.score(np.delete(draft.xs, place, axis=0)) for place in range(12)]
    assert left.score == pytest.approx(min(scores))
    assert len(drafter.without(draft, 5).xs) == 7


def test_the_shortened_lesson_is_shorter_and_reaches_the_goal(
    simulation: Simulation,
) -> None:
    drafter, axes = drafter_for(simulation), Axes(simulation.representatives, 4.0)
    axes.grow(100)
    first = drafter.draft(axes.draft(next(n for n, e in enumerate(axes.errors) if e <= 0.1)))
    found = drafter.shortened(first)
    assert found is not None
    assert found.reached
    assert len(found.xs) < len(first.xs)
    assert simulation.score(found.xs) <= 0.1


def test_what_cannot_reach_the_goal_is_given_up(simulation: Simulation) -> None:
    drafter = drafter_for(simulation)
    assert drafter.shortened(drafter.draft(Axes(simulation.representatives, 4.0).draft(3))) is None


def test_without_budget_nothing_is_polished(simulation: Simulation) -> None:
    drafter = drafter_for(simulation, budget=1.0)
    draft = drafter.draft(Axes(simulation.representatives, 4.0).draft(8))
    assert drafter.polished(draft, 100) is draft


def test_the_budget_is_spent_and_reported(simulation: Simulation) -> None:
    said: list[tuple[float, int]] = []
    drafter = drafter_for(simulation, 1e8, lambda share, rounds: said.append((share, rounds)))
    draft = drafter.draft(Axes(simulation.representatives, 4.0).draft(8))
    for _ in range(200):
        draft = drafter.polished(draft, 10)
    assert said[0][0] < said[-1][0] <= 1.1
    assert said[0][1] == 8
    assert len(said) < 200


def test_every_draft_keeps_the_limits(
    simulation: Simulation, replay: Callable[[Classroom, Floats], list[Floats]]
) -> None:
    """The longest first moves students far away: it is shortened, and then polished within."""
    drafter, first = drafter_for(simulation), simulation.representatives.gaps
    xs = Axes(simulation.representatives, 4.0).draft(14)[::-1]
    room = Classroom(first, simulation.representatives.rates, np.zeros(first.shape[1]))
    limits = StudentLimits.at_start(room.gaps, room.rates, simulation.objective.goal, 0.0).squared
    assert (np.array(replay(room, xs)) / limits).max() > 1.1
    draft = drafter.draft(xs)
    polished = drafter.polished(draft, 100)
    assert polished.score < draft.score
    for lesson in (draft, polished, drafter.draft(xs, longer=True)):
        assert (np.array(replay(room, lesson.xs)) / limits).max() <= 1.0 + 1e-12
    assert len(drafter.watched.rates)


def test_a_draft_has_no_more_rounds_than_there_may_be(simulation: Simulation) -> None:
    rows = simulation.representatives
    limits = StudentLimits.at_start(rows.gaps, rows.rates, simulation.objective.goal, 0.1)
    drafter = Drafter(
        simulation, 2.0, limits, at_most=5, budget=BUDGET, report=lambda _share, _rounds: None
    )
    assert len(drafter.draft(Axes(rows, 4.0).draft(14)[::-1], longer=True).xs) == 5


def search_for(
    simulation: Simulation, limits: StudentLimits | None = None, at_most: int = 1000
) -> PlanSearch:
    rows = simulation.representatives
    limits = limits or StudentLimits.at_start(rows.gaps, rows.rates, simulation.objective.goal, 0.0)
    drafter = Drafter(
        simulation,
        2.0,
        limits,
        at_most=at_most,
        budget=BUDGET / 10,
        report=lambda _share, _rounds: None,
    )
    return PlanSearch(drafter, Axes(rows, 4.0), np.random.default_rng(0))


@pytest.mark.parametrize("goal", [AverageGoal(0.1), EveryoneGoal(0.4)])
def test_the_first_draft_is_no_longer_than_classroom_teaching(
    goal: AbstractGoal,
    make_room: Callable[..., Classroom],
    make_simulation: Callable[..., Simulation],
) -> None:
    for diversity in (0.05, 0.15, 0.9):
        search = search_for(make_simulation(make_room(diversity), goal))
        first = search.first_draft(1000)
        assert first.reached
        safe = search.drafter.safe
        steps = [search._step_by_step(rule, safe, 1000) for rule in ("static", "dynamic", "joint")]
        assert len(first.xs) <= min(len(draft.xs) for draft in steps)


def test_where_the_radius_binds_the_first_draft_is_classroom_teaching(
    make_room: Callable[..., Classroom], make_simulation: Callable[..., Simulation]
) -> None:
    """Along the axes 82 rounds, step by step 80, for the class of 300; here it is much the same."""
    room = make_room(0.15, students=120, dimensions=12)
    search = search_for(make_simulation(room))
    first = search.first_draft(1000)
    assert len(first.xs) == len(search._step_by_step("joint", 2.0, 1000).xs)
    assert len(first.xs) < len(search._along_axes(1000).xs)


@pytest.mark.slow
def test_the_shortest_lesson_reaches_the_goal_with_fewer_rounds(
    make_room: Callable[..., Classroom], make_simulation: Callable[..., Simulation]
) -> None:
    search = search_for(make_simulation(make_room(0.5)))
    first = search.first_draft(1000)
    found = search.shortest(first)
    assert found.reached
    assert len(found.xs) < len(first.xs)


@pytest.mark.slow
def test_with_too_few_rounds_it_comes_as_close_as_it_can(
    make_room: Callable[..., Classroom], make_simulation: Callable[..., Simulation]
) -> None:
    search = search_for(make_simulation(make_room(0.5)), at_most=6)
    first = search.first_draft(6)
    assert not first.reached
    closest = search.best_of_length(first)
    assert len(closest.xs) == 6
    assert closest.score < 0.9 * first.score


@pytest.mark.slow
@pytest.mark.parametrize("seed", [5, 7])
def test_with_too_few_rounds_no_student_is_moved_far_away_either(
    seed: int,
    make_simulation: Callable[..., Simulation],
    make_limits: Callable[..., StudentLimits],
) -> None:
    """The closest lesson of all would do that; one that leaves a few per cent more does not."""
    rng = np.random.default_rng(seed)
    room = Classroom(rng.standard_normal((12, 2)), 0.1 + 4.9 * rng.random(12), np.zeros(2))
    simulation = make_simulation(room, AverageGoal(1e-6))
    farthest, left = [], []
    for limits in (make_limits(room), None):
        search = search_for(simulation, limits, at_most=5)
        found = search.best_of_length(search.first_draft(5))
        assert not found.reached
        assert len(found.xs) == 5
        farthest.append(worst_transient(make_limits(room), found.xs))
        left.append(found.score)
    assert farthest[0] > 8.0
    assert farthest[1] <= 2.0
    assert left[1] < 1.1 * left[0]


@pytest.mark.slow
def test_an_older_lesson_is_renewed(
    make_room: Callable[..., Classroom], make_simulation: Callable[..., Simulation]
) -> None:
    """What it lacks is added, and what it has to spare is left out."""
    search = search_for(make_simulation(make_room(0.5)))
    first = search.first_draft(1000)
    for known in (first.xs[:0], first.xs[:4], first.xs):
        found = search.renewed(known, first)
        assert found.reached
        assert len(found.xs) < len(first.xs)
