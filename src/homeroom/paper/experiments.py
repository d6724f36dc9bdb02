"""What is measured: one function for each kind of cell, plain values in and rows out."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from homeroom.advice import certify, richness
from homeroom.classroom import Classroom, project
from homeroom.goals import AverageGoal
from homeroom.groups import AbstractGrouping, AsGiven, AtRandom, ByRate, Individuals, WholeClass
from homeroom.learners import LangevinLearner, StochasticRateLearner
from homeroom.lessons import Record, StoppedBecause, teach
from homeroom.observers import NoisyMoments, NoisyStates, RateHistory
from homeroom.paper.cells import Row
from homeroom.paper.classes import (
    class_in_a_subspace,
    class_with_diverse_knowledge,
    class_with_diverse_rates,
    mixed_class,
)
from homeroom.paper.insect_crowd import DIVERSITIES, class_of_types, crowd_for
from homeroom.paper.insect_lessons import insect_map, insects_shown
from homeroom.paper.pen_lessons import pen_costs, pen_samples, pen_shown, pen_word
from homeroom.paper.proved import theorem
from homeroom.paper.settings import Settings
from homeroom.paper.walks import three_ways
from homeroom.pools import AbstractPool, DirectionPool, ItemPool
from homeroom.teachers import (
    AbstractTeacher,
    ClassroomTeacher,
    MeanTeacher,
    PoolTeacher,
    RandomTeacher,
)

__all__ = [
    "against_eps",
    "against_rank",
    "against_students",
    "individually",
    "insect_map",
    "insects",
    "insects_shown",
    "knowledge",
    "langevin",
    "lesson",
    "mean_direction",
    "noisy_moments",
    "noisy_states",
    "pen_costs",
    "pen_samples",
    "pen_shown",
    "pen_word",
    "pool",
    "random_rates",
    "rates",
    "theorem",
    "three_ways",
    "who_takes_longer",
    "whole_class",
]

LIMIT = 5_000
"""Rounds after which a lesson that does not come to its goal is given up."""


def rates(settings: dict[str, Any], diversity: float, seed: int, variation: str = "") -> list[Row]:
    """Teach a class of diverse rates in the four ways (figures 3b, 3c, 3e)."""
    chosen = Settings.from_json(settings)
    room = class_with_diverse_rates(chosen, diversity, seed)
    where = {"variation": variation, "kind": "rates", "diversity": diversity}
    return _four_ways(chosen, room, ByRate(), seed, where)


def knowledge(settings: dict[str, Any], clusters: int, seed: int, variation: str = "") -> list[Row]:
    """Teach a class of diverse knowledge in the four ways (figure 3f)."""
    chosen = Settings.from_json(settings)
    room, cluster_of = class_with_diverse_knowledge(chosen, clusters, seed)
    where = {"variation": variation, "kind": "knowledge", "diversity": clusters}
    return _four_ways(chosen, room, AsGiven(cluster_of), seed, where)


def insects(settings: dict[str, Any], seed: int) -> list[Row]:
    """Teach classes of one to four types of learners in the four ways (figures 4d, 4e, 4f)."""
    chosen = Settings.from_json(settings)
    items, own = crowd_for(chosen, seed).pool, replace(chosen, eps=chosen.crowd_eps)
    rows: list[Row] = []
    for diversity in DIVERSITIES:
        room, types = class_of_types(chosen, diversity, seed)
        rows += _four_ways(own, room, AsGiven(types), seed, {"diversity": diversity}, items)
    return rows


def whole_class(settings: dict[str, Any], diversity: float, seed: int, variation: str) -> list[Row]:
    """Teach a class of diverse rates all together (the dip of figures 3b and 3c)."""
    chosen = Settings.from_json(settings)
    room = class_with_diverse_rates(chosen, diversity, seed)
    where = {"variation": variation, "diversity": diversity, "seed": seed}
    return [{**where, "T": _rounds(_whole(chosen, room))}]


def lesson(settings: dict[str, Any], seed: int) -> list[Row]:
    """Teach the class of figure 3a, and follow four of its students, and the proved bound."""
    chosen = Settings.from_json(settings)
    room = mixed_class(chosen, seed)
    students = four_students(room)
    record = teach(
        room,
        teacher=ClassroomTeacher(chosen.whole_magnitude),
        goal=AverageGoal(chosen.eps),
        watch=list(students.values()),
    )
    proved = certify(room, goal=AverageGoal(chosen.eps))
    return [
        {
            "seed": seed,
            "round": number,
            "error": float(error),
            "bound": proved.bound(number),
            **{name: float(record.watched_errors[number, i]) for i, name in enumerate(students)},
        }
        for number, error in enumerate(record.errors)
    ]


def four_students(room: Classroom) -> dict[str, int]:
    """Return a slow and a fast student near the target, and a slow and a fast one far from it."""
    speed = np.argsort(np.argsort(room.rates)) / room.students
    distance = np.argsort(np.argsort(room.squared_distances)) / room.students
    corners = {
        "slow, far": (0.1, 0.9),
        "fast, far": (0.9, 0.9),
        "slow, near": (0.1, 0.1),
        "fast, near": (0.9, 0.1),
    }
    return {
        name: int(np.argmin((speed - s) ** 2 + (distance - d) ** 2))
        for name, (s, d) in corners.items()
    }


def noisy_states(
    settings: dict[str, Any], delta: float, seed: int, variation: str = ""
) -> list[Row]:
    """Teach through noise in the states (figure 3d)."""
    chosen = Settings.from_json(settings)
    room = mixed_class(chosen, seed)
    record = _whole(chosen, room, observer=NoisyStates(delta, law=chosen.noise), seed=seed)
    where = {"variation": variation, "kind": "noise", "delta": delta}
    return [{**where, "seed": seed, "T": _rounds(record)}]


def individually(settings: dict[str, Any], seed: int) -> list[Row]:
    """Teach the class of figures 3a and 3d one by one, with perfect sight."""
    chosen = Settings.from_json(settings)
    costs = _costs(chosen, mixed_class(chosen, seed), Individuals(), "IT", seed)
    return [{"seed": seed, "T": costs["T"]}]


def noisy_moments(settings: dict[str, Any], delta: float, seed: int) -> list[Row]:
    """Teach through noise in the matrix W (appendix A.1)."""
    chosen = Settings.from_json(settings)
    room = mixed_class(chosen, seed)
    record = _whole(chosen, room, observer=NoisyMoments(delta), seed=seed)
    return [{"delta": delta, "seed": seed, "T": _rounds(record)}]


def random_rates(settings: dict[str, Any], sigma: float, weights: str, seed: int) -> list[Row]:
    """Teach students who draw their rates (section 4.2)."""
    chosen = Settings.from_json(settings)
    room = mixed_class(chosen, seed)
    record = _whole(
        chosen,
        room,
        learner=StochasticRateLearner(sigma),
        observer=RateHistory(sigma, weights=weights),
        seed=seed,
    )
    return [{"sigma": sigma, "weights": weights, "seed": seed, "T": _rounds(record)}]


def langevin(settings: dict[str, Any], beta: float, rounds: int, seed: int) -> list[Row]:
    """Teach students whose thoughts wander, for a fixed number of rounds (appendix A.2)."""
    chosen = Settings.from_json(settings)
    room = mixed_class(chosen, seed)
    learner = LangevinLearner(beta)
    record = teach(room, learner=learner, goal=AverageGoal(1e-300), max_rounds=rounds, seed=seed)
    reached = record.errors <= chosen.eps
    proved = certify(room, learner=learner)
    return [
        {
            "beta": beta,
            "seed": seed,
            "T": int(np.argmax(reached)) if reached.any() else None,
            "left": float(record.errors[-rounds // 4 :].mean()),
            "bound": proved.bound(rounds - rounds // 4),
            "floor": proved.floor,
        }
    ]


def pool(settings: dict[str, Any], items: int, seed: int) -> list[Row]:
    """Teach from a pool of random directions (appendix C)."""
    chosen = Settings.from_json(settings)
    narrow = Settings.from_json({**settings, "dimensions": chosen.knowledge_dimensions})
    room = mixed_class(narrow, seed)
    rng = np.random.default_rng(seed + 10_000)
    teacher = PoolTeacher(DirectionPool(rng.standard_normal((items, narrow.dimensions))))
    record = _whole(narrow, room, teacher=teacher)
    free = _whole(narrow, room)
    shares = richness(room, record)  # none, if the class needs no example
    return [
        {
            "items": items,
            "seed": seed,
            "T": _rounds(record),
            "free": _rounds(free),
            "richness": float(np.median(shares)) if len(shares) else None,
            "poorest": float(shares.min()) if len(shares) else None,
        }
    ]


def against_rank(settings: dict[str, Any], rank: int, seed: int) -> list[Row]:
    """Teach a class that errs in only so many directions."""
    chosen = Settings.from_json(settings)
    room = class_in_a_subspace(chosen, rank, seed)
    goal = AverageGoal(chosen.eps * rank / chosen.dimensions)
    record = teach(room, goal=goal)
    return [
        {
            "rank": rank,
            "seed": seed,
            "T": _rounds(record),
            "bound": certify(room, goal=goal).rounds,
        }
    ]


def against_students(settings: dict[str, Any], students: int, seed: int) -> list[Row]:
    """Teach a class of this size."""
    chosen = Settings.from_json({**settings, "students": students})
    room = mixed_class(chosen, seed)
    return [{"students": students, "seed": seed, "T": _rounds(_whole(chosen, room))}]


def against_eps(
    settings: dict[str, Any], accuracies: list[float], who: str, seed: int
) -> list[Row]:
    """Teach to the last of these accuracies, and note when each was there; by CT or by lot."""
    chosen = Settings.from_json({**settings, "eps": min(accuracies)})
    room = mixed_class(chosen, seed)
    rng = np.random.default_rng(seed + 20_000)
    rows = rng.standard_normal((1000, chosen.dimensions)) * math.sqrt(1.0 / chosen.dimensions)
    teachers: dict[str, AbstractTeacher] = {
        "CT": ClassroomTeacher(chosen.whole_magnitude),
        "random direction": RandomTeacher(),
        "random item": RandomTeacher(ItemPool(project(rows, chosen.example_radius))),
    }
    record = _whole(chosen, room, teacher=teachers[who], seed=seed, max_rounds=20_000)
    return [
        {
            "eps": eps,
            "who": who,
            "seed": seed,
            "T": int(np.argmax(record.errors <= eps)) if record.errors[-1] <= eps else None,
            "bound": certify(room, goal=AverageGoal(eps)).rounds if who == "CT" else None,
        }
        for eps in accuracies
    ]


def mean_direction(settings: dict[str, Any], rounds: int, seed: int) -> list[Row]:
    """Teach along the mean gap, for a fixed number of rounds."""
    chosen = Settings.from_json(settings)
    record = _whole(chosen, mixed_class(chosen, seed), teacher=MeanTeacher(), max_rounds=rounds)
    return [
        {"seed": seed, "round": number, "error": float(error)}
        for number, error in enumerate(record.errors)
    ]


def who_takes_longer(settings: dict[str, Any], seed: int) -> list[Row]:
    """Teach the class of figure 3a, and note after how many rounds each student was there."""
    chosen = Settings.from_json(settings)
    room = mixed_class(chosen, seed)
    record = _whole(chosen, room, watch=range(room.students))
    there = record.watched_errors <= chosen.eps
    rounds = np.where(there.any(axis=0), there.argmax(axis=0), len(there))
    return [
        {"seed": seed, "rate": float(rate), "distance": float(distance), "rounds": int(number)}
        for rate, distance, number in zip(
            room.rates, np.sqrt(room.squared_distances), rounds, strict=True
        )
    ]


def _whole(settings: Settings, room: Classroom, **options: Any) -> Record:
    options.setdefault("teacher", ClassroomTeacher(settings.whole_magnitude))
    options.setdefault("max_rounds", LIMIT)
    return teach(room, goal=AverageGoal(settings.eps), **options)


def _rounds(record: Record) -> int | None:
    """Return how many rounds a lesson took, or nothing if it did not come to its goal."""
    return record.rounds if record.stopped_because is StoppedBecause.GOAL else None


def _four_ways(  # noqa: PLR0917 - what a row of four ways depends on
    settings: Settings,
    room: Classroom,
    groups: AbstractGrouping,
    seed: int,
    where: Row,
    items: AbstractPool | None = None,
) -> list[Row]:
    count = int(groups.split(room, np.random.default_rng(seed)).max()) + 1
    ways: dict[str, AbstractGrouping] = {
        "CT": WholeClass(),
        "CTwP-Opt": groups,
        "CTwP-Rand": AtRandom(count),
        "IT": Individuals(),
    }
    return [
        {**where, "seed": seed, "way": way, **_costs(settings, room, split, way, seed, items)}
        for way, split in ways.items()
    ]


def _costs(  # noqa: PLR0917 - what the cost of a way depends on
    settings: Settings,
    room: Classroom,
    groups: AbstractGrouping,
    way: str,
    seed: int,
    items: AbstractPool | None = None,
) -> Row:
    """Return ``T`` and ``S`` of one way, by the chosen rule of when a group stops."""
    grouped = way.startswith("CTwP")
    rule = settings.group_magnitude if grouped else settings.whole_magnitude
    teacher = ClassroomTeacher(rule) if items is None else PoolTeacher(items, rule)
    own = settings.stop == "own" or way == "CT"
    # To stop all groups together, teach each longer and cut where the class's mean is at the goal.
    # A group that is ten thousand times closer than asked stands still: the mean cannot tell.
    goal = AverageGoal(settings.eps if own else 1e-4 * settings.eps)
    record = teach(room, teacher=teacher, goal=goal, groups=groups, seed=seed, max_rounds=LIMIT)
    if record.stopped_because is not StoppedBecause.GOAL:
        return {"T": None, "S": None}
    if own:
        return {"T": record.rounds, "S": record.workload}
    rounds = int(np.argmax(record.errors <= settings.eps))
    return {"T": rounds * len(record.sizes), "S": float(rounds)}
