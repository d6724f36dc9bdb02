"""Plans over a pool, whose items can be exchanged but not moved.

A class is given by its sketch: a few rates ``z_i``, its nodes, and for each a weighted mean of
``e e'`` over the students' gaps ``e`` (state minus target). In a lesson, let ``M_i`` be what the
examples before one place have left of that matrix. Let ``S_i`` be the product of ``I - z_i x x'``
over the examples after it, and ``K_i = S_i' S_i``. With ``x`` in between, the mean squared distance
ends at

    sum_i tr(K_i M_i) - 2 x' (sum_i z_i K_i M_i) x + sum_i z_i^2 (x' M_i x) (x' K_i x)

so *all* items of a pool are compared for that place at once, each with its own best length where
lengths are free. From the first place to the last, each gets the item that is best given all the
others, until none changes. Leaving a place empty is compared too, which shows what matters least.
Cost of a pass: O(rounds * nodes * items * dimensions^2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.moments import Sketch
from homeroom.pools import AbstractPool
from homeroom.teachers.planning.greedy import GreedyLesson, greedy
from homeroom.teachers.planning.simulation import Simulation
from homeroom.teachers.planning.transients import MOST_GUARDED, AbstractLimits

PASSES = 20
"""The most passes over a lesson; a short lesson converges after a few."""

OVERHEAD = 2e5
"""The overhead of a node at a place, in multiplications: function calls."""

SETTLED = 1e-5
"""A lesson has converged if a pass lowers its error by less than this fraction."""

ROUNDING = 1e-12
"""An item that gains less than this fraction is no better."""

CHANCES = 60
"""How often a lesson that misses the goal is perturbed if a pass is cheap; else it is twice."""

SMALL = 1e-3
"""A pass is cheap if it costs less than this fraction of the budget."""

MOST_BYTES = 1 << 28
"""Memory for the matrices after each place; longer lessons are not improved."""


@dataclass(frozen=True, eq=False)
class PoolItems:
    """The items that can be shown.

    Parameters
    ----------
    xs
        The items, shape ``(items, dimensions)``; unit directions where lengths are free.
    numbers
        Their numbers in the pool.
    free
        Whether lengths are free.
    ceiling
        No squared length is above this.
    """

    xs: Floats
    numbers: Ints
    free: bool
    ceiling: float


@dataclass(frozen=True, eq=False)
class Picks:
    """A lesson of items: the row of an item and a scale per round, ``x = scale * item``."""

    rows: Ints
    scales: Floats

    def xs(self, pool_items: PoolItems) -> Floats:
        """Return the examples."""
        examples: Floats = self.scales[:, None] * pool_items.xs[self.rows]
        return examples

    def without(self, place: int) -> Picks:
        """Return the lesson without one round."""
        return Picks(np.delete(self.rows, place), np.delete(self.scales, place))


class Improved(NamedTuple):
    """A converged lesson, its error without each of its rounds, and the number of passes."""

    picks: Picks
    without: Floats
    passes: int


class Exchange:
    """Improves lessons of items for a class.

    Parameters
    ----------
    sketch
        The class.
    pool_items
        The items that can be shown.
    """

    def __init__(self, sketch: Sketch, pool_items: PoolItems) -> None:
        self.sketch, self.pool_items = sketch, pool_items
        self._rates = sketch.nodes[:, None, None]

    def cost(self, rounds: int) -> float:
        """Return the cost of a pass, in multiplications."""
        nodes, dimensions, _ = self.sketch.matrices.shape
        each = 2 * dimensions**2 * (len(self.pool_items.xs) + 2 * dimensions) + OVERHEAD
        return float(rounds * nodes * each)

    def improved(self, picks: Picks) -> Improved:
        """Return the lesson after passes over its places until it converges."""
        before, passes = np.inf, 0
        without = np.zeros(len(picks.rows))
        while passes < PASSES:
            picks, without, left = self._there_and_back(picks)
            passes += 1
            if not left < before * (1 - SETTLED):
                break
            before = left
        return Improved(picks, without, passes)

    def left_by(self, picks: Picks) -> float:
        """Return the class's mean squared distance after a lesson."""
        sketch = self.sketch
        for x in picks.xs(self.pool_items):
            sketch = sketch.after(x)
        return sketch.error

    def _there_and_back(self, picks: Picks) -> tuple[Picks, Floats, float]:
        """Return the lesson after a pass, its error without each of its rounds, and its error.

        ``later`` has the matrices ``K_i`` for each place, ``so_far`` the matrices ``M_i``. What
        comes after a place does not change while the places before it do, so it is computed once,
        from the last to the first.
        """
        dimensions = self.sketch.matrices.shape[1]
        eye = np.broadcast_to(np.eye(dimensions), self.sketch.matrices.shape)
        later = [eye]
        for x in picks.xs(self.pool_items)[:0:-1]:
            later.append(self._past(later[-1], x))
        rows, scales = picks.rows.copy(), picks.scales.copy()
        without, so_far, left = np.zeros(len(rows)), self.sketch.matrices, np.inf
        for place in range(len(rows)):
            ahead = later.pop()
            rows[place], scales[place], left, without[place] = self._best(
                so_far, ahead, int(rows[place]), float(scales[place])
            )
            so_far = self._past(so_far, scales[place] * self.pool_items.xs[rows[place]])
        return Picks(rows, scales), without, left

    def _past(self, matrices: Floats, x: Floats) -> Floats:
        """Return ``(I - z x x') M (I - z x x')`` for every node."""
        turned = self._rates[:, :, 0] * (matrices @ x)
        along = 0.5 * self._rates[:, 0] * (turned @ x)[:, None]
        change = (turned - along * x)[:, :, None] * x
        past: Floats = matrices - change - change.transpose(0, 2, 1)
        return past

    def _best(
        self, so_far: Floats, ahead: Floats, row: int, scale: float
    ) -> tuple[int, float, float, float]:
        """Return the best item for a place and its scale, and the error with it and without any.

        ``so_far`` has the matrices ``M_i`` and ``ahead`` ``K_i``. ``row`` and ``scale`` are the
        current item, which stays if none is better.
        """
        xs, rates = self.pool_items.xs, self.sketch.nodes
        empty = float(np.vdot(ahead, so_far))
        linear = np.vecdot(xs @ np.tensordot(rates, ahead @ so_far, axes=1), xs)
        quadratic = np.zeros(len(xs))
        for rate, before, after in zip(rates, so_far, ahead, strict=True):
            quadratic += rate**2 * np.vecdot(xs @ before, xs) * np.vecdot(xs @ after, xs)
        g = self._lengths(linear, quadratic)
        left = empty - 2.0 * g * linear + g * g * quadratic
        now = empty - 2.0 * scale**2 * linear[row] + scale**4 * quadratic[row]
        best = int(left.argmin())
        if not left[best] < now - ROUNDING * abs(now):
            return row, scale, float(now), empty
        return best, float(np.sqrt(g[best])), float(left[best]), empty

    def _lengths(self, linear: Floats, quadratic: Floats) -> Floats:
        """Return each item's best squared scale: 1, its own length, unless lengths are free."""
        if not self.pool_items.free:
            return np.ones(len(linear))
        known = quadratic > 0.0
        best = np.where(known, linear / np.where(known, quadratic, 1.0), self.pool_items.ceiling)
        return np.clip(best, 1e-12 * self.pool_items.ceiling, self.pool_items.ceiling)


