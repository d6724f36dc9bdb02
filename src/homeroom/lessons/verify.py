"""The second pass: a whole lesson shown to every student, nothing interpolated."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom.classroom import Classroom, LargeClass
from homeroom.engines.replay import Verdict, replayed, verdict, verdict_on_piece
from homeroom.lessons.lesson import Lesson
from homeroom.lessons.record import Record


def verified(record: Record, lesson: Lesson) -> Record:
    """Return the record with the exact error and the farthest student at the end."""
    return with_verdict(record, _verdict(record, lesson))


def with_verdict(record: Record, found: Verdict) -> Record:
    """Return the record with what a second pass found."""
    said = {"error": found.error, "farthest": found.farthest}
    return replace(record, settings={**record.settings, "verified": said})


def _verdict(record: Record, lesson: Lesson) -> Verdict:
    room = lesson.room
    if isinstance(room, LargeClass):
        work = partial(verdict_on_piece, target=room.target, xs=record.examples.xs)
        return room.runner.total(work, room.pieces)
    return verdict(gaps_after(room, record))


def gaps_after(room: Classroom, record: Record) -> Array:
    """Return everybody's gap after a lesson, in float64 where a sketch taught them."""
    if record.engine != "sketch" or record.settings.get("handed_over"):
        return record.final_states - room.target
    xp = _arrays.namespace(room.states)
    states, rates, target = (
        xp.astype(part, xp.float64) for part in (room.states, room.rates, room.target)
    )
    gaps = _arrays.by_rows(states - target)
    if len(record.transcript.rounds) == 1:
        return replayed(gaps, rates, record.examples.xs)
    members = [record.members(group) for group in range(len(record.transcript.rounds))]
    parts = [
        replayed(
            _arrays.take_rows(gaps, rows),
            _arrays.take_rows(rates, rows),
            record.transcript.examples([group]).xs,
        )
        for group, rows in enumerate(members)
    ]
    return _arrays.take_rows(xp.concat(parts), np.argsort(np.concatenate(members)))
