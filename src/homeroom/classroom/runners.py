"""Runners: pass over the pieces of a large class, in this process or on a Dask cluster.

Sums of floats depend on the order in which they are added. So that the result does not depend on
which worker computed what, all runners use the same order: first the pieces of each *strand* (a few
consecutive pieces), then the strands.

On a cluster only a few strands are in flight at a time, however many there are, so the workers'
memory stays bounded. If a worker dies, only the strands in flight are computed again, by others.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import reduce
from importlib.metadata import version
from itertools import islice
from operator import add
from typing import Any, NamedTuple, TypeVar

from homeroom import _plugins
from homeroom._checks import InputError, counted
from homeroom._files import MissingError
from homeroom.classroom.pieces.base import AbstractPiece
from homeroom.classroom.pieces.dask_partitions import Partition

STRAND = 8
"""Pieces that are summed where they were computed, before the sum is sent on."""

Part = TypeVar("Part")
"""The result for one piece: anything that ``+`` adds."""

Found = TypeVar("Found")
"""The result for one piece, which need not be added."""

Counter = Callable[[int, int], None]
"""Called after each piece with the number of pieces done and the number of all pieces."""


class AbstractRunner(ABC):
    """Computes passes over the pieces of a large class."""

    threads: int | None = None
    """The number of threads for one piece; ``None`` for as many as there are cores."""

    @abstractmethod
    def total(self, work: Callable[[AbstractPiece], Part], pieces: Sequence[AbstractPiece]) -> Part:
        """Return the sum of ``work(piece)`` over all pieces, always added in the same order."""

    @abstractmethod
    def each(
        self, work: Callable[[AbstractPiece], Found], pieces: Sequence[AbstractPiece]
    ) -> Iterator[Found]:
        """Yield ``work(piece)`` for each piece in order; only a few results are held at a time."""


def strands(pieces: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield the pieces a few at a time.

    >>> [len(strand) for strand in strands(range(19))]
    [8, 8, 3]
    """
    for first in range(0, len(pieces), STRAND):
        yield pieces[first : first + STRAND]


def add_up(parts: Iterable[Any]) -> Any:
    """Return the sum of the parts, added one after the other.

    >>> add_up([0.1, 0.2, 0.3])
    0.6000000000000001
    """
    return reduce(add, parts)


def total_of(parts: Iterable[Any], count: int) -> Any:
    """Return the sum of ``count`` parts, added in the order that all runners use."""
    left = iter(parts)
    return add_up(add_up(islice(left, len(strand))) for strand in strands(range(count)))


@dataclass(frozen=True)
class OneByOne(AbstractRunner):
    """Reads one piece after the other, in this process.

    Parameters
    ----------
    progress
        Called after each piece with the numbers of pieces done and of all pieces.
    """

    progress: Counter | None = None

    def total(self, work: Callable[[AbstractPiece], Part], pieces: Sequence[AbstractPiece]) -> Part:
        total: Part = total_of(self.each(work, pieces), len(pieces))
        return total

    def each(
        self, work: Callable[[AbstractPiece], Found], pieces: Sequence[AbstractPiece]
    ) -> Iterator[Found]:
        for done, piece in enumerate(pieces, start=1):
            found = work(piece)
            if self.progress is not None:
                self.progress(done, len(pieces))
            yield found


LOOK_EVERY = 0.05
"""Seconds between two checks of the workers' progress."""

WITHOUT_WORKERS = 60.0
"""Seconds without any worker after which the runner raises an error."""


WORK_FIRST, ADD_FIRST = 1, 2
"""Priorities: process data in memory, and add results, before more data are read."""


class _Job(NamedTuple):
    """A submitted job: the future of its result, and the futures of its parts that are not done."""

    wanted: Any
    leaves: list[Any]

    def release_done(self) -> None:
        """Let the workers forget the results of finished parts."""
        for leaf in [leaf for leaf in self.leaves if leaf.done()]:
            self.leaves.remove(leaf)
            if leaf is not self.wanted:
                leaf.release()


