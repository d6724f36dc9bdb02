"""Compare ways of teaching a class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom import _arrays, _notebook, _plugins, plots
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, InputTypeError, cost
from homeroom._notebook import reporting
from homeroom.advice.frontier import BestGroups, Frontier
from homeroom.advice.frontier import frontier as find_frontier
from homeroom.advice.group_rounds import CLUSTER_SAMPLE, is_fast
from homeroom.classroom import Classroom
from homeroom.classroom.room import in_memory
from homeroom.goals import AbstractGoal, AverageGoal
from homeroom.groups import (
    AbstractGrouping,
    AtRandom,
    ByKnowledge,
    ByRate,
    Individuals,
    WholeClass,
)
from homeroom.learners import AbstractLearner, GradientLearner
from homeroom.lessons import Lesson, Progress, Record, StoppedBecause, teach
from homeroom.lessons.files import pandas_or_explain
from homeroom.observers import AbstractObserver, ExactObserver
from homeroom.teachers import AbstractTeacher, ClassroomTeacher

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

USUAL_LAMBDAS = (0.0, 1.0, 10.0, 100.0, 1000.0)


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
        The frontier of the splits that were searched, if it was computed.
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
        rows = [header]
        for way in self.ways:
            stars = (" *" if way is self.best(lam) else "" for lam in self.lambdas)
            costs = [cost(way.cost(lam)) for lam in self.lambdas]
            marked = [f"{number}{star}" for number, star in zip(costs, stars, strict=True)]
            rows.append(
                [way.name, str(way.groups), str(way.rounds), f"{way.workload:.2f}", *marked]
            )
        return rows

    def __str__(self) -> str:
        return _notebook.align(self._cells(), words=1)


def compare(
    room: Classroom,
    *,
    ways: Mapping[str, AbstractGrouping | str] | None = None,
    lambdas: Sequence[float] = USUAL_LAMBDAS,
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
        Groupings by name. Default: the whole class, groups by rate, as many groups at random,
        groups by knowledge where there are clear clusters of states (in classes of up to 4096
        students), and individuals.
    lambdas
        Weights of the students' workload ``S`` in the cost ``T + lambda S``.
    teacher, goal, observer, learner, max_rounds, seed
        As for :func:`homeroom.teach`.
    frontier
        Whether to search for the best groups by rate and knowledge too
        (:func:`homeroom.frontier`), and to add those that are cheaper than every named way at one
        of the lambdas. Default: only with the default ways, and only where the search takes
        seconds. The star marks the cheapest of the rows.
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
    """Return the default groupings by name; by rate or knowledge only if that makes groups."""
    groups = int(ByRate().split(room, np.random.default_rng(seed)).max()) + 1
    ways: dict[str, AbstractGrouping | str] = {"whole class": WholeClass()}
    if groups > 1:
        ways |= {"by rate": ByRate(), "at random": AtRandom(groups)}
    if room.students <= CLUSTER_SAMPLE and (clusters := _count_clusters(room.flat, seed)) > 1:
        ways |= {"by knowledge": ByKnowledge(clusters)}
    return ways | {"individuals": Individuals()}


MOST_CLUSTERS = 8
"""The most groups by knowledge that are compared by default."""

CLEAR = 0.7
"""The least silhouette of clear clusters (the "strong structure" of Kaufman and Rousseeuw).

It is .93 for the four clusters of figure 3f, and at most .1 for one cloud of 25 dimensions.
"""


def _count_clusters(room: Classroom, seed: int) -> int:
    """Return the number of clear clusters of states; 1 if there are none.

    The one of the highest silhouette. O(students * dimensions) for each number that is tried.
    """
    states = _arrays.to_host(room.states)
    clearest, found = CLEAR, 1
    for number in range(2, min(MOST_CLUSTERS, room.students // 3) + 1):
        cluster_of = ByKnowledge(number).split(room, np.random.default_rng(seed))
        silhouette = _silhouette(states, cluster_of)
        if silhouette > clearest:
            clearest, found = silhouette, number
    return found


def _silhouette(states: Floats, cluster_of: Ints) -> float:
    """Return the mean of ``(b - a) / max(a, b)`` over the students, between -1 and 1.

    ``a`` is the distance to the centre of the own cluster, ``b`` that to the nearest other one. A
    student who is a cluster counts as 0.
    """
    if not cluster_of.any():
        return 0.0  # all states are the same
    sizes = np.bincount(cluster_of)
    centres = np.array([states[cluster_of == each].mean(axis=0) for each in range(len(sizes))])
    distances = np.linalg.norm(states[:, None, :] - centres, axis=2)
    everyone = np.arange(len(states))
    own = distances[everyone, cluster_of].copy()
    distances[everyone, cluster_of] = np.inf
    other = distances.min(axis=1)
    each = (other - own) / np.maximum(np.maximum(own, other), np.finfo(np.float64).tiny)
    return float(np.where(sizes[cluster_of] > 1, each, 0.0).mean())


def _share(
    progress: Callable[[Progress], None] | None, before: int, mine: int, ways: int
) -> Callable[[Progress], None] | None:
    """Return a callback that reports the progress of one way as part of the whole.

    ``before`` ways are done, this one counts as ``mine`` ways, and there are ``ways`` in all.
    """
    if progress is None:
        return None
    return lambda part: progress(part._replace(done=(before + mine * part.done) / ways))
