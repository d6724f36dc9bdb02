"""The probability of an answer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import norm

from homeroom.crowd.fitting.probit import probit

EVERYWHERE = np.concatenate([-np.geomspace(1e5, 1e-3, 60), np.geomspace(1e-3, 60, 40)])


def test_log_probabilities_are_those_of_another_library() -> None:
    np.testing.assert_allclose(
        probit(EVERYWHERE).log_probability, log_ndtr(EVERYWHERE), rtol=1e-10, atol=1e-12
    )


def test_slopes_are_those_of_another_library() -> None:
    expected = np.exp(norm.logpdf(EVERYWHERE) - norm.logcdf(EVERYWHERE))
    np.testing.assert_allclose(probit(EVERYWHERE).slope, expected, rtol=1e-6, atol=1e-200)


@pytest.mark.parametrize("z", [-30.0, -3.0, 0.0, 2.0])
def test_curvature_is_how_the_slope_falls(z: float) -> None:
    step = 1e-5
    ends = probit(np.array([z - step, z + step])).slope
    expected = (ends[0] - ends[1]) / (2 * step)
    assert probit(np.array([z])).curvature[0] == pytest.approx(expected, rel=1e-5)


def test_curvature_is_between_nothing_and_one() -> None:
    curvature = probit(EVERYWHERE).curvature
    assert (curvature >= 0).all()
    assert (curvature <= 1 + 1e-5).all()


def test_nothing_overflows_however_certain() -> None:
    said = probit(np.array([-1e7, 1e300]))
    assert np.isfinite(said.log_probability).all()
    assert said.log_probability[1] == pytest.approx(0.0, abs=1e-12)
