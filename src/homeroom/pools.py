"""Where examples come from: any vector, directions of any length, or fixed items."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from homeroom import _arrays, _checks
from homeroom._arrays import Floats, Ints, top_eigenvector
from homeroom._checks import InputError

__all__ = ["AbstractPool", "Ball", "Candidates", "DirectionPool", "ItemPool", "Pick", "SeesMoments"]

CANDIDATE_LENGTHS = 12
"""Lengths tried per direction, for losses without a closed form."""


class SeesMoments(Protocol):
    """What a pool may ask about a class: how much an example would help it."""

    def weigh(self, g: float) -> Floats:
        """Return ``W``: a unit direction ``u`` at squared length ``g`` helps by ``u' W u``."""

    def helps(self, xs: Floats, squared_lengths: Floats) -> Floats:
        """Return how much each example would lower the class's mean squared distance."""


class Pick(NamedTuple):
    """A pool's best example: unit direction, squared length, item number, and how much it helps.

    ``help`` is by how much it lowers the class's mean squared distance; ``item`` is ``None`` if the
    pool has no items.
    """

    direction: Floats
    g: float
    item: int | None
    help: float


class Candidates(NamedTuple):
    """Examples to evaluate: vectors, the item each comes from, and labels if the pool has any.

    Shapes ``(examples, dimensions)``, ``(examples,)`` and ``(examples,)``; an item is -1 for none.
    """

    xs: Floats
    items: Ints
    labels: Floats | None


class AbstractPool(ABC):
    """Where examples come from."""

    rescalable = False
    """Whether the teacher may choose the length of an example."""

    synthesises = False
    """Whether every vector within the radius is in the pool."""

    directions: Floats | None = None
    """Its unit directions, ``(items, dimensions)``, if it consists of directions of any length."""

    labels: Floats | None = None
    """The items' own labels; ``None`` if the target's answers are the labels."""

    classes: tuple[str, ...] | None = None
    """The names of the classes 1, 2, ..., if the labels stand for texts."""

    def relabel(self, labels: Floats) -> AbstractPool:
        """Return the pool with other labels, one for each: those that the students' loss takes."""
        raise InputError(
            f"{type(self).__name__} has labels that this loss does not take. Return labels that it "
            "takes, or implement relabel(labels)."
        )

    @abstractmethod
    def best(self, moments: SeesMoments, g: float) -> Pick:
        """Return the example that helps the class most.

        Parameters
        ----------
        moments
            What each example would do to the class.
        g
            The squared length to use if the pool is re-scalable; otherwise the largest allowed.
        """

    @abstractmethod
    def candidates(self, radius: float) -> Candidates | None:
        """Return examples to evaluate, none longer than ``radius``; ``None`` if uncountable."""

    @abstractmethod
    def draw(self, count: int, dimensions: int, rng: np.random.Generator) -> Candidates:
        """Return random examples; for a re-scalable pool, unit directions."""

    @abstractmethod
    def fit(self, dimensions: int, radius: float) -> AbstractPool:
        """Return the pool without items longer than ``radius``; raise if it cannot be used."""

    @abstractmethod
    def untaught(self, dimensions: int) -> Floats:
        """Return an orthonormal basis, ``(dimensions, number)``, of what the pool cannot teach."""


@dataclass(frozen=True)
class Ball(AbstractPool):
    """Every vector up to the class's example radius: synthesis, as in section 3."""

    rescalable = synthesises = True

    def best(self, moments: SeesMoments, g: float) -> Pick:
        value, direction = top_eigenvector(moments.weigh(g))
        return Pick(direction, g, None, value)

    def candidates(self, radius: float) -> None:
        return None

    def draw(self, count: int, dimensions: int, rng: np.random.Generator) -> Candidates:
        xs = rng.standard_normal((count, dimensions))
        xs /= np.sqrt((xs * xs).sum(axis=1, keepdims=True))
        return Candidates(xs, np.full(count, -1, dtype=np.int64), None)

    def fit(self, dimensions: int, radius: float) -> Ball:
        return self

    def untaught(self, dimensions: int) -> Floats:
        return np.empty((dimensions, 0))


@dataclass(frozen=True, init=False, eq=False)
class DirectionPool(AbstractPool):
    """A re-scalable pool: the teacher picks a direction and a length (appendix C).

    Parameters
    ----------
    directions
        Shape ``(items, dimensions)``. No row may be zero; rows are scaled to length one.

    Examples
    --------
    >>> DirectionPool([[2.0, 0.0], [0.0, 3.0]]).directions
    array([[1., 0.],
           [0., 1.]])
    """

    directions: Floats

    def __init__(self, directions: npt.ArrayLike) -> None:
        rows = _arrays.to_host(_checks.matrix(directions, "directions", "(items, dimensions)"))
        lengths = np.sqrt((rows * rows).sum(axis=1))
        if not lengths.all():
            raise InputError(
                f"`directions` must not be zero, but item {int(lengths.argmin())} is. Drop it."
            )
        object.__setattr__(self, "directions", _arrays.freeze(rows / lengths[:, None]))

    rescalable = True

    def best(self, moments: SeesMoments, g: float) -> Pick:
        help_each = moments.helps(np.sqrt(g) * self.directions, np.full(len(self.directions), g))
        item = int(help_each.argmax())
        return Pick(self.directions[item], g, item, float(help_each[item]))

    def candidates(self, radius: float) -> Candidates:
        lengths = radius * np.geomspace(0.02, 1.0, CANDIDATE_LENGTHS)
        xs = (lengths[:, None, None] * self.directions).reshape(-1, self.directions.shape[1])
        return Candidates(xs, np.tile(np.arange(len(self.directions)), CANDIDATE_LENGTHS), None)

    def draw(self, count: int, dimensions: int, rng: np.random.Generator) -> Candidates:
        items = rng.integers(len(self.directions), size=count)
        return Candidates(self.directions[items], items, None)

    def fit(self, dimensions: int, radius: float) -> DirectionPool:
        _checks.width(self.directions, "directions", dimensions)
        return self

    def untaught(self, dimensions: int) -> Floats:
        return untaught_directions(self.directions)


