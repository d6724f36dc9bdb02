"""What the tests of the paper share: tiny classes, and everything measured on them once."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from homeroom.paper import FIGURES, Plan, Row, Settings, Store, run_cells

TINY = Settings(
    students=12, dimensions=3, seeds=2, knowledge_dimensions=3, pen_children=6, pen_pool=100
)


class Here(Executor):
    """Runs everything at once, in this thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@pytest.fixture(scope="session")
def tiny() -> Plan:
    """A quick look at tiny classes."""
    return Plan(TINY, quick=True)


@pytest.fixture(scope="session")
def tables(tiny: Plan) -> dict[str, list[Row]]:
    """What every figure measures on tiny classes."""
    cells = {name: list(dict.fromkeys(figure.cells(tiny))) for name, figure in FIGURES.items()}
    every = [cell for of_figure in cells.values() for cell in of_figure]
    rows = run_cells(every, Store(None), Here())
    return {name: [row for cell in own for row in rows[cell]] for name, own in cells.items()}
