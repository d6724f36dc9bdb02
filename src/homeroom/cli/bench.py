"""``homeroom bench gpu``: measure how fast a GPU handles a very large class.

A class is drawn on the device, sketched and taught. Everything also runs on the CPU, where it only
shows that the results are right.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom.classroom import Classroom
from homeroom.cli.output import ResultOptions, print_note
from homeroom.cli.report import CommandReport, Facts, Heading, Table
from homeroom.lessons import Lesson, Record
from homeroom.moments import Sketch

if TYPE_CHECKING:
    from homeroom._arrays import Floats
    from homeroom.moments.on_device import DeviceSource

FEWEST = 10_000
MOST_NODES = 513
"""The fewest students and the most nodes that are allowed. A node is one of the rates that
represent all rates in a sketch."""

CHECKED = 200_000
"""The number of students whose moments are also computed by NumPy."""

RATES = (0.05, 0.25)
"""The paper's range of rates."""

TURNS = 5
"""Repetitions of each measurement."""

BYTES_FOR_A_SKETCH = 5_000_000_000
"""Memory that building a sketch needs, whatever the class."""


def gpu(
    result: ResultOptions,
    *,
    students: Annotated[
        float,
        typer.Option(metavar="NUMBER", help="The number of students to draw.", show_default="1e9"),
    ] = 1e9,
    dimensions: Annotated[int, typer.Option(help="The number of dimensions of a state.")] = 25,
    nodes: Annotated[int, typer.Option(help="The number of rates that represent all rates.")] = 33,
    seed: Annotated[int, typer.Option(help="The random seed of the class.")] = 0,
) -> None:
    """Measure how fast a very large class is sketched and taught on a GPU.

    The students are drawn on the device and stay there. The result has the time
    of the pass over all students and of the lesson after it, the error of the
    moments, and how close the pass comes to the limits of the device, which are
    measured in the same run.

    [bold]Examples[/bold]
    $ homeroom bench gpu
    $ homeroom bench gpu --students 1e8 --dimensions 20 --json
    """
    _check(students, dimensions, nodes, seed)
    where = find_device()
    with result.folder() as out:
        count = _students_to_draw(int(students), dimensions)
        room = draw_class(count, dimensions, seed, where)
        report = benchmark_report(measure(room, nodes, seed, where))
        out.write(report)
    result.show(report)


def _check(students: float, dimensions: int, nodes: int, seed: int) -> None:
    """Raise an error for an option that is out of range."""
    if not FEWEST <= students <= 1e15 or students != int(students):
        raise InputError(
            f"--students must be a whole number from {FEWEST} on, but is {students:g}."
        )
    if dimensions < 1:
        raise InputError(f"--dimensions must be at least 1, but is {dimensions}.")
    if not 3 <= nodes <= MOST_NODES or nodes % 2 == 0:
        raise InputError(f"--nodes must be an odd number from 3 to {MOST_NODES}, but is {nodes}.")
    if seed < 0:
        raise InputError("--seed must not be negative: try --seed 0.")


def _students_to_draw(students: int, dimensions: int) -> int:
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
    from homeroom.moments import fused

    took, sketch = timed_build(room, nodes, where)
    lessons = [timed_lesson(room, nodes, seed) for _ in range(3)]
    record = lessons[-1][1]
    bins = _source(room).bins(nodes)
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
            "one_kernel": fused.fits(room.states),
        },
        "lesson": {
            "seconds": statistics.median(seconds for seconds, _ in lessons),
            "rounds": record.rounds,
            "error": record.errors[-1],
            "error_estimate": record.error_estimate,
            "nodes": record.nodes,
        },
        "off": _errors(room, sketch),
        "limits": _limits(room, bins.moments, statistics.median(took), where),
    }


def _errors(room: Classroom, sketch: Sketch) -> dict[str, Any]:
    """Return the error of the moments: for all students, and for some compared with NumPy."""
    some, at = min(CHECKED, room.students), sketch.nodes
    return {
        "all_students": largest_error(sketch.matrices, moments_student_by_student(room, at)),
        "some_students": largest_error(
            moments_on_device(room, at, some), moments_in_numpy(room, at, some)
        ),
        "some": some,
    }


