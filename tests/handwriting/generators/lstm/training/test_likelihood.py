"""How well the network foresees what a pen did."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from homeroom.handwriting.generators.lstm.mixture import COMPONENTS, MOST_CORRELATED, NARROWEST
from homeroom.handwriting.generators.lstm.training.batches import Batch
from homeroom.handwriting.generators.lstm.training.likelihood import density, loss

torch = pytest.importorskip("torch")


def test_the_density_is_that_of_a_mixture_of_gaussians() -> None:
    """Against SciPy's bivariate normal density, component by component."""
    rng = np.random.default_rng(0)
    said = rng.standard_normal((3, 2, 6 * COMPONENTS + 2))
    moves = rng.standard_normal((3, 2, 2))
    found = density(torch.from_numpy(said), torch.from_numpy(moves)).numpy()
    for at in np.ndindex(3, 2):
        weights, x, y, log_x, log_y, correlation = said[at][:-2].reshape(6, COMPONENTS)
        each = []
        for k in range(COMPONENTS):
            a, b = NARROWEST + np.exp(log_x[k]), NARROWEST + np.exp(log_y[k])
            c = MOST_CORRELATED * np.tanh(correlation[k]) * a * b
            normal = multivariate_normal([x[k], y[k]], [[a * a, c], [c, b * b]])
            each.append(weights[k] - logsumexp(weights) + normal.logpdf(moves[at]))
        assert found[at] == pytest.approx(logsumexp(each), rel=1e-9)


def test_coins_cost_what_they_should_where_they_are_tossed() -> None:
    """Even coins cost log 2 each: the end at every free step, the lift unless the letter ends."""
    steps, letters = 4, 1
    zeros = torch.zeros(steps, letters)
    ends = torch.tensor([[0.0], [0.0], [0.0], [1.0]])
    free = torch.tensor([[1.0], [1.0], [0.0], [1.0]])
    changes = torch.zeros(steps, letters, 2)
    batch = Batch(None, None, None, changes, zeros, ends, zeros, free)
    cost = loss(torch.zeros(steps, letters, 6 * COMPONENTS + 2), batch)
    assert cost.tolist() == pytest.approx([5 * np.log(2)])
