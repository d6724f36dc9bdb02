"""A teacher who sees the class through noise."""

import math
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from homeroom import NoisyMoments, NoisyStates, Observation
from homeroom._arrays import to_numpy
from homeroom.learners import Squared
from homeroom.moments import moments_of


def truth(students: int = 40, dimensions: int = 6, xp: Any = np, dtype: str = "float64",
          **more: Any) -> Observation:  # fmt: skip
    rng = np.random.default_rng(0)
    gaps = xp.asarray(rng.standard_normal((students, dimensions)), dtype=getattr(xp, dtype))
    rates = xp.asarray(0.1 + rng.random(students), dtype=getattr(xp, dtype))
    return Observation(np.ones(dimensions), 2.0, math.inf, Squared(), gaps, rates, **more)


def look(observer: Any, real: Observation, seed: int = 0) -> Observation:
    seen: Observation = observer.observe(real, None, np.random.default_rng(seed))
    return seen


class TestNoisyStates:
    @pytest.mark.parametrize("delta", [0.0, 1e-3, 0.5, 7.0])
    @pytest.mark.parametrize("dimensions", [1, 2, 25])
    def test_every_error_has_length_delta(self, delta: float, dimensions: int) -> None:
        """|w~_j - w_j| = delta for every student."""
        real = truth(dimensions=dimensions)
        errors = np.linalg.norm(look(NoisyStates(delta), real).gaps - real.gaps, axis=1)
        np.testing.assert_allclose(errors, delta, rtol=1e-12, atol=1e-15)

    def test_errors_have_no_preferred_direction(self) -> None:
        """The mean error is zero and its covariance delta^2 / d, within five standard errors."""
        real = truth(students=20_000, dimensions=3)
        errors = look(NoisyStates(0.6), real).gaps - real.gaps
        np.testing.assert_allclose(errors.mean(axis=0), 0.0, atol=5 * 0.35 / math.sqrt(20_000))
        np.testing.assert_allclose(errors.T @ errors / 20_000, 0.12 * np.eye(3), atol=0.005)

    def test_the_normal_law_has_delta_as_its_root_mean_square(self) -> None:
        real = truth(students=20_000, dimensions=3)
        errors = look(NoisyStates(0.6, law="normal"), real).gaps - real.gaps
        lengths = (errors**2).sum(axis=1)
        assert math.sqrt(lengths.mean()) == pytest.approx(0.6, rel=0.02)
        assert lengths.std() > 0.1

    @pytest.mark.parametrize("xp", [np, strict])
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_library_and_precision_are_kept(self, xp: Any, dtype: str) -> None:
        real = truth(xp=xp, dtype=dtype)
        seen = look(NoisyStates(0.5), real)
        assert seen.gaps.dtype == real.gaps.dtype
        errors = np.linalg.norm(to_numpy(seen.gaps) - to_numpy(real.gaps), axis=1)
        np.testing.assert_allclose(errors, 0.5, rtol=1e-5)

    def test_rates_and_the_truth_itself_are_untouched(self) -> None:
        real = truth()
        before = real.gaps.copy()
        assert look(NoisyStates(0.5), real).rates is real.rates
        np.testing.assert_array_equal(real.gaps, before)

    def test_moments_are_those_of_the_observation_not_of_the_truth(self) -> None:
        kept = moments_of(np.eye(6), np.ones(6), few=0)
        real = truth(kept=kept)
        assert real.moments is kept
        seen = look(NoisyStates(0.5), real)
        expected = moments_of(seen.gaps, seen.rates).weigh(1.0)
        np.testing.assert_allclose(seen.moments.weigh(1.0), expected)

    def test_every_round_has_its_own_errors(self) -> None:
        real, rng = truth(), np.random.default_rng(0)
        one, two = (NoisyStates(0.5).observe(real, None, rng).gaps for _ in range(2))
        assert (one != two).all()


class TestNoisyMoments:
    @pytest.mark.parametrize("delta", [0.0, 0.1, 30.0])
    @pytest.mark.parametrize("dimensions", [1, 2, 25])
    @pytest.mark.parametrize("students", [1, 40])
    def test_the_error_is_symmetric_with_operator_norm_delta(
        self, delta: float, dimensions: int, students: int
    ) -> None:
        """||W~ - W|| = delta, the largest singular value, at every magnitude."""
        real = truth(students, dimensions)
        seen = look(NoisyMoments(delta), real)
        for g in (0.3, 2.0):
            error = seen.moments.weigh(g) - moments_of(real.gaps, real.rates).weigh(g)
            np.testing.assert_allclose(error, error.T, atol=1e-13)
            norm = np.linalg.svd(error, compute_uv=False).max()
            assert norm == pytest.approx(delta, rel=1e-10, abs=1e-12)

    def test_moments_that_are_kept_are_used_with_the_error_on_top(self) -> None:
        kept = moments_of(np.eye(6), np.ones(6), few=0)
        seen = look(NoisyMoments(0.5), truth(kept=kept))
        assert seen.noise is not None
        np.testing.assert_allclose(seen.moments.weigh(1.0), kept.weigh(1.0) + seen.noise)

    def test_single_students_are_observed_without_noise(self) -> None:
        real = truth()
        seen = look(NoisyMoments(0.5), real)
        assert seen.gaps is real.gaps
        assert seen.rates is real.rates
