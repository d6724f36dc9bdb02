"""Components of your own, through the same interfaces as ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    Classroom,
    Example,
    Individuals,
    ItemPool,
    MeanTeacher,
    Observation,
    PoolTeacher,
    StoppedBecause,
    teach,
)
from homeroom.goals import AbstractGoal
from homeroom.learners import AbstractLearner
from homeroom.lessons import Progress
from homeroom.observers import AbstractObserver, Outcome
from homeroom.teachers import AbstractTeacher


@dataclass(frozen=True)
class InTurn(AbstractTeacher):
    """Shows the axes in turn, wherever the class is; the memory is the number of the next axis."""

    def begin(
        self,
        learner: AbstractLearner,
        goal: AbstractGoal,
        max_rounds: int,
        report: Callable[[float, int], None] = lambda _share, _rounds: None,
    ) -> int:
        report(0.5, max_rounds)
        return 0

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        raise NotImplementedError  # it needs its memory

    def next(
        self, seen: Observation, memory: int, rng: np.random.Generator
    ) -> tuple[Example | None, int]:
        example = seen.example(np.eye(seen.width)[memory % seen.width])
        return (None if memory == 7 else example), memory + 1

    def describe_plan(self, memory: int) -> dict[str, Any]:
        return {"axes": memory}


@dataclass(frozen=True)
class SeesSome(AbstractObserver):
    """The teacher observes only every second student."""

    def begin(self, room: Classroom) -> None:
        return None

    def observe(self, truth: Observation, memory: Any, rng: np.random.Generator) -> Observation:
        return truth.seen_with(gaps=truth.gaps[::2], rates=truth.rates[::2])

    def remember(self, memory: Any, outcome: Outcome) -> None:
        return None


@pytest.fixture
def room() -> Classroom:
    return Classroom.sample(students=10, dimensions=3)


def test_an_observer_of_your_own_may_wrap_another(room: Classroom) -> None:
    """All gaps are observed at half their length. Their directions stay the same."""

    @dataclass(frozen=True)
    class Glasses(SeesSome):
        def observe(self, truth: Observation, memory: Any, rng: np.random.Generator) -> Observation:
            return replace(truth, gaps=0.5 * truth.gaps, kept=None)

    np.testing.assert_allclose(
        teach(room, observer=Glasses()).errors, teach(room).errors, rtol=1e-9
    )


def test_a_teacher_gets_its_memory_back_for_each_group() -> None:
    room = Classroom.sample(students=12, dimensions=3)
    said: list[Progress] = []
    record = teach(
        room,
        teacher=InTurn(),
        groups="by-rate",
        goal=AverageGoal(1e-9),
        max_rounds=20,
        progress=said.append,
    )
    for group in record.groups:
        np.testing.assert_array_equal(group.examples.xs, np.eye(3)[[0, 1, 2, 0, 1, 2, 0]])
        assert group.stopped_because is StoppedBecause.STUCK
    assert record.plans == ({"axes": 8},) * len(record.groups)
    assert {now.group for now in said} == set(range(len(record.groups)))


# --- mistakes: one sentence each ------------------------------------------------------------------


def test_an_observer_with_a_memory_teaches_individuals_as_each_alone(room: Classroom) -> None:
    @dataclass(frozen=True)
    class Shown(SeesSome):
        def begin(self, room: Classroom) -> Any:
            return 0.0

        def observe(self, truth: Observation, memory: Any, rng: np.random.Generator) -> Observation:
            return truth.seen_with(rates=truth.rates * (1.0 + memory))

        def remember(self, memory: Any, outcome: Outcome) -> Any:
            assert outcome.example is not None
            return memory + float(outcome.example.x @ outcome.example.x)

    record = teach(room, observer=Shown(), groups=Individuals(), teacher=MeanTeacher())
    for student in (0, 7):
        one = teach(room.subset([student]), observer=Shown(), teacher=MeanTeacher())
        np.testing.assert_allclose(record.groups[student].errors, one.errors, atol=1e-12)


@pytest.mark.parametrize("repeat_after", [None, 2])
def test_individuals_are_taught_by_a_pool_without_repetition(
    repeat_after: int | None, room: Classroom
) -> None:
    items = np.random.default_rng(1).standard_normal((9, 3))
    teacher = PoolTeacher(ItemPool(items / 2), repeat_after=repeat_after)
    record = teach(room, teacher=teacher, groups=Individuals(), max_rounds=20)
    one = teach(room.subset([3]), teacher=teacher, max_rounds=20)
    np.testing.assert_array_equal(record.groups[3].examples.items, one.examples.items)
    shown = one.examples.items.tolist()
    assert all(item not in shown[max(0, i - 2) : i] for i, item in enumerate(shown))
