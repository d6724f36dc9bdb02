"""The class book: the state of a class after its events, and its next event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from homeroom.lessons import StoppedBecause
from homeroom.live.activities.base import WRITING, Activity
from homeroom.live.activities.space import Space
from homeroom.live.classbook import experiment, learned_map, regroup, rules
from homeroom.live.classbook.board import board
from homeroom.live.classbook.choosing import (
    NO_GOAL,
    REVIEW,
    TEACHER,
    ItemChoice,
    fresh_items,
    next_item,
    pretest_items,
    reason_for,
    some_items,
)
from homeroom.live.classbook.class_beliefs import ClassBeliefs
from homeroom.live.classbook.rounds import TESTS, Round
from homeroom.live.classbook.state import EXPERIMENT, ItemCodes, RoundError, State, Strokes, Student
from homeroom.live.classbook.view import view
from homeroom.live.events import (
    Answered,
    Closed,
    Consented,
    Continued,
    Enrolled,
    Event,
    Finished,
    Focused,
    Joined,
    Left,
    Locked,
    MapDrawn,
    Opened,
    Overridden,
    Paused,
    PhaseBegan,
    PhaseUndone,
    Regrouped,
    Removed,
    Reseated,
    Returned,
    ReviewSet,
    RoundBegan,
    SignedOut,
    Skipped,
    Wrote,
)
from homeroom.live.refused import Refused

MOST_ROUNDS = 200
"""The largest number of examples that a class is shown."""

Find: TypeAlias = Callable[[str], Activity | None]
"""Returns an activity by its id: the next lesson of a class may have another one."""

KEPT = Opened | Enrolled | Joined | Left | Returned | Reseated | SignedOut | Removed | Locked
"""The events of a lesson that still matter in the next one."""


@dataclass(frozen=True, eq=False)
class ClassBook:
    """A class after some events, computed from the events alone.

    Frozen: :meth:`after` returns a new book. What the class itself chooses (:meth:`proposes`) is an
    event too, and takes effect only when it is in the log. So a class that is rebuilt from its log
    is the same bit for bit, on any machine.

    Parameters
    ----------
    state
        The class after the events.
    find
        Returns the activities of later lessons.

    Examples
    --------
    >>> from homeroom.live.activities.insects import activity
    >>> book = ClassBook.begin(activity()).after(Opened("5b", "insects", "ABC234"))
    >>> book = book.after(Joined("s1", "Ada")).after(PhaseBegan("teach"))
    >>> began = book.proposes()
    >>> began.round, len(began.items)
    (1, 1)
    >>> book = book.after(began).after(Answered("s1", 1, began.items[0], 1))
    >>> book.proposes().round
    2
    """

    state: State
    find: Find = lambda _: None

    @classmethod
    def begin(cls, activity: Activity, key: bytes = b"", find: Find = lambda _: None) -> ClassBook:
        """Return the book of a class in which nothing has happened yet.

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
        return cls(State(activity, space=space, codes=codes), find)

    @classmethod
    def rebuilt(
        cls,
        activity: Activity,
        events: Iterable[Event],
        key: bytes = b"",
        find: Find = lambda _: None,
    ) -> ClassBook:
        """Return the book of a class after all these events; else as :meth:`begin`."""
        return cls.begin(activity, key, find).after_all(list(events))

    @property
    def version(self) -> int:
        """How many events there were."""
        return self.state.version

    def after(self, event: Event) -> ClassBook:
        """Return the book after one more event; one out of place changes only the version."""
        return self._at(self._changed(event))

    def after_all(self, events: Sequence[Event]) -> ClassBook:
        """Return the book after some events.

        Of earlier lessons, only the students matter: their answers are not processed, so a class
        with many lessons opens as quickly as a class with one.
        """
        last = max((n for n, one in enumerate(events) if isinstance(one, Opened)), default=0)
        book = self
        for number, event in enumerate(events):
            skip = number < last and not isinstance(event, KEPT)
            book = book._at(book.state) if skip else book.after(event)
        return book

    def _at(self, state: State) -> ClassBook:
        """Return the book with this state, one version later."""
        return ClassBook(replace(state, version=self.state.version + 1), self.find)

    def _changed(self, event: Event) -> State:  # noqa: PLR0912 - one branch per kind of event
        """Return the state after an event."""
        state = self.state
        match event:
            case Opened():
                return replace(state, opened=event) if state.opened is None else self._next(event)
            case SignedOut(students):
                return _signed_out(state, students)
            case Enrolled() | Joined() | Left() | Returned() | Reseated():
                return _with_person(state, event)
            case Removed(students):
                return _without(state, frozenset(students) & state.people.keys())
            case Locked(locked):
                return replace(state, locked=locked)
            case PhaseBegan(phase):
                # A round that the phase cuts short has been shown only to those who answered.
                cut = _ended(state, state.last_round, "cut short")
                taken = ClassBook(cut)._taken_in
                before = replace(state, before=None)
                return replace(
                    taken,
                    phase=phase,
                    paused=False,
                    forced=None,
                    finished=None,
                    focus=None,
                    review=False,
                    before=before,
                )
            case PhaseUndone():
                return _undone(state)
            case Focused(students):
                cut = _ended(state, state.last_round, "cut short")
                return replace(ClassBook(cut)._taken_in, focus=frozenset(students), finished=None)
            case ReviewSet(review):
                return replace(state, review=review)
            case RoundBegan():
                return self._begun(event)
            case Answered():
                return _with_answer(state, event)
            case Closed(number):
                return _ended(state, number, "closed")
            case Continued(number):
                return _continued(state, number)
            case Skipped(number):
                return _ended(state, number, "skipped")
            case Overridden(item):
                ended = _ended(state, state.last_round, "skipped")
                return replace(ended, forced=item, finished=None)
            case Paused(paused):
                return replace(state, paused=paused)
            case Regrouped(how, groups):
                return replace(state, how=how, groups=dict(groups), finished=None)
            case Consented(student, agrees):
                return _consented(state, student, agrees=agrees)
            case MapDrawn(places, target):
                space = Space.of(places, target, state.activity.labels)
                return learned_map.placed(replace(state, space=space, learned=places))
            case Finished():
                return replace(self._up_to_date, finished=event)
            case Wrote(student):
                wrote = (*state.wrote, event) if student in state.people else state.wrote
                return replace(state, wrote=wrote)

    def _next(self, opened: Opened) -> State:
        """Return the state at the beginning of the next lesson: only the students are kept.

        Items get new codes, so that a late answer from the last lesson does not count in this one.
        """
        state = self.state
        activity = self.find(opened.activity)
        if activity is None:
            raise Refused("activity_gone")
        lesson = state.lesson + 1
        return State(
            activity,
            opened,
            lesson,
            people=state.people,
            removed=state.removed,
            locked=state.locked,
            space=activity.space or activity.answer_list,
            codes=ItemCodes(tuple(activity.item_of), state.codes.key, lesson),
        )

    def _begun(self, event: RoundBegan) -> State:
        """Return the state after a round began; unchanged if the event comes too late."""
        now = self.state.now
        if event.round != self.state.next_round or (now is not None and not now.over):
            return self.state  # another process has begun this round, or the round is not over
        state = self._taken_in
        last = len(event.items) - 1
        members = {student: min(state.group_of(student), last) for student in state.taught}
        begun = Round(
            event.round, state.phase, event.items, event.reasons, members, each=event.each
        )
        if state.opened is not None and not begun.is_test:
            begun = replace(begun, reveal=state.opened.reveal)
        beliefs = ClassBook(state).beliefs  # with students who have joined since
        rounds = (*state.rounds, begun)
        return replace(state, rounds=rounds, beliefs=beliefs, forced=None, last_number=event.round)

    @cached_property
    def _taken_in(self) -> State:
        """The state with the answers and examples of the present round in the beliefs."""
        state = self.state
        done = state.now
        if done is None or state.space is None:
            return state
        if self.beliefs is None:
            return state  # all students have been removed
        before = self.beliefs if state.beliefs is None else state.beliefs
        beliefs = before.after(done, state.joined)
        point = RoundError.of(done.number, beliefs.memory_of(state.here or beliefs.students))
        return replace(state, beliefs=beliefs, errors=(*state.errors, point))

    @property
    def _up_to_date(self) -> State:
        """The state with the present round, and with all estimates that are due.

        A lesson ends only if no group has a next item with these estimates; the page then shows
        them.
        """
        state = self._taken_in
        if state.beliefs is None or state.beliefs.latest is state.beliefs:
            return state
        beliefs = state.beliefs.latest.with_newcomers(state.joined)
        errors = state.errors[:-1]
        for point in state.errors[-1:]:
            memory = beliefs.memory_of(state.here or beliefs.students)
            errors = (*errors, RoundError.of(point.round, memory))
        return replace(state, beliefs=beliefs, errors=errors)

    @cached_property
    def beliefs(self) -> ClassBeliefs | None:
        """The beliefs about all students who ever joined, after all rounds that are over."""
        state = self.state
        if state.space is None or not state.joined:
            return None
        if state.beliefs is None:
            assert state.opened is not None
            return ClassBeliefs.begin(state.space, state.joined, pretest=state.opened.pretest)
        return state.beliefs.with_newcomers(state.joined)

    def proposes(self) -> Event | None:
        """Return the next event that the class itself causes, or ``None`` while it waits.

        The event takes effect when it is in the log. For 300 students and the built-in insects,
        most of the cost is the estimate of what they know.
        """
        state = self.state
        waiting = state.opened is None or state.activity.kind == WRITING or state.paused
        if waiting or not state.taught:
            return None
        if state.phase in TESTS:
            return None if state.now is not None or self._tested else self._test()
        if state.phase != "teach" or state.finished is not None:
            return None
        if state.space is None and state.activity.has_rule:
            return learned_map.drawn(state)
        if state.now is not None and not state.now.over:
            return None
        compared = experiment.Experiment.of(state.opened)
        if compared is not None and state.how != EXPERIMENT:
            return experiment.split(state, compared)
        return self._lesson()

    def prepare(self) -> None:
        """Compute what the next item will need, while the students answer the present one."""
        if self.state.beliefs is not None:
            self.state.beliefs.prepare()

    @property
    def _tested(self) -> bool:
        """Whether the present test has begun."""
        rounds = self.state.rounds
        return bool(rounds) and rounds[-1].phase == self.state.phase

    def _test(self) -> RoundBegan:
        """Return the event that begins a test, with its items."""
        state, opened = self.state, self.state.opened
        assert opened is not None
        before = next((r for r in state.rounds if r.phase == "pretest"), None)
        number = state.next_round
        if before is not None and state.phase == "posttest":
            return RoundBegan(number, before.items[::-1], each=before.each)
        if self.beliefs is None or not isinstance(state.space, Space):
            return learned_map.first_test(state, number)
        if state.phase == "pretest":
            items = pretest_items(self.beliefs, seed=opened.seed)
        else:
            shown = {item for done in state.rounds for item in done.shown.values()}
            fresh = [item for item in self.beliefs.space.ids if item not in shown]
            count = opened.pretest or max(10, 2 * self.beliefs.space.dimensions)
            items = some_items(fresh or self.beliefs.space.ids, count, seed=opened.seed)
        return RoundBegan(number, state.codes.shuffled(items))

    def _lesson(self) -> RoundBegan | Finished:
        """Return the next item of each group, or that the lesson is over, and why."""
        taken, state = ClassBook(self._taken_in), self.state
        # Students who review are the last group; they do not keep the lesson from ending.
        taught = state.members[: len(state.members) - bool(state.reviewers)]
        choices = [taken.choice(group) for group in range(len(taught))]
        if not any(choice.item for choice in choices) and taken.state.beliefs is not None:
            taken = ClassBook(self._up_to_date)
            choices = [taken.choice(group) for group in range(len(taught))]
        if not any(choice.item for choice in choices):
            why = tuple(choice.stopped for choice in choices if choice.stopped)
            return Finished(self.state.last_round, tuple(dict.fromkeys(why)))
        if state.review:
            choices += [ItemChoice(None, None)] * (len(state.members) - len(taught))
            choices = [
                one if one.item else taken.choice(group, review=True)
                for group, one in enumerate(choices)
            ]
        items = tuple(choice.item for choice in choices)
        reasons = tuple(choice.reason for choice in choices)
        return RoundBegan(self.state.next_round, items, reasons)

    def choice(self, group: int, *, review: bool = False) -> ItemChoice:
        """Return the next item of a group, and the reason.

        With ``review``, a group that has reached the goal gets the item that it knows least surely.
        """
        state, beliefs, members = self.state, self.beliefs, self.state.members[group]
        if not members:
            return ItemChoice(None, None)
        compared = experiment.Experiment.of(state.opened) if state.how == EXPERIMENT else None
        if beliefs is None:
            return ItemChoice(None, None, StoppedBecause.STUCK.value)  # no item has a right answer
        assert state.opened is not None
        if state.forced is not None and state.forced in beliefs.space.row_of:
            number = beliefs.space.row_of[state.forced]
            return ItemChoice(
                state.forced, {**reason_for(beliefs, beliefs.memory_of(members), number), **TEACHER}
            )
        rounds = [done.shown for done in state.rounds if done.shown]
        shown = [
            item
            for items in rounds
            for item in dict.fromkeys(items[one] for one in members if one in items)
        ]
        tested = [item for done in state.rounds if done.is_test for item in done.items if item]
        fresh = fresh_items(beliefs.space, tested, state.just_skipped)
        if compared is not None:
            choice = experiment.choice(state, beliefs, compared, group, fresh)
            return _noting_new(choice, rounds, members)
        choice = next_item(
            beliefs,
            members,
            goal=NO_GOAL if review else state.opened.goal,
            fresh=fresh,
            rounds=max(0, MOST_ROUNDS - len(rounds)),
            shown=[beliefs.space.row_of[item] for item in shown if item in beliefs.space.row_of],
        )
        choice = _noting_new(choice, rounds, members)
        if not review or choice.reason is None:
            return choice
        return choice._replace(reason={**choice.reason, **REVIEW})

    def check(self, event: Event) -> None:
        """Raise :class:`~homeroom.live.refused.Refused` if an event cannot happen now."""
        rules.check(self.state, event)

    def board(self, class_id: str = "") -> dict[str, Any]:
        """Return all that the teacher's page shows, as plain JSON values."""
        return board(self.state, class_id)

    def view(self, student: str) -> dict[str, Any]:
        """Return all that a student's page shows, as plain JSON values."""
        return view(self.state, student)

    def letters(self) -> dict[str, Any]:
        """Return the letters and scores of all students, in a class that writes."""
        from homeroom.live.classbook import writing  # here: it takes long to import

        return writing.letters(self.state)

    def written(self, student: str, strokes: Strokes, number: int | None = None) -> Wrote:
        """Return the event that a student wrote a letter, with its scores.

        Parameters
        ----------
        student
            The student.
        strokes
            The ink: lists of points ``{"x", "y", "t", "p"}``, the time in seconds.
        number
            The number of the letter, counted from 1 for each student; the next one by default.
        """
        from homeroom.live.classbook import writing  # here: it takes long to import

        letter = self.state.activity.letter
        if letter is None:
            raise Refused("nothing_written")
        own = [wrote for wrote in self.state.wrote if wrote.student == student]
        number = 1 + max((wrote.round for wrote in own), default=0) if number is None else number
        before = [wrote.strokes for wrote in own if wrote.round < number]
        scores, form = writing.scored(strokes, letter, writing.style_of(self.state), before)
        return Wrote(student, number, tuple(tuple(stroke) for stroke in strokes), scores, form)

    def ways(self, lam: float = 0.5) -> dict[str, Any]:
        """Return what each split of the class into groups would cost, as plain JSON values.

        ``lam`` is the weight of the students' workload relative to the teacher's.
        """
        return regroup.ways(self.state, self.beliefs, lam)

    def regrouping(self, *, lam: float | None = None, groups: str | None = None) -> Regrouped:
        """Return the event that splits the class by the rule ``groups``, or best for ``lam``."""
        return regroup.regrouping(self.state, self.beliefs, lam=lam, groups=groups)

    def heard(self, student: str, number: int, item: str) -> bool:
        """Return whether an answer is in the book already."""
        rounds = (done for done in self.state.rounds if done.number == number)
        return any((student, item) in done.answers for done in rounds)

    def seat(self, nickname: str) -> str | None:
        """Return the student with this name whose seat is open: not joined yet, or signed out."""
        name = nickname.strip().casefold()
        people = self.state.people.values()
        return next((one.id for one in people if one.name.casefold() == name and one.open), None)


