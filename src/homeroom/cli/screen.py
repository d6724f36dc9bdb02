"""What a user sees: sentences, tables, a progress bar. Results on stdout, the rest on stderr."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from homeroom.lessons import Progress, Record, StoppedBecause

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MAX_WIDTH = 110
"""Tables and sentences are no wider than this, however wide the window is."""

_BLOCKS = "▁▂▃▄▅▆▇█"


class Screen:
    """Where a command's result goes: a readable page on the terminal, or one JSON document."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._console = Console(highlight=False, quiet=as_json)
        self._console.width = min(self._console.width, MAX_WIDTH)

    def say(self, sentence: str, *, style: str = "") -> None:
        """Print a sentence."""
        self._console.print(Text(sentence, style=style))

    def gap(self) -> None:
        """Print an empty line."""
        self._console.print()

    def title(self, text: str) -> None:
        """Print a heading."""
        self._console.print()
        self._console.print(Text(text, style="bold blue"))

    def facts(self, named: Sequence[tuple[str, str | Text]]) -> None:
        """Print names and values below each other, whatever signs they hold."""
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in named:
            table.add_row(Text(name), Text(value) if isinstance(value, str) else value)
        self._console.print(table)

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        best: Sequence[tuple[int, int]] = (),
        bars: Sequence[float] = (),
    ) -> None:
        """Print a table; its first column names the rows, and the best cells stand out.

        A table that is too wide is printed in several parts, each with the first column. ``bars``
        has a number from 0 to 1 for each row, drawn as a bar where there is space.
        """
        marked = set(best)
        cells = [
            [f"{cell}*" if (number, place) in marked else cell for place, cell in enumerate(row)]
            for number, row in enumerate(rows)
        ]
        for part in fitted([header, *cells], self._console.width):
            table = Table(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 0, 0, 1))
            for place, width in part.items():
                side: Literal["left", "right"] = "right" if place else "left"
                table.add_column(header[place], justify=side, width=width, overflow="fold")
            longest = min(MAX_BAR, self._console.width - table_width([*part.values(), 0]))
            with_bars = bool(bars) and longest >= MIN_BAR and 1 in part
            if with_bars:
                table.add_column("", style="blue", no_wrap=True)
            for number, row in enumerate(cells):
                shown = [
                    Text(row[place], style="bold green" if (number, place) in marked else "")
                    for place in part
                ]
                if with_bars:
                    shown.append(Text("█" * math.ceil(bars[number] * longest)))
                table.add_row(*shown)
            self._console.print(table)

    def command(self, line: str) -> None:
        """Print a command to type, in one piece however narrow the window is."""
        self._console.print(Text(f"  {line}"), soft_wrap=True)

    def ending(self, record: Record) -> None:
        """Say why a lesson stopped, so that not reaching the goal cannot be overlooked."""
        reason = record.stopped_because
        if reason is StoppedBecause.GOAL:
            self._console.print(Text(f"✓ Stopped because {reason.value}.", style="green"))
            return
        missed = sum(1 for group in record.transcript.stops if group != 0)
        groups = len(record.transcript.rounds)
        where = f" ({missed} of {groups} groups)" if groups > 1 else ""
        self._console.print(
            Text(f"✗ Not learnt: stopped because {reason.value}{where}.", style="bold yellow")
        )

    def result(self, document: dict[str, Any]) -> None:
        """Print the result as one JSON document, if that was asked for."""
        if self.as_json:
            typer.echo(as_json(document))


MIN_BAR, MAX_BAR = 5, 30


def table_width(widths: Sequence[int]) -> int:
    """Return how many columns of the window a table with these columns takes."""
    return sum(widths) + 2 * len(widths) + 1


def fitted(lines: Sequence[Sequence[str]], width: int) -> list[dict[int, int]]:
    """Return how a table is split to fit a window: the width of each column of each part.

    Words are never cut. Columns become as narrow as their longest word, and those that do not fit
    then go to the next part.

    >>> fitted([["way", "students", "cost"], ["by rate", "24", "1234"]], width=80)
    [{0: 7, 1: 8, 2: 4}]
    >>> fitted([["way", "students", "cost"], ["by rate", "24", "1234"]], width=20)
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
    return [_widths([0, *part], full, least, width) for part in parts]


def _widths(part: list[int], full: list[int], least: list[int], width: int) -> dict[int, int]:
    """Return the columns' widths; the first columns get the space that is left."""
    left = width - table_width([least[place] for place in part])
    widths = {}
    for place in part:
        more = min(full[place] - least[place], max(0, left))
        widths[place] = least[place] + more
        left -= more
    return widths


def as_json(document: dict[str, Any]) -> str:
    """Return a document as JSON text; numbers that JSON does not know become ``null``."""
    return json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


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
    levels = ((logs - logs.min()) / span * (len(_BLOCKS) - 1)).round().astype(int)
    return "".join(_BLOCKS[level] for level in levels)


def say_error(sentence: str) -> None:
    """Print one sentence on stderr, on one line."""
    _say(sentence, "bold red")


def say_note(sentence: str) -> None:
    """Print a remark on stderr, on one line."""
    _say(sentence, "yellow")


def _say(sentence: str, style: str) -> None:
    one_line = " ".join(sentence.split())
    console = Console(stderr=True, highlight=False)
    console.print(Text(one_line, style=style), soft_wrap=True)


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Show each of Python's warnings once, as a sentence on stderr."""
    said: set[str] = set()

    def show(message: Warning | str, *_where: Any, **_more: Any) -> None:
        sentence = str(message)
        if sentence not in said:
            said.add(sentence)
            say_note(f"Note: {sentence}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[Progress], None]]:
    """Show a bar on stderr while something is taught, and take it away afterwards."""
    with progress_bars(what) as (report, _):
        yield report


@contextmanager
def progress_bars(
    what: str,
) -> Iterator[tuple[Callable[[Progress], None], Callable[[int, int], None]]]:
    """Show a bar while something is taught, and one while a large class is read for it."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True, highlight=False)
    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(bar_width=32, complete_style="blue", finished_style="blue"),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[where]}", style="dim"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task(what, total=1.0, where="")

        def report(now: Progress) -> None:
            group = f"group {now.group + 1} of {now.groups}, " if now.groups > 1 else ""
            where = f"planning {now.planned} rounds" if now.planned else f"round {now.rounds}"
            bar.update(task, completed=now.done, where=f"{group}{where}")

        reading = bar.add_task("Reading", total=1.0, where="", visible=False)

        def count(done: int, of: int) -> None:
            where = f"piece {done} of {of}"
            bar.update(reading, completed=done / of, where=where, visible=done < of)

        yield report, count
        bar.update(task, completed=1.0)
