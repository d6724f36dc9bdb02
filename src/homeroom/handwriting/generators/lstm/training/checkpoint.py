"""Where training stands, on disk: plain arrays, so that it can go on after any interruption."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._checks import InputError
from homeroom._files import damaged, read_arrays, reading, replacing

PARTS = ("now", "mean", "first", "second")
"""Parameters, their moving average, and Adam's two moments."""


class Checkpoint(NamedTuple):
    """The step that comes next, what was measured so far, and each part by torch's names."""

    step: int
    history: list[dict[str, Any]]
    parts: dict[str, dict[str, npt.NDArray[np.float32]]]


def save(checkpoint: Checkpoint, path: Path, job: dict[str, Any]) -> None:
    """Write where training stands; ``job`` says which training this is."""
    text = json.dumps({"job": job, "step": checkpoint.step, "history": checkpoint.history})
    arrays = {
        f"{part} {name}": values
        for part in PARTS
        for name, values in checkpoint.parts[part].items()
    }
    with replacing(path) as temporary:
        np.savez(temporary, about=np.frombuffer(text.encode(), dtype=np.uint8), **arrays)  # type: ignore[arg-type]  # names, not options


def load(path: Path, job: dict[str, Any]) -> Checkpoint:
    """Read where training stands, and refuse if it was another training."""
    with reading(path):
        arrays = read_arrays(path)
    try:
        about = json.loads(bytes(arrays.pop("about")))
        parts: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
        for key, values in arrays.items():
            part, _, name = key.partition(" ")
            parts[part][name] = values
        found = Checkpoint(int(about["step"]), list(about["history"]), parts)
    except (KeyError, TypeError, ValueError) as reason:
        raise damaged(path, reason) from None
    other = [key for key in job if about["job"].get(key) != job[key]]
    if other:
        raise InputError(
            f"{path} belongs to another training: it differs in {', '.join(other)}. "
            "Delete that file to begin anew, or write the model to another file."
        )
    return found
