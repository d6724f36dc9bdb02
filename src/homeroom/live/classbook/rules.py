"""Which events may happen in a class now; each refusal gives the reason."""

from __future__ import annotations

import math

from homeroom.live.activities.base import WRITING
from homeroom.live.classbook import learned_map
from homeroom.live.classbook.state import EXPERIMENT, State, Student
from homeroom.live.events import (
    FORMS,
    PHASES,
    REVEALS,
    Answered,
    Closed,
    Consented,
    Continued,
    Enrolled,
    Event,
    Focused,
    Joined,
    Left,
    Locked,
    Opened,
    Overridden,
    PhaseBegan,
    PhaseUndone,
    Regrouped,
    Removed,
    Reseated,
    Returned,
    ReviewSet,
    SignedOut,
    Skipped,
    Wrote,
)
from homeroom.live.refused import Refused

LONGEST_NAME = 40
LONGEST_CLASS = 80
"""Characters that the name of a student, and that of a class, may have."""

MOST_DAYS = 3650
"""The longest time for which the data of a class may be kept."""

MOST_PRETEST_ITEMS = 100
MOST_STUDENTS = 1000
AT_ONCE = 100
"""How many students may join at the same moment in a class that is nearly full."""

JOINERS = str.maketrans("", "", "\u200c\u200d")
"""Invisible characters that names in Persian or Hindi, and some emoji, need."""

LONGEST_DISCUSSION = 600
"""The most seconds between the right answer and the next item."""

BETWEEN_LESSONS = ("lobby", "done")
"""The phases in which the next lesson of a class can be chosen."""

MOST_LETTERS = 500
"""The largest number of handwritten letters of a student in a class."""


def check(state: State, event: Event) -> None:  # noqa: PLR0912, PLR0915 - one branch per kind of event
    """Raise :class:`Refused`, with the reason, if an event cannot happen now."""
    match event:
        case Opened():
            _check_settings(event)
            if state.opened is not None and state.phase not in BETWEEN_LESSONS:
                raise Refused("lesson_not_over")
        case SignedOut(students):
            for student in students:
                seated(state, student)
        case Joined(student, name):
            known = state.people.get(student)
            if known is None or not known.joined:
                if state.phase == "done":
                    raise Refused("class_ended")
                if state.locked:
                    raise Refused("door_closed")
                _check_name(state, name, student)
        case Enrolled(student, name):
            _check_name(state, name, student)
        case Left(student) | Returned(student):
            seated(state, student)
        case Reseated(student):
            known_as(state, student)
        case Removed(students):
            if not state.people.keys() & set(students):
                raise Refused("no_student")
        case PhaseBegan(phase):
            _check_phase(state, phase)
        case PhaseUndone():
            if not state.can_undo:
                raise Refused("no_undo")
        case Focused() | ReviewSet():
            _no_experiment(state)
            _check_lesson_students(state, event)
        case Continued(number):
            now = state.in_discussion
            if now is None or now.number != number:
                raise Refused("no_discussion")
        case Answered():
            _check_answer(state, event)
        case Closed(number) | Skipped(number):
            _check_teaching_round(state, number)
        case Overridden(item):
            _check_item(state, item)
        case Consented(student):
            seated(state, student)
            if state.opened is None or state.opened.experiment is None:
                raise Refused("no_experiment")
        case Regrouped(how, groups):
            if how != EXPERIMENT:
                _no_experiment(state)
            for student in groups:
                seated(state, student)
        case Wrote(student, number):
            _check_letter(state, student, number)
        case _:  # all others are always possible
            pass


def _no_experiment(state: State) -> None:
    """Refuse to change who is taught together in an experiment."""
    if state.opened is not None and state.opened.experiment is not None:
        raise Refused("experiment_groups")


def _check_settings(event: Opened) -> None:
    """Refuse a class or lesson with settings out of range."""
    name = event.name.strip()
    if not name or len(name) > LONGEST_CLASS or not event.name.isprintable():
        raise Refused("class_name", most=LONGEST_CLASS)
    if not 0 < event.goal < math.inf:
        raise Refused("goal", goal=event.goal)
    if event.reveal not in REVEALS or not 0 <= event.discussion <= LONGEST_DISCUSSION:
        raise Refused("reveal", most=LONGEST_DISCUSSION)
    if event.form not in FORMS:
        raise Refused("form")
    if not 1 <= event.retention_days <= MOST_DAYS:
        raise Refused("days", most=MOST_DAYS, days=event.retention_days)
    if event.pretest is not None and not 1 <= event.pretest <= MOST_PRETEST_ITEMS:
        raise Refused("test_length", most=MOST_PRETEST_ITEMS, items=event.pretest)


