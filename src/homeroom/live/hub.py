"""The open pages of all classes: waking them, and the students who have one open.

A server may run in several processes. They broadcast which students are present; nothing of it is
stored.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from homeroom.live.ids import new_id

MOST_PROJECTORS = 20
"""How many projectors can show a class at a time."""

MOST_PAGES = 8
"""How many pages a student can have open at a time."""


@dataclass(eq=False)
class OpenPage:
    """An open page of a class.

    It is notified that something is new, but not what. So a slow page skips what came in between,
    and no other page waits for it.

    Parameters
    ----------
    class_id
        The class.
    student
        The student whose page it is; ``None`` for the teacher's and for a projector.
    session
        The teacher's session; ``None`` for a projector.
    closed
        Whether the page was closed.
    news
        Set while there is something new.
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
        """Return whether a page is one too many for its student, or for the class's projectors.

        A teacher with a session may open any number of pages.
        """
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
        """Notify the teacher's pages of a class, and those of some students; ``None``: of all."""
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
        """Return the open pages of the same student, or of the same class's teacher."""
        if page.student is None:
            return self._teachers[page.class_id]
        return self._students[page.class_id, page.student]


PER_MESSAGE = 400
"""The most students in one message: PostgreSQL sends up to 8000 characters."""

STUDENTS_WORDS, ECHO_WORDS = 4, 2
"""The number of words in a message about students, and in the last message of a turn: all messages
of one :meth:`Presence.announce`."""


class Seat(NamedTuple):
    """A student, and the class in which they are."""

    class_id: str
    student: str


class Presence:
    """When each student was last seen, at any process.

    A process receives its own messages as well. One that does not, because the database is down,
    has not received those of the others either, and so counts no student as absent. The same holds
    for a process that has not checked for long, as it or its machine was suspended: messages of the
    others are still to come.

    Parameters
    ----------
    broadcast
        Sends a message to every process, this one included; may take long.
    """

    def __init__(self, broadcast: Callable[[str], None]) -> None:
        self._broadcast, self._own_id = broadcast, new_id()
        self._turn = self._echo = 0  # the last turn sent, and the last one received back
        self._checked = time.monotonic()
        self._last: dict[Seat, float] = {}
        self._seen: set[Seat] = set()

    def seen(self, seat: Seat) -> None:
        """Note that a student was seen at this process."""
        self._last[seat] = time.monotonic()
        self._seen.add(seat)

    async def announce(self, open_pages: Mapping[str, Iterable[str]]) -> None:
        """Broadcast the students with an open page, by class, and others seen since last time."""
        for class_id, students in open_pages.items():
            for student in students:
                self.seen(Seat(class_id, student))
        self._turn += 1
        messages, self._seen = list(self._messages()), set()
        for message in messages:
            await asyncio.to_thread(self._broadcast, message)

    def _messages(self) -> Iterator[str]:
        """Yield the messages of a turn: the students that were seen, then the end of the turn."""
        classes: dict[str, list[str]] = {}
        for seat in self._seen:
            classes.setdefault(seat.class_id, []).append(seat.student)
        for class_id, students in classes.items():
            for start in range(0, len(students), PER_MESSAGE):
                some = ",".join(students[start : start + PER_MESSAGE])
                yield f"{self._own_id} {self._turn} {class_id} {some}"
        yield f"{self._own_id} {self._turn}"

    def receive(self, message: str) -> None:
        """Read a message; the last one of a turn comes back to its sender as an echo."""
        words = message.split(" ")
        if len(words) == STUDENTS_WORDS:
            now = time.monotonic()
            self._last.update((Seat(words[2], student), now) for student in words[3].split(","))
        elif len(words) == ECHO_WORDS and words[0] == self._own_id:
            self._echo = int(words[1])

    def last(self, seat: Seat) -> float | None:
        """Return when a student was last seen, in seconds of ``time.monotonic``."""
        return self._last.get(seat)

    def absent(self, here: Iterable[Seat], after: float) -> dict[Seat, float]:
        """Return which students of ``here`` were not seen for ``after`` seconds, and when last.

        A student who was never seen counts as seen now, and so do all students if messages may be
        missing. Students not in ``here`` are forgotten. Call it more often than every ``after / 2``
        seconds.
        """
        now = time.monotonic()
        cut_off = self._echo < self._turn - 1 or now - self._checked > after / 2
        known, self._checked = {} if cut_off else self._last, now
        self._last = {seat: known.get(seat, now) for seat in here}
        return {seat: last for seat, last in self._last.items() if now - last > after}
