"""What ``.csv`` and ``.parquet`` share: a row for each student, and one for the target.

The columns are ``student`` (optional), ``rate`` and ``w1, w2, ...``; others are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom.room import Classroom

MAX_DIMENSIONS = 100_000
TARGET = "target"
RADII = ("state_radius", "example_radius")

Mask: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = Callable[[Mask, list[str]], Floats]
"""Gives the numbers in some rows and some columns, shape ``(rows, columns)``."""


def columns(path: Path | str, header: Sequence[str]) -> dict[str, int]:
    """Return where ``student``, ``rate``, ``w1``, ``w2``, ... stand, those that there are."""
    lowered = [name.strip().lower() for name in header]
    weights = [name for name in lowered if name[:1] == "w" and name[1:].isdigit()]
    known = [f"w{i}" for i in range(1, len(weights) + 1)]
    if not known or set(known) != set(weights):
        raise InputError(
            f"{path} must have the columns w1, w2, ... without a gap, but has {_shown(header)}."
            f"{semicolons(header)}"
        )
    if len(known) > MAX_DIMENSIONS:
        raise InputError(f"{path} has {len(known)} dimensions; at most {MAX_DIMENSIONS} are read.")
    for name in ("student", "rate"):
        if lowered.count(name) > 1:
            raise InputError(f"{path} must have one column {name}, but has several.")
    places = {name: place for place, name in enumerate(lowered)}
    return {name: places[name] for name in ("student", "rate", *known) if name in places}


def parts(
    path: Path, places: dict[str, int], names: list[str] | None, rows: int, numbers: Numbers
) -> dict[str, Any]:
    """Return the parts of a class that the table holds."""
    if not rows:
        raise InputError(f"{path} has a header but no students.")
    is_target = _target_rows(places, names, rows)
    weights = [name for name in places if name not in ("student", "rate")]
    found: dict[str, Any] = {}
    if is_target.any():
        if is_target.sum() > 1:
            raise InputError(f"{path} must have one target row, but has {is_target.sum()}.")
        found["target"] = numbers(is_target, weights)[0]
    if not is_target.all():
        if "rate" not in places:
            raise InputError(f"{path} must have a column rate: how fast each student learns.")
        table = numbers(~is_target, ["rate", *weights])
        found["rates"], found["states"] = table[:, 0].copy(), table[:, 1:].copy()
        if names is not None:
            found["names"] = [
                name for name, no in zip(names, is_target.tolist(), strict=True) if not no
            ]
    return found


def _target_rows(places: dict[str, int], names: list[str] | None, rows: int) -> Mask:
    if names is not None:
        return np.asarray([is_target(name) for name in names], dtype=np.bool_)
    # A table of one row that is nobody's, with no rate, is a target in a file of its own.
    return np.full(rows, rows == 1 and "rate" not in places)


def is_target(name: str) -> bool:
    """Tell whether a row of this name is the target."""
    stripped = name.strip()
    return len(stripped) == len(TARGET) and stripped.lower() == TARGET


def radii_from(path: Path, words: Iterable[str]) -> dict[str, float]:
    """Return the radii among words such as ``state_radius=2.0``."""
    radii: dict[str, float] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name in RADII:
            try:
                radii[name] = float(value)
            except ValueError:
                raise InputError(f"{path} is no class: {word[:60]!r} is no number.") from None
    return radii


def radii_as_text(room: Classroom) -> str:
    """Return the words that :func:`radii_from` reads."""
    return f"state_radius={room.state_radius!r} example_radius={room.example_radius!r}"


def weight_names(room: Classroom) -> list[str]:
    """Return ``w1, w2, ...``, one for each dimension."""
    return [f"w{i}" for i in range(1, room.dimensions + 1)]


def names_of(room: Classroom) -> Sequence[str]:
    """Return the students' names, or their numbers if they have none."""
    names = room.names if room.names is not None else [str(i) for i in range(room.students)]
    for name in names:
        if is_target(name):
            raise InputError(
                f"A table cannot hold a student named {name!r}: rename that student, "
                "or save the class as .npz."
            )
    return names


def semicolons(header: Sequence[str]) -> str:
    """Return a hint, if the header looks as if its columns were separated by semicolons."""
    if any(";" in name for name in header):
        return " It seems to be separated by semicolons: save it with commas."
    return ""


def _shown(header: Sequence[str]) -> str:
    """Return the beginning of a header, fit to print."""
    some = [ascii(name[:20])[1:-1] for name in header[:8]]
    return ", ".join(some) + (", ..." if len(header) > 8 else "")
