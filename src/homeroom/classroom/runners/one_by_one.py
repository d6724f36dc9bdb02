"""One piece after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from homeroom.classroom.pieces.base import AbstractPiece
from homeroom.classroom.runners.base import AbstractRunner, Counter, Found, Part, total_of


@dataclass(frozen=True)
class OneByOne(AbstractRunner):
    """Reads one piece after the other, in this process.

    Parameters
    ----------
    progress
        Called after each piece with how many are done, and of how many.
    """

    progress: Counter | None = None

    def total(self, work: Callable[[AbstractPiece], Part], pieces: Sequence[AbstractPiece]) -> Part:
        total: Part = total_of(self.each(work, pieces), len(pieces))
        return total

    def each(
        self, work: Callable[[AbstractPiece], Found], pieces: Sequence[AbstractPiece]
    ) -> Iterator[Found]:
        for done, piece in enumerate(pieces, start=1):
            found = work(piece)
            if self.progress is not None:
                self.progress(done, len(pieces))
            yield found
