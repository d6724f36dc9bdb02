"""The golden table: lessons as data, how to run a row, and how to compare it with what is stored.

A row of ``table.jsonl`` is one JSON object per line. All its values are plain data:

- ``name``, unique; ``call``: ``teach`` (the default), ``lesson`` (by ask and tell), ``certify``,
  ``compare``, ``frontier``, ``richness`` or ``split``;
- ``room``: arguments of ``Classroom.sample``; also ``library`` and ``dtype`` of its arrays, and
  ``large`` for a ``LargeClass``;
- ``teacher``, ``goal``, ``groups``, ``observer``, ``learner``: a text such as ``by-knowledge:k=4``,
  or an object with the registered ``name`` and the arguments (see :func:`read_value` for arrays);
- all else that the call takes (``max_rounds``, ``engine``, ``seed``, ...);
- ``seeds``: so many lessons, compared in distribution;
- ``truth``: ``textbook`` if the result comes from ``benchmarks/textbook.py``, not from the engines;
- ``only``: the parts of the result that are compared, where the others depend on rounding;
- ``relative``: the tolerance, if it is not 1e-7;
- ``slow``: not in the quick tests; ``depends``: what may change the result on purpose;
- ``result``: what ``python -m tests.golden`` has written.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np

import homeroom
from homeroom import Classroom, LargeClass, Lesson, Record

Row = dict[str, Any]
TABLE = Path(__file__).with_name("table.jsonl")
RELATIVE = 1e-7
"""The tolerance, relative to the stored value."""

KINDS = {
    "teacher": "teachers",
    "goal": "goals",
    "groups": "groups",
    "observer": "observers",
    "learner": "learners",
    "pool": "pools",
}
ABOUT = {"name", "call", "room", "seeds", "truth", "only", "relative", "slow", "depends", "result"}
"""What a row has besides arguments of its call."""


def read_table() -> list[Row]:
    """Return the rows of the table."""
    return [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]


def write_table(rows: list[Row]) -> None:
    """Write the rows, one per line."""
    TABLE.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def read_value(key: str, given: Any) -> Any:
    """Return an argument: a component, an array, or the value itself.

    Arrays are ``{"normal": shape, "seed": n}``, times ``scale`` or of length ``unit`` per row;
    ``{"eye": n}``; or ``{"cycle": [n, k]}``, which is 0, 1, ..., k - 1, 0, 1, ...
    """
    if not isinstance(given, dict) or key == "ways":
        return given
    if "name" in given:
        return build(KINDS[key], given)
    if "cycle" in given:
        size, period = given["cycle"]
        return np.arange(size) % period
    if "eye" in given:
        return np.eye(given["eye"]) * given.get("scale", 1.0)
    array = np.random.default_rng(given["seed"]).standard_normal(given["normal"])
    if "unit" in given:
        array *= given["unit"] / np.linalg.norm(array, axis=-1, keepdims=True)
    if "signs" in given:
        return np.sign(array)
    return array * given.get("scale", 1.0)


def build(kind: str, given: dict[str, Any]) -> Any:
    """Return the registered component of that name with these arguments."""
    (entry,) = entry_points(group=f"homeroom.{kind}", name=given["name"])
    arguments = {key: read_value(key, value) for key, value in given.items() if key != "name"}
    return entry.load()(**arguments)


def build_room(given: dict[str, Any]) -> Any:
    """Return the class of a row."""
    settings = dict(given)
    library, dtype = settings.pop("library", "numpy"), settings.pop("dtype", "float64")
    large = settings.pop("large", False)
    room = Classroom.sample(**settings)
    if large:
        return LargeClass.open((room.states, room.rates), target=room.target)
    if (library, dtype) == ("numpy", "float64"):
        return room
    module = import_module(library)
    parts = (np.array(part) for part in (room.states, room.rates, room.target))
    states, rates, target = (module.asarray(p, dtype=getattr(module, dtype)) for p in parts)
    radii: dict[str, Any] = {
        "state_radius": room.state_radius,
        "example_radius": room.example_radius,
    }
    return Classroom(states, rates, target, **radii)


def arguments_of(row: Row) -> dict[str, Any]:
    """Return the arguments of the call of a row, except for the class."""
    return {key: read_value(key, value) for key, value in row.items() if key not in ABOUT}


def run(row: Row) -> dict[str, Any]:
    """Return the result of a row, computed by the package."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        call = CALLS[row.get("call", "teach")]
        if "seeds" not in row:
            result = call(build_room(row["room"]), **arguments_of(row))
            return {part: result[part] for part in row.get("only", result)}
        results = [
            call(build_room(row["room"]), seed=seed, **arguments_of(row))
            for seed in range(row["seeds"])
        ]
    rounds = np.array([result["rounds"] for result in results], dtype=np.float64)
    logs = np.log([result["errors"][-1] for result in results])
    return {
        "rounds": [float(rounds.mean()), float(rounds.std())],
        "log of the last error": [float(logs.mean()), float(logs.std())],
    }


