"""A learner that remembers single items, beyond the rule that they share, and forgets them.

Item ``i`` has the features ``[x_i ; kappa onehot_i] / sqrt(1 + kappa^2)``. So a state is
``[w ; u]``: ``w`` is the rule, and ``u_i`` is what a student remembers about item ``i`` itself.
``kappa = 0`` is a rule without memory; a list of facts has the features ``onehot_i`` alone.

Memory fades by a power law. ``D`` seconds after an item was last shown, with stability ``S``, the
fraction ``rho = (1 + D / S)^-c`` of it is left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom._checks import InputError, not_negative, positive, whole
from homeroom.classroom import Classroom, Example
from homeroom.learners.learners import AbstractLearner, Step, arrays_of, scores_of
from homeroom.learners.losses import AbstractLoss, LossLike, example_width

SECONDS = 30.0
"""The assumed length of a round, if there are no times."""

GAP = 0.01
"""A success counts as spaced if it comes after this fraction of the stability."""

MOST_FEATURES = 10_000
"""The largest number of items that have a feature each."""


class Forgetting(NamedTuple):
    """The power law of forgetting.

    ``stability`` are the seconds ``S``, ``exponent`` is ``c``. The defaults are no estimates of
    ours: a single lesson cannot determine them. The exponent is that of FSRS-4.5 (Ye et al. 2022),
    and a stability of one day is within the range of its first intervals.
    """

    stability: float = 86_400.0
    exponent: float = 0.5

    def kept(self, seconds: Array, stability: Array) -> Any:
        """Return the fraction ``rho`` of a memory that is left after some time, at least 0."""
        return (1.0 + seconds / stability) ** -self.exponent


def weights_of(kappa: float) -> tuple[float, float]:
    """Return the weights of the rule and of an item's own memory in a score.

    >>> weights_of(0.0), weights_of(math.inf)
    ((1.0, 0.0), (0.0, 1.0))
    """
    rule = 1.0 / math.hypot(1.0, kappa)
    return rule, 1.0 if math.isinf(kappa) else kappa * rule


def item_features(items: npt.ArrayLike | int, kappa: float = math.inf) -> Floats:
    """Return items with a further feature each, for what is remembered about the item itself.

    Parameters
    ----------
    items
        Shape ``(items, dimensions)``; or the number of facts, which share no rule.
    kappa
        The weight of memory relative to the rule: 0 for none, ``inf`` for facts.

    Examples
    --------
    >>> item_features([[1.0], [-1.0]], kappa=1.0).round(2)
    array([[ 0.71,  0.71,  0.  ],
           [-0.71,  0.  ,  0.71]])
    >>> item_features(3).shape
    (3, 3)
    """
    given = np.asarray(items)
    if given.ndim == 0:
        return np.eye(whole(given.item(), "items", at_least=1, at_most=MOST_FEATURES))
    if given.ndim != 2 or len(given) > MOST_FEATURES:
        raise InputError(
            "`items` must be a number of facts, or a table with a row for each of at most "
            f"{MOST_FEATURES} items, but has shape {given.shape}."
        )
    if kappa != math.inf:
        not_negative(kappa, "kappa", example="0.2")
    rule, own = weights_of(kappa)
    return np.column_stack([rule * given.astype(np.float64), own * np.eye(len(given))])


@dataclass(frozen=True, init=False)
class ItemMemoryLearner(AbstractLearner):
    """Students who remember single items, and forget them: a gradient step on ``[w ; u]``.

    Items come from :func:`~homeroom.learners.item_features`. Before each example, what is
    remembered about every item that was shown before has faded until now, so states are always
    those of the present. A right answer after a gap (one hundredth of the stability) doubles the
    stability of that item. Times since the last showing and stabilities are the memory.

    Parameters
    ----------
    rule
        The number of leading coordinates that are the rule and do not fade; the others are items.
        0 by default: a list of facts.
    stability, exponent
        The seconds ``S`` and the exponent ``c`` of ``rho = (1 + D / S)^-c``. The defaults are from
        the literature (see :class:`~homeroom.learners.item_memory.Forgetting`).
    seconds
        The length of a round.
    loss, classes
        As for :class:`~homeroom.GradientLearner`.

    Examples
    --------
    >>> from homeroom import Classroom, ItemMemoryLearner, ItemPool, PoolTeacher, teach
    >>> facts = ItemPool(item_features(6))
    >>> room = Classroom(np.zeros((3, 6)), np.full(3, 0.5), np.array([1, -1, 1, 1, -1, 1.0]))
    >>> [
    ...     teach(room, learner=ItemMemoryLearner(seconds=s), teacher=PoolTeacher(facts)).rounds
    ...     for s in (0, 3600)
    ... ]
    [18, 22]
    """

    rule: int
    stability: float
    exponent: float
    seconds: float
    loss: AbstractLoss

    def __init__(
        self,
        rule: int = 0,
        stability: float = Forgetting().stability,
        exponent: float = Forgetting().exponent,
        seconds: float = SECONDS,
        *,
        loss: LossLike = "squared",
        classes: int | None = None,
    ) -> None:
        self._set(
            loss=loss,
            classes=classes,
            rule=whole(rule, "rule", at_least=0),
            stability=positive(stability, "stability", example="86400"),
            exponent=not_negative(exponent, "exponent", example="0.5"),
            seconds=not_negative(seconds, "seconds", example="30"),
        )

    def begin(self, room: Classroom) -> Array:
        """Return the seconds since each item was shown (-1: never) and its stability, per student.

        Shape ``(2, students, items)``.
        """
        items = self._items(example_width(room, self.loss))
        memory = np.ones((2, room.students, items))
        memory[0], memory[1] = -1.0, self.stability
        return _arrays.like(memory, room.states)

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        xp, x, y = _arrays.namespace(states), *arrays_of(example, states)
        since, stability = memory[0, ...], memory[1, ...]
        known = since >= 0.0
        before = xp.where(known, since, 0.0 * since)
        now = xp.where(known, since + self.seconds, 0.0 * since)
        law = Forgetting(self.stability, self.exponent)
        faded = law.kept(now, stability) / law.kept(before, stability)
        rows = xp.reshape(states, (states.shape[0], -1, x.shape[0]))
        left = xp.concat(
            [rows[:, :, : self.rule], rows[:, :, self.rule :] * faded[:, None, :]], axis=2
        )
        faded_states = xp.reshape(left, states.shape)
        shown = (x[self.rule :] != 0.0)[None, :]
        right = is_right(scores_of(faded_states, x), y, self.loss)
        spaced = shown & right[:, None] & (now > GAP * stability)
        later = xp.stack(
            [
                xp.where(shown, 0.0 * now, xp.where(known, now, since)),
                xp.where(spaced, 2.0 * stability, stability),
            ]
        )
        moves = rates[:, None] * self.gradients(faded_states, example)
        return Step(faded_states - moves, rates, later)

    def _items(self, dimensions: int) -> int:
        """Return the number of items: of the coordinates that are not the rule."""
        items = dimensions - self.rule
        if items < 1:
            raise InputError(
                f"`rule` must be less than the {dimensions} coordinates of a "
                f"state, as the others are items, but is {self.rule}."
            )
        return items


def is_right(scores: Array, y: Array, loss: AbstractLoss) -> Array:
    """Return whether each student would answer right, shape ``(students,)``.

    ``scores`` has shape ``(students, outputs)``, and ``y`` is the label.
    """
    xp = _arrays.namespace(scores)
    if scores.shape[1] == 1:
        return scores[:, 0] * y > 0.0
    if loss.is_quadratic:
        return xp.argmax(scores, axis=1) == xp.argmax(y)
    return loss.labels(scores) == y
