"""Section 6.1: synthetic classes, and the lessons that are measured on them.

An experiment returns one row per observation. ``T`` is the number of examples that the teacher
shows in all, ``S`` the number that a student sees on average.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom.advice import certify
from homeroom.classroom import Classroom, project
from homeroom.engines.batch import Rule, rounds_needed
from homeroom.goals import AverageGoal
from homeroom.groups import AbstractGrouping, AsGiven, AtRandom, ByRate, Individuals, WholeClass
from homeroom.lessons import Lesson, Record, StoppedBecause, teach
from homeroom.lessons.strategies import quiet_overflow
from homeroom.moments.representatives import Representatives, themselves
from homeroom.observers import NoisyStates
from homeroom.paper.rows import Row
from homeroom.paper.settings import PaperSettings
from homeroom.pools import AbstractPool
from homeroom.teachers import ClassroomTeacher, PoolTeacher

LIMIT = 5_000
"""The number of rounds after which a lesson that has not reached its goal is abandoned."""

PLANE_GROUPS = np.repeat([0, 1], 6)
"""The group of each student in figure 2."""

PLANE_ROUNDS = 6
"""The largest number of rounds in figure 2."""

FOUR_WAYS = ("CT", "CTwP-Opt", "CTwP-Rand", "IT")
"""The ways of teaching: the whole class, groups, random groups, individuals."""

UNREACHED: Row = {"T": None, "S": None}
"""The costs of a lesson that did not reach its goal."""

FOUR_STUDENTS = ("slow, far", "fast, far", "slow, near", "fast, near")
"""The students whose errors figure 3a shows."""


def mixed_class(settings: PaperSettings, seed: int) -> Classroom:
    """Return the class of figures 3a and 3d: rates between 0.05 and 0.25 by default."""
    return _class_with_rates(settings, settings.mixed_slowest, settings.mixed_fastest, seed)


def class_with_diverse_rates(settings: PaperSettings, diversity: float, seed: int) -> Classroom:
    """Return a class whose rates lie between the slowest and the slowest plus ``diversity``."""
    return _class_with_rates(settings, settings.slowest, settings.slowest + diversity, seed)


def _class_with_rates(settings: PaperSettings, low: float, high: float, seed: int) -> Classroom:
    """Return a class with rates drawn between two limits, as the settings describe it."""
    # The order of the draws is fixed: rates, target, states.
    rng = np.random.default_rng(seed)
    draws = rng.random(settings.students)
    if settings.rate_law == "log-uniform":
        rates = low * (high / low) ** draws
    else:
        rates = low + (high - low) * draws
    target = rng.standard_normal(settings.dimensions)
    target *= settings.target_length / math.sqrt(float(target @ target))
    shape = (settings.students, settings.dimensions)
    if settings.states == "uniform":  # on a cube with the same standard deviation
        states = math.sqrt(12.0) * settings.spread * (rng.random(shape) - 0.5)
    else:
        states = settings.spread * rng.standard_normal(shape)
    return _classroom(settings, states, rates, target)


def class_in_a_subspace(settings: PaperSettings, rank: int, seed: int) -> Classroom:
    """Return a class with equal rates that errs in only ``rank`` directions."""
    rng = np.random.default_rng(seed)
    target = rng.standard_normal(settings.dimensions)
    target *= settings.target_length / math.sqrt(float(target @ target))
    gaps = settings.spread * rng.standard_normal((settings.students, rank))
    basis = np.linalg.qr(rng.standard_normal((settings.dimensions, rank)))[0]
    rates = np.full(settings.students, settings.slowest)
    return _classroom(settings, target + gaps @ basis.T, rates, target)


def class_with_diverse_knowledge(
    settings: PaperSettings, clusters: int, seed: int
) -> tuple[Classroom, np.ndarray]:
    """Return a class in clusters, each centred on its own axis, and the cluster of each student."""
    rng = np.random.default_rng(seed)
    students, dimensions = settings.students, settings.knowledge_dimensions
    target = rng.standard_normal(dimensions)
    target *= settings.target_length / math.sqrt(float(target @ target))
    cluster_of = np.arange(students) * clusters // students
    states = settings.cluster_spread * rng.standard_normal((students, dimensions))
    states[np.arange(students), cluster_of] += settings.centre
    rates = settings.knowledge_rate + settings.knowledge_width * rng.random(students)
    return _classroom(settings, states, rates, target), cluster_of


def _classroom(
    settings: PaperSettings, states: np.ndarray, rates: np.ndarray, target: np.ndarray
) -> Classroom:
    """Return a class; states and target are projected into the ball of states."""
    radius = settings.state_radius
    return Classroom(
        project(states, radius),
        rates,
        project(target[None], radius)[0],
        state_radius=radius,
        example_radius=settings.example_radius,
    )


def rates(
    settings: PaperSettings,
    diversities: Sequence[float],
    seed: int,
    variation: str = "",
    ways: Sequence[str] = FOUR_WAYS,
) -> list[Row]:
    """Teach classes with diverse rates in some of the four ways (figures 3b, 3c, 3e)."""
    classes = [
        TaughtClass(
            class_with_diverse_rates(settings, diversity, seed),
            ByRate(),
            {"variation": variation, "kind": "rates", "diversity": diversity},
        )
        for diversity in diversities
    ]
    return teach_four_ways(settings, classes, seed, ways=ways)


def knowledge(
    settings: PaperSettings,
    clusters: Sequence[int],
    seed: int,
    variation: str = "",
    ways: Sequence[str] = FOUR_WAYS,
) -> list[Row]:
    """Teach classes with diverse prior knowledge in some of the four ways (figure 3f)."""
    classes = []
    for count in clusters:
        room, cluster_of = class_with_diverse_knowledge(settings, count, seed)
        where = {"variation": variation, "kind": "knowledge", "diversity": count}
        classes.append(TaughtClass(room, AsGiven(cluster_of), where))
    return teach_four_ways(settings, classes, seed, ways=ways)


def whole_class(settings: PaperSettings, diversity: float, seed: int, variation: str) -> list[Row]:
    """Teach a class with diverse rates as a whole (the dip of figures 3b and 3c)."""
    room = class_with_diverse_rates(settings, diversity, seed)
    where = {"variation": variation, "diversity": diversity, "seed": seed}
    return [{**where, "T": rounds_to_goal(teach_whole_class(settings, room))}]


def lesson(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach the class of figure 3a; return its error, that of four students, and the bound."""
    room = with_four_students(mixed_class(settings, seed))
    record = teach(
        room,
        teacher=ClassroomTeacher(settings.whole_magnitude),
        goal=AverageGoal(settings.eps),
        watch=[number % room.students for number in range(len(FOUR_STUDENTS))],
    )
    proved = certify(room, goal=AverageGoal(settings.eps))
    return [
        {
            "seed": seed,
            "round": number,
            "error": float(error),
            "bound": proved.bound(number),
            **dict(zip(FOUR_STUDENTS, watched.tolist(), strict=True)),
        }
        for number, (error, watched) in enumerate(
            zip(record.errors, record.watched_errors, strict=True)
        )
    ]


