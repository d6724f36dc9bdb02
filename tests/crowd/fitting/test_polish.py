"""The last digits of a map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom.crowd.fitting import table as tables
from homeroom.crowd.fitting.climb import climb
from homeroom.crowd.fitting.point import Point
from homeroom.crowd.fitting.polish import Bend, polish
from homeroom.crowd.fitting.posterior import Posterior, Prior
from homeroom.crowd.fitting.starts import starts
from homeroom.crowd.fitting.table import Table


def rough(crowds: Callable[..., Any]) -> tuple[Posterior, Point]:
    posterior = Posterior(Table.of(crowds(items=30, people=12).answers))
    begin = starts(posterior.table, 2, Prior(), 1, np.random.default_rng(0))
    return posterior, climb(posterior, begin, exactly=False)


def test_second_derivatives_are_differences_of_gradients(
    crowds: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "PART", 100)
    posterior, point = rough(crowds)
    move = np.random.default_rng(0).standard_normal(point.flat().size)
    step = 1e-6
    ends = [posterior.loss(point.like(point.flat() + sign * step * move))[1] for sign in (-1, 1)]
    expected = (ends[1] - ends[0]) / (2 * step)
    np.testing.assert_allclose(Bend(posterior, point)(move), expected, atol=1e-6)


def test_it_finds_the_last_digits(crowds: Callable[..., Any]) -> None:
    posterior, point = rough(crowds)
    told: list[None] = []
    done = polish(posterior, point, lambda: told.append(None))
    before, after = (np.abs(posterior.loss(each)[1]).max() for each in (point, done))
    assert before > 1e-4
    assert after < 1e-9
    assert posterior.loss(done)[0] <= posterior.loss(point)[0]
    assert told


def test_a_finished_map_is_left_alone(crowds: Callable[..., Any]) -> None:
    posterior, point = rough(crowds)
    done = polish(posterior, point)
    assert polish(posterior, done) is done
