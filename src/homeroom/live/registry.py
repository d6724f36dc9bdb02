"""The classes that are open in this process: the routes read and change them through here."""

from __future__ import annotations

import asyncio
import logging
import secrets
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from operator import methodcaller
from typing import Any, NamedTuple

from homeroom.live import events
from homeroom.live.access.credentials import (
    SEAT_CODE_LENGTH,
    hash_of,
    new_code,
    new_ticket,
    normal_code,
)
from homeroom.live.activities import catalogue
from homeroom.live.activities.base import Activity
from homeroom.live.classbook.experiment import Experiment
from homeroom.live.classbook.state import State
from homeroom.live.hub import Hub, Presence, Seat
from homeroom.live.ids import new_id
from homeroom.live.live_class import STALLED_SECONDS, LiveClass
from homeroom.live.messages.common import LetterForm, Phase, Reveal
from homeroom.live.refused import Refused
from homeroom.live.store import ClassRow, EventStore, Since, Stored

log = logging.getLogger("homeroom.live")

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
"""Seconds before a class that could not continue is tried again: at first, and at most."""

SEAT_SECONDS = 600.0
"""Seconds for which a seat code is valid: ten minutes."""


class Ticket(NamedTuple):
    """The seat of a student, and the content of their cookie."""

    seat: Seat
    ticket: str


@dataclass(frozen=True)
class ClassSummary:
    """What the list of classes shows of a class, without opening it.

    Parameters
    ----------
    version
        The number of events.
    phase
        The phase of the lesson.
    students
        The ids of all students who joined or are on the class list.

    Examples
    --------
    >>> ClassSummary().after(events.Joined("s1", "Ada")).after(events.PhaseBegan("teach"))
    ClassSummary(version=2, phase='teach', students=frozenset({'s1'}))
    """

    version: int = 0
    phase: Phase = "lobby"
    students: frozenset[str] = field(default_factory=frozenset)

    def after(self, event: events.Event) -> ClassSummary:
        """Return the summary after one more event."""
        later = replace(self, version=self.version + 1)
        match event:
            case events.PhaseBegan(phase):
                return replace(later, phase=phase)
            case events.Opened():
                return replace(later, phase="lobby")
            case events.Joined(student=student) | events.Enrolled(student=student):
                return replace(later, students=later.students | {student})
            case events.Removed(students=students):
                return replace(later, students=later.students - set(students))
            case _:
                return later


