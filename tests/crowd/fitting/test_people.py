"""People on a map whose items stay where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_ndtr

from homeroom._arrays import Floats
from homeroom.crowd.fitting.people import people_on
from homeroom.crowd.fitting.posterior import Prior
from homeroom.crowd.fitting.table import Table


def test_everybodys_line_is_the_best_one(crowds: Callable[..., Any]) -> None:
    """Held against a general optimiser, person by person."""
    crowd = crowds(items=30, people=4)
    table = Table.of(crowd.answers)
    lines, _ = people_on(crowd.items, table)
    features = np.column_stack([crowd.items, -np.ones(30)])
    for person in range(4):
        mine = table.person == person

        def loss(line: Floats, mine: Any = mine) -> float:
            said = table.signs[mine] * (features[table.item[mine]] @ line)
            return float(0.5 * (line**2 * [4, 4, 1]).sum() - log_ndtr(said).sum())

        expected = minimize(loss, np.zeros(3), tol=1e-10).x
        np.testing.assert_allclose(lines[person], expected, atol=1e-4)


def test_covariances_are_inverse_curvatures(crowds: Callable[..., Any]) -> None:
    crowd = crowds(items=30, people=2)
    lines, covariances = people_on(crowd.items, Table.of(crowd.answers))
    assert covariances.shape == (2, 3, 3)
    assert lines.shape == (2, 3)
    assert (np.linalg.eigvalsh(covariances) > 0).all()


def test_somebody_who_said_nothing_is_as_expected_of_anybody() -> None:
    nobody = np.zeros(0, dtype=np.int32)
    table = Table.sort(2, 3, nobody, nobody, np.zeros(0, dtype=np.bool_))
    lines, covariances = people_on(np.ones((3, 2)), table, Prior(people=0.5, thresholds=2.0))
    assert not lines.any()
    np.testing.assert_allclose(covariances[1], np.diag([0.25, 0.25, 4.0]))


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
def test_it_ends_however_far_the_items_are(scale: float) -> None:
    """Newton's steps are halved where they overshoot."""
    rng = np.random.default_rng(0)
    items = scale * rng.standard_normal((50, 2))
    person = np.zeros(50, dtype=np.int32)
    table = Table.sort(1, 50, person, np.arange(50), rng.random(50) < 0.5)
    lines, _ = people_on(items, table, Prior(people=10.0, thresholds=10.0))
    assert np.isfinite(lines).all()
    again, _ = people_on(
        items[::-1], Table.sort(1, 50, person, np.arange(50), table.signs[::-1] > 0)
    )
    assert np.isfinite(again).all()
