"""``homeroom bench gpu``: measure how fast a GPU handles a very large class.

A class is drawn on the device, sketched and taught. Everything also runs on the CPU, where it only
shows that the results are right.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom.classroom import Classroom
from homeroom.cli.command import Bounds, Seed, command
from homeroom.cli.output import print_note
from homeroom.cli.result import Result
from homeroom.lessons import Lesson, Record
from homeroom.moments import Sketch

if TYPE_CHECKING:
    from homeroom._arrays import Floats

FEWEST = 10_000
"""The fewest students."""

RATES = (0.05, 0.25)
"""The paper's range of rates."""

TURNS = 5
"""Repetitions of each measurement."""

BYTES_FOR_A_SKETCH = 5_000_000_000
"""Memory that building a sketch needs, whatever the class."""


@command()
def bench_gpu(
    *,
    students: Annotated[float, Bounds(FEWEST, 1e15)] = 1e9,
    dimensions: Annotated[int, Bounds(1)] = 25,
    nodes: Annotated[int, Bounds(3, 513)] = 33,
    seed: Seed = 0,
) -> Result:
    """Measure how fast a very large class is sketched and taught on a GPU.

    The students are drawn on the device and stay there. The result has the time
    of the pass over all students and of the lesson after it, and the error of the
    moments.

    [bold]Examples[/bold]
    $ homeroom bench gpu
    $ homeroom bench gpu --students 1e8 --dimensions 20 --json

    Parameters
    ----------
    students : NUMBER
        The number of students to draw. [default: 1e9]
    dimensions
        The number of dimensions of a state.
    nodes
        The number of rates that represent all rates; odd.
    seed
        The random seed of the class.
    """
    if students != int(students):
        raise InputError(f"--students must be a whole number, but is {students}.")
    if nodes % 2 == 0:
        raise InputError(f"--nodes must be an odd number, but is {nodes}.")
    where = find_device()
    count = _count_students(int(students), dimensions)
    room = draw_class(count, dimensions, seed, where)
    return benchmark_result(measure(room, nodes, seed, where))


def _count_students(students: int, dimensions: int) -> int:
    """Return how many students to draw: fewer than asked for, with a note, if they do not fit."""
    import torch

    free, _ = torch.cuda.mem_get_info()
    most = students_that_fit(dimensions, free)
    if most < FEWEST:
        raise InputError(
            f"Only {free / 1e9:.1f} GB of the GPU's memory are free, which is not enough: "
            "stop other programs that use it."
        )
    if students > most:
        print_note(
            f"Note: {students:,} students do not fit into the {free / 1e9:.0f} GB that are free "
            f"on this GPU; {most:,} are drawn."
        )
    return min(students, most)


def measure(room: Classroom, nodes: int, seed: int, where: str) -> dict[str, Any]:
    """Return all measurements as plain values; ``where`` is torch's name of the device."""
    from homeroom.moments.on_device import DeviceSource, fits_kernel

    took, sketch = time_build(room, nodes, where)
    lessons = [time_lesson(room, nodes, seed) for _ in range(3)]
    record = lessons[-1][1]
    bins = DeviceSource(room).bins(nodes)
    return {
        "device": device_name(where),
        "students": room.students,
        "dimensions": room.dimensions,
        "build": {
            "seconds": statistics.median(took),
            "turns": took,
            "nodes": nodes,
            "bins": bins.bins,
            "moments": bins.moments,
            "one_kernel": fits_kernel(room.states),
        },
        "lesson": {
            "seconds": statistics.median(seconds for seconds, _ in lessons),
            "rounds": record.rounds,
            "error": record.errors[-1],
            "error_estimate": record.error_estimate,
            "nodes": record.nodes,
        },
        "off": largest_error(sketch.matrices, moments_student_by_student(room, sketch.nodes)),
    }


