"""Second moments: two small matrices that determine the effect of any example on the class.

One example ``x = sqrt(g) u`` lowers the class's mean squared distance by ``u' W u`` with
``W = mean(alpha_j e_j e_j')`` and ``alpha_j = 2 g eta_j - g^2 eta_j^2`` (Eq. 6 and 7 of the
paper). So ``W = 2 g A - g^2 B`` for *every* magnitude, with ``A = mean(eta_j e_j e_j')`` and
``B = mean(eta_j^2 e_j e_j')``: a teacher that knows A and B does not need the students.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats


class AbstractMoments(ABC):
    """The effect of any example on a class, without the students."""

    gentle: float
    """The squared magnitude at which the fastest student learns best, ``1 / max eta``.

    Up to twice that, no student moves away.
    """

    @abstractmethod
    def weigh(self, g: float) -> Floats:
        """Return ``W``: a unit direction ``u`` at squared magnitude ``g`` helps by ``u' W u``."""

    @abstractmethod
    def helps(self, xs: Floats, squared_lengths: Floats) -> Floats:
        """Return how much each of the examples would lower the class's mean squared distance."""

    @abstractmethod
    def at_most(self, g: float) -> float:
        """Return ``2 g tr A``, an upper bound on the help of an example of squared length ``g``."""

    @abstractmethod
    def best_g_overall(self) -> float:
        """Return ``sum eta |e|^2 / sum eta^2 |e|^2``, the paper's dynamic squared magnitude."""

    @abstractmethod
    def best_g_along(self, direction: Floats) -> float:
        """Return the squared magnitude that helps most along one unit direction."""


@dataclass(frozen=True, eq=False)
class Moments(AbstractMoments):
    """The two moment matrices of a class.

    Parameters
    ----------
    linear
        ``A = mean(eta_j e_j e_j')``, shape ``(dimensions, dimensions)``.
    quadratic
        ``B = mean(eta_j^2 e_j e_j')``.
    gentle
        ``1 / max eta``.
    noise
        Noise in the observed ``W``, if any.

    Examples
    --------
    >>> class_of_two = moments_of(np.eye(2), np.array([0.5, 0.25]), few=0)
    >>> class_of_two.weigh(g=2.0)
    array([[0.5  , 0.   ],
           [0.   , 0.375]])
    """

    linear: Floats
    quadratic: Floats
    gentle: float
    noise: Floats | None = None

    def weigh(self, g: float) -> Floats:
        matrix: Floats = (2.0 * g) * self.linear - (g * g) * self.quadratic
        return matrix if self.noise is None else matrix + self.noise

    def helps(self, xs: Floats, squared_lengths: Floats) -> Floats:
        # 2 x'Ax - |x|^2 x'Bx: O(examples * dimensions^2), whatever the number of students
        found = 2.0 * _forms(xs, self.linear) - squared_lengths * _forms(xs, self.quadratic)
        return found if self.noise is None else found + _forms(xs, self.noise) / squared_lengths

    def at_most(self, g: float) -> float:
        return 2.0 * g * float(self.linear.trace())

    def best_g_overall(self) -> float:
        return _ratio(float(np.trace(self.linear)), float(np.trace(self.quadratic)), self.gentle)

    def best_g_along(self, direction: Floats) -> float:
        linear = float(direction @ self.linear @ direction)
        return _ratio(linear, float(direction @ self.quadratic @ direction), self.gentle)


@dataclass(frozen=True, eq=False)
class FewStudents(AbstractMoments):
    """The same, for so few students that the gaps themselves are the shorter description.

    Parameters
    ----------
    gaps
        Shape ``(students, dimensions)``.
    linear, quadratic
        The weights of the two moments, shape ``(students,)``, divided by the number of students.
    gentle
        ``1 / max eta``.
    """

    gaps: Floats
    linear: Floats
    quadratic: Floats
    gentle: float

    def weigh(self, g: float) -> Floats:
        weights = (2.0 * g) * self.linear - (g * g) * self.quadratic
        matrix: Floats = (weights[:, None] * self.gaps).T @ self.gaps
        return matrix

    def helps(self, xs: Floats, squared_lengths: Floats) -> Floats:
        # O(examples * students * dimensions)
        answers = xs @ self.gaps.T
        answers *= answers
        found: Floats = 2.0 * (answers @ self.linear) - squared_lengths * (answers @ self.quadratic)
        return found

    def at_most(self, g: float) -> float:
        return 2.0 * g * float(np.vdot(self.gaps, self.linear[:, None] * self.gaps))

    def best_g_overall(self) -> float:
        squared = _arrays.squared_lengths(self.gaps)
        return _ratio(float(self.linear @ squared), float(self.quadratic @ squared), self.gentle)

    def best_g_along(self, direction: Floats) -> float:
        squared = (self.gaps @ direction) ** 2
        return _ratio(float(self.linear @ squared), float(self.quadratic @ squared), self.gentle)


def moments_of(
    gaps: Array,
    rates: Array,
    squared_rates: Array | None = None,
    *,
    gentle: float | None = None,
    noise: Floats | None = None,
    few: int | None = None,
) -> AbstractMoments:
    """Return the moments of a class, built from its students.

    Parameters
    ----------
    gaps
        ``states - target``, shape ``(students, dimensions)``.
    rates
        The weights of ``A``, shape ``(students,)``.
    squared_rates
        The weights of ``B``; the squares of the rates unless given.
    gentle
        ``1 / max rate`` unless given.
    noise
        Noise in the observed ``W``.
    few
        Up to this many students are described by their gaps instead of matrices; an eighth of the
        dimensions unless given.

    Notes
    -----
    Matrix products in blocks: O(students * dimensions^2), no large temporary.
    """
    xp = _arrays.namespace(gaps)
    squares = rates * rates if squared_rates is None else squared_rates
    if gentle is None:
        gentle = 1.0 / float(xp.max(rates))
    students, dimensions = gaps.shape
    if noise is None and students <= (max(1, dimensions // 8) if few is None else few):
        share = 1.0 / students
        return FewStudents(
            _arrays.small(gaps),
            share * _arrays.small(rates),
            share * _arrays.small(squares),
            gentle,
        )
    linear = np.zeros((dimensions, dimensions))
    quadratic = np.zeros((dimensions, dimensions))
    for rows in _arrays.blocks_of(gaps):
        block = gaps[rows, :]
        linear += _arrays.small((rates[rows, None] * block).T @ block)
        quadratic += _arrays.small((squares[rows, None] * block).T @ block)
    return Moments(linear / students, quadratic / students, gentle, noise)


def _forms(xs: Floats, matrix: Floats) -> Floats:
    """Return ``x' M x`` for each row ``x``."""
    forms: Floats = np.vecdot(xs @ matrix, xs)
    return forms


def _ratio(linear: float, quadratic: float, otherwise: float) -> float:
    """Return the best squared magnitude, or the gentle one where there is nothing to weigh."""
    best = linear / quadratic if quadratic > 0 else otherwise
    return best if 0 < best < math.inf else otherwise
