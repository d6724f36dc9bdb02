"""The events of a class; everything else is computed from them.

An event has its data, a check whether it may happen now, and its effect on the state of the class.
In all events, ``student`` and ``item`` are ids, and ``round`` is the number of a round. A student's
seat is their place in a class: their id, name and answers. A ticket in the cookie of their browser
gives access to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from homeroom._checks import InputError
from homeroom.live.activities.base import WRITING
from homeroom.live.classbook import learned_map
from homeroom.live.classbook.rounds import TESTS
from homeroom.live.classbook.state import EXPERIMENT, State, Student
from homeroom.live.messages.common import LetterForm, Phase, Reveal
from homeroom.live.refused import Refused

PHASES: tuple[Phase, ...] = ("lobby", "pretest", "teach", "posttest", "done")
"""The phases of a lesson, in order; students join in the lobby, or later."""

BETWEEN_LESSONS = ("lobby", "done")
"""The phases in which the next lesson of a class can be chosen."""

TIMER = 20.0
"""The seconds that the last students of a round have to answer, unless the teacher sets others."""

REVEALS = ("own", "all", "teacher")
FORMS = ("own", "print", "cursive")

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

LONGEST_TIMER = 600
"""The most seconds that the last students may have to answer."""

MOST_LETTERS = 500
"""The largest number of handwritten letters of a student in a class."""

KINDS: dict[str, type[Event]] = {}
"""All kinds of events, by their names in a log."""


@dataclass(frozen=True)
class Event:
    """Something that happened in a class.

    Attributes
    ----------
    begins_lesson, kept_for_later_lessons
        Whether it begins a lesson, and whether it still matters in the next lesson.
    once_by
        The fields by which an event that is sent twice is recognized; empty if each one counts.
    personal
        The fields that identify a student, with their values once the student is erased.
    """

    begins_lesson: ClassVar[bool] = False
    kept_for_later_lessons: ClassVar[bool] = False
    once_by: ClassVar[tuple[str, ...]] = ()
    personal: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        if "apply" in cls.__dict__:  # not a class between this one and the kinds
            KINDS[cls.__name__.lower()] = cls

    def check(self, state: State) -> None:
        """Raise :class:`~homeroom.live.refused.Refused` if it cannot happen now."""

    def apply(self, state: State) -> State:
        """Return the state after it; one out of place changes nothing."""
        raise NotImplementedError

    def may_prevent(self, joined: Joined, *, nearly_full: bool) -> bool:
        """Return whether it may prevent a student from joining, if stored after the check.

        In a class that is nearly full, any other student who joins may prevent it.

        >>> Locked(True).may_prevent(Joined("s1", "Ada"), nearly_full=False)
        True
        """
        return False


class MembershipEvent(Event):
    """Who is in a class, and who is here: it still matters in later lessons."""

    kept_for_later_lessons: ClassVar[bool] = True


@dataclass(frozen=True)
class Opened(MembershipEvent):
    """A teacher created the class, or, if it exists, began its next lesson.

    The next lesson has the same students and the same code, and may have another activity.

    Parameters
    ----------
    name
        The name of the class.
    activity
        The id of the activity that is taught.
    code
        The code with which students join.
    goal
        The lesson is over when the class's share of wrong answers is below it, with probability
        0.95. (Classes of version 0.1 ended at this mean squared distance to the target.)
    retention_days
        Everything is deleted this many days after the last event.
    pretest
        The number of items of the pre-test; by default, as many as the map needs.
    seed
        The seed of all random choices.
    reveal
        When students see the right answer: one of ``REVEALS``. With ``"own"``, as in version 0.1,
        it comes with their own answer; with ``"all"``, when all have answered; with ``"teacher"``,
        when the teacher shows it, and the next item comes when the teacher continues.
    discussion
        The seconds from the right answer until the next item.
    experiment
        The settings of :class:`~homeroom.live.classbook.experiment.Experiment`, if the lesson
        compares ways of teaching.
    form
        With which forms handwritten letters are compared: one of ``FORMS``. With ``"own"``, each
        student has the form that fits their first letters best.
    timer
        The seconds that the last students have to answer once almost all others have; 0 for as long
        as they need.
    """

    name: str
    activity: str
    code: str
    goal: float = 0.1
    retention_days: int = 30
    pretest: int | None = None
    seed: int = 0
    reveal: Reveal = "own"
    discussion: float = 0.0
    experiment: Mapping[str, Any] | None = None
    form: LetterForm = "own"
    timer: float = TIMER

    begins_lesson: ClassVar[bool] = True

    def check(self, state: State) -> None:
        name = self.name.strip()
        if not name or len(name) > LONGEST_CLASS or not self.name.isprintable():
            raise Refused("class_name", most=LONGEST_CLASS)
        if not 0 < self.goal < math.inf:
            raise Refused("goal", goal=self.goal)
        if self.reveal not in REVEALS or not 0 <= self.discussion <= LONGEST_DISCUSSION:
            raise Refused("reveal", most=LONGEST_DISCUSSION)
        if self.form not in FORMS:
            raise Refused("form")
        TimerSet(self.timer).check(state)
        if not 1 <= self.retention_days <= MOST_DAYS:
            raise Refused("days", most=MOST_DAYS, days=self.retention_days)
        if self.pretest is not None and not 1 <= self.pretest <= MOST_PRETEST_ITEMS:
            raise Refused("test_length", most=MOST_PRETEST_ITEMS, items=self.pretest)
        if state.opened is not None and state.phase not in BETWEEN_LESSONS:
            raise Refused("lesson_not_over")

    def apply(self, state: State) -> State:
        return state.begin_lesson(self)


@dataclass(frozen=True)
class Enrolled(MembershipEvent):
    """A student is on the class list; they may join later."""

    student: str
    name: str

    once_by: ClassVar[tuple[str, ...]] = ("student",)
    personal: ClassVar[Mapping[str, Any]] = {"name": ""}

    def check(self, state: State) -> None:
        _check_name(state, self.name, self.student)

    def apply(self, state: State) -> State:
        return state.put_student(state.people.get(self.student) or Student(self.student, self.name))

    def may_prevent(self, joined: Joined, *, nearly_full: bool) -> bool:
        return _is_same_student(self, joined) or nearly_full


@dataclass(frozen=True)
class Joined(MembershipEvent):
    """A student joined for the first time."""

    student: str
    name: str

    once_by: ClassVar[tuple[str, ...]] = ("student",)
    personal: ClassVar[Mapping[str, Any]] = {"name": ""}

    def check(self, state: State) -> None:
        known = state.people.get(self.student)
        if known is not None and known.joined:
            return
        if state.phase == "done":
            raise Refused("class_ended")
        if state.locked:
            raise Refused("door_closed")
        _check_name(state, self.name, self.student)

    def apply(self, state: State) -> State:
        known = state.people.get(self.student)
        name = self.name if known is None else known.name
        return state.put_student(Student(self.student, name, here=True, joined=True))

    def may_prevent(self, joined: Joined, *, nearly_full: bool) -> bool:
        return _is_same_student(self, joined) or nearly_full


@dataclass(frozen=True)
class Left(MembershipEvent):
    """A student left."""

    student: str

    def check(self, state: State) -> None:
        state.require_joined(self.student)

    def apply(self, state: State) -> State:
        return state.change_student(self.student, here=False)


@dataclass(frozen=True)
class Returned(MembershipEvent):
    """A student who had left is back."""

    student: str

    def check(self, state: State) -> None:
        state.require_joined(self.student)

    def apply(self, state: State) -> State:
        return state.change_student(self.student, here=True, signed_out=False)

    def may_prevent(self, joined: Joined, *, nearly_full: bool) -> bool:
        return self.student == joined.student


@dataclass(frozen=True)
class Reseated(MembershipEvent):
    """A student got their seat back with a seat code: their other pages become invalid."""

    student: str

    def check(self, state: State) -> None:
        state.require_student(self.student)

    def apply(self, state: State) -> State:
        known = state.people.get(self.student)
        if known is None:
            return state
        return state.put_student(replace(known, here=True, joined=True, signed_out=False))

    def may_prevent(self, joined: Joined, *, nearly_full: bool) -> bool:
        return self.student == joined.student


@dataclass(frozen=True)
class SignedOut(MembershipEvent):
    """Students signed out, as on a shared device. The next to join with a name gets that seat."""

    students: tuple[str, ...]

    def check(self, state: State) -> None:
        for student in self.students:
            state.require_joined(student)

    def apply(self, state: State) -> State:
        for student in self.students:
            state = state.change_student(student, here=False, signed_out=True)
        return state


@dataclass(frozen=True)
class Removed(MembershipEvent):
    """The teacher removed students: their answers no longer count, and their names are free.

    The store replaces their ids in the whole log, here too (:func:`without_identity`).
    """

    students: tuple[str, ...]

    def check(self, state: State) -> None:
        if not state.people.keys() & set(self.students):
            raise Refused("no_student")

    def apply(self, state: State) -> State:
        return state.drop_students(frozenset(self.students))

    def may_prevent(self, joined: Joined, *, nearly_full: bool) -> bool:
        return True  # the log no longer has their ids


@dataclass(frozen=True)
class Locked(MembershipEvent):
    """The teacher locked the class to new students, or unlocked it."""

    locked: bool

    def apply(self, state: State) -> State:
        return replace(state, locked=self.locked)

    def may_prevent(self, joined: Joined, *, nearly_full: bool) -> bool:
        return self.locked


@dataclass(frozen=True)
class PhaseBegan(Event):
    """The teacher began one of ``PHASES``."""

    phase: Phase

    def check(self, state: State) -> None:
        if self.phase not in PHASES:
            raise Refused("no_phase", phases=", ".join(PHASES), phase=self.phase[:40])
        begun = any(done.phase == "teach" for done in state.rounds)
        if self.phase in ("lobby", "pretest") and begun:
            raise Refused("lesson_begun")
        writes = state.activity.kind == WRITING
        if self.phase in TESTS and writes:
            raise Refused("no_tests")
        if self.phase != "teach":
            return
        tested = any(done.phase == "pretest" for done in state.rounds)
        if state.is_experiment and not tested:
            raise Refused("experiment_pretest")
        # An activity with a rule but without features needs a map learned from the answers.
        if state.space is None and state.activity.has_rule and not writes:
            learned_map.estimate(state)  # refuses if there are too few answers

    def apply(self, state: State) -> State:
        # A round that the phase cuts short has been shown only to those who answered.
        return replace(
            state.end_round("cut short").after_round,
            phase=self.phase,
            paused=False,
            forced=None,
            finished=None,
            focus=None,
            review=False,
            before=replace(state, before=None),
        )

    def may_prevent(self, joined: Joined, *, nearly_full: bool) -> bool:
        return self.phase == "done"


@dataclass(frozen=True)
class PhaseUndone(Event):
    """The teacher returned to the previous phase: what students did since is dropped."""

    def check(self, state: State) -> None:
        if not state.can_undo:
            raise Refused("no_undo")

    def apply(self, state: State) -> State:
        return state.undo_phase()


@dataclass(frozen=True)
class Focused(Event):
    """The teacher continues the lesson with some students; the others pause."""

    students: tuple[str, ...]

    def check(self, state: State) -> None:
        _require_own_lesson(state)
        for student in self.students:
            state.require_joined(student)

    def apply(self, state: State) -> State:
        taken = state.end_round("cut short").after_round
        return replace(taken, focus=frozenset(self.students), finished=None)


@dataclass(frozen=True)
class ReviewSet(Event):
    """The teacher chose whether students who have finished review what they know, or pause."""

    review: bool

    def check(self, state: State) -> None:
        _require_own_lesson(state)

    def apply(self, state: State) -> State:
        return replace(state, review=self.review)


@dataclass(frozen=True)
class RoundBegan(Event):
    """A round began: items are shown to the class.

    Parameters
    ----------
    round
        The number of the round: 0 for the pre-test.
    items
        In a test, the items that all students are asked; otherwise the item of each group, ``None``
        for a group that is done.
    reasons
        Why the item of each group was chosen: plain numbers, as
        :mod:`homeroom.live.classbook.choosing` computes them.
    each
        In a test, the number of items that each student is asked; all of them by default.
    """

    round: int
    items: tuple[str | None, ...]
    reasons: tuple[Mapping[str, Any] | None, ...] = ()
    each: int | None = None

    def apply(self, state: State) -> State:
        return state.begin_round(self)


@dataclass(frozen=True)
class Finished(Event):
    """The lesson is over after a round; ``why`` has the reasons, each once, as sentences."""

    round: int
    why: tuple[str, ...]

    def apply(self, state: State) -> State:
        return replace(state.after_estimates, finished=self)


@dataclass(frozen=True)
class Answered(Event):
    """A student answered an item.

    Parameters
    ----------
    student, round, item
        Who answered what.
    answer
        1 for yes, -1 for no, else the number of one of the item's options.
    seconds
        How long the item was on the student's page before, if the page measured it.
    """

    student: str
    round: int
    item: str
    answer: int
    seconds: float | None = None

    once_by: ClassVar[tuple[str, ...]] = ("round", "student", "item")

    def check(self, state: State) -> None:
        if not state.require_joined(self.student).here:
            raise Refused("you_left")
        now = state.now
        if now is None or now.number != self.round or now.ended is not None:
            raise Refused("round_over", round=self.round)
        if self.item not in now.items_of(self.student):
            raise Refused("not_asked")
        values = state.activity.values(self.item)
        if self.answer not in values:
            listed = ", ".join(map(str, values[:-1]))
            raise Refused("no_answer", answers=f"{listed} or {values[-1]}", answer=self.answer)
        if state.paused:
            raise Refused("paused")

    def apply(self, state: State) -> State:
        now = state.now
        if now is None or now.number != self.round or now.ended is not None:
            return state
        asked = self.item in now.items_of(self.student)
        if not asked or self.answer not in state.activity.values(self.item):
            return state
        return state.put_round(now.add_answer(self.student, self.item, self.answer, self.seconds))


@dataclass(frozen=True)
class TimerSet(Event):
    """The teacher set how many seconds the last students have, as ``Opened.timer``; 0 is off."""

    seconds: float

    def check(self, state: State) -> None:
        if not 0 <= self.seconds <= LONGEST_TIMER:
            raise Refused("timer", most=LONGEST_TIMER, seconds=self.seconds)

    def apply(self, state: State) -> State:
        assert state.opened is not None
        timed = replace(state, opened=replace(state.opened, timer=self.seconds))
        return timed.count_down(None)


@dataclass(frozen=True)
class TimerPaused(Event):
    """The teacher stopped the countdown of a round, or let it begin again."""

    round: int
    paused: bool

    def check(self, state: State) -> None:
        _check_present_round(state, self.round)

    def apply(self, state: State) -> State:
        return state.count_down(None, self.round, paused=self.paused)


@dataclass(frozen=True)
class CountdownBegan(Event):
    """Almost all students have answered: the others have ``seconds`` from the time of this event.

    When they are over, the server stores that the round is :class:`Closed`.
    """

    round: int
    seconds: float

    def apply(self, state: State) -> State:
        return state.count_down(self.seconds, self.round)


@dataclass(frozen=True)
class Closed(Event):
    """The class continues without the missing answers: the right answer is shown.

    The teacher closed the round, or its countdown is over.
    """

    round: int

    once_by: ClassVar[tuple[str, ...]] = ("round",)

    def check(self, state: State) -> None:
        _check_present_round(state, self.round)

    def apply(self, state: State) -> State:
        return state.end_round("closed", self.round)


@dataclass(frozen=True)
class Continued(Event):
    """The teacher ended the discussion of an item: the next one may come."""

    round: int

    once_by: ClassVar[tuple[str, ...]] = ("round",)

    def check(self, state: State) -> None:
        if state.in_discussion is None:
            raise Refused("no_discussion")
        if state.in_discussion.number != self.round:
            raise Refused("round_over", round=self.round)

    def apply(self, state: State) -> State:
        return state.continue_round(self.round)


@dataclass(frozen=True)
class Skipped(Event):
    """The teacher skipped the item: students who have not answered do not see its label."""

    round: int

    once_by: ClassVar[tuple[str, ...]] = ("round",)

    def check(self, state: State) -> None:
        _check_present_round(state, self.round, may_be_revealed=True)

    def apply(self, state: State) -> State:
        return state.end_round("skipped", self.round)


@dataclass(frozen=True)
class Overridden(Event):
    """The teacher chose the next item."""

    item: str

    def check(self, state: State) -> None:
        _require_lesson(state)
        if self.item not in state.activity.item_of:
            raise Refused("no_item", item=self.item[:60])
        if not state.usable(self.item):
            raise Refused("item_not_usable", item=self.item)

    def apply(self, state: State) -> State:
        return replace(state.end_round("skipped"), forced=self.item, finished=None)


@dataclass(frozen=True)
class Paused(Event):
    """The teacher paused the class, or resumed it."""

    paused: bool

    def apply(self, state: State) -> State:
        # The countdown begins again when the class resumes.
        return replace(state.count_down(None), paused=self.paused)


@dataclass(frozen=True)
class Regrouped(Event):
    """The teacher split the class into new groups.

    Parameters
    ----------
    how
        The rule, such as ``"by-rate"`` or ``"best:lam=0.5"``.
    groups
        The group of each student, counted from 0.
    """

    how: str
    groups: Mapping[str, int] = field(default_factory=dict)

    def check(self, state: State) -> None:
        if self.how != EXPERIMENT:
            _refuse_in_experiment(state)
        for student in self.groups:
            state.require_joined(student)

    def apply(self, state: State) -> State:
        return replace(state, how=self.how, groups=dict(self.groups), finished=None)


@dataclass(frozen=True)
class Consented(Event):
    """A student agreed to take part in an experiment, or did not, or no longer does."""

    student: str
    agrees: bool

    def check(self, state: State) -> None:
        state.require_joined(self.student)
        if not state.is_experiment:
            raise Refused("no_experiment")

    def apply(self, state: State) -> State:
        if self.student not in state.people:
            return state
        groups = state.groups
        if state.how == EXPERIMENT and not self.agrees and self.student in groups:
            groups = {**groups, self.student: state.usual_group}  # they leave their arm
        consents = {**state.consents, self.student: self.agrees}
        return replace(state, consents=consents, groups=groups)


@dataclass(frozen=True)
class MapDrawn(Event):
    """A map was learned from the answers, for an activity that has none.

    Parameters
    ----------
    places
        The place of each item; items without answers are left out.
    target
        The rule to be learned, ``(w, -tau)``: yes where ``<w, place> > tau``.
    """

    places: Mapping[str, tuple[float, ...]]
    target: tuple[float, ...]

    def apply(self, state: State) -> State:
        return state.use_map(self.places, self.target)


@dataclass(frozen=True)
class Wrote(Event):
    """A student wrote a letter.

    Parameters
    ----------
    student
        The student.
    round
        The number of the letter, counted from 1.
    strokes
        The ink: a list of points per stroke, ``{"x", "y", "t", "p"}``.
    scores
        The distances from the model, from 0 to 1, by name.
    form
        The name of the form that the letter was compared with; empty if it is not known.
    """

    student: str
    round: int
    strokes: tuple[tuple[Mapping[str, float], ...], ...]
    scores: Mapping[str, float]
    form: str = ""

    once_by: ClassVar[tuple[str, ...]] = ("round", "student")
    personal: ClassVar[Mapping[str, Any]] = {"strokes": (), "scores": {}, "form": ""}

    def check(self, state: State) -> None:
        state.require_joined(self.student)
        if state.activity.kind != WRITING:
            raise Refused("nothing_written")
        if state.phase != "teach" or state.paused:
            raise Refused("not_writing_now")
        next_number = state.next_letter(self.student)
        if not 1 <= self.round <= next_number:
            raise Refused("letter_too_early", number=self.round, next=next_number)
        if self.round > MOST_LETTERS:
            raise Refused("letters_enough", most=MOST_LETTERS)

    def apply(self, state: State) -> State:
        if self.student not in state.people:
            return state
        return replace(state, wrote=(*state.wrote, self))


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


def _is_same_student(event: Joined | Enrolled, joined: Joined) -> bool:
    """Return whether two events name the same student, or use the same name."""
    same_name = _comparable(event.name) == _comparable(joined.name)
    return event.student == joined.student or same_name


def is_nearly_full(state: State) -> bool:
    """Return whether students who join at the same moment could be too many."""
    return len(state.people) >= MOST_STUDENTS - AT_ONCE


def _refuse_in_experiment(state: State) -> None:
    """Refuse to change who is taught together in an experiment."""
    if state.is_experiment:
        raise Refused("experiment_groups")


def _require_lesson(state: State) -> None:
    """Refuse to choose items or students outside a lesson."""
    if state.phase != "teach" or state.activity.kind == WRITING:
        raise Refused("lesson_first")


def _require_own_lesson(state: State) -> None:
    """Refuse to choose who continues in an experiment, or outside a lesson."""
    _refuse_in_experiment(state)
    _require_lesson(state)


def _check_present_round(state: State, number: int, *, may_be_revealed: bool = False) -> None:
    """Refuse to end any round but the present one of the lesson, or to end that one twice."""
    now = state.now
    if now is None or now.is_test:
        raise Refused("no_example_now")
    if now.number != number or now.over or (now.is_revealed and not may_be_revealed):
        raise Refused("round_over", round=number)


SINCE_0_2 = ("reveal", "discussion", "experiment", "form", "seconds", "timer")
"""Fields that version 0.1 did not have: they are stored only if they differ from the default."""


def kind_of(event: Event) -> str:
    """Return the name of an event's kind in a log.

    >>> kind_of(Answered("s1", 3, "moth", 1))
    'answered'
    """
    return type(event).__name__.lower()


def to_json(event: Event) -> dict[str, Any]:
    """Return an event as plain JSON values.

    >>> to_json(Answered("s1", 3, "moth", 1))
    {'kind': 'answered', 'student': 's1', 'round': 3, 'item': 'moth', 'answer': 1}
    """
    plain = {
        part.name: _plain(getattr(event, part.name))
        for part in fields(event)
        if part.name not in SINCE_0_2 or getattr(event, part.name) != part.default
    }
    return {"kind": kind_of(event), **plain}


def from_json(values: Mapping[str, Any]) -> Event:
    """Return the event that plain JSON values describe.

    >>> from_json({"kind": "left", "student": "s1"})
    Left(student='s1')
    """
    kind = KINDS.get(str(values.get("kind")))
    if kind is None:
        raise InputError(
            f"There is no event of the kind {values.get('kind')!r}: was the log written by a newer "
            "version?"
        )
    given = {name: _frozen(value) for name, value in values.items() if name != "kind"}
    try:
        return kind(**given)
    except TypeError as why:
        raise InputError(f"An event cannot be read: {why}.") from None


def key_of(event: Event, lesson: int = 1) -> str | None:
    """Return a key that is the same if an event is sent twice; ``None`` if each one counts.

    Parameters
    ----------
    event
        The event.
    lesson
        The number of the class's lesson: rounds are counted from the beginning in each of them.

    >>> key_of(Answered("s1", 3, "moth", 1)) == key_of(Answered("s1", 3, "moth", -1))
    True
    """
    if not event.once_by:
        return None
    within = f"lesson {lesson} " if lesson > 1 and "round" in event.once_by else ""
    values = " ".join(str(getattr(event, name)) for name in event.once_by)
    return f"{within}{kind_of(event)} {values}"


def students_of(event: Event) -> frozenset[str]:
    """Return the ids of the students whom an event names.

    >>> students_of(Left("s1")), students_of(Paused(True))
    (frozenset({'s1'}), frozenset())
    """
    if isinstance(event, Regrouped):
        return frozenset(event.groups)
    students: tuple[str, ...] = getattr(event, "students", ())
    return frozenset(students or filter(None, [getattr(event, "student", None)]))


def without_identity(event: Event, ids: Mapping[str, str]) -> Event:
    """Return an event with other ids for some students, without their names and handwriting.

    Their answers to items stay, as numbers: what the class did next depended on them.

    >>> without_identity(Joined("s1", "Ada"), {"s1": "x"})
    Joined(student='x', name='')
    """
    if not students_of(event) & ids.keys():
        return event
    changed = dict(event.personal)
    if isinstance(event, Regrouped):
        changed["groups"] = {ids.get(one, one): group for one, group in event.groups.items()}
    elif hasattr(event, "students"):
        changed["students"] = tuple(ids.get(one, one) for one in event.students)
    elif hasattr(event, "student"):
        changed["student"] = ids[event.student]
    return replace(event, **changed)


def _plain(value: Any) -> Any:
    """Return a value with lists in place of tuples, for JSON."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value


def _frozen(value: Any) -> Any:
    """Return a value from JSON with tuples in place of lists."""
    if isinstance(value, Mapping):
        return {key: _frozen(part) for key, part in value.items()}
    return tuple(_frozen(part) for part in value) if isinstance(value, tuple | list) else value
