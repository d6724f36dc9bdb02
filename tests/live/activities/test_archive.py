"""A malicious zip does no harm."""

from __future__ import annotations

import io
import random
import stat
import struct
import tracemalloc
import zipfile
from contextlib import suppress

import pytest

from homeroom.live.activities import archive
from homeroom.live.activities.archive import unpacked
from homeroom.live.refused import Refused


def zipped(files: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return buffer.getvalue()


def test_files_are_unpacked_unchanged() -> None:
    files = {"items.csv": b"item,label", "pictures/moth.png": b"\x89PNG"}
    assert unpacked(zipped(files)) == files


def test_files_that_operating_systems_add_are_left_out() -> None:
    files = {"a.csv": b"a", "__MACOSX/a.csv": b"b", "x/.DS_Store": b"c", "empty/": b""}
    assert unpacked(zipped(files)) == {"a.csv": b"a"}


def test_only_wanted_files_are_unpacked() -> None:
    files = {"a.csv": b"a", "large.csv": bytes(64 * 2**20), "../b.csv": b"b"}
    assert unpacked(zipped(files), lambda path: path == "a.csv") == {"a.csv": b"a"}


def test_two_files_with_the_same_name_are_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("x/a.csv", b"1")
        made.writestr("x\\a.csv", b"2")
    with pytest.raises(Refused, match=r"There are several files 'x/a\.csv': send only one of them"):
        unpacked(buffer.getvalue())


@pytest.mark.parametrize(
    "name",
    ["../evil.csv", "a/../../evil.csv", "/etc/passwd", "..\\evil.csv", "C:\\evil.csv", "a\nb.csv"],
)
def test_paths_that_lead_outside_of_the_zip_are_refused(name: str) -> None:
    with pytest.raises(Refused, match="The zip contains a path that leads outside") as caught:
        unpacked(zipped({name: b"x"}))
    assert caught.value.status == 422


def test_links_are_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        link = zipfile.ZipInfo("moth.png")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")
    with pytest.raises(Refused, match=r"The zip contains a link, 'moth\.png'"):
        unpacked(buffer.getvalue())


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = zipped({"bomb.csv": bytes(64 * 2**20)})
    assert len(bomb) < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match="up to 16 MiB per file") as caught:
            unpacked(bomb)
        assert tracemalloc.get_traced_memory()[1] < 40 * 2**20
    finally:
        tracemalloc.stop()
    assert caught.value.status == 413


@pytest.mark.slow
def test_a_zip_bomb_with_a_false_size_is_refused() -> None:
    bomb = bytearray(zipped({"bomb.csv": bytes(64 * 2**20)}))
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):  # where sizes are written
        at = bomb.rindex(mark) + place
        bomb[at : at + 4] = struct.pack("<I", 10)
    with pytest.raises(Refused, match=r"is too large|cannot be read"):
        unpacked(bytes(bomb))


def test_files_that_are_too_large_together_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    with pytest.raises(Refused, match="is too large"):
        unpacked(zipped({f"{n}.csv": bytes(400) for n in range(3)}))


def test_too_many_files_are_refused() -> None:
    with pytest.raises(Refused, match="The zip has 2001 files, but 2000 are allowed"):
        unpacked(zipped({f"{n}.png": b"" for n in range(2001)}, method=zipfile.ZIP_STORED))


def test_a_file_that_is_not_a_zip_is_refused() -> None:
    with pytest.raises(Refused, match="The zip cannot be read: File is not a zip file"):
        unpacked(b"PK\x03\x04 not really")
    cut = zipped({"a.csv": b"item,label\n" * 1000})
    broken = cut[:60] + b"\0" * 20 + cut[80:]
    with pytest.raises(Refused, match="The zip cannot be read"):
        unpacked(broken)


def test_a_zip_with_a_password_is_refused() -> None:
    locked = bytearray(zipped({"a.csv": b"x"}))
    for mark, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):  # where the flags are written
        at = locked.index(mark) + place
        locked[at] |= 1
    with pytest.raises(Refused, match="The zip is protected by a password"):
        unpacked(bytes(locked))


@pytest.mark.slow
@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_bomb_with_another_compression_is_refused_before_it_is_unpacked(method: int) -> None:
    bomb = zipped({"bomb.csv": bytes(64 * 2**20)}, method=method)
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match="uses an unusual compression: create one with deflate"):
            unpacked(bomb)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_a_long_list_of_files_is_refused_before_it_fills_the_memory() -> None:
    entry = archive.ENTRY + struct.pack("<6H3I5H2I", 20, 20, *[0] * 7, 1, *[0] * 6) + b"a"
    listed = entry * 50_000
    bomb = listed + b"PK\5\6" + struct.pack("<4H2IH", 0, 0, 50_000, 50_000, len(listed), 0, 0)
    with zipfile.ZipFile(io.BytesIO(bomb)) as read:
        assert len(read.infolist()) == 50_000
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match="The zip has 50000 files, but 2000 are allowed"):
            unpacked(bomb)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", [".", "./."])
def test_a_file_without_a_name_is_refused(name: str) -> None:
    with pytest.raises(Refused, match=f"The zip contains a path that leads outside: '{name}'"):
        unpacked(zipped({name: b"x"}))


def test_a_name_that_cannot_be_decoded_is_refused() -> None:
    with pytest.raises(Refused, match="The zip cannot be read: 'utf-8' codec can't decode"):
        unpacked(zipped({"ü.csv": b"x"}).replace("ü".encode(), b"\xff\xfe"))


def test_a_damaged_zip_is_read_or_refused() -> None:
    whole = zipped({"a.csv": b"item,label\n" * 20, "ü/b.png": b"x"})
    rng = random.Random(0)
    for _ in range(3000):
        damaged = bytearray(whole)
        for _ in range(rng.randint(1, 6)):
            damaged[rng.randrange(len(whole))] = rng.choice([0, 255, rng.randrange(256)])
        with suppress(Refused):
            unpacked(bytes(damaged))
