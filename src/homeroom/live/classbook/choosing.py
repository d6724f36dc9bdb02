"""What a class is asked and shown next. The choice is the lesson's; here it is only asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from homeroom._arrays import Ints
from homeroom.goals import AverageGoal
from homeroom.lessons import Lesson
from homeroom.live.activities.space import Space
from homeroom.live.classbook.sight import Remembering, Sight, room_of
from homeroom.live.classbook.why import reason_of
from homeroom.observers.quizzing.gradebook import Gradebook
from homeroom.pools import ItemPool
from homeroom.teachers import PoolTeacher

HELD_OUT = 0.5
"""What was asked in the pre-test is never shown, so long as this part of the items is left."""


class Choice(NamedTuple):
    """The next item of a group and why; or no item, and why there is none."""

    item: str | None
    reason: Mapping[str, Any] | None
    stopped: str = ""


def next_item(
    sight: Sight, group: Sequence[str], *, goal: float, fresh: Ints, rounds: int
) -> Choice:
    """Return what to show a group next.

    Parameters
    ----------
    sight
        What is known of the class.
    group
        Who is in the group.
    goal
        When it is done: the expected mean squared distance to the target.
    fresh
        The items that may be shown, by their numbers.
    rounds
        How many items the group may still be shown.
    """
    memory = sight.some(group)
    lesson = Lesson(
        room_of(sight.space, len(group)),
        teacher=PoolTeacher(ItemPool(sight.space.rows[fresh])),
        goal=AverageGoal(goal),
        observer=Remembering(sight.quiz, memory),
        max_rounds=rounds,
    )
    example = lesson.ask()
    part = lesson.parts[0]
    if part.asked is None or part.asked.item is None or example is None:
        return Choice(None, None, part.stopped_because.value)
    number = int(fresh[part.asked.item])
    return Choice(sight.space.ids[number], reason_for(sight, memory, number))


def reason_for(sight: Sight, memory: Gradebook, number: int) -> dict[str, Any]:
    """Return in numbers why an item is shown: who would get it wrong, and what seeing it helps."""
    space = sight.space
    right = memory_chances(memory, space, np.array([number]))[:, 0]
    x = space.rows[[number]]
    helps = float(memory.moments().helps(x, (x * x).sum(axis=1))[0])
    return reason_of(
        wrong=float((1.0 - right).sum()), of=memory.students, off=helps / memory.error.total
    )


def memory_chances(memory: Gradebook, space: Space, numbers: Ints) -> Any:
    """Return how likely each student is right on some items, shape ``(students, items)``."""
    yes = memory.chances(numbers).middle
    return np.where(space.labels[numbers] > 0, yes, 1.0 - yes)


def fresh_items(space: Space, tested: Sequence[str], shown: Sequence[str]) -> Ints:
    """Return which items may be shown next.

    None comes again before all the others have been shown, and those of the pre-test stay out, so
    that the post-test can ask them again: as long as there are enough.
    """
    every = np.arange(len(space.ids))
    out = [space.number[item] for item in tested if item in space.number]
    pool = np.setdiff1d(every, out)
    if len(pool) < max(HELD_OUT * len(every), space.dimensions + 1):
        pool = every
    seen = [space.number[item] for item in shown if item in space.number]
    times = np.bincount(np.array(seen, dtype=np.int64), minlength=len(every))[pool]
    left: Ints = pool[times == times.min()]
    if len(left) > space.dimensions:
        return left
    last = seen[-space.dimensions :]  # too few to choose from: all but the last ones
    others: Ints = np.setdiff1d(pool, last)
    return others if len(others) > space.dimensions else pool


def pretest_items(sight: Sight, *, seed: int) -> tuple[str, ...]:
    """Return what to ask everybody before the lesson: the items that tell most of the class."""
    questions = sight.quiz.asking(sight.book, np.random.default_rng(seed)).questions
    assert questions is not None
    different = dict.fromkeys(questions.tolist())
    return tuple(sight.space.ids[number] for number in different)


def some_items(items: Sequence[str], count: int, *, seed: int) -> tuple[str, ...]:
    """Return so many items drawn at random, where no map says which would tell most."""
    order = np.random.default_rng(seed).permutation(len(items))[:count]
    return tuple(items[number] for number in order)
