"""The open pages of all classes, and waking them when there is something new to show."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

MOST_PROJECTORS = 20
"""How many projectors can show a class at a time."""

MOST_PAGES = 8
"""How many pages a student can have open at a time."""


@dataclass(eq=False)
class OpenPage:
    """An open page of a class.

    It learns that something is new, but not what: a slow page skips what came in between, and no
    other page waits for it.

    Parameters
    ----------
    class_id
        The class.
    student
        The student whose page it is; ``None`` for the teacher's.
    session
        The teacher's session; ``None`` for a projector.
    """

    class_id: str
    student: str | None = None
    session: str | None = None
    closed: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def notify(self) -> None:
        """Wake the page: there is something new."""
        self.news.set()

    def close(self) -> None:
        """Wake the page: nothing more will come."""
        self.closed = True
        self.news.set()

    async def wait(self) -> bool:
        """Wait for something new; return False when nothing more will come."""
        await self.news.wait()
        self.news.clear()
        return not self.closed


class Hub:
    """All open pages. Used in the event loop only."""

    def __init__(self) -> None:
        self._teachers: dict[str, set[OpenPage]] = defaultdict(set)
        self._students: dict[tuple[str, str], set[OpenPage]] = defaultdict(set)
        self._present: dict[str, set[str]] = defaultdict(set)

    def __iter__(self) -> Iterator[OpenPage]:
        for some in (*self._teachers.values(), *self._students.values()):
            yield from tuple(some)

    def add(self, page: OpenPage) -> OpenPage:
        """Add a page; it is notified at once, to show the present view."""
        self._pages(page).add(page)
        if page.student is not None:
            self._present[page.class_id].add(page.student)
        page.notify()
        return page

    def is_full(self, page: OpenPage) -> bool:
        """Return whether a student, or the projectors of a class, have as many pages as allowed."""
        if page.student is None:
            open_now = self._teachers.get(page.class_id, ())
            projectors = sum(one.session is None for one in open_now)
            return page.session is None and projectors >= MOST_PROJECTORS
        return len(self._students.get((page.class_id, page.student), ())) >= MOST_PAGES

    def remove(self, page: OpenPage) -> None:
        """Remove a page."""
        pages = self._pages(page)
        pages.discard(page)
        if pages:
            return
        if page.student is None:
            self._teachers.pop(page.class_id, None)
        else:
            self._students.pop((page.class_id, page.student), None)
            self._present[page.class_id].discard(page.student)

    def notify(self, class_id: str, students: frozenset[str] | None = None) -> None:
        """Notify the teacher's pages of a class, and those of some students; ``None`` for all."""
        for page in self._teachers.get(class_id, ()):
            page.notify()
        here = self._present.get(class_id, set())
        for student in here if students is None else here & students:
            for page in self._students[class_id, student]:
                page.notify()

    def present(self, class_id: str) -> frozenset[str]:
        """Return the students of a class who have a page open."""
        return frozenset(self._present.get(class_id, ()))

    def close_pages(self, *, class_id: str | None = None, session: str | None = None) -> None:
        """Close the pages of a class, or of a session."""
        for page in tuple(self):
            if page.class_id == class_id or (session and page.session == session):
                page.close()

    def close_students(self, class_id: str, students: Iterable[str]) -> None:
        """Close the pages of some students of a class."""
        for student in students:
            for page in tuple(self._students.get((class_id, student), ())):
                page.close()

    def _pages(self, page: OpenPage) -> set[OpenPage]:
        if page.student is None:
            return self._teachers[page.class_id]
        return self._students[page.class_id, page.student]
