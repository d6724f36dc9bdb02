"""The store of a live classroom: the events of all classes, from which their state follows.

A ticket is the secret in the cookie of a student's browser. A seat code lets a student back into
their seat, their place in a class. The store has only hashes of tickets and seat codes.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from homeroom._checks import InputError
from homeroom.live.events import (
    Event,
    Joined,
    Opened,
    Removed,
    Reseated,
    SignedOut,
    from_json,
    key_of,
    to_json,
    without_identity,
)
from homeroom.live.ids import anonymous_id, new_id
from homeroom.live.refused import Refused
from homeroom.live.store.activities import ActivityStore
from homeroom.live.store.database import AbstractDatabase, Change, Cursor, Job
from homeroom.live.store.sqlite import SqliteDatabase, snapshot_of_file

DAY = 86_400.0
ERASED = "removed-students-erased"
"""The setting of a store whose log names no student who was removed, as since version 0.3."""

EVENTS_AT_ONCE = 1000
"""The number of events that are in memory while a log is rewritten."""

CLASS_COLUMNS = (
    "id, name, activity, code, created, last, version, retention_days, "
    "(SELECT COUNT(*) FROM lessons WHERE class_id = id)"
)


class Stored(NamedTuple):
    """An event with its version, its time in seconds since 1970, and whether it was new.

    An event that is sent a second time is not new.
    """

    event: Event
    version: int
    at: float
    new: bool = True


class ClassRow(NamedTuple):
    """A class as the store lists it.

    ``created`` and ``last`` are the times of its first and last event, in seconds since 1970;
    ``lessons`` is the number of its lessons.
    """

    id: str
    name: str
    activity: str
    code: str
    created: float
    last: float
    version: int
    retention_days: int
    lessons: int


class Since(NamedTuple):
    """A version of a class, and which later events would matter."""

    version: int
    matters: Callable[[Event], bool]


class EventStore(ActivityStore, AbstractContextManager["EventStore"]):
    """Classes with their events, uploaded activities with pictures, and settings.

    An event is on the disk before :meth:`append` is done. The events of a class have the versions
    1, 2, ...; an event that is sent twice (the same answer) is stored once.

    Parameters
    ----------
    database
        The database.
    clock
        Returns the time in seconds since 1970.

    Attributes
    ----------
    errors, on_change, on_message, broadcast, snapshot, erase_deleted, close
        Those of the database, unchanged.
    """

    def __init__(self, database: AbstractDatabase, clock: Callable[[], float] = time.time) -> None:
        super().__init__(database, clock)
        self.errors, self.close = database.errors, database.close
        self.on_change, self.on_message = database.on_change, database.on_message
        self.broadcast, self.snapshot = database.broadcast, database.snapshot
        self.erase_deleted = database.erase_deleted

    def __exit__(self, *_: object) -> None:
        self.close()

    # Events

    def append(
        self,
        class_id: str,
        event: Event,
        *,
        if_version: int | None = None,
        lesson: int = 1,
        student: str | None = None,
    ) -> Future[Stored | None]:
        """Append an event to the log of a class.

        Parameters
        ----------
        class_id
            The class.
        event
            The event.
        if_version
            Append only if the class has this version; else the result is ``None``.
        lesson
            The lesson in which the event happens.
        student
            Refuse the event if this student was removed meanwhile.
        """
        if isinstance(event, Removed):
            return self.remove(class_id, event)

        def seated(cursor: Cursor) -> bool:
            return student is None or _require_student(cursor, class_id, student)

        return self._append(class_id, event, if_version=if_version, lesson=lesson, only_if=seated)

    def remove(self, class_id: str, removed: Removed) -> Future[Stored | None]:
        """Append that students were removed, and erase them from the whole log.

        Their names and handwriting are deleted, and their ids replaced, so the class is rebuilt the
        same. The event has the new ids. :meth:`erase_deleted` then cleans the disk.
        """
        ids = {student: anonymous_id(student) for student in removed.students}

        def rewrite(cursor: Cursor) -> None:
            _rewrite(cursor, class_id, ids)
            _replace_ids(cursor, "seat_codes", class_id, ids)

        return self._append(class_id, Removed(tuple(ids.values())), also=rewrite)

    def erase_removed(self) -> None:
        """Erase the students whom version 0.2 removed, but kept in its log; once per store."""
        if self.setting(ERASED) is not None:
            return

        def job(cursor: Cursor) -> bool:
            if not mark_erased(cursor):
                return False  # another process did it
            cursor.run("DELETE FROM seat_codes")  # they are valid for minutes only
            return erase_removed(cursor)

        if self._database.write(job).result():
            self._database.erase_deleted()

    def begin_lesson(
        self, class_id: str, opened: Opened, *, if_version: int
    ) -> Future[Stored | None]:
        """Append that the next lesson of a class begins, if the class has this version.

        Else the result is ``None``.
        """
        at = self._clock()

        def keep(cursor: Cursor) -> None:
            cursor.run(
                "UPDATE classes SET name = ?, activity = ?, retention_days = ? WHERE id = ?",
                (opened.name, opened.activity, opened.retention_days, class_id),
            )
            _keep_lesson(cursor, class_id, opened.activity, if_version + 1, at)

        return self._append(class_id, opened, if_version=if_version, also=keep)

    def sign_out(self, class_id: str, event: SignedOut) -> Future[Stored | None]:
        """Append that students signed out; their tickets become invalid."""

        def keep(cursor: Cursor) -> None:
            for student in event.students:
                cursor.run(
                    "DELETE FROM tickets WHERE class_id = ? AND student = ?", (class_id, student)
                )

        return self._append(class_id, event, also=keep)

    def add_student(
        self, class_id: str, joined: Joined, ticket: str, *, since: Since | None = None
    ) -> Future[Stored | None]:
        """Append that a student joined, and store the hash of their ticket.

        Parameters
        ----------
        class_id
            The class.
        joined
            The event.
        ticket
            The hash of the ticket.
        since
            Events that must not have been stored since the check; else the result is ``None``.
        """

        def free(cursor: Cursor) -> bool:
            return since is None or _has(cursor, ticket) or not _happened(cursor, class_id, since)

        def keep(cursor: Cursor) -> None:
            _keep_ticket(cursor, ticket, class_id, joined.student)

        return self._append(class_id, joined, only_if=free, also=keep)

    def offer_seat(self, class_id: str, student: str, code: str, seconds: float) -> None:
        """Store the hash of a code with which a student gets their seat back, once.

        The code is valid for ``seconds``, and replaces an earlier code of the student.
        """
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
        """Return the class and the student to whose seat a code belongs, by its hash."""
        rows = self._database.read(
            "SELECT class_id, student FROM seat_codes WHERE hash = ? AND until >= ?",
            (code, self._clock()),
        )
        return (rows[0][0], rows[0][1]) if rows else None

    def take_seat(
        self, class_id: str, reseated: Reseated, code: str, ticket: str
    ) -> Future[Stored | None]:
        """Append that a student has their seat back; other tickets of theirs become invalid.

        ``code`` is the hash of the seat code, ``ticket`` that of the new ticket.
        """

        def keep(cursor: Cursor) -> None:
            used = cursor.run("DELETE FROM seat_codes WHERE hash = ? RETURNING hash", (code,))
            if not used and not _has(cursor, ticket):  # else: this job runs again
                raise Refused("seat_code")
            cursor.run(
                "DELETE FROM tickets WHERE class_id = ? AND student = ?",
                (class_id, reseated.student),
            )
            _keep_ticket(cursor, ticket, class_id, reseated.student)

        def seated(cursor: Cursor) -> bool:
            return _require_student(cursor, class_id, reseated.student)

        return self._append(class_id, reseated, only_if=seated, also=keep)

    def _append(
        self,
        class_id: str,
        event: Event,
        *,
        if_version: int | None = None,
        lesson: int = 1,
        only_if: Callable[[Cursor], bool] = lambda _: True,
        also: Callable[[Cursor], None] = lambda _: None,
    ) -> Future[Stored | None]:
        """Append an event in a job of the database, if the conditions hold when it runs.

        The result is ``None`` if ``if_version`` or ``only_if`` does not hold. ``also`` runs in the
        same transaction, even if the event is stored already.
        """
        token = key_of(event, lesson) or f"once {new_id()}"  # unique within a class
        body, at, lock = json.dumps(to_json(event)), self._clock(), self._database.locking

        def job(cursor: Cursor) -> Stored | None:
            found = cursor.run(f"SELECT version FROM classes WHERE id = ?{lock}", (class_id,))
            if not found:
                raise Refused("no_class")
            if not only_if(cursor):
                return None
            same = "SELECT version, happened, body FROM events WHERE class_id = ? AND token = ?"
            for version, happened, text in cursor.run(same, (class_id, token)):
                also(cursor)
                return Stored(from_json(json.loads(text)), version, happened, new=False)
            version = found[0][0] + 1
            if if_version is not None and if_version + 1 != version:
                return None
            cursor.run(
                "INSERT INTO events (class_id, version, happened, token, body) "
                "VALUES (?, ?, ?, ?, ?)",
                (class_id, version, at, token, body),
            )
            cursor.run(  # a clock that was set back does not make data expire earlier
                "UPDATE classes SET version = ?, last = CASE WHEN last > ? THEN last ELSE ? END "
                "WHERE id = ?",
                (version, at, at, class_id),
            )
            also(cursor)
            return Stored(from_json(json.loads(body)), version, at)  # as it is in the log

        def changes(stored: Stored | None) -> list[Change]:
            return [Change(class_id, stored.version)] if stored is not None and stored.new else []

        return self._database.write(job, changes)

    def events(self, class_id: str, after: int = 0) -> list[Stored]:
        """Return the events of a class after a version, in order."""
        rows = self._database.read(
            "SELECT body, version, happened FROM events WHERE class_id = ? AND version > ? "
            "ORDER BY version",
            (class_id, after),
        )
        return [Stored(from_json(json.loads(body)), number, at) for body, number, at in rows]

    def version(self, class_id: str) -> int:
        """Return how many events a class has; 0 if there is no such class."""
        rows = self._database.read("SELECT version FROM classes WHERE id = ?", (class_id,))
        return int(rows[0][0]) if rows else 0

    def student_of(self, ticket: str) -> tuple[str, str] | None:
        """Return the class and the student to whom a ticket belongs, by its hash."""
        rows = self._database.read(
            "SELECT class_id, student FROM tickets WHERE hash = ?", (ticket,)
        )
        return (rows[0][0], rows[0][1]) if rows else None

    # Classes

    def create_class(self, opened: Opened) -> str:
        """Create a class and return its id; its code must not be in use."""
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
            _keep_lesson(cursor, class_id, opened.activity, 1, at)
            return True

        made = self._database.write(job, lambda new: [Change(class_id, 1)] if new else [])
        if not made.result():
            raise Refused("code_in_use", joining=opened.code)
        return class_id

    def classes(self) -> list[ClassRow]:
        """Return all classes, the one with the newest lesson first."""
        newest = "(SELECT MAX(began) FROM lessons WHERE class_id = id)"
        rows = self._database.read(
            f"SELECT {CLASS_COLUMNS} FROM classes ORDER BY {newest} DESC, id"
        )
        return [ClassRow(*row) for row in rows]

    def find_class(self, class_id: str) -> ClassRow | None:
        """Return a class by its id."""
        return self._one_class("id", class_id)

    def class_of_code(self, code: str) -> ClassRow | None:
        """Return a class by the code that students join with."""
        return self._one_class("code", code)

    def _one_class(self, column: str, value: str) -> ClassRow | None:
        rows = self._database.read(
            f"SELECT {CLASS_COLUMNS} FROM classes WHERE {column} = ?", (value,)
        )
        return ClassRow(*rows[0]) if rows else None

    def add_from(
        self,
        other: EventStore,
        classes: Sequence[str],
        activities: Sequence[str],
        last: Mapping[str, Event | None],
    ) -> None:
        """Add classes and activities of another store, all or none of them.

        Parameters
        ----------
        other
            The store to copy from, such as that of a backup.
        classes, activities
            The ids of those to add.
        last
            For each class, an event that is added at the end of its log, or ``None``.
        """
        now = self._clock()

        def job(cursor: Cursor) -> list[Change]:
            with other.snapshot() as source:
                for activity in activities:
                    _copy_rows(source, cursor, "activities", "id", activity)
                    _copy_rows(source, cursor, "pictures", "activity", activity)
                return [_add(source, cursor, one, last.get(one), now) for one in classes]

        self._database.write(job, lambda changes: changes).result()

    def delete_class(self, class_id: str) -> bool:
        """Delete a class with all data of its students; return whether there was one."""
        statement = "DELETE FROM classes WHERE id = ? RETURNING id"
        return bool(self._deleted(lambda cursor: cursor.run(statement, (class_id,))))

    def purge(self, now: float | None = None) -> list[str]:
        """Delete the classes in which nothing has happened for their retention time.

        A clock may be wrong. A class must therefore be found due twice, a day apart; the first time
        may be a day early, so that an hourly check still deletes in time. A clock that jumps
        deletes at most what was due within a day. An event in the future, from a clock that was
        ahead, must also be found twice, and then counts from now. The column ``due`` is the time at
        which a class was found the first time. Returns the ids of the deleted classes.
        """
        now = self._clock() if now is None else now
        until = "last + retention_days * 86400.0"

        def job(cursor: Cursor) -> list[tuple[Any, ...]]:
            cursor.run(  # there was another event, or the clock was set back
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
        """Delete all classes with all data of their students, and return their ids."""
        return self._deleted(lambda cursor: cursor.run("DELETE FROM classes RETURNING id"))

    def _deleted(self, job: Job[list[tuple[Any, ...]]]) -> list[str]:
        """Run a job that deletes classes; report each, and erase them from the disk."""

        def changes(rows: list[tuple[Any, ...]]) -> list[Change]:
            return [Change(row[0], 0) for row in rows]

        deleted = [row[0] for row in self._database.write(job, changes).result()]
        if deleted:
            self._database.erase_deleted()
        return deleted


COLUMNS = {
    "classes": "id, name, activity, code, retention_days, created, last, version",
    "events": "class_id, version, happened, token, body",
    "tickets": "hash, class_id, student",
    "lessons": "class_id, version, activity, began",
    "activities": "id, name, created, body, hidden",
    "pictures": "activity, item, media, data",
}
"""The columns of the tables that are copied from another store."""


def _copy_rows(source: Cursor, target: Cursor, table: str, column: str, value: str) -> None:
    """Copy the rows of a table that have this value in a column; existing rows stay."""
    names = COLUMNS[table]
    marks = ", ".join("?" for _ in names.split(","))
    insert = f"INSERT INTO {table} ({names}) VALUES ({marks}) ON CONFLICT DO NOTHING"
    for row in source.run(f"SELECT {names} FROM {table} WHERE {column} = ?", (value,)):
        target.run(insert, row)


def _add(source: Cursor, target: Cursor, class_id: str, event: Event | None, now: float) -> Change:
    """Copy a class, add an event to it if one is given, and return the change.

    Its retention time starts again now.
    """
    _copy_rows(source, target, "classes", "id", class_id)
    for table in ("events", "tickets", "lessons"):
        _copy_rows(source, target, table, "class_id", class_id)
    [(version,)] = target.run("SELECT version FROM classes WHERE id = ?", (class_id,))
    if event is not None:
        version += 1
        target.run(
            "INSERT INTO events (class_id, version, happened, token, body) VALUES (?, ?, ?, ?, ?)",
            (class_id, version, now, f"once {new_id()}", json.dumps(to_json(event))),
        )
    target.run("UPDATE classes SET version = ?, last = ? WHERE id = ?", (version, now, class_id))
    return Change(class_id, version)


def _keep_lesson(cursor: Cursor, class_id: str, activity: str, version: int, at: float) -> None:
    cursor.run(
        "INSERT INTO lessons (class_id, version, activity, began) VALUES (?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        (class_id, version, activity, at),
    )


def _has(cursor: Cursor, ticket: str) -> bool:
    """Return whether a ticket is stored already: a job that waited may run twice."""
    return bool(cursor.run("SELECT 1 FROM tickets WHERE hash = ?", (ticket,)))


def _happened(cursor: Cursor, class_id: str, since: Since) -> bool:
    """Return whether an event that matters was stored after a version."""
    rows = cursor.run(
        "SELECT body FROM events WHERE class_id = ? AND version > ?", (class_id, since.version)
    )
    return any(since.matters(from_json(json.loads(body))) for (body,) in rows)


def _require_student(cursor: Cursor, class_id: str, student: str) -> bool:
    """Refuse a student whom the log of a class does not name (any more)."""
    came = "SELECT 1 FROM events WHERE class_id = ? AND token IN (?, ?)"
    if not cursor.run(came, (class_id, f"joined {student}", f"enrolled {student}")):
        raise Refused("removed")
    return True


def _rewrite(cursor: Cursor, class_id: str, ids: Mapping[str, str]) -> None:
    """Replace the ids of students in the log of a class, and delete their names and handwriting."""
    named = re.compile("|".join(map(re.escape, ids)))
    some = "SELECT version, token, body FROM events WHERE class_id = ? AND version BETWEEN ? AND ?"
    [(last,)] = cursor.run("SELECT MAX(version) FROM events WHERE class_id = ?", (class_id,))
    for start in range(1, last + 1, EVENTS_AT_ONCE):
        end = start + EVENTS_AT_ONCE - 1
        for version, token, body in cursor.run(some, (class_id, start, end)):
            if named.search(f"{token} {body}"):
                changed = without_identity(from_json(json.loads(body)), ids)
                key = " ".join(ids.get(word, word) for word in token.split(" "))
                cursor.run(
                    "UPDATE events SET token = ?, body = ? WHERE class_id = ? AND version = ?",
                    (key, json.dumps(to_json(changed)), class_id, version),
                )
    _replace_ids(cursor, "tickets", class_id, ids)  # their pages show that they were removed


def _replace_ids(cursor: Cursor, table: str, class_id: str, ids: Mapping[str, str]) -> None:
    """Replace the ids of students in a table of tickets or codes."""
    for student, anonymous in ids.items():
        cursor.run(
            f"UPDATE {table} SET student = ? WHERE class_id = ? AND student = ?",
            (anonymous, class_id, student),
        )


def erase_removed(cursor: Cursor) -> bool:
    """Erase all students who were removed from the logs; return whether there were any."""
    kind = json.dumps(to_json(Removed(())))[:-1].partition(",")[0]  # {"kind": "removed"
    found = cursor.run("SELECT class_id, body FROM events WHERE body LIKE ?", (f"{kind}%",))
    removed: dict[str, dict[str, str]] = {}
    for class_id, body in found:
        ids = removed.setdefault(class_id, {})
        with suppress(ValueError, KeyError):  # a damaged event: its class cannot be opened anyway
            ids.update((one, anonymous_id(one)) for one in json.loads(body)["students"])
    for class_id, ids in removed.items():
        if ids:
            _rewrite(cursor, class_id, ids)
    return bool(removed)


def has_erased(cursor: Cursor) -> bool:
    """Return whether the students who were removed have been erased from a store."""
    return bool(cursor.run("SELECT 1 FROM settings WHERE name = ?", (ERASED,)))


def mark_erased(cursor: Cursor) -> bool:
    """Note that they have been erased; return whether that is new."""
    first = (
        "INSERT INTO settings (name, value) VALUES (?, '1') ON CONFLICT (name) DO NOTHING "
        "RETURNING name"
    )
    return bool(cursor.run(first, (ERASED,)))


def _keep_ticket(cursor: Cursor, ticket: str, class_id: str, student: str) -> None:
    cursor.run(
        "INSERT INTO tickets (hash, class_id, student) VALUES (?, ?, ?) "
        "ON CONFLICT (hash) DO NOTHING",
        (ticket, class_id, student),
    )


def plain(stored: Stored) -> dict[str, Any]:
    """Return a stored event as plain JSON values."""
    return {"version": stored.version, "at": stored.at, **to_json(stored.event)}


def lessons_in(stored: Sequence[Stored]) -> list[Sequence[Stored]]:
    """Return the events of each lesson of a class, from those of all its lessons."""
    begins = [number for number, one in enumerate(stored) if isinstance(one.event, Opened)]
    ends = [*begins[1:], len(stored)]
    return [stored[begin:end] for begin, end in zip(begins, ends, strict=True)]


def until_lesson(stored: Sequence[Stored], lesson: int) -> Sequence[Stored]:
    """Return the events of a class until the end of a lesson, counted from 1."""
    lessons = lessons_in(stored)
    if not 1 <= lesson <= len(lessons):
        raise Refused("no_lesson", lessons=len(lessons), lesson=lesson)
    return stored[: lessons[lesson - 1][-1].version]


def open_store(place: str) -> EventStore:
    """Open a store; its database is created if it does not exist.

    Parameters
    ----------
    place
        The path of a file; ``"postgresql://user@host/name"`` for several processes and hosts; or
        ``":memory:"`` for a store that is deleted when it is closed.

    Examples
    --------
    >>> with open_store(":memory:") as store:
    ...     store.classes()
    []
    """
    store = EventStore(_database(place))
    try:
        store.erase_removed()
    except BaseException:
        store.close()
        raise
    return store


def _database(place: str) -> AbstractDatabase:
    if is_on_server(place):
        from homeroom.live.store.postgres import PostgresDatabase

        return PostgresDatabase(place)
    return SqliteDatabase(file_of(place))


@contextmanager
def snapshot_of(place: str) -> Iterator[Cursor]:
    """Yield a cursor that reads a database as it is now; a server may be using it."""
    if is_on_server(place):
        with closing(_database(place)) as database, database.snapshot() as cursor:
            yield cursor
    else:
        with snapshot_of_file(Path(file_of(place))) as cursor:
            yield cursor


def is_on_server(place: str) -> bool:
    """Return whether a database is PostgreSQL."""
    return place.partition("://")[0] in ("postgresql", "postgres") and "://" in place


def file_of(place: str) -> str:
    """Return the path of a database file, given as a path or as ``sqlite:///FILE``."""
    scheme, _, rest = place.partition("://")
    if not rest:
        return place
    if scheme == "sqlite":
        return rest.removeprefix("/") if rest.startswith("/") else rest
    raise InputError(
        f"A database is a file, sqlite:///FILE or postgresql://..., but not {scheme}://: "
        "omit --database to create a file."
    )
