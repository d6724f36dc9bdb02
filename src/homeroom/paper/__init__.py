"""Reproduce the paper: compute its figures and check its claims.

The modules follow the sections of the paper: ``lessons_*`` measure, ``figures_*`` draw, and
``claims_*`` judge.
"""

from collections.abc import Callable

from homeroom.paper import (
    figures_insects,
    figures_letters,
    figures_synthetic,
    figures_theory,
    lessons_insects,
    lessons_letters,
    lessons_synthetic,
    lessons_theory,
)
from homeroom.paper.experiment_cells import CellStore, ExperimentCell, processes, run_cells
from homeroom.paper.figure import PaperFigure, PaperPlan
from homeroom.paper.rows import Row
from homeroom.paper.sensitivity import SENSITIVITY
from homeroom.paper.settings import PaperSettings

ORDER = (
    *("1b", "2", "3a", "3b", "3c", "3d", "3e", "3f", "4a", "4b", "4c", "4d", "4e", "4f"),
    *("5a", "5b", "5c", "6a", "6b", "6c", "6d", "6e", "6f", "6g"),
    *("hyperplanes", "who", "dip", "rules", "knowledge-t", "knowledge-s", "4-radius"),
    *("random-rates", "noisy-w", "langevin", "attention", "boredom"),
    *("pool", "rank", "accuracy", "size"),
    *("letters", "bounds", "mean", "sensitivity"),
)
"""The names of the figures in the order of the report."""

_FIGURES = {
    figure.name: figure
    for figure in (
        *figures_synthetic.FIGURES,
        *figures_insects.FIGURES,
        *figures_letters.FIGURES,
        *figures_theory.FIGURES,
        SENSITIVITY,
    )
}
FIGURES: dict[str, PaperFigure] = {name: _FIGURES[name] for name in ORDER}
"""Every figure by name, in the order of the report."""

EXPERIMENTS: dict[str, Callable[..., list[Row]]] = {
    experiment.__name__: experiment
    for experiment in (
        lessons_synthetic.rates,
        lessons_synthetic.knowledge,
        lessons_synthetic.whole_class,
        lessons_synthetic.lesson,
        lessons_synthetic.counter_examples,
        lessons_synthetic.noisy_states,
        lessons_synthetic.individually,
        lessons_synthetic.who_takes_longer,
        lessons_synthetic.three_ways,
        lessons_insects.insects,
        lessons_insects.insect_map,
        lessons_insects.insects_shown,
        lessons_letters.pen_samples,
        lessons_letters.pen_shown,
        lessons_letters.pen_costs,
        lessons_letters.pen_word,
        lessons_theory.theorem,
        lessons_theory.noisy_moments,
        lessons_theory.random_rates,
        lessons_theory.langevin,
        lessons_theory.attention,
        lessons_theory.boredom,
        lessons_theory.hyperplanes,
        lessons_theory.pool,
        lessons_theory.against_rank,
        lessons_theory.against_students,
        lessons_theory.against_eps,
        lessons_theory.mean_direction,
    )
}
"""Every experiment by name. A worker looks up the experiment of a cell here."""

# Names of version 0.1.
AbstractFigure = PaperFigure
Cell = ExperimentCell
Plan = PaperPlan
Settings = PaperSettings
Store = CellStore

__all__ = [
    "EXPERIMENTS",
    "FIGURES",
    "AbstractFigure",
    "Cell",
    "CellStore",
    "ExperimentCell",
    "PaperFigure",
    "PaperPlan",
    "PaperSettings",
    "Plan",
    "Row",
    "Settings",
    "Store",
    "processes",
    "run_cells",
]
