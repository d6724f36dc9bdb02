"""Read and write ink in any format; JSON lines and SVG sheets are defined here.

A file of JSON lines has one letter per line, and keeps everything exactly:
``{"letter": "l", "writer": "Ada", "strokes": [{"points": [[0, 0], [3, 4]], "times": [0, 0.5]}]}``
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from homeroom._checks import InputError
from homeroom._files import reading, replacing
from homeroom.handwriting.files.ink_format import (
    AbstractFormat,
    OnError,
    flipped,
    in_time_order,
    keep_readable,
    read_text,
    refuse,
)
from homeroom.handwriting.files.inkml import InkMl
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.svg import sheet

EXAMPLE = '{"letter": "l", "strokes": [{"points": [[0, 0], [3, 4]]}]}'
"""A line of a file of JSON lines."""


class InkJsonLines(AbstractFormat):
    """One JSON object per line, with ``letter``, ``writer`` and ``strokes``."""

    name: ClassVar[str] = "JSON lines"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json")

    def recognises(self, start: str) -> bool:
        return start.lstrip().startswith(("{", "["))

    def read(self, text: str, on_error: OnError = refuse) -> list[Ink]:
        lines = ((at, line) for at, line in enumerate(text.split("\n"), 1) if line.strip())
        return keep_readable((partial(_parse_letter, line, at) for at, line in lines), on_error)

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        for ink in inks:
            named = {"letter": ink.letter, "writer": ink.writer}
            known: dict[str, Any] = {key: word for key, word in named.items() if word is not None}
            yield json.dumps(known | {"strokes": [_stroke_fields(s) for s in ink]}) + "\n"


def _stroke_fields(stroke: Stroke) -> dict[str, Any]:
    """Return a stroke as JSON values, without what is unknown."""
    arrays = {"points": stroke.points, "times": stroke.times, "pressures": stroke.pressures}
    return {name: array.tolist() for name, array in arrays.items() if array is not None}


def _parse_json(line: str, at: int) -> Any:
    """Return the JSON value of a line; ``at`` is its number, for the error message."""
    try:
        return json.loads(line)
    except (RecursionError, ValueError) as reason:
        raise InputError(
            f"line {at} must be one JSON object for one letter, but is not valid JSON "
            f"({str(reason)[:80]})."
        ) from None


def _parse_letter(line: str, at: int) -> Ink:
    """Return the letter in a line of JSON; ``at`` is its number, for the error message."""
    fields = _parse_json(line, at)
    strokes = fields.get("strokes") if isinstance(fields, dict) else None
    if not isinstance(strokes, list) or not all(isinstance(s, dict) for s in strokes):
        raise InputError(
            f"line {at} must be a JSON object with a list of strokes, as in {EXAMPLE}."
        )
    try:
        made = [Stroke(s.get("points", ()), s.get("times"), s.get("pressures")) for s in strokes]
        return Ink(in_time_order(made), fields.get("letter"), fields.get("writer"))
    except (TypeError, ValueError) as reason:
        raise InputError(f"line {at}: {reason}") from None


@dataclass(frozen=True)
class SvgSheet(AbstractFormat):
    """A picture of all letters, which cannot be read; the settings are those of :func:`sheet`."""

    captions: Sequence[str] | None = None
    title: str | None = None
    ruled: bool = False

    name: ClassVar[str] = "SVG"
    suffixes: ClassVar[tuple[str, ...]] = (".svg",)

    def recognises(self, start: str) -> bool:
        return "<svg" in start

    def read(self, text: str, on_error: OnError = refuse) -> list[Ink]:
        raise InputError(
            "SVG is a picture of ink, without the times of the pen: store .jsonl or .inkml instead."
        )

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        yield sheet(inks, captions=self.captions, title=self.title, ruled=self.ruled)


FORMATS: tuple[AbstractFormat, ...] = (InkMl(), InkJsonLines(), SvgSheet())

MOST_LEFT_OUT = 1000
"""A file with more unreadable letters is refused."""

_START = 4096  # characters that determine the format of a file


def read_ink(
    path: str | PathLike[str],
    *,
    letter: str | None = None,
    y_up: bool = False,
    leave_out: Callable[[str], None] | None = None,
) -> list[Ink]:
    """Return the letters in a file; its format is recognised from its start.

    Parameters
    ----------
    path
        InkML or JSON lines.
    letter
        The letter, if the file does not state it.
    y_up
        Whether y grows upwards in this file.
    leave_out
        Called with a sentence for each letter that cannot be read, if others can. By default such
        a file is refused.

    Raises
    ------
    ValueError
        If the file is not ink, with what was expected, what was found, and where.
    """
    path = Path(path)
    _refuse_picture(path)
    text = read_text(path)
    form = _recognised_format(path, text)
    wrong: list[str] = []
    try:
        inks = form.read(text, refuse if leave_out is None else _collect_errors(wrong))
    except (TypeError, ValueError) as reason:
        raise InputError(f"{path} cannot be read as ink: {reason}") from None
    if not inks:
        raise InputError(
            f"{path} cannot be read as ink: {wrong[0] if wrong else 'it contains no stroke.'}"
        )
    for sentence in wrong:
        assert leave_out is not None
        leave_out(f"{path}, {sentence}")
    if y_up:
        inks = [flipped(ink) for ink in inks]
    return [ink if ink.letter is not None else replace(ink, letter=letter) for ink in inks]


_PICTURES = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"%PDF", b"II*\0", b"MM\0*", b"RIFF", b"BM")
"""How photos and scans begin: JPEG, PNG, GIF, PDF, TIFF, WebP and BMP; HEIC has its mark later."""


def _refuse_picture(path: Path) -> None:
    """Refuse a photo or scan of letters: it lacks the movement of the pen."""
    if not path.is_file():
        return
    with reading(path), path.open("rb") as file:
        start = file.read(12)
    if start.startswith(_PICTURES) or start[4:8] == b"ftyp":
        raise InputError(
            f"{path} is a picture: scans and photos of letters cannot be read, because they do not "
            "show how the pen moved. Let the child write on a tablet or phone (homeroom serve, "
            "with the activity of a letter), and score the .inkml file that it exports."
        )


def _collect_errors(wrong: list[str]) -> OnError:
    """Return a function that collects errors, up to a limit."""

    def take_down(reason: Exception) -> None:
        if len(wrong) == MOST_LEFT_OUT:
            raise InputError(
                f"more than {MOST_LEFT_OUT:,} letters are unreadable; the first: {wrong[0]}"
            )
        wrong.append(str(reason))

    return take_down


def write_ink(
    inks: Ink | Iterable[Ink],
    path: str | PathLike[str],
    *,
    captions: Sequence[str] | None = None,
    title: str | None = None,
    ruled: bool = False,
) -> None:
    """Write letters to a file, in the format of its suffix. No partial file is ever left.

    ``.jsonl`` and ``.inkml`` keep everything exactly. ``.svg`` draws a :func:`sheet` of all
    letters, with the given ``captions``, ``title`` and ``ruled``.
    """
    path = Path(path)
    form = _format_of_suffix(path)
    drawing = SvgSheet(captions, title, ruled)
    if isinstance(form, SvgSheet):
        form = drawing
    elif drawing != SvgSheet():
        raise InputError(f"`captions`, `title` and `ruled` are for .svg, but {path} is not.")
    given = [inks] if isinstance(inks, Ink) else list(inks)
    if not given:
        raise InputError(f"There is no ink to write into {path}.")
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(form.write(given))


def _recognised_format(path: Path, text: str) -> AbstractFormat:
    """Return the format of a text by its start, or else by the suffix of its file."""
    start = text[:_START]
    named = [form for form in FORMATS if path.suffix.lower() in form.suffixes]
    found = [form for form in FORMATS if form.recognises(start)] or named
    if not found:
        raise InputError(
            f"{path} cannot be read as ink: it must be InkML, or JSON lines such as {EXAMPLE}."
        )
    return found[0]


def _format_of_suffix(path: Path) -> AbstractFormat:
    """Return the format that is usual for the suffix of a file."""
    for form in FORMATS:
        if path.suffix.lower() in form.suffixes:
            return form
    known = ", ".join(form.suffixes[0] for form in FORMATS)
    raise InputError(
        f"{path} must end in one of {known}, but ends in {path.suffix or 'nothing'!r}."
    )
