"""The state of a class: plain data from which all pages are made.

Students see codes instead of item ids, as an id may give away the answer.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from homeroom.live.activities.base import Activity
from homeroom.live.activities.space import AnswerList, Space
from homeroom.live.classbook.class_beliefs import ClassBeliefs
from homeroom.live.classbook.rounds import Round
from homeroom.live.events import Finished, Opened, Wrote
from homeroom.observers import QuizState

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
    >>> codes.shuffled(["moth-1", "moth-2", "bee-1"])
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

    def shuffled(self, items: Iterable[str]) -> tuple[str, ...]:
        """Return items in the order of their codes: random, but fixed for a class and lesson."""
        return tuple(sorted(items, key=self.code_of.__getitem__))


Strokes: TypeAlias = Sequence[Sequence[Mapping[str, Any]]]
"""Ink as a page sends it: lists of points ``{"x", "y", "t", "p"}``."""

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
    def of(cls, number: int, memory: QuizState) -> RoundError:
        """Return the error after a round, from the observer's state."""
        middle, low, high = map(float, memory.knows.of_class)
        return cls(number, 1.0 - low, max(0.0, middle - low), 1.0 - high, memory.error.total)


@dataclass(frozen=True, eq=False)
class State:
    """A class after some events.

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
    """

    activity: Activity
    opened: Opened | None = None
    lesson: int = 1
    version: int = 0
    phase: str = "lobby"
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
            any(not done.left(student) for student in done.members)
            if done.is_test
            else done.is_revealed or (done.over and bool(done.shown))
            for done in since
        )

    @property
    def taught(self) -> tuple[str, ...]:
        """The ids of the students who are here and take part in the next round."""
        all_of_them = self.focus is None or self.review
        return tuple(one for one in self.here if all_of_them or one in (self.focus or ()))

    def rests(self, student: str) -> bool:
        """Return whether a student pauses: the lesson continues without them or their group."""
        if self.phase != "teach" or self.finished is not None:
            return False
        if self.now is not None and not self.now.asked(student):
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
