"""A directive that draws a figure of the paper while the page is built, from a small run.

    ```{paper} 3a
    ```

All figures of a build share one run: two seeds and fewer points, the same functions as
``homeroom paper``. What is measured is forgotten afterwards, so no picture is ever stale. A process
of their own draws them, from the start of the build on, while the pages before them are read.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from homeroom.paper import FIGURES, Plan, Settings, Store, run_cells
from homeroom.paper.report import draw_figure

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PLAN = Plan(Settings(seeds=2), quick=True)
PLACE = "_build/gallery"
MEASURED = Store(None)


class Here(Executor):
    """Runs everything at once, in this thread: one process beside the build is enough."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return what the function gives, as a future that is already done."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def draw(name: str) -> bytes:
    """Return a figure as SVG; what was measured for it need not be for the next."""
    rows = run_cells(FIGURES[name].cells(PLAN), MEASURED, Here())
    table = [row for of_cell in rows.values() for row in of_cell]
    return draw_figure(name, table, PLAN, ["svg"])["svg"]


class Studio:
    """The process that draws, and what it draws."""

    def __init__(self) -> None:
        self.figures: dict[str, Future[bytes]] = {}

    @cached_property
    def process(self) -> ProcessPoolExecutor:
        """A process beside the build, started when it is needed."""
        return ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    def open(self, _app: Sphinx, _env: Any, pages: list[str]) -> None:
        """Begin with all figures, if the page that shows them is among those to be read."""
        if "paper" in pages:
            self.figures = {name: self.process.submit(draw, name) for name in FIGURES}

    def drawn(self, name: str) -> bytes:
        """Return a figure, when it is finished."""
        if name not in self.figures:
            self.figures[name] = self.process.submit(draw, name)
        return self.figures[name].result()

    def close(self, _app: Sphinx, _failure: Exception | None) -> None:
        """Draw no more; another build opens a process of its own."""
        self.process.shutdown(cancel_futures=True)
        del self.process
        self.figures = {}


STUDIO = Studio()


class PaperFigure(SphinxDirective):
    """Draw a figure of the paper, with its caption."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the picture and its caption."""
        name = self.arguments[0]
        if name not in FIGURES:
            raise self.error(f"there is no figure {name}: choose one of {', '.join(FIGURES)}")
        figure = FIGURES[name]
        folder = Path(self.env.srcdir) / PLACE
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.svg").write_bytes(STUDIO.drawn(name))
        image = nodes.image(uri=f"/{PLACE}/{name}.svg", alt=figure.caption)
        label = nodes.strong("", f"{name}. ")
        caption = nodes.caption("", "", label, nodes.Text(figure.caption))
        return [nodes.figure("", image, caption)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("paper", PaperFigure)
    app.connect("env-before-read-docs", STUDIO.open)
    app.connect("build-finished", STUDIO.close)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
