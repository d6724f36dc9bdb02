"""What ``.csv`` and ``.parquet`` share: one row per student, and one for the target.

The columns are ``student`` (optional), ``rate`` and ``w1, w2, ...``; others are left alone. In a
table without ``w1, w2, ...``, all columns besides student and rate are coordinates of the state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom.room import Classroom
from homeroom.tables.columns import ColumnNames, find_column, head, normalized

MAX_DIMENSIONS = 100_000
TARGET = "target"
RADII = ("state_radius", "example_radius")

COLUMN_NAMES: ColumnNames = {
    "student": ("student", "student name", "name", "pupil", "learner", "student id", "id"),
    "rate": ("rate", "learning rate", "eta", "lr", "speed", "pace"),
}
"""The names by which a column is known, best first."""

PARTS = ("student", "rate", "states")
"""The parts of a class whose columns may be named."""

NamedColumns: TypeAlias = Mapping[str, str | Sequence[str]]
"""The names of columns as users give them: for student and rate one, for states a list."""

Mask: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = Callable[[Mask, list[str]], Floats]
"""Gives the numbers in some rows and some columns, shape ``(rows, columns)``."""


def columns(
    path: Path | str, header: Sequence[str], named: NamedColumns | None = None
) -> dict[str, int]:
    """Return the positions of ``student``, ``rate``, ``w1``, ``w2``, ..., those that there are.

    Parameters
    ----------
    path, header
        The table, for errors, and the names of its columns.
    named
        The names of columns that are not to be found by their usual names.
    """
    given = _check_named(named)
    places: dict[str, int] = {}
    for part, names in COLUMN_NAMES.items():
        if part in given:
            places[part] = _place(path, header, given[part][0], part)
        elif head(header).count(part) > 1:
            raise InputError(f"{path} must have one column {part}, but has several.")
        elif (place := find_column(header, names)) is not None:
            places[part] = place
    if "states" in given:
        states = [_place(path, header, name, "states") for name in given["states"]]
    else:
        states = _numbered(path, header) or _others(path, header, set(places.values()))
    if len(states) > MAX_DIMENSIONS:
        raise InputError(f"{path} has {len(states)} dimensions; at most {MAX_DIMENSIONS} are read.")
    for place, times in Counter([*places.values(), *states]).items():
        if times > 1:
            raise InputError(
                f"`columns` (--column) names {header[place].strip()[:40]!r} twice: leave one out."
            )
    return places | {f"w{number}": place for number, place in enumerate(states, start=1)}


def _check_named(named: NamedColumns | None) -> dict[str, list[str]]:
    """Return the names of columns as lists, once each is for a known part."""
    given: dict[str, list[str]] = {}
    for part, names in (named or {}).items():
        if part not in PARTS:
            raise InputError(
                f"`columns` (--column) can name {', '.join(PARTS)}, but names {str(part)[:40]!r}: "
                "write, for example, columns={'rate': 'Speed', 'states': ['algebra', 'geometry']}."
            )
        several = [names] if isinstance(names, str) else list(names)
        if not several or (part != "states" and len(several) > 1):
            raise InputError(f"`columns` (--column) must name one column for the {part}.")
        given[part] = several
    return given


def _place(path: Path | str, header: Sequence[str], name: str, part: str) -> int:
    """Return the position of a column that is named for some part."""
    spelt = head(header)
    found = spelt.count(normalized(name))
    if found != 1:
        raise InputError(
            f"{path} must have one column {name[:40]!r} for the {part}, but has {found or 'none'}: "
            f"its columns are {_shown(header)}."
        )
    return spelt.index(normalized(name))


def _numbered(path: Path | str, header: Sequence[str]) -> list[int]:
    """Return the positions of ``w1, w2, ...``; empty if there is none."""
    lowered = [name.strip().lower() for name in header]
    weights = [name for name in lowered if name[:1] == "w" and name[1:].isdigit()]
    known = [f"w{i}" for i in range(1, len(weights) + 1)]
    if set(known) != set(weights):
        raise _no_states(path, header)
    places = {name: place for place, name in enumerate(lowered)}
    return [places[name] for name in known]


def _others(path: Path | str, header: Sequence[str], taken: set[int]) -> list[int]:
    """Return the positions of all columns with a name that are not taken yet."""
    # Neither a second column for the students, nor the index that data frames store.
    known = {"", *(normalized(name) for names in COLUMN_NAMES.values() for name in names)}
    free = {
        place: name
        for place, name in enumerate(head(header))
        if name not in known and place not in taken and not header[place].startswith("__")
    }
    if not free:
        raise _no_states(path, header)
    name, times = Counter(free.values()).most_common(1)[0]
    if times > 1:
        raise InputError(f"{path} has several columns {name[:40]!r}: name each column once.")
    return list(free)


def _no_states(path: Path | str, header: Sequence[str]) -> InputError:
    return InputError(
        f"{path} must have the columns w1, w2, ... without a gap, but has {_shown(header)}."
    )


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
            raise no_rate(path)
        table = numbers(~is_target, ["rate", *weights])
        found["rates"], found["states"] = table[:, 0].copy(), table[:, 1:].copy()
        if names is not None:
            found["names"] = [
                name for name, no in zip(names, is_target.tolist(), strict=True) if not no
            ]
    return found


def no_rate(path: Path | str) -> InputError:
    """Return the refusal of a table without rates."""
    return InputError(
        f"{path} must have a column rate: how fast each student learns. If it has another name, "
        "name it: columns={'rate': 'Speed'}, --column rate=Speed."
    )


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


def _shown(header: Sequence[str]) -> str:
    """Return the beginning of a header, fit to print."""
    some = [ascii(name[:20])[1:-1] for name in header[:8]]
    return ", ".join(some) + (", ..." if len(header) > 8 else "")
