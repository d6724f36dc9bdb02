"""Distortion."""

from __future__ import annotations

import numpy as np

from homeroom.handwriting.generators.path import Path
from homeroom.handwriting.generators.warp import GRIP, Waves, terms
from homeroom.handwriting.letters import model_letter


def test_waves_go_as_far_as_they_are_told_and_have_no_affine_part() -> None:
    """Both as seen: a push along the line counts for less by the factor ``GRIP``."""
    path = Path.of(model_letter("f"))
    even = path.even
    lengths = np.array([0.1, 0.3])
    weights = Waves.of(path).draw(lengths, np.random.default_rng(0))
    push = terms(even, np.linspace(0.0, 1.0, len(even))) @ weights
    slope = np.gradient(even, axis=0)
    slope /= np.linalg.norm(slope, axis=1, keepdims=True)
    across = np.column_stack([-slope[:, 1], slope[:, 0]])
    seen = np.stack([(push * across).sum(axis=2), GRIP * (push * slope).sum(axis=2)])
    np.testing.assert_allclose(np.sqrt((seen**2).sum(axis=0).mean(axis=1)), lengths)
    for direction in np.eye(2):
        for column in (np.ones(len(even)), *even.T):
            part = np.stack([column * (across @ direction), GRIP * column * (slope @ direction)])
            np.testing.assert_allclose(np.einsum("dp,dnp->n", part, seen), 0.0, atol=1e-9)


def test_long_waves_are_stronger_than_short_ones() -> None:
    path = Path.of(model_letter("m"))
    weights = Waves.of(path).draw(np.full(500, 0.2), np.random.default_rng(1))
    power = (weights[:, :4] ** 2).mean(axis=(0, 2))
    assert (np.diff(power) < 0).all()
