"""The regions of the two trade-off diagrams, against the paper's words."""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats
from homeroom.paper.drawing import cheapest
from homeroom.paper.figure import Rows
from homeroom.paper.rates import COMPARED, HEAVIER, LAMBDAS

WHOLE, GROUPS, ALONE = range(len(COMPARED))


def weights_for(kind: str) -> Floats:
    """Return the weights lambda over which a diagram is drawn."""
    return LAMBDAS if kind == "rates" else HEAVIER


def regions_as_told(rows: Rows, kind: str) -> bool:
    """Tell whether the diagram has the paper's regions.

    The whole class is cheapest at the lowest diversity and weight, individuals at the highest
    weight whatever the diversity, groups somewhere at the highest diversity; and with a growing
    weight one never goes back from individuals to groups, or from groups to the whole class.
    """
    _, best = cheapest(rows, weights_for(kind), COMPARED)
    return bool(
        best[0, 0] == WHOLE
        and (best[-1] == ALONE).all()
        and (best[:, -1] == GROUPS).any()
        and (np.diff(best, axis=0) >= 0).all()
    )


def shares(rows: Rows, kind: str) -> tuple[float, float, float]:
    """Return on how much of the diagram each way is cheapest, where groups are groups.

    At the lowest diversity of knowledge there is one cluster, and groups are the whole class.
    """
    places, best = cheapest(rows, weights_for(kind), COMPARED)
    counted = best[:, places > 1] if kind == "knowledge" else best
    whole, groups, alone = (float((counted == way).mean()) for way in (WHOLE, GROUPS, ALONE))
    return whole, groups, alone
