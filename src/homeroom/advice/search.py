"""The search for the best groups: by rate, by knowledge, or by both."""

from __future__ import annotations

from functools import partial, reduce
from itertools import pairwise

import numpy as np

from homeroom.advice.cut_by_rate import alone, cut_by_rate, together
from homeroom.advice.foresight import Foresight
from homeroom.advice.merge_camps import by_cost, by_likeness, merge_camps
from homeroom.advice.parts import Group
from homeroom.advice.ways import Ways, both, either
from homeroom.groups import ByRate


def find_ways(foresight: Foresight, by: str) -> Ways:
    """Return every undominated way to split the class; none if no way reaches the goal.

    Parameters
    ----------
    foresight
        The class, and what its groups would need.
    by
        ``"rate"``: every grouping of neighbouring cells. ``"knowledge"``: camps, merged step by
        step. ``"both"``: these, and like-minded camps also cut by rate. The whole class, the
        paper's doubling bins and individuals are always among the candidates.
    """
    everybody = foresight.parts.everybody
    if by == "rate":
        foresight.expected = _triangle(everybody.last)
        return cut_by_rate(foresight, everybody.camps)
    camps = len(everybody.camps)
    foresight.expected = camps**2 + (3 * _triangle(everybody.last) if by == "both" else 0)
    within = cut_by_rate if by == "both" else _together_or_alone
    return either(
        [
            merge_camps(foresight, _together_or_alone, by_cost),
            merge_camps(foresight, within, by_likeness),
            _in_doubling_bins(foresight),
        ]
    )


def _together_or_alone(foresight: Foresight, camps: tuple[int, ...]) -> Ways:
    group = Group(camps, 0, foresight.parts.cells)
    (rounds,) = foresight.rounds([group])
    return either([together(foresight, group, rounds), alone(foresight, group)])


def _in_doubling_bins(foresight: Foresight) -> Ways:
    """Return the paper's groups by rate, as one way."""
    parts, camps = foresight.parts, foresight.parts.everybody.camps
    bin_of = np.zeros(parts.cells, dtype=np.int64)
    bin_of[parts.cell_of] = ByRate().split(foresight.room, np.random.default_rng(0))
    edges = np.searchsorted(bin_of, np.arange(int(bin_of[-1]) + 2)).tolist()
    groups = [Group(camps, first, last) for first, last in pairwise(edges)]
    rounds = foresight.rounds(groups)
    return reduce(both, map(partial(together, foresight), groups, rounds))


def _triangle(number: int) -> int:
    return number * (number + 1) // 2
