"""SVG: a sheet of letters to look at. It can be written but not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from homeroom._checks import InputError
from homeroom.handwriting.files.base import AbstractFormat, Amiss, refuse
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.svg import sheet


@dataclass(frozen=True)
class Drawing(AbstractFormat):
    """A picture of all letters on one sheet; the settings are those of :func:`sheet`."""

    captions: Sequence[str] | None = None
    title: str | None = None
    ruled: bool = False

    name: ClassVar[str] = "SVG"
    suffixes: ClassVar[tuple[str, ...]] = (".svg",)

    def recognises(self, start: str) -> bool:
        return "<svg" in start

    def read(self, text: str, amiss: Amiss = refuse) -> list[Ink]:
        raise InputError("SVG is a picture of ink, without the pen's times: keep .jsonl or .inkml.")

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        yield sheet(inks, captions=self.captions, title=self.title, ruled=self.ruled)
