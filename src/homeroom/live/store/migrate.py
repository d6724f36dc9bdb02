"""Bringing a database up to date: numbered files of SQL, each applied once, in order."""

from __future__ import annotations

from importlib.resources import files

from homeroom._checks import InputError
from homeroom.live.store.base import Cursor

VERSION_TABLE = "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)"


def migrations() -> list[tuple[int, str]]:
    """Return all steps, as numbers and SQL."""
    folder = files("homeroom.live.store") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), (folder / name).read_text(encoding="utf-8")) for name in names]


def migrate(cursor: Cursor, steps: list[tuple[int, str]] | None = None) -> int:
    """Apply the steps that are missing, in the caller's transaction; return the version reached."""
    steps = migrations() if steps is None else steps
    cursor.run(VERSION_TABLE)
    now = version_of(cursor)
    newest = max(number for number, _ in steps)
    if now > newest:
        raise InputError(
            f"The database has version {now}, but this homeroom knows up to {newest}: install the "
            "homeroom that wrote it, or a newer one."
        )
    for number, text in steps:
        if number > now:
            for statement in statements(text):
                cursor.run(statement)
            cursor.run("INSERT INTO schema_version (version) VALUES (?)", (number,))
    return newest


def version_of(cursor: Cursor) -> int:
    """Return the last step that was applied; 0 in an empty database."""
    return int(cursor.run("SELECT COALESCE(MAX(version), 0) FROM schema_version")[0][0])


def statements(text: str) -> list[str]:
    """Return the statements of a file, less its comments.

    >>> statements("CREATE TABLE a (b TEXT); CREATE TABLE c (d TEXT);")
    ['CREATE TABLE a (b TEXT)', 'CREATE TABLE c (d TEXT)']
    """
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("--"))
    return [part.strip() for part in "\n".join(lines).split(";") if part.strip()]
