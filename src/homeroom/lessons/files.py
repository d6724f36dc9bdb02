"""A record on disk: one ``.npz`` file with the arrays, and the rest as JSON beside them."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom.classroom.files import read_arrays, replacing
from homeroom.lessons.record import Record
from homeroom.lessons.transcript import CODES, KINDS, AbstractTranscript

FORMAT = 1


def save(record: Record, path: str | PathLike[str]) -> None:
    """Write a record; nothing half-written is left if it fails."""
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise ValueError(f"{path} must end in .npz, the format of records.")
    kind = next(name for name, cls in KINDS.items() if isinstance(record.transcript, cls))
    rest = {
        "format": FORMAT,
        "transcript": kind,
        "settings": record.settings,
        "counts": record.counts,
        "engine": record.engine,
        "error_estimate": record.error_estimate,
    }
    text = json.dumps(rest, sort_keys=True, allow_nan=False).encode()
    arrays: dict[str, Any] = {
        "record": np.frombuffer(text, dtype=np.uint8),
        "group_of": record.group_of,
        "final_states": _arrays.to_numpy(record.final_states),
        "watched": record.watched,
        "watched_errors": record.watched_errors,
    }
    for name, array in record.transcript.arrays().items():
        arrays[f"transcript_{name}"] = array
    with replacing(path) as temporary:
        np.savez(temporary, **arrays)


def load(path: str | PathLike[str]) -> Record:
    """Read a record, checked for being one."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"There is no file {path}.")
    arrays = read_arrays(path)
    try:
        rest = json.loads(bytes(arrays["record"].astype(np.uint8)))
        return _record(arrays, rest)
    except KeyError as missing:
        raise ValueError(f"{path} is no record of a lesson: it has no {missing}.") from None
    except (TypeError, ValueError, RecursionError) as reason:
        why = str(reason).rstrip(".")
        raise ValueError(f"{path} is no record of a lesson: {why}.") from None


def _record(arrays: dict[str, Any], rest: dict[str, Any]) -> Record:
    if rest["format"] != FORMAT:
        raise ValueError(f"it has format {rest['format']!r}, but this version reads {FORMAT}.")
    parts = {
        name.removeprefix("transcript_"): array
        for name, array in arrays.items()
        if name.startswith("transcript_")
    }
    if not (isinstance(rest["settings"], dict) and isinstance(rest["counts"], dict)):
        raise ValueError("its settings and counts must be tables of names and values.")
    if rest["transcript"] not in tuple(KINDS):
        raise ValueError(f"its transcript is of no known kind, but {rest['transcript']!r}.")
    transcript: AbstractTranscript = KINDS[rest["transcript"]](**parts)
    _check(transcript, arrays)
    return Record(
        transcript,
        arrays["group_of"],
        arrays["final_states"],
        rest["settings"],
        rest["counts"],
        arrays["watched"],
        arrays["watched_errors"],
        rest["engine"],
        rest["error_estimate"],
    )


def _check(transcript: AbstractTranscript, arrays: dict[str, Any]) -> None:
    """Refuse arrays that do not belong together."""
    parts = transcript.arrays()
    _check_kinds(parts | {name: arrays[name] for name in arrays if name in _KINDS})
    groups, students = len(transcript.rounds), len(arrays["group_of"])
    lengths = {"stops": groups, "group_of": students, "final_states": students}
    if "xs" in parts:
        total = int(transcript.rounds.sum())
        lengths |= dict.fromkeys(("xs", "ys", "items"), total)
        lengths |= dict.fromkeys(("all_errors", "all_farthest"), total + groups)
    else:
        lengths |= dict.fromkeys(("gaps", "g", "shrink"), groups)
    if len(arrays["watched"]):
        lengths["watched_errors"] = int(transcript.rounds.sum()) + 1
    for name, length in lengths.items():
        array = parts[name] if name in parts else arrays[name]
        if len(array) != length:
            raise ValueError(f"`{name}` has {len(array)} rows where {length} belong.")
    if (transcript.rounds < 0).any() or not np.isin(transcript.stops, range(len(CODES))).all():
        raise ValueError("its numbers of rounds or its reasons make no sense.")
    if students and not (0 <= arrays["group_of"].min() <= arrays["group_of"].max() < groups):
        raise ValueError("it names a group that does not exist.")


_KINDS = {
    "group_of": ("iu", 1),
    "rounds": ("iu", 1),
    "stops": ("iu", 1),
    "items": ("iu", 1),
    "watched": ("iu", 1),
    "final_states": ("f", 2),
    "watched_errors": ("f", 2),
    "all_errors": ("f", 1),
    "all_farthest": ("f", 1),
    "xs": ("f", 2),
    "ys": ("f", 1),
    "gaps": ("f", 2),
    "target": ("f", 1),
    "g": ("f", 1),
    "shrink": ("f", 1),
}
"""What each array holds (whole numbers or floats), and how many axes it has."""


def _check_kinds(parts: dict[str, np.ndarray]) -> None:
    for name, array in parts.items():
        kind, axes = _KINDS[name]
        if array.dtype.kind not in kind or array.ndim != axes:
            raise ValueError(
                f"`{name}` is {array.ndim}-dimensional of {array.dtype}, "
                f"where {axes} and {'float64' if kind == 'f' else 'int64'} belong."
            )
