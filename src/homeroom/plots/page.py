"""A self-contained HTML page: text, tables, pictures, maps and letters in one file.

A page is data, which the viewer shows: a script and a style that are built from ``web/``, beside
the pages of the live classroom.
"""

from __future__ import annotations

import io
import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from homeroom._checks import InputError
from homeroom._version import VERSION
from homeroom.plots.style import look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VIEWER = Path(__file__).parents[1] / "live" / "static" / "viewer"
"""The folder with the script and the style of the viewer."""

DOCUMENT = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="page"></div>
<noscript><p>This page needs JavaScript. Please switch it on.</p></noscript>
<script type="application/json" id="page-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


class Page:
    """A page that is built from top to bottom and written as one HTML file.

    >>> page = Page("A lesson")
    >>> page.text("All students reached the goal.")
    >>> page.parts
    [{'kind': 'text', 'text': 'All students reached the goal.'}]
    """

    def __init__(self, title: str, *, language: str = "en") -> None:
        self.title = title
        self.language = language
        self.parts: list[dict[str, Any]] = []
        self.footer_text = f"Made by homeroom {VERSION}."

    def add(self, kind: str, **values: Any) -> None:
        """Add a part that the viewer knows by its kind; ``web/src/viewer/page.ts`` lists all."""
        self.parts.append({"kind": kind, **values})

    def heading(self, text: str) -> None:
        """Add a heading."""
        self.add("heading", text=text)

    def text(self, text: str) -> None:
        """Add a paragraph."""
        self.add("text", text=text)

    def numbers(self, named: Iterable[tuple[str, str]]) -> None:
        """Add a few prominent numbers, each with its name."""
        self.add("numbers", named=list(named))

    def table(
        self,
        header: Sequence[str],
        rows: Iterable[Sequence[str]],
        *,
        best: Iterable[tuple[int, int]] = (),
        words: bool = False,
        curves: Mapping[tuple[int, int], tuple[Sequence[tuple[float, float]], str]] | None = None,
    ) -> None:
        """Add a table; its first column names the rows.

        Parameters
        ----------
        header
            The names of the columns; no header row if all are empty.
        rows
            The cells, as text.
        best
            Cells to highlight, as (row, column), both counted from 0.
        words
            Whether the cells contain words, which are aligned left, rather than numbers.
        curves
            Curves below the text of cells, as points from 0 to 1 and a description, by cell.
        """
        drawn = [
            {"cell": cell, "points": list(points), "words": words_of}
            for cell, (points, words_of) in (curves or {}).items()
        ]
        self.add(
            "table",
            header=list(header),
            rows=list(rows),
            best=list(best),
            words=words,
            curves=drawn,
        )

    def figure(self, drawn: Figure, caption: str, *, alternative: str = "") -> None:
        """Add a picture with its caption, and an alternative text for screen readers."""
        self.add("gallery", pictures=[_picture(_svg(drawn), caption, alternative)])

    def picture(self, path: Path, caption: str) -> None:
        """Add an ``.svg`` file with its caption."""
        self.add("gallery", pictures=[_picture(path.read_bytes(), caption)])

    def gallery(self, pictures: Iterable[tuple[Path, str, bool]]) -> None:
        """Add ``.svg`` files side by side with captions; broad ones get their own row."""
        shown = [
            _picture(path.read_bytes(), caption, broad=broad) for path, caption, broad in pictures
        ]
        self.add("gallery", pictures=shown)

    def footer(self, text: str) -> None:
        """Set the line at the bottom; by default it states the version of homeroom."""
        self.footer_text = text

    def html(self) -> str:
        """Return the page as text.

        Only its own script and style may run, and nothing may be loaded.
        """
        script, style = read_viewer()
        data = {"title": self.title, "parts": self.parts, "footer": self.footer_text}
        policy = (
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        )
        content = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return DOCUMENT.format(
            language=escape(self.language),
            title=escape(self.title),
            policy=policy,
            style=style,
            script=script,
            data=content.replace("<", "\\u003c"),  # so that no text ends the script
        )

    def write(self, path: Path) -> None:
        """Write the page to a file."""
        path.write_text(self.html(), encoding="utf-8")


@cache
def read_viewer() -> tuple[str, str]:
    """Return the script and the style of the viewer."""
    try:
        return (
            (VIEWER / "viewer.js").read_text(encoding="utf-8"),
            (VIEWER / "viewer.css").read_text(encoding="utf-8"),
        )
    except FileNotFoundError:
        raise InputError(
            "The page cannot be written, as the viewer is not built: run `make web` in the sources "
            "of homeroom, or install a released version."
        ) from None


def _digest(text: str) -> str:
    """Return the hash of a script or a style, as the Content-Security-Policy expects it."""
    return "sha256-" + b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")


def _picture(
    svg: bytes, caption: str, alternative: str = "", *, broad: bool = False
) -> dict[str, Any]:
    # An image, not inline markup: the identifiers of two drawings would clash.
    source = f"data:image/svg+xml;base64,{b64encode(svg).decode('ascii')}"
    return {
        "source": source,
        "caption": caption,
        "alternative": alternative or caption,
        "broad": broad,
    }


def _svg(drawn: Figure) -> bytes:
    buffer = io.BytesIO()
    with look():
        drawn.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()
