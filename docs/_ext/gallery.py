"""Sphinx directives that draw a figure of the paper, and that list its claims.

    ```{paper} 3a
    ```
    ```{claims} data/claims.json
    ```

All figures of a build share one quick run with two seeds, by the same functions as ``homeroom
paper``. Results are not kept after the build, so no picture is ever stale. A separate process draws
the figures from the start of the build on, while other pages are read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from homeroom.studies.cells import CellStore, run_cells
from homeroom.studies.figures import PaperPlan
from homeroom.studies.paper import FIGURES, draw_figure
from homeroom.studies.settings import PaperSettings

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PLAN = PaperPlan(PaperSettings(seeds=2), quick=True)
PLACE = "_build/gallery"
MEASURED = CellStore(None)
COLUMNS = {"claim": 24, "place": 14, "verdict": 12, "evidence": 50}
"""The columns of the table of claims, and their relative widths."""


class SameThread(Executor):
    """Runs everything immediately, in this thread: one process beside the build is enough."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return a finished future with the result of the function."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def draw(name: str) -> bytes:
    """Return a figure as SVG; measurements are shared with the next figure."""
    rows = run_cells(FIGURES[name].cells(PLAN), MEASURED, SameThread())
    table = [row for of_cell in rows.values() for row in of_cell]
    return draw_figure(name, table, PLAN, ["svg"])["svg"]


class FigureProcess:
    """The process that draws, and its results."""

    def __init__(self) -> None:
        self.figures: dict[str, Future[bytes]] = {}

    @cached_property
    def process(self) -> ProcessPoolExecutor:
        """A process beside the build, started when it is needed."""
        return ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    def open(self, _app: Sphinx, _env: Any, pages: list[str]) -> None:
        """Start drawing all figures if their page is to be read."""
        if "paper" in pages:
            self.figures = {name: self.process.submit(draw, name) for name in FIGURES}

    def drawn(self, name: str) -> bytes:
        """Return a figure, when it is finished."""
        if name not in self.figures:
            self.figures[name] = self.process.submit(draw, name)
        return self.figures[name].result()

    def close(self, _app: Sphinx, _failure: Exception | None) -> None:
        """Stop drawing; another build starts its own process."""
        self.process.shutdown(cancel_futures=True)
        del self.process
        self.figures = {}


PROCESS = FigureProcess()


class PaperDirective(SphinxDirective):
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
        (folder / f"{name}.svg").write_bytes(PROCESS.drawn(name))
        image = nodes.image(uri=f"/{PLACE}/{name}.svg", alt=figure.caption)
        label = nodes.strong("", f"{name}. ")
        caption = nodes.caption("", "", label, nodes.Text(figure.caption))
        return [nodes.figure("", image, caption)]


class ClaimsDirective(SphinxDirective):
    """Show the claims of the paper with verdict and evidence, from a ``claims.json``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a sentence that counts the verdicts, and the table."""
        path = Path(self.env.srcdir) / self.arguments[0]
        self.env.note_dependency(str(path))
        claims = json.loads(path.read_text("utf-8"))
        counts = Counter(claim["verdict"] for claim in claims)
        verdicts = ", ".join(f"{verdict}: {count}" for verdict, count in counts.most_common())
        group = nodes.tgroup(cols=len(COLUMNS))
        group += [nodes.colspec(colwidth=width) for width in COLUMNS.values()]
        head, body = nodes.thead(), nodes.tbody()
        head += _row(list(COLUMNS))
        body += [_row([claim[name] for name in COLUMNS]) for claim in claims]
        group += [head, body]
        counted = nodes.paragraph("", f"{len(claims)} claims. {verdicts}.")
        return [counted, nodes.table("", group)]


def _row(cells: list[str]) -> nodes.row:
    row = nodes.row()
    row += [nodes.entry("", nodes.paragraph("", text)) for text in cells]
    return row


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("paper", PaperDirective)
    app.add_directive("claims", ClaimsDirective)
    app.connect("env-before-read-docs", PROCESS.open)
    app.connect("build-finished", PROCESS.close)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
