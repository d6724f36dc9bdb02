"""Lessons with disturbances: rounds of four teachers."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from benchmarks.planned import SEEDS, a_class
from benchmarks.timing import Line, in_processes
from homeroom import (
    Classroom,
    ClassroomTeacher,
    Example,
    LangevinLearner,
    NoisyStates,
    Observation,
    PlannedTeacher,
)
from homeroom import teach as teach_class
from homeroom._arrays import Array, Floats
from homeroom.goals import AbstractGoal
from homeroom.learners import AbstractLearner, AbstractLoss, Squared, Step
from homeroom.teachers import AbstractTeacher
from homeroom.teachers.base import Report

DIVERSITIES = tuple(map(float, os.environ.get("DIVERSITIES", "0.15 0.5 0.9 4.9").split()))
MAX_ROUNDS = 3000


@dataclass(frozen=True, eq=False)
class NotAsThought(AbstractLearner):
    """Students who differ from the teacher's model: other rates, or disturbed examples.

    Parameters
    ----------
    target
        The target.
    rate_factors
        Their true rates, relative to those that the teacher assumes.
    slip
        The error of an example in a random direction, relative to its length.
    """

    target: Floats
    rate_factors: Floats
    slip: float = 0.0
    loss: AbstractLoss = Squared()

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        x, off = example.x, rng.standard_normal(len(example.x))
        shown = x + self.slip * np.linalg.norm(x) / np.linalg.norm(off) * off
        answers = (states - self.target) @ shown
        moves = rates * self.rate_factors * answers
        return Step(states - moves[:, None] * shown, rates)


@dataclass(frozen=True, eq=False)
class WithFirstPlan(AbstractTeacher):
    """A planner whose first plan for a class is made once, however many lessons begin with it."""

    planner: PlannedTeacher
    first: dict[bytes, Any] = field(default_factory=dict)

    def prepare(self, room: Classroom, loss: AbstractLoss) -> WithFirstPlan:
        return replace(self, planner=self.planner.prepare(room, loss))

    def begin(
        self,
        learner: AbstractLearner,
        goal: AbstractGoal,
        max_rounds: int,
        report: Report = lambda _share, _rounds: None,
    ) -> Any:
        return self.planner.begin(learner, goal, max_rounds, report)

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        return self.planner.choose(seen, rng)

    def next(
        self, seen: Observation, memory: Any, rng: np.random.Generator
    ) -> tuple[Example | None, Any]:
        if memory.progress is not None:
            return self.planner.next(seen, memory, rng)
        key = seen.gaps.tobytes()
        if key not in self.first:
            self.first[key] = self.planner.next(seen, memory, rng)
        found: tuple[Example | None, Any] = self.first[key]
        return found

    def describe_plan(self, memory: Any) -> dict[str, Any] | None:
        return self.planner.describe_plan(memory)


def teachers() -> dict[str, AbstractTeacher]:
    """Return the teachers."""
    return {
        "planned": WithFirstPlan(PlannedTeacher()),
        "planned, safe": WithFirstPlan(PlannedTeacher(safe=True)),
        "static": ClassroomTeacher(),
        "dynamic": ClassroomTeacher("dynamic"),
    }


def disturbances(room: Classroom, seed: int, diversity: float) -> dict[str, dict[str, Any]]:
    """Return the disturbances by name, as settings of a lesson."""
    rng = np.random.default_rng(seed)
    distance = float(np.sqrt(room.squared_distances.mean()))
    right = np.ones(room.students)
    wrong = 1.0 + 0.1 * rng.standard_normal(room.students)
    beta = 1e4 if diversity < 1 else 1e5
    return {
        "nothing": {},
        "states off by 1 %": {"observer": NoisyStates(0.01 * distance)},
        "states off by 3 %": {"observer": NoisyStates(0.03 * distance)},
        "examples off by 1 %": {"learner": NotAsThought(room.target, right, 0.01)},
        "examples off by 3 %": {"learner": NotAsThought(room.target, right, 0.03)},
        "rates off by 10 %": {"learner": NotAsThought(room.target, wrong)},
        "states seen through noise, 0.5": {"observer": NoisyStates(0.5)},
        f"Langevin, beta {beta:.0e}": {"learner": LangevinLearner(beta)},
    }


def rounds(
    room: Classroom, of_all: dict[str, AbstractTeacher], seed: int, **settings: Any
) -> dict[str, int]:
    """Return how many rounds each teacher needs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: teach_class(
                room, teacher=teacher, max_rounds=MAX_ROUNDS, seed=seed, **settings
            ).rounds
            for name, teacher in of_all.items()
        }


def of_class(diversity: float, seed: int) -> dict[str, dict[str, int]]:
    """Return how many rounds each teacher needs in one class, per disturbance."""
    room, of_all = a_class(seed, diversity), teachers()
    return {
        what: rounds(room, of_all, seed, **settings)
        for what, settings in disturbances(room, seed, diversity).items()
    }


def lines() -> Iterator[Line]:
    """Measure: medians over the classes; the planned teacher must not need more than dynamic."""
    jobs = [(diversity, seed) for diversity in DIVERSITIES for seed in SEEDS]
    found = dict(zip(jobs, in_processes(of_class, *zip(*jobs, strict=True)), strict=True))
    for diversity in DIVERSITIES:
        of_all = [found[diversity, seed] for seed in SEEDS]
        for what in of_all[0]:
            medians = {
                name: float(np.median([of_one[what][name] for of_one in of_all]))
                for name in of_all[0][what]
            }
            for name in ("planned", "planned, safe", "static"):
                yield Line(
                    f"diversity {diversity:g}, {what}: {name}",
                    medians[name],
                    "dynamic",
                    medians["dynamic"],
                    1.0 if name == "planned" else None,
                    unit="",
                )
