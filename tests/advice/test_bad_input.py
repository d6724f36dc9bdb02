"""Bad input: each call must name the argument that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from homeroom import (
    AverageGoal,
    BestGroups,
    ByRate,
    Classroom,
    ClassroomTeacher,
    LangevinLearner,
    LargeClass,
    certify,
    compare,
    frontier,
    richness,
    teach,
)
from tests.bad_input import refuse

ROOM, OTHER = (Classroom.sample(8, 3, rates=(0.1, 0.9), seed=seed) for seed in (0, 1))
LARGE: Any = LargeClass.open((ROOM.states, ROOM.rates), target=ROOM.target)
SAFE = ClassroomTeacher("joint", safe=True)
RECORD = teach(ROOM, teacher=SAFE)
LIST: Any = [1, 2]

CALLS: list[tuple[str, Callable[[], object]]] = [
    ("`lam`", lambda: BestGroups(-1)),
    ("`by`", lambda: BestGroups(1.0, by="age")),
    ("`cells`", lambda: BestGroups(1.0, cells=2.5)),  # type: ignore[arg-type]  # the mistake
    ("`by`", lambda: frontier(ROOM, by="x")),
    ("`cells`", lambda: frontier(ROOM, cells=0)),
    ("`lam`", lambda: frontier(ROOM, by="rate").best(-1)),
    ("`room`", lambda: frontier(LIST)),
    ("Classroom.load", lambda: frontier(LARGE)),
    ("piece by piece", lambda: teach(LARGE, groups=BestGroups(1.0))),
    ("`lambdas`", lambda: compare(ROOM, lambdas=(-1,))),
    ("`lambdas`", lambda: compare(ROOM, lambdas=3)),  # type: ignore[arg-type]  # the mistake
    ("`ways`", lambda: compare(ROOM, ways={})),
    ("`record`", lambda: certify(OTHER, teacher=SAFE, record=RECORD)),
    ("`record`", lambda: certify(ROOM.subset([0, 1]), teacher=SAFE, record=RECORD)),
    ("`record`", lambda: certify(ROOM, teacher=SAFE, groups=ByRate(), record=RECORD)),
    ("teacher", lambda: certify(ROOM, teacher=ClassroomTeacher("dynamic"), record=RECORD)),
    ("goal", lambda: certify(ROOM, teacher=SAFE, goal=AverageGoal(0.01), record=RECORD)),
    ("one group", lambda: richness(ROOM, teach(ROOM, groups=ByRate()))),
    ("`noise`", lambda: richness(ROOM, teach(ROOM, learner=LangevinLearner(1e5)))),
    ("`measure`", lambda: richness(ROOM, RECORD, "cosine")),
]


@pytest.mark.parametrize(("named", "call"), CALLS, ids=range(len(CALLS)))
def test_bad_input_is_named(named: str, call: Callable[[], object]) -> None:
    refuse(call, named)
