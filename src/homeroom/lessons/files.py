"""Records on disk (``.npz``: arrays, and the rest as JSON), and records as tables, with pandas."""

from __future__ import annotations

import json
import math
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom import _arrays, _checks, _plugins
from homeroom._arrays import Ints
from homeroom._checks import InputError, counted
from homeroom._extras import needs
from homeroom._files import read_arrays, reading, replacing
from homeroom.lessons.record import RESULTS, Record, make_one_group
from homeroom.lessons.transcript import CODES, KINDS, AbstractTranscript

if TYPE_CHECKING:
    import pandas


FORMAT = 1

MAX_ROUNDS = MOST_STUDENTS = 2**53
"""Larger numbers are not exact in float64, and no lesson has as many."""

MAX_EXPANDED = 10**8
"""The most examples of a lesson that 0.2 stored in closed form, which are computed when read."""


def save(record: Record, path: str | PathLike[str]) -> None:
    """Write a record; a failure leaves no partial file."""
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise InputError(f"{path} must end in .npz, the format of records.")
    kind = next(name for name, cls in KINDS.items() if isinstance(record.transcript, cls))
    rest = {
        "format": FORMAT,
        "transcript": kind,
        "settings": record.settings,
        "counts": record.counts,
        "engine": record.engine,
        "error_estimate": record.error_estimate if math.isfinite(record.error_estimate) else None,
        "students": len(record.group_of),
        "results": {name: getattr(record, name) for name in RESULTS},
        "followed": record.final is not None,
    }
    text = json.dumps(rest, sort_keys=True, allow_nan=False).encode()
    arrays: dict[str, Any] = {
        "record": np.frombuffer(text, dtype=np.uint8),
        "watched": record.watched,
        "watched_errors": record.watched_errors,
    }
    if len(record.transcript.rounds) > 1:
        arrays["group_of"] = record.group_of
        if record.group_estimates is not None:
            arrays["group_estimates"] = record.group_estimates
    if record.final is not None:
        arrays["final_states"] = _arrays.to_numpy(record.final_states)
    for name, array in record.transcript.arrays().items():
        arrays[f"transcript_{name}"] = array
    with replacing(path) as temporary:
        np.savez(temporary, **arrays)


def load(path: str | PathLike[str]) -> Record:
    """Read a record, and check it."""
    path = Path(path)
    with reading(path):
        arrays = read_arrays(path)
    try:
        rest = json.loads(bytes(arrays["record"].astype(np.uint8)))
        return _record(arrays, rest)
    except KeyError as missing:
        raise InputError(f"{path} is not a record of a lesson: it has no {missing}.") from None
    except (TypeError, ValueError, RecursionError) as reason:
        why = str(reason).rstrip(".")
        raise InputError(f"{path} is not a record of a lesson: {why}.") from None


def _record(arrays: dict[str, Any], rest: dict[str, Any]) -> Record:
    """Return the record in the arrays and the JSON of a file, after checking both."""
    if rest["format"] != FORMAT:
        raise InputError(f"it has format {rest['format']!r}, but this version reads {FORMAT}.")
    _check_rest(rest)
    if "results" not in rest:
        raise InputError("it is of version 0.1. Open it with version 0.2 first, and save it there")
    settings, results = rest["settings"], rest["results"]
    _check_results(results)
    # Whole numbers of any kind: those too large for int64 become negative, and are refused.
    arrays = {
        name: array.astype(np.int64) if array.dtype.kind in "iu" else array
        for name, array in arrays.items()
    }
    parts = {
        name.removeprefix("transcript_"): array
        for name, array in arrays.items()
        if name.startswith("transcript_")
    }
    _check_kinds(parts)
    if rest["transcript"] == AXES:
        parts = _expand_axes(parts)
    transcript: AbstractTranscript = KINDS[rest["transcript"]](**parts)
    if "group_of" not in arrays:
        arrays["group_of"] = _one_group(transcript, rest["students"])
    _check(transcript, arrays)
    return Record(
        transcript,
        arrays["group_of"],
        arrays["final_states"] if rest.get("followed", True) else None,
        settings,
        rest["counts"],
        arrays["watched"],
        arrays["watched_errors"],
        rest["engine"],
        math.inf if rest["error_estimate"] is None else rest["error_estimate"],
        arrays.get("group_estimates"),
        **results,
    )


