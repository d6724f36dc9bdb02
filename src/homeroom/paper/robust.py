"""The robust settings that the paper proves but does not draw: random rates, noisy W, Langevin."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import (
    EXAMPLES_IN_ALL,
    WAY_COLOURS,
    band,
    column_panel,
    draw_band,
    legend_above,
    plain_log,
    where,
)
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.plots import COLOURS
from homeroom.plots.style import DASHES, QUIET, look

SIGMAS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2)
DELTAS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)
BETAS = (1e2, 1e3, 1e4, 1e5)
LANGEVIN_ROUNDS = 600
SEEDS = 10
"""Classes at most where chance comes anew for every student and round, which takes its time."""


class RandomRates(AbstractFigure):
    """Students who draw a new rate for every example."""

    name = "random-rates"
    caption = (
        "Examples needed when every student draws a new rate each round, N(rate, σ²), for a "
        "teacher who weighs by the past draws (the paper's) and one who weighs by the known means."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return [
            Cell.of(
                "random_rates",
                settings=plan.settings.for_a_class(),
                sigma=sigma,
                weights=weights,
                seed=seed,
            )
            for sigma in plan.thin(SIGMAS)
            for weights in ("history", "known")
            for seed in plan.few(SEEDS)
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        drawn, ax = column_panel()
        with look():
            for weights, colour, line in (
                ("history", COLOURS[4], DASHES[1]),
                ("known", COLOURS[0], DASHES[0]),
            ):
                draw_band(
                    ax,
                    where(rows, weights=weights),
                    "sigma",
                    "T",
                    label="by past draws" if weights == "history" else "by known means",
                    colour=colour,
                    line=line,
                )
            ax.set_xlabel("standard deviation of the rates, σ")
            ax.set_ylabel(EXAMPLES_IN_ALL)
            legend_above(drawn, ax)
        return drawn


class NoisyW(AbstractFigure):
    """A teacher who sees the class's matrix through noise."""

    name = "noisy-w"
    caption = (
        "Examples needed when the matrix W is seen with a symmetric error of operator norm δ, "
        "new in every round (mean over seeds, 95 % confidence band)."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return [
            Cell.of("noisy_moments", settings=plan.settings.for_a_class(), delta=delta, seed=seed)
            for delta in plan.thin(DELTAS)
            for seed in plan.seeds
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        drawn, ax = column_panel()
        with look():
            draw_band(ax, rows, "delta", "T", label="whole class (CT)", colour=WAY_COLOURS["CT"])
            ax.set_xlabel("operator norm of the error in W, δ")
            ax.set_ylabel(EXAMPLES_IN_ALL)
            ax.set_ylim(bottom=0)
        return drawn


class Langevin(AbstractFigure):
    """Students whose thoughts wander come to rest at a distance."""

    name = "langevin"
    caption = (
        f"What is left of the class's error after {LANGEVIN_ROUNDS} rounds (mean of the last "
        "quarter) when students drift with inverse temperature β, below what the theorem allows."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return [
            Cell.of(
                "langevin",
                settings=plan.settings.for_a_class(),
                beta=beta,
                rounds=LANGEVIN_ROUNDS,
                seed=seed,
            )
            for beta in plan.thin(BETAS)
            for seed in plan.few(SEEDS)
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        drawn, ax = column_panel()
        with look():
            places, floors, _ = band(rows, "beta", "floor")
            ax.plot(places, floors, color=QUIET, ls=(0, (4, 3)), label="proved floor")
            draw_band(ax, rows, "beta", "left", label="measured", colour=COLOURS[0])
            plain_log(ax, "x", "y")
            ax.set_xlabel("inverse temperature, β")
            ax.set_ylabel("mean squared distance\nthat stays")
            legend_above(drawn, ax)
        return drawn
