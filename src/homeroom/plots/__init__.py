"""Plots and HTML pages for records, figures, reports and notebooks."""

from homeroom.plots.curves import cost_lines, error_curve, group_bars
from homeroom.plots.frontier import frontier_steps
from homeroom.plots.page import Page
from homeroom.plots.style import COLOURS, axes, figure, panel, save_figure

__all__ = [
    "COLOURS",
    "Page",
    "axes",
    "cost_lines",
    "error_curve",
    "figure",
    "frontier_steps",
    "group_bars",
    "panel",
    "save_figure",
]
