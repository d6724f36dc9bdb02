"""Whom a plan is made for: the students, or a few stand-ins for any number of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.goals import AbstractGoal, AverageGoal
from homeroom.moments import Observation, Sketch, sketch_of
from homeroom.moments.build import NODES
from homeroom.moments.representatives import StandIns, for_matrices
from homeroom.teachers.planning.transients import (
    DISTURBANCE,
    SINGLE_DISTURBANCE,
    AbstractLimits,
    ClassLimits,
    StudentLimits,
)

MOST_NUMBERS = 1 << 21
"""Numbers up to which the states of all students are planned with, if the goal looks at each."""

FEW_STUDENTS = 512
"""Up to so many students are always planned for one by one."""

FEWEST_NODES = 9
"""A plan is made on no fewer nodes than this."""


@dataclass(frozen=True, eq=False)
class Audience:
    """A class as a planner sees it.

    Parameters
    ----------
    stand_ins
        The students, or stand-ins for them.
    students
        How many students they are, or stand for.
    sketch
        Gives the class's sketch.
    finer
        The same class with more stand-ins, for a second opinion; ``None`` if these are enough.
    """

    stand_ins: StandIns
    students: int
    sketch: Callable[[], Sketch]
    finer: Audience | None = None

    def along(self, directions: Floats) -> Audience:
        """Return the class in other coordinates: its parts along some directions, a row each."""
        gaps = self.stand_ins.gaps @ directions.T
        finer = None if self.finer is None else self.finer.along(directions)
        return replace(self, stand_ins=replace(self.stand_ins, gaps=gaps), finer=finer)


def audience(seen: Observation, goal: AbstractGoal) -> Audience:
    """Return whom to plan for: the students if they are few, else stand-ins from their sketch.

    A goal that looks at single students asks for the students as long as they fit.
    """
    if seen.noise is not None:
        raise InputError(
            "NoisyMoments blurs the matrix W, but a plan is made for the students themselves. "
            "Use NoisyStates(delta), or ClassroomTeacher()."
        )
    if seen.sketch is not None:
        return of_sketch(seen.sketch())
    gaps, rates = _who_learns(seen)
    students, dimensions = gaps.shape
    sketch = partial(_sketch, gaps, rates)
    few = NODES if isinstance(goal, AverageGoal) else max(NODES, MOST_NUMBERS // dimensions**2)
    if students > max(few * dimensions, FEW_STUDENTS):
        return of_sketch(sketch())
    own, shares = _arrays.small(rates), np.full(students, 1.0 / seen.gaps.shape[0])
    everybody = np.ones(students, dtype=bool)
    stand_ins = StandIns(_arrays.small(gaps), own, shares, everybody, float(own.max()))
    return Audience(stand_ins, students, sketch)


def limits_for(seen: Observation, goal: AbstractGoal, rates_within: float) -> AbstractLimits:
    """Return how far students may be in the lesson that begins now.

    Each student has a limit where they are seen one by one and are not too many.
    """
    if seen.sketch is not None:
        nodes = seen.sketch().nodes
        slowest, fastest = float(nodes.min()), seen.sketch().fastest
    elif seen.squared_rates is not None:  # lengths are safe
        slowest = fastest = 1.0 / seen.moments.gentle
    elif seen.gaps.shape[0] * seen.gaps.shape[1] > MOST_NUMBERS:
        xp = _arrays.namespace(seen.rates)
        slowest, fastest = float(xp.min(seen.rates)), float(xp.max(seen.rates))
    else:
        gaps, rates = _arrays.small(seen.gaps), _arrays.small(seen.rates)
        single = _arrays.namespace(seen.gaps).finfo(seen.gaps.dtype).bits < 64
        disturbance = SINGLE_DISTURBANCE if single else DISTURBANCE
        return StudentLimits.at_start(gaps, rates, goal, rates_within, disturbance)
    return ClassLimits(slowest, fastest, len(seen.target), rates_within)


def of_sketch(sketch: Sketch) -> Audience:
    """Return stand-ins for a class of any size: at most nodes * dimensions of them.

    Plans are made on as few nodes as tell the class's error, and checked on all of them.
    """
    fine = Audience(_stand_ins(sketch), sketch.students, lambda: sketch)
    if sketch.exact or len(sketch.nodes) // 2 < FEWEST_NODES:
        return fine
    return replace(fine, stand_ins=_stand_ins(sketch.coarse()), finer=fine)


def _sketch(gaps: Array, rates: Array) -> Sketch:
    return sketch_of(Classroom(gaps, rates, np.zeros(gaps.shape[1])))


def _stand_ins(sketch: Sketch) -> StandIns:
    nobody = np.zeros((0, sketch.matrices.shape[1])), np.zeros(0)
    return for_matrices(sketch.nodes, sketch.matrices, sketch.fastest, nobody)


def _who_learns(seen: Observation) -> tuple[Array, Array]:
    """Return the gaps and rates of all who seem to learn at all.

    A student whose rate is drawn anew each time counts with the rate that her best length is for,
    ``mean square / mean``.
    """
    if seen.squared_rates is None:
        return seen.gaps, seen.rates
    means, squares = _arrays.small(seen.rates), _arrays.small(seen.squared_rates)
    learn = np.flatnonzero((means > 0.0) & (squares > 0.0))
    rates = _arrays.beside(squares[learn] / means[learn], seen.rates)
    return _arrays.take_rows(seen.gaps, learn), rates