def _noting_new(
    choice: ItemChoice, shown: Sequence[Mapping[str, str]], members: Sequence[str]
) -> ItemChoice:
    """Return a choice whose reason states whether no student of the group has seen the item.

    ``shown`` has, for each round, the item that each student was shown.
    """
    if choice.item is None or choice.reason is None:
        return choice
    seen = any(items.get(one) == choice.item for items in shown for one in members)
    return choice._replace(reason={**choice.reason, "unseen": not seen})


def _with_person(state: State, event: Any) -> State:
    """Return the state after a student was enrolled, joined, left or came back."""
    known = state.people.get(event.student)
    match event:
        case Enrolled(student, name):
            new = known or Student(student, name)
        case Joined(student, name):
            name = known.name if known is not None else name
            new = Student(student, name, here=True, joined=True)
        case Reseated():
            if known is None:
                return state
            new = replace(known, here=True, joined=True, signed_out=False)
        case _:
            if known is None or not known.joined:
                return state
            back = isinstance(event, Returned)
            new = replace(known, here=back, signed_out=known.signed_out and not back)
    people = {**state.people, new.id: new}
    groups = state.groups
    if groups and new.here and new.id not in groups:
        groups = {**groups, new.id: state.usual_group}
    # A student who joins may have something to learn: a lesson that was over continues.
    finished = state.finished if not new.here or known == new else None
    changed = replace(
        state,
        people=people,
        groups=groups,
        finished=finished,
        removed=state.removed - {new.id},
    )
    return _present(changed, new)


