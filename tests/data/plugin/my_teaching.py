"""A package of another author: a teacher, a learner with memory, an observer, a goal and a pool."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom import Classroom, Example, Observation
from homeroom.goals import DistanceGoal
from homeroom.learners import AbstractLearner, AbstractLoss, Squared, Step
from homeroom.observers import AbstractObserver, ObservationNoise, Outcome
from homeroom.pools import AbstractPool, Ball, Candidates, DirectionPool, Pick, SeesMoments
from homeroom.teachers import AbstractTeacher, GreedyRule


@dataclass(frozen=True)
class Steepest(AbstractTeacher):
    """The best direction, at the best length for the fastest student."""

    needs_students = False

    @property
    def rule(self) -> GreedyRule | None:
        return GreedyRule(Ball(), "static")

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        values, vectors = np.linalg.eigh(seen.moments.weigh(seen.gentle_g))
        return seen.example(math.sqrt(seen.gentle_g) * vectors[:, -1]) if values[-1] > 0 else None


@dataclass(frozen=True)
class Rolling(AbstractLearner):
    """Students with momentum: their memory is a velocity."""

    friction: float = 0.8
    loss: AbstractLoss = Squared()

    def begin(self, room: Classroom) -> Any:
        return 0.0 * room.states

    def step(
        self, states: Any, rates: Any, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        moves = rates[:, None] * self.gradients(states, example)
        velocity = (1.0 - self.friction) * memory - moves
        return Step(states + velocity, rates, velocity)


@dataclass(frozen=True)
class Rounded(AbstractObserver):
    """States are observed with a few digits; the memory counts the rounds."""

    step: float = 1e-6

    @property
    def error_bounds(self) -> ObservationNoise | None:
        return ObservationNoise(states=self.step)

    def begin(self, room: Classroom) -> Any:
        return 0

    def observe(self, truth: Observation, memory: Any, rng: np.random.Generator) -> Observation:
        cell = self.step / math.sqrt(truth.gaps.shape[1])
        return truth.seen_with(gaps=np.round(truth.gaps / cell) * cell)

    def remember(self, memory: Any, outcome: Outcome) -> Any:
        return memory + 1


@dataclass(frozen=True)
class Even(DistanceGoal):
    """The root of the mean fourth power of the distances, to which students far away add most."""

    eps: float = 0.1
    power = 2.0

    @property
    def limit(self) -> float:
        return self.eps


@dataclass(frozen=True, eq=False)
class Compass(AbstractPool):
    """The directions of the coordinate axes and of the diagonals between them."""

    size: int = 3

    rescalable = True

    @property
    def directions(self) -> Any:  # type: ignore[override]  # a property declares it as well
        axes = np.eye(self.size)
        pairs = [
            axes[i] + sign * axes[j] for i in range(self.size) for j in range(i) for sign in (-1, 1)
        ]
        return DirectionPool(np.vstack([axes, *pairs])).directions

    @property
    def _listed(self) -> DirectionPool:
        return DirectionPool(self.directions)

    def best(self, moments: SeesMoments, g: float) -> Pick:
        return self._listed.best(moments, g)

    def candidates(self, radius: float) -> Candidates | None:
        return self._listed.candidates(radius)

    def draw(self, count: int, dimensions: int, rng: np.random.Generator) -> Candidates:
        return self._listed.draw(count, dimensions, rng)

    def fit(self, dimensions: int, radius: float) -> AbstractPool:
        return self

    def untaught(self, dimensions: int) -> Any:
        return np.empty((dimensions, 0))
