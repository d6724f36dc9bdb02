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
        raise Refused("picture_large", name=name, size=len(data) >> 20, most=LARGEST >> 20)
    try:
        with Image.open(io.BytesIO(data), formats=tuple(MEDIA)) as image:
            kind, (width, height) = str(image.format), image.size
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_large(name) from None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, struct.error):
        raise Refused("picture_kind", name=name) from None
    if width * height > MOST_PIXELS:
        raise _too_large(name)
    return Picture(MEDIA[kind], data)


def _too_large(name: str) -> Refused:
    return Refused("picture_pixels", name=name, most=MOST_PIXELS // 10**6)
