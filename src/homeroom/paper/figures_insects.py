"""Figures 4a to 4f: the map of the insects, the four types of learners, and their lessons."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom._arrays import Floats
from homeroom._checks import counted
from homeroom.crowd import insects
from homeroom.crowd.insects import SPECIES, Insects
from homeroom.paper.drawing import (
    COLUMN,
    EXAMPLES_IN_ALL,
    PAGE,
    WAY_COLOURS,
    WAY_DASHES,
    WAY_NAMES,
    WIDE_LAMBDAS,
    column_panel,
    draw_band,
    draw_costs,
    draw_trade_off,
    legend_above,
    plain_log,
)
from homeroom.paper.experiment_cells import ExperimentCell
from homeroom.paper.figure import PaperFigure, PaperPlan
from homeroom.paper.lessons_insects import MISTAKES
from homeroom.paper.rows import Rows, column, where
from homeroom.paper.settings import PaperSettings
from homeroom.plots import COLOURS, figure
from homeroom.plots.style import DASHES, look

MARKS = {"cmoth": "v", "tmoth": "^", "rbfly": "s", "pbfly": "o"}
"""The marker of each species."""

SPECIES_COLOURS = {
    "cmoth": COLOURS[4],
    "tmoth": COLOURS[1],
    "rbfly": COLOURS[5],
    "pbfly": COLOURS[0],
}
"""Warm colours for moths, cool ones for butterflies."""

SPECIES_NAMES = {species.short: species.name for species in SPECIES}
X_LABEL, Y_LABEL = "first coordinate of the map", "second coordinate"
MARGIN = 0.12
"""The space around the insects on the map, as a fraction of their extent."""

BACKGROUND = np.array([0.985, 0.98, 0.965])
"""The background colour of thumbnails."""

PIXELS = 160
"""The side of a picture in figure 4a, in pixels."""

LEARNERS_SHOWN = 3
"""How many learners of each type figure 4b shows, as in the paper."""

SPACING = 5
"""Figure 4c shows every fifth round: the paper shows two of every ten."""

THUMBNAILS = 24
"""The most pictures per row in figure 4c (20 in the paper); longer lessons skip more rounds."""

SHOWN_RADIUS = "crowd_radius=1"
"""With this radius, which the paper does not state, figure 4c has about as many pictures."""

RADII = ("crowd_radius=1", "crowd_radius=2", "crowd_radius=4")
RADII_SEEDS = 3

SIDE, GAP = 80, 24
"""The side of a thumbnail in figure 4c, and the space between rows, in pixels."""

SHOWN_SEEDS = 5
LESSONS = {"CT": "whole class (CT)", **MISTAKES}
LEARNER_TYPE_COUNT = "types of learners in the class"


def map_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cell that figures 4a and 4b share."""
    return plan.cells("insect_map", seeds=plan.seeds[:1])


def _draw_insects(ax: Axes, rows: Rows, *, size: float = 10.0) -> None:
    """Draw every insect at its place on the map."""
    for species, mark in MARKS.items():
        own = where(rows, kind="insect", type=species)
        ax.scatter(
            column(own, "x"),
            column(own, "y"),
            s=size,
            marker=mark,
            color=SPECIES_COLOURS[species],
            alpha=0.8,
            linewidths=0,
            label=SPECIES_NAMES[species],
        )


def _fit_axes(ax: Axes, rows: Rows) -> tuple[Floats, Floats]:
    """Fit the axes to the insects with equal scales; return the lower and the upper corner."""
    own = where(rows, kind="insect")
    points = np.column_stack([column(own, "x"), column(own, "y")])
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    reach = (1 + MARGIN) * float(np.ptp(points, axis=0).max()) / 2
    ax.set_xlim(middle[0] - reach, middle[0] + reach)
    ax.set_ylim(middle[1] - reach, middle[1] + reach)
    ax.set_aspect("equal")
    ax.grid(visible=False)
    return middle - reach, middle + reach


