"""Teachers that show the best next example: of a pool, or of the whole ball (Algorithm 1)."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from homeroom import _arrays, _checks
from homeroom._arrays import Floats, top_eigenvector
from homeroom._checks import InputError, InputTypeError
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss
from homeroom.learners.losses import example_width, labels_for
from homeroom.moments import AbstractMoments, Observation
from homeroom.people_order import ItemChances, choose_for_people
from homeroom.pools import AbstractPool, Ball, Candidates, Pick
from homeroom.teachers.base import AbstractTeacher
from homeroom.teachers.candidates import (
    choose_candidate,
    measure_chances,
    measure_help,
    rescale,
    rounding,
)
from homeroom.teachers.synthesis import synthesise

MAGNITUDES = ("static", "dynamic", "joint", "best")
"""The rules for the length of an example, see :meth:`GreedyRule.pick`."""

JOINT_PASSES = 50
"""The most alternations between direction and magnitude; most classes need three to six."""

JOINT_TOLERANCE = 1e-10

BEST_TOLERANCE = 2e-10
"""The relative help that *best* may leave unused; it is proved for every length in the range."""

BEST_PICKS = 256
"""The most lengths that *best* tries, which matters for moments that are mostly rounding."""

NOTHING = 1e-30
"""Help below this is rounding: the class is as close as possible."""


@dataclass(frozen=True)
class PoolTeacher(AbstractTeacher):
    """Shows the item of a pool that helps the class most (appendix C).

    For the squared loss the items are compared by the class's moments, O(items * dimensions^2). For
    any other loss each item is evaluated on every student. An item with its own label is evaluated
    with that label.

    Parameters
    ----------
    pool
        A :class:`DirectionPool` (re-scalable), an :class:`ItemPool` (fixed), or a pool of your own.
    magnitude
        For a re-scalable pool and the squared loss, as for :class:`ClassroomTeacher`.
    safe
        Never show an example so long that a student could move away (squared loss).
    rates_within
        The relative error of the rates, as for :class:`ClassroomTeacher`.
    repeat_after
        For people, with an :class:`ItemPool`: how many other items are shown before one is
        repeated; ``None`` for five, or half as many as there are items. New items that a student is
        expected to get wrong come first, and items that all know are left out. With an observer
        that asks quiz questions about items that share a rule, items are shown in coverage order
        (``homeroom.people_order``): right answers take turns, and of each the most typical item
        comes first, then items unlike those shown. With 0, the paper's teacher, the item that
        helps most may be shown again at once.

    Examples
    --------
    >>> from homeroom import Classroom, DirectionPool, teach
    >>> room = Classroom.sample(students=20, dimensions=3)
    >>> record = teach(room, teacher=PoolTeacher(DirectionPool(np.eye(3))))
    >>> record.stopped_because.value
    'the goal was reached'
    >>> record.examples.items[:5]
    array([1, 2, 0, 1, 2])
    """

    pool: AbstractPool
    magnitude: str = "static"
    safe: bool = False
    rates_within: float = 0.0
    repeat_after: int | None = 0

    def __post_init__(self) -> None:
        if not isinstance(self.pool, AbstractPool):
            raise InputTypeError(
                f"`pool` must be a pool such as ItemPool(items), but is {type(self.pool).__name__}."
            )
        GreedyRule(self.pool, self.magnitude, self.safe, self.rates_within).check()
        if self.repeat_after is not None:
            _checks.whole(self.repeat_after, "repeat_after", at_least=0)
        if self.repeat_after != 0 and self.pool.rescalable:
            raise InputError(
                "`repeat_after` is for fixed items, and this pool has directions of any length: "
                "use ItemPool(items), or leave it out."
            )

    @property
    def needs_students(self) -> bool:  # type: ignore[override]  # it depends on the settings
        return self.rule is None

    @cached_property
    def rule(self) -> GreedyRule | None:
        if self.repeat_after != 0 or self.pool.labels is not None:
            return None
        return GreedyRule(self.pool, self.magnitude, self.safe, self.rates_within)

    def prepare(self, room: Classroom, loss: AbstractLoss) -> Self:
        if self.safe and self.pool.labels is not None:
            raise InputError(
                "safe=True needs the target's own answers, but the pool has labels of its own. "
                "Leave it out."
            )
        if self.safe and not loss.is_quadratic:
            raise InputError(
                "safe=True needs the squared loss, where it is known how long an example may be, "
                f"but the loss is {type(loss).__name__}. Leave it out."
            )
        pool = fit_pool(self.pool, room, loss)
        can_compare = loss.is_quadratic or pool.synthesises
        if not can_compare and pool.candidates(room.example_radius) is None:
            raise InputError(
                f"{type(pool).__name__} lists no candidates to try out, so it needs the "
                f"squared loss, but the loss is {type(loss).__name__}. Let candidates() return "
                "some."
            )
        _warn_of_untaught(pool, room, loss)
        return self if pool is self.pool else replace(self, pool=pool)

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        if seen.loss.is_quadratic and self.rule is not None:
            return self.rule.choose(seen)
        candidates = self.pool.candidates(seen.example_radius)
        if candidates is None:
            return synthesise(seen, rng)
        ys = seen.labels(candidates.xs) if candidates.labels is None else candidates.labels
        choose = choose_candidate if self.repeat_after == 0 else self._choose_for_people
        best = choose(seen, candidates, ys)
        if best is None:
            return None
        x, item = candidates.xs[best], int(candidates.items[best])
        if self.pool.rescalable:
            return seen.example(rescale(seen, x), item=item)
        return seen.example(x, item=item, label=ys[best])

    def _choose_for_people(
        self, seen: Observation, candidates: Candidates, ys: Floats
    ) -> int | None:
        """Return the position of the next item for people, of those that may be shown to them."""
        if seen.outlook is not None:  # an observer that asks questions estimates what students know
            return choose_for_people(
                candidates.items,
                ItemChances.of(seen.outlook.right(candidates.items)),
                seen.outlook.helps,
                seen.outlook.coverage(),
                seen.shown,
                repeat_after=self.repeat_after,
            )
        return choose_for_people(
            candidates.items,
            measure_chances(seen, candidates.xs, ys),
            lambda _items: measure_help(seen, candidates, ys),
            None,
            seen.shown,
            repeat_after=self.repeat_after,
            negligible=rounding(seen.gaps),
        )


@dataclass(frozen=True)
class ClassroomTeacher(PoolTeacher):
    """Synthesises the example that helps the class most (Algorithm 1).

    It is a :class:`PoolTeacher` whose pool is the whole ball. For the squared loss the direction
    ``u`` is the top eigenvector of ``W``, where ``u' W u`` is by how much ``u`` lowers the class's
    mean squared distance. For any other loss direction and length are searched for numerically in
    the ball, from several starts.

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

    pool: AbstractPool = field(default=Ball(), init=False, repr=False)
    repeat_after: int | None = field(default=0, init=False, repr=False)


