"""The way to the best map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom.crowd.fitting.climb import climb
from homeroom.crowd.fitting.point import Point
from homeroom.crowd.fitting.posterior import Posterior, Prior
from homeroom.crowd.fitting.starts import starts
from homeroom.crowd.fitting.table import Table


def posterior_of(crowds: Callable[..., Any], **settings: Any) -> Posterior:
    return Posterior(Table.of(crowds(**settings).answers))


def test_at_the_top_nothing_pulls(crowds: Callable[..., Any]) -> None:
    posterior = posterior_of(crowds, items=50, people=20)
    point = climb(posterior, starts(posterior.table, 2, Prior(), 2, np.random.default_rng(0)))
    assert np.abs(posterior.loss(point)[1]).max() < 1e-8


def test_the_best_of_several_starts_is_taken(crowds: Callable[..., Any]) -> None:
    """Zero is a saddle, from which no gradient leads away: the other start must win."""
    posterior = posterior_of(crowds, items=50, people=20)
    good = next(iter(starts(posterior.table, 2, Prior(), 1, np.random.default_rng(0))))
    saddle = Point(0 * good.items, 0 * good.people, 0 * good.thresholds)
    stuck = posterior.loss(climb(posterior, [saddle]))[0]
    best = posterior.loss(climb(posterior, [saddle, good]))[0]
    assert best == pytest.approx(posterior.loss(climb(posterior, [good]))[0], rel=1e-12)
    assert best < stuck - 10


def test_every_iteration_is_told(crowds: Callable[..., Any]) -> None:
    posterior = posterior_of(crowds, items=30, people=10)
    told: list[None] = []
    begin = starts(posterior.table, 1, Prior(), 1, np.random.default_rng(0))
    climb(posterior, begin, tick=lambda: told.append(None))
    assert len(told) > 5


def test_a_rough_map_is_close_to_the_exact_one(crowds: Callable[..., Any]) -> None:
    posterior = posterior_of(crowds, items=50, people=20)
    begin = list(starts(posterior.table, 2, Prior(), 1, np.random.default_rng(0)))
    rough, exact = climb(posterior, begin, exactly=False), climb(posterior, begin)
    assert posterior.loss(rough)[0] == pytest.approx(posterior.loss(exact)[0], rel=1e-5)
