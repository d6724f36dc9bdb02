"""Texts in, numbers kept: what a table says, packed as it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import refuse_size
from homeroom.crowd.reading.source import shown
from homeroom.crowd.reading.times import times_from

MAX_VALUES = 1000
"""How many different answers are gathered before a table is refused."""

BYTES = 64
"""What an answer needs at the most, most of it while a map is made; a time needs 16 more."""

NAME_BYTES = 120
"""What a name costs beside its letters: a place in a dictionary, and Python's own."""


class Places(dict[str, int]):
    """Numbers names in the order of their first appearance.

    >>> places = Places()
    >>> [places[name] for name in ("b", "a", "b")]
    [0, 1, 0]
    """

    def __init__(self) -> None:
        super().__init__()
        self.letters = 0

    def __missing__(self, name: str) -> int:
        place = self[name] = len(self)
        self.letters += len(name)
        return place

    @property
    def size(self) -> int:
        """About how many bytes they fill."""
        return self.letters + NAME_BYTES * len(self)


class Taken(NamedTuple):
    """What a table says, a number for each row: whose, to what, which text, perhaps when."""

    person: npt.NDArray[np.int32]
    item: npt.NDArray[np.int32]
    value: npt.NDArray[np.int16]
    times: Floats | None


@dataclass(eq=False)
class Gathered:
    """What has been read so far: 4 + 4 + 2 bytes an answer, 8 more with a time; each name once.

    Parameters
    ----------
    path
        The file, for complaints.
    max_bytes
        The most that may be filled.
    """

    path: Path
    max_bytes: int
    people: Places = field(default_factory=Places)
    items: Places = field(default_factory=Places)
    values: Places = field(default_factory=Places)
    experts: dict[int, dict[str, None]] = field(default_factory=dict)
    unread_times: int = 0
    _person: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _item: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _value: list[npt.NDArray[np.int16]] = field(default_factory=list)
    _time: list[Floats] = field(default_factory=list)
    rows: int = 0

    def add(
        self,
        students: Sequence[str],
        items: Sequence[str],
        answers: Sequence[str],
        times: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        """Take some rows, as texts."""
        which = _numbered(self.items, items)
        self._person.append(_numbered(self.people, students))
        self._item.append(which)
        self._value.append(_numbered(self.values, answers).astype(np.int16))
        self.rows += len(which)
        if times is not None:
            read, unread = times_from(times)
            self._time.append(read)
            self.unread_times += unread
        if labels is not None:
            self.add_labels(which, labels)
        self._refuse_too_much()

    def add_labels(self, which: npt.NDArray[np.int32], labels: Sequence[str]) -> None:
        """Take the expert's labels of the items with these numbers."""
        for number, label in set(zip(which.tolist(), map(str.strip, labels), strict=True)):
            self.experts.setdefault(number, {})[label] = None

    def take(self) -> Taken:
        """Return everything in one piece, and let go of the pieces."""
        return Taken(
            _taken(self._person, np.int32),
            _taken(self._item, np.int32),
            _taken(self._value, np.int16),
            _taken(self._time, np.float64) if self._time else None,
        )

    def _refuse_too_much(self) -> None:
        if len(self.values) > MAX_VALUES:
            raise InputError(
                f"{self.path} has more than {MAX_VALUES} different answers, as "
                f"{shown(list(self.values), 3)}, but must have two: is that the right column?"
            )
        names = self.people.size + self.items.size
        needed = BYTES + (2 * 8 if self._time else 0)
        refuse_size(self.path, needed * self.rows + names, self.max_bytes)


def _numbered(places: Places, names: Sequence[str]) -> npt.NDArray[np.int32]:
    return np.fromiter(
        map(places.__getitem__, map(str.strip, names)), dtype=np.int32, count=len(names)
    )


def _taken(parts: list[npt.NDArray[Any]], dtype: type) -> npt.NDArray[Any]:
    joined = np.concatenate(parts) if parts else np.empty(0, dtype=dtype)
    parts.clear()
    return joined
