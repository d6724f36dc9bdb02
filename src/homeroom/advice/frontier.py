"""The Pareto frontier of splits (fewer examples per student, more by the teacher), and its best.

A split divides the class into groups and students taught alone. Among the splits that are searched,
one is *undominated* if no other is at least as good in rounds and in the students' work, and better
in one of them. Other partitions of the class are not searched, and one of them may be better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from homeroom import _checks, _notebook, plots
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, counted, not_negative
from homeroom.advice.group_rounds import GroupRounds, Parts, parts_of
from homeroom.advice.group_search import find_splits
from homeroom.advice.pareto import ParetoSet
from homeroom.classroom import Classroom, LargeClass
from homeroom.goals import AbstractGoal, AverageGoal
from homeroom.groups import AbstractGrouping, AbstractInformed, AsGiven, WholeClass
from homeroom.learners import AbstractLearner, GradientLearner
from homeroom.lessons import Lesson, Progress
from homeroom.lessons.files import pandas_or_explain
from homeroom.observers import AbstractObserver, ExactObserver
from homeroom.teachers import AbstractTeacher, ClassroomTeacher

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

BY = ("rate", "knowledge", "both")
"""What groups may have in common."""

RATE_CELLS = 24
"""The default number of cells, narrow intervals of rates that groups are made of."""


@dataclass(frozen=True, eq=False)
class Split:
    """One split of the class, and what it costs.

    Parameters
    ----------
    rounds
        ``T``: the number of examples the teacher shows.
    workload
        ``S``: the mean number of examples a student sees.
    together
        Number of groups of two or more students.
    alone
        Number of students taught alone.
    frontier, place
        The frontier, and the position in it.
    """

    rounds: int
    workload: float
    together: int
    alone: int
    frontier: Frontier
    place: int

    @property
    def groups(self) -> int:
        """``K``: the number of groups, single students included."""
        return self.together + self.alone

    def cost(self, lam: float) -> float:
        """Return ``T + lam * S``."""
        return self.rounds + lam * self.workload

    @cached_property
    def group_of(self) -> Ints:
        """The group of each student, shape ``(students,)``; students taught alone come last."""
        return self.frontier.labels(self.place)

    @property
    def grouping(self) -> AsGiven:
        """The split as groups for :func:`homeroom.teach`."""
        return AsGiven(self.group_of)

    def __str__(self) -> str:
        groups = counted(self.together, "group") if self.together else ""
        alone = f"{counted(self.alone, 'student')} alone" if self.alone else ""
        return " and ".join(part for part in (groups, alone) if part)

    @property
    def short(self) -> str:
        """A short label for figures: ``"3 + 41 alone"`` or ``"2 groups"``."""
        if not self.alone:
            return counted(self.together, "group")
        return f"{self.together} + {self.alone} alone" if self.together else "all alone"

    def __repr__(self) -> str:
        return f"Split({self}: T = {self.rounds}, S = {self.workload:.4g})"


@dataclass(frozen=True, eq=False, repr=False)
class Frontier(Sequence[Split]):
    """The undominated splits among those that were searched, fewest rounds first.

    From one to the next the teacher shows more examples and a student sees fewer. ``ways`` has the
    rounds, the work and the groups of each split; groups are made of ``parts``, the cell and the
    cluster of each student.

    Examples
    --------
    >>> ways = frontier(Classroom.sample(students=20, dimensions=4, rates=(0.05, 0.6)))
    >>> ways
    Frontier(24 ways to split 20 students, T = 24 to 47, S = 9.35 to 2.35)
    >>> ways.best(lam=3.0)
    Split(3 groups and 8 students alone: T = 33, S = 4.8)
    >>> ways.within(rounds=30)
    Split(3 groups and 3 students alone: T = 30, S = 5.85)
    """

    parts: Parts
    ways: ParetoSet

    @property
    def students(self) -> int:
        """Number of students in the class."""
        return len(self.parts.cell_of)

    @property
    def rounds(self) -> Ints:
        """``T`` of each split."""
        return self.ways.rounds

    @property
    def workloads(self) -> Floats:
        """``S`` of each split."""
        return self.ways.work / self.students

    def best(self, lam: float) -> Split:
        """Return the cheapest split at ``lam``; among equals, the one with fewest groups."""
        _checks.not_negative(lam, "lam", example="1.0")
        if not len(self):
            raise InputError(
                "No way to split this class reaches the goal within the limit of rounds, so none "
                "is best. Raise max_rounds, or choose a goal that is easier to reach."
            )
        return self[self.ways.best(lam, self.students)]

    def within(self, rounds: int) -> Split | None:
        """Return the split with the least work for students in at most ``rounds``, if any."""
        place = int(np.searchsorted(self.rounds, rounds, side="right")) - 1
        return self[place] if place >= 0 else None

    @cached_property
    def corners(self) -> tuple[tuple[Split, float, float], ...]:
        """The splits that are cheapest for some ``lambda``, with the interval of lambdas.

        They are the cheapest of those that were searched. The fewest rounds, and so the smallest
        lambdas, come first.
        """
        if not len(self):
            return ()
        places = self.ways.corners()
        slopes = (-np.diff(self.rounds[places]) / np.diff(self.workloads[places])).tolist()
        starts, ends = [0.0, *slopes], [*slopes, math.inf]
        return tuple(
            (self[place], start, end)
            for place, start, end in zip(places, starts, ends, strict=True)
        )

    def labels(self, place: int) -> Ints:
        """Return the group of each student in one of the splits, shape ``(students,)``."""
        # A piece is a group, or students who are taught alone; these come last.
        pieces = sorted(self.ways.pieces(place), key=lambda piece: (piece.alone, piece.group[1:]))
        group_of, number = np.zeros(self.students, dtype=np.int64), 0
        for piece in pieces:
            members = self.parts.members(piece.group)
            several = len(members) if piece.alone else 1
            group_of[members] = number + (np.arange(several) if piece.alone else 0)
            number += several
        return group_of

    def to_frame(self) -> pandas.DataFrame:
        """Return a table with one row per split (needs pandas)."""
        rows = [
            {"T": split.rounds, "S": split.workload, "groups": split.together, "alone": split.alone}
            for split in self
        ]
        frame: pandas.DataFrame = pandas_or_explain().DataFrame(rows)
        return frame

    def plot(
        self, ax: Axes | None = None, *, others: Mapping[str, tuple[float, float]] | None = None
    ) -> Axes:
        """Plot how ``S`` falls as the teacher shows more examples.

        Parameters
        ----------
        ax
            Axes to draw on; new ones by default.
        others
            ``(T, S)`` by name, of other ways to compare with.
        """
        corners = [(split.short, (split.rounds, split.workload)) for split, _, _ in self.corners]
        with plots.drawing(ax) as drawn:
            return plots.frontier_steps(
                self.rounds, self.workloads, corners=corners, others=others, ax=drawn
            )

    def _repr_html_(self) -> str:
        rows = [
            (split, split.rounds, f"{split.workload:.3g}", _between(start, end))
            for split, start, end in self.corners
        ]
        draw = (lambda: plots.picture(self.plot)) if len(self) else None
        title = f"{len(self)} ways to split {self.students} students"
        return _notebook.html(title, ("cheapest splits", "T", "S", "for λ"), rows, draw)

    @overload
    def __getitem__(self, index: int) -> Split: ...
    @overload
    def __getitem__(self, index: slice) -> list[Split]: ...
    def __getitem__(self, index: int | slice) -> Split | list[Split]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} ways, but number {index} was asked for")
        place = index % len(self)
        groups = [piece.group for piece in self.ways.pieces(place) if not piece.alone]
        together = sum(self.parts.students(group) > 1 for group in groups)
        alone = int(self.ways.groups[place]) - together
        rounds, workload = int(self.rounds[place]), float(self.workloads[place])
        return Split(rounds, workload, together, alone, self, place)

    def __len__(self) -> int:
        return len(self.ways)

    def __iter__(self) -> Iterator[Split]:
        return (self[place] for place in range(len(self)))

    def __repr__(self) -> str:
        if not len(self):
            return f"Frontier(no way to split {self.students} students reaches the goal)"
        first, last = self[0], self[-1]
        return (
            f"Frontier({counted(len(self), 'way')} to split {counted(self.students, 'student')}, "
            f"T = {first.rounds} to {last.rounds}, S = {first.workload:.3g} to {last.workload:.3g})"
        )

    def __str__(self) -> str:
        if not len(self):
            return repr(self)
        return _notebook.align([CORNER_HEADER, *corner_rows(self)])


CORNER_HEADER = ("groups", "alone", "T", "S", "more T", "less S", "cheapest for λ")


def corner_rows(ways: Frontier) -> list[tuple[str, ...]]:
    """Return the corners as table rows, with the difference from the row above."""
    rows: list[tuple[str, ...]] = []
    before: Split | None = None
    for split, start, end in ways.corners:
        more = f"{split.rounds - before.rounds}" if before else ""
        less = f"{before.workload - split.workload:.2f}" if before else ""
        counts = (str(split.together), str(split.alone), str(split.rounds))
        rows.append((*counts, f"{split.workload:.2f}", more, less, _between(start, end)))
        before = split
    return rows


def _between(start: float, end: float) -> str:
    """Return an interval of lambdas as text."""
    if math.isinf(end):
        return f"from {start:.3g}" if start else "any"
    return f"{start:.3g} to {end:.3g}" if start else f"up to {end:.3g}"


def frontier(
    room: Classroom,
    *,
    by: str = "both",
    cells: int = RATE_CELLS,
    teacher: AbstractTeacher | str = ClassroomTeacher(),
    goal: AbstractGoal | str = AverageGoal(0.1),
    observer: AbstractObserver | str = ExactObserver(),
    learner: AbstractLearner | str = GradientLearner(),
    max_rounds: int = 100_000,
    seed: int | np.random.Generator = 0,
    progress: Callable[[Progress], None] | bool | None = None,
) -> Frontier:
    """Search for the best splits of a class, and what one more group gains.

    The result has every undominated split of the candidates: groups of neighbouring rates, all of
    them; and groups of clusters of similar students, of which only some combinations are tried.

    Parameters
    ----------
    room
        The class.
    by
        What groups have in common: ``"rate"``, ``"knowledge"``, or ``"both"``, which takes two to
        four times as long as ``"rate"`` and is never worse than either. The whole class, doubling
        bins and individuals are always among the candidates.
    cells
        Resolution: groups are made of at most this many rate cells (and clusters of similar
        students), and of students taught alone. If there are no more different rates, every cut
        by rate is tried. The time grows quadratically.
    teacher, goal, observer, learner, max_rounds, seed
        As for :func:`homeroom.teach`.
    progress
        ``True`` shows a bar. A function is called from time to time with a
        :class:`~homeroom.lessons.Progress`.

    Examples
    --------
    Two groups and one student alone need 24 examples, and a student sees 9.35 of them. For four
    examples more a student sees 2.45 fewer, which pays if lambda is at least 1.63:

    >>> print(frontier(Classroom.sample(students=20, dimensions=4, rates=(0.05, 0.6))))
    groups  alone   T     S  more T  less S  cheapest for λ
         2      1  24  9.35                      up to 1.63
         2      2  28  6.90       4    2.45     1.63 to 1.9
         3      3  30  5.85       2    1.05     1.9 to 2.86
         3      8  33  4.80       3    1.05    2.86 to 3.81
         4      8  37  3.75       4    1.05       3.81 to 4
         4      9  38  3.50       1    0.25       4 to 5.71
         4     10  42  2.80       4    0.70    5.71 to 6.67
         2     16  44  2.50       2    0.30      6.67 to 20
         0     20  47  2.35       3    0.15         from 20
    """
    check_search(by, cells)
    lesson = Lesson(
        room, teacher=teacher, goal=goal, observer=observer, learner=learner, max_rounds=max_rounds
    )
    if isinstance(room, LargeClass):
        raise InputError(
            "A class that is read piece by piece is taught as a whole. To split it, load it with "
            "Classroom.load(...)."
        )
    rng, room = np.random.default_rng(seed), room.flat
    parts = parts_of(room, by, cells, rng)
    with _notebook.reporting(progress, "Splitting") as report:
        group_rounds = GroupRounds(
            room, lesson, parts, seed=int(rng.integers(2**31)), progress=report
        )
        ways = find_splits(group_rounds, by)
        group_rounds.finish()
    return Frontier(parts, ways)


def check_search(by: str, cells: int) -> None:
    """Raise unless ``by`` is one of ``BY`` and ``cells`` is positive."""
    _checks.one_of(by, "by", BY)
    _checks.whole(cells, "cells", at_least=1)


@dataclass(frozen=True)
class BestGroups(AbstractGrouping, AbstractInformed):
    """The groups of lowest ``T + lam * S`` that a search finds. Their number is part of the result.

    In a lesson, the groups are optimised for its teacher, goal, learner and observer; outside a
    lesson, for the defaults of :func:`homeroom.teach`. If no split reaches the goal, the class is
    not split.

    Parameters
    ----------
    lam
        The weight of the students' workload ``S``.
    by
        What groups have in common: ``"rate"``, exact dynamic programming over groups of
        neighbouring rates; ``"knowledge"``, clusters of similar students, merged by cost; or
        ``"both"``, the default. The whole class, the paper's doubling bins and individuals are
        always among the candidates, so the result never costs more than these.
    cells
        Resolution, as for :func:`homeroom.frontier`.
    teacher, goal, observer, learner
        How groups are taught, if not as in the lesson.

    Examples
    --------
    >>> from homeroom import ByRate, teach
    >>> room = Classroom.sample(rates=(0.1, 0.6))
    >>> for groups in (ByRate(), BestGroups(lam=1.0)):
    ...     record = teach(room, groups=groups)
    ...     print(len(record.groups), "groups cost", round(record.cost(1.0)))
    3 groups cost 249
    3 groups cost 236
    """

    lam: float = 1.0
    by: str = "both"
    cells: int = RATE_CELLS
    teacher: AbstractTeacher | str | None = None
    goal: AbstractGoal | str | None = None
    observer: AbstractObserver | str | None = None
    learner: AbstractLearner | str | None = None

    def __post_init__(self) -> None:
        not_negative(self.lam, "lam", example="1.0")
        check_search(self.by, self.cells)

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        return self.inform().split(room, rng)

    def inform(self, **lesson: Any) -> AbstractGrouping:
        own = {name: getattr(self, name) for name in ("teacher", "goal", "observer", "learner")}
        return _Informed(self, lesson | {name: part for name, part in own.items() if part})


@dataclass(frozen=True)
class _Informed(AbstractGrouping):
    """The best groups for a given lesson, whose settings are keywords of :func:`frontier`."""

    best: BestGroups
    lesson: dict[str, Any] = field(default_factory=dict)

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        ways = frontier(room, by=self.best.by, cells=self.best.cells, seed=rng, **self.lesson)
        if not len(ways):
            return WholeClass().split(room, rng)
        return ways.best(self.best.lam).group_of
