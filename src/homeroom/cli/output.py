"""Where results go: the terminal, a folder that is filled completely or not at all, or one file.

Reports are text on stdout; errors, remarks and progress bars are on stderr.
"""

from __future__ import annotations

import csv
import errno
import math
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from homeroom._checks import InputError
from homeroom._files import is_folder
from homeroom.cli.options import in_panel
from homeroom.cli.report import (
    CommandReport,
    Curve,
    Facts,
    Heading,
    Sentence,
    Table,
    as_json,
    page_of,
)
from homeroom.lessons import Progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from rich.progress import Progress as Bar

MAX_WIDTH = 110
"""Tables and sentences are no wider than this, however wide the window is."""

MIN_BAR, MAX_BAR = 5, 30
"""The shortest and the longest bar in a table, in characters."""

STYLES = {"good": "green", "warning": "bold yellow"}
BLOCKS = "▁▂▃▄▅▆▇█"

result_option = in_panel("The result")

JsonOption = Annotated[bool, result_option("Print the result as one JSON document.", "--json")]
ForceOption = Annotated[
    bool, result_option("Write the result even if --out exists already.", "--force")
]


@dataclass(frozen=True)
class ResultOptions:
    """Where the result goes."""

    json: JsonOption = False
    out: Annotated[
        Path | None,
        result_option("Write the result, the pictures and a report here.", metavar="FOLDER"),
    ] = None
    force: ForceOption = False

    @contextmanager
    def folder(self) -> Iterator[Folder]:
        """Yield a folder that becomes ``--out``, as :func:`folder` does."""
        with folder(self.out, force=self.force) as place:
            yield place

    def show(self, report: CommandReport) -> None:
        """Print the report as text or as JSON, and where its page is."""
        show(report, json=self.json)
        if self.out is not None and not self.json:
            typer.echo(f"\nThe report is at {self.out / 'report.html'}")


