"""An activity from a place on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from homeroom.live.activities import read_folder, read_place
from homeroom.live.app import create_app
from homeroom.live.settings import Settings
from tests.live.activities.test_crowd_map import embedding
from tests.live.activities.test_reading import FILES, png


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / "birds" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "birds" / name).write_bytes(data)
    return tmp_path / "birds"


def test_a_folder_is_read_and_known_again(birds: Path) -> None:
    once, again = read_place(birds), read_place(birds)
    assert once == again
    assert once.activity.items == read_folder(birds).activity.items
    assert set(once.pictures) == {"duck", "goose"}
    (birds / "goose.PNG").write_bytes(png(5))
    assert read_place(birds).activity.id != once.activity.id


def test_a_crowds_map_is_one_too(tmp_path: Path) -> None:
    embedding().save(tmp_path / "ducks.npz")
    activity, pictures = read_place(tmp_path / "ducks.npz")
    assert (activity.name, len(activity.items), pictures) == ("ducks", 30, {})


def test_a_server_that_is_started_twice_has_it_once(birds: Path, tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    settings = Settings(database=str(tmp_path / "school.db"), activities=(read_place(birds),))
    for _ in range(2):
        app = create_app(settings)
        with TestClient(app):
            found = app.state.office.school.store.activities()
        assert [one.name for one in found] == ["birds"]
