"""A class that is open in this process: its state, kept up to date with the stored log."""

from __future__ import annotations

import asyncio
import math
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import partial

from homeroom.live import events
from homeroom.live.activities import catalogue
from homeroom.live.activities.base import WRITING, Activity
from homeroom.live.classbook.board import show_board
from homeroom.live.classbook.proposals import propose
from homeroom.live.classbook.regroup import compare_splits
from homeroom.live.classbook.state import State
from homeroom.live.classbook.view import show_projector, show_student
from homeroom.live.messages.common import to_json
from homeroom.live.messages.responses import SplitCosts
from homeroom.live.messages.views import Trouble
from homeroom.live.refused import Refused
from homeroom.live.store import EventStore, Stored

ITEM_SECRET = "item-secret"
"""The name of the secret in the store from which the keys of all classes are made."""

OnNewView = Callable[[str, "frozenset[str] | None", frozenset[str]], None]
"""Called with a class, the students for whom something is new (``None`` for all), and those whose
tickets (the contents of their cookies) are no longer valid. The teacher's pages are always
notified, so an empty set notifies only them."""

SOLUTION_DELAY = 0.3
"""In a lesson without discussion: seconds after which the solution is shown if the next item is not
ready."""

FAILURES_SHOWN = 3
"""The number of failures in a row after which the teacher's page shows them."""

STALLED_SECONDS = 2.0
"""Seconds after which the teacher's page shows that something is still not stored. A database that
another program has locked is waited for much longer before it counts as a failure."""


