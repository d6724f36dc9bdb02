"""The theorems: to which lessons each applies, and what it proves.

All but one have the same form: after a round, at most ``r = 1 - a alpha_min / k`` of the class's
error remains, plus a little if there is noise. Noise leaves an error that no number of rounds
removes, the *floor*. ``alpha = 2 g eta - g^2 eta^2`` is the fraction of a student's squared
distance that an example along their gap (state minus target) removes, for the rate ``eta`` and the
squared length ``g`` of the example. ``alpha_min`` is the smallest ``alpha`` of a student, ``k`` the
number of directions in which the class may err, ``a`` the richness of the pool: the least effect of
its examples, relative to the best possible ones. An example along the unit direction ``u`` lowers
the class's error by ``u' W u`` with ``W = mean(alpha_j e_j e_j')`` over the students' gaps ``e_j``.
The constants are the corrected ones; the errata page of the documentation has the corrections.
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
from homeroom.advice.richness import shares
from homeroom.classroom import Classroom
from homeroom.classroom.room import stays_in_ball
from homeroom.engines import has_closed_form, straight_lessons
from homeroom.goals import AbstractGoal, ClassProgress, DistanceGoal
from homeroom.learners import SILENCE, AbstractLearner, Noise
from homeroom.lessons import Record, StoppedBecause
from homeroom.observers import NOISELESS, AbstractObserver, ObservationNoise
from homeroom.teachers import AbstractTeacher, GreedyRule

COUNTABLE_ROUNDS = 2**53
"""Larger numbers of rounds are not counted."""


@dataclass(frozen=True)
class Strength:
    """How strongly examples move students, in terms of ``alpha``.

    ``weakest`` is the smallest ``alpha`` of a student in any round, times the richness of a pool.
    ``mean`` is the mean over the students in the strongest round. Both are computed from the rates
    that the teacher uses, which may differ from the true ones by ``rates_within``. ``kept`` is the
    smallest fraction of ``alpha`` that remains for true rates within that range. As this holds for
    each ``alpha_j``, it holds for ``u' W u`` with any ``u``.
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
        Its record, if the lesson was taught.
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
        straight = has_closed_form(self.teacher, self.learner, self.observer, self.room)
        return self.alone and isinstance(self.goal, DistanceGoal) and straight

    @cached_property
    def rates(self) -> Floats:
        """The rates that the teacher uses."""
        return _arrays.to_host(self.room.rates)

    @cached_property
    def _squared_distances(self) -> Floats:
        """Each student's squared distance at the start, shape ``(students,)``."""
        return _arrays.to_host(self.room.squared_distances)

    @property
    def start(self) -> float:
        """The mean squared distance at the start."""
        return float(self._squared_distances.mean())

    @property
    def farthest(self) -> float:
        """The distance of the farthest student at the start."""
        return math.sqrt(float(self._squared_distances.max()))

    @property
    def progress(self) -> ClassProgress:
        """How far the class is at the start."""
        room, outputs = self.room, max(self.room.outputs, self.learner.loss.outputs)
        target = _arrays.to_host(room.target)
        return ClassProgress(self.start, self.farthest, lambda: room.states, target, outputs)

    @property
    def rule(self) -> GreedyRule:
        """How the teacher chooses the best example."""
        assert self.teacher.rule is not None  # certify() refuses other teachers
        return self.teacher.rule

    @property
    def learning(self) -> Noise:
        """What randomness adds to the students' steps."""
        assert self.learner.noise is not None  # certify() refuses other learners
        return self.learner.noise

    @property
    def observed(self) -> ObservationNoise | None:
        """Bounds on the error of what the teacher observes."""
        return self.observer.error_bounds

    @property
    def enough(self) -> float:
        """The mean squared distance at which the goal is surely reached."""
        return self.distance_goal.enough_mean(self.room.students)

    @property
    def distance_goal(self) -> DistanceGoal:
        """The goal on distances; ``certify`` refuses any other."""
        assert isinstance(self.goal, DistanceGoal)
        return self.goal

    @property
    def within(self) -> float:
        """The relative error that the teacher's rates may have (``rates_within``)."""
        return self.rule.rates_within

    @property
    def variance(self) -> float:
        """The variance of the students' rates, the same for all."""
        return self.learning.rate_variance

    @property
    def most_directions(self) -> int:
        """The number of directions in which any class of this size may err."""
        return min(self.room.students * self.room.outputs, self.room.dimensions)

    @cached_property
    def directions(self) -> int:
        """The number of directions in which the class errs and will err.

        It is the rank of the gaps while examples are synthesised from them and no student reaches
        the ball's surface. Directions in which all students together are a billionth of the goal
        away do not count.
        """
        idle = math.isinf(self.room.state_radius) or (
            self.variance == 0.0 and stays_in_ball(self.room)
        )
        if not idle:
            return self.most_directions
        gaps = _arrays.split_rows(_arrays.to_host(self.room.gaps), self.room.dimensions)
        triangle = np.linalg.qr(gaps, mode="r")
        squares = np.linalg.svd(triangle, compute_uv=False)[::-1] ** 2
        negligible = np.cumsum(squares) <= 1e-9 * self.enough * self.room.students
        return max(1, min(self.most_directions, int(np.sum(~negligible))))

    @cached_property
    def each_alone(self) -> tuple[Ints, Floats]:
        """Each student's rounds alone, and the fraction of distance that remains after a round.

        Both have shape ``(students,)``, and hold for all rates within the range.
        """
        enough = self.distance_goal.limit
        alone = straight_lessons(self.room, enough, COUNTABLE_ROUNDS)
        if not self.within:
            return alone.rounds, alone.shrink
        reach = self.rates * alone.g
        ends = (np.abs(1.0 - f * reach) for f in (1.0 - self.within, 1.0 + self.within))
        shrink: Floats = np.maximum(*ends)
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.log(alone.distances / enough) / -np.log(shrink**2)
        needed = np.where(alone.distances <= enough, 0.0, np.maximum(np.ceil(needed), 1.0))
        return np.minimum(needed, COUNTABLE_ROUNDS).astype(np.int64), shrink

    @cached_property
    def strength(self) -> Strength | str:
        """A lower bound on how strongly students are moved, or why none is known."""
        record = None if self._known_before else self.record
        if record is not None and record.stopped_because is not StoppedBecause.GOAL:
            return "the lesson did not reach its goal, so what later rounds bring is unknown."
        lengths = self._lengths()
        if lengths is None:
            return (
                "before the lesson nothing limits its magnitudes well enough: teach it, then "
                "certify(..., record=record), or use magnitude='static'."
            )
        # alpha is concave in the rate and in g, so its least value is at the ends of both.
        ends = np.array([self.rates.min(), self.rates.max()])
        weakest = self._alpha(ends[:, None], lengths[None, :]).min(axis=0)
        if self.record is not None and not self.rule.pool.synthesises:
            weakest = weakest * shares(self.room, self.record)
        if not weakest.min() > 0.0:
            if not self._known_before and self.record is None:
                return (
                    "with these rates a magnitude that is not static may move some student away: "
                    "teach the lesson, then certify(..., record=record)."
                )
            return "some student is moved away, or not at all, in some round (rate * |x|^2 >= 2)."
        # The mean of alpha is greatest at g = first / second, or as near to that as lengths come.
        first, second = self.rates.mean(), (self.rates**2).mean() + self.variance
        tried = np.append(lengths, np.clip(first / second, lengths.min(), lengths.max()))
        mean = self.learning.attention * (2.0 * tried * first - tried**2 * second)
        kept = self._least_kept(lengths)
        if not kept > 0.0:
            return "some rates within the range may move a student away (rate * |x|^2 >= 2)."
        return Strength(float(weakest.min()), float(mean.max()), kept)

    def _least_kept(self, lengths: Floats) -> float:
        """Return the least of ``alpha(f eta) / alpha(eta)`` for ``f`` in ``1 +- rates_within``.

        ``lengths`` are the squared lengths of examples. ``alpha`` is concave in ``f``, so the least
        value is at an end of the range.
        """
        if not self.within:
            return 1.0
        rates, g = np.unique(self.rates)[:, None], lengths[None, :]
        ends = (self._alpha(f * rates, g) for f in (1.0 - self.within, 1.0 + self.within))
        return min(1.0, *(float((end / self._alpha(rates, g)).min()) for end in ends))

    def _alpha(self, rates: Floats, g: Floats) -> Floats:
        """Return ``alpha`` in expectation, for rates and squared lengths of examples."""
        alpha: Floats = 2.0 * g * rates - g**2 * (rates**2 + self.variance)
        return self.learning.attention * alpha

    @property
    def _known_before(self) -> bool:
        """Whether the lengths of all examples are known before the lesson."""
        return self.rule.pool.synthesises and self.rule.magnitude == "static"

    def _lengths(self) -> Floats | None:
        """Return the squared magnitudes of the examples, or bounds on them, or ``None``."""
        ceiling = self.room.example_radius**2
        best = self.rates / (self.rates**2 + self.variance)
        if self._known_before:
            return np.array([min(float(best.min()), ceiling)])
        if self.record is not None and self.learning == SILENCE and not self.within:
            xs = self.record.examples.xs
            lengths: Floats = (xs * xs).sum(axis=1)
            return lengths if len(xs) else None
        return self._between(best, ceiling) if self.rule.pool.synthesises else None

    def _between(self, best: Floats, ceiling: float) -> Floats:
        """Return the least and the greatest squared magnitude of the rules other than static.

        ``best`` has each student's own best squared magnitude, ``ceiling`` is the greatest allowed.
        """
        if self.rule.safe:
            ceiling = min(ceiling, 2.0 * float(best.min()) / (1.0 + self.within))
        between: Floats = np.minimum(np.array([best.min(), best.max()]), ceiling)
        return between


