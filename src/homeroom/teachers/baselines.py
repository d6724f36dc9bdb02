"""Baseline teachers: random examples, and the class's mean."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, fix_sign
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss
from homeroom.moments import Observation
from homeroom.pools import AbstractPool, Ball
from homeroom.teachers.base import AbstractTeacher
from homeroom.teachers.pool import fit_pool


@dataclass(frozen=True)
class RandomTeacher(AbstractTeacher):
    """Shows a random direction, or a random item of a pool.

    With an :class:`ItemPool` this is the SGD teacher, who draws examples from the data.

    Parameters
    ----------
    pool
        The pool to draw from; by default any direction, at the length that is best for the fastest
        student (the static magnitude).
    """

    pool: AbstractPool = field(default_factory=Ball)

    @property
    def needs_students(self) -> bool:  # type: ignore[override]  # a sketch knows one label only
        return self.pool.labels is not None

    def prepare(self, room: Classroom, loss: AbstractLoss) -> RandomTeacher:
        return replace(self, pool=fit_pool(self.pool, room, loss))

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example:
        xs, items, labels = self.pool.draw(1, seen.width, rng)
        x = xs[0] * math.sqrt(seen.gentle_g) if self.pool.rescalable else xs[0]
        item = None if items[0] < 0 else int(items[0])
        return seen.example(x, item=item, label=None if labels is None else float(labels[0]))


@dataclass(frozen=True)
class MeanTeacher(AbstractTeacher):
    """Teaches the mean of the class, as if it were one student.

    With several outputs per student, examples are along the direction in which the mean errs most.
    A loss that needs one state vector per class is refused.

    This simple idea stalls: once the mean is right, students who err in opposite directions get no
    help (a remark in the paper's source; see the documentation).
    """

    def prepare(self, room: Classroom, loss: AbstractLoss) -> MeanTeacher:
        if loss.outputs > 1:
            raise InputError(
                "MeanTeacher needs one state vector per student, but this loss has "
                f"{loss.outputs}. Use ClassroomTeacher()."
            )
        del room
        return self

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        mean = largest_gap_component(seen.mean_gap, seen.width)
        length = math.sqrt(float(mean @ mean))
        xp = _arrays.namespace(seen.gaps)
        typical_gap = math.sqrt(float(xp.sum(seen.gaps * seen.gaps)) / seen.gaps.shape[0])
        # If the mean is this short relative to a student's gap, half of its digits are rounding.
        if length <= math.sqrt(float(xp.finfo(seen.gaps.dtype).eps)) * typical_gap:
            return None
        return seen.example(math.sqrt(seen.gentle_g) / length * fix_sign(mean))


def largest_gap_component(gap: Floats, width: int) -> Floats:
    """Return the direction in which a student errs most, as long as that part of the gap.

    With one output it is the gap. With several, a gap is a matrix ``E`` of shape
    ``(outputs, width)``, and the result ``E' a``, where ``a`` is the top eigenvector of ``E E'``:
    the first right singular vector of ``E`` times its singular value.
    """
    if len(gap) == width:
        return gap
    vectors = gap.reshape(-1, width)
    component: Floats = np.linalg.eigh(vectors @ vectors.T)[1][:, -1] @ vectors
    return component