@dataclass(frozen=True, init=False, eq=False)
class ItemPool(AbstractPool):
    """A fixed pool: the teacher shows one of these items, unscaled.

    Parameters
    ----------
    items
        Shape ``(items, dimensions)``.
    labels
        The right answer to each item, if it differs from the target's answer. For a loss with two
        classes -1 and +1, 0 and 1, ``False`` and ``True``, or two different texts; for a loss with
        m classes 1 to m, 0 to m - 1, or m different texts. Texts are classes in alphabetical order,
        as in scikit-learn. For other losses, numbers.

    Examples
    --------
    >>> pool = ItemPool([[2.0, 0.0], [0.0, 3.0]])
    >>> len(pool)
    2
    >>> ItemPool([[2.0, 0.0], [0.0, 3.0]], labels=["wasp", "moth"]).classes
    ('moth', 'wasp')
    """

    items: Floats
    labels: Floats | None
    classes: tuple[str, ...] | None = field(init=False)
    squared_lengths: Floats = field(init=False)
    numbers: Ints = field(init=False)  # of the items in the pool that the user gave

    def __init__(self, items: npt.ArrayLike, labels: npt.ArrayLike | None = None) -> None:
        rows = _arrays.to_host(_checks.matrix(items, "items", "(items, dimensions)"))
        answers, names = (None, None) if labels is None else _checks.labels(labels, rows)
        self._set(rows, answers, np.arange(len(rows)), names)

    def _set(
        self, items: Floats, labels: Floats | None, numbers: Ints, names: tuple[str, ...] | None
    ) -> None:
        """Set the fields of the frozen pool, and those that follow from them."""
        for name, value in (
            ("items", _arrays.freeze(items)),
            ("labels", labels),
            ("squared_lengths", (items * items).sum(axis=1)),
            ("numbers", numbers),
            ("classes", names),
        ):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.items)

    def relabel(self, labels: Floats) -> ItemPool:
        return self._with(self.items, labels, self.numbers, None)

    def best(self, moments: SeesMoments, g: float) -> Pick:
        help_each = moments.helps(self.items, self.squared_lengths)
        if g < self._longest:
            help_each = np.where(self.squared_lengths <= g * (1 + 1e-9), help_each, -np.inf)
        row = int(help_each.argmax())
        return self._pick(row, float(help_each[row]))

    @cached_property
    def _longest(self) -> float:
        """The largest squared length."""
        return float(self.squared_lengths.max())

    def _pick(self, row: int, help_of_it: float) -> Pick:
        """Return the item in a row as a pick."""
        g = float(self.squared_lengths[row])
        return Pick(self.items[row] / np.sqrt(g), g, int(self.numbers[row]), help_of_it)

    def candidates(self, radius: float) -> Candidates:
        return Candidates(self.items, self.numbers, self.labels)

    def draw(self, count: int, dimensions: int, rng: np.random.Generator) -> Candidates:
        rows = rng.integers(len(self.items), size=count)
        labels = None if self.labels is None else self.labels[rows]
        return Candidates(self.items[rows], self.numbers[rows], labels)

    def fit(self, dimensions: int, radius: float) -> ItemPool:
        _checks.width(self.items, "items", dimensions)
        fits = self.squared_lengths <= (radius * (1 + 1e-9)) ** 2
        keep = fits & (self.squared_lengths > 0)
        if keep.all():
            return self
        if not keep.any():
            if not self.squared_lengths.any():
                raise InputError(
                    "`items` must not all be zero: no student learns from such an item."
                )
            shortest = math.sqrt(float(self.squared_lengths[self.squared_lengths > 0].min()))
            raise InputError(
                f"`items` must be no longer than {radius:.6g} for this class, but the shortest has "
                f"length {shortest:.6g}. Raise the class's example_radius, or scale the items."
            )
        _checks.warn(
            f"{np.sum(~keep)} of {len(self)} items are zero or longer than {radius:.6g} "
            "and will never be shown. Scale the `items`, or raise the class's `example_radius`."
        )
        return self._keep(keep)

    def only(self, items: npt.ArrayLike) -> ItemPool:
        """Return the pool with only some of its items, which keep their numbers.

        >>> ItemPool([[2.0, 0.0], [0.0, 3.0], [1.0, 1.0]]).only([2, 0]).numbers
        array([0, 2])
        """
        return self._keep(np.isin(self.numbers, np.asarray(items)))

    def _keep(self, keep: npt.NDArray[np.bool_]) -> ItemPool:
        """Return the pool with the items for which the mask is true."""
        labels = None if self.labels is None else self.labels[keep]
        return self._with(self.items[keep], labels, self.numbers[keep], self.classes)

    def _with(self, *parts: Any) -> ItemPool:
        """Return a new pool with these arguments of ``_set``, without checks."""
        other = object.__new__(ItemPool)
        other._set(*parts)
        return other

    def untaught(self, dimensions: int) -> Floats:
        return untaught_directions(self.items)


def untaught_directions(rows: Floats) -> Floats:
    """Return an orthonormal basis of the directions orthogonal to all rows.

    Shape ``(dimensions, number)``.
    """
    _, values, vectors = np.linalg.svd(rows.T @ rows)
    rank = int(np.sum(values > values[0] * len(values) * np.finfo(float).eps * 10))
    untaught: Floats = vectors[rank:].T
    return untaught
