"""The richness of a pool for a class: how close its examples come to the best possible ones.

An example of squared length ``g`` along the unit direction ``u`` lowers the class's mean squared
distance by ``u' W u``, where the matrix ``W`` depends on the class and on ``g``. So the best
direction is the top eigenvector of ``W``, and ``lambda_1(W)``, its eigenvalue, the best effect.
"""

from __future__ import annotations

import numpy as np

from homeroom import _checks
from homeroom._arrays import Floats, top_eigenvector
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example
from homeroom.engines import ExactClass
from homeroom.learners import GradientLearner
from homeroom.lessons import Record


def richness(room: Classroom, record: Record, measure: str = "effect") -> Floats:
    """Return how close each example was to the best possible one, between 0 and 1.

    The result has shape ``(rounds,)``. It is 1 where the pool contains the best direction. The
    minimum enters the convergence rate.

    Parameters
    ----------
    room
        The class as it was before the lesson.
    record
        A lesson of the whole class, with the squared loss and no randomness.
    measure
        ``"effect"``, ours: ``u' W u / lambda_1(W)`` for the example's direction ``u`` and length.
        ``"angle"``, the paper's (appendix C): ``cos^2`` of the angle between ``u`` and the top
        eigenvector of ``W``. The effect is at least as large, so it proves fewer rounds; it is 1
        also where two eigenvalues are equal and the angle depends on which one is taken.

    Examples
    --------
    >>> from homeroom import DirectionPool, PoolTeacher, teach
    >>> room = Classroom.sample(students=20, dimensions=3)
    >>> few = teach(room, teacher=PoolTeacher(DirectionPool(np.eye(3))))
    >>> float(richness(room, few).min().round(2))
    0.55
    >>> float(richness(room, few, "angle").min().round(2))
    0.37
    """
    _checks.one_of(measure, "measure", ("effect", "angle"))
    if len(record.groups) > 1 or not record.shrinks_gaps:
        raise InputError(
            "richness() replays the lesson, so it needs one group and learner=GradientLearner() or "
            "another whose `noise` is SILENCE: look at each of record.groups with its own "
            "class. A learner of your own must be registered, or its module imported."
        )
    return shares(room, record, measure)


def shares(room: Classroom, record: Record, measure: str = "effect") -> Floats:
    """Return the richness in each round of one group, whose students take plain gradient steps."""
    students = ExactClass(room, GradientLearner(), np.random.default_rng(0))
    found = np.ones(record.rounds)
    for number, (x, y) in enumerate(zip(record.examples.xs, record.examples.ys, strict=True)):
        g = float(x @ x)
        matrix = students.look().moments.weigh(g)
        best, direction = top_eigenvector(matrix)
        if best > 0:
            effect = float(x @ matrix @ x) / g / best
            found[number] = effect if measure == "effect" else float(x @ direction) ** 2 / g
        students.learn(Example(x, y))
    return found
