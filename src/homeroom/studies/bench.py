"""The benchmark of machine teaching: every teacher under every learner, on several tasks.

S. Doroudi, V. Aleven, E. Brunskill: *Robust Evaluation Matrix*, Learning at Scale 2017. A simulated
class flatters the teacher that assumes it, so a teacher should be tried under all of them.

A cell of the matrix is a teacher with a learner and a task, and has one lesson per seed. Each
lesson is run and stored as an :class:`ExperimentCell`.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeVar

import numpy as np

from homeroom import _plugins
from homeroom._checks import InputError
from homeroom.pools import AbstractPool, Ball, DirectionPool, ItemPool
from homeroom.studies.bench_lessons import cell_of, teacher_for
from homeroom.studies.bench_results import CellResult, cell_result
from homeroom.studies.bench_tasks import (
    ASSUMED,
    LEARNERS,
    TASKS,
    TEACHERS,
    learner_for,
    task_from_seed,
)
from homeroom.studies.cells import CellStore, ExperimentCell, run_cells
from homeroom.studies.rows import Row
from homeroom.teachers import AbstractTeacher

MOST_SEEDS = 1000

POOLS: tuple[AbstractPool, ...] = (Ball(), DirectionPool(np.eye(2)), ItemPool(np.eye(2)))
"""One pool of each kind that a task may have."""

Kind = TypeVar("Kind")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Chosen:
    """What is compared: teachers and learners by their names in the report, tasks, and seeds.

    Parameters
    ----------
    teachers, learners
        Texts such as ``"pool:magnitude=best"``, by name.
    tasks
        Names of tasks.
    seeds
        The number of lessons in each cell.
    """

    teachers: Mapping[str, str]
    learners: Mapping[str, str]
    tasks: Sequence[str]
    seeds: int

    @classmethod
    def of(
        cls,
        teachers: Sequence[str] = (),
        learners: Sequence[str] = (),
        tasks: Sequence[str] = (),
        *,
        seeds: int = 5,
        only: str | None = None,
    ) -> Chosen:
        """Return the components with these names; where no name is given, all that are installed.

        Parameters
        ----------
        teachers, learners
            Names in the report, or registered names with settings.
        tasks
            Names of tasks.
        seeds
            The number of lessons in each cell.
        only
            A package: only the teachers that it registers.

        Raises
        ------
        InputError
            If a name does not exist, or if settings make no sense.
        """
        if not 1 <= seeds <= MOST_SEEDS:
            raise InputError(f"--seeds must be from 1 to {MOST_SEEDS}, but is {seeds}.")
        for task in tasks:
            if task not in TASKS:
                raise InputError(
                    f"There is no task called {task!r}: choose from {', '.join(TASKS)}."
                )
        every_teacher = {**TEACHERS, **_of_others("teachers")}
        if only is not None:
            every_teacher = _of_package(only)
        every_learner = {**LEARNERS, **_of_others("learners")}
        chosen = cls(
            _look_up("teachers", teachers, every_teacher, only),
            _look_up("learners", learners, every_learner),
            tasks or tuple(TASKS),
            seeds,
        )
        for text in chosen.teachers.values():
            _teacher(text)
        for text in chosen.learners.values():
            _check_learner(text)
        return chosen


def find_assumed(
    teachers: Mapping[str, str], learners: Mapping[str, str]
) -> dict[str, frozenset[str]]:
    """Return the names of the learners for which each teacher was made, by the teacher's name."""
    return {
        name: frozenset(
            learner for learner, own in learners.items() if _name(own) == ASSUMED.get(_name(text))
        )
        for name, text in teachers.items()
    }


def _name(text: str) -> str:
    """Return the registered name in a text with settings."""
    return text.partition(":")[0].strip()


@cache
def _teacher(text: str) -> AbstractTeacher:
    """Return the teacher that a text describes, with the first kind of pool that it accepts."""
    return _first(lambda pool: teacher_for(text, pool), POOLS)


def _check_learner(text: str) -> None:
    """Refuse a learner that cannot be made for any kind of answers."""
    _first(lambda task: learner_for(text, task_from_seed(task, 0)), ("directions", "categories"))


def _first(make: Callable[[Kind], Made], kinds: Iterable[Kind]) -> Made:
    """Return what ``make`` returns for the first kind it accepts; if none, raise its error."""
    reasons = []
    for kind in kinds:
        try:
            return make(kind)
        except InputError as reason:
            reasons.append(reason)
    raise reasons[0]


