"""A class that is open in this process: its class book, kept up to date with the stored log."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from homeroom.live import events
from homeroom.live.activities import catalogue
from homeroom.live.activities.base import WRITING, Activity
from homeroom.live.classbook import ClassBook
from homeroom.live.classbook.view import projector
from homeroom.live.messages.common import to_json
from homeroom.live.messages.views import Board, ClassLetters, Projector, StudentView
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
        The last version that this process has stored.
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
        self.book = ClassBook.begin(activity, item_key(store, class_id), find)
        self.newest = 0
        self.joining: set[str] = set()
        self.enrolling = asyncio.Lock()
        self._failures: dict[str, tuple[int, str]] = {}  # by what failed: how often in a row, why
        self._store, self._on_new_view = store, on_new_view
        # Held while events are applied, while the class continues, and while a view is computed.
        self._reading, self._proposing, self._drawing = (threading.Lock() for _ in range(3))
        # The last JSON of each view, after what it was computed from: version, trouble.
        self._board: tuple[tuple[int, str | None], str] = ((0, None), "")
        self._projected = (0, "")
        self._prepared = (0, 0)  # lesson and round
        self._shown_at = ((0, 0), 0.0)  # lesson and round whose right answer was shown, and when
        self._ways: tuple[tuple[int, float], dict[str, Any]] | None = None
        self._waiting: threading.Timer | None = None  # to show the solution to all students

    def catch_up(self) -> ClassBook:
        """Apply stored events, store the events that follow from them, and return the class book.

        A solution that waits for its timer is shown. Blocks: not for the event loop.
        """
        with self._proposing:
            self.read()
            try:
                while (
                    self.discussion_seconds_left() <= 0
                    and (event := self.book.proposes()) is not None
                ):
                    version, lesson = self.book.version, self.book.state.lesson
                    self._store.append(self.id, event, if_version=version, lesson=lesson).result()
                    self.read()
            except Refused:
                pass  # the class was deleted, or needs more answers to continue
            finally:
                self._end_solution_timer()
            return self.book

    def claim_preparation(self) -> bool:
        """Return whether the next round should be prepared now.

        It is true once per round: the call records that it was.
        """
        state = self.book.state
        now = (state.lesson, 0 if state.now is None else state.now.number)
        new = state.now is not None and not state.now.is_test and now != self._prepared
        self._prepared = now
        return new

    def discussion_seconds_left(self) -> float:
        """Return the seconds until the discussion of the present item is over; 0 without one.

        They count from the time in the log at which the right answer was shown, so a restart of the
        server does not make them longer.
        """
        state = self.book.state
        now = state.in_discussion
        if now is None or state.opened is None or state.opened.discussion <= 0:
            return 0.0
        passed = max(0.0, time.time() - self._shown_at[1])  # the clock may have been set back
        return max(0.0, state.opened.discussion - passed)

    def read(self) -> None:
        """Apply stored events, and notify the pages whose content they change.

        It is quick, and possible while the next example is being chosen in another thread.
        """
        with self._reading:
            stored = self._store.events(self.id, after=self.book.version)
            new = [one.event for one in stored]
            if not new:
                return
            affected = {affected_student(event) for event in new}
            revoked = {student for event in new for student in students_with_revoked_tickets(event)}
            shown = self.book.state.in_discussion
            self.book = self.book.after_all(new)
            self._note_time(stored)
            reveals = shown is None and self.book.state.in_discussion is not None
        if None in affected or (reveals and self.discussion_seconds_left() > 0):
            self._on_new_view(self.id, None, frozenset(revoked))
            self._end_solution_timer(due=False)
            return
        self._on_new_view(self.id, frozenset(filter(None, affected)), frozenset(revoked))
        if reveals:  # the last answer reveals the right one, if possible with the next item
            self._waiting = threading.Timer(SOLUTION_DELAY, self._end_solution_timer)
            self._waiting.daemon = True
            self._waiting.start()

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
        """Note when the right answer of the present round was shown: the time of its last event."""
        now = self.book.state.in_discussion
        if now is None or self._shown_at[0] == (self.book.state.lesson, now.number):
            return
        times = [one.at for one in stored if getattr(one.event, "round", None) == now.number]
        self._shown_at = (self.book.state.lesson, now.number), (times or [stored[-1].at])[-1]

    async def fresh(self, student: str | None = None) -> LiveClass:
        """Return the class with everything that this process has acknowledged.

        If the student is not known, the log is read: they may just have joined at another process.
        """
        missing = student is not None and student not in self.book.state.people
        if missing or self.book.version < self.newest:
            await asyncio.to_thread(self.read)
        return self

    def board(self) -> str:
        """Return what the teacher sees, as JSON; computed once per version."""
        with self._drawing:
            book, trouble = self.book, self.trouble
            if self._board[0] != (book.version, trouble):
                shown = {**book.board(self.id), "trouble": trouble}
                self._board = ((book.version, trouble), to_json(Board, shown))
            return self._board[1]

    def projector(self) -> str:
        """Return what the projector shows, as JSON; computed once per version."""
        with self._drawing:
            book = self.book
            if self._projected[0] != book.version:
                shown = projector(book.state, self.id)
                self._projected = (book.version, to_json(Projector, shown))
            return self._projected[1]

    @property
    def trouble(self) -> str | None:
        """Why the class cannot continue, for the teacher's page; ``None`` while it can.

        ``"store"`` if nothing can be stored, ``"failed"`` for anything else, when several attempts
        in a row have failed.
        """
        shown = (why for count, why in tuple(self._failures.values()) if count >= FAILURES_SHOWN)
        return next(shown, None)

    def note_failure(self, what: str, why: str) -> int:
        """Note that something did not work; return how often in a row.

        ``what`` was tried, such as ``"storing"``; ``why`` is the value that :attr:`trouble` shows.
        """
        before, (count, _) = self.trouble, self._failures.get(what, (0, ""))
        self._failures[what] = (count + 1, why)
        self._show_change(before)
        return count + 1

    def note_success(self, what: str) -> None:
        """Note that something worked."""
        before = self.trouble
        self._failures.pop(what, None)
        self._show_change(before)

    def _show_change(self, before: str | None) -> None:
        """Update the teacher's page if the trouble has changed."""
        if self.trouble != before:
            self._on_new_view(self.id, frozenset(), frozenset())

    async def view(self, student: str) -> str:
        """Return what a student sees, as JSON."""
        book = self.book
        if book.state.activity.kind == WRITING:  # choosing the robot's letter takes long
            return to_json(StudentView, await asyncio.to_thread(book.view, student))
        return to_json(StudentView, book.view(student))

    def letters(self) -> str:
        """Return the letters that the students wrote, as JSON."""
        return to_json(ClassLetters, self.book.letters())

    def ways(self, lam: float) -> dict[str, Any]:
        """Return the costs of the ways to split the class; the last result is cached.

        ``lam`` is the weight of the students' workload relative to the teacher's.
        """
        with self._drawing:
            book = self.book
            asked = (book.version, lam)
            if self._ways is None or self._ways[0] != asked:
                self._ways = (asked, book.ways(lam))
            return self._ways[1]