def _one_group(transcript: AbstractTranscript, students: Any) -> Ints:
    """Return the group of each student in a file that does not state it: 0, for one group only."""
    if len(transcript.rounds) != 1:
        raise InputError("it does not state which student was in which group.")
    return make_one_group(_checks.whole(students, "students", at_least=1, at_most=MOST_STUDENTS))


def _check_rest(rest: dict[str, Any]) -> None:
    """Refuse a description whose parts have the wrong types."""
    settings, counts = rest["settings"], rest["counts"]
    if not (isinstance(settings, dict) and isinstance(counts, dict)):
        raise InputError("its settings and counts must be tables of names and values.")
    if not all(isinstance(number, int) for number in counts.values()):
        raise InputError("its counts must be whole numbers.")
    goal = settings.get("goal", {"name": ""})
    if not (isinstance(goal, dict) and isinstance(goal.get("name"), str)):
        raise InputError("its goal must be a table with a name.")
    _check_goal(goal)
    if rest["transcript"] not in tuple(KINDS):
        raise InputError(f"its transcript is of no known kind, but {rest['transcript']!r}.")
    if not isinstance(rest["engine"], str):
        raise InputError(f"its engine must be a name, but is {rest['engine']!r}.")
    if rest["error_estimate"] is not None:  # which stands for infinity
        _checks.not_negative(rest["error_estimate"], "error_estimate", example="0.0")


def _check_goal(goal: dict[str, Any]) -> None:
    """Refuse values that the goal itself refuses; a goal that is not installed is not checked."""
    if goal["name"] not in _plugins.names("goals"):
        return
    try:
        _plugins.find("goals", goal["name"])(**{key: goal[key] for key in goal if key != "name"})
    except InputError:
        raise
    except TypeError:
        return  # settings of another version


def _check_results(results: Any) -> None:
    """Refuse results whose names or types are wrong."""
    if not (isinstance(results, dict) and set(results) <= set(RESULTS)):
        raise InputError("its results must be a table of known names.")
    plans, why = results.get("plans", []), results.get("handed_over", [])
    found, how = results.get("verified") or {}, results.get("goal_by")
    if not (isinstance(plans, list) and all(isinstance(plan, dict) for plan in plans)):
        raise InputError("its plans must be a list of tables.")
    if not (isinstance(why, list) and all(isinstance(reason, str) for reason in why)):
        raise InputError("its reasons to hand over must be texts.")
    if results.get("nodes") is not None:
        _checks.whole(results["nodes"], "nodes", at_least=1)
    if not (isinstance(found, dict) and all(type(x) in (int, float) for x in found.values())):
        raise InputError("what was verified must be numbers.")
    if found and set(found) != {"error", "farthest"}:
        raise InputError("what was verified must be `error` and `farthest`.")
    if not (how is None or isinstance(how, str)):
        raise InputError("how its goal was decided must be a text.")
    if not isinstance(results.get("in_expectation", False), bool):
        raise InputError("`in_expectation` must be true or false.")


def _check(transcript: AbstractTranscript, arrays: dict[str, Any]) -> None:
    """Refuse arrays that do not fit together."""
    parts = transcript.arrays() | {name: arrays[name] for name in arrays if name in _KINDS}
    _check_kinds(parts)
    rounds, group_of, watched = transcript.rounds, arrays["group_of"], arrays["watched"]
    reasons = np.isin(transcript.stops, range(len(CODES)))
    # Added up in float64, which cannot wrap around.
    if (rounds < 0).any() or rounds.sum(dtype=np.float64) > MAX_ROUNDS or not reasons.all():
        raise InputError("its numbers of rounds or its reasons make no sense.")
    if not len(group_of):
        raise InputError("it has no students.")
    _check_sizes(parts, len(rounds), len(group_of), int(rounds.sum()))
    _check_groups(group_of, len(rounds))
    if not (parts.get("group_estimates", rounds) >= 0.0).all():
        raise InputError("its error estimates must not be negative.")
    if not ((watched >= 0) & (watched < len(group_of))).all():
        raise InputError("it watches a student who does not exist.")


