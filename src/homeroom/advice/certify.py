"""How many rounds are proved to be enough, in every setting that has a proof.

All proofs have the same form: a round leaves at most ``r = 1 - a alpha_min / k`` of the class's
error, plus a little where there is noise. ``alpha_min`` is the smallest ``alpha`` of a student,
``k`` the number of directions in which the class may err, ``a`` the richness of the pool. The
constants are the corrected ones; the errata page of the documentation has the corrections.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.advice.certificate import Certificate, none, rounds_for
from homeroom.advice.in_memory import in_memory
from homeroom.advice.richness import richness
from homeroom.classroom import Classroom
from homeroom.classroom.room import projection_is_idle
from homeroom.engines import can_be_straight, straight_lessons
from homeroom.goals import AbstractGoal, AverageGoal, EveryoneGoal
from homeroom.groups import AbstractGrouping, WholeClass
from homeroom.learners import (
    AbstractLearner,
    GradientLearner,
    LangevinLearner,
    Squared,
    StochasticRateLearner,
)
from homeroom.lessons import Lesson, Record, StoppedBecause
from homeroom.observers import (
    AbstractObserver,
    ExactObserver,
    NoisyMoments,
    NoisyStates,
    RateHistory,
)
from homeroom.teachers import AbstractTeacher, ClassroomTeacher, PoolTeacher


def certify(
    room: Classroom,
    *,
    teacher: AbstractTeacher | str = ClassroomTeacher(),
    goal: AbstractGoal | str = AverageGoal(0.1),
    groups: AbstractGrouping | str = WholeClass(),
    observer: AbstractObserver | str = ExactObserver(),
    learner: AbstractLearner | str = GradientLearner(),
    record: Record | None = None,
    seed: int = 0,
) -> Certificate:
    """Prove how many rounds are enough, or state why nothing can be proved.

    Parameters
    ----------
    room
        The class before the lesson.
    teacher, goal, groups, observer, learner, seed
        The lesson, as for :func:`homeroom.teach`.
    record
        The record of the lesson. Some settings can be certified only after it, from the magnitudes
        that were used and the observed richness of the pool.

    Returns
    -------
    Certificate
        ``rounds`` is never smaller than what a simulation needs; ``None`` if nothing is proved,
        with ``why``. Where students learn at random, the *expected* error is small enough after
        ``rounds``; single lessons, and the mean over lessons, may need more.

    Examples
    --------
    >>> print(certify(Classroom.sample()))
    384 rounds are enough: Theorem 1 with k = 25 and alpha_min = 0.36.
    """
    room = in_memory(room, "certify")
    lesson = Lesson(
        room,
        teacher=teacher,
        goal=goal,
        groups=groups,
        observer=observer,
        learner=learner,
        seed=seed,
    )
    if not isinstance(lesson.learner.loss, Squared):
        return none(
            "the proofs are about the squared loss; with another loss the target need not even be "
            "where students come to rest."
        )
    if not isinstance(lesson.goal, AverageGoal | EveryoneGoal):
        return none("the proofs are about the goals AverageGoal and EveryoneGoal.")
    if record is not None:
        _check_record(record, lesson, room)
    count = int(lesson.group_of.max()) + 1
    straight = can_be_straight(lesson.teacher, lesson.learner, lesson.observer)
    if straight and count == room.students > 1:
        return _everybody_alone(lesson, room)
    if count == 1:
        return _Case(lesson, room, record).certificate()
    return _sum(
        [
            _Case(
                lesson,
                room.subset(np.flatnonzero(lesson.group_of == group)),
                None if record is None else record.groups[group],
            ).certificate()
            for group in range(count)
        ]
    )


def _check_record(record: Record, lesson: Lesson, room: Classroom) -> None:
    """Refuse a record of another lesson than the one to be certified."""
    same = (
        record.examples.xs.shape[1] == room.dimensions
        and np.array_equal(record.group_of, lesson.group_of)
        and math.isclose(record.errors[0], room.error, rel_tol=1e-6)
    )
    if not same:
        raise InputError(
            "`record` must be of a lesson of this very class, in these groups. Hold it with "
            "teach(room, ...), with the same settings as here."
        )
    for part in ("teacher", "goal", "observer", "learner"):
        settings = record.settings.get(part)
        if isinstance(settings, dict) and "rates_within" in lesson.settings[part]:
            settings = {"rates_within": 0.0, **settings}  # records of version 0.1 lack it
        if settings != lesson.settings[part]:
            raise InputError(
                f"`record` must be of a lesson with the same {part}: it has "
                f"{record.settings.get(part)}, but here it is {lesson.settings[part]}."
            )


MOST_ROUNDS = 2**53
"""Beyond this, rounds cannot be counted any more."""


def _everybody_alone(lesson: Lesson, room: Classroom) -> Certificate:
    """Return the sum over students of what each needs alone, which a formula gives exactly.

    Where rates may be off, each example leaves at most ``|1 - f rate g|`` of a student's distance,
    for ``f = 1 - rates_within`` or ``1 + rates_within``.
    """
    alone = straight_lessons(room, lesson.goal.alone, MOST_ROUNDS)
    rounds, shrink, exact = alone.rounds, alone.shrink, "this is what it takes"
    if within := _rates_within(lesson.teacher):
        reach = _arrays.small(room.rates) * alone.g
        shrink = np.maximum(*(np.abs(1.0 - f * reach) for f in (1.0 - within, 1.0 + within)))
        enough = lesson.goal.alone
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.log(alone.distances / enough) / -np.log(shrink**2)
        needed = np.where(alone.distances <= enough, 0.0, np.maximum(np.ceil(needed), 1.0))
        rounds = np.minimum(needed, MOST_ROUNDS).astype(np.int64)
        exact = f"this is enough for rates within {within:g} of these"
    if rounds.max() >= MOST_ROUNDS:
        return none("some student learns so slowly that their rounds cannot be counted.")
    return Certificate(
        int(rounds.sum(dtype=object)),
        f"each student alone walks straight to the target, so {exact}.",
        start=room.error,
        rate=float(shrink.max() ** 2),
        rank=1,
        weakest=float(1.0 - shrink.max() ** 2),
    )


def _rates_within(teacher: AbstractTeacher) -> float:
    """Return by which part the rates may be off."""
    return teacher.rates_within if isinstance(teacher, ClassroomTeacher | PoolTeacher) else 0.0


def _sum(parts: list[Certificate]) -> Certificate:
    for number, part in enumerate(parts):
        if part.rounds is None:
            return Certificate(None, f"group {number + 1}: {part.why}", groups=tuple(parts))
    return Certificate(
        sum(part.rounds or 0 for part in parts),
        f"the sum over {len(parts)} groups, each certified on its own.",
        in_expectation=any(part.in_expectation for part in parts),
        groups=tuple(parts),
    )


@dataclass(frozen=True)
class _Strength:
    """How strongly students are moved: the weakest of them, and the mean of the strongest round.

    Both are for the rates that the teacher goes by. ``kept`` is the least part of ``alpha`` that
    true rates within the range leave. As each ``alpha_j`` keeps that part, so does ``u' W u``,
    whatever ``u`` was chosen.
    """

    weakest: float
    mean: float
    kept: float = 1.0


class _Case:
    """One group's lesson, and what is known about it."""

    def __init__(self, lesson: Lesson, room: Classroom, record: Record | None) -> None:
        self.room = room
        self.record = record
        self.teacher = lesson.teacher
        self.goal = lesson.goal
        self.observer = lesson.observer
        self.learner = lesson.learner
        self.sigma = self.learner.sigma if isinstance(self.learner, StochasticRateLearner) else 0.0
        self.rates: Floats = _arrays.small(room.rates)
        self.within = _rates_within(lesson.teacher)
        squared = _arrays.small(room.squared_distances)
        self.start = float(squared.mean())
        self.farthest = math.sqrt(float(squared.max()))

    def certificate(self) -> Certificate:
        if self.goal.reached(self.start, self.farthest):
            return Certificate(0, "the goal is already reached.", start=self.start, rate=1.0)
        gap = self._no_proof()
        if gap:
            return none(gap, start=self.start)
        strength = self._strength()
        if isinstance(strength, str):
            return none(strength, start=self.start)
        return self._conclude(strength)

    def _conclude(self, strength: _Strength) -> Certificate:
        enough = self._enough()
        rank = self._rank(enough)
        rate = 1.0 - strength.kept * strength.weakest / rank
        floor, theorem = self._floor(strength, rank)
        known = Certificate(
            rounds_for(self.start, rate, floor, enough),
            f"{theorem} with k = {rank} and alpha_min = {strength.kept * strength.weakest:.3g}.",
            start=self.start,
            rate=rate,
            floor=floor,
            rank=rank,
            weakest=strength.kept * strength.weakest,
            in_expectation=isinstance(self.learner, LangevinLearner | StochasticRateLearner),
        )
        if known.rounds is not None:
            return known
        if rate >= 1.0:
            return replace(known, why="the slowest student learns too slowly to be counted on.")
        why = f"noise may leave an error of {floor:.3g}, and the goal asks for {enough:.3g}."
        return replace(known, why=why)

    def _enough(self) -> float:
        """Return the mean squared distance at which the goal is surely reached."""
        if isinstance(self.goal, EveryoneGoal):
            # |e_j|^2 <= N mean |e|^2: the mean at eps^2 / N puts everyone within eps (erratum 1).
            return self.goal.alone / self.room.students
        return self.goal.alone

    def _no_proof(self) -> str | None:
        """Return why the setting has no proof, if it has none."""
        pooled = isinstance(self.teacher, PoolTeacher)
        if not pooled and not isinstance(self.teacher, ClassroomTeacher):
            return (
                "the proofs are about teachers who show the best example, "
                "ClassroomTeacher and PoolTeacher."
            )
        plain = isinstance(self.learner, GradientLearner)
        if pooled:
            assert isinstance(self.teacher, PoolTeacher)
            if self.teacher.pool.labels is not None:
                return "the pool's items have labels of their own, which need not be the target's."
            if not (plain and isinstance(self.observer, ExactObserver)):
                return "with a pool there is a proof only for ExactObserver and GradientLearner."
            if self.within:
                return (
                    "how rich a pool is depends on the true rates, which rates_within leaves open."
                )
            if self.record is None:
                return (
                    "how rich the pool is for this class shows only in the lesson: "
                    "hold it, then certify(..., record=record)."
                )
            return None
        if isinstance(self.learner, StochasticRateLearner):
            return self._no_proof_for_random_rates()
        if isinstance(self.learner, LangevinLearner):
            sees = isinstance(self.observer, ExactObserver | NoisyMoments)
            return None if sees else "Langevin students and this observer have no proof together."
        if isinstance(self.observer, NoisyStates) and self.observer.law != "sphere":
            return "a normal error has no greatest length, which the proof needs: law='sphere'."
        sees = isinstance(self.observer, ExactObserver | NoisyMoments | NoisyStates)
        return None if plain and sees else "this learner and this observer have no proof together."

    def _no_proof_for_random_rates(self) -> str | None:
        assert isinstance(self.learner, StochasticRateLearner)
        if self.learner.clip:
            return "clipped rates have another mean than the one the proof is about."
        if not (isinstance(self.observer, RateHistory) and self.observer.weights == "known"):
            return (
                "with random rates the proof needs weights from the known rates: "
                "RateHistory(sigma, weights='known') (erratum 5)."
            )
        if self.observer.sigma != self.learner.sigma:
            return "the observer must know the learner's sigma."
        return None

    def _strength(self) -> _Strength | str:
        """Return how strongly students are moved at the least, or why that is not known."""
        record = None if self._known_before() else self.record
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
            if not self._known_before() and self.record is None:
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
        return _Strength(float(weakest.min()), float(mean.max()), kept)

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

    def _known_before(self) -> bool:
        return isinstance(self.teacher, ClassroomTeacher) and self.teacher.magnitude == "static"

    def _lengths(self) -> Floats | None:
        """Return squared magnitudes that the lesson has or lies between, or ``None``."""
        ceiling = self.room.example_radius**2
        best = self.rates / (self.rates**2 + self.sigma**2)
        if self._known_before():
            return np.array([min(float(best.min()), ceiling)])
        chance = isinstance(self.learner, LangevinLearner | StochasticRateLearner)
        if self.record is not None and not chance and not self.within:
            xs = self.record.examples.xs
            lengths: Floats = (xs * xs).sum(axis=1)
            return lengths if len(xs) else None
        return None if isinstance(self.teacher, PoolTeacher) else self._between(best, ceiling)

    def _between(self, best: Floats, ceiling: float) -> Floats:
        """Return the least and the greatest magnitude that dynamic or joint can come to."""
        assert isinstance(self.teacher, ClassroomTeacher)
        if self.teacher.safe:
            ceiling = min(ceiling, 2.0 * float(best.min()) / (1.0 + self.within))
        between: Floats = np.minimum(np.array([best.min(), best.max()]), ceiling)
        return between

    def _rank(self, enough: float) -> int:
        """Return in how many directions the class can err during the lesson, at most.

        Directions in which all students together are a billionth of the goal away do not count.
        """
        most = min(self.room.students, self.room.dimensions)
        stays = (
            isinstance(self.observer, ExactObserver | RateHistory)
            and isinstance(self.teacher, ClassroomTeacher)
            and not isinstance(self.learner, LangevinLearner)
            and (
                math.isinf(self.room.state_radius)
                or (self.sigma == 0.0 and projection_is_idle(self.room))
            )
        )
        if not stays:
            return most
        triangle = np.linalg.qr(_arrays.small(self.room.gaps), mode="r")
        squares = np.linalg.svd(triangle, compute_uv=False)[::-1] ** 2
        negligible = np.cumsum(squares) <= 1e-9 * enough * self.room.students
        return max(1, min(most, int(np.sum(~negligible))))

    def _floor(self, strength: _Strength, rank: int) -> tuple[float, str]:
        """Return what noise may leave in the end, and by which theorem."""
        if isinstance(self.observer, NoisyStates):
            delta, far = self.observer.delta, self.farthest
            spread = rank * strength.mean / strength.weakest
            return 2.0 * delta * (far + spread * (far + delta)), "Theorem 2 (corrected)"
        floor, theorem = 0.0, "Theorem 1"
        if isinstance(self.observer, NoisyMoments):
            floor += 2.0 * rank * self.observer.delta / strength.weakest
            theorem = "the theorem on noisy W (corrected)"
        if isinstance(self.learner, LangevinLearner):
            fastest = (1.0 + self.within) * float(self.rates.mean())
            heat = 2.0 * rank * self.room.dimensions * fastest
            floor += heat / (self.learner.beta * strength.kept * strength.weakest)
            theorem = "the theorem on Langevin students"
        if isinstance(self.learner, StochasticRateLearner):
            theorem = "Theorem 3 (corrected)"
        if isinstance(self.teacher, PoolTeacher):
            theorem = "the theorem on pools"
        return floor, theorem
