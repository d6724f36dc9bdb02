from __future__ import annotations

import numpy as np
import pytest

from homeroom import (
    Ball,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    GradientLearner,
    RateHistory,
    StochasticRateLearner,
    teach,
)
from homeroom.engines import ExactClass
from homeroom.moments import Moments, Observation
from homeroom.pools import Pick, SeesMoments
from homeroom.teachers import GreedyRule
from homeroom.teachers.pool import best_of_all_lengths


def look(room: Classroom) -> Observation:
    return ExactClass(room, GradientLearner(), np.random.default_rng(0)).look()


def two(radius: float) -> Classroom:
    """One slow student far away, one fast student near."""
    return Classroom([[4.0, 0.0], [0.0, 1.0]], [0.1, 1.0], [0.0, 0.0], example_radius=radius)


def test_joint_is_best_for_the_student_it_helps() -> None:
    """The slow student matters most, along the first axis alone: so it is their best length."""
    pick = GreedyRule(Ball(), "joint").pick(look(two(9.0)))
    assert pick.g == pytest.approx(10.0)
    np.testing.assert_allclose(pick.direction, [1.0, 0.0], atol=1e-12)
    assert pick.help == pytest.approx(8.0)


def test_the_ball_and_safety_cut_the_length() -> None:
    assert GreedyRule(Ball(), "joint").pick(look(two(1.2))).g == pytest.approx(1.44)
    assert GreedyRule(Ball(), "joint", safe=True).pick(look(two(9.0))).g == pytest.approx(2.0)
    assert GreedyRule(Ball(), "dynamic", safe=True).pick(look(two(9.0))).g == pytest.approx(2.0)
    off = GreedyRule(Ball(), "dynamic", safe=True, rates_within=0.25).pick(look(two(9.0)))
    assert off.g == pytest.approx(1.6)


@pytest.mark.parametrize("magnitude", ["static", "dynamic", "joint", "best"])
@pytest.mark.parametrize("weights", ["history", "known"])
def test_random_rates_always_limit_the_magnitude(magnitude: str, weights: str) -> None:
    """g <= min_j 2 eta_j / (sigma^2 + eta_j^2), Eq. 11 of the paper, safe or not."""
    room = Classroom.sample(students=30, dimensions=3, rates=(0.05, 0.9), example_radius=5.0)
    record = teach(
        room,
        teacher=ClassroomTeacher(magnitude),
        learner=StochasticRateLearner(0.05),
        observer=RateHistory(0.05, weights=weights),
        max_rounds=40,
    )
    limit = (2 * room.rates / (0.05**2 + room.rates**2)).min()
    assert (record.examples.xs**2).sum(axis=1).max() <= limit * (1 + 1e-9)