AXES = "axes"
"""How 0.2 stored individual lessons with several outputs: each student's singular values."""


def _expand_axes(parts: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays of a :class:`Transcript`, given those of 0.2 in closed form.

    ``squares`` are the squared singular values of each student's gap at the start, shape
    ``(students, axes)``; an example along one of the ``directions`` multiplies its value by
    ``shrink^2``; ``counts`` are the numbers of examples along each. The largest value comes first.
    """
    squares, counts, shrink = parts["squares"], parts["counts"], parts["shrink"]
    directions, g, rounds = parts["directions"], parts["g"], parts["rounds"]
    total, width = counts.sum(axis=1, dtype=np.float64), directions.shape[2]
    if (counts < 0).any() or not np.array_equal(total, rounds.astype(np.float64)):
        raise InputError("its numbers of examples do not add up to its rounds.")
    if total.sum() > MAX_EXPANDED:
        raise InputError(f"it has more than {MAX_EXPANDED:,} examples in closed form.")
    if not width or len(parts["target"]) % width:
        raise InputError(f"its target cannot be split into vectors of {width} numbers.")
    if not (len(squares) == len(directions) == len(g) == len(shrink) == len(rounds)):
        raise InputError("its arrays have different numbers of students.")
    if not (squares.shape == counts.shape == directions.shape[:2]):
        raise InputError("its arrays have different numbers of directions.")
    xs, errors = [np.zeros((0, width))], []
    for student, number in enumerate(counts):  # old files only
        axis = np.repeat(np.arange(len(number)), number)
        before = np.concatenate([np.arange(count) for count in number])
        fraction = shrink[student] ** 2
        values = squares[student][axis] * fraction**before
        order = np.lexsort((axis, -values))
        xs.append(np.sqrt(g[student]) * directions[student][axis[order]])
        left = (squares[student] * fraction**number).sum(keepdims=True)
        falls = values[order][::-1] * (1.0 - fraction)
        errors.append(np.cumsum(np.concatenate([left, falls]))[::-1])
    together, all_errors = np.concatenate(xs), np.concatenate(errors)
    return {
        "rounds": rounds,
        "stops": parts["stops"],
        "all_errors": all_errors,
        "all_farthest": np.sqrt(all_errors),
        "xs": together,
        "ys": _arrays.answers_of(parts["target"], together),
        "items": np.full(len(together), -1, dtype=np.int64),
    }


def _check_groups(group_of: Ints, groups: int) -> None:
    """Refuse numbers of groups that do not exist, and groups without students."""
    if group_of.strides == (0,):  # made by _one_group
        return
    if not 0 <= group_of.min() <= group_of.max() < groups:
        raise InputError("it names a group that does not exist.")
    if not np.bincount(group_of, minlength=groups).all():
        raise InputError("one of its groups has no students.")


def _check_sizes(parts: dict[str, np.ndarray], groups: int, students: int, rounds: int) -> None:
    """Refuse arrays with the wrong numbers of rows or columns."""
    watched = len(parts["watched"])
    lengths, widths = {"stops": groups}, {"watched_errors": watched}
    dimensions = 0
    if "final_states" in parts:
        dimensions = math.prod(parts["final_states"].shape[1:])
        lengths["final_states"], widths["final_states"] = students, _width(parts)
    if "group_estimates" in parts:
        lengths["group_estimates"] = groups
    if "xs" in parts:
        lengths |= dict.fromkeys(("xs", "ys", "items"), rounds)
        lengths |= dict.fromkeys(("all_errors", "all_farthest"), rounds + groups)
    else:
        lengths |= dict.fromkeys(("group_of", "gaps", "g", "shrink"), groups)
        lengths["target"] = widths["gaps"] = dimensions
    if watched:
        lengths["watched_errors"] = rounds + 1
    for axis, sizes, what in ((0, lengths, "row"), (1, widths, "column")):
        for name, size in sizes.items():
            found = parts[name].shape[axis]
            if found != size:
                raise InputError(f"`{name}` has {counted(found, what)} where {size} belong.")


def _width(parts: dict[str, np.ndarray]) -> int:
    """Return how long the second axis of the final states must be.

    The number of outputs, if there is an axis of outputs and the labels state it; else any length.
    """
    states = parts["final_states"]
    outputs = parts["ys"].shape[1] if "ys" in parts and parts["ys"].ndim == 2 else 0
    return outputs if outputs and states.ndim == 3 else max(1, states.shape[1])


_KINDS = {
    "group_of": ("iu", (1,)),
    "rounds": ("iu", (1,)),
    "stops": ("iu", (1,)),
    "items": ("iu", (1,)),
    "watched": ("iu", (1,)),
    "final_states": ("f", (2, 3)),
    "watched_errors": ("f", (2,)),
    "group_estimates": ("f", (1,)),
    "all_errors": ("f", (1,)),
    "all_farthest": ("f", (1,)),
    "xs": ("f", (2,)),
    "ys": ("f", (1, 2)),
    "gaps": ("f", (2,)),
    "target": ("f", (1,)),
    "g": ("f", (1,)),
    "shrink": ("f", (1,)),
    "squares": ("f", (2,)),
    "counts": ("iu", (2,)),
    "directions": ("f", (3,)),
}
"""The kind of each array (whole numbers or floats), and its numbers of axes."""


def _check_kinds(parts: dict[str, np.ndarray]) -> None:
    """Refuse arrays with the wrong type of numbers or the wrong number of axes."""
    for name, array in parts.items():
        kind, axes = _KINDS[name]
        if array.dtype.kind not in kind or array.ndim not in axes:
            raise InputError(
                f"`{name}` is {array.ndim}-dimensional of {array.dtype}, "
                f"where {axes[0]} and {'float64' if kind == 'f' else 'int64'} belong."
            )


def pandas_or_explain() -> Any:
    """Return pandas, or raise an error that says how to install it."""
    with needs("Tables need pandas", "frames"):
        import pandas
    return pandas


def frame_of(record: Record) -> pandas.DataFrame:
    """Return one row per group and round; round 0 is the start."""
    rounds = record.transcript.rounds
    groups = np.arange(len(rounds))
    number = np.concatenate([np.arange(count + 1) for count in rounds])
    after = number > 0

    def put_after_start(values: Any, nothing: float) -> Any:
        """Return values of the examples, with ``nothing`` in the rows of the start."""
        column = np.full((len(number), *values.shape[1:]), nothing)
        column[after] = values
        return column

    xs, ys, items, _ = record.examples
    columns = {
        "group": np.repeat(groups, rounds + 1),
        "round": number,
        "error": np.concatenate([record.transcript.errors(int(group)) for group in groups]),
        "farthest": np.concatenate([record.transcript.farthest(int(group)) for group in groups]),
        "item": put_after_start(items.astype(float), -1.0).astype(np.int64),
    }
    labels = put_after_start(ys, np.nan)
    columns |= (
        {"y": labels}
        if ys.ndim == 1
        else {f"y{i + 1}": labels[:, i] for i in range(labels.shape[1])}
    )
    features = put_after_start(xs, np.nan)
    columns |= {f"x{i + 1}": features[:, i] for i in range(features.shape[1])}
    frame: pandas.DataFrame = pandas_or_explain().DataFrame(columns)
    return frame
