"""The interface of the databases: one writer thread with group commit, change messages, migrations.

A commit waits for the disk. While it does, further jobs queue up, and the next commit takes them
all. So three hundred simultaneous answers need a few commits instead of three hundred.
"""

from __future__ import annotations

import logging
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Protocol, TypeVar

from homeroom._checks import InputError

T = TypeVar("T")

log = logging.getLogger(__name__)

JOBS_PER_COMMIT = 512
"""The most jobs in one transaction."""

VERSION_TABLE = "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)"


class Cursor(Protocol):
    """Runs statements; parameters are written as ``?``."""

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""

    def each(self, statement: str) -> Iterable[tuple[Any, ...]]:
        """Run one query and yield its rows, of which not all need to be in memory."""


Job = Callable[[Cursor], T]
"""The work of one transaction. It may run again if the transaction fails."""


OnChange = Callable[[str, int], None]
"""Called with a class and its version after an event is stored; version 0: it is deleted."""


@dataclass(frozen=True)
class Change:
    """A class has a new version; 0 if it was deleted."""

    class_id: str
    version: int


def no_changes(_result: Any) -> list[Change]:
    """Return no changes: the job changes no class."""
    return []


class AbstractDatabase(ABC):
    """A database with one writer, which puts all waiting jobs into one transaction."""

    locking: str
    """SQL at the end of a query that locks its rows until the end of the transaction."""

    errors: tuple[type[Exception], ...]
    """The exceptions that reading and writing raise while the database is down."""

    def __init__(self) -> None:
        self._on_change: list[OnChange] = []
        self._on_message: list[Callable[[str], None]] = []

    @abstractmethod
    def write(self, job: Job[T], changes: Callable[[T], list[Change]] = ...) -> Future[T]:
        """Queue a job; return a future that has its result once it is on the disk.

        Parameters
        ----------
        job
            The work.
        changes
            Returns the changed classes from the job's result; reported after the commit.
        """

    @abstractmethod
    def read(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; safe in any thread."""

    def on_change(self, call: OnChange) -> None:
        """Call this after every change of a class, by any process, in a thread of the database."""
        self._on_change.append(call)

    def on_message(self, call: Callable[[str], None]) -> None:
        """Call this with every message that is broadcast, by any process, in such a thread."""
        self._on_message.append(call)

    @abstractmethod
    def broadcast(self, message: str) -> None:
        """Send a message of up to 8000 characters to every process, this one included.

        Messages are not stored: one that is sent while the database is down is lost.
        """

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Cursor]:
        """Return a cursor that reads the database as it is now, whatever is written meanwhile."""

    @abstractmethod
    def erase_deleted(self) -> None:
        """Remove deleted data from the disk."""

    @abstractmethod
    def close(self) -> None:
        """Finish the waiting jobs, and close all connections."""


# The writer


@dataclass(eq=False)
class _WaitingJob:
    """A job in the queue, as in :meth:`AbstractDatabase.write`, and the future of its result."""

    job: Job[Any]
    changes: Callable[[Any], list[Change]]
    done: Future[Any] = field(default_factory=Future)


class Writer:
    """A thread that runs jobs, several in one transaction.

    Parameters
    ----------
    transact
        Runs jobs in one transaction and returns their results once they are on the disk; raises and
        changes nothing if one of them fails.
    report
        Called after a commit with the changes.
    is_down
        Returns whether an error is that of the database, and not of a job: then all jobs fail,
        instead of each waiting again for the database.
    """

    def __init__(
        self,
        transact: Callable[[Sequence[Job[Any]]], list[Any]],
        report: Callable[[Sequence[Change]], None],
        is_down: Callable[[Exception], bool] = lambda _why: False,
    ) -> None:
        self._transact = transact
        self._report, self._is_down = report, is_down
        self._queue: queue.SimpleQueue[_WaitingJob | None] = queue.SimpleQueue()
        self._open = True
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="homeroom-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job[Any], changes: Callable[[Any], list[Change]]) -> Future[Any]:
        """Queue a job, as in :meth:`AbstractDatabase.write`."""
        waiting = _WaitingJob(job, changes)
        # A caller may stop waiting, but the job still runs: it cannot be cancelled.
        waiting.done.set_running_or_notify_cancel()
        with self._lock:
            if not self._open:
                raise RuntimeError("The store is closed.")
            self._queue.put(waiting)
        return waiting.done

    def close(self) -> None:
        """Run the waiting jobs, and stop."""
        with self._lock:
            if not self._open:
                return
            self._open = False
            self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        """Commit batches of jobs until the writer is closed."""
        while True:
            batch, last = self._batch()
            if batch:
                self._commit(batch)
            if last:
                return

    def _batch(self) -> tuple[list[_WaitingJob], bool]:
        """Wait for a job; return all waiting ones, and whether they are the last before closing."""
        batch: list[_WaitingJob] = []
        one = self._queue.get()
        while one is not None:
            batch.append(one)
            if len(batch) == JOBS_PER_COMMIT:
                return batch, False
            try:
                one = self._queue.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit(self, batch: list[_WaitingJob]) -> None:
        """Run jobs in one transaction, and hand each its result or its error."""
        try:
            results = self._transact([waiting.job for waiting in batch])
        except Exception as why:  # noqa: BLE001 - the caller gets it, whatever it is
            if len(batch) == 1 or self._is_down(why):
                for waiting in batch:
                    waiting.done.set_exception(why)
                return
            for waiting in batch:  # one of them is to blame: run each in its own transaction
                self._commit([waiting])
            return
        changes = [
            change
            for waiting, result in zip(batch, results, strict=True)
            for change in waiting.changes(result)
        ]
        for waiting, result in zip(batch, results, strict=True):
            waiting.done.set_result(result)
        try:
            self._report(changes)
        except Exception:  # an error in a listener is no reason to stop writing
            log.exception("A listener failed.")


# Migrations: numbered files of SQL, each applied once, in order


def migrations() -> list[tuple[int, str]]:
    """Return the number and the SQL of each migration, in order."""
    folder = files("homeroom.live.store") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), (folder / name).read_text(encoding="utf-8")) for name in names]


def migrate(cursor: Cursor, steps: list[tuple[int, str]] | None = None) -> int:
    """Apply the missing migrations in the caller's transaction; return the version reached."""
    steps = migrations() if steps is None else steps
    cursor.run(VERSION_TABLE)
    now = version_of(cursor)
    newest = max(number for number, _ in steps)
    if now > newest:
        raise InputError(
            f"The database has version {now}, but this homeroom knows up to {newest}: install the "
            "homeroom that wrote it, or a newer one."
        )
    for number, text in steps:
        if number > now:
            for statement in statements(text):
                cursor.run(statement)
            cursor.run("INSERT INTO schema_version (version) VALUES (?)", (number,))
    return newest


def version_of(cursor: Cursor) -> int:
    """Return the number of the last migration that was applied; 0 in an empty database."""
    return int(cursor.run("SELECT COALESCE(MAX(version), 0) FROM schema_version")[0][0])


def statements(text: str) -> list[str]:
    """Return the statements of a file, without comments.

    >>> statements("CREATE TABLE a (b TEXT); CREATE TABLE c (d TEXT);")
    ['CREATE TABLE a (b TEXT)', 'CREATE TABLE c (d TEXT)']
    """
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("--"))
    return [part.strip() for part in "\n".join(lines).split(";") if part.strip()]
