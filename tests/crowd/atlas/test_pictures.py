from __future__ import annotations

import io
from base64 import b64decode
from pathlib import Path

import pytest
from PIL import Image

from homeroom.crowd.atlas import pictures
from homeroom.crowd.atlas.pictures import SIDE, read_pictures


def test_photographs_become_small(tmp_path: Path) -> None:
    Image.new("RGB", (640, 480), "red").save(tmp_path / "moth.jpg")
    (address,) = read_pictures(tmp_path, ["moth", "wasp"]).values()
    small = Image.open(io.BytesIO(b64decode(address.partition(",")[2])))
    assert small.size == (SIDE, 72)
    assert address.startswith("data:image/png;base64,")


def test_drawings_do_not_change_between_versions(tmp_path: Path) -> None:
    (tmp_path / "moth.svg").write_text("<svg/>")
    pictures = read_pictures(tmp_path, ["moth"])
    assert b64decode(pictures["moth"].partition(",")[2]) == b"<svg/>"


def test_the_name_of_an_item_may_include_the_file_ending(tmp_path: Path) -> None:
    Image.new("L", (9, 9)).save(tmp_path / "moth.png")
    assert set(read_pictures(tmp_path, ["moth.png"])) == {"moth.png"}


def test_invalid_pictures_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"There is no folder .*nowhere"):
        read_pictures(tmp_path / "nowhere", ["moth"])
    with pytest.raises(ValueError, match=r"has no picture of any item: .* as in moth.png"):
        read_pictures(tmp_path, ["moth"])
    (tmp_path / "moth.png").write_bytes(b"no picture")
    with pytest.raises(ValueError, match=r"moth.png cannot be read as a picture"):
        read_pictures(tmp_path, ["moth"])
    monkeypatch.setattr(pictures, "MAX_PHOTO", 3)
    with pytest.raises(ValueError, match=r"moth.png is too large for a map"):
        read_pictures(tmp_path, ["moth"])


def test_a_picture_with_too_many_points_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.new("L", (200, 200)).save(tmp_path / "moth.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(ValueError, match=r"moth.png cannot be read as a picture: .* too large"):
        read_pictures(tmp_path, ["moth"])
