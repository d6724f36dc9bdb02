"""The choice of the next example: one pure function, for simulated lessons and live classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom.classroom import Classroom, Example
from homeroom.goals import AbstractGoal, ClassProgress
from homeroom.learners import AbstractLoss, Squared
from homeroom.moments import Observation
from homeroom.observers import AbstractExaminer, AbstractObserver
from homeroom.teachers import AbstractPlanner, AbstractTeacher, Task


class NextExample(NamedTuple):
    """What to show next, and what the lesson keeps until then.

    ``example`` is ``None`` if no example helps. ``memory`` is the observer's, ``course`` a
    planner's. ``notes`` are counts for the record.
    """

    example: Example | None
    memory: Any
    course: Any
    notes: Mapping[str, int]


def next_example(
    teacher: AbstractTeacher,
    observer: AbstractObserver,
    memory: Any,
    goal: AbstractGoal,
    *,
    truth: Observation,
    rounds_left: int = 1,
    course: Any = None,
    for_teacher: np.random.Generator | None = None,
    for_observer: np.random.Generator | None = None,
    report: Callable[[float, int], None] = lambda _share, _rounds: None,
) -> NextExample:
    """Return the next example: the observer looks at the class, and the teacher chooses.

    Nothing is kept between calls: the same arguments give the same example.

    Parameters
    ----------
    teacher
        Chooses, prepared for the class.
    observer, memory
        What the teacher observes, and the observer's memory so far.
    goal, rounds_left
        What the lesson must achieve, and in how many rounds, for a planner.
    truth
        The class as it is, or :func:`unobserved` where only the memory is known.
    course
        A planner's course so far; ``None`` at the start.
    for_teacher, for_observer
        Random generators.
    report
        Called while a planner plans, see :class:`~homeroom.teachers.Task`.
    """
    rng = np.random.default_rng(0) if for_observer is None else for_observer
    seen = observer.observe(truth, memory, rng)
    if seen.memory is not None:
        memory = seen.memory
    rng = np.random.default_rng(0) if for_teacher is None else for_teacher
    if isinstance(teacher, AbstractPlanner):
        example, course = teacher.follow(course, seen, Task(goal, rounds_left, report), rng)
    else:
        example = teacher.choose(seen, rng)
    return NextExample(example, memory, course, seen.notes)


def estimated_progress(
    observer: AbstractObserver, memory: Any, goal: AbstractGoal, known: ClassProgress | None = None
) -> ClassProgress | None:
    """Return how far the class is: as an observer that examines estimates it, else as is known.

    Parameters
    ----------
    observer, memory
        The observer, and its memory so far.
    goal
        What the estimate is for: what students know is estimated only if the goal needs it.
    known
        How far the class really is; ``None`` if that is not known.
    """
    if not isinstance(observer, AbstractExaminer):
        return known
    judged = observer.judged(memory)
    progress = ClassProgress(*judged) if isinstance(judged, tuple) else judged or known
    if progress is not None and "knows" in goal.needs:
        return replace(progress, knows=observer.knows(memory))
    return progress


def unobserved(target: Floats, *, example_radius: float) -> Observation:
    """Return an observation of students whose states and rates are not known.

    An observer with a memory (:class:`~homeroom.QuizObserver` with ``live=True``) puts its
    estimates in.
    """
    return Observation(
        target=target,
        example_radius=example_radius,
        state_radius=np.inf,
        loss=Squared(),
        gaps=np.zeros((0, len(target))),
        rates=np.zeros(0),
    )


def observed(room: Classroom, loss: AbstractLoss) -> Observation:
    """Return the class as it is."""
    return Observation(
        target=_arrays.small(room.target),
        example_radius=room.example_radius,
        state_radius=room.state_radius,
        loss=loss,
        gaps=room.gaps,
        rates=room.rates,
    )