class LiveClass:
    """One class in this process.

    Parameters
    ----------
    class_id
        The id of the class.
    activity
        The activity that is taught.
    store
        The store that has the log of the class.
    on_new_view
        Called, in any thread, when there is something new to show.

    Attributes
    ----------
    newest
        The last version that this process has stored, or was notified of.
    joining
        The names of students who are joining at this moment.
    enrolling
        Held while a class list is read: one at a time, so that no student is enrolled twice.
    """

    def __init__(
        self, class_id: str, activity: Activity, store: EventStore, on_new_view: OnNewView
    ) -> None:
        self.id = class_id
        find = partial(catalogue.find, store)
        self.state = self._first = State.begin(activity, item_key(store, class_id), find)
        self.newest = 0
        self._own: dict[int, Stored] = {}  # by version: stored by this process, to be applied
        self.joining: set[str] = set()
        self.enrolling = asyncio.Lock()
        self._failures: dict[str, tuple[int, Trouble]] = {}  # how often in a row, and why
        self._store, self._on_new_view = store, on_new_view
        # Held while events are applied, while the class continues, and while a view is computed.
        self._reading, self._proposing, self._drawing = (threading.Lock() for _ in range(3))
        # The last JSON of each view, after what it was computed from: version, trouble, seconds.
        self._board: tuple[tuple[int, str | None, int | None], str] = ((0, None, None), "")
        self._projected: tuple[tuple[int, int | None], str] = ((0, None), "")
        self._prepared = (0, 0)  # lesson and round
        self._shown_at = ((0, 0), 0.0)  # lesson and round whose right answer was shown, and when
        self._countdown_began = 0.0  # when the last countdown began
        self._ways: tuple[tuple[int, float], SplitCosts] | None = None
        self._waiting: threading.Timer | None = None  # to show the solution to all students

    def catch_up(self, *, look: bool = True) -> State:
        """Apply stored events, store the events that follow from them, and return the state.

        With ``look``, events that another process has just stored are read first. A solution that
        waits for its timer is shown. Blocks: not for the event loop.
        """
        with self._proposing:
            self.read(look=look)
            try:
                while (event := self._next_event()) is not None:
                    version, lesson = self.state.version, self.state.lesson
                    storing = self._store.append(self.id, event, if_version=version, lesson=lesson)
                    stored = self._wait_for(storing)
                    self.read(look=stored is None)
                    if stored is not None and not stored.new:
                        break  # another process closed this round
            except Refused:
                pass  # the class was deleted, or needs more answers to continue
            finally:
                self._end_solution_timer()
            return self.state

    def _wait_for(self, storing: Future[Stored | None]) -> Stored | None:
        """Wait until something is stored; if that takes long, the teacher's page shows it."""
        if not wait([storing], STALLED_SECONDS).done:
            self.note_stall()
        stored = storing.result()
        self.note_stored(stored)
        return stored

    def note_stored(self, stored: Stored | None) -> None:
        """Note that this process has stored an event, which is applied without reading it back.

        Students who are removed have other ids in the log, so their removal is read.
        """
        self.note_success("storing")
        if stored is None:
            return
        if stored.new and not isinstance(stored.event, events.Removed):
            self._own[stored.version] = stored
        self.newest = max(self.newest, stored.version)

    def _next_event(self) -> events.Event | None:
        """Return the next event that the class or its timer causes; ``None`` while it waits."""
        if self.discussion_seconds_left() > 0:
            return None
        event = propose(self.state)
        if event is None and self.countdown_seconds_left() == 0:
            return events.Closed(self.state.last_round)
        return event

    def countdown_seconds_left(self) -> float | None:
        """Return the seconds that the last students have to answer; ``None`` without a limit.

        They count from the time of the event in the log, so a restart does not make them longer,
        and all processes end a round at the same time: the first one stores it.
        """
        now = self.state.now
        if now is None or now.countdown is None or now.over:
            return None
        passed = max(0.0, time.time() - self._countdown_began)  # the clock may have been set back
        return max(0.0, now.countdown - passed)

    def seconds_until_next(self) -> float:
        """Return the seconds until the class continues by itself; 0 if it waits for a person."""
        return self.discussion_seconds_left() or self.countdown_seconds_left() or 0.0

    def claim_preparation(self) -> bool:
        """Return whether the next round should be prepared now.

        It is true once per round: the call records that it was.
        """
        state = self.state
        now = (state.lesson, 0 if state.now is None else state.now.number)
        new = state.now is not None and not state.now.is_test and now != self._prepared
        self._prepared = now
        return new

    def discussion_seconds_left(self) -> float:
        """Return the seconds until the discussion of the present item is over; 0 without one.

        They count from the time in the log at which the right answer was shown, so a restart of the
        server does not make them longer.
        """
        state = self.state
        now = state.in_discussion
        if now is None or state.opened is None or state.opened.discussion <= 0:
            return 0.0
        passed = max(0.0, time.time() - self._shown_at[1])  # the clock may have been set back
        return max(0.0, state.opened.discussion - passed)

    def read(self, *, look: bool = True) -> None:
        """Apply stored events, and notify the pages whose content they change.

        Events of other processes are read from the store: with ``look``, or if this process was
        notified of them. It is quick, and possible while the next example is being chosen in
        another thread.
        """
        with self._reading:
            stored = self._next_own()
            version = self.state.version + len(stored)
            if look or version < self.newest:
                stored += self._store.events(self.id, after=version)
            self._apply(stored)

    def apply_own(self) -> bool:
        """Apply what this process has stored; return whether nothing remains to be applied.

        It does not wait, neither for the store nor for another thread.
        """
        if not self._reading.acquire(blocking=False):
            return False
        try:
            self._apply(self._next_own())
        finally:
            self._reading.release()
        return self.state.version >= self.newest

    def _next_own(self) -> list[Stored]:
        """Return the events that this process has stored, as far as they come next."""
        version = self.state.version
        for applied in [one for one in tuple(self._own) if one <= version]:
            del self._own[applied]
        stored: list[Stored] = []
        while (one := self._own.pop(version + len(stored) + 1, None)) is not None:
            stored.append(one)
        return stored

    def _apply(self, stored: Sequence[Stored]) -> None:
        """Apply the next events, and notify the pages whose content they change."""
        before, new = self.state, [one.event for one in stored]
        if not new:
            return
        affected = {student_of(event) for event in new}
        revoked = {student for event in new for student in students_with_revoked_tickets(event)}
        if before.version and any(isinstance(event, events.Removed) for event in new):
            self.state = self._after_removal()
            revoked |= before.people.keys() - self.state.people.keys()
        else:
            self.state = before.after_all(new)
        self._note_time(stored)
        reveals = before.in_discussion is None and self.state.in_discussion is not None
        if None in affected or (reveals and self.discussion_seconds_left() > 0):
            self._on_new_view(self.id, None, frozenset(revoked))
            self._end_solution_timer(due=False)
            return
        self._on_new_view(self.id, frozenset(filter(None, affected)), frozenset(revoked))
        if reveals:  # the last answer reveals the right one, if possible with the next item
            self._waiting = threading.Timer(SOLUTION_DELAY, self._end_solution_timer)
            self._waiting.daemon = True
            self._waiting.start()

    def _after_removal(self) -> State:
        """Return the state after all stored events, of which a new one removes students.

        The log has other ids for them, also in the events that this process has read before. If
        they are named only where they were removed, they are those whom the log no longer has.
        Otherwise, the class is rebuilt.
        """
        log = [one.event for one in self._store.events(self.id)]
        new = log[self.state.version :]
        removed = [event for event in new if isinstance(event, events.Removed)]
        erased = frozenset(student for event in removed for student in event.students)
        if sum(bool(events.students_of(event) & erased) for event in new) != 1:
            return self._first.after_all(log)
        came = (event for event in log if isinstance(event, events.Joined | events.Enrolled))
        gone = self.state.people.keys() - {event.student for event in came}
        known = [
            replace(event, students=(*event.students, *gone))
            if isinstance(event, events.Removed)
            else event
            for event in new
        ]
        return self.state.after_all(known)

    def _end_solution_timer(self, *, due: bool = True) -> None:
        """Cancel the timer of the solution, if there is one.

        If ``due``, the solution is then shown to all students now.
        """
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.cancel()
            if due:
                self._on_new_view(self.id, None, frozenset())

    def _note_time(self, stored: Sequence[Stored]) -> None:
        """Note when the last countdown began, and when the right answer was shown.

        The answer of the present round was shown at the time of its last event.
        """
        began = [one.at for one in stored if isinstance(one.event, events.CountdownBegan)]
        self._countdown_began = began[-1] if began else self._countdown_began
        now = self.state.in_discussion
        if now is None or self._shown_at[0] == (self.state.lesson, now.number):
            return
        times = [one.at for one in stored if getattr(one.event, "round", None) == now.number]
        self._shown_at = (self.state.lesson, now.number), (times or [stored[-1].at])[-1]

    async def fresh(self, student: str | None = None) -> LiveClass:
        """Return the class with everything that this process has acknowledged.

        If the student is not known, the log is read: they may just have joined at another process.
        """
        missing = student is not None and student not in self.state.people
        if missing or self.state.version < self.newest:
            await asyncio.to_thread(self.read)
        return self

    def board(self) -> str:
        """Return what the teacher sees, as JSON; computed once per version, or second left."""
        with self._drawing:
            state, trouble, seconds = self.state, self.trouble, self._seconds_shown()
            if self._board[0] != (state.version, trouble, seconds):
                shown = show_board(state, self.id, trouble=trouble, seconds_left=seconds)
                self._board = ((state.version, trouble, seconds), to_json(shown))
            return self._board[1]

    def projector(self) -> str:
        """Return what the projector shows, as JSON; computed once per version, or second left."""
        with self._drawing:
            state, seconds = self.state, self._seconds_shown()
            if self._projected[0] != (state.version, seconds):
                shown = show_projector(state, self.id, seconds_left=seconds)
                self._projected = ((state.version, seconds), to_json(shown))
            return self._projected[1]

    def _seconds_shown(self) -> int | None:
        """Return the seconds left of the countdown, as the pages show them."""
        left = self.countdown_seconds_left()
        return None if left is None else math.ceil(left)

    @property
    def trouble(self) -> Trouble | None:
        """Why the class cannot continue, for the teacher's page; ``None`` while it can.

        ``"store"`` if nothing can be stored, ``"failed"`` for anything else, when several attempts
        in a row have failed.
        """
        shown = (why for count, why in tuple(self._failures.values()) if count >= FAILURES_SHOWN)
        return next(shown, None)

    def note_failure(self, what: str, why: Trouble, times: int = 1) -> int:
        """Note that something did not work; return how often in a row.

        ``what`` was tried, such as ``"storing"``; ``why`` is the value that :attr:`trouble` shows.
        """
        before, (count, _) = self.trouble, self._failures.get(what, (0, why))
        self._failures[what] = (count + times, why)
        self._show_change(before)
        return count + times

    def note_stall(self) -> None:
        """Note that storing takes long: the teacher's page shows it at once."""
        self.note_failure("storing", "store", FAILURES_SHOWN)

    def note_success(self, what: str) -> None:
        """Note that something worked."""
        before = self.trouble
        self._failures.pop(what, None)
        self._show_change(before)

    def _show_change(self, before: Trouble | None) -> None:
        """Update the teacher's page if the trouble has changed."""
        if self.trouble != before:
            self._on_new_view(self.id, frozenset(), frozenset())

    async def view(self, student: str) -> str:
        """Return what a student sees, as JSON."""
        state, seconds = self.state, self._seconds_shown()
        if state.activity.kind == WRITING:  # choosing the robot's letter takes long
            return to_json(await asyncio.to_thread(show_student, state, student))
        return to_json(show_student(state, student, seconds_left=seconds))

    def ways(self, lam: float) -> SplitCosts:
        """Return the costs of the ways to split the class; the last result is cached.

        ``lam`` is the weight of the students' workload relative to the teacher's.
        """
        with self._drawing:
            asked = (self.state.version, lam)
            if self._ways is None or self._ways[0] != asked:
                self._ways = (asked, compare_splits(self.state, lam))
            return self._ways[1]


