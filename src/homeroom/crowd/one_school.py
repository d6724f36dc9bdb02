"""Crowds of one school of thought, as spread as a real one: what groups are held against."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from homeroom._arrays import Floats


def one_school(lines: Floats, people: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield lines of crowds that have no groups, but the spread of a real crowd.

    Which shape one school has is not known, so there are two crowds. In the first, lines
    ``(w, tau)`` come from one Gaussian. In the second, the angle to the mean direction does, and
    the length of ``w``, and ``tau``: people who weigh two things differently, but as strongly, lie
    on an arc, and halves of an arc are told apart better than those of a cloud. With one dimension
    there are no angles, and no second crowd.

    Parameters
    ----------
    lines
        The real crowd's, shape ``(people, d + 1)``.
    people
        How many people the others have.
    """
    yield _alike(lines, people, rng)
    d = lines.shape[1] - 1
    if d > 1:
        weights, thresholds = lines[:, :d], lines[:, d:]
        middle = _direction(weights.mean(axis=0))
        lengths = np.linalg.norm(weights, axis=1, keepdims=True)
        turns = _turns(weights, middle)
        drawn = _alike(np.column_stack([turns, lengths, thresholds]), people, rng)
        directions = _turned(drawn[:, :d], middle)
        yield np.column_stack([drawn[:, d : d + 1] * directions, drawn[:, d + 1 :]])


def _alike(rows: Floats, number: int, rng: np.random.Generator) -> Floats:
    """Draw from the Gaussian that has the rows' mean and covariance."""
    middle = rows.mean(axis=0)
    spread = (rows - middle) / np.sqrt(max(1, len(rows) - 1))
    drawn: Floats = middle + rng.standard_normal((number, len(rows))) @ spread
    return drawn


def _turns(weights: Floats, middle: Floats) -> Floats:
    """Return the turn from the middle to each direction: at a right angle to it, as long as wide.

    (The logarithm on the sphere; :func:`_turned` is its inverse.)
    """
    along = weights @ middle
    across = weights - along[:, None] * middle
    angles = np.arctan2(np.linalg.norm(across, axis=1), along)
    turns: Floats = angles[:, None] * _direction(across)
    return turns


def _turned(turns: Floats, middle: Floats) -> Floats:
    """Return the directions that lie these turns from the middle."""
    angles = np.linalg.norm(turns, axis=1, keepdims=True)
    turned: Floats = np.cos(angles) * middle + np.sin(angles) * _direction(turns)
    return turned


def _direction(vectors: Floats) -> Floats:
    """Return the vectors with length one; those of length zero stay."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    directions: Floats = vectors / np.where(lengths > 0, lengths, 1.0)
    return directions
