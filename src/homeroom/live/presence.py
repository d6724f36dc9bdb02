"""The students who have a page open at any process. Processes broadcast it; nothing is stored."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from homeroom.live.events import new_id

PER_MESSAGE = 400
"""Students in one message: PostgreSQL carries 8000 characters."""

STUDENTS_WORDS, ECHO_WORDS = 4, 2
"""The number of words in a message about students, and in the last message of a turn."""


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
        self._turn = self._echo = 0
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
        """Return when a student was last seen."""
        return self._last.get(seat)

    def absent(self, here: Iterable[Seat], after: float) -> dict[Seat, float]:
        """Return which of these students were not seen for some seconds, and when last.

        A student who was never seen counts from now on. Call it several times within ``after``.
        """
        now = time.monotonic()
        cut_off = self._echo < self._turn - 1 or now - self._checked > after / 2
        known, self._checked = {} if cut_off else self._last, now
        self._last = {seat: known.get(seat, now) for seat in here}
        return {seat: last for seat, last in self._last.items() if now - last > after}
