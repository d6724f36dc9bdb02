"""``homeroom bench``: what this machine makes of a very large class."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom._checks import InputError
from homeroom.cli.folder import folder
from homeroom.cli.screen import Screen, say_note

if TYPE_CHECKING:
    from homeroom.classroom import Classroom
    from homeroom.moments import Sketch

BENCHES = ("gpu",)
FEWEST = 10_000
MOST_NODES = 513
CHECKED = 200_000
"""Students of whom NumPy works out the moments, too."""


def bench(  # noqa: PLR0917 - the options of a command
    which: Annotated[str, typer.Argument(metavar="gpu", help="Which bench.")],
    students: Annotated[
        float,
        typer.Option(metavar="NUMBER", help="How many students to draw.", show_default="1e9"),
    ] = 1e9,
    dimensions: Annotated[int, typer.Option(help="How many numbers a state has.")] = 25,
    nodes: Annotated[int, typer.Option(help="How many rates stand for everybody's.")] = 33,
    seed: Annotated[int, typer.Option(help="The seed of the class.")] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the result here.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the result as one JSON document.")
    ] = False,
) -> None:
    """Measure how fast a very large class is sketched and taught on a GPU.

    The students are drawn on the device and stay there. You get the time of the
    one pass over them and of the lesson after it, how exact the moments are, and
    how near that is to the limits of the device, measured in the same run.

    [bold]Examples[/bold]
    $ homeroom bench gpu
    $ homeroom bench gpu --students 1e8 --dimensions 20 --json
    """
    from homeroom.cli import gpu

    _check(which, students, dimensions, nodes, seed)
    screen = Screen(as_json=json)
    where = gpu.device()
    with folder(out) as place:
        count = _that_fit(int(students), dimensions)
        room = gpu.draw(count, dimensions, seed, where)
        document = measure(room, nodes, seed, where)
        if place:
            place.result(document)
    _show(screen, document)
    screen.result(document)


def _check(which: str, students: float, dimensions: int, nodes: int, seed: int) -> None:
    if which not in BENCHES:
        raise InputError(f"There is no bench called {which!r}: choose {', '.join(BENCHES)}.")
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


def _that_fit(students: int, dimensions: int) -> int:
    """Return how many students are drawn: fewer, with a sentence, if not so many fit."""
    import torch

    from homeroom.cli import gpu

    free, _ = torch.cuda.mem_get_info()
    most = gpu.most_students(dimensions, free)
    if most < FEWEST:
        raise InputError(
            f"Only {free / 1e9:.1f} GB of the GPU's memory are free, which is not enough: "
            "close what else runs on it."
        )
    if students > most:
        say_note(
            f"Note: {students:,} students do not fit into the {free / 1e9:.0f} GB that are free "
            f"on this GPU; {most:,} are drawn."
        )
    return min(students, most)


def measure(room: Classroom, nodes: int, seed: int, where: str) -> dict[str, Any]:
    """Return everything that is measured, as plain values."""
    from homeroom.cli import gpu
    from homeroom.moments import fused

    took, sketch = gpu.build(room, nodes, where)
    lessons = [gpu.teach(room, nodes, seed) for _ in range(3)]
    record = lessons[-1][1]
    bins = gpu.source_of(room).bins(nodes)
    return {
        "device": gpu.name_of(where),
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
            "nodes": record.settings["nodes"],
        },
        "off": _off(room, sketch),
        "limits": _limits(room, bins.moments, statistics.median(took), where),
    }


def _off(room: Classroom, sketch: Sketch) -> dict[str, Any]:
    """Return how far the moments are from float64: of everybody, and of some by NumPy."""
    from homeroom.cli import gpu

    some, at = min(CHECKED, room.students), sketch.nodes
    return {
        "all_students": gpu.off(sketch.matrices, gpu.directly(room, at)),
        "some_students": gpu.off(gpu.of_some(room, at, some), gpu.on_the_host(room, at, some)),
        "some": some,
    }


def _limits(room: Classroom, moments: int, seconds: float, where: str) -> dict[str, Any]:
    """Return what building reached of the device's limits, counting only what must be done."""
    from homeroom.cli import gpu

    limits = gpu.Limits.of(where)
    size = room.dimensions + 1
    bytes_read = 4.0 * size * room.students
    # Gram matrices of (e, 1), of which one half is the mirror of the other.
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


def _show(screen: Screen, document: dict[str, Any]) -> None:
    build, lesson, off = document["build"], document["lesson"], document["off"]
    turns = build["turns"]
    screen.title(f"A class on one {document['device']}")
    screen.facts(
        [
            (
                "class",
                f"{document['students']:,} students, {document['dimensions']} dimensions, float32",
            ),
            (
                "sketch",
                f"{build['nodes']} nodes, from {build['bins']} bins of {build['moments']} moments",
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
    )
    screen.title("How near the build is to the limits of the device")
    screen.table(
        ("limit", "measured", "reached", "share"),
        [
            _limit_row("memory, students read once", document["limits"]["memory"], "TB/s"),
            _limit_row("float64, products needed", document["limits"]["arithmetic"], "TFLOP/s"),
        ],
    )


def _limit_row(name: str, values: dict[str, float], unit: str) -> tuple[str, str, str, str]:
    measured, reached = (f"{values[key] / 1e12:.2f} {unit}" for key in ("limit", "reached"))
    return name, measured, reached, f"{values['share']:.0%}"
