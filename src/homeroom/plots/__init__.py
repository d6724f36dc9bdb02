"""The pictures that records, figures, reports and notebooks share."""

from homeroom.plots.curves import cost_lines, error_curve, group_bars
from homeroom.plots.page import Page
from homeroom.plots.style import COLOURS, axes, figure, panel, save_figure

__all__ = [
    "COLOURS",
    "Page",
    "axes",
    "cost_lines",
    "error_curve",
    "figure",
    "group_bars",
    "panel",
    "save_figure",
]
