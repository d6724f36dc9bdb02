"""The groups that a search considers, and how many rounds each of them needs.

Groups are unions of parts. A part is the students of one cluster (students with similar gaps to the
target) whose rates lie in one cell (an interval of rates). Groups by rate are unions of
neighbouring cells; groups by knowledge are unions of clusters.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom.classroom import Classroom
from homeroom.classroom.room import stays_in_ball
from homeroom.engines import has_closed_form, straight_lessons
from homeroom.engines.batch import LEFT, NEVER, Rule, rounds_needed
from homeroom.goals import DistanceGoal, is_mean
from homeroom.groups import ByKnowledge, ByRate, Individuals
from homeroom.learners import AbstractLearner
from homeroom.lessons import Lesson, Progress, StoppedBecause, teach
from homeroom.lessons.transcript import CODES
from homeroom.moments import rate_cells
from homeroom.moments.representatives import Representatives, themselves
from homeroom.observers import AbstractObserver
from homeroom.teachers import AbstractTeacher

CLUSTER_SAMPLE = 4096
"""Students sampled to find the clusters of a larger class; the rest join the nearest cluster."""

CLUSTERS_PER_CELL, IN_LARGE_CLASSES = 2 / 3, 1 / 3
"""Clusters per cell: fewer, because any two clusters may be merged, not only neighbours.

In classes of more than ``CLUSTER_SAMPLE`` students there are half as many, because their groups
take longer to simulate: 20,000 students with rates from 0.1 to 5 take 16 s of one core instead of
37 s.
"""


class CandidateGroup(NamedTuple):
    """Students of some clusters and of the cells ``first`` to ``last - 1``."""

    clusters: tuple[int, ...]
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Parts:
    """The cluster and the cell of each student, shape ``(students,)``, numbered without gaps."""

    cluster_of: Ints
    cell_of: Ints

    @cached_property
    def sizes(self) -> Ints:
        """Students in each part, shape ``(clusters, cells)``."""
        return self.sum_by_part(np.ones(len(self.cluster_of)))

    @property
    def cells(self) -> int:
        """Number of rate cells."""
        return int(self.sizes.shape[1])

    @property
    def whole_class(self) -> CandidateGroup:
        """The whole class."""
        return CandidateGroup(tuple(range(len(self.sizes))), 0, self.cells)

    def sum_by_part(self, each: Floats | Ints) -> Ints:
        """Return sums over the students of each part, shape ``(clusters, cells)``."""
        shape = int(self.cluster_of.max()) + 1, int(self.cell_of.max()) + 1
        sums = np.bincount(self._part_of, each, minlength=shape[0] * shape[1])
        return sums.reshape(shape).round().astype(np.int64)

    def students(self, group: CandidateGroup) -> int:
        """Return the number of students in a group."""
        return int(self.sizes[list(group.clusters), group.first : group.last].sum())

    def members(self, group: CandidateGroup) -> Ints:
        """Return the indices of a group's students, in class order."""
        first, last = (np.array(group.clusters) * self.cells + end for end in group[1:])
        spans = zip(self._starts[first], self._starts[last], strict=True)
        return np.sort(np.concatenate([self._order[begin:end] for begin, end in spans]))

    @cached_property
    def _part_of(self) -> Ints:
        return self.cluster_of * (int(self.cell_of.max()) + 1) + self.cell_of

    @cached_property
    def _order(self) -> Ints:
        """Student indices sorted by part."""
        return np.argsort(self._part_of, kind="stable")

    @cached_property
    def _starts(self) -> Ints:
        """Where each part starts in that order, and the end of the last."""
        return np.concatenate([[0], np.cumsum(self.sizes.reshape(-1))])


def parts_of(room: Classroom, by: str, cells: int, rng: np.random.Generator) -> Parts:
    """Divide a class into parts: ``by`` is ``"rate"``, ``"knowledge"`` or ``"both"``.

    By rate there is one cluster. The other two have the same parts: groups by knowledge contain all
    cells of their clusters.
    """
    if by == "rate":
        return Parts(np.zeros(room.students, dtype=np.int64), rate_cells_of(room, cells))
    per_cell = CLUSTERS_PER_CELL if room.students <= CLUSTER_SAMPLE else IN_LARGE_CLASSES
    clusters = room.students if room.students <= cells else max(1, round(per_cell * cells))
    return Parts(clusters_of(room, clusters, rng), rate_cells_of(room, cells))


