"""Figures of section 6.3: a word (1b), handwriting (5a to 5c), and lessons (6a to 6d).

Figures 6e to 6g and ``letters`` are not in the paper: the costs of these lessons, and lessons with
other letters and other choices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom.handwriting.generators import KINDS, Kinematic, Knobs
from homeroom.handwriting.generators.pen_path import placed
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import joined
from homeroom.handwriting.pupils import leaning
from homeroom.handwriting.scores import FEATURES
from homeroom.handwriting.scores.scales import FULL_ROTATION
from homeroom.paper.drawing import COLUMN, PAGE, WIDE_LAMBDAS, draw_costs, draw_trade_off
from homeroom.paper.experiment_cells import ExperimentCell
from homeroom.paper.figure import PaperFigure, PaperPlan
from homeroom.paper.lessons_letters import (
    INTERACTIONS,
    TYPES,
    WORD,
    WORD_TYPE,
    class_of_children,
    model_for,
    pool_for,
)
from homeroom.paper.letter_trends import long_lessons, trend
from homeroom.paper.rows import Row, Rows, where
from homeroom.plots import COLOURS, figure
from homeroom.plots.style import QUIET, look

CHILD_LINE = 2.1
"""How far below the robot's word the child's word is written."""

GREATEST_SCORE = 0.95
"""The greatest score that the generator can aim at."""

SAMPLES = 6
"""How many children of a type figures 5a to 5c show, with one letter each."""

GOOD = COLOURS[2]
"""The colour of good letters in a strip: the letters of a lesson, line by line."""

PER_LINE, STEP_X, STEP_Y = 10, 1.12, 1.5
"""Letters per line of a strip, and the distances between them, in larger sides of the model."""

MOST_LETTERS = 60
"""The largest number of letters in a strip: longer lessons skip rounds."""

HANDWRITING_TYPES = "types of handwriting in the class"

OTHER_LETTERS = (*"acdeglmnou", "3", "nu")
"""Other letters, a digit, and joined letters."""

OPEN_CHOICES = {
    "pen_loss": ("squared", "hinge"),
    "pen_rate": ("0.02", "0.1"),
    "pen_eps": ("0.1", "0.3"),
    "pen_pool": ("300", "3000"),
    "pen_best": ("0.05", "0.5"),
    "pen_sharpness": ("1", "6"),
    "pen_generator": ("lstm",),
}
"""The choices that the paper leaves open, with alternative values."""

VARIATIONS = tuple(f"{name}={value}" for name, values in OPEN_CHOICES.items() for value in values)
SLOW_VARIATIONS = ("pen_generator=lstm",)
"""Measured with one class, and not in a quick run: a network needs as long as ten other classes."""

COSTS_SEEDS, LETTERS_SEEDS = 10, 3
"""The number of classes, of twenty, for figures 6e to 6g, and for figure ``letters``."""

DEFECT_COLOURS = dict(zip(FEATURES, (COLOURS[0], COLOURS[1], COLOURS[2]), strict=True))


def empty_axes(drawn: Figure) -> Axes:
    """Return axes without frame or ticks; y points downwards as in ink."""
    ax = drawn.add_subplot()
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.invert_yaxis()
    return ax


def draw_ink(
    ax: Axes,
    ink: Ink,
    model: Ink,
    *,
    at: tuple[float, float] = (0.0, 0.0),
    colour: str = "black",
    width: float = 1.1,
) -> None:
    """Draw a letter centred at a place, scaled so that the model's larger side is 1."""
    low, high = model.points.min(axis=0), model.points.max(axis=0)
    scale, middle = 1.0 / float((high - low).max()), (low + high) / 2
    for stroke in placed(ink, model):
        points = (stroke.points - middle) * scale + np.array(at)
        ax.plot(points[:, 0], points[:, 1], color=colour, lw=width, solid_joinstyle="round")


def _label(ax: Axes, text: str, at: tuple[float, float], colour: str) -> None:
    """Write a text centred above a point."""
    ax.annotate(text, at, ha="center", va="bottom", fontsize=7.2, color=colour)


