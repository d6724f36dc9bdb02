"""Many lessons at once, compared with single lessons."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, ClassroomTeacher, EveryoneGoal, teach
from homeroom.engines.batch import LEFT, NEVER, Rule, best_examples, rounds_needed
from homeroom.moments import Moments, Observation
from homeroom.moments.representatives import Representatives, themselves
from homeroom.pools import Ball
from homeroom.teachers import GreedyRule


def classes(number: int = 12, dimensions: int = 5) -> list[Classroom]:
    rng = np.random.default_rng(0)
    return [
        Classroom.sample(int(rng.integers(2, 40)), dimensions, rates=(0.05, 0.9), seed=seed)
        for seed in range(number)
    ]


def groups_of(rooms: list[Classroom]) -> list[Representatives]:
    return [themselves(room.gaps, np.asarray(room.rates)) for room in rooms]


def limits(number: int, most: int = 100_000) -> np.ndarray:
    return np.full(number, most, dtype=np.int64)


@pytest.mark.slow
@pytest.mark.parametrize("magnitude", ["static", "dynamic", "joint"])
@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize("goal", [AverageGoal(0.1), AverageGoal(1e-6), EveryoneGoal(0.2)])
def test_rounds_are_those_of_the_lesson(
    magnitude: str, safe: bool, goal: AverageGoal | EveryoneGoal
) -> None:
    rooms = classes()
    found = rounds_needed(groups_of(rooms), limits(len(rooms)), Rule(goal, magnitude, safe))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # dynamic magnitude on a wide class
        teacher = ClassroomTeacher(magnitude, safe=safe)
        expected = [teach(room, teacher=teacher, goal=goal).rounds for room in rooms]
    assert found.tolist() == expected


def test_groups_do_not_depend_on_their_batch() -> None:
    rooms = classes(30)
    groups = groups_of(rooms)
    rule = Rule(AverageGoal(0.1))
    together = rounds_needed(groups, limits(30), rule)
    alone = [rounds_needed([group], limits(1), rule)[0] for group in groups]
    assert together.tolist() == alone


def test_a_group_that_exceeds_its_limit_is_marked() -> None:
    rooms = classes(6)
    rule = Rule(AverageGoal(0.1))
    needed = rounds_needed(groups_of(rooms), limits(6), rule)
    assert rounds_needed(groups_of(rooms), needed, rule).tolist() == needed.tolist()
    assert rounds_needed(groups_of(rooms), needed - 1, rule).tolist() == [NEVER] * 6
    mixed = needed - (np.arange(6) % 2)
    expected = np.where(np.arange(6) % 2, NEVER, needed)
    assert rounds_needed(groups_of(rooms), mixed, rule).tolist() == expected.tolist()


def test_a_goal_below_the_smallest_float_is_never_reached() -> None:
    """The lesson is over when no example helps."""
    room = Classroom.sample(5, 2, rates=(0.3, 0.4))
    assert rounds_needed(groups_of([room]), limits(1), Rule(AverageGoal(1e-300))).tolist() == [
        NEVER
    ]


def test_a_group_whose_students_may_leave_the_ball_is_not_followed() -> None:
    """A thousand slow students and a fast one that dynamic magnitude moves far away."""
    rates = np.full(1001, 0.1)
    rates[-1] = 5.0
    room = Classroom(np.random.default_rng(0).standard_normal((1001, 2)), rates, [0.0, 0.0])
    groups = groups_of([room])
    rule = Rule(AverageGoal(0.1), "dynamic", bounded=True)
    assert rounds_needed(groups, limits(1), rule).tolist() == [LEFT]
    assert rounds_needed(groups, limits(1), replace(rule, safe=True))[0] > 0
    assert rounds_needed(groups, limits(1), replace(rule, bounded=False))[0] > 0


@pytest.mark.parametrize("magnitude", ["static", "dynamic", "joint", "best"])
@pytest.mark.parametrize("safe", [False, True])
def test_examples_are_those_of_the_classroom_teacher(magnitude: str, safe: bool) -> None:
    rng = np.random.default_rng(2)
    gaps, rates = rng.standard_normal((7, 30, 4)), rng.uniform(0.05, 2.0, (7, 30))
    linear = np.stack([(eta[:, None] * e).T @ e / 30 for e, eta in zip(gaps, rates, strict=True)])
    squared = np.stack(
        [(eta[:, None] ** 2 * e).T @ e / 30 for e, eta in zip(gaps, rates, strict=True)]
    )
    rule = Rule(AverageGoal(0.1), magnitude, safe, example_radius=1.5, rates_within=0.1)
    g, directions, helps = best_examples(linear, squared, rates.max(axis=1), rule)
    for k in range(7):
        room = Classroom(gaps[k], rates[k], np.zeros(4), example_radius=1.5)
        moments = Moments(linear[k], squared[k], 1.0 / float(rates[k].max()))
        pick = GreedyRule(Ball(), magnitude, safe, 0.1).pick(seen(room, moments))
        assert g[k] == pytest.approx(pick.g, rel=1e-12)
        assert helps[k] == pytest.approx(pick.help, rel=1e-12)
        np.testing.assert_allclose(directions[k], pick.direction, atol=1e-9)


def seen(room: Classroom, moments: Moments) -> Observation:
    from homeroom.learners import Squared

    return Observation(
        target=np.asarray(room.target),
        example_radius=room.example_radius,
        state_radius=room.state_radius,
        loss=Squared(),
        gaps=room.gaps,
        rates=room.rates,
        kept=moments,
    )
