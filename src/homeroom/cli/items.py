"""A pool of items from a file."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import damaged, read_arrays, read_npy, reading, refuse_size
from homeroom.pools import AbstractPool, DirectionPool, ItemPool


def read_pool(path: Path, *, rescalable: bool, max_bytes: int) -> AbstractPool:
    """Read a pool from ``.npy``, ``.npz`` or ``.csv``: a row for each item.

    A ``.npz`` file holds ``items`` and, if they have answers of their own, ``labels``; a ``.csv``
    file has a row of numbers for each item, with or without a header.
    """
    readers = {".npy": _read_npy, ".npz": _read_npz, ".csv": _read_csv}
    read = readers.get(path.suffix.lower())
    if read is None:
        raise InputError(f"{path} must end in .npy, .npz or .csv to be a pool of items.")
    with reading(path):
        arrays = read(path, max_bytes)
    try:
        if rescalable:
            return DirectionPool(arrays["items"])
        return ItemPool(arrays["items"], arrays.get("labels"))
    except InputError as reason:
        raise InputError(f"{path} is no pool of items: {reason}") from None


def _read_npy(path: Path, max_bytes: int) -> dict[str, Any]:
    return {"items": read_npy(path, max_bytes)}


def _read_npz(path: Path, max_bytes: int) -> dict[str, Any]:
    arrays: dict[str, Any] = dict(read_arrays(path, max_bytes))
    if "items" not in arrays:
        raise InputError(f"{path} must hold an array called `items`, a row for each item.")
    return arrays


def _read_csv(path: Path, max_bytes: int) -> dict[str, Any]:
    refuse_size(path, path.stat().st_size, max_bytes)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except (UnicodeDecodeError, csv.Error) as reason:
        raise damaged(path, reason) from None
    if rows and not _is_number(rows[0][0]):
        del rows[0]
    if not rows:
        raise InputError(f"{path} has no items: it needs a row of numbers for each.")
    try:
        items: Floats = np.array([[float(cell) for cell in row] for row in rows])
    except ValueError as reason:
        raise InputError(f"{path} must hold numbers in rows of equal length: {reason}.") from None
    return {"items": items}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
