"""The store's database for several processes and hosts: PostgreSQL."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom.live.store.base import AbstractDatabase, Changed, Job, Notice
from homeroom.live.store.migrate import migrate
from homeroom.live.store.writer import Writer, nobody

T = TypeVar("T")

log = logging.getLogger(__name__)

CHANNEL, WORDS = "homeroom", "homeroom_words"
"""Where processes tell each other that a class has changed, and what else there is to say."""

PATIENCE = 60.0
"""For how many seconds a database that went away is waited for."""

MIGRATION_LOCK = 4_807_726_101
"""A number that only homerooms lock, while one of them brings the tables up to date."""


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

    def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each row of values."""
        with self._connection.cursor() as cursor:
            cursor.executemany(statement.replace("?", "%s"), rows)


class PostgresDatabase(AbstractDatabase):
    """A database on a server. If that goes away for a while, everything waits until it is back.

    Parameters
    ----------
    place
        Where it is: ``postgresql://user:password@host/name``.
    patience
        For how many seconds it is waited for.
    """

    locking = " FOR UPDATE"

    def __init__(self, place: str, *, patience: float = PATIENCE) -> None:
        self._psycopg = needed_psycopg()
        self._place, self._patience = place, patience
        self._idle: queue.LifoQueue[Any] = queue.LifoQueue()
        self._closed = threading.Event()
        self._listeners: list[Changed] = []
        self._hearers: list[Callable[[str], None]] = []
        try:
            self._connection = self._connect()
            try:
                self._transact([_migrated])
            except BaseException:
                self._connection.close()
                raise
        except self._psycopg.Error as why:
            said = str(why).strip().splitlines()[0] if str(why).strip() else type(why).__name__
            raise InputError(f"The database cannot be opened: {said}.") from None
        self._writer = Writer(self._patiently, lambda _notices: None)
        self._listener = threading.Thread(
            target=self._listen, name="homeroom-listener", daemon=True
        )
        self._ready = threading.Event()
        self._listener.start()
        self._ready.wait(patience)

    def write(self, job: Job[T], notices: Callable[[T], list[Notice]] = nobody) -> Future[T]:
        def told(cursor: Any) -> T:
            given = job(cursor)
            for notice in notices(given):  # sent with the commit, to every process
                said = f"{notice.class_id} {notice.version}"
                cursor.run("SELECT pg_notify(?, ?)", (CHANNEL, said))
            return given

        return self._writer.put(told, nobody)

    def read(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        def rows() -> list[tuple[Any, ...]]:
            with self._borrowed() as connection:
                return PostgresCursor(connection).run(statement, values)

        return self._waiting_for_it(rows)

    def listen(self, changed: Changed) -> None:
        self._listeners.append(changed)

    def say(self, words: str) -> None:
        # Not waited for: when the server is back, it would no longer be so.
        with suppress(self._psycopg.OperationalError), self._borrowed() as connection:
            PostgresCursor(connection).run("SELECT pg_notify(?, ?)", (WORDS, words))

    def hear(self, heard: Callable[[str], None]) -> None:
        self._hearers.append(heard)

    def forget(self) -> None:
        """Leave it to the server, which cleans up by itself."""

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
    def _borrowed(self) -> Iterator[Any]:
        """Give a connection for reading, which is kept for the next one unless it broke."""
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
        if self._connection.closed:
            self._connection = self._connect()
        with self._connection.transaction():
            cursor = PostgresCursor(self._connection)
            return [job(cursor) for job in jobs]

    def _patiently(self, jobs: Sequence[Job[Any]]) -> list[Any]:
        """Do jobs; again if the server went away, as all of them may be done twice."""
        return self._waiting_for_it(lambda: self._transact(jobs))

    def _waiting_for_it(self, work: Callable[[], T]) -> T:
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
        while not self._closed.is_set():
            try:
                with self._connect() as connection:
                    for channel in (CHANNEL, WORDS):
                        connection.execute(f"LISTEN {channel}")
                    if self._ready.is_set():
                        self._catch_up()
                    self._ready.set()
                    self._hear(connection)
            except self._psycopg.Error:
                self._closed.wait(0.2)

    def _hear(self, connection: Any) -> None:
        while not self._closed.is_set():
            for notice in connection.notifies(timeout=0.2, stop_after=1):
                heard = self._hearers if notice.channel == WORDS else [self._noticed]
                self._tell(heard, notice.payload)

    def _noticed(self, said: str) -> None:
        class_id, _, version = said.partition(" ")
        self._tell(self._listeners, class_id, int(version))

    def _catch_up(self) -> None:
        """Tell of every class, as nobody knows what was missed while the server was away."""
        for class_id, version in self.read("SELECT id, version FROM classes"):
            self._tell(self._listeners, class_id, version)

    def _tell(self, listeners: Sequence[Callable[..., None]], *said: Any) -> None:
        for listener in listeners:
            try:
                listener(*said)
            except Exception:  # a listener's fault is no reason to stop listening
                log.exception("A listener failed.")


def _migrated(cursor: Any) -> int:
    cursor.run("SELECT pg_advisory_xact_lock(?)", (MIGRATION_LOCK,))
    return migrate(cursor)
