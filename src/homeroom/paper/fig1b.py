"""Figure 1b: five interactions of a robot and a child who writes the word "nao"."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom.handwriting.generators import Kinematic, Knobs
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.pace import placed
from homeroom.handwriting.scores.scales import UPRIGHT
from homeroom.paper.cells import Cell, Row
from homeroom.paper.drawing import PAGE, where
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.pen_class import pool_for
from homeroom.paper.pen_drawing import as_shown, bare
from homeroom.paper.pen_lessons import TALKS, WHO, WORD
from homeroom.plots import COLOURS, figure
from homeroom.plots.style import look

GAP = 0.25
"""Between two letters, in heights of an x."""

DOWN = 2.1
"""How far below the robot's word the child's stands."""

MOST = 0.95
"""The greatest score that the generator can aim at."""


class Figure1b(AbstractFigure):
    """What the robot writes, and what the child, from the first interaction to the last."""

    name = "1b"
    broad = True
    caption = (
        'Five interactions for writing the word "nao", from the first letter of the lesson to the '
        "last. Above, what the robot writes: the letters chosen for this child. Below, what a "
        "simulated child writes whose handwriting is shaky and rotated, and who avoids a defect as "
        "much as it has learnt to."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return [Cell.of("pen_word", settings=plan.settings.for_a_class(), seed=plan.seeds[0])]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        with look():
            drawn = figure(PAGE, 1.25)
            ax = bare(drawn)
            wide = _offsets()[-1] + 0.6
            for talk in range(TALKS):
                own = sorted(where(rows, talk=talk), key=lambda row: row["place"])
                _write(ax, [_robots(row, plan) for row in own], (wide * talk, 0.0), COLOURS[0])
                _write(ax, [_childs(row) for row in own], (wide * talk, DOWN), "black")
                ax.annotate(str(talk + 1), (wide * (talk + 0.42), -1.7), ha="center", fontsize=8)
            for name, y in (("robot", -0.5), ("child", DOWN - 0.5)):
                ax.annotate(name, (-0.5, y), ha="right", va="center", fontsize=8)
            ax.set_xlim(-2.0, wide * TALKS - 0.4)
            ax.set_ylim(DOWN + 0.6, -2.1)
        return drawn


def _offsets() -> np.ndarray:
    """Return where each letter of the word begins, and where the word ends."""
    widths = [float(np.ptp(model_letter(letter).points[:, 0])) + GAP for letter in WORD]
    return np.concatenate([[0.0], np.cumsum(widths)])


def _robots(row: Row, plan: Plan) -> Ink | None:
    if row["item"] is None:
        return None
    pool = pool_for(plan.settings, row["seed"], row["letter"])
    return as_shown([pool.inks[row["item"]]], pool.model, WHO)[0]


def _childs(row: Row) -> Ink:
    """Return a letter written with the scores that the child's belief says."""
    knobs = Knobs(
        distortion=min(MOST, row["child_distortion"]),
        rotation=UPRIGHT * row["child_rotation"],
        shakiness=min(MOST, row["child_shakiness"]),
    )
    return Kinematic().write(row["letter"], [knobs], row["seed"])[0]


def _write(ax: Axes, inks: list[Ink | None], at: tuple[float, float], colour: str) -> None:
    """Write a word, its letters beside each other on one line."""
    for letter, ink, offset in zip(WORD, inks, _offsets(), strict=False):
        if ink is None:
            continue
        model = model_letter(letter)
        left = model.points[:, 0].min()
        for stroke in placed(ink, model):
            points = stroke.points + np.array([at[0] + offset - left, at[1]])
            ax.plot(points[:, 0], points[:, 1], color=colour, lw=1.2, solid_joinstyle="round")
