"""Pictures that a stranger made: known kinds only, and none that fills a phone's memory."""

from __future__ import annotations

import io
import struct

from homeroom.live.activities.base import Picture
from homeroom.live.refused import Refused

MEDIA = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
MOST_PIXELS = 25_000_000
LARGEST = 8 * 2**20
"""How many bytes a picture may have: 8 MiB."""


def checked(name: str, data: bytes) -> Picture:
    """Return a picture to be sent, from the bytes of a file; only its head is looked at."""
    from PIL import Image, UnidentifiedImageError  # here, because it takes long to import

    if len(data) > LARGEST:
        raise Refused(f"{name} has {len(data) >> 20} MiB, but 8 are allowed: make it smaller.", 413)
    try:
        with Image.open(io.BytesIO(data), formats=tuple(MEDIA)) as image:
            kind, (width, height) = str(image.format), image.size
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_large(name) from None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, struct.error):
        raise Refused(f"{name} is no PNG, JPEG, GIF or WebP picture.", 422) from None
    if width * height > MOST_PIXELS:
        raise _too_large(name)
    return Picture(MEDIA[kind], data)


def _too_large(name: str) -> Refused:
    return Refused(f"{name} has more than 25 million pixels: make it smaller.", 413)
