"""A model's weights, and their file: plain arrays in one ``.npz``, held together by a checksum."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Ints
from homeroom._checks import InputError
from homeroom._files import read_arrays, reading, replacing
from homeroom.handwriting.generators.lstm.card import Card
from homeroom.handwriting.generators.lstm.habits import EVERY, Habits
from homeroom.handwriting.generators.lstm.layers import FEATURES, LAYERS, Layer
from homeroom.handwriting.generators.lstm.mixture import OUTPUTS
from homeroom.handwriting.generators.lstm.tracks import TOLD, Floats32

FORMAT = 2
MAX_BYTES = 64 << 20

LARGEST = float(np.finfo(np.float16).max)
"""No weight is larger: it could not have been written."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Everything that was learned, in float32, with the card that goes with it.

    Parameters
    ----------
    layers
        The three layers, from the pen upwards.
    head, head_bias
        From the states of all layers to what is said of the next step, shapes
        ``(3 * hidden, outputs)`` and ``(outputs,)``.
    habits
        How the letters that were learned from are written.
    card
        Letters, units and story.
    """

    layers: tuple[Layer, ...]
    head: Floats32
    head_bias: Floats32
    habits: Habits
    card: Card

    @property
    def hidden(self) -> int:
        """How many units each layer has."""
        return len(self.head) // LAYERS

    def arrays(self) -> dict[str, Floats32]:
        """Return the arrays of fractions by name."""
        named = {"head": self.head, "head_bias": self.head_bias, "habits": self.habits.rows}
        for number, layer in enumerate(self.layers, start=1):
            named |= {f"{kind}{number}": part for kind, part in layer._asdict().items()}
        return named


def save(weights: Weights, path: str | PathLike[str]) -> str:
    """Write weights as float16, and return their checksum; nothing half-written is left."""
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise InputError(f"{path} must end in .npz, the format of letter models.")
    arrays: dict[str, npt.NDArray[Any]] = {
        name: part.astype(np.float16) for name, part in weights.arrays().items()
    }
    if not all(np.isfinite(part).all() for part in arrays.values()):
        raise InputError(
            f"{path} is not written: the weights are not finite. Train with a smaller rate."
        )
    arrays["whose"] = weights.habits.whose.astype(np.int32)
    card = {"format": FORMAT, **weights.card.to_json()}
    checksum = _checksum(arrays, card)
    text = json.dumps({**card, "sha256": checksum}, sort_keys=True, allow_nan=False).encode()
    with replacing(path) as temporary:
        np.savez(temporary, card=np.frombuffer(text, dtype=np.uint8), **arrays)  # type: ignore[arg-type]  # names, not options
    return checksum


def load(path: str | PathLike[str], sha256: str | None = None) -> Weights:
    """Read weights, and nothing but weights: no code in the file is ever run.

    The file carries the SHA-256 of its content, which is checked; give ``sha256`` to accept only
    the one file that has it.
    """
    path = Path(path)
    with reading(path):
        arrays = read_arrays(path, MAX_BYTES)
    try:
        card = json.loads(bytes(arrays.pop("card").astype(np.uint8)))
        if card["format"] != FORMAT:
            raise InputError(
                f"it has format {card['format']!r}, but this version reads {FORMAT}: train it anew"
            )
        promised = card.pop("sha256")
        read = Card.from_json(card)
    except KeyError as missing:
        raise InputError(f"{path} is no letter model: it has no {missing}.") from None
    except (AttributeError, TypeError, ValueError, OverflowError, RecursionError) as reason:
        raise InputError(f"{path} is no letter model: {str(reason).rstrip('.')[:200]}.") from None
    found = _checksum(arrays, card)
    if found != promised or sha256 not in (None, found):
        raise InputError(
            f"{path} is not the model that it should be: its SHA-256 is {found}, but must be "
            f"{sha256 or promised}. Get the file again from where it came."
        )
    return _weights(path, arrays, read)


def _checksum(arrays: Mapping[str, npt.NDArray[Any]], card: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the arrays and the card, whatever their order in the file."""
    digest = hashlib.sha256(json.dumps(card, sort_keys=True).encode())
    for name in sorted(arrays):
        part = arrays[name]
        digest.update(f"{name} {part.dtype.str} {part.shape}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _weights(path: Path, arrays: Mapping[str, npt.NDArray[Any]], card: Card) -> Weights:
    for name in shapes(1, 1, 1):
        if name not in arrays or not arrays[name].size:
            raise InputError(f"{path} is no letter model: it has no {name!r}.")
    units, habits = (len(np.atleast_1d(arrays[name])) for name in ("head", "habits"))
    parts = {
        name: _part(path, name, arrays[name], shape)
        for name, shape in shapes(max(1, units // LAYERS), len(card.names), habits).items()
    }
    numbers = range(1, LAYERS + 1)
    layers = tuple(Layer(*(parts[f"{kind}{k}"] for kind in Layer._fields)) for k in numbers)
    own = Habits(parts["habits"], _whose(path, arrays, habits, len(card.names)))
    return Weights(layers, parts["head"], parts["head_bias"], own, card)


def shapes(hidden: int, letters: int, habits: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a model."""
    above = FEATURES + 2 * hidden
    return {
        "matrix1": (FEATURES + hidden, 4 * hidden),
        "matrix2": (above, 4 * hidden),
        "matrix3": (above, 4 * hidden),
        **{f"bias{k}": (letters, 4 * hidden) for k in range(1, LAYERS + 1)},
        **{f"manner{k}": (TOLD, 4 * hidden) for k in range(1, LAYERS + 1)},
        "head": (LAYERS * hidden, OUTPUTS),
        "head_bias": (OUTPUTS,),
        "habits": (habits, TOLD),
    }


def _part(path: Path, name: str, part: npt.NDArray[Any], shape: tuple[int, ...]) -> Floats32:
    if part.dtype.kind != "f" or part.shape != shape:
        raise InputError(
            f"{path} is no letter model: {name!r} must be floats of shape {shape}, but has "
            f"shape {part.shape} and dtype {part.dtype}."
        )
    if not np.abs(part).max() <= LARGEST:
        raise InputError(
            f"{path} is no letter model: {name!r} must be finite, and at most {LARGEST:g} in size."
        )
    return part.astype(np.float32)


def _whose(path: Path, arrays: Mapping[str, npt.NDArray[Any]], rows: int, letters: int) -> Ints:
    """Return which letters the habits are of; a file that does not say means every letter."""
    whose = arrays.get("whose", np.full(rows, EVERY))
    if whose.dtype.kind != "i" or whose.shape != (rows,):
        raise InputError(
            f"{path} is no letter model: 'whose' must name a letter for each of the {rows} habits, "
            f"but has shape {whose.shape} and dtype {whose.dtype}."
        )
    if not (whose.min() >= EVERY and whose.max() < letters):
        raise InputError(
            f"{path} is no letter model: 'whose' must be from {EVERY} to {letters - 1}."
        )
    return whose.astype(np.int64)
