"""The regions of the two trade-off diagrams, against the paper's words."""

from __future__ import annotations

import math

import numpy as np

from homeroom._arrays import Floats
from homeroom.paper.drawing import band, cheapest, where
from homeroom.paper.figure import Rows
from homeroom.paper.rates import COMPARED, HEAVIER, LAMBDAS

WHOLE, GROUPS, ALONE = range(len(COMPARED))


def weights_for(kind: str) -> Floats:
    """Return the weights lambda over which a diagram is drawn."""
    return LAMBDAS if kind == "rates" else HEAVIER


def regions_as_told(rows: Rows, kind: str) -> bool:
    """Tell whether the diagram has the paper's regions.

    The whole class is cheapest at the lowest diversity and weight and, at that weight, strictly
    cheaper than groups somewhere (where there is one group only, both cost the same); individuals
    are at the highest weight whatever the diversity, groups somewhere at the highest diversity;
    and with a growing weight one never goes back from individuals to groups, or from groups to
    the whole class.
    """
    if not rows:
        return False
    _, best = cheapest(rows, weights_for(kind), COMPARED)
    return bool(
        best[0, 0] == WHOLE
        and ((best[0] == WHOLE) & _whole_beats_groups(rows, kind)).any()
        and (best[-1] == ALONE).all()
        and (best[:, -1] == GROUPS).any()
        and (np.diff(best, axis=0) >= 0).all()
    )


def _whole_beats_groups(rows: Rows, kind: str) -> np.ndarray:
    """Tell at which diversities the whole class is strictly cheaper, at the lowest weight."""
    whole, groups = (
        band(own, "diversity", "T")[1] + weights_for(kind)[0] * band(own, "diversity", "S")[1]
        for own in (where(rows, way=COMPARED[way]) for way in (WHOLE, GROUPS))
    )
    beats: np.ndarray = whole < groups - 1e-9
    return beats


def shares(rows: Rows, kind: str) -> tuple[float, float, float]:
    """Return on how much of the diagram each way is cheapest, where groups are groups.

    At the lowest diversity of knowledge there is one cluster, and groups are the whole class.
    Where nothing is left to count, the shares are NaN.
    """
    places, best = cheapest(rows, weights_for(kind), COMPARED)
    counted = best[:, places > 1] if kind == "knowledge" else best
    if not counted.size:
        return math.nan, math.nan, math.nan
    whole, groups, alone = (float((counted == way).mean()) for way in (WHOLE, GROUPS, ALONE))
    return whole, groups, alone
