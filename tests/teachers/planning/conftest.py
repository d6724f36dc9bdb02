"""Fixtures for planning: small classes as rows, and a plain replay to compare with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom
from homeroom._arrays import Floats
from homeroom.goals import AbstractGoal
from homeroom.moments.representatives import Representatives
from homeroom.teachers.planning.objective import Objective
from homeroom.teachers.planning.simulation import Simulation
from homeroom.teachers.planning.transients import StudentLimits

MakeRoom: TypeAlias = Callable[..., Classroom]
MakeSimulation: TypeAlias = Callable[..., Simulation]
MakeLimits: TypeAlias = Callable[..., StudentLimits]
Replay: TypeAlias = Callable[[Classroom, Floats], list[Floats]]


@pytest.fixture
def make_room() -> MakeRoom:
    """Return a class of the recipe: rates from 0.1 to 0.1 + diversity, normal states."""

    def made(
        diversity: float = 0.5,
        students: int = 40,
        dimensions: int = 5,
        seed: int = 0,
        radius: float = 2.0,
    ) -> Classroom:
        rng = np.random.default_rng(100 + seed)
        rates = 0.1 + diversity * rng.random(students)
        target = rng.standard_normal(dimensions)
        states = rng.standard_normal((students, dimensions))
        return Classroom(states, rates, target / np.linalg.norm(target), example_radius=radius)

    return made


@pytest.fixture
def one_fast() -> Classroom:
    """Return four hundred slow students, and one whom their best examples move away."""
    states = np.random.default_rng(0).standard_normal((401, 2))
    return Classroom(states, np.append(np.full(400, 0.1), 2.0), np.zeros(2), example_radius=2.0)


@pytest.fixture
def make_simulation() -> MakeSimulation:
    """Return the simulation of a class, its rows the students themselves."""

    def made(room: Classroom, goal: AbstractGoal = AverageGoal(0.1)) -> Simulation:
        shares = np.full(room.students, 1.0 / room.students)
        own = np.ones(room.students, dtype=bool)
        rows = Representatives(room.gaps, room.rates, shares, own, float(room.rates.max()))
        return Simulation(rows, Objective.of(goal, rows, room.students))

    return made


@pytest.fixture
def make_limits() -> MakeLimits:
    """Return the limits of the students of a class; without a goal, none."""

    def made(
        room: Classroom, goal: AbstractGoal | None = None, within: float = 0.0
    ) -> StudentLimits:
        if goal is not None:
            return StudentLimits.at_start(room.gaps, room.rates, goal, within)
        any_distance = np.full(room.students, np.inf)
        return StudentLimits(room.gaps, room.rates, any_distance, within, np.inf)

    return made


@pytest.fixture
def replay() -> Replay:
    """Return every student's squared distance at the start and after each example, plainly."""

    def replayed(room: Classroom, xs: Floats) -> list[Floats]:
        gaps = np.array(room.gaps)
        along = [(gaps**2).sum(axis=1)]
        for x in xs:
            for student in range(room.students):
                gaps[student] -= room.rates[student] * (gaps[student] @ x) * x
            along.append((gaps**2).sum(axis=1))
        return along

    return replayed
