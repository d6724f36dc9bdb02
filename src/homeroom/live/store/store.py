"""The store: everything that was ever said and made, and nothing that can be worked out from it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from homeroom.live.events import (
    Event,
    Joined,
    Opened,
    Reseated,
    from_json,
    key_of,
    new_id,
    to_json,
)
from homeroom.live.refused import Refused
from homeroom.live.store.base import AbstractDatabase, Changed, Cursor, Job, Notice
from homeroom.live.store.shelf import Shelf

DAY = 86_400.0
CLASS = "id, name, activity, code, created, last, version, retention_days"


class Stored(NamedTuple):
    """An event in its place: the how manyth of its class, when, and whether it was new."""

    event: Event
    version: int
    at: float
    new: bool = True


class ClassRow(NamedTuple):
    """A class as the store lists it."""

    id: str
    name: str
    activity: str
    code: str
    created: float
    last: float
    version: int
    retention_days: int


class Since(NamedTuple):
    """What would matter, had it happened after a version of a class."""

    version: int
    matters: Callable[[Event], bool]


def _always(_cursor: Cursor) -> bool:
    return True


def _nothing_else(_cursor: Cursor) -> None:
    pass


class Store(Shelf, AbstractContextManager["Store"]):
    """Classes with their events; and on its shelf activities with pictures, and a few settings.

    Every event is on the disk before :meth:`append` is done. Events of one class are numbered 1, 2,
    ...; an event that comes twice (the same answer) is stored once.

    Parameters
    ----------
    database
        Where everything is kept.
    clock
        What time it is, in seconds since 1970.
    """

    def __init__(self, database: AbstractDatabase, clock: Callable[[], float] = time.time) -> None:
        super().__init__(database, clock)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish what waits, and let go of the database."""
        self._database.close()

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What reading and writing raise when the database does not work."""
        return self._database.errors

    def subscribe(self, changed: Changed) -> None:
        """Call this with a class and its version after every change, in a thread of the store."""
        self._database.listen(changed)

    def say(self, words: str) -> None:
        """Say something short to every process on this store, this one included.

        It is not kept: what is said while the database is away is lost.
        """
        self._database.say(words)

    def hear(self, heard: Callable[[str], None]) -> None:
        """Call this with all that is said, in a thread of the store."""
        self._database.hear(heard)

    # Events

    def append(
        self, class_id: str, event: Event, *, if_version: int | None = None
    ) -> Future[Stored | None]:
        """Put an event into a class's log.

        Parameters
        ----------
        class_id
            The class.
        event
            What happened.
        if_version
            Only if the log has come just so far; else the result is ``None``.
        """
        return self._append(class_id, event, if_version=if_version)

    def add_student(
        self, class_id: str, joined: Joined, ticket: str, *, since: Since | None = None
    ) -> Future[Stored | None]:
        """Put into the log that somebody joined, and keep the hash of her ticket with it.

        Parameters
        ----------
        class_id
            The class.
        joined
            Who came.
        ticket
            The hash of her ticket.
        since
            What must not have happened after she was looked at; if it did, the result is ``None``.
        """

        def free(cursor: Cursor) -> bool:
            return since is None or _has(cursor, ticket) or not _happened(cursor, class_id, since)

        def keep(cursor: Cursor) -> None:
            _keep_ticket(cursor, ticket, class_id, joined.student)

        return self._append(class_id, joined, only_if=free, also=keep)

    def offer_seat(self, class_id: str, student: str, code: str, seconds: float) -> None:
        """Keep the hash of a code with which a student gets her seat back, once, and soon."""
        now = self._clock()

        def job(cursor: Cursor) -> None:
            cursor.run(
                "DELETE FROM seat_codes WHERE until < ? OR (class_id = ? AND student = ?)",
                (now, class_id, student),
            )
            cursor.run(
                "INSERT INTO seat_codes (hash, class_id, student, until) "
                "SELECT ?, id, ?, ? FROM classes WHERE id = ?",
                (code, student, now + seconds, class_id),
            )

        self._database.write(job).result()

    def seat_offered(self, code: str) -> tuple[str, str] | None:
        """Return the class and the student whose seat the hash of a code is for."""
        rows = self._database.read(
            "SELECT class_id, student FROM seat_codes WHERE hash = ? AND until >= ?",
            (code, self._clock()),
        )
        return (rows[0][0], rows[0][1]) if rows else None

    def take_seat(
        self, class_id: str, reseated: Reseated, code: str, ticket: str
    ) -> Future[Stored | None]:
        """Put into the log that somebody has her seat again: no other ticket counts any more."""

        def keep(cursor: Cursor) -> None:
            used = cursor.run("DELETE FROM seat_codes WHERE hash = ? RETURNING hash", (code,))
            if not used and not _has(cursor, ticket):  # else: done once already
                raise Refused("seat_code")
            cursor.run(
                "DELETE FROM tickets WHERE class_id = ? AND student = ?",
                (class_id, reseated.student),
            )
            _keep_ticket(cursor, ticket, class_id, reseated.student)

        return self._append(class_id, reseated, also=keep)

    def _append(
        self,
        class_id: str,
        event: Event,
        *,
        if_version: int | None = None,
        only_if: Callable[[Cursor], bool] = _always,
        also: Callable[[Cursor], None] = _nothing_else,
    ) -> Future[Stored | None]:
        token = key_of(event) or f"once {new_id()}"
        body, at, lock = json.dumps(to_json(event)), self._clock(), self._database.locking

        def job(cursor: Cursor) -> Stored | None:
            found = cursor.run(f"SELECT version FROM classes WHERE id = ?{lock}", (class_id,))
            if not found:
                raise Refused("no_class")
            if not only_if(cursor):
                return None
            same = "SELECT version, happened, body FROM events WHERE class_id = ? AND token = ?"
            for version, happened, said in cursor.run(same, (class_id, token)):
                also(cursor)
                return Stored(from_json(json.loads(said)), version, happened, new=False)
            version = found[0][0] + 1
            if if_version is not None and if_version + 1 != version:
                return None
            cursor.run(
                "INSERT INTO events (class_id, version, happened, token, body) "
                "VALUES (?, ?, ?, ?, ?)",
                (class_id, version, at, token, body),
            )
            cursor.run(  # a clock that was set back takes nothing off the time it is kept
                "UPDATE classes SET version = ?, last = CASE WHEN last > ? THEN last ELSE ? END "
                "WHERE id = ?",
                (version, at, at, class_id),
            )
            also(cursor)
            return Stored(event, version, at)

        def notices(given: Stored | None) -> list[Notice]:
            return [Notice(class_id, given.version)] if given is not None and given.new else []

        return self._database.write(job, notices)

    def events(self, class_id: str, after: int = 0) -> list[Stored]:
        """Return what happened in a class after a version, in order."""
        rows = self._database.read(
            "SELECT body, version, happened FROM events WHERE class_id = ? AND version > ? "
            "ORDER BY version",
            (class_id, after),
        )
        return [Stored(from_json(json.loads(body)), number, at) for body, number, at in rows]

    def version(self, class_id: str) -> int:
        """Return how many events a class has; 0 if there is none such."""
        rows = self._database.read("SELECT version FROM classes WHERE id = ?", (class_id,))
        return int(rows[0][0]) if rows else 0

    def student_of(self, ticket: str) -> tuple[str, str] | None:
        """Return the class and the student of the hash of a ticket."""
        rows = self._database.read(
            "SELECT class_id, student FROM tickets WHERE hash = ?", (ticket,)
        )
        return (rows[0][0], rows[0][1]) if rows else None

    # Classes

    def create_class(self, opened: Opened) -> str:
        """Make a class and return its id; its code must not be in use."""
        class_id, at = new_id(), self._clock()

        def job(cursor: Cursor) -> bool:
            taken = cursor.run(
                "INSERT INTO classes (id, name, activity, code, retention_days, created, last, "
                "version) VALUES (?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING RETURNING id",
                (
                    class_id,
                    opened.name,
                    opened.activity,
                    opened.code,
                    opened.retention_days,
                    at,
                    at,
                ),
            )
            if not taken:
                again = "SELECT 1 FROM classes WHERE id = ?"
                return bool(cursor.run(again, (class_id,)))
            cursor.run(
                "INSERT INTO events (class_id, version, happened, token, body) "
                "VALUES (?, 1, ?, 'opened', ?)",
                (class_id, at, json.dumps(to_json(opened))),
            )
            return True

        made = self._database.write(job, lambda new: [Notice(class_id, 1)] if new else [])
        if not made.result():
            raise Refused("code_in_use", joining=opened.code)
        return class_id

    def classes(self) -> list[ClassRow]:
        """Return all classes, the newest first."""
        rows = self._database.read(f"SELECT {CLASS} FROM classes ORDER BY created DESC, id")
        return [ClassRow(*row) for row in rows]

    def find_class(self, class_id: str) -> ClassRow | None:
        """Return a class by its id."""
        return self._one_class("id", class_id)

    def class_of_code(self, code: str) -> ClassRow | None:
        """Return a class by what students join with."""
        return self._one_class("code", code)

    def _one_class(self, column: str, value: str) -> ClassRow | None:
        rows = self._database.read(f"SELECT {CLASS} FROM classes WHERE {column} = ?", (value,))
        return ClassRow(*rows[0]) if rows else None

    def delete_class(self, class_id: str) -> bool:
        """Delete a class with all that is known of its students; say whether it was there."""
        statement = "DELETE FROM classes WHERE id = ? RETURNING id"
        return bool(self._deleted(lambda cursor: cursor.run(statement, (class_id,))))

    def purge(self, now: float | None = None) -> list[str]:
        """Delete the classes in which nothing happened for as long as they are kept.

        A clock may be wrong: what is due must be seen to be so twice, a day apart. The first time
        can be a day early, so that nothing is kept longer where somebody looks every hour: a clock
        that jumps deletes at most what was due within a day. What happened in the future, as a
        clock was ahead, is seen twice as well, and then counts from now.
        """
        now = self._clock() if now is None else now
        until = "last + retention_days * 86400.0"

        def job(cursor: Cursor) -> list[tuple[Any, ...]]:
            cursor.run(  # something happened, or the clock was set back
                "UPDATE classes SET due = NULL WHERE due IS NOT NULL AND "
                f"(due > ? OR (last <= ? AND (due < last OR {until} > ?)))",
                (now, now, now + DAY),
            )
            cursor.run(
                f"UPDATE classes SET due = ? WHERE due IS NULL AND ({until} <= ? OR last > ?)",
                (now, now + DAY, now),
            )
            cursor.run(
                "UPDATE classes SET last = ?, due = NULL WHERE last > ? AND due <= ?",
                (now, now, now - DAY),
            )
            due = f"DELETE FROM classes WHERE due <= ? AND {until} < ? RETURNING id"
            return cursor.run(due, (now - DAY, now))

        return self._deleted(job)

    def delete_everything(self) -> list[str]:
        """Delete every class with all that is known of its students."""
        return self._deleted(lambda cursor: cursor.run("DELETE FROM classes RETURNING id"))

    def _deleted(self, job: Job[list[tuple[Any, ...]]]) -> list[str]:
        """Do a job that deletes classes; tell of each, and leave no trace of them."""

        def notices(rows: list[tuple[Any, ...]]) -> list[Notice]:
            return [Notice(row[0], 0) for row in rows]

        gone = [row[0] for row in self._database.write(job, notices).result()]
        if gone:
            self._database.forget()
        return gone


def _has(cursor: Cursor, ticket: str) -> bool:
    """Tell whether a ticket is kept already: what waits for a database may be done twice."""
    return bool(cursor.run("SELECT 1 FROM tickets WHERE hash = ?", (ticket,)))


def _happened(cursor: Cursor, class_id: str, since: Since) -> bool:
    rows = cursor.run(
        "SELECT body FROM events WHERE class_id = ? AND version > ?", (class_id, since.version)
    )
    return any(since.matters(from_json(json.loads(body))) for (body,) in rows)


def _keep_ticket(cursor: Cursor, ticket: str, class_id: str, student: str) -> None:
    cursor.run(
        "INSERT INTO tickets (hash, class_id, student) VALUES (?, ?, ?) "
        "ON CONFLICT (hash) DO NOTHING",
        (ticket, class_id, student),
    )


def plain(stored: Stored) -> dict[str, Any]:
    """Return an event in its place as plain JSON values."""
    return {"version": stored.version, "at": stored.at, **to_json(stored.event)}
