"""Laws of lessons: safety, groups, individuals, asking and telling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import (
    AsGiven,
    AtRandom,
    AverageGoal,
    ByKnowledge,
    ByRate,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    EveryoneGoal,
    Example,
    Individuals,
    Lesson,
    MeanTeacher,
    PoolTeacher,
    Record,
    WholeClass,
    teach,
)
from homeroom.goals import AbstractGoal
from homeroom.groups import AbstractGrouping
from homeroom.moments import Moments, moments_of
from homeroom.teachers import AbstractTeacher


@st.composite
def rooms(draw: st.DrawFn, most: int = 8, least: int = 1) -> Classroom:
    """Small classes of all kinds; the numbers themselves come from a seed."""
    slowest = draw(st.sampled_from([0.05, 0.1, 0.3]))
    return Classroom.sample(
        students=draw(st.integers(least, most)),
        dimensions=draw(st.integers(1, 4)),
        rates=(slowest, slowest * draw(st.sampled_from([1.0, 1.5, 8.0]))),
        seed=draw(st.integers(0, 10_000)),
        spread=draw(st.sampled_from([0.3, 1.0, 3.0])),
        example_radius=draw(st.sampled_from([0.7, 2.0, 6.0])),
    )


GROUPINGS = st.sampled_from(
    [WholeClass(), ByRate(), AtRandom(k=2), ByKnowledge(k=2), Individuals()]
)
GOALS = st.sampled_from([AverageGoal(0.05), AverageGoal(1.0), EveryoneGoal(0.2)])


def by_hand(lesson: Lesson) -> Record:
    while lesson.ask() is not None:
        lesson.tell()
    return lesson.record()


def same_record(record: Record, other: Record, *, close: float = 1e-9) -> None:
    np.testing.assert_array_equal(record.transcript.rounds, other.transcript.rounds)
    np.testing.assert_array_equal(record.transcript.stops, other.transcript.stops)
    np.testing.assert_array_equal(record.group_of, other.group_of)
    np.testing.assert_allclose(record.examples.xs, other.examples.xs, atol=close)
    np.testing.assert_allclose(record.examples.ys, other.examples.ys, atol=close)
    np.testing.assert_array_equal(record.examples.items, other.examples.items)
    for group in range(len(record.transcript.rounds)):
        np.testing.assert_allclose(
            record.transcript.errors(group), other.transcript.errors(group), atol=close
        )
        np.testing.assert_allclose(
            record.transcript.farthest(group), other.transcript.farthest(group), atol=1e-6
        )
    np.testing.assert_allclose(record.final_states, other.final_states, atol=close)


@given(rooms(), st.sampled_from(["static", "dynamic", "joint", "best"]), st.booleans())
def test_safe_means_that_no_student_ever_moves_away(
    room: Classroom, magnitude: str, from_pool: bool
) -> None:
    teacher: AbstractTeacher = ClassroomTeacher(magnitude, safe=True)
    if from_pool:
        axes = np.eye(room.dimensions)
        teacher = PoolTeacher(DirectionPool(np.vstack([axes, axes + 0.5])), magnitude, safe=True)
    record = teach(room, teacher=teacher, watch=range(room.students), max_rounds=30)
    falls = -np.diff(record.watched_errors, axis=0)
    assert (falls >= -1e-9 * record.watched_errors[:-1] - 1e-15).all()


@given(rooms(least=2), GROUPINGS, st.integers(0, 100))
def test_a_split_is_a_partition(room: Classroom, grouping: AbstractGrouping, seed: int) -> None:
    """Every student is in one group, and no group is empty."""
    groups = grouping.split(room, np.random.default_rng(seed))
    members = [np.flatnonzero(groups == group) for group in range(int(groups.max()) + 1)]
    assert sorted(np.concatenate(members).tolist()) == list(range(room.students))
    assert all(len(rows) for rows in members)


@given(rooms(most=12), st.sampled_from(["static", "dynamic", "joint", "best"]), st.integers(0, 10))
def test_updated_moments_are_those_of_the_students(
    room: Classroom, magnitude: str, rounds: int
) -> None:
    lesson = Lesson(room, teacher=ClassroomTeacher(magnitude, safe=True), goal=AverageGoal(1e-6))
    for _ in range(rounds):
        if lesson.ask() is not None:
            lesson.tell()
    seen = lesson.parts[0].students.look()
    rebuilt = moments_of(seen.gaps, room.rates, few=0)
    assert isinstance(rebuilt, Moments)
    size = np.abs(rebuilt.linear).max()
    for g in (0.5, 2.0):
        np.testing.assert_allclose(
            seen.moments.weigh(g), rebuilt.weigh(g), atol=1e-9 * max(size, 1e-3)
        )
    gaps = lesson.record().final_states - room.target
    np.testing.assert_allclose(
        lesson.parts[0].students.squared_distances, (gaps**2).sum(axis=1), rtol=1e-6, atol=1e-9
    )


@given(rooms(least=2), GOALS, st.integers(1, 30))
def test_individuals_in_closed_form_are_lessons_of_one(
    room: Classroom, goal: AbstractGoal, max_rounds: int
) -> None:
    """Rounds, reasons, examples, errors and final states."""
    formula = teach(room, goal=goal, groups=Individuals(), max_rounds=max_rounds)
    assert formula.transcript.arrays().keys() >= {"shrink"}  # it is the closed form
    lesson = Lesson(room, goal=goal, groups=Individuals(), max_rounds=max_rounds)
    same_record(formula, by_hand(lesson), close=1e-8)


@settings(max_examples=15)
@given(rooms(least=2), GOALS)
def test_the_mean_of_one_student_is_the_student(room: Classroom, goal: AbstractGoal) -> None:
    tutored = teach(room, teacher=MeanTeacher(), goal=goal, groups=Individuals(), max_rounds=40)
    formula = teach(room, goal=goal, groups=Individuals(), max_rounds=40)
    same_record(tutored, formula, close=1e-8)


@settings(max_examples=25)
@given(rooms(least=2), GOALS, st.data())
def test_a_grouped_lesson_is_the_lessons_of_its_groups(
    room: Classroom, goal: AbstractGoal, data: st.DataObject
) -> None:
    labels = data.draw(st.lists(st.integers(0, 2), min_size=room.students, max_size=room.students))
    teacher = ClassroomTeacher("dynamic", safe=True)
    whole = teach(room, teacher=teacher, goal=goal, groups=AsGiven(labels), max_rounds=25)
    for number, group in enumerate(whole.groups):
        members = np.flatnonzero(whole.group_of == number)
        own = teach(room.subset(members), teacher=teacher, goal=goal, max_rounds=25)
        assert group.stopped_because is own.stopped_because
        np.testing.assert_allclose(group.errors, own.errors, atol=1e-9)
        np.testing.assert_allclose(group.examples.xs, own.examples.xs, atol=1e-9)
        np.testing.assert_allclose(group.final_states, own.final_states, atol=1e-9)
    assert whole.rounds == sum(group.rounds for group in whole.groups)


@settings(max_examples=25)
@given(rooms(least=2), GROUPINGS, GOALS, st.integers(0, 100))
def test_ask_and_tell_by_hand_give_the_same_as_teach(
    room: Classroom, grouping: AbstractGrouping, goal: AbstractGoal, seed: int
) -> None:
    teacher = ClassroomTeacher("joint", safe=True)
    lesson = Lesson(room, teacher=teacher, goal=goal, groups=grouping, max_rounds=20, seed=seed)
    record = teach(room, teacher=teacher, goal=goal, groups=grouping, max_rounds=20, seed=seed)
    same_record(by_hand(lesson), record, close=1e-8)


@settings(max_examples=25)
@given(rooms(), st.integers(0, 100))
def test_asking_twice_gives_the_same_answer(room: Classroom, seed: int) -> None:
    lesson = Lesson(room, goal=AverageGoal(1e-3), max_rounds=3, seed=seed)
    for _ in range(3):
        first = lesson.ask()
        assert lesson.ask() is first
        if first is not None:
            lesson.tell()


@settings(max_examples=25)
@given(rooms(), st.integers(0, 1000))
def test_states_from_outside_are_taken_as_they_are(room: Classroom, seed: int) -> None:
    lesson = Lesson(room, goal=AverageGoal(1e-9), max_rounds=2)
    rng = np.random.default_rng(seed)
    for rounds in (1, 2):
        if lesson.ask() is None:
            return
        outside = rng.standard_normal(room.states.shape)
        lesson.tell(states=outside)
        record = lesson.record()
        np.testing.assert_allclose(record.final_states, outside, atol=1e-12)
        expected = ((outside - room.target) ** 2).sum(axis=1).mean()
        assert record.errors[rounds] == pytest.approx(expected)


@settings(max_examples=25)
@given(rooms(), st.integers(0, 100))
def test_telling_the_simulated_states_changes_nothing(room: Classroom, seed: int) -> None:
    """A live class whose students behave as simulated ones is the simulation."""
    live, simulated = (
        Lesson(room, teacher=ClassroomTeacher("dynamic", safe=True), max_rounds=8, seed=seed)
        for _ in range(2)
    )
    states = np.array(room.states)
    while (example := live.ask()) is not None:
        assert isinstance(example, Example)
        answers = states @ example.x - example.y
        states = states - (room.rates * answers)[:, None] * example.x
        live.tell(states=states)
    same_record(live.record(), by_hand(simulated), close=1e-7)
