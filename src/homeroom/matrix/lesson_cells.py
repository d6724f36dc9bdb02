"""One lesson of the benchmark: a teacher, a learner, a task and a seed.

An :class:`ExperimentCell` is one lesson here: its inputs, under which the result is stored.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import sys
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from homeroom import _arrays, _plugins
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.lessons import Lesson, StoppedBecause, observed
from homeroom.lessons.strategies import quiet_overflow
from homeroom.matrix.tasks import BenchTask, learner_for, task_from_seed
from homeroom.paper.experiment_cells import ExperimentCell
from homeroom.paper.rows import Row
from homeroom.pools import AbstractPool
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
    return ExperimentCell.of(
        "matrix",
        teacher=teacher,
        learner=learner,
        task=task,
        seed=seed,
        packages=[
            f"{_plugins.package_version(kind, text)} {_source_hash(kind, text.partition(':')[0])}"
            for kind, text in (("teachers", teacher), ("learners", learner))
        ],
    )


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
    folders = [Path(folder) for folder in getattr(top, "__path__", ())]
    own = [Path(top.__file__)] if not folders and top.__file__ else []
    found = hashlib.sha256()
    for path in own + [path for folder in folders for path in sorted(folder.rglob("*.py"))]:
        found.update(path.read_bytes())
    return found.hexdigest()


def run_lesson_cell(cell: ExperimentCell) -> tuple[list[Row], float]:
    """Return the row of a cell, and the seconds of one core that it took. Runs in a worker."""
    inputs = json.loads(cell.inputs)
    parts = [inputs[name] for name in ("teacher", "learner", "task", "seed")]
    start = process_time()
    with warnings.catch_warnings():
        # Long examples and items that cannot teach everything are part of the measurement.
        warnings.simplefilter("ignore", UserWarning)
        try:
            row = lesson_row(*parts)
        except Exception as mistake:
            # A mistake in the code of a component is no result: the run stops and names the cell.
            where = "In the lesson of teacher {}, learner {}, task {}, seed {}."
            mistake.add_note(where.format(*parts))
            raise
    return [row], process_time() - start


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
        return _taught(lesson, setting)
    except InputError as reason:
        return {"refused": str(reason)}


class ObservedLesson(Lesson):
    """A lesson whose teacher gets only observations of the class, also in ``prepare``."""

    def prepared(self, teacher: AbstractTeacher) -> AbstractTeacher:
        """Return the teacher, prepared with an observation of the class."""
        room, loss = self.room, self.learner.loss
        assert isinstance(room, Classroom)  # as the classes of all tasks
        rng = np.random.default_rng([self.settings["seed"], ROUNDS])
        seen = self.observer.observe(observed(room, loss), self.observer.begin(room), rng)
        return teacher.prepare(replace(room, states=seen.states, rates=seen.rates), loss)


def is_lesson(rows: object) -> bool:
    """Return whether stored rows are those of one lesson; a file may be damaged."""
    if not (isinstance(rows, list) and len(rows) == 1 and isinstance(rows[0], dict)):
        return False
    row = rows[0]
    if set(row) == {"refused"}:
        return isinstance(row["refused"], str)
    errors, counts = row.get("errors"), (row.get("T"), row.get("S"))
    return (
        set(row) == {"T", "S", "stopped", "errors"}
        and isinstance(row["stopped"], str)
        and isinstance(errors, list)
        and len(errors) == len(CHECKPOINTS)
        and all(map(_is_count, errors))
        and (counts == (None, None) or all(map(_is_count, counts)))
    )


def _is_count(value: object) -> bool:
    """Return whether a value is a finite number that is not negative."""
    return type(value) in (int, float) and 0.0 <= float(value) < math.inf  # type: ignore[arg-type]


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


def _taught(lesson: Lesson, task: BenchTask) -> Row:
    """Teach the lesson to the limit of rounds, and return its row.

    An error is at most a million times the first one; NaN counts as that maximum.
    """
    parts, at_goal = lesson.parts, [-1] * len(lesson.parts)
    errors = {0: task.error(task.room.states)}
    most, now = 1e6 * max(errors[0], 1.0), 0
    with quiet_overflow():
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
                errors[now] = task.error(_states(lesson))
    # A lesson without a helpful example, or that diverged, ends early: its error stays.
    last = task.error(_states(lesson))
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


def _states(lesson: Lesson) -> Floats:
    """Return the states of all students, in the order of the class."""
    if len(lesson.parts) == 1:
        return _arrays.to_host(lesson.parts[0].students.states)
    states = np.empty((len(lesson.group_of), len(lesson.target)))
    for part in lesson.parts:
        states[part.rows] = _arrays.to_host(part.students.states)
    return states
