"""Which items a class is asked and shown next, as the lesson chooses them, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from homeroom._arrays import Ints
from homeroom.goals import MasteryGoal
from homeroom.lessons import StoppedBecause
from homeroom.live.activities.space import AnswerList, Space
from homeroom.live.classbook.class_beliefs import ClassBeliefs
from homeroom.observers.quizzing.quiz_state import QuizState
from homeroom.people_order import KNOWN, ItemChances, choose_for_people

NO_GOAL = 1e-6
"""A goal that no class reaches: the lesson continues."""

HELD_OUT = 0.5
"""Items of tests are not shown while at least this fraction of all items is left."""


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
    """Return the next item of a group, and why.

    Items on a map come in coverage order, others by how much they help
    (:func:`homeroom.people_order.choose_for_people`). There is no item if the goal is reached, no
    rounds are left, or no item helps.

    Parameters
    ----------
    beliefs
        The beliefs about the class.
    group
        The students of the group.
    goal
        The group is done when the share of wrong answers is below this with probability 0.95.
    fresh
        The numbers of the items that may be shown.
    rounds
        The number of items that the group may still be shown.
    shown
        The numbers of the items that its students were shown, in order.
    """
    memory = beliefs.memory_of(group)
    if goal >= 1.0 or MasteryGoal(1.0 - goal).reached_by(memory.knows):
        return ItemChoice(None, None, StoppedBecause.GOAL.value)
    if rounds < 1:
        return ItemChoice(None, None, StoppedBecause.ROUNDS.value)
    every, coverage = memory.right(fresh), beliefs.space.coverage  # (students, fresh)
    trusted = every[memory.trusted]  # students who probably read the questions
    best = choose_for_people(fresh, ItemChances.of(trusted), memory.helps, coverage, shown)
    if best is None:
        return ItemChoice(None, None, StoppedBecause.STUCK.value)
    number = int(fresh[best])
    reason = reason_for(beliefs, memory, number, float((1.0 - every[:, best]).sum()))
    if coverage is not None and trusted[:, best].min() <= KNOWN:
        cover = coverage.why(number, shown)
        reason |= {"cover": cover} if cover else {}
    return ItemChoice(beliefs.space.ids[number], reason)


def reason_for(
    beliefs: ClassBeliefs, memory: QuizState, number: int, wrong: float | None = None
) -> dict[str, Any]:
    """Return the reason for showing an item: the expected number of wrong answers.

    For items on a map, also by which fraction it reduces the error; otherwise, the most frequent
    wrong answer. :func:`next_item` adds ``"cover"``, why it comes next in coverage order.

    Parameters
    ----------
    beliefs
        The beliefs about the class.
    memory
        The part of them about the group.
    number
        The number of the item.
    wrong
        The expected number of wrong answers, if it is known; otherwise it is computed.
    """
    space = beliefs.space
    if wrong is None:
        wrong = float((1.0 - memory.right(np.array([number]))).sum())
    if not isinstance(space, Space):
        said = _common_mistake(space, memory, number)
        return lesson_reason(wrong=wrong, of=memory.students, said=said)
    x = space.rows[[number]]
    helps = float(memory.moments().helps(x, (x * x).sum(axis=1))[0])
    return lesson_reason(wrong=wrong, of=memory.students, off=helps / memory.error.total)


def _common_mistake(space: AnswerList, memory: QuizState, number: int) -> tuple[int, float] | None:
    """Return the number of the most frequent wrong answer, and how many students would give it.

    ``None`` if it is expected to be less than half of the wrong answers, or if the item has only
    one wrong answer.
    """
    if space.options[number] < 3:
        return None
    expected = memory.answer_chances([number])[0].sum(axis=0)
    expected[space.keys[number] - 1] = 0.0
    mostly = int(np.argmax(expected))
    count = float(expected[mostly])
    return (mostly + 1, count) if 2.0 * count >= expected.sum() else None


def fresh_items(
    space: Space | AnswerList, tested: Sequence[str], skipped: Sequence[str] = ()
) -> Ints:
    """Return the numbers of the items that a lesson may show next.

    Items of tests are left out while at least half of all items remain. Facts, which are learned
    one by one, are always taught.

    Parameters
    ----------
    space
        The items: on a map, or a list with their right answers.
    tested
        The items of the tests.
    skipped
        Items that the teacher has just skipped; they are left out unless too few would remain.
    """
    every = np.arange(len(space.ids))
    pool = np.setdiff1d(every, _rows_in_space(space, tested))
    facts = isinstance(space, AnswerList) and space.facts
    if facts or len(pool) < max(HELD_OUT * len(every), space.dimensions + 1):
        pool = every
    kept = np.setdiff1d(pool, _rows_in_space(space, skipped))
    fresh: Ints = kept if len(kept) > space.dimensions else pool
    return fresh


def _rows_in_space(space: Space | AnswerList, items: Sequence[str]) -> Ints:
    """Return the numbers of those items that are in the space."""
    return space.rows_of([item for item in items if item in space.row_of])


def pretest_items(beliefs: ClassBeliefs, *, seed: int) -> tuple[str, ...]:
    """Return the items of the pre-test: those that are most informative about the class."""
    questions = beliefs.quiz.asking(beliefs.memory, np.random.default_rng(seed)).questions
    assert questions is not None
    different = dict.fromkeys(questions.tolist())
    return tuple(beliefs.space.ids[number] for number in different)


def some_items(items: Sequence[str], count: int, *, seed: int) -> tuple[str, ...]:
    """Return ``count`` of the items, drawn at random."""
    order = np.random.default_rng(seed).permutation(len(items))[:count]
    return tuple(items[number] for number in order)


TEACHER: dict[str, Any] = {"by": "teacher"}
"""The reason for an item that the teacher chose."""

ALMOST_NONE = 0.05
"""A smaller share of wrong answers is not stated as a number; the web pages do the same."""

REVIEW: dict[str, Any] = {"by": "review"}
"""The reason for an item shown to a group that has reached its goal."""


COVER = {
    "typical": "Right answers take turns. It is typical of its answer.",
    "represents": "Right answers take turns. With it, the items shown represent its answer best.",
}
"""Why an item on a map comes next in coverage order; the web pages have the same sentences."""


def lesson_reason(
    *, wrong: float, of: int, off: float | None = None, said: tuple[int, float] | None = None
) -> dict[str, Any]:
    """Return the reason for an item that the lesson chose: the numbers behind the choice.

    Parameters
    ----------
    wrong
        The expected number of wrong answers.
    of
        The number of students.
    off
        The expected reduction of the error, as a fraction of it, if items have features. It is
        stored, but is not part of the sentence.
    said
        With more than two answers, the number of the most frequent wrong one, and how many students
        would give it.
    """
    reason: dict[str, Any] = {"by": "lesson", "wrong": round(wrong, 1), "of": of}
    if said is not None:
        reason |= {"answer": said[0], "said": round(said[1], 1)}
    return reason if off is None else {**reason, "off": round(off, 4)}


def sentence(reason: Mapping[str, Any] | None) -> str:
    """Return why an item was chosen; empty without a reason.

    The caller adds ``"unseen": True`` if no student has seen the item.

    >>> sentence({**lesson_reason(wrong=17.6, of=30), "unseen": True})
    'About 18 of 30 would get it wrong. No student has seen it yet.'
    >>> sentence({**lesson_reason(wrong=17.6, of=30, off=0.091), "cover": "typical"})
    'Right answers take turns. It is typical of its answer. About 18 of 30 would get it wrong.'
    """
    if reason is None:
        return ""
    if reason.get("by") == "teacher":
        return "The teacher chose it."
    cover = COVER.get(reason.get("cover", ""), "")
    if reason.get("by") == "review":
        known = "The group has reached its goal"
        return f"{known}. {cover}" if cover else f"{known}: this is what it knows least surely."
    wrong, of = reason["wrong"], reason["of"]
    few = wrong < ALMOST_NONE * max(of, 1)
    students = "Almost no student" if few else f"About {max(1, round(wrong))} of {of}"
    new = " No student has seen it yet." if reason.get("unseen") else ""
    return f"{cover} {students} would get it wrong.{new}".lstrip()
