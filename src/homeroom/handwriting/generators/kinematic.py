"""Generate letters from the laws of movement, with known settings.

Distortion is a sum of smooth waves along the line that neither rotate nor slant the letter.
Shakiness is a tremor of 4 to 12 hertz in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom._checks import whole
from homeroom.handwriting.generators.knobs import AbstractGenerator, Knobs, knob_columns
from homeroom.handwriting.generators.pen_path import DENSE, PenPath
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import scales

WAVE_ORDERS = np.arange(1, 5)
"""The cosines along the letter: half a wave, one, one and a half, two."""

ALONG_WEIGHT = 0.7
"""The weight of a displacement along the line relative to one across it: it is less visible."""


@dataclass(frozen=True, eq=False)
class Waves:
    """The effect of the four waves on a letter, each as a displacement in x and one in y.

    Parameters
    ----------
    affine
        The affine map closest to each wave, shape ``(6, 8)``: the rows are 1, x and y, the columns
        are the waves, each once for the displacement in x and once for that in y.
    power
        The size of waves without their affine part, shape ``(8, 8)``: waves with weights ``w``,
        shape ``(8,)``, have the mean square displacement ``w @ power @ w``.
    """

    affine: Floats
    power: Floats

    @classmethod
    def of(cls, path: PenPath) -> Waves:
        """Return the effect of the waves on the letter of a path."""
        even = path.even
        slope = np.gradient(even, axis=0)
        slope /= np.hypot(*slope.T)[:, None] + 1e-12
        across = np.column_stack([-slope[:, 1], slope[:, 0]])
        columns = wave_terms(even, np.linspace(0.0, 1.0, len(even)))
        # Displacements are compared by what is visible of them, across the line and along it.
        seen = np.concatenate(
            [_components(columns, across), ALONG_WEIGHT * _components(columns, slope)]
        )
        waves, maps = np.split(seen, [2 * len(WAVE_ORDERS)], axis=1)
        affine: Floats = np.linalg.lstsq(maps, waves)[0].astype(np.float64)
        free = waves - maps @ affine
        return cls(affine, free.T @ free / len(even))

    def draw(self, lengths: Floats, rng: np.random.Generator) -> Floats:
        """Return random weights of :func:`wave_terms` for each letter, ``(letters, 7, 2)``.

        ``lengths`` are the RMS displacements, shape ``(letters,)``. Long waves are stronger than
        short ones.
        """
        weights = rng.standard_normal((len(lengths), len(WAVE_ORDERS), 2)) / WAVE_ORDERS[:, None]
        flat = weights.reshape(len(lengths), -1)
        reach = np.sqrt(np.einsum("ni,ij,nj->n", flat, self.power, flat))
        flat = flat * (lengths / reach)[:, None]
        back = -(flat @ self.affine.T).reshape(-1, 3, 2)
        return np.concatenate([flat.reshape(weights.shape), back], axis=1)


def wave_terms(where: Floats, along: Floats) -> Floats:
    """Return the four waves, 1, x and y at some points, shape ``(points, 7)``.

    ``where`` are the points, ``(points, 2)``; ``along`` is their position on the letter, 0 to 1.
    """
    waves = np.cos(np.pi * along[:, None] * WAVE_ORDERS)
    return np.column_stack([waves, np.ones(len(where)), where])


def _components(columns: Floats, direction: Floats) -> Floats:
    """Return the component of each column in a direction, as displacement in x and in y."""
    return (columns[:, :, None] * direction[:, None, :]).reshape(len(columns), -1)


TREMOR_BAND = (4.0, 12.0)
"""The lowest and the highest frequency of a tremor in hertz."""

TREMOR_SINES = 5
"""The number of frequencies of a tremor, one from each fifth of the band."""


def draw_tremors(
    clocks: list[Floats], counts: Ints, lengths: Floats, rng: np.random.Generator
) -> list[Floats]:
    """Return the displacement of the pen at each point, ``(letters, points, 2)`` per stroke.

    Parameters
    ----------
    clocks
        The time of each point, ``(letters, points)`` per stroke.
    counts
        The number of points of each letter, ``(letters, strokes)``.
    lengths
        The RMS displacement of each letter.
    rng
        The source of frequencies, sizes and phases.
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
    """Return the sum of the sines at the times of a stroke, ``(letters, points, 2)``.

    ``clock`` is ``(letters, points)``, ``pitch`` are the frequencies, ``(letters, sines)``, and
    ``size`` and ``phase`` are ``(letters, sines, 2)``.
    """
    angle = 2 * np.pi * pitch[:, None, :] * clock[..., None]
    swings = np.cos(angle[..., None] + phase[:, None, :, :])
    swing: Floats = np.einsum("npsc,nsc->npc", swings, size)
    return swing


