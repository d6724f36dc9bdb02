"""Distortion: smooth waves along a letter's line that neither turn nor slant it.

Shakiness: a tremor of 4 to 12 hertz in time.

Letters from the laws of movement: each knob turns one thing, so that the truth is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.classroom.checks import whole
from homeroom.handwriting.generators.knobs import AbstractGenerator, Knobs, knob_columns
from homeroom.handwriting.generators.pen_path import DENSE, PenPath
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import scales

WAVE_ORDERS = np.arange(1, 5)
"""The cosines along the letter's way: half a wave, one, one and a half, two."""

ALONG_WEIGHT = 0.7
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
    def of(cls, path: PenPath) -> Waves:
        """Return the waves of a letter."""
        even = path.even
        slope = np.gradient(even, axis=0)
        slope /= np.hypot(*slope.T)[:, None] + 1e-12
        across = np.column_stack([-slope[:, 1], slope[:, 0]])
        columns = wave_terms(even, np.linspace(0.0, 1.0, len(even)))
        seen = np.concatenate(
            [_components(columns, across), ALONG_WEIGHT * _components(columns, slope)]
        )
        waves, maps = np.split(seen, [2 * len(WAVE_ORDERS)], axis=1)
        affine: Floats = np.linalg.lstsq(maps, waves)[0].astype(np.float64)
        free = waves - maps @ affine
        return cls(affine, free.T @ free / len(even))

    def draw(self, lengths: Floats, rng: np.random.Generator) -> Floats:
        """Return the weights of :func:`terms` in letters to be pushed so far, ``(letters, 7, 2)``.

        Long waves are stronger than short ones.
        """
        weights = rng.standard_normal((len(lengths), len(WAVE_ORDERS), 2)) / WAVE_ORDERS[:, None]
        flat = weights.reshape(len(lengths), -1)
        reach = np.sqrt(np.einsum("ni,ij,nj->n", flat, self.power, flat))
        flat = flat * (lengths / reach)[:, None]
        back = -(flat @ self.affine.T).reshape(-1, 3, 2)
        return np.concatenate([flat.reshape(weights.shape), back], axis=1)


def wave_terms(where: Floats, along: Floats) -> Floats:
    """Return the waves, 1, x and y at points that are ``along`` (0 to 1) the letter's way."""
    waves = np.cos(np.pi * along[:, None] * WAVE_ORDERS)
    return np.column_stack([waves, np.ones(len(where)), where])


def _components(columns: Floats, direction: Floats) -> Floats:
    """Return how far each column, as a push in x and as one in y, goes in a direction."""
    return (columns[:, :, None] * direction[:, None, :]).reshape(len(columns), -1)


TREMOR_BAND = (4.0, 12.0)
"""The lowest and the highest frequency, in hertz."""

TREMOR_SINES = 5
"""How many frequencies a letter's tremor has, one from each fifth of the band."""


def draw_tremors(
    clocks: list[Floats], counts: Ints, lengths: Floats, rng: np.random.Generator
) -> list[Floats]:
    """Return how far the pen is off at each point, ``(letters, points, 2)`` for each stroke.

    Parameters
    ----------
    clocks
        The time of each point, ``(letters, points)`` for each stroke.
    counts
        How many of these points are the letter's, ``(letters, strokes)``.
    lengths
        How far the pen is to be off: the RMS over each letter's points.
    rng
        Where frequencies, sizes and phases come from.
    """
    draws = rng.random((len(counts), TREMOR_SINES, 5))
    low, high = TREMOR_BAND
    pitch = low + (high - low) * (np.arange(TREMOR_SINES) + draws[..., 0]) / TREMOR_SINES
    size, phase = 0.5 + draws[..., 1:3], 2 * np.pi * draws[..., 3:5]
    raw = [_tremor(clock, pitch, size, phase) for clock in clocks]
    power = sum(
        np.where(np.arange(shake.shape[1]) < own[:, None], (shake**2).sum(axis=2), 0.0).sum(axis=1)
        for shake, own in zip(raw, counts.T, strict=True)
    )
    scale = lengths / np.sqrt(power / counts.sum(axis=1))
    return [shake * scale[:, None, None] for shake in raw]


def _tremor(clock: Floats, pitch: Floats, size: Floats, phase: Floats) -> Floats:
    angle = 2 * np.pi * pitch[:, None, :] * clock[..., None]
    swings = np.cos(angle[..., None] + phase[:, None, :, :])
    swing: Floats = np.einsum("npsc,nsc->npc", swings, size)
    return swing


RATE = 60.0
"""Points a second."""

IN_MEMORY = 4096
"""Letters that are written together: however many are asked for, this fills no more memory."""