def _as_shown(inks: Sequence[Ink], model: Ink, who: str) -> list[Ink]:
    """Return letters as a lesson shows them: simulated children who lean, lean to the right."""
    return leaning(inks, model, int("rotation" in KINDS.get(who, FEATURES)))


def _draw_word(rows: Rows, plan: PaperPlan) -> Figure:
    """Draw figure 1b: the word of the robot above that of the child, at each interaction."""
    with look():
        drawn = figure(PAGE, 1.25)
        ax = empty_axes(drawn)
        models = [model_for(plan.settings, letter) for letter in WORD]
        wide = float(joined(models, models).points[:, 0].max()) + 0.7
        for number in range(INTERACTIONS):
            own = sorted(where(rows, talk=number), key=lambda row: row["place"])
            robot = [_robot_letter(row, plan) for row in own]
            child = [_child_letter(row, plan) for row in own]
            _write(ax, robot, models, (wide * number, 0.0), COLOURS[0])
            _write(ax, child, models, (wide * number, CHILD_LINE), "black")
            ax.annotate(str(number + 1), (wide * (number + 0.42), -1.7), ha="center", fontsize=8)
        for name, y in (("robot", -0.5), ("child", CHILD_LINE - 0.5)):
            ax.annotate(name, (-0.5, y), ha="right", va="center", fontsize=8)
        ax.set_xlim(-2.0, wide * INTERACTIONS - 0.4)
        ax.set_ylim(CHILD_LINE + 0.6, -2.1)
    return drawn


def _robot_letter(row: Row, plan: PaperPlan) -> Ink | None:
    """Return the letter that the robot writes; ``None`` if the lesson has none."""
    if row["item"] is None:
        return None
    pool = pool_for(plan.settings, row["seed"], row["letter"])
    return _as_shown([pool.inks[row["item"]]], pool.model, WORD_TYPE)[0]


def _child_letter(row: Row, plan: PaperPlan) -> Ink:
    """Return a letter with the scores that follow from the child's state."""
    knobs = Knobs(
        distortion=min(GREATEST_SCORE, row["child_distortion"]),
        rotation=FULL_ROTATION * row["child_rotation"],
        shakiness=min(GREATEST_SCORE, row["child_shakiness"]),
    )
    writer = Kinematic(model_for(plan.settings, row["letter"]))
    return writer.write(row["letter"], [knobs], row["seed"])[0]


def _write(
    ax: Axes,
    inks: Sequence[Ink | None],
    models: Sequence[Ink],
    at: tuple[float, float],
    colour: str,
) -> None:
    """Write a word on one line, in joined letters."""
    pairs = [(placed(ink, model), model) for ink, model in zip(inks, models, strict=True) if ink]
    if not pairs:
        return
    for stroke in joined(*zip(*pairs, strict=True)):
        ax.plot(*(stroke.points + at).T, color=colour, lw=1.2, solid_joinstyle="round")


def _sample_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cell that figures 5a to 5c share."""
    return plan.cells("pen_samples", seeds=plan.seeds[:1])


def _draw_samples_of(_rows: Rows, plan: PaperPlan, *, kind: str) -> Figure:
    """Draw one letter each of some children of a type."""
    made = class_of_children(plan.settings, len(TYPES), plan.seeds[0])
    own = [
        child.inks[0]
        for child, of_type in zip(made.children, made.types, strict=True)
        if of_type == kind
    ]
    return draw_samples(own[:SAMPLES], made.pool.model)


def draw_samples(inks: Sequence[Ink], model: Ink) -> Figure:
    """Draw letters of several children side by side."""
    with look():
        drawn = figure(COLUMN, 0.8)
        ax = empty_axes(drawn)
        for place, ink in enumerate(inks):
            draw_ink(ax, ink, model, at=(1.1 * place, 0.0), width=1.0)
            _label(ax, f"child {place + 1}", (1.1 * place, 0.85), QUIET)
        ax.set_xlim(-0.65, 1.1 * (len(inks) - 1) + 0.65)
        ax.set_ylim(0.9, -0.65)
    return drawn


def _strip_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells that figures 6a to 6d share."""
    return plan.cells("pen_shown")


