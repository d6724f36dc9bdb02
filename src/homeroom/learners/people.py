"""Students who learn as people did in an experiment.

Labels of classes become numbers as for :class:`~homeroom.learners.RidgeLearner`. Check: held-out
answers of people (``python -m benchmarks fitted-learner``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom._checks import not_negative, positive
from homeroom.classroom import Example
from homeroom.learners.learners import AbstractLearner, Step, arrays_of, outer_products
from homeroom.learners.losses import AbstractLoss, LossLike
from homeroom.learners.regression import residuals


@dataclass(frozen=True, init=False)
class PeopleLearner(AbstractLearner):
    """Students who learn as people did: steps towards a margin, missed examples, and drift.

    ``w <- w - rate (<w, x> - margin y) x + drift xi`` with ``xi`` standard normal, and no step with
    the chance ``lapse``. The default values were fitted to the next answers of 48 people who
    learned Shepard's classification tasks (C. Badham, A. Sanborn, E. Maylor, Psychology and Aging
    2017), together with the rate 0.046; ``python -m benchmarks fitted-learner`` fits them, without
    standard errors.

    The learner of a live class (``homeroom.observers.quizzing.fitted_people``) has other numbers
    from the same study, as it is another model: it remembers single objects besides the rule,
    people differ in their rates, and nothing drifts. Its mean rate of 0.193 moves the rule and the
    memory together; the part of the rule is ``0.193 / (1 + 1.4^2) = 0.065``. Its answers lapse with
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
        loss: LossLike = "logistic",
        classes: int | None = None,
    ) -> None:
        self._set(
            loss=loss,
            classes=classes,
            margin=positive(margin, "margin", example="2"),
            lapse=not_negative(lapse, "lapse", example="0.05"),
            drift=not_negative(drift, "drift", example="0.05"),
        )

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        x, y = arrays_of(example, states)
        attends = (rng.random(rates.shape[0]) >= self.lapse).astype(np.float64)
        used = rates * _arrays.like(attends, rates)
        off = residuals(self.loss, states, x, y, self.margin)
        noise = _arrays.like(rng.standard_normal(states.shape), states)
        return Step(states - used[:, None] * outer_products(off, x) + self.drift * noise, used)
