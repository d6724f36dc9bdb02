"""Distances of students during planned lessons, with exact and with uncertain rates.

Classes of many kinds, each from its own seed. Lessons are replayed in long doubles. ``CLASSES`` and
``EFFORT`` (the part of the planner's work, 0.1 unless given) set how long it takes, ``FIRST`` the
first seed. With ``PARTS=FOLDER`` every class is kept there, and not done again.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.disturbed import WithFirstPlan
from benchmarks.timing import Line, in_processes
from homeroom import (
    AverageGoal,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    Lesson,
    PlannedTeacher,
    Record,
    StoppedBecause,
    teach,
)
from homeroom._arrays import Floats
from homeroom.goals import AbstractGoal, ClassProgress, DistanceGoal
from homeroom.teachers import AbstractTeacher, planned
from homeroom.teachers.planning.request import BUDGET

CLASSES = int(os.environ.get("CLASSES", "200"))
FIRST = int(os.environ.get("FIRST", "0"))
OTHERS = CLASSES // 4
EFFORT = float(os.environ.get("EFFORT", "0.1"))
KINDS = ("uniform", "two clusters", "one outlier", "low rank", "everyone")
ROUNDING = 1.0 + 1e-9


def a_class(seed: int, kind: str) -> Classroom:
    """Return a class of 5 to 200 students whose rates span one to three decades."""
    rng = np.random.default_rng(seed)
    students, dimensions = int(rng.integers(5, 201)), int(rng.integers(1, 26))
    decades, fastest = rng.uniform(1.0, 3.0), 10.0 ** rng.uniform(-1.0, 1.0)
    slowest, radius = fastest / 10.0**decades, float(rng.uniform(1.0, 8.0))
    rates = np.exp(rng.uniform(np.log(slowest), np.log(fastest), students))
    if kind == "uniform":
        rates = rng.uniform(slowest, fastest, students)
    elif kind == "two clusters":
        ends = np.where(rng.random(students) < 0.5, slowest, fastest)
        rates = ends * np.exp(0.1 * rng.standard_normal(students))
    elif kind == "one outlier":
        rates = slowest * (1.0 + 0.2 * rng.random(students))
        rates[0] = fastest
    states = rng.standard_normal((students, dimensions))
    if kind == "low rank":
        centres = rng.standard_normal((3, dimensions))
        states = centres[rng.integers(3, size=students)] + 1e-3 * states
    target = rng.standard_normal(dimensions)
    return Classroom(states, rates, target / np.linalg.norm(target), example_radius=radius)


def along(room: Classroom, xs: Floats, rates: Floats) -> Any:
    """Return all squared distances at the start and after each example, in long doubles."""
    gaps = np.asarray(room.gaps, dtype=np.longdouble)
    found = [(gaps * gaps).sum(axis=1)]
    for x in np.asarray(xs, dtype=np.longdouble):
        gaps = gaps - (rates.astype(np.longdouble) * (gaps @ x))[:, None] * x
        found.append((gaps * gaps).sum(axis=1))
    return np.array(found)


def with_rates(room: Classroom, rates: Floats, teacher: AbstractTeacher, goal: AbstractGoal) -> Any:
    """Teach students whose rates the teacher does not know; return all squared distances."""
    lesson, states = Lesson(room, teacher=teacher, goal=goal), room.states
    while (example := lesson.ask()) is not None:
        assert not isinstance(example, tuple)
        states = states - (rates * ((states - room.target) @ example.x))[:, None] * example.x
        lesson.tell(states=states)
    return along(room, lesson.record().examples.xs, rates)


def farthest(squared: Any) -> float:
    """Return the largest distance of a student, relative to the farthest at the start."""
    return math.sqrt(float(squared.max() / squared[0].max()))


def moved_away(squared: Any) -> float:
    """Return the largest increase of a student's distance in a round."""
    return math.sqrt(float((squared[1:] / np.maximum(squared[:-1], 1e-300)).max(initial=1.0)))


def kept(squared: Any, record: Record, goal: DistanceGoal) -> dict[str, float]:
    """Return how far students are relative to their limits, and whether a goal is wrong."""
    own = np.maximum(4.0 * squared[0], goal.limit)
    false = record.stopped_because is StoppedBecause.GOAL and not goal.reached(
        ClassProgress(float(squared[-1].mean()), math.sqrt(float(squared[-1].max())))
    )
    limits = {"farthest": farthest(squared), "own": math.sqrt(float((squared / own).max()))}
    return {**limits, "false": float(false)}