def perturbed(picks: Picks, pool_items: PoolItems, rng: np.random.Generator) -> Picks:
    """Return the lesson in a random order, or with two, half or all items replaced at random."""
    rows, rounds = picks.rows, len(picks.rows)
    how = int(rng.integers(4))
    if how == 0:
        return replace(picks, rows=rng.permutation(rows))
    drawn = rng.integers(len(pool_items.xs), size=rounds)
    number = (2, (rounds + 1) // 2, rounds)[how - 1]
    replaced = rng.permutation(rounds) < number
    return replace(picks, rows=np.where(replaced, drawn, rows))


def items_of(pool: AbstractPool, longest: float) -> PoolItems | None:
    """Return a pool's items up to some length, or ``None`` if they cannot be listed."""
    ceiling = longest**2
    if pool.directions is not None:
        numbers = np.arange(len(pool.directions))
        return PoolItems(pool.directions, numbers, True, ceiling)
    listed = pool.candidates(longest)
    if listed is None:
        return None
    fits = np.vecdot(listed.xs, listed.xs) <= ceiling * (1 + 1e-9)
    return PoolItems(listed.xs[fits], listed.items[fits], False, ceiling)


def planned_over_pool(
    sketch: Callable[[], Sketch],
    simulation: Simulation,
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
        Returns the class's sketch.
    simulation
        The class, to check whether a lesson reaches the goal.
    pool
        Where examples come from.
    limits
        How far students may be during the lesson.
    longest
        No example is longer than this.
    at_most
        How many rounds there may be.
    budget
        Multiplications to spend on exchange; with 0 the lesson is not improved.
    rng
        Draws the perturbations.
    report
        Called with the part of the budget that is spent, and the current rounds.
    """
    first = _step_by_step(simulation, pool, limits, longest, at_most)
    pool_items = items_of(pool, longest)
    if not (budget > 0.0 and len(first.xs)) or pool_items is None:
        return first.xs, first.items
    whole = sketch()
    few = whole if whole.exact else whole.coarse()
    if few.matrices.nbytes * len(first.xs) > MOST_BYTES:
        return first.xs, first.items

    def reaches(xs: Floats) -> bool:
        return simulation.objective.reached(simulation.squared_after(xs))

    search = PoolSearch(
        Exchange(few, pool_items), limits, reaches, budget=budget, rng=rng, report=report
    )
    if first.reached:
        return search.shortest(first)
    return search.best_of_length(first)


def _step_by_step(
    simulation: Simulation, pool: AbstractPool, limits: AbstractLimits, longest: float, at_most: int
) -> GreedyLesson:
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
                simulation.representatives,
                simulation.objective,
                pool,
                magnitude,
                longest=most,
                at_most=rounds,
                walk=limits.walk(most**2),
            )
            if best is None or _rank(simulation, shown) < _rank(simulation, best):
                best = shown
    assert best is not None
    return best


def _rank(simulation: Simulation, shown: GreedyLesson) -> tuple[bool, float]:
    """Return the sort key, best first: by the goal, then by rounds or the remaining error."""
    if shown.reached:
        return (False, len(shown.xs))
    return (True, simulation.score(shown.xs))


class PoolSearch:
    """Searches for the shortest lesson over a pool.

    Parameters
    ----------
    exchange
        Improves lessons.
    limits
        How far students may be during the lesson.
    reaches
        Returns whether examples bring the class to its goal.
    budget
        Multiplications to spend.
    rng
        Draws the perturbations.
    report
        Called with the part of the budget that is spent, and the current rounds.
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

    def shortest(self, first: GreedyLesson) -> tuple[Floats, Ints]:
        """Return the shortest lesson found and its items, never longer than the first."""
        found = self._improved_to_goal(self._as_picks(first.xs))
        if found is None:  # the coarse sketch is not accurate enough, or limits are not kept
            return first.xs, first.items
        while len(found.picks.rows) > 1 and self._left > 0:
            shorter = self._improved_to_goal(found.picks.without(int(found.without.argmin())))
            if shorter is None:
                break
            found = shorter
        return self._as_examples(found.picks)

    def best_of_length(self, first: GreedyLesson) -> tuple[Floats, Ints]:
        """Return the best lesson found with the same number of rounds, and its items."""
        best = self._as_picks(first.xs)
        left, tried = self.exchange.left_by(best), best
        for _ in range(1 + self._chances(len(first.xs))):
            kept = self._kept(self._improved(tried))
            if kept is not None and (other := self.exchange.left_by(kept.picks)) < left:
                best, left = kept.picks, other
            if self._left <= 0:
                break
            tried = perturbed(best, self.exchange.pool_items, self.rng)
        return self._as_examples(best)

    def _improved_to_goal(self, picks: Picks) -> Improved | None:
        """Return the lesson improved and perturbed until it reaches the goal; else ``None``."""
        exchange = self.exchange
        best = self._improved(picks)
        for _ in range(1 + self._chances(len(picks.rows))):
            kept = self._kept(best)
            if kept is not None and self.reaches(kept.picks.xs(exchange.pool_items)):
                return kept
            if self._left <= 0:
                break
            tried = self._improved(perturbed(best.picks, exchange.pool_items, self.rng))
            if kept is None or exchange.left_by(tried.picks) < exchange.left_by(best.picks):
                best = tried
        return None

    def _kept(self, found: Improved) -> Improved | None:
        """Return the lesson within its limits: unchanged, shortest items first, or scaled down.

        ``None`` if items cannot be scaled and are too long in either order.
        """
        pool_items, picks = self.exchange.pool_items, found.picks
        lengths = np.linalg.norm(picks.xs(pool_items), axis=1)
        cut = np.zeros(0)
        for order in (np.arange(len(lengths)), np.argsort(lengths, kind="stable")):
            picks = Picks(found.picks.rows[order], found.picks.scales[order])
            found = Improved(picks, found.without[order], found.passes)
            xs = picks.xs(pool_items)
            walk = self.limits.walk(pool_items.ceiling)
            cut = np.array([walk.shown(x) for x in xs])
            if np.array_equal(cut, xs):
                return found
        if not pool_items.free:
            return None
        return found._replace(picks=Picks(picks.rows, np.linalg.norm(cut, axis=1)))

    def _improved(self, picks: Picks) -> Improved:
        """Return the lesson after it has converged; its cost is taken from the budget."""
        found = self.exchange.improved(picks)
        self._left -= found.passes * self.exchange.cost(len(picks.rows))
        self._report(min(1.0, 1.0 - self._left / self._budget), len(picks.rows))
        return found

    def _chances(self, rounds: int) -> int:
        """Return how often a lesson of so many rounds is perturbed."""
        return CHANCES if self.exchange.cost(rounds) < SMALL * self._budget else 2

    def _as_examples(self, picks: Picks) -> tuple[Floats, Ints]:
        """Return the examples of a lesson, and the numbers of their items."""
        pool_items = self.exchange.pool_items
        return picks.xs(pool_items), pool_items.numbers[picks.rows]

    def _as_picks(self, xs: Floats) -> Picks:
        """Return a lesson as picks: for each example the nearest item, and the scale."""
        pool_items = self.exchange.pool_items
        lengths = np.linalg.norm(xs, axis=1)
        units = xs / lengths[:, None] if pool_items.free else xs
        similarity = 2.0 * units @ pool_items.xs.T - np.vecdot(pool_items.xs, pool_items.xs)
        rows = similarity.argmax(axis=1)
        return Picks(rows, lengths if pool_items.free else np.ones(len(rows)))