def clip_line(line: Floats, low: Floats, high: Floats) -> Floats:
    """Return the ends of the line ``<w, x> + bias = 0`` inside a rectangle, shape ``(2, 2)``.

    The result has no rows if the line lies outside.

    Parameters
    ----------
    line
        ``(w1, w2, bias)``.
    low, high
        The corners of the rectangle.
    """
    corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    heights = corners @ line[:2] + line[2]
    ends = []
    for i in range(4):
        j = (i + 1) % 4
        if (heights[i] > 0) != (heights[j] > 0):
            share = heights[i] / (heights[i] - heights[j])
            ends.append(corners[i] + share * (corners[j] - corners[i]))
    return np.reshape(ends, (-1, 2))


def _lines_of(rows: Rows) -> Floats:
    """Return the hypotheses in the rows, shape ``(rows, 3)``."""
    return np.column_stack([column(rows, name) for name in ("x", "y", "bias")])


def thumbnail(made: Insects, insect: int, pixels: int) -> Floats:
    """Return a picture of an insect on its background, ``(pixels, pixels, 3)`` from 0 to 1."""
    drawn = made.pixels(insect, pixels) / 255.0
    alpha = drawn[..., 3:]
    picture: Floats = alpha * drawn[..., :3] + (1.0 - alpha) * BACKGROUND
    return picture


def _draw_map(rows: Rows, plan: PaperPlan) -> Figure:
    """Draw figure 4a: one insect of each species (above), and the map with the target."""
    with look():
        drawn = figure(COLUMN, 4.5)
        legend, ax = drawn.subplots(2, 1, height_ratios=[1.0, 2.6])
        _draw_species(legend, plan.settings.insects + plan.seeds[0])
        low, high = _fit_axes(ax, rows)
        line = _lines_of(where(rows, kind="target"))[0]
        ends = clip_line(line, low, high)
        if len(ends):
            _draw_target(ax, line, ends, float(high[0] - low[0]))
        _draw_insects(ax, rows)
        ax.set_xlabel(X_LABEL)
        ax.set_ylabel(Y_LABEL)
    return drawn


def _draw_target(ax: Axes, line: Floats, ends: Floats, width: float) -> None:
    """Draw the target's line, and an arrow to the side of the butterflies."""
    ax.plot(*ends.T, color="black", lw=1.6)
    foot = ends.mean(axis=0)
    tip = foot + 0.11 * width * line[:2] / np.linalg.norm(line[:2])
    ax.annotate("", tip, foot, arrowprops={"arrowstyle": "-|>", "color": "black", "lw": 1.2})
    upper, lower = ends[np.argsort(-ends[:, 1])]
    slope = float(np.degrees(np.arctan2(*(upper - lower)[::-1])))
    ax.annotate(
        "target",
        lower + 0.08 * (upper - lower),
        (0, 2),
        textcoords="offset points",
        fontsize=8,
        rotation=slope - 180 if slope > 90 else slope,
        rotation_mode="anchor",
        ha="right" if slope > 90 else "left",
    )


def _draw_species(ax: Axes, seed: int) -> None:
    """Draw one insect of each species side by side, with name and mark."""
    made = insects.make(seed)
    ax.set_axis_off()
    ax.set_xlim(-0.5, 3.5)
    ax.set_ylim(-0.95, 0.5)
    ax.set_aspect("equal")
    for place, (species, mark) in enumerate(MARKS.items()):
        picture = thumbnail(made, made.species.index(species), PIXELS)
        ax.imshow(picture, extent=(place - 0.48, place + 0.48, -0.48, 0.48), interpolation="none")
        ax.plot(place - 0.38, 0.38, mark, color=SPECIES_COLOURS[species], markersize=4)
        name = SPECIES_NAMES[species].replace(" ", "\n")
        ax.annotate(name, (place, -0.52), ha="center", va="top", fontsize=7.5, linespacing=1.0)


