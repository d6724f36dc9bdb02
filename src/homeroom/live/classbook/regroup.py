"""How to split a class into groups, and what each split costs teacher and students."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr

from homeroom import _plugins
from homeroom._arrays import Floats, Ints
from homeroom.advice import frontier
from homeroom.classroom import Classroom
from homeroom.goals import AverageGoal
from homeroom.groups import AbstractGrouping, AsGiven
from homeroom.lessons import StoppedBecause, teach
from homeroom.live.activities.space import AnswerList, Space
from homeroom.live.classbook.class_beliefs import ClassBeliefs
from homeroom.live.classbook.state import State
from homeroom.live.events import Regrouped
from homeroom.live.messages.responses import SplitCost, SplitCosts
from homeroom.live.refused import Refused
from homeroom.observers.quizzing.choice_step import SHARP
from homeroom.observers.quizzing.quiz_state import QuizState
from homeroom.pools import ItemPool
from homeroom.teachers import PoolTeacher

CELLS = {"both": 8, "knowledge": 12, "rate": 12}
"""The most cells of similar students that a search combines into groups: few, because the teacher
waits for it. By both takes about twice as long as by either."""

MOST_GROUPS = 100
"""The largest number of groups: an item is chosen for each of them in every round."""

SLOWEST = 0.02
"""The smallest learning rate assumed: a group with a student who never learns never ends."""

MOST_ROUNDS = 1000
"""The most rounds of a simulated lesson."""

LEAST_CHANCE = 0.001
"""No student is taken to be right, or wrong, with a smaller probability."""

MOST_DIMENSIONS = 40
"""More facts than this are taken together in parts, as the teacher waits for the search."""

FARTHEST = 4.0
"""The largest distance to the target that is compared, relative to the present one."""

ABOVE_TARGET = 1.1
"""The lowest share of wrong answers to aim at, relative to that of students at the target."""


class Estimated(NamedTuple):
    """Students with their estimated states and rates, and the items that teach them.

    ``rows`` are the items as vectors, shape ``(items, dimensions)``. ``wrong`` returns the share of
    wrong answers if all gaps to the target were multiplied by a number.
    """

    classroom: Classroom
    rows: Floats
    wrong: Callable[[float], float]


def estimate(beliefs: ClassBeliefs, students: tuple[str, ...]) -> Estimated:
    """Return the estimates for some students.

    On a map, they are the observer's. Without one, each fact, or each kind of items, is a
    dimension. At the target, the score of the right answer is 1 more than that of each other
    answer. A student's gap is how much of this 1 is missing, by their expected share of right
    answers; an example makes it smaller.
    """
    space, memory = beliefs.space, beliefs.memory_of(students)
    if isinstance(space, Space):
        states, rows, target = memory.belief.means, space.rows, space.target
        at_target, per_gap = space.signed @ target, (states - target) @ space.signed.T

        def wrong(scale: float) -> float:
            return float(ndtr(-(at_target + scale * per_gap) / space.sigma).mean())
    else:
        right, others = _chances(memory, space)
        beta = SHARP / memory.setup.at_first.model.sigma
        # right = 1 / (1 + others * exp(-beta * (1 - gap))), solved for the gap.
        gaps = np.maximum(1.0 - (logit(right) + np.log(others)) / beta, 0.0)
        # Many facts are taken together: one of m shortens their common gap by an m-th as much.
        parts = np.array_split(gaps**2, min(gaps.shape[1], MOST_DIMENSIONS), axis=1)
        states = np.sqrt(np.column_stack([part.sum(axis=1) for part in parts]))
        rows = np.diag([part.shape[1] ** -0.5 for part in parts])
        target = np.zeros(len(parts))

        def wrong(scale: float) -> float:
            return float(expit(np.log(others) - beta * (1.0 - scale * gaps)).mean())

    rates, longest = np.maximum(memory.rates, SLOWEST), float(np.linalg.norm(rows, axis=1).max())
    return Estimated(Classroom(states, rates, target, example_radius=longest), rows, wrong)


def _chances(memory: QuizState, space: AnswerList) -> tuple[Floats, Ints]:
    """Return each student's probability of a right answer, and the number of wrong answers.

    The shapes are ``(students, parts)`` and ``(parts,)``. A part is a fact, or a kind: all items
    with the same right answer.
    """
    right = np.clip(memory.right(np.arange(len(space.ids))), LEAST_CHANCE, 1.0 - LEAST_CHANCE)
    if space.facts:
        return right, space.options - 1
    kinds = np.unique(space.keys)
    means = [right[:, space.keys == kind].mean(axis=1) for kind in kinds]
    return np.column_stack(means), np.full(len(kinds), space.dimensions - 1)


def split_class(state: State, *, lam: float | None = None, groups: str | None = None) -> Regrouped:
    """Return the event that splits the class: by a rule, or as is best for ``lam``.

    Parameters
    ----------
    state
        The class.
    lam
        The weight of the students' workload relative to the teacher's.
    groups
        A grouping such as ``"whole"``, ``"by-rate"`` or ``"by-knowledge:k=3"``.
    """
    if groups == "whole" or (groups is None and lam is None):
        return Regrouped("whole", dict.fromkeys(state.here, 0))
    beliefs = _require_beliefs(state)
    if groups is not None:
        split, how = _by(groups, estimate(beliefs, state.here).classroom), groups
    else:
        assert lam is not None
        best = _best(costs(state, beliefs, present(state, beliefs)), lam)
        split, how = best.group_of(), f"best:lam={lam:g}"
    if split.max() >= MOST_GROUPS:
        raise Refused("too_many_groups", groups=int(split.max()) + 1, most=MOST_GROUPS)
    return Regrouped(how, dict(zip(state.here, split.tolist(), strict=True)))


def _require_beliefs(state: State) -> ClassBeliefs:
    """Return the beliefs of a class whose splits can be compared; refuse any other."""
    beliefs = state.beliefs_about_all
    if beliefs is None or not state.here:
        raise Refused("nothing_known")
    return beliefs


class GroupSplit(NamedTuple):
    """A split of the class: what it costs teacher and students, and the group of each student.

    Parameters
    ----------
    rounds
        The teacher's cost: the number of examples shown to all groups together.
    workload
        The students' cost: the number of examples that a student sees, on average.
    together, alone
        The number of groups of several students, and of students taught alone.
    group_of
        Returns the group of each student, shape ``(students,)``.
    reaches_goal
        Whether all groups reach the goal.
    """

    rounds: int
    workload: float
    together: int
    alone: int
    group_of: Callable[[], Ints]
    reaches_goal: bool = True

    def cost(self, lam: float) -> float:
        """Return the total cost."""
        return self.rounds + lam * self.workload

    def is_as_good_as(self, other: GroupSplit) -> bool:
        """Return whether neither teacher nor students have more to do than in another split."""
        return self.rounds <= other.rounds and self.workload <= other.workload

    def show(self) -> SplitCost:
        """Return the costs as the pages show them."""
        return SplitCost(
            rounds=self.rounds,
            workload=round(self.workload, 2),
            together=self.together,
            alone=self.alone,
        )


def costs(state: State, beliefs: ClassBeliefs, now: GroupSplit) -> list[GroupSplit]:
    """Return the estimated Pareto frontier: no split that was searched is better in both costs.

    The search is coarse, so the present groups may be better than some of the splits found; then
    they replace these. Splits with more than ``MOST_GROUPS`` groups are left out. Cost for 300
    students: about 0.2 s, with several answers up to 1 s.
    """
    lesson = _lesson(state, beliefs)
    by = _by_what(lesson["room"], beliefs)
    found = [
        GroupSplit(
            split.rounds,
            split.workload,
            split.together,
            split.alone,
            partial(getattr, split, "group_of"),
        )
        for split in frontier(by=by, cells=CELLS[by], **lesson)
        if split.groups <= MOST_GROUPS
    ]
    if not now.reaches_goal or any(way.is_as_good_as(now) for way in found):
        return found
    kept = [way for way in found if not now.is_as_good_as(way)]
    return sorted([*kept, now], key=lambda way: way.rounds)


def _by_what(classroom: Classroom, beliefs: ClassBeliefs) -> str:
    """Return by what students are grouped: ``"both"``, ``"knowledge"`` or ``"rate"``.

    Without a map, students differ most in what they know, and a search by both would take too long;
    for a long list, also one by knowledge.
    """
    if isinstance(beliefs.space, Space):
        return "both"
    return "rate" if classroom.dimensions >= MOST_DIMENSIONS else "knowledge"


def compare_splits(state: State, lam: float = 0.5) -> SplitCosts:
    """Return the cost of each split, the best one for ``lam``, and the cost of the present one."""
    beliefs = _require_beliefs(state)
    now = present(state, beliefs)
    found = costs(state, beliefs, now)
    return SplitCosts(
        lam=lam,
        ways=[way.show() for way in found],
        best=found.index(_best(found, lam)) if found else None,
        now=now.show(),
    )


def _lesson(state: State, beliefs: ClassBeliefs) -> dict[str, Any]:
    """Return the class, the teacher and the goal as arguments for ``teach`` and ``frontier``."""
    assert state.opened is not None
    now = estimate(beliefs, state.here)
    return {
        "room": now.classroom,
        "teacher": PoolTeacher(ItemPool(now.rows)),
        "goal": AverageGoal(distance_at(state.opened.goal, now)),
        "max_rounds": MOST_ROUNDS,
    }


def distance_at(goal: float, now: Estimated) -> float:
    """Return the mean squared distance at which a class gives this share of wrong answers.

    The lesson ends at a share of wrong answers, and what splits cost is computed with distances.
    The two are compared on the line from the class's present states to the target. Students at the
    target are wrong sometimes, too; a goal below that is raised a little above it. Cost: 20 times
    O(students * items * dimensions).
    """
    limit = max(goal, ABOVE_TARGET * now.wrong(0.0))
    low, high = 0.0, FARTHEST
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if now.wrong(middle) <= limit else (low, middle)
    return max(low**2 * float(now.classroom.squared_distances.mean()), 1e-9)


def present(state: State, beliefs: ClassBeliefs) -> GroupSplit:
    """Return the cost of the present groups."""
    groups = np.array([state.group_of(student) for student in state.here])
    record = teach(groups=AsGiven(groups), **_lesson(state, beliefs))
    sizes = [len(members) for members in state.members if members]
    alone = sum(size == 1 for size in sizes)
    return GroupSplit(
        int(record.rounds),
        float(record.workload),
        len(sizes) - alone,
        alone,
        lambda: groups,
        record.stopped_because is StoppedBecause.GOAL,
    )


def _best(found: list[GroupSplit], lam: float) -> GroupSplit:
    """Return the cheapest split for ``lam``; among equals, the one with the fewest groups."""
    if not 0 <= lam < math.inf:
        raise Refused("lam", lam=lam)
    if not found:
        raise Refused("no_way")
    return min(found, key=lambda way: (way.cost(lam), way.together + way.alone))


def _by(text: str, classroom: Classroom) -> Ints:
    """Return the group of each student by a rule such as ``"by-rate"``; refuse an unknown rule."""
    try:
        grouping: AbstractGrouping = _plugins.resolve("groups", text, AbstractGrouping)
        return grouping.split(classroom, np.random.default_rng(0))
    except (TypeError, ValueError) as why:
        raise Refused("no_grouping", why=str(why)) from None
