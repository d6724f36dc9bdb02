"""Individual lessons of a whole class in one formula: each student moves straight to the target."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom.classroom import Classroom
from homeroom.engines import TOLERANCE, Straight, straight_lessons
from homeroom.goals import DistanceGoal
from homeroom.lessons.record import Record
from homeroom.lessons.transcript import CODES, StoppedBecause, StraightTranscript


def teach_straight(
    room: Classroom,
    goal: DistanceGoal,
    max_rounds: int,
    group_of: Ints,
    *,
    shape: tuple[int, ...],
    settings: Mapping[str, Any],
) -> Record:
    """Return the record of individual lessons in closed form.

    Parameters
    ----------
    room, goal, max_rounds
        The class, when a student is done, and the limit for each.
    group_of
        The number of each student's lesson.
    shape, settings
        The shape of the final states, and the settings, for the record.
    """
    alone = straight_lessons(room, goal.limit, max_rounds)
    stops = _codes(alone.left, alone.estimates, goal.limit)
    gaps = room.gaps
    # In the order of the groups. If that is the order of the students, gaps are not copied.
    sorted_by_group = np.argsort(group_of)
    same = np.array_equal(sorted_by_group, np.arange(room.students))
    order = slice(None) if same else sorted_by_group
    transcript = StraightTranscript(
        rounds=alone.rounds[order],
        stops=stops[order],
        gaps=_arrays.to_host(gaps)[order],
        target=_arrays.to_host(room.target),
        g=alone.g[order],
        shrink=alone.shrink[order],
    )
    return Record(
        transcript,
        group_of,
        partial(_straight_states, alone, gaps, room.target, shape),
        settings,
        error_estimate=float(alone.estimates.mean()),
        group_estimates=alone.estimates[order],
    )


def _straight_states(alone: Straight, gaps: Array, target: Array, shape: tuple[int, ...]) -> Array:
    """Return the states at the end of lessons in closed form, given the gaps at the start.

    ``shape`` is the shape of the result. The states are computed when they are asked for:
    O(students * dimensions), with two arrays of that size.
    """
    left = gaps * _arrays.like(alone.shrink**alone.rounds, gaps)[:, None]
    return _arrays.namespace(left).reshape(target + left, shape)


def _codes(distances: Floats, off: Floats, enough: float) -> Ints:
    """Return why each student stopped, as an index into ``CODES``.

    ``distances`` are squared distances at the end, ``off`` bounds on their rounding errors, and
    ``enough`` is the squared distance at which a student is done. As for groups, rounding within
    ``TOLERANCE`` of the squared distance is ignored.
    """
    goal, rounds, rounding = (
        CODES.index(reason)
        for reason in (StoppedBecause.GOAL, StoppedBecause.ROUNDS, StoppedBecause.ROUNDING)
    )
    sure = (distances + off <= enough) | (off <= TOLERANCE * distances)
    return np.where(distances > enough, rounds, np.where(sure, goal, rounding)).astype(np.int64)
