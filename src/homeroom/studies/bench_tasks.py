"""The tasks and learners of the benchmark: small classes, so that every pair can be tried.

A task is a class, a pool, a goal and what the teacher observes, drawn from a seed. All teachers and
learners of a seed meet the same class.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from homeroom import _arrays, _plugins
from homeroom._arrays import Array, Floats
from homeroom._checks import InputError, counted
from homeroom.classroom import Classroom
from homeroom.goals import AbstractGoal, AccuracyGoal, AverageGoal, ClassProgress
from homeroom.groups import AbstractGrouping, ByRate, WholeClass
from homeroom.learners import (
    AbstractLearner,
    AbstractLoss,
    AttentionLearner,
    ForgettingLearner,
    GradientLearner,
    Logistic,
    MixedLearner,
    Squared,
)
from homeroom.learners.losses import list_labels
from homeroom.observers import AbstractObserver, ExactObserver, NoisyStates
from homeroom.pools import AbstractPool, Ball, DirectionPool, ItemPool
from homeroom.studies.insects import class_of_types, crowd_for
from homeroom.studies.settings import PaperSettings

STUDENTS = 24
CLASSES = 3
FACTS = 12

Wrap = Callable[[AbstractLearner], AbstractLearner]
"""Returns a learner that a task has changed."""


@dataclass(frozen=True, eq=False)
class BenchTask:
    """A class to teach, and when it counts as taught.

    Parameters
    ----------
    room, pool, goal
        The class, where examples come from, and when the lesson is over.
    loss
        The students' loss, for learners that do not have their own.
    observer, groups
        What the teacher observes, and how the class is split.
    test
        Items on which the error is the share of wrong answers; without them, the error is the mean
        squared distance to the target.
    wrap
        Returns the learner as the task changes it, such as one that also forgets.
    """

    room: Classroom
    pool: AbstractPool
    goal: AbstractGoal
    loss: AbstractLoss
    observer: AbstractObserver = ExactObserver()
    groups: AbstractGrouping = WholeClass()
    test: Floats | None = None
    wrap: Wrap = lambda learner: learner

    def error(self, states: Array) -> float:
        """Return the number that the goal limits: share of wrong answers, or squared distance."""
        target = _arrays.to_host(self.room.target)
        host = _arrays.to_host(states)
        if self.test is not None:
            progress = ClassProgress(0.0, 0.0, lambda: host, target, self.loss.outputs)
            return 1.0 - float(progress.accuracy(self.test).mean())
        return float(((host - target) ** 2).sum(axis=1).mean())


def _directions(seed: int, count: int, dimensions: int) -> DirectionPool:
    """Return a pool of random directions."""
    rows = np.random.default_rng([seed, count]).standard_normal((count, dimensions))
    return DirectionPool(rows)


def _sample(dimensions: int, seed: int) -> Classroom:
    """Return a class of random students."""
    return Classroom.sample(students=STUDENTS, dimensions=dimensions, rates=(0.1, 0.4), seed=seed)


def _rates(rng: np.random.Generator, low: float = 0.1, high: float = 0.4) -> Floats:
    """Return a random learning rate per student."""
    return rng.uniform(low, high, STUDENTS)


def ball(seed: int) -> BenchTask:
    """Any vector up to a length can be shown; the class must come close to the target."""
    room = _sample(6, seed)
    return BenchTask(room, Ball(), AverageGoal(0.3), Squared())


def directions(seed: int) -> BenchTask:
    """Forty directions of any length can be shown."""
    room = _sample(6, seed)
    return BenchTask(room, _directions(seed, 40, 6), AverageGoal(0.3), Squared())


def insects(seed: int) -> BenchTask:
    """Butterfly or moth: annotators' states are observed with noise; nine of ten must be right."""
    settings = PaperSettings(crowd_students=STUDENTS, crowd_rate=0.2, crowd_radius=10.0)
    room, _ = class_of_types(settings, 4, seed)
    places = crowd_for(settings, seed).places
    items = np.column_stack([places, np.ones(len(places))])
    goal = AccuracyGoal(0.9, items)
    return BenchTask(room, ItemPool(items), goal, Logistic(), NoisyStates(0.3), test=items)


def categories(seed: int) -> BenchTask:
    """Forty points of the plane in two categories; nine of ten new points must be right."""
    rng = np.random.default_rng([seed, 1])
    target = np.array([*rng.standard_normal(2), 0.3 * rng.standard_normal()])
    target *= 2.0 / np.linalg.norm(target)
    states = rng.standard_normal((STUDENTS, 3))
    items, test = (_points(rng, count) for count in (40, 200))
    room = Classroom(states, _rates(rng), target, example_radius=4.0)
    return BenchTask(room, ItemPool(items), AccuracyGoal(0.9, test), Logistic(), test=test)


def classes(seed: int) -> BenchTask:
    """Points of the plane in three classes; nine of ten new points must be right."""
    rng = np.random.default_rng([seed, 2])
    angles = rng.uniform(0.0, 2 * np.pi) + 2 * np.pi / CLASSES * np.arange(CLASSES)
    rows = np.column_stack([2 * np.cos(angles), 2 * np.sin(angles), np.zeros(CLASSES)])
    states = rng.standard_normal((STUDENTS, 3 * CLASSES))
    items, test = (_points(rng, count) for count in (40, 200))
    room = Classroom(states, _rates(rng), rows.ravel(), example_radius=4.0)
    goal, loss = AccuracyGoal(0.9, test), Logistic(classes=CLASSES)
    return BenchTask(room, ItemPool(items), goal, loss, test=test)


