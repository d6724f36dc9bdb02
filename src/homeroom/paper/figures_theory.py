"""Figures about the theorems, which are not in the paper: bounds, noise, pools, scaling."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom.paper.drawing import (
    EXAMPLES_IN_ALL,
    PAGE,
    WAY_COLOURS,
    WAY_DASHES,
    WAY_NAMES,
    column_panel,
    draw_band,
    legend_above,
    plain_log,
)
from homeroom.paper.experiment_cells import ExperimentCell
from homeroom.paper.figure import PaperFigure, PaperPlan
from homeroom.paper.lessons_theory import THEOREMS
from homeroom.paper.rows import Row, Rows, column, mean_curve, where
from homeroom.plots import COLOURS, figure
from homeroom.plots.curves import draw_goal
from homeroom.plots.style import DASHES, QUIET, look

SIGMAS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2)
DELTAS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)
BETAS = (1e2, 1e3, 1e4, 1e5)
LANGEVIN_ROUNDS = 600
ATTENTION = (0.2, 0.4, 0.6, 0.8, 1.0)
BOREDOM = (0.0, 0.05, 0.1, 0.2, 0.4)
LINES, REACH = 12, 2.2
"""How many lines figure ``hyperplanes`` shows per student at most, and the limit of its axes."""

STUDENTS_SEEDS, SLOW_SEEDS, FEWER_SEEDS = 3, 5, 10
"""How many of every twenty classes are taught: in experiments on attention, in other slow ones, and
in those whose intervals are narrow."""

POOL_SIZES = (20, 40, 80, 160, 400, 1000)
RANKS = (1, 2, 4, 8, 12, 16, 20, 25)
ACCURACIES = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5)
CLASS_SIZES = (30, 100, 300, 1000, 3000, 10_000)
TEACHERS = ("CT", "random direction", "random item")
BOUND_ROUNDS, BOUND_SEEDS = 250, 3
MEAN_ROUNDS = 300
BOUND_LINE = (0, (4, 3))
"""The dashes of lines that are not measured."""


def _random_rates_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``random-rates``."""
    return plan.cells(
        "random_rates",
        seeds=plan.few(SLOW_SEEDS),
        sigma=plan.thin(SIGMAS),
        weights=("history", "known"),
    )