def diverse_class(seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Gaps, rates over three decades in one of five distributions, and an example radius."""
    rng = np.random.default_rng(seed)
    students, dimensions = int(rng.integers(2, 40)), int(rng.integers(2, 9))
    rates = (
        10.0 ** rng.uniform(-2, 1, students),
        np.where(rng.random(students) < 0.5, 0.01, 10.0),
        rng.uniform(0.01, 10.0, students),
        np.clip(rng.lognormal(-1.0, 1.5, students), 0.01, 10.0),
        np.minimum(0.01 * (1.0 + rng.pareto(0.7, students)), 10.0),
    )[seed % 5]
    gaps = rng.standard_normal((students, dimensions)) * 10.0 ** rng.uniform(-1, 1, (students, 1))
    if rng.random() < 0.5:
        gaps *= 10.0 ** rng.uniform(-1, 1, dimensions)
    if rng.random() < 0.3:
        gaps /= np.sqrt(rates)[:, None]
    return gaps, rates, float(10.0 ** rng.uniform(-0.5, 1.25))


def matrices(gaps: np.ndarray, rates: np.ndarray, noise: np.ndarray | None = None) -> Moments:
    linear, quadratic = ((gaps.T * weights) @ gaps / len(rates) for weights in (rates, rates**2))
    return Moments(linear, quadratic, 1 / rates.max(), noise)


def help_on_a_refined_grid(moments: Moments, ceiling: float) -> float:
    """The most help of any direction over 1000 lengths, refined five times around the best."""
    noise = 0.0 if moments.noise is None else moments.noise
    tried = np.geomspace(min(moments.gentle, ceiling), ceiling, 1000)
    best = -np.inf
    for _ in range(6):
        g = tried[:, None, None]
        helps = np.linalg.eigvalsh(2 * g * moments.linear - g**2 * moments.quadratic + noise)[:, -1]
        top = int(helps.argmax())
        best = max(best, float(helps[top]))
        tried = np.geomspace(tried[max(top - 1, 0)], tried[min(top + 1, len(tried) - 1)], 50)
    return best


@pytest.mark.parametrize(
    "seeds", [range(15), pytest.param(range(15, 415), marks=pytest.mark.slow, id="400 classes")]
)
def test_best_is_never_behind_a_grid_over_lengths_nor_behind_joint(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it cost more eigenvectors than documented."""
    behind, one, costs = [], Ball.best, []

    def counted(self: Ball, moments: SeesMoments, g: float) -> Pick:
        costs.append(g)
        return one(self, moments, g)

    monkeypatch.setattr(Ball, "best", counted)
    for seed in seeds:
        costs.clear()
        gaps, rates, radius = diverse_class(seed)
        seen = look(Classroom(gaps, rates, np.zeros(gaps.shape[1]), example_radius=radius))
        pick = GreedyRule(Ball(), "best").pick(seen)
        assert len(costs) <= 48
        x = np.sqrt(pick.g) * pick.direction
        after = gaps - (rates * (gaps @ x))[:, None] * x
        happened = float(((gaps**2).sum(axis=1) - (after**2).sum(axis=1)).mean())
        assert pick.help == pytest.approx(happened, rel=1e-9)
        found = help_on_a_refined_grid(matrices(gaps, rates), radius**2)
        assert pick.help >= found * (1 - 1e-9)
        assert pick.g <= radius**2 * (1 + 1e-12)
        joint = GreedyRule(Ball(), "joint").pick(seen).help / pick.help
        assert joint <= 1 + 1e-11
        behind.append(joint)
    assert min(behind) < 0.96  # the rule has something to find


@pytest.mark.parametrize("size", [0.0, 1e-3, 0.3])
def test_best_is_the_best_of_noisy_moments_too(size: float) -> None:
    for seed in range(5):
        gaps, rates, radius = diverse_class(seed)
        noise = np.random.default_rng(seed).standard_normal((gaps.shape[1],) * 2)
        moments = matrices(gaps, rates)
        noise = (noise + noise.T) * size * moments.weigh(moments.gentle).trace()
        noisy = matrices(gaps, rates, noise)
        pick = best_of_all_lengths(noisy, Ball(), radius**2)
        assert pick.help >= help_on_a_refined_grid(noisy, radius**2) * (1 - 1e-9)


def test_best_of_a_pool_is_each_direction_at_its_own_best_length() -> None:
    """For one direction the help is 2 g a - g^2 b, greatest at a / b or at the radius."""
    for seed in range(10):
        gaps, rates, radius = diverse_class(seed)
        moments = matrices(gaps, rates)
        pool = DirectionPool(np.random.default_rng(seed).standard_normal((30, gaps.shape[1])))
        a, b = (
            np.vecdot(pool.directions @ moment, pool.directions)
            for moment in (moments.linear, moments.quadratic)
        )
        g = np.minimum(a / b, radius**2)
        pick = best_of_all_lengths(moments, pool, radius**2)
        assert pick.help == pytest.approx((2 * g * a - g**2 * b).max(), rel=1e-9)


def test_a_class_at_its_target_has_no_best_example() -> None:
    room = Classroom(np.zeros((3, 2)), [0.1, 1.0, 9.0], [0.0, 0.0])
    pick = GreedyRule(Ball(), "best").pick(look(room))
    assert pick.help == 0.0
    record = teach(room, teacher=ClassroomTeacher("best"))
    assert record.rounds == 0
