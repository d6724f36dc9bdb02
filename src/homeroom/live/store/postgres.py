"""The store's database for several processes and hosts: PostgreSQL."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

from homeroom._checks import InputError
from homeroom._extras import needs
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

log = logging.getLogger(__name__)

CHANGES, MESSAGES = "homeroom", "homeroom_words"
"""The channels on which processes notify each other of changed classes, and send messages."""

PATIENCE = 60.0
"""Seconds to wait for a database that is down."""

MIGRATION_LOCK = 4_807_726_101
"""The number of the lock that a homeroom holds while it migrates the tables."""


def needed_psycopg() -> Any:
    """Return psycopg, or raise an error that says how to install it."""
    file = "leave --database out to use a file"
    with needs("PostgreSQL needs psycopg", "live,postgres", otherwise=file):
        import psycopg
    return psycopg


class PostgresCursor:
    """Runs statements on a connection."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        found = self._connection.execute(statement.replace("?", "%s"), values)
        return list(found.fetchall()) if found.description is not None else []

    def each(self, statement: str) -> Iterator[tuple[Any, ...]]:
        """Run one query and yield its rows; the server keeps the rest."""
        with self._connection.cursor(name="homeroom_rows") as cursor:
            yield from cursor.execute(statement)


class PostgresDatabase(AbstractDatabase):
    """A database on a server. If that is down for a while, reading and writing wait for it.

    The public methods are described in :class:`AbstractDatabase`.

    Parameters
    ----------
    place
        Its address: ``postgresql://user:password@host/name``.
    patience
        Seconds to wait for a server that is down.
    """

    locking = " FOR UPDATE"

    def __init__(self, place: str, *, patience: float = PATIENCE) -> None:
        super().__init__()
        self._psycopg = needed_psycopg()
        self.errors = (self._psycopg.Error, OSError)
        self._place, self._patience = place, patience
        self._idle: queue.LifoQueue[Any] = queue.LifoQueue()
        self._closed = threading.Event()
        try:
            self._connection = self._connect()
            try:
                self._transact([_migrated])
            except BaseException:
                self._connection.close()
                raise
        except self._psycopg.Error as why:
            reason = str(why).strip().splitlines()[0] if str(why).strip() else type(why).__name__
            raise InputError(f"The database cannot be opened: {reason}.") from None
        # All jobs run again if the server was down: each of them may run twice.
        self._writer = Writer(
            lambda jobs: self._wait_for_server(partial(self._transact, jobs)), lambda _changes: None
        )
        self._listener = threading.Thread(
            target=self._listen, name="homeroom-listener", daemon=True
        )
        self._ready = threading.Event()
        self._listener.start()
        self._ready.wait(patience)

    def write(self, job: Job[T], changes: Callable[[T], list[Change]] = no_changes) -> Future[T]:
        def job_and_notification(cursor: Any) -> T:
            result = job(cursor)
            for change in changes(result):  # sent with the commit, to every process
                text = f"{change.class_id} {change.version}"
                cursor.run("SELECT pg_notify(?, ?)", (CHANGES, text))
            return result

        return self._writer.submit(job_and_notification, no_changes)

    def read(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        def rows() -> list[tuple[Any, ...]]:
            with self._reader() as connection:
                return PostgresCursor(connection).run(statement, values)

        return self._wait_for_server(rows)

    def broadcast(self, message: str) -> None:
        # Without waiting: when the server is back, the message would be out of date.
        with suppress(self._psycopg.OperationalError), self._reader() as connection:
            PostgresCursor(connection).run("SELECT pg_notify(?, ?)", (MESSAGES, message))

    @contextmanager
    def snapshot(self) -> Iterator[Cursor]:
        with self._connect() as connection:
            connection.isolation_level = self._psycopg.IsolationLevel.REPEATABLE_READ
            with connection.transaction():
                yield PostgresCursor(connection)

    def erase_deleted(self) -> None:
        """Leave it to the server, which vacuums by itself."""

    def close(self) -> None:
        self._closed.set()
        self._writer.close()
        self._listener.join()
        self._connection.close()
        while not self._idle.empty():
            self._idle.get().close()

    def _connect(self) -> Any:
        return self._psycopg.connect(self._place, autocommit=True, connect_timeout=5)

    @contextmanager
    def _reader(self) -> Iterator[Any]:
        """Yield a connection for reading, which is kept for the next time unless it breaks."""
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = self._connect()
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._idle.put(connection)

    def _transact(self, jobs: Sequence[Job[Any]]) -> list[Any]:
        """Run jobs in one transaction and return their results."""
        if self._connection.closed:
            self._connection = self._connect()
        with self._connection.transaction():
            cursor = PostgresCursor(self._connection)
            return [job(cursor) for job in jobs]

    def _wait_for_server(self, work: Callable[[], T]) -> T:
        """Return the result of ``work``; if the server is down, try for ``patience`` seconds."""
        until, pause = time.monotonic() + self._patience, 0.05
        while True:
            try:
                return work()
            except self._psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(pause)
                pause = min(2 * pause, 1.0)

    def _listen(self) -> None:
        """Receive notifications until the database is closed; connect again when they fail."""
        while not self._closed.is_set():
            try:
                with self._connect() as connection:
                    for channel in (CHANGES, MESSAGES):
                        connection.execute(f"LISTEN {channel}")
                    if self._ready.is_set():
                        self._report_all()
                    self._ready.set()
                    self._receive(connection)
            except self._psycopg.Error:
                self._closed.wait(0.2)

    def _receive(self, connection: Any) -> None:
        """Call the listeners with each notification, until the database is closed."""
        while not self._closed.is_set():
            for notification in connection.notifies(timeout=0.2, stop_after=1):
                is_message = notification.channel == MESSAGES
                listeners = self._on_message if is_message else [self._changed]
                self._call(listeners, notification.payload)

    def _changed(self, text: str) -> None:
        """Report a changed class, from the text of a notification."""
        class_id, _, version = text.partition(" ")
        self._call(self._on_change, class_id, int(version))

    def _report_all(self) -> None:
        """Report every class as changed, as notifications were lost while the server was down."""
        for class_id, version in self.read("SELECT id, version FROM classes"):
            self._call(self._on_change, class_id, version)

    def _call(self, listeners: Sequence[Callable[..., None]], *given: Any) -> None:
        """Call listeners with these arguments, and log their errors."""
        for listener in listeners:
            try:
                listener(*given)
            except Exception:  # an error in a listener is no reason to stop listening
                log.exception("A listener failed.")


def _migrated(cursor: Any) -> int:
    """Apply the missing migrations, one process at a time; return the version reached."""
    cursor.run("SELECT pg_advisory_xact_lock(?)", (MIGRATION_LOCK,))
    return migrate(cursor)
