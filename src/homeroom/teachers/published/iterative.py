"""Iterative machine teaching: the omniscient, the surrogate and the imitation teacher.

W. Liu, B. Dai, A. Humayun, C. Tay, C. Yu, L. B. Smith, J. M. Rehg, L. Song: *Iterative Machine
Teaching*, ICML 2017, sections 4 and 5. A gradient step moves a student by

    |w - eta s x - w*|^2 - |w - w*|^2 = eta^2 |s x|^2 - 2 eta <w - w*, s x>

with ``s`` the slope of the loss. The *omniscient* teacher minimises this. The *surrogate* teacher
does not know ``w``, only the loss, and minimises an upper bound: the loss is convex, so
``<w - w*, s x> >= loss(w) - loss(w*)``. The *imitation* teacher knows only the answers of the
student, and teaches a copy of its own that it corrects by each answer.

Here each expression is the mean over the students of a class. Checks: on the squared loss the
omniscient example is that of ``ClassroomTeacher("best")``; the surrogate example is the same where
all items have one length; an imitation that starts at the students' states stays there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from homeroom import _arrays, _checks
from homeroom._arrays import Floats
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss, GradientLearner
from homeroom.moments import Observation
from homeroom.pools import AbstractPool, Ball
from homeroom.teachers.base import AbstractPlanner, AbstractTeacher, GreedyRule, Task
from homeroom.teachers.baselines import RandomTeacher
from homeroom.teachers.classroom import choose_by_moments
from homeroom.teachers.pool import PoolTeacher, fitted_pool
from homeroom.teachers.published.listing import Listed, examples_of, scores_of

NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
"""Points and weights of the integral of a slope, which is a difference of losses."""


@dataclass(frozen=True)
class OmniscientTeacher(AbstractTeacher):
    """Shows the example after which the class is closest to the target.

    Parameters
    ----------
    pool
        Where examples come from; any vector unless given.
    """

    pool: AbstractPool = field(default_factory=Ball)

    @property
    def assumes(self) -> str:
        return "gradient"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"states" if self.own_labels else "moments"})

    @property
    def own_labels(self) -> bool:
        return self.pool.labels is not None

    @property
    def greedy(self) -> GreedyRule | None:
        return None if self.own_labels else GreedyRule(self.pool, "best")

    def prepare(self, room: Classroom, loss: AbstractLoss) -> OmniscientTeacher:
        return replace(self, pool=fitted_pool(self.pool, room, loss))

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        return PoolTeacher(self.pool, "best").choose(seen, rng)


@dataclass(frozen=True)
class SurrogateTeacher(AbstractTeacher):
    """Shows the example that is best by a bound which needs only the students' losses.

    Parameters
    ----------
    pool
        Where examples come from; any vector unless given.
    """

    pool: AbstractPool = field(default_factory=Ball)

    @property
    def assumes(self) -> str:
        return "gradient"

    @property
    def own_labels(self) -> bool:
        return self.pool.labels is not None

    def prepare(self, room: Classroom, loss: AbstractLoss) -> SurrogateTeacher:
        return replace(self, pool=fitted_pool(self.pool, room, loss))

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        if seen.loss.is_quadratic and not self.own_labels:
            # Half of s^2 instead of s^2: as if the squares of the rates were twice as large.
            doubled = seen.seen_with(
                squared_rates=2.0 * seen.rates * seen.rates, gentle=0.5 * seen.gentle_g
            )
            return choose_by_moments(doubled, self.pool, "best", safe=False)
        listed = examples_of(self.pool, seen)
        bounds = surrogate_bounds(seen, listed)
        best = int(bounds.argmin())
        return listed.example(seen, best) if bounds[best] < 0.0 else None


def surrogate_bounds(seen: Observation, listed: Listed) -> Floats:
    """Return ``mean_j eta_j^2 |s_j x|^2 - 2 eta_j (loss_j - loss*)`` for each example.

    Cost: O(students * examples * (dimensions + outputs)).
    """
    outputs, labels = seen.loss.outputs, listed.labels
    scores = scores_of(_arrays.to_host(seen.states), listed.xs, outputs)
    right = scores_of(seen.target[None, :], listed.xs, outputs)
    # The loss is the integral of its slope along the line from the right scores to the scores.
    losses, away = np.zeros(scores.shape[:2]), scores - right
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        slopes = seen.loss.slopes(right + 0.5 * (1.0 + node) * away, labels)
        losses += 0.5 * weight * _dot(slopes, away, outputs)
    slopes = seen.loss.slopes(scores, labels)
    rates = _arrays.to_host(seen.rates)[:, None]
    lengths = (listed.xs * listed.xs).sum(axis=1)
    bounds: Floats = (
        rates * (rates * lengths * _dot(slopes, slopes, outputs) - 2.0 * losses)
    ).mean(axis=0)
    return bounds


def _dot(one: Floats, other: Floats, outputs: int) -> Floats:
    return one * other if outputs == 1 else np.vecdot(one, other)


@dataclass(frozen=True)
class ImitationTeacher(AbstractTeacher, AbstractPlanner):
    """Teaches a copy of each student, which it corrects by the student's answer to each example.

    The copy ``v`` starts at random, about as long as the target. After the example ``x`` it is
    moved so that its answer is the student's, ``v <- v + <w - v, x> x / |x|^2``, and then takes the
    gradient step of the student.

    Parameters
    ----------
    pool
        Where examples come from; any vector unless given.
    knows_start
        Whether the copies start at the students' own states.
    """

    pool: AbstractPool = field(default_factory=Ball)
    knows_start: bool = False

    def __post_init__(self) -> None:
        _checks.yes_or_no(self.knows_start, "knows_start")

    @property
    def assumes(self) -> str:
        return "gradient"

    @property
    def own_labels(self) -> bool:
        return self.pool.labels is not None

    def prepare(self, room: Classroom, loss: AbstractLoss) -> ImitationTeacher:
        return replace(self, pool=fitted_pool(self.pool, room, loss))

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        return self._best_for(self._start(seen, rng), seen, rng)

    def follow(
        self, course: Floats | None, seen: Observation, task: Task, rng: np.random.Generator
    ) -> tuple[Example | None, Floats]:
        copies = self._start(seen, rng) if course is None else course
        example = self._best_for(copies, seen, rng)
        return example, _after(copies, seen, example)

    def describe(self, course: Floats) -> dict[str, Any]:
        return {"copies": len(course)}

    def _start(self, seen: Observation, rng: np.random.Generator) -> Floats:
        states = _arrays.to_host(seen.states)
        if self.knows_start:
            return states
        length = float(np.sqrt(seen.target @ seen.target / len(seen.target))) or 1.0
        return length * rng.standard_normal(states.shape)

    def _best_for(self, copies: Floats, seen: Observation, rng: np.random.Generator) -> Example:
        """Return the best example for the copies, or any if they have nothing left to learn."""
        imagined = seen.seen_with(gaps=_arrays.like(copies - seen.target, seen.gaps))
        best = PoolTeacher(self.pool, "best").choose(imagined, rng)
        return RandomTeacher(self.pool).choose(seen, rng) if best is None else best


def _after(copies: Floats, seen: Observation, example: Example) -> Floats:
    """Return the copies once they have answered as the students do, and taken their step."""
    x, outputs = example.x, seen.loss.outputs
    wrong = (_arrays.to_host(seen.states) - copies).reshape(len(copies), outputs, -1) @ x
    moves = wrong[:, :, None] * (x / float(x @ x))
    corrected = copies + moves.reshape(copies.shape)
    step = GradientLearner(seen.loss).step(
        corrected,
        _arrays.to_host(seen.rates),
        x,
        np.asarray(example.y),
        state_radius=seen.state_radius,
        rng=np.random.default_rng(0),
    )
    return np.asarray(step.states)
