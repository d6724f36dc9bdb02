"""Baselines in plain NumPy, written directly from the paper."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from homeroom import Classroom
from homeroom._arrays import Floats


class TextbookClass:
    """Classroom teaching with static magnitude (Algorithm 1), everything from scratch."""

    def __init__(self, room: Classroom) -> None:
        self.gaps: Floats = np.array(room.gaps)
        self.rates: Floats = np.asarray(room.rates)
        self.g = min(1.0 / float(self.rates.max()), room.example_radius**2)
        self.weights = self.rates * self.g * (2.0 - self.rates * self.g)

    @property
    def error(self) -> float:
        """The class's mean squared distance."""
        return float(squared_distances(self.gaps).mean())

    def round(self) -> None:
        """Build W, find its top eigenvector, show it; nothing is noted."""
        W = (self.weights[:, None] * self.gaps).T @ self.gaps / len(self.gaps)
        x = np.sqrt(self.g) * np.linalg.eigh(W)[1][:, -1]
        self.gaps -= (self.rates * (self.gaps @ x))[:, None] * x

    def lesson(self, eps: float) -> list[float]:
        """Teach until the class is close, and return the error at the start and of each round."""
        errors = [self.error]
        while errors[-1] > eps:
            self.round()
            errors.append(self.error)
        return errors


class TextbookPool:
    """One student and a pool of fixed items: the item that leaves the smallest distance."""

    def __init__(self, gap: Floats, rate: float, items: Floats) -> None:
        self.gap = np.array(gap)
        self.rate = rate
        self.items = items
        self.squared_lengths = (items**2).sum(axis=1)
        self.shown: list[int] = []
        self.errors = [float(self.gap @ self.gap)]

    def choose(self) -> int:
        """Return the item after which the squared distance is least."""
        after = self.gap - self.rate * (self.items @ self.gap)[:, None] * self.items
        return int((after**2).sum(axis=1).argmin())

    def choose_in_closed_form(self) -> int:
        """Return the same item from ``eta <e, x>^2 (2 - eta |x|^2)``."""
        answers = self.items @ self.gap
        help_each: Floats = answers**2 * (2.0 - self.rate * self.squared_lengths)
        return int(help_each.argmax())

    def round(self, *, closed_form: bool = False) -> None:
        """Choose an item, show it, and note the error."""
        item = self.choose_in_closed_form() if closed_form else self.choose()
        x = self.items[item]
        self.gap -= self.rate * (x @ self.gap) * x
        self.shown.append(item)
        self.errors.append(float(self.gap @ self.gap))


def squared_distances(gaps: Floats) -> Floats:
    """Return each student's squared distance: one pass that every method needs."""
    squared: Floats = (gaps**2).sum(axis=1)
    return squared


def same(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> None:
    """Stop the run if the two did not come to the same result."""
    np.testing.assert_allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=1e-9)
