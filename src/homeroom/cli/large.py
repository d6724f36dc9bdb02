"""Classes larger than memory: which files are, and which processes read them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from homeroom._checks import InputError
from homeroom._files import is_folder
from homeroom.classroom import AbstractRunner, Classroom, LargeClass, OnDask, OneByOne
from homeroom.classroom.opening import size_in_memory
from homeroom.cli.cluster import connected, cores, has_dask, local_cluster
from homeroom.cli.options import ClassOptions, in_panel, lesson_option

LARGE = 1 << 30
"""From this size in bytes, several processes read a class, and a sketch leaves it on disk."""

large_option = in_panel("A class larger than memory")


@dataclass(frozen=True)
class EngineOptions:
    """How rounds are computed, and how a class that does not fit into memory is read."""

    engine: Annotated[
        str,
        lesson_option(
            "How rounds are computed: auto, exact (every student) or sketch (any class size)."
        ),
    ] = "auto"
    verify: Annotated[
        bool,
        lesson_option(
            "Replay the lesson on every student for the exact error; with --out, also write "
            "all distances.",
            "--verify",
        ),
    ] = False
    rate_range: Annotated[
        tuple[float, float] | None,
        large_option(
            "All learning rates lie between these two; saves one pass over the file.",
            metavar="LOW HIGH",
        ),
    ] = None
    workers: Annotated[
        int | None,
        large_option(
            "The number of processes that read the class; the result is the same.",
            show_default="one per core, from 1 GiB",
        ),
    ] = None
    scheduler: Annotated[
        str | None,
        large_option("Read the class on the Dask cluster of this scheduler.", metavar="ADDRESS"),
    ] = None

    def check(self, file: Path | None) -> None:
        """Raise an error for options that exclude each other."""
        if self.workers is not None and self.workers < 1:
            raise InputError(f"--workers must be at least 1, but is {self.workers}.")
        for name in ("rate_range", "workers", "scheduler"):
            if getattr(self, name) is None:
                continue
            option = f"--{name.replace('_', '-')}"
            if file is None:
                raise InputError(f"{option} goes with a class file: name the FILE too.")
            if self.engine == "exact":
                raise InputError(
                    f"{option} is for a class that is read in pieces, but the exact engine "
                    "holds it in memory: leave out one of the two."
                )

    @property
    def asks_for_pieces(self) -> bool:
        """Whether the options ask for reading in pieces, whatever the size."""
        return any(each is not None for each in (self.rate_range, self.workers, self.scheduler))


@contextmanager
def opened(
    which: ClassOptions,
    how: EngineOptions,
    progress: Callable[[int, int], None],
    *,
    single_students: str | None,
) -> Iterator[Classroom | LargeClass]:
    """Yield the class: in memory if it fits, otherwise on disk with a runner that reads it.

    Parameters
    ----------
    which, how
        The options.
    progress
        Called after each piece with the number of pieces read, and of all pieces.
    single_students
        The option that needs single students, if there is one: a sketch does not have them.
    """
    which.check()
    how.check(which.file)
    file = which.file
    if file is None or not _is_large(file, which, how, single_students):
        yield which.room()
        return
    if single_students is not None:
        raise InputError(
            f"{single_students} needs single students, but {file} is read in pieces: leave it out, "
            "or make it one file that fits into memory."
        )
    if which.column:
        raise InputError(
            f"--column needs a class that fits into memory, but {file} is read in pieces: leave it "
            "out, and call the columns student, rate, w1, w2, ..."
        )
    room = LargeClass.open(file, rates=how.rate_range, **which.given)
    with _runner(file, how, progress) as runner:
        yield replace(room, runner=runner)


def _is_large(
    file: Path, which: ClassOptions, how: EngineOptions, single_students: str | None
) -> bool:
    """Return whether a file is to be read in pieces."""
    if is_folder(file) and how.engine == "exact":
        raise InputError(
            f"{file} is a folder, which is read in pieces, but the exact engine holds the "
            "class in memory: leave --engine out, or make it one file."
        )
    if is_folder(file) or how.asks_for_pieces:
        return True
    if single_students is not None or how.engine == "exact":
        return False
    size = size_in_memory(file)
    limit = LARGE if how.engine == "sketch" else _memory() // 2
    return size is not None and size > min(limit, which.max_bytes)


def _memory() -> int:
    """Return this machine's memory in bytes; 16 GiB if the system does not report it."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # pragma: no cover - not on this system
        return 16 << 30


@contextmanager
def _runner(
    file: Path, how: EngineOptions, progress: Callable[[int, int], None]
) -> Iterator[AbstractRunner]:
    """Yield what reads the file: a running cluster, a temporary one, or this process."""
    if how.scheduler is not None:
        with connected(how.scheduler) as client:
            yield OnDask(client, progress)
        return
    usual = cores() if has_dask() and _bytes_on_disk(file) > LARGE else 1
    workers = usual if how.workers is None else how.workers
    if workers == 1:
        yield OneByOne(progress)
        return
    with local_cluster(workers) as client:
        yield OnDask(client, progress)


def _bytes_on_disk(file: Path) -> int:
    files = file.rglob("*") if is_folder(file) else [file]
    return sum(each.stat().st_size for each in files if each.is_file())
