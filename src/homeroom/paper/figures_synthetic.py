"""Figures of section 6.1: three ways of teaching (2), synthetic classes (3a to 3f), and more.

The figures ``who``, ``dip``, ``knowledge-t`` and ``knowledge-s`` show what the paper describes but
does not print, ``rules`` how much depends on the magnitude rules: how long the examples are.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom.paper.drawing import (
    EXAMPLES_IN_ALL,
    LAMBDAS,
    PAGE,
    WAY_COLOURS,
    WAY_DASHES,
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
from homeroom.paper.lessons_synthetic import FOUR_STUDENTS, PLANE_GROUPS
from homeroom.paper.rows import Row, Rows, column, where
from homeroom.plots import COLOURS, figure
from homeroom.plots.curves import draw_goal
from homeroom.plots.style import DASHES, QUIET, look

PLANE_WAYS = ("individually", "whole class", "two groups")
"""The ways of teaching in figure 2, in the plane."""

PLANE_ROUNDS = (0, 1, 2, 6)
"""The rounds that figure 2 shows; by the last, all students have reached the target."""

PLANE_MARKERS = ("o", "^")
ARROW = 0.9
"""The length of an example's arrow in figure 2."""

POINTS = 11
"""How many diversities figures 3b, 3c and 3e have."""

WIDE_DIVERSITIES = (0.0, 0.25, 0.5, 0.7, 1.0, 1.5, 2.0)
RULES = {
    "class static, groups dynamic": "whole_magnitude=static, group_magnitude=dynamic",
    "static for both": "whole_magnitude=static, group_magnitude=static",
    "dynamic for both": "whole_magnitude=dynamic, group_magnitude=dynamic",
}
"""The magnitude rules for the whole class and for groups that figure ``rules`` compares."""

RULES_SEEDS, NOISE_SEEDS = 5, 10
"""The number of classes, of twenty, for figure ``rules``, and for figure 3d."""

DELTAS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)
"""The lengths of the error in each state in figure 3d."""

RADII = ("example_radius=2", "example_radius=3", "example_radius=10")
"""The radii of the ball of examples in figure ``dip``."""

DIP_SEEDS = 5
RATE_DIVERSITY = "diversity of rates"
CLUSTERS = "clusters of prior knowledge"


