"""Cutting students by rate: a dynamic programme over neighbouring cells."""

from __future__ import annotations

import math

import numpy as np

from homeroom._arrays import Ints
from homeroom.advice.foresight import Foresight
from homeroom.advice.parts import Group
from homeroom.advice.ways import NO_WAY, NOTHING_TO_DO, Ways, both, either, one
from homeroom.engines.batch import NEVER

INTERVALS = 6
"""Into how many intervals of rates a part of the class is cut at most."""


def cut_by_rate(foresight: Foresight, camps: tuple[int, ...]) -> Ways:
    """Return the undominated ways to cut some camps into groups of neighbouring rates.

    A dynamic programme, exact over the cuts between cells: the ways for all up to one cut are the
    ways up to an earlier cut together with the group in between, or with its students alone.
    """
    cuts = cuts_of(foresight, camps)
    rounds = _rounds_between(foresight, camps, cuts)
    upto = [NOTHING_TO_DO]
    for last in range(1, len(cuts)):
        kinds = [both(upto[-1], alone(foresight, Group(camps, cuts[last - 1], cuts[last])))]
        for first in range(last):
            group = Group(camps, cuts[first], cuts[last])
            kinds.append(both(upto[first], together(foresight, group, rounds[first, last])))
        upto.append(either(kinds))
    return upto[-1]


def cuts_of(foresight: Foresight, camps: tuple[int, ...]) -> list[int]:
    """Return where some camps may be cut: with the whole class, between any two cells.

    A part of the class has fewer cuts: at most ``INTERVALS``, with as many students in each as the
    class has in a cell.
    """
    sizes = foresight.parts.sizes
    mine = sizes[list(camps)].sum(axis=0)
    if len(camps) == len(sizes):
        return [*range(len(mine) + 1)]
    enough = math.ceil(max(sizes.sum() / len(mine), mine.sum() / INTERVALS))
    before = np.cumsum(mine) - mine
    interval = np.minimum(before // enough, max(1, mine.sum() // enough) - 1)
    return [0, *(np.flatnonzero(np.diff(interval)) + 1).tolist(), len(mine)]


def _rounds_between(foresight: Foresight, camps: tuple[int, ...], cuts: list[int]) -> Ints:
    """Return what each group of neighbouring intervals needs, shape ``(cuts, cuts)``.

    A group is of use only if it needs fewer rounds than its students do when they are split: the
    work of a split is at most its rounds times the students, so a split that has no more rounds
    has no more work either. So short groups come first, and a longer one is taught no further than
    the best split of it; this leaves out nothing.
    """
    number = len(cuts) - 1
    rounds = np.full((number + 1, number + 1), NEVER, dtype=np.int64)
    fewest = np.full((number + 1, number + 1), np.inf)
    for length in range(1, number + 1):
        firsts = np.arange(number + 1 - length)
        lasts = firsts + length
        groups = [Group(camps, cuts[i], cuts[j]) for i, j in zip(firsts, lasts, strict=True)]
        split = np.array([_alone_rounds(foresight, group) for group in groups])
        for part in range(1, length):
            split = np.minimum(split, fewest[firsts, firsts + part] + fewest[firsts + part, lasts])
        limits = np.minimum(split, foresight.max_rounds).astype(np.int64)
        several = np.array([foresight.parts.students(group) > 1 for group in groups])
        found = np.full(len(groups), NEVER, dtype=np.int64)
        found[several] = foresight.rounds(
            [group for group, true in zip(groups, several, strict=True) if true], limits[several]
        )
        rounds[firsts, lasts] = found
        fewest[firsts, lasts] = np.where(found >= 0, np.minimum(found, split), split)
    return rounds


def together(foresight: Foresight, group: Group, rounds: int) -> Ways:
    """Return the one way to teach this group as a group."""
    return one(group, int(rounds), foresight.parts.students(group))


def alone(foresight: Foresight, group: Group) -> Ways:
    """Return the one way to teach everybody of this group alone."""
    rounds = _alone_rounds(foresight, group)
    if math.isinf(rounds):
        return NO_WAY
    return one(group, int(rounds), foresight.parts.students(group), alone=True)


def _alone_rounds(foresight: Foresight, group: Group) -> float:
    rounds = foresight.alone[list(group.camps), group.first : group.last]
    return math.inf if (rounds < 0).any() else float(rounds.sum())
