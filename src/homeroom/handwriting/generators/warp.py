"""Distortion: smooth waves along a letter's line that neither turn nor slant it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.generators.path import Path

ORDER = np.arange(1, 5)
"""The cosines along the letter's way: half a wave, one, one and a half, two."""

GRIP = 0.7
"""How much a push along the line counts, where one across it counts 1: it is seen less."""


@dataclass(frozen=True, eq=False)
class Waves:
    """What waves do to a letter.

    Parameters
    ----------
    affine
        What of each wave is an affine map of the letter, shape ``(6, 8)``: the rows are 1, x and y
        and the columns the waves, each once for x and once for y.
    power
        How far waves without that go, shape ``(8, 8)``: ``w @ power @ w`` is the mean square.
    """

    affine: Floats
    power: Floats

    @classmethod
    def of(cls, path: Path) -> Waves:
        """Return the waves of a letter."""
        even = path.even
        slope = np.gradient(even, axis=0)
        slope /= np.hypot(*slope.T)[:, None] + 1e-12
        across = np.column_stack([-slope[:, 1], slope[:, 0]])
        columns = terms(even, np.linspace(0.0, 1.0, len(even)))
        seen = np.concatenate([_along(columns, across), GRIP * _along(columns, slope)])
        waves, maps = np.split(seen, [2 * len(ORDER)], axis=1)
        affine: Floats = np.linalg.lstsq(maps, waves)[0].astype(np.float64)
        free = waves - maps @ affine
        return cls(affine, free.T @ free / len(even))

    def draw(self, lengths: Floats, rng: np.random.Generator) -> Floats:
        """Return the weights of :func:`terms` in letters to be pushed so far, ``(letters, 7, 2)``.

        Long waves are stronger than short ones.
        """
        weights = rng.standard_normal((len(lengths), len(ORDER), 2)) / ORDER[:, None]
        flat = weights.reshape(len(lengths), -1)
        reach = np.sqrt(np.einsum("ni,ij,nj->n", flat, self.power, flat))
        flat = flat * (lengths / reach)[:, None]
        back = -(flat @ self.affine.T).reshape(-1, 3, 2)
        return np.concatenate([flat.reshape(weights.shape), back], axis=1)


def terms(where: Floats, along: Floats) -> Floats:
    """Return the waves, 1, x and y at points that are ``along`` (0 to 1) the letter's way."""
    waves = np.cos(np.pi * along[:, None] * ORDER)
    return np.column_stack([waves, np.ones(len(where)), where])


def _along(columns: Floats, direction: Floats) -> Floats:
    """Return how far each column, as a push in x and as one in y, goes in a direction."""
    return (columns[:, :, None] * direction[:, None, :]).reshape(len(columns), -1)