def _draw_plane(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure 2: one line of panels per way of teaching, one panel per round."""
    with look():
        drawn = figure(PAGE, 4.4)
        panels = drawn.subplots(len(PLANE_WAYS), len(PLANE_ROUNDS), sharex=True, sharey=True)
        for line, way in zip(panels, PLANE_WAYS, strict=True):
            own = where(rows, way=way)
            for ax, number in zip(line, PLANE_ROUNDS, strict=True):
                _draw_round(ax, own, number)
            line[0].set_ylabel(_way_label(own, way), rotation=0, ha="right", va="center")
        for ax, number in zip(panels[0], PLANE_ROUNDS, strict=True):
            ax.set_title(_round_title(number))
        panels[0, 0].annotate("target", (0, 0), (6, -11), textcoords="offset points")
    return drawn


def _round_title(number: int) -> str:
    if number == 0:
        return "at the start"
    if number == PLANE_ROUNDS[-1]:
        return "at the end"
    return f"after {number} round{'s' if number > 1 else ''}"


def _way_label(rows: Rows, way: str) -> str:
    """Return a way's name, and what it costs the teacher and the students."""
    shown = where(rows, kind="example")
    if way == "individually":
        seen = len(shown) / len(PLANE_GROUPS)
    else:
        per_group = [len(where(shown, who=group)) for group in range(2)]
        seen = per_group[0] if way == "whole class" else float(np.mean(per_group))
    return f"{way}\n{len(shown)} examples,\n{seen:g} per student"


def _draw_round(ax: Axes, rows: Rows, number: int) -> None:
    """Draw the students after a round, their paths so far, and the examples of that round."""
    for student, group in enumerate(PLANE_GROUPS):
        colour = COLOURS[int(group)]
        path = [
            (row["x"], row["y"])
            for row in where(rows, kind="student", who=student)
            if row["round"] <= number
        ]
        ax.plot(*np.array(path).T, color=colour, lw=0.8, alpha=0.55)
        ax.plot(*path[-1], PLANE_MARKERS[int(group)], color=colour, markersize=4)
    if 0 < number < PLANE_ROUNDS[-1]:
        for row in where(rows, kind="example", round=number - 1):
            _draw_example(ax, row)
    ax.plot(0, 0, "*", color="black", markersize=9)
    ax.set_aspect("equal")
    ax.set_xlim(-1.5, 3.3)
    ax.set_ylim(-1.1, 2.9)
    ax.set_xticks([])
    ax.set_yticks([])


def _draw_example(ax: Axes, row: Row) -> None:
    """Draw the line along which an example moves students."""
    length = float(np.hypot(row["x"], row["y"])) or 1.0
    x, y = ARROW * row["x"] / length, ARROW * row["y"] / length
    arrow = {"arrowstyle": "<->", "color": QUIET, "lw": 0.6, "mutation_scale": 6}
    ax.annotate("", (x, y), (-x, -y), arrowprops={**arrow, "shrinkA": 0, "shrinkB": 0})


def _draw_lesson(rows: Rows, plan: PaperPlan) -> Figure:
    """Draw figure 3a: the error of the first class and of four students, against rounds."""
    first = where(rows, seed=plan.seeds[0])
    lessons = [column(where(rows, seed=seed), "error") for seed in plan.seeds]
    shortest = min(len(lesson) for lesson in lessons)
    curves = np.array([lesson[:shortest] for lesson in lessons])
    drawn, ax = column_panel(2.9)
    with look():
        low, high = np.quantile(curves, [0.025, 0.975], axis=0)
        ax.fill_between(np.arange(len(low)), low, high, color=COLOURS[0], alpha=0.2, lw=0)
        ax.plot(lessons[0], color=COLOURS[0], lw=2.4, label="class average")
        for colour, dashes, student in zip(COLOURS[1:], DASHES, FOUR_STUDENTS, strict=False):
            values = column(first, student)
            values = np.where(values > 0, values, np.nan)
            ax.plot(values, color=colour, ls=dashes, lw=1.1, label=student)
        draw_goal(ax, plan.settings.eps)
        plain_log(ax, "y")
        ax.set_ylim(bottom=1e-4 * plan.settings.eps)
        ax.set_xlabel("rounds")
        ax.set_ylabel("squared distance to the target")
        legend_above(drawn, ax, 3)
    return drawn


def _diversities(plan: PaperPlan) -> list[float]:
    """Return evenly spaced diversities of rates, from 0 to the greatest of the settings."""
    step = plan.settings.greatest_diversity / (POINTS - 1)
    return [round(step * i, 6) for i in range(POINTS)]


def rates_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells that figures 3b, 3c and 3e share."""
    return plan.cells("rates", diversities=[list(plan.thin(_diversities(plan)))])


def _rules_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``rules``."""
    return [
        cell
        for name, change in RULES.items()
        for cell in plan.cells(
            "rates",
            seeds=plan.few(RULES_SEEDS),
            change=change,
            variation=[name],
            diversities=[list(plan.thin(WIDE_DIVERSITIES))],
            ways=[("CT", "CTwP-Opt")],
        )
    ]


def _draw_rules(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``rules``: examples for groups relative to the class, by magnitude rules."""
    drawn, ax = column_panel()
    with look():
        for name, colour, dashes in zip(RULES, COLOURS, DASHES, strict=False):
            own = groups_per_class(where(rows, variation=name))
            draw_band(ax, own, "diversity", "ratio", label=name, colour=colour, line=dashes)
        ax.axhline(1.0, color=QUIET, lw=0.8)
        ax.set_ylim(bottom=0)
        ax.set_xlabel(RATE_DIVERSITY)
        ax.set_ylabel("examples for groups, as a\nfraction of those for the class")
        legend_above(drawn, ax, 1)
    return drawn


def groups_per_class(rows: Rows) -> list[Row]:
    """Return the examples for groups relative to the whole class, by diversity and seed."""
    costs = {(row["diversity"], row["seed"], row["way"]): row["T"] for row in rows}
    found: list[Row] = []
    for diversity, seed, way in costs:
        whole, groups = (costs.get((diversity, seed, one)) for one in ("CT", "CTwP-Opt"))
        if way == "CT":
            ratio = groups / whole if whole and groups else None
            found.append({"diversity": diversity, "seed": seed, "ratio": ratio})
    return found


def _knowledge_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells that figures 3f, knowledge-t and knowledge-s share."""
    clusters = plan.thin(range(1, plan.settings.knowledge_dimensions + 1))
    return plan.cells("knowledge", clusters=[list(clusters)])


def _noise_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure 3d: individuals without noise, and the class with noise."""
    seeds = plan.few(NOISE_SEEDS)
    noisy = plan.cells("noisy_states", seeds=seeds, delta=plan.thin(DELTAS))
    return plan.cells("individually", seeds=seeds) + noisy


def _draw_noise(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure 3d: examples needed against the noise in the states."""
    noisy = [row for row in rows if "delta" in row]
    alone = column([row for row in rows if "delta" not in row], "T").mean()
    drawn, ax = column_panel()
    with look():
        draw_band(ax, noisy, "delta", "T", label="whole class (CT)", colour=WAY_COLOURS["CT"])
        ax.axhline(
            alone,
            color=WAY_COLOURS["IT"],
            ls=WAY_DASHES["IT"],
            label="individuals, no noise (IT)",
        )
        plain_log(ax, "y")
        ax.set_xlabel("length of the error in each state, δ")
        ax.set_ylabel(EXAMPLES_IN_ALL)
        legend_above(drawn, ax)
    return drawn


def _draw_students(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``who``: the rounds of each student against their learning rate."""
    drawn, ax = column_panel()
    with look():
        dots = ax.scatter(
            column(rows, "rate"),
            column(rows, "rounds"),
            c=column(rows, "distance"),
            cmap="cividis_r",
            s=7,
            linewidths=0,
            rasterized=True,
        )
        drawn.colorbar(dots, label="distance at the start")
        ax.set_xlabel("learning rate of the student")
        ax.set_ylabel("rounds until the goal")
    return drawn


def _dip_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``dip``."""
    return [
        cell
        for radius in RADII
        for cell in plan.cells(
            "whole_class",
            seeds=plan.few(DIP_SEEDS),
            change=radius,
            variation=[radius],
            diversity=_diversities(plan),
        )
    ]


def _draw_dip(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``dip``: examples for the whole class against diversity, by radius."""
    drawn, ax = column_panel()
    with look():
        for radius, colour, dashes in zip(RADII, COLOURS, DASHES, strict=False):
            own = where(rows, variation=radius)
            label = f"$D_X$ = {radius.partition('=')[2]}"
            draw_band(ax, own, "diversity", "T", label=label, colour=colour, line=dashes)
        ax.set_ylim(bottom=0)
        ax.set_xlabel(RATE_DIVERSITY)
        ax.set_ylabel(EXAMPLES_IN_ALL)
        legend_above(drawn, ax, 3)
    return drawn


FIGURES = (
    PaperFigure(
        "2",
        "Twelve students on their way to the target (star). An example pulls along one line "
        "(arrows). Each student who sees it moves along that line, farther if their error is "
        "larger. Taught individually, students move straight to the target, but the teacher needs "
        "many examples. Taught as a whole class, few examples are enough, but students take "
        "detours. Two groups lie in between.",
        lambda _plan: [ExperimentCell.of("three_ways", seed=0)],
        _draw_plane,
        broad=True,
    ),
    PaperFigure(
        "3a",
        "Squared distance to the target against rounds, for the first class until it reaches its "
        "goal and for four of its students: two start at the same place far from the target, two "
        "near it, and of each pair one has the rate 0.05 and the other 0.15. Shaded: the middle "
        "95 % of all classes, until the first of them has reached the goal.",
        lambda plan: plan.cells("lesson"),
        _draw_lesson,
    ),
    PaperFigure(
        "3b",
        "Examples the teacher needs in all, against the diversity of rates (mean over seeds, 95 % "
        "confidence band). With the static magnitude the whole class dips at 0.15, where the ball "
        "stops limiting the magnitude.",
        rates_cells,
        partial(draw_costs, cost="T", across=RATE_DIVERSITY),
    ),
    PaperFigure(
        "3c",
        "Examples a student sees on average, against the diversity of rates (mean over seeds, 95 % "
        "confidence band).",
        rates_cells,
        partial(draw_costs, cost="S", across=RATE_DIVERSITY),
    ),
    PaperFigure(
        "3d",
        "Examples the teacher needs if each state is observed with an error of length δ (mean over "
        "seeds, 95 % confidence band). The other line is individual teaching without noise.",
        _noise_cells,
        _draw_noise,
    ),
    PaperFigure(
        "3e",
        "The cheapest way of teaching, by the diversity of rates and the weight λ in T + λ S.",
        rates_cells,
        partial(draw_trade_off, lambdas=LAMBDAS, across=RATE_DIVERSITY),
    ),
    PaperFigure(
        "3f",
        "The cheapest way of teaching, by the number of clusters and the weight λ in T + λ S.",
        _knowledge_cells,
        partial(draw_trade_off, lambdas=WIDE_LAMBDAS, across=CLUSTERS),
    ),
    PaperFigure(
        "who",
        "The number of rounds after which each student was within the goal, against their learning "
        "rate; darker students started farther from the target. Students who had not reached the "
        "goal when the lesson ended are at the top.",
        lambda plan: plan.cells("who_takes_longer", seeds=plan.seeds[:5]),
        _draw_students,
    ),
    PaperFigure(
        "dip",
        "Examples the whole class needs with the static magnitude, for three radii Dₓ of the ball "
        "of examples. The ball limits the magnitude for all students up to a diversity of 1/Dₓ² "
        "minus the slowest rate: with 0.1, that is 0.15 for the paper's Dₓ = 2, 0.01 for 3, and "
        "never for 10.",
        _dip_cells,
        _draw_dip,
    ),
    PaperFigure(
        "rules",
        "Examples the teacher needs for groups, as a fraction of those for the whole class, if "
        "both have the same magnitude rule and if they have different ones (mean over seeds, 95 % "
        "confidence band). Below the line, groups need fewer. Not in the paper.",
        _rules_cells,
        _draw_rules,
    ),
    PaperFigure(
        "knowledge-t",
        "Examples the teacher needs in all, against the number of clusters of prior knowledge "
        "(described in section 6.1, not printed there).",
        _knowledge_cells,
        partial(draw_costs, cost="T", across=CLUSTERS),
    ),
    PaperFigure(
        "knowledge-s",
        "Examples a student sees on average, against the number of clusters of prior knowledge "
        "(described in section 6.1, not printed there).",
        _knowledge_cells,
        partial(draw_costs, cost="S", across=CLUSTERS),
    ),
)
