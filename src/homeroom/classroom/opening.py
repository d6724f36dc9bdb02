"""Find the students of a class that is larger than memory: in files, folders or collections.

- a Parquet file, or a folder of Parquet files: a table of students as in
  :mod:`homeroom.classroom.files`. The target is a row named ``target``, whose rate is ignored, a
  file of its own in the folder (``target.parquet``, ``.npy``, ``.npz`` or ``.csv``), or given;
- a ``.npz`` file that is not compressed, with the arrays of a class;
- a folder with ``states.npy``, ``rates.npy`` and ``target.npy``;
- a ``dask.dataframe`` with the columns of such a table;
- two arrays, states and rates, as a pair or by name: NumPy's (memory-mapped ones among them) or
  ``dask.array``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from homeroom import _arrays, _checks
from homeroom._arrays import Floats
from homeroom._checks import InputError, InputTypeError
from homeroom._files import is_folder, reading
from homeroom.classroom import files
from homeroom.classroom.pieces import arrays, dask_partitions, parquet
from homeroom.classroom.pieces.arrays import cut_arrays
from homeroom.classroom.pieces.base import Limits, Source
from homeroom.classroom.pieces.dask_partitions import Partition
from homeroom.classroom.runners import AbstractRunner, OnDask, OneByOne
from homeroom.classroom.tables import RADII, Place

TARGETS = ("target.npy", "target.npz", "target.parquet", "target.csv")
"""The names that a separate file for the target may have."""


def find(source: Any, rates: Limits | None) -> Source:
    """Return the class in a file, a folder or a collection, before its students are read.

    ``rates`` is the range of the rates, if the user announced it.
    """
    if isinstance(source, str | PathLike):
        return _on_disk(Path(source), rates)
    if dask_partitions.is_collection(source) and hasattr(source, "columns"):
        return Source(*dask_partitions.frame_pieces(source, rates), rates=rates)
    states, own_rates = _pair(source)
    if dask_partitions.is_collection(states) and dask_partitions.is_collection(own_rates):
        return Source(*dask_partitions.array_pieces(states, own_rates, rates), rates=rates)
    states, own_rates = np.asanyarray(states), np.asanyarray(own_rates)
    return cut_arrays(states, own_rates, Place("the arrays", letter=""), rates)


def size_in_memory(path: Path) -> int | None:
    """Return the bytes that a class needs in memory; ``None`` if it cannot be read in pieces."""
    ending = path.suffix.lower()
    if ending == ".parquet":
        return parquet.size_in_memory(path)
    if ending == ".npz" and arrays.map_npz(path, ()) is not None:
        return path.stat().st_size
    return None


def usual_runner(found: Source) -> AbstractRunner:
    """Return the default runner of a source: the Dask client for collections of Dask."""
    distributed = sys.modules.get("distributed")
    if distributed is not None and any(isinstance(part, Partition) for part in found.pieces[:1]):
        with suppress(ValueError):  # there is no client
            return OnDask(distributed.default_client())
    return OneByOne()


def read_target(target: Any, found: Source) -> Floats:
    """Return the target, given as numbers or as a file; raise if it does not fit the students."""
    source = ""
    if isinstance(target, str | PathLike):
        source = f" of {target}"
        target = files.read_target(Path(target))
    values = np.asarray(_arrays.to_numpy(target) if _arrays.is_array(target) else target)
    target = _checks.vector(
        values.reshape(-1) if found.outputs is None else values,
        f"target{source}",
        like=np.empty(0),
        length=found.dimensions,
        each="dimension",
        outputs=found.outputs,
    )
    return _arrays.to_host(target)


def _pair(source: Any) -> tuple[Any, Any]:
    """Return states and rates, given as a pair or by name."""
    if isinstance(source, Mapping) and {"states", "rates"} <= set(source):
        return source["states"], source["rates"]
    if isinstance(source, tuple | list) and len(source) == 2:
        return source[0], source[1]
    raise InputTypeError(
        "A large class is a file, a folder, a Dask data frame, or a pair of arrays "
        f"(states, rates), but this is {type(source).__name__}."
    )


def _on_disk(path: Path, rates: Limits | None) -> Source:
    """Return the class in a file or folder, by its ending; refuse other endings."""
    if is_folder(path):
        return _in_folder(path, rates)
    ending = path.suffix.lower()
    if ending == ".parquet":
        return _tables([path], rates)
    if ending == ".npz":
        return _archive(path, rates)
    with reading(path):
        pass  # raises if there is no such file
    why = {
        ".csv": "save it as .parquet, as Classroom.load(path).save(...) does",
        ".npy": "put states.npy, rates.npy and target.npy into a folder, and name the folder",
    }
    raise InputError(
        f"{path} cannot be read piece by piece: "
        f"{why.get(ending, 'that works for .parquet and .npz files, and with folders')}."
    )


def _in_folder(path: Path, rates: Limits | None) -> Source:
    """Return the class in a folder: arrays or tables, perhaps with a file for the target."""
    own = next((path / name for name in TARGETS if (path / name).is_file()), None)
    if (path / "states.npy").is_file():
        states, own_rates = (arrays.map_npy(path / f"{name}.npy") for name in ("states", "rates"))
        found = cut_arrays(states, own_rates, Place(str(path), letter=""), rates)
    else:
        tables = [file for file in sorted(path.rglob("*.parquet")) if _is_table(file, path)]
        if not tables:
            raise InputError(
                f"{path} has neither .parquet files nor states.npy and rates.npy: not a class."
            )
        found = _tables(tables, rates)
    return found if own is None else replace(found, target=own)


def _is_table(file: Path, folder: Path) -> bool:
    """Return whether a file is a table of students; hidden files and the target's file are not."""
    parts = file.relative_to(folder).parts
    hidden = any(part.startswith((".", "_")) for part in parts)
    return not hidden and parts != ("target.parquet",)


def _tables(paths: Sequence[Path], rates: Limits | None) -> Source:
    """Return the class in Parquet files; refuse files that do not fit together."""
    files = [parquet.find_students(paths[0], rates)]
    files += [parquet.find_students(path, rates, files[0].dimensions) for path in paths[1:]]
    having = [path for path, file in zip(paths, files, strict=True) if file.target is not None]
    if len(having) > 1:
        raise InputError(f"{having[1]} has a target row, but so has {having[0]}: keep one of them.")
    radii: dict[str, float] = {}
    for path, file in zip(paths, files, strict=True):
        for name, radius in file.radii.items():
            if radii.setdefault(name, radius) != radius:
                raise InputError(
                    f"{path} says {name}={radius!r}, but a file before it says {radii[name]!r}: "
                    "these files are not one class."
                )
    ranges = [file.rates for file in files if file.rates is not None]
    return Source(
        [piece for file in files for piece in file.pieces],
        files[0].dimensions,
        next((file.target for file in files if file.target is not None), None),
        radii,
        (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else None,
    )


def _archive(path: Path, rates: Limits | None) -> Source:
    """Return the class in an uncompressed ``.npz`` file."""
    stored = arrays.map_npz(path, ("states", "rates"))
    if stored is None:
        raise InputError(
            f"{path} is compressed, so that it cannot be read piece by piece: write it with "
            "numpy.savez, or read it whole with Classroom.load(path)."
        )
    for needed in ("states", "rates"):
        if needed not in stored:
            raise InputError(f"{path} has no {needed}: it is not a class file.")
    found = cut_arrays(stored["states"], stored["rates"], Place(str(path), letter=""), rates)
    small = files.read_npz(path, only=("target", *RADII))
    return replace(found, target=small.pop("target", None), radii=small)
