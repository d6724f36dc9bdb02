"""The planned teacher against classroom teaching: twenty classes for each setting."""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.timing import Line, in_processes
from homeroom import Classroom, ClassroomTeacher, Lesson, PlannedTeacher, Record, teach
from homeroom.goals import AverageGoal
from homeroom.moments import sketch_of
from homeroom.moments.representatives import Representatives
from homeroom.teachers.planning.objective import Objective
from homeroom.teachers.planning.plan import make_plan
from homeroom.teachers.planning.population import represent_sketch
from homeroom.teachers.planning.request import Request
from homeroom.teachers.planning.search import MANY_STEPS
from homeroom.teachers.planning.simulation import Simulation, polish
from homeroom.teachers.planning.transients import ClassLimits

SEEDS = range(int(os.environ.get("SEEDS", "20")))
RANDOM_STARTS, RANDOM_SEEDS = 10, 3
GOAL = 0.1


class Setting(NamedTuple):
    """A kind of class, and how few rounds a plan must need relative to static and dynamic.

    That is for exact rates; where they may be off, plans are longer.
    """

    radius: float
    diversity: float
    of_static: float
    of_dynamic: float | None


SETTINGS = (
    Setting(2.0, 0.15, 0.98, None),
    Setting(2.0, 0.5, 0.49, 0.82),
    Setting(2.0, 0.9, 0.41, 0.72),
    Setting(2.0, 4.9, 0.28, 0.53),
    Setting(10.0, 0.5, 0.44, None),
)


def a_class(seed: int, diversity: float, radius: float = 2.0, students: int = 300) -> Classroom:
    """Return a class in 25 dimensions, rates from 0.1 to 0.1 + diversity, a unit target."""
    rng = np.random.default_rng(100 + seed)
    rates = 0.1 + diversity * rng.random(students)
    target = rng.standard_normal(25)
    target /= np.linalg.norm(target)
    return Classroom(rng.standard_normal((students, 25)), rates, target, example_radius=radius)