RATE = 60.0
"""Points per second."""

IN_MEMORY = 4096
"""Letters that are written together, which bounds the memory."""


@dataclass(frozen=True)
class Kinematic(AbstractGenerator):
    """Writes letters by moving a pen along the line of a model.

    The line is a spline through the model letter. *Distortion* displaces it by smooth waves, at
    most two per letter; they have no affine part, so they neither rotate nor slant the letter. Then
    shear, aspect, rotation and size are applied about the centre of the letter. The pen follows the
    line by the two-thirds power law, at 60 points per second. *Shakiness* adds a tremor of 4 to 12
    hertz in time.

    Parameters
    ----------
    model
        The model to write, by default the shipped model of the letter.

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
    """The random generators of the waves and of the tremor."""

    waves: np.random.Generator
    tremor: np.random.Generator


def _write(letter: str, path: PenPath, dials: dict[str, Floats], draws: _Draws) -> list[Ink]:
    """Return one letter per row of knobs; ``dials`` has the values of each knob by its name."""
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
    """Return the path through the shipped model of a letter."""
    return PenPath.of(model_letter(letter))


def _counts(path: PenPath, tempo: Floats) -> Ints:
    """Return the number of points per stroke, shape ``(letters, strokes)``."""
    counts: Ints = np.rint(RATE * path.seconds / tempo[:, None]).astype(np.int64) + 1
    return counts


def _clocks(path: PenPath, counts: Ints) -> list[Floats]:
    """Return the times from the start of the letter, ``(letters, points)`` per stroke."""
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
    """Return the points of one stroke at even times; shorter letters repeat their last point.

    ``rows`` has x, y and the seven wave terms at ``DENSE`` even times.
    """
    steps = np.arange(counts.max())
    at = np.minimum(steps / (counts - 1)[:, None], 1.0) * (DENSE - 1)
    before = np.minimum(at.astype(np.int64), DENSE - 2)
    share = (at - before)[..., None]
    found = rows[before] * (1.0 - share) + rows[before + 1] * share
    points: Floats = found[..., :2] + found[..., 2:] @ weights
    return points


def _placed(points: Floats, path: PenPath, dials: dict[str, Floats]) -> Floats:
    """Return the points sheared, stretched, rotated and scaled about the centre of the letter."""
    centre = path.even.mean(axis=0)
    turn = np.radians(dials["rotation"])
    wide = np.sqrt(dials["aspect"])
    zero = np.zeros_like(turn)
    # y grows downwards: the top of a letter has the lower y.
    lean = np.array([[wide, -dials["shear"] / wide], [zero, 1.0 / wide]])
    rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    maps = dials["size"] * np.einsum("abn,bcn->acn", rotate, lean)
    moved: Floats = np.einsum("acn,npc->npa", maps, points - centre) + centre
    return moved


def _ink(i: int, letter: str, strokes: list[Floats], clocks: list[Floats], counts: Ints) -> Ink:
    """Return the letter with index ``i`` as ink, without the padding of its strokes."""
    return Ink(
        tuple(
            Stroke(points[i, :many], times=clock[i, :many])
            for points, clock, many in zip(strokes, clocks, counts[i].tolist(), strict=True)
        ),
        letter=letter,
    )
