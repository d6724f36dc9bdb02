"""The shortest lesson over a pool: greedy at first, then by exchange."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.moments import Sketch
from homeroom.pools import AbstractPool, DirectionPool
from homeroom.teachers.planning.exchange import Exchange, Improved, Picks, Shelf, shaken
from homeroom.teachers.planning.greedy import Shown, greedy
from homeroom.teachers.planning.rehearsal import Rehearsal
from homeroom.teachers.planning.transients import MOST_GUARDED, AbstractLimits

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
    limits: AbstractLimits,
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
    limits
        How far students may be on the way.
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
    first = _step_by_step(rehearsal, pool, limits, longest, at_most)
    shelf = shelf_of(pool, longest)
    if not (budget > 0.0 and len(first.xs)) or shelf is None:
        return first.xs, first.items
    whole = sketch()
    few = whole if whole.exact else whole.coarse()
    if few.matrices.nbytes * len(first.xs) > MOST_BYTES:
        return first.xs, first.items

    def reaches(xs: Floats) -> bool:
        return rehearsal.aim.reached(rehearsal.squared_after(xs))

    exchanger = Exchanger(
        Exchange(few, shelf), limits, reaches, budget=budget, rng=rng, report=report
    )
    if first.reached:
        return exchanger.shortest(first)
    return exchanger.best_of_length(first)


def _step_by_step(
    rehearsal: Rehearsal, pool: AbstractPool, limits: AbstractLimits, longest: float, at_most: int
) -> Shown:
    """Return the shortest lesson of best next examples, whatever the rule for their lengths.

    If none reaches the goal, the one that comes closest.
    """
    best, safe = None, min(longest, math.sqrt(limits.safe_g))
    for magnitude in ("joint", "dynamic", "static") if pool.rescalable else ("static",):
        for most in sorted({longest, safe}, reverse=True):
            rounds = at_most if best is None or not best.reached else len(best.xs)
            if most > safe:
                rounds = min(rounds, MOST_GUARDED)
            shown = greedy(
                rehearsal.stand_ins,
                rehearsal.aim,
                pool,
                magnitude,
                longest=most,
                at_most=rounds,
                walk=limits.walk(most**2),
            )
            if best is None or _rank(rehearsal, shown) < _rank(rehearsal, best):
                best = shown
    assert best is not None
    return best


def _rank(rehearsal: Rehearsal, shown: Shown) -> tuple[bool, float]:
    """Return what makes a lesson better: the goal, and then few rounds or what it leaves."""
    if shown.reached:
        return (False, len(shown.xs))
    return (True, rehearsal.score(shown.xs))


class Exchanger:
    """Makes a lesson over a pool shorter.

    Parameters
    ----------
    exchange
        The class and the shelf.
    limits
        How far students may be on the way.
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
        limits: AbstractLimits,
        reaches: Callable[[Floats], bool],
        *,
        budget: float,
        rng: np.random.Generator,
        report: Callable[[float, int], None],
    ) -> None:
        self.exchange, self.limits, self.reaches, self.rng = exchange, limits, reaches, rng
        self._budget = self._left = budget
        self._report = report

    def shortest(self, first: Shown) -> tuple[Floats, Ints]:
        """Return the shortest lesson found and its items, never longer than the first."""
        found = self._brought_home(self._as_picks(first.xs))
        if found is None:  # the sketch has few nodes, or all take students too far
            return first.xs, first.items
        while len(found.picks.rows) > 1 and self._left > 0:
            shorter = self._brought_home(found.picks.without(int(found.without.argmin())))
            if shorter is None:
                break
            found = shorter
        return self._as_examples(found.picks)

    def best_of_length(self, first: Shown) -> tuple[Floats, Ints]:
        """Return the best lesson found with just as many rounds, and its items."""
        best = self._as_picks(first.xs)
        left, tried = self.exchange.left_by(best), best
        for _ in range(1 + self._chances(len(first.xs))):
            kept = self._kept(self._improved(tried))
            if kept is not None and (other := self.exchange.left_by(kept.picks)) < left:
                best, left = kept.picks, other
            if self._left <= 0:
                break
            tried = shaken(best, self.exchange.shelf, self.rng)
        return self._as_examples(best)

    def _brought_home(self, picks: Picks) -> Improved | None:
        """Return the lesson improved, and shaken, until it reaches the goal; else ``None``."""
        exchange = self.exchange
        best = self._improved(picks)
        for _ in range(1 + self._chances(len(picks.rows))):
            kept = self._kept(best)
            if kept is not None and self.reaches(kept.picks.xs(exchange.shelf)):
                return kept
            if self._left <= 0:
                break
            tried = self._improved(shaken(best.picks, exchange.shelf, self.rng))
            if kept is None or exchange.left_by(tried.picks) < exchange.left_by(best.picks):
                best = tried
        return None

    def _kept(self, found: Improved) -> Improved | None:
        """Return the lesson within its limits: as it is, gentle items first, or scaled down.

        ``None`` if items cannot be scaled and are too long in either order.
        """
        shelf, picks = self.exchange.shelf, found.picks
        lengths = np.linalg.norm(picks.xs(shelf), axis=1)
        cut = np.zeros(0)
        for order in (np.arange(len(lengths)), np.argsort(lengths, kind="stable")):
            picks = Picks(found.picks.rows[order], found.picks.scales[order])
            found = Improved(picks, found.without[order], found.passes)
            xs = picks.xs(shelf)
            walk = self.limits.walk(shelf.ceiling)
            cut = np.array([walk.shown(x) for x in xs])
            if np.array_equal(cut, xs):
                return found
        if not shelf.free:
            return None
        return found._replace(picks=Picks(picks.rows, np.linalg.norm(cut, axis=1)))

    def _improved(self, picks: Picks) -> Improved:
        found = self.exchange.improved(picks)
        self._left -= found.passes * self.exchange.cost(len(picks.rows))
        self._report(min(1.0, 1.0 - self._left / self._budget), len(picks.rows))
        return found

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
