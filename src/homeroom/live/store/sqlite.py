"""The store's database in one file: SQLite, for one process."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, TypeVar

from homeroom._checks import InputError
from homeroom.live.store.base import AbstractDatabase, Changed, Job, Notice
from homeroom.live.store.migrate import migrate
from homeroom.live.store.writer import Writer, nobody

T = TypeVar("T")

PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # a power cut loses nothing that was acknowledged
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA busy_timeout = 10000",
)


class SqliteCursor:
    """Runs statements on a connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        return self._connection.execute(statement, values).fetchall()

    def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each row of values."""
        self._connection.executemany(statement, rows)


class SqliteDatabase(AbstractDatabase):
    """A database in one file.

    Parameters
    ----------
    path
        The file, made if it is not there; ``":memory:"`` for one that is gone when it is closed.
    """

    locking = ""  # there is only one writer

    def __init__(self, path: str | Path) -> None:
        self._temporary = TemporaryDirectory() if str(path) == ":memory:" else None
        folder = self._temporary.name if self._temporary is not None else None
        self.path = Path(folder) / "homeroom.db" if folder is not None else Path(path)
        self._lock = only_one(self.path)
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._listeners: list[Changed] = []
        self._hearers: list[Callable[[str], None]] = []
        try:
            self.path.touch(mode=0o600)  # names and answers are nobody else's on this computer
            self._connection = self._connect()
            self._transact([migrate])
        except BaseException:
            self._let_go()
            raise
        self._writer = Writer(self._transact, self._tell)

    def write(self, job: Job[T], notices: Callable[[T], list[Notice]] = nobody) -> Future[T]:
        return self._writer.put(job, notices)

    def read(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._connect()
        connection: sqlite3.Connection = self._local.connection
        return connection.execute(statement, values).fetchall()

    def listen(self, changed: Changed) -> None:
        self._listeners.append(changed)

    def say(self, words: str) -> None:
        for heard in self._hearers:
            heard(words)

    def hear(self, heard: Callable[[str], None]) -> None:
        self._hearers.append(heard)

    def forget(self) -> None:
        # What was deleted is overwritten in the file; the log beside it still has it.
        self.read("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._writer.close()
        self._let_go()

    def _let_go(self) -> None:
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        self._lock.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
            self._connections.append(connection)
            for pragma in PRAGMAS:
                connection.execute(pragma)
        except sqlite3.DatabaseError as why:
            raise InputError(f"{self.path} cannot be opened as a database: {why}.") from None
        return connection

    def _transact(self, jobs: Sequence[Job[Any]]) -> list[Any]:
        cursor = SqliteCursor(self._connection)
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            given = [job(cursor) for job in jobs]
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        return given

    def _tell(self, notices: Sequence[Notice]) -> None:
        newest = {notice.class_id: notice.version for notice in notices}
        for class_id, version in newest.items():
            for changed in self._listeners:
                changed(class_id, version)


def only_one(path: Path) -> IO[bytes]:
    """Return a lock that nobody else can have while this process lives; refuse to be the second."""
    import fcntl

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_name(path.name + ".lock").open("ab")
    except OSError as why:
        raise InputError(f"{path} cannot be written: {why.strerror}.") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise InputError(
            f"{path} is in use by another homeroom: stop that one, or give this one a file of its "
            "own. Several at a time need --database postgresql://..."
        ) from None
    return lock
