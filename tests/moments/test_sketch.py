import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import Ball, Classroom
from homeroom.learners import Noise
from homeroom.moments import moments_of, sketch_of
from homeroom.moments.sketch import Sketch


def replay(room: Classroom, xs: np.ndarray) -> np.ndarray:
    """Show the examples to the students themselves; return their gaps."""
    gaps = np.array(room.gaps)
    for x in xs:
        gaps -= (room.rates * (gaps @ x))[:, None] * x
    return gaps


def lesson(sketch: Sketch, eps: float, most: int) -> tuple[Sketch, np.ndarray]:
    """Teach a sketch by itself, with static magnitude in a ball of radius 2."""
    xs: list[np.ndarray] = []
    while sketch.error > eps and len(xs) < most:
        moments = sketch.moments
        pick = Ball().best(moments, min(moments.gentle, 4.0))
        xs.append(np.sqrt(pick.g) * pick.direction)
        sketch = sketch.after(xs[-1])
    return sketch, np.array(xs)


@pytest.mark.parametrize("nodes", [33, 65])
def test_the_sketch_has_the_error_and_moments_of_the_class(nodes: int) -> None:
    """Error and moments are those of the students, to rounding."""
    room = Classroom.sample(students=500, dimensions=6, rates=(0.1, 5.0))
    sketch = sketch_of(room, nodes)
    truth = moments_of(room.gaps, room.rates, few=0)
    assert sketch.error == pytest.approx(room.error, rel=1e-13)
    assert sketch.farthest == pytest.approx(np.sqrt(room.squared_distances.max()))
    for g in (0.1, 0.7):
        np.testing.assert_allclose(sketch.moments.weigh(g), truth.weigh(g), atol=1e-11)
    assert sketch.moments.gentle == truth.gentle


def test_an_example_changes_the_sketch_as_it_changes_the_class() -> None:
    room = Classroom.sample(students=400, dimensions=5, rates=(0.1, 2.0))
    x = np.random.default_rng(0).standard_normal(5)
    after = sketch_of(room).after(x)
    gaps = replay(room, x[None])
    assert after.error == pytest.approx((gaps**2).sum(axis=1).mean(), rel=1e-12)
    truth = moments_of(gaps, room.rates, few=0)
    np.testing.assert_allclose(after.moments.weigh(0.5), truth.weigh(0.5), atol=1e-11)


def test_few_different_rates_are_their_own_nodes() -> None:
    """Then nothing is interpolated, and no lesson is too long."""
    rng = np.random.default_rng(0)
    rates = rng.choice([0.05, 0.3, 4.0], 300)
    room = Classroom(rng.standard_normal((300, 4)), rates, np.zeros(4))
    sketch = sketch_of(room)
    assert sketch.exact
    assert sketch.nodes.tolist() == [0.05, 0.3, 4.0]
    after, xs = lesson(sketch, 1e-8, 3000)
    assert after.error == pytest.approx((replay(room, xs) ** 2).sum(axis=1).mean(), rel=1e-10)


@pytest.mark.slow
@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 999),
    slowest=st.floats(0.02, 0.5),
    wide=st.floats(1.5, 100.0),
    dimensions=st.integers(1, 8),
    eps=st.sampled_from([0.1, 1e-3, 1e-6]),
)
def test_replaying_on_the_students_agrees_with_the_sketch(
    seed: int, slowest: float, wide: float, dimensions: int, eps: float
) -> None:
    """|error of the sketch - error of its examples on the students| <= estimate + 1e-13."""
    room = Classroom.sample(600, dimensions, (slowest, slowest * wide), seed)
    for nodes in (33, 65, 129, 257):
        start = sketch_of(room, nodes)
        after, xs = lesson(start, eps, 1000)
        truth = float((replay(room, xs) ** 2).sum(axis=1).mean())
        coarse = start.coarse()
        for x in xs:
            coarse = coarse.after(x)
        estimate = abs(after.error - coarse.error)
        assert abs(after.error - truth) <= estimate + 1e-13 * room.error
        if estimate <= 1e-9 * truth:
            assert after.error == pytest.approx(truth, rel=1e-9)
            return
    pytest.fail(f"257 nodes leave an estimate of {estimate / truth:.1e}")


def test_float32_students_are_as_good_as_their_numbers() -> None:
    room = Classroom.sample(students=400, dimensions=5, rates=(0.1, 2.0))
    single = Classroom(
        room.states.astype(np.float32),
        room.rates.astype(np.float32),
        room.target.astype(np.float32),
    )
    double = Classroom(*(np.asarray(part, dtype=np.float64) for part in
                         (single.states, single.rates, single.target)))  # fmt: skip
    np.testing.assert_array_equal(sketch_of(single).matrices, sketch_of(double).matrices)


@pytest.mark.slow
def test_noise_has_its_average_effect_on_very_many_students() -> None:
    """Random rates and Langevin drift, against a class that is drawn many times."""
    room = Classroom.sample(students=60, dimensions=3, rates=(0.1, 0.8))
    rng = np.random.default_rng(0)
    x, again, sigma, beta = np.array([1.0, 0.5, 0.0]), 4000, 0.2, 40.0
    y = np.array([0.0, 1.0, 0.5])
    for noise in (Noise(rate_variance=sigma**2), Noise(heat=2.0 / beta)):
        expected = sketch_of(room).after(x, noise).after(y, noise).error
        found = np.zeros(again)
        for i in range(again):
            gaps = np.array(room.gaps)
            for example in (x, y):
                rates = room.rates + noise.rate_variance**0.5 * rng.standard_normal(60)
                gaps -= (rates * (gaps @ example))[:, None] * example
                drift = rng.standard_normal(gaps.shape)
                gaps += np.sqrt(noise.heat * room.rates)[:, None] * drift
            found[i] = (gaps**2).sum(axis=1).mean()
        assert abs(found.mean() - expected) < 4 * found.std() / again**0.5
