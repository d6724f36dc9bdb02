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

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.moments import Sketch
from homeroom.pools import AbstractPool
from homeroom.teachers.planning.greedy import GreedyLesson, teach_greedily
from homeroom.teachers.planning.population import Population
from homeroom.teachers.planning.request import Budget, Request
from homeroom.teachers.planning.simulation import Simulation

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

    @classmethod
    def of(cls, pool: AbstractPool, longest: float) -> PoolItems | None:
        """Return a pool's items up to some length, or ``None`` if they cannot be listed."""
        ceiling = longest**2
        if pool.directions is not None:
            return cls(pool.directions, np.arange(len(pool.directions)), True, ceiling)
        listed = pool.candidates(longest)
        if listed is None:
            return None
        fits = np.vecdot(listed.xs, listed.xs) <= ceiling * (1 + 1e-9)
        return cls(listed.xs[fits], listed.items[fits], False, ceiling)


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


class Convergence(NamedTuple):
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

    def cost(self, rounds: int) -> float:
        """Return the cost of a pass, in multiplications."""
        nodes, dimensions, _ = self.sketch.matrices.shape
        each = 2 * dimensions**2 * (len(self.pool_items.xs) + 2 * dimensions) + OVERHEAD
        return float(rounds * nodes * each)

    def improve(self, picks: Picks) -> Convergence:
        """Return the lesson after passes over its places until it converges."""
        before, passes = np.inf, 0
        without = np.zeros(len(picks.rows))
        while passes < PASSES:
            picks, without, left = self._pass(picks)
            passes += 1
            if not left < before * (1 - SETTLED):
                break
            before = left
        return Convergence(picks, without, passes)

    def measure_error(self, picks: Picks) -> float:
        """Return the class's mean squared distance after a lesson."""
        sketch = self.sketch
        for x in picks.xs(self.pool_items):
            sketch = sketch.after(x)
        return sketch.error

    def _pass(self, picks: Picks) -> tuple[Picks, Floats, float]:
        """Return the lesson after a pass, its error without each of its rounds, and its error.

        ``later`` has the matrices ``K_i`` for each place, ``so_far`` the matrices ``M_i``. What
        comes after a place does not change while the places before it do, so it is computed once,
        from the last to the first.
        """
        eye = np.broadcast_to(np.eye(self.sketch.matrices.shape[1]), self.sketch.matrices.shape)
        later = [replace(self.sketch, matrices=eye)]
        for x in picks.xs(self.pool_items)[:0:-1]:
            later.append(later[-1].after(x))
        rows, scales = picks.rows.copy(), picks.scales.copy()
        without, so_far, left = np.zeros(len(rows)), self.sketch, np.inf
        for place in range(len(rows)):
            rows[place], scales[place], left, without[place] = self._choose_item(
                so_far.matrices, later.pop().matrices, int(rows[place]), float(scales[place])
            )
            so_far = so_far.after(scales[place] * self.pool_items.xs[rows[place]])
        return Picks(rows, scales), without, left

    def _choose_item(
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
        g = self._choose_lengths(linear, quadratic)
        left = empty - 2.0 * g * linear + g * g * quadratic
        now = empty - 2.0 * scale**2 * linear[row] + scale**4 * quadratic[row]
        best = int(left.argmin())
        if not left[best] < now - ROUNDING * abs(now):
            return row, scale, float(now), empty
        return best, float(np.sqrt(g[best])), float(left[best]), empty

    def _choose_lengths(self, linear: Floats, quadratic: Floats) -> Floats:
        """Return each item's best squared scale: 1, its own length, unless lengths are free."""
        if not self.pool_items.free:
            return np.ones(len(linear))
        curved = quadratic > 0.0
        best = np.where(curved, linear / np.where(curved, quadratic, 1.0), self.pool_items.ceiling)
        return np.clip(best, 1e-12 * self.pool_items.ceiling, self.pool_items.ceiling)


def perturb(picks: Picks, pool_items: PoolItems, rng: np.random.Generator) -> Picks:
    """Return the lesson in a random order, or with two, half or all items replaced at random."""
    rows, rounds = picks.rows, len(picks.rows)
    how = int(rng.integers(4))
    if how == 0:
        return replace(picks, rows=rng.permutation(rows))
    drawn = rng.integers(len(pool_items.xs), size=rounds)
    number = (2, (rounds + 1) // 2, rounds)[how - 1]
    replaced = rng.permutation(rounds) < number
    return replace(picks, rows=np.where(replaced, drawn, rows))


def plan_over_pool(
    population: Population, request: Request, rng: np.random.Generator
) -> tuple[Floats, Ints]:
    """Return the examples of the shortest lesson found over a pool, and their items.

    With a budget of 0 the lesson is chosen step by step, and not improved. ``rng`` draws the
    perturbations.
    """
    simulation = population.simulate(request.goal)
    first = _teach_step_by_step(simulation, request)
    pool_items = PoolItems.of(request.pool, request.longest)
    if not (request.budget > 0.0 and len(first.xs)) or pool_items is None:
        return first.xs, first.items
    whole = population.sketch()
    few = whole if whole.exact else whole.coarse()
    if few.matrices.nbytes * len(first.xs) > MOST_BYTES:
        return first.xs, first.items
    search = PoolSearch(Exchange(few, pool_items), simulation, request, rng)
    return search.find_shortest(first) if first.reached else search.find_closest(first)


def _teach_step_by_step(simulation: Simulation, request: Request) -> GreedyLesson:
    """Return the shortest lesson of best next examples, whatever the rule for their lengths.

    If none reaches the goal, the one that comes closest.
    """

    def rank(lesson: GreedyLesson) -> tuple[bool, float]:  # best first
        if lesson.reached:
            return (False, len(lesson.xs))
        return (True, simulation.score(lesson.xs))

    best, at_most = None, request.at_most
    for magnitude in ("joint", "dynamic", "static") if request.pool.rescalable else ("static",):
        for longest in sorted({request.longest, request.safe_length}, reverse=True):
            lesson = teach_greedily(simulation, request, magnitude, longest, at_most)
            if best is None or rank(lesson) < rank(best):
                best = lesson
            if best.reached:
                at_most = len(best.xs)
    assert best is not None
    return best


class PoolSearch:
    """Searches for the shortest lesson over a pool.

    Parameters
    ----------
    exchange
        Improves lessons.
    simulation
        The class, to check whether a lesson reaches the goal.
    request
        What the lesson must satisfy.
    rng
        Draws the perturbations.
    """

    def __init__(
        self,
        exchange: Exchange,
        simulation: Simulation,
        request: Request,
        rng: np.random.Generator,
    ) -> None:
        self.exchange, self.pool_items, self.simulation = exchange, exchange.pool_items, simulation
        self.limits, self.budget, self.rng = request.limits, Budget(request), rng

    def find_shortest(self, first: GreedyLesson) -> tuple[Floats, Ints]:
        """Return the shortest lesson found and its items, never longer than the first."""
        best = self._improve_to_goal(self._to_picks(first.xs))
        if best is None:  # the coarse sketch is not accurate enough, or limits are not kept
            return first.xs, first.items
        while len(best.picks.rows) > 1 and self.budget.left > 0:
            shorter = self._improve_to_goal(best.picks.without(int(best.without.argmin())))
            if shorter is None:
                break
            best = shorter
        return self._to_examples(best.picks)

    def find_closest(self, first: GreedyLesson) -> tuple[Floats, Ints]:
        """Return the best lesson found with the same number of rounds, and its items."""
        best = tried = self._to_picks(first.xs)
        left = self.exchange.measure_error(best)
        for _ in range(1 + self._count_chances(len(first.xs))):
            kept = self._keep_limits(self._improve(tried))
            if kept is not None and (other := self.exchange.measure_error(kept.picks)) < left:
                best, left = kept.picks, other
            if self.budget.left <= 0:
                break
            tried = perturb(best, self.pool_items, self.rng)
        return self._to_examples(best)

    def _improve_to_goal(self, picks: Picks) -> Convergence | None:
        """Return the lesson improved and perturbed until it reaches the goal; else ``None``."""
        measure, objective = self.exchange.measure_error, self.simulation.objective
        best = self._improve(picks)
        for _ in range(1 + self._count_chances(len(picks.rows))):
            kept = self._keep_limits(best)
            if kept is not None:
                xs = kept.picks.xs(self.pool_items)
                if objective.is_reached(self.simulation.squared_after(xs)):
                    return kept
            if self.budget.left <= 0:
                break
            tried = self._improve(perturb(best.picks, self.pool_items, self.rng))
            if kept is None or measure(tried.picks) < measure(best.picks):
                best = tried
        return None

    def _keep_limits(self, lesson: Convergence) -> Convergence | None:
        """Return the lesson within its limits: unchanged, shortest items first, or scaled down.

        ``None`` if items cannot be scaled and are too long in either order.
        """
        picks, cut = lesson.picks, np.zeros(0)
        lengths = np.linalg.norm(picks.xs(self.pool_items), axis=1)
        for order in (np.arange(len(lengths)), np.argsort(lengths, kind="stable")):
            picks = Picks(lesson.picks.rows[order], lesson.picks.scales[order])
            lesson = Convergence(picks, lesson.without[order], lesson.passes)
            xs = picks.xs(self.pool_items)
            walk = self.limits.walk(self.pool_items.ceiling)
            cut = np.array([walk.show_within(x) for x in xs])
            if np.array_equal(cut, xs):
                return lesson
        if not self.pool_items.free:
            return None
        return lesson._replace(picks=Picks(picks.rows, np.linalg.norm(cut, axis=1)))

    def _improve(self, picks: Picks) -> Convergence:
        """Return the lesson after it has converged; its cost is taken from the budget."""
        lesson = self.exchange.improve(picks)
        self.budget.left -= lesson.passes * self.exchange.cost(len(picks.rows))
        self.budget.report(len(picks.rows))
        return lesson

    def _count_chances(self, rounds: int) -> int:
        """Return how often a lesson of so many rounds is perturbed."""
        return CHANCES if self.exchange.cost(rounds) < SMALL * self.budget.total else 2

    def _to_examples(self, picks: Picks) -> tuple[Floats, Ints]:
        """Return the examples of a lesson, and the numbers of their items."""
        return picks.xs(self.pool_items), self.pool_items.numbers[picks.rows]

    def _to_picks(self, xs: Floats) -> Picks:
        """Return a lesson as picks: for each example the nearest item, and the scale."""
        items, free = self.pool_items.xs, self.pool_items.free
        lengths = np.linalg.norm(xs, axis=1)
        units = xs / lengths[:, None] if free else xs
        rows = (2.0 * units @ items.T - np.vecdot(items, items)).argmax(axis=1)
        return Picks(rows, lengths if free else np.ones(len(rows)))
