"""Reproduce the paper: compute its figures and check its claims.

The modules follow the sections of the paper: ``lessons_*`` measure, ``figures_*`` draw, and
``claims_*`` judge.
"""

from homeroom.paper import figures_insects, figures_letters, figures_synthetic, figures_theory
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

# Names of version 0.1.
AbstractFigure = PaperFigure
Cell = ExperimentCell
Plan = PaperPlan
Settings = PaperSettings
Store = CellStore

__all__ = [
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
