"""The paper's teacher, which synthesises examples, and the rules for their lengths."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from homeroom._arrays import Floats, top_eigenvector
from homeroom._checks import InputError, not_negative, yes_or_no
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss
from homeroom.moments import AbstractMoments, Observation
from homeroom.pools import AbstractPool, Ball, Pick
from homeroom.teachers.base import AbstractTeacher, AbstractTutor, Choices, GreedyRule
from homeroom.teachers.candidates import rounding
from homeroom.teachers.synthesis import synthesise
from homeroom.teachers.tutoring import best_example_for_each, synthesise_each


@dataclass(frozen=True)
class ClassroomTeacher(AbstractTeacher, AbstractTutor):
    """Synthesises the example that helps the class most (Algorithm 1).

    For the squared loss the direction ``u`` is the top eigenvector of ``W``, where ``u' W u`` is by
    how much ``u`` lowers the class's mean squared distance. For any other loss direction and length
    are searched for numerically in the ball, from several starts.

    Parameters
    ----------
    magnitude
        How long the examples are: ``"static"`` and ``"dynamic"`` as in the paper; ``"joint"``,
        improved in turn with the direction; or ``"best"``, the best of all lengths and directions.
        Static and dynamic need one eigenvector per round, joint three to six, best 10 to 20.
    safe
        Never show an example so long that a student could move away (squared loss).
    rates_within
        The relative error of the rates: the true ones are in
        ``rates * (1 +- rates_within)``. ``safe`` and certificates hold for all of them.

    Examples
    --------
    >>> from homeroom import Classroom, teach
    >>> room = Classroom.sample(rates=(0.1, 0.6))
    >>> for magnitude in ("static", "dynamic", "joint", "best"):
    ...     print(magnitude, teach(room, teacher=ClassroomTeacher(magnitude, safe=True)).rounds)
    static 178
    dynamic 107
    joint 105
    best 105
    """

    magnitude: str = "static"
    safe: bool = False
    rates_within: float = 0.0

    def __post_init__(self) -> None:
        check_magnitude(self.magnitude)
        yes_or_no(self.safe, "safe")
        check_rates_within(self.rates_within)

    @property
    def assumes(self) -> str:
        return "gradient"  # the learner whose step the choice relies on

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"moments"})

    @property
    def greedy(self) -> GreedyRule:
        return GreedyRule(Ball(), self.magnitude, self.safe, self.rates_within)

    def prepare(self, room: Classroom, loss: AbstractLoss) -> ClassroomTeacher:
        check_safe(self.safe, loss)
        return self

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        if seen.loss.is_quadratic:
            return choose_by_moments(
                seen, Ball(), self.magnitude, safe=self.safe, rates_within=self.rates_within
            )
        return synthesise(seen, rng)

    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        if seen.loss.is_quadratic:
            return best_example_for_each(seen)
        return synthesise_each(seen, rng)


Magnitude: TypeAlias = Literal["static", "dynamic", "joint", "best"]

JOINT_PASSES = 50
"""The most alternations between direction and magnitude; most classes need three to six."""

JOINT_TOLERANCE = 1e-10

BEST_TOLERANCE = 2e-10
"""The relative help that *best* may leave unused; it is proved for every length in the range."""

BEST_PICKS = 256
"""The most lengths that *best* tries, which matters for moments that are mostly rounding."""

NOTHING = 1e-30
"""Help below this is rounding: the class is as close as possible."""


def check_magnitude(magnitude: str) -> None:
    """Refuse an unknown magnitude."""
    if magnitude not in get_args(Magnitude):
        raise InputError(
            f"`magnitude` must be one of {', '.join(get_args(Magnitude))}, but is {magnitude!r}."
        )


def check_safe(safe: bool, loss: AbstractLoss, labels: Floats | None = None) -> None:
    """Refuse ``safe`` where it cannot be guaranteed."""
    if safe and labels is not None:
        raise InputError(
            "safe=True needs the target's own answers, but the pool has labels of its own. "
            "Leave it out."
        )
    if safe and not loss.is_quadratic:
        raise InputError(
            "safe=True needs the squared loss, where it is known how long an example may be, "
            f"but the loss is {type(loss).__name__}. Leave it out."
        )


def check_rates_within(rates_within: float) -> None:
    """Refuse a value that is negative, or 1 and above."""
    off = not_negative(rates_within, "rates_within", example="0.1")
    if off >= 1.0:
        raise InputError(
            "`rates_within` must be below 1 (0.1: rates are off by at most 10 %), but is "
            f"{rates_within}. Try rates_within=0.1."
        )


def greatest_g(seen: Observation, *, safe: bool, rates_within: float = 0.0) -> float:
    """Return the greatest squared length that an example may have.

    Up to ``2 / ((1 + rates_within) max eta)`` no student moves away, whatever their rates are in
    ``eta (1 +- rates_within)``; ``moments.gentle`` is ``1 / max eta``. Random rates have a mean
    square of their own (``squared_rates``), and are always limited in this way.
    """
    ceiling = seen.example_radius**2
    if safe:
        return min(ceiling, 2.0 * seen.moments.gentle / (1.0 + rates_within))
    if seen.squared_rates is not None:
        return min(ceiling, 2.0 * seen.moments.gentle)
    return ceiling


def best_pick(
    seen: Observation,
    pool: AbstractPool,
    magnitude: str,
    *,
    safe: bool,
    rates_within: float = 0.0,
) -> Pick:
    """Return the pool's best example, its squared length ``g`` set by the rule ``magnitude``.

    With ``e`` the students' gaps to the target:
    *static* ``g = 1 / max eta``: best for the most sensitive student. *dynamic*
    ``g = sum eta |e|^2 / sum eta^2 |e|^2``: best for the class if directions were all alike.
    *joint*: the best ``g`` for the very direction shown, and the best direction for that ``g``, in
    turn; each pass can only help the class more, so in one step it is never worse than dynamic.
    *best*: the ``g`` and direction that help most of all, the paper's argmin over the whole ball;
    joint may stop at a local optimum (:func:`best_of_all_lengths`).

    All are cut at ``example_radius^2``. With ``safe``, and always with random rates (Eq. 11), they
    are also cut where a student may move away (:func:`greatest_g`). Items that cannot be rescaled
    keep their length: the best of those that are short enough is returned.
    """
    moments = seen.moments
    ceiling = greatest_g(seen, safe=safe, rates_within=rates_within)
    if not pool.rescalable:
        return pool.best(moments, ceiling)
    if magnitude == "static":
        return pool.best(moments, min(moments.gentle, ceiling))
    if magnitude == "best":
        return best_of_all_lengths(moments, pool, ceiling)
    pick = pool.best(moments, min(moments.best_g_overall(), ceiling))
    if magnitude == "dynamic":
        return pick
    for _ in range(JOINT_PASSES):
        better = pool.best(moments, min(moments.best_g_along(pick.direction), ceiling))
        if not better.help > pick.help * (1 + JOINT_TOLERANCE):
            return better if better.help > pick.help else pick
        pick = better
    return pick


def best_of_all_lengths(moments: AbstractMoments, pool: AbstractPool, ceiling: float) -> Pick:
    """Return the example that helps most among all directions of a pool and lengths up to a limit.

    The most help at ``g`` is ``f(g) = max u' (2 g A - g^2 B + N) u``, with ``A = mean(eta e e')``,
    ``B = mean(eta^2 e e')`` and ``N`` the noise in the observed sum. It may have several maxima,
    but ``f(g) / g`` is a maximum of straight lines in ``g``, hence convex and below its chords
    (:func:`_between`). So the interval whose bound is highest is divided at the maximum of
    that bound, until no bound exceeds the best example by more than ``BEST_TOLERANCE`` of its help.
    Below ``gentle`` every direction helps more when it is longer, so no shorter length is tried.

    Cost: ``pool.best`` 10 to 20 times for most classes (at most 48 times for 400 random ones, see
    the tests); for the ball this is one eigenvector, O(dimensions^3), each.
    """
    top = pool.best(moments, min(moments.gentle, ceiling))
    if top.g >= ceiling:
        return top
    # The negative part of N, which is the matrix at g = 0.
    negative = max(0.0, top_eigenvector(-moments.weigh(0.0))[0])
    intervals = [_between(top, pool.best(moments, ceiling), negative)]
    top = max(top, intervals[0].right, key=_help)
    for _ in range(BEST_PICKS):
        highest = heapq.heappop(intervals)
        if -highest.minus_bound <= top.help + BEST_TOLERANCE * abs(top.help):
            break
        pick = pool.best(moments, highest.g)
        top = max(top, pick, key=_help)
        heapq.heappush(intervals, _between(highest.left, pick, negative))
        heapq.heappush(intervals, _between(pick, highest.right, negative))
    # The best length of this very direction, as joint would find it.
    along = pool.best(moments, min(moments.best_g_along(top.direction), ceiling))
    return max(top, along, key=_help)


def _help(pick: Pick) -> float:
    return pick.help


class _Interval(NamedTuple):
    """Lengths between two picks: a bound on their help (negated, for the heap), where to divide."""

    minus_bound: float
    g: float
    left: Pick
    right: Pick


def _between(left: Pick, right: Pick, negative: float) -> _Interval:
    """Return the interval of squared lengths between two picks, with its bound.

    ``f(g) / g = max u' (2 A - g B + N / g) u`` is at most the chord between the ends, except for
    the negative part of ``N``: it adds at most ``negative (1 / sqrt(left) - 1 / sqrt(right))^2``,
    the greatest distance between ``-1 / g`` and its tangent at ``sqrt(left right)``.
    """
    width = right.g - left.g
    if not width > 1e-12 * left.g:  # nothing is left to divide
        return _Interval(math.inf, left.g, left, right)
    slope = (right.help / right.g - left.help / left.g) / width
    height = left.help / left.g - slope * left.g
    height += negative * (1.0 / math.sqrt(left.g) - 1.0 / math.sqrt(right.g)) ** 2
    # The bound g (height + slope g) is a parabola.
    peak = -0.5 * height / slope if slope < 0.0 else right.g
    peak = min(max(peak, left.g), right.g)
    inside = min(max(peak, left.g + 0.1 * width), right.g - 0.1 * width)
    return _Interval(-peak * (height + slope * peak), inside, left, right)


def choose_by_moments(
    seen: Observation,
    pool: AbstractPool,
    magnitude: str,
    *,
    safe: bool,
    rates_within: float = 0.0,
) -> Example | None:
    """Return the pool's best example for a class, or ``None`` if nothing in it helps."""
    return as_example(seen, best_pick(seen, pool, magnitude, safe=safe, rates_within=rates_within))


def as_example(seen: Observation, pick: Pick) -> Example | None:
    """Return what was picked as an example, or ``None`` if it does not help the class.

    The help is ``-inf`` if every item of the pool is too long.
    """
    if pick.help == -math.inf or (seen.noise is None and _does_not_help(seen, pick)):
        return None
    return seen.example(math.sqrt(pick.g) * pick.direction, item=pick.item)


def _does_not_help(seen: Observation, pick: Pick) -> bool:
    # Only for exact moments: with a noisy W, an example may help in the next round again.
    return not pick.help > NOTHING or (pick.item is not None and _is_rounding(seen, pick))


def _is_rounding(seen: Observation, pick: Pick) -> bool:
    """Return whether a pool's best item helps by no more than rounding.

    A pool that lacks directions leaves the class with an error in those directions. In every round
    its rounding would look like help. ``at_most`` limits the help of any example of this length.
    """
    return pick.help <= rounding(seen.gaps) * seen.moments.at_most(pick.g)
