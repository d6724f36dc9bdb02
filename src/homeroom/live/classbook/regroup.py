"""Other ways to split a class, and what each would cost teacher and students."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from homeroom import _plugins
from homeroom._arrays import Ints
from homeroom.advice import frontier
from homeroom.classroom import Classroom
from homeroom.goals import AverageGoal
from homeroom.groups import AbstractGrouping, AsGiven
from homeroom.lessons import StoppedBecause, teach
from homeroom.live.classbook.sight import Sight
from homeroom.live.classbook.state import State
from homeroom.live.events import Regrouped
from homeroom.live.refused import Refused
from homeroom.pools import ItemPool
from homeroom.teachers import PoolTeacher

CELLS = 12
"""How finely groups are looked for: a teacher waits for it."""

MOST_GROUPS = 100
"""How many groups a live class can have: each is chosen for on its own."""

SLOWEST = 0.02
"""Nobody is reckoned to be slower than this: one who does not learn is never done."""

MOST_ROUNDS = 1000


def estimated(sight: Sight, students: tuple[str, ...]) -> Classroom:
    """Return the students as they most likely are."""
    rows, book = sight.rows(students), sight.book
    return Classroom(
        book.belief.means[rows],
        np.maximum(book.rates[rows], SLOWEST),
        sight.space.target,
        example_radius=sight.space.longest,
    )


def regrouping(
    state: State, sight: Sight | None, *, lam: float | None = None, groups: str | None = None
) -> Regrouped:
    """Return the event that splits the class: by a rule, or as is best for ``lam``.

    Parameters
    ----------
    state, sight
        The class, and what is known of it.
    lam
        The weight of the students' workload against the teacher's.
    groups
        A grouping such as ``"whole"``, ``"by-rate"`` or ``"by-knowledge:k=3"``.
    """
    if groups == "whole" or (groups is None and lam is None):
        return Regrouped("whole", dict.fromkeys(state.here, 0))
    if sight is None or not state.here:
        raise Refused("nothing_known")
    room = estimated(sight, state.here)
    if groups is not None:
        split, how = _by(groups, room), groups
    else:
        assert lam is not None
        best = _best(costs(state, sight, present(state, sight)), lam)
        split, how = best.group_of(), f"best:lam={lam:g}"
    if split.max() >= MOST_GROUPS:
        raise Refused("too_many_groups", groups=int(split.max()) + 1, most=MOST_GROUPS)
    return Regrouped(how, dict(zip(state.here, split.tolist(), strict=True)))


class Way(NamedTuple):
    """A way to split the class: what it costs teacher and students, and the group of each."""

    rounds: int
    workload: float
    together: int
    alone: int
    group_of: Callable[[], Ints]
    reaches_goal: bool = True

    def cost(self, lam: float) -> float:
        """Return what it costs in all."""
        return self.rounds + lam * self.workload

    def is_as_good_as(self, other: Way) -> bool:
        """Tell whether nobody has more to do than in another way."""
        return self.rounds <= other.rounds and self.workload <= other.workload

    def plain(self) -> dict[str, Any]:
        """Return the costs as plain JSON values."""
        return {
            "rounds": self.rounds,
            "workload": round(self.workload, 2),
            "together": self.together,
            "alone": self.alone,
        }


def costs(state: State, sight: Sight, now: Way) -> list[Way]:
    """Return the ways to split the class that no other beats, as far as can be told now.

    They are looked for coarsely, so that the present groups may be better than some of them; then
    they take their place. Those with more groups than a live class can have are left out. Cost for
    300 students: about a tenth of a second.
    """
    room = estimated(sight, state.here)
    found = [
        Way(
            split.rounds,
            split.workload,
            split.together,
            split.alone,
            partial(getattr, split, "group_of"),
        )
        for split in frontier(room, cells=CELLS, max_rounds=MOST_ROUNDS, **_lesson(state, sight))
        if split.groups <= MOST_GROUPS
    ]
    if not now.reaches_goal or any(way.is_as_good_as(now) for way in found):
        return found
    kept = [way for way in found if not now.is_as_good_as(way)]
    return sorted([*kept, now], key=lambda way: way.rounds)


def ways(state: State, sight: Sight | None, lam: float) -> dict[str, Any]:
    """Return what each way to split the class costs, which is best at ``lam``, and the present."""
    if sight is None or not state.here:
        raise Refused("nothing_known")
    now = present(state, sight)
    found = costs(state, sight, now)
    return {
        "lam": lam,
        "ways": [way.plain() for way in found],
        "best": found.index(_best(found, lam)) if found else None,
        "now": now.plain(),
    }


def _lesson(state: State, sight: Sight) -> dict[str, Any]:
    """Return how the class would be taught."""
    assert state.opened is not None
    return {
        "teacher": PoolTeacher(ItemPool(sight.space.rows)),
        "goal": AverageGoal(state.opened.goal),
    }


def present(state: State, sight: Sight) -> Way:
    """Return what the present groups cost."""
    groups = np.array([state.group_of(student) for student in state.here])
    record = teach(
        estimated(sight, state.here),
        groups=AsGiven(groups),
        max_rounds=MOST_ROUNDS,
        **_lesson(state, sight),
    )
    sizes = [len(members) for members in state.members if members]
    alone = sum(size == 1 for size in sizes)
    return Way(
        int(record.rounds),
        float(record.workload),
        len(sizes) - alone,
        alone,
        lambda: groups,
        record.stopped_because is StoppedBecause.GOAL,
    )


def _best(found: list[Way], lam: float) -> Way:
    """Return the cheapest way; of equals the one with fewest groups."""
    if not 0 <= lam < math.inf:
        raise Refused("lam", lam=lam)
    if not found:
        raise Refused("no_way")
    return min(found, key=lambda way: (way.cost(lam), way.together + way.alone))


def _by(text: str, room: Classroom) -> Ints:
    try:
        grouping: AbstractGrouping = _plugins.the("groups", text, AbstractGrouping)
        return grouping.split(room, np.random.default_rng(0))
    except (TypeError, ValueError) as why:
        raise Refused("no_grouping", why=str(why)) from None
