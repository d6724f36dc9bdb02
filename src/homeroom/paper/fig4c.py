"""Figure 4c: which insects the whole class and each type of learners are shown."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from homeroom._arrays import Floats
from homeroom._words import counted
from homeroom.crowd import insects
from homeroom.crowd.insects import SCHOOLS
from homeroom.paper.cells import Cell
from homeroom.paper.drawing import PAGE, where
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.insect_drawing import thumbnail
from homeroom.plots import figure
from homeroom.plots.style import look

THUMBNAILS = 24
"""How many pictures there are in a row at most (20 in the paper): longer lessons skip rounds."""

PIXELS, GAP = 80, 24
"""The side of a thumbnail, and what is left free between rows."""

SEEDS = 5
LESSONS = {"CT": "whole class (CT)", **{school.name: school.mistake for school in SCHOOLS}}
"""Who is taught, and what they have in common."""


class Figure4c(AbstractFigure):
    """The examples of one class of diversity 4, taught together and by type."""

    name = "4c"
    broad = True
    caption = (
        "What a class with 15 learners of each type is shown, round by round: all together, and "
        "each type on its own until it has learnt it."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        settings = plan.settings.for_a_class()
        return [Cell.of("insects_shown", settings=settings, seed=seed) for seed in plan.few(SEEDS)]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        first = where(rows, seed=plan.seeds[0])
        longest = 1 + max((row["round"] for row in first), default=0)
        step = math.ceil(longest / THUMBNAILS)
        rounds, tall = np.arange(0, longest, step), 1.0 + GAP / PIXELS
        with look():
            drawn = figure(PAGE, 2.4)
            ax = drawn.add_subplot()
            strip = _strip(first, plan.settings.insects + plan.seeds[0], rounds)
            ax.imshow(strip, extent=(0, len(rounds), tall * len(LESSONS), 0), interpolation="none")
            names = [_told(who, len(where(first, who=who))) for who in LESSONS]
            ax.set_yticks(tall * (np.arange(len(LESSONS)) + 0.5), names, fontsize=7.5)
            ax.set_xticks(np.arange(len(rounds)) + 0.5, [str(1 + one) for one in rounds])
            ax.tick_params(length=0, labelsize=7.5)
            ax.set_xlabel("round")
            ax.set_ylabel("who is taught")
            ax.grid(visible=False)
            ax.spines[:].set_visible(False)
        return drawn


def _told(who: str, examples: int) -> str:
    """Return who is taught and how long, in two lines."""
    if who == "CT":
        return f"{LESSONS[who]},\n{counted(examples, 'example')}"
    return f"{who}, {counted(examples, 'example')}:\n{LESSONS[who]}"


def _strip(rows: Rows, seed: int, rounds: np.ndarray) -> Floats:
    """Return one picture of all thumbnails: a line for each lesson, a column for each round."""
    made = insects.make(seed)
    strip = np.ones((len(LESSONS) * (PIXELS + GAP), len(rounds) * PIXELS, 3))
    seen: dict[int, Floats] = {}
    for line, who in enumerate(LESSONS):
        shown = {row["round"]: row["item"] for row in where(rows, who=who)}
        for place, number in enumerate(rounds.tolist()):
            if number not in shown:
                break
            item = shown[number]
            if item not in seen:
                seen[item] = thumbnail(made, item, PIXELS - 2)
            top, left = line * (PIXELS + GAP) + GAP // 2, place * PIXELS + 1
            strip[top : top + PIXELS - 2, left : left + PIXELS - 2] = seen[item]
    return strip