def _limits(room: Classroom, moments: int, seconds: float, where: str) -> dict[str, Any]:
    """Return which fraction of the device's limits building the sketch reached.

    It is computed from the least work that is needed: all students are read once, and each adds to
    ``moments`` matrices.
    """
    limits = Limits.of(where)
    size = room.dimensions + 1
    bytes_read = 4.0 * size * room.students
    # Outer products of (e, 1), with the gap e = state - target: symmetric, so one half is enough.
    operations = moments * size * (size + 1.0) * room.students
    return {
        "memory": {
            "limit": limits.memory,
            "reached": bytes_read / seconds,
            "share": bytes_read / seconds / limits.memory,
        },
        "arithmetic": {
            "limit": limits.arithmetic,
            "reached": operations / seconds,
            "share": operations / seconds / limits.arithmetic,
        },
    }


def benchmark_report(values: dict[str, Any]) -> CommandReport:
    """Return the report of the measurements."""
    build, lesson, off = values["build"], values["lesson"], values["off"]
    turns, limits = build["turns"], values["limits"]
    report = CommandReport(f"A class on one {values['device']}", values)
    report.add(
        Facts(
            [
                (
                    "class",
                    f"{values['students']:,} students, {values['dimensions']} dimensions, float32",
                ),
                (
                    "sketch",
                    f"{build['nodes']} nodes, from {build['bins']} bins of {build['moments']} "
                    "moments",
                ),
                ("pass", "one kernel" if build["one_kernel"] else "plain torch products"),
                ("build", f"{build['seconds']:.3f} s ({min(turns):.3f} to {max(turns):.3f})"),
                ("lesson", f"{lesson['seconds']:.3f} s, {lesson['rounds']} rounds"),
                (
                    "moments",
                    f"right to {off['all_students']:.1e}, all students in float64; "
                    f"{off['some_students']:.1e}, {off['some']:,} students in NumPy",
                ),
            ]
        ),
        Heading("How close the build comes to the limits of the device"),
        Table(
            ("limit", "measured", "reached", "share"),
            [
                _limit_row("memory, students read once", limits["memory"], "TB/s"),
                _limit_row("float64, products needed", limits["arithmetic"], "TFLOP/s"),
            ],
        ),
    )
    return report


def _limit_row(name: str, values: dict[str, float], unit: str) -> tuple[str, str, str, str]:
    """Return a row of the table of limits: the name, the limit, what was reached, and its share."""
    measured, reached = (f"{values[key] / 1e12:.2f} {unit}" for key in ("limit", "reached"))
    return name, measured, reached, f"{values['share']:.0%}"


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


def timed(work: Callable[[], Any], where: str, turns: int | None = None) -> tuple[list[float], Any]:
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


def _source(room: Classroom) -> DeviceSource:
    """Return the source that builds sketches of a class on a device."""
    from homeroom.moments.on_device import DeviceSource

    return DeviceSource(room)


def timed_build(room: Classroom, nodes: int, where: str) -> tuple[list[float], Sketch]:
    """Return how long building a sketch takes, scan of the rates included, and the sketch."""
    took, sketch = timed(lambda: _source(room).sketch(nodes), where)
    return took, sketch


def timed_lesson(room: Classroom, nodes: int, seed: int) -> tuple[float, Record]:
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


def moments_in_numpy(room: Classroom, nodes: Floats, students: int) -> Floats:
    """Return the same matrices for the first students, in NumPy float64."""
    from homeroom.moments.sketch import lagrange

    states, rates = (part[:students].cpu().numpy() for part in (room.states, room.rates))
    gaps = states.astype(np.float64) - room.target.cpu().numpy().astype(np.float64)
    shares = lagrange(nodes, rates.astype(np.float64))
    products = [(share[:, None] * gaps).T @ gaps for share in shares.T]
    return np.array(products) / len(gaps)


def moments_on_device(room: Classroom, nodes: Floats, students: int) -> Floats:
    """Return the device's matrices for the first students, with the bins of the whole class."""
    from homeroom.moments.on_device import sums_on_device

    source, states, rates = _source(room), room.states[:students, :], room.rates[:students]
    totals = sums_on_device(states, rates, source.target, source.bins(len(nodes)), nodes=nodes)
    matrices: Floats = totals.sums[:, 0] / totals.students
    return matrices


def largest_error(found: Floats, truth: Floats) -> float:
    """Return the largest error of a matrix, relative to that matrix."""
    errors = np.linalg.norm(found - truth, axis=(1, 2)) / np.linalg.norm(truth, axis=(1, 2))
    return float(errors.max())


@dataclass(frozen=True)
class Limits:
    """Limits of the device, per second: bytes read and written, and float64 operations."""

    memory: float
    arithmetic: float

    @classmethod
    def of(cls, where: str) -> Limits:
        """Measure a large copy and a large matrix product; small ones on a CPU."""
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