@dataclass(frozen=True)
class Kinematic(AbstractGenerator):
    """Writes letters by moving a pen along a model's line.

    The line is a spline through the model letter. *Distortion* pushes it aside by smooth waves
    along its way, at most two to a letter; they have no affine part, so that they neither turn nor
    slant the letter. Then shear, aspect, rotation and size apply, about the letter's centre. The
    pen goes along it by the two-thirds power law, at 60 points a second. *Shakiness* adds a tremor
    of 4 to 12 hertz in time.

    Parameters
    ----------
    model
        A letter to write, instead of the model letter of that name.

    Examples
    --------
    >>> Kinematic().write("f", [Knobs(), Knobs(rotation=20.0)])
    [Ink('f', 1 stroke, 84 points, 1.38 s), Ink('f', 1 stroke, 84 points, 1.38 s)]
    """

    model: Ink | None = None

    def write(self, letter: str, knobs: Sequence[Knobs], seed: int = 0) -> list[Ink]:
        if not knobs:
            return []
        path = _path(letter) if self.model is None else PenPath.of(self.model)
        seeds = (whole(seed, "seed", at_least=0), *map(ord, letter))
        draws = _Draws(*np.random.default_rng(seeds).spawn(2))
        return [
            ink
            for start in range(0, len(knobs), IN_MEMORY)
            for ink in _write(letter, path, knob_columns(knobs[start : start + IN_MEMORY]), draws)
        ]


class _Draws(NamedTuple):
    """Where chance comes from, for the waves and for the tremor."""

    waves: np.random.Generator
    tremor: np.random.Generator


def _write(letter: str, path: PenPath, dials: dict[str, Floats], draws: _Draws) -> list[Ink]:
    """Return one letter for each setting of the knobs, all at once."""
    counts = _counts(path, dials["tempo"])
    clocks = _clocks(path, counts)
    pushes = path.radius * scales.measure(dials["distortion"], scales.DISTORTION)
    lines = _lines(path, Waves.of(path).draw(pushes, draws.waves), counts)
    reach = scales.measure(dials["shakiness"], scales.SHAKINESS) * path.radius * dials["size"]
    shakes = draw_tremors(clocks, counts, reach, draws.tremor)
    strokes = [
        _placed(line, path, dials) + shake for line, shake in zip(lines, shakes, strict=True)
    ]
    return [_ink(i, letter, strokes, clocks, counts) for i in range(len(counts))]


@lru_cache(maxsize=64)
def _path(letter: str) -> PenPath:
    return PenPath.of(model_letter(letter))


def _counts(path: PenPath, tempo: Floats) -> Ints:
    """Return how many points each stroke of each letter gets, shape ``(letters, strokes)``."""
    counts: Ints = np.rint(RATE * path.seconds / tempo[:, None]).astype(np.int64) + 1
    return counts


def _clocks(path: PenPath, counts: Ints) -> list[Floats]:
    """Return the time of each point from the letter's start, ``(letters, points)`` a stroke."""
    lengths = (counts - 1) / RATE
    pauses = np.rint(path.pauses * RATE) / RATE
    starts = np.cumsum(lengths + pauses, axis=1) - lengths
    return [
        start[:, None] + np.arange(own.max()) / RATE
        for start, own in zip(starts.T, counts.T, strict=True)
    ]


def _lines(path: PenPath, weights: Floats, counts: Ints) -> list[Floats]:
    """Return the points of each stroke, ``(letters, points, 2)``, on the warped line."""
    tables = [
        np.column_stack([where, wave_terms(where, along)])
        for where, along in zip(path.places, path.along, strict=True)
    ]
    return [_sampled(rows, weights, own) for rows, own in zip(tables, counts.T, strict=True)]


def _sampled(rows: Floats, weights: Floats, counts: Ints) -> Floats:
    """Return as many points at even times as the longest letter has; others wait at the end."""
    steps = np.arange(counts.max())
    at = np.minimum(steps / (counts - 1)[:, None], 1.0) * (DENSE - 1)
    before = np.minimum(at.astype(np.int64), DENSE - 2)
    share = (at - before)[..., None]
    found = rows[before] * (1.0 - share) + rows[before + 1] * share
    points: Floats = found[..., :2] + found[..., 2:] @ weights
    return points


def _placed(points: Floats, path: PenPath, dials: dict[str, Floats]) -> Floats:
    """Return the points sheared, stretched, turned and scaled about the letter's centre."""
    centre = path.even.mean(axis=0)
    turn = np.radians(dials["rotation"])
    wide = np.sqrt(dials["aspect"])
    zero = np.zeros_like(turn)
    # y grows downwards: to the right at the top is to the right at lower y.
    lean = np.array([[wide, -dials["shear"] / wide], [zero, 1.0 / wide]])
    rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    maps = dials["size"] * np.einsum("abn,bcn->acn", rotate, lean)
    moved: Floats = np.einsum("acn,npc->npa", maps, points - centre) + centre
    return moved


def _ink(i: int, letter: str, strokes: list[Floats], clocks: list[Floats], counts: Ints) -> Ink:
    return Ink(
        tuple(
            Stroke(points[i, :many], times=clock[i, :many])
            for points, clock, many in zip(strokes, clocks, counts[i].tolist(), strict=True)
        ),
        letter=letter,
    )
