"""The best groups, instead of a rule of thumb."""

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
    """The groups for which ``T + lam * S`` is least; how many there are comes out of it.

    In a lesson, its teacher, goal, learner and observer count; asked on its own, those of
    :func:`homeroom.teach` unless given. If no split reaches the goal, the class stays whole.

    Parameters
    ----------
    lam
        The weight of the students' workload ``S``.
    by
        What groups have in common: ``"rate"``, an exact dynamic programme over groups of
        neighbouring rates; ``"knowledge"``, camps of like-minded students, merged by what they
        cost; or ``"both"``. The whole class, the paper's doubling bins and individuals are always
        among the candidates, so that it never costs more than these.
    cells
        How finely, as for :func:`homeroom.frontier`.
    teacher, goal, observer, learner
        How groups are taught, if not as the lesson says.

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
    """The best groups for one lesson."""

    best: BestGroups
    lesson: dict[str, Any] = field(default_factory=dict)

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        ways = frontier(room, by=self.best.by, cells=self.best.cells, seed=rng, **self.lesson)
        if not len(ways):
            return WholeClass().split(room, rng)
        return ways.best(self.best.lam).group_of
