"""From the name of a database to a store."""

from __future__ import annotations

from homeroom._checks import InputError
from homeroom.live.store.base import AbstractDatabase
from homeroom.live.store.sqlite import SqliteDatabase
from homeroom.live.store.store import Store


def open_store(place: str) -> Store:
    """Open a store, which is made if it is not there.

    Parameters
    ----------
    place
        The path of a file; ``"postgresql://user@host/name"`` for several processes and hosts; or
        ``":memory:"`` for a store that is gone when it is closed.

    Examples
    --------
    >>> with open_store(":memory:") as store:
    ...     store.classes()
    []
    """
    return Store(_database(place))


def _database(place: str) -> AbstractDatabase:
    scheme, _, rest = place.partition("://")
    if scheme in ("postgresql", "postgres"):
        from homeroom.live.store.postgres import PostgresDatabase

        return PostgresDatabase(place)
    if not rest:
        return SqliteDatabase(place)
    if scheme == "sqlite":
        return SqliteDatabase(rest.removeprefix("/") if rest.startswith("/") else rest)
    raise InputError(
        f"A database is a file, sqlite:///FILE or postgresql://..., but not {scheme}://: "
        "leave --database out to have a file made."
    )
