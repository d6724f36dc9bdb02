"""Write the report: figures, claims, settings and data, in one folder with one page."""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from time import perf_counter
from typing import Any

from homeroom import _plugins
from homeroom._checks import InputError, counted
from homeroom._files import replacing
from homeroom.paper import (
    claims_insects,
    claims_letters,
    claims_synthetic,
    claims_theory,
    claims_trade_offs,
)
from homeroom.paper.claims import JudgedClaim, Tables
from homeroom.paper.experiment_cells import CellStore, run_cells
from homeroom.paper.figure import PaperFigure, PaperPlan
from homeroom.paper.rows import Row, Rows
from homeroom.plots import Page, save_figure
from homeroom.plots.style import look

FORMATS = ("svg", "png", "pdf")
"""The formats of each figure."""

QUICK_FORMATS = ("svg",)
"""The format that the report shows. The others would more than double the time of a quick run."""

DPI = 300

SETTINGS = Path("data", "settings.json")
"""The file with the settings and figures of the last run, in the folder of the report."""

CLAIMS = (
    *claims_synthetic.CLAIMS,
    *claims_trade_offs.CLAIMS,
    *claims_insects.CLAIMS,
    *claims_letters.CLAIMS,
    *claims_theory.CLAIMS,
)
"""Every claim, in the order of the report."""


def check_claims(tables: Tables) -> list[JudgedClaim]:
    """Judge every claim whose measurements are available."""
    return [claim.check(tables) for claim in CLAIMS if set(claim.needs) <= set(tables)]


@dataclass(frozen=True)
class ReproductionResult:
    """The outcome of a run.

    Parameters
    ----------
    tables
        The measured rows by figure.
    claims
        The claims with their verdicts.
    seconds
        How long the run took.
    measuring
        The time of all cells in seconds, including those of earlier runs.
    folder
        Where everything was written.
    """

    tables: dict[str, list[Row]]
    claims: list[JudgedClaim]
    seconds: float
    measuring: float
    folder: Path


def reproduce(
    names: Sequence[str],
    plan: PaperPlan,
    folder: Path,
    executor: Executor,
    progress: Callable[[str, int, int], None] = lambda _what, _done, _of: None,
) -> ReproductionResult:
    """Run the missing cells, draw the figures, judge the claims, and write the report.

    Parameters
    ----------
    names
        The figures to draw; see ``homeroom.paper.FIGURES``.
    plan
        How much is measured.
    folder
        Where everything is written; a later run with the same folder resumes from its contents.
    executor
        Where cells run and figures are drawn.
    progress
        Called with the name of the current step, the number of finished parts, and their total.
    """
    from homeroom.paper import FIGURES

    _open(folder)
    with _alone_in(folder):
        return _reproduce(names, plan, folder, executor, progress, FIGURES)