def no_proof_of(case: Case, learner: str) -> str:
    """Return why no theorem applies to a learner with an observer, and what one would need.

    Parameters
    ----------
    case
        The lesson.
    learner
        What the sentence calls the learner.
    """
    return f"{learner} and this observer have no proof together: {_describe_declarations(case)}."


def _describe_declarations(case: Case) -> str:
    """Return what learner and observer declare, and what the proofs are about."""
    seen = type(case.observer).__name__
    if case.observed is None:
        return (
            f"{seen} declares no `error_bounds`. If the error of what it observes is limited, "
            "let `error_bounds` return an ObservationNoise(...)"
        )
    return (
        f"the `noise` of {type(case.learner).__name__} is {case.learning}, and the "
        f"`error_bounds` of {seen} are {case.observed}. Random steps need `error_bounds` = "
        "NOISELESS, and noisy observations `noise` = SILENCE"
    )


class AbstractTheorem(ABC):
    """A theorem: a number of rounds that is enough in lessons of one kind."""

    name: str
    """What a certificate calls it."""

    in_expectation = False
    """Whether it bounds the expected error."""

    @abstractmethod
    def concerns(self, case: Case) -> bool:
        """Return whether the theorem is about lessons of this kind."""

    def missing(self, case: Case) -> str | None:
        """Return the assumption that the lesson does not meet; ``None`` if it meets all."""
        return case.strength if isinstance(case.strength, str) else None

    def directions(self, case: Case) -> int:
        """Return ``k``, the number of directions in which the class may err."""
        return case.most_directions

    def weakest(self, case: Case) -> float:
        """Return ``alpha_min``, a lower bound for all students in every round."""
        strength = _require_strength(case)
        return strength.kept * strength.weakest

    def rate(self, case: Case) -> float:
        """Return the largest fraction of the error that may remain after a round."""
        return 1.0 - self.weakest(case) / self.directions(case)

    def floor(self, case: Case) -> float:
        """Return the error that may remain because of noise."""
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


