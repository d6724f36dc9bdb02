"""Tiny classes, and the rows of all figures measured on them once."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from homeroom.studies.cells import CellStore, run_cells
from homeroom.studies.figures import PaperPlan
from homeroom.studies.paper import FIGURES
from homeroom.studies.rows import Row
from homeroom.studies.settings import PaperSettings

TINY = PaperSettings(
    students=12, dimensions=3, seeds=2, knowledge_dimensions=3, pen_children=6, pen_pool=100
)


class SameThread(Executor):
    """Runs everything immediately, in this thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  # the future raises it
            future.set_exception(error)
        return future


@pytest.fixture(scope="session")
def tiny() -> PaperPlan:
    """A quick run on tiny classes."""
    return PaperPlan(TINY, quick=True)


@pytest.fixture(scope="session")
def tables(tiny: PaperPlan) -> dict[str, list[Row]]:
    """The rows of every figure on tiny classes."""
    cells = {name: list(dict.fromkeys(figure.cells(tiny))) for name, figure in FIGURES.items()}
    every = [cell for of_figure in cells.values() for cell in of_figure]
    rows = run_cells(every, CellStore(None), SameThread())
    return {name: [row for cell in own for row in rows[cell]] for name, own in cells.items()}