def measured(seed: int, kind: str) -> dict[str, Any]:
    """Return everything about one class."""
    planned.BUDGET = EFFORT * BUDGET  # type: ignore[attr-defined]
    room, rng = a_class(seed, kind), np.random.default_rng(seed)
    goal: DistanceGoal = EveryoneGoal(0.5) if kind == "everyone" else AverageGoal(0.1)
    found: dict[str, Any] = {"seed": seed, "kind": kind}
    lesson = Lesson(room, teacher=PlannedTeacher(rates_within=0.0), goal=goal)
    start = time.process_time()
    lesson.ask()
    found["seconds"] = time.process_time() - start
    while lesson.ask() is not None:
        lesson.tell()
    record = lesson.record()
    found |= kept(along(room, record.examples.xs, room.rates), record, goal)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found["rounds"] = record.rounds
        found["static"] = teach(room, goal=goal).rounds
        safe = ClassroomTeacher("dynamic", safe=True)
        found["dynamic safe"] = teach(room, teacher=safe, goal=goal).rounds
    usual = WithFirstPlan(PlannedTeacher(polish=seed % 4 == 0))
    record = teach(room, teacher=usual, goal=goal)
    found["rounds within 10 %"] = record.rounds
    of_usual = kept(along(room, record.examples.xs, room.rates), record, goal)
    found |= {f"{name} within 10 %": value for name, value in of_usual.items()}
    for part in (0.01, 0.1):
        rates = room.rates * (1.0 + part * rng.uniform(-1.0, 1.0, room.students))
        found[f"off by {part:g}"] = farthest(with_rates(room, rates, usual, goal))
        found[f"off by {part:g}, not watched"] = farthest(along(room, record.examples.xs, rates))
    normal = room.rates * np.maximum(1.0 + 0.1 * rng.standard_normal(room.students), 0.1)
    found["off by 0.1, normal"] = farthest(with_rates(room, normal, usual, goal))
    by_safe = with_rates(room, rates, PlannedTeacher(safe=True, polish=False), goal)
    found["moved away by safe"] = moved_away(by_safe)
    return found


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    seeds = range(FIRST, FIRST + CLASSES + OTHERS)
    wanted = [(seed, "log-uniform") for seed in seeds[:CLASSES]]
    wanted += [(seed, KINDS[seed % len(KINDS)]) for seed in seeds[CLASSES:]]
    found = in_processes(measured, *zip(*wanted, strict=True))
    yield from _table("log-uniform rates", found[:CLASSES])
    yield from _table("other classes", found[CLASSES:])


def _table(which: str, found: list[dict[str, Any]]) -> Iterator[Line]:
    if not found:
        return

    def column(name: str) -> Floats:
        return np.array([one[name] for one in found], dtype=np.float64)

    which = f"{len(found)} classes, {which}: "
    for ways in ("", " within 10 %"):
        rates = "rates within 10 %" if ways else "exact rates"
        far = float(column(f"farthest{ways}").max())
        yield Line(f"{which}farthest, {rates}", far, "at the start", 1.0, ROUNDING, unit="")
        own = float(column(f"own{ways}").max())
        yield Line(f"{which}farthest, {rates}", own, "own limit", 1.0, ROUNDING, unit="")
        false = float(column(f"false{ways}").sum())
        yield Line(
            f"{which}false goals, {rates}", false, "classes", float(len(found)), 0.0, unit=""
        )
    better = np.minimum(column("static"), column("dynamic safe"))
    ratios = column("rounds") / better
    worst = float(ratios.max())
    yield Line(f"{which}rounds, the worst ratio", worst, "safe", 1.0, 1.0, unit="")
    yield Line(f"{which}rounds, median ratio", float(np.median(ratios)), "safe", 1.0, unit="")
    off = float(np.median(column("rounds within 10 %") / better))
    yield Line(f"{which}rounds within 10 %, median ratio", off, "safe", 1.0, unit="")
    for name, limit in (
        ("off by 0.01", None),
        ("off by 0.01, not watched", None),
        ("off by 0.1", 1.5),
        ("off by 0.1, not watched", 1.5),
        ("off by 0.1, normal", 1.5),
    ):
        values = column(name)
        for what, value in (
            ("median", float(np.median(values))),
            ("95 %", float(np.quantile(values, 0.95))),
            ("worst", float(values.max())),
        ):
            kept_to = limit if what == "95 %" else None
            yield Line(f"{which}rates {name}, {what}", value, "at the start", 1.0, kept_to, unit="")
    away = float(column("moved away by safe").max())
    yield Line(f"{which}safe, moved away in a round", away, "before it", 1.0, ROUNDING, unit="")
    seconds = column("seconds")
    yield Line(f"{which}planning, median", float(np.median(seconds)), "1 s", 1.0)
    yield Line(f"{which}planning, slowest", float(seconds.max()), "1 s", 1.0)
