"""The interface: who passes over the pieces of a large class; and the order in which sums add up.

Sums of floats depend on the order in which they are added. So that they do not depend on who works
out what, the order is the same for all runners: a *strand* of a few pieces one after the other, and
then the strands one after the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import islice
from operator import add
from typing import Any, TypeVar

from homeroom.classroom.pieces.base import AbstractPiece

STRAND = 8
"""How many pieces are added up where they are, before anything is sent on."""

Part = TypeVar("Part")
"""Anything that can be added to its like by ``+``."""

Found = TypeVar("Found")

Counter = Callable[[int, int], None]
"""Told after each piece how many are done, and of how many."""


class AbstractRunner(ABC):
    """Where the passes over a large class are worked out."""

    threads: int | None = None
    """How many threads may work on one piece; as many as there are cores if not said."""

    @abstractmethod
    def total(self, work: Callable[[AbstractPiece], Part], pieces: Sequence[AbstractPiece]) -> Part:
        """Return the sum of ``work(piece)`` over all pieces, always added in the same order."""

    @abstractmethod
    def each(
        self, work: Callable[[AbstractPiece], Found], pieces: Sequence[AbstractPiece]
    ) -> Iterator[Found]:
        """Yield ``work(piece)`` for each piece, in their order, few of them held at a time."""


def strands(pieces: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield the pieces a few at a time.

    >>> [len(strand) for strand in strands(range(19))]
    [8, 8, 3]
    """
    for first in range(0, len(pieces), STRAND):
        yield pieces[first : first + STRAND]


def add_up(parts: Iterable[Any]) -> Any:
    """Return the sum of the parts, one after the other.

    >>> add_up([0.1, 0.2, 0.3])
    0.6000000000000001
    """
    return reduce(add, parts)


def total_of(parts: Iterable[Any], count: int) -> Any:
    """Return the sum of so many parts in the order that all runners keep."""
    left = iter(parts)
    return add_up(add_up(islice(left, len(strand))) for strand in strands(range(count)))
