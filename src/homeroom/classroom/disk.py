"""What every file of ours has in common: written whole or not at all, never larger than allowed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAX_BYTES = 8 << 30
"""The largest file that is read into memory unless told otherwise: 8 GiB."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its place only if all went well.

    A link is followed, and a file that is replaced passes its permissions on.
    """
    place = Path(os.path.realpath(path))
    temporary = place.with_name(f".homeroom-{secrets.token_hex(8)}{path.suffix.lower()}")
    try:
        temporary.touch(exist_ok=False)
        try:
            yield temporary
            if place.is_file():
                temporary.chmod(place.stat().st_mode & 0o777)
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as reason:
        raise ValueError(f"{path} cannot be written: {reason.strerror or reason}.") from None
    except UnicodeEncodeError as reason:
        raise ValueError(f"{path} cannot be written: a name is no valid text ({reason}).") from None


class MissingError(ValueError):
    """There is no such file, at least not on this machine."""


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what the system says against reading a file into one sentence."""
    try:
        if not path.is_file():
            raise MissingError(f"There is no file {path}.")
        yield
    except OSError as reason:
        if reason.errno is None:  # pyarrow's word for broken data
            raise damaged(path, reason) from None
        raise ValueError(f"{path} cannot be read: {reason.strerror}.") from None
    except MemoryError:
        raise ValueError(f"{path} cannot be read: this machine has not enough memory.") from None


def is_folder(path: Path) -> bool:
    """Tell whether this is a folder; a name that cannot be is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def refuse_size(path: Path, size: float, max_bytes: int) -> None:
    """Refuse a file that would fill more memory than allowed."""
    if size > max_bytes:
        raise ValueError(
            f"{path} would fill {size / 2**30:.1f} GiB of memory, more than the limit of "
            f"{max_bytes / 2**30:.1f} GiB. Raise max_bytes (--max-gib) if this machine has room."
        )


def damaged(path: Path, reason: object) -> ValueError:
    """Return the refusal of a file that is broken, in one short sentence."""
    text = " ".join(str(reason).split()).rstrip(".")
    return ValueError(f"{path} cannot be read: it is damaged or cut off ({text[:200]}).")
