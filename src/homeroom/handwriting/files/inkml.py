"""InkML, the format of the W3C, parsed with expat; all entities are refused.

A file is refused as soon as it declares a document type, before anything in it is expanded, so
there are no entities except the five of XML. Nothing outside the file is ever read.

The parser reads traces with the channels X, Y, T (time) and F (force), and ignores all others. A
``traceGroup`` that contains traces is one letter; all traces outside groups are another. A
``traceView`` refers to a trace or a group by its id, and to some points of a trace with ``from``
and ``to``. If a group contains views, the file is a segmentation (as in CROHME): each such group is
a letter, and all traces that no group refers to are another, without a label. Annotations of the
type ``truth`` (or ``letter``, ``label``) and ``writer`` name them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.handwriting.files.ink_format import (
    AbstractFormat,
    OnError,
    ParsedLetter,
    Trace,
    finish_letters,
    format_number,
    refuse,
)
from homeroom.handwriting.ink import Ink, Stroke, few_enough

_MILLIMETRES = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6}
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
# A number or a special value, after ! (absolute), ' (first) or " (second difference).
_VALUE = re.compile(
    r"\s*(?P<how>[!'\"]?)\s*"
    r"(?P<what>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)\w*|[*?TF]|\#[0-9a-fA-F]+)"
)


@dataclass(frozen=True)
class Channel:
    """The meaning of one number of each point."""

    name: str
    units: str = ""
    upside_down: bool = False  # whether its numbers have the opposite sign
    most: float | None = None  # the greatest number, if stated

    @classmethod
    def of(cls, known: dict[str, str]) -> Channel:
        """Return the channel that the attributes of an element describe."""
        most = known.get("max", "")
        return cls(
            name=known.get("name", ""),
            units=known.get("units", ""),
            upside_down=known.get("orientation") == "-ve",
            most=float(most) if re.fullmatch(r"\d+(\.\d+)?", most) and float(most) else None,
        )


@dataclass(frozen=True)
class TraceFormat:
    """The channels of a trace, in the order of their numbers."""

    channels: tuple[Channel, ...]

    @classmethod
    def of(cls, channels: Sequence[Channel]) -> TraceFormat:
        """Return a format with these channels, X and Y among them; without any, X and Y."""
        names = [channel.name for channel in channels]
        if names and not ("X" in names and "Y" in names):
            raise InputError(f"its traceFormat must have the channels X and Y, but has {names}.")
        return cls(tuple(channels)) if names else DEFAULT_FORMAT

    def place(self, name: str) -> int | None:
        """Return the index of a channel in each point."""
        names = [channel.name for channel in self.channels]
        return names.index(name) if name in names else None


DEFAULT_FORMAT = TraceFormat((Channel("X"), Channel("Y")))
"""The channels of a trace without a format."""


def parse_trace(text: str, form: TraceFormat, where: str) -> Trace:
    """Return the trace in a text; ``where`` names its place in the file, for errors."""
    table = _parse_points(text, form, where)
    columns = {
        channel.name: table[:, at]
        for at, channel in enumerate(form.channels)
        if not np.isnan(table[:, at]).all()
    }
    by_name = {channel.name: channel for channel in form.channels}
    if not {"X", "Y"} <= set(columns):
        raise InputError(f"{where} must have an x and a y for each point.")
    points = np.stack([_oriented(columns[name], by_name[name]) for name in "XY"], axis=1)
    scales = [_MILLIMETRES.get(by_name[name].units, 1.0) for name in "XY"]
    if scales[0] != scales[1]:
        points = points * scales
    full = by_name["F"].most if "F" in columns else None
    return Trace(points, _times(columns, by_name), columns.get("F"), full, where)


def _oriented(column: Floats, channel: Channel) -> Floats:
    return -column if channel.upside_down else column


def _times(columns: dict[str, Floats], by_name: dict[str, Channel]) -> Floats | None:
    """Return the times in seconds; None without a channel T."""
    if "T" not in columns:
        return None
    units = by_name["T"].units or "ms"
    if units not in _SECONDS:
        raise InputError(f"its channel T must be in s or ms, but is in {units[:40]!r}.")
    return columns["T"] * _SECONDS[units]


def _parse_points(text: str, form: TraceFormat, where: str) -> Floats:
    """Return one row per point and one column per channel; NaN where a value is unknown."""
    rows = text.split(",")
    if not text.strip():
        raise InputError(f"{where} must have at least one point, but is empty.")
    few_enough(len(rows))
    width = len(form.channels)
    try:
        plain = np.array([row.split() for row in rows], dtype=np.float64)
        if plain.shape == (len(rows), width):
            return plain
    except ValueError:
        pass  # differences, unknown values, or values without spaces between them
    return _decode_differences(rows, width, where)


def _decode_differences(rows: list[str], width: int, where: str) -> Floats:
    """Return the points of a trace that uses differences, or special values."""
    table = np.full((len(rows), width), np.nan)
    how = ["!"] * width  # the last modifier of each channel
    step = [0.0] * width  # the last difference of each channel
    for at, row in enumerate(rows):
        values = _parse_point(row, width, f"point {at + 1} of {where}")
        before = table[at - 1] if at else np.zeros(width)
        for channel, (given, what) in enumerate(values):
            how[channel] = given or how[channel]
            if what in ("?", "T", "F"):
                continue
            if what == "*":
                table[at, channel] = before[channel]
                continue
            value = float(int(what[1:], 16)) if what.startswith("#") else float(what)
            if how[channel] == "'":
                step[channel] = value
            elif how[channel] == '"':
                step[channel] += value
            table[at, channel] = value if how[channel] == "!" else before[channel] + step[channel]
    return table


def _parse_point(row: str, width: int, where: str) -> list[tuple[str, str]]:
    """Return the modifier and the value of each channel in one point."""
    values = []
    end = 0
    while row[end:].strip():
        found = _VALUE.match(row, end)
        if found is None:
            raise InputError(f"{where} must be numbers, but has {row[end:].strip()[:40]!r}.")
        values.append((found["how"], found["what"]))
        end = found.end()
        if len(values) > width:
            raise InputError(f"{where} must have {width} numbers, but has more.")
    if len(values) < 2:
        raise InputError(f"{where} must have {width} numbers, but has {len(values)}.")
    return values


MAX_DEPTH = 64
MOST_VIEWED = 20_000_000
"""The most points of all traces that views refer to."""

_LETTER = ("truth", "letter", "label")
_START = '<?xml version="1.0" encoding="UTF-8"?>\n<ink xmlns="http://www.w3.org/2003/InkML">\n'


class InkMl(AbstractFormat):
    """Traces as recommended by the W3C."""

    name: ClassVar[str] = "InkML"
    suffixes: ClassVar[tuple[str, ...]] = (".inkml", ".xml")

    def recognises(self, start: str) -> bool:
        return start.lstrip().startswith("<") and "<svg" not in start

    def read(self, text: str, on_error: OnError = refuse) -> list[Ink]:
        page = _InkMlParser()
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
        return finish_letters(page.letters(), on_error)

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        yield _START
        used = {_channels_of(stroke) for ink in inks for stroke in ink}
        yield from (_CONTEXTS[kind] for kind in sorted(used))
        for ink in inks:
            yield "  <traceGroup>\n"
            for name, word in (("truth", ink.letter), ("writer", ink.writer)):
                if word is not None:
                    yield f'    <annotation type="{name}">{escape(word)}</annotation>\n'
            for stroke in ink:
                points = _format_points(stroke)
                yield f'    <trace contextRef="#{_channels_of(stroke)}">{points}</trace>\n'
            yield "  </traceGroup>\n"
        yield "</ink>\n"


def _refuse_doctype(*_: object) -> NoReturn:
    raise InputError(
        "it declares a document type or entities, which can be harmful: delete the "
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


def _channels_of(stroke: Stroke) -> str:
    """Return the channels of a stroke, such as ``xyt``, which is the id of its context."""
    return f"xy{'t' * (stroke.times is not None)}{'f' * (stroke.pressures is not None)}"


def _format_points(stroke: Stroke) -> str:
    columns = [*stroke.points.T, stroke.times, stroke.pressures]
    known = [map(format_number, column.tolist()) for column in columns if column is not None]
    return ", ".join(" ".join(row) for row in zip(*known, strict=True))


@dataclass(frozen=True)
class _View:
    """A reference to a trace or a group, and to its first and last points, counted from 1."""

    refers: str
    first: str
    last: str


@dataclass
class _Group:
    """One letter while it is parsed."""

    traces: list[Trace] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    wrong: ValueError | None = None
    views: list[_View] = field(default_factory=list)


@dataclass
class _InkMlParser:
    """The state of the parser."""

    path: list[tuple[str, dict[str, str]]] = field(default_factory=list)  # the open elements
    formats: dict[str, TraceFormat] = field(default_factory=dict)  # by id
    latest: TraceFormat = DEFAULT_FORMAT
    channels: list[Channel] = field(default_factory=list)  # of the current format
    groups: list[_Group] = field(default_factory=lambda: [_Group()])  # first: outside groups
    open: list[_Group] = field(default_factory=list)
    words: list[str] = field(default_factory=list)  # the text of the current element
    seen: int = 0  # the number of traces so far
    by_id: dict[str, list[Trace]] = field(default_factory=dict)
    viewed: int = 0  # points of viewed traces, which can be the same ones again

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        if len(self.path) >= MAX_DEPTH:
            raise InputError(f"its elements are nested more than {MAX_DEPTH} deep.")
        tag = name.rpartition(" ")[2]
        if not self.path and tag != "ink":
            raise InputError(f"it must be an <ink> document, but is <{tag[:40]}>.")
        known = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        self.path.append((tag, known))
        self.words = []
        if tag == "traceGroup" or (tag == "traceView" and "traceDataRef" not in known):
            self.groups.append(_Group())
            self.open.append(self.groups[-1])
            if "id" in known:
                self.by_id[known["id"]] = self.groups[-1].traces
        elif tag == "traceView":
            refers = known["traceDataRef"].removeprefix("#")
            view = _View(refers, known.get("from", ""), known.get("to", ""))
            self._group.views.append(view)
        elif tag == "traceFormat":
            self.channels = []
        elif tag == "channel":
            self.channels.append(Channel.of(known))
        elif tag in ("context", "inkSource"):
            self._refer(known)

    def text(self, words: str) -> None:
        """Collect the text of the innermost element."""
        self.words.append(words)

    def end(self, name: str) -> None:
        """Handle the end of an element."""
        tag, known = self.path.pop()
        words = "".join(self.words)
        self.words = []
        if tag == "traceFormat":
            self._keep_format(known)
        elif tag == "trace" and known.get("type") != "penUp":
            self.seen += 1
            self._keep_trace(words, known)
        elif tag == "annotation" and self.path[-1][0] in ("ink", "traceGroup", "traceView"):
            self._group.names.setdefault(known.get("type", ""), " ".join(words.split()))
        elif tag == "traceGroup" or (tag == "traceView" and "traceDataRef" not in known):
            self.open.pop()

    def letters(self) -> list[ParsedLetter]:
        """Return the letters; annotations of the document apply to each of them."""
        common = self.groups[0].names
        if any(group.views for group in self.groups):
            return self._segmented(common)
        return [
            ParsedLetter(
                group.traces,
                letter=_first(common | group.names, *_LETTER),
                writer=_first(common | group.names, "writer"),
                wrong=group.wrong,
            )
            for group in self.groups
            if group.traces or group.wrong
        ]

    def _segmented(self, common: dict[str, str]) -> list[ParsedLetter]:
        """Return the letters of a segmentation; the label of the document is no letter's label."""
        writer = _first(common, "writer")
        found = [
            self._viewed(group, _first(group.names, "writer") or writer)
            for group in self.groups
            if group.views
        ]
        seen = {id(trace) for letter in found for trace in letter.traces}
        seen |= {id(t) for g in self.groups for view in g.views for t in self._of_id(view.refers)}
        rest = [trace for group in self.groups for trace in group.traces if id(trace) not in seen]
        return [*found, *([ParsedLetter(rest, writer=writer)] if rest else [])]

    def _viewed(self, group: _Group, writer: str | None) -> ParsedLetter:
        """Return the letter of a group with views, or its error."""
        letter = _first(group.names, *_LETTER)
        try:
            traces = [trace for view in group.views for trace in self._of_view(view)]
        except ValueError as reason:
            return ParsedLetter([], letter, writer, reason)
        return ParsedLetter([*group.traces, *traces], letter, writer, group.wrong)

    def _of_id(self, name: str) -> list[Trace]:
        return self.by_id.get(name, [])

    def _of_view(self, view: _View) -> list[Trace]:
        """Return the traces, or the points of one trace, that a ``traceView`` refers to."""
        traces = self._of_id(view.refers)
        self.viewed += sum(len(trace.points) for trace in traces)
        if self.viewed > MOST_VIEWED:
            raise InputError(f"its traceViews have more than {MOST_VIEWED:,} points.")
        if not traces:
            raise InputError(
                f"a traceView refers to {view.refers[:40]!r}, which is not a trace here."
            )
        if not view.first and not view.last:
            return traces
        if len(traces) > 1 or not (view.first + view.last).isdecimal():
            raise InputError("`from` and `to` of a traceView must be points of one trace.")
        start, end = int(view.first or 1) - 1, int(view.last or len(traces[0].points))
        return [traces[0].part(start, end)]

    @property
    def _group(self) -> _Group:
        """The innermost open group, or else that of the traces outside groups."""
        return self.open[-1] if self.open else self.groups[0]

    def _keep_trace(self, words: str, known: dict[str, str]) -> None:
        """Add a trace to the current group, or the reason why it cannot be read."""
        try:
            trace = parse_trace(words, self._format(known), f"trace {self.seen}")
            self._group.traces.append(trace)
            if "id" in known:
                self.by_id[known["id"]] = [trace]
        except ValueError as reason:
            self._group.wrong = self._group.wrong or reason

    def _keep_format(self, known: dict[str, str]) -> None:
        """Store a trace format under its id and under the ids of the elements around it."""
        self.latest = TraceFormat.of(self.channels)
        around = [attributes for tag, attributes in self.path if tag in ("context", "inkSource")]
        for attributes in [known, *around]:
            if "id" in attributes:
                self.formats[attributes["id"]] = self.latest

    def _refer(self, known: dict[str, str]) -> None:
        """Resolve the format that a context refers to."""
        for reference in ("traceFormatRef", "inkSourceRef", "contextRef"):
            meant = self.formats.get(known.get(reference, "").removeprefix("#"))
            if meant is not None:
                self.latest = meant
                if "id" in known:
                    self.formats[known["id"]] = meant

    def _format(self, known: dict[str, str]) -> TraceFormat:
        """Return the format of a trace: that of its context, or else the latest."""
        return self.formats.get(known.get("contextRef", "").removeprefix("#"), self.latest)


def _first(names: dict[str, str], *kinds: str) -> str | None:
    """Return the first name that is given, in the order of ``kinds``; None without any."""
    return next((names[kind] for kind in kinds if names.get(kind)), None)
