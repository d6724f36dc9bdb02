"""A store is found by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from homeroom.live.events import Opened
from homeroom.live.store import open_store


@pytest.mark.parametrize("before", ["", "sqlite:///"], ids=["path", "address"])
def test_a_file_is_made_where_it_is_said(tmp_path: Path, before: str) -> None:
    path = tmp_path / "folder" / "school.db"
    with open_store(f"{before}{path}") as store:
        store.create_class(Opened("5b", "insects", "ABC234"))
    assert path.is_file()


def test_a_relative_address_is_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_store("sqlite:///school.db").close()
    assert (tmp_path / "school.db").is_file()


def test_a_store_in_memory_is_gone_afterwards() -> None:
    with open_store(":memory:") as store:
        store.create_class(Opened("5b", "insects", "ABC234"))
    with open_store(":memory:") as store:
        assert store.classes() == []


def test_other_databases_are_refused() -> None:
    with pytest.raises(ValueError, match=r"A database is a file, .* but not mysql://: leave"):
        open_store("mysql://localhost/school")
