"""Ids of classes, students and activities."""

from __future__ import annotations

import secrets
from zlib import crc32


def new_id() -> str:
    """Return a new id for a class, a student or an activity; it cannot be guessed."""
    return secrets.token_hex(8)


def anonymous_id(student: str) -> str:
    """Return a new id for a student who was removed, with the CRC-32 of the old one.

    A test starts at an item that follows from the CRC (``Round.asked``). So a class whose log has
    the new id in place of the old one is rebuilt the same.

    >>> old = new_id()
    >>> crc32(anonymous_id(old).encode()) == crc32(old.encode())
    True
    """
    digits = bytes(ord("0") + secrets.randbelow(8) for _ in range(16))
    # A CRC is linear: each flipped bit of the digits changes it in the same way, whatever else
    # changes. `basis` has changes by their highest bit, and the bits to flip for them.
    basis: dict[int, tuple[int, int]] = {}
    for bit in range(8 * len(digits)):
        if bit % 8 < 3:  # the result remains a digit
            flips = 1 << bit
            change = crc32(_flip(digits, flips)) ^ crc32(digits)
            while change and change.bit_length() in basis:
                other, more = basis[change.bit_length()]
                change, flips = change ^ other, flips ^ more
            if change:
                basis[change.bit_length()] = change, flips
    change, flips = crc32(digits) ^ crc32(student.encode()), 0
    while change:
        other, more = basis[change.bit_length()]
        change, flips = change ^ other, flips ^ more
    return _flip(digits, flips).decode()


def _flip(data: bytes, flips: int) -> bytes:
    """Return data with some bits flipped."""
    return (int.from_bytes(data, "little") ^ flips).to_bytes(len(data), "little")
