"""The shortest lesson over a pool: greedy at first, then by exchange."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.moments import Sketch
from homeroom.pools import AbstractPool, DirectionPool
from homeroom.teachers.planning.exchange import Exchange, Picks, Shelf, shaken
from homeroom.teachers.planning.greedy import Shown, greedy
from homeroom.teachers.planning.rehearsal import Rehearsal

CHANCES = 60
"""How often a lesson that just misses the goal is shaken, on small pools; on large ones, twice."""

SMALL = 1e-3
"""What a pass costs on a small pool at most, for one of the budget."""

MOST_BYTES = 1 << 28
"""Memory for what comes after each place of a lesson; longer ones stay as they are."""


def shelf_of(pool: AbstractPool, longest: float) -> Shelf | None:
    """Return what a pool has to show within some length, or ``None`` if that cannot be listed."""
    ceiling = longest**2
    if isinstance(pool, DirectionPool):
        numbers = np.arange(len(pool.directions))
        return Shelf(pool.directions, numbers, True, ceiling)
    listed = pool.candidates(longest)
    if listed is None:
        return None
    fits = np.vecdot(listed.xs, listed.xs) <= ceiling * (1 + 1e-9)
    return Shelf(listed.xs[fits], listed.items[fits], False, ceiling)


def planned_over_pool(
    sketch: Callable[[], Sketch],
    rehearsal: Rehearsal,
    pool: AbstractPool,
    *,
    longest: float,
    at_most: int,
    budget: float,
    rng: np.random.Generator,
    report: Callable[[float, int], None],
) -> tuple[Floats, Ints]:
    """Return the examples of the shortest lesson found over a pool, and their items.

    Parameters
    ----------
    sketch
        Gives the class's sketch.
    rehearsal
        The class, to see whether a lesson reaches the goal.
    pool
        Where examples come from.
    longest
        No example is longer than this.
    at_most
        How many rounds there may be.
    budget
        Multiplications to spend on exchange; none, and the lesson stays as it was chosen.
    rng
        Where chance comes from.
    report
        Called with how much of the budget is spent, and the rounds at hand.
    """
    first = _step_by_step(rehearsal, pool, longest, at_most)
    shelf = shelf_of(pool, longest)
    if not (budget > 0.0 and len(first.xs)) or shelf is None:
        return first.xs, first.items
    whole = sketch()
    few = whole if whole.exact else whole.coarse()
    if few.matrices.nbytes * len(first.xs) > MOST_BYTES:
        return first.xs, first.items

    def reaches(xs: Floats) -> bool:
        return rehearsal.aim.reached(rehearsal.squared_after(xs))

    exchanger = Exchanger(Exchange(few, shelf), reaches, budget, rng, report)
    if first.reached:
        return exchanger.shortest(first)
    return exchanger.best_of_length(first.xs)


def _step_by_step(rehearsal: Rehearsal, pool: AbstractPool, longest: float, at_most: int) -> Shown:
    """Return the shortest lesson of best next examples, whatever the rule for their lengths."""
    best = None
    for magnitude in ("joint", "dynamic", "static") if pool.rescalable else ("static",):
        limit = at_most if best is None or not best.reached else len(best.xs)
        shown = greedy(
            rehearsal.stand_ins, rehearsal.aim, pool, magnitude, longest=longest, at_most=limit
        )
        if best is None or (shown.reached, -len(shown.xs)) > (best.reached, -len(best.xs)):
            best = shown
    assert best is not None
    return best


class Exchanger:
    """Makes a lesson over a pool shorter.

    Parameters
    ----------
    exchange
        The class and the shelf.
    reaches
        Tells whether examples bring the class to its goal, and what they leave.
    budget
        Multiplications to spend.
    rng
        Where shaking comes from.
    report
        Called with how much of that is spent, and the rounds at hand.
    """

    def __init__(
        self,
        exchange: Exchange,
        reaches: Callable[[Floats], bool],
        budget: float,
        rng: np.random.Generator,
        report: Callable[[float, int], None],
    ) -> None:
        self.exchange, self.reaches, self.rng = exchange, reaches, rng
        self._budget = self._left = budget
        self._report = report

    def shortest(self, first: Shown) -> tuple[Floats, Ints]:
        """Return the shortest lesson found and its items, never longer than the first."""
        found, missed = self._improved(self._as_picks(first.xs))
        if not self.reaches(found.xs(self.exchange.shelf)):  # a sketch of few nodes may be off
            return first.xs, first.items
        while len(found.rows) > 1 and self._left > 0:
            shorter = self._brought_home(found.without(int(missed.argmin())))
            if shorter is None:
                break
            found, missed = shorter
        return self._as_examples(found)

    def best_of_length(self, xs: Floats) -> tuple[Floats, Ints]:
        """Return the best lesson found with just as many rounds, and its items."""
        best, _ = self._improved(self._as_picks(xs))
        left = self.exchange.left_by(best)
        for _ in range(self._chances(len(xs))):
            if self._left <= 0:
                break
            tried, _ = self._improved(shaken(best, self.exchange.shelf, self.rng))
            if (other := self.exchange.left_by(tried)) < left:
                best, left = tried, other
        return self._as_examples(best)

    def _brought_home(self, picks: Picks) -> tuple[Picks, Floats] | None:
        """Return the lesson improved, and shaken, until it reaches the goal; else ``None``."""
        shelf = self.exchange.shelf
        best, missed = self._improved(picks)
        for _ in range(self._chances(len(picks.rows))):
            if self.reaches(best.xs(shelf)) or self._left <= 0:
                break
            tried, other = self._improved(shaken(best, shelf, self.rng))
            if self.exchange.left_by(tried) < self.exchange.left_by(best):
                best, missed = tried, other
        return (best, missed) if self.reaches(best.xs(shelf)) else None

    def _improved(self, picks: Picks) -> tuple[Picks, Floats]:
        found = self.exchange.improved(picks)
        self._left -= found.passes * self.exchange.cost(len(picks.rows))
        self._report(min(1.0, 1.0 - self._left / self._budget), len(picks.rows))
        return found.picks, found.without

    def _chances(self, rounds: int) -> int:
        return CHANCES if self.exchange.cost(rounds) < SMALL * self._budget else 2

    def _as_examples(self, picks: Picks) -> tuple[Floats, Ints]:
        shelf = self.exchange.shelf
        return picks.xs(shelf), shelf.numbers[picks.rows]

    def _as_picks(self, xs: Floats) -> Picks:
        """Return a lesson as rows of the shelf: for each example, the item it is."""
        shelf = self.exchange.shelf
        lengths = np.linalg.norm(xs, axis=1)
        units = xs / lengths[:, None] if shelf.free else xs
        likeness = 2.0 * units @ shelf.xs.T - np.vecdot(shelf.xs, shelf.xs)
        rows = likeness.argmax(axis=1)
        return Picks(rows, lengths if shelf.free else np.ones(len(rows)))
