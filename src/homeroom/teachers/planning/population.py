"""The class as a planner sees it: its students, or a few representatives of any number of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.goals import DistanceGoal
from homeroom.moments import Observation, Sketch, sketch_of
from homeroom.moments.build import NODES
from homeroom.moments.representatives import Representatives, for_matrices
from homeroom.teachers.planning.objective import Objective
from homeroom.teachers.planning.simulation import Simulation
from homeroom.teachers.planning.transients import (
    DISTURBANCE,
    SINGLE_DISTURBANCE,
    ClassLimits,
    Limits,
    StudentLimits,
)

MOST_NUMBERS = 1 << 21
"""The states of all students are used, if the goal or the limits need them, up to this size."""

FEW_STUDENTS = 512
"""Up to this many students are always planned for one by one."""

FEWEST_NODES = 9
"""A plan is made on no fewer nodes than this."""


@dataclass(frozen=True, eq=False)
class Population:
    """A class as a planner sees it.

    Parameters
    ----------
    representatives
        The students, or representatives of them.
    students
        How many students there are.
    sketch
        Returns the class's sketch.
    finer
        The same class with more representatives, to check a plan; ``None`` if these are enough.
    """

    representatives: Representatives
    students: int
    sketch: Callable[[], Sketch]
    finer: Population | None = None

    def simulate(self, goal: DistanceGoal) -> Simulation:
        """Return the simulation of lessons for the class with this goal."""
        rows = self.representatives
        return Simulation(rows, Objective.of(goal, rows, self.students))

    def along(self, directions: Floats) -> Population:
        """Return the class in the coordinates of some directions, one per row."""
        finer = None if self.finer is None else self.finer.along(directions)
        return replace(self, representatives=self.representatives.along(directions), finer=finer)


def observe_population(seen: Observation, goal: DistanceGoal) -> Population:
    """Return the students if they are few, else representatives from their sketch.

    A goal on single students needs the students themselves, as long as they fit.
    """
    if seen.noise is not None:
        raise InputError(
            "An observer such as NoisyMoments adds noise to the matrix W, but a plan needs the "
            "students themselves. Use NoisyStates(delta), or ClassroomTeacher(), or let `observe` "
            "return truth.seen_with(gaps=...) without `noise`."
        )
    if seen.sketch is not None:
        return represent_sketch(seen.sketch.fine)
    gaps, rates = _select_learning(seen)
    students, dimensions, outputs = gaps.shape[0], seen.width, seen.outputs
    sketch = partial(_sketch_gaps, gaps, rates, outputs)
    few = NODES if goal.power == 1.0 else max(NODES, MOST_NUMBERS // dimensions**2)
    if students * outputs > max(few * dimensions, FEW_STUDENTS):
        return represent_sketch(sketch())
    rows, host_rates = _arrays.to_host(gaps), _arrays.to_host(rates)
    shares, counted = np.full(students, 1.0 / seen.gaps.shape[0]), np.ones(students, dtype=bool)
    fastest = float(host_rates.max())
    representatives = Representatives(rows, host_rates, shares, counted, fastest, outputs)
    return Population(representatives, students, sketch)


def set_limits(seen: Observation, goal: DistanceGoal, rates_within: float) -> Limits:
    """Return how far students may be in the lesson that begins now.

    Each student has a limit if they are observed one by one and are not too many.
    """
    if seen.sketch is not None:
        start = seen.sketch.start
        slowest, fastest = float(start.nodes.min()), start.fastest
    elif seen.squared_rates is not None:  # lengths are safe
        slowest = fastest = 1.0 / seen.moments.gentle  # the highest rate
    elif seen.gaps.shape[0] * seen.gaps.shape[1] > MOST_NUMBERS:
        xp = _arrays.namespace(seen.rates)
        slowest, fastest = float(xp.min(seen.rates)), float(xp.max(seen.rates))
    else:
        gaps, rates = _arrays.to_host(seen.gaps), _arrays.to_host(seen.rates)
        single = _arrays.namespace(seen.gaps).finfo(seen.gaps.dtype).bits < 64
        disturbance = SINGLE_DISTURBANCE if single else DISTURBANCE
        return StudentLimits.at_start(gaps, rates, goal, rates_within, disturbance)
    return ClassLimits(slowest, fastest, seen.width, rates_within)


def represent_sketch(sketch: Sketch) -> Population:
    """Return representatives of a class of any size: at most nodes * dimensions of them.

    Plans are made on every other node, and checked on all of them.
    """
    fine = Population(_represent(sketch), sketch.students, lambda: sketch)
    if sketch.exact or len(sketch.nodes) // 2 < FEWEST_NODES:
        return fine
    return replace(fine, representatives=_represent(sketch.coarse()), finer=fine)


def _sketch_gaps(gaps: Array, rates: Array, outputs: int) -> Sketch:
    """Return the sketch of students with these gaps: a class whose target is zero."""
    xp = _arrays.namespace(gaps)
    vectors = xp.reshape(gaps, (gaps.shape[0], outputs, -1))
    return sketch_of(Classroom(vectors, rates, np.zeros(vectors.shape[1:])))


def _represent(sketch: Sketch) -> Representatives:
    """Return the representatives of a sketch, without any students."""
    no_students = np.zeros((0, sketch.matrices.shape[1])), np.zeros(0)
    return for_matrices(sketch.nodes, sketch.matrices, sketch.fastest, no_students)


def _select_learning(seen: Observation) -> tuple[Array, Array]:
    """Return the gaps and rates of all students who seem to learn at all.

    A student whose rate is drawn at random in every round counts with the rate
    ``mean square / mean``, for which their best length is best.
    """
    if seen.squared_rates is None:
        return seen.gaps, seen.rates
    means, squares = _arrays.to_host(seen.rates), _arrays.to_host(seen.squared_rates)
    learn = np.flatnonzero((means > 0.0) & (squares > 0.0))
    rates = _arrays.like(squares[learn] / means[learn], seen.rates)
    return _arrays.take_rows(seen.gaps, learn), rates
