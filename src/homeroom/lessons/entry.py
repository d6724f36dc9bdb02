"""What may enter a lesson, checked at its door; each refusal says what to do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Ints
from homeroom.classroom import Classroom, checks
from homeroom.groups import AbstractGrouping
from homeroom.learners import AbstractLearner


def fitting_outputs(room: Classroom, learner: AbstractLearner) -> None:
    """Refuse a class whose states cannot hold one vector for each class of the loss."""
    outputs = learner.loss.outputs
    if room.dimensions % outputs:
        raise ValueError(
            f"With {outputs} classes a state holds {outputs} vectors one after the other, but "
            f"{room.dimensions} dimensions cannot be split into {outputs}."
        )


def a_classroom(room: Classroom) -> Classroom:
    """Return the class, or say that it is none."""
    if not isinstance(room, Classroom):
        raise TypeError(
            f"`room` must be a Classroom, but is {type(room).__name__}. "
            "Try Classroom(states, rates, target)."
        )
    return room


def a_partition(group_of: Ints, groups: AbstractGrouping, room: Classroom) -> Ints:
    """Return the split, or say what is wrong with somebody's own grouping."""
    split = np.asarray(group_of)
    name = type(groups).__name__
    if split.shape != (room.students,) or split.dtype.kind not in "iu":
        raise ValueError(
            f"{name}.split must return a whole number for each of the {room.students} students, "
            f"but returned shape {split.shape} of {split.dtype}."
        )
    if split.min() < 0 or not np.bincount(split).all():
        raise ValueError(
            f"{name}.split must number its groups 0, 1, ... and leave none empty, "
            f"but returned the numbers {np.unique(split)[:8].tolist()}."
        )
    return split.astype(np.int64)


def told_states(states: Array, room: Classroom) -> Array:
    """Return states from outside as an array with a row for each student of the class."""
    told = checks.matrix(states, "states", "(students, dimensions)")
    if _arrays.namespace(told) is not _arrays.namespace(room.states):
        told = _arrays.to_numpy(told)
    told = _arrays.beside(told, room.states)
    if told.shape != room.states.shape:
        raise ValueError(
            f"`states` must have shape {tuple(room.states.shape)}, one row for each student, "
            f"but has shape {tuple(told.shape)}."
        )
    return told


def watched_students(watch: Sequence[int], room: Classroom, group_of: Ints) -> Ints:
    """Return who is watched, or say why they cannot be."""
    chosen = np.array([checks.whole(who, "watch", at_least=0) for who in watch], dtype=np.int64)
    if len(chosen) and group_of.max() > 0:
        raise ValueError("`watch` goes with one group; look at record.groups for several.")
    if len(chosen) and chosen.max() >= room.students:
        raise ValueError(
            f"`watch` must name students 0 to {room.students - 1}, but names {chosen.tolist()}."
        )
    return chosen
