"""Compare ways of teaching a class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom import _notebook, _plugins, plots
from homeroom._checks import InputError, InputTypeError, cost
from homeroom._notebook import reporting
from homeroom.advice.frontier import BestGroups, Frontier
from homeroom.advice.frontier import frontier as find_frontier
from homeroom.advice.group_rounds import is_fast
from homeroom.classroom import Classroom
from homeroom.classroom.room import in_memory
from homeroom.goals import AbstractGoal, AverageGoal
from homeroom.groups import AbstractGrouping, AtRandom, ByRate, Individuals, WholeClass
from homeroom.learners import AbstractLearner, GradientLearner
from homeroom.lessons import Lesson, Progress, Record, StoppedBecause, teach
from homeroom.lessons.files import pandas_or_explain
from homeroom.observers import AbstractObserver, ExactObserver
from homeroom.teachers import AbstractTeacher, ClassroomTeacher

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

LAMBDAS = (0.0, 1.0, 10.0, 100.0, 1000.0)


@dataclass(frozen=True, eq=False)
class Way:
    """One way of teaching the class, and what it took.

    Parameters
    ----------
    name
        Name of the way.
    record
        The record of the lesson.
    searched
        Whether its groups were found by a search rather than named.
    """

    name: str
    record: Record
    searched: bool = False

    @property
    def groups(self) -> int:
        """``K``: the number of groups."""
        return len(self.record.groups)

    @property
    def rounds(self) -> int:
        """``T``: the number of examples the teacher showed."""
        return self.record.rounds

    @property
    def workload(self) -> float:
        """``S``: the mean number of examples a student saw."""
        return self.record.workload

    @property
    def reached(self) -> bool:
        """Whether every group reached its goal."""
        return self.record.stopped_because is StoppedBecause.GOAL

    def cost(self, lam: float) -> float:
        """Return ``T + lam * S``; infinite if the goal was not reached."""
        return self.record.cost(lam) if self.reached else float("inf")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Ways of teaching one class, and the cheapest for each weight of the students' workload.

    Parameters
    ----------
    ways
        What was compared; groups found by a search come last.
    lambdas
        The weights of the students' workload.
    frontier
        The frontier of all splits, if it was computed.
    """

    ways: tuple[Way, ...]
    lambdas: tuple[float, ...]
    frontier: Frontier | None = None

    def best(self, lam: float) -> Way:
        """Return the cheapest way at ``lam``; among equals, the one with fewest groups."""
        return min(self.ways, key=lambda way: (way.cost(lam), way.groups))

    def to_frame(self) -> pandas.DataFrame:
        """Return a table with one row per way (needs pandas)."""
        rows = [
            {"way": way.name, "groups": way.groups, "T": way.rounds, "S": way.workload}
            | {f"cost at {lam:g}": way.cost(lam) for lam in self.lambdas}
            for way in self.ways
        ]
        frame: pandas.DataFrame = pandas_or_explain().DataFrame(rows)
        return frame

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the cost of each way over the weight of the students' workload.

        With a frontier, the best groups for each weight form one line. A notebook shows the plot,
        unless it is drawn on given axes.
        """
        best = (self.frontier.rounds, self.frontier.workloads) if self.frontier else None
        with plots.drawing(ax) as drawn:
            weights = np.geomspace(0.1, 10_000, 200)
            return plots.cost_lines(self.named, weights, best=best, ax=drawn)

    def _repr_html_(self) -> str:
        header, *rows = self._cells()
        draw = (lambda: plots.picture(self.plot)) if self.named else None
        return _notebook.html("Ways of teaching one class", header, rows, draw)

    @property
    def named(self) -> dict[str, tuple[float, float]]:
        """``(T, S)`` by name, of the named ways that reached the goal."""
        return {
            way.name: (way.rounds, way.workload)
            for way in self.ways
            if way.reached and not way.searched
        }

    def _cells(self) -> list[list[str]]:
        """Return the table of ways: its header, and one row per way."""
        header = ["way", "groups", "T", "S", *(f"cost at λ={lam:g}" for lam in self.lambdas)]
        rows = [
            [
                way.name,
                str(way.groups),
                str(way.rounds),
                f"{way.workload:.2f}",
                *(_cell(way, lam, self.best(lam)) for lam in self.lambdas),
            ]
            for way in self.ways
        ]
        return [header, *rows]

    def __str__(self) -> str:
        rows = self._cells()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )


def compare(
    room: Classroom,
    *,
    ways: Mapping[str, AbstractGrouping | str] | None = None,
    lambdas: Sequence[float] = LAMBDAS,
    teacher: AbstractTeacher | str = ClassroomTeacher(),
    goal: AbstractGoal | str = AverageGoal(0.1),
    observer: AbstractObserver | str = ExactObserver(),
    learner: AbstractLearner | str = GradientLearner(),
    max_rounds: int = 100_000,
    seed: int = 0,
    frontier: bool | None = None,
    progress: Callable[[Progress], None] | bool | None = None,
) -> Comparison:
    """Teach the class in several ways and compare their costs (section 5).

    Parameters
    ----------
    room
        The class.
    ways
        Groupings by name. Default: the whole class, groups by rate, as many groups at random, and
        individuals.
    lambdas
        Weights of the students' workload ``S`` in the cost ``T + lambda S``.
    teacher, goal, observer, learner, max_rounds, seed
        As for :func:`homeroom.teach`.
    frontier
        Whether to search for the best groups by rate too (:func:`homeroom.frontier`), and to add
        those that are cheaper than every named way at one of the lambdas. Default: only with the
        default ways, and only where the search takes seconds.
    progress
        ``True`` shows a bar. A function is called from time to time with a
        :class:`~homeroom.lessons.Progress` of the whole comparison.

    Examples
    --------
    >>> print(compare(Classroom.sample(), lambdas=(0, 10, 1000)))
    way            groups     T       S  cost at λ=0  cost at λ=10  cost at λ=1000
    whole class         1   154  154.00        154 *          1694          154154
    by rate             3   340   99.87          340          1339          100207
    at random           3   399  133.00          399          1729          133399
    individuals       300  1237    4.12         1237          1278          5360 *
    best for λ=10      98   836   40.76          836        1244 *           41599
    """
    in_memory(room, "compare")
    weights = _check_lambdas(lambdas)
    usual = ways is None
    ways = _usual_ways(room, seed) if ways is None else ways
    if not ways:
        raise InputError("`ways` must name at least one grouping, as in {'all': WholeClass()}.")
    settings: dict[str, Any] = {
        "teacher": teacher,
        "goal": goal,
        "observer": observer,
        "learner": learner,
        "max_rounds": max_rounds,
    }
    search = usual and _is_quick(room, settings) if frontier is None else frontier
    number = len(ways) + (SEARCH if search else 0)
    with reporting(progress, "Comparing") as report:
        done: list[Way] = []
        for name, groups in ways.items():
            share = _share(report, len(done), 1, number)
            record = teach(room, groups=groups, seed=seed, progress=share, **settings)
            done.append(Way(name, record))
        if not search:
            return Comparison(tuple(done), weights)
        share = _share(report, len(done), SEARCH, number)
        found = find_frontier(room, seed=seed, progress=share, **settings)
        for lam in weights if found else ():
            done += _better(room, found, lam, done, seed=seed, **settings)
        return Comparison(tuple(done), weights, found)


SEARCH = 4
"""The search for the best groups counts as this many ways of teaching in the progress bar."""


def _is_quick(room: Classroom, settings: Mapping[str, Any]) -> bool:
    """Return whether the search for the best groups takes only seconds."""
    lesson = Lesson(room, **settings)
    return is_fast(room, lesson.teacher, lesson.observer, lesson.learner)


def _better(
    room: Classroom, found: Frontier, lam: float, ways: Sequence[Way], **settings: Any
) -> list[Way]:
    """Return the best groups at lambda as one way, or no way if another is as cheap."""
    split = found.best(lam)
    if not split.cost(lam) < min(way.cost(lam) for way in ways):
        return []
    record = teach(room, groups=split.grouping, **settings)
    settings_used = {**record.settings, "groups": _plugins.describe(BestGroups(lam))}
    return [Way(f"best for λ={lam:g}", replace(record, settings=settings_used), searched=True)]


def _check_lambdas(lambdas: Sequence[float]) -> tuple[float, ...]:
    """Return the weights as numbers; raise if one is not valid."""
    try:
        weights = tuple(float(lam) for lam in lambdas)
    except (TypeError, ValueError):
        raise InputTypeError(
            f"`lambdas` must be numbers, as in (0, 10), but is {lambdas!r}."
        ) from None
    for lam in weights:
        if not 0.0 <= lam < float("inf"):
            raise InputError(f"`lambdas` must be finite and not negative, but one is {lam:g}.")
    return weights


def _usual_ways(room: Classroom, seed: int) -> dict[str, AbstractGrouping | str]:
    """Return the default groupings by name; those by rate only if there are several groups."""
    groups = int(ByRate().split(room, np.random.default_rng(seed)).max()) + 1
    ways: dict[str, AbstractGrouping | str] = {"whole class": WholeClass()}
    if groups > 1:
        ways |= {"by rate": ByRate(), "at random": AtRandom(groups)}
    return ways | {"individuals": Individuals()}


def _share(
    progress: Callable[[Progress], None] | None, before: int, mine: int, ways: int
) -> Callable[[Progress], None] | None:
    """Return a callback that reports the progress of one way as part of the whole.

    ``before`` ways are done, this one counts as ``mine`` ways, and there are ``ways`` in all.
    """
    if progress is None:
        return None
    return lambda part: progress(part._replace(done=(before + mine * part.done) / ways))


def _cell(way: Way, lam: float, best: Way) -> str:
    """Return the cost of a way as text, with a star if it is the best."""
    return f"{cost(way.cost(lam))}{' *' if way is best else ''}"