def _consented(state: State, student: str, *, agrees: bool) -> State:
    """Return the state after a student chose; one who withdraws leaves their arm."""
    if student not in state.people:
        return state
    consents = {**state.consents, student: agrees}
    groups = state.groups
    if state.how == EXPERIMENT and not agrees and student in groups:
        groups = {**groups, student: state.usual_group}
    return replace(state, consents=consents, groups=groups)


def _signed_out(state: State, students: Iterable[str]) -> State:
    """Return the state after students signed out: they have left, and can join again by name."""
    for student in students:
        known = state.people.get(student)
        if known is not None and known.joined:
            state = _with_person(state, Left(student))
            gone = replace(state.people[student], signed_out=True)
            state = replace(state, people={**state.people, student: gone})
    return state


def _without(state: State, gone: frozenset[str]) -> State:
    """Return the state as if some students had never joined, except for the items shown."""
    people = {key: one for key, one in state.people.items() if key not in gone}
    beliefs = state.beliefs
    if beliefs is not None and gone:
        beliefs = beliefs.restricted_to([one for one in beliefs.students if one not in gone])
    return replace(
        state,
        people=people,
        removed=state.removed | gone,
        groups={one: group for one, group in state.groups.items() if one not in gone},
        consents={one: agrees for one, agrees in state.consents.items() if one not in gone},
        rounds=tuple(done.purged(gone) for done in state.rounds),
        beliefs=beliefs,
        wrote=tuple(wrote for wrote in state.wrote if wrote.student not in gone),
    )


