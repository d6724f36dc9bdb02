"""One lesson of the benchmark: a teacher, a learner, a task and a seed.

An :class:`ExperimentCell` is one lesson here: its inputs, under which the result is stored.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from homeroom import _plugins
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.engines import ExactClass
from homeroom.lessons import Lesson, StoppedBecause
from homeroom.lessons.lesson import allow_overflow
from homeroom.pools import AbstractPool
from homeroom.studies.bench_tasks import BenchTask, learner_for, task_from_seed
from homeroom.studies.cells import ExperimentCell
from homeroom.studies.rows import Row
from homeroom.teachers import AbstractTeacher

ROUNDS = 100
"""The most rounds of a lesson, for each group."""

CHECKPOINTS = (0, 1, 2, 3, 5, 7, 10, 14, 20, 30, 45, 65, 100)
"""The rounds whose errors are kept."""

BUDGETS = (10, 30, 100)
"""The rounds whose errors are compared."""


def cell_of(teacher: str, learner: str, task: str, seed: int) -> ExperimentCell:
    """Return the cell of one lesson.

    Parameters
    ----------
    teacher, learner
        Registered names with settings, such as ``"pool:magnitude=best"``.
    task
        Its name.
    seed
        The seed of the class and of the lesson.
    """
    parts = {"teacher": teacher, "learner": learner, "task": task, "seed": seed}
    packages = [
        f"{_plugins.package_version(kind, text)} {_source_hash(kind, text.partition(':')[0])}"
        for kind, text in (("teachers", teacher), ("learners", learner))
    ]
    return ExperimentCell.of(try_lesson, **parts, packages=packages)


@cache
def _source_hash(kind: str, name: str) -> str:
    """Return a hash of the source of the package that registers a component.

    If that code is edited, its lessons are run again. Empty for homeroom: the hash of its own
    source is part of every key already.
    """
    name = name.strip()
    if _plugins.package(kind, name) == "homeroom":
        return ""
    top = sys.modules[_plugins.find(kind, name).__module__.partition(".")[0]]
    paths = [path for folder in getattr(top, "__path__", ()) for path in Path(folder).rglob("*.py")]
    code = hashlib.sha256()
    for path in sorted(paths) or [Path(str(top.__file__))]:
        code.update(path.read_bytes())
    return code.hexdigest()


def try_lesson(*, packages: Sequence[str], **parts: Any) -> list[Row]:  # noqa: ARG001 - for the key
    """Return the row of :func:`lesson_row`.

    If the code of a component raises an error, the row has only that error, ``failed``.
    """
    with warnings.catch_warnings():
        # Long examples and items that cannot teach everything are part of the measurement.
        warnings.simplefilter("ignore", UserWarning)
        try:
            return [lesson_row(**parts)]
        except Exception as mistake:  # noqa: BLE001 - any mistake in a component is its result
            return [{"failed": _describe(mistake)}]


def _describe(mistake: Exception) -> str:
    """Return the kind, the message and the place of a mistake in the code of a component."""
    place = traceback.extract_tb(mistake.__traceback__)[-1]
    where = f"{Path(place.filename).name}, line {place.lineno}"
    return f"{type(mistake).__name__}: {mistake} ({where})"


def lesson_row(teacher: str, learner: str, task: str, seed: int) -> Row:
    """Teach one lesson, and return its result as plain values.

    ``T`` is the number of rounds until the goal holds for the first time, summed over groups; ``S``
    is the mean over students of the rounds of their group. Both are ``None`` if a group never
    reaches it. Teaching continues to the limit of rounds, to measure the error at each checkpoint.
    If the parts do not fit together, the row has only the reason, ``refused``.
    """
    setting = task_from_seed(task, seed)
    try:
        lesson = ObservedLesson(
            setting.room,
            teacher=teacher_for(teacher, setting.pool),
            goal=setting.goal,
            groups=setting.groups,
            observer=setting.observer,
            learner=learner_for(learner, setting),
            max_rounds=ROUNDS,
            engine="exact",
            seed=seed,
        )
        return _teach(lesson, setting)
    except InputError as reason:
        return {"refused": str(reason)}


class ObservedLesson(Lesson):
    """A lesson whose teacher gets only observations of the class, also in ``prepare``."""

    def prepare_teacher(self, teacher: AbstractTeacher) -> AbstractTeacher:
        """Return the teacher, prepared with an observation of the class."""
        room = self.room
        assert isinstance(room, Classroom)  # as the classes of all tasks
        rng = np.random.default_rng([self.settings["seed"], ROUNDS])
        truth = ExactClass(room, self.learner, rng).look()
        seen = self.observer.observe(truth, self.observer.begin(room), rng)
        believed = replace(room, states=seen.states, rates=seen.rates)
        return teacher.prepare(believed, self.learner.loss)


def teacher_for(text: str, pool: AbstractPool) -> AbstractTeacher:
    """Return the teacher that a text describes, with examples from the pool.

    A teacher that takes no pool makes up its examples; raise if the pool does not allow that.
    """
    name = text.partition(":")[0].strip()
    takes = inspect.signature(_plugins.find("teachers", name)).parameters
    if "pool" not in takes and not pool.synthesises:
        raise InputError(
            f"The teacher {name} takes no pool and would make up examples that the task does "
            "not have."
        )
    also: dict[str, Any] = {"pool": pool} if "pool" in takes else {}
    made: AbstractTeacher = _plugins.make("teachers", text, **also)
    return made


def _teach(lesson: Lesson, task: BenchTask) -> Row:
    """Teach the lesson to the limit of rounds, and return its row.

    An error is at most a million times the first one; NaN counts as that maximum.
    """
    parts, at_goal = lesson.parts, [-1] * len(lesson.parts)
    errors = {0: task.error(task.room.states)}
    most, now = 1e6 * max(errors[0], 1.0), 0
    with allow_overflow():
        while True:
            for group, part in enumerate(parts):
                if part.stopped_because is StoppedBecause.GOAL:
                    at_goal[group] = len(part.shown) if at_goal[group] < 0 else at_goal[group]
                    part.reopen()
            if lesson.ask() is None:
                break
            lesson.tell()
            now += 1
            if now in CHECKPOINTS:
                errors[now] = task.error(lesson.record().final_states)
    # A lesson without a helpful example, or that diverged, ends early: its error stays.
    last = task.error(lesson.record().final_states)
    missed = [part for part, rounds in zip(parts, at_goal, strict=True) if rounds < 0]
    sizes = np.bincount(lesson.group_of)
    return {
        "T": None if missed else sum(at_goal),
        "S": None if missed else float(sizes @ at_goal) / task.room.students,
        "stopped": (missed[0].stopped_because if missed else StoppedBecause.GOAL).value,
        "errors": [_at_most(errors.get(at, last), most) for at in CHECKPOINTS],
    }


def _at_most(error: float, most: float) -> float:
    """Return an error to four digits; ``most`` if it is larger or not a number."""
    return float(f"{error if error <= most else most:.4g}")
