"""The report: figures, claims, settings and data, in one folder with one page."""

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
from homeroom._checks import InputError
from homeroom._files import replacing
from homeroom._words import counted
from homeroom.paper.cells import Row, Store, run_cells
from homeroom.paper.claims import Claim, check_claims
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.plots import Page, save_figure

FORMATS = ("svg", "png", "pdf")
QUICK_FORMATS = ("svg",)
"""For a quick look: what the report shows. The others take as long again, and more."""

DPI = 300

SETTINGS = Path("data", "settings.json")


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

    _open(folder)
    with _alone_in(folder):
        return _reproduce(names, plan, folder, executor, progress, FIGURES)


def _reproduce(  # noqa: PLR0917 - what reproduce() was given, behind its lock
    names: Sequence[str],
    plan: Plan,
    folder: Path,
    executor: Executor,
    progress: Callable[[str, int, int], None],
    figures: Mapping[str, AbstractFigure],
) -> Result:
    start = perf_counter()
    drawn_before = _drawn_before(folder, plan)
    every_name = [name for name in figures if name in names or name in drawn_before]
    cells = {name: list(dict.fromkeys(figures[name].cells(plan))) for name in every_name}
    every = [cell for of_figure in cells.values() for cell in of_figure]
    store = Store(folder)
    rows = run_cells(every, store, executor, lambda done, of: progress("measuring", done, of))
    tables = {
        name: [row for cell in of_figure for row in rows[cell]] for name, of_figure in cells.items()
    }
    # Those that show most take longest: begun first, they do not keep the others waiting.
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
    result = Result(tables, check_claims(tables), perf_counter() - start, measuring, folder)
    _write_json([claim.as_json() for claim in result.claims], folder / "data" / "claims.json")
    _write_json(_settings_of(plan, every_name), folder / SETTINGS)
    _write_page(result, plan, figures)
    return result


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Hold the folder, or say that another run has it. A run that is killed lets go of it."""
    try:
        import fcntl
    except ImportError:  # not on this system: lines in the store stay whole all the same
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


def _settings_of(plan: Plan, names: Sequence[str]) -> dict[str, Any]:
    return {"settings": plan.settings.as_json(), "quick": plan.quick, "figures": list(names)}


def _drawn_before(folder: Path, plan: Plan) -> list[str]:
    """Return the figures of this plan that the folder holds; refuse one that holds another's."""
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
    """Make the folder and its parts, before anything is measured in vain."""
    try:
        for part in ("figures", "data"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as why:
        raise InputError(
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
    drawn.set_dpi(DPI)  # text is wider or narrower at another: what just fits would be cut off
    drawn.draw_without_rendering()  # lays it out, once for all formats: that takes its time
    if any(panel.get_aspect() != "auto" for panel in drawn.axes):
        drawn.draw_without_rendering()  # panels of a fixed shape had moved
    drawn.set_layout_engine("none")
    files = {}
    with tempfile.TemporaryDirectory(prefix="homeroom-") as folder:
        for ending in formats:
            path = Path(folder) / f"figure.{ending}"
            save_figure(drawn, path, dpi=DPI, bbox_inches=drawn.bbox_inches)
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


def _write_json(told: Any, path: Path) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(told, indent=2, ensure_ascii=False), encoding="utf-8")


def _caption(figure: AbstractFigure, result: Result) -> str:
    """Return a figure's caption, with how many classes were drawn for it."""
    seeds = {row["seed"] for row in result.tables[figure.name] if "seed" in row}
    drawn = f" Drawn from {counted(len(seeds), 'class', 'classes')} a point." if seeds else ""
    return f"{figure.name}: {figure.caption}{drawn}"


def _write_page(result: Result, plan: Plan, figures: Mapping[str, AbstractFigure]) -> None:
    page = Page("Iterative Classroom Teaching: its figures, its claims")
    seeds = len(plan.seeds)
    page.text(
        f"Made by homeroom {_plugins.version()} from up to {counted(seeds, 'class', 'classes')} "
        f"a point (each figure says how many) in {result.seconds:.0f} "
        f"seconds{' (a quick look)' if plan.quick else ''}; the measurements behind it are "
        f"{result.measuring:.0f} seconds of one core's work. Every number is in the folder data/, "
        f"every figure as {' and '.join(QUICK_FORMATS if plan.quick else FORMATS).upper()} in "
        "figures/."
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