def _require_strength(case: Case) -> Strength:
    """Return the strength of a case for which it is known."""
    assert isinstance(case.strength, Strength)  # otherwise `missing` has said so
    return case.strength


class Alone(AbstractTheorem):
    """Each student alone moves straight to the target, so a formula gives the rounds exactly.

    With several outputs, examples along the largest singular value of a student's gap are counted.
    If rates may be off, at most ``|1 - f rate g|`` of a student's distance remains after each
    example, for ``f = 1 - rates_within`` or ``1 + rates_within``.
    """

    name = "each student alone"

    def concerns(self, case: Case) -> bool:
        return case.is_straight

    def missing(self, case: Case) -> str | None:
        if case.each_alone[0].max() >= COUNTABLE_ROUNDS:
            return "some student learns so slowly that their rounds cannot be counted."
        return None

    def directions(self, case: Case) -> int:
        return min(case.room.outputs, case.room.dimensions)

    def weakest(self, case: Case) -> float:
        return 1.0 - float(case.each_alone[1].max() ** 2)

    def rounds(self, case: Case) -> int:
        return int(case.each_alone[0].sum(dtype=object))

    def proves(self, case: Case) -> str:
        exact = "this is what it takes"
        if case.within:
            exact = f"this is enough for rates within {case.within:g} of these"
        if case.room.outputs > 1:
            return f"each student alone learns one direction after the other, so {exact}."
        return f"each student alone walks straight to the target, so {exact}."


