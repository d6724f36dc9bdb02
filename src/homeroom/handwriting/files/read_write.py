"""Ink from a file and into one, whichever format it has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from homeroom._checks import InputError
from homeroom._files import is_folder, reading, replacing
from homeroom.handwriting.files.base import AbstractFormat, Amiss, refuse, upside_down
from homeroom.handwriting.files.drawing import Drawing
from homeroom.handwriting.files.inkml import InkMl
from homeroom.handwriting.files.json_lines import JsonLines
from homeroom.handwriting.files.shapes import Shapes
from homeroom.handwriting.files.svc import Svc
from homeroom.handwriting.files.uji import Uji
from homeroom.handwriting.files.unipen import Unipen
from homeroom.handwriting.ink import Ink

FORMATS: tuple[AbstractFormat, ...] = (
    InkMl(),
    JsonLines(),
    Unipen(),
    Uji(),
    Svc(),
    Shapes(),
    Drawing(),
)

MAX_BYTES = 64 << 20
"""The largest file that is read unless told otherwise: 64 MiB, some million points."""

MOST_LEFT_OUT = 1000
"""A file in which more letters are wrong is refused as a whole."""

_START = 4096  # characters of a file that tell its format


def read_ink(
    path: str | PathLike[str],
    *,
    letter: str | None = None,
    y_up: bool | None = None,
    max_bytes: int = MAX_BYTES,
    leave_out: Callable[[str], None] | None = None,
) -> list[Ink]:
    """Return the letters that a file holds; what it starts with says which format it has.

    Parameters
    ----------
    path
        InkML, JSON lines, UJI or UNIPEN text, ``.svc``, or a ``.dat`` of shapes.
    letter
        Which letter it is, where the file does not say so itself. Files that cannot are asked by
        their name: ``f.svc`` holds an f.
    y_up
        Whether y grows upwards in this file, if it is not as is usual for its format.
    max_bytes
        Refuse a larger file.
    leave_out
        Called with a sentence for each letter that cannot be read, if there are others that can.
        Unless given, such a file is refused.

    Raises
    ------
    ValueError
        If the file holds no ink: what was expected, what was found, and where.
    """
    path = Path(path)
    text = _text(path, max_bytes)
    form = _recognised(path, text)
    wrong: list[str] = []
    try:
        inks = form.read(text, refuse if leave_out is None else _taken_down(wrong))
    except (TypeError, ValueError) as reason:
        raise InputError(f"{path} is no ink: {reason}") from None
    if not inks:
        raise InputError(f"{path} is no ink: {wrong[0] if wrong else 'it has no stroke in it.'}")
    for sentence in wrong:
        assert leave_out is not None
        leave_out(f"{path}, {sentence}")
    if form.y_up if y_up is None else y_up:
        inks = [upside_down(ink) for ink in inks]
    name = letter or (path.stem if form.letter_from_name and len(path.stem) == 1 else None)
    return [ink if ink.letter is not None else replace(ink, letter=name) for ink in inks]


def _taken_down(wrong: list[str]) -> Amiss:
    """Return what writes down what is wrong with each letter, as long as those are not too many."""

    def take_down(reason: Exception) -> None:
        if len(wrong) == MOST_LEFT_OUT:
            raise InputError(
                f"more than {MOST_LEFT_OUT:,} letters are wrong; the first: {wrong[0]}"
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
    """Write letters into a file; its ending says which format. Nothing half-written is left.

    ``.jsonl`` and ``.inkml`` keep everything exactly. ``.svg`` draws a :func:`sheet` of all
    letters, which is what ``captions``, ``title`` and ``ruled`` are for.
    """
    path = Path(path)
    form = _asked_for(path)
    drawing = Drawing(captions, title, ruled)
    if isinstance(form, Drawing):
        form = drawing
    elif drawing != Drawing():
        raise InputError(f"`captions`, `title` and `ruled` are for .svg, but {path} is none.")
    given = [inks] if isinstance(inks, Ink) else list(inks)
    if not given:
        raise InputError(f"There is no ink to write into {path}.")
    if form.letter_from_name:
        _refuse_other_name(path, given)
    turned = [upside_down(ink) for ink in given] if form.y_up else given
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(form.write(turned))


def _text(path: Path, max_bytes: int) -> str:
    if is_folder(path):
        raise InputError(f"{path} is a folder: name a file of ink in it.")
    with reading(path):
        size = path.stat().st_size
        if size > max_bytes:
            raise InputError(
                f"{path} has {size / 2**20:.0f} MiB, more than the limit of "
                f"{max_bytes / 2**20:.0f} MiB for ink. Split it, or raise max_bytes."
            )
        data = path.read_bytes()
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise InputError(f"{path} is no ink: it must be text in UTF-8, but is not.") from None
    if not text.strip():
        raise InputError(f"{path} is empty.")
    if "\0" in text:
        raise InputError(f"{path} is no ink: it must be text, but has zero bytes in it.")
    return text


def _recognised(path: Path, text: str) -> AbstractFormat:
    """Return the format that a text starts like; else the one that the file's name asks for."""
    start = text[:_START]
    named = [form for form in FORMATS if path.suffix.lower() in form.suffixes]
    found = [form for form in FORMATS if form.recognises(start)] or named
    if not found:
        names = ", ".join(form.name for form in FORMATS if not isinstance(form, Drawing))
        raise InputError(f"{path} is no ink: it starts like none of {names}.")
    return found[0]


def _asked_for(path: Path) -> AbstractFormat:
    for form in FORMATS:
        if path.suffix.lower() in form.suffixes:
            return form
    known = ", ".join(form.suffixes[0] for form in FORMATS)
    raise InputError(
        f"{path} must end in one of {known}, but ends in {path.suffix or 'nothing'!r}."
    )


def _refuse_other_name(path: Path, inks: list[Ink]) -> None:
    for ink in inks:
        if ink.letter is not None and ink.letter != path.stem:
            raise InputError(
                f"{path} would be read as another letter than {ink.letter!r}: name the file "
                f"{ink.letter}{path.suffix}, one for each letter, or write .jsonl."
            )
