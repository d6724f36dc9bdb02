"""A pool of fixed items: pictures, letters, questions."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from homeroom import _arrays, _checks
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.pools.base import AbstractPool, Candidates, Pick, SeesMoments, untaught_directions


@dataclass(frozen=True, init=False, eq=False)
class ItemPool(AbstractPool):
    """A fixed pool: the teacher shows one of these items, as it is.

    Parameters
    ----------
    items
        Shape ``(items, dimensions)``.
    labels
        The right answer to each item, if it is not the target's own.

    Examples
    --------
    >>> pool = ItemPool([[2.0, 0.0], [0.0, 3.0]])
    >>> len(pool)
    2
    """

    items: Floats
    answers: Floats | None
    squared_lengths: Floats = field(init=False)
    numbers: Ints = field(init=False)

    def __init__(self, items: npt.ArrayLike, labels: npt.ArrayLike | None = None) -> None:
        rows = _arrays.small(_checks.matrix(items, "items", "(items, dimensions)"))
        answers = (
            None
            if labels is None
            else _arrays.small(
                _checks.vector(labels, "labels", like=rows, length=len(rows), each="item")
            )
        )
        self._set(rows, answers, np.arange(len(rows)))

    def _set(self, items: Floats, labels: Floats | None, numbers: Ints) -> None:
        for name, value in (
            ("items", _arrays.frozen(items)),
            ("answers", labels),
            ("squared_lengths", (items * items).sum(axis=1)),
            ("numbers", numbers),
        ):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def rescalable(self) -> bool:
        return False

    @property
    def labels(self) -> Floats | None:
        return self.answers

    def best(self, moments: SeesMoments, g: float) -> Pick:
        help_each = moments.helps(self.items, self.squared_lengths)
        if g < self.squared_lengths.max():
            help_each = np.where(self.squared_lengths <= g * (1 + 1e-9), help_each, -np.inf)
        row = int(help_each.argmax())
        return self._pick(row, float(help_each[row]))

    def _pick(self, row: int, help_of_it: float) -> Pick:
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
                raise InputError("`items` must not all be zero: nobody learns from such an item.")
            shortest = math.sqrt(float(self.squared_lengths[self.squared_lengths > 0].min()))
            raise InputError(
                f"`items` must be no longer than {radius:.6g} for this class, but the shortest has "
                f"length {shortest:.6g}. Raise the class's example_radius, or scale the items."
            )
        warnings.warn(
            f"{np.sum(~keep)} of {len(self)} items are zero or longer than {radius:.6g}, "
            "and will never be shown.",
            stacklevel=3,
        )
        return self._kept(keep)

    def _kept(self, keep: npt.NDArray[np.bool_]) -> ItemPool:
        kept = object.__new__(ItemPool)
        labels = None if self.labels is None else self.labels[keep]
        kept._set(self.items[keep], labels, self.numbers[keep])
        return kept

    def untaught(self, dimensions: int) -> Floats:
        return untaught_directions(self.items)
