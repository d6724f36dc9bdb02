"""What it takes to be a figure: its settings, its cells, its drawing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell, Row
from homeroom.paper.settings import Settings

Rows: TypeAlias = Sequence[Row]


@dataclass(frozen=True)
class Plan:
    """How much is measured: the settings, and whether only a quick look is wanted."""

    settings: Settings
    quick: bool = False

    @property
    def seeds(self) -> range:
        """The seeds of the classes that are drawn."""
        return range(min(self.settings.seeds, 2) if self.quick else self.settings.seeds)

    def few(self, most: int) -> range:
        """Return the first seeds, for what takes long: so many of twenty, two for a quick look."""
        return self.seeds[: 2 if self.quick else max(1, most * len(self.seeds) // 20)]

    def thin(self, values: Sequence[float]) -> Sequence[float]:
        """Return the values, or for a quick look every other one and always the last."""
        if not self.quick:
            return values
        return [*values[:-1:2], values[-1]]


class AbstractFigure(ABC):
    """A figure: what it shows, what has to be measured for it, and how it is drawn."""

    name: str
    """What it is called on the command line."""

    caption: str
    """What it shows, in a sentence or two."""

    broad: bool = False
    """Whether it is as wide as a page, and not as a column."""

    @abstractmethod
    def cells(self, plan: Plan) -> list[Cell]:
        """Return what has to be measured."""

    @abstractmethod
    def draw(self, rows: Rows, plan: Plan) -> Figure:
        """Return the picture of what was measured."""