def rate_cells_of(room: Classroom, cells: int) -> Ints:
    """Return the cell of each student: the interval of their rate, at most ``cells`` intervals.

    If there are at most ``cells`` different rates, each rate is a cell. Otherwise there is a cut at
    every edge of the paper's doubling bins (even if these are more than ``cells``), and the
    remaining cuts split the class evenly. Equal rates are never separated.
    """
    rates = _arrays.to_host(room.rates)
    different, place, counts = np.unique(rates, return_inverse=True, return_counts=True)
    if len(different) <= cells:
        return np.asarray(place, dtype=np.int64).reshape(-1)
    bins = ByRate().split(room, np.random.default_rng(0))
    bin_at = np.zeros(len(different), dtype=np.int64)
    bin_at[place] = bins
    doubling = np.flatnonzero(np.diff(bin_at)) + 1
    number = max(0, cells - len(doubling))
    ends = np.cumsum(counts)
    even = np.searchsorted(ends, room.students * np.arange(1, number) / max(1, number)) + 1
    cuts = np.union1d(doubling, even[even < len(different)])
    return np.searchsorted(cuts, place.reshape(-1), side="right").astype(np.int64)


def clusters_of(room: Classroom, clusters: int, rng: np.random.Generator) -> Ints:
    """Return the cluster of each student: at most ``clusters`` clusters of states.

    k-means, on a sample if the class is large: O(students * dimensions * clusters).
    """
    if room.students <= CLUSTER_SAMPLE:
        return ByKnowledge(min(clusters, room.students)).split(room, rng)
    some = room.subset(np.sort(rng.choice(room.students, CLUSTER_SAMPLE, replace=False)))
    labels = ByKnowledge(min(clusters, CLUSTER_SAMPLE)).split(some, rng)
    states = _arrays.to_host(some.states)
    centres = np.array(
        [states[labels == cluster].mean(axis=0) for cluster in range(labels.max() + 1)]
    )
    return _nearest(room, centres)


def _nearest(room: Classroom, centres: Floats) -> Ints:
    """Return the nearest centre of each student, renumbered without gaps."""
    nearest = np.empty(room.students, dtype=np.int64)
    lengths = np.vecdot(centres, centres)
    for rows in _arrays.blocks(room.students, room.dimensions, at_most=1 << 24):
        states = _arrays.to_host(room.states[rows, :])
        nearest[rows] = (lengths - 2.0 * states @ centres.T).argmin(axis=1)
    return np.asarray(np.unique(nearest, return_inverse=True)[1], dtype=np.int64).reshape(-1)


EXACT_STUDENTS = 1000
"""Groups up to this size are simulated exactly; larger ones by weighted representatives."""


def is_fast(
    room: Classroom,
    teacher: AbstractTeacher,
    observer: AbstractObserver,
    learner: AbstractLearner,
) -> bool:
    """Return whether the rounds of hundreds of groups can be computed in seconds.

    Otherwise each group is a lesson of :func:`homeroom.teach`: the same result, more slowly.
    """
    # Each student alone moves straight to the target, and none reaches the edge of the ball.
    return has_closed_form(teacher, learner, observer, room) and stays_in_ball(room)


