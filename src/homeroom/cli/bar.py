"""A bar on stderr for what says how much of it is done, from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def fraction_bar(what: str) -> Iterator[Callable[[float], None]]:
    """Show a bar while something is done, and take it away afterwards."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=32, complete_style="blue", finished_style="blue"),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task(what, total=1.0)
        yield lambda done: bar.update(task, completed=done)
