"""How far students may be from the target during a lesson, and what keeps them there.

An example of squared length ``g`` moves a student of rate ``r`` away from the target where
``r g > 2``. A plan may do that for a while, within limits: no student is ever farther than the
farthest was at the start of the lesson, nor more than twice as far as they were themselves (or the
distance that the goal allows, if that is more). The limits hold for every rate in
``r (1 +- rates_within)``. Rounding has a limit too: a small disturbance of a student in every
round must stay small, so that a plan does not depend on digits that floating-point numbers lack.

An :class:`AbstractWalk` goes through a lesson example by example. It gives the greatest length that
keeps the limits, so that every lesson can be changed to keep them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom.goals import DistanceGoal
from homeroom.moments import Observation
from homeroom.moments.representatives import in_coordinates

TWICE = 2.0
"""How far a student may be, relative to their distance at the start."""

DISTURBANCE = 1e-9
"""The disturbance of a student in every round, relative to their distance (double precision)."""

SINGLE_DISTURBANCE = 1e-5
"""The same in single precision."""

HARMLESS = 1e-3
"""How large disturbances may become, relative to the distance that the goal allows."""

SMALLEST = 1e-5
"""A smaller goal, relative to the farthest distance, counts as this one."""

WITHIN = 1.0 - 1e-9
"""The fraction of a limit that is used, to allow for rounding."""

NO_SLACK = 1e-12
"""A row may exceed its limit by this fraction, which is no more than rounding."""

LONG = 2.0 * (1.0 + 1e-9)
"""A student of rate ``r`` may move away where ``r g`` is above this."""

COPIES = 5
"""The number of rates at which each student is followed, if rates may be off."""

MORE_COPIES = 33
"""The same for the last check of a plan."""

RATES = 32
"""The number of rates at which a class is followed whose students are not observed one by one."""

MORE_RATES = 96
"""The same for the last check of a plan."""

GENTLER = 0.8
"""The factor by which squared lengths are reduced, again and again, until they keep the limits."""

CLOSE = 0.7
"""An example is postponed if the limits allow less than this fraction of its squared length."""

RELIEFS = 3
"""The most examples that are inserted before a postponed one."""

OVERHEAD = 5e5
"""The overhead of an example of a walk, in multiplications: function calls."""


class Watched(NamedTuple):
    """Rows that a lesson should keep within limits.

    ``gaps`` has shape ``(rows, outputs * dimensions)``; ``rates``, and ``limits`` on the squared
    distance, ``(rows,)``. Where ``backward`` is 1, the row goes through the lesson from its end to
    its start: then its length is the factor by which the last examples amplify a disturbance.
    """

    gaps: Floats
    rates: Floats
    limits: Floats
    backward: Floats

    @classmethod
    def none(cls, dimensions: int) -> Watched:
        """Return no rows."""
        return cls(np.zeros((0, dimensions)), np.zeros(0), np.zeros(0), np.zeros(0))

    def __or__(self, other: Watched) -> Watched:
        """Return the rows of both, without duplicates."""
        if not len(self.rates) and not len(other.rates):
            return self
        rows = np.concatenate([np.column_stack(part) for part in (self, other) if len(part.rates)])
        rows = np.unique(rows, axis=0)
        return Watched(rows[:, :-3], *rows[:, -3:].T)

    def only(self, backward: float) -> Watched:
        """Return the rows that go backward (1), or forward (0)."""
        rows = self.backward == backward
        return Watched(*(part[rows] for part in self))


class AbstractWalk(ABC):
    """A class during a lesson, with limits on how far its students may be.

    Its rows are the students, each at several rates, or only rates where single students are not
    known. ``reach`` is the highest rate of a student who may be moved away. An example with
    ``reach g <= 2`` keeps all limits.
    """

    reach: float
    _spacing: float  # of the rates that are followed
    _rng: np.random.Generator

    @abstractmethod
    def cap(self, direction: Floats, g: float) -> float:
        """Return a squared length of at most ``g`` along a unit direction that keeps the limits."""

    @abstractmethod
    def binding(self, direction: Floats, g: float) -> Watched:
        """Return the rows that an example would take past a limit, as they were at the start.

        The example has the squared length ``g`` along a unit direction.
        """

    @abstractmethod
    def show(self, x: Floats) -> None:
        """Let the class learn from an example."""

    @abstractmethod
    def _sizes_past(self, direction: Floats, g: float) -> tuple[Floats, Floats]:
        """Return the rates of the rows that ``g`` would take past a limit, and their squares.

        These are the squared lengths along the direction, relative to the limit.
        """

    def relief(self, direction: Floats, g: float) -> float:
        """Return the squared length that suits best the rows that ``g`` would take past a limit.

        Nothing would remain at the rates that are followed, which hides what remains at rates
        between them. So the length is varied at random.
        """
        rates, sizes = self._sizes_past(direction, g)
        off = self._spacing * self._rng.uniform(-1.0, 1.0)
        return float(rates @ sizes / (rates**2 @ sizes)) * (1.0 + off)

    def shorten(self, x: Floats) -> Floats:
        """Return the example, shorter if it would not keep the limits."""
        g = float(x @ x)
        if g * self.reach <= LONG:
            return x
        cap = self.cap(x / g**0.5, g)
        return x if g <= cap else x * (cap / g) ** 0.5

    def show_within(self, x: Floats) -> Floats:
        """Let the class learn from the example, shortened to keep the limits, and return it."""
        x = self.shorten(x)
        self.show(x)
        return x

    def keep(self, xs: Floats, *, longer: bool = False) -> tuple[Floats, Watched]:
        """Return a lesson that keeps the limits, and the rows that forced a change.

        An example that is too long is shortened. If the lesson may get longer and an example is
        much too long, an example that suits the rows it would move away comes first, in the same
        direction.
        """
        kept, watched = list[Floats](), Watched.none(xs.shape[1])
        for x in xs:
            g = float(x @ x)
            for _ in range(RELIEFS if g * self.reach > LONG else 0):
                unit = x / g**0.5
                cap = self.cap(unit, g)
                if cap >= g:
                    break
                watched |= self.binding(unit, g)
                if cap > CLOSE * g or not longer:
                    break
                kept.append(self.show_within(self.relief(unit, g) ** 0.5 * unit))
            kept.append(self.show_within(x))
        return np.array(kept).reshape(len(kept), xs.shape[1]), watched


@dataclass(frozen=True, eq=False)
class StudentLimits:
    """Limits for students who are observed one by one.

    Parameters
    ----------
    gaps
        Where they are now, shape ``(students, outputs * dimensions)``.
    rates
        How fast they seem to learn, shape ``(students,)``.
    squared
        The greatest squared distance each of them may have, shape ``(students,)``.
    within
        The relative error that their rates may have.
    harmless
        How far disturbances may move a student, squared.
    disturbance
        The disturbance of a student in every round, relative to their distance.
    copies
        The number of rates in the range at which each student is followed.
    """

    gaps: Floats
    rates: Floats
    squared: Floats
    within: float
    harmless: float
    disturbance: float = DISTURBANCE
    copies: int = COPIES

    @classmethod
    def at_start(
        cls,
        gaps: Floats,
        rates: Floats,
        goal: DistanceGoal,
        within: float,
        disturbance: float = DISTURBANCE,
    ) -> StudentLimits:
        """Return the limits at the start of a lesson."""
        squared = np.vecdot(gaps, gaps)
        farthest = float(squared.max(initial=0.0))
        most = np.minimum(np.maximum(TWICE**2 * squared, goal.limit), farthest)
        harmless = HARMLESS**2 * max(goal.limit, SMALLEST**2 * farthest)
        return cls(gaps, rates, most, within, harmless, disturbance)

    @property
    def safe_g(self) -> float:
        """The greatest squared length that moves no student away, whatever their rates are."""
        return 2.0 / ((1.0 + self.within) * float(self.rates.max()))

    @property
    def cost(self) -> float:
        """The cost of one example of a walk, in multiplications."""
        return 10.0 * self.copies * self.gaps.size + OVERHEAD

    @property
    def finer(self) -> StudentLimits | None:
        """The same limits at more rates, for the last check of a plan; ``None`` if not needed."""
        return replace(self, copies=MORE_COPIES) if self.within else None

    def move_to(self, seen: Observation) -> StudentLimits:
        """Return the same limits, with the students where they are observed now."""
        gaps, rates = _arrays.to_host(seen.gaps), _arrays.to_host(seen.rates)
        return replace(self, gaps=gaps, rates=rates)

    def along(self, directions: Floats) -> StudentLimits:
        """Return the limits in the coordinates of some directions, one per row."""
        return replace(self, gaps=in_coordinates(self.gaps, directions))

    def walk(self, ceiling: float) -> StudentWalk:
        """Return the class at the start, for examples up to this squared length."""
        return StudentWalk(self, ceiling)

    def shorten_first(self, x: Floats) -> Floats:
        """Return the first example of a lesson, shorter if it would not keep the limits."""
        return self.walk(float(x @ x)).shorten(x)

    def worst_transient(self, xs: Floats) -> float:
        """Return how far a student is at the worst, relative to their distance at the start."""
        gaps, worst = self.gaps, 1.0
        start = np.vecdot(gaps, gaps)
        start = np.where(start > 0.0, start, 1.0)
        for x in xs:
            gaps = _arrays.move_gaps(gaps, self.rates, x)
            worst = max(worst, float((np.vecdot(gaps, gaps) / start).max(initial=0.0)))
        return math.sqrt(worst)


class StudentWalk(AbstractWalk):
    """Students during a lesson, each at several of the rates that they may have.

    With ``c = <e, u>^2`` (with several outputs ``|E u|^2``), an example of squared length ``g``
    along ``u`` changes ``|e|^2`` by ``c (r^2 g^2 - 2 r g)``. So it stays below a limit up to
    ``g = (1 + sqrt(1 + (limit - |e|^2) / c)) / r``. O(students * dimensions) per example.
    """

    def __init__(self, limits: StudentLimits, ceiling: float) -> None:
        within = limits.within
        off = np.linspace(-within, within, limits.copies) if within else np.zeros(1)
        factors = 1.0 + off
        at_risk = limits.rates * (1.0 + within) * ceiling > LONG
        gaps, rates = limits.gaps[at_risk], limits.rates[at_risk]
        self._students, self._spacing = len(rates), within / max(limits.copies - 1, 1)
        self.reach = float(rates.max(initial=0.0)) * (1.0 + within)
        self._start = np.tile(gaps, (len(factors), 1))
        self._rates = np.append(np.outer(factors, rates).reshape(-1), rates)
        # The last rows are how far disturbances have moved each student. They learn like gaps.
        self._rows = np.concatenate([self._start, np.zeros_like(gaps)])
        squared = np.tile(limits.squared[at_risk], len(factors))
        self._limits = WITHIN * np.append(squared, np.full(len(rates), limits.harmless))
        self._middle = slice(len(factors) // 2 * len(rates), (len(factors) // 2 + 1) * len(rates))
        self._disturbance = limits.disturbance
        self._rng = np.random.default_rng(0)
        self._disturb(np.zeros((len(rates), 1)))

    def cap(self, direction: Floats, g: float) -> float:
        return float(self._caps(direction).min(initial=g))

    def binding(self, direction: Floats, g: float) -> Watched:
        passed = np.flatnonzero(self._caps(direction) < g)
        backward = passed >= len(self._start)
        # A disturbance of unit length may grow by the ratio of its limit to its first size.
        gaps, limits = self._start[passed % len(self._start)], self._limits[passed]
        if backward.any():
            sizes = self._disturbance**2 * np.vecdot(gaps, gaps)[backward]
            limits[backward] /= np.maximum(sizes, 1e-300)
            drawn = np.random.default_rng(0).standard_normal(self._start.shape)
            drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
            gaps[backward] = drawn[passed[backward] % len(self._start)]
        return Watched(gaps, self._rates[passed], limits, backward.astype(np.float64))

    def _sizes_past(self, direction: Floats, g: float) -> tuple[Floats, Floats]:
        passed = self._caps(direction) < g
        return self._rates[passed], self._along(direction)[passed] / self._limits[passed]

    def show(self, x: Floats) -> None:
        if not self._students:
            return
        before = np.linalg.norm(self._rows[self._middle], axis=1, keepdims=True)
        vectors = _arrays.split_rows(self._rows, len(x))
        rates = _arrays.for_each_vector(self._rates, self._rows.shape[1] // len(x))
        vectors -= (rates * (vectors @ x))[:, None] * x
        self._disturb(before)

    def _along(self, direction: Floats) -> Floats:
        """Return each row's squared length along a unit direction."""
        squares = (_arrays.split_rows(self._rows, len(direction)) @ direction) ** 2
        along: Floats = _arrays.over_vectors(squares, self._rows.shape[1] // len(direction))
        return along

    def _caps(self, direction: Floats) -> Floats:
        """Return the greatest squared length along a direction that keeps each row's limit."""
        along = self._along(direction)
        squared = np.vecdot(self._rows, self._rows)
        slack = np.maximum(self._limits - squared, NO_SLACK * self._limits)
        with np.errstate(divide="ignore", over="ignore"):
            times = np.where(along > 0.0, slack / np.where(along > 0.0, along, 1.0), np.inf)
        caps: Floats = (1.0 + np.sqrt(1.0 + times)) / self._rates
        return caps

    def _disturb(self, before: Floats) -> None:
        """Add a random disturbance of each student, as rounding does in a round.

        Its size is relative to the student's distance, now or ``before`` the round.
        """
        students = self._rows[self._middle]
        drawn = self._rng.standard_normal(students.shape)
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        sizes = np.maximum(np.linalg.norm(students, axis=1, keepdims=True), before)
        self._rows[len(self._start) :] += self._disturbance * sizes * drawn


@dataclass(frozen=True, eq=False)
class ClassLimits:
    """Limits for a class of which only the range of the rates is known, not each student.

    After ``x_1..x_t`` a student of rate ``r`` is at ``P_t(r) e`` with
    ``P_t(r) = prod (I - r x_s x_s')``. While the norm of ``P_t(r)`` is at most one for every rate
    in the range, no student is farther than they were at the start, wherever they were.

    Parameters
    ----------
    slowest, fastest
        The range of the rates.
    dimensions
        How many numbers an example has.
    within
        The relative error that the rates may have.
    rates
        The number of rates in the range at which the class is followed.
    """

    slowest: float
    fastest: float
    dimensions: int
    within: float
    rates: int = RATES

    @property
    def safe_g(self) -> float:
        """The greatest squared length that moves no student away, whatever their rates are."""
        return 2.0 / ((1.0 + self.within) * self.fastest)

    @property
    def cost(self) -> float:
        """The cost of one example of a walk, in multiplications."""
        return 40.0 * self.rates * self.dimensions**3 + OVERHEAD

    @property
    def finer(self) -> ClassLimits:
        """The same limits at more rates, for the last check of a plan."""
        return replace(self, rates=MORE_RATES)

    def move_to(self, _seen: Observation) -> ClassLimits:
        """Return the same limits: they do not depend on where students are."""
        return self

    def along(self, directions: Floats) -> ClassLimits:
        """Return the limits in the coordinates of some directions, one per row."""
        return replace(self, dimensions=len(directions))

    def walk(self, ceiling: float) -> ClassWalk:
        """Return the class at the start, for examples up to this squared length."""
        return ClassWalk(self, ceiling)

    def shorten_first(self, x: Floats) -> Floats:
        """Return an example of a plan as it is: where students are now is not known."""
        return x

    def worst_transient(self, xs: Floats) -> float:
        """Return an upper bound on how far a student is, relative to their distance at the start.

        It is the norm of ``P_t(r)`` over all rounds and the rates in the range.
        """
        rates, worst = np.geomspace(self.slowest, self.fastest, RATES), 1.0
        so_far = np.tile(np.eye(self.dimensions), (RATES, 1, 1))
        for x in xs:
            so_far -= x[:, None] * (rates[:, None] * (x @ so_far))[:, None, :]
            if rates[-1] * float(x @ x) > 2.0:
                norms = np.linalg.eigvalsh(so_far @ so_far.transpose(0, 2, 1))[:, -1]
                worst = max(worst, float(norms.max()))
        return math.sqrt(worst)


class ClassWalk(AbstractWalk):
    """The matrices ``P(r)`` during a lesson, at many rates. O(rates * dimensions^3) per example.

    An example with ``r g <= 2`` cannot raise the norm of ``P(r)``, so only higher rates are
    followed.
    """

    def __init__(self, limits: ClassLimits, ceiling: float) -> None:
        within, dimensions = limits.within, limits.dimensions
        self.reach = limits.fastest * (1.0 + within)
        slowest = max(limits.slowest * (1.0 - within), 2.0 / ceiling)
        self._rates, self._spacing = np.zeros(0), 0.0
        if self.reach * ceiling > LONG:
            self._rates = np.geomspace(slowest, self.reach, limits.rates)
            self._spacing = float(np.log(self.reach / slowest)) / (2 * (limits.rates - 1))
        self._rng = np.random.default_rng(0)
        # P(r) for each rate.
        self._so_far = np.tile(np.eye(dimensions), (len(self._rates), 1, 1))

    def cap(self, direction: Floats, g: float) -> float:
        while g * self.reach > LONG and len(self._find_past(direction, g)[0]):
            g = max(GENTLER * g, 2.0 / self.reach)
        return g

    def binding(self, direction: Floats, g: float) -> Watched:
        passed, after = self._find_past(direction, g)
        # The gaps that grow most: right singular vectors of P(r).
        vectors = np.linalg.svd(after)[2][:, 0] if len(passed) else np.zeros((0, len(direction)))
        ones = np.ones(len(passed))
        return Watched(vectors, self._rates[passed], ones, 0.0 * ones)

    def _sizes_past(self, direction: Floats, g: float) -> tuple[Floats, Floats]:
        passed, _ = self._find_past(direction, g)
        turned = direction @ self._so_far[passed]
        return self._rates[passed], np.vecdot(turned, turned)

    def show(self, x: Floats) -> None:
        turned = self._rates[:, None] * (x @ self._so_far)
        self._so_far -= x[:, None] * turned[:, None, :]

    def _find_past(self, direction: Floats, g: float) -> tuple[Ints, Floats]:
        """Return the rates for which the norm would be above one, and ``P`` for each of them."""
        risk = np.flatnonzero(self._rates * g > 2.0)
        before = self._so_far[risk]
        turned = (g * self._rates[risk])[:, None] * (direction @ before)
        after = before - direction[:, None] * turned[:, None, :]
        norms = np.linalg.eigvalsh(after @ after.transpose(0, 2, 1))[:, -1]
        passed = norms > 1.0 + 1e-9
        return risk[passed], after[passed]


Limits: TypeAlias = StudentLimits | ClassLimits
"""What no student may pass in a lesson."""
