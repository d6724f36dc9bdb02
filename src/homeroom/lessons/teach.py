"""Teaching a simulated class from beginning to end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from homeroom._notebook import reporting
from homeroom.classroom import Classroom, LargeClass
from homeroom.goals import AbstractGoal, AverageGoal
from homeroom.groups import AbstractGrouping, AbstractInformed, WholeClass
from homeroom.learners import AbstractLearner, GradientLearner
from homeroom.lessons.lesson import Lesson, require_simulated_answers, require_verifiable
from homeroom.lessons.record import Record
from homeroom.lessons.second_pass import verified
from homeroom.lessons.strategies import Progress, Report, strategy_for
from homeroom.observers import AbstractObserver, ExactObserver
from homeroom.teachers import AbstractTeacher, ClassroomTeacher

SEARCH_SHARE = 0.8
"""The share of a lesson's progress that the search for groups takes, where there is one."""


def teach(
    room: Classroom | LargeClass,
    *,
    teacher: AbstractTeacher | str = ClassroomTeacher(),
    goal: AbstractGoal | str = AverageGoal(0.1),
    groups: AbstractGrouping | str = WholeClass(),
    observer: AbstractObserver | str = ExactObserver(),
    learner: AbstractLearner | str = GradientLearner(),
    max_rounds: int = 100_000,
    engine: str = "auto",
    verify: bool = False,
    watch: Sequence[int] = (),
    seed: int | np.random.Generator = 0,
    progress: Callable[[Progress], None] | bool | None = None,
) -> Record:
    """Teach a simulated class until its goal is reached, and return the record.

    Parameters
    ----------
    room
        The class; it is not changed. A :class:`LargeClass` is taught by its sketch.
    teacher
        Chooses the examples: a teacher, or a text such as ``"classroom:magnitude=joint"``.
    goal
        When a group is done.
    groups
        How the class is split: a grouping, or a text such as ``"by-knowledge:k=4"``.
    observer
        What the teacher observes.
    learner
        How students change.
    max_rounds
        The limit for each group.
    engine
        How rounds are computed: ``"exact"``, every student; ``"sketch"``, whose rounds cost the
        same for any number of students; or ``"auto"``, the sketch where it gives the same lesson
        and is faster, else exact. The record states which it was.
    verify
        Show the whole lesson to every student in a second pass at the end, with more digits where
        rounding errors may have grown: ``record.verified`` has the exact error and the distance of
        the farthest student.
    watch
        Students (counted from 0) whose own errors the record keeps; only with one group.
    seed
        A seed or a generator: the same seed gives the same record.
    progress
        ``True`` shows a bar, in a notebook and in a terminal. A function is called from time to
        time with a :class:`Progress`.

    Returns
    -------
    Record
        Every example and error. Not reaching the goal is a result: see ``stopped_because``.

    Examples
    --------
    >>> room = Classroom.sample()
    >>> for groups in ("whole", "by-rate", "individuals"):
    ...     record = teach(room, groups=groups)
    ...     print(f"T = {record.rounds}, S = {record.workload:.1f}")
    T = 154, S = 154.0
    T = 340, S = 99.9
    T = 1237, S = 4.1
    """
    with reporting(progress, "Teaching") as shown:
        report = (lambda _: None) if shown is None else shown
        lesson = Lesson(
            room,
            teacher=teacher,
            goal=goal,
            groups=groups,
            observer=observer,
            learner=learner,
            max_rounds=max_rounds,
            engine=engine,
            watch=watch,
            seed=seed,
            progress=_between(report, 0.0, SEARCH_SHARE),
        )
        require_simulated_answers(lesson.observer)
        if isinstance(lesson.groups, AbstractInformed):
            report = _between(report, SEARCH_SHARE, 1.0)
        if verify:
            require_verifiable(lesson.learner)
        record = strategy_for(lesson).run(lesson, report)
        return verified(record, lesson) if verify else record


def _between(report: Report, start: float, end: float) -> Report:
    """Return a callback that reports 0 to 1 as ``start`` to ``end`` of the whole."""
    return lambda now: report(now._replace(done=start + (end - start) * now.done))
