"""How many rounds are proved to be enough, in every setting that has a proof."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from homeroom._checks import InputError
from homeroom.advice.certificate import Certificate, none
from homeroom.advice.theorems import THEOREMS, Case, no_proof_of
from homeroom.classroom import Classroom
from homeroom.classroom.room import in_memory
from homeroom.goals import AbstractGoal, AverageGoal, DistanceGoal
from homeroom.groups import AbstractGrouping, WholeClass
from homeroom.learners import AbstractLearner, GradientLearner
from homeroom.lessons import Lesson, Record
from homeroom.observers import AbstractExaminer, AbstractObserver, ExactObserver
from homeroom.teachers import AbstractTeacher, ClassroomTeacher


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
    how: dict[str, Any] = {"teacher": teacher, "goal": goal, "observer": observer}
    lesson = Lesson(room, groups=groups, learner=learner, seed=seed, **how)
    if why := _no_proof(lesson):
        return none(why)
    if record is not None:
        _check_record(record, lesson, room)
    count = int(lesson.group_of.max()) + 1
    parts = lesson.teacher, lesson.goal, lesson.observer, lesson.learner
    whole = Case(room, *parts, record, alone=count == room.students > 1)
    if count == 1 or whole.is_straight:
        return _prove(whole)
    return _sum([_prove(_part(whole, lesson, group)) for group in range(count)])


def _no_proof(lesson: Lesson) -> str | None:
    """Return why no theorem applies to the observer, the loss or the goal; ``None`` if one may."""
    loss, goal, observer = lesson.learner.loss, lesson.goal, lesson.observer
    if isinstance(observer, AbstractExaminer) and observer.error_bounds is not None:
        return (
            "the proofs are about the students' true distances, but this lesson ends by the "
            f"estimates of {type(observer).__name__} (`judged`)."
        )
    if not loss.is_quadratic:
        return (
            "the proofs are about the squared loss; with another loss the target need not even be "
            f"where students come to rest. `is_quadratic` of {type(loss).__name__} is False."
        )
    if not isinstance(goal, DistanceGoal):
        return (
            "the proofs are about goals on distances, such as AverageGoal and EveryoneGoal, but "
            f"{type(goal).__name__} is none (`DistanceGoal`)."
        )
    return None


def _no_case(case: Case) -> str | None:
    """Return why no theorem applies to a case's teacher or learner; ``None`` if one may."""
    teacher, learner = case.teacher, case.learner
    if teacher.rule is None:
        return (
            "the proofs are about teachers who show the best example, ClassroomTeacher and "
            f"PoolTeacher without labels, but {type(teacher).__name__} declares no such rule. If "
            "it follows one, let `rule` return a GreedyRule(...)."
        )
    if learner.noise is None:
        return (
            f"{type(learner).__name__} declares no `noise`. If the expected step is a "
            "gradient step of the squared loss (clipped rates have another mean), let `noise` "
            "return a Noise(...)."
        )
    return None


def _check_record(record: Record, lesson: Lesson, room: Classroom) -> None:
    """Raise if the record is not of the lesson to be certified."""
    same = (
        record.examples.xs.shape[1] == room.dimensions
        and np.array_equal(record.group_of, lesson.group_of)
        and math.isclose(record.errors[0], room.error, rel_tol=1e-6)
    )
    if not same:
        raise InputError(
            "`record` must be of a lesson of this very class, in these groups. Teach it with "
            "teach(room, ...), with the same settings as here."
        )
    for part in ("teacher", "goal", "observer", "learner"):
        settings = record.settings.get(part)
        if settings != lesson.settings[part]:
            raise InputError(
                f"`record` must be of a lesson with the same {part}: it has {settings}, but here "
                f"it is {lesson.settings[part]}."
            )


def _part(whole: Case, lesson: Lesson, group: int) -> Case:
    """Return the case of one group: its students, and its part of the record."""
    room = whole.room.subset(np.flatnonzero(lesson.group_of == group))
    record = None if whole.record is None else whole.record.groups[group]
    return replace(whole, room=room, record=record, alone=False)


def _prove(case: Case) -> Certificate:
    """Return the certificate from the first theorem that applies to this lesson."""
    if not case.alone and case.goal.reached(case.progress):
        return Certificate(0, "the goal is already reached.", start=case.start, rate=1.0)
    if why := _no_case(case):
        return none(why, start=case.start)
    theorem = next((theorem for theorem in THEOREMS if theorem.concerns(case)), None)
    if theorem is None:
        return none(no_proof_of(case, "this learner"), start=case.start)
    if missing := theorem.missing(case):
        return none(missing, start=case.start)
    proved = Certificate(
        theorem.rounds(case),
        theorem.proves(case),
        start=case.start,
        rate=theorem.rate(case),
        floor=theorem.floor(case),
        rank=theorem.directions(case),
        weakest=theorem.weakest(case),
        in_expectation=theorem.in_expectation,
    )
    if proved.rounds is not None:
        return proved
    if proved.rate >= 1.0:
        return replace(proved, why="the slowest student learns too slowly for a proof.")
    left = f"noise may leave an error of {proved.floor:.3g}"
    return replace(proved, why=f"{left}, above the {case.enough:.3g} that the goal requires.")


def _sum(parts: list[Certificate]) -> Certificate:
    """Return the certificate of all groups together."""
    for number, part in enumerate(parts):
        if part.rounds is None:
            return Certificate(None, f"group {number + 1}: {part.why}", groups=tuple(parts))
    return Certificate(
        sum(part.rounds or 0 for part in parts),
        f"the sum over {len(parts)} groups, each certified on its own.",
        in_expectation=any(part.in_expectation for part in parts),
        groups=tuple(parts),
    )
