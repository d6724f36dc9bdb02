"""Reproduce the paper: measure, draw, judge, and write figures, claims and data into one folder."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from time import perf_counter
from typing import Any

from homeroom import _plugins
from homeroom._checks import InputError, counted
from homeroom._files import replacing
from homeroom.plots import Page, save_figure
from homeroom.plots.style import look
from homeroom.studies import insects, letters, synthetic, theorems, trade_offs
from homeroom.studies.cells import CELLS, CellStore, run_cells
from homeroom.studies.claims import JudgedClaim, PaperClaim, Tables
from homeroom.studies.figures import PaperFigure, PaperPlan
from homeroom.studies.rows import Row, Rows, write_csv
from homeroom.studies.settings import PaperSettings

__all__ = [
    "CLAIMS",
    "FIGURES",
    "PaperPlan",
    "PaperSettings",
    "ReproductionResult",
    "check_claims",
    "draw_figure",
    "reproduce",
]

SECTIONS = (synthetic, trade_offs, insects, letters, theorems)
"""The modules of the sections, in the order of their claims in the report."""

ORDER = (
    *("1b", "2", "3a", "3b", "3c", "3d", "3e", "3f", "4a", "4b", "4c", "4d", "4e", "4f"),
    *("5a", "5b", "5c", "6a", "6b", "6c", "6d", "6e", "6f"),
    *("who", "dip", "rules", "knowledge-t", "knowledge-s", "4-radius"),
    *("random-rates", "noisy-w", "langevin"),
    *("pool", "rank", "accuracy", "size"),
    *("letters", "bounds", "mean", "sensitivity"),
)
"""The names of the figures in the order of the report."""

_DEFINED = [value for section in SECTIONS for value in vars(section).values()]
_BY_NAME = {
    one.name: one
    for value in _DEFINED
    for one in (value if isinstance(value, list) else [value])
    if isinstance(one, PaperFigure)
}

FIGURES: dict[str, PaperFigure] = {name: _BY_NAME[name] for name in ORDER}
"""Every figure that a section defines, by name, in the order of the report."""

CLAIMS = tuple(value for value in _DEFINED if isinstance(value, PaperClaim))
"""Every claim that a section defines, in the order of the report."""


FORMATS = ("svg", "png", "pdf")
"""The formats of each figure."""

QUICK_FORMATS = ("svg",)
"""The format that the report shows. The others would more than double the time of a quick run."""

QUICK_VERDICTS = (
    "These are the verdicts of a quick run: they come from one or two classes per point and fewer "
    "points, and may differ from those of a full run."
)
"""What a report of a quick run states about its verdicts."""

DPI = 300

SETTINGS = Path("data", "settings.json")
"""The file with the settings and figures of the last run, in the folder of the report."""


def check_claims(tables: Tables, *, quick: bool = False) -> list[JudgedClaim]:
    """Judge every claim whose measurements are available; ``quick`` marks those of a quick run."""
    judged = [claim.check(tables) for claim in CLAIMS if set(claim.needs) <= set(tables)]
    return [replace(claim, quick=quick) for claim in judged]


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
        The figures to draw; see ``FIGURES``.
    plan
        How much is measured.
    folder
        Where everything is written; a later run with the same folder resumes from its contents.
    executor
        Where cells run and figures are drawn.
    progress
        Called with the name of the current step, the number of finished parts, and their total.
    """
    _open(folder)
    with _alone_in(folder):
        start = perf_counter()
        every_name = _with_earlier(names, folder, plan)
        cells = {name: list(dict.fromkeys(FIGURES[name].cells(plan))) for name in every_name}
        every = [cell for of_figure in cells.values() for cell in of_figure]
        store = CellStore(folder)
        rows = run_cells(every, store, executor, lambda done, of: progress("measuring", done, of))
        tables = {name: [row for cell in own for row in rows[cell]] for name, own in cells.items()}
        _write_figures({name: tables[name] for name in names}, plan, folder, executor, progress)
        measuring = sum(store.seconds[cell.key] for cell in rows)
        claims = check_claims(tables, quick=plan.quick)
        result = ReproductionResult(tables, claims, perf_counter() - start, measuring, folder)
        _write_json([claim.as_json() for claim in claims], folder / "data" / "claims.json")
        _write_json(_describe(plan, every_name), folder / SETTINGS)
        _write_page(result, plan)
        return result


def _write_figures(
    tables: dict[str, list[Row]],
    plan: PaperPlan,
    folder: Path,
    executor: Executor,
    progress: Callable[[str, int, int], None],
) -> None:
    """Draw the figures of these tables, and write both."""
    formats = QUICK_FORMATS if plan.quick else FORMATS
    # The largest tables take longest to draw, so they start first.
    drawings = {
        name: executor.submit(draw_figure, name, tables[name], plan, formats)
        for name in sorted(tables, key=lambda name: -len(tables[name]))
    }
    for name, rows in tables.items():
        write_table(rows, folder / "data" / name)
    for done, (name, drawing) in enumerate(drawings.items()):
        progress("drawing", done, len(drawings))
        for ending, content in drawing.result().items():
            with replacing(folder / "figures" / f"{name}.{ending}") as temporary:
                temporary.write_bytes(content)
    progress("drawing", len(drawings), len(drawings))


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


def _describe(plan: PaperPlan, names: Sequence[str]) -> dict[str, Any]:
    """Return what the settings file of the report contains."""
    return {"settings": plan.settings.as_json(), "quick": plan.quick, "figures": list(names)}


def _with_earlier(names: Sequence[str], folder: Path, plan: PaperPlan) -> list[str]:
    """Return these figures and those of this plan in the folder, in the order of the report.

    A folder with other settings is refused.
    """
    try:
        before = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        settings, quick, drawn = before["settings"], before["quick"], list(before["figures"])
    except (OSError, ValueError, KeyError, TypeError):
        settings, quick, drawn = plan.settings.as_json(), plan.quick, []
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
    earlier = drawn if not other and quick == plan.quick else []
    return [name for name in FIGURES if name in names or name in earlier]


def _open(folder: Path) -> None:
    """Create the folder and its parts before the work starts."""
    try:
        for part in ("figures", "data"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / CELLS).touch()
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
    """Write rows as tidy CSV, and as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = write_csv(rows, path.with_name(f"{path.name}.csv"))
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


def _write_page(result: ReproductionResult, plan: PaperPlan) -> None:
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
        if plan.quick:
            page.text(QUICK_VERDICTS)
        page.table(
            ["claim", "place", "verdict", "evidence"],
            [(one.text, one.place, one.verdict_text, one.evidence) for one in result.claims],
            words=True,
        )
    page.heading("Figures")
    page.gallery(
        (result.folder / "figures" / f"{name}.svg", _caption(figure, result), figure.broad)
        for name, figure in FIGURES.items()
        if name in result.tables
    )
    page.heading("Settings")
    chosen = plan.settings.as_json().items()
    page.table(["setting", "value"], [(name, str(value)) for name, value in chosen], words=True)
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "matplotlib"))
    page.footer(f"seeds 0 to {seeds - 1}; Python {python_version()} on {sys.platform}; {packages}")
    with replacing(result.folder / "report.html") as temporary:
        page.write(temporary)
