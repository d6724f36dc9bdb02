"""Whether the class still follows its plan, and how long lessons take when students drift."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    Ball,
    Classroom,
    ClassroomTeacher,
    GradientLearner,
    LangevinLearner,
    Observation,
    teach,
)
from homeroom._arrays import Floats
from homeroom.engines import ExactClass
from homeroom.moments import sketch_of
from homeroom.teachers.planning import progress as module
from homeroom.teachers.planning.plan import LessonPlan
from homeroom.teachers.planning.progress import PROBE, PlanProgress, rounds_with_drift
from homeroom.teachers.planning.transients import ClassLimits, StudentLimits


def a_plan(rounds: int, dimensions: int) -> LessonPlan:
    xs = 0.6 * np.random.default_rng(0).standard_normal((rounds, dimensions))
    return LessonPlan(xs, np.full(rounds, -1), np.full(rounds + 1, 1.0), 1.0, reached=True)


def anywhere(room: Classroom) -> StudentLimits:
    any_distance = np.full(room.students, np.inf)
    return StudentLimits(room.gaps, room.rates, any_distance, 0.0, np.inf)


def look(room: Classroom) -> Observation:
    return ExactClass(room, GradientLearner(), np.random.default_rng(0)).look()


def taught(
    room: Classroom,
    rounds: int,
    after_each: Callable[[Floats, Floats, np.random.Generator], Floats] | None = None,
    seen_with: float = 0.0,
    rates: Floats | None = None,
) -> PlanProgress:
    """Return the progress after some rounds, with students who drift or noisy observations."""
    rng = np.random.default_rng(1)
    plan = a_plan(rounds + 1, room.dimensions)
    gaps, real = np.array(room.gaps), room.rates if rates is None else rates

    def seen() -> Observation:
        noise = seen_with * rng.standard_normal(gaps.shape)
        return look(room).seen_with(gaps=gaps + noise)

    progress = PlanProgress.beginning(plan, seen(), anywhere(room))
    for _ in range(rounds):
        example, progress = progress.next(seen())
        gaps = gaps - (real * (gaps @ example.x))[:, None] * example.x
        if after_each is not None:
            gaps = after_each(gaps, example.x, rng)
        progress = progress.compared(seen())
    return progress


def test_a_class_that_does_as_expected_follows_its_plan(
    make_room: Callable[..., Classroom],
) -> None:
    progress = taught(make_room(), 8)
    assert not progress.off
    assert progress.unrest < 1e-25
    assert progress.drift < 1e-25
    assert progress.shown == 8
    assert not progress.is_over
    assert len(progress.left) == 1


def test_drift_is_distinguished_from_noise_and_from_wrong_rates(
    make_room: Callable[..., Classroom],
) -> None:
    """What adds up from round to round, and is not along the example, is drift: here 0.05."""
    room = make_room(students=400)

    def drifting(gaps: Floats, x: Floats, rng: np.random.Generator) -> Floats:
        return gaps + 0.1 * rng.standard_normal(gaps.shape)

    assert taught(room, PROBE, drifting).drift == pytest.approx(0.05, rel=0.3)
    noisy = taught(room, PROBE, seen_with=0.1)
    assert noisy.unrest > 0.05
    assert noisy.drift < 0.01
    assert taught(room, 6, rates=1.1 * room.rates).drift < 1e-10


def test_a_class_that_deviates_is_off_its_plan(make_room: Callable[..., Classroom]) -> None:
    room = make_room()
    assert taught(room, 6, rates=3.0 * room.rates).off
    assert not taught(room, 3, rates=1.01 * room.rates).off


def test_noise_in_observations_is_allowed_for(make_room: Callable[..., Classroom]) -> None:
    progress = taught(make_room(), 8, seen_with=0.5)
    assert not progress.off
    assert progress.is_noisy(look(make_room()))
    assert not taught(make_room(), 8).is_noisy(look(make_room()))


def test_an_example_is_shorter_if_students_are_not_where_they_should_be(
    make_room: Callable[..., Classroom],
) -> None:
    """A student who should be close by now would be moved farther than any was at the start."""
    room = make_room(4.9, students=30)
    seen = look(room)
    limits = StudentLimits.at_start(room.gaps, room.rates, AverageGoal(0.1), within=0.1)
    fastest = int(room.rates.argmax())
    x = 2.0 * room.gaps[fastest] / np.linalg.norm(room.gaps[fastest])
    plan = LessonPlan(x[None], np.array([-1]), np.ones(2), 1.0, reached=True)
    close = np.array(room.gaps)
    close[fastest] *= 1e-3
    expected = seen.seen_with(gaps=0.05 * close)
    progress = PlanProgress.beginning(plan, expected, limits)
    np.testing.assert_array_equal(progress.next(expected)[0].x, x)
    assert not progress.must_be_shorter(expected)
    assert progress.must_be_shorter(seen)
    shown = progress.next(seen)[0].x
    after = room.gaps - (1.1 * room.rates * (room.gaps @ shown))[:, None] * shown
    assert np.linalg.norm(shown) < 1.9
    assert (np.vecdot(after, after) <= limits.squared).all()


def test_a_sketch_is_followed_by_its_error(make_room: Callable[..., Classroom]) -> None:
    room = make_room(students=200)
    start = sketch_of(room)
    no_students = look(room).seen_with(gaps=room.gaps[:0], rates=room.rates[:0])
    plan = a_plan(3, 5)
    xs = plan.xs
    sketches = [start, start.after(xs[0]), start.after(xs[0]).after(xs[1])]
    expected = np.array([*(one.error for one in sketches), 0.1])
    progress = PlanProgress.beginning(
        LessonPlan(xs, plan.items, expected, 1.0, reached=True),
        no_students.seen_with(sketch=lambda: start),
        ClassLimits(0.1, 0.6, 5, 0.0),
    )
    _, progress = progress.next(no_students)
    assert not progress.compared(no_students.seen_with(sketch=lambda: sketches[1])).off
    elsewhere = sketch_of(make_room(students=200, seed=1).with_states(2.0 * room.states))
    assert progress.compared(no_students.seen_with(sketch=lambda: elsewhere)).off
    found_again = progress.compared(look(room))  # handed over to the exact engine
    assert len(found_again.believed) == 200


def test_only_some_of_many_students_are_followed(
    make_room: Callable[..., Classroom], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TRACKED", 50)
    room = make_room(students=120)
    progress = PlanProgress.beginning(a_plan(2, 5), look(room), anywhere(room))
    assert len(progress.believed) == 40


def test_progress_is_described_in_plain_values(make_room: Callable[..., Classroom]) -> None:
    progress = taught(make_room(), 2)
    assert progress.as_values() == {
        "rounds": 3,
        "expected_error": 1.0,
        "worst_transient": 1.0,
        "expected_to_reach_the_goal": True,
        "plans": 1,
    }
    assert progress.ended().step_by_step


def needed(room: Classroom, drift: float, xs: Floats, at_most: int = 500) -> int:
    return rounds_with_drift(
        sketch_of(room),
        xs,
        drift,
        AverageGoal(0.1),
        Ball(),
        longest=room.example_radius,
        at_most=at_most,
    )


def test_without_drift_it_is_the_classroom_teachers_lesson(
    make_room: Callable[..., Classroom],
) -> None:
    room = make_room(0.15)
    record = teach(room, teacher=ClassroomTeacher("joint"))
    assert needed(room, 0.0, np.zeros((0, 5))) == record.rounds
    assert needed(room, 0.0, record.examples.xs[:7]) == record.rounds


def test_with_drift_it_is_what_langevin_students_take_on_average(
    make_room: Callable[..., Classroom],
) -> None:
    room = make_room(0.15, students=2000)
    beta = 150.0
    drift = 2.0 / beta * float(room.rates.mean()) * 5
    record = teach(
        room, teacher=ClassroomTeacher("joint"), learner=LangevinLearner(beta), engine="exact"
    )
    quiet = teach(room, teacher=ClassroomTeacher("joint")).rounds
    assert needed(room, drift, np.zeros((0, 5))) == pytest.approx(record.rounds, abs=1)
    assert record.rounds > quiet


def test_counting_stops_if_the_lesson_never_ends(make_room: Callable[..., Classroom]) -> None:
    assert needed(make_room(), 10.0, np.zeros((0, 5)), at_most=30) == 30
