import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import Ball, Classroom
from homeroom.learners import SILENCE, Noise
from homeroom.moments import moments_of, sketch_of
from homeroom.moments.sketch import (
    NestedSketch,
    Sketch,
    barycentric_weights,
    chebyshev_nodes,
    lagrange,
)


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


@given(st.floats(1e-3, 1.0), st.floats(1.1, 1e3), st.integers(1, 7))
def test_nodes_lie_in_the_range_and_touch_its_ends(slowest: float, wide: float, level: int) -> None:
    nodes = chebyshev_nodes(slowest, slowest * wide, 2**level + 1)
    assert nodes[0] == pytest.approx(slowest * wide)
    assert nodes[-1] == pytest.approx(slowest)
    assert (np.diff(nodes) < 0).all()


@pytest.mark.parametrize("count", [3, 9, 33])
def test_polynomials_come_back_exactly(count: int) -> None:
    """sum_i l_i(x) f(z_i) = f(x) for every polynomial of degree below the number of nodes."""
    rng = np.random.default_rng(count)
    nodes = chebyshev_nodes(0.2, 3.0, count)
    places = rng.uniform(0.2, 3.0, 200)
    polynomial = np.polynomial.Chebyshev(rng.standard_normal(count), domain=[0.2, 3.0])
    found = lagrange(nodes, places) @ polynomial(nodes)
    np.testing.assert_allclose(found, polynomial(places), atol=1e-12)


def test_many_nodes_do_not_overflow() -> None:
    weights = barycentric_weights(chebyshev_nodes(1e-3, 1.0, 513))
    assert np.isfinite(weights).all()
    # Known in closed form: alternating signs, equal size, half at both ends.
    size = np.abs(weights) / np.abs(weights).max()
    np.testing.assert_allclose(size[1:-1], 1.0, rtol=1e-9)
    np.testing.assert_allclose(size[[0, -1]], 0.5, rtol=1e-9)
    assert (np.sign(weights[1:]) == -np.sign(weights[:-1])).all()


XS = 0.5 * np.random.default_rng(1).standard_normal((12, 5))


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=400, dimensions=5, rates=(0.1, 2.0))


@pytest.mark.parametrize("noise", [SILENCE, Noise(rate_variance=0.04), Noise(heat=0.3)])
def test_both_are_taught_as_each_would_be(room: Classroom, noise: Noise) -> None:
    fine = sketch_of(room)
    coarse, nested = fine.coarse(), NestedSketch(fine)
    for x in XS:
        nested.show(x, noise)
        fine, coarse = fine.after(x, noise), coarse.after(x, noise)
    assert nested.error == pytest.approx(fine.error, rel=1e-12)
    assert nested.missed == pytest.approx(abs(fine.error - coarse.error), abs=1e-12)
    np.testing.assert_allclose(nested.fine.matrices, fine.matrices, atol=1e-12)
    np.testing.assert_allclose(nested.moments.weigh(0.4), fine.moments.weigh(0.4), atol=1e-12)
