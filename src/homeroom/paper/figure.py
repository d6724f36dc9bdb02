"""The record of a figure, and the plan that determines how much is measured for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from matplotlib.figure import Figure

from homeroom.paper.experiment_cells import ExperimentCell
from homeroom.paper.rows import Rows
from homeroom.paper.settings import PaperSettings


@dataclass(frozen=True)
class PaperPlan:
    """How much is measured: the settings, and whether a quick run is enough."""

    settings: PaperSettings
    quick: bool = False

    @property
    def seeds(self) -> range:
        """The seeds of the classes that are drawn at random; at most two for a quick run."""
        return range(min(self.settings.seeds, 2) if self.quick else self.settings.seeds)

    def few(self, per_twenty: int) -> range:
        """Return the first seeds, for slow experiments: so many of every twenty, at least one.

        For a quick run it is one.
        """
        return self.seeds[: 1 if self.quick else max(1, per_twenty * len(self.seeds) // 20)]

    def thin(self, values: Sequence[float]) -> Sequence[float]:
        """Return the values; for a quick run every second one, and always the last."""
        if not self.quick:
            return values
        return [*values[:-1:2], values[-1]]

    def cells(
        self,
        experiment: str,
        *,
        seeds: Iterable[int] | None = None,
        change: str = "",
        **inputs: Iterable[Any],
    ) -> list[ExperimentCell]:
        """Return one cell per combination of the inputs and seeds; the seed varies fastest.

        Parameters
        ----------
        experiment
            The name of the experiment.
        seeds
            All seeds of the plan unless given.
        change
            Settings to change, as in :meth:`PaperSettings.changed`.
        inputs
            The values of each input.
        """
        settings = self.settings.changed(change) if change else self.settings
        grid = {**inputs, "seed": self.seeds if seeds is None else seeds}
        return [
            ExperimentCell.of(
                experiment,
                settings=settings.for_a_class(),
                **dict(zip(grid, values, strict=True)),
            )
            for values in product(*grid.values())
        ]


@dataclass(frozen=True)
class PaperFigure:
    """One figure: what it shows, what is measured for it, and how it is drawn.

    Parameters
    ----------
    name
        Its name on the command line.
    caption
        What it shows, in a sentence or two.
    cells
        Returns the cells that the figure needs.
    draw
        Returns the picture of the measured rows.
    broad
        Whether it is as wide as a page, instead of a column.
    """

    name: str
    caption: str
    cells: Callable[[PaperPlan], list[ExperimentCell]]
    draw: Callable[[Rows, PaperPlan], Figure]
    broad: bool = False