def pick_five(values: Any) -> list[float]:
    """Return the first, the last, and three values between them."""
    last = len(values) - 1
    return [float(values[last * quarter // 4]) for quarter in range(5)]


def project_states(states: Any) -> list[float]:
    """Return three fixed projections of all states, and their root mean square."""
    numbers = np.asarray(states, dtype=np.float64).ravel()
    index = np.arange(1, len(numbers) + 1)
    projections = [float(numbers @ np.sin(k * index)) for k in (1, 2, 3)]
    return [p / math.sqrt(len(numbers)) for p in (*projections, float(np.linalg.norm(numbers)))]


def summarise(record: Record, *, final: bool = True) -> dict[str, Any]:
    """Return what the table keeps of a lesson."""
    result = {
        "rounds": record.rounds,
        "workload": record.workload,
        "groups": len(record.groups),
        "stop": record.stopped_because.name,
        "errors": pick_five(record.errors),
    }
    if final:
        result["states"] = project_states(record.final_states)
    if record.verified is not None:
        result["verified"] = [record.verified["error"], record.verified["farthest"]]
    if len(record.watched):
        result["watched"] = [float(one) for one in record.watched_errors[-1]]
    return result


def run_teach(room: Any, *, final: bool = True, **settings: Any) -> dict[str, Any]:
    """Teach from beginning to end; ``final=False`` if single students are not followed."""
    return summarise(homeroom.teach(room, **settings), final=final)


def run_lesson(room: Classroom, *, told: bool = False, **settings: Any) -> dict[str, Any]:
    """Teach by ask and tell; if ``told``, the states after a gradient step come from outside."""
    lesson, states = Lesson(room, **settings), np.array(room.states)
    while (example := lesson.ask()) is not None:
        if told:
            assert isinstance(example, homeroom.Example)
            moves = np.asarray(room.rates) * (states @ example.x - example.y)
            states = states - moves[:, None] * example.x
        lesson.tell(states if told else None)
    return summarise(lesson.record())


def run_certify(
    room: Classroom, *, taught: bool = False, max_rounds: int = 100_000, **settings: Any
) -> dict[str, Any]:
    """Certify a lesson; ``taught``: after it, from its record."""
    record = homeroom.teach(room, max_rounds=max_rounds, **settings) if taught else None
    proof = homeroom.certify(room, record=record, **settings)
    bounds = [proof.start, proof.rate, proof.floor, proof.weakest, proof.bound(10)]
    return {
        "rounds": proof.rounds,
        "rank": proof.rank,
        "in_expectation": proof.in_expectation,
        "parts": [part.rounds for part in proof.groups],
        "bounds": [number if math.isfinite(number) else None for number in bounds],
    }


def run_compare(room: Classroom, **settings: Any) -> dict[str, Any]:
    """Compare ways of teaching."""
    found = homeroom.compare(room, **settings)
    return {
        "ways": [way.name for way in found.ways],
        "groups": [way.groups for way in found.ways],
        "rounds": [way.rounds for way in found.ways],
        "workload": [way.workload for way in found.ways],
        "best": [found.best(lam).name for lam in found.lambdas],
    }


def run_frontier(room: Classroom, **settings: Any) -> dict[str, Any]:
    """Find the splits that are not dominated."""
    found = homeroom.frontier(room, **settings)
    return {
        "rounds": [split.rounds for split in found],
        "workload": [split.workload for split in found],
        "groups": [split.groups for split in found],
        "corners": [split.rounds for split, _, _ in found.corners],
    }


def run_richness(room: Classroom, *, measure: str = "effect", **settings: Any) -> dict[str, Any]:
    """Measure how rich a pool was in a lesson."""
    found = homeroom.richness(room, homeroom.teach(room, **settings), measure)
    return {"rounds": len(found), "richness": [*pick_five(found), float(found.min())]}


def run_split(room: Classroom, *, groups: Any, seed: int = 0) -> dict[str, Any]:
    """Split a class, and teach no round."""
    record = homeroom.teach(room, groups=groups, seed=seed, max_rounds=0)
    return {"group_of": [int(group) for group in record.group_of]}


CALLS: dict[str, Callable[..., dict[str, Any]]] = {
    "teach": run_teach,
    "lesson": run_lesson,
    "certify": run_certify,
    "compare": run_compare,
    "frontier": run_frontier,
    "richness": run_richness,
    "split": run_split,
}


def differences(row: Row, found: dict[str, Any], relative: float | None = None) -> list[str]:
    """Return a sentence for each part of a result that differs from the stored one."""
    close = row.get("relative", RELATIVE) if relative is None else relative
    stored = row["result"]
    if "seeds" in row:
        return [
            f"{row['name']}: {line}"
            for line in _in_distribution(stored, found, row["seeds"], close)
        ]
    return [
        f"{row['name']}: {key} is {found.get(key)}, but was {stored.get(key)}"
        for key in sorted({*stored, *found})
        if not _is_close(key, stored.get(key), found.get(key), close)
    ]


def _is_close(key: str, stored: Any, found: Any, relative: float) -> bool:
    """Return whether two parts agree: counts and names exactly, numbers within the tolerance.

    Errors near zero may differ by rounding, and projections by that of the states.
    """
    if not isinstance(stored, list) or not isinstance(found, list):
        return _same(stored, found, relative, 0.0)
    if len(stored) != len(found):
        return False
    numbers = [abs(one) for one in stored if isinstance(one, float)]
    size = stored[3] if key == "states" else 1e-5 * max(numbers, default=0.0)
    return all(_same(a, b, relative, relative * size) for a, b in zip(stored, found, strict=True))


def _same(stored: Any, found: Any, relative: float, absolute: float) -> bool:
    if isinstance(stored, float) and isinstance(found, float):
        return math.isclose(stored, found, rel_tol=relative, abs_tol=absolute)
    return bool(stored == found)


def _in_distribution(
    stored: dict[str, list[float]], found: dict[str, list[float]], seeds: int, relative: float
) -> Iterator[str]:
    """Yield the means that differ by more than four standard errors of their difference."""
    for part, (was, deviation) in stored.items():
        mean, other = found[part]
        spread = math.hypot(deviation, other) / math.sqrt(seeds)
        if abs(mean - was) > 4.0 * spread + relative * abs(was):
            yield f"the mean over {seeds} seeds of {part} is {mean}, but was {was}"
