"""The parts of a record: its settings and its transcript."""

from __future__ import annotations

import math
from collections.abc import Sequence
from platform import python_version
from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom import _plugins
from homeroom.engines import SketchClass
from homeroom.goals import AbstractGoal
from homeroom.lessons.group_lesson import GroupLesson
from homeroom.lessons.transcript import CODES, Transcript
from homeroom.teachers import AbstractTeacher

if TYPE_CHECKING:
    from homeroom.lessons.lesson import Lesson


def sketches(sketched: Sequence[SketchClass], goal: AbstractGoal) -> dict[str, Any]:
    """Return the record's fields about sketches: how many nodes, and what was handed over."""
    if not sketched:
        return {}
    by_mean = not goal.mean_is_enough and goal.enough_mean(1) is not None
    return {
        "nodes": max(students.nodes for students in sketched),
        "handed_over": [students.handed_over for students in sketched if students.handed_over],
        "in_expectation": sketched[0].by_chance,
        "goal_by": "students * mean |e|^2 <= eps^2, which is enough" if by_mean else None,
    }


def transcript(parts: Sequence[GroupLesson]) -> Transcript:
    """Return what every group was shown, and how far it was after each round."""
    shown = [example for part in parts for example in part.shown]
    width = parts[0].lesson.room.dimensions // parts[0].lesson.learner.loss.outputs
    return Transcript(
        rounds=np.array([len(part.shown) for part in parts], dtype=np.int64),
        stops=np.array([CODES.index(part.stopped_because) for part in parts], dtype=np.int64),
        all_errors=np.array([error for part in parts for error in part.errors]),
        all_farthest=np.array([far for part in parts for far in part.farthest]),
        xs=np.array([example.x for example in shown]).reshape(len(shown), width),
        ys=np.array([example.y for example in shown], dtype=np.float64),
        items=np.array([-1 if e.item is None else e.item for e in shown], dtype=np.int64),
    )


def settings(
    lesson: Lesson, teacher: AbstractTeacher, seed: int | np.random.Generator
) -> dict[str, Any]:
    """Return the settings with which a lesson can be repeated."""
    described = {
        name: _plugins.describe(thing)
        for name, thing in (
            ("teacher", teacher),
            ("goal", lesson.goal),
            ("groups", lesson.groups),
            ("observer", lesson.observer),
            ("learner", lesson.learner),
        )
    }
    return described | {
        "max_rounds": lesson.max_rounds,
        "example_radius": lesson.room.example_radius,
        "state_radius": None if math.isinf(lesson.room.state_radius) else lesson.room.state_radius,
        "seed": int(seed) if isinstance(seed, int | np.integer) else None,
        "versions": {
            "homeroom": _plugins.version(),
            "numpy": np.__version__,
            "python": python_version(),
        },
    }
