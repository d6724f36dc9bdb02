"""Whole lessons from nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, EveryoneGoal
from homeroom.goals import AbstractGoal
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.compose import Composer
from homeroom.teachers.planning.rehearsal import Rehearsal
from homeroom.teachers.planning.shorten import BUDGET, Desk
from homeroom.teachers.planning.transients import StudentLimits, worst_transient


def composer_for(
    rehearsal: Rehearsal, limits: StudentLimits | None = None, at_most: int = 1000
) -> Composer:
    rows = rehearsal.stand_ins
    limits = limits or StudentLimits.at_start(rows.gaps, rows.rates, rehearsal.aim.goal, 0.0)
    desk = Desk(
        rehearsal,
        2.0,
        limits,
        at_most=at_most,
        budget=BUDGET / 10,
        report=lambda _share, _rounds: None,
    )
    return Composer(desk, Axes(rows, 4.0), np.random.default_rng(0))


@pytest.mark.parametrize("goal", [AverageGoal(0.1), EveryoneGoal(0.4)])
def test_the_first_draft_is_no_longer_than_classroom_teaching(
    goal: AbstractGoal,
    make_room: Callable[..., Classroom],
    make_rehearsal: Callable[..., Rehearsal],
) -> None:
    for diversity in (0.05, 0.15, 0.9):
        composer = composer_for(make_rehearsal(make_room(diversity), goal))
        first = composer.first_draft(1000)
        assert first.reached
        safe = composer.desk.safe
        steps = [
            composer._step_by_step(rule, safe, 1000) for rule in ("static", "dynamic", "joint")
        ]
        assert len(first.xs) <= min(len(draft.xs) for draft in steps)


def test_where_the_radius_binds_the_first_draft_is_classroom_teaching(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    """Along the axes 82 rounds, step by step 80, for the class of 300; here it is much the same."""
    room = make_room(0.15, students=120, dimensions=12)
    composer = composer_for(make_rehearsal(room))
    first = composer.first_draft(1000)
    assert len(first.xs) == len(composer._step_by_step("joint", 2.0, 1000).xs)
    assert len(first.xs) < len(composer._along_axes(1000).xs)


def test_the_shortest_lesson_reaches_the_goal_with_fewer_rounds(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    composer = composer_for(make_rehearsal(make_room(0.5)))
    first = composer.first_draft(1000)
    found = composer.shortest(first)
    assert found.reached
    assert len(found.xs) < len(first.xs)


def test_with_too_few_rounds_it_comes_as_close_as_it_can(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    composer = composer_for(make_rehearsal(make_room(0.5)), at_most=6)
    first = composer.first_draft(6)
    assert not first.reached
    closest = composer.best_of_length(first)
    assert len(closest.xs) == 6
    assert closest.score < 0.9 * first.score


@pytest.mark.parametrize("seed", [5, 7])
def test_with_too_few_rounds_no_student_is_moved_far_away_either(
    seed: int,
    make_rehearsal: Callable[..., Rehearsal],
    make_limits: Callable[..., StudentLimits],
) -> None:
    """The closest lesson of all would do that; one that leaves a few per cent more does not."""
    rng = np.random.default_rng(seed)
    room = Classroom(rng.standard_normal((12, 2)), 0.1 + 4.9 * rng.random(12), np.zeros(2))
    rehearsal = make_rehearsal(room, AverageGoal(1e-6))
    farthest, left = [], []
    for limits in (make_limits(room), None):
        composer = composer_for(rehearsal, limits, at_most=5)
        found = composer.best_of_length(composer.first_draft(5))
        assert not found.reached
        assert len(found.xs) == 5
        farthest.append(worst_transient(make_limits(room), found.xs))
        left.append(found.score)
    assert farthest[0] > 8.0
    assert farthest[1] <= 2.0
    assert left[1] < 1.1 * left[0]


def test_an_older_lesson_is_renewed(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    """What it lacks is added, and what it has to spare is left out."""
    composer = composer_for(make_rehearsal(make_room(0.5)))
    first = composer.first_draft(1000)
    for known in (first.xs[:0], first.xs[:4], first.xs):
        found = composer.renewed(known, first)
        assert found.reached
        assert len(found.xs) < len(first.xs)
