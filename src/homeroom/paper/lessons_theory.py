"""Lessons that test the theorems: their bounds, noise, pools, and how the rounds scale.

W is the moment matrix of the class: its top eigenvector is the direction of the next example. In
the rows, ``T`` is the number of examples that the teacher shows, ``None`` if the lesson did not
reach its goal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from homeroom._arrays import Array, Floats
from homeroom.advice import certify, richness
from homeroom.classroom import Classroom, Example, project
from homeroom.goals import AverageGoal
from homeroom.groups import AbstractGrouping, ByRate, WholeClass
from homeroom.learners import (
    AbstractLearner,
    AbstractLoss,
    AttentionLearner,
    LangevinLearner,
    Squared,
    Step,
    StochasticRateLearner,
)
from homeroom.learners.learners import gradients
from homeroom.lessons import Lesson, teach
from homeroom.observers import NoisyMoments, NoisyStates, RateHistory
from homeroom.paper.lessons_synthetic import (
    class_in_a_subspace,
    mixed_class,
    place,
    rounds_to_goal,
    teach_whole_class,
)
from homeroom.paper.rows import Row
from homeroom.paper.settings import PaperSettings
from homeroom.pools import DirectionPool, ItemPool
from homeroom.teachers import (
    AbstractTeacher,
    ClassroomTeacher,
    MeanTeacher,
    PoolTeacher,
    RandomTeacher,
)

THEOREMS = {
    "average": "Theorem 1, on average",
    "everyone": "Theorem 1, everyone",
    "noisy states": "Theorem 2, noisy states",
    "random rates": "Theorem 3, random rates",
    "noisy W": "appendix A.1, noisy W",
    "Langevin": "appendix A.2, Langevin",
    "pool": "appendix C, a pool",
}
"""The theorems by a short name, in the order of the paper."""

ON_AVERAGE = ("random rates", "Langevin")
"""The theorems about an expected error."""

REDUNDANT, LEAST_ATTENTION = 0.2, 0.05
"""The gradient below which an example is redundant, and the attention that is always left."""

SIGMA, DELTA = 0.05, 1e-3
"""The spread of random rates, and the noise of W, in :func:`theorem`."""

POOL_SIZE = 1000
"""The number of directions in the pool of :func:`theorem`."""

LONG_LESSON = 5_000
"""The largest number of rounds of a lesson that must reach its goal."""


def theorem(settings: PaperSettings, name: str, rounds: int, seed: int) -> list[Row]:
    """Teach for some rounds under a theorem's assumptions; return its bound with each error."""
    if name == "pool":  # a thousand directions are rich in ten dimensions, and poor in more
        settings = replace(settings, dimensions=settings.knowledge_dimensions)
    room = mixed_class(settings, seed)
    rng = np.random.default_rng(seed + 10_000)
    directions = rng.standard_normal((POOL_SIZE, settings.dimensions))
    # The noise is so small that the proved floor is near the goal: with more noise the bound would
    # be loose.
    assumed: dict[str, dict[str, Any]] = {
        "noisy states": {"observer": NoisyStates(1e-4)},
        "random rates": {
            "learner": StochasticRateLearner(SIGMA),
            "observer": RateHistory(SIGMA, weights="known"),
        },
        "noisy W": {"observer": NoisyMoments(DELTA)},
        "Langevin": {"learner": LangevinLearner(1e4)},
        "pool": {"teacher": PoolTeacher(DirectionPool(directions))},
    }
    options = assumed.get(name, {})
    goal = AverageGoal(0.01 * settings.eps)
    if name == "pool":  # its bound comes from the complete lesson, which must reach its goal
        rounds = LONG_LESSON
    record = teach(room, goal=goal, max_rounds=rounds, seed=seed, **options)
    proved = certify(room, goal=goal, record=record if name == "pool" else None, **options)
    # No student is farther away than all together: |e_j|^2 <= N mean |e|^2.
    errors, factor = record.errors, 1
    if name == "everyone":
        errors, factor = record.transcript.farthest(0) ** 2, room.students
    return [
        {
            "theorem": name,
            "seed": seed,
            "round": number,
            "error": float(error),
            "bound": factor * proved.bound(number),
        }
        for number, error in enumerate(errors)
    ]


