"""Pictures of items, small enough to be embedded in a page."""

from __future__ import annotations

import io
import warnings
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from homeroom._checks import InputError

ENDINGS = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
SIDE = 96
"""The largest size of a thumbnail in pixels."""

MAX_DRAWING = 1 << 18
"""The largest drawing (``.svg``) that is embedded as it is: 256 KiB."""

MAX_PHOTO = 1 << 26
"""The largest photograph that is opened: 64 MiB."""


def read_pictures(folder: Path, items: Sequence[str]) -> dict[str, str]:
    """Return the pictures of the items that have one, as data URLs.

    The picture of an item is a file with the item's name in the folder, such as ``moth.png`` or
    ``moth.svg``; the name of an item may also include the ending.
    """
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}: --pictures needs one with a file per item.")
    files = {file.name: file for file in sorted(folder.iterdir()) if _is_picture(file)}
    stems = {file.stem: file for file in files.values()}
    found = {item: files.get(item) or stems.get(item) for item in items}
    pictures = {item: _data_url(file) for item, file in found.items() if file is not None}
    if not pictures:
        raise InputError(
            f"{folder} has no picture of any item: give the files the names of the items, "
            f"as in {items[0][:40]}.png."
        )
    return pictures


def _is_picture(file: Path) -> bool:
    return file.suffix.lower() in ENDINGS and file.is_file()


def _data_url(file: Path) -> str:
    if file.suffix.lower() == ".svg":
        return _encoded("svg+xml", _drawing(file))
    return _encoded("png", _thumbnail(file))


def _encoded(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{b64encode(content).decode('ascii')}"


def _drawing(file: Path) -> bytes:
    _refuse_large(file, MAX_DRAWING)
    return file.read_bytes()


def _thumbnail(file: Path) -> bytes:
    """Return a small PNG. Pillow comes with matplotlib."""
    from PIL import Image, UnidentifiedImageError

    _refuse_large(file, MAX_PHOTO)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(file) as photo:
                photo.thumbnail((SIDE, SIDE))
                buffer = io.BytesIO()
                photo.convert("RGBA").save(buffer, format="PNG", optimize=True)
    except (
        OSError,
        ValueError,
        SyntaxError,  # raised by Pillow for a broken PNG
        UnidentifiedImageError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ):
        raise InputError(
            f"{file} cannot be read as a picture: it is damaged, too large, or of another format."
        ) from None
    return buffer.getvalue()


def _refuse_large(file: Path, most: int) -> None:
    size = file.stat().st_size
    if size > most:
        raise InputError(
            f"{file} is too large for a map ({size / 2**20:.1f} MiB, at most "
            f"{most / 2**20:g} MiB): make it smaller."
        )
