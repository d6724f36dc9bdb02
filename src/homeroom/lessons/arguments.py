"""Checks of the arguments of a lesson; each error states what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from homeroom import _arrays, _checks
from homeroom._arrays import Array, Ints
from homeroom._checks import InputError, InputTypeError
from homeroom.classroom import Classroom, LargeClass
from homeroom.groups import AbstractGrouping, WholeClass
from homeroom.learners import AbstractLearner
from homeroom.observers import AbstractObserver


def fitting_outputs(room: Classroom | LargeClass, learner: AbstractLearner) -> None:
    """Refuse a class whose states cannot hold one vector per class of the loss."""
    outputs = learner.loss.outputs
    if room.dimensions % outputs:
        raise InputError(
            f"With {outputs} classes a state holds {outputs} vectors one after the other, but "
            f"{room.dimensions} dimensions cannot be split into {outputs}."
        )


def a_classroom(room: Classroom | LargeClass) -> Classroom | LargeClass:
    """Return the class; raise if it is not one."""
    if not isinstance(room, Classroom | LargeClass):
        raise InputTypeError(
            f"`room` must be a Classroom, but is {type(room).__name__}. "
            "Try Classroom(states, rates, target)."
        )
    return room


def odd(nodes: int, name: str) -> int:
    """Return the number of nodes; raise if it is even: every other node must form a set too."""
    number = _checks.whole(nodes, name, at_least=3)
    if number % 2 == 0:
        raise InputError(f"`{name}` must be odd, but is {number}. Try {name}={number + 1}.")
    return number


def a_split(
    room: Classroom | LargeClass, groups: AbstractGrouping, rng: np.random.Generator
) -> Ints | None:
    """Return the group of each student, or ``None`` if there is only one group."""
    if isinstance(groups, WholeClass):
        return None
    if isinstance(room, LargeClass):
        raise InputError(
            "A class that is read piece by piece is taught as a whole. To split it, load it with "
            "Classroom.load(...), or write a file for each group."
        )
    return a_partition(groups.split(room, rng), groups, room)


def a_partition(group_of: Ints, groups: AbstractGrouping, room: Classroom) -> Ints:
    """Return the split; raise if it is invalid."""
    split = np.asarray(group_of)
    name = type(groups).__name__
    if split.shape != (room.students,) or split.dtype.kind not in "iu":
        raise InputError(
            f"{name}.split must return a whole number for each of the {room.students} students, "
            f"but returned shape {split.shape} of {split.dtype}."
        )
    if split.min() < 0 or not np.bincount(split).all():
        raise InputError(
            f"{name}.split must number its groups 0, 1, ... and leave none empty, "
            f"but returned the numbers {np.unique(split)[:8].tolist()}."
        )
    return split.astype(np.int64)


def given_results(
    room: Classroom | LargeClass, states: Array | None, answers: Any, rates: Array | None
) -> tuple[Array | None, Array | None]:
    """Return checked states and rates from outside, as arrays like those of the class."""
    if states is None and answers is None and rates is None:
        return None, None
    if isinstance(room, LargeClass):
        raise InputError(
            "A class that is read piece by piece learns by simulation: tell() takes nothing. "
            "Load the class with Classroom.load(...) to report what its students did."
        )
    if states is not None:
        states = given_states(states, room)
    if rates is not None:
        rates = _checks.vector(
            rates, "rates", like=room.rates, length=room.students, each="student"
        )
    if answers is not None and len(answers) != room.students:
        raise InputError(
            f"`answers` must have one entry for each of the {room.students} students, "
            f"but has {len(answers)}."
        )
    return states, rates


def given_states(states: Array, room: Classroom) -> Array:
    """Return states from outside as an array with one row per student of the class."""
    given = _checks.matrix(states, "states", "(students, dimensions)")
    if _arrays.namespace(given) is not _arrays.namespace(room.states):
        given = _arrays.to_numpy(given)
    given = _arrays.beside(given, room.states)
    if given.shape != room.states.shape:
        raise InputError(
            f"`states` must have shape {tuple(room.states.shape)}, one row for each student, "
            f"but has shape {tuple(given.shape)}."
        )
    return given


def watched_students(
    watch: Sequence[int], room: Classroom | LargeClass, split: Ints | None
) -> Ints:
    """Return the watched students, or refuse them."""
    chosen = np.array([_checks.whole(who, "watch", at_least=0) for who in watch], dtype=np.int64)
    if not len(chosen):
        return chosen
    if isinstance(room, LargeClass):
        raise InputError("`watch` goes with a class in memory: Classroom.load(...).")
    if split is not None and split.max() > 0:
        raise InputError("`watch` goes with one group; look at record.groups for several.")
    if chosen.max() >= room.students:
        raise InputError(
            f"`watch` must name students 0 to {room.students - 1}, but names {chosen.tolist()}."
        )
    return chosen


def simulated_answers(observer: AbstractObserver) -> None:
    """Refuse to simulate a class whose answers come from outside."""
    if observer.is_live:
        raise InputError(
            "A live quiz waits for answers from outside, and teach() has no one to ask: use "
            "Lesson(...) and lesson.tell(answers=...), or QuizObserver() for simulated students."
        )


def can_be_verified(learner: AbstractLearner) -> None:
    """Refuse to verify a lesson whose students learn at random."""
    if learner.is_random:
        raise InputError(
            "`verify` shows the lesson again, but these students learn at random and would not "
            "end in the same place: leave verify out."
        )