def _of_others(kind: str) -> dict[str, str]:
    """Return the components of a kind that other packages register, by name."""
    return {
        name: name for name in _plugins.names(kind) if _plugins.package(kind, name) != "homeroom"
    }


def _of_package(package: str) -> dict[str, str]:
    """Return the teachers that a package registers, by name."""
    if _same(package, "homeroom"):
        return dict(TEACHERS)
    found = {
        name: name
        for name in _plugins.names("teachers")
        if _same(_plugins.package("teachers", name), package)
    }
    if not found:
        raise InputError(
            f"No installed package called {package!r} registers a teacher: install it, and declare "
            'the teacher under [project.entry-points."homeroom.teachers"].'
        )
    return found


def _same(package: str, other: str) -> bool:
    """Return whether two names of packages are the same, as installers compare them."""
    return package.lower().replace("_", "-") == other.lower().replace("_", "-")


def _look_up(
    kind: str, asked: Sequence[str], known: Mapping[str, str], only: str | None = None
) -> dict[str, str]:
    """Return the description of each component that was asked for, by name; all if none was.

    Names may be separated by commas. Text with settings may contain commas, so it is not split.
    """
    if not asked:
        return dict(known)
    parts = [part for text in asked for part in ([text] if ":" in text else text.split(","))]
    chosen = {}
    for name in map(str.strip, parts):
        if not name:
            raise InputError(f"--{kind} has an empty name: choose from {', '.join(known)}.")
        chosen[name] = known.get(name, name)
        registered = chosen[name].partition(":")[0].strip()
        if registered not in _plugins.names(kind):
            close = difflib.get_close_matches(name, known, n=1)
            raise InputError(
                f"There is no {_plugins.KINDS[kind]} called {name!r}: "
                f"{f'did you mean {close[0]!r}? ' if close else ''}choose from {', '.join(known)}."
            )
        if only is not None and not _same(_plugins.package(kind, registered), only):
            raise InputError(
                f"{name} is not a teacher of {only}: choose from {', '.join(known)}, or leave out "
                "--only."
            )
    return chosen


def cells_of(chosen: Chosen) -> dict[tuple[str, str, str, int], ExperimentCell]:
    """Return the inputs of each lesson, by teacher, learner, task and seed."""
    return {
        (teacher, learner, task, seed): cell_of(text, learner_text, task, seed)
        for seed in range(chosen.seeds)
        for task in chosen.tasks
        for learner, learner_text in chosen.learners.items()
        for teacher, text in chosen.teachers.items()
    }


def forget_failures(store: CellStore) -> None:
    """Forget stored lessons that ended with an error, so that they are taught again."""
    store.rows = {key: rows for key, rows in store.rows.items() if "failed" not in rows[0]}


def measure(
    chosen: Chosen,
    store: CellStore,
    executor: Executor,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> tuple[list[CellResult], list[Row]]:
    """Run the lessons that are not stored yet; return the result of each cell, and all lessons.

    A lesson is a row with its teacher, learner, task, seed, ``T``, ``S`` and why it stopped; or,
    if the code of its teacher or learner raised an error, with that error, ``failed``.

    Parameters
    ----------
    chosen
        What is compared.
    store
        Where finished lessons are kept: a run that was killed resumes from there.
    executor
        Processes, or the workers of a cluster.
    progress
        Called with the number of finished lessons and of all lessons.
    """
    forget_failures(store)
    lessons = cells_of(chosen)
    found = run_cells(lessons.values(), store, executor, progress)
    rows: dict[tuple[str, str, str], list[Row]] = {}
    listed = []
    for (teacher, learner, task, seed), cell in lessons.items():
        row = found[cell][0]
        rows.setdefault((teacher, learner, task), []).append(row)
        if "refused" not in row:
            where = {"teacher": teacher, "learner": learner, "task": task, "seed": seed}
            names = ("failed",) if "failed" in row else ("T", "S", "stopped")
            listed.append({**where, **{name: row[name] for name in names}})
    return [cell_result(*key, own) for key, own in rows.items()], listed


def load_results() -> list[CellResult]:
    """Return the results of homeroom's own teachers, which are part of the package."""
    text = files("homeroom.studies").joinpath("bench_results.json").read_text(encoding="utf-8")
    return [CellResult.from_json(values) for values in json.loads(text)["cells"]]
