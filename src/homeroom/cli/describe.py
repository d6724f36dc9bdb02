"""Lessons and classes in words and in plain values, the same for screen, page and JSON."""

from __future__ import annotations

from typing import Any

from homeroom import _arrays
from homeroom._words import counted
from homeroom.classroom import Classroom
from homeroom.lessons import Record, StoppedBecause


def class_in_words(room: Classroom) -> str:
    """Return the class in one line."""
    rates = _arrays.to_numpy(room.rates)
    return (
        f"{counted(room.students, 'student')}, {counted(room.dimensions, 'dimension')}, "
        f"rates {rates.min():.3g} to {rates.max():.3g}"
    )


def class_as_values(room: Classroom) -> dict[str, Any]:
    """Return the class's size and limits as plain values."""
    rates = _arrays.to_numpy(room.rates)
    return {
        "students": room.students,
        "dimensions": room.dimensions,
        "slowest_rate": float(rates.min()),
        "fastest_rate": float(rates.max()),
        "error": room.error,
        "state_radius": room.state_radius,
        "example_radius": room.example_radius,
    }


def thing_in_words(described: dict[str, Any]) -> str:
    """Return a teacher, goal, ... of a record's settings in words.

    >>> thing_in_words({"name": "average", "eps": 0.1})
    'average (eps 0.1)'
    """
    parts = []
    for key, value in described.items():
        said_elsewhere = key == "name" or str(value).startswith("array of shape")
        if said_elsewhere or value is None or value is False:
            continue
        parts.append(key if value is True else f"{key} {_value_in_words(value)}")
    return f"{described['name']} ({', '.join(parts)})" if parts else str(described["name"])


def _value_in_words(value: Any) -> str:
    if isinstance(value, dict):
        return thing_in_words(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def record_as_values(record: Record) -> dict[str, Any]:
    """Return what a lesson took as plain values."""
    return {
        "rounds": record.rounds,
        "workload": record.workload,
        "groups": len(record.transcript.rounds),
        "reached": record.stopped_because is StoppedBecause.GOAL,
        "stopped_because": record.stopped_because.value,
        "error_before": record.error_after(0),
        "error_after": record.error_after(int(record.transcript.rounds.max())),
        "engine": record.engine,
        "counts": dict(record.counts),
    }
