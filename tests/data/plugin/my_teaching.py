"""A package of another author: a teacher, a learner with memory, an observer, a goal and a pool."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom import Classroom, Example, Observation
from homeroom.classroom import project
from homeroom.goals import AbstractGoal, ClassProgress
from homeroom.learners import AbstractLearner, AbstractLoss, Squared, Step
from homeroom.observers import AbstractObserver, ObservationNoise, Outcome
from homeroom.pools import AbstractPool, Ball, Candidates, DirectionPool, Pick, SeesMoments
from homeroom.teachers import AbstractTeacher, GreedyRule


@dataclass(frozen=True)
class Steepest(AbstractTeacher):
    """The best direction, at the best length for the fastest student."""

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"moments"})

    @property
    def greedy(self) -> GreedyRule | None:
        return GreedyRule(Ball(), "static")

    def prepare(self, room: Classroom, loss: AbstractLoss) -> Steepest:
        return self

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        values, vectors = np.linalg.eigh(seen.moments.weigh(seen.gentle_g))
        return seen.example(math.sqrt(seen.gentle_g) * vectors[:, -1]) if values[-1] > 0 else None


@dataclass(frozen=True)
class Rolling(AbstractLearner):
    """Students with momentum: their memory is a velocity."""

    friction: float = 0.8
    loss: AbstractLoss = Squared()

    @property
    def shrinks_gaps(self) -> bool:
        return False

    @property
    def independent(self) -> bool:
        return True

    def begin(self, room: Classroom) -> Any:
        return 0.0 * room.states

    def step(
        self,
        states: Any,
        rates: Any,
        x: Any,
        y: Any,
        *,
        state_radius: float,
        rng: np.random.Generator,
        memory: Any = None,
    ) -> Step:
        scores = states @ x if x.ndim == 1 else (states * x).sum(axis=1)
        slopes = self.loss.slopes(scores, y)
        velocity = (1.0 - self.friction) * memory - (rates * slopes)[:, None] * x
        return Step(project(states + velocity, state_radius), rates, velocity)


@dataclass(frozen=True)
class Rounded(AbstractObserver):
    """States are observed with a few digits; the memory counts the rounds."""

    step: float = 1e-6

    @property
    def provides(self) -> frozenset[str]:
        return frozenset({"states"})

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
class Both(AbstractGoal):
    """The class is close on average, and no student is far away."""

    eps: float = 0.1
    far: float = 1.0

    def reached(self, progress: ClassProgress) -> bool:
        return progress.mean_squared <= self.eps and progress.farthest <= self.far

    @property
    def alone(self) -> float:
        return min(self.eps, self.far**2)

    def enough_mean(self, students: int) -> float | None:
        return min(self.eps, self.far**2 / students)

    def score(self, squared_distances: Any) -> float | None:
        mean, most = squared_distances.mean() / self.eps, squared_distances.max() / self.far**2
        return self.alone * float(max(mean, most))


@dataclass(frozen=True, eq=False)
class Compass(AbstractPool):
    """The directions of the coordinate axes and of the diagonals between them."""

    size: int = 3

    @property
    def rescalable(self) -> bool:
        return True

    @property
    def labels(self) -> None:
        return None

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
