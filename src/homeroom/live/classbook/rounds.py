"""One round of a class: what was put before whom, and what they said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from zlib import crc32

TESTS = ("pretest", "posttest")


@dataclass(frozen=True)
class Round:
    """A round, as far as it has come.

    Parameters
    ----------
    number
        Counted from 1; 0 is the pre-test.
    phase
        The phase it belongs to: a test, or ``"teach"``.
    items
        In a test, all that everybody is asked; else the item of each group, or ``None``.
    reasons
        Why each group sees its item.
    members
        The group of everybody who takes part: who is waited for, and who answered.
    answers
        What was said, by student and item.
    each
        In a test, how many of the items each student is asked; all of them unless given.
    ended
        How the teacher ended it before everybody had answered: ``"closed"`` or ``"skipped"``.
    """

    number: int
    phase: str
    items: tuple[str | None, ...]
    reasons: tuple[Mapping[str, Any] | None, ...] = ()
    members: Mapping[str, int] = field(default_factory=dict)
    answers: Mapping[tuple[str, str], int] = field(default_factory=dict)
    each: int | None = None
    ended: str | None = None

    @property
    def is_test(self) -> bool:
        """Whether labels are kept back."""
        return self.phase in TESTS

    def asked(self, student: str) -> tuple[str, ...]:
        """Return what a student is asked, in order."""
        if student not in self.members:
            return ()
        if self.is_test:
            return self._own_test(student)
        item = self.items[self.members[student]]
        return () if item is None else (item,)

    def _own_test(self, student: str) -> tuple[str, ...]:
        """Return the items of a test that one student is asked: so many in a row, from her own on.

        Where she begins follows from her id alone, whoever else comes or goes.
        """
        items = tuple(item for item in self.items if item is not None)
        if self.each is None or self.each >= len(items):
            return items
        start = crc32(student.encode()) % len(items)
        return (items + items)[start : start + self.each]

    def left(self, student: str) -> tuple[str, ...]:
        """Return what a student has still to answer."""
        return tuple(item for item in self.asked(student) if (student, item) not in self.answers)

    @property
    def over(self) -> bool:
        """Whether everybody has answered, or the teacher went on."""
        if self.ended is not None:
            return True
        if not self.members or len(self.answers) < self._waits_for:
            return False
        return not any(self.left(student) for student in self.members)

    @property
    def _waits_for(self) -> int:
        """How many answers there are at least when everybody has answered."""
        if self.is_test:
            return 0
        return sum(self.items[group] is not None for group in self.members.values())

    @cached_property
    def shown(self) -> Mapping[str, str]:
        """The item whose label each student has seen; students who have not are left out.

        A student sees the label with their own answer, or when the teacher ends the round without
        it. In a test, and in a round that is skipped before they answer, they do not.
        """
        if self.is_test:
            return {}
        asked = {student: self.items[group] for student, group in self.members.items()}
        return {
            student: item
            for student, item in asked.items()
            if item is not None and (self.ended == "closed" or (student, item) in self.answers)
        }

    def heard(self, student: str, item: str, answer: int) -> Round:
        """Return the round after an answer; the first one to an item stands."""
        if (student, item) in self.answers:
            return self
        return replace(self, answers={**self.answers, (student, item): answer})

    def joined(self, student: str, group: int) -> Round:
        """Return the round with one more to take part.

        Where the class was split anew since the round began, her group may have nothing in it:
        then she sees what most of the others see.
        """
        if not self.is_test and (group >= len(self.items) or self.items[group] is None):
            group = self._usual
        return replace(self, members={**self.members, student: group})

    @property
    def _usual(self) -> int:
        """The group with an item that has most members."""
        counts = Counter(self.members.values())
        shown = [group for group, item in enumerate(self.items) if item is not None]
        return max(shown, key=lambda group: counts[group], default=0)

    def purged(self, students: Collection[str]) -> Round:
        """Return the round as if some students had not been there."""
        return replace(
            self,
            members={who: group for who, group in self.members.items() if who not in students},
            answers={pair: said for pair, said in self.answers.items() if pair[0] not in students},
        )

    def without(self, student: str) -> Round:
        """Return the round with one less to wait for; what she answered stays."""
        if student not in self.members or not self.left(student):
            return self
        less = {who: group for who, group in self.members.items() if who != student}
        return replace(self, members=less)