class Pools(AbstractTheorem):
    """The best example of a pool: ``alpha_min`` counts only with the pool's least richness."""

    name = "the theorem on pools"

    def concerns(self, case: Case) -> bool:
        return not case.rule.pool.synthesises

    def missing(self, case: Case) -> str | None:
        if not (case.learning == SILENCE and case.observed == NOISELESS):
            return (
                "with a pool there is a proof only for ExactObserver and GradientLearner, or for "
                "others with `error_bounds` = NOISELESS and `noise` = SILENCE, but "
                f"{_describe_declarations(case)}."
            )
        if case.within:
            return "how rich a pool is depends on the true rates, which rates_within leaves open."
        if case.record is None:
            return (
                "how rich the pool is for this class shows only in the lesson: "
                "teach it, then certify(..., record=record)."
            )
        return super().missing(case)


class RandomRates(AbstractTheorem):
    """Rates drawn in every round: the known weights ``2 g eta - g^2 (eta^2 + sigma^2)``."""

    name = "Theorem 3 (corrected)"
    in_expectation = True

    def concerns(self, case: Case) -> bool:
        return case.learning == Noise(rate_variance=case.variance) and case.variance > 0.0

    def missing(self, case: Case) -> str | None:
        seen = case.observed
        if seen is None or not seen.rate_deviation:
            return (
                "with random rates the proof needs weights from the known rates: "
                "RateHistory(sigma, weights='known') (erratum 5), or an observer whose "
                "`error_bounds` return an ObservationNoise(rate_deviation=sigma), but those of "
                f"{type(case.observer).__name__} are {seen}."
            )
        if not math.isclose(seen.rate_deviation**2, case.variance, rel_tol=1e-12):
            return "the observer must know the learner's sigma."
        if seen != ObservationNoise(rate_deviation=seen.rate_deviation):
            return "with random rates there is no proof for noisy observations."
        return super().missing(case)

    def directions(self, case: Case) -> int:
        return case.directions


