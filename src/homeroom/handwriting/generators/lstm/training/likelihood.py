"""How well the network foresees what a pen did: the logarithm of its likelihood, in torch."""

from __future__ import annotations

import math
from typing import Any

from homeroom.handwriting.generators.lstm.mixture import COMPONENTS, MOST_CORRELATED, NARROWEST
from homeroom.handwriting.generators.lstm.training.batches import Batch


def loss(outputs: Any, batch: Batch) -> Any:
    """Return minus the log-likelihood of each letter, in nats, shape ``(batch,)``.

    The sum of what the steps' changes, lifts and ends cost; changes are in usual steps.
    """
    from torch.nn.functional import binary_cross_entropy_with_logits as coin

    ends, lifts = outputs[..., -2], outputs[..., -1]
    cost = (
        -density(outputs, batch.changes) * batch.moving
        + coin(ends, batch.ends, reduction="none") * batch.free
        + coin(lifts, batch.lifts, reduction="none") * batch.free * (1 - batch.ends)
    )
    return cost.sum(dim=0)


def density(outputs: Any, changes: Any) -> Any:
    """Return the log density of each change, shape ``(steps, batch)``; Graves 2013, eq. 23-26."""
    import torch

    weights, x, y, log_x, log_y, correlation = outputs[..., : 6 * COMPONENTS].split(COMPONENTS, -1)
    width_x, width_y = NARROWEST + log_x.exp(), NARROWEST + log_y.exp()
    rho = MOST_CORRELATED * correlation.tanh()
    free = 1.0 - rho * rho
    from_x = (changes[..., :1] - x) / width_x
    from_y = (changes[..., 1:] - y) / width_y
    # Squares first: as one difference, this loses all its digits where rho is close to one.
    across = from_y - rho * from_x
    squared = from_x * from_x + across * across / free
    each = -0.5 * squared - width_x.log() - width_y.log() - 0.5 * free.log() - math.log(2 * math.pi)
    found: Any = torch.logsumexp(weights.log_softmax(-1) + each, -1)
    return found
