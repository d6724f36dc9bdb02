"""How to split a class into groups, and what each split costs teacher and students."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from homeroom import _plugins
from homeroom._arrays import Ints
from homeroom.advice import frontier
from homeroom.classroom import Classroom
from homeroom.goals import AverageGoal
from homeroom.groups import AbstractGrouping, AsGiven
from homeroom.lessons import StoppedBecause, teach
from homeroom.live.activities.space import Space
from homeroom.live.classbook.class_beliefs import ClassBeliefs
from homeroom.live.classbook.state import State
from homeroom.live.events import Regrouped
from homeroom.live.refused import Refused
from homeroom.pools import ItemPool
from homeroom.teachers import PoolTeacher

CELLS = 12
"""The resolution of the search for groups: coarse, because the teacher waits for it."""

MOST_GROUPS = 100
"""The largest number of groups: an item is chosen for each of them in every round."""

SLOWEST = 0.02
"""The smallest learning rate assumed: a group with a student who never learns never ends."""

MOST_ROUNDS = 1000

FARTHEST = 4.0
"""The largest distance to the target that is compared, relative to the present one."""

ABOVE_TARGET = 1.1
"""The lowest share of wrong answers to aim at, relative to that of students at the target."""


def estimated(beliefs: ClassBeliefs, students: tuple[str, ...]) -> Classroom:
    """Return the students with their estimated states and rates."""
    assert isinstance(beliefs.space, Space)
    rows, book = beliefs.rows(students), beliefs.memory
    return Classroom(
        book.belief.means[rows],
        np.maximum(book.rates[rows], SLOWEST),
        beliefs.space.target,
        example_radius=beliefs.space.longest,
    )


def regrouping(
    state: State,
    beliefs: ClassBeliefs | None,
    *,
    lam: float | None = None,
    groups: str | None = None,
) -> Regrouped:
    """Return the event that splits the class: by a rule, or as is best for ``lam``.

    Parameters
    ----------
    state, beliefs
        The class, and the beliefs about its students.
    lam
        The weight of the students' workload against the teacher's.
    groups
        A grouping such as ``"whole"``, ``"by-rate"`` or ``"by-knowledge:k=3"``.
    """
    if groups == "whole" or (groups is None and lam is None):
        return Regrouped("whole", dict.fromkeys(state.here, 0))
    beliefs = _comparable(state, beliefs)
    classroom = estimated(beliefs, state.here)
    if groups is not None:
        split, how = _by(groups, classroom), groups
    else:
        assert lam is not None
        best = _best(costs(state, beliefs, present(state, beliefs)), lam)
        split, how = best.group_of(), f"best:lam={lam:g}"
    if split.max() >= MOST_GROUPS:
        raise Refused("too_many_groups", groups=int(split.max()) + 1, most=MOST_GROUPS)
    return Regrouped(how, dict(zip(state.here, split.tolist(), strict=True)))


def _comparable(state: State, beliefs: ClassBeliefs | None) -> ClassBeliefs:
    """Return the beliefs of a class whose splits can be compared; refuse any other."""
    if beliefs is not None and not isinstance(beliefs.space, Space):
        raise Refused("no_grouping", why="That needs a rule between two answers.")
    if beliefs is None or not state.here:
        raise Refused("nothing_known")
    return beliefs


class GroupSplit(NamedTuple):
    """A split of the class: what it costs teacher and students, and the group of each student."""

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

    def plain(self) -> dict[str, Any]:
        """Return the costs as plain JSON values."""
        return {
            "rounds": self.rounds,
            "workload": round(self.workload, 2),
            "together": self.together,
            "alone": self.alone,
        }


def costs(state: State, beliefs: ClassBeliefs, now: GroupSplit) -> list[GroupSplit]:
    """Return the estimated Pareto frontier of splits: no other split is better in both costs.

    The search is coarse, so the present groups may be better than some of the splits found; then
    they replace these. Splits with more than ``MOST_GROUPS`` groups are left out. Cost for 300
    students: about 0.1 s.
    """
    classroom = estimated(beliefs, state.here)
    found = [
        GroupSplit(
            split.rounds,
            split.workload,
            split.together,
            split.alone,
            partial(getattr, split, "group_of"),
        )
        for split in frontier(
            classroom, cells=CELLS, max_rounds=MOST_ROUNDS, **_lesson(state, beliefs)
        )
        if split.groups <= MOST_GROUPS
    ]
    if not now.reaches_goal or any(way.is_as_good_as(now) for way in found):
        return found
    kept = [way for way in found if not now.is_as_good_as(way)]
    return sorted([*kept, now], key=lambda way: way.rounds)


def ways(state: State, beliefs: ClassBeliefs | None, lam: float) -> dict[str, Any]:
    """Return the cost of each split, the best one for ``lam``, and the cost of the present one."""
    beliefs = _comparable(state, beliefs)
    now = present(state, beliefs)
    found = costs(state, beliefs, now)
    return {
        "lam": lam,
        "ways": [way.plain() for way in found],
        "best": found.index(_best(found, lam)) if found else None,
        "now": now.plain(),
    }


def _lesson(state: State, beliefs: ClassBeliefs) -> dict[str, Any]:
    """Return the teacher and the goal of the lesson."""
    assert state.opened is not None
    assert isinstance(beliefs.space, Space)
    distance = distance_at(state.opened.goal, estimated(beliefs, state.here), beliefs.space)
    return {"teacher": PoolTeacher(ItemPool(beliefs.space.rows)), "goal": AverageGoal(distance)}


def distance_at(goal: float, classroom: Classroom, space: Space) -> float:
    """Return the mean squared distance at which a class gives this share of wrong answers.

    The lesson ends at a share of wrong answers, and what splits cost is computed with distances.
    The two are compared on the line from the class's present states to the target. Students at the
    target are wrong sometimes, too; a goal below that is raised a little above it. Cost: 20 times
    O(students * items * dimensions).

    Parameters
    ----------
    goal
        The share of wrong answers.
    classroom
        The estimated states and the target.
    space
        The items with their right answers.
    """
    gaps = np.asarray(classroom.states) - space.target
    at_target, per_gap = space.signed @ space.target, gaps @ space.signed.T

    def wrong(scale: float) -> float:
        return float(ndtr(-(at_target + scale * per_gap) / space.sigma).mean())

    limit = max(goal, ABOVE_TARGET * wrong(0.0))
    low, high = 0.0, FARTHEST
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if wrong(middle) <= limit else (low, middle)
    return max(low**2 * float((gaps * gaps).sum(axis=1).mean()), 1e-9)


def present(state: State, beliefs: ClassBeliefs) -> GroupSplit:
    """Return the cost of the present groups."""
    groups = np.array([state.group_of(student) for student in state.here])
    record = teach(
        estimated(beliefs, state.here),
        groups=AsGiven(groups),
        max_rounds=MOST_ROUNDS,
        **_lesson(state, beliefs),
    )
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
    """Return the cheapest split; among equals, the one with the fewest groups."""
    if not 0 <= lam < math.inf:
        raise Refused("lam", lam=lam)
    if not found:
        raise Refused("no_way")
    return min(found, key=lambda way: (way.cost(lam), way.together + way.alone))


def _by(text: str, classroom: Classroom) -> Ints:
    try:
        grouping: AbstractGrouping = _plugins.the("groups", text, AbstractGrouping)
        return grouping.split(classroom, np.random.default_rng(0))
    except (TypeError, ValueError) as why:
        raise Refused("no_grouping", why=str(why)) from None
