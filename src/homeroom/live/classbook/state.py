"""What a class is, at one moment: plain data, from which everything that is shown is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from homeroom.live.activities.base import Activity
from homeroom.live.activities.space import Space
from homeroom.live.classbook.item_codes import ItemCodes
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.sight import Sight
from homeroom.live.events import Finished, Opened, Wrote

Strokes: TypeAlias = Sequence[Sequence[Mapping[str, Any]]]
"""Ink as a page sends it: lists of points ``{"x", "y", "t", "p"}``."""

SET_ASIDE = 5
"""For how many rounds a skipped item is not chosen again."""


@dataclass(frozen=True)
class Student:
    """Somebody in a class; who is only on the roster has not joined."""

    id: str
    name: str
    here: bool = False
    joined: bool = False


class ErrorPoint(NamedTuple):
    """The class's expected error after a round, and how much of it is only not known."""

    round: int
    total: float
    unsure: float


@dataclass(frozen=True, eq=False)
class State:
    """A class after some events.

    Parameters
    ----------
    activity
        What it is taught.
    opened
        How it was made; before that it is not there.
    version
        How many events there were.
    phase, paused
        What it is doing.
    people
        Everybody who joined or is on the roster, by id, in the order they came.
    removed
        Who was removed, by id.
    locked
        Whether the door is closed to all who are not in the class yet.
    groups, how
        The group of those who were there when it was split last, and in which way.
    rounds
        All rounds, the present one last.
    space
        Where the items lie, once that is known.
    learned
        Their places on the map, if that was made of the answers.
    sight
        What is known of the students after all rounds that are over.
    errors
        The class's error after each of them.
    forced
        What the teacher wants to be shown next.
    finished
        Why there is nothing more to show.
    wrote
        The letters that were written.
    codes
        The items' ids as students see them.
    """

    activity: Activity
    opened: Opened | None = None
    version: int = 0
    phase: str = "lobby"
    paused: bool = False
    people: Mapping[str, Student] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()
    locked: bool = False
    groups: Mapping[str, int] = field(default_factory=dict)
    how: str = "whole"
    rounds: tuple[Round, ...] = ()
    space: Space | None = None
    learned: Mapping[str, tuple[float, ...]] | None = None
    sight: Sight | None = None
    errors: tuple[ErrorPoint, ...] = ()
    forced: str | None = None
    finished: Finished | None = None
    wrote: tuple[Wrote, ...] = ()
    codes: ItemCodes = field(default_factory=lambda: ItemCodes(()))

    @property
    def places(self) -> Mapping[str, tuple[float, ...]] | None:
        """Where the items lie on the map."""
        return self.activity.places if self.learned is None else self.learned

    @property
    def here(self) -> tuple[str, ...]:
        """Who is here, by id."""
        return tuple(one.id for one in self.people.values() if one.here)

    @property
    def joined(self) -> tuple[str, ...]:
        """Everybody who ever came in, by id."""
        return tuple(one.id for one in self.people.values() if one.joined)

    @property
    def now(self) -> Round | None:
        """The present round, if there is one in this phase that was not taken in yet."""
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
        """The rounds whose answers are in the book."""
        return frozenset(point.round for point in self.errors)

    @property
    def just_skipped(self) -> tuple[str, ...]:
        """The items skipped since the last ``SET_ASIDE`` rounds that were shown."""
        found: list[str] = []
        shown = 0
        for done in reversed(self.rounds):
            if done.ended == "skipped":
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
        return 0 if self.phase == "pretest" and not self.rounds else self.last_round + 1

    @cached_property
    def usual_group(self) -> int:
        """The largest group: where latecomers go."""
        counts = Counter(self.groups[student] for student in self.here if student in self.groups)
        return min(counts, key=lambda group: (-counts[group], group)) if counts else 0

    def group_of(self, student: str) -> int:
        """Return the group of a student."""
        return self.groups.get(student, self.usual_group)

    @cached_property
    def members(self) -> tuple[tuple[str, ...], ...]:
        """Who is here in each group; nobody, in a group of which all have left."""
        count = 1 + max(self.groups.values(), default=0)
        groups: list[list[str]] = [[] for _ in range(count)]
        for student in self.here:
            groups[self.group_of(student)].append(student)
        return tuple(tuple(group) for group in groups)
