"""The result of a command: described once, then shown as text, JSON, a page and files.

Classes, students and lessons are described in words, for readers, and as plain values, for JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from homeroom import _arrays, plots
from homeroom._checks import InputError, counted
from homeroom.classroom import Classroom, LargeClass
from homeroom.engines import TOLERANCE
from homeroom.lessons import Record, StoppedBecause
from homeroom.lessons.transcript import CODES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from homeroom._arrays import Floats

MOST_ROWS_ON_PAGE = 100

RECORDED = (
    *("rounds", "workload", "engine", "error_estimate", "nodes", "handed_over"),
    *("in_expectation", "plans", "verified"),
)
"""The properties of a record that a JSON document has as they are."""

Style = Literal["", "dim", "bold", "good", "warning"]
Files = dict[str, Callable[[Path], None]]
"""Functions that write files, by name; each gets the path."""


@dataclass(frozen=True)
class Curve:
    """A value in the course of a lesson.

    Its text has the first and the last number; the screen also draws the curve.
    """

    values: Floats

    def __str__(self) -> str:
        return f"{self.values[0]:.3g} → {self.values[-1]:.3g}"


@dataclass(frozen=True)
class Heading:
    """The title of what follows."""

    text: str


@dataclass(frozen=True)
class Facts:
    """Names and values; ``main`` ones are shown large on the page."""

    named: Sequence[tuple[str, object]]
    main: bool = False


@dataclass(frozen=True)
class Table:
    """A table whose first column names the rows.

    Parameters
    ----------
    header, rows
        The cells; ``None`` is shown as a dash.
    best
        Cells to highlight, as (row, column), both counted from 0.
    bars
        A number from 0 to 1 for each row, drawn as a bar on the screen.
    most
        The screen shows this many rows and states how many more there are.
    words
        Whether the cells hold sentences, which the page aligns to the left.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    best: Sequence[tuple[int, int]] = ()
    bars: Sequence[float] = ()
    most: int = 1000
    words: bool = False

    @property
    def texts(self) -> list[list[str]]:
        """The cells as text."""
        return [["–" if cell is None else str(cell) for cell in row] for row in self.rows]


@dataclass(frozen=True)
class Sentence:
    """A sentence.

    ``style`` is for the screen. A ``remark`` is printed to stderr, even with ``--json``, and not on
    the screen. ``on_screen`` states whether it is more than a sentence of the page.
    """

    text: str
    style: Style = ""
    remark: bool = False
    on_screen: bool = True


@dataclass(frozen=True)
class Chart:
    """A chart of the page; ``name`` is that of its file.

    It is drawn only where a page is written, on axes of ``height`` inches.
    """

    name: str
    draw: Callable[[Axes], object]
    caption: str
    height: float


Part = Heading | Facts | Table | Sentence | Chart


@dataclass
class Result:
    """What a command found.

    Parameters
    ----------
    title
        What it is about.
    values
        The JSON document: the same result as plain values.
    files
        What else is written into the folder of ``--out``.
    parts
        What is shown, in this order.
    page
        The page, if it is not made of the parts.
    file
        What writes the file of ``--out``, if that is neither a folder nor the page.
    exit_code
        The exit code of the command.
    """

    title: str
    values: dict[str, Any]
    files: Files = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    page: Callable[[], plots.Page] | None = None
    file: Callable[[Path], None] | None = None
    exit_code: int = 0

    def add(self, *parts: Part) -> None:
        """Append parts."""
        self.parts += parts

    def heading(self, text: str) -> None:
        """Append the title of what follows."""
        self.add(Heading(text))

    def facts(self, named: Iterable[tuple[str, object]], *, main: bool = False) -> None:
        """Append names and values, if there are any."""
        self.add(*[Facts(found, main)] if (found := list(named)) else ())

    def table(self, header: Sequence[str], rows: Iterable[Sequence[object]], **more: Any) -> None:
        """Append a table, with more of its fields."""
        self.add(Table(header, list(rows), **more))

    def sentence(self, text: str, style: Style = "", **more: bool) -> None:
        """Append a sentence, with more of its fields."""
        self.add(Sentence(text, style, **more))

    def chart(
        self, name: str, draw: Callable[[Axes], object], caption: str, height: float = 3.6
    ) -> None:
        """Append a chart."""
        self.add(Chart(name, draw, caption, height))

    @property
    def remarks(self) -> list[Sentence]:
        """The sentences that go to stderr."""
        return [part for part in self.parts if isinstance(part, Sentence) and part.remark]

    @property
    def on_screen(self) -> list[Heading | Facts | Table | Sentence]:
        """The parts that are printed as text."""
        return [
            part
            for part in self.parts
            if not isinstance(part, Chart)
            and not (isinstance(part, Sentence) and (part.remark or not part.on_screen))
        ]

    def write_file(self, path: Path) -> None:
        """Write the file of ``--out``, completely or not at all."""
        from homeroom._files import replacing

        with replacing(path) as place:
            if self.file is not None:
                self.file(place)
            else:
                self._page({}).write(place)

    def write_into(self, folder: Path) -> None:
        """Write the JSON document, the page, the pictures and the other files into a folder."""
        charts = [part for part in self.parts if isinstance(part, Chart)]
        drawn = {chart.name: plots.picture(chart.draw, 6.4, chart.height) for chart in charts}
        for name, figure in drawn.items():
            for ending in ("svg", "png"):
                plots.save_figure(figure, folder / f"{name}.{ending}")
        for name, write in self.files.items():
            write(folder / name)
        self._page(drawn).write(folder / "report.html")
        (folder / "result.json").write_text(as_json(self.values) + "\n", encoding="utf-8")

    def _page(self, drawn: Mapping[str, Figure]) -> plots.Page:
        """Return the page; ``drawn`` has its charts by name."""
        if self.page is not None:
            return self.page()
        page = plots.Page(self.title)
        for part in self.parts:
            match part:
                case Heading():
                    page.heading(part.text)
                case Facts(named=named, main=True):
                    page.numbers([(name, str(value)) for name, value in named])
                case Facts(named=named):
                    page.table(("", ""), [(name, str(value)) for name, value in named], words=True)
                case Table():
                    rows = part.texts[:MOST_ROWS_ON_PAGE]
                    page.table(part.header, rows, best=part.best, words=part.words)
                    if len(part.rows) > len(rows):
                        page.text(f"{len(part.rows) - len(rows)} more rows are in result.json.")
                case Chart():
                    page.figure(drawn[part.name], part.caption)
                case Sentence():
                    page.text(part.text)
        return page


