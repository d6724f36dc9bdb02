"""Who listens to which class, and wakes when there is something new to see."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

MOST_PAGES = 8
"""How many pages a student can have open at a time."""

EVERYBODY = None
"""In place of some students: all of them."""


@dataclass(eq=False)
class Listener:
    """An open page of a class.

    It is not told what is new, only that something is: so whoever is slow misses what was between,
    and nobody waits for her.

    Parameters
    ----------
    class_id
        The class.
    student
        Whose page it is; ``None`` for the teacher's.
    session
        The teacher's session.
    """

    class_id: str
    student: str | None = None
    session: str | None = None
    gone: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """Tell that there is something new."""
        self.news.set()

    def dismiss(self) -> None:
        """Tell that there is nothing more to see."""
        self.gone = True
        self.news.set()

    async def wait(self) -> bool:
        """Wait for something new; False when there is nothing more to come."""
        await self.news.wait()
        self.news.clear()
        return not self.gone


class Hub:
    """All open pages. Everything here happens in the event loop."""

    def __init__(self) -> None:
        self._teachers: dict[str, set[Listener]] = defaultdict(set)
        self._students: dict[tuple[str, str], set[Listener]] = defaultdict(set)
        self._present: dict[str, set[str]] = defaultdict(set)

    def __iter__(self) -> Iterator[Listener]:
        for some in (*self._teachers.values(), *self._students.values()):
            yield from tuple(some)

    def add(self, listener: Listener) -> Listener:
        """Let a page listen; it wakes at once, to see what there is."""
        self._pages(listener).add(listener)
        if listener.student is not None:
            self._present[listener.class_id].add(listener.student)
        listener.wake()
        return listener

    def crowded(self, listener: Listener) -> bool:
        """Tell whether somebody has as many pages open as anybody needs."""
        if listener.student is None:
            return False
        return len(self._students.get((listener.class_id, listener.student), ())) >= MOST_PAGES

    def remove(self, listener: Listener) -> None:
        """Forget a page."""
        pages = self._pages(listener)
        pages.discard(listener)
        if pages:
            return
        if listener.student is None:
            self._teachers.pop(listener.class_id, None)
        else:
            self._students.pop((listener.class_id, listener.student), None)
            self._present[listener.class_id].discard(listener.student)

    def wake(self, class_id: str, students: frozenset[str] | None = EVERYBODY) -> None:
        """Wake the teacher's pages of a class, and those of some students or of everybody."""
        for listener in self._teachers.get(class_id, ()):
            listener.wake()
        here = self._present.get(class_id, set())
        for student in here if students is None else here & students:
            for listener in self._students[class_id, student]:
                listener.wake()

    def present(self, class_id: str) -> frozenset[str]:
        """Return the students of a class who have a page open."""
        return frozenset(self._present.get(class_id, ()))

    def dismiss(self, *, class_id: str | None = None, session: str | None = None) -> None:
        """Close the pages of a class, or of a session."""
        for listener in tuple(self):
            if listener.class_id == class_id or (session and listener.session == session):
                listener.dismiss()

    def dismiss_students(self, class_id: str, students: Iterable[str]) -> None:
        """Close the pages of some students of a class."""
        for student in students:
            for listener in tuple(self._students.get((class_id, student), ())):
                listener.dismiss()

    def _pages(self, listener: Listener) -> set[Listener]:
        if listener.student is None:
            return self._teachers[listener.class_id]
        return self._students[listener.class_id, listener.student]
