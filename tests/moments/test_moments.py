"""Moment matrices: the effect of any example on the class."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeroom._arrays import Floats
from homeroom.moments import FewStudents, Moments, moments_of


def some_class(seed: int, students: int = 7, dimensions: int = 4) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((students, dimensions)), 0.05 + rng.random(students)


def drop(gaps: Floats, rates: Floats, x: Floats) -> float:
    """The actual decrease of the mean squared distance."""
    after = gaps - (rates * (gaps @ x))[:, None] * x
    return float(((gaps**2).sum() - (after**2).sum()) / len(gaps))


KINDS = pytest.mark.parametrize("few", [0, 100], ids=["matrices", "few students"])


@KINDS
@given(seed=st.integers(0, 1000), g=st.floats(0.01, 5.0))
def test_the_predicted_help_is_the_actual_one(few: int, seed: int, g: float) -> None:
    """mean |e|^2 falls by u'Wu when x = sqrt(g) u is shown, at any magnitude."""
    gaps, rates = some_class(seed)
    moments = moments_of(gaps, rates, few=few)
    assert isinstance(moments, FewStudents if few else Moments)
    xs = np.random.default_rng(seed + 1).standard_normal((5, 4))
    directions = xs / np.linalg.norm(xs, axis=1, keepdims=True)
    shown = np.sqrt(g) * directions
    expected = [drop(gaps, rates, x) for x in shown]
    np.testing.assert_allclose(moments.helps(shown, np.full(5, g)), expected, atol=1e-11)
    forms = [u @ moments.weigh(g) @ u for u in directions]
    np.testing.assert_allclose(forms, expected, atol=1e-11)


@KINDS
def test_w_is_the_mean_of_the_weighted_gaps(few: int) -> None:
    """W = mean(alpha_j e_j e_j'), alpha_j = eta_j g (2 - eta_j g)."""
    gaps, rates = some_class(0)
    alpha = rates * 1.3 * (2 - rates * 1.3)
    expected = sum(a * np.outer(e, e) for a, e in zip(alpha, gaps, strict=True)) / 7
    np.testing.assert_allclose(moments_of(gaps, rates, few=few).weigh(1.3), expected, atol=1e-14)


@KINDS
def test_the_best_magnitudes_are_those_of_a_search(few: int) -> None:
    """The decrease is largest there: over the whole class, and along one direction."""
    gaps, rates = some_class(1)
    moments = moments_of(gaps, rates, few=few)
    tried = np.linspace(0.01, 20, 20_000)
    overall = tried[np.argmax([np.trace(moments.weigh(g)) for g in tried])]
    assert moments.best_g_overall() == pytest.approx(overall, abs=2e-3)
    expected = (rates @ (gaps**2).sum(axis=1)) / (rates**2 @ (gaps**2).sum(axis=1))
    assert moments.best_g_overall() == pytest.approx(expected)
    u = np.array([0.5, 0.5, -0.5, 0.5])
    along = tried[np.argmax([u @ moments.weigh(g) @ u for g in tried])]
    assert moments.best_g_along(u) == pytest.approx(along, abs=2e-3)


@KINDS
def test_without_gaps_the_gentle_magnitude_is_used(few: int) -> None:
    moments = moments_of(np.zeros((3, 2)), np.array([0.1, 0.4, 0.2]), few=few)
    assert moments.gentle == pytest.approx(2.5)
    assert moments.best_g_overall() == moments.gentle
    assert moments.best_g_along(np.array([1.0, 0.0])) == moments.gentle


def test_noise_is_added_to_w_and_to_what_examples_promise() -> None:
    gaps, rates = some_class(3, students=1)
    noise = np.diag([1.0, -2.0, 0.0, 0.5])
    plain, noisy = moments_of(gaps, rates), moments_of(gaps, rates, noise=noise)
    np.testing.assert_allclose(noisy.weigh(0.8) - plain.weigh(0.8), noise, atol=1e-14)
    x = np.array([[0.0, 2.0, 0.0, 0.0]])
    promised = noisy.helps(x, np.array([4.0])) - plain.helps(x, np.array([4.0]))
    np.testing.assert_allclose(promised, [-2.0])  # u'Nu with u the unit vector along x


@KINDS
@pytest.mark.parametrize("xp", [np, strict])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_moments_are_float64_whatever_holds_the_students(few: int, xp: Any, dtype: str) -> None:
    gaps, rates = some_class(4)
    dtype = getattr(xp, dtype)
    found = moments_of(xp.asarray(gaps, dtype=dtype), xp.asarray(rates, dtype=dtype), few=few)
    weighed = found.weigh(1.0)
    assert isinstance(weighed, np.ndarray)
    assert weighed.dtype == np.float64
    np.testing.assert_allclose(weighed, moments_of(gaps, rates).weigh(1.0), atol=1e-6)
