"""The grouping with the lowest cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from homeroom._arrays import Ints
from homeroom._checks import not_negative
from homeroom.advice.frontier import CELLS, check_search, frontier
from homeroom.classroom import Classroom
from homeroom.goals import AbstractGoal
from homeroom.groups import AbstractGrouping, AbstractInformed, WholeClass
from homeroom.learners import AbstractLearner
from homeroom.observers import AbstractObserver
from homeroom.teachers import AbstractTeacher


@dataclass(frozen=True)
class BestGroups(AbstractGrouping, AbstractInformed):
    """The groups that minimise ``T + lam * S``. Their number is part of the result.

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
        ``"both"``. The whole class, the paper's doubling bins and individuals are always
        among the candidates, so the result never costs more than these.
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
    by: str = "rate"
    cells: int = CELLS
    teacher: AbstractTeacher | str | None = None
    goal: AbstractGoal | str | None = None
    observer: AbstractObserver | str | None = None
    learner: AbstractLearner | str | None = None

    def __post_init__(self) -> None:
        not_negative(self.lam, "lam", example="1.0")
        check_search(self.by, self.cells)

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        return self.informed().split(room, rng)

    def informed(self, **lesson: Any) -> AbstractGrouping:
        own = {
            name: value
            for name in ("teacher", "goal", "observer", "learner")
            if (value := getattr(self, name)) is not None
        }
        return _Informed(self, lesson | own)


@dataclass(frozen=True)
class _Informed(AbstractGrouping):
    """The best groups for a given lesson."""

    best: BestGroups
    lesson: dict[str, Any] = field(default_factory=dict)

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        ways = frontier(room, by=self.best.by, cells=self.best.cells, seed=rng, **self.lesson)
        if not len(ways):
            return WholeClass().split(room, rng)
        return ways.best(self.best.lam).group_of
