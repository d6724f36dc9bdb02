"""The theorems: which lessons each is about, and what it proves of them.

All but one have the same form: a round leaves at most ``r = 1 - a alpha_min / k`` of the class's
error, plus a little where there is noise. ``alpha_min`` is the smallest ``alpha`` of a student,
``k`` the number of directions in which the class may err, ``a`` the richness of the pool. The
constants are the corrected ones; the errata page of the documentation has the corrections.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom.advice.certificate import rounds_for
from homeroom.advice.richness import richness
from homeroom.classroom import Classroom
from homeroom.classroom.room import projection_is_idle
from homeroom.engines import can_be_straight, straight_lessons
from homeroom.goals import AbstractGoal, EveryoneGoal
from homeroom.learners import (
    AbstractLearner,
    GradientLearner,
    LangevinLearner,
    StochasticRateLearner,
)
from homeroom.lessons import Record, StoppedBecause
from homeroom.observers import (
    AbstractObserver,
    ExactObserver,
    NoisyMoments,
    NoisyStates,
    RateHistory,
)
from homeroom.teachers import AbstractTeacher, ClassroomTeacher, PoolTeacher

MOST_ROUNDS = 2**53
"""Beyond this, rounds cannot be counted any more."""


@dataclass(frozen=True)
class Strength:
    """How strongly students are moved: the weakest of them, and the mean of the strongest round.

    Both are for the rates that the teacher goes by. ``kept`` is the least part of ``alpha`` that
    true rates within the range leave. As each ``alpha_j`` keeps that part, so does ``u' W u``,
    whatever ``u`` was chosen.
    """

    weakest: float
    mean: float
    kept: float = 1.0


@dataclass(frozen=True, eq=False)
class Case:
    """A lesson to be certified: of one group, or of all students alone.

    Parameters
    ----------
    room
        Its students before the lesson.
    teacher, goal, observer, learner
        The lesson.
    record
        Its record, if it was held.
    alone
        Whether each student is taught alone.
    """

    room: Classroom
    teacher: AbstractTeacher
    goal: AbstractGoal
    observer: AbstractObserver
    learner: AbstractLearner
    record: Record | None = None
    alone: bool = False

    @property
    def is_straight(self) -> bool:
        """Whether each student is taught alone, and moves straight to the target."""
        return self.alone and can_be_straight(self.teacher, self.learner, self.observer)

    @cached_property
    def rates(self) -> Floats:
        """The rates that the teacher goes by."""
        return _arrays.small(self.room.rates)

    @cached_property
    def _squared_distances(self) -> Floats:
        return _arrays.small(self.room.squared_distances)

    @property
    def start(self) -> float:
        """The mean squared distance at the start."""
        return float(self._squared_distances.mean())

    @property
    def farthest(self) -> float:
        """The distance of the farthest student at the start."""
        return math.sqrt(float(self._squared_distances.max()))

    @property
    def enough(self) -> float:
        """The mean squared distance at which the goal is surely reached."""
        if isinstance(self.goal, EveryoneGoal):
            # |e_j|^2 <= N mean |e|^2: the mean at eps^2 / N puts everyone within eps (erratum 1).
            return self.goal.alone / self.room.students
        return self.goal.alone

    @property
    def within(self) -> float:
        """By which part the rates may be off."""
        if isinstance(self.teacher, ClassroomTeacher | PoolTeacher):
            return self.teacher.rates_within
        return 0.0

    @property
    def sigma(self) -> float:
        """The standard deviation of the students' rates."""
        return self.learner.sigma if isinstance(self.learner, StochasticRateLearner) else 0.0

    @property
    def most_directions(self) -> int:
        """The number of directions in which any class of this size may err."""
        return min(self.room.students, self.room.dimensions)

    @cached_property
    def directions(self) -> int:
        """The number of directions in which the class errs and will err.

        It is the rank of the gaps while examples are synthesised from them and no student reaches
        the ball's surface. Directions in which all students together are a billionth of the goal
        away do not count.
        """
        idle = math.isinf(self.room.state_radius) or (
            self.sigma == 0.0 and projection_is_idle(self.room)
        )
        if not idle:
            return self.most_directions
        triangle = np.linalg.qr(_arrays.small(self.room.gaps), mode="r")
        squares = np.linalg.svd(triangle, compute_uv=False)[::-1] ** 2
        negligible = np.cumsum(squares) <= 1e-9 * self.enough * self.room.students
        return max(1, min(self.most_directions, int(np.sum(~negligible))))

    @cached_property
    def each_alone(self) -> tuple[Ints, Floats]:
        """Each student's rounds alone, and the fraction of their distance that a round leaves."""
        enough = self.goal.alone
        alone = straight_lessons(self.room, enough, MOST_ROUNDS)
        if not self.within:
            return alone.rounds, alone.shrink
        reach = self.rates * alone.g
        ends = (np.abs(1.0 - f * reach) for f in (1.0 - self.within, 1.0 + self.within))
        shrink: Floats = np.maximum(*ends)
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.log(alone.distances / enough) / -np.log(shrink**2)
        needed = np.where(alone.distances <= enough, 0.0, np.maximum(np.ceil(needed), 1.0))
        return np.minimum(needed, MOST_ROUNDS).astype(np.int64), shrink

    @cached_property
    def strength(self) -> Strength | str:
        """How strongly students are moved at the least, or why that is not known."""
        record = None if self._known_before else self.record
        if record is not None and record.stopped_because is not StoppedBecause.GOAL:
            return "the lesson did not reach its goal, so what later rounds bring is unknown."
        lengths = self._lengths()
        if lengths is None:
            return (
                "before the lesson nothing limits its magnitudes well enough: hold it, then "
                "certify(..., record=record), or use magnitude='static'."
            )
        # alpha is concave in the rate and in g, so its least value is at the ends of both.
        ends = np.array([self.rates.min(), self.rates.max()])
        weakest = self._alpha(ends[:, None], lengths[None, :]).min(axis=0)
        if self.record is not None and isinstance(self.teacher, PoolTeacher):
            weakest = weakest * richness(self.room, self.record)
        if not weakest.min() > 0.0:
            if not self._known_before and self.record is None:
                return (
                    "with these rates a magnitude that is not static may move some student away: "
                    "hold the lesson, then certify(..., record=record)."
                )
            return "some student is moved away, or not at all, in some round (rate * |x|^2 >= 2)."
        # Its mean is greatest at first / second, or as near to that as the magnitudes come.
        first, second = self.rates.mean(), (self.rates**2).mean() + self.sigma**2
        tried = np.append(lengths, np.clip(first / second, lengths.min(), lengths.max()))
        mean = 2.0 * tried * first - tried**2 * second
        kept = self._kept(lengths)
        if not kept > 0.0:
            return "some rates within the range may move a student away (rate * |x|^2 >= 2)."
        return Strength(float(weakest.min()), float(mean.max()), kept)

    def _kept(self, lengths: Floats) -> float:
        """Return the least of ``alpha(f eta) / alpha(eta)`` for ``f`` within the range.

        ``alpha`` is concave in ``f``, so the least value is at an end of the range.
        """
        if not self.within:
            return 1.0
        rates, g = np.unique(self.rates)[:, None], lengths[None, :]
        ends = (self._alpha(f * rates, g) for f in (1.0 - self.within, 1.0 + self.within))
        return min(1.0, *(float((end / self._alpha(rates, g)).min()) for end in ends))

    def _alpha(self, rates: Floats, g: Floats) -> Floats:
        alpha: Floats = 2.0 * g * rates - g**2 * (rates**2 + self.sigma**2)
        return alpha

    @property
    def _known_before(self) -> bool:
        return isinstance(self.teacher, ClassroomTeacher) and self.teacher.magnitude == "static"

    def _lengths(self) -> Floats | None:
        """Return squared magnitudes that the lesson has or lies between, or ``None``."""
        ceiling = self.room.example_radius**2
        best = self.rates / (self.rates**2 + self.sigma**2)
        if self._known_before:
            return np.array([min(float(best.min()), ceiling)])
        chance = isinstance(self.learner, LangevinLearner | StochasticRateLearner)
        if self.record is not None and not chance and not self.within:
            xs = self.record.examples.xs
            lengths: Floats = (xs * xs).sum(axis=1)
            return lengths if len(xs) else None
        return None if isinstance(self.teacher, PoolTeacher) else self._between(best, ceiling)

    def _between(self, best: Floats, ceiling: float) -> Floats:
        """Return the least and the greatest magnitude that dynamic, joint or best can come to."""
        assert isinstance(self.teacher, ClassroomTeacher)
        if self.teacher.safe:
            ceiling = min(ceiling, 2.0 * float(best.min()) / (1.0 + self.within))
        between: Floats = np.minimum(np.array([best.min(), best.max()]), ceiling)
        return between


