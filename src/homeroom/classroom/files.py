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

import math
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom._files import (
    MAX_BYTES,
    damaged,
    read_arrays,
    read_npy,
    reading,
    refuse_size,
    replacing,
)
from homeroom.classroom import tables
from homeroom.classroom.room import Classroom
from homeroom.classroom.tables import Mask, NamedColumns
from homeroom.tables.spreadsheet import ENDINGS

METADATA = b"homeroom"
"""The key of the radii in the metadata of a file."""


def needed_pyarrow() -> Any:
    """Return pyarrow, or raise an error that says how to install it."""
    with needs("Parquet files need pyarrow", "parquet", otherwise="use .csv or .npz"):
        import pyarrow.compute
        import pyarrow.parquet
    return pyarrow


def check_names(path: Path, schema: Any, spelt: dict[str, str]) -> None:
    """Raise if the students' names are lists or the like.

    ``spelt`` has the name in the file of each column, by its usual name.
    """
    kind = schema.field(spelt["student"]).type if "student" in spelt else None
    if kind is not None and needed_pyarrow().types.is_nested(kind):
        raise InputError(
            f"{path} must have text in column {spelt['student']}, but has {kind}. Save the names "
            "as text, or drop the column."
        )


def _read_parquet(path: Path, max_bytes: int, named: NamedColumns | None = None) -> dict[str, Any]:
    """Return the parts of a class in a Parquet file; the radii are in its metadata."""
    pyarrow = needed_pyarrow()
    try:
        schema = pyarrow.parquet.read_schema(path)
        places = tables.columns(path, schema.names, named)
        spelt = {name: schema.names[place] for name, place in places.items()}
        check_names(path, schema, spelt)
        table = _read_table(path, spelt, max_bytes)
        names = _column_texts(table.column("student")) if "student" in places else None
    except (pyarrow.ArrowException, IndexError, UnicodeDecodeError) as reason:
        raise damaged(path, reason) from None
    words = (schema.metadata or {}).get(METADATA, b"").decode("utf-8", "replace").split()

    def numbers(chosen: Mask, wanted: list[str]) -> Floats:
        return np.column_stack([_column_numbers(path, table, name)[chosen] for name in wanted])

    return tables.radii_from(path, words) | tables.parts(
        path, schema.names, places, names, rows=table.num_rows, numbers=numbers
    )


def _read_table(path: Path, spelt: dict[str, str], max_bytes: int) -> Any:
    """Return the columns of a class as a pyarrow table, if they fit into memory.

    ``spelt`` has the name in the file of each column, by its usual name, which the table uses.
    """
    # Names stay as the file packs them: a long one that is repeated is kept once.
    packed = [spelt["student"]] if "student" in spelt else []
    with needed_pyarrow().parquet.ParquetFile(path, read_dictionary=packed) as file:
        groups = range(file.metadata.num_row_groups)
        unpacked = sum(file.metadata.row_group(group).total_byte_size for group in groups)
        refuse_size(path, max(unpacked, 8.0 * file.metadata.num_rows * len(spelt)), max_bytes)
        table = file.read(columns=list(spelt.values()))
    plain = {name: plain for plain, name in spelt.items()}
    return table.rename_columns([plain[name] for name in table.column_names])


def _column_texts(column: Any) -> list[str]:
    """Return a column of pyarrow as texts; missing values are blank."""
    texts: list[str] = []
    for chunk in column.chunks:
        if hasattr(chunk, "dictionary"):
            words = [str(word) for word in chunk.dictionary.to_pylist()]
            texts.extend("" if at is None else words[at] for at in chunk.indices.to_pylist())
        else:
            texts.extend("" if text is None else str(text) for text in chunk.to_pylist())
    return texts


def _column_numbers(path: Path, table: Any, name: str) -> Floats:
    """Return a column of a pyarrow table as floats; nan where a number is missing."""
    pyarrow = needed_pyarrow()
    try:
        cells: Floats = table.column(name).cast(pyarrow.float64()).to_numpy()
    except pyarrow.ArrowException as reason:
        raise InputError(f"{path} must have numbers in column {name}: {reason}.") from None
    return cells


