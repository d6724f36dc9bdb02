"""Plots and HTML pages for records, figures, reports and notebooks."""

from homeroom.plots.curves import cost_lines, error_curve, frontier_steps, group_bars
from homeroom.plots.page import Page
from homeroom.plots.style import COLOURS, axes, drawing, figure, panel, picture, save_figure

__all__ = [
    "COLOURS",
    "Page",
    "axes",
    "cost_lines",
    "drawing",
    "error_curve",
    "figure",
    "frontier_steps",
    "group_bars",
    "panel",
    "picture",
    "save_figure",
]
