"""The writer with group commit, and migrations."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from homeroom.live.store.database import (
    JOBS_PER_COMMIT,
    AbstractDatabase,
    Change,
    Job,
    Writer,
    migrate,
    migrations,
    no_changes,
    statements,
    version_of,
)
from homeroom.live.store.sqlite import SqliteDatabase

NO_CURSOR: Any = None


@dataclass
class Given:
    """A job that returns a number."""

    number: int

    def __call__(self, _: Any) -> int:
        return self.number


class Ledger:
    """Counts the jobs of each transaction; the first one waits for an event."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.begun, self.go = threading.Event(), threading.Event()
        self.reported: list[Change] = []

    def transact(self, jobs: Sequence[Job[Any]]) -> list[Any]:
        self.begun.set()
        self.go.wait(60)
        given = [job(NO_CURSOR) for job in jobs]
        self.sizes.append(len(jobs))
        return given

    def report(self, changes: Sequence[Change]) -> None:
        self.reported += changes


def test_jobs_that_wait_for_a_commit_share_the_next_one() -> None:
    ledger = Ledger()
    writer = Writer(ledger.transact, ledger.report)
    first = writer.submit(lambda _: 0, no_changes)
    assert ledger.begun.wait(60)
    rest = [writer.submit(Given(number), no_changes) for number in range(1, 100)]
    ledger.go.set()
    assert [future.result(60) for future in (first, *rest)] == list(range(100))
    writer.close()
    assert ledger.sizes == [1, 99]


def test_the_size_of_a_transaction_is_limited() -> None:
    ledger = Ledger()
    writer = Writer(ledger.transact, ledger.report)
    futures = [writer.submit(lambda _: None, no_changes) for _ in range(2 * JOBS_PER_COMMIT + 5)]
    ledger.go.set()
    writer.close()
    assert all(future.done() for future in futures)
    assert max(ledger.sizes) <= JOBS_PER_COMMIT


def test_a_failing_job_does_not_affect_others() -> None:
    def fails(_: Any) -> None:
        raise ValueError("not this one")

    ledger = Ledger()
    writer = Writer(ledger.transact, ledger.report)
    jobs: list[Job[Any]] = [lambda _: "before", fails, lambda _: "after"]
    futures = [writer.submit(job, lambda given: [Change(given, 1)]) for job in jobs]
    ledger.go.set()
    writer.close()
    assert (futures[0].result(), futures[2].result()) == ("before", "after")
    with pytest.raises(ValueError, match="not this one"):
        futures[1].result()
    assert ledger.reported == [Change("before", 1), Change("after", 1)]


def test_jobs_do_not_wait_one_by_one_for_a_database_that_is_down() -> None:
    ledger, down = Ledger(), OSError("locked")

    def transact(jobs: Sequence[Job[Any]]) -> list[Any]:
        ledger.transact(jobs)
        raise down

    writer = Writer(transact, ledger.report, lambda why: why is down)
    waiting = [writer.submit(Given(0), no_changes)]
    ledger.begun.wait(60)
    waiting += [writer.submit(Given(number), no_changes) for number in range(1, 100)]
    ledger.go.set()
    assert all(future.exception(60) is down for future in waiting)
    writer.close()
    assert ledger.sizes == [1, 99]


def test_closing_twice_is_allowed() -> None:
    ledger = Ledger()
    ledger.go.set()
    writer = Writer(ledger.transact, ledger.report)
    writer.close()
    writer.close()
    with pytest.raises(RuntimeError, match="The store is closed"):
        writer.submit(lambda _: None, no_changes)


@pytest.fixture
def database(place: str) -> Iterator[AbstractDatabase]:
    """Yield an up-to-date database of each kind."""
    if place.startswith("postgresql"):
        from homeroom.live.store.postgres import PostgresDatabase

        opened: AbstractDatabase = PostgresDatabase(place)
    else:
        opened = SqliteDatabase(place)
    yield opened
    opened.close()


def test_migrations_are_numbered_consecutively() -> None:
    numbers = [number for number, _ in migrations()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_new_database_has_all_migrations(database: AbstractDatabase) -> None:
    assert database.write(version_of).result() == len(migrations())


def test_a_migration_is_applied_once(database: AbstractDatabase) -> None:
    newest = len(migrations())
    steps = [*migrations(), (newest + 1, "ALTER TABLE classes ADD COLUMN motto TEXT")]
    for _ in range(2):
        assert database.write(lambda cursor: migrate(cursor, steps)).result() == newest + 1
    assert database.read("SELECT motto FROM classes") == []


def test_a_migration_that_fails_leaves_the_database_unchanged(database: AbstractDatabase) -> None:
    newest = len(migrations())
    steps = [
        *migrations(),
        (newest + 1, "CREATE TABLE motto (a TEXT); CREATE TABLE motto (b TEXT)"),
    ]
    with pytest.raises(Exception, match="motto"):
        database.write(lambda cursor: migrate(cursor, steps)).result()
    assert database.write(version_of).result() == newest
    database.write(lambda cursor: cursor.run("CREATE TABLE motto (c TEXT)")).result()


def test_a_newer_database_is_refused(database: AbstractDatabase) -> None:
    database.write(lambda cursor: cursor.run("INSERT INTO schema_version VALUES (99)")).result()
    with pytest.raises(ValueError, match="has version 99, but this homeroom knows up to"):
        database.write(migrate).result()


def test_comments_are_not_statements() -> None:
    assert statements("-- a; b\nSELECT 1;\n  -- c\n;") == ["SELECT 1"]
