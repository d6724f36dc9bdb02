"""What is measured of a GPU: a class is drawn on it, sketched and taught, and its limits are met.

Everything also runs on the CPU, where it shows nothing but that it is right.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom.classroom import Classroom
from homeroom.lessons import Lesson, Record
from homeroom.moments import Sketch

if TYPE_CHECKING:
    from homeroom._arrays import Floats
    from homeroom.moments.on_device import DeviceSource

RATES = (0.05, 0.25)
"""The paper's range of rates."""

TURNS = 5
BESIDE_THE_STUDENTS = 5_000_000_000
"""Bytes that building a sketch needs whatever the class."""


def device() -> str:
    """Return the name of the GPU that torch sees, or say that there is none."""
    with needs("This bench needs torch and a GPU", "train"):
        import torch
    if not torch.cuda.is_available():
        raise InputError(
            "This bench needs a GPU, but torch sees none here: run it on a machine with one."
        )
    return "cuda"


def name_of(where: str) -> str:
    """Return what a device calls itself."""
    import torch

    return str(torch.cuda.get_device_name()) if where == "cuda" else where


def most_students(dimensions: int, free: int) -> int:
    """Return how many students fit into so many bytes, with what a sketch needs beside them."""
    # A state and a rate in float32; a block's order and places, and one check at the door.
    each = 4 * (dimensions + 1) + 16
    return max(0, free - BESIDE_THE_STUDENTS) // each


def draw(students: int, dimensions: int, seed: int, where: str) -> Classroom:
    """Return a class drawn where it is to be: normal states, even rates, a target of length one."""
    import torch

    rng = torch.Generator(where).manual_seed(seed)
    states = torch.empty((students, dimensions), dtype=torch.float32, device=where)
    for part in states.split(1 << 24):
        part.normal_(generator=rng)
    rates = torch.empty(students, dtype=torch.float32, device=where).uniform_(*RATES, generator=rng)
    target = torch.empty(dimensions, dtype=torch.float32, device=where).normal_(generator=rng)
    return Classroom(states, rates, target / torch.linalg.vector_norm(target))


def timed(work: Callable[[], Any], where: str, turns: int | None = None) -> tuple[list[float], Any]:
    """Return what each turn of some work took, after one that does not count, and its result."""
    result, took = work(), []
    for _ in range(turns or TURNS):
        _wait(where)
        start = time.perf_counter()
        result = work()
        _wait(where)
        took.append(time.perf_counter() - start)
    return took, result


def _wait(where: str) -> None:
    if where == "cuda":
        import torch

        torch.cuda.synchronize()


def source_of(room: Classroom) -> DeviceSource:
    """Return what sketches of a class on a device are made from."""
    from homeroom.moments.on_device import DeviceSource

    return DeviceSource(room)


def build(room: Classroom, nodes: int, where: str) -> tuple[list[float], Sketch]:
    """Return how long a sketch takes, rates looked through and all, and the sketch."""
    took, sketch = timed(lambda: source_of(room).sketch(nodes), where)
    return took, sketch


def teach(room: Classroom, nodes: int, seed: int) -> tuple[float, Record]:
    """Return how long a lesson takes when the sketch is there, and its record; static magnitude."""
    lesson = Lesson(room, engine="sketch", nodes=nodes, seed=seed)
    assert lesson.parts  # builds the sketch
    start = time.perf_counter()
    while lesson.ask() is not None:
        lesson.tell()
    record = lesson.record()
    return time.perf_counter() - start, record


def directly(room: Classroom, nodes: Floats, block: int = 1 << 18) -> Floats:
    """Return ``M_i = mean( l_i(eta_j) e_j e_j' )`` of all students, student by student in float64.

    No bins, no kernel, nothing shared with the sketch but the formula: what it is checked against.
    """
    import torch

    from homeroom.moments.nodes import barycentric_weights

    beside: dict[str, Any] = {"dtype": torch.float64, "device": room.states.device}
    at, factors = (torch.tensor(part, **beside) for part in (nodes, barycentric_weights(nodes)))
    sums = torch.zeros((len(nodes) * room.dimensions, room.dimensions), **beside)
    for states, rates in zip(room.states.split(block), room.rates.split(block), strict=True):
        gaps = states.double() - room.target.double()
        away = rates.double()[:, None] - at
        shares = factors / torch.where(away == 0.0, 1.0, away)
        shares /= shares.sum(dim=1, keepdim=True)
        hit = (away == 0.0).any(dim=1, keepdim=True)
        shares = torch.where(hit, (away == 0.0).double(), shares)
        weighed = (shares[:, :, None] * gaps[:, None, :]).reshape(len(gaps), -1)
        sums += weighed.T @ gaps
    matrices: Floats = sums.reshape(len(nodes), room.dimensions, -1).cpu().numpy() / room.students
    return matrices


def on_the_host(room: Classroom, nodes: Floats, students: int) -> Floats:
    """Return the same of the first students in NumPy float64."""
    from homeroom.moments.nodes import lagrange

    states, rates = (part[:students].cpu().numpy() for part in (room.states, room.rates))
    gaps = states.astype(np.float64) - room.target.cpu().numpy().astype(np.float64)
    shares = lagrange(nodes, rates.astype(np.float64))
    products = [(share[:, None] * gaps).T @ gaps for share in shares.T]
    return np.array(products) / len(gaps)


def of_some(room: Classroom, nodes: Floats, students: int) -> Floats:
    """Return what the device makes of the first students, with the bins of the whole class."""
    from homeroom.moments.on_device import sums_on_device

    source, states, rates = source_of(room), room.states[:students, :], room.rates[:students]
    totals = sums_on_device(states, rates, source.target, source.bins(len(nodes)), nodes=nodes)
    matrices: Floats = totals.sums[:, 0] / totals.students
    return matrices


def off(found: Floats, truth: Floats) -> float:
    """Return the largest error of a node's matrix, relative to that matrix."""
    errors = np.linalg.norm(found - truth, axis=(1, 2)) / np.linalg.norm(truth, axis=(1, 2))
    return float(errors.max())


@dataclass(frozen=True)
class Limits:
    """What the device can do: bytes copied a second (read and written), and float64 operations."""

    memory: float
    arithmetic: float

    @classmethod
    def of(cls, where: str) -> Limits:
        """Measure them: a large copy, and a large product of matrices; small ones on a CPU."""
        import torch

        numbers, size = (1 << 29, 8192) if where == "cuda" else (1 << 20, 256)
        copy = torch.empty((2, numbers), dtype=torch.float32, device=where).fill_(1.0)
        copying, _ = timed(lambda: copy[0].copy_(copy[1]), where)
        rng = torch.Generator(where).manual_seed(0)
        matrix = torch.randn((size, size), dtype=torch.float64, device=where, generator=rng)
        multiplying, _ = timed(lambda: matrix @ matrix, where, turns=3)
        return cls(
            8.0 * numbers / statistics.median(copying),
            2.0 * size**3 / statistics.median(multiplying),
        )
