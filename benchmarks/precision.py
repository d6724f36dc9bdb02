"""The cost and the effect of precision.

The time of a round in float32 and with torch, compared with NumPy in float64; and sixty lessons
with rates 5 to 1000 times apart, each compared with a replay of its examples in whole numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from benchmarks.timing import Line, take_turns
from homeroom import (
    AtRandom,
    AverageGoal,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    Lesson,
    Record,
    teach,
)
from homeroom._arrays import Array, Floats

STUDENTS, TURNS = 100_000, 6
RATIOS = (5, 20, 50, 150, 400, 1000)


class Setting(NamedTuple):
    """One kind of lesson: students, dimensions, how the rates are spread, and how it is taught."""

    students: int
    dimensions: int
    spread: str
    magnitude: str
    more: dict[str, Any]


SETTINGS = (
    Setting(12, 2, "log-uniform", "joint", {}),
    Setting(40, 4, "log-uniform", "joint", {}),
    Setting(100, 10, "uniform", "joint", {}),
    Setting(60, 3, "two rates", "joint", {}),
    Setting(30, 6, "log-uniform", "joint", {"goal": EveryoneGoal(0.3)}),
    Setting(60, 3, "log-uniform", "joint", {"groups": AtRandom(3)}),
    Setting(200, 3, "log-uniform", "joint", {"engine": "sketch"}),
    Setting(40, 4, "log-uniform", "dynamic", {}),
    Setting(60, 5, "uniform", "static", {}),
    Setting(50, 4, "log-uniform", "static", {"groups": "individuals"}),
)


def lines() -> Iterator[Line]:
    """Measure and compare."""
    yield from _timings()
    yield from _lessons()


def _timings() -> Iterator[Line]:
    for dimensions in (25, 200):
        room = Classroom.sample(STUDENTS, dimensions)
        kinds = {"NumPy, float32": lambda array: array.astype(np.float32)}
        if find_spec("torch") is not None:
            kinds |= _torch_kinds()
        rounds = [_round(room), *(_round(_as(room, convert)) for convert in kinds.values())]
        theirs, *found = take_turns(*rounds, turns=TURNS, in_a_row=4)
        for name, mine in zip(kinds, found, strict=True):
            what = f"a round, {dimensions} dimensions, {name}"
            yield Line(what, mine, "NumPy, float64", theirs)


def _torch_kinds() -> dict[str, Callable[[Array], Array]]:
    import torch

    return {
        "torch on the CPU, float64": lambda array: torch.tensor(array, dtype=torch.float64),
        "torch on the CPU, float32": lambda array: torch.tensor(array, dtype=torch.float32),
    }


def _as(room: Classroom, convert: Callable[[Array], Array]) -> Classroom:
    return Classroom(convert(room.states), convert(room.rates), convert(room.target))


def _round(room: Classroom) -> Callable[[], None]:
    lesson = Lesson(room, engine="exact")  # float32 means nothing to a sketch

    def a_round() -> None:
        lesson.ask()
        lesson.tell()

    a_round()  # the first round builds the moments
    return a_round


def _lessons() -> Iterator[Line]:
    print("| ratio | lesson | rounds | stopped | error | estimate | difference |")
    print("|---" * 7 + "|")
    for ratio in RATIOS:
        shares = []
        for seed, setting in enumerate(SETTINGS):
            room = a_room(ratio, setting, seed)
            record = a_lesson(room, setting)
            error, estimate = float(record.errors[-1]), record.error_estimate
            difference = abs(replayed_error(room, record) - error)
            shares.append(difference / estimate)
            print(
                f"| {ratio} | {_words(setting)} | {record.rounds} | {record.stopped_because.name} "
                f"| {error:.4g} | {estimate:.2g} | {difference:.2g} |",
                flush=True,
            )
        what = f"{len(SETTINGS)} lessons, rates {ratio} times apart"
        yield Line(f"{what}: difference", max(shares), "estimate", 1.0, 1.0, faster=False, unit="")


def a_room(ratio: float, setting: Setting, seed: int) -> Classroom:
    """Return a class whose fastest student has rate 1."""
    rng = np.random.default_rng([int(ratio), seed])
    students, dimensions, spread, *_ = setting
    if spread == "log-uniform":
        rates = ratio ** -rng.random(students)
    elif spread == "uniform":
        rates = rng.uniform(1.0 / ratio, 1.0, students)
    else:
        rates = np.where(np.arange(students) < students // 10, 1.0, 1.0 / ratio)
    rates[0], rates[-1] = 1.0, 1.0 / ratio
    states = rng.standard_normal((students, dimensions))
    target = rng.standard_normal(dimensions)
    return Classroom(states, rates, target / np.linalg.norm(target), example_radius=20.0)


def a_lesson(room: Classroom, setting: Setting) -> Record:
    """Return the lesson of a setting."""
    asked = {"goal": AverageGoal(0.05), **setting.more}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that fast students may move away
        return teach(room, teacher=ClassroomTeacher(setting.magnitude), max_rounds=1500, **asked)


def replayed_error(room: Classroom, record: Record) -> float:
    """Return the final error of the record's examples, its digits doubled until two agree."""
    groups = range(len(record.transcript.rounds))
    before = None
    for bits in (128 * 2**k for k in range(8)):
        total = sum(
            _total(room.subset(record.members(group)), record.transcript.examples([group]).xs, bits)
            for group in groups
        )
        error = float(total / room.students)
        if before is not None and abs(error - before) <= 1e-14 * error:
            return error
        before = error
    raise AssertionError("replays with 8192 and 16384 bits do not agree")


def _total(room: Classroom, xs: Floats, bits: int) -> Fraction:
    """Return the sum of squared distances after the examples, in whole numbers of ``2^-bits``."""
    states, target, rates, examples = (
        _whole(np.asarray(part), bits) for part in (room.states, room.target, room.rates, xs)
    )
    gaps = states - target
    for x in examples:
        moves = (rates * ((gaps @ x) >> bits)) >> bits
        gaps = gaps - ((moves[:, None] * x) >> bits)
    return Fraction(int((gaps * gaps).sum()), 4**bits)


def _whole(numbers: Floats, bits: int) -> Any:
    """Return numbers as Python's whole numbers, in units of ``2^-bits``."""
    units = [int(Fraction(number) * 2**bits) for number in numbers.ravel().tolist()]
    return np.array(units, dtype=object).reshape(numbers.shape)


def _words(setting: Setting) -> str:
    students, dimensions, spread, magnitude, more = setting
    extra = "".join(f", {value}" for value in more.values())
    return f"{students} x {dimensions}, {spread}, {magnitude}{extra}"
