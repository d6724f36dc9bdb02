"""The contract of every registered teacher."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from homeroom import (
    Ball,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    Example,
    GradientLearner,
    ItemPool,
    MeanTeacher,
    PlannedTeacher,
    PoolTeacher,
    RandomTeacher,
    Record,
    _plugins,
    teach,
)
from homeroom._arrays import Floats
from homeroom.engines import ExactClass
from homeroom.learners import AbstractLoss, Logistic, Squared
from homeroom.teachers import AbstractTeacher
from homeroom.teachers.published import (
    CurriculumTeacher,
    ForgetfulGreedyTeacher,
    ImitationTeacher,
    LabelSynthesisTeacher,
    LeitnerTeacher,
    MaxGradientTeacher,
    MinimaxTeacher,
    OmniscientTeacher,
    RecallTeacher,
    StrictTeacher,
    SurrogateTeacher,
    UncertaintyTeacher,
)
from homeroom.testing import check_teacher
from tests.bad_input import refuse

ITEMS = np.random.default_rng(2).standard_normal((12, 4)) * 0.5


def items(q: Floats) -> ItemPool:
    return ItemPool(ITEMS @ q)


def directions(q: Floats) -> DirectionPool:
    return DirectionPool(ITEMS @ q)


# Name: how to build each way of using it, for a pool in coordinates rotated by q.
TEACHERS: dict[str, dict[str, Callable[[Floats], AbstractTeacher]]] = {
    "classroom": {
        "static": lambda q: ClassroomTeacher(),
        "dynamic": lambda q: ClassroomTeacher("dynamic"),
        "joint": lambda q: ClassroomTeacher("joint"),
        "safe": lambda q: ClassroomTeacher("joint", safe=True),
    },
    "pool": {
        "items": lambda q: PoolTeacher(items(q)),
        "directions": lambda q: PoolTeacher(directions(q), "joint"),
        "ball": lambda q: PoolTeacher(Ball(), "dynamic"),
    },
    "random": {
        "ball": lambda q: RandomTeacher(),
        "items": lambda q: RandomTeacher(items(q)),
        "directions": lambda q: RandomTeacher(directions(q)),
    },
    "mean": {"mean": lambda q: MeanTeacher()},
    "planned": {
        "ball": lambda q: PlannedTeacher(),
        "safe": lambda q: PlannedTeacher(safe=True),
        "not-polished": lambda q: PlannedTeacher(polish=False),
        "items": lambda q: PlannedTeacher(pool=items(q)),
        "directions": lambda q: PlannedTeacher(pool=directions(q)),
    },
    "omniscient": {
        "ball": lambda q: OmniscientTeacher(),
        "items": lambda q: OmniscientTeacher(items(q)),
    },
    "surrogate": {
        "items": lambda q: SurrogateTeacher(items(q)),
        "directions": lambda q: SurrogateTeacher(directions(q)),
    },
    "imitation": {"items": lambda q: ImitationTeacher(items(q), knows_start=True)},
    "label-synthesis": {"items": lambda q: LabelSynthesisTeacher(items(q))},
    "minimax": {"items": lambda q: MinimaxTeacher(items(q), batch=2)},
    "strict": {"items": lambda q: StrictTeacher(items(q))},
    "max-gradient": {
        "items": lambda q: MaxGradientTeacher(items(q)),
        "directions": lambda q: MaxGradientTeacher(directions(q)),
    },
    "forgetful-greedy": {"items": lambda q: ForgetfulGreedyTeacher(items(q))},
    "leitner": {"items": lambda q: LeitnerTeacher(items(q))},
    "recall": {"items": lambda q: RecallTeacher(items(q))},
    "curriculum": {
        "easy": lambda q: CurriculumTeacher(items(q)),
        "hard": lambda q: CurriculumTeacher(directions(q), "hard"),
    },
    "uncertainty": {"items": lambda q: UncertaintyTeacher(items(q))},
}
TEXTS = {
    "classroom": ("classroom:magnitude=dynamic,safe=true", ClassroomTeacher("dynamic", safe=True)),
    "random": ("random", RandomTeacher()),
    "mean": ("mean", MeanTeacher()),
    "planned": ("planned:safe=true,polish=false", PlannedTeacher(safe=True, polish=False)),
    "omniscient": ("omniscient", OmniscientTeacher()),
    "surrogate": ("surrogate", SurrogateTeacher()),
    "imitation": ("imitation:knows_start=true", ImitationTeacher(knows_start=True)),
    "label-synthesis": ("label-synthesis", LabelSynthesisTeacher()),
    "minimax": ("minimax:batch=3", MinimaxTeacher(batch=3)),
    "max-gradient": ("max-gradient", MaxGradientTeacher()),
}
NEEDS_ARRAYS = {"pool", "strict", "forgetful-greedy", "leitner", "recall"} | {
    "curriculum",
    "uncertainty",
}
LOSSES = {"squared": Squared(), "logistic": Logistic()}
SQUARED_ONLY = {"planned"}


def ways() -> Iterator[Any]:
    for name in _plugins.names("teachers"):
        for way, make in TEACHERS.get(name, {}).items():
            for loss_name, loss in LOSSES.items():
                if loss_name == "squared" or not (way == "safe" or name in SQUARED_ONLY):
                    yield pytest.param(make, loss, id=f"{name}-{way}-{loss_name}")


every_way = pytest.mark.parametrize(("make", "loss"), list(ways()))


def choice(teacher: AbstractTeacher, room: Classroom, loss: AbstractLoss) -> Example:
    learner, rng = GradientLearner(loss), np.random.default_rng(3)
    seen = ExactClass(room, learner, np.random.default_rng(0)).look()
    example = teacher.prepare(room, loss).choose(seen, rng)
    assert example is not None
    return example


def is_searched(teacher: AbstractTeacher, loss: AbstractLoss) -> bool:
    """Return whether the example comes from a numerical search in the ball."""
    in_ball = isinstance(teacher, ClassroomTeacher) or (
        isinstance(teacher, PoolTeacher | OmniscientTeacher) and isinstance(teacher.pool, Ball)
    )
    return in_ball and not isinstance(loss, Squared)


def distance_after(room: Classroom, example: Example, loss: AbstractLoss) -> float:
    students = ExactClass(room, GradientLearner(loss), np.random.default_rng(0))
    students.learn(example)
    return students.error


def test_every_registered_teacher_is_checked() -> None:
    assert set(TEACHERS) == set(_plugins.names("teachers"))
    assert set(TEXTS) | NEEDS_ARRAYS == set(TEACHERS)


@pytest.mark.slow
@every_way
def test_it_passes_the_public_check(
    make: Callable[[Floats], AbstractTeacher], loss: AbstractLoss, room: Classroom
) -> None:
    check_teacher(make(np.eye(4)), room=room, loss=loss)
    assert _plugins.describe(make(np.eye(4)))["name"] in TEACHERS


@every_way
def test_the_order_of_the_students_does_not_matter(
    make: Callable[[Floats], AbstractTeacher], loss: AbstractLoss, room: Classroom, order: Any
) -> None:
    teacher, shuffled = make(np.eye(4)), room.subset(order)
    example, again = choice(teacher, room, loss), choice(teacher, shuffled, loss)
    if is_searched(teacher, loss):  # rounding changes the search, but not the quality of its result
        found, other = (distance_after(room, one, loss) for one in (example, again))
        assert other == pytest.approx(found, rel=0.01)
    else:
        np.testing.assert_allclose(again.x, example.x, rtol=1e-7, atol=1e-9)
        assert again.item == example.item


@every_way
def test_rotating_the_space_rotates_the_example(
    make: Callable[[Floats], AbstractTeacher],
    loss: AbstractLoss,
    room: Classroom,
    rotation: Floats,
    rotate: Callable[[Classroom, Floats], Classroom],
) -> None:
    teacher, turned = make(np.eye(4)), make(rotation)
    if isinstance(teacher, RandomTeacher) and isinstance(teacher.pool, Ball):
        pytest.skip("draws the same numbers in any coordinates")
    example = choice(teacher, room, loss)
    other = choice(turned, rotate(room, rotation), loss)
    if is_searched(teacher, loss):  # the search starts elsewhere, and its result must be as good
        found = distance_after(room, example, loss)
        there = distance_after(rotate(room, rotation), other, loss)
        assert there == pytest.approx(found, rel=0.02)
        return
    expected = example.x @ rotation
    sign = np.sign(expected @ other.x)
    np.testing.assert_allclose(sign * other.x, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.slow
@every_way
def test_other_array_libraries_give_the_same_example(
    make: Callable[[Floats], AbstractTeacher],
    loss: AbstractLoss,
    room: Classroom,
    library: Any,
    move: Callable[..., Classroom],
) -> None:
    """Within 1e-10 of NumPy's; where it is searched for numerically, within 1e-3."""
    teacher, there = make(np.eye(4)), move(room, library)
    close = 1e-3 if is_searched(teacher, loss) else 1e-10
    np.testing.assert_allclose(
        choice(teacher, there, loss).x, choice(teacher, room, loss).x, atol=close
    )


