"""A class on disk: ``.npz``, or a table of students as ``.csv`` or ``.parquet``.

``.npz`` holds the arrays ``states``, ``rates`` and ``target`` and, if they matter,
``state_radius``, ``example_radius`` and ``names``.

A table has one row per student, with the columns ``student`` (optional), ``rate`` and
``w1, w2, ...``; the target is one more row, named ``target``, with no rate, or a file of its own
that contains only that row::

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

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._checks import InputError
from homeroom._files import read_arrays, read_npy, reading, replacing
from homeroom.classroom import tables
from homeroom.classroom.pieces import parquet
from homeroom.classroom.room import Classroom
from homeroom.classroom.tables import NamedColumns
from homeroom.tables.spreadsheet import ENDINGS


def read_npz(path: Path, only: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the arrays of a class in a file: all, or only the named ones."""
    parts: dict[str, Any] = dict(read_arrays(path, only))
    for radius in ("state_radius", "example_radius"):
        if radius in parts:
            if parts[radius].size != 1:
                raise InputError(f"{path} is not a class: `{radius}` must be one number.")
            parts[radius] = parts[radius].item()
    if "names" in parts:
        parts["names"] = _decode_names(path, parts["names"])
    return parts


def _decode_names(path: Path, names: npt.NDArray[Any]) -> list[str]:
    """Return the students' names from an array of texts or of UTF-8 bytes."""
    if names.dtype.kind == "S":
        try:
            names = np.char.decode(names, "utf-8")
        except UnicodeDecodeError as reason:
            raise InputError(f"{path} is not a class: `names` must be UTF-8 ({reason}).") from None
    if names.dtype.kind != "U" or names.ndim != 1:
        raise InputError(
            f"{path} is not a class: `names` must be a list of texts, but has dtype {names.dtype} "
            f"and shape {names.shape}."
        )
    return [str(name) for name in names]


def _write_npz(room: Classroom, path: Path) -> None:
    """Write the class with both radii, and with its names if it has any."""
    arrays: dict[str, Any] = {
        "states": _arrays.to_numpy(room.states),
        "rates": _arrays.to_numpy(room.rates),
        "target": _arrays.to_numpy(room.target),
        "state_radius": np.float64(room.state_radius),
        "example_radius": np.float64(room.example_radius),
    }
    if room.names is not None:
        arrays["names"] = np.asarray(room.names, dtype=np.str_)
    np.savez(path, **arrays)


def _read_npz_only(path: Path, named: NamedColumns | None) -> dict[str, Any]:
    """Return the parts of a class in a ``.npz`` file; refuse names of columns."""
    if named:
        raise InputError(f"`columns` (--column) names columns of a table, but {path} has none.")
    return read_npz(path)


_READ: dict[str, Callable[[Path, NamedColumns | None], dict[str, Any]]] = {
    ".npz": _read_npz_only,
    ".csv": tables.read_csv,
    ".parquet": parquet.read_parquet,
    **dict.fromkeys(ENDINGS, tables.read_spreadsheet),
}
"""How to read the parts of a class (its arrays by name) from a file."""

_WRITE = {".npz": _write_npz, ".csv": tables.write_csv, ".parquet": parquet.write_parquet}


def load(
    path: str | PathLike[str],
    *,
    target: npt.ArrayLike | str | PathLike[str] | None = None,
    state_radius: float | None = None,
    example_radius: float | None = None,
    columns: NamedColumns | None = None,
) -> Classroom:
    """Read a class from a file, in the format of its suffix.

    Parameters
    ----------
    path
        A ``.npz``, ``.csv``, ``.parquet``, ``.xlsx`` or ``.ods`` file.
    target
        The target, or a file that holds it, if the class file does not.
    state_radius, example_radius
        Replace the radii that the file states.
    columns
        Names of a table's columns that differ from the usual ones, as in ``{"student": "Kind",
        "rate": "Tempo", "states": ["algebra", "geometry"]}``.

    Raises
    ------
    FileNotFoundError
        If there is no such file (also an :class:`~homeroom.InputError`).
    ValueError
        If the file is not a class; the message states what was expected, what was found, and where.
    """
    parts = _read(Path(path), columns)
    for needed in ("states", "rates"):
        if parts.get(needed) is None:
            raise InputError(f"{path} has no {needed}: it is not a class file.")
    if isinstance(target, str | PathLike):
        parts["target"] = read_target(Path(target))
    elif target is not None:
        parts["target"] = target
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
        raise InputError(f"{path} is not a class: {reason}") from None


def read_target(path: Path) -> Any:
    """Return the target in a file: any class file, or a ``.npy`` file with its numbers."""
    if path.suffix.lower() == ".npy":
        with reading(path):
            return read_npy(path)
    target = _read(path).get("target")
    if target is None:
        raise no_target(path)
    return target


def no_target(source: object) -> InputError:
    """Return the error for a class without a target."""
    if not isinstance(source, str | PathLike):
        return InputError("Say what the students are to learn: LargeClass.open(..., target=...).")
    return InputError(
        f"{source} has no target. Add a row named 'target' (or an array of that name), or give "
        "the target, as numbers or as a file: load(path, target=...), --target 0.6,0.8."
    )


def save(room: Classroom, path: str | PathLike[str]) -> None:
    """Write a class to a file, in the format of its suffix. A failure leaves no partial file."""
    path = Path(path)
    if _ending(path) not in _WRITE:
        raise InputError("Spreadsheets are read, not written: save the class as .csv.")
    if room.outputs > 1 and _ending(path) != ".npz":
        raise InputError(
            f"A table has one vector per student, but this class has {room.outputs} outputs: "
            f"save it as {path.with_suffix('.npz').name}."
        )
    with replacing(path) as temporary:
        _WRITE[_ending(path)](room if _ending(path) == ".npz" else room.flat, temporary)


def _read(path: Path, columns: NamedColumns | None = None) -> dict[str, Any]:
    """Return the parts of a class in a file, as many as it has."""
    read = _READ[_ending(path)]
    with reading(path):
        return read(path, columns)


def _ending(path: Path) -> str:
    """Return the ending of a file that may hold a class; refuse other endings."""
    ending = path.suffix.lower()
    if ending not in _READ:
        raise InputError(
            f"{path} must end in .npz, .csv or .parquet (to be read, also .xlsx or .ods), but "
            f"ends in {path.suffix or 'nothing'!r}."
        )
    return ending
