"""The second pass: a whole lesson shown to every student, with nothing interpolated."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom.classroom import Classroom, LargeClass
from homeroom.engines import TOLERANCE
from homeroom.engines.replay import Verdict, replayed_exactly, verdict, verdict_on_piece
from homeroom.lessons.lesson import Lesson
from homeroom.lessons.record import Record


def verified(record: Record, lesson: Lesson) -> Record:
    """Return the record with the exact error and the farthest student at the end."""
    return with_verdict(record, _verdict(record, lesson))


def with_verdict(record: Record, found: Verdict) -> Record:
    """Return the record with the result of a second pass."""
    return replace(record, verified={"error": found.error, "farthest": found.farthest})


def _verdict(record: Record, lesson: Lesson) -> Verdict:
    room = lesson.room
    if isinstance(room, LargeClass):
        work = partial(verdict_on_piece, target=room.target, xs=record.examples.xs)
        return room.runner.total(work, room.pieces)
    return verdict(gaps_after(room, record))


def gaps_after(room: Classroom, record: Record) -> Array:
    """Return the gaps after a lesson, one row per student.

    Groups whose students the lesson did not follow, and those whose rounding errors may have grown,
    are replayed in float64 or with more digits. The others are taken from the record.
    """
    if record.engine != "sketch" or record.handed_over:
        gaps = _arrays.flat(record.final_states) - room.target
        return _with_replayed(gaps, room, record) if _can_be_replayed(room, record) else gaps
    if len(record.transcript.rounds) == 1:
        return _replayed(room, record, 0)
    members = [record.members(group) for group in range(len(record.transcript.rounds))]
    parts = [_replayed(room.subset(rows), record, group) for group, rows in enumerate(members)]
    together = _arrays.namespace(room.states).concat(parts)
    return _arrays.take_rows(together, np.argsort(np.concatenate(members)))


def _replayed(room: Classroom, record: Record, group: int) -> Array:
    xs = record.transcript.examples([group]).xs
    return replayed_exactly(room.states, room.target, room.rates, xs)


def _with_replayed(gaps: Array, room: Classroom, record: Record) -> Array:
    """Return the gaps, those of groups whose rounding errors may have grown replaced."""
    groups = len(record.transcript.rounds)
    last = record.transcript.errors_at(int(record.transcript.rounds.max()))
    off = np.array([record.estimate_of(group) for group in range(groups)])
    doubtful = np.flatnonzero(off > TOLERANCE * last).tolist()
    if not doubtful:
        return gaps
    exact = _arrays.to_host(gaps).copy()
    for group in doubtful:
        members = record.members(group)
        exact[members] = _arrays.to_host(_replayed(room.subset(members), record, group))
    return exact


def _can_be_replayed(room: Classroom, record: Record) -> bool:
    """Return whether the examples determine the gaps: no ball of states, the target's labels."""
    if not (record.shrinks_gaps and math.isinf(room.state_radius)):
        return False
    xs, ys, _, _ = record.examples
    right = _arrays.answers_of(_arrays.to_host(room.target), xs)
    return bool((np.abs(ys - right) <= 1e-9 * (1.0 + np.abs(right))).all())