def fit_pool(pool: AbstractPool, room: Classroom, loss: AbstractLoss) -> AbstractPool:
    """Return the pool for a class: without items that are too long, with labels for the loss."""
    if (labels := pool.labels) is not None:
        if room.outputs > loss.outputs:
            raise InputError(
                f"`labels` of the pool are one number per item, but this class has {room.outputs} "
                "outputs: leave them out for the target's own answers, or use "
                f"GradientLearner('logistic', classes={room.outputs})."
            )
        labels_of_loss = labels_for(loss, labels, pool.classes)
        if not np.array_equal(labels_of_loss, labels):
            pool = pool.relabel(labels_of_loss)
    return pool.fit(example_width(room, loss), room.example_radius)


def _warn_of_untaught(pool: AbstractPool, room: Classroom, loss: AbstractLoss) -> None:
    """Warn if the class has to learn directions that no item of the pool contains."""
    width = example_width(room, loss)
    basis = pool.untaught(width)
    if not basis.shape[1] or not isinstance(room, Classroom):  # other classes would have to be read
        return
    xp = _arrays.namespace(room.states)
    gaps = xp.reshape(room.gaps, (-1, width))
    missed = gaps @ _arrays.like(basis, gaps)
    error = float(xp.sum(missed * missed)) / room.students
    scale = float(xp.sum(room.target * room.target))
    if error <= 1e-12 * (room.error + scale):  # only rounding
        return
    coordinate = int(np.abs(basis).sum(axis=1).argmax()) + 1
    _checks.warn(
        f"The pool cannot teach {basis.shape[1]} of {width} directions (most of all along "
        f"coordinate {coordinate}): the class's error stays at {error:.3g} or above. "
        "Add items to `pool` that differ there."
    )


