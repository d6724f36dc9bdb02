import numpy as np
import pytest

from homeroom.moments.rounding import UNIT, GapRounding, Rounding


def test_added_errors_are_counted() -> None:
    rounding = Rounding(np.array([0.1, 0.5]), 4)
    assert rounding.error == 0.0
    rounding.show(np.array([1.0, 0.0, 0.0, 0.0]), 3.0 * UNIT)
    assert rounding.error == pytest.approx(3.0 * UNIT)


def test_gentle_examples_make_it_shrink() -> None:
    """As they shrink the students' gaps: by (1 - eta)^2 along the example."""
    rounding, x = Rounding(np.array([0.5]), 1), np.array([1.0])
    rounding.show(x, UNIT)
    for _ in range(10):
        rounding.show(x, 0.0)
    assert rounding.error == pytest.approx(UNIT * 0.25**10)


def test_examples_too_long_for_the_fastest_make_it_grow() -> None:
    rounding, x = Rounding(np.array([0.1, 5.0]), 1), np.array([1.0])
    rounding.show(x, UNIT)
    for _ in range(10):
        rounding.show(x, 0.0)
    assert rounding.error == pytest.approx(UNIT * 16.0**10)


def test_errors_of_gaps_are_those_that_rounding_makes() -> None:
    """Gaps in single precision, compared with double."""
    rng = np.random.default_rng(0)
    gaps, rates = rng.standard_normal((200, 6)), np.full(200, 0.75)
    xs = 0.8 * rng.standard_normal((60, 6))
    xs[::7] *= 2.0
    unit = float(np.finfo(np.float32).eps)
    rounding = GapRounding(rates, 6, unit)
    gaps = gaps.astype(np.float32).astype(np.float64)
    xs = xs.astype(np.float32).astype(np.float64)
    single = gaps.astype(np.float32)
    for x in xs:
        rounding.show(x[None], np.array([(gaps**2).sum(axis=1).mean()]))
        gaps -= (rates * (gaps @ x))[:, None] * x
        here = x.astype(np.float32)
        single -= (rates.astype(np.float32) * (single @ here))[:, None] * here
    found = ((single - gaps) ** 2).sum(axis=1).mean()
    assert rounding.rounds == len(xs)
    assert found <= rounding.spread <= 1000.0 * found
