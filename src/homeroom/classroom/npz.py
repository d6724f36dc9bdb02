"""A class as ``.npz``: the arrays ``states``, ``rates`` and ``target``, and what goes with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._checks import InputError
from homeroom._files import read_arrays
from homeroom.classroom.room import Classroom


def read(path: Path, max_bytes: int, only: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the parts of a class that the file holds, or some of them."""
    parts: dict[str, Any] = dict(read_arrays(path, max_bytes, only))
    for radius in ("state_radius", "example_radius"):
        if radius in parts:
            if parts[radius].size != 1:
                raise InputError(f"{path} is no class: `{radius}` must be one number.")
            parts[radius] = parts[radius].item()
    if "names" in parts:
        parts["names"] = _texts(path, parts["names"])
    return parts


def _texts(path: Path, names: npt.NDArray[Any]) -> list[str]:
    if names.dtype.kind == "S":
        try:
            names = np.char.decode(names, "utf-8")
        except UnicodeDecodeError as reason:
            raise InputError(f"{path} is no class: `names` must be UTF-8 ({reason}).") from None
    if names.dtype.kind != "U" or names.ndim != 1:
        raise InputError(
            f"{path} is no class: `names` must be a list of texts, but has dtype {names.dtype} "
            f"and shape {names.shape}."
        )
    return [str(name) for name in names]


def write(room: Classroom, path: Path) -> None:
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
