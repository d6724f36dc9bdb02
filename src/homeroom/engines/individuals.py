"""Individual lessons of all students at once, in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom.classroom import Classroom
from homeroom.engines.replay import TOLERANCE
from homeroom.learners import SILENCE, AbstractLearner
from homeroom.observers import NOISELESS, AbstractExaminer, AbstractObserver
from homeroom.teachers import AbstractTeacher


def has_closed_form(
    teacher: AbstractTeacher,
    learner: AbstractLearner,
    observer: AbstractObserver,
    room: Classroom | None = None,
) -> bool:
    """Return whether each student alone moves straight to the target (a closed form).

    With several outputs, a student of the class ``room`` reaches the target in one direction after
    the other, which is not straight. There is no closed form with an observer that examines, as
    its estimates decide when a student is done.
    """
    rule = teacher.rule
    if room is not None and room.outputs > 1:
        return False
    return (
        rule is not None
        and rule.pool.synthesises
        and observer.error_bounds == NOISELESS
        and not isinstance(observer, AbstractExaminer)
        and learner.noise == SILENCE
    )


@dataclass(frozen=True, eq=False)
class Straight:
    """Individual lessons in closed form: gaps keep their direction, and only their length shrinks.

    Parameters
    ----------
    distances
        The squared distances at the start, shape ``(students,)``.
    g
        The squared magnitude of each student's examples.
    shrink
        The fraction of the distance that remains after each example, ``1 - rate * g``.
    rounds
        How many examples each student is shown.
    estimates
        A bound on the rounding error of each final squared distance.
    """

    distances: Floats
    g: Floats
    shrink: Floats
    rounds: Ints
    estimates: Floats

    @property
    def left(self) -> Floats:
        """Each student's squared distance at the end."""
        left: Floats = self.distances * self.shrink ** (2.0 * self.rounds)
        return left


def straight_lessons(room: Classroom, enough: float, max_rounds: int) -> Straight:
    """Return the individual lessons of all students in one vectorised expression.

    ``rounds = ceil(log(enough / |e|^2) / log((1 - rate g)^2))``, with the squared length of the
    examples ``g = min(1 / rate, example_radius^2)`` and the gap ``e`` at the start.

    Parameters
    ----------
    room
        The class.
    enough
        The squared distance at which a student is done.
    max_rounds
        The limit for each student.
    """
    distances = _arrays.to_host(room.squared_distances)
    rates = _arrays.to_host(room.rates)
    g = np.minimum(1.0 / rates, room.example_radius**2)
    # A student whose best length is within the ball reaches the target with one example.
    shrink = np.where(rates * room.example_radius**2 >= 1.0, 0.0, 1.0 - rates * g)
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.ceil(np.log(enough / distances) / np.log(shrink**2))
    needed = np.where(shrink == 0.0, 1.0, needed)
    # A rate so small that 1 - rate * g is 1: the student never reaches the goal.
    needed = np.where(shrink == 1.0, np.inf, needed)
    needed = np.where(distances <= enough, 0.0, np.maximum(needed, 1.0))
    # The logarithms may be off by one where the distance is just at the limit: check, and correct.
    one_less = np.maximum(needed - 1.0, 0.0)
    needed = np.where(distances * shrink ** (2.0 * one_less) <= enough, one_less, needed)
    needed = np.where(distances * shrink ** (2.0 * needed) > enough, needed + 1.0, needed)
    rounds = np.minimum(needed, max_rounds)
    left = distances * shrink ** (2.0 * rounds)
    unit = float(_arrays.namespace(room.states).finfo(room.states.dtype).eps)
    few, across = 4.0 * unit, room.dimensions > 1
    off = _off_by(left, distances, shrink, rounds, few=few, across=across)
    doubtful = (left <= enough) & (left + off > enough) & (off > TOLERANCE * left)
    if doubtful.any():  # one more example, if there may be one
        rounds = np.where(doubtful, np.minimum(rounds + 1.0, max_rounds), rounds)
        left = distances * shrink ** (2.0 * rounds)
        off = _off_by(left, distances, shrink, rounds, few=few, across=across)
    return Straight(distances, g, shrink, rounds.astype(np.int64), off)


def _off_by(
    left: Floats, start: Floats, shrink: Floats, rounds: Floats, *, few: float, across: bool
) -> Floats:
    """Return bounds on the rounding errors of squared distances.

    Parameters
    ----------
    left, start
        The squared distances after so many rounds, and before.
    shrink, rounds
        The fraction of the distance that remains after a round, and the number of rounds.
    few
        The relative rounding error of a factor, and of the direction of an example.
    across
        Whether gaps have components orthogonal to the example, which do not change.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = rounds / shrink
        # sqrt(left * along) = left * rounds / shrink, with along = left * (rounds / shrink)^2
        off = few * left * (2.0 + ratio * (2.0 + few * ratio))
    off = np.where(shrink > 0.0, off, few**2 * start)
    return np.where(rounds > 0, off + few**2 * start if across else off, 2.0 * few * left)