def as_json(values: dict[str, Any]) -> str:
    """Return values as JSON text; numbers that JSON does not know become ``null``."""
    return json.dumps(_plain(values), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """Return a value as JSON values: arrays as lists, numbers that are not finite as ``None``."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


# --- classes and lessons, in words and as values --------------------------------------------------


def ending(record: Record) -> Sentence:
    """Return why a lesson stopped, highlighted if the goal was missed."""
    reason, groups = record.stopped_because, len(record.transcript.rounds)
    if reason is StoppedBecause.GOAL:
        return Sentence(f"✓ Stopped because {reason.value}.", "good")
    missed = int((record.transcript.stops != CODES.index(StoppedBecause.GOAL)).sum())
    where = f" ({missed} of {groups} groups)" if groups > 1 else ""
    return Sentence(f"✗ Not learnt: stopped because {reason.value}{where}.", "warning")


def class_in_words(room: Classroom | LargeClass, record: Record | None = None) -> str:
    """Return the class in one line: students, outputs, dimensions and rates.

    A class on disk needs ``record``, which knows the number of students.
    """
    students, rates = _size(room, record)
    between = "" if rates is None else f", rates {rates[0]:.3g} to {rates[1]:.3g}"
    outputs = f"{room.outputs} outputs, " if room.outputs > 1 else ""
    size = f"{outputs}{counted(room.dimensions, 'dimension')}"
    return f"{counted(students, 'student')}, {size}{between}"


def class_as_values(room: Classroom | LargeClass, record: Record | None = None) -> dict[str, Any]:
    """Return the class as plain values.

    These are its size, the range of its rates, its error before the lesson, and its radii.
    ``record`` is needed for a class on disk.
    """
    students, rates = _size(room, record)
    slowest, fastest = (None, None) if rates is None else rates
    first_error = None if record is None else record.error_after(0)
    return {
        "students": students,
        "dimensions": room.dimensions,
        **({"outputs": room.outputs} if room.outputs > 1 else {}),
        "slowest_rate": slowest,
        "fastest_rate": fastest,
        "error": room.error if isinstance(room, Classroom) else first_error,
        "state_radius": room.state_radius,
        "example_radius": room.example_radius,
    }


def _size(
    room: Classroom | LargeClass, record: Record | None
) -> tuple[int, tuple[float, float] | None]:
    """Return the number of students, and their lowest and highest rate if known."""
    if isinstance(room, LargeClass):
        return 0 if record is None else len(record.group_of), room.rates
    rates = _arrays.to_numpy(room.rates)
    return room.students, (float(rates.min()), float(rates.max()))


def record_as_values(record: Record) -> dict[str, Any]:
    """Return what a lesson took as plain values."""
    return {
        **{name: getattr(record, name) for name in RECORDED},
        "groups": len(record.transcript.rounds),
        "reached": record.stopped_because is StoppedBecause.GOAL,
        "stopped_because": record.stopped_because.value,
        "error_before": record.error_after(0),
        "error_after": record.error_after(int(record.transcript.rounds.max())),
        "counts": dict(record.counts),
    }


def lesson_values(room: Classroom | LargeClass, record: Record, **more: Any) -> dict[str, Any]:
    """Return the class, what the lesson took, its settings, and more, as plain values."""
    return {
        "class": class_as_values(room, record),
        "lesson": record_as_values(record),
        "settings": record.settings_and_results(),
        **more,
    }


def engine_in_words(record: Record) -> list[tuple[str, str]]:
    """Return facts about how the rounds were computed."""
    parts = [record.engine]
    if record.nodes is not None:
        parts.append(counted(record.nodes, "node"))
    last = record.error_after(int(record.transcript.rounds.max()))
    if record.engine == "sketch" or record.error_estimate > TOLERANCE * last:
        parts.append(f"off by at most {record.error_estimate:.1e}")
    facts = [("engine", ", ".join(parts))]
    facts += [("handed over", why) for why in record.handed_over]
    if record.verified is not None:
        exact, farthest = record.verified["error"], record.verified["farthest"]
        facts.append(("verified", f"error {exact:.6g}, the farthest at {farthest:.3g}"))
    return facts


def effort_in_words(record: Record) -> list[tuple[str, str]]:
    """Return facts about what a lesson takes the teacher, T, and a student, S."""
    return [("rounds, T", f"{record.rounds}"), ("workload, S", f"{record.workload:.1f}")]


def plans_in_words(record: Record) -> list[tuple[str, str]]:
    """Return facts about a planned lesson; none if nothing was planned."""
    plans = record.plans
    if not plans:
        return []
    rounds, made = (sum(plan[name] for plan in plans) for name in ("rounds", "plans"))
    farthest = max(plan["worst_transient"] for plan in plans)
    return [
        ("planned", f"{counted(rounds, 'round')} ({counted(made, 'plan')})"),
        ("farthest on the way", f"{farthest:.3g} times as far as at the start, as planned"),
    ]


def setting_in_words(described: dict[str, Any]) -> str:
    """Return one of a record's settings (the teacher, the goal, ...) in words.

    Arrays, ``None``, ``False``, and zeros of ``rates_within`` and ``repeat_after`` are left out.

    >>> setting_in_words({"name": "average", "eps": 0.1})
    'average (eps 0.1)'
    """
    parts = []
    for key, value in described.items():
        not_shown = key == "name" or str(value).startswith("array of shape")
        usual = key in ("rates_within", "repeat_after") and value == 0
        if not_shown or usual or value is None or value is False:
            continue
        parts.append(key if value is True else f"{key} {_value_in_words(value)}")
    return f"{described['name']} ({', '.join(parts)})" if parts else str(described["name"])


def _value_in_words(value: Any) -> str:
    if isinstance(value, dict):
        return setting_in_words(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def name_of(room: Classroom, student: int) -> str:
    """Return a student's name, or their number (counted from 0) if the class has no names."""
    return str(student) if room.names is None else room.names[student]


def four_students(room: Classroom) -> dict[str, int]:
    """Return four students by a label.

    Of the slowest quarter (at least two students), the nearest to the target and the farthest from
    it, and the same of the fastest quarter. With at most four students, all of them, by name.

    >>> four_students(Classroom.sample(students=40, dimensions=3))
    {'slow, near': 11, 'slow, far': 21, 'fast, near': 9, 'fast, far': 38}
    """
    if room.students <= 4:
        names = [name_of(room, student).strip() for student in range(room.students)]
        if len(set(names)) < len(names):  # students who share a name are shown by number
            names = [str(student) for student in range(room.students)]
        return {_label_of(name): student for student, name in enumerate(names)}
    distances = _arrays.to_numpy(room.squared_distances)
    by_rate = np.argsort(_arrays.to_numpy(room.rates), kind="stable")
    quarter = max(2, room.students // 4)
    chosen: dict[str, int] = {}
    for speed, students in (("slow", by_rate[:quarter]), ("fast", by_rate[-quarter:])):
        by_distance = students[np.argsort(distances[students], kind="stable")]
        chosen[f"{speed}, near"] = int(by_distance[0])
        chosen[f"{speed}, far"] = int(by_distance[-1])
    return chosen


def students_by_name(room: Classroom) -> dict[str, int]:
    """Return each student's number by name, without surrounding spaces.

    Raises ``InputError`` if two students share a name.
    """
    numbers: dict[str, int] = {}
    for student in range(room.students):
        name = name_of(room, student).strip()
        if name in numbers:
            raise InputError(
                f"The students {numbers[name]} and {student} (counted from 0) are both called "
                f"{name!r}: give each student a different name."
            )
        numbers[name] = student
    return numbers


def students_called(room: Classroom, names: Sequence[str]) -> dict[str, int]:
    """Return the numbers of the students with these names, by labels such as ``'student Ada'``.

    In a class without names, names are numbers counted from 0. Raises ``InputError`` for an unknown
    name.
    """
    known = students_by_name(room)
    chosen: dict[str, int] = {}
    for name in names:
        if name not in known:
            first = ", ".join(list(known)[:3])
            more = f", ... ({room.students} in all)" if room.students > 3 else ""
            raise InputError(
                f"--watch names {name!r}, but there is no such student: they are {first}{more}."
            )
        chosen[_label_of(name)] = known[name]
    return chosen


def student_in_words(room: Classroom, who: str, student: int) -> str:
    """Return a watched student's name for a table.

    ``who`` is their label; if it says more than the name, it comes first: ``'slow, near: Ada'``.
    """
    name = name_of(room, student).strip()
    return name if who == _label_of(name) else f"{who}: {name}"


def _label_of(name: str) -> str:
    """Return the label of a student who is watched by name."""
    return f"student {name}"
