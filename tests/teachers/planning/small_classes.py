"""Small classes for the tests of planning, and a plain replay to compare with."""

from __future__ import annotations

import numpy as np

from homeroom import AverageGoal, Classroom, GradientLearner, Observation
from homeroom._arrays import Floats
from homeroom.engines import ExactClass
from homeroom.goals import DistanceGoal
from homeroom.moments.representatives import Representatives
from homeroom.teachers.planning.objective import Objective
from homeroom.teachers.planning.simulation import Simulation
from homeroom.teachers.planning.transients import StudentLimits


def make_room(
    diversity: float = 0.5,
    students: int = 40,
    dimensions: int = 5,
    seed: int = 0,
    radius: float = 2.0,
) -> Classroom:
    """Return a class of the recipe: rates from 0.1 to 0.1 + diversity, normal states."""
    rng = np.random.default_rng(100 + seed)
    rates = 0.1 + diversity * rng.random(students)
    target = rng.standard_normal(dimensions)
    states = rng.standard_normal((students, dimensions))
    return Classroom(states, rates, target / np.linalg.norm(target), example_radius=radius)


def make_room_with_one_fast() -> Classroom:
    """Return four hundred slow students, and one whom their best examples move away."""
    states = np.random.default_rng(0).standard_normal((401, 2))
    return Classroom(states, np.append(np.full(400, 0.1), 2.0), np.zeros(2), example_radius=2.0)


def look(room: Classroom) -> Observation:
    return ExactClass(room, GradientLearner(), np.random.default_rng(0)).look()


def make_simulation(room: Classroom, goal: DistanceGoal = AverageGoal(0.1)) -> Simulation:
    """Return the simulation of a class, its rows the students themselves."""
    shares, counted = np.full(room.students, 1.0 / room.students), np.ones(room.students, bool)
    rows = Representatives(room.gaps, room.rates, shares, counted, float(room.rates.max()))
    return Simulation(rows, Objective.of(goal, rows, room.students))


def make_limits(
    room: Classroom, goal: DistanceGoal | None = None, within: float = 0.0
) -> StudentLimits:
    """Return the limits of the students of a class; without a goal, none."""
    if goal is not None:
        return StudentLimits.at_start(room.gaps, room.rates, goal, within)
    any_distance = np.full(room.students, np.inf)
    return StudentLimits(room.gaps, room.rates, any_distance, within, np.inf)


def replay(room: Classroom, xs: Floats) -> list[Floats]:
    """Return every student's squared distance at the start and after each example, plainly."""
    gaps = np.array(room.gaps)
    along = [(gaps**2).sum(axis=1)]
    for x in xs:
        for student in range(room.students):
            gaps[student] -= room.rates[student] * (gaps[student] @ x) * x
        along.append((gaps**2).sum(axis=1))
    return along
