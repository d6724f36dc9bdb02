"""Which item is asked next, of one lesson or of several whose students are taught together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.people.arguments import PeopleTask
from homeroom.people.beliefs import LawBank
from homeroom.people.map_laws import ItemMap

CANDIDATES, FEWEST = 150, 20
"""The largest number of items that are compared in a round; of more, a random part. Lessons that
are taught together share it, down to the second number each."""

COVER_MAP, COVER_LIST = 0.004, 0.001
"""Weight of coverage in an item's score: it decides where the laws see no difference."""

NEAR_GOAL = 0.03
"""So close to the goal, every other question is drawn at random, to check what the class knows."""

PRETEST, CHECK, CHOSEN = "pretest", "random", "chosen"
"""Why an item is asked: part of the pre-test, a check near the goal, or it helps most."""

HOMEROOM, RANDOM, IN_TURN, TYPICAL = "homeroom", "random", "in-turn", "typical"
ORDERS = (HOMEROOM, RANDOM, IN_TURN, TYPICAL)
"""Orders of items that can be compared: by look-ahead; at random; right answers in turn; and right
answers in turn with typical items first, then those unlike what was shown."""


class ItemRecord:
    """Which items of a lesson were asked and shown, and which may be asked next.

    Parameters
    ----------
    task
        What is taught.
    item_map
        The map of the items, if they have one.
    tests
        The items of the pre-test that were not asked yet. On a map, items of tests are not part of
        the lesson, while at least half of all items remain.
    """

    def __init__(self, task: PeopleTask, item_map: ItemMap | None, tests: Sequence[int]) -> None:
        number = len(task.labels)
        self.task, self.map, self.tests = task, item_map, list(tests)
        self.shown = list[int]()
        self.times_shown, self.asked = np.zeros(number), np.zeros(number, dtype=bool)
        self.tested = np.isin(np.arange(number), self.tests)
        self.covered = np.zeros(0 if item_map is None else len(item_map.covered))

    def hear(self, item: int, *, shown: bool) -> None:
        """Note that an item was asked, and whether its solution was shown."""
        self.asked[item] = True
        self.tests = [test for test in self.tests if test != item]
        if not shown:
            self.tested[item] = True
            return
        self.shown.append(item)
        self.times_shown[item] += 1
        if self.map is not None:
            near = self.map.similarities(np.array([item]))[:, 0]
            self.covered = np.maximum(self.covered, near)

    @property
    def allowed(self) -> Ints:
        """The items that may be shown: on a map, not those of tests."""
        every, left = np.arange(len(self.tested)), np.flatnonzero(~self.tested)
        return every if self.map is None or 2 * len(left) < len(every) else left

    def find_free(self) -> Ints:
        """Return the items that were not shown lately; at least the one shown longest ago."""
        allowed = self.allowed
        pause = min(self.task.repeat_after, len(allowed) - 1)
        recent = self.shown[max(0, len(self.shown) - pause) :] if pause else []
        free = np.setdiff1d(allowed, recent)
        return free if len(free) else allowed

    def is_turn(self, items: Ints) -> Ints:
        """Return 1 for items of the class that was shown least, 0 for others."""
        classes = self.task.classes
        counts = np.bincount(classes, self.times_shown)
        least = counts[np.unique(classes)].min()
        return np.asarray(counts[classes[items]] == least, dtype=np.int64)

    def cover(self, candidates: Ints) -> Floats:
        """Return, from 0 to 1, what items add to those shown.

        Half for a class that was shown least; half for how well the items shown then represent the
        others of the class.
        """
        turn = 0.5 * self.is_turn(candidates)
        if self.map is None:
            return np.asarray(turn + 0.5 / (1.0 + self.times_shown[candidates]))
        more = np.maximum(self.map.similarities(candidates) - self.covered[:, None], 0.0).sum(0)
        return np.asarray(turn + 0.5 * more / max(float(more.max()), 1e-9))


class LessonPart(NamedTuple):
    """A lesson whose students are taught together with those of others on the same items."""

    record: ItemRecord
    bank: LawBank
    students: int


class Candidates:
    """The items that may be asked next, and what each of them is expected to gain.

    Parameters
    ----------
    parts
        The lessons whose students are taught together. Each counts as much as it has students.
    without
        Items that are left out, if others remain.
    """

    def __init__(self, parts: Sequence[LessonPart], without: Sequence[int] = ()) -> None:
        self.parts = sorted(parts, key=lambda part: -part.students)
        self.task, record = self.parts[0].record.task, self.parts[0].record
        self._rng = np.random.default_rng([self.task.seed, 4, len(record.shown)])
        free = record.find_free()
        others = [part.record.find_free() for part in self.parts[1:]]
        for other in (*others, np.setdiff1d(free, without)):
            both = np.intersect1d(free, other)
            free = both if len(both) else free
        self._free = free

    @cached_property
    def items(self) -> Ints:
        """The numbers of the items that are compared, in ascending order."""
        most = max(FEWEST, CANDIDATES // len(self.parts))
        if len(self._free) <= most:
            return self._free
        return np.sort(self._rng.permutation(self._free)[:most])

    @cached_property
    def gains(self) -> Floats:
        """How much more than an item at random each is expected to help with the whole list.

        In shares of right answers; for numbers on a scale, in squared differences relative to the
        spread of the labels.
        """
        gains = self._mean([part.bank.gain(self.items) for part in self.parts])
        if self.task.numbers:
            gains = gains / max(float(self.task.labels.var()), 1e-12)
        return np.asarray(gains - gains.mean())

    @cached_property
    def _cover(self) -> Floats:
        return self._mean([part.record.cover(self.items) for part in self.parts])

    def _mean(self, values: Sequence[Floats]) -> Floats:
        sizes = [max(1, part.students) for part in self.parts]
        return np.asarray(np.average(np.array(values), axis=0, weights=sizes))

    def choose(self) -> tuple[int, str]:
        """Return the next item, and why: :data:`CHOSEN`, or :data:`CHECK` near the goal."""
        if not self._is_check():
            return self.pick(HOMEROOM), CHOSEN
        new = self._free[~self.parts[0].record.asked[self._free]]
        return int(self._rng.choice(new if len(new) else self._free)), CHECK

    def pick(self, order: str) -> int:
        """Return the next item of one of :data:`ORDERS`."""
        record, items = self.parts[0].record, self.items
        if order == HOMEROOM:
            weight = COVER_LIST if record.map is None else COVER_MAP
            return int(items[(self.gains + weight * self._cover).argmax()])
        if order == TYPICAL:
            return int(items[self._cover.argmax()])
        turn = record.is_turn(items) if order == IN_TURN else np.ones(len(items))
        return int(self._rng.choice(items[turn == turn.max()]))

    def _is_check(self) -> bool:
        """Return whether the next item is drawn at random, to check what the class knows."""
        rounds = len(self.parts[0].record.shown)
        if self.task.numbers or rounds % 2 or not any(part.students for part in self.parts):
            return False
        means = self._mean([np.array(part.bank.knows.mean) for part in self.parts])
        return float(means) >= self.task.goal - NEAR_GOAL