class Folder:
    """A folder to write into; without a path, nothing is written."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def __bool__(self) -> bool:
        return self.path is not None

    def write(self, report: CommandReport) -> None:
        """Write a report: its JSON document, its page, its pictures and its other files."""
        if self.path is None:
            return
        from homeroom.plots import save_figure

        drawn = {chart.name: chart.draw() for chart in report.charts}
        for name, figure in drawn.items():
            for ending in ("svg", "png"):
                save_figure(figure, self.path / f"{name}.{ending}")
        for name, write in report.files.items():
            write(self.path / name)
        if "report.html" not in report.files:
            page_of(report, drawn).write(self.path / "report.html")
        (self.path / "result.json").write_text(as_json(report.values) + "\n", encoding="utf-8")


@contextmanager
def folder(out: Path | None, *, force: bool) -> Iterator[Folder]:
    """Yield a temporary folder, which becomes ``out`` when the block ends without an error.

    Whether ``out`` can be written is checked now, before the work. With ``force``, a folder with
    files in it is accepted, and keeps those that the result does not replace.
    """
    if out is None:
        yield Folder(None)
        return
    check_unused(out, force=force)
    temporary = _temporary(out)
    try:
        yield Folder(temporary)
        _move(temporary, out)
    except OSError as reason:
        full = reason.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        if full or str(reason.filename).startswith(str(temporary)):
            raise InputError(f"--out {out} cannot be written: {reason.strerror}.") from None
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_unused(out: Path, *, force: bool) -> None:
    """Raise an error if a folder holds files, which a result would replace or mix with."""
    if force or not is_folder(out):
        return
    if any(not path.name.startswith(".") for path in out.iterdir()):
        raise InputError(
            f"{out} already holds files: choose another folder for --out, or add --force to write "
            "into this one."
        )


def check_file_to_write(
    path: Path, option: str = "--out", *, endings: Sequence[str] = (), force: bool
) -> None:
    """Raise an error if a file could not be written in the end, or would replace another."""
    if endings and path.suffix.lower() not in endings:
        raise InputError(f"{option} must end in {' or '.join(endings)}, but is {path}.")
    if is_folder(path):
        raise InputError(f"{option} must name a file, but {path} is a folder.")
    if not is_folder(path.parent):
        raise InputError(f"There is no folder {path.parent} for {option}: make it first.")
    if path.exists() and not force:
        raise InputError(f"{path} exists already: choose another {option}, or add --force.")


def csv_file(
    header: Sequence[str], rows: Callable[[], Iterable[Sequence[Any]]]
) -> Callable[[Path], None]:
    """Return a function that writes a table as ``.csv``, its rows made only then."""

    def write(path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows())

    return write


def _temporary(out: Path) -> Path:
    """Return a new folder on the same disk as ``out``."""
    near = out
    while not near.exists() and near != near.parent:
        near = near.parent
    if not near.is_dir():
        raise InputError(f"--out must name a folder, but {near} is a file: choose another name.")
    try:
        return Path(tempfile.mkdtemp(dir=near, prefix=".homeroom-"))
    except OSError as reason:
        raise InputError(
            f"--out cannot be written: {near} says '{reason.strerror}'; choose another folder."
        ) from None


def _move(temporary: Path, out: Path) -> None:
    """Move a temporary folder to ``out``, or its files into ``out`` if that exists."""
    if out.exists():
        for file in sorted(temporary.rglob("*")):
            place = out / file.relative_to(temporary)
            if file.is_dir():
                place.mkdir(exist_ok=True)
            else:
                file.replace(place)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(0o777 & ~mask)
    temporary.replace(out)


# --- the terminal ---------------------------------------------------------------------------------


def show(report: CommandReport, *, json: bool) -> None:
    """Print a report: as one JSON document, or as text; its remarks go to stderr either way."""
    for remark in report.remarks:
        print_note(remark.text)
    if json:
        typer.echo(as_json(report.values))
        return
    console = Console(highlight=False)
    console.width = min(console.width, MAX_WIDTH)
    _heading(console, report.title)
    facts: list[tuple[str, str | Curve]] = []  # those in sequence, which are aligned
    for part in (*report.on_screen, None):
        if isinstance(part, Facts):
            facts += part.named
            continue
        if facts:
            _facts(console, facts)
            facts = []
            if isinstance(part, Sentence):
                console.print()
        match part:
            case Heading():
                _heading(console, part.text)
            case Table():
                _table(console, part)
            case Sentence():
                console.print(Text(part.text, style=STYLES.get(part.style, part.style)))


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, style="bold blue"))


def _facts(console: Console, facts: Sequence[tuple[str, str | Curve]]) -> None:
    """Print names and values in two aligned columns."""
    table = RichTable(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        curve = f"   {sparkline(value.values)}" if isinstance(value, Curve) else ""
        table.add_row(Text(name), Text(f"{value}{curve}"))
    console.print(table)


def _table(console: Console, table: Table) -> None:
    """Print a table; one that is too wide in several parts, each with the first column."""
    marked = set(table.best)
    cells = [
        [f"{cell}*" if (number, place) in marked else cell for place, cell in enumerate(row)]
        for number, row in enumerate(table.rows[: table.most])
    ]
    for part in column_widths([table.header, *cells], console.width):
        drawn = RichTable(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 0, 0, 1))
        for place, width in part.items():
            side: Literal["left", "right"] = "right" if place and not table.words else "left"
            drawn.add_column(Text(table.header[place]), justify=side, width=width, overflow="fold")
        longest = min(MAX_BAR, console.width - table_width([*part.values(), 0]))
        with_bars = bool(table.bars) and longest >= MIN_BAR and 1 in part
        if with_bars:
            drawn.add_column("", style="blue", no_wrap=True)
        for number, row in enumerate(cells):
            shown = [
                Text(row[place], style="bold green" if (number, place) in marked else "")
                for place in part
            ]
            if with_bars:
                shown.append(Text("█" * math.ceil(table.bars[number] * longest)))
            drawn.add_row(*shown)
        console.print(drawn)
    if len(table.rows) > len(cells):
        console.print(f"  ... and {len(table.rows) - len(cells)} more; --json has all.")


def table_width(widths: Sequence[int]) -> int:
    """Return how many columns of the window a table with these columns takes."""
    return sum(widths) + 2 * len(widths) + 1


def column_widths(lines: Sequence[Sequence[str]], width: int) -> list[dict[int, int]]:
    """Return how a table is split to fit a window: the width of each column of each part.

    Words are never cut. Columns become as narrow as their longest word, and those that do not fit
    then go to the next part.

    >>> column_widths([["way", "students", "cost"], ["by rate", "24", "1234"]], width=80)
    [{0: 7, 1: 8, 2: 4}]
    >>> column_widths([["way", "students", "cost"], ["by rate", "24", "1234"]], width=20)
    [{0: 7, 1: 8}, {0: 7, 2: 4}]
    """
    columns = list(zip(*lines, strict=True))
    full = [max(map(len, cells)) for cells in columns]
    least = [max(len(word) for cell in cells for word in cell.split() or [""]) for cells in columns]
    parts: list[list[int]] = [[]]
    for place in range(1, len(columns)):
        used = table_width([least[each] for each in (0, *parts[-1], place)])
        if used > width and parts[-1]:
            parts.append([])
        parts[-1].append(place)
    return [_widened([0, *part], full, least, width) for part in parts]


def _widened(part: list[int], full: list[int], least: list[int], width: int) -> dict[int, int]:
    """Return the widths of the columns in a part; the first get the space that is left.

    ``full`` has the length of each column's longest cell, ``least`` that of its longest word.
    """
    left = width - table_width([least[place] for place in part])
    widths = {}
    for place in part:
        more = min(full[place] - least[place], max(0, left))
        widths[place] = least[place] + more
        left -= more
    return widths


def sparkline(values: ArrayLike, width: int = 32) -> str:
    """Return a curve drawn in one line of text, on a logarithmic scale.

    >>> sparkline([1000, 100, 10, 1])
    '█▆▃▁'
    """
    import numpy as np

    heights = np.asarray(values, dtype=float)
    heights = heights[(heights > 0) & np.isfinite(heights)]
    if len(heights) < 2:
        return ""
    chosen = np.linspace(0, len(heights) - 1, min(width, len(heights))).round().astype(int)
    logs = np.log(heights[chosen])
    span = float(logs.max() - logs.min()) or 1.0
    levels = ((logs - logs.min()) / span * (len(BLOCKS) - 1)).round().astype(int)
    return "".join(BLOCKS[level] for level in levels)


def print_command(line: str) -> None:
    """Print a command to type, in one piece however narrow the window is."""
    typer.echo(f"  {line}")


def print_error(sentence: str) -> None:
    """Print one sentence on stderr, on one line."""
    _print_line(sentence, "bold red")


def print_note(sentence: str) -> None:
    """Print a remark on stderr, on one line."""
    _print_line(sentence, "yellow")


def _print_line(sentence: str, style: str) -> None:
    one_line = " ".join(sentence.split())
    console = Console(stderr=True, highlight=False)
    console.print(Text(one_line, style=style), soft_wrap=True)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print each of Python's warnings once, as a note on stderr."""
    printed: set[str] = set()

    def show_once(message: Warning | str, *_where: Any, **_more: Any) -> None:
        sentence = str(message)
        if sentence not in printed:
            printed.add(sentence)
            print_note(f"Note: {sentence}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show_once
        yield


@contextmanager
def bars(*columns: Any) -> Iterator[Bar]:
    """Yield an empty set of progress bars on stderr, shown only on a terminal."""
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True, highlight=False)
    with Bar(
        TextColumn("{task.description:>9}"),
        BarColumn(bar_width=32, complete_style="blue", finished_style="blue"),
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as shown:
        yield shown


@contextmanager
def fraction_bar(what: str) -> Iterator[Callable[[float], None]]:
    """Show a bar, and yield a function that takes how much is done, from 0 to 1."""
    from rich.progress import TextColumn, TimeElapsedColumn

    with bars(TextColumn("{task.percentage:>3.0f} %"), TimeElapsedColumn()) as shown:
        task = shown.add_task(what, total=1.0)
        yield lambda done: shown.update(task, completed=done)


@contextmanager
def count_bars(*names: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar for each name, and yield a function that takes a name, how many of how many."""
    from rich.progress import MofNCompleteColumn, TimeRemainingColumn

    with bars(MofNCompleteColumn(), TimeRemainingColumn()) as shown:
        tasks: Mapping[str, Any] = {name: shown.add_task(name, total=None) for name in names}
        yield lambda name, done, of: shown.update(tasks[name], completed=done, total=of)


@contextmanager
def lesson_bar(what: str) -> Iterator[Callable[[Progress], None]]:
    """Show a bar while something is taught, and yield a function that takes its progress."""
    with lesson_bars(what) as (report, _):
        yield report


@contextmanager
def lesson_bars(
    what: str,
) -> Iterator[tuple[Callable[[Progress], None], Callable[[int, int], None]]]:
    """Show a bar while something is taught, and one while a large class is read for it.

    Yields two functions: one takes the progress of the lesson, the other the number of pieces read
    and of all pieces.
    """
    from rich.progress import TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[where]}", style="dim"),
        TimeElapsedColumn(),
    )
    with bars(*columns) as shown:
        task = shown.add_task(what, total=1.0, where="")

        def report(now: Progress) -> None:
            group = f"group {now.group + 1} of {now.groups}, " if now.groups > 1 else ""
            where = f"planning {now.planned} rounds" if now.planned else f"round {now.rounds}"
            shown.update(task, completed=now.done, where=f"{group}{where}")

        reading = shown.add_task("Reading", total=1.0, where="", visible=False)

        def count(done: int, of: int) -> None:
            where = f"piece {done} of {of}"
            shown.update(reading, completed=done / of, where=where, visible=done < of)

        yield report, count
        shown.update(task, completed=1.0)