def _reproduce(  # noqa: PLR0917 - the arguments of reproduce(), which holds the lock
    names: Sequence[str],
    plan: PaperPlan,
    folder: Path,
    executor: Executor,
    progress: Callable[[str, int, int], None],
    figures: Mapping[str, PaperFigure],
) -> ReproductionResult:
    """Run, draw, judge and write the report, while the folder is locked."""
    start = perf_counter()
    drawn_before = _drawn_before(folder, plan)
    every_name = [name for name in figures if name in names or name in drawn_before]
    cells = {name: list(dict.fromkeys(figures[name].cells(plan))) for name in every_name}
    every = [cell for of_figure in cells.values() for cell in of_figure]
    store = CellStore(folder)
    rows = run_cells(every, store, executor, lambda done, of: progress("measuring", done, of))
    tables = {
        name: [row for cell in of_figure for row in rows[cell]] for name, of_figure in cells.items()
    }
    # The largest tables take longest to draw, so they start first.
    largest_first = sorted(names, key=lambda name: -len(tables[name]))
    drawings = {
        name: executor.submit(
            draw_figure, name, tables[name], plan, QUICK_FORMATS if plan.quick else FORMATS
        )
        for name in largest_first
    }
    for name in names:
        write_table(tables[name], folder / "data" / name)
    for done, (name, drawing) in enumerate(drawings.items()):
        progress("drawing", done, len(drawings))
        for ending, content in drawing.result().items():
            with replacing(folder / "figures" / f"{name}.{ending}") as temporary:
                temporary.write_bytes(content)
    progress("drawing", len(drawings), len(drawings))
    measuring = sum(store.seconds[cell.key] for cell in rows)
    seconds = perf_counter() - start
    result = ReproductionResult(tables, check_claims(tables), seconds, measuring, folder)
    _write_json([claim.as_json() for claim in result.claims], folder / "data" / "claims.json")
    _write_json(_settings_of(plan, every_name), folder / SETTINGS)
    _write_page(result, plan, figures)
    return result


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Lock the folder, or raise if another run has it. A killed run releases the lock."""
    try:
        import fcntl
    except ImportError:  # not available on this system; lines in the store stay whole anyway
        yield
        return
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"Another run is writing into {folder}: wait for it, or choose another folder."
            ) from None
        yield


def _settings_of(plan: PaperPlan, names: Sequence[str]) -> dict[str, Any]:
    """Return what the settings file of the report contains."""
    return {"settings": plan.settings.as_json(), "quick": plan.quick, "figures": list(names)}


def _drawn_before(folder: Path, plan: PaperPlan) -> list[str]:
    """Return the figures of this plan in the folder; refuse a folder with other settings."""
    try:
        before = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        settings, quick, names = before["settings"], before["quick"], list(before["figures"])
    except (OSError, ValueError, KeyError, TypeError):
        return []
    other = {
        name: value
        for name, value in plan.settings.as_json().items()
        if settings.get(name) != value
    }
    if set(other) - {"seeds"}:
        raise InputError(
            f"{folder} holds a report with other settings than {other}: choose another folder, "
            "or remove it."
        )
    return names if not other and quick == plan.quick else []


def _open(folder: Path) -> None:
    """Create the folder and its parts before the work starts."""
    try:
        for part in ("figures", "data"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as why:
        raise InputError(
            f"{folder} cannot be written: {why.strerror}. Choose another folder for the report."
        ) from None


def draw_figure(
    name: str, rows: Rows, plan: PaperPlan, formats: Sequence[str] = FORMATS
) -> dict[str, bytes]:
    """Draw one figure, and return the contents of its file in each format.

    Runs in a worker, possibly on another machine, so it writes no files.
    """
    from homeroom.paper import FIGURES

    drawn = FIGURES[name].draw(rows, plan)
    drawn.set_dpi(DPI)  # the width of text depends on it: what just fits could be cut off
    layout = drawn.get_layout_engine()
    if layout is not None:  # it is slow, so it is computed once for all formats
        layout.execute(drawn)
        if any(panel.get_aspect() != "auto" for panel in drawn.axes):
            drawn.draw_without_rendering()  # panels of a fixed shape move when they are drawn
            layout.execute(drawn)
    with look():  # unlike the engine "none", no engine saves another layout before each file
        drawn.set_layout_engine(None)
    files = {}
    with tempfile.TemporaryDirectory(prefix="homeroom-") as folder:
        for ending in formats:
            path = Path(folder) / f"figure.{ending}"
            save_figure(drawn, path, dpi=DPI, bbox_inches=drawn.bbox_inches)
            files[ending] = path.read_bytes()
    return files


def write_table(rows: Rows, path: Path) -> None:
    """Write rows as tidy CSV, and as Parquet if pyarrow is installed."""
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


def _write_json(content: Any, path: Path) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8")


def _caption(figure: PaperFigure, result: ReproductionResult) -> str:
    """Return a figure's caption, with the number of classes behind it."""
    seeds = {row["seed"] for row in result.tables[figure.name] if "seed" in row}
    classes = f" Based on {counted(len(seeds), 'class', 'classes')} per point." if seeds else ""
    return f"{figure.name}: {figure.caption}{classes}"


def _write_page(
    result: ReproductionResult, plan: PaperPlan, figures: Mapping[str, PaperFigure]
) -> None:
    """Write report.html: the claims, the figures and the settings."""
    page = Page("Iterative Classroom Teaching: figures and claims")
    seeds = len(plan.seeds)
    page.text(
        f"Made by homeroom {_plugins.version()} from up to {counted(seeds, 'class', 'classes')} "
        f"per point (each caption states the number) in {result.seconds:.0f} "
        f"seconds{' (a quick run)' if plan.quick else ''}; the measurements took "
        f"{result.measuring:.0f} seconds of one core. All numbers are in the folder data/, "
        f"all figures as {' and '.join(QUICK_FORMATS if plan.quick else FORMATS).upper()} in "
        "figures/."
    )
    if result.claims:
        page.heading("The paper's claims compared with the measurements")
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
        (result.folder / "figures" / f"{name}.svg", _caption(figures[name], result), broad)
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
