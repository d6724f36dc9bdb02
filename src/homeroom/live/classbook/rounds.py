"""One round of a class: the item of each student, and the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from zlib import crc32

from homeroom.live.messages.common import Phase

TESTS = ("pretest", "posttest")
"""The phases of a class that are tests."""


@dataclass(frozen=True)
class Round:
    """A round, as far as it has progressed.

    Parameters
    ----------
    number
        Counted from 1; 0 is the pre-test.
    phase
        The phase it belongs to: a test, or ``"teach"``.
    items
        In a test, the items that are asked; in the lesson, the item of each group, or ``None``.
    reasons
        Why the item of each group was chosen.
    members
        The group of each student who takes part: those who answered, and those who still may.
    answers
        The answers, by student and item.
    seconds
        How long answers took, by student and item, where it is known.
    each
        In a test, the number of items that each student is asked; all of them by default.
    ended
        How the teacher ended the round before all had answered: ``"closed"``, ``"skipped"``, or
        ``"cut short"`` by the next phase, or as the lesson continued with some students only.
    reveal
        When students see the right answer, as in :class:`~homeroom.live.events.Opened`.
    continued
        Whether the teacher has ended the discussion.
    countdown
        The seconds that the last students have, from when almost all had answered; ``None`` while
        they have as long as they need.
    timer_paused
        Whether the teacher has stopped the countdown of this round.
    """

    number: int
    phase: Phase
    items: tuple[str | None, ...]
    reasons: tuple[Mapping[str, Any] | None, ...] = ()
    members: Mapping[str, int] = field(default_factory=dict)
    answers: Mapping[tuple[str, str], int] = field(default_factory=dict)
    seconds: Mapping[tuple[str, str], float] = field(default_factory=dict)
    each: int | None = None
    ended: str | None = None
    reveal: str = "own"
    continued: bool = False
    countdown: float | None = None
    timer_paused: bool = False

    @property
    def is_test(self) -> bool:
        """Whether the round is a test, in which no labels are shown."""
        return self.phase in TESTS

    def items_of(self, student: str) -> tuple[str, ...]:
        """Return the ids of the items that a student is asked, in order."""
        if student not in self.members:
            return ()
        if self.is_test:
            return self._own_test(student)
        item = self.items[self.members[student]]
        return () if item is None else (item,)

    def _own_test(self, student: str) -> tuple[str, ...]:
        """Return the items of a test that one student is asked: ``each`` in a row.

        The first one follows from the student's id alone, so it does not change when others join
        or leave.
        """
        items = tuple(item for item in self.items if item is not None)
        if self.each is None or self.each >= len(items):
            return items
        start = crc32(student.encode()) % len(items)
        return (items + items)[start : start + self.each]

    def open_items(self, student: str) -> tuple[str, ...]:
        """Return the items that a student has not answered yet."""
        return tuple(item for item in self.items_of(student) if (student, item) not in self.answers)

    @property
    def over(self) -> bool:
        """Whether the next round may begin."""
        if self.ended in ("skipped", "cut short") or self.continued:
            return True
        return self.is_revealed and self.reveal != "teacher"

    @property
    def is_revealed(self) -> bool:
        """Whether all students who take part may see the right answer."""
        if self.ended is not None:
            return self.ended == "closed"
        return self.reveal != "teacher" and self.all_answered

    @property
    def all_answered(self) -> bool:
        """Whether all students who take part have answered all their items."""
        if not self.members or len(self.answers) < self._waits_for:
            return False
        return not any(self.open_items(student) for student in self.members)

    @property
    def almost_all_answered(self) -> bool:
        """Whether 90 % of the students of a lesson's round have answered, or all but one."""
        if self.is_test or not self.answers:
            return False
        asked = self._waits_for
        missing = max(1, asked // 10)
        if len(self.answers) < asked - missing:
            return False
        return sum(bool(self.open_items(student)) for student in self.members) <= missing

    @property
    def _waits_for(self) -> int:
        """A lower bound on the number of answers when all students have answered."""
        if self.is_test:
            return 0
        return sum(self.items[group] is not None for group in self.members.values())

    @cached_property
    def shown(self) -> Mapping[str, str]:
        """The item whose label each student has seen; students who have not are left out.

        A student sees the label when it is revealed: with their own answer, when all have
        answered, or when the teacher shows it. In a test, and in a round that is skipped or cut
        short before that, they do not.
        """
        if self.is_test or (self.reveal != "own" and not self.is_revealed):
            return {}
        asked = {student: self.items[group] for student, group in self.members.items()}
        return {
            student: item
            for student, item in asked.items()
            if item is not None and (self.ended == "closed" or (student, item) in self.answers)
        }

    def add_answer(
        self, student: str, item: str, answer: int, seconds: float | None = None
    ) -> Round:
        """Return the round after an answer; only the first answer to an item counts."""
        if (student, item) in self.answers:
            return self
        after = replace(self, answers={**self.answers, (student, item): answer})
        if seconds is None:
            return after
        return replace(after, seconds={**self.seconds, (student, item): seconds})

    def add_student(self, student: str, group: int) -> Round:
        """Return the round with one more student.

        If the class was split since the round began, the student's group may have no item in it;
        then they get the item of the largest group.
        """
        if not self.is_test and (group >= len(self.items) or self.items[group] is None):
            group = self._usual
        return replace(self, members={**self.members, student: group})

    @property
    def _usual(self) -> int:
        """The largest group that has an item."""
        counts = Counter(self.members.values())
        shown = [group for group, item in enumerate(self.items) if item is not None]
        return max(shown, key=lambda group: counts[group], default=0)

    def drop_students(self, students: Collection[str]) -> Round:
        """Return the round without some students and their answers."""
        return replace(
            self,
            members={one: group for one, group in self.members.items() if one not in students},
            answers={key: given for key, given in self.answers.items() if key[0] not in students},
            seconds={key: took for key, took in self.seconds.items() if key[0] not in students},
        )

    def stop_waiting_for(self, student: str) -> Round:
        """Return the round without waiting for a student; answers they gave are kept."""
        if student not in self.members or not self.open_items(student):
            return self
        less = {one: group for one, group in self.members.items() if one != student}
        return replace(self, members=less)
