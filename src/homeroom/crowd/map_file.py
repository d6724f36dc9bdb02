"""Maps on disk: one ``.npz`` file with the arrays, and everything else as JSON in it."""

from __future__ import annotations

import json
import math
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._checks import InputError
from homeroom._files import read_arrays, reading, replacing
from homeroom.crowd.answer_arrays import check_classes, check_labels
from homeroom.crowd.embedding import Embedding
from homeroom.crowd.fitting.posterior import Prior
from homeroom.crowd.fitting.uncertainty import Uncertainty

FORMAT = 2
"""Maps of version 0.1 have format 1, which is no longer read."""


def save(embedding: Embedding, path: str | PathLike[str]) -> None:
    """Write a map; if that fails, no partial file is left."""
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise InputError(f"{path} must end in .npz, the format of maps.")
    rest = {
        "format": FORMAT,
        "item_names": embedding.item_names,
        "person_names": embedding.person_names,
        "log_loss": embedding.log_loss,
        "held_out": {str(number): loss for number, loss in embedding.held_out.items()},
        "warnings": embedding.warnings,
        "joint": embedding.uncertainty.joint,
        "classes": embedding.classes,
        "prior": embedding.prior,
        "dawid_skene": embedding.dawid_skene,
    }
    text = json.dumps(rest, sort_keys=True, allow_nan=False).encode()
    with replacing(path) as temporary:
        np.savez(
            temporary,
            embedding=np.frombuffer(text, dtype=np.uint8),
            items=embedding.items,
            people=embedding.people,
            thresholds=embedding.thresholds,
            labels=embedding.labels,
            item_covariances=embedding.uncertainty.items,
            person_covariances=embedding.uncertainty.people,
        )


def load(path: str | PathLike[str]) -> Embedding:
    """Read a map, and check it."""
    path = Path(path)
    with reading(path):
        arrays = read_arrays(path)
    try:
        rest = json.loads(bytes(arrays["embedding"].astype(np.uint8)))
        return _embedding(arrays, rest)
    except KeyError as missing:
        raise InputError(f"{path} is not a map of a crowd: it has no {missing}.") from None
    except (AttributeError, TypeError, ValueError, OverflowError, RecursionError) as reason:
        why = str(reason).rstrip(".")
        raise InputError(f"{path} is not a map of a crowd: {why[:200]}.") from None


def _embedding(arrays: dict[str, npt.NDArray[Any]], rest: dict[str, Any]) -> Embedding:
    """Return the map in the arrays and the JSON of a file, after checking both."""
    if rest["format"] == 1:
        raise InputError("it was written by version 0.1. Open and save it with 0.2 first.")
    if rest["format"] != FORMAT:
        raise InputError(f"it has format {rest['format']!r}, but this version reads {FORMAT}.")
    classes = check_classes(_texts(rest["classes"], "classes"))
    consensus = rest["dawid_skene"]
    # With more than two classes, one line per class.
    rows = (len(classes),) if len(classes) > 2 else ()
    item_names = _texts(rest["item_names"], "item_names")
    person_names = _texts(rest["person_names"], "person_names")
    items, people = len(item_names), len(person_names)
    d = _dimensions(arrays["items"])
    shapes = {
        "items": (items, d),
        "people": (people, *rows, d),
        "thresholds": (people, *rows),
        "item_covariances": (items, d, d),
        "person_covariances": (people, *rows, d + 1, d + 1),
    }
    found = {name: _numbers(arrays[name], name, shape) for name, shape in shapes.items()}
    return Embedding(
        found["items"],
        found["people"],
        found["thresholds"],
        item_names,
        person_names,
        _labels(arrays["labels"], items, len(classes)),
        _loss(rest["log_loss"]),
        Uncertainty(found["item_covariances"], found["person_covariances"], _joint(rest["joint"])),
        {int(number): _loss(loss) for number, loss in rest["held_out"].items()},
        _texts(rest["warnings"], "warnings"),
        classes,
        _prior(rest["prior"]),
        None if consensus is None else _loss(consensus),
    )


def _dimensions(items: npt.NDArray[Any]) -> int:
    if items.ndim != 2 or not len(items):
        raise InputError(f"`items` must have one row per item, but has shape {items.shape}.")
    return int(items.shape[1])


def _numbers(array: npt.NDArray[Any], name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return the array after checking its shape, and that it holds finite floats."""
    if array.dtype.kind != "f" or array.shape != shape:
        raise InputError(
            f"`{name}` must be floats of shape {shape}, but has shape {array.shape} "
            f"and dtype {array.dtype}."
        )
    if not np.isfinite(array).all():
        raise InputError(f"`{name}` must be finite.")
    return array.astype(np.float64)


def _labels(array: npt.NDArray[Any], items: int, classes: int) -> npt.NDArray[np.float64]:
    """Return the expert's labels, nan where one is not known, after checking them."""
    if array.dtype.kind != "f" or array.shape != (items,):
        raise InputError(f"`labels` must be one number for each of the {items} items.")
    return check_labels(array, items, classes)


def _prior(values: Any) -> Prior:
    """Return the prior from a list of its standard deviations, after checking them."""
    if not isinstance(values, list) or len(values) != len(Prior()):
        raise InputError(f"`prior` must be {len(Prior())} numbers.")
    prior = Prior(*map(_loss, values))
    if min(prior[:3]) <= 0 or min(prior[3:]) < 0:
        raise InputError(f"`prior` must have positive standard deviations, but has {values}.")
    return prior


def _texts(values: Any, name: str) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InputError(f"`{name}` must be a list of texts.")
    return tuple(values)


def _loss(value: Any) -> float:
    """Return a log loss, or another finite number, after checking it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"its log loss must be a number, but is {value!r}.")
    return float(value)


def _joint(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"`joint` must be true or false, but is {value!r}.")
    return value
