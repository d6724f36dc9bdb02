"""The fewest examples that still reach the goal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from homeroom import Classroom
from homeroom._arrays import Floats
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.rehearsal import Rehearsal
from homeroom.teachers.planning.shorten import BUDGET, Desk
from homeroom.teachers.planning.transients import StudentLimits


@pytest.fixture
def rehearsal(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> Rehearsal:
    return make_rehearsal(make_room(0.9))


def desk_for(
    rehearsal: Rehearsal,
    budget: float = BUDGET,
    report: Callable[[float, int], None] = lambda _share, _rounds: None,
) -> Desk:
    rows, goal = rehearsal.stand_ins, rehearsal.aim.goal
    limits = StudentLimits.at_start(rows.gaps, rows.rates, goal, within=0.0)
    return Desk(rehearsal, 2.0, limits, at_most=1000, budget=budget, report=report)


def test_a_draft_ends_where_it_reaches_the_goal(rehearsal: Rehearsal) -> None:
    axes = Axes(rehearsal.stand_ins, 4.0)
    longer = desk_for(rehearsal).draft(axes.draft(40))
    assert longer.reached
    assert len(longer.xs) < 40
    shorter = desk_for(rehearsal).draft(longer.xs[:-1])
    assert not shorter.reached


def test_what_is_missed_least_is_left_out(rehearsal: Rehearsal) -> None:
    desk = desk_for(rehearsal)
    draft = desk.draft(Axes(rehearsal.stand_ins, 4.0).draft(12))
    left = desk.without(draft, 1)
    scores = [rehearsal.score(np.delete(draft.xs, place, axis=0)) for place in range(12)]
    assert left.score == pytest.approx(min(scores))
    assert len(desk.without(draft, 5).xs) == 7


def test_the_shortened_lesson_is_shorter_and_reaches_the_goal(
    rehearsal: Rehearsal,
) -> None:
    desk, axes = desk_for(rehearsal), Axes(rehearsal.stand_ins, 4.0)
    axes.grow(100)
    first = desk.draft(axes.draft(next(n for n, e in enumerate(axes.errors) if e <= 0.1)))
    found = desk.shortened(first)
    assert found is not None
    assert found.reached
    assert len(found.xs) < len(first.xs)
    assert rehearsal.score(found.xs) <= 0.1


def test_what_cannot_be_brought_home_is_given_up(rehearsal: Rehearsal) -> None:
    desk = desk_for(rehearsal)
    assert desk.shortened(desk.draft(Axes(rehearsal.stand_ins, 4.0).draft(3))) is None


def test_without_budget_nothing_is_polished(rehearsal: Rehearsal) -> None:
    desk = desk_for(rehearsal, budget=1.0)
    draft = desk.draft(Axes(rehearsal.stand_ins, 4.0).draft(8))
    assert desk.polished(draft, 100) is draft


def test_the_budget_is_spent_and_reported(rehearsal: Rehearsal) -> None:
    said: list[tuple[float, int]] = []
    desk = desk_for(rehearsal, 1e8, lambda share, rounds: said.append((share, rounds)))
    draft = desk.draft(Axes(rehearsal.stand_ins, 4.0).draft(8))
    for _ in range(200):
        draft = desk.polished(draft, 10)
    assert said[0][0] < said[-1][0] <= 1.1
    assert said[0][1] == 8
    assert len(said) < 200


def test_every_draft_keeps_the_limits(
    rehearsal: Rehearsal, replay: Callable[[Classroom, Floats], list[Floats]]
) -> None:
    """The longest first moves students far away: it is shortened, and then polished within."""
    desk, first = desk_for(rehearsal), rehearsal.stand_ins.gaps
    xs = Axes(rehearsal.stand_ins, 4.0).draft(14)[::-1]
    room = Classroom(first, rehearsal.stand_ins.rates, np.zeros(first.shape[1]))
    limits = StudentLimits.at_start(room.gaps, room.rates, rehearsal.aim.goal, 0.0).squared
    assert (np.array(replay(room, xs)) / limits).max() > 1.1
    draft = desk.draft(xs)
    polished = desk.polished(draft, 100)
    assert polished.score < draft.score
    for lesson in (draft, polished, desk.draft(xs, longer=True)):
        assert (np.array(replay(room, lesson.xs)) / limits).max() <= 1.0 + 1e-12
    assert len(desk.watched.rates)


def test_a_draft_has_no_more_rounds_than_there_may_be(rehearsal: Rehearsal) -> None:
    rows = rehearsal.stand_ins
    limits = StudentLimits.at_start(rows.gaps, rows.rates, rehearsal.aim.goal, 0.1)
    desk = Desk(
        rehearsal, 2.0, limits, at_most=5, budget=BUDGET, report=lambda _share, _rounds: None
    )
    assert len(desk.draft(Axes(rows, 4.0).draft(14)[::-1], longer=True).xs) == 5