class AbstractTheorem(ABC):
    """A theorem: a number of rounds that is enough in lessons of one kind."""

    name: str
    """What a certificate calls it."""

    in_expectation = False
    """Whether it bounds the expected error."""

    @abstractmethod
    def concerns(self, case: Case) -> bool:
        """Return whether the lesson is of the kind that the theorem is about."""

    def missing(self, case: Case) -> str | None:
        """Return the assumption that the lesson does not meet; ``None`` if it meets all."""
        return case.strength if isinstance(case.strength, str) else None

    def directions(self, case: Case) -> int:
        """Return ``k``, the number of directions in which the class may err."""
        return case.most_directions

    def weakest(self, case: Case) -> float:
        """Return ``alpha_min``, which all students have at least, in every round."""
        strength = _known(case)
        return strength.kept * strength.weakest

    def rate(self, case: Case) -> float:
        """Return the largest fraction of the error that a round leaves."""
        return 1.0 - self.weakest(case) / self.directions(case)

    def floor(self, case: Case) -> float:
        """Return the error that noise may leave."""
        return 0.0

    def rounds(self, case: Case) -> int | None:
        """Return a number of rounds that is enough for the goal, if there is one."""
        return rounds_for(case.start, self.rate(case), self.floor(case), case.enough)

    def proves(self, case: Case) -> str:
        """Return the end of the sentence that states what is proved."""
        return (
            f"{self.name} with k = {self.directions(case)} and "
            f"alpha_min = {self.weakest(case):.3g}."
        )


