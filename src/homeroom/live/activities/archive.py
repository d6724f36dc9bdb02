"""Unpack an untrusted zip in memory, with limits on its size."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Callable
from pathlib import PurePosixPath

from homeroom.live.refused import Refused

MOST_FILES = 2000
MOST_BYTES = 128 * 2**20
"""Bytes to which all files together may unpack: 128 MiB."""

LARGEST = 16 * 2**20
"""Bytes to which one file may unpack: 16 MiB."""

ENTRY = b"PK\x01\x02"
"""The first bytes of each entry in the list of contents of a zip."""

MOST_ENTRIES = 10 * MOST_FILES
"""Entries that a zip may list, with folders and files that operating systems add."""

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Accepted compression methods. For the others, ``zipfile`` does not limit the unpacked size."""

IGNORED = ("__MACOSX", ".DS_Store", "Thumbs.db")

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    IndexError,  # a file without a name
    NotImplementedError,
    OSError,
    ValueError,  # a name that cannot be decoded, a negative offset
)
"""The exceptions of ``zipfile`` for a damaged file, or one that is not a zip."""


def unpacked(data: bytes, wanted: Callable[[str], bool] = bool) -> dict[str, bytes]:
    """Return the files of a zip by their paths, or only those whose paths are wanted.

    Sizes are counted while unpacking, as the sizes that a zip declares may be false.
    """
    listed = data.count(ENTRY)  # before they are read into memory
    if listed > MOST_ENTRIES:
        raise Refused("zip_files", files=listed, most=MOST_FILES)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [one for one in archive.infolist() if _counts(one) and wanted(one.filename)]
            if len(entries) > MOST_FILES:
                raise Refused("zip_files", files=len(entries), most=MOST_FILES)
            files: dict[str, bytes] = {}
            left = MOST_BYTES
            for entry in entries:
                name = safe_name(entry)
                if name in files:
                    raise Refused("file_twice", name=name[:80])
                files[name] = _read(archive, entry, min(left, LARGEST))
                left -= len(files[name])
            return files
    except Refused:
        raise
    except DAMAGED as why:
        raise Refused("zip_unreadable", why=str(why) or type(why).__name__) from None
    except RuntimeError:  # it is encrypted
        raise Refused("zip_locked") from None


def safe_name(entry: zipfile.ZipInfo) -> str:
    """Return the path of a file in the zip; refuse links and paths that lead outside."""
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    inside = path.parts and not path.is_absolute() and ".." not in path.parts
    if not inside or ":" in path.parts[0] or not entry.filename.isprintable():
        raise Refused("zip_outside", name=entry.filename[:80])
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise Refused("zip_link", name=entry.filename[:80])
    return str(path)


def _counts(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry is a file, and not one that an operating system added."""
    parts = PurePosixPath(entry.filename).parts
    return not entry.is_dir() and not any(part in IGNORED for part in parts)


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """Return the content of a file in the zip; refuse one of more than ``most`` bytes."""
    if entry.compress_type not in METHODS:
        raise Refused("zip_packed")
    with archive.open(entry) as file:
        data = file.read(most + 1)
    if len(data) > most:
        name = entry.filename[-80:]
        raise Refused("zip_large", name=name, file=LARGEST >> 20, most=MOST_BYTES >> 20)
    return data
