"""Which teachers, learners and tasks are compared, and running all of their lessons."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from homeroom import _plugins
from homeroom._checks import InputError
from homeroom.matrix.lesson_cells import cell_of, run_lesson_cell, teacher_for
from homeroom.matrix.summary import CellResult, cell_result
from homeroom.matrix.tasks import LEARNERS, TASKS, TEACHERS
from homeroom.paper.experiment_cells import CellStore, run_cells
from homeroom.paper.rows import Row
from homeroom.pools import Ball

MOST_SEEDS = 1000


@dataclass(frozen=True)
class Chosen:
    """What is compared: texts of teachers and learners by their names in the report.

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
        """Return what these names stand for; all that are installed where none is given.

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
        return cls(
            _named("teachers", teachers, every_teacher),
            _named("learners", learners, {**LEARNERS, **_of_others("learners")}),
            tasks or tuple(TASKS),
            seeds,
        )

    @property
    def assumed(self) -> dict[str, frozenset[str]]:
        """The learners that each teacher assumes, by their names in the report."""
        return {
            name: frozenset(
                learner
                for learner, own in self.learners.items()
                if own.partition(":")[0].strip() == _assumed_by(text)
            )
            for name, text in self.teachers.items()
        }


@cache
def _assumed_by(text: str) -> str | None:
    return teacher_for(text, Ball()).assumes


def _of_others(kind: str) -> dict[str, str]:
    """Return the components that other packages register."""
    return {
        name: name for name in _plugins.names(kind) if _plugins.package(kind, name) != "homeroom"
    }


def _of_package(package: str) -> dict[str, str]:
    wanted = package.lower().replace("_", "-")
    found = {
        name: name
        for name in _plugins.names("teachers")
        if _plugins.package("teachers", name).lower().replace("_", "-") == wanted
    }
    if not found:
        raise InputError(
            f"No installed package called {package!r} registers a teacher: install it, and declare "
            'the teacher under [project.entry-points."homeroom.teachers"].'
        )
    return found


def _named(kind: str, asked: Sequence[str], known: Mapping[str, str]) -> dict[str, str]:
    if not asked:
        return dict(known)
    chosen = {}
    for text in asked:
        # Texts with settings have commas of their own.
        for part in [text] if ":" in text else text.split(","):
            name = part.strip()
            chosen[name] = known.get(name, name)
            _plugins.find(kind, chosen[name].partition(":")[0].strip())
    return chosen


def measured(
    chosen: Chosen,
    store: CellStore,
    executor: Executor,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> tuple[list[CellResult], list[Row]]:
    """Run the lessons that are not stored yet; return the result of each cell, and all lessons.

    Parameters
    ----------
    chosen
        What is compared.
    store
        Where finished lessons are kept: a run that was killed resumes from there.
    executor
        Processes, or the workers of a cluster.
    progress
        Called with the number of finished lessons and the number of all.
    """
    lessons = {
        (teacher, learner, task, seed): cell_of(text, learner_text, task, seed)
        for seed in range(chosen.seeds)
        for task in chosen.tasks
        for learner, learner_text in chosen.learners.items()
        for teacher, text in chosen.teachers.items()
    }
    found = run_cells(lessons.values(), store, executor, progress, run_lesson_cell)
    rows: dict[tuple[str, str, str], list[Row]] = {}
    listed = []
    for (teacher, learner, task, seed), cell in lessons.items():
        row = found[cell][0]
        rows.setdefault((teacher, learner, task), []).append(row)
        if "refused" not in row:
            where = {"teacher": teacher, "learner": learner, "task": task, "seed": seed}
            listed.append({**where, **{name: row[name] for name in ("T", "S", "stopped")}})
    return [cell_result(*key, own) for key, own in rows.items()], listed


def shipped_results() -> list[CellResult]:
    """Return the results of this version's own teachers, which come with the package."""
    text = files("homeroom.matrix").joinpath("results.json").read_text(encoding="utf-8")
    return [CellResult.from_json(values) for values in json.loads(text)["cells"]]
