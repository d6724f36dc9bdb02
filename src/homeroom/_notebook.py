"""Notebooks and terminals: results as tables with a picture, figures, and progress bars."""

from __future__ import annotations

import base64
import io
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UPDATE_SECONDS = 0.1
"""Seconds between two updates of a bar in a notebook."""

NOTEBOOK_ROWS = 12
"""The most rows of a table in a notebook."""


def in_notebook() -> bool:
    """Return whether this code runs in a notebook: in IPython, and with a kernel."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def show(figure: Figure) -> None:
    """Show a figure when the notebook's cell ends, with all changes until then.

    Outside a notebook, do nothing.
    """
    if not in_notebook():
        return
    from IPython import get_ipython
    from IPython.display import Image, display

    events = get_ipython().events

    def draw() -> None:
        events.unregister("post_execute", draw)
        display(Image(_png(figure)))

    events.register("post_execute", draw)


def html(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    draw: Callable[[], Figure | None] | None = None,
) -> str:
    """Return a result as HTML: a title, a table and, if ``draw`` returns a figure, a picture.

    Only the first ``NOTEBOOK_ROWS`` rows are shown, with a note on how many follow. A header of
    empty texts is left out.
    """
    table_rows = [f"<tr>{_cells(header, 'th')}</tr>"] if any(header) else []
    table_rows += [f"<tr>{_cells(row, 'td')}</tr>" for row in rows[:NOTEBOOK_ROWS]]
    more = len(rows) - NOTEBOOK_ROWS
    note = f"<p>and {more} more row{'s' * (more > 1)}</p>" if more > 0 else ""
    figure = None if draw is None else draw()
    picture = ""
    if figure is not None:
        data = base64.b64encode(_png(figure)).decode()
        picture = f'<img alt="{escape(title)}" src="data:image/png;base64,{data}">'
    table = f'<table class="dataframe"><tbody>{"".join(table_rows)}</tbody></table>'
    return f"<div><p><b>{escape(title)}</b></p>{table}{note}{picture}</div>"


def align(rows: Sequence[Sequence[str]], *, words: int = 0) -> str:
    """Return a table as text, its first ``words`` columns aligned left and the others right.

    >>> print(align([["way", "T"], ["alone", "12"]], words=1))
    way     T
    alone  12
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    signs = ["<" if i < words else ">" for i in range(len(widths))]
    line = "  ".join(f"{{:{sign}{width}}}" for sign, width in zip(signs, widths, strict=True))
    return "\n".join(line.format(*row).rstrip() for row in rows)


def _cells(row: Sequence[object], tag: str) -> str:
    """Return a row of an HTML table, without its ``tr``."""
    return "".join(f"<{tag}>{escape(str(value))}</{tag}>" for value in row)


def _png(figure: Figure) -> bytes:
    """Return a figure as a PNG file."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110)
    return file.getvalue()


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[Any], None]]:
    """Show a bar in the notebook or the terminal, and yield a function that moves it.

    ``what`` is the label of the bar, such as "Teaching". The function takes the fraction that is
    done, from 0 to 1, or an object that has it as ``done``. Where there is neither a
    notebook nor a terminal, nothing is shown.
    """
    if in_notebook():
        move = _notebook_bar(what)
        yield move
        move(1.0)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=32),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda progress: bar.update(task, completed=_fraction_done(progress))


def _notebook_bar(what: str) -> Callable[[Any], None]:
    """Show a bar in the notebook, and return the function that moves it."""
    from IPython.display import HTML, display

    began = time.monotonic()
    shown = display(HTML(_bar_html(what, 0.0, 0.0)), display_id=True)
    last = began

    def move(progress: Any) -> None:
        nonlocal last
        share, now = _fraction_done(progress), time.monotonic()
        if now - last >= UPDATE_SECONDS or share >= 1.0:
            last = now
            shown.update(HTML(_bar_html(what, share, now - began)))

    return move


def _bar_html(what: str, share: float, seconds: float) -> str:
    """Return a bar as HTML, with the share that is done and the time so far."""
    return (
        f'<label>{escape(what)} <progress max="1" value="{share:.3f}"></progress> '
        f"{100 * share:.0f} %, {seconds:.0f} s</label>"
    )


def _fraction_done(progress: Any) -> float:
    """Return the fraction that is done, from 0 to 1; 0 if it is not finite."""
    share = float(getattr(progress, "done", progress))
    return min(1.0, max(0.0, share)) if math.isfinite(share) else 0.0


@contextmanager
def reporting(
    progress: Callable[[Any], None] | bool | None, what: str
) -> Iterator[Callable[[Any], None] | None]:
    """Yield the function that receives progress, or ``None`` if none is wanted.

    ``progress`` is what the user passed: ``True`` shows a bar with the label ``what``, a function
    is used as it is, ``False`` and ``None`` report nothing.

    >>> with reporting(None, "Teaching") as report:
    ...     print(report)
    None
    """
    if progress is True:
        with progress_bar(what) as move:
            yield move
    else:
        yield progress if callable(progress) else None