def _known(case: Case) -> Strength:
    assert isinstance(case.strength, Strength)  # otherwise `missing` has said so
    return case.strength


class Alone(AbstractTheorem):
    """Each student alone moves straight to the target, so that a formula gives the rounds exactly.

    Where rates may be off, each example leaves at most ``|1 - f rate g|`` of a student's distance,
    for ``f = 1 - rates_within`` or ``1 + rates_within``.
    """

    name = "each student alone"

    def concerns(self, case: Case) -> bool:
        return case.is_straight

    def missing(self, case: Case) -> str | None:
        if case.each_alone[0].max() >= MOST_ROUNDS:
            return "some student learns so slowly that their rounds cannot be counted."
        return None

    def directions(self, case: Case) -> int:
        return 1

    def weakest(self, case: Case) -> float:
        return 1.0 - self.rate(case)

    def rate(self, case: Case) -> float:
        return float(case.each_alone[1].max() ** 2)

    def rounds(self, case: Case) -> int:
        return int(case.each_alone[0].sum(dtype=object))

    def proves(self, case: Case) -> str:
        exact = "this is what it takes"
        if case.within:
            exact = f"this is enough for rates within {case.within:g} of these"
        return f"each student alone walks straight to the target, so {exact}."


class Pools(AbstractTheorem):
    """The best example of a pool: ``alpha_min`` counts only with the pool's least richness."""

    name = "the theorem on pools"

    def concerns(self, case: Case) -> bool:
        return isinstance(case.teacher, PoolTeacher)

    def missing(self, case: Case) -> str | None:
        assert isinstance(case.teacher, PoolTeacher)
        plain = isinstance(case.learner, GradientLearner)
        if case.teacher.pool.labels is not None:
            return "the pool's items have labels of their own, which need not be the target's."
        if not (plain and isinstance(case.observer, ExactObserver)):
            return "with a pool there is a proof only for ExactObserver and GradientLearner."
        if case.within:
            return "how rich a pool is depends on the true rates, which rates_within leaves open."
        if case.record is None:
            return (
                "how rich the pool is for this class shows only in the lesson: "
                "hold it, then certify(..., record=record)."
            )
        return super().missing(case)


