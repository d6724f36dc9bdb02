"""The fewest examples that still reach the goal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from homeroom import Classroom
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.calm import CALM, worst_transient
from homeroom.teachers.planning.rehearsal import Rehearsal
from homeroom.teachers.planning.shorten import BUDGET, Desk


@pytest.fixture
def rehearsal(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> Rehearsal:
    return make_rehearsal(make_room(0.9))


def desk_for(rehearsal: Rehearsal, budget: float = BUDGET) -> Desk:
    return Desk(rehearsal, 2.0, budget, lambda _share, _rounds: None)


def test_a_draft_ends_where_it_reaches_the_goal(rehearsal: Rehearsal) -> None:
    axes = Axes(rehearsal.stand_ins, 4.0)
    longer = desk_for(rehearsal).draft(axes.draft(40))
    assert longer.reached
    assert len(longer.xs) < 40
    assert len(longer.limits) == len(longer.xs)
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
    desk = Desk(rehearsal, 2.0, 1e8, lambda share, rounds: said.append((share, rounds)))
    draft = desk.draft(Axes(rehearsal.stand_ins, 4.0).draft(8))
    for _ in range(200):
        draft = desk.polished(draft, 10)
    assert said[0][0] < said[-1][0] <= 1.1
    assert said[0][1] == 8
    assert len(said) < 200


def test_a_lesson_that_throws_somebody_off_is_calmed(rehearsal: Rehearsal) -> None:
    desk = desk_for(rehearsal)
    loud = desk.draft(Axes(rehearsal.stand_ins, 4.0).draft(14)[::-1])
    assert worst_transient(rehearsal, loud.xs) > 1.1
    calm = desk.calmed(loud)
    assert worst_transient(rehearsal, calm.xs) <= CALM
    assert desk.rank(calm) < desk.rank(loud)
    assert desk.calmed(calm) is calm
