"""A class as ``.parquet``, a table for large classes and for data frames."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom._files import damaged, refuse_size
from homeroom.classroom import tables
from homeroom.classroom.room import Classroom
from homeroom.classroom.tables import Mask, NamedColumns

METADATA = b"homeroom"
"""Where a file's metadata keep the radii."""


def needed_pyarrow() -> Any:
    """Return pyarrow, or raise an error that says how to install it."""
    with needs("Parquet files need pyarrow", "parquet", otherwise="use .csv or .npz"):
        import pyarrow.parquet
    return pyarrow


def read(path: Path, max_bytes: int, named: NamedColumns | None = None) -> dict[str, Any]:
    """Return the parts of a class that the file holds; the radii are in its metadata."""
    pyarrow = needed_pyarrow()
    try:
        schema = pyarrow.parquet.read_schema(path)
        places = tables.columns(path, schema.names, named)
        spelt = {name: schema.names[place] for name, place in places.items()}
        table = _read_table(path, spelt, max_bytes)
        names = _texts(table.column("student")) if "student" in places else None
    except (pyarrow.ArrowException, IndexError, UnicodeDecodeError) as reason:
        raise damaged(path, reason) from None
    words = (schema.metadata or {}).get(METADATA, b"").decode("utf-8", "replace").split()

    def numbers(chosen: Mask, wanted: list[str]) -> Floats:
        return np.column_stack([_numbers(path, table, name)[chosen] for name in wanted])

    return tables.radii_from(path, words) | tables.parts(
        path, schema.names, places, names, rows=table.num_rows, numbers=numbers
    )


def _read_table(path: Path, spelt: dict[str, str], max_bytes: int) -> Any:
    """Read the columns that count, under their plain names, once they are known to fit."""
    # Names stay as the file packs them: a long one that is repeated is kept once.
    packed = [spelt["student"]] if "student" in spelt else []
    with needed_pyarrow().parquet.ParquetFile(path, read_dictionary=packed) as file:
        groups = range(file.metadata.num_row_groups)
        unpacked = sum(file.metadata.row_group(group).total_byte_size for group in groups)
        refuse_size(path, max(unpacked, 8.0 * file.metadata.num_rows * len(spelt)), max_bytes)
        table = file.read(columns=list(spelt.values()))
    plain = {name: plain for plain, name in spelt.items()}
    return table.rename_columns([plain[name] for name in table.column_names])


def _texts(column: Any) -> list[str]:
    texts: list[str] = []
    for chunk in column.chunks:
        if hasattr(chunk, "dictionary"):
            words = [str(word) for word in chunk.dictionary.to_pylist()]
            texts.extend("" if at is None else words[at] for at in chunk.indices.to_pylist())
        else:
            texts.extend("" if text is None else str(text) for text in chunk.to_pylist())
    return texts


def _numbers(path: Path, table: Any, name: str) -> Floats:
    pyarrow = needed_pyarrow()
    try:
        cells: Floats = table.column(name).cast(pyarrow.float64()).to_numpy()
    except pyarrow.ArrowException as reason:
        raise InputError(f"{path} must have numbers in column {name}: {reason}.") from None
    return cells


def write(room: Classroom, path: Path) -> None:
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