def facts(seed: int) -> BenchTask:
    """Twelve facts with two answers each, which students forget; nine of ten must be right."""
    rng = np.random.default_rng([seed, 3])
    target = np.where(rng.random(FACTS) < 0.5, -1.0, 1.0)
    states = 0.3 * rng.standard_normal((STUDENTS, FACTS)) - 0.2 * target
    room = Classroom(states, _rates(rng, 0.3, 0.9), target)
    items = np.eye(FACTS)
    goal = AccuracyGoal(0.9, items)
    return BenchTask(room, ItemPool(items), goal, Squared(), test=items, wrap=_forget)


def mixed(seed: int) -> BenchTask:
    """Groups by rate; a third of the students learn in another way, and a third miss examples."""
    room = _sample(4, seed)
    return BenchTask(
        room, _directions(seed, 30, 4), AverageGoal(0.3), Squared(), groups=ByRate(), wrap=_mix
    )


def _points(rng: np.random.Generator, count: int) -> Floats:
    """Return points of the plane, with a constant feature."""
    return np.column_stack([rng.standard_normal((count, 2)), np.ones(count)])


def _forget(learner: AbstractLearner) -> AbstractLearner:
    """Return a learner that also forgets; the same one if it does so already."""
    return learner if isinstance(learner, ForgettingLearner) else ForgettingLearner(learner)


def _mix(learner: AbstractLearner) -> AbstractLearner:
    """Return a mix: a third of the students learn so, a third by gradients, a third miss half."""
    loss = learner.loss
    return MixedLearner((learner, GradientLearner(loss), AttentionLearner(0.5, loss=loss)))


TASKS: dict[str, Callable[[int], BenchTask]] = {
    task.__name__: task for task in (ball, directions, insects, categories, classes, facts, mixed)
}
"""Each task by name."""

TEACHERS: dict[str, str] = {
    "static": "pool:magnitude=static",
    "dynamic": "pool:magnitude=dynamic",
    "best": "pool:magnitude=best",
    "planned": "planned:polish=false",
    "mean": "mean",
    "random": "random",
    "omniscient": "omniscient",
    "surrogate": "surrogate",
    "imitation": "imitation",
    "label synthesis": "label-synthesis",
    "minimax batch": "minimax",
    "STRICT": "strict",
    "MaxGrad": "max-gradient",
    "forgetful greedy": "forgetful-greedy",
    "Leitner": "leitner",
    "recall threshold": "recall",
    "easy first": "curriculum:order=easy",
    "hard first": "curriculum:order=hard",
    "uncertainty": "uncertainty",
}
"""The teachers of homeroom, by the name in the report: registered names with settings."""

_MADE_FOR = {
    "gradient": "classroom pool planned omniscient surrogate imitation label-synthesis",
    "ridge": "minimax max-gradient",
    "hypotheses": "strict",
    "forgetting": "forgetful-greedy leitner recall",
}
ASSUMED = {teacher: learner for learner, names in _MADE_FOR.items() for teacher in names.split()}
"""The learner that a teacher was made for, by the registered names of both."""

LEARNERS: dict[str, str] = {
    "squared": "gradient:loss=squared",
    "logistic": "gradient:loss=logistic",
    "momentum": "momentum:momentum=0.5",
    "inattentive": "attention:attention=0.5",
    "random rate": "stochastic-rate:sigma=0.1",
    "Langevin": "langevin:beta=500.0",
    "hypotheses": "hypotheses",
    "forgetting": "forgetting",
    "ridge": "ridge",
    "people": "people",
}
"""The learners of the benchmark, by the name in the report."""


@cache
def task_from_seed(name: str, seed: int) -> BenchTask:
    """Return a task; cached, as building the one called "insects" takes half a second."""
    return TASKS[name](seed)


def learner_for(text: str, task: BenchTask) -> AbstractLearner:
    """Return the learner that a text describes, with the task's loss or classes by default."""
    name = text.partition(":")[0].strip()
    takes = inspect.signature(_plugins.find("learners", name)).parameters
    also: dict[str, object] = {}
    if "loss=" not in text and "loss" in takes:
        also["loss"] = task.loss
    elif "loss=" not in text and "learner" in takes:
        also["learner"] = GradientLearner(task.loss)
    elif "loss=squared" not in text and task.loss.outputs > 1 and "classes" in takes:
        also["classes"] = task.loss.outputs
    made: AbstractLearner = _plugins.make("learners", text, **also)
    if made.loss.outputs != task.loss.outputs:
        raise InputError(
            f"This task has {task.loss.outputs} classes, but the loss {type(made.loss).__name__} "
            f"has {counted(made.loss.outputs, 'output')}."
        )
    if task.test is None and list_labels(made.loss) is not None:
        raise InputError(
            f"The answers of this task are numbers, but the loss {type(made.loss).__name__} has "
            "classes."
        )
    return task.wrap(made)
