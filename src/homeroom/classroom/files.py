"""A class on disk: ``.npz``, or a table of students as ``.csv`` or ``.parquet``.

``.npz`` holds the arrays ``states``, ``rates`` and ``target`` and, if they matter,
``state_radius``, ``example_radius`` and ``names``.

A table has one row per student, with the columns ``student`` (optional), ``rate`` and
``w1, w2, ...``; the target is one more row, named ``target``, with no rate, or a file of its own
that has just that row::

    # homeroom: state_radius=inf example_radius=2.0
    student,rate,w1,w2
    Ada,0.2,1.0,0.5
    Ben,0.1,0.0,0.3
    target,,0.6,0.8

The first line of a ``.csv`` may carry the two radii; a ``.parquet`` file keeps them in its
metadata. Cells of a ``.csv`` may also be separated by semicolons, tabs, bars or blanks. Columns may
have other usual names (``pupil``, ``learning rate``). Without ``w1, w2, ...``, all columns besides
student and rate are the state. Any other name can be given: ``columns={"rate": "Tempo"}``.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from homeroom._checks import InputError
from homeroom._files import MAX_BYTES, read_npy, reading, replacing
from homeroom.classroom import npz, parquet_table, tables
from homeroom.classroom.room import Classroom
from homeroom.classroom.tables import NamedColumns


class _Format(NamedTuple):
    read: Callable[[Path, int, NamedColumns | None], dict[str, Any]]
    write: Callable[[Classroom, Path], None]


def _read_npz(path: Path, max_bytes: int, named: NamedColumns | None) -> dict[str, Any]:
    if named:
        raise InputError(f"`columns` (--column) names columns of a table, but {path} has none.")
    return npz.read(path, max_bytes)


_FORMATS = {
    ".npz": _Format(_read_npz, npz.write),
    ".csv": _Format(tables.read_csv, tables.write_csv),
    ".parquet": _Format(parquet_table.read, parquet_table.write),
}


def load(
    path: str | PathLike[str],
    *,
    target: str | PathLike[str] | None = None,
    state_radius: float | None = None,
    example_radius: float | None = None,
    columns: NamedColumns | None = None,
    max_bytes: int = MAX_BYTES,
) -> Classroom:
    """Read a class from a file; the ending says which format.

    Parameters
    ----------
    path
        A ``.npz``, ``.csv`` or ``.parquet`` file.
    target
        A file that holds the target, if the class file does not.
    state_radius, example_radius
        Take these instead of what the file says.
    columns
        Names of a table's columns that differ from the usual ones, as in ``{"student": "Kind",
        "rate": "Tempo", "states": ["algebra", "geometry"]}``.
    max_bytes
        Refuse a file that would fill more memory than this.

    Raises
    ------
    FileNotFoundError
        If there is no such file (also an :class:`~homeroom.InputError`).
    ValueError
        If the file cannot be a class: what was expected, what was found, and where.
    """
    parts = _read(Path(path), max_bytes, columns)
    for needed in ("states", "rates"):
        if parts.get(needed) is None:
            raise InputError(f"{path} has no {needed}: it is no class file.")
    if target is not None:
        parts["target"] = read_target(Path(target), max_bytes)
    if parts.get("target") is None:
        raise no_target(path)
    given = {"state_radius": state_radius, "example_radius": example_radius}
    radii = {name: parts.get(name) if value is None else value for name, value in given.items()}
    try:
        return Classroom(
            parts["states"],
            parts["rates"],
            parts["target"],
            names=parts.get("names"),
            **{name: value for name, value in radii.items() if value is not None},
        )
    except InputError as reason:
        raise InputError(f"{path} is no class: {reason}") from None


def read_target(path: Path, max_bytes: int = MAX_BYTES) -> Any:
    """Return the target that a file holds: any class file, or a ``.npy`` file of its numbers."""
    if path.suffix.lower() == ".npy":
        with reading(path):
            return read_npy(path, max_bytes)
    target = _read(path, max_bytes).get("target")
    if target is None:
        raise no_target(path)
    return target


def no_target(path: object) -> InputError:
    """Return the refusal of what has no target."""
    return InputError(
        f"{path} has no target. Add a row named 'target' (or an array of that name), "
        "or give the target's own file: load(path, target=...), --target FILE."
    )


def save(room: Classroom, path: str | PathLike[str]) -> None:
    """Write a class to a file; the ending says which format. Nothing half-written is left."""
    path = Path(path)
    write = _format_of(path).write
    if room.outputs > 1 and path.suffix.lower() != ".npz":
        raise InputError(
            f"A table has one vector per student, but this class has {room.outputs} outputs: "
            f"save it as {path.with_suffix('.npz').name}."
        )
    with replacing(path) as temporary:
        write(room if path.suffix.lower() == ".npz" else room.flat, temporary)


def _read(path: Path, max_bytes: int, columns: NamedColumns | None = None) -> dict[str, Any]:
    read = _format_of(path).read
    with reading(path):
        return read(path, max_bytes, columns)


def _format_of(path: Path) -> _Format:
    known = _FORMATS.get(path.suffix.lower())
    if known is None:
        raise InputError(
            f"{path} must end in .npz, .csv or .parquet, but ends in {path.suffix or 'nothing'!r}."
        )
    return known
