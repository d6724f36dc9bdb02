"""The teacher that chooses from a pool, and which items may be shown to people now."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom import _arrays, _checks
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, InputTypeError
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss
from homeroom.learners.losses import example_width, label_shape, labels_for
from homeroom.moments import Observation
from homeroom.pools import AbstractPool, Candidates
from homeroom.teachers.base import AbstractTeacher, AbstractTutor, Choices, GreedyRule
from homeroom.teachers.candidates import (
    BLOCK_BYTES,
    best_lengths,
    mean_distances,
    rounding,
    squared_distances,
)
from homeroom.teachers.classroom import (
    check_magnitude,
    check_rates_within,
    check_safe,
    choose_by_moments,
)
from homeroom.teachers.synthesis import synthesise
from homeroom.teachers.tutoring import (
    best_direction_each,
    best_example_for_each,
    best_of_each,
    own_best_g,
    rescaled_each,
    synthesise_each,
)

KNOWN = 0.95
"""An item is known if every student's chance of a right answer is above this."""

MISSED = 0.8
"""A student is expected to get an item wrong if their chance is below this."""

PAUSE = 5
"""The default number of rounds before an item is repeated, if there are enough items."""


def pause_for(items: int) -> int:
    """Return the default number of other items that people are shown before one is repeated."""
    return min(PAUSE, items // 2)


class ItemChances(NamedTuple):
    """The students' chances of a right answer to each item, each of shape ``(items,)``."""

    lowest: Floats
    mean: Floats

    @classmethod
    def of(cls, right: Floats) -> ItemChances:
        """Return them from the chance of each student, shape ``(students, items)``."""
        return cls(right.min(axis=0), right.mean(axis=0))


def may_be_shown(
    chances: ItemChances, shown: Sequence[int], *, repeat_after: int
) -> npt.NDArray[np.bool_]:
    """Return which items may be shown next, shape ``(items,)``.

    An item is left out if it was among the last ``repeat_after`` shown; if it was shown before
    while a new item exists that some student is expected to get wrong; and if all students are
    expected to know it while another item is not known. A rule that would leave nothing is skipped;
    if all items are among the last ones, the one that was shown longest ago may be shown.

    Parameters
    ----------
    chances
        The students' chances of a right answer.
    shown
        The items shown so far, in order.
    repeat_after
        How many other items are shown before one is repeated.

    Examples
    --------
    >>> chances = ItemChances.of(np.array([[0.99, 0.5, 0.7, 0.6]]))
    >>> may_be_shown(chances, [1], repeat_after=1)  # 1 was just shown, and 0 is known
    array([False, False,  True,  True])
    """
    before = np.zeros(len(chances.lowest), dtype=bool)
    before[np.asarray(shown, dtype=np.int64)] = True
    recent = np.zeros_like(before)
    for item in shown[: -repeat_after - 1 : -1]:
        recent[item] = True
        if recent.all():  # a pause of all items: only the one that was shown longest ago is left
            recent[item] = False
            break
    allowed = ~recent
    if (allowed & ~before & (chances.lowest < MISSED)).any():
        allowed = _unless_empty(allowed, ~before)
    return _unless_empty(allowed, chances.lowest <= KNOWN)


def _unless_empty(
    allowed: npt.NDArray[np.bool_], rule: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Return the allowed items that meet the rule, or all allowed items if none does."""
    both = allowed & rule
    return both if both.any() else allowed


def best_to_show(
    chances: ItemChances, helps: Floats, shown: Sequence[int], *, repeat_after: int
) -> int:
    """Return the item that helps most among those that may be shown.

    If all of them are known, it is the one that is known least, and of several the most helpful.
    Of items that help equally, up to rounding, it is the one that is known least. ``helps``, shape
    ``(items,)``, is how much each item helps; the other arguments are those of
    :func:`may_be_shown`.
    """
    allowed: Ints = np.flatnonzero(may_be_shown(chances, shown, repeat_after=repeat_after))
    if (chances.lowest[allowed] > KNOWN).all():
        allowed = allowed[chances.mean[allowed] <= chances.mean[allowed].min() + 1e-9]
    most = helps[allowed].max()
    allowed = allowed[helps[allowed] >= most - 1e-9 * abs(most)]
    mean = chances.mean[allowed]
    return int(allowed[(mean <= mean.min() + 1e-9).argmax()])


@dataclass(frozen=True)
class PoolTeacher(AbstractTeacher, AbstractTutor):
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
        expected to get wrong come first, and items that all know are left out
        (``homeroom.teachers.pool``). With 0, the paper's teacher, the item
        that helps most may be shown again at once.

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
        check_magnitude(self.magnitude)
        _checks.yes_or_no(self.safe, "safe")
        check_rates_within(self.rates_within)
        if self.repeat_after is not None:
            _checks.whole(self.repeat_after, "repeat_after", at_least=0)
        if self.repeat_after != 0 and self.pool.rescalable:
            raise InputError(
                "`repeat_after` is for fixed items, and this pool has directions of any length: "
                "use ItemPool(items), or leave it out."
            )

    @property
    def assumes(self) -> str:
        return "gradient"

    @property
    def needs(self) -> frozenset[str]:
        if self.repeat_after != 0:
            return frozenset({"states", "shown"})
        return frozenset({"states" if self.own_labels else "moments"})

    @property
    def own_labels(self) -> bool:
        return self.pool.labels is not None

    @property
    def greedy(self) -> GreedyRule | None:
        if self.repeat_after != 0 or self.own_labels:
            return None
        return GreedyRule(self.pool, self.magnitude, self.safe, self.rates_within)

    def prepare(self, room: Classroom, loss: AbstractLoss) -> PoolTeacher:
        check_safe(self.safe, loss, self.pool.labels)
        pool = fitted_pool(self.pool, room, loss)
        _check_listed(pool, loss, room.example_radius)
        _warn_of_untaught(pool, room, loss)
        return replace(self, pool=pool)

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        if self.repeat_after != 0:
            return self._without_repeating(seen)
        if seen.loss.is_quadratic and self.pool.labels is None:
            return choose_by_moments(
                seen, self.pool, self.magnitude, safe=self.safe, rates_within=self.rates_within
            )
        candidates = self.pool.candidates(seen.example_radius)
        if candidates is None:
            return synthesise(seen, rng)
        example = _best_candidate(seen, candidates)
        if example is not None and self.pool.rescalable:
            return _rescaled(seen, example)
        return example

    def _without_repeating(self, seen: Observation) -> Example | None:
        """Return the item that helps most among those that may be shown to people."""
        listed = self.pool.candidates(seen.example_radius)
        assert listed is not None  # checked in prepare
        ys = seen.labels(listed.xs) if listed.labels is None else listed.labels
        if seen.outlook is not None:  # an observer that asks quiz questions estimates both
            chances = ItemChances.of(seen.outlook.right(listed.items))
            helps = seen.outlook.helps(listed.items)
        else:
            chances = _chances(seen, listed.xs, ys)
            helps = _helps(seen, listed, ys)
        place = {number: row for row, number in enumerate(listed.items.tolist())}
        shown = [place[number] for number in seen.shown if number in place]
        pause = pause_for(len(listed.items)) if self.repeat_after is None else self.repeat_after
        best = best_to_show(chances, helps, shown, repeat_after=pause)
        least = 0.0 if seen.outlook is not None else rounding(seen.gaps) * float(helps.max())
        if not helps[best] > least:
            return None
        return seen.example(listed.xs[best], item=int(listed.items[best]), label=ys[best])

    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        if self.repeat_after != 0:
            raise InputError(
                "`repeat_after` is for students who were shown the same items: call choose() for "
                "each student, as teach() does for individuals."
            )
        squared = seen.loss.is_quadratic
        if squared and self.pool.directions is not None:
            return best_direction_each(seen, self.pool.directions)
        if self.pool.synthesises:
            return best_example_for_each(seen) if squared else synthesise_each(seen, rng)
        candidates = self.pool.candidates(seen.example_radius)
        if candidates is None:
            return self._one_by_one(seen, rng)
        choices = best_of_each(seen, candidates)
        return rescaled_each(seen, choices) if self.pool.rescalable else choices

    def _one_by_one(self, seen: Observation, rng: np.random.Generator) -> Choices:
        """Return an example for each student, from a pool that cannot be listed."""
        students = seen.gaps.shape[0]
        found = [self.choose(_alone(seen, student), rng) for student in range(students)]
        nothing = Example(np.zeros(seen.width), np.zeros(label_shape(seen.loss, seen.outputs)))
        examples = [nothing if example is None else example for example in found]
        return Choices(
            _arrays.like(np.array([example.x for example in examples]), seen.gaps),
            _arrays.like(np.array([example.y for example in examples]), seen.gaps),
            np.array([-1 if e.item is None else e.item for e in examples], dtype=np.int64),
        )


def fitted_pool(pool: AbstractPool, room: Classroom, loss: AbstractLoss) -> AbstractPool:
    """Return the pool for a class: without items that are too long, with labels for the loss."""
    labels = pool.labels
    if labels is not None and room.outputs > loss.outputs:
        raise InputError(
            f"`labels` of the pool are one number per item, but this class has {room.outputs} "
            "outputs: leave them out for the target's own answers, or use "
            f"GradientLearner('logistic', classes={room.outputs})."
        )
    if labels is not None:
        fitting = labels_for(loss, labels, pool.classes)
        if not np.array_equal(fitting, labels):
            pool = pool.relabelled(fitting)
    return pool.fit(example_width(room, loss), room.example_radius)


def _helps(seen: Observation, listed: Candidates, ys: Floats) -> Floats:
    """Return by how much each item would lower the class's mean squared distance, ``(items,)``.

    Cost by moments: O(items * dimensions^2), and O(students * dimensions^2) if the engine has none.
    Observed squares of the rates count in them; trying out each item squares the observed rates.
    """
    by_moments = seen.loss.is_quadratic and listed.labels is None and seen.noise is None
    if by_moments and math.isinf(seen.state_radius):  # no student is moved back into the ball
        return seen.moments.helps(listed.xs, (listed.xs**2).sum(axis=1))
    helps: Floats = squared_distances(seen).mean() - mean_distances(seen, listed.xs, ys)
    return helps


def _chances(seen: Observation, xs: Floats, ys: Floats) -> ItemChances:
    """Return whether all students answer each item correctly (1 or 0), and the share who do.

    A student answers with the sign of ``<state, x>``, or with the class of the highest score. Cost:
    O(students * items * dimensions), students in blocks.
    """
    states, outputs = _arrays.to_host(seen.states), seen.outputs
    students, classes = len(states), ys if ys.ndim == 1 else ys.argmax(axis=1) + 1
    right: Ints = np.zeros(len(xs), dtype=np.int64)
    signed = xs.T * np.sign(ys) if outputs == 1 else xs.T
    for rows in _arrays.blocks(students, len(xs) * outputs, at_most=BLOCK_BYTES):
        if outputs == 1:
            right += np.count_nonzero(states[rows] @ signed > 0.0, axis=0)
        else:
            scores = states[rows].reshape(-1, outputs, xs.shape[1]) @ signed
            right += np.count_nonzero(scores.argmax(axis=1) + 1 == classes, axis=0)
    return ItemChances((right == students).astype(np.float64), right / students)


def _alone(seen: Observation, student: int) -> Observation:
    """Return the observation of one student, as a class of one."""
    row = slice(student, student + 1)
    squares = seen.squared_rates
    return seen.seen_with(
        gaps=seen.gaps[row, :],
        rates=seen.rates[row],
        squared_rates=None if squares is None else squares[row],
        gentle=float(own_best_g(seen)[student]),
    )


def _best_candidate(seen: Observation, candidates: Candidates) -> Example | None:
    """Return the candidate after which the mean squared distance is smallest, if it helps."""
    ys = seen.labels(candidates.xs) if candidates.labels is None else candidates.labels
    values = mean_distances(seen, candidates.xs, ys)
    best = int(values.argmin())
    if not values[best] < squared_distances(seen).mean() * (1 - rounding(seen.gaps)):
        return None
    return seen.example(candidates.xs[best], item=int(candidates.items[best]), label=ys[best])


def _rescaled(seen: Observation, example: Example) -> Example:
    """Return the example at the best length between half and twice its own, within the ball."""
    direction = example.direction

    def distances(tried: Floats) -> Floats:  # the class's mean squared distance for each length
        xs: Floats = tried[:, None] * direction
        return mean_distances(seen, xs, seen.labels(xs))

    length = best_lengths(distances, np.array([example.magnitude]), seen.example_radius)
    return seen.example(length[0] * direction, item=example.item)


def _check_listed(pool: AbstractPool, loss: AbstractLoss, radius: float) -> None:
    """Raise if the pool's items can neither be compared by moments nor listed."""
    if loss.is_quadratic or pool.synthesises or pool.candidates(radius) is not None:
        return
    raise InputError(
        f"{type(pool).__name__} lists no candidates to try out, so it needs the "
        f"squared loss, but the loss is {type(loss).__name__}. Let candidates() return some."
    )


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
    place = int(np.abs(basis).sum(axis=1).argmax())
    _checks.warn(
        f"The pool cannot teach {basis.shape[1]} of {width} directions (most of all along "
        f"coordinate {place + 1}): the class's error stays at {error:.3g} or above. "
        "Add items to `pool` that differ there."
    )