def _present(state: State, student: Student) -> State:
    """Return the state with a student in the present round if they are here, else out of it."""
    now = state.now
    if now is None:
        return state
    late = now.reveal != "own" and now.is_revealed  # they take part from the next item on
    if student.here and student.id not in now.members and not late:
        now = now.joined(student.id, state.group_of(student.id))
    elif not student.here:
        now = now.without(student.id)
    return replace(state, rounds=(*state.rounds[:-1], now))


def _with_answer(state: State, event: Answered) -> State:
    """Return the state with an answer; unchanged if it is too late or was not asked for."""
    now, student, item = state.now, event.student, event.item
    if now is None or now.number != event.round or now.ended is not None:
        return state
    if item not in now.asked(student) or event.answer not in state.activity.values(item):
        return state
    heard = now.heard(student, item, event.answer, event.seconds)
    return replace(state, rounds=(*state.rounds[:-1], heard))


def _ended(state: State, number: int, how: str) -> State:
    """Return the state after a round of the lesson was ended, ``how`` as in ``Round.ended``."""
    now = state.now
    if now is None or now.number != number or now.is_test or now.over:
        return state
    if now.is_revealed:  # the class has seen it, so it was not skipped or cut short
        return _continued(state, number)
    return replace(state, rounds=(*state.rounds[:-1], replace(now, ended=how)))


def _continued(state: State, number: int) -> State:
    """Return the state after the discussion of a round was ended."""
    now = state.now
    if now is None or now.number != number or not now.is_revealed:
        return state
    return replace(state, rounds=(*state.rounds[:-1], replace(now, continued=True)))


def _undone(state: State) -> State:
    """Return the state before the present phase, with the students who have joined or left since.

    Rounds of the dropped phase are gone, but their numbers are not used again.
    """
    before = state.before
    if before is None:
        return state
    undone = before if state.how == EXPERIMENT and state.phase == "teach" else state
    restored = replace(
        before,
        version=state.version,
        people=state.people,
        locked=state.locked,
        groups=undone.groups,
        how=undone.how,  # an experiment is split again when its lesson begins
        consents=state.consents,
        last_number=state.last_number,
    )
    for student in state.people.values():
        restored = _present(restored, student)
    return _without(restored, state.removed)
