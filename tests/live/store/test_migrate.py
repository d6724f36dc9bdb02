"""Old databases are brought up to date, newer ones left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from homeroom.live.store.base import AbstractDatabase
from homeroom.live.store.migrate import migrate, migrations, statements, version_of
from homeroom.live.store.sqlite import SqliteDatabase


@pytest.fixture
def database(place: str) -> Iterator[AbstractDatabase]:
    """Give an up-to-date database of each kind."""
    if place.startswith("postgresql"):
        from homeroom.live.store.postgres import PostgresDatabase

        opened: AbstractDatabase = PostgresDatabase(place)
    else:
        opened = SqliteDatabase(place)
    yield opened
    opened.close()


def test_steps_are_numbered_one_after_the_other() -> None:
    numbers = [number for number, _ in migrations()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_new_database_has_every_step(database: AbstractDatabase) -> None:
    assert database.write(version_of).result() == len(migrations())


def test_a_step_is_applied_once(database: AbstractDatabase) -> None:
    newest = len(migrations())
    steps = [*migrations(), (newest + 1, "ALTER TABLE classes ADD COLUMN motto TEXT")]
    for _ in range(2):
        assert database.write(lambda cursor: migrate(cursor, steps)).result() == newest + 1
    assert database.read("SELECT motto FROM classes") == []


def test_a_step_that_fails_leaves_the_database_as_it_was(database: AbstractDatabase) -> None:
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


def test_comments_are_no_statements() -> None:
    assert statements("-- a; b\nSELECT 1;\n  -- c\n;") == ["SELECT 1"]
