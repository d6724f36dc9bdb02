"""Students who fit their answers to labels: ridge regression from scratch, and steps like people's.

Labels of classes become numbers: ``margin * y`` for ``y`` -1 or +1, and with several outputs
``margin (onehot - 1 / K)``. Real labels are used as they are. Check: ridge regression from scratch;
for people, held-out answers (``python -m benchmarks fitted-learner``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom._checks import not_negative, positive
from homeroom.classroom import Classroom, project
from homeroom.learners.learners import AbstractLearner, Step
from homeroom.learners.losses import AbstractLoss, known_labels, loss_of


@dataclass(frozen=True, init=False)
class RidgeLearner(AbstractLearner):
    """Students who fit all examples so far again after each one (ridge regression).

    ``w = argmin sum_i (<w, x_i> - y_i)^2 + |w - w_0|^2 / rate``, with ``w_0`` the state at the
    start. The memory of a student is ``(sum_i x_i x_i' + I / rate)^-1``, which each example updates
    (Sherman and Morrison): O(students * dimensions^2) per round.

    Parameters
    ----------
    loss, classes
        Which labels there are, as for :class:`GradientLearner`.
    margin
        The number that the label of a class stands for.

    Examples
    --------
    >>> from homeroom import Classroom, GradientLearner, teach
    >>> room = Classroom.sample(students=20, dimensions=5)
    >>> [teach(room, learner=learner).rounds for learner in (GradientLearner(), RidgeLearner())]
    [20, 63]
    """

    loss: AbstractLoss
    margin: float

    def __init__(
        self,
        loss: AbstractLoss | Callable[[Array, Array], Array] | str = "squared",
        classes: int | None = None,
        margin: float = 1.0,
    ) -> None:
        object.__setattr__(self, "loss", loss_of(loss, classes))
        object.__setattr__(self, "margin", positive(margin, "margin", example="1"))

    @property
    def shrinks_gaps(self) -> bool:
        return False

    def begin(self, room: Classroom) -> Array:
        width = room.dimensions // self.loss.outputs
        identity = _arrays.like(np.eye(width), room.states)
        return room.rates[:, None, None] * identity[None, :, :]

    def step(
        self,
        states: Array,
        rates: Array,
        x: Array,
        y: Array,
        *,
        state_radius: float,
        rng: np.random.Generator,
        memory: Any = None,
    ) -> Step:
        xp = _arrays.namespace(states)
        rows = xp.reshape(x, (-1, x.shape[-1]))
        towards = xp.sum(memory * rows[:, None, :], axis=2)
        gain = towards / (1.0 + xp.sum(towards * rows, axis=1))[:, None]
        off = residuals(self.loss, states, x, y, self.margin)
        moved = states - _outer(off, gain)
        spread = memory - gain[:, :, None] * towards[:, None, :]
        return Step(project(moved, state_radius), rates, spread)


@dataclass(frozen=True, init=False)
class PeopleLearner(AbstractLearner):
    """Students who learn as people did: steps towards a margin, missed examples, and drift.

    ``w <- w - rate (<w, x> - margin y) x + drift xi`` with ``xi`` standard normal, and no step with
    the chance ``lapse``. The default values were fitted to the next answers of 48 people who
    learned Shepard's classification tasks (C. Badham, A. Sanborn, E. Maylor, Psychology and Aging
    2017), together with the rate 0.046; ``python -m benchmarks fitted-learner`` fits them, without
    standard errors.

    The learner of a live class (``homeroom.observers.quizzing.fitted_people``) has other numbers
    from the same study, as it is another model: it remembers single objects beside the rule, people
    differ in their rates, and nothing drifts. Its mean rate of 0.193 moves the rule and the memory
    together; the part of the rule is ``0.193 / (1 + 1.4^2) = 0.065``. Its answers lapse with
    probability 0.012; here drift accounts for a part of such answers. The margins agree.

    Parameters
    ----------
    margin
        The number that the label of a class stands for.
    lapse
        The chance that an example is missed.
    drift
        The standard deviation of the random change of each coordinate per example.
    loss, classes
        Which labels there are, as for :class:`GradientLearner`.

    Examples
    --------
    >>> from homeroom import Classroom, teach
    >>> room = Classroom.sample(students=20, dimensions=3)
    >>> teach(room, learner=PeopleLearner(loss="squared")).rounds
    14
    """

    margin: float
    lapse: float
    drift: float
    loss: AbstractLoss

    def __init__(
        self,
        margin: float = 2.0,
        lapse: float = 0.003,
        drift: float = 0.106,
        loss: AbstractLoss | Callable[[Array, Array], Array] | str = "logistic",
        classes: int | None = None,
    ) -> None:
        object.__setattr__(self, "margin", positive(margin, "margin", example="2"))
        for name, value in (("lapse", lapse), ("drift", drift)):
            object.__setattr__(self, name, not_negative(value, name, example="0.05"))
        object.__setattr__(self, "loss", loss_of(loss, classes))

    @property
    def shrinks_gaps(self) -> bool:
        return False

    @property
    def is_random(self) -> bool:
        return True

    def step(
        self,
        states: Array,
        rates: Array,
        x: Array,
        y: Array,
        *,
        state_radius: float,
        rng: np.random.Generator,
    ) -> Step:
        xp = _arrays.namespace(states)
        attends = (rng.random(rates.shape[0]) >= self.lapse).astype(np.float64)
        used = rates * _arrays.like(attends, rates)
        off = residuals(self.loss, states, x, y, self.margin)
        rows = xp.reshape(x, (-1, x.shape[-1]))
        noise = _arrays.like(rng.standard_normal(states.shape), states)
        moved = states - used[:, None] * _outer(off, rows)
        return Step(project(moved + self.drift * noise, state_radius), used)


def residuals(loss: AbstractLoss, states: Array, x: Array, y: Array, margin: float) -> Array:
    """Return score minus label as a number, shape ``(students, outputs)``."""
    xp, outputs = _arrays.namespace(states), loss.outputs
    vectors = xp.reshape(states, (states.shape[0], outputs, -1))
    scores = xp.sum(vectors * xp.reshape(x, (-1, 1, x.shape[-1])), axis=2)
    labels = xp.reshape(y, (-1, 1))
    if outputs == 1:
        return scores - (labels if known_labels(loss) is None else margin * labels)
    numbers = _arrays.like(np.arange(1.0, outputs + 1.0), states)
    onehot = xp.astype(labels == numbers, states.dtype)
    return scores - margin * (onehot - 1.0 / outputs)


def _outer(off: Array, rows: Array) -> Array:
    """Return ``off x'`` of each student, shaped like states."""
    xp = _arrays.namespace(off)
    return xp.reshape(off[:, :, None] * rows[:, None, :], (off.shape[0], -1))