class GreedyRule(NamedTuple):
    """How the best next example is chosen: from which pool, and how long it may be.

    ``magnitude`` names the rule for its length. ``safe``: never so long that a student could move
    away from the target. ``rates_within`` is the relative error that the rates may have. They are
    settings of :class:`~homeroom.ClassroomTeacher` and :class:`~homeroom.PoolTeacher`.
    """

    pool: AbstractPool
    magnitude: str = "static"
    safe: bool = False
    rates_within: float = 0.0

    def choose(self, seen: Observation) -> Example | None:
        """Return the pool's best example for a class, or ``None`` if nothing in it helps."""
        return show_pick(seen, self.pick_within(seen.moments, self.limit_g(seen)))

    def pick(self, seen: Observation) -> Pick:
        """Return the pool's best example, its squared length ``g`` set by the rule ``magnitude``.

        With ``e`` the students' gaps to the target:
        *static* ``g = 1 / max eta``: best for the most sensitive student. *dynamic*
        ``g = sum eta |e|^2 / sum eta^2 |e|^2``: best for the class if directions were all alike.
        *joint*: the best ``g`` for the very direction shown, and the best direction for that ``g``,
        in turn; each pass can only help the class more, so in one step it is never worse than
        dynamic. *best*: the ``g`` and direction that help most of all, the paper's argmin over the
        whole ball; joint may stop at a local optimum (``best_of_all_lengths``).

        All are cut at :meth:`limit_g`. Items that cannot be rescaled keep their length: the best of
        those that are short enough is returned.
        """
        return self.pick_within(seen.moments, self.limit_g(seen))

    def pick_within(self, moments: AbstractMoments, ceiling: float) -> Pick:
        """Return the pool's best example of squared length at most ``ceiling``, by the moments."""
        pool = self.pool
        if not pool.rescalable:
            return pool.best(moments, ceiling)
        if self.magnitude == "static":
            return pool.best(moments, min(moments.gentle, ceiling))
        if self.magnitude == "best":
            return best_of_all_lengths(moments, pool, ceiling)
        pick = pool.best(moments, min(moments.best_g_overall(), ceiling))
        if self.magnitude == "dynamic":
            return pick
        for _ in range(JOINT_PASSES):
            better = pool.best(moments, min(moments.best_g_along(pick.direction), ceiling))
            if not better.help > pick.help * (1 + JOINT_TOLERANCE):
                return better if better.help > pick.help else pick
            pick = better
        return pick

    def limit_g(self, seen: Observation) -> float:
        """Return the greatest squared length that an example may have.

        It is ``example_radius^2``. With ``safe``, it is also at most
        ``2 / ((1 + rates_within) max eta)``, up to which no student moves away, whatever their
        rates are in ``eta (1 +- rates_within)``; ``moments.gentle`` is ``1 / max eta``. Random
        rates (Eq. 11) have a mean square of their own, and are always limited by ``2 / max eta``.
        """
        gentle = seen.moments.gentle
        if self.safe or seen.squared_rates is None:
            return self.limit_for(seen.example_radius, gentle)
        return min(seen.example_radius**2, 2.0 * gentle)

    def limit_for(self, example_radius: float, gentle: float) -> float:
        """Return the greatest squared length of an example where rates are not random."""
        limit = example_radius**2
        return min(limit, 2.0 * gentle / (1.0 + self.rates_within)) if self.safe else limit

    def check(self) -> None:
        """Refuse settings that no rule has."""
        check_magnitude(self.magnitude)
        _checks.yes_or_no(self.safe, "safe")
        if _checks.not_negative(self.rates_within, "rates_within", example="0.1") >= 1.0:
            raise InputError(
                "`rates_within` must be below 1 (0.1: rates are off by at most 10 %), but is "
                f"{self.rates_within}. Try rates_within=0.1."
            )


def check_magnitude(magnitude: str) -> None:
    """Refuse an unknown magnitude."""
    _checks.one_of(magnitude, "magnitude", MAGNITUDES)


def show_pick(seen: Observation, pick: Pick) -> Example | None:
    """Return what was picked as an example, or ``None`` if it does not help the class.

    The help is ``-inf`` if every item of the pool is too long. With a noisy ``W``, any other may
    help.

    A pool that lacks directions leaves the class with an error in those directions. In every round
    its rounding would look like help. ``at_most`` limits the help of any example of this length.
    """
    if pick.help == -math.inf:
        return None
    if seen.noise is None:
        least = NOTHING
        if pick.item is not None:
            least = max(least, rounding(seen.gaps) * seen.moments.at_most(pick.g))
        if not pick.help > least:
            return None
    return seen.example(math.sqrt(pick.g) * pick.direction, item=pick.item)


def best_of_all_lengths(moments: AbstractMoments, pool: AbstractPool, ceiling: float) -> Pick:
    """Return the example that helps most among all directions of a pool and lengths up to a limit.

    The most help at ``g`` is ``f(g) = max u' (2 g A - g^2 B + N) u``, with ``A = mean(eta e e')``,
    ``B = mean(eta^2 e e')`` and ``N`` the noise in the observed sum. It may have several maxima,
    but ``f(g) / g`` is a maximum of straight lines in ``g``, hence convex and below its chords
    (:func:`_bound_between`). So the interval whose bound is highest is divided at the maximum of
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
    intervals = [_bound_between(top, pool.best(moments, ceiling), negative)]
    top = max(top, intervals[0].right, key=_help)
    for _ in range(BEST_PICKS):
        highest = heapq.heappop(intervals)
        if -highest.minus_bound <= top.help + BEST_TOLERANCE * abs(top.help):
            break
        pick = pool.best(moments, highest.g)
        top = max(top, pick, key=_help)
        heapq.heappush(intervals, _bound_between(highest.left, pick, negative))
        heapq.heappush(intervals, _bound_between(pick, highest.right, negative))
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


def _bound_between(left: Pick, right: Pick, negative: float) -> _Interval:
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
