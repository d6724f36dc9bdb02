"""A glance at a file before it is read: is it far too large?"""

from __future__ import annotations

from pathlib import Path

from homeroom._files import refuse_size
from homeroom.crowd.reading.gather import BYTES

LOOKED_AT = 1 << 20
"""How many bytes are looked at."""

DOUBT = 1.25
"""How much larger than allowed it must seem: its first lines may be shorter than the others."""


def refuse_at_a_glance(path: Path, max_bytes: int, each: int = BYTES) -> None:
    """Refuse a text file that by its size and its first lines holds far too many lines.

    Else it would be refused only once most of it has been read, minutes later. A line is taken for
    one answer, or for what needs ``each`` bytes: a matrix, whose lines hold many answers, is
    counted as it is read.
    """
    with path.open("rb") as file:
        start = file.read(LOOKED_AT)
    lines = start.count(b"\n") + start.count(b"\r") - start.count(b"\r\n")
    about = each * lines * path.stat().st_size / max(1, len(start))
    if about > DOUBT * max_bytes:
        refuse_size(path, about, max_bytes)
