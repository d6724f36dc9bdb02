"""Names that moved to :mod:`homeroom._checks`."""

from homeroom._checks import (
    chosen,
    distances,
    inside,
    interval,
    matrix,
    names,
    not_negative,
    positive,
    radius,
    rates,
    vector,
    whole,
    width,
    yes_or_no,
)

__all__ = [
    "chosen",
    "distances",
    "inside",
    "interval",
    "matrix",
    "names",
    "not_negative",
    "positive",
    "radius",
    "rates",
    "vector",
    "whole",
    "width",
    "yes_or_no",
]
