"""A common style for all plots: plain axes, and colours that are safe for colour-blind readers.

Matplotlib takes a second to import, so it is imported only when something is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from homeroom import _notebook

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5c5c5c")
"""The colours of Okabe and Ito, which colour-blind readers can distinguish, in order of use."""

DASHES = ("solid", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
"""Line styles that differ even without colour, in order of use."""

QUIET = "#5c5c5c"
"""The grey of annotations."""

_SETTINGS: Any = {
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8a8a8a",
    "axes.labelcolor": "#1c1c1c",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "xtick.color": "#5c5c5c",
    "ytick.color": "#5c5c5c",
    "xtick.labelcolor": "#1c1c1c",
    "ytick.labelcolor": "#1c1c1c",
    "grid.color": "#e8e8e8",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "legend.handlelength": 2.4,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "savefig.bbox": "tight",
    "svg.hashsalt": "homeroom",
}


@contextmanager
def look() -> Iterator[None]:
    """Use homeroom's style inside this block, and restore the user's settings afterwards."""
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS):
        yield


def figure(width: float = 5.0, height: float = 3.2, **options: Any) -> Figure:
    """Return an empty figure of a size in inches, without a window."""
    from matplotlib.figure import Figure

    with look():
        return Figure(figsize=(width, height), layout="constrained", **options)


def panel(width: float = 5.0, height: float = 3.2) -> tuple[Figure, Axes]:
    """Return a figure of a size in inches with one pair of axes."""
    drawn = figure(width, height)
    with look():
        return drawn, drawn.add_subplot()


def axes(ax: Axes | None = None) -> Axes:
    """Return the given axes, or new ones."""
    if ax is not None:
        return ax
    return panel()[1]


@contextmanager
def drawing(ax: Axes | None) -> Iterator[Axes]:
    """Yield the axes to draw on; new ones are shown in a notebook when the block ends."""
    if ax is not None:
        yield ax
        return
    drawn, ax = panel()
    yield ax
    _notebook.show(drawn)


def picture(draw: Callable[[Axes], object], width: float = 5.0, height: float = 3.2) -> Figure:
    """Return a figure of a size in inches with one pair of axes, which a function draws on."""
    drawn, ax = panel(width, height)
    draw(ax)
    return drawn


def save_figure(drawn: Figure, path: str | PathLike[str], **options: Any) -> None:
    """Write a figure in the format of the file's suffix, with the options of ``savefig``.

    The same figure always gives the same file.
    """
    ending = Path(path).suffix.lower()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending[1:])
    with look():
        drawn.savefig(path, metadata=metadata, **{"dpi": 150, **options})