def item_key(store: EventStore, class_id: str) -> bytes:
    """Return the secret key of a class's item codes, which students see instead of item ids.

    It is the same after a restart.
    """
    if store.setting(ITEM_SECRET) is None:
        store.set_setting(ITEM_SECRET, secrets.token_hex(32), only_if_new=True)
    return f"{store.setting(ITEM_SECRET)} {class_id}".encode()


def rebuilt(store: EventStore, class_id: str, log: Sequence[events.Event]) -> ClassBook:
    """Return a class book from a log, for example the log of earlier lessons only."""
    find = partial(catalogue.find, store)
    opened = next((event for event in log if isinstance(event, events.Opened)), None)
    if opened is None:
        raise Refused("no_class")  # its log is empty: it was deleted just now
    activity = find(opened.activity)
    if activity is None:
        raise Refused("activity_gone")
    return ClassBook.rebuilt(activity, log, item_key(store, class_id), find)


def affected_student(event: events.Event) -> str | None:
    """Return the one student whose page an event changes; ``None`` if it may change all.

    >>> affected_student(events.Answered("s1", 3, "moth", 1)), affected_student(events.Left("s2"))
    ('s1', 's2')
    """
    match event:
        case (
            events.Answered(student=student)
            | events.Wrote(student=student)
            | events.Enrolled(student=student)
            | events.Joined(student=student)
            | events.Left(student=student)
            | events.Returned(student=student)
            | events.Reseated(student=student)
            | events.Consented(student=student)
        ):
            return student
        case _:
            return None


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
