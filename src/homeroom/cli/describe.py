"""Lessons and classes in words and in plain values, the same for screen, page and JSON."""

from __future__ import annotations

from typing import Any

from homeroom import _arrays
from homeroom._words import counted
from homeroom.classroom import Classroom, LargeClass
from homeroom.engines import TOLERANCE
from homeroom.lessons import Record, StoppedBecause


def class_in_words(room: Classroom | LargeClass, record: Record | None = None) -> str:
    """Return the class in one line; how many are in a class on disk, only its lesson knows."""
    students, rates = _size(room, record)
    between = "" if rates is None else f", rates {rates[0]:.3g} to {rates[1]:.3g}"
    return f"{counted(students, 'student')}, {counted(room.dimensions, 'dimension')}{between}"


def class_as_values(room: Classroom | LargeClass, record: Record | None = None) -> dict[str, Any]:
    """Return the class's size and limits as plain values."""
    students, rates = _size(room, record)
    slowest, fastest = (None, None) if rates is None else rates
    return {
        "students": students,
        "dimensions": room.dimensions,
        "slowest_rate": slowest,
        "fastest_rate": fastest,
        "error": room.error if isinstance(room, Classroom) else _first_error(record),
        "state_radius": room.state_radius,
        "example_radius": room.example_radius,
    }


def _size(
    room: Classroom | LargeClass, record: Record | None
) -> tuple[int, tuple[float, float] | None]:
    """Return how many students there are, and between which two their rates are, if known."""
    if isinstance(room, LargeClass):
        return 0 if record is None else len(record.group_of), room.rates
    rates = _arrays.to_numpy(room.rates)
    return room.students, (float(rates.min()), float(rates.max()))


def _first_error(record: Record | None) -> float | None:
    return None if record is None else record.error_after(0)


def engine_in_words(record: Record) -> list[tuple[str, str]]:
    """Return how the rounds were computed, as pairs of a name and a text."""
    settings = record.settings
    parts = [record.engine]
    if record.engine == "sketch":
        parts.append(counted(settings["nodes"], "node"))
    last = record.error_after(int(record.transcript.rounds.max()))
    if record.engine == "sketch" or record.error_estimate > TOLERANCE * last:
        parts.append(f"off by at most {record.error_estimate:.1e}")
    said = [("engine", ", ".join(parts))]
    said += [("handed over", why) for why in settings.get("handed_over", [])]
    if record.verified is not None:
        exact, farthest = record.verified["error"], record.verified["farthest"]
        said.append(("verified", f"error {exact:.6g}, the farthest at {farthest:.3g}"))
    return said


def plans_in_words(record: Record) -> list[tuple[str, str]]:
    """Return what there is to say of a planned lesson, by name: nothing if nothing was planned."""
    plans = record.settings.get("plans", [])
    if not plans:
        return []
    rounds, made = (sum(plan[name] for plan in plans) for name in ("rounds", "plans"))
    farthest = max(plan["worst_transient"] for plan in plans)
    return [
        ("planned", f"{counted(rounds, 'round')} ({counted(made, 'plan')})"),
        ("farthest on the way as planned, for one at the start", f"{farthest:.3g}"),
    ]


def thing_in_words(described: dict[str, Any]) -> str:
    """Return a teacher, goal, ... of a record's settings in words.

    >>> thing_in_words({"name": "average", "eps": 0.1})
    'average (eps 0.1)'
    """
    parts = []
    for key, value in described.items():
        said_elsewhere = key == "name" or str(value).startswith("array of shape")
        exact_rates = key == "rates_within" and not value
        if said_elsewhere or exact_rates or value is None or value is False:
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
        "error_estimate": record.error_estimate,
        "verified": record.verified,
        "counts": dict(record.counts),
    }