def by_classroom(room: Classroom, magnitude: str) -> int:
    """Return the rounds of classroom teaching."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dynamic magnitude may move fast students away
        return teach(room, teacher=ClassroomTeacher(magnitude)).rounds


def replayed(room: Classroom, record: Record) -> tuple[float, float]:
    """Return the class's error after a record's examples, and how far a student was at the worst.

    The latter relative to the distance of the farthest student at the start.
    """
    gaps = room.gaps
    worst = farthest = float(room.squared_distances.max())
    for x in record.examples.xs:
        gaps = gaps - (room.rates * (gaps @ x))[:, None] * x
        worst = max(worst, float(np.vecdot(gaps, gaps).max()))
    return float(np.vecdot(gaps, gaps).mean()), math.sqrt(worst / farthest)


def best_random(room: Classroom, rounds: int, rng: np.random.Generator) -> float:
    """Return the least error of ten lessons polished from random directions and lengths."""
    students = np.full(room.students, 1.0 / room.students)
    everybody = np.ones(room.students, dtype=bool)
    rows = Representatives(room.gaps, room.rates, students, everybody, float(room.rates.max()))
    simulation = Simulation(rows, Objective.of(AverageGoal(GOAL), rows, room.students))
    found = []
    for _ in range(RANDOM_STARTS):
        lengths = np.minimum(1.0 / np.sqrt(rng.choice(room.rates, rounds)), room.example_radius)
        units = rng.standard_normal((rounds, room.dimensions))
        units /= np.linalg.norm(units, axis=1, keepdims=True)
        start = np.sort(lengths)[:, None] * units
        found.append(polish(simulation, start, room.example_radius, steps=MANY_STEPS).value)
    return min(found)


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    jobs = [(setting, seed) for setting in SETTINGS for seed in SEEDS]
    found = dict(zip(jobs, in_processes(of_class, *zip(*jobs, strict=True)), strict=True))
    for setting in SETTINGS:
        yield from _against_classroom_teaching(setting, [found[setting, seed] for seed in SEEDS])
    yield from _times()
    yield _from_a_sketch()


class Measured(NamedTuple):
    """What the lessons of one class gave."""

    rounds: dict[str, int]
    transient: float
    broken: float
    against_random: float | None


WAYS = ("static", "dynamic", "exact rates", "rates within 10 %")


def of_class(setting: Setting, seed: int) -> Measured:
    """Teach one class in all ways; for the first seeds, also plan from random starts."""
    room = a_class(seed, setting.diversity, setting.radius)
    rounds = {way: by_classroom(room, way) for way in WAYS[:2]}
    transients, broken, against_random = [], [], None
    for way, within in zip(WAYS[2:], (0.0, 0.1), strict=True):
        record = teach(room, teacher=PlannedTeacher(rates_within=within))
        error, transient = replayed(room, record)
        rounds[way] = record.rounds
        transients.append(transient)
        broken.append(abs(error / record.plans[0]["expected_error"] - 1.0))
        if not within and seed < RANDOM_SEEDS:
            against_random = error / best_random(room, record.rounds, np.random.default_rng(seed))
    return Measured(rounds, max(transients), max(broken), against_random)


def _against_classroom_teaching(setting: Setting, classes: list[Measured]) -> Iterator[Line]:
    radius, diversity, of_static, of_dynamic = setting
    rounds = {way: [measured.rounds[way] for measured in classes] for way in WAYS}
    static, dynamic, exact, off = (np.array(rounds[way]) for way in WAYS)
    where = f"radius {radius:g}, diversity {diversity:g}: "
    medians = {way: float(np.median(rounds[way])) for way in WAYS}
    limits = {"static": of_static, "dynamic": of_dynamic}
    for way in WAYS[2:]:
        for against, limit in limits.items():
            yield Line(
                f"{where}rounds, {way}",
                medians[way],
                against,
                medians[against],
                limit if way == "exact rates" else None,
                unit="",
            )
    for way, planned in zip(WAYS[2:], (exact, off), strict=True):
        worst = int((planned / np.minimum(static, dynamic)).argmax())
        better = float(min(static[worst], dynamic[worst]))
        yield Line(
            f"{where}the worst class, {way}",
            float(planned[worst]),
            "better CT",
            better,
            1.0,
            unit="",
        )
    yield Line(
        f"{where}farthest a student is",
        max(measured.transient for measured in classes),
        "at the start",
        1.0,
        1 + 1e-9,
        unit="",
    )
    broken = max(measured.broken for measured in classes)
    yield Line(f"{where}error, off from the planned one", broken, "rounding", 1e-9, 1.0, unit="")
    worst_error = max(m.against_random for m in classes if m.against_random is not None)
    yield Line(f"{where}error", worst_error, "best of ten random starts", 1.0, 1.03, unit="")


def _times() -> Iterator[Line]:
    """Yield how long planning takes, in seconds of one core."""
    for polish_too, limit in ((True, 10.0), (False, 1.0)):
        seconds = []
        for seed in SEEDS:
            lesson = Lesson(a_class(seed, 0.5), teacher=PlannedTeacher(polish=polish_too))
            start = time.process_time()
            lesson.ask()
            seconds.append(time.process_time() - start)
        what = "planning, diversity 0.5" + ("" if polish_too else ", not polished")
        yield Line(f"{what}, the slowest", max(seconds), "allowed", limit, 1.0)


def _from_a_sketch() -> Line:
    room = a_class(0, 0.5, students=10_000_000)
    sketch = sketch_of(room)
    limits = ClassLimits(float(room.rates.min()), float(room.rates.max()), room.dimensions, 0.1)
    request = Request(
        AverageGoal(GOAL), room.example_radius**2, polish=True, at_most=1000, limits=limits
    )
    start = time.process_time()
    plan = make_plan(represent_sketch(sketch), request, np.random.default_rng(0))
    seconds = time.process_time() - start
    what = f"planning {plan.rounds} rounds from a sketch of 10,000,000 students"
    return Line(what, seconds, "allowed", 15.0, 1.0)
