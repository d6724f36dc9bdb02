"""The store's database in one file: SQLite, for one process."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from homeroom._checks import InputError
from homeroom.live.store.database import (
    AbstractDatabase,
    Change,
    Cursor,
    Job,
    Writer,
    migrate,
    no_changes,
)

T = TypeVar("T")

PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # a power cut loses nothing that was acknowledged
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA busy_timeout = 10000",
)


MAGIC = b"SQLite format 3\0"
"""How a file of SQLite begins."""


class SqliteCursor:
    """Runs statements on a connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        return self._connection.execute(statement, values).fetchall()

    def each(self, statement: str) -> Iterator[tuple[Any, ...]]:
        """Run one query and yield its rows."""
        yield from self._connection.execute(statement)


class SqliteDatabase(AbstractDatabase):
    """A database in one file. The public methods are described in :class:`AbstractDatabase`.

    Parameters
    ----------
    path
        The file, created if it does not exist; ``":memory:"`` for one that is deleted on closing.
    """

    locking = ""  # there is only one writer
    errors = (sqlite3.Error, OSError)

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self._temporary = TemporaryDirectory() if str(path) == ":memory:" else None
        folder = self._temporary.name if self._temporary is not None else None
        self.path = _real(Path(path) if folder is None else Path(folder) / "homeroom.db")
        _refuse_other_file(self.path)
        self._lock = exclusive_lock(self.path)
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        try:
            self.path.touch(mode=0o600)  # other users of the computer must not read names
            self._connection = self._connect()
            self._transact([migrate])
        except BaseException as why:
            self._release()
            if isinstance(why, OSError | sqlite3.Error):
                raise unusable(self.path, why) from None
            raise
        self._writer = Writer(self._transact, self._report)

    def write(self, job: Job[T], changes: Callable[[T], list[Change]] = no_changes) -> Future[T]:
        return self._writer.submit(job, changes)

    def read(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        if not hasattr(self._local, "connection"):  # each thread has its own
            self._local.connection = self._connect()
        connection: sqlite3.Connection = self._local.connection
        return connection.execute(statement, values).fetchall()

    def broadcast(self, message: str) -> None:
        for call in self._on_message:
            call(message)

    def snapshot(self) -> AbstractContextManager[Cursor]:
        return snapshot_of_file(self.path)

    def erase_deleted(self) -> None:
        # Deleted data is overwritten in the file, but the write-ahead log beside it still has it.
        self.read("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._writer.close()
        self._release()

    def _release(self) -> None:
        """Close all connections and the lock, and delete a temporary database."""
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        self._lock.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        self._connections.append(connection)
        for pragma in PRAGMAS:
            connection.execute(pragma)
        return connection

    def _transact(self, jobs: Sequence[Job[Any]]) -> list[Any]:
        """Run jobs in one transaction and return their results; if one fails, change nothing."""
        cursor = SqliteCursor(self._connection)
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            results = [job(cursor) for job in jobs]
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        return results

    def _report(self, changes: Sequence[Change]) -> None:
        """Report each changed class once, with its newest version."""
        newest = {change.class_id: change.version for change in changes}
        for class_id, version in newest.items():
            for call in self._on_change:
                call(class_id, version)


@contextmanager
def snapshot_of_file(path: Path) -> Iterator[Cursor]:
    """Yield a cursor that reads a database as it is now; another process may be writing it."""
    if not path.is_file():
        raise InputError(f"There is no database {path}: give the file with --database.")
    try:
        address = f"{path.resolve().as_uri()}?mode=rw"  # readers lock a file beside the database
        with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA busy_timeout = 10000")
            connection.execute("BEGIN")
            yield SqliteCursor(connection)
    except sqlite3.Error as why:
        raise unusable(path, why) from None


def exclusive_lock(path: Path) -> sqlite3.Connection:
    """Return a lock on a database that one process holds for as long as it lives.

    It is SQLite's own lock, on a file beside the database: it exists on every system, and is
    released when the process ends, in whatever way.
    """
    beside = path.with_name(path.name + ".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = sqlite3.connect(beside, timeout=0, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as why:
        raise unusable(path, why) from None
    try:
        lock.execute("PRAGMA journal_mode = MEMORY")  # it leaves no second file
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as why:
        lock.close()
        if getattr(why, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
            raise unusable(path, why) from None
        raise InputError(
            f"{path} is in use by another homeroom: stop that one, or give this one a file of its "
            "own. Several at a time need --database postgresql://..."
        ) from None
    return lock


def _refuse_other_file(path: Path) -> None:
    """Refuse a file of another kind before a lock is made beside it; an empty one is new."""
    try:
        if path.is_file():
            with path.open("rb") as file:
                start = file.read(len(MAGIC))
            if start not in (b"", MAGIC):
                raise InputError(f"{path} cannot be used as a database: file is not a database.")
        elif path.exists():
            raise InputError(f"{path} cannot be used as a database: it is not a file.")
    except OSError as why:
        raise unusable(path, why) from None


def unusable(path: Path, why: OSError | sqlite3.Error) -> InputError:
    """Return the error that a file cannot be used as a database, with the reason."""
    reason = why.strerror if isinstance(why, OSError) else str(why)
    return InputError(f"{path} cannot be used as a database: {reason}.")


def _real(path: Path) -> Path:
    """Return a path without symbolic links, through which a database could be opened twice."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as why:
        raise InputError(f"{path} cannot be used as a database: {why}.") from None