def noisy_moments(settings: PaperSettings, delta: float, seed: int) -> list[Row]:
    """Teach with noisy observations of the matrix W (appendix A.1)."""
    room = mixed_class(settings, seed)
    record = teach_whole_class(settings, room, observer=NoisyMoments(delta), seed=seed)
    return [{"delta": delta, "seed": seed, "T": rounds_to_goal(record)}]


def random_rates(settings: PaperSettings, sigma: float, weights: str, seed: int) -> list[Row]:
    """Teach students whose rates are random in every round (section 4.2)."""
    room = mixed_class(settings, seed)
    record = teach_whole_class(
        settings,
        room,
        learner=StochasticRateLearner(sigma),
        observer=RateHistory(sigma, weights=weights),
        seed=seed,
    )
    return [{"sigma": sigma, "weights": weights, "seed": seed, "T": rounds_to_goal(record)}]


def langevin(settings: PaperSettings, beta: float, rounds: int, seed: int) -> list[Row]:
    """Teach Langevin students for a fixed number of rounds (appendix A.2)."""
    room = mixed_class(settings, seed)
    learner = LangevinLearner(beta)
    record = teach(room, learner=learner, goal=AverageGoal(1e-300), max_rounds=rounds, seed=seed)
    reached = record.errors <= settings.eps
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


def attention(settings: PaperSettings, share: float, seed: int) -> list[Row]:
    """Teach students who attend to a share of the examples (a remark in section 6.3's source)."""
    room = mixed_class(settings, seed)
    record = teach_whole_class(settings, room, learner=AttentionLearner(share), seed=seed)
    return [{"share": share, "seed": seed, "T": rounds_to_goal(record)}]


@dataclass(frozen=True)
class BoredLearner(AbstractLearner):
    """Students whose attention falls with redundant examples (a remark in section 5's source).

    A student's memory is the chance that they attend to the next example, 1 at the start. An
    example whose gradient is shorter than ``REDUNDANT`` multiplies it by ``1 - boredom``, down to
    ``LEAST_ATTENTION``; any other example makes it 1 again.
    """

    boredom: float
    loss: AbstractLoss = Squared()

    @property
    def shrinks_gaps(self) -> bool:
        return False

    @property
    def is_random(self) -> bool:
        return True

    def begin(self, room: Classroom) -> Floats:
        return np.ones(room.students)

    def step(
        self,
        states: Array,
        rates: Array,
        x: Array,
        y: Array,
        *,
        state_radius: float,
        rng: np.random.Generator,
        memory: Any = None,
    ) -> Step:
        attends = rng.random(len(rates)) < memory
        moves = gradients(states, x, y, self.loss)
        used = rates * attends
        small = np.sqrt((moves * moves).sum(axis=1)) < REDUNDANT
        later = np.where(small, np.maximum(memory * (1.0 - self.boredom), LEAST_ATTENTION), 1.0)
        return Step(project(states - used[:, None] * moves, state_radius), used, later)


def boredom(settings: PaperSettings, loss: float, seed: int) -> list[Row]:
    """Teach students whose attention falls with redundant examples, as a class and in groups."""
    room = mixed_class(settings, seed)
    rows: list[Row] = []
    ways: dict[str, AbstractGrouping] = {"CT": WholeClass(), "CTwP-Opt": ByRate()}
    for way, groups in ways.items():
        options: dict[str, Any] = {"learner": BoredLearner(loss), "groups": groups, "seed": seed}
        record = teach_whole_class(settings, room, **options)
        reached = rounds_to_goal(record) is not None
        students = record.workload if reached else None
        rows.append({"loss": loss, "seed": seed, "way": way, "S": students})
    return rows


