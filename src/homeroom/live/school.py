"""All classes that go on in this process: everything the routes do goes through here."""

from __future__ import annotations

import asyncio
import logging
import unicodedata
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import NamedTuple, TypeVar

from homeroom.live.access.credentials import (
    SEAT_CODE_LENGTH,
    hash_of,
    new_code,
    new_ticket,
    normal_code,
)
from homeroom.live.activities import catalogue
from homeroom.live.classbook import ClassBook
from homeroom.live.classbook.rules import in_the_way
from homeroom.live.events import Answered, Event, Joined, Left, Opened, Reseated, Returned, new_id
from homeroom.live.hub import Hub
from homeroom.live.live_class import LiveClass
from homeroom.live.presence import Presence, Seat
from homeroom.live.refused import Refused
from homeroom.live.store import ClassRow, EventStore, Since, Stored
from homeroom.live.summary import Summary

log = logging.getLogger("homeroom.live")

Kept = TypeVar("Kept")

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
"""Seconds before a class that could not continue is tried again: at first, and at most."""

SEAT_SECONDS = 600.0
"""For how long a code for a seat counts: ten minutes."""


class Ticket(NamedTuple):
    """What somebody who joined gets: her seat, and what her cookie holds."""

    seat: Seat
    ticket: str


class School:
    """The classes of a store, as long as a process runs.

    Parameters
    ----------
    store
        Where everything is kept.
    """

    def __init__(self, store: EventStore) -> None:
        self.store, self.hub = store, Hub()
        self._loop = asyncio.get_running_loop()
        self._classes: dict[str, LiveClass] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._stirred: dict[str, asyncio.Event] = {}
        self._following: dict[str, asyncio.Task[None]] = {}
        self._seats: dict[str, Seat] = {}
        self._turned_out = 0
        self._summaries: dict[str, Summary] = {}
        self.presence = Presence(store.broadcast)
        store.on_change(self._changed)
        store.on_message(lambda said: self._soon(self.presence.hear, said))

    async def close(self) -> None:
        """Stop following the classes, and wait until no thread needs the store any more."""
        for task in self._following.values():
            task.cancel()
        await asyncio.gather(*self._following.values(), return_exceptions=True)
        await self._loop.shutdown_default_executor()

    # Classes

    async def make(
        self, name: str, activity: str, goal: float = 0.1, retention_days: int = 30
    ) -> tuple[str, str]:
        """Make a class and return its id and its code."""
        found = await asyncio.to_thread(catalogue.find, self.store, activity)
        if found is None:
            raise Refused("no_activity")
        for _ in range(20):
            opened = Opened(name, activity, new_code(), goal, retention_days)
            ClassBook.begin(found).check(opened)
            if self.store.class_of_code(opened.code) is None:  # else: once in a billion
                break
        return await asyncio.to_thread(self.store.create_class, opened), opened.code

    def summary(self, row: ClassRow) -> Summary:
        """Return how far a class is, without opening it: never in the event loop."""
        known = self._summaries.get(row.id, Summary())
        if known.version < row.version:
            for stored in self.store.events(row.id, after=known.version):
                known = known.after(stored.event)
            self._summaries[row.id] = known
        return known

    async def find(self, class_id: str) -> LiveClass:
        """Return a class; from now on this process keeps it up with its log."""
        if class_id in self._classes:
            return self._classes[class_id]
        async with self._opening.setdefault(class_id, asyncio.Lock()):
            if class_id not in self._classes:
                live = await asyncio.to_thread(self._open, class_id)
                self._stirred[class_id] = asyncio.Event()
                await self._take_in(live)
                self._classes[class_id] = live
                self._following[class_id] = asyncio.create_task(self._follow(live))
                if await asyncio.to_thread(self.store.find_class, class_id) is None:
                    self._forget(class_id)  # deleted before this process followed it
                    raise Refused("no_class")
        self._opening.pop(class_id, None)
        if class_id not in self._classes:
            raise Refused("no_class")  # deleted just now, and already forgotten
        return self._classes[class_id]

    def _open(self, class_id: str) -> LiveClass:
        row = self.store.find_class(class_id)
        if row is None:
            raise Refused("no_class")
        activity = catalogue.find(self.store, row.activity)
        if activity is None:
            raise Refused("activity_gone")
        live = LiveClass(class_id, activity, self.store, self._told)
        live.read()
        return live

    async def _follow(self, live: LiveClass) -> None:
        """Keep a class up with its log; if that fails, try again until it works."""
        stirred = self._stirred[live.id]
        while True:
            await stirred.wait()
            stirred.clear()
            pause = FIRST_PAUSE
            while not await self._caught_up(live):
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    async def _caught_up(self, live: LiveClass) -> bool:
        """Let a class take in its log and continue; return whether that worked."""
        try:
            await asyncio.to_thread(live.catch_up)
        except Exception as why:  # a class that stumbles must not stop listening
            stored = isinstance(why, self.store.errors)
            if live.failed("catching up", "store" if stored else "failed") == 1:
                log.exception("The class %s cannot continue; this is tried again", live.id)
            return False
        live.worked("catching up")
        return True

    async def _kept(self, live: LiveClass, storing: Future[Kept]) -> Kept:
        """Return what was stored once it is on the disk; the teacher's page shows if it fails."""
        try:
            kept = await asyncio.wrap_future(storing)
        except self.store.errors:
            live.failed("storing", "store")
            raise
        live.worked("storing")
        return kept

    def _changed(self, class_id: str, version: int) -> None:
        self._soon(self._stir, class_id, version)

    def _told(
        self, class_id: str, students: frozenset[str] | None, unseated: frozenset[str]
    ) -> None:
        if unseated:
            self._soon(self._turn_out, class_id, unseated)
        self._soon(self.hub.wake, class_id, students)

    def _turn_out(self, class_id: str, students: frozenset[str]) -> None:
        """Look anew whose tickets count, and close the pages that are open with old ones."""
        self._turned_out += 1
        lost = {Seat(class_id, student) for student in students}
        self._seats = {key: seat for key, seat in self._seats.items() if seat not in lost}
        self.hub.dismiss_students(class_id, students)

    def _soon(self, act: Callable[..., None], *given: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(act, *given)

    def _stir(self, class_id: str, version: int) -> None:
        if version == 0:
            self._forget(class_id)
        elif class_id in self._stirred:
            self._stirred[class_id].set()

    def _forget(self, class_id: str) -> None:
        """Let go of a class that was deleted."""
        self._classes.pop(class_id, None)
        self._stirred.pop(class_id, None)
        self._summaries.pop(class_id, None)
        following = self._following.pop(class_id, None)
        if following is not None:
            following.cancel()
        self._seats = {key: seat for key, seat in self._seats.items() if seat.class_id != class_id}
        self.hub.dismiss(class_id=class_id)

    # What happens in them

    async def append(self, class_id: str, event: Event) -> Stored:
        """Put an event into the log if it can happen now; it is on the disk when this returns."""
        live = await self.find(class_id)
        await self._check(live, event)
        return await self._stored(class_id, event)

    async def act(self, class_id: str, event: Event) -> int:
        """Do the same, and return only when the class has taken it in."""
        stored = await self.append(class_id, event)
        await self._take_in(await self.find(class_id))
        return stored.version

    async def _take_in(self, live: LiveClass) -> None:
        """Let a class take in an event that is stored: if that fails now, it is tried again."""
        if not await self._caught_up(live) and live.id in self._stirred:
            self._stirred[live.id].set()

    async def _check(self, live: LiveClass, event: Event) -> None:
        try:
            if isinstance(event, Answered | Joined):
                live.book.check(event)
            else:  # some take a while
                await asyncio.to_thread(live.book.check, event)
        except Refused:  # perhaps another process knows more
            book = await asyncio.to_thread(live.catch_up)
            await asyncio.to_thread(book.check, event)

    async def _stored(self, class_id: str, event: Event) -> Stored:
        live = await self.find(class_id)
        stored = await self._kept(live, self.store.append(class_id, event))
        assert stored is not None  # only with `if_version`
        live.newest = max(live.newest, stored.version)
        return stored

    async def answer(self, seat: Seat, number: int, item: str, answer: int) -> int:
        """Keep a student's answer; one that is known already is acknowledged again."""
        event = Answered(seat.student, number, item, answer)
        live = await self.find(seat.class_id)
        if live.book.heard(seat.student, number, item):
            return live.book.version
        return (await self.append(seat.class_id, event)).version

    # Students

    async def seat_of(self, ticket: str) -> Seat | None:
        """Return whose ticket this is."""
        key = hash_of(ticket)
        if key in self._seats:
            return self._seats[key]
        before = self._turned_out
        found = await asyncio.to_thread(self.store.student_of, key)
        if found is None:
            return None
        seat = Seat(*found)
        # Only in a class that is open would be heard that a ticket does not count any more.
        if seat.class_id in self._classes and before == self._turned_out:
            self._seats[key] = seat
        return seat

    def seen(self, seat: Seat) -> None:
        """Note that a student was heard of just now."""
        self.presence.seen(seat)

    async def class_of(self, code: str) -> str:
        """Return the class that has a code."""
        row = await asyncio.to_thread(self.store.class_of_code, normal_code(code))
        if row is None:
            raise Refused("wrong_code")
        return row.id

    async def join(self, class_id: str, nickname: str, before: Seat | None = None) -> Ticket:
        """Let somebody in, always with a new ticket.

        Who has a seat in this class and says the same name keeps it; who is on the roster gets
        the one that waits for her.
        """
        live = await self.find(class_id)
        name = " ".join(unicodedata.normalize("NFC", nickname).split())
        same = name.casefold()
        if same in live.coming:
            raise Refused("name_taken", name=name)
        live.coming.add(same)
        try:
            own = before is not None and before.class_id == class_id
            ticket = await self._let_in(live, name, before.student if before and own else None)
        finally:
            live.coming.discard(same)
        await self.welcome(ticket.seat)
        return ticket

    async def _let_in(self, live: LiveClass, name: str, own: str | None) -> Ticket:
        """Put somebody into the log, unless another process let in who is in her way."""
        ticket = new_ticket()
        while True:
            book = live.book
            known = book.state.people.get(own or "")
            mine = known.id if known and known.name.casefold() == name.casefold() else None
            event = Joined(mine or book.seat(name) or new_id(), name)
            await self._check(live, event)
            since = Since(book.version, partial(in_the_way, joined=event))
            kept = self.store.add_student(live.id, event, hash_of(ticket), since=since)
            stored = await self._kept(live, kept)
            await self._take_in(live)
            if stored is not None:
                return Ticket(Seat(live.id, event.student), ticket)

    async def offer_seat(self, seat: Seat) -> str:
        """Return a code with which a student gets her seat back: once, within minutes."""
        live = await self.find(seat.class_id)
        await self._check(live, Reseated(seat.student))
        code = new_code(SEAT_CODE_LENGTH)
        await asyncio.to_thread(self.store.offer_seat, *seat, hash_of(code), SEAT_SECONDS)
        return code

    async def seat_for(self, code: str) -> Seat:
        """Return the seat that a code is for."""
        found = await asyncio.to_thread(self.store.seat_offered, hash_of(normal_code(code)))
        if found is None:
            raise Refused("seat_code")
        return Seat(*found)

    async def take_seat(self, seat: Seat, code: str) -> Ticket:
        """Give a student her seat back; the code is spent, and no other ticket counts any more."""
        live, event, ticket = await self.find(seat.class_id), Reseated(seat.student), new_ticket()
        await self._check(live, event)
        spent, kept = hash_of(normal_code(code)), hash_of(ticket)
        await self._kept(live, self.store.take_seat(seat.class_id, event, spent, kept))
        await self._take_in(live)
        return Ticket(seat, ticket)

    async def welcome(self, seat: Seat) -> None:
        """Count a student as here who had left; refuse one who was removed."""
        live = await self.find(seat.class_id)
        await self._check(live, Returned(seat.student))
        if seat.student not in live.book.state.here:
            await self.act(seat.class_id, Returned(seat.student))

    async def leave(self, seat: Seat) -> int:
        """Count a student as gone, once; return the class's version."""
        live = await self.find(seat.class_id)
        known = live.book.state.people.get(seat.student)
        if known is not None and known.joined and not known.here:
            return live.book.version
        return await self.act(seat.class_id, Left(seat.student))

    async def sweep(self, after: float) -> None:
        """Count as gone who has had no page open for so many seconds, at any process."""
        classes = tuple(self._classes.values())
        await self.presence.tell({live.id: self.hub.present(live.id) for live in classes})
        here = [Seat(live.id, student) for live in classes for student in live.book.state.here]
        for seat, last in self.presence.gone(here, after).items():
            if self.presence.last(seat) == last:  # else: heard of meanwhile
                with suppress(Refused):  # removed meanwhile, or the class was deleted
                    await self.leave(seat)
