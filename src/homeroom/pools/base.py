"""What it takes to be a pool of examples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Protocol

import numpy as np

from homeroom._arrays import Floats, Ints


class SeesMoments(Protocol):
    """What a pool may ask of a class: how much an example would help it."""

    def weigh(self, g: float) -> Floats:
        """Return ``W``: a unit direction ``u`` at squared magnitude ``g`` helps by ``u' W u``."""

    def helps(self, xs: Floats, squared_lengths: Floats) -> Floats:
        """Return how much each of the examples would lower the class's mean squared distance."""


class Pick(NamedTuple):
    """A pool's best example: its direction, its squared length, which item, how much it helps."""

    direction: Floats
    g: float
    item: int | None
    help: float


class Candidates(NamedTuple):
    """Examples to try one by one: the item each comes from, and its label if the pool knows it."""

    xs: Floats
    items: Ints
    labels: Floats | None


class AbstractPool(ABC):
    """Where examples may come from."""

    @property
    @abstractmethod
    def rescalable(self) -> bool:
        """Whether the teacher may choose how long an example is."""

    @property
    @abstractmethod
    def labels(self) -> Floats | None:
        """The right answers, if the items have answers of their own; else the target's count."""

    @abstractmethod
    def best(self, moments: SeesMoments, g: float) -> Pick:
        """Return the example that helps the class most.

        Parameters
        ----------
        moments
            What each example would do to the class.
        g
            The squared magnitude to use if the pool is re-scalable; else the greatest allowed.
        """

    @abstractmethod
    def candidates(self, radius: float) -> Candidates | None:
        """Return examples to try, none longer than ``radius``; ``None`` if they are uncountable."""

    @abstractmethod
    def draw(self, count: int, dimensions: int, rng: np.random.Generator) -> Candidates:
        """Return examples drawn at random; of a re-scalable pool, unit directions."""

    @abstractmethod
    def fit(self, dimensions: int, radius: float) -> AbstractPool:
        """Return this pool less what is longer than ``radius``, or say why it does not fit."""

    @abstractmethod
    def untaught(self, dimensions: int) -> Floats:
        """Return an orthonormal basis, ``(dimensions, number)``, of what the pool cannot teach."""


def untaught_directions(rows: Floats) -> Floats:
    """Return an orthonormal basis of the directions that no row has any part in."""
    _, values, vectors = np.linalg.svd(rows.T @ rows)
    rank = int(np.sum(values > values[0] * len(values) * np.finfo(float).eps * 10))
    untaught: Floats = vectors[rank:].T
    return untaught