def _draw_strip(rows: Rows, plan: PaperPlan, *, who: str) -> Figure:
    """Draw the letters of one lesson of the first class, with their rounds."""
    seed = plan.seeds[0]
    own = where(rows, seed=seed, who=who)
    step = max(1, math.ceil(len(own) / MOST_LETTERS))
    kept = own[::step]
    lines = math.ceil((1 + len(kept)) / PER_LINE)
    with look():
        drawn = figure(COLUMN, 0.1 + 0.44 * lines)
        ax = empty_axes(drawn)
        pool = pool_for(plan.settings, seed)
        inks = _as_shown([pool.inks[row["item"]] for row in kept], pool.model, who)
        draw_ink(ax, pool.model, pool.model, colour=COLOURS[0], width=0.9)
        _label(ax, "model", (0.0, 0.92), COLOURS[0])
        for place, (row, ink) in enumerate(zip(kept, inks, strict=True), start=1):
            x, y = STEP_X * (place % PER_LINE), STEP_Y * (place // PER_LINE)
            colour = GOOD if row["good"] else "black"
            draw_ink(ax, ink, pool.model, at=(x, y), colour=colour, width=0.9)
            _label(ax, str(row["round"] + 1), (x, y + 0.92), colour if row["good"] else QUIET)
        if not kept:
            _label(ax, "no child needed a letter", (STEP_X * PER_LINE / 2, 0.0), QUIET)
        ax.set_xlim(-0.62, STEP_X * (PER_LINE - 1) + 0.62)
        ax.set_ylim(STEP_Y * (lines - 1) + 0.98, -0.62)
    return drawn


def _cost_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells that figures 6e, 6f and 6g share."""
    return plan.cells("pen_costs", seeds=plan.few(COSTS_SEEDS))


def _letters_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``letters``: other letters, and one changed choice at a time."""
    seeds = plan.few(LETTERS_SEEDS)
    step = 3 if plan.quick else 1
    return plan.cells("pen_shown", seeds=seeds, letter=OTHER_LETTERS[::step], variation=[""]) + [
        cell
        for change in VARIATIONS[::step]
        if not (plan.quick and change in SLOW_VARIATIONS)
        for cell in plan.cells(
            "pen_shown",
            seeds=seeds[:1] if change in SLOW_VARIATIONS else seeds,
            change=change,
            variation=[change],
        )
    ]


def _draw_letters(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw figure ``letters``: trends for other letters (above) and changed choices (below)."""
    with look():
        drawn = figure(PAGE, 4.6)
        panels = drawn.subplots(2, len(KINDS), sharex=True, width_ratios=[1, 1, 1])
        for across, kind in enumerate(KINDS):
            _draw_trends(panels[0, across], where(rows, variation=""), "letter", kind)
            changed = [row for row in rows if row["variation"]]
            _draw_trends(panels[1, across], changed, "variation", kind)
            panels[0, across].set_title(kind.replace("+", " and "), fontsize=8.5)
        for panel in panels[:, 1:].flat:
            panel.set_yticklabels([])
        handles = [
            panels[0, 0].plot([], [], color=c, label=d)[0] for d, c in DEFECT_COLOURS.items()
        ]
        drawn.legend(handles=handles, loc="outside upper center", ncols=3, fontsize=7.5)
        drawn.supxlabel("normalised score of the letters shown", fontsize=8.5)
        drawn.supylabel("changed choice, or other letter", fontsize=8.5)
    return drawn


def _draw_trends(ax: Axes, rows: Rows, name: str, kind: str) -> None:
    """Draw an arrow per defect from the first to the last third, for each value of a column."""
    values = list(dict.fromkeys(row[name] for row in rows))
    for up, value in enumerate(values):
        lessons = long_lessons(where(rows, **{name: value}), kind)
        if not lessons:
            continue
        for offset, (defect, colour) in zip(
            (-0.24, 0.0, 0.24), DEFECT_COLOURS.items(), strict=True
        ):
            found = trend(lessons, defect)
            ax.plot(found.first, up + offset, ".", color=colour, markersize=3)
            ax.annotate(
                "",
                (found.last, up + offset),
                (found.first, up + offset),
                arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.0, "mutation_scale": 6},
            )
    ax.set_yticks(np.arange(len(values)), [str(value).removeprefix("pen_") for value in values])
    ax.set_ylim(len(values) - 0.4, -0.6)
    ax.set_xlim(0.0, 1.0)
    ax.set_xticks([0.0, 0.5, 1.0], ["0", "0.5", "1"])  # longer labels would touch the next panel's
    ax.tick_params(axis="y", labelsize=7.5)


_IN_ORDER = (
    "in order, with their rounds: to be corrected (black) or well written (green). First the "
    "upright model letter (blue)."
)

FIGURES = (
    PaperFigure(
        "1b",
        'Five interactions for writing the word "nao", from the first of the lesson to the last; '
        "the child's letters improve by the same each time. "
        "Bottom: the letters of a simulated child whose handwriting is shaky and rotated, "
        "and who avoids each defect as much as they have learnt to. Top: the letters that the "
        "robot writes for this child; of the next ten (of the last ten at the end), the one "
        "closest to the child's. "
        "Each letter is taught and scored on its own; here they are joined by a line.",
        lambda plan: plan.cells("pen_word", seeds=plan.seeds[:1]),
        _draw_word,
        broad=True,
    ),
    *(
        PaperFigure(
            name,
            f"Letters of six simulated children whose handwriting is {what}.",
            _sample_cells,
            partial(_draw_samples_of, kind=kind),
        )
        for name, kind, what in (
            ("5a", "distorted+shaky", "shaky and distorted, but upright"),
            ("5b", "shaky+rotated", "shaky and rotated, but not distorted"),
            ("5c", "distorted+rotated", "rotated and distorted, but smooth"),
        )
    ),
    *(
        PaperFigure(
            name,
            f"The letters for {what}, {_IN_ORDER}",
            _strip_cells,
            partial(_draw_strip, who=who),
        )
        for name, who, what in (
            (
                "6a",
                "shaky+rotated",
                "children whose handwriting is shaky and rotated, but not distorted",
            ),
            (
                "6b",
                "distorted+shaky",
                "children whose handwriting is distorted and shaky, but upright",
            ),
            (
                "6c",
                "distorted+rotated",
                "children whose handwriting is distorted and rotated, but smooth",
            ),
            (
                "6d",
                "CT",
                "a whole class in which handwriting is distorted, rotated or shaky",
            ),
        )
    ),
    PaperFigure(
        "6e",
        "Letters the teacher shows in all, against the number of types of handwriting among 60 "
        "children (mean over seeds, 95 % confidence band); groups are by type. Not in the paper.",
        _cost_cells,
        partial(draw_costs, cost="T", across=HANDWRITING_TYPES),
    ),
    PaperFigure(
        "6f",
        "Letters a child sees on average, against the number of types of handwriting among 60 "
        "children (mean over seeds, 95 % confidence band). Not in the paper.",
        _cost_cells,
        partial(draw_costs, cost="S", across=HANDWRITING_TYPES),
    ),
    PaperFigure(
        "6g",
        "The cheapest way of teaching, by the number of types of handwriting and the weight λ in "
        "T + λ S. Not in the paper.",
        _cost_cells,
        partial(draw_trade_off, lambdas=WIDE_LAMBDAS, across=HANDWRITING_TYPES),
    ),
    PaperFigure(
        "letters",
        "The normalised scores of the letters shown, from the first third of a lesson (dot) to the "
        "last (arrow), for other letters and with one open choice changed (for f); means over a "
        "few classes, for the network (lstm) over one.",
        _letters_cells,
        _draw_letters,
        broad=True,
    ),
)
