"""One lesson of the benchmark: a teacher, a learner, a task and a seed."""

from __future__ import annotations

import inspect
import json
import math
import warnings
from collections.abc import Sequence
from time import process_time
from typing import Any

import numpy as np

from homeroom import _arrays, _plugins
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.lessons import Lesson, StoppedBecause
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
        Their texts, such as ``"pool:magnitude=best"``.
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
            _plugins.package_version("teachers", teacher),
            _plugins.package_version("learners", learner),
        ],
    )


def run_lesson_cell(cell: ExperimentCell) -> tuple[list[Row], float]:
    """Return the row of a cell, and the seconds of one core that it took. Runs in a worker."""
    inputs = json.loads(cell.inputs)
    start = process_time()
    with warnings.catch_warnings():
        # Long examples and items that cannot teach everything are part of the measurement.
        warnings.simplefilter("ignore", UserWarning)
        row = lesson_row(inputs["teacher"], inputs["learner"], inputs["task"], inputs["seed"])
    return [row], process_time() - start


def lesson_row(teacher: str, learner: str, task: str, seed: int) -> Row:
    """Teach one lesson, and return its result as plain values.

    ``T`` and ``S`` are ``None`` if the goal was missed. If the parts do not fit together, the row
    has only the reason, ``refused``.
    """
    setting = task_from_seed(task, seed)
    try:
        lesson = Lesson(
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
        errors = _taught(lesson, setting)
    except InputError as reason:
        return {"refused": str(reason)}
    record = lesson.record()
    reached = record.stopped_because is StoppedBecause.GOAL
    return {
        "T": record.rounds if reached else None,
        "S": record.workload if reached else None,
        "stopped": record.stopped_because.value,
        "errors": [float(f"{errors[min(at, len(errors) - 1)]:.4g}") for at in CHECKPOINTS],
    }


def teacher_for(text: str, pool: AbstractPool) -> AbstractTeacher:
    """Return the teacher of a text for a pool; one without a ``pool`` can only synthesise."""
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


def _taught(lesson: Lesson, task: BenchTask) -> Sequence[float]:
    """Teach the lesson, and return the error before each round and at the end.

    An error that is not a number, or larger than a million times the first, counts as infinite.
    """
    errors = [task.error(task.room.states)]
    most = 1e6 * max(errors[0], 1.0)
    with quiet_overflow():
        while lesson.ask() is not None:
            lesson.tell()
            now = task.error(_states(lesson))
            errors.append(now if now <= most else math.inf)
    return [error if math.isfinite(error) else most for error in errors]


def _states(lesson: Lesson) -> Floats:
    """Return the states of all students, in the order of the class."""
    if len(lesson.parts) == 1:
        return _arrays.to_host(lesson.parts[0].students.states)
    states = np.empty((len(lesson.group_of), len(lesson.target)))
    for part in lesson.parts:
        states[part.rows] = _arrays.to_host(part.students.states)
    return states
