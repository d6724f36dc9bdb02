"""The store's database in one file: SQLite, for one process."""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, TypeVar

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

if sys.platform == "linux":
    import fcntl

T = TypeVar("T")

log = logging.getLogger(__name__)

PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # a power cut loses nothing that was acknowledged
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA busy_timeout = 10000",
)


CHECKPOINT_SECONDS = 5.0
"""How long deleting waits for a backup that is being written, at least."""

MAGIC = b"SQLite format 3\0"
"""How a file of SQLite begins."""


LOCKED_BYTE = 1 << 62
"""The byte of a database file that a process locks; SQLite locks some at 1 << 30."""

UNSUPPORTED = (errno.EINVAL, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)
"""The errors of file systems without such locks."""


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
        self._file_lock: BinaryIO | None = None
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        try:
            self.path.touch(mode=0o600)  # other users of the computer must not read names
            self._file_lock = lock_file(self.path)
            self._connection = self._connect()
            self._transact([migrate])
        except BaseException as why:
            self._release()
            if isinstance(why, OSError | sqlite3.Error):
                raise unusable(self.path, why) from None
            raise
        self._writer = Writer(self._transact, self._report, _is_busy)

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
        # Deleted data is overwritten in the file, but a page may have copies of rows that were
        # moved, and the write-ahead log beside the file still has all of it.
        self.write(_vacuum).result()
        until = time.monotonic() + CHECKPOINT_SECONDS
        while self.read("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:  # a backup still reads the log
            if time.monotonic() > until:
                log.warning("%s-wal has deleted data until a backup is over.", self.path)
                return
            time.sleep(0.05)

    def close(self) -> None:
        self._writer.close()
        self._release()

    def _release(self) -> None:
        """Close all connections and the lock, and delete a temporary database."""
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        if self._file_lock is not None:  # after the connections: closing it drops SQLite's locks
            self._file_lock.close()
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
        if _vacuum in jobs:
            try:
                self._connection.execute("VACUUM")
            except sqlite3.Error:  # the jobs are done, and deleted data is overwritten
                log.exception("%s cannot be written again: is there enough space?", self.path)
        return results

    def _report(self, changes: Sequence[Change]) -> None:
        """Report each changed class once, with its newest version."""
        newest = {change.class_id: change.version for change in changes}
        for class_id, version in newest.items():
            for call in self._on_change:
                call(class_id, version)


def _vacuum(_cursor: Cursor) -> None:
    """Ask the writer to write the whole file again, after the transaction of this job."""


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
    released when the process ends, in whatever way. :func:`lock_file` adds one for hard links.
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
        if not _is_busy(why):
            raise unusable(path, why) from None
        raise _in_use(path) from None
    return lock


def _is_busy(why: Exception) -> bool:
    """Return whether an error is that another connection has locked the database."""
    return getattr(why, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY


def lock_file(path: Path) -> BinaryIO | None:
    """Lock a database file itself, whatever name it is opened by; return what holds the lock.

    SQLite puts its log beside a database by name, so two processes that open one file by two hard
    links destroy it. The lock is an open file description lock of Linux, on a byte far behind the
    data and behind those that SQLite locks. Other systems have no lock that leaves SQLite's alone:
    there, a file with several names is refused.
    """
    if sys.platform == "linux":
        try:
            file = path.open("rb+")
            lock = struct.pack("hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, LOCKED_BYTE, 1, 0)
            try:
                fcntl.fcntl(file, fcntl.F_OFD_SETLK, lock)
            except BaseException:
                file.close()
                raise
        except BlockingIOError:
            raise _in_use(path) from None
        except OSError as why:
            if why.errno not in UNSUPPORTED:
                raise
        else:
            return file
    names = path.stat().st_nlink
    if names > 1:
        raise InputError(
            f"{path} has {names} names (hard links), and a database needs exactly one: copy the "
            "file, and give the copy with --database."
        )
    return None


def _in_use(path: Path) -> InputError:
    """Return the error that another process uses a database."""
    return InputError(
        f"{path} is in use by another homeroom: stop that one, or give this one a file of its own. "
        "Several at a time need --database postgresql://..."
    )


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
