"""Baseline teachers: random examples, and the class's mean."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from homeroom import _arrays
from homeroom._arrays import fix_sign
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss
from homeroom.moments import Observation
from homeroom.pools import AbstractPool, Ball
from homeroom.teachers.base import AbstractTeacher, AbstractTutor, Choices
from homeroom.teachers.pool import fitted_pool
from homeroom.teachers.tutoring import (
    best_example_for_each,
    largest_gap_component,
    own_best_g,
    synthesised,
)


@dataclass(frozen=True)
class RandomTeacher(AbstractTeacher, AbstractTutor):
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
    def needs(self) -> frozenset[str]:
        return frozenset()

    @property
    def own_labels(self) -> bool:
        return self.pool.labels is not None  # then not the target's answers

    def prepare(self, room: Classroom, loss: AbstractLoss) -> RandomTeacher:
        return replace(self, pool=fitted_pool(self.pool, room, loss))

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example:
        xs, items, labels = self.pool.draw(1, seen.width, rng)
        x = xs[0] * math.sqrt(seen.gentle_g) if self.pool.rescalable else xs[0]
        item = None if items[0] < 0 else int(items[0])
        return seen.example(x, item=item, label=None if labels is None else float(labels[0]))

    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        xs, items, labels = self.pool.draw(seen.gaps.shape[0], seen.width, rng)
        rows = _arrays.like(xs, seen.gaps)
        if self.pool.rescalable:
            rows = _arrays.namespace(rows).sqrt(own_best_g(seen))[:, None] * rows
        choices = synthesised(seen, rows)._replace(items=items)  # labels: the target's answers
        return choices if labels is None else choices._replace(ys=_arrays.like(labels, rows))


@dataclass(frozen=True)
class MeanTeacher(AbstractTeacher, AbstractTutor):
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
        mean = largest_gap_component(seen.mean_gap[None, :], seen.width)[0]
        length = math.sqrt(float(mean @ mean))
        xp = _arrays.namespace(seen.gaps)
        typical_gap = math.sqrt(float(xp.sum(seen.gaps * seen.gaps)) / seen.gaps.shape[0])
        # If the mean is this short relative to a student's gap, half of its digits are rounding.
        if length <= math.sqrt(float(xp.finfo(seen.gaps.dtype).eps)) * typical_gap:
            return None
        return seen.example(math.sqrt(seen.gentle_g) / length * fix_sign(mean))

    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        return best_example_for_each(seen)