@dataclass(frozen=True)
class OnDask(AbstractRunner):
    """Lets the workers of a Dask cluster read the pieces.

    The workers need homeroom in the same version, and must see files under the same path.

    Parameters
    ----------
    client
        A ``distributed.Client``.
    progress
        Called repeatedly with the numbers of pieces done and of all pieces.

    Examples
    --------
    ::

        from distributed import Client

        with Client("tcp://scheduler:8786") as client:
            room = LargeClass.open("students.parquet", runner=OnDask(client))
            record = teach(room)
    """

    client: Any
    progress: Counter | None = None
    threads = 1
    """One, because each thread of a worker works on another piece."""

    def total(self, work: Callable[[AbstractPiece], Part], pieces: Sequence[AbstractPiece]) -> Part:
        jobs = (self._strand(work, strand) for strand in strands(pieces))
        ahead = 2 + 2 * self._threads() // STRAND
        total: Part = add_up(self._in_order(jobs, ahead, len(pieces)))
        return total

    def each(
        self, work: Callable[[AbstractPiece], Found], pieces: Sequence[AbstractPiece]
    ) -> Iterator[Found]:
        leaves = (self._leaf(work, piece) for piece in pieces)
        jobs = (_Job(leaf, [leaf]) for leaf in leaves)
        yield from self._in_order(jobs, 2 + 2 * self._threads(), len(pieces))

    def _threads(self) -> int:
        """Return the number of pieces that the workers, of the right version, process at once."""
        check_workers(self.client)
        return max(1, int(sum(self.client.nthreads().values())))

    def _leaf(self, work: Callable[[AbstractPiece], Any], piece: AbstractPiece) -> Any:
        """Submit the work on one piece, and return the future of its result."""
        if isinstance(piece, Partition):
            held = self.client.compute(list(piece.delayed))
            return self.client.submit(
                _work_on, work, piece.held, *held, pure=False, priority=WORK_FIRST
            )
        return self.client.submit(work, piece, pure=False)

    def _strand(
        self, work: Callable[[AbstractPiece], Any], pieces: Sequence[AbstractPiece]
    ) -> _Job:
        """Submit the work on a strand, and the sum of its results."""
        leaves = [self._leaf(work, piece) for piece in pieces]
        total = leaves[0]
        for leaf in leaves[1:]:
            total = self.client.submit(add, total, leaf, pure=False, priority=ADD_FIRST)
        return _Job(total, leaves)

    def _in_order(self, jobs: Iterator[_Job], ahead: int, pieces: int) -> Iterator[Any]:
        """Yield the results in the order of the jobs, with up to ``ahead`` jobs submitted.

        ``pieces`` is the number of all pieces, for the progress.
        """
        waiting = deque(islice(jobs, ahead))
        begun = sum(len(job.leaves) for job in waiting)
        try:
            while waiting:
                for left in self._until_done(waiting):
                    if self.progress is not None:
                        self.progress(begun - left, pieces)
                result = self._result(waiting[0].wanted)
                waiting.popleft().wanted.release()
                yield result
                for job in islice(jobs, 1):
                    waiting.append(job)
                    begun += len(job.leaves)
        finally:
            if waiting and self.client.status == "running":
                left_over = [future for job in waiting for future in (job.wanted, *job.leaves)]
                self.client.cancel(left_over, force=True)

    def _until_done(self, waiting: Sequence[_Job]) -> Iterator[int]:
        """Yield repeatedly how many pieces are left, until the first job is done."""
        first = waiting[0].wanted
        alive = time.monotonic()
        while True:
            is_done = first.done()
            for job in waiting:
                job.release_done()
            yield sum(len(job.leaves) for job in waiting)
            if is_done:
                return
            time.sleep(LOOK_EVERY)
            if self.client.scheduler_info().get("workers"):
                alive = time.monotonic()
            elif time.monotonic() - alive > WITHOUT_WORKERS:
                raise InputError(
                    f"The Dask cluster has had no worker for {WITHOUT_WORKERS:.0f} seconds: start "
                    "some, and try again."
                )

    def _result(self, future: Any) -> Any:
        """Return a result, or raise an error that states why there is none."""
        from distributed import KilledWorker

        if future.cancelled():
            raise _lost()
        try:
            return future.result()
        except KilledWorker as reason:
            times = counted(reason.allowed_failures + 1, "time")
            raise InputError(
                f"Dask workers died {times} over the same piece of the class, perhaps for lack of "
                "memory: give them more, or write smaller row groups or partitions."
            ) from None
        except MissingError as reason:
            raise InputError(
                f"{reason} The Dask workers must see the class under the same path as here."
            ) from None
        except (CancelledError, OSError):
            raise _lost() from None
        except (ImportError, AttributeError) as reason:
            raise InputError(
                f"The Dask workers cannot do this work ({reason}): install the same version of "
                "homeroom, and of what it needs, on all of them."
            ) from None


def check_workers(client: Any, ours: str | None = None) -> None:
    """Raise an error if a worker has another version of homeroom, and so cannot unpickle work."""
    ours = ours or _plugins.version()
    for worker, found in client.run(version, "homeroom", on_error="return").items():
        if isinstance(found, OSError):
            continue  # the worker is gone or unreachable: others do its work
        if found != ours:
            has = f"homeroom {found}" if isinstance(found, str) else "no homeroom"
            raise InputError(
                f"The Dask worker {worker} has {has}, but {ours} is needed: install the same "
                "version everywhere."
            )


def _lost() -> InputError:
    return InputError(
        "The connection to the Dask scheduler was lost in the middle of the work: see whether it "
        "still runs, and try again."
    )


def _work_on(
    work: Callable[[AbstractPiece], Any], held: Callable[..., AbstractPiece], *values: Any
) -> Any:
    """Process a partition on the worker that has its data."""
    return work(held(*values))