def _draw_learners(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure 4b: one panel per type of learners."""
    with look():
        drawn = figure(COLUMN, 3.9)
        panels = drawn.subplots(2, 2, sharex=True, sharey=True)
        for ax, (kind, mistake) in zip(panels.flat, MISTAKES.items(), strict=True):
            _draw_type(ax, rows, kind)
            ax.set_title(f"{kind}:\n{mistake}", fontsize=7.2)
        drawn.supxlabel(X_LABEL, fontsize=9)
        drawn.supylabel(Y_LABEL, fontsize=9)
    return drawn


def _draw_type(ax: Axes, rows: Rows, kind: str) -> None:
    """Draw the lines of a few learners of one type, and the target's."""
    low, high = _fit_axes(ax, rows)
    for line in _lines_of(where(rows, kind="target")):
        ax.plot(*clip_line(line, low, high).T, color="#b0b0b0", lw=1.4)
    learners = _lines_of(where(rows, kind="worker", type=kind))[:LEARNERS_SHOWN]
    _shade_agreement(ax, learners, low, high)
    _draw_insects(ax, rows, size=4.0)
    for line, dashes in zip(learners, DASHES, strict=False):
        ax.plot(*clip_line(line, low, high).T, color="black", lw=1.0, ls=dashes)
    ax.tick_params(labelsize=7)


def _shade_agreement(ax: Axes, lines: Floats, low: Floats, high: Floats) -> None:
    """Shade the part of the map that all learners assign to butterflies."""
    x, y = (np.linspace(low[axis], high[axis], 200) for axis in range(2))
    across, up = np.meshgrid(x, y)
    yes = np.all([w1 * across + w2 * up + bias > 0 for w1, w2, bias in lines], axis=0)
    ax.contourf(x, y, yes, levels=[0.5, 1.5], colors=["#e9eef2"], zorder=0)


def _draw_examples(rows: Rows, plan: PaperPlan) -> Figure:
    """Draw figure 4c: the insects shown to the first class, one row per lesson."""
    first = where(rows, seed=plan.seeds[0])
    longest = 1 + max((row["round"] for row in first), default=0)
    step = max(SPACING, math.ceil(longest / THUMBNAILS)) if longest > THUMBNAILS else 1
    rounds, tall = np.arange(0, longest, step), 1.0 + GAP / SIDE
    with look():
        drawn = figure(PAGE, 2.3)
        ax = drawn.add_subplot(anchor="N")
        strip = _thumbnails(first, plan.settings.insects + plan.seeds[0], rounds)
        ax.imshow(strip, extent=(0, len(rounds), tall * len(LESSONS), 0), interpolation="none")
        names = [_lesson_label(who, len(where(first, who=who))) for who in LESSONS]
        ax.set_yticks(tall * (np.arange(len(LESSONS)) + 0.5), names, fontsize=7.5)
        ax.set_xticks(np.arange(len(rounds)) + 0.5, [str(1 + one) for one in rounds])
        ax.tick_params(length=0, labelsize=7.5)
        ax.set_xlabel("round")
        ax.set_ylabel("who is taught")
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
    return drawn


def _lesson_label(who: str, examples: int) -> str:
    """Return who is taught and for how long, in two lines."""
    if who == "CT":
        return f"{LESSONS[who]},\n{counted(examples, 'example')}"
    return f"{who}, {counted(examples, 'example')}:\n{LESSONS[who]}"


def _thumbnails(rows: Rows, seed: int, rounds: np.ndarray) -> Floats:
    """Return all thumbnails as one picture: one row per lesson, one column per round."""
    made = insects.make(seed)
    strip = np.ones((len(LESSONS) * (SIDE + GAP), len(rounds) * SIDE, 3))
    seen: dict[int, Floats] = {}
    for line, who in enumerate(LESSONS):
        shown = {row["round"]: row["item"] for row in where(rows, who=who)}
        for place, number in enumerate(rounds.tolist()):
            if number not in shown:
                break
            item = shown[number]
            if item not in seen:
                seen[item] = thumbnail(made, item, SIDE - 2)
            top, left = line * (SIDE + GAP) + GAP // 2, place * SIDE + 1
            strip[top : top + SIDE - 2, left : left + SIDE - 2] = seen[item]
    return strip


def _shown_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure 4c, with its own radius unless the user set one."""
    chosen = plan.settings.crowd_radius != PaperSettings.crowd_radius
    change = "" if chosen else SHOWN_RADIUS
    return plan.cells("insects_shown", seeds=plan.few(SHOWN_SEEDS), change=change)


def _cost_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells that figures 4d, 4e and 4f share."""
    return plan.cells("insects")


def _radius_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``4-radius``."""
    return [
        cell
        for radius in RADII
        for cell in plan.cells(
            "insects", seeds=plan.few(RADII_SEEDS), change=radius, variation=[radius]
        )
    ]


def _draw_radii(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``4-radius``: examples needed against the radius of the ball of examples."""
    drawn, ax = column_panel()
    with look():
        for way, name in WAY_NAMES.items():
            own = [
                {"radius": float(row["variation"].partition("=")[2]), "T": row["T"]}
                for row in where(rows, way=way, diversity=len(MISTAKES))
            ]
            draw_band(
                ax,
                own,
                "radius",
                "T",
                label=name,
                colour=WAY_COLOURS[way],
                line=WAY_DASHES[way],
            )
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
        plain_log(ax, "y")
        ax.set_xlabel("radius of the ball of examples, $D_X$")
        ax.set_ylabel(EXAMPLES_IN_ALL)
        legend_above(drawn, ax)
    return drawn


FIGURES = (
    PaperFigure(
        "4a",
        "160 insects on the map computed from the answers of 67 annotators (and from nothing "
        "else), and the target: the straight line that best separates butterflies (on the side of "
        "the arrow) from moths.",
        map_cells,
        _draw_map,
    ),
    PaperFigure(
        "4b",
        "The hypotheses of three learners of each of the four types: beyond the line, a learner "
        "sees butterflies; the region where all three agree is shaded (if the line lies outside "
        "the panel, the learner takes all insects for butterflies). Marks as in figure 4a; the "
        "grey line is the target.",
        map_cells,
        _draw_learners,
    ),
    PaperFigure(
        "4c",
        "The examples that a class with 15 learners of each type is shown, every fifth round as in "
        "the paper: as a whole class, and each type separately until it has reached its goal. Here "
        "Dₓ = 1: the paper does not state it, and with 1 the lesson is about as long as there.",
        _shown_cells,
        _draw_examples,
        broad=True,
    ),
    PaperFigure(
        "4d",
        "Insects the teacher shows in all, against the number of types of learners among 60 (mean "
        "over seeds, 95 % confidence band); groups are by type.",
        _cost_cells,
        partial(draw_costs, cost="T", across=LEARNER_TYPE_COUNT),
    ),
    PaperFigure(
        "4e",
        "Insects a student sees on average, against the number of types of learners among 60 (mean "
        "over seeds, 95 % confidence band).",
        _cost_cells,
        partial(draw_costs, cost="S", across=LEARNER_TYPE_COUNT),
    ),
    PaperFigure(
        "4f",
        "The cheapest way of teaching, by the number of types of learners and the weight λ in "
        "T + λ S.",
        _cost_cells,
        partial(draw_trade_off, lambdas=WIDE_LAMBDAS, across=LEARNER_TYPE_COUNT),
    ),
    PaperFigure(
        "4-radius",
        "Insects the teacher shows in all to a class of four types, against the radius Dₓ of the "
        "ball of examples, which the paper does not state for these classes (mean over seeds). "
        "Figures 4d to 4f have Dₓ = 2. Not in the paper.",
        _radius_cells,
        _draw_radii,
    ),
)