@every_way
def test_single_precision_gives_nearly_the_same_example(
    make: Callable[[Floats], AbstractTeacher],
    loss: AbstractLoss,
    room: Classroom,
    move: Callable[..., Classroom],
) -> None:
    """Within 1e-4; where it is searched for numerically, as close a class within 1 %."""
    teacher, single = make(np.eye(4)), move(room, dtype="float32")
    example, exact = choice(teacher, single, loss), choice(teacher, room, loss)
    if is_searched(teacher, loss):
        found, best = (distance_after(room, one, loss) for one in (example, exact))
        assert found == pytest.approx(best, rel=0.01)
    else:
        np.testing.assert_allclose(example.x, exact.x, atol=1e-4)


@every_way
def test_its_record_survives_saving(
    make: Callable[[Floats], AbstractTeacher],
    loss: AbstractLoss,
    room: Classroom,
    same_after_saving: Callable[[Record], None],
) -> None:
    record = teach(room, teacher=make(np.eye(4)), learner=GradientLearner(loss), max_rounds=4)
    assert record.rounds > 0
    same_after_saving(record)


@pytest.mark.parametrize("name", TEXTS)
def test_its_short_text_builds_it(name: str) -> None:
    text, expected = TEXTS[name]
    assert _plugins.make("teachers", text) == expected


@pytest.mark.parametrize("name", sorted(NEEDS_ARRAYS))
def test_a_teacher_that_needs_arrays_explains_it(name: str) -> None:
    refuse(lambda: _plugins.make("teachers", name), name)
