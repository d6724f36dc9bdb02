"""Lessons for a crowd: which items to show, in which order, to the class and to each group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.crowd.embedding import Embedding
from homeroom.goals import AbstractGoal, AverageGoal
from homeroom.groups import AsGiven
from homeroom.lessons import Progress, Record, StoppedBecause, teach
from homeroom.pools import AbstractPool, DirectionPool, ItemPool
from homeroom.teachers import PoolTeacher


class LessonItem(NamedTuple):
    """An item in a lesson: its name, whether the answer is yes, its strength, its repetitions."""

    item: str
    yes: bool
    strength: float
    times: int = 1


@dataclass(frozen=True, eq=False)
class Syllabus:
    """The lesson for the whole class, and the lessons for the groups.

    Parameters
    ----------
    whole
        The lesson for all annotators together.
    by_group
        The lessons for the groups.
    names
        The names of the items that may be shown.
    left_out
        How many items are not shown, by reason.
    """

    whole: Record
    by_group: Record
    names: tuple[str, ...]
    left_out: dict[str, int]

    def stopped_because(self, group: int | None = None) -> StoppedBecause:
        """Return why the lesson of a group (counted from 0), or of the class, stopped."""
        lesson = self.whole if group is None else self.by_group.groups[group]
        return lesson.stopped_because

    def shown(self, group: int | None = None) -> list[LessonItem]:
        """Return what is shown to a group (counted from 0), or to the class, in order."""
        lesson, which = (self.whole, 0) if group is None else (self.by_group, group)
        examples = lesson.transcript.examples([which])
        lengths = np.sqrt((examples.xs * examples.xs).sum(axis=1))
        return [
            LessonItem(self.names[item], y > 0, length)
            for item, y, length in zip(
                examples.items.tolist(), examples.ys.tolist(), lengths.tolist(), strict=True
            )
        ]

    def runs(self, group: int | None = None) -> list[LessonItem]:
        """Return the same, with consecutive repetitions of an item counted in ``times``."""
        together = [list(same) for _, same in groupby(self.shown(group), lambda one: one.item)]
        return [same[0]._replace(times=len(same)) for same in together]


def syllabus(
    found: Embedding,
    groups: Ints | None = None,
    *,
    rate: float = 0.05,
    goal: AbstractGoal = AverageGoal(0.2),
    fixed: bool = False,
    example_radius: float = 2.0,
    magnitude: str = "static",
    max_rounds: int = 100_000,
    seed: int = 0,
    progress: Callable[[Progress], None] | None = None,
) -> Syllabus:
    """Return which items to show, in which order, to the class and to each group.

    An item is shown only if it has an expert's label that agrees with the rule to be taught.

    Parameters
    ----------
    found
        The map.
    groups
        The group of each annotator, counted from 0; by default groups of like-minded annotators.
    rate
        The learning rate of all annotators.
    goal
        When a group has learnt enough.
    fixed
        Whether items are shown as they are; else the teacher may scale them.
    example_radius
        The largest length of a scaled item.
    magnitude
        How items are scaled; as for :class:`homeroom.PoolTeacher`.
    max_rounds
        The largest number of items that a group is shown.
    seed, progress
        As for :func:`homeroom.teach`.
    """
    groups = found.groups(seed=seed) if groups is None else groups
    keep, left_out = _usable_items(found)
    pool, radius = _pool(found, keep, fixed=fixed, radius=example_radius)
    room = found.to_classroom(rate, radius)
    teacher = PoolTeacher(pool, magnitude=magnitude)
    whole = teach(
        room, teacher=teacher, goal=goal, max_rounds=max_rounds, seed=seed, progress=progress
    )
    by_group = teach(
        room,
        teacher=teacher,
        goal=goal,
        groups=AsGiven(groups),
        max_rounds=max_rounds,
        seed=seed,
        progress=progress,
    )
    names = tuple(found.item_names[item] for item in keep.tolist())
    return Syllabus(whole, by_group, names, left_out)


def _usable_items(found: Embedding) -> tuple[Ints, dict[str, int]]:
    """Return the items that may be shown, and how many may not, by reason."""
    rule = found.rule()
    known = np.isfinite(found.labels)
    agrees: npt.NDArray[np.bool_] = known.copy()
    agrees[rule.contradicting] = False
    left_out = {
        "without an expert's label": int((~known).sum()),
        "whose expert's label contradicts the rule": len(rule.contradicting),
    }
    if not agrees.any():
        raise InputError(
            "No straight rule agrees with the expert's label of any item, so there is nothing to "
            "show: are the labels those of these items?"
        )
    return np.flatnonzero(agrees), {why: number for why, number in left_out.items() if number}


def _pool(
    found: Embedding, keep: Ints, *, fixed: bool, radius: float
) -> tuple[AbstractPool, float]:
    """Return the pool of items, and the largest length of an example."""
    rows: Floats = np.column_stack([found.items[keep], np.ones(len(keep))])
    if not fixed:
        return DirectionPool(rows), radius
    longest = float(np.sqrt((rows * rows).sum(axis=1)).max())
    return ItemPool(rows), longest
