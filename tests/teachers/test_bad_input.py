"""Bad input to teachers is refused, and the error names what is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from homeroom import (
    Ball,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    GradientLearner,
    ItemPool,
    MeanTeacher,
    NoisyMoments,
    PlannedTeacher,
    PoolTeacher,
    teach,
)
from homeroom._checks import InputError, InputTypeError
from homeroom.teachers.published import CurriculumTeacher, RecallTeacher, StrictTeacher

ITEMS, HINGE = ItemPool(np.eye(4)), GradientLearner("hinge")
LABELLED = ItemPool(np.eye(4), labels=np.ones(4))

SETTINGS: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    ("magnitude", ClassroomTeacher, {"magnitude": "fast"}),
    ("safe", ClassroomTeacher, {"safe": 1}),
    ("safe", partial(PoolTeacher, ITEMS), {"safe": "maybe"}),
    ("safe", PlannedTeacher, {"safe": None}),
    ("polish", PlannedTeacher, {"polish": 1}),
    ("pool", PoolTeacher, {"pool": np.eye(3)}),
    ("pool", PlannedTeacher, {"pool": [[1.0]]}),
    ("rates_within", PlannedTeacher, {"rates_within": "little"}),
    *(
        ("rates_within", make, {"rates_within": within})
        for make in (ClassroomTeacher, PlannedTeacher, partial(PoolTeacher, ITEMS))
        for within in (-0.1, math.nan, 1.0)
    ),
    ("repeat_after", partial(PoolTeacher, DirectionPool(np.eye(2))), {"repeat_after": 3}),
    ("repeat_after", partial(PoolTeacher, ITEMS), {"repeat_after": -1}),
    ("order", partial(CurriculumTeacher, ITEMS), {"order": "random"}),
    ("threshold", partial(RecallTeacher, ITEMS), {"threshold": 1.2}),
    ("share", partial(RecallTeacher, ITEMS), {"share": 0.0}),
    ("strength", partial(RecallTeacher, ITEMS), {"strength": -1.0}),
]

LESSONS: list[tuple[str, dict[str, Any]]] = [
    ("safe", {"teacher": PoolTeacher(LABELLED, safe=True)}),
    ("safe", {"teacher": PoolTeacher(ITEMS, safe=True), "learner": HINGE}),
    ("safe", {"teacher": ClassroomTeacher(safe=True), "learner": HINGE}),
    ("items", {"teacher": PoolTeacher(ItemPool(np.eye(3)))}),
    ("NoisyMoments", {"learner": HINGE, "observer": NoisyMoments(0.1)}),
    ("NoisyMoments", {"teacher": PoolTeacher(LABELLED), "observer": NoisyMoments(0.1)}),
    ("NoisyMoments", {"teacher": PlannedTeacher(), "observer": NoisyMoments(0.1)}),
    ("Hinge", {"teacher": PlannedTeacher(), "learner": HINGE}),
    ("labels", {"teacher": PlannedTeacher(pool=LABELLED)}),
    ("AccuracyGoal", {"teacher": PlannedTeacher(), "goal": "accuracy"}),
    ("Ball", {"teacher": StrictTeacher(Ball())}),
    ("MeanTeacher", {"teacher": MeanTeacher(), "learner": GradientLearner("hinge", classes=2)}),
    ("dimensions", {"learner": GradientLearner("hinge", classes=3)}),
]


@pytest.mark.parametrize(("name", "make", "settings"), SETTINGS)
def test_a_wrong_setting_is_named(
    name: str, make: Callable[..., Any], settings: dict[str, Any]
) -> None:
    with pytest.raises((InputError, InputTypeError), match=name):
        make(**settings)


@pytest.mark.parametrize(("name", "settings"), LESSONS)
def test_what_does_not_fit_the_lesson_is_named(name: str, settings: dict[str, Any]) -> None:
    room = Classroom.sample(students=6, dimensions=4)
    with pytest.raises((InputError, InputTypeError), match=name):
        teach(room, **settings)
