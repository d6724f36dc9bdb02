"""The richness of a pool for a class."""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats, top_eigenvector
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example
from homeroom.engines import ExactClass
from homeroom.learners import GradientLearner
from homeroom.lessons import Record


def richness(room: Classroom, record: Record) -> Floats:
    """Return how close each example was to the best possible one, between 0 and 1.

    In each round ``u' W u / lambda_1(W)`` for the example's direction and length: 1 where the pool
    contains the best direction. The minimum enters the convergence rate (appendix C).

    Parameters
    ----------
    room
        The class as it was before the lesson.
    record
        A lesson of the whole class, with the squared loss and no randomness.

    Examples
    --------
    >>> from homeroom import DirectionPool, PoolTeacher, teach
    >>> room = Classroom.sample(students=20, dimensions=3)
    >>> few = teach(room, teacher=PoolTeacher(DirectionPool(np.eye(3))))
    >>> float(richness(room, few).min().round(2))
    0.55
    """
    if record.settings.get("learner", {}).get("name") != "gradient" or len(record.groups) > 1:
        raise InputError(
            "richness() replays the lesson, so it needs one group and learner=GradientLearner(): "
            "look at each of record.groups with its own class."
        )
    return shares(room, record)


def shares(room: Classroom, record: Record) -> Floats:
    """Return the richness in each round of one group, whose students take plain gradient steps."""
    students = ExactClass(room, GradientLearner(), np.random.default_rng(0))
    found = np.ones(record.rounds)
    for number, (x, y) in enumerate(zip(record.examples.xs, record.examples.ys, strict=True)):
        g = float(x @ x)
        matrix = students.look().moments.weigh(g)
        best = top_eigenvector(matrix)[0]
        if best > 0:
            found[number] = float(x @ matrix @ x) / g / best
        students.learn(Example(x, float(y)))
    return found
