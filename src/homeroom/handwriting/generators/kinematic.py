"""Letters from the laws of movement: each knob turns one thing, so that the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom._checks import whole
from homeroom.handwriting.generators.base import AbstractGenerator, Knobs, table
from homeroom.handwriting.generators.path import DENSE, Path
from homeroom.handwriting.generators.tremor import tremors
from homeroom.handwriting.generators.warp import Waves, terms
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import scales

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
        path = _path(letter) if self.model is None else Path.of(self.model)
        seeds = (whole(seed, "seed", at_least=0), *map(ord, letter))
        draws = _Draws(*np.random.default_rng(seeds).spawn(2))
        return [
            ink
            for start in range(0, len(knobs), IN_MEMORY)
            for ink in _write(letter, path, table(knobs[start : start + IN_MEMORY]), draws)
        ]


class _Draws(NamedTuple):
    """Where chance comes from, for the waves and for the tremor."""

    waves: np.random.Generator
    tremor: np.random.Generator


def _write(letter: str, path: Path, dials: dict[str, Floats], draws: _Draws) -> list[Ink]:
    """Return one letter for each setting of the knobs, all at once."""
    counts = _counts(path, dials["tempo"])
    clocks = _clocks(path, counts)
    pushes = path.radius * scales.measure(dials["distortion"], scales.DISTORTION)
    lines = _lines(path, Waves.of(path).draw(pushes, draws.waves), counts)
    reach = scales.measure(dials["shakiness"], scales.SHAKINESS) * path.radius * dials["size"]
    shakes = tremors(clocks, counts, reach, draws.tremor)
    strokes = [
        _placed(line, path, dials) + shake for line, shake in zip(lines, shakes, strict=True)
    ]
    return [_ink(i, letter, strokes, clocks, counts) for i in range(len(counts))]


@lru_cache(maxsize=64)
def _path(letter: str) -> Path:
    return Path.of(model_letter(letter))


def _counts(path: Path, tempo: Floats) -> Ints:
    """Return how many points each stroke of each letter gets, shape ``(letters, strokes)``."""
    counts: Ints = np.rint(RATE * path.seconds / tempo[:, None]).astype(np.int64) + 1
    return counts


def _clocks(path: Path, counts: Ints) -> list[Floats]:
    """Return the time of each point from the letter's start, ``(letters, points)`` a stroke."""
    lengths = (counts - 1) / RATE
    pauses = np.rint(path.pauses * RATE) / RATE
    starts = np.cumsum(lengths + pauses, axis=1) - lengths
    return [
        start[:, None] + np.arange(own.max()) / RATE
        for start, own in zip(starts.T, counts.T, strict=True)
    ]


def _lines(path: Path, weights: Floats, counts: Ints) -> list[Floats]:
    """Return the points of each stroke, ``(letters, points, 2)``, on the warped line."""
    tables = [
        np.column_stack([where, terms(where, along)])
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


def _placed(points: Floats, path: Path, dials: dict[str, Floats]) -> Floats:
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
