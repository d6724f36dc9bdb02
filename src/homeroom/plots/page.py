"""A self-contained HTML page: text, tables and pictures in one file."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from homeroom.plots.style import look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
       color: #1c1c1c; background: #f6f7f8; margin: 0; padding: 2rem 1rem; }
main { max-width: 58rem; margin: 0 auto; background: #fff; border-top: 6px solid #0072b2;
       border-radius: 6px; padding: 2.2rem clamp(1.1rem, 5vw, 3.2rem) 2.4rem;
       box-shadow: 0 1px 3px rgb(0 0 0 / 12%); }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .6rem; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .5rem; }
p { max-width: 44rem; margin: .5rem 0 1rem; }
dl { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.4rem 0; padding: 0; }
dl > div { flex: 1 1 9rem; background: #f1f6fa; border-radius: 6px; padding: .8rem 1rem;
           display: flex; flex-direction: column-reverse; justify-content: flex-end; }
dt { color: #4a4a4a; font-size: .9rem; }
dd { margin: 0; font-size: 1.7rem; font-weight: 600; line-height: 1.25; color: #00568a;
     font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; min-width: 60%; }
th, td { padding: .45rem 0 .45rem 1.6rem; text-align: right; border-bottom: 1px solid #e3e3e3; }
th:first-child { text-align: left; padding-left: 0; }
thead th { font-weight: 600; border-bottom: 2px solid #8a8a8a; vertical-align: bottom; }
tbody th { font-weight: 400; }
table.words td, table.words th { text-align: left; vertical-align: top; font-size: .92rem; }
td.best { font-weight: 700; color: #00568a; }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr));
           grid-auto-flow: dense; gap: 0 1.6rem; }
.gallery .broad { grid-column: 1 / -1; }
figure { margin: 1.2rem 0 1.8rem; } figure img { display: block; width: 100%; height: auto; }
figcaption, footer { color: #4a4a4a; font-size: .92rem; max-width: 44rem; }
figcaption { margin-top: .4rem; }
footer { margin-top: 2.6rem; padding-top: 1rem; border-top: 1px solid #e3e3e3; }
@media print { body { background: #fff; padding: 0; } main { box-shadow: none; } }
"""


class Page:
    """A page that is built from top to bottom and written as one HTML file.

    >>> page = Page("A lesson")
    >>> page.text("All students reached the goal.")
    >>> "<h1>A lesson</h1>" in page.html()
    True
    """

    def __init__(self, title: str, *, language: str = "en") -> None:
        self.title = title
        self.language = language
        self._parts: list[str] = []

    def heading(self, text: str) -> None:
        """Add a heading."""
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def text(self, text: str) -> None:
        """Add a paragraph."""
        self._parts.append(f"<p>{escape(text)}</p>")

    def numbers(self, named: Iterable[tuple[str, str]]) -> None:
        """Add a few prominent numbers, each with its name."""
        cards = "".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in named
        )
        self._parts.append(f"<dl>{cards}</dl>")

    def table(
        self,
        header: Sequence[str],
        rows: Iterable[Sequence[str]],
        *,
        best: Iterable[tuple[int, int]] = (),
        words: bool = False,
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
        """
        marked = set(best)
        head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
        body = "".join(_row(number, row, marked) for number, row in enumerate(rows))
        kind = ' class="words"' if words else ""
        top = f"<thead><tr>{head}</tr></thead>" if any(header) else ""
        table = f"<table{kind}>{top}<tbody>{body}</tbody></table>"
        self._parts.append(f'<div class="wide">{table}</div>')

    def figure(self, drawn: Figure, caption: str, *, alternative: str = "") -> None:
        """Add a picture with its caption, and an alternative text for screen readers."""
        self._picture(_svg(drawn), caption, alternative or caption)

    def picture(self, path: Path, caption: str) -> None:
        """Add an ``.svg`` file with its caption."""
        self._picture(path.read_bytes(), caption, caption)

    def drawing(self, markup: str, caption: str) -> None:
        """Add inline markup, which can react to the pointer.

        ``markup`` is not escaped: the caller must escape its contents.
        """
        self._parts.append(
            f'<figure class="drawn">{markup}<figcaption>{escape(caption)}</figcaption></figure>'
        )

    def gallery(self, pictures: Iterable[tuple[Path, str, bool]]) -> None:
        """Add ``.svg`` files side by side with captions; broad ones get their own row."""
        self._parts.append('<div class="gallery">')
        for path, caption, broad in pictures:
            self._picture(path.read_bytes(), caption, caption, ' class="broad"' if broad else "")
        self._parts.append("</div>")

    def _picture(self, svg: bytes, caption: str, alternative: str, kind: str = "") -> None:
        """Add a picture; ``kind`` is an attribute of its HTML element."""
        # An image, not inline markup: the identifiers of two drawings would clash.
        data = b64encode(svg).decode("ascii")
        self._parts.append(
            f'<figure{kind}><img alt="{escape(alternative, quote=True)}" '
            f'src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )

    def footer(self, text: str) -> None:
        """Add a line at the bottom."""
        self._parts.append(f"<footer>{escape(text)}</footer>")

    def html(self) -> str:
        """Return the page as text."""
        body = "\n".join(self._parts)
        return (
            f'<!doctype html>\n<html lang="{self.language}">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
            f"<main>\n<h1>{escape(self.title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
        )

    def write(self, path: Path) -> None:
        """Write the page to a file."""
        path.write_text(self.html(), encoding="utf-8")


def _row(number: int, row: Sequence[str], marked: set[tuple[int, int]]) -> str:
    """Return a row of a table as HTML, with the cells in ``marked`` highlighted."""
    cells = [f'<th scope="row">{escape(row[0])}</th>']
    for column, cell in enumerate(row[1:], start=1):
        kind = ' class="best"' if (number, column) in marked else ""
        cells.append(f"<td{kind}>{escape(cell)}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _svg(drawn: Figure) -> bytes:
    buffer = io.BytesIO()
    with look():
        drawn.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()
