"""Baselines for letters and scores: another generator, and simple definitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting import Ink
from homeroom.handwriting.generators import Kinematic, Knobs
from homeroom.handwriting.resample import by_length, normalised
from homeroom.handwriting.scores import scales


def other_hand(letter: str, knobs: Sequence[Knobs], seed: int) -> list[Ink]:
    """Return letters from another generator.

    A smooth random field pushes the whole plane, so that neighbouring lines go together, and the
    tremor is noise from point to point. The scores were not fitted to it.
    """
    rng = np.random.default_rng(seed)
    clean = [replace(one, distortion=0.0, shakiness=0.0) for one in knobs]
    pairs = zip(Kinematic().write(letter, clean, seed), knobs, strict=True)
    return [_disturbed(ink, one, rng) for ink, one in pairs]


def _disturbed(ink: Ink, knobs: Knobs, rng: np.random.Generator) -> Ink:
    where = ink.points - ink.points.mean(axis=0)
    radius = np.sqrt((where**2).sum(axis=1).mean())
    pushed = _field(where / radius, rng)
    noise = rng.standard_normal((len(where) + 2, 2))
    noise = noise[:-2] + 2 * noise[1:-1] + noise[2:]
    push = radius * scales.measure(np.array(knobs.distortion), scales.DISTORTION)
    shake = radius * scales.measure(np.array(knobs.shakiness), scales.SHAKINESS)
    points = ink.points + push * pushed + shake * noise / np.sqrt((noise**2).sum(axis=1).mean())
    cuts = np.cumsum([len(stroke) for stroke in ink.strokes])[:-1]
    strokes = zip(ink, np.split(points, cuts), strict=True)
    return replace(ink, strokes=tuple(replace(stroke, points=part) for stroke, part in strokes))


def _field(where: Floats, rng: np.random.Generator) -> Floats:
    """Return a smooth field at some points, without an affine part and with RMS one."""
    pitch = rng.standard_normal((6, 2))
    pitch *= 1.6 / np.linalg.norm(pitch, axis=1, keepdims=True)
    field = np.cos(where @ pitch.T + rng.uniform(0, 2 * np.pi, 6)) @ rng.standard_normal((6, 2))
    affine = np.column_stack([np.ones(len(where)), where])
    field -= affine @ np.linalg.lstsq(affine, field)[0]
    return np.asarray(field / np.sqrt((field**2).sum(axis=1).mean()))


def plain_scores(inks: Sequence[Ink], model: Ink) -> Floats:
    """Return the scores by their plain definitions, ``(letters, 3)``.

    Procrustes residual and angle of 120 points, and how far steps deviate from the mean direction
    of their nine neighbours, beyond the model's own.
    """
    aim = _points(model)
    rows = []
    for ink in inks:
        points = _points(ink)
        turn = np.angle((aim.conj() * points).mean())
        back = points * np.exp(-1j * turn)
        rest = back * (aim.conj() * back).mean().real - aim
        rows.append([
            -np.expm1(-(np.abs(rest) ** 2).mean() / 0.35**2),
            np.abs(np.degrees(turn)) / 45.0,
            -np.expm1(-max(0.0, _unsteady(points) - _unsteady(aim)) / 0.12),
        ])  # fmt: skip
    return np.array(rows)


def _points(ink: Ink) -> np.ndarray[tuple[int], np.dtype[np.complex128]]:
    x, y = normalised(by_length(ink)).T
    points: np.ndarray[tuple[int], np.dtype[np.complex128]] = x + 1j * y
    return points


def _unsteady(points: np.ndarray[tuple[int], np.dtype[np.complex128]]) -> float:
    steps = np.diff(points)
    steps /= np.abs(steps) + 1e-12
    ways = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.arange(len(steps))
    around = ways[np.minimum(len(steps), at + 5)] - ways[np.maximum(0, at - 4)]
    around /= np.abs(around) + 1e-12
    return float(np.sqrt(((steps.conj() * around).imag ** 2).mean()))
