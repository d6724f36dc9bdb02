"""Choosing from 1000 items for one student, against a hand-written argmin."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from benchmarks.textbook import TextbookPool, same
from benchmarks.timing import Line, take_turns
from homeroom import AverageGoal, Classroom, ItemPool, Lesson, PoolTeacher
from homeroom._arrays import Floats
from homeroom.learners import Squared
from homeroom.moments import Observation

ITEMS, DIMENSIONS, ROUNDS, TURNS = 1000, 25, 100, 15


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    room = Classroom.sample(1, DIMENSIONS)
    rng = np.random.default_rng(1)
    items = rng.standard_normal((ITEMS, DIMENSIONS))
    items *= (rng.uniform(0.5, 2.0, ITEMS) / np.sqrt((items**2).sum(axis=1)))[:, None]
    yield from _a_choice(room, items)
    yield from _a_round(room, items)


def _a_choice(room: Classroom, items: Floats) -> Iterator[Line]:
    teacher = PoolTeacher(ItemPool(items)).prepare(room, Squared())
    by_hand = _by_hand(room, items)
    rng = np.random.default_rng(0)
    gaps = room.gaps

    def ours() -> int | None:
        # A new observation each time, so that nothing is left over from the last.
        seen = Observation(
            target=room.target,
            example_radius=room.example_radius,
            state_radius=math.inf,
            loss=Squared(),
            gaps=gaps,
            rates=room.rates,
        )
        example = teacher.choose(seen, rng)
        return None if example is None else example.item

    assert ours() == by_hand.choose() == by_hand.choose_in_closed_form()
    mine, theirs, closed = take_turns(
        ours, by_hand.choose, by_hand.choose_in_closed_form, turns=TURNS, calls=ROUNDS
    )
    what = f"a choice of {ITEMS} items, one student"
    yield Line(what, mine, "argmin by hand", theirs, 2.0)
    yield Line(what, mine, "closed form by hand", closed)


def _a_round(room: Classroom, items: Floats) -> Iterator[Line]:
    teacher = PoolTeacher(ItemPool(items))
    mine = theirs = closed = math.inf
    for _ in range(TURNS):
        lesson = Lesson(room, teacher=teacher, goal=AverageGoal(1e-30), max_rounds=ROUNDS)
        part = lesson.parts[0]
        plain, short = _by_hand(room, items), _by_hand(room, items)

        def ours(lesson: Lesson = lesson) -> None:
            lesson.ask()
            lesson.tell()

        def in_closed_form(short: TextbookPool = short) -> None:
            short.round(closed_form=True)

        found = take_turns(ours, plain.round, in_closed_form, turns=1, calls=ROUNDS)
        mine, theirs, closed = map(min, (mine, theirs, closed), found)
        assert [example.item for example in part.shown] == plain.shown == short.shown
        same(part.errors, plain.errors)
    what = "a whole round with it, kept in the record"
    yield Line(what, mine, "round by hand, argmin", theirs, 2.0)
    yield Line(what, mine, "round by hand, closed form", closed)


def _by_hand(room: Classroom, items: Floats) -> TextbookPool:
    return TextbookPool(room.gaps[0], float(room.rates[0]), items)
