"""Many lessons at once, where only the numbers of rounds are needed.

The search for the best groups teaches hundreds of candidate groups. Here they are taught in
batches, each in one array, and nothing is recorded. A group is given by weighted representatives:
its students, or a few rows of gaps and rates with weights that give the same averages. The formulas
are those of the exact engine, with a weight per row.

Rounding errors are not tracked here. If examples are so long that a fast student moves away from
the target (``static`` and ``safe`` magnitudes never are), a group may seem to reach a goal that the
exact engine finds in doubt. The groups that are chosen are taught by that engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom.engines.exact import REFRESH_ROUNDS
from homeroom.engines.replay import LONG
from homeroom.goals import AbstractGoal, ClassProgress
from homeroom.moments import Moments
from homeroom.moments.representatives import Representatives
from homeroom.pools import Ball
from homeroom.teachers.pool import NOTHING, GreedyRule

NEVER = -1
"""The rounds of a group that does not reach its goal within its limit."""

LEFT = -2
"""The rounds of a group whose students may have left the ball of states.

The ball is not simulated here, so the exact engine must teach the group.
"""

_FALL = 1e-3
"""The fraction to which an error may fall before everything is recomputed, as in the exact
engine."""

_MOST = 64
"""The most groups in a batch."""


@dataclass(frozen=True)
class Rule:
    """How the classroom teacher teaches all these groups, and when each is done.

    Parameters
    ----------
    goal
        When a group is done.
    magnitude, safe
        As for :class:`~homeroom.ClassroomTeacher`.
    example_radius
        No example is longer than this.
    bounded
        Whether states are confined to a ball. A group whose students may move away, and so reach
        its boundary, is then left to the exact engine.
    rates_within
        As for :class:`~homeroom.ClassroomTeacher`.
    """

    goal: AbstractGoal
    magnitude: str = "static"
    safe: bool = False
    example_radius: float = 2.0
    bounded: bool = False
    rates_within: float = 0.0

    @property
    def greedy(self) -> GreedyRule:
        """How an example is chosen."""
        return GreedyRule(Ball(), self.magnitude, self.safe, self.rates_within)


def rounds_needed(groups: Sequence[Representatives], limits: Ints, rule: Rule) -> Ints:
    """Return how many rounds each group needs; ``limits`` has the most rounds of each group.

    ``NEVER`` where that is more than its limit, ``LEFT`` where students may have reached the
    boundary of the ball of states. Cost of a group's round: O(rows * dimensions) and an
    eigenvector.
    """
    rounds = np.full(len(groups), NEVER, dtype=np.int64)
    with np.errstate(over="ignore", invalid="ignore"):  # a group may diverge
        for who in _batches(groups):
            rounds[who] = _Batch([groups[k] for k in who], rule).teach(limits[who])
    return rounds


def _batches(groups: Sequence[Representatives]) -> Iterator[list[int]]:
    """Yield batches, as indices of groups: similar in size, as many as fit into the cache."""
    order = sorted(range(len(groups)), key=lambda k: (groups[k].outputs, groups[k].gaps.shape))
    while order:
        largest = groups[order[-1]]
        rows, dimensions = largest.vectors.shape
        number = _arrays.BLOCK_BYTES // (8 * dimensions * (rows + 3 * dimensions))
        take = min(max(1, number), _MOST)
        alike = [k for k in order[-take:] if groups[k].outputs == largest.outputs]
        yield alike
        del order[-len(alike) :]


class _Batch:
    """Groups that are taught together, padded with zeros to the same shape.

    All have the same number of outputs. A row is one gap vector; a student may have several.
    With gaps e, rates eta and weights w: ``linear`` is ``sum w eta e e'``, ``quadratic``
    ``sum w eta^2 e e'``, ``third_weights`` ``w eta^3``, and ``squared`` ``|e|^2``.

    The first axis of every array is the groups. ``who`` has the numbers of those still taught,
    ``counted`` the rows that count for the farthest student. ``errors`` and ``farthest`` are the
    mean squared and the greatest distance of each group. ``highest`` is the highest error since
    everything was last recomputed, ``rounds_since`` the rounds since then.
    """

    linear: Floats
    quadratic: Floats
    third_weights: Floats
    squared: Floats
    errors: Floats
    highest: Floats
    farthest: Floats
    rounds_since: int

    def __init__(self, groups: Sequence[Representatives], rule: Rule) -> None:
        rows = max(group.vectors.shape[0] for group in groups)
        dimensions = max(group.dimensions for group in groups)
        self.rule, self.outputs = rule, groups[0].outputs
        self.who = np.arange(len(groups))
        self.gaps = np.zeros((len(groups), rows, dimensions))
        self.rates = np.zeros((len(groups), rows))
        self.weights = np.zeros((len(groups), rows))
        self.counted = np.zeros((len(groups), rows), dtype=bool)
        for k, group in enumerate(groups):
            own, width = group.vectors.shape
            self.gaps[k, :own, :width] = group.vectors
            for values, given in (
                (self.rates, group.rates),
                (self.weights, group.weights),
                (self.counted, group.counted),
            ):
                values[k, :own] = _arrays.for_each_vector(given, self.outputs)
        self.fastest = np.array([group.fastest for group in groups])
        self._rebuild()

    def teach(self, limits: Ints) -> Ints:
        """Return how many rounds each group needs, or ``NEVER`` or ``LEFT``."""
        rounds = np.full(len(limits), NEVER, dtype=np.int64)
        for number in range(int(limits.max()) + 1):
            reached = self._find_reached()
            rounds[self.who[reached & (limits[self.who] >= number)]] = number
            self._keep(~reached & np.isfinite(self.errors) & (limits[self.who] > number))
            if len(self.who):
                rounds[self._round()] = LEFT
            if not len(self.who):
                break
        return rounds

    def _find_reached(self) -> npt.NDArray[np.bool_]:
        """Return which groups have reached the goal."""
        reached = self._goal_holds()
        if reached.any():  # check again, without accumulated rounding
            self.squared[reached] = np.vecdot(self.gaps[reached], self.gaps[reached])
            self._measure()
            reached &= self._goal_holds()
        return reached

    def _goal_holds(self) -> npt.NDArray[np.bool_]:
        """Return which groups have reached the goal by their current errors."""
        both = zip(self.errors.tolist(), self.farthest.tolist(), strict=True)
        reached = self.rule.goal.reached
        return np.array([reached(ClassProgress(mean, far)) for mean, far in both], dtype=bool)

    def _round(self) -> Ints:
        """Show each group its best example; return the groups that need the exact engine."""
        g, directions, helps = best_examples(self.linear, self.quadratic, self.fastest, self.rule)
        too_long = self.rule.bounded & (self.fastest * g > LONG)
        left = self.who[too_long]
        on = ~too_long & (helps > NOTHING)
        if not on.all():
            g, directions = g[on], directions[on]
            self._keep(on)
        if len(self.who):
            self._learn(g, np.sqrt(g)[:, None] * directions)
        return left

    def _learn(self, g: Floats, xs: Floats) -> None:
        """Move every gap by ``-eta p x`` with ``p = <e, x>``, and update the moments.

        With ``t = sum w eta^3 p e``, ``linear`` falls by ``x a' + a x'`` with
        ``a = Bx - <t, x> x / 2``, and ``quadratic`` (B) likewise with
        ``t - (sum w eta^4 p^2) x / 2``.
        """
        columns = xs[:, :, None]
        p = (self.gaps @ columns)[:, :, 0]
        moves = self.rates * p
        weighed = self.third_weights * p
        third = (weighed[:, None, :] @ self.gaps)[:, 0]
        fourth = np.vecdot(weighed, moves)
        self.squared -= moves * (2.0 * p - g[:, None] * moves)
        self.gaps -= moves[:, :, None] * xs[:, None, :]
        a = (self.quadratic @ columns)[:, :, 0] - (0.5 * np.vecdot(third, xs))[:, None] * xs
        self.linear = _subtract_outer(self.linear, xs, a)
        self.quadratic = _subtract_outer(self.quadratic, xs, third - (0.5 * fourth)[:, None] * xs)
        self._measure()
        self.rounds_since += 1
        np.maximum(self.highest, self.errors, out=self.highest)
        if self.rounds_since >= REFRESH_ROUNDS or (self.errors < _FALL * self.highest).any():
            self._rebuild()

    def _rebuild(self) -> None:
        """Compute everything again from the gaps."""
        sideways = self.gaps.transpose(0, 2, 1)
        weights = self.weights * self.rates
        self.linear = (sideways * weights[:, None, :]) @ self.gaps
        weights = weights * self.rates
        self.quadratic = (sideways * weights[:, None, :]) @ self.gaps
        self.third_weights = weights * self.rates
        self.squared = np.vecdot(self.gaps, self.gaps)
        self._measure()
        self.highest = self.errors.copy()
        self.rounds_since = 0

    def _measure(self) -> None:
        """Update the error and the farthest distance of each group from ``squared``."""
        self.errors = np.maximum(np.vecdot(self.weights, self.squared), 0.0)
        watched = np.where(self.counted, self.squared, 0.0)
        if self.outputs > 1:  # a student's vectors are one after the other
            watched = watched.reshape(len(watched), -1, self.outputs).sum(axis=2)
        self.farthest = np.sqrt(np.maximum(watched.max(axis=1), 0.0))

    def _keep(self, some: npt.NDArray[np.bool_]) -> None:
        """Keep only some of the groups, which are the first axis of every array."""
        if some.all():
            return
        for name, array in vars(self).items():
            if isinstance(array, np.ndarray):
                setattr(self, name, array[some])


def best_examples(
    linear: Floats, quadratic: Floats, fastest: Floats, rule: Rule
) -> tuple[Floats, Floats, Floats]:
    """Return each group's best example: squared length, unit direction, and the error it removes.

    One group after the other, by the rule of the teacher: an eigenvector takes most of the time,
    and LAPACK finds one of each group in a third of the time of all of a stack of matrices.

    Parameters
    ----------
    linear, quadratic
        The groups' moments, shape ``(groups, dimensions, dimensions)``.
    fastest
        The highest rate in each group.
    rule
        How they are taught.
    """
    greedy, radius = rule.greedy, rule.example_radius
    g, directions, helps = (
        np.empty(len(fastest)),
        np.empty(linear.shape[:2]),
        np.empty(len(fastest)),
    )
    for k, gentle in enumerate((1.0 / fastest).tolist()):
        moments = Moments(linear[k], quadratic[k], gentle)
        pick = greedy.pick_within(moments, greedy.limit_for(radius, gentle))
        g[k], directions[k], helps[k] = pick.g, pick.direction, pick.help
    return g, directions, helps


def _subtract_outer(matrices: Floats, xs: Floats, a: Floats) -> Floats:
    """Return ``matrix - x a' - a x'`` for each group."""
    change = xs[:, :, None] * a[:, None, :]
    less: Floats = matrices - (change + change.transpose(0, 2, 1))
    return less
