"""Item ids as students see them: codes that do not depend on the answer."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

LENGTH = 16
"""Hexadecimal digits of a code."""


@dataclass(frozen=True)
class ItemCodes:
    """A code for each item of a class, in place of the id.

    Ids and file names often follow the order in which items were collected, one label after the
    other, so a student who reads them could guess the answer. A code is a keyed hash of the id, and
    the key is secret and different in every class.

    Parameters
    ----------
    items
        The ids of the items.
    key
        The secret key of the class. With the empty default, anyone can compute the codes.
    lesson
        The number of the lesson: an item has a different code in each lesson.

    Examples
    --------
    >>> codes = ItemCodes(("moth-1", "moth-2", "bee-1"), b"secret")
    >>> codes.code_of["moth-1"]
    'a65b4ede957422da'
    >>> codes.item_of["a65b4ede957422da"]
    'moth-1'
    >>> codes.shuffled(["moth-1", "moth-2", "bee-1"])
    ('bee-1', 'moth-2', 'moth-1')
    """

    items: tuple[str, ...]
    key: bytes = b""
    lesson: int = 1

    @cached_property
    def code_of(self) -> Mapping[str, str]:
        """The code of each item, by its id."""
        # The codes of the first lesson are those of classes stored before lessons had numbers.
        salt = "" if self.lesson == 1 else f"{self.lesson} "
        return {
            item: hmac.digest(self.key, f"{salt}{item}".encode(), "sha256").hex()[:LENGTH]
            for item in self.items
        }

    @cached_property
    def item_of(self) -> Mapping[str, str]:
        """The id of each item, by its code."""
        return {code: item for item, code in self.code_of.items()}

    def shuffled(self, items: Iterable[str]) -> tuple[str, ...]:
        """Return items in the order of their codes: random, but fixed for a class and lesson."""
        return tuple(sorted(items, key=self.code_of.__getitem__))