def with_four_students(room: Classroom) -> Classroom:
    """Return a class whose first four students are those of the paper's source.

    Two start at the same place far from the target, two at the same place near it. Of each pair,
    one has the rate 0.05 and the other 0.15.
    """
    by_distance = np.argsort(room.squared_distances)
    far, near = (by_distance[int(share * (room.students - 1))] for share in (0.9, 0.1))
    states, rates = np.array(room.states), np.array(room.rates)
    starts, slow_and_fast = [states[far], states[near]], [0.05, 0.15]
    chosen = min(len(FOUR_STUDENTS), room.students)
    states[:chosen] = np.repeat(starts, 2, axis=0)[:chosen]
    rates[:chosen] = np.tile(slow_and_fast, 2)[:chosen]
    return replace(room, states=states, rates=rates)


def counter_examples(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach two students together and individually, for errata 7 and 8 of the paper.

    "rates far apart": with the static magnitude for both, the fast student keeps it small for the
    slow one. "near the goal": the squared distances are 1.1 and 0.5 times the goal, so the mean is
    within it, and one student is not.
    """
    near = Classroom(np.sqrt(settings.eps * np.array([[1.1], [0.5]])), [0.1, 0.1], [0.0])
    static = replace(settings, whole_magnitude="static", group_magnitude="static", eps=0.01)
    return [
        {
            **{"variation": "", "kind": kind, "diversity": 0.0, "seed": seed, "way": one.way},
            **_costs(how, [one], seed)[one],
        }
        for kind, room, how in (
            ("near the goal", near, settings),
            ("rates far apart", Classroom(np.eye(2), [0.1, 5.0], np.zeros(2)), static),
        )
        for one in (MeasuredWay(room, WholeClass(), "CT"), MeasuredWay(room, Individuals(), "IT"))
    ]


def noisy_states(
    settings: PaperSettings, delta: float, seed: int, variation: str = ""
) -> list[Row]:
    """Teach with noisy observations of the states (figure 3d)."""
    room = mixed_class(settings, seed)
    observer = NoisyStates(delta, law=settings.noise)
    record = teach_whole_class(settings, room, observer=observer, seed=seed)
    where = {"variation": variation, "kind": "noise", "delta": delta}
    return [{**where, "seed": seed, "T": rounds_to_goal(record)}]


def individually(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach the students of figures 3a and 3d individually, with exact observations."""
    alone = MeasuredWay(mixed_class(settings, seed), Individuals(), "IT")
    return [{"seed": seed, "T": _costs(settings, [alone], seed)[alone]["T"]}]


def who_takes_longer(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach the class of figure 3a; return after how many rounds each student reached the goal."""
    room = mixed_class(settings, seed)
    record = teach_whole_class(settings, room, watch=range(room.students))
    reached = record.watched_errors <= settings.eps
    rounds = np.where(reached.any(axis=0), reached.argmax(axis=0), len(reached))
    return [
        {"seed": seed, "rate": float(rate), "distance": float(distance), "rounds": int(number)}
        for rate, distance, number in zip(
            room.rates, np.sqrt(room.squared_distances), rounds, strict=True
        )
    ]


def three_ways(seed: int) -> list[Row]:
    """Teach twelve students in the plane in three ways; return their paths and the examples."""
    rng = np.random.default_rng(seed)
    centres = np.array([[2.4, 0.5], [-0.6, 2.0]])[PLANE_GROUPS]
    room = Classroom(centres + 0.28 * rng.standard_normal((12, 2)), np.full(12, 0.15), [0.0, 0.0])
    ways: dict[str, AbstractGrouping] = {
        "individually": Individuals(),
        "whole class": WholeClass(),
        "two groups": AsGiven(PLANE_GROUPS),
    }
    rows: list[Row] = []
    for way, groups in ways.items():
        lesson = Lesson(room, groups=groups, max_rounds=PLANE_ROUNDS)
        rows += _positions(lesson, way, 0)
        number = 0
        while (asked := lesson.ask()) is not None:
            shown = asked if isinstance(asked, tuple) else (asked,)
            rows += [
                {"way": way, "kind": "example", "who": i, "round": number, **place(example.x)}
                for i, example in enumerate(shown)
                if example is not None
            ]
            lesson.tell()
            number += 1
            rows += _positions(lesson, way, number)
    return rows


def _positions(lesson: Lesson, way: str, number: int) -> list[Row]:
    """Return one row per student with their position after a number of rounds."""
    states = lesson.record().final_states
    return [
        {"way": way, "kind": "student", "who": who, "round": number, **place(state)}
        for who, state in enumerate(states)
    ]


def place(point: Floats) -> dict[str, float]:
    """Return a point of the plane as columns of a row."""
    return {"x": float(point[0]), "y": float(point[1])}


def teach_whole_class(settings: PaperSettings, room: Classroom, **options: Any) -> Record:
    """Teach a class as a whole; ``options`` are those of :func:`homeroom.teach`."""
    options.setdefault("teacher", ClassroomTeacher(settings.whole_magnitude))
    options.setdefault("max_rounds", LIMIT)
    return teach(room, goal=AverageGoal(settings.eps), **options)


def rounds_to_goal(record: Record) -> int | None:
    """Return the number of rounds of a lesson, or ``None`` if it did not reach its goal."""
    return record.rounds if record.stopped_because is StoppedBecause.GOAL else None


def four_ways(groups: AbstractGrouping, count: int) -> dict[str, AbstractGrouping]:
    """Return the groupings that are compared: ``groups``, and random groups of the same number."""
    return {
        "CT": WholeClass(),
        "CTwP-Opt": groups,
        "CTwP-Rand": AtRandom(count),
        "IT": Individuals(),
    }


@dataclass(frozen=True, eq=False)
class TaughtClass:
    """A class that is taught in several ways, its groups, and the columns of all its rows."""

    room: Classroom
    groups: AbstractGrouping
    where: Row


def teach_four_ways(
    settings: PaperSettings,
    classes: Sequence[TaughtClass],
    seed: int,
    items: AbstractPool | None = None,
    ways: Sequence[str] = FOUR_WAYS,
) -> list[Row]:
    """Teach classes in the four ways; return one row per class and way.

    Examples are free vectors, or ``items`` if given. ``ways`` are those that are measured.
    """
    wanted: dict[tuple[int, str], MeasuredWay] = {}
    for number, own in enumerate(classes):
        count = int(own.groups.split(own.room, np.random.default_rng(seed)).max()) + 1
        splits = four_ways(own.groups, count)
        for way in ways:
            # A single group is the same class, however it was formed.
            same = (number, "CTwP-Opt")
            wanted[number, way] = (
                wanted[same]
                if way == "CTwP-Rand" and count == 1 and same in wanted
                else MeasuredWay(own.room, splits[way], way)
            )
    costs = _costs(settings, list(dict.fromkeys(wanted.values())), seed, items)
    return [
        {**classes[number].where, "seed": seed, "way": way, **costs[measured]}
        for (number, way), measured in wanted.items()
    ]


@dataclass(frozen=True, eq=False)
class MeasuredWay:
    """A class, its groups, and the name of this way of teaching it."""

    room: Classroom
    groups: AbstractGrouping
    way: str


def _costs(
    settings: PaperSettings,
    wanted: Sequence[MeasuredWay],
    seed: int,
    items: AbstractPool | None = None,
) -> dict[MeasuredWay, Row]:
    """Return ``T`` and ``S`` of each way, by the rule that ``settings.stop`` gives for groups."""
    found: dict[MeasuredWay, Row] = {}
    together: dict[str, dict[MeasuredWay, Lesson]] = {}
    for one in wanted:
        grouped = one.way.startswith("CTwP")
        rule = settings.group_magnitude if grouped else settings.whole_magnitude
        own = settings.stop == "own" or one.way == "CT"
        # To stop all groups together, teach each for longer, and cut where the mean error of the
        # class reaches the goal. At 1e-4 of the goal, a group no longer changes that mean.
        options: dict[str, Any] = {
            "teacher": ClassroomTeacher(rule) if items is None else PoolTeacher(items, rule),
            "goal": AverageGoal(settings.eps if own else 1e-4 * settings.eps),
            "groups": one.groups,
            "seed": seed,
            "max_rounds": LIMIT,
        }
        if grouped and not own:
            found[one] = _costs_in_step(Lesson(one.room, **options), settings.eps)
        elif one.way != "IT" and items is None and math.isinf(one.room.state_radius):
            together.setdefault(rule, {})[one] = Lesson(one.room, **options)
        else:
            found[one] = _costs_of_record(teach(one.room, **options), settings.eps, own=own)
    for rule, measured in together.items():
        found |= zip(measured, _costs_in_batches(list(measured.values()), rule), strict=True)
    return found


def _costs_of_record(record: Record, eps: float, *, own: bool) -> Row:
    """Return ``T`` and ``S`` of a lesson.

    With ``own``, each group stops at its own goal; otherwise all stop when the class reaches
    ``eps``.
    """
    if record.stopped_because is not StoppedBecause.GOAL:
        return UNREACHED
    if own:
        return {"T": record.rounds, "S": record.workload}
    rounds = int(np.argmax(record.errors <= eps))
    return {"T": rounds * len(record.sizes), "S": float(rounds)}


def _costs_in_step(lesson: Lesson, eps: float) -> Row:
    """Show one example to each group per round, until the mean error of the class is ``eps``."""
    sizes = np.array([part.students.size for part in lesson.parts])
    rounds = 0
    with quiet_overflow():
        while not sizes @ [part.errors[-1] for part in lesson.parts] <= eps * sizes.sum():
            if lesson.ask() is None:
                return UNREACHED
            lesson.tell()
            rounds += 1
    return {"T": rounds * len(sizes), "S": float(rounds)}


def _costs_in_batches(lessons: Sequence[Lesson], magnitude: str) -> list[Row]:
    """Teach the groups of all lessons at once, without records: the same rounds in less time."""
    rule = Rule(lessons[0].goal, magnitude, example_radius=lessons[0].room.example_radius)
    groups = [_students_of_groups(lesson) for lesson in lessons]
    limits = np.full(sum(map(len, groups)), LIMIT)
    every = rounds_needed([group for own in groups for group in own], limits, rule)
    ends = np.cumsum([len(own) for own in groups])[:-1]
    costs: list[Row] = []
    for lesson, rounds in zip(lessons, np.split(every, ends), strict=True):
        sizes = np.bincount(lesson.group_of)
        reached = {"T": int(rounds.sum()), "S": float(rounds @ sizes / sizes.sum())}
        costs.append(UNREACHED if (rounds < 0).any() else reached)
    return costs


def _students_of_groups(lesson: Lesson) -> list[Representatives]:
    """Return the gaps and rates of the students of each group."""
    room, group_of = lesson.room, lesson.group_of
    assert isinstance(room, Classroom)
    gaps, rates = np.asarray(room.gaps), np.asarray(room.rates)
    members = [np.flatnonzero(group_of == group) for group in range(int(group_of.max()) + 1)]
    return [themselves(gaps[rows], rates[rows]) for rows in members]