def _check_name(state: State, name: str, student: str) -> None:
    """Refuse a name that is empty, too long or taken, and any student once the class is full."""
    seen = name.translate(JOINERS)
    if not seen.strip() or not seen.isprintable():
        raise Refused("empty_name")
    if len(name) > LONGEST_NAME:
        raise Refused("long_name", most=LONGEST_NAME, letters=len(name))
    same = _comparable(name)
    if any(_comparable(one.name) == same and one.id != student for one in state.people.values()):
        raise Refused("name_taken", name=name.strip())
    if len(state.people) >= MOST_STUDENTS and student not in state.people:
        raise Refused("class_full", most=MOST_STUDENTS)


def _comparable(name: str) -> str:
    """Return the form in which names are compared: without case, outer spaces and joiners."""
    return name.translate(JOINERS).strip().casefold()


def is_nearly_full(state: State) -> bool:
    """Return whether students who join at the same moment could be too many."""
    return len(state.people) >= MOST_STUDENTS - AT_ONCE


def in_the_way(event: Event, joined: Joined, *, nearly_full: bool = False) -> bool:
    """Return whether an event stored after a student's joining was checked may prevent it.

    In a class that is nearly full, any other student who joins may prevent it.

    >>> in_the_way(Locked(True), Joined("s1", "Ada")), in_the_way(Left("s2"), Joined("s1", "Ada"))
    (True, False)
    """
    match event:
        case Locked(locked):
            return locked
        case PhaseBegan(phase):
            return phase == "done"
        case Joined(student, name) | Enrolled(student, name):
            same = student == joined.student or _comparable(name) == _comparable(joined.name)
            return nearly_full or same
        case Removed(students):
            return joined.student in students
        case Reseated(student) | Returned(student):
            return student == joined.student
        case _:
            return False


def known_as(state: State, student: str) -> Student:
    """Return a student who has joined or is on the class list; refuse anyone else."""
    if student in state.removed:
        raise Refused("removed")
    if student not in state.people:
        raise Refused("no_student")
    return state.people[student]


def seated(state: State, student: str) -> Student:
    """Return a student who has joined; refuse anyone else."""
    known = known_as(state, student)
    if not known.joined:
        raise Refused("no_student")
    return known


def _check_phase(state: State, phase: str) -> None:
    """Refuse a phase that cannot begin now."""
    if phase not in PHASES:
        raise Refused("no_phase", phases=", ".join(PHASES), phase=phase[:40])
    begun = any(done.phase == "teach" for done in state.rounds)
    if phase in ("lobby", "pretest") and begun:
        raise Refused("lesson_begun")
    if phase in ("pretest", "posttest") and state.activity.kind == WRITING:
        raise Refused("no_tests")
    tested = any(done.phase == "pretest" for done in state.rounds)
    if phase == "teach" and state.opened is not None and state.opened.experiment and not tested:
        raise Refused("experiment_pretest")
    # An activity with a rule but without features needs a map learned from the answers.
    mapped = state.space is not None or not state.activity.has_rule
    if phase == "teach" and not mapped and state.activity.kind != WRITING:
        learned_map.drawn(state)  # refuses if there are too few answers


def _check_lesson_students(state: State, event: Focused | ReviewSet) -> None:
    """Refuse to choose who continues outside a lesson, or students who have not joined."""
    if state.phase != "teach" or state.activity.kind == WRITING:
        raise Refused("lesson_first")
    for student in event.students if isinstance(event, Focused) else ():
        seated(state, student)


def _check_answer(state: State, event: Answered) -> None:
    """Refuse an answer that the student was not asked for, or that comes too late."""
    seated(state, event.student)
    if not state.people[event.student].here:
        raise Refused("you_left")
    now = state.now
    if now is None or now.number != event.round or now.ended is not None:
        raise Refused("round_over", round=event.round)
    if event.item not in now.asked(event.student):
        raise Refused("not_asked")
    values = state.activity.values(event.item)
    if event.answer not in values:
        listed = ", ".join(map(str, values[:-1]))
        raise Refused("no_answer", answers=f"{listed} or {values[-1]}", answer=event.answer)
    if state.paused:
        raise Refused("paused")


def _check_teaching_round(state: State, number: int) -> None:
    """Refuse to end any round but the current one of the lesson."""
    now = state.now
    if now is None or now.is_test or now.number != number:
        raise Refused("no_example_now")


def _check_item(state: State, item: str) -> None:
    """Refuse an item that cannot be shown next."""
    if state.phase != "teach" or state.activity.kind == WRITING:
        raise Refused("lesson_first")
    if item not in state.activity.item_of:
        raise Refused("no_item", item=item[:60])
    if not state.usable(item):
        raise Refused("item_not_usable", item=item)


def _check_letter(state: State, student: str, number: int) -> None:
    """Refuse a letter out of order: a student may repeat one, or write the next."""
    seated(state, student)
    if state.activity.kind != WRITING:
        raise Refused("nothing_written")
    if state.phase != "teach" or state.paused:
        raise Refused("not_writing_now")
    before = max((wrote.round for wrote in state.wrote if wrote.student == student), default=0)
    if not 1 <= number <= before + 1:
        raise Refused("letter_too_early", number=number, next=before + 1)
    if number > MOST_LETTERS:
        raise Refused("letters_enough", most=MOST_LETTERS)