class Inattention(AbstractTheorem):
    """Students who take a step only sometimes: ``alpha`` times the chance that they do."""

    name = "Theorem 1 for students who do not always attend"
    in_expectation = True

    def concerns(self, case: Case) -> bool:
        chance = case.learning.attention
        return case.learning == Noise(attention=chance) and chance < 1.0

    def missing(self, case: Case) -> str | None:
        if case.observed != NOISELESS:
            return no_proof_of(case, "inattentive students")
        return super().missing(case)

    def directions(self, case: Case) -> int:
        return case.directions


class NoisyW(AbstractTheorem):
    """``W`` with an error of operator norm ``delta``: the floor ``2 k delta / alpha_min``."""

    name = "the theorem on noisy W (corrected)"

    def concerns(self, case: Case) -> bool:
        seen = case.observed
        return (
            case.learning == SILENCE
            and seen is not None
            and seen.moments > 0.0
            and seen == ObservationNoise(moments=seen.moments)
        )

    def floor(self, case: Case) -> float:
        return _bound_noise_of_w(case, self.directions(case))


def _bound_noise_of_w(case: Case, directions: int) -> float:
    """Return the floor ``2 k delta / alpha_min`` for errors of ``W`` of operator norm ``delta``."""
    delta = 0.0 if case.observed is None else case.observed.moments
    return 2.0 * directions * delta / _require_strength(case).weakest


class Drift(AbstractTheorem):
    """Langevin students: the floor ``2 k d eta_avg / (beta alpha_min)``, and that of a noisy W.

    Such students drift at random in every round, with the inverse temperature ``beta``. ``d`` is
    the number of coordinates of a state that drift: the dimensions of all outputs.
    """

    name = "the theorem on Langevin students"
    in_expectation = True

    def concerns(self, case: Case) -> bool:
        return case.learning == Noise(heat=case.learning.heat) and case.learning.heat > 0.0

    def missing(self, case: Case) -> str | None:
        seen = case.observed
        if seen is None or seen != ObservationNoise(moments=seen.moments):
            return no_proof_of(case, "Langevin students")
        return super().missing(case)

    def floor(self, case: Case) -> float:
        k, fastest = self.directions(case), (1.0 + case.within) * float(case.rates.mean())
        drifting = case.room.outputs * case.room.dimensions
        heat = k * drifting * fastest * case.learning.heat  # heat = 2 / beta
        return _bound_noise_of_w(case, k) + heat / self.weakest(case)


class NoisyGaps(AbstractTheorem):
    """Observed states with errors of length ``delta``.

    The floor is ``2 delta (E_0 + k alpha_avg / alpha_min (E_0 + delta))``, where ``E_0`` is the
    distance of the farthest student at the start.
    """

    name = "Theorem 2 (corrected)"

    def concerns(self, case: Case) -> bool:
        seen = case.observed
        return (
            case.learning == SILENCE
            and seen is not None
            and seen.states > 0.0
            and seen == ObservationNoise(states=seen.states)
        )

    def missing(self, case: Case) -> str | None:
        if math.isinf(self._delta(case)):
            return "a normal error has no greatest length, which the proof needs: law='sphere'."
        return super().missing(case)

    def floor(self, case: Case) -> float:
        delta, far, strength = self._delta(case), case.farthest, _require_strength(case)
        spread = self.directions(case) * strength.mean / strength.weakest
        return 2.0 * delta * (far + spread * (far + delta))

    def _delta(self, case: Case) -> float:
        """Return the greatest length of an error of the observed states."""
        return 0.0 if case.observed is None else case.observed.states


class ExactObservations(AbstractTheorem):
    """The best example for a class that is observed exactly."""

    name = "Theorem 1"

    def concerns(self, case: Case) -> bool:
        return case.learning == SILENCE and case.observed == NOISELESS

    def directions(self, case: Case) -> int:
        return case.directions


THEOREMS: tuple[AbstractTheorem, ...] = (
    Alone(),
    Pools(),
    RandomRates(),
    Inattention(),
    Drift(),
    NoisyGaps(),
    NoisyW(),
    ExactObservations(),
)
"""All theorems. A lesson is certified by the first one that applies."""