class RandomRates(AbstractTheorem):
    """Rates drawn in every round: the known weights ``2 g eta - g^2 (eta^2 + sigma^2)``."""

    name = "Theorem 3 (corrected)"
    in_expectation = True

    def concerns(self, case: Case) -> bool:
        return isinstance(case.learner, StochasticRateLearner)

    def missing(self, case: Case) -> str | None:
        assert isinstance(case.learner, StochasticRateLearner)
        observer = case.observer
        if case.learner.clip:
            return "clipped rates have another mean than the one the proof is about."
        if not (isinstance(observer, RateHistory) and observer.weights == "known"):
            return (
                "with random rates the proof needs weights from the known rates: "
                "RateHistory(sigma, weights='known') (erratum 5)."
            )
        if observer.sigma != case.sigma:
            return "the observer must know the learner's sigma."
        return super().missing(case)

    def directions(self, case: Case) -> int:
        return case.directions


class NoisyW(AbstractTheorem):
    """``W`` with an error of operator norm ``delta``: the floor ``2 k delta / alpha_min``."""

    name = "the theorem on noisy W (corrected)"

    def concerns(self, case: Case) -> bool:
        plain = isinstance(case.learner, GradientLearner)
        return plain and isinstance(case.observer, NoisyMoments)

    def floor(self, case: Case) -> float:
        return _left_by_noisy_w(case, self.directions(case))


def _left_by_noisy_w(case: Case, directions: int) -> float:
    if not isinstance(case.observer, NoisyMoments):
        return 0.0
    return 2.0 * directions * case.observer.delta / _known(case).weakest


class Drift(AbstractTheorem):
    """Langevin students: the floor ``2 k d eta_avg / (beta alpha_min)``, and that of a noisy W."""

    name = "the theorem on Langevin students"
    in_expectation = True

    def concerns(self, case: Case) -> bool:
        return isinstance(case.learner, LangevinLearner)

    def missing(self, case: Case) -> str | None:
        if not isinstance(case.observer, ExactObserver | NoisyMoments):
            return "Langevin students and this observer have no proof together."
        return super().missing(case)

    def floor(self, case: Case) -> float:
        assert isinstance(case.learner, LangevinLearner)
        k, fastest = self.directions(case), (1.0 + case.within) * float(case.rates.mean())
        heat = 2.0 * k * case.room.dimensions * fastest
        return _left_by_noisy_w(case, k) + heat / (case.learner.beta * self.weakest(case))


class NoisyGaps(AbstractTheorem):
    """States with errors of length ``delta``.

    The floor is ``2 delta (E_0 + k alpha_avg / alpha_min (E_0 + delta))``, where ``E_0`` is the
    distance of the farthest student at the start.
    """

    name = "Theorem 2 (corrected)"

    def concerns(self, case: Case) -> bool:
        plain = isinstance(case.learner, GradientLearner)
        return plain and isinstance(case.observer, NoisyStates)

    def missing(self, case: Case) -> str | None:
        assert isinstance(case.observer, NoisyStates)
        if case.observer.law != "sphere":
            return "a normal error has no greatest length, which the proof needs: law='sphere'."
        return super().missing(case)

    def floor(self, case: Case) -> float:
        assert isinstance(case.observer, NoisyStates)
        delta, far, strength = case.observer.delta, case.farthest, _known(case)
        spread = self.directions(case) * strength.mean / strength.weakest
        return 2.0 * delta * (far + spread * (far + delta))


class ExactObservations(AbstractTheorem):
    """The best example for a class that is observed exactly."""

    name = "Theorem 1"

    def concerns(self, case: Case) -> bool:
        plain = isinstance(case.learner, GradientLearner)
        return plain and isinstance(case.observer, ExactObserver)

    def directions(self, case: Case) -> int:
        return case.directions


THEOREMS: tuple[AbstractTheorem, ...] = (
    Alone(),
    Pools(),
    RandomRates(),
    Drift(),
    NoisyGaps(),
    NoisyW(),
    ExactObservations(),
)
"""All theorems. The first that is about a lesson is the one that certifies it."""
