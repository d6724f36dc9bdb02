"""How letters are drawn in the figures: as lines, in cells beside each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom.handwriting.generators import KINDS
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.leaning import leaning
from homeroom.handwriting.pace import placed
from homeroom.handwriting.scores import FEATURES
from homeroom.paper.cells import Cell
from homeroom.paper.drawing import COLUMN, where
from homeroom.paper.figure import Plan, Rows
from homeroom.paper.pen_class import pool_for
from homeroom.plots import COLOURS, figure
from homeroom.plots.style import QUIET, look

GOOD, BAD = COLOURS[2], COLOURS[1]
ACROSS, WIDE, HIGH = 10, 1.12, 1.5
"""Letters in a line of a strip, and the room for each, in heights of the model."""

MOST = 60
"""How many letters a strip has at most: longer lessons skip rounds."""


def draw_ink(
    ax: Axes,
    ink: Ink,
    model: Ink,
    *,
    at: tuple[float, float] = (0.0, 0.0),
    colour: str = "black",
    width: float = 1.1,
) -> None:
    """Draw a letter about a place, as large as the model; the model's larger side is one long."""
    low, high = model.points.min(axis=0), model.points.max(axis=0)
    scale, middle = 1.0 / float((high - low).max()), (low + high) / 2
    for stroke in placed(ink, model):
        points = (stroke.points - middle) * scale + np.array(at)
        ax.plot(points[:, 0], points[:, 1], color=colour, lw=width, solid_joinstyle="round")


def bare(drawn: Figure) -> Axes:
    """Return axes that show nothing but what is drawn, with y downwards as in ink."""
    ax = drawn.add_subplot()
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.invert_yaxis()
    return ax


def shown_cells(plan: Plan) -> list[Cell]:
    """Return the cells that the strips share, 6a to 6d."""
    settings = plan.settings.for_a_class()
    return [Cell.of("pen_shown", settings=settings, seed=seed) for seed in plan.seeds]


def draw_strip(rows: Rows, plan: Plan, who: str) -> Figure:
    """Draw the letters that somebody is shown in the first class, with their rounds."""
    seed = plan.seeds[0]
    own = where(rows, seed=seed, who=who)
    step = max(1, math.ceil(len(own) / MOST))
    kept = own[::step]
    lines = max(1, math.ceil(len(kept) / ACROSS))
    with look():
        drawn = figure(COLUMN, 0.1 + 0.44 * lines)
        ax = bare(drawn)
        pool = pool_for(plan.settings, seed)
        inks = as_shown([pool.inks[row["item"]] for row in kept], pool.model, who)
        for place, (row, ink) in enumerate(zip(kept, inks, strict=True)):
            x, y = WIDE * (place % ACROSS), HIGH * (place // ACROSS)
            colour = GOOD if row["good"] else "black"
            draw_ink(ax, ink, pool.model, at=(x, y), colour=colour, width=0.9)
            _name(ax, str(row["round"] + 1), (x, y + 0.92), colour if row["good"] else QUIET)
        if not kept:
            _name(ax, "nobody needed a letter", (0.0, 0.0), QUIET)
        ax.set_xlim(-0.62, WIDE * (ACROSS - 1) + 0.62)
        ax.set_ylim(HIGH * (lines - 1) + 0.98, -0.62)
    return drawn


def as_shown(inks: Sequence[Ink], model: Ink, who: str) -> list[Ink]:
    """Return letters as a lesson shows them: simulated children who lean, lean to the right."""
    return leaning(inks, model, int("rotation" in KINDS.get(who, FEATURES)))


def _name(ax: Axes, text: str, at: tuple[float, float], colour: str) -> None:
    ax.annotate(text, at, ha="center", va="bottom", fontsize=7.2, color=colour)


def draw_samples(inks: Sequence[Ink], model: Ink) -> Figure:
    """Draw letters of several children beside each other."""
    with look():
        drawn = figure(COLUMN, 0.8)
        ax = bare(drawn)
        for place, ink in enumerate(inks):
            draw_ink(ax, ink, model, at=(1.1 * place, 0.0), width=1.0)
            _name(ax, f"child {place + 1}", (1.1 * place, 0.85), QUIET)
        ax.set_xlim(-0.65, 1.1 * (len(inks) - 1) + 0.65)
        ax.set_ylim(0.9, -0.65)
    return drawn
