"""The weights of a model, its card, and its file: plain arrays in one ``.npz`` with a checksum.

The card states which letters the model writes, in which units, and how it was trained.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom._files import read_arrays, reading, replacing
from homeroom.handwriting.generators.lstm.conditions import EVERY_LETTER, Habits
from homeroom.handwriting.generators.lstm.network import FEATURES, LAYERS, OUTPUTS, Layer
from homeroom.handwriting.generators.lstm.tracks import CONDITIONS, MOST_STEPS, Floats32, Tracks
from homeroom.handwriting.ink import MAX_WORD

MARGIN = 1.15
"""How much shorter or longer than all training letters a generated letter may be."""

RATES, UNITS = (1.0, 1000.0), (1e-6, 1e6)
"""The allowed ranges of ``rate``, and of ``step_size`` and ``reach``.

Other values could exhaust the memory.
"""

LIMIT_KEYS = ("steps", "strokes", "way")
"""The keys of the limits in a file."""


class LetterLimits(NamedTuple):
    """The lowest and the highest values of valid letters, shape ``(letters, 2)`` each.

    They limit the number of steps, the number of strokes, and the length of the line. A letter
    without training data has zeros, so none of its samples is valid.
    """

    steps: Floats
    strokes: Floats
    line_length: Floats

    def widened(self, other: LetterLimits) -> LetterLimits:
        """Return limits that accept whatever either accepts."""
        return LetterLimits(
            *(_either(mine, theirs) for mine, theirs in zip(self, other, strict=True))
        )


@dataclass(frozen=True, eq=False)
class ModelCard:
    """What is needed to use a model, and the record of its training.

    Parameters
    ----------
    names
        The letters that the model can write.
    rate
        Steps per second.
    step_size, reach
        The RMS of the coordinates of a step, and of a place relative to the start, in the unit of
        the ink.
    jitter
        The random displacement of each input place during training, in units of ``step_size``, by
        which the network learned to recover from its own errors.
    limits
        The limits of a valid letter.
    story
        The record of the training: corpus, seed, settings, likelihood, distances to the corpus, as
        JSON values.
    """

    names: tuple[str, ...]
    rate: float
    step_size: float
    reach: float
    jitter: float
    limits: LetterLimits
    story: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the card as JSON values."""
        return {
            "names": list(self.names),
            "rate": self.rate,
            "step_size": self.step_size,
            "reach": self.reach,
            "jitter": self.jitter,
            "limits": dict(zip(LIMIT_KEYS, (part.tolist() for part in self.limits), strict=True)),
            "story": dict(self.story),
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ModelCard:
        """Return a card from JSON values, after checking them."""
        names = _names(values["names"])
        limits = LetterLimits(*(_limits(values["limits"], key, len(names)) for key in LIMIT_KEYS))
        if limits.steps.max() > MARGIN * MOST_STEPS:
            raise InputError(
                f"`limits` must allow at most {MARGIN * MOST_STEPS:g} steps per letter, but allow "
                f"{limits.steps.max():g}."
            )
        between = {"rate": RATES, "step_size": UNITS, "reach": UNITS, "jitter": (0.0, 1.0)}
        units = {key: _between(values, key, *ends) for key, ends in between.items()}
        return cls(names, **units, limits=limits, story=dict(values["story"]))


def limits_of(tracks: Tracks) -> LetterLimits:
    """Return the limits of valid letters.

    They are the ranges of the training letters; those of steps and line length are widened by the
    factor ``MARGIN``.
    """
    drawn = np.hypot(tracks.offsets[..., 0], tracks.offsets[..., 1]) * tracks.drawn
    parts = (tracks.lengths, 1 + tracks.lifted.sum(axis=1), drawn.sum(axis=1))
    rows = [
        [_ends(part[tracks.which == index]) for part in parts] for index in range(len(tracks.names))
    ]
    steps, strokes, line_length = np.moveaxis(np.array(rows, dtype=np.float64), 0, 1)
    wider = np.array([1 / MARGIN, MARGIN])
    return LetterLimits(steps * wider, strokes, line_length * wider)


def _either(mine: Floats, theirs: Floats) -> Floats:
    """Return limits that accept what either accepts; a row of zeros is unknown."""
    seen, known = mine.any(axis=1, keepdims=True), theirs.any(axis=1, keepdims=True)
    low, high = np.minimum(mine[:, :1], theirs[:, :1]), np.maximum(mine[:, 1:], theirs[:, 1:])
    both = np.hstack([low, high])
    return np.where(seen & known, both, np.where(seen, mine, theirs))


def _ends(values: Any) -> tuple[float, float]:
    """Return the least and the greatest value; zeros if there is none."""
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


def _names(values: Any) -> tuple[str, ...]:
    """Return the names of a card as a tuple, after checking them."""
    if not (isinstance(values, list) and values and all(isinstance(name, str) for name in values)):
        raise InputError("`names` must list at least one letter.")
    if len(set(values)) < len(values):
        raise InputError("`names` must list each letter once.")
    if not all(0 < len(name) <= MAX_WORD and name.isprintable() for name in values):
        raise InputError(f"`names` must be 1 to {MAX_WORD} printable characters each.")
    return tuple(values)


def _between(values: dict[str, Any], key: str, low: float, high: float) -> float:
    """Return one number of a card, after checking its limits."""
    number = float(values[key])
    if not low <= number <= high:
        raise InputError(f"`{key}` must be from {low:g} to {high:g}, but is {number:g}.")
    return number


def _limits(values: dict[str, Any], key: str, letters: int) -> Floats:
    """Return one array of the limits of a card, after checking its shape."""
    limits = np.array(values[key], dtype=np.float64)
    if limits.shape != (letters, 2) or not np.isfinite(limits).all():
        raise InputError(f"`limits` must have two numbers per letter in `{key}`.")
    return limits


FORMAT = 2

LARGEST_WEIGHT = float(np.finfo(np.float16).max)
"""The largest weight that a file can contain."""


@dataclass(frozen=True, eq=False)
class Weights:
    """The trained weights in float32, with their card.

    Parameters
    ----------
    layers
        The three layers, from the input to the output.
    head, head_bias
        From the states of all layers to the outputs, shapes ``(3 * hidden, outputs)`` and
        ``(outputs,)``.
    habits
        A sample of the conditions of the training letters, from which conditions are drawn.
    card
        Letters, units, limits, and the record of the training.
    """

    layers: tuple[Layer, ...]
    head: Floats32
    head_bias: Floats32
    habits: Habits
    card: ModelCard

    @property
    def hidden(self) -> int:
        """The number of units per layer."""
        return len(self.head) // LAYERS

    def arrays(self) -> dict[str, Floats32]:
        """Return the floating-point arrays by name."""
        named = {"head": self.head, "head_bias": self.head_bias, "habits": self.habits.rows}
        for number, layer in enumerate(self.layers, start=1):
            named |= {f"{kind}{number}": part for kind, part in layer._asdict().items()}
        return named


def save(weights: Weights, path: str | PathLike[str]) -> str:
    """Write weights as float16, and return their checksum. No partial file is ever left."""
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise InputError(f"{path} must end in .npz, the format of letter models.")
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, part in weights.arrays().items():
        if not np.abs(part).max() <= LARGEST_WEIGHT:
            raise InputError(
                f"{path} is not written: {name!r} must be finite, and at most "
                f"{LARGEST_WEIGHT:g} in size. Train with a smaller rate."
            )
        arrays[name] = part.astype(np.float16)
    arrays["whose"] = weights.habits.whose.astype(np.int32)
    card = {"format": FORMAT, **weights.card.to_json()}
    checksum = _checksum(arrays, card)
    try:
        text = json.dumps({**card, "sha256": checksum}, sort_keys=True, allow_nan=False).encode()
    except ValueError:
        raise InputError(
            f"{path} is not written: its card has numbers that are not finite."
        ) from None
    with replacing(path) as temporary:
        np.savez(temporary, card=np.frombuffer(text, dtype=np.uint8), **arrays)  # type: ignore[arg-type]  # names, not options
    return checksum


def load(path: str | PathLike[str], sha256: str | None = None) -> Weights:
    """Read weights; no code in the file is ever run.

    The file contains the SHA-256 of its content, which is checked. Give ``sha256`` to accept only
    that content.
    """
    path = Path(path)
    with reading(path):
        arrays = read_arrays(path)
    try:
        card = json.loads(bytes(arrays.pop("card").astype(np.uint8)))
        if card["format"] != FORMAT:
            raise InputError(
                f"it has format {card['format']!r}, but this version reads {FORMAT}: train it again"
            )
        promised = card.pop("sha256")
        read = ModelCard.from_json(card)
    except KeyError as missing:
        raise InputError(f"{path} is not a letter model: it has no {missing}.") from None
    except (AttributeError, TypeError, ValueError, OverflowError, RecursionError) as reason:
        raise InputError(
            f"{path} is not a letter model: {str(reason).rstrip('.')[:200]}."
        ) from None
    found = _checksum(arrays, card)
    if sha256 not in (None, found):
        raise InputError(
            f"{path} is not the expected model: its SHA-256 is {found}, but must be {sha256}. "
            "Get the file again from its source."
        )
    if found != promised:
        raise InputError(
            f"{path} is damaged: the SHA-256 of its content is {found}, but its card states "
            f"{promised}. Get the file again from its source."
        )
    return _weights(path, arrays, read)


def _checksum(arrays: Mapping[str, npt.NDArray[Any]], card: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the arrays and the card, independent of their order in the file."""
    digest = hashlib.sha256(json.dumps(card, sort_keys=True).encode())
    for name in sorted(arrays):
        part = arrays[name]
        digest.update(f"{name} {part.dtype.str} {part.shape}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _weights(path: Path, arrays: Mapping[str, npt.NDArray[Any]], card: ModelCard) -> Weights:
    """Return the weights from the arrays of a file, after checking these."""
    for name in shapes(1, 1, 1):
        if name not in arrays or not arrays[name].size:
            raise InputError(f"{path} is not a letter model: it has no {name!r}.")
    units, habits = (len(np.atleast_1d(arrays[name])) for name in ("head", "habits"))
    parts = {
        name: _part(path, name, arrays[name], shape)
        for name, shape in shapes(max(1, units // LAYERS), len(card.names), habits).items()
    }
    numbers = range(1, LAYERS + 1)
    layers = tuple(Layer(*(parts[f"{kind}{k}"] for kind in Layer._fields)) for k in numbers)
    own = Habits(parts["habits"], _habit_letters(path, arrays, habits, len(card.names)))
    return Weights(layers, parts["head"], parts["head_bias"], own, card)


def shapes(hidden: int, letters: int, habits: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array by name; ``habits`` is the number of rows of habits."""
    above = FEATURES + 2 * hidden
    return {
        "matrix1": (FEATURES + hidden, 4 * hidden),
        "matrix2": (above, 4 * hidden),
        "matrix3": (above, 4 * hidden),
        **{f"bias{k}": (letters, 4 * hidden) for k in range(1, LAYERS + 1)},
        **{f"manner{k}": (CONDITIONS, 4 * hidden) for k in range(1, LAYERS + 1)},
        "head": (LAYERS * hidden, OUTPUTS),
        "head_bias": (OUTPUTS,),
        "habits": (habits, CONDITIONS),
    }


def _part(path: Path, name: str, part: npt.NDArray[Any], shape: tuple[int, ...]) -> Floats32:
    """Return an array of a file as float32, after checking its shape and its values."""
    if part.dtype.kind != "f" or part.shape != shape:
        raise InputError(
            f"{path} is not a letter model: {name!r} must be floats of shape {shape}, but has "
            f"shape {part.shape} and dtype {part.dtype}."
        )
    if not np.abs(part).max() <= LARGEST_WEIGHT:
        raise InputError(
            f"{path} is not a letter model: {name!r} must be finite, and at most "
            f"{LARGEST_WEIGHT:g} in size."
        )
    return part.astype(np.float32)


def _habit_letters(
    path: Path, arrays: Mapping[str, npt.NDArray[Any]], rows: int, letters: int
) -> Ints:
    """Return the letters of the habits; without this array, they apply to every letter."""
    whose = arrays.get("whose", np.full(rows, EVERY_LETTER))
    if whose.dtype.kind != "i" or whose.shape != (rows,):
        raise InputError(
            f"{path} is not a letter model: 'whose' must have one letter per habit, {rows} in all, "
            f"but has shape {whose.shape} and dtype {whose.dtype}."
        )
    if not (whose.min() >= EVERY_LETTER and whose.max() < letters):
        raise InputError(
            f"{path} is not a letter model: 'whose' must be from {EVERY_LETTER} to {letters - 1}."
        )
    return whose.astype(np.int64)