def _draw_random_rates(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``random-rates``: examples needed against the spread of the rates."""
    drawn, ax = column_panel()
    with look():
        for weights, label, colour, line in (
            ("history", "by past draws", COLOURS[4], DASHES[1]),
            ("known", "by known means", COLOURS[0], DASHES[0]),
        ):
            own = where(rows, weights=weights)
            draw_band(ax, own, "sigma", "T", label=label, colour=colour, line=line)
        ax.set_xlabel("standard deviation of the rates, σ")
        ax.set_ylabel(EXAMPLES_IN_ALL)
        legend_above(drawn, ax)
    return drawn


def _draw_noisy_w(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``noisy-w``: examples needed against the noise in the moment matrix W."""
    drawn, ax = column_panel()
    with look():
        draw_band(ax, rows, "delta", "T", label="whole class (CT)", colour=WAY_COLOURS["CT"])
        ax.set_xlabel("operator norm of the error in W, δ")
        ax.set_ylabel(EXAMPLES_IN_ALL)
        ax.set_ylim(bottom=0)
    return drawn


def _langevin_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``langevin``."""
    return plan.cells(
        "langevin",
        seeds=plan.few(SLOW_SEEDS),
        beta=plan.thin(BETAS),
        rounds=[LANGEVIN_ROUNDS],
    )


def _draw_langevin(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``langevin``: the remaining error and its proved upper bound.

    Both are drawn against the inverse temperature.
    """
    drawn, ax = column_panel()
    with look():
        places, floors, _ = mean_curve(rows, "beta", "floor")
        ax.plot(places, floors, color=QUIET, ls=BOUND_LINE, label="proved bound")
        draw_band(ax, rows, "beta", "left", label="measured", colour=COLOURS[0])
        plain_log(ax, "x", "y")
        ax.set_xlabel("inverse temperature, β")
        ax.set_ylabel("remaining mean\nsquared distance")
        legend_above(drawn, ax)
    return drawn


def _draw_attention(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``attention``: examples needed against the share attended to.

    The dashed line is T(1) / share: with half the attention, twice the examples.
    """
    drawn, ax = column_panel()
    with look():
        draw_band(ax, rows, "share", "T", label="measured", colour=COLOURS[0])
        shares, rounds, _ = mean_curve(rows, "share", "T")
        ax.plot(shares, rounds[-1] / shares, color=QUIET, ls=BOUND_LINE, label="T(1) / share")
        ax.set_ylim(bottom=0)
        ax.set_xlabel("share of examples attended to")
        ax.set_ylabel(EXAMPLES_IN_ALL)
        legend_above(drawn, ax)
    return drawn


def _draw_boredom(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``boredom``: examples per student against the attention lost."""
    drawn, ax = column_panel()
    with look():
        for way in ("CT", "CTwP-Opt"):
            own, name = where(rows, way=way), WAY_NAMES[way]
            colour, dashes = WAY_COLOURS[way], WAY_DASHES[way]
            draw_band(ax, own, "loss", "S", label=name, colour=colour, line=dashes)
        ax.set_ylim(bottom=0)
        ax.set_xlabel("attention lost with a redundant example")
        ax.set_ylabel("examples per student, S")
        legend_above(drawn, ax)
    return drawn


def _draw_hyperplanes(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``hyperplanes``: one panel per student.

    It shows their line in up to ``LINES`` of the rounds, the examples of those rounds, and the
    target's line.
    """
    students = where(rows, kind="student")
    names = list(dict.fromkeys(row["who"] for row in students))
    last = max(row["round"] for row in students)
    shades = colormaps["cividis_r"]
    target = where(rows, kind="target")
    with look():
        drawn = figure(PAGE, 2.2)
        panels = drawn.subplots(1, len(names), sharex=True, sharey=True)
        for ax, name in zip(panels, names, strict=True):
            own = where(students, who=name)
            for at in np.unique(np.linspace(0, len(own) - 1, LINES).astype(int)):
                row = own[at]
                colour = shades(0.1 + 0.9 * row["round"] / max(1, last))
                _draw_line_through_zero(ax, row, colour=colour, lw=0.9)
                for shown in where(rows, kind="example", round=row["round"]):
                    ax.plot(shown["x"], shown["y"], "o", color=colour, markersize=3)
            for row in target:
                _draw_line_through_zero(ax, row, colour="black", lw=1.6)
            ax.set_title(f"{name} student", fontsize=8.5)
            ax.set_aspect("equal")
            ax.set_xlim(-REACH, REACH)
            ax.set_ylim(-REACH, REACH)
            ax.grid(visible=False)
        drawn.supxlabel("first coordinate of an example", fontsize=9)
        drawn.supylabel("second coordinate", fontsize=9)
    return drawn


def _draw_line_through_zero(ax: Axes, row: Row, *, colour: Any, lw: float) -> None:
    """Draw the line through the origin on which a hypothesis in the plane is zero."""
    length = float(np.hypot(row["x"], row["y"])) or 1.0
    x, y = 2 * REACH * row["y"] / length, -2 * REACH * row["x"] / length
    ax.plot([-x, x], [-y, y], color=colour, lw=lw)


def _draw_pool(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``pool``: examples needed, and the richness, against the size of the pool."""
    with look():
        drawn = figure(PAGE, 2.5)
        left, right = drawn.subplots(1, 2)
        draw_band(left, rows, "items", "T", label="from the pool", colour=COLOURS[0])
        free = mean_curve(rows, "items", "free")[1].mean()
        left.axhline(free, color=QUIET, ls=BOUND_LINE, label="free vectors")
        left.set_ylabel(EXAMPLES_IN_ALL)
        left.set_ylim(bottom=0)
        left.legend()
        draw_band(right, rows, "items", "richness", label="effect (ours)", colour=COLOURS[0])
        angle = "cos² of the angle (paper)"
        draw_band(right, rows, "items", "angle", label=angle, colour=COLOURS[1], line=DASHES[1])
        right.legend()
        right.set_ylim(0, 1.03)
        right.set_ylabel("richness of the pool")
        for ax in (left, right):
            plain_log(ax, "x")
            ax.set_xlabel("directions in the pool")
    return drawn


def _rank_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``rank``.

    A class cannot err in more directions than it has dimensions or students.
    """
    most = min(plan.settings.dimensions, plan.settings.students)
    return plan.cells("against_rank", rank=plan.thin(np.unique(np.minimum(RANKS, most)).tolist()))


def _draw_rank(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``rank``: examples needed against the number of directions, and the bound."""
    drawn, ax = column_panel()
    with look():
        places, bounds, _ = mean_curve(rows, "rank", "bound")
        ax.plot(places, bounds, color=QUIET, ls=BOUND_LINE, label="proved (Theorem 1)")
        draw_band(ax, rows, "rank", "T", label="measured", colour=COLOURS[0])
        ax.set_xlabel("directions in which the class errs, k")
        ax.set_ylabel(EXAMPLES_IN_ALL)
        legend_above(drawn, ax, 3)
    return drawn


def _draw_accuracy(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``accuracy``: examples needed by each teacher against the accuracy."""
    drawn, ax = column_panel()
    with look():
        for who, colour, dashes in zip(TEACHERS, COLOURS, DASHES, strict=False):
            own = where(rows, who=who)
            draw_band(ax, own, "eps", "T", label=who, colour=colour, line=dashes)
        plain_log(ax, "x")
        ax.invert_xaxis()
        ax.set_xlabel("accepted squared distance, ε")
        ax.set_ylabel(EXAMPLES_IN_ALL)
        legend_above(drawn, ax, 3)
    return drawn


def _draw_size(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``size``: examples needed against the number of students."""
    drawn, ax = column_panel()
    with look():
        draw_band(ax, rows, "students", "T", label="whole class", colour=COLOURS[0])
        plain_log(ax, "x")
        ax.set_ylim(bottom=0)
        ax.set_xlabel("students in the class, N")
        ax.set_ylabel(EXAMPLES_IN_ALL)
    return drawn


def _bounds_cells(plan: PaperPlan) -> list[ExperimentCell]:
    return plan.cells("theorem", seeds=plan.few(BOUND_SEEDS), name=THEOREMS, rounds=[BOUND_ROUNDS])


def _draw_bounds(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``bounds``: one panel per theorem, with errors and bounds by round."""
    with look():
        drawn = figure(PAGE, 3.6)
        panels = drawn.subplots(2, 4, sharex=True)
        for ax, (name, title) in zip(panels.flat, THEOREMS.items(), strict=False):
            own = where(rows, theorem=name)
            for seed in sorted({row["seed"] for row in own}):
                lesson = where(own, seed=seed)
                ax.plot(column(lesson, "bound"), color=QUIET, lw=1, ls=BOUND_LINE)
                ax.plot(column(lesson, "error"), color=COLOURS[0], lw=1)
            plain_log(ax, "y")
            ax.minorticks_off()
            ax.set_title(title.replace(", ", "\n"), fontsize=8)
        legend = panels.flat[-1]
        legend.set_axis_off()
        legend.plot([], [], color=QUIET, ls=BOUND_LINE, label="proved")
        legend.plot([], [], color=COLOURS[0], label="measured")
        legend.legend(loc="center")
        drawn.supxlabel("rounds", fontsize=9)
        drawn.supylabel("squared distance to the target", fontsize=9)
    return drawn


def _mean_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``mean``: lessons along the mean gap, and those of figure 3a."""
    return plan.cells("mean_direction", rounds=[MEAN_ROUNDS]) + plan.cells("lesson")


def taught_along_the_mean(rows: Rows) -> Rows:
    """Return the rows of lessons along the mean gap, which have no bound."""
    return [row for row in rows if "bound" not in row]


def _draw_mean(rows: Rows, plan: PaperPlan) -> Figure:
    """Draw figure ``mean``: the error along the mean gap and along the best direction."""
    best = [row for row in rows if "bound" in row]
    drawn, ax = column_panel()
    with look():
        for own, colour, dashes, label in (
            (taught_along_the_mean(rows), COLOURS[1], DASHES[1], "along the mean (stuck at ×)"),
            (best, COLOURS[0], DASHES[0], "best direction (CT)"),
        ):
            for seed in plan.seeds:
                errors = column(where(own, seed=seed), "error")
                ax.plot(errors, color=colour, ls=dashes, lw=0.8, alpha=0.7)
                if own is not best:
                    ax.plot(len(errors) - 1, errors[-1], "x", color=colour, markersize=5)
            ax.plot([], [], color=colour, ls=dashes, label=label)
        draw_goal(ax, plan.settings.eps)
        plain_log(ax, "y")
        ax.set_xlabel("rounds")
        ax.set_ylabel("mean squared distance")
        legend_above(drawn, ax)
    return drawn


FIGURES = (
    PaperFigure(
        "random-rates",
        "Examples needed if every student draws a new rate in each round, N(rate, σ²), for a "
        "teacher who weighs students by past draws (as in the paper), and for one who weighs them "
        "by the known mean rates.",
        _random_rates_cells,
        _draw_random_rates,
    ),
    PaperFigure(
        "noisy-w",
        "Examples needed if the matrix W is observed with a symmetric error of operator norm δ, "
        "new in every round (mean over seeds, 95 % confidence band).",
        lambda plan: plan.cells(
            "noisy_moments", seeds=plan.few(FEWER_SEEDS), delta=plan.thin(DELTAS)
        ),
        _draw_noisy_w,
    ),
    PaperFigure(
        "langevin",
        f"The remaining error of the class after {LANGEVIN_ROUNDS} rounds (mean of the last "
        "quarter) if students drift with inverse temperature β, and the theorem's bound above it.",
        _langevin_cells,
        _draw_langevin,
    ),
    PaperFigure(
        "attention",
        "Examples the whole class needs if each student attends to a share of them, chosen at "
        "random (mean over seeds, 95 % confidence band). The source of section 6.3 mentions such "
        "students; not in the paper.",
        lambda plan: plan.cells(
            "attention", seeds=plan.few(STUDENTS_SEEDS), share=plan.thin(ATTENTION)
        ),
        _draw_attention,
    ),
    PaperFigure(
        "boredom",
        "Examples a student sees on average if redundant examples lower their attention, which the "
        "source of section 5 mentions (mean over seeds): a redundant example multiplies a "
        "student's chance to attend to the next one by one minus the loss. The model is ours.",
        lambda plan: plan.cells("boredom", seeds=plan.few(STUDENTS_SEEDS), loss=plan.thin(BOREDOM)),
        _draw_boredom,
    ),
    PaperFigure(
        "hyperplanes",
        "The lines that separate positive from negative labels for four of 100 students in the "
        "plane, from the first round (light) to the last (dark), the target's line (black), and "
        "the examples (dots). Mentioned in the source, not printed.",
        lambda plan: plan.cells("hyperplanes", seeds=plan.seeds[:1]),
        _draw_hyperplanes,
        broad=True,
    ),
    PaperFigure(
        "pool",
        "Left: examples needed from a rescalable pool of random directions, by its size. Right: "
        "the richness of the pool for the class, median over a lesson: the effect u'Wu / λ₁(W), "
        "which is our measure, and the paper's, cos² of the angle to the best direction.",
        lambda plan: plan.cells("pool", seeds=plan.few(FEWER_SEEDS), items=plan.thin(POOL_SIZES)),
        _draw_pool,
        broad=True,
    ),
    PaperFigure(
        "rank",
        "Examples needed by a class with equal rates that errs in only k directions, to the same "
        "accuracy in each direction, and the bound of Theorem 1 above it.",
        _rank_cells,
        _draw_rank,
    ),
    PaperFigure(
        "accuracy",
        "Examples needed against the accuracy, on a logarithmic scale: a straight line is "
        "O(log 1/ε), a curve that bends upwards is more.",
        lambda plan: plan.cells(
            "against_eps",
            seeds=plan.few(SLOW_SEEDS),
            who=TEACHERS,
            accuracies=[list(ACCURACIES)],
        ),
        _draw_accuracy,
    ),
    PaperFigure(
        "size",
        "Examples needed against the number of students, all else being equal.",
        lambda plan: plan.cells(
            "against_students", seeds=plan.few(FEWER_SEEDS), students=plan.thin(CLASS_SIZES)
        ),
        _draw_size,
    ),
    PaperFigure(
        "bounds",
        "The error of the class (for everyone: of the farthest student) in a lesson that satisfies "
        "the assumptions of each theorem, and the bound that the theorem, corrected where "
        "necessary, proves for it; one line per class.",
        _bounds_cells,
        _draw_bounds,
        broad=True,
    ),
    PaperFigure(
        "mean",
        "The error of the class if the teacher treats the mean of the class as a single student "
        "(dashed), and if the teacher takes the best direction (solid); one line per class. Once "
        "the mean is right, no example moves it, and the lesson stops.",
        _mean_cells,
        _draw_mean,
    ),
)
