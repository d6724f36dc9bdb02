"""The interface: some of a class's students, who are read only when it is their turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

BLOCK_BYTES = 1 << 26
"""How much of a piece is in memory at a time: 64 MiB of states."""

PIECE_BYTES = 1 << 27
"""How large a piece is, if that can be chosen: 128 MiB of states.

Large enough that its sums are worth sending over a network, small enough that a few gigabytes keep
a cluster busy, and that little is lost with a machine.
"""


class Block(NamedTuple):
    """Some students: ``states`` of shape ``(students, dimensions)`` and their ``rates``."""

    states: Any
    rates: Any


class AbstractPiece(ABC):
    """Some of a class's students, wherever they are; can be pickled and read on its own.

    Nobody may be in it: then it has no blocks. A block has at least one student.
    """

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield the piece's students in NumPy blocks of bounded size, checked."""

    @abstractmethod
    def rates(self) -> Iterator[Any]:
        """Yield only their rates, block by block, which may cost far less."""


class AbstractNamedPiece(AbstractPiece):
    """A piece whose students may have names."""

    @abstractmethod
    def names(self) -> Iterator[Any]:
        """Yield their names, some at a time, in the order of ``blocks``; nothing without names."""


def rows_of(size: int, dimensions: int) -> int:
    """Return how many students fill this many bytes; at least one."""
    return max(1, size // (8 * max(1, dimensions)))
