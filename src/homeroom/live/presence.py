"""Who has a page open, at this process or at another: each tells all, and nothing of it is kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from homeroom.live.events import new_id

AT_ONCE = 400
"""How many students are told of in one message: PostgreSQL carries 8000 letters."""

TOLD, ECHO = 4, 2
"""How many words there are in a message about students, and in the last one of a turn."""


class Seat(NamedTuple):
    """Who a student is, and in which class."""

    class_id: str
    student: str


class Presence:
    """When each student was heard of last, at any process.

    A process hears itself as well: one that does not, as the database is away, has not heard the
    others either, and counts nobody as gone. Nor does one that has not looked for long, as it or
    its machine stood still: what the others told meanwhile is yet to be heard.

    Parameters
    ----------
    say
        Tells a text to every process, this one included; may take a while.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._me = say, new_id()
        self._turn = self._echo = 0
        self._looked = time.monotonic()
        self._last: dict[Seat, float] = {}
        self._called: set[Seat] = set()

    def seen(self, seat: Seat) -> None:
        """Note that a student was heard of at this process."""
        self._last[seat] = time.monotonic()
        self._called.add(seat)

    async def tell(self, open_pages: Mapping[str, Iterable[str]]) -> None:
        """Tell every process who has a page open here, by class, and who else was heard of."""
        for class_id, students in open_pages.items():
            for student in students:
                self.seen(Seat(class_id, student))
        self._turn += 1
        messages, self._called = list(self._messages()), set()
        for message in messages:
            await asyncio.to_thread(self._say, message)

    def _messages(self) -> Iterator[str]:
        classes: dict[str, list[str]] = {}
        for seat in self._called:
            classes.setdefault(seat.class_id, []).append(seat.student)
        for class_id, students in classes.items():
            for start in range(0, len(students), AT_ONCE):
                some = ",".join(students[start : start + AT_ONCE])
                yield f"{self._me} {self._turn} {class_id} {some}"
        yield f"{self._me} {self._turn}"

    def hear(self, message: str) -> None:
        """Take in what a process tells; this one's last message of a turn comes back as an echo."""
        words = message.split(" ")
        if len(words) == TOLD:
            now = time.monotonic()
            self._last.update((Seat(words[2], student), now) for student in words[3].split(","))
        elif len(words) == ECHO and words[0] == self._me:
            self._echo = int(words[1])

    def last(self, seat: Seat) -> float | None:
        """Return when a student was heard of last."""
        return self._last.get(seat)

    def gone(self, here: Iterable[Seat], after: float) -> dict[Seat, float]:
        """Return who of those was not heard of for so many seconds, and when last.

        Whoever was never heard of counts from now on. To be asked several times in that while.
        """
        now = time.monotonic()
        deaf = self._echo < self._turn - 1 or now - self._looked > after / 2
        known, self._looked = {} if deaf else self._last, now
        self._last = {seat: known.get(seat, now) for seat in here}
        return {seat: last for seat, last in self._last.items() if now - last > after}
