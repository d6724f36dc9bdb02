"""A learner law for numbers on a scale, such as grades."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.people.laws import AbstractLaw, ClassAnswers


class NumberLaw(AbstractLaw):
    """Answers are normal around the right number; examples make the differences smaller.

    A student's mean squared difference at item x is ``s^2 m(x) + f^2``. ``m`` begins at 1, and each
    example ``i`` multiplies it by ``1 - a near(x, i)``. How near two items are is what laws differ
    in: the same item, the same kind, or ``exp(-c distance)`` on a map.

    Parameters
    ----------
    students
        Their number.
    labels
        The right number of each item.
    near
        Returns how near some items are to all items, from 0 to 1, shape ``(some, items)``.
    """

    def __init__(self, students: int, labels: Floats, near: Callable[[Ints], Floats]) -> None:
        spreads = (0.03, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.5)
        grid = np.array(list(product(spreads, (0.0, 0.03, 0.1, 0.3, 0.6, 0.9), (0.02, 0.1, 0.3))))
        super().__init__(students, np.ones(len(grid)))
        unit = float(labels.std()) or max(1.0, float(np.abs(labels).max()))
        self.labels, self.near = labels, near
        self.spread, self.learns, self.floor = (grid * (unit, 1.0, unit)).T
        self.left = np.ones((len(grid), len(labels)))  # m(x)

    def _squares(self, left: Floats) -> Floats:
        """Return the mean squared differences where ``left`` of the first ones is left."""
        return np.asarray(self.spread[:, None] ** 2 * left + self.floor[:, None] ** 2)

    def expect_rows(self, item: int) -> Floats:
        return np.tile(self._squares(self.left[:, [item]]).T, (self.cohort_count, 1))

    def expect_all(self) -> Floats:
        each = self._squares(self.left.mean(axis=1, keepdims=True)).T
        return np.tile(each, (max(1, len(self.weights)), 1))

    def log_likelihoods(self, item: int, answers: ClassAnswers) -> Floats:
        """Return the densities of the answers, shape ``(students, hypotheses)``."""
        return np.where(answers.heard[:, None], np.log(self._likelihood(item, answers)), 0.0)

    def _likelihood(self, item: int, answers: ClassAnswers) -> Floats:
        variance = self.expect_rows(item)[:1]
        # A density of Student's t with 4 degrees of freedom: single answers may be far off.
        density: Floats = (1.0 + answers.off[:, None] ** 2 / (2.0 * variance)) ** -2.5 / np.sqrt(
            variance
        )
        return np.maximum(density, 1e-300)

    def evidence(self, item: int, answers: ClassAnswers) -> float:
        each = (self.weights * self._likelihood(item, answers)).sum(axis=1)
        return float(np.log(each[answers.heard]).sum())

    def show(self, item: int, rounds: float) -> None:
        self.left *= 1.0 - self.learns[:, None] * self.near(np.array([item]))

    def gain(self, candidates: Ints) -> Floats:
        """Return minus the mean squared difference once each candidate is shown."""
        removed = self.left @ self.near(candidates).T / len(self.labels)
        return np.asarray((self.class_weights * self.learns * self.spread**2) @ removed)