class ClassRegistry:
    """The classes of a store that are open in this process.

    Parameters
    ----------
    store
        The store.
    """

    def __init__(self, store: EventStore) -> None:
        self.store, self.hub = store, Hub()
        self._loop = asyncio.get_running_loop()
        self._classes: dict[str, LiveClass] = {}  # this and the next three: by class id
        self._opening: dict[str, asyncio.Lock] = {}
        self._changed: dict[str, asyncio.Event] = {}  # set when there are new events in the log
        self._following: dict[str, asyncio.Task[None]] = {}
        self._seats: dict[str, Seat] = {}  # by the hash of the ticket
        self._revocations = 0  # how often tickets became invalid
        self._summaries: dict[str, ClassSummary] = {}
        self.presence = Presence(store.broadcast)
        store.on_change(lambda *change: self._in_loop(self._on_change, *change))
        store.on_message(lambda message: self._in_loop(self.presence.receive, message))

    async def close(self) -> None:
        """Stop following the classes, and wait until no thread uses the store."""
        for task in self._following.values():
            task.cancel()
        await asyncio.gather(*self._following.values(), return_exceptions=True)
        await self._loop.shutdown_default_executor()

    # Classes

    async def create(
        self,
        name: str,
        activity: str,
        goal: float = 0.1,
        retention_days: int = 30,
        *,
        reveal: Reveal = "own",
        discussion: float = 0.0,
        timer: float = events.TIMER,
        experiment: Mapping[str, Any] | None = None,
        form: LetterForm = "own",
    ) -> tuple[str, str]:
        """Create a class and return its id and its code.

        The parameters are fields of :class:`~homeroom.live.events.Opened`.
        """
        found = await asyncio.to_thread(catalogue.find, self.store, activity)
        if found is None:
            raise Refused("no_activity")
        compared = _seeded(experiment, found)
        for _ in range(20):
            opened = events.Opened(
                name,
                activity,
                new_code(),
                goal,
                retention_days,
                reveal=reveal,
                discussion=discussion,
                timer=timer,
                experiment=compared,
                form=form,
            )
            opened.check(State.begin(found))
            if self.store.class_of_code(opened.code) is None:  # almost always
                break
        return await asyncio.to_thread(self.store.create_class, opened), opened.code

    async def teach_again(self, class_id: str, activity: str, settings: Mapping[str, Any]) -> int:
        """Begin the next lesson of a class and return the version: its students and code stay.

        Parameters
        ----------
        class_id
            The class.
        activity
            What is taught in this lesson.
        settings
            Settings that differ from the last lesson, as fields of ``Opened``.
        """
        live = await self.find(class_id)
        found = await asyncio.to_thread(catalogue.find, self.store, activity)
        if found is None:
            raise Refused("no_activity")
        settings = {**settings, "experiment": _seeded(settings.get("experiment"), found)}
        while True:  # again if another event was stored in between
            state = await asyncio.to_thread(live.catch_up)
            assert state.opened is not None
            opened = replace(state.opened, activity=activity, **settings)
            opened.check(state)
            storing = self.store.begin_lesson(class_id, opened, if_version=state.version)
            stored = await self._wait_for(live, storing)
            if stored is not None:
                await self._apply(live)
                return stored.version

    def summary(self, row: ClassRow) -> ClassSummary:
        """Return the summary of a class. It may read the store: not for the event loop."""
        known = self._summaries.get(row.id, ClassSummary())
        if known.version < row.version:
            log = self.store.events(row.id, after=known.version)
            if known.version and any(isinstance(one.event, events.Removed) for one in log):
                known, log = ClassSummary(), self.store.events(row.id)  # the log was rewritten
            for stored in log:
                known = known.after(stored.event)
            self._summaries[row.id] = known
        return known

    async def find(self, class_id: str) -> LiveClass:
        """Return a class; from now on this process keeps it up to date with its log."""
        if class_id in self._classes:
            return self._classes[class_id]
        async with self._opening.setdefault(class_id, asyncio.Lock()):
            if class_id not in self._classes:
                live = await asyncio.to_thread(self._open, class_id)
                changed = self._changed[class_id] = asyncio.Event()
                await self._apply(live)
                self._classes[class_id] = live
                self._following[class_id] = asyncio.create_task(self._follow(live, changed))
                if await asyncio.to_thread(self.store.find_class, class_id) is None:
                    self._forget(class_id)  # deleted before this process followed it
                    raise Refused("no_class")
        self._opening.pop(class_id, None)
        if class_id not in self._classes:
            raise Refused("no_class")  # deleted just now, and already forgotten
        return self._classes[class_id]

    def _open(self, class_id: str) -> LiveClass:
        """Return a class with its stored events applied; refuse one that does not exist."""
        row = self.store.find_class(class_id)
        if row is None:
            raise Refused("no_class")
        activity = catalogue.find(self.store, row.activity)
        if activity is None:
            raise Refused("activity_gone")
        live = LiveClass(class_id, activity, self.store, self._on_new_view)
        live.read()
        return live

    async def _follow(self, live: LiveClass, changed: asyncio.Event) -> None:
        """Keep a class up to date with its log; if that fails, try again until it works."""
        while True:
            await changed.wait()
            changed.clear()
            pause = FIRST_PAUSE
            while not await self._caught_up(live):
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    async def _caught_up(self, live: LiveClass, *, look: bool = False) -> bool:
        """Let a class apply its log and continue; return whether that worked.

        ``look`` is as for :meth:`LiveClass.catch_up`.
        """
        try:
            await asyncio.to_thread(live.catch_up, look=look)
        except Exception as why:
            if "Executor shutdown" in str(why):
                return True  # the server stops: the log is complete, and is read at the next start
            from_store = isinstance(why, self.store.errors)
            if live.note_failure("catching up", "store" if from_store else "failed") == 1:
                log.exception("The class %s cannot continue; this is tried again", live.id)
            return False
        live.note_success("catching up")
        if live.claim_preparation():
            self._loop.run_in_executor(None, self._prepare, live.state)
        left = live.seconds_until_next()
        if left > 0 and live.id in self._changed:  # when the discussion or the countdown is over
            self._loop.call_later(left, self._changed[live.id].set)
        return True

    @staticmethod
    def _prepare(state: State) -> None:
        """Let a class compute in advance what it needs for its next item."""
        with suppress(Exception):  # if it fails again when it is needed, the class reports it
            state.prepare()

    async def _wait_for(self, live: LiveClass, storing: Future[Stored | None]) -> Stored | None:
        """Wait until something is stored; the teacher's page shows if it fails or takes long."""
        timer = self._loop.call_later(STALLED_SECONDS, live.note_stall)
        try:
            stored = await asyncio.wrap_future(storing)
        except self.store.errors:
            live.note_failure("storing", "store")
            raise
        finally:
            timer.cancel()
        live.note_stored(stored)
        return stored

    def _on_change(self, class_id: str, version: int) -> None:
        """Let a class catch up with its log after a change; forget it if it was deleted (0)."""
        if version == 0:
            self._forget(class_id)
        elif class_id in self._changed:
            if class_id in self._classes:
                live = self._classes[class_id]
                live.newest = max(live.newest, version)
                live.note_success("storing")
            self._changed[class_id].set()

    def _on_new_view(
        self, class_id: str, students: frozenset[str] | None, revoked: frozenset[str]
    ) -> None:
        """Notify the pages of some students, or of all (``None``), and revoke tickets.

        It may be called in any thread.
        """
        if revoked:
            self._in_loop(self._revoke_tickets, class_id, revoked)
        self._in_loop(self.hub.notify, class_id, students)

    def _revoke_tickets(self, class_id: str, students: frozenset[str]) -> None:
        """Forget the cached tickets of some students, and close their pages."""
        self._revocations += 1
        revoked = {Seat(class_id, student) for student in students}
        self._seats = {key: seat for key, seat in self._seats.items() if seat not in revoked}
        self.hub.close_students(class_id, students)

    def _in_loop(self, act: Callable[..., None], *given: object) -> None:
        """Call a function with these arguments in the event loop, from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(act, *given)

    def _forget(self, class_id: str) -> None:
        """Drop a class that was deleted."""
        self._classes.pop(class_id, None)
        self._changed.pop(class_id, None)
        self._summaries.pop(class_id, None)
        following = self._following.pop(class_id, None)
        if following is not None:
            following.cancel()
        self._seats = {key: seat for key, seat in self._seats.items() if seat.class_id != class_id}
        self.hub.close_pages(class_id=class_id)

    # Events

    async def append(self, class_id: str, event: events.Event) -> Stored:
        """Append an event if the rules allow it now; it is on the disk when this returns."""
        live = await self.find(class_id)
        lesson = await self._check(live, event)
        came = isinstance(event, events.Joined | events.Enrolled)
        student: str | None = None if came else getattr(event, "student", None)
        storing = self.store.append(class_id, event, lesson=lesson, student=student)
        stored = await self._wait_for(live, storing)
        assert stored is not None  # only with `if_version`
        return stored

    async def act(self, class_id: str, event: events.Event) -> int:
        """Append an event, and return the version when the class has applied it."""
        stored = await self.append(class_id, event)
        await self._apply(await self.find(class_id))
        return stored.version

    async def _apply(self, live: LiveClass, *, look: bool = False) -> None:
        """Let a class apply what is stored; if that fails now, it is tried again later."""
        if not await self._caught_up(live, look=look) and live.id in self._changed:
            self._changed[live.id].set()

    async def _check(self, live: LiveClass, event: events.Event) -> int:
        """Refuse an event that cannot happen now; return the lesson in which it happens."""
        state = live.state
        try:
            if isinstance(event, events.Answered | events.Joined):
                event.check(state)
            else:  # some checks take long
                await asyncio.to_thread(event.check, state)
        except Refused:  # another process may have stored what makes it valid
            state = await asyncio.to_thread(live.catch_up)
            await asyncio.to_thread(event.check, state)
        return state.lesson

    async def answer(
        self, seat: Seat, number: int, item: str, answer: int, seconds: float | None = None
    ) -> int:
        """Store an answer to an item in round ``number``, and return the class's version.

        An answer that is stored already is acknowledged again.
        """
        event = events.Answered(seat.student, number, item, answer, seconds)
        live = await self.find(seat.class_id)
        if live.state.has_answer(seat.student, number, item):
            return live.state.version
        stored = await self.append(seat.class_id, event)
        if not live.apply_own():
            await asyncio.to_thread(live.read, look=False)
        return stored.version

    # Students

    async def seat_of(self, ticket: str) -> Seat | None:
        """Return the seat that a ticket belongs to."""
        key = hash_of(ticket)
        if key in self._seats:
            return self._seats[key]
        before = self._revocations
        found = await asyncio.to_thread(self.store.student_of, key)
        if found is None:
            return None
        seat = Seat(*found)
        # Only an open class reports that a ticket was revoked, so only its tickets are cached.
        if seat.class_id in self._classes and before == self._revocations:
            self._seats[key] = seat
        return seat

    async def class_of(self, code: str) -> str:
        """Return the class that has a code."""
        row = await asyncio.to_thread(self.store.class_of_code, normal_code(code))
        if row is None:
            raise Refused("wrong_code")
        return row.id

    async def join(self, class_id: str, nickname: str, before: Seat | None = None) -> Ticket:
        """Let a student join, always with a new ticket.

        A student who has a seat in this class and gives the same name keeps it. A name on the class
        list gets the seat reserved for it. ``before`` is the seat of the device's cookie, if any.
        """
        live = await self.find(class_id)
        name = " ".join(unicodedata.normalize("NFC", nickname).split())
        same = name.casefold()
        if same in live.joining:
            raise Refused("name_taken", name=name)
        live.joining.add(same)
        try:
            own = before is not None and before.class_id == class_id
            ticket = await self._admit(live, name, before.student if before and own else None)
        finally:
            live.joining.discard(same)
        await self.welcome(ticket.seat)
        return ticket

    async def _admit(self, live: LiveClass, name: str, own: str | None) -> Ticket:
        """Store that a student joined; try again if another process stored a conflicting event.

        ``own`` is the id of the student whose seat the device has already, if any.
        """
        ticket = new_ticket()
        while True:
            state = live.state
            known = state.people.get(own or "")
            mine = known.id if known and known.name.casefold() == name.casefold() else None
            event = events.Joined(mine or state.find_seat(name) or new_id(), name)
            await self._check(live, event)
            nearly_full = events.is_nearly_full(state)
            prevents = methodcaller("may_prevent", event, nearly_full=nearly_full)
            since = Since(state.version, prevents)
            kept = self.store.add_student(live.id, event, hash_of(ticket), since=since)
            stored = await self._wait_for(live, kept)
            await self._apply(live, look=stored is None)
            if stored is not None:
                return Ticket(Seat(live.id, event.student), ticket)

    async def offer_seat(self, seat: Seat) -> str:
        """Return a code with which a student gets their seat back: once, within ten minutes."""
        live = await self.find(seat.class_id)
        await self._check(live, events.Reseated(seat.student))
        code = new_code(SEAT_CODE_LENGTH)
        await asyncio.to_thread(self.store.offer_seat, *seat, hash_of(code), SEAT_SECONDS)
        return code

    async def seat_for(self, code: str) -> Seat:
        """Return the seat that a seat code belongs to."""
        found = await asyncio.to_thread(self.store.seat_offered, hash_of(normal_code(code)))
        if found is None:
            raise Refused("seat_code")
        return Seat(*found)

    async def take_seat(self, seat: Seat, code: str) -> Ticket:
        """Give a student their seat back; the code and all other tickets become invalid."""
        live, ticket = await self.find(seat.class_id), new_ticket()
        event = events.Reseated(seat.student)
        await self._check(live, event)
        spent, kept = hash_of(normal_code(code)), hash_of(ticket)
        await self._wait_for(live, self.store.take_seat(seat.class_id, event, spent, kept))
        await self._apply(live)
        return Ticket(seat, ticket)

    async def welcome(self, seat: Seat) -> None:
        """Count a student who had left as present; refuse one who was removed."""
        live = await self.find(seat.class_id)
        await self._check(live, events.Returned(seat.student))
        if seat.student not in live.state.here:
            await self.act(seat.class_id, events.Returned(seat.student))

    async def leave(self, seat: Seat) -> int:
        """Count a student as absent, once; return the version of the class."""
        live = await self.find(seat.class_id)
        known = live.state.people.get(seat.student)
        if known is not None and known.joined and not known.here:
            return live.state.version
        return await self.act(seat.class_id, events.Left(seat.student))

    async def sign_out(self, class_id: str, students: Sequence[str]) -> int:
        """Sign students out: their tickets become invalid, and their names open their seats."""
        live, event = await self.find(class_id), events.SignedOut(tuple(students))
        await self._check(live, event)
        stored = await self._wait_for(live, self.store.sign_out(class_id, event))
        assert stored is not None
        await self._apply(live)
        return stored.version

    async def remove(self, class_id: str, students: Sequence[str]) -> int:
        """Remove students, and erase them from the log and the disk; return the version."""
        live, event = await self.find(class_id), events.Removed(tuple(students))
        await self._check(live, event)
        stored = await self._wait_for(live, self.store.remove(class_id, event))
        assert stored is not None
        await self._apply(live)
        await asyncio.to_thread(self.store.erase_deleted)
        return stored.version

    async def sweep(self, after: float) -> None:
        """Count students without an open page, at any process, as absent after some seconds."""
        classes = tuple(self._classes.values())
        await self.presence.announce({live.id: self.hub.present(live.id) for live in classes})
        here = [Seat(live.id, student) for live in classes for student in live.state.here]
        for seat, last in self.presence.absent(here, after).items():
            if self.presence.last(seat) == last:  # not seen again meanwhile
                with suppress(Refused):  # removed meanwhile, or the class was deleted
                    await self.leave(seat)


def _seeded(experiment: Mapping[str, Any] | None, activity: Activity) -> dict[str, Any] | None:
    """Return the settings of an experiment with a new seed, checked for an activity."""
    if experiment is None:
        return None
    made = Experiment(**{**experiment, "arms": tuple(experiment["arms"])})
    made.check(activity)
    return asdict(replace(made, seed=secrets.randbelow(1 << 31)))
