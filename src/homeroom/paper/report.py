"""The report: figures, claims, settings and data, in one folder with one page."""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from time import perf_counter

from homeroom.classroom.files import replacing
from homeroom.paper.cells import Row, Store, run_cells
from homeroom.paper.claims import Claim, check_claims
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.plots import Page, save_figure

FORMATS = ("svg", "png", "pdf")


@dataclass(frozen=True)
class Result:
    """What a run left: the rows by figure, the claims judged, and how long it took.

    ``measuring`` is the work of all cells, also of those that an earlier run had done.
    """

    tables: dict[str, list[Row]]
    claims: list[Claim]
    seconds: float
    measuring: float
    folder: Path


def reproduce(
    names: Sequence[str],
    plan: Plan,
    folder: Path,
    executor: Executor,
    progress: Callable[[str, int, int], None] = lambda _what, _done, _of: None,
) -> Result:
    """Measure what is missing, draw the figures, judge the claims, write the report.

    Parameters
    ----------
    names
        Which figures; see ``homeroom.paper.FIGURES``.
    plan
        The settings.
    folder
        Where everything is written; a later run with the same folder goes on from what is there.
    executor
        Where cells are measured and figures drawn.
    progress
        Called with what is being done, and how many of how many are done.
    """
    from homeroom.paper import FIGURES

    start = perf_counter()
    _open(folder)
    cells = {name: list(dict.fromkeys(FIGURES[name].cells(plan))) for name in names}
    every = [cell for of_figure in cells.values() for cell in of_figure]
    store = Store(folder)
    rows = run_cells(every, store, executor, lambda done, of: progress("measuring", done, of))
    tables = {
        name: [row for cell in of_figure for row in rows[cell]] for name, of_figure in cells.items()
    }
    drawings = {
        name: executor.submit(draw_figure, name, table, plan) for name, table in tables.items()
    }
    for name, table in tables.items():
        write_table(table, folder / "data" / name)
    for done, (name, drawing) in enumerate(drawings.items()):
        progress("drawing", done, len(drawings))
        for ending, content in drawing.result().items():
            with replacing(folder / "figures" / f"{name}.{ending}") as temporary:
                temporary.write_bytes(content)
    progress("drawing", len(drawings), len(drawings))
    measuring = sum(store.seconds[cell.key] for cell in rows)
    result = Result(tables, check_claims(tables), perf_counter() - start, measuring, folder)
    _write_claims(result.claims, folder / "data" / "claims.json")
    _write_page(result, plan, FIGURES)
    return result


def _open(folder: Path) -> None:
    """Make the folder and its parts, before anything is measured in vain."""
    try:
        for part in ("figures", "data"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as why:
        raise ValueError(
            f"{folder} cannot be written: {why.strerror}. Choose another folder for the report."
        ) from None


def draw_figure(
    name: str, rows: Rows, plan: Plan, formats: Sequence[str] = FORMATS
) -> dict[str, bytes]:
    """Draw one figure, and return its file in each format.

    Runs in a worker, which may be on another machine: it writes nothing.
    """
    from homeroom.paper import FIGURES

    drawn = FIGURES[name].draw(rows, plan)
    drawn.draw_without_rendering()  # lays it out, once for all formats: that takes its time
    drawn.set_layout_engine("none")
    files = {}
    with tempfile.TemporaryDirectory(prefix="homeroom-") as folder:
        for ending in formats:
            path = Path(folder) / f"figure.{ending}"
            save_figure(drawn, path, dpi=300, bbox_inches=drawn.bbox_inches)
            files[ending] = path.read_bytes()
    return files


def write_table(rows: Rows, path: Path) -> None:
    """Write rows as tidy CSV, and as Parquet where pyarrow is there."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with (
        replacing(path.with_name(f"{path.name}.csv")) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return
    table = pa.table({name: [row.get(name) for row in rows] for name in columns})
    with replacing(path.with_name(f"{path.name}.parquet")) as temporary:
        pq.write_table(table, temporary)


def _write_claims(claims: Sequence[Claim], path: Path) -> None:
    told = [claim.as_json() for claim in claims]
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(told, indent=2, ensure_ascii=False), encoding="utf-8")


def _write_page(result: Result, plan: Plan, figures: Mapping[str, AbstractFigure]) -> None:
    page = Page("Iterative Classroom Teaching: every synthetic figure, every claim")
    seeds = len(plan.seeds)
    page.text(
        f"Made by homeroom {version('homeroom')} from {seeds} classes a point in "
        f"{result.seconds:.0f} seconds{' (a quick look)' if plan.quick else ''}; the measurements "
        f"behind it are {result.measuring:.0f} seconds of one core's work. Every number is in the "
        "folder data/, every figure as SVG, PNG and PDF in figures/."
    )
    if result.claims:
        page.heading("The paper's claims, and what was measured")
        page.table(
            ["claim", "place", "verdict", "evidence"],
            [
                (claim.text, claim.place, claim.verdict.value, claim.evidence)
                for claim in result.claims
            ],
            words=True,
        )
    page.heading("Figures")
    page.gallery(
        (result.folder / "figures" / f"{name}.svg", f"{name}: {figures[name].caption}", broad)
        for name in result.tables
        for broad in (figures[name].broad,)
    )
    page.heading("Settings")
    chosen = plan.settings.as_json().items()
    page.table(["setting", "value"], [(name, str(value)) for name, value in chosen], words=True)
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "matplotlib"))
    page.footer(f"seeds 0 to {seeds - 1}; Python {python_version()} on {sys.platform}; {packages}")
    with replacing(result.folder / "report.html") as temporary:
        page.write(temporary)
