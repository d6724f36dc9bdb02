"""Classes that do not fit into memory: when a file is one, and who reads it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from homeroom._checks import InputError
from homeroom._files import is_folder
from homeroom.classroom import AbstractRunner, Classroom, LargeClass, OnDask, OneByOne
from homeroom.classroom.opening import size_in_memory
from homeroom.cli.cluster import connected, cores, has_dask, local_cluster
from homeroom.cli.options import ClassOptions

LARGE = 1 << 30
"""From how many bytes on several processes read a class, and a sketch leaves it on disk."""

_PANEL = "A class larger than memory"


@dataclass(frozen=True)
class EngineOptions:
    """How rounds are computed, and who reads a class that does not fit into memory."""

    engine: Annotated[
        str,
        typer.Option(
            help="How rounds are computed: auto, exact (every student) or sketch (a class of any "
            "size).",
            rich_help_panel="The lesson",
        ),
    ] = "auto"
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Show the lesson to every student once more, for the exact error; with --out, "
            "everybody's distance too.",
            rich_help_panel="The lesson",
        ),
    ] = False
    rate_range: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="LOW HIGH",
            help="All rates are between these two; saves reading them first.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            help="How many processes read the class; the result does not depend on it.",
            rich_help_panel=_PANEL,
            show_default="one for each core, from 1 GiB on",
        ),
    ] = None
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Read it on the Dask cluster of this scheduler.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    def check(self, file: Path | None) -> None:
        """Refuse options that do not go together."""
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
                    f"{option} is for a class that is read piece by piece, but the exact engine "
                    "holds it in memory: leave out one of the two."
                )

    @property
    def asks_for_pieces(self) -> bool:
        """Whether the class is to be read piece by piece, whatever its size."""
        return any(each is not None for each in (self.rate_range, self.workers, self.scheduler))


@contextmanager
def opened(
    which: ClassOptions,
    how: EngineOptions,
    progress: Callable[[int, int], None],
    *,
    splits: str | None,
) -> Iterator[Classroom | LargeClass]:
    """Give the class: in memory if it fits, else where it lies, with somebody to read it.

    Parameters
    ----------
    which, how
        What was asked for.
    progress
        Told after each piece how many are read, and of how many.
    splits
        The option that asks for single students, if there is one: then a sketch will not do.
    """
    which.check()
    how.check(which.file)
    file = which.file
    if file is None or not _is_large(file, which, how, splits):
        yield which.room()
        return
    if splits is not None:
        raise InputError(
            f"{splits} looks at single students, but {file} is read piece by piece: leave it out, "
            "or make it one file that fits into memory."
        )
    room = LargeClass.open(file, rates=how.rate_range, **which.given)
    with _runner(file, how, progress) as runner:
        yield replace(room, runner=runner)


def _is_large(file: Path, which: ClassOptions, how: EngineOptions, splits: str | None) -> bool:
    """Tell whether a file is to be read piece by piece."""
    if is_folder(file) and how.engine == "exact":
        raise InputError(
            f"{file} is a folder, which is read piece by piece, but the exact engine holds the "
            "class in memory: leave --engine out, or make it one file."
        )
    if is_folder(file) or how.asks_for_pieces:
        return True
    if splits is not None or how.engine == "exact":
        return False
    size = size_in_memory(file)
    limit = LARGE if how.engine == "sketch" else _memory() // 2
    return size is not None and size > min(limit, which.max_bytes)


def _memory() -> int:
    """Return how many bytes of memory this machine has; what is usual if it does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # pragma: no cover - not on this system
        return 16 << 30


@contextmanager
def _runner(
    file: Path, how: EngineOptions, progress: Callable[[int, int], None]
) -> Iterator[AbstractRunner]:
    """Give who reads the file: a cluster that runs, one for the occasion, or this process."""
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
