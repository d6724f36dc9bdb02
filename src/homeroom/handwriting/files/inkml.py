"""InkML, the W3C's format, read by the standard library's expat with every entity refused.

A file is refused as soon as it declares a document type, before anything in it is expanded; so
there are no entities but XML's own five. Nothing outside the file is ever read.

Read are the traces with their channels X, Y, T (time) and F (force), whatever else there is beside
them. A ``traceGroup`` that holds traces is one letter; all traces outside of groups are another.
Annotations of the type ``truth`` (or ``letter``, ``label``) and ``writer`` name them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape

from homeroom._checks import InputError
from homeroom.handwriting.files.base import (
    AbstractFormat,
    Amiss,
    Draft,
    Trace,
    finished,
    number,
    refuse,
)
from homeroom.handwriting.files.traces import PLAIN, Channel, TraceFormat, trace_of
from homeroom.handwriting.ink import Ink, Stroke

MAX_DEPTH = 64
_LETTER = ("truth", "letter", "label")
_START = '<?xml version="1.0" encoding="UTF-8"?>\n<ink xmlns="http://www.w3.org/2003/InkML">\n'


class InkMl(AbstractFormat):
    """Traces, as the W3C recommends."""

    name: ClassVar[str] = "InkML"
    suffixes: ClassVar[tuple[str, ...]] = (".inkml", ".xml")

    def recognises(self, start: str) -> bool:
        return start.lstrip().startswith("<") and "<svg" not in start

    def read(self, text: str, amiss: Amiss = refuse) -> list[Ink]:
        page = _Page()
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.EntityDeclHandler = _refuse_doctype
        parser.ExternalEntityRefHandler = _refuse_doctype
        parser.StartElementHandler = page.start
        parser.EndElementHandler = page.end
        parser.CharacterDataHandler = page.text
        try:
            parser.Parse(text, True)
        except expat.ExpatError as reason:
            raise InputError(f"it is not well-formed XML ({reason}).") from None
        return finished(page.letters(), amiss)

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        yield _START
        used = {_kind(stroke) for ink in inks for stroke in ink}
        yield from (_CONTEXTS[kind] for kind in sorted(used))
        for ink in inks:
            yield "  <traceGroup>\n"
            for name, word in (("truth", ink.letter), ("writer", ink.writer)):
                if word is not None:
                    yield f'    <annotation type="{name}">{escape(word)}</annotation>\n'
            for stroke in ink:
                yield f'    <trace contextRef="#{_kind(stroke)}">{_samples(stroke)}</trace>\n'
            yield "  </traceGroup>\n"
        yield "</ink>\n"


def _refuse_doctype(*_: object) -> NoReturn:
    raise InputError(
        "it declares a document type or entities, which can be used for harm: delete the "
        "<!DOCTYPE ...> at its start."
    )


_CHANNELS = {
    "x": '<channel name="X" type="decimal"/>',
    "y": '<channel name="Y" type="decimal"/>',
    "t": '<channel name="T" type="decimal" units="s"/>',
    "f": '<channel name="F" type="decimal" min="0" max="1"/>',
}
_CONTEXTS = {
    kind: f'  <context xml:id="{kind}"><traceFormat>'
    f"{''.join(_CHANNELS[name] for name in kind)}</traceFormat></context>\n"
    for kind in ("xy", "xyf", "xyt", "xytf")
}


def _kind(stroke: Stroke) -> str:
    return f"xy{'t' * (stroke.times is not None)}{'f' * (stroke.pressures is not None)}"


def _samples(stroke: Stroke) -> str:
    columns = [*stroke.points.T, stroke.times, stroke.pressures]
    known = [map(number, column.tolist()) for column in columns if column is not None]
    return ", ".join(" ".join(row) for row in zip(*known, strict=True))


@dataclass
class _Group:
    """One letter in the making."""

    traces: list[Trace] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    wrong: ValueError | None = None


@dataclass
class _Page:
    """What has been read so far."""

    path: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    formats: dict[str, TraceFormat] = field(default_factory=dict)
    latest: TraceFormat = PLAIN
    channels: list[Channel] = field(default_factory=list)
    groups: list[_Group] = field(default_factory=lambda: [_Group()])  # the first: outside of groups
    open: list[_Group] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    seen: int = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take note of an element that opens."""
        if len(self.path) >= MAX_DEPTH:
            raise InputError(f"its elements are nested more than {MAX_DEPTH} deep.")
        tag = name.rpartition(" ")[2]
        if not self.path and tag != "ink":
            raise InputError(f"it must be an <ink> document, but is <{tag[:40]}>.")
        known = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        self.path.append((tag, known))
        self.words = []
        if tag == "traceGroup":
            self.groups.append(_Group())
            self.open.append(self.groups[-1])
        elif tag == "traceFormat":
            self.channels = []
        elif tag == "channel":
            self.channels.append(Channel.of(known))
        elif tag in ("context", "inkSource"):
            self._refer(known)

    def text(self, words: str) -> None:
        """Take the text of the innermost element."""
        self.words.append(words)

    def end(self, name: str) -> None:
        """Keep what an element held."""
        tag, known = self.path.pop()
        words = "".join(self.words)
        self.words = []
        if tag == "traceFormat":
            self._keep_format(known)
        elif tag == "trace" and known.get("type") != "penUp":
            self.seen += 1
            self._keep_trace(words, known)
        elif tag == "annotation" and self.path[-1][0] in ("ink", "traceGroup"):
            self._group.names.setdefault(known.get("type", ""), " ".join(words.split()))
        elif tag == "traceGroup":
            self.open.pop()

    def letters(self) -> list[Draft]:
        """Return the letters; what names the whole document names each of them."""
        common = self.groups[0].names
        return [
            Draft(
                group.traces,
                letter=_first(common | group.names, *_LETTER),
                writer=_first(common | group.names, "writer"),
                wrong=group.wrong,
            )
            for group in self.groups
            if group.traces or group.wrong
        ]

    @property
    def _group(self) -> _Group:
        return self.open[-1] if self.open else self.groups[0]

    def _keep_trace(self, words: str, known: dict[str, str]) -> None:
        try:
            trace = trace_of(words, self._format(known), f"trace {self.seen}")
            self._group.traces.append(trace)
        except ValueError as reason:
            self._group.wrong = self._group.wrong or reason

    def _keep_format(self, known: dict[str, str]) -> None:
        """Keep a trace format under its own name and under those of what it stands in."""
        self.latest = TraceFormat.of(self.channels)
        around = [attributes for tag, attributes in self.path if tag in ("context", "inkSource")]
        for attributes in [known, *around]:
            if "id" in attributes:
                self.formats[attributes["id"]] = self.latest

    def _refer(self, known: dict[str, str]) -> None:
        """Let a context stand for the format that it refers to."""
        for reference in ("traceFormatRef", "inkSourceRef", "contextRef"):
            meant = self.formats.get(known.get(reference, "").removeprefix("#"))
            if meant is not None:
                self.latest = meant
                if "id" in known:
                    self.formats[known["id"]] = meant

    def _format(self, known: dict[str, str]) -> TraceFormat:
        return self.formats.get(known.get("contextRef", "").removeprefix("#"), self.latest)


def _first(names: dict[str, str], *kinds: str) -> str | None:
    return next((names[kind] for kind in kinds if names.get(kind)), None)
