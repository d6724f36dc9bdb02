"""Backups: a copy of all classes and activities in one file, for any database on any machine.

A backup is a SQLite file with the tables of a store, whatever database the store itself uses. It is
read in one transaction, while the server may continue to write. Settings are not in it: neither the
password of the teacher nor any other secret. Students who were removed are not in it either.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from homeroom._checks import InputError
from homeroom.live.activities.reading import checked_picture
from homeroom.live.classbook.board import show_board
from homeroom.live.events import Joined, Opened, Removed, Reseated, SignedOut
from homeroom.live.live_class import rebuild
from homeroom.live.refused import Refused
from homeroom.live.store import EventStore, Stored, open_store
from homeroom.live.store.database import Cursor, migrate, migrations, version_of
from homeroom.live.store.sqlite import SqliteCursor
from homeroom.live.store.store import erase_removed, has_erased, mark_erased, snapshot_of

TABLES = ("classes", "events", "tickets", "lessons", "activities", "pictures")
"""The tables of a backup, each after those it refers to."""

ID = re.compile(r"[0-9a-f]{16}")
"""The ids that homeroom makes for classes and uploaded activities."""

MOST_EVENTS = 2_000_000
"""The largest number of events in a backup that is read: some hundred classes over a year."""


class BackupCounts(NamedTuple):
    """What was written to a backup, or read from one.

    Parameters
    ----------
    classes, activities
        How many there are; in a restore, how many were added.
    present
        In a restore, how many classes of the backup were left out, as the store already has them.
    """

    classes: int
    activities: int
    present: int = 0


def back_up(place: str | EventStore, path: str | PathLike[str]) -> BackupCounts:
    """Write a backup of a store, which may be in use; return what is in it.

    Parameters
    ----------
    place
        The database, as in :func:`~homeroom.live.store.open_store`, or an open store. A file that
        an older homeroom wrote is not changed.
    path
        The file to write; it must not exist.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, open_store(":memory:") as store:
    ...     _ = store.create_class(Opened("5b", "insects", "ABC234"))
    ...     counts = back_up(store, f"{folder}/backup.db")
    >>> counts.classes
    1
    """
    out = Path(path)
    try:
        out.touch(mode=0o600, exist_ok=False)  # only its owner may read the names in it
    except FileExistsError:
        raise InputError(f"{out} exists: choose another name for the backup.") from None
    except OSError as why:
        raise InputError(f"{out} cannot be written: {why.strerror}.") from None
    try:
        with ExitStack() as opened:
            taken = place.snapshot() if isinstance(place, EventStore) else snapshot_of(place)
            source = opened.enter_context(taken)
            target = opened.enter_context(closing(sqlite3.connect(out, isolation_level=None)))
            target.execute("PRAGMA journal_mode = MEMORY")
            target.execute("BEGIN")
            copy = SqliteCursor(target)
            _copy(source, copy, version_of(source))
            erased = mark_erased(copy) and erase_removed(copy)
            target.execute("COMMIT")
            if erased:
                target.execute("VACUUM")
            return BackupCounts(_count(copy, "classes"), _count(copy, "activities"))
    except BaseException as why:
        out.unlink(missing_ok=True)
        if isinstance(why, sqlite3.Error | OSError):
            raise InputError(f"The backup cannot be written: {why}.") from None
        raise


def _count(cursor: Cursor, table: str) -> int:
    """Return the number of rows in a table."""
    return int(cursor.run(f"SELECT COUNT(*) FROM {table}")[0][0])


def _copy(source: Cursor, target: Cursor, version: int) -> None:
    """Create the tables of a version in an empty database, and copy the rows of a backup into them.

    ``version`` is the number of the last migration that the source has.
    """
    migrate(target, [step for step in migrations() if step[0] <= version])
    known = {name for (name,) in target.run("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    for table in TABLES:
        if table in known:
            columns = [row[1] for row in target.run(f"PRAGMA table_info({table})")]
            names, marks = ", ".join(columns), ", ".join("?" for _ in columns)
            for row in source.each(f"SELECT {names} FROM {table}"):
                target.run(f"INSERT INTO {table} ({names}) VALUES ({marks})", row)
    if has_erased(source):
        mark_erased(target)


def restore(place: EventStore | str, path: str | PathLike[str]) -> BackupCounts:
    """Add the classes and activities of a backup that a store does not have; return the counts.

    All or nothing is added. All students are signed out: on another machine they have no cookie,
    and join again with the code of the class and their names.

    Parameters
    ----------
    place
        The store, or its database; a new one is made only if the backup can be read.
    path
        The backup, or a database file of this or an older version of homeroom.

    Raises
    ------
    Refused
        If the file is not a backup, or a class in it cannot be read.
    """
    with ExitStack() as opened:
        backup = opened.enter_context(_read(Path(path)))
        store = place if isinstance(place, EventStore) else opened.enter_context(open_store(place))
        present = {row.id for row in store.classes()}
        added = [row for row in backup.classes() if row.id not in present]
        logs = {row.id: _checked(backup, row.id) for row in added}
        for row in added:
            other = store.class_of_code(row.code)
            if other is not None:
                raise Refused("backup_code", name=row.name, joining=row.code, other=other.name)
        known = {activity.id for activity in store.activities(hidden=True)}
        activities = [one for one in backup.activities(hidden=True) if one.id not in known]
        for activity in activities:
            if not ID.fullmatch(activity.id) or activity.built_in:
                raise Refused("backup_damaged")
            for item, picture in backup.pictures(activity.id).items():
                checked_picture(item, picture.data)
        signed_out = {class_id: _joined(log) for class_id, log in logs.items()}
        store.add_from(backup, list(logs), [one.id for one in activities], signed_out)
        return BackupCounts(len(added), len(activities), len(backup.classes()) - len(added))


@contextmanager
def _read(path: Path) -> Iterator[EventStore]:
    """Yield a store with the rows of a backup; the file itself is only read, and not trusted.

    Rows are copied into tables of our own, so no trigger or view of the file is ever run.
    """
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "backup.db"
        try:
            with (
                closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as given,
                closing(sqlite3.connect(copy, isolation_level=None)) as target,
            ):
                _distrust(given)
                target.execute("BEGIN")
                _copy(SqliteCursor(given), SqliteCursor(target), _version(given))
                target.execute("COMMIT")
        except (sqlite3.Error, OSError, OverflowError):
            raise Refused("backup_unreadable") from None
        with open_store(str(copy)) as store:
            yield store


def _distrust(given: sqlite3.Connection) -> None:
    """Switch off what an uploaded database could run, and refuse a damaged or foreign one."""
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
        given.execute(f"PRAGMA {pragma}")
    kinds = {kind for (kind,) in given.execute("SELECT DISTINCT type FROM sqlite_schema")}
    if not kinds <= {"table", "index"}:
        raise Refused("backup_unreadable")
    if given.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise Refused("backup_damaged")
    if given.execute("SELECT COUNT(*) FROM events").fetchone()[0] > MOST_EVENTS:
        raise Refused("backup_large", most=MOST_EVENTS)


def _version(given: sqlite3.Connection) -> int:
    """Return the version of a backup's tables; refuse one that a newer homeroom wrote."""
    version = version_of(SqliteCursor(given))
    newest = max(number for number, _ in migrations())
    if version > newest:
        raise Refused("backup_newer", version=version, newest=newest)
    return version


def _checked(backup: EventStore, class_id: str) -> list[Stored]:
    """Return the log of a class in a backup, after checking that it can be rebuilt."""
    try:
        stored = backup.events(class_id)
        whole = [one.version for one in stored] == list(range(1, backup.version(class_id) + 1))
        if not (ID.fullmatch(class_id) and whole and isinstance(stored[0].event, Opened)):
            raise Refused("backup_damaged")
        state = rebuild(backup, class_id, [one.event for one in stored])
        show_board(state, class_id)
    except Exception:  # noqa: BLE001 - whatever such a log causes, it is the file's fault
        raise Refused("backup_damaged") from None
    return stored


def _joined(log: list[Stored]) -> SignedOut | None:
    """Return the event that signs out all students of a class who have joined, if there are any."""
    joined: dict[str, None] = {}
    for one in log:
        if isinstance(one.event, Joined | Reseated):
            joined[one.event.student] = None
        elif isinstance(one.event, Removed):
            for student in one.event.students:
                joined.pop(student, None)
    return SignedOut(tuple(joined)) if joined else None
