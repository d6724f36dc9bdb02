"""Which items a class is asked and shown next, as the lesson chooses them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from homeroom._arrays import Ints
from homeroom.goals import MasteryGoal
from homeroom.lessons import StoppedBecause, estimated_progress, next_example, unobserved
from homeroom.live.activities.space import Space
from homeroom.live.classbook.class_beliefs import ClassBeliefs
from homeroom.live.classbook.explanation import reason_of
from homeroom.live.classbook.rounds import Round
from homeroom.observers.quizzing.quiz_state import QuizState
from homeroom.pools import ItemPool
from homeroom.teachers import PoolTeacher

LISTED = 0.9
"""The fraction of a group that must know each item of a list."""

REPEAT_AFTER = 5
"""The number of latest items of a list that are not shown again yet."""

HELD_OUT = 0.5
"""Items of the pre-test are not shown while at least this fraction of all items is left."""


class ItemChoice(NamedTuple):
    """The next item of a group and the reason; or no item, and why the group is done."""

    item: str | None
    reason: Mapping[str, Any] | None
    stopped: str = ""


def next_item(
    beliefs: ClassBeliefs,
    group: Sequence[str],
    *,
    goal: float,
    fresh: Ints,
    rounds: int,
    shown: Sequence[int] = (),
) -> ItemChoice:
    """Return the next item of a group.

    Parameters
    ----------
    beliefs
        The beliefs about the class.
    group
        The students of the group.
    goal
        The group is done when the expected share of wrong answers is surely below this.
    fresh
        The numbers of the items that may be shown.
    rounds
        The number of items that the group may still be shown.
    shown
        The numbers of the items that its students were shown, in order.
    """
    space, quiz, memory = beliefs.space, beliefs.quiz, beliefs.memory_of(group)
    if goal >= 1.0:
        return ItemChoice(None, None, StoppedBecause.GOAL.value)
    done = MasteryGoal(1.0 - goal)
    now = estimated_progress(quiz, memory, done)
    if now is not None and done.reached(now):
        return ItemChoice(None, None, StoppedBecause.GOAL.value)
    if rounds < 1:
        return ItemChoice(None, None, StoppedBecause.ROUNDS.value)
    truth = unobserved(space.target, example_radius=space.longest)
    example = next_example(
        PoolTeacher(ItemPool(space.rows).only(fresh), repeat_after=None),
        quiz,
        memory,
        done,
        truth=replace(truth, shown=shown),
        rounds_left=rounds,
    ).example
    if example is None or example.item is None:
        return ItemChoice(None, None, StoppedBecause.STUCK.value)
    number = example.item
    return ItemChoice(beliefs.space.ids[number], reason_for(beliefs, memory, number))


def next_of_list(
    labels: Mapping[str, int], rounds: Sequence[Round], group: Collection[str]
) -> ItemChoice:
    """Return the next item of a group where each item is learned by itself.

    It is the one that the fewest students of the group got right the last time they were asked, or
    a guess of one half if they never were; the latest items are left out. The group is done when
    nine of ten knew each item. Cost: O(answers of the group).
    """
    wrong, recent = wrong_in_list(labels, rounds, group)
    if max(wrong.values()) <= (1.0 - LISTED) * len(group):
        return ItemChoice(None, None, StoppedBecause.GOAL.value)
    item = max((one for one in labels if one not in recent), key=wrong.__getitem__)
    return ItemChoice(item, reason_of(wrong=wrong[item], of=len(group)))


def wrong_in_list(
    labels: Mapping[str, int], rounds: Sequence[Round], group: Collection[str]
) -> tuple[dict[str, float], list[str]]:
    """Return how many of a group do not know each item of a list, and the latest items."""
    last: dict[tuple[str, str], bool] = {}
    latest: list[str] = []
    for done in rounds:
        last |= {
            (student, item): answer == labels[item]
            for (student, item), answer in done.answers.items()
            if item in labels and student in group
        }
        latest += dict.fromkeys(item for one, item in done.shown.items() if one in group)
    wrong = dict.fromkeys(labels, 0.5 * len(group))
    for (_, item), right in last.items():
        wrong[item] += 0.5 - right
    return wrong, latest[-min(REPEAT_AFTER, len(labels) // 2) :] if len(labels) > 1 else []


def reason_for(beliefs: ClassBeliefs, memory: QuizState, number: int) -> dict[str, Any]:
    """Return the expected number of wrong answers, and by how much the item reduces the error."""
    space = beliefs.space
    right = memory.right(np.array([number]))[:, 0]
    x = space.rows[[number]]
    helps = float(memory.moments().helps(x, (x * x).sum(axis=1))[0])
    return reason_of(
        wrong=float((1.0 - right).sum()), of=memory.students, off=helps / memory.error.total
    )


def fresh_items(space: Space, tested: Sequence[str], skipped: Sequence[str] = ()) -> Ints:
    """Return the numbers of the items that a lesson may show next.

    The items of the pre-test are kept for the post-test while enough others are left.

    Parameters
    ----------
    space
        The items.
    tested
        The items of the tests.
    skipped
        Items that the teacher has just skipped.
    """
    every = np.arange(len(space.ids))
    pool = np.setdiff1d(every, _known(space, tested))
    if len(pool) < max(HELD_OUT * len(every), space.dimensions + 1):
        pool = every
    kept = np.setdiff1d(pool, _known(space, skipped))
    fresh: Ints = kept if len(kept) > space.dimensions else pool
    return fresh


def _known(space: Space, items: Sequence[str]) -> Ints:
    return space.numbers([item for item in items if item in space.number])


def pretest_items(beliefs: ClassBeliefs, *, seed: int) -> tuple[str, ...]:
    """Return the items of the pre-test: those that are most informative about the class."""
    questions = beliefs.quiz.asking(beliefs.memory, np.random.default_rng(seed)).questions
    assert questions is not None
    different = dict.fromkeys(questions.tolist())
    return tuple(beliefs.space.ids[number] for number in different)


def some_items(items: Sequence[str], count: int, *, seed: int) -> tuple[str, ...]:
    """Return some items drawn at random, for an activity without a map."""
    order = np.random.default_rng(seed).permutation(len(items))[:count]
    return tuple(items[number] for number in order)
