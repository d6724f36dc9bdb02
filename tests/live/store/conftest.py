"""Both databases for the tests of the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from homeroom.live.store import EventStore, open_store
from tests.live.postgres import own_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Yield the address of a PostgreSQL server; it is deleted afterwards."""
    with own_postgres() as server:
        yield server.get_uri()


@pytest.fixture
def new_database(postgres: str) -> str:
    """Return the address of an empty database on that server."""
    import psycopg

    name = f"t{uuid4().hex}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{postgres}&options=-csearch_path%3D{name}"


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty database, of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "school.db")
    address: str = request.getfixturevalue("new_database")
    return address


@pytest.fixture
def store(place: str) -> Iterator[EventStore]:
    """Yield an empty store, in each kind of database."""
    with open_store(place) as opened:
        yield opened
