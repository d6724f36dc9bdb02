"""The result of a command: described once, then rendered as text, as JSON and as an HTML page."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from homeroom import _plugins
from homeroom.lessons import Record, StoppedBecause

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from homeroom._arrays import Floats
    from homeroom.plots import Page

MOST_ROWS_ON_PAGE = 100

Files = dict[str, Callable[[Path], None]]
"""Functions that write files, by name; each gets the path."""

Style = Literal["", "dim", "bold", "good", "warning"]


@dataclass(frozen=True)
class Curve:
    """A value that falls: first and last number, and on the screen the curve between them."""

    values: Floats

    def __str__(self) -> str:
        return f"{self.values[0]:.3g} → {self.values[-1]:.3g}"


@dataclass(frozen=True)
class Heading:
    """The title of what follows."""

    text: str


@dataclass(frozen=True)
class Facts:
    """Names and values; ``main`` ones are shown large on the page."""

    named: Sequence[tuple[str, str | Curve]]
    main: bool = False


@dataclass(frozen=True)
class Table:
    """A table whose first column names the rows.

    Parameters
    ----------
    header, rows
        The cells, as text.
    best
        Cells to highlight, as (row, column), both counted from 0.
    bars
        A number from 0 to 1 for each row, drawn as a bar on the screen.
    most
        The screen shows this many rows and states how many more there are.
    words
        Whether the cells hold sentences, which the page aligns to the left.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    best: Sequence[tuple[int, int]] = ()
    bars: Sequence[float] = ()
    most: int = 1000
    words: bool = False


@dataclass(frozen=True)
class Sentence:
    """A sentence, on the screen in some style; a remark goes to stderr, even with ``--json``."""

    text: str
    style: Style = ""
    remark: bool = False
    on_screen: bool = True
    on_page: bool = True


@dataclass(frozen=True)
class Chart:
    """A chart of the page, drawn only where a page is written."""

    name: str
    draw: Callable[[], Figure]
    caption: str


Part = Heading | Facts | Table | Sentence | Chart


@dataclass
class CommandReport:
    """A command's result.

    Parameters
    ----------
    title
        What it is about.
    values
        The JSON document: the same result as plain values.
    files
        What else is written into the folder of ``--out``. A ``report.html`` among them replaces
        the page that is made of the parts.
    parts
        What is shown, in this order.
    """

    title: str
    values: dict[str, Any]
    files: Files = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    def add(self, *parts: Part) -> None:
        """Append parts, except empty facts."""
        self.parts += [part for part in parts if not (isinstance(part, Facts) and not part.named)]

    def ending(self, record: Record) -> None:
        """Add why a lesson stopped, highlighted if the goal was missed."""
        reason, groups = record.stopped_because, len(record.transcript.rounds)
        if reason is StoppedBecause.GOAL:
            self.add(Sentence(f"✓ Stopped because {reason.value}.", "good"))
            return
        missed = sum(1 for stop in record.transcript.stops if stop != 0)
        where = f" ({missed} of {groups} groups)" if groups > 1 else ""
        self.add(Sentence(f"✗ Not learnt: stopped because {reason.value}{where}.", "warning"))

    @property
    def remarks(self) -> list[Sentence]:
        """The sentences that go to stderr."""
        return [part for part in self.parts if isinstance(part, Sentence) and part.remark]

    @property
    def on_screen(self) -> list[Heading | Facts | Table | Sentence]:
        """The parts that are printed as text."""
        shown = [part for part in self.parts if not isinstance(part, Chart)]
        return [
            part
            for part in shown
            if not isinstance(part, Sentence) or (part.on_screen and not part.remark)
        ]

    @property
    def charts(self) -> list[Chart]:
        """The charts among the parts."""
        return [part for part in self.parts if isinstance(part, Chart)]


def page_of(report: CommandReport, drawn: Mapping[str, Figure]) -> Page:
    """Return the report as an HTML page; ``drawn`` has its charts by name."""
    from homeroom.plots import Page

    page = Page(report.title)
    for part in report.parts:
        match part:
            case Heading():
                page.heading(part.text)
            case Facts(named=named, main=True):
                page.numbers([(name, str(value)) for name, value in named])
            case Facts(named=named):
                page.table(("", ""), [(name, str(value)) for name, value in named], words=True)
            case Table():
                shown = part.rows[:MOST_ROWS_ON_PAGE]
                page.table(part.header, shown, best=part.best, words=part.words)
                if len(part.rows) > len(shown):
                    page.text(f"{len(part.rows) - len(shown)} more rows are in result.json.")
            case Chart():
                page.figure(drawn[part.name], part.caption)
            case Sentence() if part.on_page:
                page.text(part.text)
    page.footer(f"Made by homeroom {_plugins.version()}.")
    return page


def as_json(values: dict[str, Any]) -> str:
    """Return values as JSON text; numbers that JSON does not know become ``null``."""
    return json.dumps(_plain(values), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """Return a value as JSON values: arrays as lists, numbers that are not finite as ``None``."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