def benchmark_result(values: dict[str, Any]) -> Result:
    """Return the result with these measurements."""
    build, lesson = values["build"], values["lesson"]
    turns, bins = build["turns"], f"{build['bins']} bins of {build['moments']} moments"
    result = Result(f"A class on one {values['device']}", values)
    facts = {
        "class": f"{values['students']:,} students, {values['dimensions']} dimensions, float32",
        "sketch": f"{build['nodes']} nodes, from {bins}",
        "pass": "one kernel" if build["one_kernel"] else "plain torch products",
        "build": f"{build['seconds']:.3f} s ({min(turns):.3f} to {max(turns):.3f})",
        "lesson": f"{lesson['seconds']:.3f} s, {lesson['rounds']} rounds",
        "moments": f"right to {values['off']:.1e}, all students in float64",
    }
    result.facts(facts.items())
    return result


def find_device() -> str:
    """Return torch's name of the GPU, or raise an error if there is none."""
    with needs("This benchmark needs torch and a GPU", "train"):
        import torch
    if not torch.cuda.is_available():
        raise InputError(
            "This benchmark needs a GPU, but torch finds none: run it on a machine with one."
        )
    return "cuda"


def device_name(where: str) -> str:
    """Return the name that a device reports."""
    import torch

    return str(torch.cuda.get_device_name()) if where == "cuda" else where


def students_that_fit(dimensions: int, free: int) -> int:
    """Return how many students fit into this many bytes, together with building a sketch."""
    # A state and a rate in float32; the order and places of a block, and the check of the input.
    each = 4 * (dimensions + 1) + 16
    return max(0, free - BYTES_FOR_A_SKETCH) // each


def draw_class(students: int, dimensions: int, seed: int, where: str) -> Classroom:
    """Return a class drawn on the device: normal states, uniform rates, a target of length one."""
    import torch

    rng = torch.Generator(where).manual_seed(seed)
    states = torch.empty((students, dimensions), dtype=torch.float32, device=where)
    for part in states.split(1 << 24):
        part.normal_(generator=rng)
    rates = torch.empty(students, dtype=torch.float32, device=where).uniform_(*RATES, generator=rng)
    target = torch.empty(dimensions, dtype=torch.float32, device=where).normal_(generator=rng)
    return Classroom(states, rates, target / torch.linalg.vector_norm(target))


def time_turns(
    work: Callable[[], Any], where: str, turns: int | None = None
) -> tuple[list[float], Any]:
    """Return the seconds of each repetition, after one that is not timed, and the result."""
    result, took = work(), []
    for _ in range(turns or TURNS):
        _wait(where)
        start = time.perf_counter()
        result = work()
        _wait(where)
        took.append(time.perf_counter() - start)
    return took, result


def _wait(where: str) -> None:
    """Wait until a GPU has done all work that was submitted."""
    if where == "cuda":
        import torch

        torch.cuda.synchronize()


def time_build(room: Classroom, nodes: int, where: str) -> tuple[list[float], Sketch]:
    """Return how long building a sketch takes, scan of the rates included, and the sketch."""
    from homeroom.moments.on_device import DeviceSource

    return time_turns(lambda: DeviceSource(room).sketch(nodes), where)


def time_lesson(room: Classroom, nodes: int, seed: int) -> tuple[float, Record]:
    """Return how long a lesson takes once the sketch is built, and its record."""
    lesson = Lesson(room, engine="sketch", nodes=nodes, seed=seed)
    assert lesson.parts  # builds the sketch
    start = time.perf_counter()
    while lesson.ask() is not None:
        lesson.tell()
    record = lesson.record()
    return time.perf_counter() - start, record


def moments_student_by_student(room: Classroom, nodes: Floats, block: int = 1 << 18) -> Floats:
    """Return ``M_i = mean( l_i(eta_j) e_j e_j' )`` of all students, student by student in float64.

    ``l_i`` is the Lagrange polynomial that is one at node i and zero at the others, ``eta_j`` the
    rate of student j, and ``e_j`` their gap, ``state - target``. Shape ``(nodes, d, d)``. No bins
    and no kernel: it shares only the formula with the sketch that it checks.
    """
    import torch

    from homeroom.moments.sketch import barycentric_weights

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


def largest_error(estimate: Floats, truth: Floats) -> float:
    """Return the largest error of a matrix, relative to that matrix."""
    errors = np.linalg.norm(estimate - truth, axis=(1, 2)) / np.linalg.norm(truth, axis=(1, 2))
    return float(errors.max())
