"""Are the letters of a lesson as told for other letters too, and whatever the paper leaves open?"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom.handwriting.generators import KINDS
from homeroom.handwriting.scores import FEATURES
from homeroom.paper.cells import Cell
from homeroom.paper.drawing import PAGE, where
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.pen_trends import FEWEST, lessons_of, trend
from homeroom.plots import COLOURS, figure
from homeroom.plots.style import look

OTHERS = tuple("acdeglmnou")
"""The other letters that the shipped network must know."""

OPEN = {
    "pen_loss": ("squared", "hinge"),
    "pen_rate": ("0.02", "0.1"),
    "pen_eps": ("0.1", "0.3"),
    "pen_pool": ("300", "3000"),
    "pen_best": ("0.05", "0.5"),
    "pen_sharpness": ("1", "6"),
}
"""What the paper leaves open, and what else one could have chosen."""

SEEDS = 3
DEFECT_COLOURS = dict(zip(FEATURES, (COLOURS[0], COLOURS[1], COLOURS[2]), strict=True))


def variations() -> list[str]:
    """Return every change of one choice, as text."""
    return [f"{name}={value}" for name, values in OPEN.items() for value in values]


class Letters(AbstractFigure):
    """Where the scores of the shown letters begin and end, by letter and by choice."""

    name = "letters"
    broad = True
    caption = (
        "The normalised scores of the letters shown, from the first third of a lesson (dot) to the "
        "last (arrow), for other letters and with one open choice changed (for f); means over a "
        "few classes."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        seeds = plan.few(SEEDS)[: 1 if plan.quick else None]
        own = plan.settings
        letters = OTHERS[::3] if plan.quick else OTHERS
        changes = variations()[::3] if plan.quick else variations()
        return [
            Cell.of("pen_shown", settings=own.for_a_class(), seed=seed, letter=letter, variation="")
            for letter in letters
            for seed in seeds
        ] + [
            Cell.of(
                "pen_shown", settings=own.changed(change).for_a_class(), seed=seed, variation=change
            )
            for change in changes
            for seed in seeds
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        with look():
            drawn = figure(PAGE, 4.6)
            panels = drawn.subplots(2, len(KINDS), sharex=True, width_ratios=[1, 1, 1])
            for across, kind in enumerate(KINDS):
                _draw(panels[0, across], where(rows, variation=""), "letter", kind)
                changed = [row for row in rows if row["variation"]]
                _draw(panels[1, across], changed, "variation", kind)
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


def _draw(ax: Axes, rows: Rows, name: str, kind: str) -> None:
    values = list(dict.fromkeys(row[name] for row in rows))
    for up, value in enumerate(values):
        lessons = lessons_of(where(rows, **{name: value}), kind)
        lessons = [lesson for lesson in lessons if len(lesson) >= FEWEST]
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
    ax.tick_params(labelsize=7)
