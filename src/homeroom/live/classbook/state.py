"""The state of a class: pure data, computed from its events, from which all pages are made.

Students see codes instead of item ids, as an id may give away the answer.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from homeroom.live.activities.base import Activity
from homeroom.live.activities.space import AnswerList, Space
from homeroom.live.classbook.class_beliefs import ClassBeliefs
from homeroom.live.classbook.rounds import Round
from homeroom.live.messages.common import Phase
from homeroom.live.refused import Refused

if TYPE_CHECKING:
    from homeroom.live.events import Event, Finished, Opened, RoundBegan, Wrote

ITEM_CODE_LENGTH = 16
"""The number of hexadecimal digits of a code."""


@dataclass(frozen=True)
class ItemCodes:
    """A code for each item of a class, in place of the id.

    Ids and file names often follow the order in which items were collected, one label after the
    other, so a student who reads them could guess the answer. A code is a keyed hash of the id, and
    the key is secret and different in every class.

    Parameters
    ----------
    items
        The ids of the items.
    key
        The secret key of the class. With the empty default, anyone can compute the codes.
    lesson
        The number of the lesson: an item has a different code in each lesson.

    Examples
    --------
    >>> codes = ItemCodes(("moth-1", "moth-2", "bee-1"), b"secret")
    >>> codes.code_of["moth-1"]
    'a65b4ede957422da'
    >>> codes.item_of["a65b4ede957422da"]
    'moth-1'
    >>> codes.shuffle(["moth-1", "moth-2", "bee-1"])
    ('bee-1', 'moth-2', 'moth-1')
    """

    items: tuple[str, ...]
    key: bytes = b""
    lesson: int = 1

    @cached_property
    def code_of(self) -> Mapping[str, str]:
        """The code of each item, by its id."""
        # The codes of the first lesson are those of classes stored before lessons had numbers.
        salt = "" if self.lesson == 1 else f"{self.lesson} "
        return {
            item: hmac.digest(self.key, f"{salt}{item}".encode(), "sha256").hex()[:ITEM_CODE_LENGTH]
            for item in self.items
        }

    @cached_property
    def item_of(self) -> Mapping[str, str]:
        """The id of each item, by its code."""
        return {code: item for item, code in self.code_of.items()}

    def shuffle(self, items: Iterable[str]) -> tuple[str, ...]:
        """Return items in the order of their codes: random, but fixed for a class and lesson."""
        return tuple(sorted(items, key=self.code_of.__getitem__))


Strokes: TypeAlias = Sequence[Sequence[Mapping[str, Any]]]
"""Ink as a page sends it: lists of points ``{"x", "y", "t", "p"}``."""

Find: TypeAlias = Callable[[str], Activity | None]
"""Returns an activity by its id: the next lesson of a class may have another one."""

EXPERIMENT = "experiment"
"""The kind of split whose groups are the arms of an experiment."""

SET_ASIDE = 5
"""The number of rounds for which a skipped item is not chosen again."""


@dataclass(frozen=True)
class Student:
    """A student of a class; one who is only on the class list has not joined.

    A student who signed out has joined, but can join again with the same name. ``here`` is whether
    they are present now.
    """

    id: str
    name: str
    here: bool = False
    joined: bool = False
    signed_out: bool = False

    @property
    def open(self) -> bool:
        """Whether a student can join with this name."""
        return not self.joined or self.signed_out


class RoundError(NamedTuple):
    """The expected share of wrong answers of a class after a round, which decides the lesson's end.

    Its 90 % credible interval is ``low`` to ``total``: it is at most ``total`` with probability
    0.95. ``unsure`` is ``total`` minus the estimate. ``distance`` is the expected mean squared
    distance to the target.
    """

    round: int
    total: float
    unsure: float
    low: float
    distance: float

    @classmethod
    def of(cls, number: int, beliefs: ClassBeliefs, students: Sequence[str]) -> RoundError:
        """Return the error of some students after a round; of all if none is here."""
        memory = beliefs.memory_of(students or beliefs.students)
        middle, low, high = map(float, memory.knows.of_class)
        return cls(number, 1.0 - low, max(0.0, middle - low), 1.0 - high, memory.error.total)


@dataclass(frozen=True, eq=False)
class State:
    """A class after some events, computed from the events alone.

    Frozen: :meth:`after` returns a new state. What the class itself chooses
    (:func:`~homeroom.live.classbook.proposals.propose`) is an event too, and takes effect only when
    it is in the log. So a class that is rebuilt from its log is the same bit for bit, on any
    machine.

    Parameters
    ----------
    activity
        What the class is taught.
    opened
        The event that created the class, or began its present lesson; ``None`` before it.
    lesson
        The number of the present lesson, counted from 1.
    version
        The number of events.
    phase, paused
        The phase of the lesson, and whether the teacher paused it.
    people
        All students who joined or are on the class list, by id, in the order they were added.
    removed
        The ids of students who were removed.
    locked
        Whether new students are refused.
    groups, how
        The group of each student who was here at the last split, and the kind of split.
    rounds
        All rounds, the present one last.
    space
        The items and the target, once the map is known; or items with several answers, which have
        no map.
    learned
        The positions of the items on the map, if it was estimated from the pre-test.
    beliefs
        The beliefs about the students after all rounds that are over.
    errors
        The class's error after each of these rounds.
    forced
        The item that the teacher wants to be shown next.
    finished
        Why there is no next example.
    wrote
        The letters that students wrote.
    codes
        The codes that students see instead of the items' ids.
    focus
        The students with whom the lesson continues while the others pause; ``None`` for all.
    review
        Whether students who have finished review what they know instead of pausing.
    before
        The state when the present phase began, to which the teacher can return.
    consents
        Whether each student agreed to take part in the experiment. Students who have not answered
        are not in it.
    last_number
        The largest round number so far, including rounds that were undone.
    find
        Returns the activities of later lessons.

    Examples
    --------
    >>> from homeroom.live.activities.insects import activity
    >>> from homeroom.live.classbook.proposals import propose
    >>> from homeroom.live.events import Answered, Joined, Opened, PhaseBegan
    >>> state = State.begin(activity()).after(Opened("5b", "insects", "ABC234"))
    >>> state = state.after(Joined("s1", "Ada")).after(PhaseBegan("teach"))
    >>> began = propose(state)
    >>> began.round, len(began.items)
    (1, 1)
    >>> state = state.after(began).after(Answered("s1", 1, began.items[0], 1))
    >>> propose(state).round
    2
    """

    activity: Activity
    opened: Opened | None = None
    lesson: int = 1
    version: int = 0
    phase: Phase = "lobby"
    paused: bool = False
    people: Mapping[str, Student] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()
    locked: bool = False
    groups: Mapping[str, int] = field(default_factory=dict)
    how: str = "whole"
    rounds: tuple[Round, ...] = ()
    space: Space | AnswerList | None = None
    learned: Mapping[str, tuple[float, ...]] | None = None
    beliefs: ClassBeliefs | None = None
    errors: tuple[RoundError, ...] = ()
    forced: str | None = None
    finished: Finished | None = None
    wrote: tuple[Wrote, ...] = ()
    codes: ItemCodes = field(default_factory=lambda: ItemCodes(()))
    focus: frozenset[str] | None = None
    review: bool = False
    before: State | None = None
    consents: Mapping[str, bool] = field(default_factory=dict)
    last_number: int = -1
    find: Find = lambda _: None

    @classmethod
    def begin(cls, activity: Activity, key: bytes = b"", find: Find = lambda _: None) -> State:
        """Return the state of a class in which nothing has happened yet.

        Parameters
        ----------
        activity
            What the class is taught in its first lesson.
        key
            The secret from which the codes are made that students see instead of item ids.
        find
            Returns the activities of later lessons.
        """
        codes = ItemCodes(tuple(activity.item_of), key)
        space = activity.space or activity.answer_list
        return cls(activity, space=space, codes=codes, find=find)

    def after(self, event: Event) -> State:
        """Return the state after one more event; one out of place changes only the version."""
        return replace(event.apply(self), version=self.version + 1)

    def after_all(self, events: Sequence[Event]) -> State:
        """Return the state after some events.

        Of earlier lessons, only the students matter: their answers are not processed, so a class
        with many lessons opens as quickly as a class with one.
        """
        last = max((n for n, one in enumerate(events) if one.begins_lesson), default=0)
        state = self
        for number, event in enumerate(events):
            if number < last and not event.kept_for_later_lessons:
                state = replace(state, version=state.version + 1)
            else:
                state = state.after(event)
        return state

    # What events change

    def begin_lesson(self, opened: Opened) -> State:
        """Return the state at the beginning of a lesson; of the last one only students are kept.

        Items get new codes, so that a late answer from the last lesson does not count in this one.
        """
        if self.opened is None:
            return replace(self, opened=opened)
        activity = self.find(opened.activity)
        if activity is None:
            raise Refused("activity_gone")
        lesson = self.lesson + 1
        return State(
            activity,
            opened,
            lesson,
            people=self.people,
            removed=self.removed,
            locked=self.locked,
            space=activity.space or activity.answer_list,
            codes=ItemCodes(tuple(activity.item_of), self.codes.key, lesson),
            find=self.find,
        )

    def put_student(self, new: Student) -> State:
        """Return the state with a student in place of what was known of them."""
        groups = self.groups
        if groups and new.here and new.id not in groups:
            groups = {**groups, new.id: self.usual_group}
        # A student who joins may have something to learn: a lesson that was over continues.
        continues = new.here and self.people.get(new.id) != new
        changed = replace(
            self,
            people={**self.people, new.id: new},
            groups=groups,
            finished=None if continues else self.finished,
            removed=self.removed - {new.id},
        )
        return changed._place_in_round(new)

    def change_student(self, student: str, *, here: bool, signed_out: bool | None = None) -> State:
        """Return the state after a student who has joined left or came back.

        ``signed_out`` is whether they can join again with their name; unchanged by default.
        """
        known = self.people.get(student)
        if known is None or not known.joined:
            return self
        can_rejoin = known.signed_out if signed_out is None else signed_out
        return self.put_student(replace(known, here=here, signed_out=can_rejoin))

    def drop_students(self, gone: frozenset[str]) -> State:
        """Return the state as if some students had never joined, except for the items shown."""
        beliefs = self.beliefs
        if beliefs is not None and gone:
            beliefs = beliefs.keep_only([one for one in beliefs.students if one not in gone])
        return replace(
            self,
            people={key: one for key, one in self.people.items() if key not in gone},
            removed=self.removed | gone,
            groups={one: group for one, group in self.groups.items() if one not in gone},
            consents={one: agrees for one, agrees in self.consents.items() if one not in gone},
            rounds=tuple(done.drop_students(gone) for done in self.rounds),
            beliefs=beliefs,
            wrote=tuple(wrote for wrote in self.wrote if wrote.student not in gone),
        )

    def _place_in_round(self, student: Student) -> State:
        """Return the state with a student in the present round if they are here, else out of it."""
        now = self.now
        if now is None:
            return self
        late = now.reveal != "own" and now.is_revealed  # they take part from the next item on
        if student.here and student.id not in now.members and not late:
            now = now.add_student(student.id, self.group_of(student.id))
            if not now.almost_all_answered:
                now = replace(now, countdown=None)
        elif not student.here:
            now = now.stop_waiting_for(student.id)
        return self.put_round(now)

    def put_round(self, now: Round) -> State:
        """Return the state with another present round."""
        return replace(self, rounds=(*self.rounds[:-1], now))

    def begin_round(self, event: RoundBegan) -> State:
        """Return the state after a round began; unchanged if the event comes too late."""
        now = self.now
        if event.round != self.next_round or (now is not None and not now.over):
            return self  # another process has begun this round, or the round is not over
        state = self.after_round
        last = len(event.items) - 1
        begun = Round(
            event.round,
            state.phase,
            event.items,
            event.reasons,
            {student: min(state.group_of(student), last) for student in state.taught},
            each=event.each,
        )
        if state.opened is not None and not begun.is_test:
            begun = replace(begun, reveal=state.opened.reveal)
        return replace(
            state,
            rounds=(*state.rounds, begun),
            beliefs=state.beliefs_about_all,
            forced=None,
            last_number=event.round,
        )

    def _lesson_round(self, number: int | None) -> Round | None:
        """Return the present round of the lesson while it is not over, if it has this number."""
        now = self.now
        if now is None or now.is_test or now.over:
            return None
        return now if number in (None, now.number) else None

    def count_down(
        self, seconds: float | None, number: int | None = None, *, paused: bool | None = None
    ) -> State:
        """Return the state with a countdown in a round of the lesson that is not over.

        Parameters
        ----------
        seconds
            The seconds that are left; ``None`` for no countdown.
        number
            The round; the present one by default.
        paused
            Whether the teacher stops the countdown; by default, that does not change.
        """
        now = self._lesson_round(number)
        if now is None:
            return self
        held = now.timer_paused if paused is None else paused
        return self.put_round(replace(now, countdown=seconds, timer_paused=held))

    def end_round(self, how: str, number: int | None = None) -> State:
        """Return the state after a round of the lesson was ended, ``how`` as in ``Round.ended``.

        ``number`` is the round; the present one by default.
        """
        now = self._lesson_round(number)
        if now is None:
            return self
        if now.is_revealed:  # the class has seen it, so it was not skipped or cut short
            return self.continue_round(now.number)
        return self.put_round(replace(now, ended=how))

    def continue_round(self, number: int) -> State:
        """Return the state after the discussion of a round was ended."""
        now = self.now
        if now is None or now.number != number or not now.is_revealed:
            return self
        return self.put_round(replace(now, continued=True))

    def undo_phase(self) -> State:
        """Return the state before the present phase, with students who joined or left since.

        Rounds of the dropped phase are gone, but their numbers are not used again.
        """
        before = self.before
        if before is None:
            return self
        split = before if self.how == EXPERIMENT and self.phase == "teach" else self
        state = replace(
            before,
            version=self.version,
            opened=self.opened,  # the teacher may have set the timer
            people=self.people,
            locked=self.locked,
            groups=split.groups,
            how=split.how,  # an experiment is split again when its lesson begins
            consents=self.consents,
            last_number=self.last_number,
        )
        for student in self.people.values():
            state = state._place_in_round(student)
        return state.drop_students(self.removed)

    def use_map(self, places: Mapping[str, tuple[float, ...]], target: tuple[float, ...]) -> State:
        """Return the state with beliefs from all rounds that are over, on a new map."""
        space = Space.of(places, target, self.activity.labels)
        state = replace(self, space=space, learned=places)
        beliefs = replace(state, beliefs=None).beliefs_about_all
        if beliefs is None:
            return state
        over = [done for done in state.rounds if done is not state.now]
        for done in over:
            beliefs = beliefs.after(done)
        errors = [RoundError.of(done.number, beliefs, state.here) for done in over[-1:]]
        return replace(state, beliefs=beliefs, errors=tuple(errors) or state.errors)

    # Beliefs about the students

    @cached_property
    def beliefs_about_all(self) -> ClassBeliefs | None:
        """The beliefs about all students who ever joined, after all rounds that are over."""
        if self.space is None or not self.joined:
            return None
        if self.beliefs is None:
            assert self.opened is not None
            return ClassBeliefs.begin(self.space, self.joined, pretest=self.opened.pretest)
        return self.beliefs.with_newcomers(self.joined)

    @cached_property
    def after_round(self) -> State:
        """The state with the answers and examples of the present round in the beliefs."""
        done = self.now
        if done is None or self.beliefs_about_all is None:
            return self  # nothing to take in, or all students have been removed
        beliefs = (self.beliefs or self.beliefs_about_all).after(done, self.joined)
        point = RoundError.of(done.number, beliefs, self.here)
        return replace(self, beliefs=beliefs, errors=(*self.errors, point))

    @property
    def after_estimates(self) -> State:
        """The state with the present round, and with all estimates that are due.

        A lesson ends only if no group has a next item with these estimates; the page then shows
        them.
        """
        state = self.after_round
        if state.beliefs is None or state.beliefs.latest is state.beliefs:
            return state
        beliefs = state.beliefs.latest.with_newcomers(state.joined)
        last = [RoundError.of(point.round, beliefs, state.here) for point in state.errors[-1:]]
        return replace(state, beliefs=beliefs, errors=(*state.errors[:-1], *last))

    def prepare(self) -> None:
        """Compute what the next item will need, while the students answer the present one."""
        if self.beliefs is not None:
            self.beliefs.prepare()

    # What follows from the data

    def require_student(self, student: str) -> Student:
        """Return a student who has joined or is on the class list; refuse anyone else."""
        if student in self.removed:
            raise Refused("removed")
        if student not in self.people:
            raise Refused("no_student")
        return self.people[student]

    def require_joined(self, student: str) -> Student:
        """Return a student who has joined; refuse anyone else."""
        known = self.require_student(student)
        if not known.joined:
            raise Refused("no_student")
        return known

    def find_seat(self, nickname: str) -> str | None:
        """Return the student with this name whose seat is open: not joined yet, or signed out."""
        name = nickname.strip().casefold()
        people = self.people.values()
        return next((one.id for one in people if one.name.casefold() == name and one.open), None)

    def has_answer(self, student: str, number: int, item: str) -> bool:
        """Return whether an answer to an item of round ``number`` is known already."""
        rounds = (done for done in self.rounds if done.number == number)
        return any((student, item) in done.answers for done in rounds)

    def next_letter(self, student: str) -> int:
        """Return the number of the next letter that a student writes, counted from 1."""
        return 1 + max((wrote.round for wrote in self.wrote if wrote.student == student), default=0)

    @property
    def is_experiment(self) -> bool:
        """Whether the lesson compares ways of teaching."""
        return self.opened is not None and self.opened.experiment is not None

    @property
    def places(self) -> Mapping[str, tuple[float, ...]] | None:
        """The position of each item on the map."""
        if self.activity.plane is not None:
            return self.activity.plane.places
        return self.activity.places if self.learned is None else self.learned

    def usable(self, item: str) -> bool:
        """Return whether an item can be shown as an example."""
        if self.activity.has_rule:
            return self.space is not None and item in self.space.row_of
        return item in self.activity.labels

    @property
    def here(self) -> tuple[str, ...]:
        """The ids of the students who are here."""
        return tuple(one.id for one in self.people.values() if one.here)

    @property
    def in_discussion(self) -> Round | None:
        """The present round of the lesson while its right answer is shown to all, else ``None``.

        It ends when the teacher continues, or the next round begins.
        """
        now = self.now
        shown = now is not None and self.phase == "teach" and now.is_revealed and not now.continued
        return now if shown and self.finished is None else None

    @property
    def can_undo(self) -> bool:
        """Whether the teacher can undo the present phase.

        Since it began, no student may have written a letter or finished a test, and no round of the
        lesson may have been revealed, or ended after a student saw the right answer.
        """
        if self.before is None or len(self.wrote) > len(self.before.wrote):
            return False
        since = self.rounds[len(self.before.rounds) :]
        return not any(
            any(not done.open_items(student) for student in done.members)
            if done.is_test
            else done.is_revealed or (done.over and bool(done.shown))
            for done in since
        )

    @property
    def taught(self) -> tuple[str, ...]:
        """The ids of the students who are here and take part in the next round."""
        all_of_them = self.focus is None or self.review
        return tuple(one for one in self.here if all_of_them or one in (self.focus or ()))

    def is_resting(self, student: str) -> bool:
        """Return whether a student pauses: the lesson continues without them or their group."""
        if self.phase != "teach" or self.finished is not None:
            return False
        if self.now is not None and not self.now.items_of(student):
            return True
        return self.focus is not None and not self.review and student not in self.focus

    @property
    def joined(self) -> tuple[str, ...]:
        """The ids of all students who ever joined."""
        return tuple(one.id for one in self.people.values() if one.joined)

    @property
    def now(self) -> Round | None:
        """The last round, if it belongs to this phase and is not in the beliefs yet."""
        if not self.rounds or self.rounds[-1].phase != self.phase:
            return None
        return None if self.rounds[-1].number in self.taken_in else self.rounds[-1]

    @property
    def latest(self) -> Round | None:
        """The present round, or the last one when the lesson is over."""
        over = self.rounds[-1] if self.rounds and self.finished is not None else None
        return over if self.now is None else self.now

    @cached_property
    def taken_in(self) -> frozenset[int]:
        """The numbers of the rounds whose answers are in the beliefs."""
        return frozenset(point.round for point in self.errors)

    @property
    def just_skipped(self) -> tuple[str, ...]:
        """The items that were skipped within the last ``SET_ASIDE`` rounds that were shown."""
        found: list[str] = []
        shown = 0
        for done in reversed(self.rounds):
            if done.ended in ("skipped", "cut short"):
                found += [item for item in done.items if item is not None]
            elif done.shown:
                shown += 1
            if shown == SET_ASIDE:
                break
        return tuple(found)

    @property
    def last_round(self) -> int:
        """The number of the last round; 0 before the first."""
        return self.rounds[-1].number if self.rounds else 0

    @property
    def next_round(self) -> int:
        """The number of the next round."""
        first = 0 if self.phase == "pretest" else 1
        last = self.rounds[-1].number if self.rounds else -1
        return max(first, 1 + last, 1 + self.last_number)

    @cached_property
    def usual_group(self) -> int:
        """The group of students who join late: the largest one.

        In an experiment it is the last group, which does not take part.
        """
        if self.how == EXPERIMENT and self.opened is not None and self.opened.experiment:
            return len(self.opened.experiment["arms"])
        counts = Counter(self.groups[student] for student in self.here if student in self.groups)
        return min(counts, key=lambda group: (-counts[group], group)) if counts else 0

    @property
    def _last_group(self) -> int:
        """The number of the last group; in an experiment, the group that does not take part."""
        return self.usual_group if self.how == EXPERIMENT else max(self.groups.values(), default=0)

    def group_of(self, student: str) -> int:
        """Return the group of a student; students who review form one more group."""
        if student in self.reviewers:
            return 1 + self._last_group
        return self.groups.get(student, self.usual_group)

    @cached_property
    def members(self) -> tuple[tuple[str, ...], ...]:
        """The students who take part, by group; a group that all have left is empty."""
        count = 1 + self._last_group + bool(self.reviewers)
        groups: list[list[str]] = [[] for _ in range(count)]
        for student in self.taught:
            groups[self.group_of(student)].append(student)
        return tuple(tuple(group) for group in groups)

    @cached_property
    def reviewers(self) -> frozenset[str]:
        """The ids of the students who review while the lesson continues with the others."""
        if not self.review or self.focus is None:
            return frozenset()
        return frozenset(self.here) - self.focus
