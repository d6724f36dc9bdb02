"""What any group of a class would need, without teaching it in earnest."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom.advice.parts import Group, Parts
from homeroom.classroom import Classroom
from homeroom.classroom.room import projection_is_idle
from homeroom.engines import can_be_straight, straight_lessons
from homeroom.engines.batch import LEFT, NEVER, Rule, rounds_needed
from homeroom.goals import AverageGoal
from homeroom.groups import Individuals
from homeroom.learners import AbstractLearner
from homeroom.lessons import Lesson, Progress, StoppedBecause, teach
from homeroom.lessons.transcript import CODES
from homeroom.moments import cells
from homeroom.moments.stand_ins import StandIns, themselves
from homeroom.observers import AbstractObserver
from homeroom.teachers import AbstractTeacher, ClassroomTeacher

FEW = 1000
"""Groups up to this size are taught as they are; larger ones may have stand-ins."""


def foreseen_quickly(
    room: Classroom,
    teacher: AbstractTeacher,
    observer: AbstractObserver,
    learner: AbstractLearner,
) -> bool:
    """Tell whether hundreds of groups can be foreseen in seconds.

    Else each is a lesson with :func:`homeroom.teach`, which comes to the same and takes longer.
    """
    return can_be_straight(teacher, learner, observer) and projection_is_idle(room)


class Foresight:
    """How many rounds any group of a class would need, and each student alone.

    For plain gradient students and the classroom teacher who sees exactly, groups are taught many
    at once; large ones by stand-ins. In any other setting every group is a lesson of its own.

    Parameters
    ----------
    room
        The class.
    lesson
        How each group would be taught.
    parts
        What groups are made of.
    seed
        For lessons that draw by lot.
    progress
        Called after every batch of groups; ``expected`` says how many groups there will be in all.
    """

    def __init__(
        self,
        room: Classroom,
        lesson: Lesson,
        parts: Parts,
        *,
        seed: int = 0,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.room = room
        self.parts = parts
        self.goal = lesson.goal
        self.max_rounds = lesson.max_rounds
        self.expected = 1
        self._lesson: dict[str, Any] = {
            "teacher": lesson.teacher,
            "goal": lesson.goal,
            "observer": lesson.observer,
            "learner": lesson.learner,
            "seed": seed,
        }
        self._progress = progress
        self._done = 0
        teacher = lesson.teacher
        self.quick = foreseen_quickly(room, teacher, lesson.observer, lesson.learner)
        if self.quick:
            assert isinstance(teacher, ClassroomTeacher)
            self._rule = Rule(
                lesson.goal,
                teacher.magnitude,
                teacher.safe,
                room.example_radius,
                bounded=not math.isinf(room.state_radius),
                rates_within=teacher.rates_within,
            )

    @cached_property
    def alone(self) -> Ints:
        """How many rounds the students of each part need in all, each taught alone.

        Shape ``(camps, cells)``; ``NEVER`` where one of them does not get there.
        """
        rounds, reached = self._each_alone()
        sums = self.parts.summed(rounds)
        sums[self.parts.summed((~reached).astype(np.int64)) > 0] = NEVER
        return sums

    def rounds(self, groups: Sequence[Group], limits: Ints | None = None) -> Ints:
        """Return how many rounds each group needs; ``NEVER`` if more than its limit."""
        most = np.full(len(groups), self.max_rounds, dtype=np.int64)
        limits = most if limits is None else np.minimum(limits, most)
        rounds = self._in_batches(groups, limits) if self.quick else np.full(len(groups), LEFT)
        for place in np.flatnonzero(rounds == LEFT).tolist():
            rounds[place] = self._one_lesson(groups[place], int(limits[place]))
            self._report(place)
        self._done += len(groups)
        self._report(0)
        return rounds

    def finish(self) -> None:
        """Tell that no more groups will come."""
        self._done = self.expected
        self._report(0)

    def _in_batches(self, groups: Sequence[Group], limits: Ints) -> Ints:
        return rounds_needed([self._stand_ins(group) for group in groups], limits, self._rule)

    def _report(self, more: int) -> None:
        if self._progress is not None:
            done = self._done + more
            share = min(1.0, done / self.expected)
            self._progress(Progress(done, self.expected, 0, math.nan, share))

    def _one_lesson(self, group: Group, limit: int) -> int:
        room = self.room.subset(self.parts.members(group))
        with warnings.catch_warnings():  # what is worth saying is said when groups are chosen
            warnings.simplefilter("ignore", UserWarning)
            record = teach(room, max_rounds=limit, **self._lesson)
        return record.rounds if record.stopped_because is StoppedBecause.GOAL else NEVER

    def _each_alone(self) -> tuple[Ints, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        """Return everybody's rounds when taught alone, and who gets there."""
        if can_be_straight(*(self._lesson[who] for who in ("teacher", "learner", "observer"))):
            alone = straight_lessons(self.room, self.goal.alone, self.max_rounds)
            left = alone.distances * alone.shrink ** (2.0 * alone.rounds)
            return alone.rounds, left <= self.goal.alone
        record = teach(self.room, groups=Individuals(), max_rounds=self.max_rounds, **self._lesson)
        told = record.transcript
        return told.rounds, told.stops == CODES.index(StoppedBecause.GOAL)

    def _stand_ins(self, group: Group) -> StandIns:
        if self.parts.students(group) <= self._few(group):
            members = self.parts.members(group)
            return themselves(_arrays.small(self._gaps(members)), self._rates[members])
        some = self._cells[list(group.camps)]
        filled = [
            [cell for cell in some[:, place] if cell is not None]
            for place in range(group.first, group.last)
        ]
        nodes = self._nodes[group.first : group.last]
        return cells.stand_ins(nodes, filled, watch=not isinstance(self.goal, AverageGoal))

    def _few(self, group: Group) -> int:
        """Return up to how many students a group is taught as it is."""
        slowest, fastest = self._nodes[group.first][0], self._nodes[group.last - 1][-1]
        return max(FEW, cells.rows_for(slowest, fastest, self.room.dimensions))

    @cached_property
    def camp_centres(self) -> Floats:
        """The mean gap of each camp, shape ``(camps, dimensions)``."""
        camps, number = self.parts.sizes.shape
        members = (self.parts.members(Group((camp,), 0, number)) for camp in range(camps))
        xp = _arrays.namespace(self.room.states)
        return np.array([_arrays.small(xp.mean(self._gaps(who), axis=0)) for who in members])

    def _gaps(self, members: Ints) -> Array:
        """Return the gaps of some students, without a copy of the whole class."""
        return _arrays.take_rows(self.room.states, members) - self.room.target

    @cached_property
    def _rates(self) -> Floats:
        return _arrays.small(self.room.rates)

    @cached_property
    def _nodes(self) -> list[Floats]:
        """The nodes of each cell of rates."""
        number = self.parts.cells
        return [
            cells.nodes_of(self._rates[who])
            for who in cells.sorted_into(self.parts.cell_of, number)
        ]

    @cached_property
    def _cells(self) -> np.ndarray[tuple[int, int], np.dtype[np.object_]]:
        """What is kept of each part, ``None`` where there is nobody: one pass over the class."""
        camps, number = self.parts.sizes.shape
        kept = np.full((camps, number), None, dtype=object)
        for camp, place in np.argwhere(self.parts.sizes):
            who = self.parts.members(Group((int(camp),), int(place), int(place) + 1))
            kept[camp, place] = cells.cell_of(self._gaps(who), self._rates[who], self._nodes[place])
        return kept
