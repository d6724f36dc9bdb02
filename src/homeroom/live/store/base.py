"""What it takes to keep a store: a database that writes one thing after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Cursor(Protocol):
    """What runs statements; parameters are written as ``?``."""

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""

    def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each row of values."""


Job = Callable[[Cursor], T]
"""Something to be done in a transaction; if that fails, it may be done again."""


class Changed(Protocol):
    """Called with a class and its version after something happened in it; 0 when it is deleted."""

    def __call__(self, class_id: str, version: int, /) -> None: ...


@dataclass(frozen=True)
class Notice:
    """That a class has changed, for whoever listens."""

    class_id: str
    version: int


class AbstractDatabase(ABC):
    """A database with one writer, who puts everything that waits into one transaction."""

    locking: str
    """What a query ends with whose rows are about to be changed."""

    errors: tuple[type[Exception], ...]
    """What reading and writing raise when the database does not work."""

    @abstractmethod
    def write(self, job: Job[T], notices: Callable[[T], list[Notice]] = ...) -> Future[T]:
        """Return what the job gives, as soon as it is safely on the disk.

        Parameters
        ----------
        job
            What is to be done.
        notices
            Who is to be told of what, after the commit, from what the job gave.
        """

    @abstractmethod
    def read(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; any thread may ask."""

    @abstractmethod
    def listen(self, changed: Changed) -> None:
        """Call this after every change of a class, from whichever process it came."""

    @abstractmethod
    def say(self, words: str) -> None:
        """Say something short (8000 letters) to every process, this one included; not kept."""

    @abstractmethod
    def hear(self, heard: Callable[[str], None]) -> None:
        """Call this with all that is said, by whichever process."""

    @abstractmethod
    def forget(self) -> None:
        """Leave no trace on the disk of what was deleted."""

    @abstractmethod
    def close(self) -> None:
        """Finish what waits, and let go of everything."""
