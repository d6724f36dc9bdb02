"""The uncertainty of a map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom._arrays import Floats
from homeroom.crowd.fitting import uncertainty as laplaces
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.parameters import MapParameters, rotation_onto
from homeroom.crowd.fitting.posterior import Posterior, Prior
from homeroom.crowd.fitting.search import Hessian, most_probable, promising_starts
from homeroom.crowd.fitting.uncertainty import laplace


def fitted(crowd: Any, d: int = 2) -> tuple[Posterior, MapParameters]:
    posterior = Posterior(AnswerTable.of(crowd.answers))
    begin = promising_starts(posterior.table, d, Prior(), 1, np.random.default_rng(0))
    return posterior, most_probable(posterior, begin)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_covariances_are_blocks_of_the_whole_inverse(d: int, crowds: Callable[..., Any]) -> None:
    """Of the full matrix of second derivatives, with rotations of the items held fixed."""
    posterior, point = fitted(crowds(items=20, people=12, share=0.8), d)
    size = point.flat().size
    bends = np.array([Hessian(posterior, point)(move) for move in np.eye(size)])
    for first in range(d):
        for second in range(first):
            turn = np.zeros_like(point.items)
            turn[:, first], turn[:, second] = point.items[:, second], -point.items[:, first]
            fixed = np.concatenate([turn.ravel(), np.zeros(size - turn.size)])
            bends += np.outer(fixed, fixed)
    inverse = np.linalg.inv(bends)
    sure = laplace(posterior, point)
    assert sure.joint
    items, people = 20 * d, 12 * d
    for number in (0, 7, 19):
        own = slice(number * d, (number + 1) * d)
        np.testing.assert_allclose(sure.items[number], inverse[own, own], rtol=1e-6, atol=1e-9)
    for number in (0, 11):
        own_line = [items + number * d + axis for axis in range(d)] + [items + people + number]
        np.testing.assert_allclose(
            sure.people[number], inverse[np.ix_(own_line, own_line)], rtol=1e-6, atol=1e-9
        )


@pytest.mark.parametrize("limit", ["MAX_SIZE", "MAX_PAIRS"])
def test_a_very_large_map_has_blockwise_covariances(
    limit: str, crowds: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    posterior, point = fitted(crowds(items=20, people=12))
    joint = laplace(posterior, point)
    monkeypatch.setattr(laplaces, limit, 10)
    alone = laplace(posterior, point)
    assert not alone.joint
    # On the whole: a far item may lose more by turns held fixed than it gains by others' doubts.
    assert np.einsum("iaa->", alone.items) < 0.9 * np.einsum("iaa->", joint.items)
    assert np.einsum("iaa->", alone.people) < 0.9 * np.einsum("iaa->", joint.people)


def test_away_from_the_peak_covariances_are_blockwise() -> None:
    """The inverse of a saddle's second derivatives is not a covariance."""
    rng = np.random.default_rng(0)
    person, item = np.divmod(np.arange(100), 10)
    posterior = Posterior(AnswerTable.sort(10, 10, person, item, (person < 5) == (item < 5)))
    saddle = MapParameters(1e-3 * rng.standard_normal((10, 2)), np.zeros((10, 2)), np.zeros(10))
    assert not laplace(posterior, saddle).joint


@pytest.mark.slow
@pytest.mark.parametrize("number", [6, 50])
def test_intervals_hold_the_truth_about_as_often_as_stated(
    number: int, crowds: Callable[..., Any]
) -> None:
    """Nominal 95 %: of items, weights and thresholds, over all crowds, between 85 and 99 %."""
    held = np.array([shares(crowds(seed=seed)) for seed in range(number)]).mean(axis=0)
    assert (held > 0.85).all(), held
    assert (held < 0.99).all(), held


def shares(crowd: Any) -> tuple[float, float, float]:
    """Return how many coordinates, weights and thresholds are within their intervals.

    The truth is moved, turned and scaled onto the map first: neither is in the answers.
    """
    posterior, point = fitted(crowd)
    sure = laplace(posterior, point)
    centre, middle = crowd.items.mean(axis=0), point.items.mean(axis=0)
    mine = point.items - middle
    turn = rotation_onto(crowd.items - centre, mine)
    turned = (crowd.items - centre) @ turn
    scale = (turned * mine).sum() / (turned**2).sum()
    people = crowd.people @ turn / scale
    thresholds = crowd.thresholds - crowd.people @ centre + people @ middle
    return (
        inside(scale * turned - mine, sure.items),
        inside(people - point.people, sure.people[:, :2, :2]),
        inside((thresholds - point.thresholds)[:, None], sure.people[:, 2:, 2:]),
    )


def inside(gaps: Floats, covariances: Floats) -> float:
    deviations = np.sqrt(np.einsum("iaa->ia", covariances))
    return float((np.abs(gaps) < 1.96 * deviations).mean())


def test_components_are_as_certain_as_each_would_be_alone(crowds: Callable[..., Any]) -> None:
    """Each can be rotated by itself, which does not count as uncertainty."""
    posterior, point = fitted(crowds(items=20, people=12))
    table = posterior.table
    twice = AnswerTable.sort(
        24,
        40,
        np.concatenate([table.person, table.person + 12]),
        np.concatenate([table.item, table.item + 20]),
        np.tile(table.signs > 0, 2),
    )
    pair = MapParameters(*(np.concatenate([part, part]) for part in point))
    alone, together = laplace(posterior, point), laplace(Posterior(twice), pair)
    assert together.joint
    np.testing.assert_allclose(together.items, np.tile(alone.items, (2, 1, 1)), rtol=1e-6)
    np.testing.assert_allclose(together.people, np.tile(alone.people, (2, 1, 1)), rtol=1e-6)