def _write_parquet(room: Classroom, path: Path) -> None:
    """Write the students, then the target, whose rate is missing."""
    pyarrow = needed_pyarrow()
    states = np.vstack([_arrays.to_numpy(room.states), _arrays.to_numpy(room.target)])
    rates = np.append(_arrays.to_numpy(room.rates), math.nan)
    table = pyarrow.table(
        {
            "student": [*tables.names_of(room), tables.TARGET],
            "rate": pyarrow.array(rates, from_pandas=True),
            **{name: states[:, i] for i, name in enumerate(tables.weight_names(room))},
        }
    ).replace_schema_metadata({METADATA: tables.radii_as_text(room).encode()})
    pyarrow.parquet.write_table(table, path)


def read_npz(path: Path, max_bytes: int, only: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the arrays of a class in a file: all, or only the named ones."""
    parts: dict[str, Any] = dict(read_arrays(path, max_bytes, only))
    for radius in ("state_radius", "example_radius"):
        if radius in parts:
            if parts[radius].size != 1:
                raise InputError(f"{path} is not a class: `{radius}` must be one number.")
            parts[radius] = parts[radius].item()
    if "names" in parts:
        parts["names"] = _decoded(path, parts["names"])
    return parts


def _decoded(path: Path, names: npt.NDArray[Any]) -> list[str]:
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


class _Format(NamedTuple):
    """How to read the parts of a class (its arrays by name) from a file, and how to write it."""

    read: Callable[[Path, int, NamedColumns | None], dict[str, Any]]
    write: Callable[[Classroom, Path], None]


def _read_without_columns(path: Path, max_bytes: int, named: NamedColumns | None) -> dict[str, Any]:
    """Return the parts of a class in a ``.npz`` file; refuse names of columns."""
    if named:
        raise InputError(f"`columns` (--column) names columns of a table, but {path} has none.")
    return read_npz(path, max_bytes)


def _refuse_to_write(_room: Classroom, _path: Path) -> None:
    raise InputError("Spreadsheets are read, not written: save the class as .csv.")


_FORMATS = {
    ".npz": _Format(_read_without_columns, _write_npz),
    ".csv": _Format(tables.read_csv, tables.write_csv),
    ".parquet": _Format(_read_parquet, _write_parquet),
    **dict.fromkeys(ENDINGS, _Format(tables.read_spreadsheet, _refuse_to_write)),
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
    """Read a class from a file, in the format of its suffix.

    Parameters
    ----------
    path
        A ``.npz``, ``.csv``, ``.parquet``, ``.xlsx`` or ``.ods`` file.
    target
        A file that holds the target, if the class file does not.
    state_radius, example_radius
        Replace the radii that the file states.
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
        If the file is not a class; the message states what was expected, what was found, and where.
    """
    parts = _read(Path(path), max_bytes, columns)
    for needed in ("states", "rates"):
        if parts.get(needed) is None:
            raise InputError(f"{path} has no {needed}: it is not a class file.")
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
        raise InputError(f"{path} is not a class: {reason}") from None


def read_target(path: Path, max_bytes: int = MAX_BYTES) -> Any:
    """Return the target in a file: any class file, or a ``.npy`` file with its numbers."""
    if path.suffix.lower() == ".npy":
        with reading(path):
            return read_npy(path, max_bytes)
    target = _read(path, max_bytes).get("target")
    if target is None:
        raise no_target(path)
    return target


def no_target(path: object) -> InputError:
    """Return the error for a file without a target."""
    return InputError(
        f"{path} has no target. Add a row named 'target' (or an array of that name), "
        "or give the target's own file: load(path, target=...), --target FILE."
    )


def save(room: Classroom, path: str | PathLike[str]) -> None:
    """Write a class to a file, in the format of its suffix. A failure leaves no partial file."""
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
    """Return the parts of a class in a file, as many as it has."""
    read = _format_of(path).read
    with reading(path):
        return read(path, max_bytes, columns)


def _format_of(path: Path) -> _Format:
    """Return the format that a file's ending stands for; refuse other endings."""
    known = _FORMATS.get(path.suffix.lower())
    if known is None:
        raise InputError(
            f"{path} must end in .npz, .csv or .parquet (to be read, also .xlsx or .ods), but "
            f"ends in {path.suffix or 'nothing'!r}."
        )
    return known
