"""The posterior probability of a map."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import log_ndtr
from scipy.stats import norm

from homeroom._arrays import Floats
from homeroom.crowd.fitting import answer_table as tables
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.parameters import MapParameters
from homeroom.crowd.fitting.posterior import Posterior, Prior, probit

EVERYWHERE = np.concatenate([-np.geomspace(1e5, 1e-3, 60), np.geomspace(1e-3, 60, 40)])


def test_log_probabilities_are_those_of_another_library() -> None:
    np.testing.assert_allclose(
        probit(EVERYWHERE).log_probability, log_ndtr(EVERYWHERE), rtol=1e-10, atol=1e-12
    )


def test_slopes_are_those_of_another_library() -> None:
    expected = np.exp(norm.logpdf(EVERYWHERE) - norm.logcdf(EVERYWHERE))
    np.testing.assert_allclose(probit(EVERYWHERE).slope, expected, rtol=1e-6, atol=1e-200)


@pytest.mark.parametrize("z", [-30.0, -3.0, 0.0, 2.0])
def test_curvature_is_minus_the_derivative_of_the_slope(z: float) -> None:
    step = 1e-5
    ends = probit(np.array([z - step, z + step])).slope
    expected = (ends[0] - ends[1]) / (2 * step)
    assert probit(np.array([z])).curvature[0] == pytest.approx(expected, rel=1e-5)


def test_curvature_is_between_zero_and_one() -> None:
    curvature = probit(np.append(EVERYWHERE, -np.geomspace(1e5, 1e9, 1000))).curvature
    assert (curvature >= 0).all()
    assert (curvature <= 1).all()


def test_nothing_overflows_at_any_certainty() -> None:
    said = probit(np.array([-1e7, 1e300]))
    assert np.isfinite(said.log_probability).all()
    assert said.log_probability[1] == pytest.approx(0.0, abs=1e-12)


PRIOR = Prior(1.2, 0.7, 0.9)


def some(items: int = 5, people: int = 4, d: int = 2) -> tuple[Posterior, MapParameters]:
    rng = np.random.default_rng(1)
    chosen = np.sort(rng.choice(items * people, 14, replace=False))
    table = AnswerTable.sort(people, items, *np.divmod(chosen, items), rng.random(14) < 0.5)
    point = MapParameters(
        rng.standard_normal((items, d)),
        rng.standard_normal((people, d)),
        rng.standard_normal(people),
    )
    return Posterior(table, PRIOR), point


def test_the_loss_is_minus_the_log_of_likelihood_and_priors() -> None:
    """Up to the constants of the priors."""
    posterior, point = some()
    table = posterior.table
    expected = 0.0
    for who, what, sign in zip(table.person, table.item, table.signs, strict=True):
        certain = point.people[who] @ point.items[what] - point.thresholds[who]
        expected -= norm.logcdf(sign * certain)
    for values, deviation in zip(point, PRIOR[:3], strict=True):
        expected -= (norm.logpdf(values, scale=deviation) - norm.logpdf(0, scale=deviation)).sum()
    assert posterior.loss(point)[0] == pytest.approx(expected, rel=1e-12)


def test_the_gradient_is_that_of_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BLOCK", 4)
    posterior, point = some()

    def loss(flat: Floats) -> float:
        return posterior.loss(point.like(flat))[0]

    expected = approx_fprime(point.flat(), loss, 1e-7)
    np.testing.assert_allclose(posterior.loss(point)[1], expected, rtol=1e-4, atol=1e-5)


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior, point = some()
    whole = posterior.loss(point)
    monkeypatch.setattr(tables, "BLOCK", 3)
    parted, _ = some()
    assert len(parted.table.blocks) > 1
    assert parted.loss(point)[0] == pytest.approx(whole[0], rel=1e-14)
    np.testing.assert_allclose(parted.loss(point)[1], whole[1], atol=1e-14)
    for mine, theirs in zip(
        parted.hessian_blocks(point), posterior.hessian_blocks(point), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, atol=1e-14)


def test_blocks_are_second_differences() -> None:
    posterior, point = some()
    size = point.flat().size
    step = 1e-6
    bends = np.array(
        [
            (posterior.loss(point.like(point.flat() + move))[1] - posterior.loss(point)[1]) / step
            for move in step * np.eye(size)
        ]
    )
    of_items, of_people = posterior.hessian_blocks(point)
    np.testing.assert_allclose(of_items[1], bends[2:4, 2:4], atol=1e-4)
    person = [10 + 4, 10 + 5, 10 + 8 + 2]  # the weights of the third, and the threshold
    np.testing.assert_allclose(of_people[2], bends[np.ix_(person, person)], atol=1e-4)


def test_a_rotation_does_not_change_the_loss() -> None:
    posterior, point = some()
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((2, 2)))[0]
    turned = posterior.loss(point.rotate(turn))[0]
    assert turned == pytest.approx(posterior.loss(point)[0], rel=1e-13)


def test_the_mean_log_loss_leaves_the_priors_out() -> None:
    posterior, point = some()
    priors = 0.5 * sum(
        float((values**2).sum()) / deviation**2
        for values, deviation in zip(point, PRIOR[:3], strict=True)
    )
    expected = (posterior.loss(point)[0] - priors) / 14
    assert posterior.mean_log_loss(point) == pytest.approx(expected, rel=1e-12)