class GroupRounds:
    """The number of rounds that any group of a class needs, and each student alone.

    For gradient learners, the classroom teacher and exact observation (``quick``), many groups are
    simulated in one batch, large ones by weighted representatives. In any other setting every
    group is a separate lesson. ``expected`` is the number of groups that the caller is going to
    ask for, which is what progress is relative to.

    Parameters
    ----------
    room
        The class.
    lesson
        How each group is taught.
    parts
        The parts that groups are made of.
    seed
        For lessons with randomness.
    progress
        Called after every batch of groups; ``expected`` is the total number of groups.
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
        self.quick = not lesson.goal.needs_students and is_fast(
            room, lesson.teacher, lesson.observer, lesson.learner
        )
        if self.quick:
            rule = lesson.teacher.rule
            assert rule is not None
            self._rule = Rule(
                lesson.goal, rule.magnitude, rule.safe, room.example_radius,
                bounded=not math.isinf(room.state_radius), rates_within=rule.rates_within,
            )  # fmt: skip

    @cached_property
    def alone(self) -> Ints:
        """Total rounds of the students of each part when taught alone.

        Shape ``(clusters, cells)``; ``NEVER`` where a student does not reach the goal.
        """
        rounds, reached = self._each_alone()
        sums = self.parts.sum_by_part(rounds)
        sums[self.parts.sum_by_part((~reached).astype(np.int64)) > 0] = NEVER
        return sums

    def count_rounds(self, groups: Sequence[CandidateGroup], limits: Ints | None = None) -> Ints:
        """Return the rounds that each group needs; ``NEVER`` if more than its limit.

        A group that the batch leaves out (``LEFT``) is taught as a lesson.
        """
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
        """Report that the search is complete."""
        self._done = self.expected
        self._report(0)

    def _in_batches(self, groups: Sequence[CandidateGroup], limits: Ints) -> Ints:
        """Return the rounds of groups that are simulated together."""
        return rounds_needed([self._representatives(group) for group in groups], limits, self._rule)

    def _report(self, more: int) -> None:
        """Report the groups that are done, and ``more`` of the present call."""
        if self._progress is not None:
            done = self._done + more
            share = min(1.0, done / self.expected)
            group = min(done, self.expected - 1)
            self._progress(Progress(group, self.expected, 0, math.nan, share))

    def _one_lesson(self, group: CandidateGroup, limit: int) -> int:
        """Return the rounds of a separate lesson for a group; ``NEVER`` if it misses the goal."""
        room = self.room.subset(self.parts.members(group))
        with warnings.catch_warnings():  # warnings are repeated when the chosen groups are taught
            warnings.simplefilter("ignore", UserWarning)
            record = teach(room, max_rounds=limit, **self._lesson)
        return record.rounds if record.stopped_because is StoppedBecause.GOAL else NEVER

    def _each_alone(self) -> tuple[Ints, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        """Return each student's rounds when taught alone, and whether they reach the goal."""
        # A closed form, if the goal is a squared distance and students move straight to the target.
        lesson = self._lesson
        if isinstance(self.goal, DistanceGoal) and has_closed_form(
            lesson["teacher"], lesson["learner"], lesson["observer"], self.room
        ):
            alone = straight_lessons(self.room, self.goal.limit, self.max_rounds)
            return alone.rounds, alone.left <= self.goal.limit
        record = teach(self.room, groups=Individuals(), max_rounds=self.max_rounds, **self._lesson)
        transcript = record.transcript
        return transcript.rounds, transcript.stops == CODES.index(StoppedBecause.GOAL)

    def _representatives(self, group: CandidateGroup) -> Representatives:
        """Return the students of a small group, or the representatives of a large one."""
        if self.parts.students(group) <= self._exact_up_to(group):
            members = self.parts.members(group)
            gaps = _arrays.to_host(self._gaps(members))
            return themselves(gaps, self._rates[members], self.room.outputs)
        some = self._moments[list(group.clusters)]
        filled = [
            [cell for cell in some[:, place] if cell is not None]
            for place in range(group.first, group.last)
        ]
        nodes = self._nodes[group.first : group.last]
        # ``watch``: the goal also needs the farthest student.
        return rate_cells.representatives(nodes, filled, watch=not is_mean(self.goal))

    def _exact_up_to(self, group: CandidateGroup) -> int:
        """Return the group size up to which students are simulated exactly.

        At least as many as the group would have representatives.
        """
        slowest, fastest = self._nodes[group.first][0], self._nodes[group.last - 1][-1]
        return max(EXACT_STUDENTS, rate_cells.rows_for(slowest, fastest, self.room.dimensions))

    @cached_property
    def cluster_centres(self) -> Floats:
        """The mean gap of each cluster, shape ``(clusters, dimensions)``."""
        clusters, number = self.parts.sizes.shape
        members = (
            self.parts.members(CandidateGroup((cluster,), 0, number)) for cluster in range(clusters)
        )
        xp = _arrays.namespace(self.room.states)
        return np.array([_arrays.to_host(xp.mean(self._gaps(who), axis=0)) for who in members])

    def _gaps(self, members: Ints) -> Array:
        """Return the gaps of some students, without a copy of the whole class."""
        return _arrays.take_rows(self.room.states, members) - self.room.target

    @cached_property
    def _rates(self) -> Floats:
        return _arrays.to_host(self.room.rates)

    @cached_property
    def _nodes(self) -> list[Floats]:
        """The quadrature nodes of each cell of rates."""
        number = self.parts.cells
        return [
            rate_cells.nodes_of(self._rates[who])
            for who in rate_cells.sort_into(self.parts.cell_of, number)
        ]

    @cached_property
    def _moments(self) -> np.ndarray[tuple[int, int], np.dtype[np.object_]]:
        """The moments of each part, ``None`` where it is empty: one pass over the class."""
        clusters, number = self.parts.sizes.shape
        kept = np.full((clusters, number), None, dtype=object)
        for cluster, place in np.argwhere(self.parts.sizes):
            who = self.parts.members(CandidateGroup((int(cluster),), int(place), int(place) + 1))
            kept[cluster, place] = rate_cells.cell_of(
                self._gaps(who), self._rates[who], self._nodes[place], self.room.outputs
            )
        return kept