def item_key(store: EventStore, class_id: str) -> bytes:
    """Return the secret key of a class's item codes, which students see instead of item ids.

    It is the same after a restart.
    """
    if store.setting(ITEM_SECRET) is None:
        store.set_setting(ITEM_SECRET, secrets.token_hex(32), only_if_new=True)
    return f"{store.setting(ITEM_SECRET)} {class_id}".encode()


def rebuild(store: EventStore, class_id: str, log: Sequence[events.Event]) -> State:
    """Return the state of a class from a log, for example the log of earlier lessons only."""
    find = partial(catalogue.find, store)
    opened = next((event for event in log if isinstance(event, events.Opened)), None)
    if opened is None:
        raise Refused("no_class")  # its log is empty: it was deleted just now
    activity = find(opened.activity)
    if activity is None:
        raise Refused("activity_gone")
    return State.begin(activity, item_key(store, class_id), find).after_all(log)


def student_of(event: events.Event) -> str | None:
    """Return the one student whose page an event changes; ``None`` if it may change all.

    >>> student_of(events.Answered("s1", 3, "moth", 1)), student_of(events.Left("s2"))
    ('s1', 's2')
    """
    student: str | None = getattr(event, "student", None)
    return student


def students_with_revoked_tickets(event: events.Event) -> frozenset[str]:
    """Return the students whose tickets and open pages become invalid by an event.

    >>> students_with_revoked_tickets(events.Reseated("s1"))
    frozenset({'s1'})
    >>> students_with_revoked_tickets(events.Left("s1"))
    frozenset()
    """
    match event:
        case events.Reseated(student=student):
            return frozenset({student})
        case events.Removed(students=students) | events.SignedOut(students=students):
            return frozenset(students)
        case _:
            return frozenset()
