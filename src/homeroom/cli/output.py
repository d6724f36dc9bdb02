"""The terminal: results as text on stdout; errors, remarks and progress bars on stderr."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import typer
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from homeroom.cli.result import Result, Table
    from homeroom.lessons import Progress

MAX_WIDTH = 110
"""Tables and sentences are no wider than this, however wide the window is."""

MIN_BAR, MAX_BAR = 5, 30
"""The shortest and the longest bar in a table, in characters."""

STYLES = {"good": "green", "warning": "bold yellow"}
BLOCKS = "▁▂▃▄▅▆▇█"


def show(result: Result, *, json: bool) -> None:
    """Print a result: as one JSON document, or as text; its remarks go to stderr either way."""
    from homeroom.cli.result import Facts, Heading, Sentence, Table, as_json

    for remark in result.remarks:
        print_note(remark.text)
    if json:
        typer.echo(as_json(result.values))
        return
    console = Console(highlight=False)
    console.width = min(console.width, MAX_WIDTH)
    _print_heading(console, result.title)
    facts: list[tuple[str, object]] = []  # those in sequence, which are aligned
    for part in (*result.on_screen, None):
        if isinstance(part, Facts):
            facts += part.named
            continue
        if facts:
            _print_facts(console, facts)
            facts = []
            if isinstance(part, Sentence):
                console.print()
        match part:
            case Heading():
                _print_heading(console, part.text)
            case Table():
                _print_table(console, part)
            case Sentence():
                console.print(Text(part.text, style=STYLES.get(part.style, part.style)))


def _print_heading(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, style="bold blue"))


def _print_facts(console: Console, facts: Sequence[tuple[str, object]]) -> None:
    """Print names and values in two aligned columns."""
    from homeroom.cli.result import Curve

    table = RichTable(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        curve = f"   {sparkline(value.values)}" if isinstance(value, Curve) else ""
        table.add_row(Text(name), Text(f"{value}{curve}"))
    console.print(table)


def _print_table(console: Console, table: Table) -> None:
    """Print a table; one whose words do not fit side by side row by row."""
    marked = set(table.best)
    cells = [
        [f"{cell}*" if (row, column) in marked else cell for column, cell in enumerate(line)]
        for row, line in enumerate(table.texts[: table.most])
    ]
    columns = list(zip(table.header, *cells, strict=True))
    words = [
        max(len(word) for cell in column for word in cell.split() or [""]) for column in columns
    ]
    left = console.width - sum(words) - 2 * len(words) - 1
    if left < 0:
        for line in cells:
            pairs = zip(table.header, line, strict=True)
            console.print(Text("\n".join(f"  {name}: {cell}" for name, cell in pairs)), end="\n\n")
    else:
        drawn = RichTable(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 0, 0, 1))
        for place, (column, narrow) in enumerate(zip(columns, words, strict=True)):
            more = min(max(map(len, column)) - narrow, left)  # the first get the space that is left
            left -= more
            side: Literal["left", "right"] = "right" if place and not table.words else "left"
            drawn.add_column(Text(column[0]), justify=side, width=narrow + more, overflow="fold")
        longest = min(MAX_BAR, left - 2) if table.bars else 0
        if longest >= MIN_BAR:
            drawn.add_column("", style="blue", no_wrap=True)
        for row, line in enumerate(cells):
            best = ["bold green" if (row, column) in marked else "" for column in range(len(line))]
            bar = [Text("█" * math.ceil(table.bars[row] * longest))] if longest >= MIN_BAR else []
            drawn.add_row(*map(Text, line, best), *bar)
        console.print(drawn)
    if len(table.rows) > len(cells):
        console.print(f"  ... and {len(table.rows) - len(cells)} more; --json has all.")


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
def progress_bars(
    *names: str, remaining: bool = False
) -> Iterator[Callable[[str, float, str], None]]:
    """Show a bar per name on stderr, only on a terminal; the others only while they progress.

    Yields a function that takes a name, how much is done, from 0 to 1, and words about it. Bars
    show the time since their start, or with ``remaining`` the time until their end.
    """
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True, highlight=False)
    with Progress(
        TextColumn("{task.description:>9}"),
        BarColumn(bar_width=32, complete_style="blue", finished_style="blue"),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[words]}", style="dim"),
        TimeRemainingColumn() if remaining else TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as shown:
        tasks = {name: shown.add_task(name, total=1.0, words="", visible=False) for name in names}

        def update(name: str, done: float, words: str) -> None:
            visible = name == names[0] or done < 1.0
            shown.update(tasks[name], completed=done, words=words, visible=visible)

        update(names[0], 0.0, "")
        yield update


@contextmanager
def fraction_bar(what: str) -> Iterator[Callable[[float], None]]:
    """Show a bar, and yield a function that takes how much is done, from 0 to 1."""
    with progress_bars(what) as update:
        yield lambda done: update(what, done, "")


@contextmanager
def count_bars(*names: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar for each name, and yield a function that takes a name, how many of how many."""
    with progress_bars(*names, remaining=True) as update:
        yield lambda name, done, of: update(name, done / max(of, 1), f"{done}/{of}")


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
    with progress_bars(what, "Reading") as update:

        def report(now: Progress) -> None:
            group = f"group {now.group + 1} of {now.groups}, " if now.groups > 1 else ""
            where = f"planning {now.planned} rounds" if now.planned else f"round {now.rounds}"
            update(what, now.done, f"{group}{where}")

        yield report, lambda done, of: update("Reading", done / of, f"piece {done} of {of}")
        update(what, 1.0, "")
