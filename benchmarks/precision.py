"""The same round in float32 and with torch, against NumPy float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec

import numpy as np

from benchmarks.timing import Line, take_turns
from homeroom import Classroom, Lesson
from homeroom._arrays import Array

STUDENTS, TURNS = 100_000, 6


def lines() -> Iterator[Line]:
    """Measure."""
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
    lesson = Lesson(room)

    def a_round() -> None:
        lesson.ask()
        lesson.tell()

    a_round()  # the first round builds the moments
    return a_round
