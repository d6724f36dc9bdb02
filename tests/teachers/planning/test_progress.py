"""Whether the class still follows its plan."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from homeroom import (
    AverageGoal,
    Classroom,
    Observation,
)
from homeroom._arrays import Floats
from homeroom.moments import sketch_of
from homeroom.moments.sketch import NestedSketch
from homeroom.teachers.planning.plan import LessonPlan
from homeroom.teachers.planning.progress import PlanProgress
from homeroom.teachers.planning.transients import ClassLimits, StudentLimits
from tests.teachers.planning.small_classes import look, make_room


def a_plan(rounds: int, dimensions: int) -> LessonPlan:
    xs = 0.6 * np.random.default_rng(0).standard_normal((rounds, dimensions))
    return LessonPlan(xs, np.full(rounds, -1), np.full(rounds + 1, 1.0), 1.0, reached=True)


def test_an_example_is_shorter_if_students_are_not_where_they_should_be() -> None:
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
    progress = PlanProgress.begin(plan, expected, limits)
    np.testing.assert_array_equal(progress.next(expected)[0].x, x)
    assert not progress.must_shorten(expected)
    assert progress.must_shorten(seen)
    shown = progress.next(seen)[0].x
    after = room.gaps - (1.1 * room.rates * (room.gaps @ shown))[:, None] * shown
    assert np.linalg.norm(shown) < 1.9
    assert (np.vecdot(after, after) <= limits.squared).all()


def test_a_sketch_is_followed_by_its_error() -> None:
    room = make_room(students=200)
    start = sketch_of(room)
    no_students = look(room).seen_with(gaps=room.gaps[:0], rates=room.rates[:0])
    plan = a_plan(3, 5)
    xs = plan.xs
    sketches = [start, start.after(xs[0]), start.after(xs[0]).after(xs[1])]
    expected = np.array([*(one.error for one in sketches), 0.1])
    progress = PlanProgress.begin(
        LessonPlan(xs, plan.items, expected, 1.0, reached=True),
        no_students.seen_with(sketch=NestedSketch(start)),
        ClassLimits(0.1, 0.6, 5, 0.0),
    )
    _, progress = progress.next(no_students)
    assert not progress.compare(no_students.seen_with(sketch=NestedSketch(sketches[1]))).off
    elsewhere = sketch_of(make_room(students=200, seed=1).with_states(2.0 * room.states))
    assert progress.compare(no_students.seen_with(sketch=NestedSketch(elsewhere))).off
    found_again = progress.compare(look(room))  # handed over to the exact engine
    assert len(found_again.believed) == 200


def anywhere(room: Classroom) -> StudentLimits:
    any_distance = np.full(room.students, np.inf)
    return StudentLimits(room.gaps, room.rates, any_distance, 0.0, np.inf)


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

    progress = PlanProgress.begin(plan, seen(), anywhere(room))
    for _ in range(rounds):
        example, progress = progress.next(seen())
        gaps = gaps - (real * (gaps @ example.x))[:, None] * example.x
        if after_each is not None:
            gaps = after_each(gaps, example.x, rng)
        progress = progress.compare(seen())
    return progress


def test_a_class_that_does_as_expected_follows_its_plan() -> None:
    progress = taught(make_room(), 8)
    assert not progress.off
    assert progress.unrest < 1e-25
    assert progress.shown == 8
    assert not progress.is_over
    assert len(progress.rest) == 1


def test_a_class_that_deviates_is_off_its_plan() -> None:
    room = make_room()
    assert taught(room, 6, rates=3.0 * room.rates).off
    assert not taught(room, 3, rates=1.01 * room.rates).off