def hyperplanes(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach 100 students in the plane; return how the slowest and the fastest change."""
    plane = replace(settings, students=100, dimensions=2)
    room = mixed_class(plane, seed)
    order = np.argsort(room.rates)
    chosen = {"slowest": 0, "second slowest": 1, "second fastest": -2, "fastest": -1}
    goal = AverageGoal(settings.eps)
    lesson = Lesson(room, teacher=ClassroomTeacher(settings.whole_magnitude), goal=goal)
    rows = [{"kind": "target", "who": "target", "round": 0, **place(room.target)}]
    number, states = 0, room.states
    while True:
        rows += [
            {"kind": "student", "who": who, "round": number, **place(states[order[rank]])}
            for who, rank in chosen.items()
        ]
        example = lesson.ask()
        if not isinstance(example, Example):
            return rows
        rows.append({"kind": "example", "who": "teacher", "round": number, **place(example.x)})
        lesson.tell()
        number, states = number + 1, lesson.parts[0].students.states


def pool(settings: PaperSettings, items: int, seed: int) -> list[Row]:
    """Teach from a pool of random directions (appendix C)."""
    narrow = replace(settings, dimensions=settings.knowledge_dimensions)
    room = mixed_class(narrow, seed)
    rng = np.random.default_rng(seed + 10_000)
    teacher = PoolTeacher(DirectionPool(rng.standard_normal((items, narrow.dimensions))))
    record = teach_whole_class(narrow, room, teacher=teacher)
    free = teach_whole_class(narrow, room)
    shares, angles = (richness(room, record, measure) for measure in ("effect", "angle"))
    some = len(shares) > 0  # the class may need no example
    return [
        {
            "items": items,
            "seed": seed,
            "T": rounds_to_goal(record),
            "free": rounds_to_goal(free),
            "richness": float(np.median(shares)) if some else None,
            "poorest": float(shares.min()) if some else None,
            "angle": float(np.median(angles)) if some else None,
        }
    ]


def against_rank(settings: PaperSettings, rank: int, seed: int) -> list[Row]:
    """Teach a class that errs in only ``rank`` directions, to the same accuracy in each."""
    room = class_in_a_subspace(settings, rank, seed)
    goal = AverageGoal(settings.eps * rank / settings.dimensions)
    record = teach(room, goal=goal)
    return [
        {
            "rank": rank,
            "seed": seed,
            "T": rounds_to_goal(record),
            "bound": certify(room, goal=goal).rounds,
        }
    ]


def against_students(settings: PaperSettings, students: int, seed: int) -> list[Row]:
    """Teach a class of ``students`` students."""
    settings = replace(settings, students=students)
    record = teach_whole_class(settings, mixed_class(settings, seed))
    return [{"students": students, "seed": seed, "T": rounds_to_goal(record)}]


def against_eps(settings: PaperSettings, accuracies: list[float], who: str, seed: int) -> list[Row]:
    """Teach to the highest accuracy; return the rounds that each accuracy took."""
    settings = replace(settings, eps=min(accuracies))
    room = mixed_class(settings, seed)
    rng = np.random.default_rng(seed + 20_000)
    rows = rng.standard_normal((1000, settings.dimensions)) * math.sqrt(1.0 / settings.dimensions)
    teachers: dict[str, AbstractTeacher] = {
        "CT": ClassroomTeacher(settings.whole_magnitude),
        "random direction": RandomTeacher(),
        "random item": RandomTeacher(ItemPool(project(rows, settings.example_radius))),
    }
    record = teach_whole_class(settings, room, teacher=teachers[who], seed=seed, max_rounds=20_000)
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


def mean_direction(settings: PaperSettings, rounds: int, seed: int) -> list[Row]:
    """Teach along the mean gap for at most ``rounds`` rounds."""
    room = mixed_class(settings, seed)
    record = teach_whole_class(settings, room, teacher=MeanTeacher(), max_rounds=rounds)
    return [
        {"seed": seed, "round": number, "error": float(error)}
        for number, error in enumerate(record.errors)
    ]
