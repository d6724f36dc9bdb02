"""A directive that draws a figure of the paper while the page is built, from a small run.

    ```{paper} 3a
    ```

All figures of a build share one run: two seeds and fewer points, the same functions as
``homeroom paper``. What is measured is forgotten afterwards, so no picture is ever stale.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
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
    """Runs everything at once, in this thread: a build needs no processes of its own."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return what the function gives, as a future that is already done."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class PaperFigure(SphinxDirective):
    """Draw a figure of the paper, with its caption."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the picture and its caption."""
        name = self.arguments[0]
        if name not in FIGURES:
            raise self.error(f"there is no figure {name}: choose one of {', '.join(FIGURES)}")
        figure = FIGURES[name]
        image = nodes.image(uri=f"/{PLACE}/{self._drawn(name)}", alt=figure.caption)
        label = nodes.strong("", f"{name}. ")
        caption = nodes.caption("", "", label, nodes.Text(figure.caption))
        return [nodes.figure("", image, caption)]

    def _drawn(self, name: str) -> str:
        """Draw the figure into the build's folder, and return the file's name."""
        rows = run_cells(FIGURES[name].cells(PLAN), MEASURED, Here())
        table = [row for of_cell in rows.values() for row in of_cell]
        folder = Path(self.env.srcdir) / PLACE
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.svg").write_bytes(draw_figure(name, table, PLAN, ["svg"])["svg"])
        return f"{name}.svg"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("paper", PaperFigure)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
