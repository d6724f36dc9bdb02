"""Pictures of known kinds, and none that fills a phone's memory."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image

from homeroom.live.activities.pictures import checked
from homeroom.live.refused import Refused


def drawn(kind: str, size: tuple[int, int] = (8, 6)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, "green").save(buffer, kind)
    return buffer.getvalue()


def huge_png(width: int, height: int) -> bytes:
    """Return the head of a picture that would fill gigabytes."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13)
        + head
        + struct.pack(">I", zlib.crc32(head))
        + struct.pack(">I", 0)
        + b"IDAT"
        + struct.pack(">I", zlib.crc32(b"IDAT"))
    )


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_known_kinds_are_sent_as_they_are(kind: str) -> None:
    data = drawn(kind)
    assert checked("moth", data) == (f"image/{kind.lower()}", data)


@pytest.mark.parametrize(
    "data",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<html><script>alert(1)</script>",
        b"",
        b"\x89PNG\r\n\x1a\nrubbish",
        b"GIF89a",
    ],
    ids=["svg", "html", "empty", "broken", "cut off"],
)
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(Refused, match=r"moth\.png is no PNG, JPEG, GIF or WebP picture") as caught:
        checked("moth.png", data)
    assert caught.value.status == 422


def test_bmp_is_refused_though_it_is_a_picture() -> None:
    with pytest.raises(Refused, match="is no PNG"):
        checked("moth.bmp", drawn("BMP"))


@pytest.mark.parametrize(
    "size", [(5001, 5000), (10_000, 10_000), (20_000, 20_000), (2**31 - 1, 2**31 - 1)]
)
def test_pictures_with_too_many_pixels_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(Refused, match=r"bomb.png has more than 25 million pixels"):
        checked("bomb.png", huge_png(*size))


def test_pictures_with_too_many_bytes_are_refused() -> None:
    with pytest.raises(Refused, match=r"moth\.png has 9 MiB, but 8 are allowed") as caught:
        checked("moth.png", drawn("PNG") + bytes(9 * 2**20))
    assert caught.value.status == 413
