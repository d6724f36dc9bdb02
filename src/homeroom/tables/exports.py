"""Exports of other programs, read as tables of annotators, items and answers.

Zooniverse's classifications, Label Studio's annotations, Mechanical Turk's batches and the answers
to forms (Google, Microsoft) have one row per annotation or respondent, with the answers as JSON or
in many columns. Each is recognised by its columns, and becomes a table of student, item, answer,
time and label.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, TypeAlias
from urllib.parse import unquote

from homeroom._checks import InputError
from homeroom.tables.columns import (
    EXPERTS,
    FAMILY_NAME,
    GIVEN_NAME,
    MOST_ANSWERS,
    ColumnContent,
    contents,
    find_column,
    normalized,
    normalized_header,
)
from homeroom.tables.table import (
    AbstractTable,
    Columns,
    ReportFraction,
    check_width,
    distinct,
    quoted,
    rows_per_chunk,
    shell_word,
    to_type,
)
from homeroom.tables.text import encoding_of, tidy

HEADER = ("student", "item", "answer", "time", "label")

Row: TypeAlias = tuple[str, str, str, str, str]
"""Student, item, answer, time, and the expert's label."""

SAMPLE = 5000
"""How many rows decide which tasks there are. What only later rows have is refused at the end."""

CACHED = 1 << 16
"""How many cells of JSON are remembered, as most of them are repeated."""

MAX_JSON = 1 << 28
"""The largest ``.json`` file, which is read whole: 256 MiB."""

MAX_DEPTH = 4
"""How deeply tasks may be nested in each other."""

SHOWN = 3
"""How many rows an error shows as they were understood."""

UNREADABLE = "rows whose JSON cannot be read"
OTHERS = "rows of other workflows, or without an answer to the task"
NOT_DONE = "rows that were skipped, cancelled or rejected"
"""Reasons for which rows are left out."""

TRUE = frozenset({"true", "1", "yes", "t"})


class AbstractExport(ABC):
    """How the export of one program is read.

    Attributes
    ----------
    places
        The columns that are needed.
    left_out
        How many rows were left out so far, by reason.
    notes
        Remarks for the user on how the file was read.
    """

    program: ClassVar[str]
    places: Sequence[int]
    left_out: Counter[str]
    notes: Sequence[str] = ()

    @abstractmethod
    def rows(self, columns: Columns) -> Iterator[Row]:
        """Yield the answers in some rows of the needed columns."""

    def check_rest(self) -> None:  # noqa: B027 - most exports show in their first rows what they hold
        """Refuse the file, after it was read, if later rows hold more than the first."""


class ExportTable(AbstractTable):
    """The export of another program as a table of annotators, items and answers.

    ``table`` is the export as it is in the file, and ``export`` says how to read it.
    """

    def __init__(self, table: AbstractTable, export: AbstractExport) -> None:
        self.path = table.path
        self.header = list(HEADER)
        self.dropped = export.left_out = table.dropped  # both count into one
        self.notes = [*table.notes, f"read as an export of {export.program}", *export.notes]
        self._table, self._export = table, export

    def chunks(self, wanted: Sequence[int]) -> Iterator[Columns]:
        """Yield the columns at the wanted positions, some rows at a time."""
        for columns in self._table.chunks(self._export.places):
            rows = list(self._export.rows(columns))
            if rows:
                every = list(zip(*rows, strict=True))
                yield [every[place] for place in wanted]
        self._export.check_rest()


class RowsTable(AbstractTable):
    """A table in memory, whose rows are mappings from names of columns to texts."""

    def __init__(self, path: Path, rows: Sequence[Mapping[str, str]]) -> None:
        self.path = path
        self.header = list(dict.fromkeys(name for row in rows for name in row))
        check_width(path, len(self.header))
        self.dropped = Counter()
        self.notes = []
        self.rows = len(rows)
        self._all = rows

    def chunks(self, wanted: Sequence[int]) -> Iterator[Columns]:
        """Yield the columns at the wanted positions, some rows at a time."""
        names = [self.header[place] for place in wanted]
        step = rows_per_chunk(len(names))
        for start in range(0, len(self._all), step):
            some = self._all[start : start + step]
            yield [[row.get(name, "") for row in some] for name in names]


def as_answers(
    table: AbstractTable, *, workflow: str | None = None, task: str | None = None
) -> AbstractTable:
    """Return a table of answers if this one is the export of a known program, else itself.

    Parameters
    ----------
    table
        The table as it is in the file.
    workflow, task
        Which workflow and which task of an export with several.

    Raises
    ------
    ValueError
        If it is not clear which workflow or task is meant: what there is, and how to choose.
    """
    names = set(normalized_header(table.header))
    if {"annotations", "subjectids"} <= names or {"annotations", "subjectdata"} <= names:
        return ExportTable(table, Zooniverse(table, workflow, task))
    if workflow is not None:
        raise InputError(
            f"`workflow` (--workflow) chooses from an export of Zooniverse, but {table.path} is "
            "none: leave it out."
        )
    if {"id", "annotationid", "annotator"} <= names:
        return ExportTable(table, LabelStudio(table, task))
    if {"hitid", "workerid"} <= names and any(map(_is_answer, table.header)):
        return ExportTable(table, MechanicalTurk(table, task))
    if task is not None:
        raise InputError(
            "`task` (--task) chooses from an export of Zooniverse, Label Studio or Mechanical "
            f"Turk, but {table.path} is none: leave it out."
        )
    return table


def as_form(table: AbstractTable, student: str | None = None) -> AbstractTable | None:
    """Return a table of answers if this one looks like the answers to a form.

    ``student`` is the column with the names of the respondents, where it is not clear.
    """
    form = Form.of(table, student)
    return None if form is None else ExportTable(table, form)


class NamedColumns:
    """The columns of a table that have certain names; those that are missing are blank."""

    def __init__(self, header: Sequence[str], names: Sequence[str]) -> None:
        found = {name: find_column(header, [name]) for name in names}
        self.places = [place for place in found.values() if place is not None]
        self._there = [place is not None for place in found.values()]

    def fill(self, columns: Columns) -> list[Iterable[str]]:
        """Return one column per name, given those at ``places``."""
        given = iter(columns)
        return [next(given) if there else repeat("") for there in self._there]


class ItemNames:
    """Short names of items: those of their files, with the id where two would be the same."""

    def __init__(self) -> None:
        self._id_of: dict[str, str] = {}

    def __call__(self, number: str, text: str) -> str:
        """Return the name of the item with this id and this file or text."""
        name = file_name(text) or number
        if self._id_of.setdefault(name, number) != number:
            name = f"{name} ({number})"
        return name


def file_name(text: str) -> str:
    """Return the name of a file at the end of a path or link; other texts stay as they are.

    Label Studio puts eight characters in front of the names of uploaded files.

    >>> file_name("/data/upload/1/0a1b2c3d-moth.jpg"), file_name("a moth / a wasp")
    ('moth.jpg', 'a moth / a wasp')
    >>> file_name("https://example.org/a%20moth.jpg?key=1")
    'a moth.jpg'
    """
    line = tidy(text)
    if " " in line or "/" not in line:
        return line
    name = PurePosixPath(line.partition("?")[0]).name or line
    if "%" in name and "://" in line:
        name = unquote(name)
    return re.sub(r"^[0-9a-f]{8}-(?=.)", "", name)


class TaskCounts:
    """The tasks in an export: what each is called, and the answers to it.

    Parameters
    ----------
    path
        The file, for errors.

    Attributes
    ----------
    labels
        The label of each task, which may be chosen instead of its name.
    answers
        The different answers to each task, with how often each occurs.
    examples
        A few rows for errors: the annotator, the item, and the answers by task.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.labels: dict[str, str] = {}
        self.answers: dict[str, Counter[str]] = {}
        self.examples: list[tuple[str, str, dict[str, str]]] = []

    def add(self, answers: Iterable[tuple[str, str, str]]) -> None:
        """Count answers, given as task, its label, and the text."""
        for task, label, text in answers:
            self.labels.setdefault(task, label)
            counts = self.answers.setdefault(task, Counter())
            if len(counts) <= MOST_ANSWERS and text:
                counts[text] += 1

    def show(self, who: str, item: str, answers: Iterable[tuple[str, str, str]]) -> None:
        """Keep a row as an example."""
        if len(self.examples) < SHOWN:
            self.examples.append((who, item, {task: text for task, _, text in answers}))

    @property
    def candidates(self) -> list[str]:
        """The tasks with a few answers each: no free text, no drawings.

        A task whose one answer is none of those to a task with several is left out, as a shortcut
        that was never used is.
        """
        few = self.with_few_answers
        varied = [task for task in few if len(self.answers[task]) > 1]
        texts = {text for task in varied for text in self.answers[task]}
        return [
            task
            for task in few
            if task in varied or not varied or self.answers[task].keys() & texts
        ]

    @property
    def with_few_answers(self) -> list[str]:
        """The tasks that have answers, but no free text."""
        return [task for task, counts in self.answers.items() if counts and not _is_free(counts)]

    def chosen(self, given: str | None) -> str:
        """Return the task that is meant: as given, or the only one."""
        if given is not None:
            for task, label in self.labels.items():
                if given.strip().casefold() in (task.casefold(), label.casefold()):
                    return task
            raise InputError(
                f"{self.path} has no task {given[:60]!r} (--task): it has {self._listed()}."
            )
        if len(self.candidates) == 1:
            return self.candidates[0]
        if not self.candidates:
            raise InputError(
                f"{self.path} has no question with a few answers to choose from: it has "
                f"{self._listed() or 'no tasks'}."
            )
        raise self.several()

    def several(self) -> InputError:
        """Return the error for several tasks: what there is, three rows, and the flag."""
        first = to_type(self.candidates[0])
        return InputError(
            f"{self.path} has answers to several tasks: {self._listed()}. Its first rows are read "
            f"as {self.shown}. Choose a task, as in task={first!r} (--task {shell_word(first)})."
        )

    @property
    def shown(self) -> str:
        """The rows that were kept as examples, for an error message; different texts differ."""
        rows = [(who, item, *answers.values()) for who, item, answers in self.examples]
        cells = iter(distinct([text for row in rows for text in row]))
        return "; ".join(
            f"{next(cells)!r} on {next(cells)!r}: "
            + (", ".join(f"{task} = {next(cells)!r}" for task in answers) or "no answer")
            for _, _, answers in self.examples
        )

    def _listed(self) -> str:
        """Return the first tasks, with some of their answers, for an error."""
        shown = []
        for task, counts in islice(self.answers.items(), 12):
            label = f" ({self.labels[task][:60]})" if self.labels[task] != task else ""
            said = f"free text such as {quoted(list(counts), 1)}"
            if not _is_free(counts):
                said = quoted(list(counts), 4)
            shown.append(f"{task}{label}: {said}")
        return "; ".join(shown)


def _is_free(counts: Counter[str]) -> bool:
    """Return whether answers are free text: many different ones, or sentences that rarely repeat.

    >>> (
    ...     _is_free(Counter({"yes": 9, "no": 3})),
    ...     _is_free(Counter(["it is too dark", "a small moth"])),
    ... )
    (False, True)
    """
    rare = 2 * len(counts) > counts.total()
    words = sum(len(text.split()) for text in counts) / max(1, len(counts))
    return len(counts) > MOST_ANSWERS or (rare and (words >= 3 or len(counts) > 10))


class Zooniverse(AbstractExport):
    """A classification export: one row per classification, with annotations as JSON."""

    program = "Zooniverse"
    NEEDED = (
        "user_name",
        "user_ip",
        "workflow_id",
        "workflow_name",
        "created_at",
        "gold_standard",
        "annotations",
        "subject_data",
        "subject_ids",
    )

    def __init__(self, table: AbstractTable, workflow: str | None, task: str | None) -> None:
        self._columns = NamedColumns(table.header, self.NEEDED)
        self.places = self._columns.places
        self.left_out = Counter()
        self._path = table.path
        self._items = ItemNames()
        self._cache: dict[str, tuple[tuple[str, str, str], ...] | None] = {}
        self._subjects: dict[str, str] = {}
        self._workflows: dict[str, str] = {}
        self._some_rows: list[tuple[str, ...]] = []
        self._sampled = False
        self._sample(table, workflow, task)
        self._sampled = True

    def _sample(self, table: AbstractTable, workflow: str | None, task: str | None) -> None:
        """Read the first rows, to find the workflows and tasks, and choose one of each."""
        first: list[tuple[str, ...]] = []
        for columns in table.chunks(self.places):
            first += islice(zip(*self._columns.fill(columns), strict=False), SAMPLE)
            if len(first) >= SAMPLE:
                break
        table.dropped.clear()  # these rows are read again
        of_each: dict[str, tuple[str, ...]] = {}
        for row in first:
            self._workflows.setdefault(row[2], row[3])
            of_each.setdefault(row[2], row)
        self._some_rows = list(dict.fromkeys([*of_each.values(), *first[:SHOWN]]))[:SHOWN]
        self._given = workflow
        self._workflow = self._chosen(workflow)
        self._tasks = TaskCounts(self._path)
        for user, _, of_workflow, _, _, _, said, data, subject in first:
            if of_workflow == self._workflow:
                found = self._decoded(said) or ()
                self._tasks.add(found)
                self._tasks.show(user, self._item(data, subject), found)
        self._task = self._tasks.chosen(task)
        self._known = set(self._tasks.candidates) if task is None else None
        label = self._tasks.labels[self._task]
        self.notes = [f"task {self._task}{f' ({label[:60]})' if label else ''}"]

    def _chosen(self, given: str | None) -> str:
        """Return the id of the workflow that is meant: as given by id or name, or the only one."""
        if given is not None:
            for number, name in self._workflows.items():
                if given.strip().casefold() in (number.casefold(), name.strip().casefold()):
                    return number
            raise InputError(
                f"{self._path} has no workflow {given[:60]!r} (--workflow) in its first {SAMPLE} "
                f"rows: it has {self._listed()}."
            )
        if len(self._workflows) > 1:
            raise self._several()
        return next(iter(self._workflows), "")

    def _several(self) -> InputError:
        """Return the error for several workflows: what there is, three rows, and the flag."""
        first = to_type(next(iter(self._workflows)))
        tasks = TaskCounts(self._path)
        for user, _, workflow, *_, said, data, subject in self._some_rows:
            item = f"{self._item(data, subject)} (workflow {workflow})"
            tasks.show(user, item, self._decoded(said) or ())
        return InputError(
            f"{self._path} has classifications of several workflows: {self._listed()}. Some "
            f"rows are read as {tasks.shown}. Choose one, as in workflow={first!r} "
            f"(--workflow {shell_word(first)})."
        )

    def _listed(self) -> str:
        """Return the first workflows, by id and name, for an error."""
        some = [f"{number} ({name[:60]})" for number, name in islice(self._workflows.items(), 12)]
        return ", ".join(some) or "none"

    def rows(self, columns: Columns) -> Iterator[Row]:
        each = zip(*self._columns.fill(columns), strict=False)
        for user, ip, workflow, name, when, gold, said, data, subject in each:
            if workflow != self._workflow:
                self._workflows.setdefault(workflow, name)
                self.left_out[OTHERS] += 1
                continue
            found = self._decoded(said)
            if found is None:
                self.left_out[UNREADABLE] += 1
                continue
            answers = [text for task, _, text in found if task == self._task]
            if not answers:
                self.left_out[OTHERS] += 1
                continue
            item = self._item(data, subject)
            if gold.strip().casefold() in TRUE:
                yield "", item, "", when, answers[0]
            else:
                yield user.strip() or ip, item, answers[0], when, ""

    def check_rest(self) -> None:
        if self._given is None and len(self._workflows) > 1:
            raise self._several()
        if self._known is not None and set(self._tasks.candidates) - self._known:
            raise self._tasks.several()

    def _decoded(self, text: str) -> tuple[tuple[str, str, str], ...] | None:
        """Return the answers in a cell as (task, label, text); ``None`` if it cannot be read."""
        if text not in self._cache:
            if len(self._cache) >= CACHED:
                self._cache.clear()
            try:
                found = tuple(_zooniverse_answers(json.loads(text)))
            except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
                self._cache[text] = None
            else:
                self._cache[text] = found
                if self._sampled:
                    self._tasks.add(found)
        return self._cache[text]

    def _item(self, data: str, subject: str) -> str:
        """Return the name of the item with this subject's id and metadata."""
        known = self._subjects.get(subject)
        if known is None:
            if len(self._subjects) >= 1 << 20:
                self._subjects.clear()
            known = self._subjects[subject] = self._items(subject, _picture_in(data))
        return known


def _zooniverse_answers(
    annotations: list[dict[str, Any]], depth: int = 0
) -> Iterator[tuple[str, str, str]]:
    """Yield the task, its label and the text of each answer; drawings are left out."""
    for one in annotations:
        value = one.get("value")
        nested = isinstance(value, list) and any(isinstance(v, dict) and "task" in v for v in value)
        if nested and depth < MAX_DEPTH:
            assert isinstance(value, list)
            yield from _zooniverse_answers(value, depth + 1)
            continue
        text = _answer_text(value)
        if text is not None:
            yield str(one["task"])[:80], tidy(str(one.get("task_label") or ""))[:300], _plain(text)


def _plain(text: str) -> str:
    """Return a text without the pictures and the emphasis of Markdown, if anything remains.

    >>> _plain("![](https://example.org/a.png =20x) **Yes**")
    'Yes'
    """
    if "](" not in text and "**" not in text:
        return text
    return tidy(re.sub(r"!\[[^\]]*\]\([^)]*\)|\*\*", "", text)) or text


def _answer_text(value: object) -> str | None:
    """Return an answer as text, several choices joined; ``None`` if it is no choice.

    >>> _answer_text([{"choice": "DUCK"}, {"choice": "GOOSE"}]), _answer_text({"x": 3})
    ('DUCK + GOOSE', None)
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return tidy(str(value))
    if isinstance(value, list):
        parts = [_answer_text(each) for each in value[:100]]
        return None if None in parts else " + ".join(filter(None, parts))
    if isinstance(value, dict):
        for key in ("choice", "choices", "label", "text", "value", "rating"):
            if key in value and not isinstance(value[key], dict):
                return _answer_text(value[key])
        if value and all(isinstance(each, bool) for each in value.values()):
            return " + ".join(str(key) for key, each in value.items() if each)
    return None


def _picture_in(subject_data: str) -> str:
    """Return the name of the file in the metadata of a subject, if there is one."""
    try:
        about = next(iter(json.loads(subject_data).values()))
        found = [
            value
            for key, value in about.items()
            if isinstance(value, str) and re.search(r"file|image|picture|name", key, re.IGNORECASE)
        ]
    except (ValueError, TypeError, AttributeError, StopIteration, RecursionError):
        return ""
    files = [value for value in found if re.search(r"\.\w{2,5}$", value.strip())]
    return file_name(files[0])[:200] if files else ""


_LABEL_STUDIO = (
    "id annotationid annotator createdat updatedat leadtime groundtruth wascancelled agreement "
    "project totalannotations completedby draft createdago"
)


class LabelStudio(AbstractExport):
    """Annotations as ``.csv`` or flat JSON: one row per annotation."""

    program = "Label Studio"
    NEEDED = ("id", "annotator", "created_at", "ground_truth", "was_cancelled")
    ABOUT = frozenset(_LABEL_STUDIO.split())
    """The columns that hold neither data nor answers."""

    def __init__(self, table: AbstractTable, task: str | None) -> None:
        self._columns = NamedColumns(table.header, self.NEEDED)
        self.left_out = Counter()
        self._items = ItemNames()
        # `rest`: columns by position that are data (of an item) or answers (`asked`).
        rest = [
            at for at, name in enumerate(normalized_header(table.header)) if name not in self.ABOUT
        ]
        looks = dict(zip(rest, contents(table, rest), strict=True)) if rest else {}
        rest = [at for at in rest if len(looks[at].cells) and not looks[at].is_free_text]
        fixed = _fixed_by(table, find_column(table.header, ["id"]), rest)
        data = sorted(
            fixed or [at for at in rest if looks[at].looks_like_items],
            key=lambda at: (looks[at].looks_like_items, len(looks[at].counts)),
            reverse=True,
        )
        asked = [at for at in rest if at not in data] or [at for at in rest if at not in data[:1]]
        tasks = TaskCounts(table.path)
        for at in asked:
            name = table.header[at]
            tasks.add((name, name, _choice(text)) for text in looks[at].cells)
        shown = next(iter(table.chunks([*self._columns.places[:2], *data[:1], *asked])), [])
        table.dropped.clear()
        for _, who, *cells in islice(zip(*shown, strict=True), SHOWN):
            answers = zip(asked, cells[len(data[:1]) :], strict=True)
            named = [(table.header[at], "", _choice(text)) for at, text in answers]
            tasks.show(_annotator(who), " ".join(map(file_name, cells[: len(data[:1])])), named)
        chosen = tasks.chosen(task)
        self.notes = [f"task {chosen}"]
        item = data[:1]
        self._with_data = bool(item)
        self.places = [*self._columns.places, *item, table.header.index(chosen)]

    def rows(self, columns: Columns) -> Iterator[Row]:
        *named, answers = columns
        data: Iterable[str] = named.pop() if self._with_data else repeat("")
        each = zip(*self._columns.fill(named), data, answers, strict=False)
        for number, who, when, truth, cancelled, item, answer in each:
            if cancelled.strip().casefold() in TRUE:
                self.left_out[NOT_DONE] += 1
                continue
            name = self._items(number or item, item)
            if truth.strip().casefold() in TRUE:
                yield "", name, "", when, _choice(answer)
            else:
                yield _annotator(who), name, _choice(answer), when, ""


def _fixed_by(table: AbstractTable, key: int | None, wanted: Sequence[int]) -> set[int]:
    """Return the columns that have the same text in all rows with the same key.

    Data of a task do, if ``key`` is the column of its id; none if no key occurs twice.
    """
    if key is None or not wanted:
        return set()
    fixed, seen, repeated = set(wanted), dict[tuple[int, str], str](), False
    for keys, *columns in table.chunks([key, *wanted]):
        for at, column in zip(wanted, columns, strict=True):
            for number, text in zip(keys, column, strict=True):
                known = seen.setdefault((at, number), text)
                if known is not text:
                    repeated = True
                    if known != text:
                        fixed.discard(at)
        if len(seen) > SAMPLE * len(wanted):
            break
    table.dropped.clear()
    return fixed if repeated else set()


def _choice(text: str) -> str:
    """Return the answer in a cell, which may be JSON such as ``{"choices": ["a", "b"]}``."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return _answer_text(json.loads(text)) or ""
        except (ValueError, RecursionError):
            return tidy(text)
    return tidy(text)


def _annotator(text: str) -> str:
    """Return the name of an annotator: a number, an address, or JSON with either."""
    if text.lstrip().startswith("{"):
        try:
            who = json.loads(text)
            return str(who.get("email") or who.get("username") or who.get("id") or "")
        except (ValueError, RecursionError):
            return text
    return text


def json_table(
    path: Path, encoding: str | None = None, _progress: ReportFraction | None = None
) -> AbstractTable:
    """Return the table in a ``.json`` file: a list of objects, or Label Studio's tasks."""
    if path.stat().st_size > MAX_JSON:
        raise InputError(
            f"{path} is larger than {MAX_JSON >> 20} MiB, and JSON is read whole: export .csv."
        )
    text = path.read_text(encoding=encoding_of(path, encoding))
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as reason:
        raise InputError(
            f"{path} cannot be read as JSON ({' '.join(str(reason).split())[:120]})."
        ) from None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(
            f"{path} must be a JSON list of objects, one per answer or as Label Studio exports "
            f"tasks, but is {type(found).__name__}: one object per line is .jsonl."
        )
    if any("annotations" in one and "data" in one for one in found):
        rows = [row for one in found for row in _annotation_rows(path, one)]
    else:
        rows = [{str(name): _cell(value) for name, value in one.items()} for one in found]
    return RowsTable(path, rows)


def _annotation_rows(path: Path, task: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield one row per annotation of a task, as in Label Studio's ``.csv`` export."""
    data, annotations = task.get("data"), task.get("annotations")
    if not isinstance(data, dict) or not isinstance(annotations, list):
        raise InputError(
            f"{path} has a task without `data` or `annotations` (id {str(task.get('id'))[:40]})."
        )
    shared = {"id": _cell(task.get("id"))} | {str(key): _cell(data[key]) for key in data}
    for one in annotations:
        if not isinstance(one, dict):
            raise InputError(f"{path} has an annotation that is no object (id {shared['id'][:40]})")
        row = shared | {
            "annotation_id": _cell(one.get("id")),
            "annotator": _annotator(_cell(one.get("completed_by"))),
            "created_at": _cell(one.get("created_at")),
            "ground_truth": _cell(one.get("ground_truth")),
            "was_cancelled": _cell(one.get("was_cancelled")),
        }
        results = one.get("result")
        for result in results if isinstance(results, list) else ():
            if isinstance(result, dict) and isinstance(result.get("value"), dict):
                text = _answer_text(result["value"])
                if text is not None:
                    row[str(result.get("from_name"))] = text
        yield row


def _cell(value: object) -> str:
    """Return a JSON value as the text of a cell; objects and lists as JSON."""
    if value is None:
        return ""
    if isinstance(value, dict | list):
        return json.dumps(value)
    return _answer_text(value) or ""


def _is_answer(name: str) -> bool:
    return name.strip().lower().startswith("answer.")


class MechanicalTurk(AbstractExport):
    """A batch: one row per assignment, with columns ``Input.*`` and ``Answer.*``."""

    program = "Mechanical Turk"
    NEEDED = ("HITId", "WorkerId", "AssignmentStatus", "SubmitTime")
    JSON = "answer.taskanswers"
    """The column that may hold all answers as JSON."""
    CHOICE = "choice"
    """The name given to the question whose choices are switches."""

    def __init__(self, table: AbstractTable, task: str | None) -> None:
        self.left_out = Counter()
        self._columns = NamedColumns(table.header, self.NEEDED)
        names = [name.strip() for name in table.header]
        inputs = [at for at, name in enumerate(names) if name.lower().startswith("input.")]
        answers = [at for at, name in enumerate(names) if _is_answer(name)]
        self._names = [names[at] for at in (*inputs, *answers)]
        self._inputs = len(inputs)
        self.places = [*self._columns.places, *inputs, *answers]
        self._items = ItemNames()
        self._switches: dict[str, None] = {}
        self._are_choices = False
        looks = contents(table, inputs)
        # The input that names the item, and the input of each task where there are several.
        self._item_at = next((n for n, look in enumerate(looks) if look.looks_like_items), None)
        if self._item_at is None and len(inputs) == 1:
            self._item_at = 0
        self._pairs: dict[str, int] = {}
        first: Columns = next(iter(table.chunks(self.places)), [[] for _ in self.places])
        table.dropped.clear()
        tasks = self._counted(table.path, first)
        self._pairs = self._paired(tasks)
        if not self._pairs and task is None and self._one_is_on(first):
            self._are_choices = True
            tasks = self._counted(table.path, first)
        self._task = "" if self._pairs else tasks.chosen(task)
        asked = f"tasks {quoted(list(self._pairs))}" if self._pairs else f"task {self._task}"
        self.notes = [asked]

    def _counted(self, path: Path, columns: Columns) -> TaskCounts:
        """Return the tasks in some rows, with their answers counted."""
        tasks = TaskCounts(path)
        for who, hit, _, _, given, said in self._each(columns):
            found = [(name, name, text) for name, text in self._answers(said).items()]
            tasks.add(found)
            tasks.show(who, self._item(hit, given), found)
        return tasks

    def _one_is_on(self, columns: Columns) -> bool:
        """Return whether exactly one of several switches is on in each row: radio buttons."""
        rows = [self._answers(said) for *_, said in self._each(columns)]
        on = [[found.get(name) for name in self._switches].count("true") for found in rows]
        return len(self._switches) > 1 and set(on) == {1}

    def _each(
        self, columns: Columns
    ) -> Iterator[tuple[str, str, str, str, Sequence[str], Sequence[str]]]:
        """Yield per row: worker, HIT id, status, time, the cells of inputs, those of answers."""
        known = len(self._columns.places)
        hits, workers, states, times = self._columns.fill(columns[:known])
        rest = zip(*columns[known:], strict=True)
        for hit, worker, state, when, cells in zip(
            hits, workers, states, times, rest, strict=False
        ):
            given, said = cells[: self._inputs], cells[self._inputs :]
            yield worker, hit, state, when, given, said

    def rows(self, columns: Columns) -> Iterator[Row]:
        for who, hit, state, when, given, said in self._each(columns):
            if state.strip().casefold() == "rejected":
                self.left_out[NOT_DONE] += 1
                continue
            answers = self._answers(said)
            if self._pairs:
                for task, at in self._pairs.items():
                    item = self._items(given[at], given[at])
                    yield who, item, answers.get(task, ""), when, ""
            elif self._task in answers:
                yield who, self._item(hit, given), answers[self._task], when, ""
            else:
                self.left_out[OTHERS] += 1

    def _item(self, hit: str, given: Sequence[str]) -> str:
        """Return the name of the item, from the input that names it, or else the HIT's id."""
        if self._item_at is None:
            return hit
        return self._items(given[self._item_at], given[self._item_at])

    def _answers(self, said: Sequence[str]) -> dict[str, str]:
        """Return the answers of an assignment by their names, without ``Answer.``.

        A radio button has one column per choice, with true in that of the choice, or is JSON in
        ``Answer.taskAnswers``. A switch (``Answer.moth.on``, or ``{"moth": {"on": true}}``) is
        true or false; switches of which one is on are the choices of one question.
        """
        found: dict[str, str] = {}
        for name, text in zip(self._names[self._inputs :], said, strict=True):
            if name.lower() == self.JSON:
                answers, switches = _task_answers(text)
                found |= answers
                self._switches |= switches
                continue
            task = name.partition(".")[2]
            if task.endswith(".on"):
                task = task.removesuffix(".on")
                found[task] = text.strip().lower()
                self._switches[task] = None
            elif text.strip().lower() in ("true", "false") and "." in task:
                task, _, choice = task.rpartition(".")
                found.setdefault(task, "")
                if text.strip().lower() == "true":
                    found[task] = " + ".join(filter(None, (found[task], choice)))
            else:
                found[task.removesuffix(".label")] = tidy(text)
        if self._are_choices:
            on = [name for name in self._switches if found.pop(name, "") == "true"]
            found[self.CHOICE] = " + ".join(
                "none of these" if name == "none" else name for name in on
            )
        return found

    def _paired(self, tasks: TaskCounts) -> dict[str, int]:
        """Return the input of each answer where both are numbered, as in image1 and class1."""
        inputs = {
            number[0]: at
            for at, name in enumerate(self._names[: self._inputs])
            if (number := re.search(r"\d+$", name))
        }
        answers = {
            task: number[0]
            for task in tasks.with_few_answers
            if (number := re.search(r"\d+$", task))
        }
        if len(answers) < 2 or sorted(inputs) != sorted(answers.values()):
            return {}
        return {task: inputs[number] for task, number in answers.items()}


def _task_answers(text: str) -> tuple[dict[str, str], dict[str, None]]:
    """Return the answers in JSON by their names, and the names of those that are switches.

    >>> _task_answers('[{"kind": {"label": "moth"}, "dark": {"on": false}}]')
    ({'kind': 'moth', 'dark': 'false'}, {'dark': None})
    """
    found: dict[str, str] = {}
    switches: dict[str, None] = {}
    try:
        parts = json.loads(text) if text.strip() else []
    except (ValueError, RecursionError):
        return found, switches
    for part in parts if isinstance(parts, list) else [parts]:
        for name, value in part.items() if isinstance(part, dict) else ():
            is_switch = isinstance(value, dict) and value.keys() == {"on"}
            switches |= {name: None} if is_switch else {}
            answer = _answer_text(value["on"] if is_switch else value)
            if answer is not None:
                found[name] = answer
    return found, switches


_RESPONDENTS = (
    "name fullname yourname username email emailaddress e-mail-adresse nutzername benutzername nom "
    "correo nombre nome naam 名前 氏名 姓名 имя"
)
_WORDS = "name names fullname nickname username nom nombre nome naam namn navn nimi név jméno isim"
_NAMES = frozenset({*_WORDS.split(), *GIVEN_NAME, *FAMILY_NAME} - {"ad"})
"""Words in the question for the respondent's name, as in "Nome e cognome"."""

FEW_ROWS = 6
"""With fewer respondents, all of them may give different answers to a question."""


class Form(AbstractExport):
    """The answers to a form: one row per respondent, with the time and one column per question.

    Parameters
    ----------
    table
        The export as it is in the file.
    time, who, asked
        The positions of the columns with the time, the respondent's name, and the answers.
    other_names
        Other columns that name the respondent; an expert may be recognised by them.
    """

    program = "a form"
    PEOPLE = tuple(map(normalized, _RESPONDENTS.split()))
    ASIDE = re.compile(
        r"(points|feedback|punkte|puntos|punti|pontos|commentaires?|feedback) ?[-–—:] .*|"
        r".*\[(score|feedback|punkte|punktzahl)\]|(total )?score|total points|quiz feedback|punkte|"
        r"gesamtpunktzahl|total des points|total de puntos|punti totali|total de pontos|"
        r"last modified time|language|sprache|punktzahl|puntuación|"
        r"(zeit der letzten änderung|letzte änderung)",
        re.IGNORECASE,
    )
    """The names of columns with points and feedback, which are no answers."""

    def __init__(
        self,
        table: AbstractTable,
        time: int,
        who: Sequence[int],
        other_names: Sequence[int],
        asked: Sequence[int],
    ) -> None:
        self.left_out = Counter()
        self._questions = [tidy(table.header[at]) for at in asked]
        self._names = len(who)
        self._row = 0
        self.places = [time, *who, *other_names, *asked]

    @classmethod
    def of(cls, table: AbstractTable, student: str | None) -> Form | None:
        """Return how to read a table if it is an export of a form, else ``None``.

        A form has a column of times among its first three. ``student`` is the column with the names
        of the respondents, if the user named it.
        """
        width = len(table.header)
        spelt = normalized_header(table.header)
        if not 3 <= width <= 2000:
            return None
        looks = [
            ColumnContent([_without_semicolon(cell) for cell in look.cells])
            for look in contents(table, range(width))
        ]
        times = [at for at in range(min(width, 3)) if looks[at].holds_dates]
        given = None if student is None else find_column(table.header, [student])
        if not times or (student is not None and given is None):
            return None
        rows = len(looks[times[0]].cells)
        known = cls._named(table, looks)
        known += [] if given is None else [given]
        asked = cls._asked(table, looks, {*known, *times})
        if len(asked) < 2:
            return None
        who = [given] if given is not None else cls._respondents(table, looks, known, asked, rows)
        if len(who) == 1 and 2 * len(looks[who[0]].counts) < rows:
            return None  # a table with one row per answer
        others = [at for at in known if at not in who and spelt[at] not in FAMILY_NAME]
        form = cls(table, times[-1], who, others, asked)
        left = [table.header[at] for at in range(width) if at not in (*asked, *who, *times)]
        form.notes = [f"{len(asked)} questions"]
        if who and who[0] not in known:
            form.notes.append(f"respondents from {quoted([table.header[at] for at in who])}")
        if left:
            form.notes.append(f"columns ignored because they hold no answers: {quoted(left)}")
        if not who:
            form.notes.append("no column names the respondents: they are numbered")
        return form

    @classmethod
    def _named(cls, table: AbstractTable, looks: Sequence[ColumnContent]) -> list[int]:
        """Return the columns with names, addresses and numbers of respondents, best first."""
        spelt = normalized_header(table.header)
        named = [at for at, name in enumerate(spelt) if name in cls.PEOPLE]
        named += [at for at, look in enumerate(looks) if look.holds_emails]
        named += [at for at, look in enumerate(looks) if _asks_name(table.header[at], look)]
        named += [at for at, name in enumerate(spelt) if name == "id"]
        return list(dict.fromkeys(named))

    @classmethod
    def _asked(
        cls, table: AbstractTable, looks: Sequence[ColumnContent], others: Iterable[int]
    ) -> list[int]:
        """Return the columns with answers to questions: the same few texts as in other columns."""
        aside = set(others)
        for at, look in enumerate(looks):
            no_question = (
                look.holds_dates or look.holds_emails or look.is_free_text or not look.cells
            )
            if no_question or cls.ASIDE.fullmatch(tidy(table.header[at])):
                aside.add(at)
        rest = {at: look for at, look in enumerate(looks) if at not in aside}
        marks = _marks_beside(table.header, rest)
        return _alike({at: k for at, k in rest.items() if at not in marks and _may_be_question(k)})

    @classmethod
    def _respondents(
        cls,
        table: AbstractTable,
        looks: Sequence[ColumnContent],
        named: Sequence[int],
        asked: Sequence[int],
        rows: int,
    ) -> list[int]:
        """Return the columns that distinguish respondents: a name, else an address or a number.

        Names in two columns are joined. Without a known name, a column before the first question
        counts in which almost all cells differ.
        """
        full = [at for at in named if 2 * len(looks[at].cells) > rows]
        usable = [at for at in full if len(looks[at].counts) > 1 or rows == 1]
        by_name = [at for at in usable if normalized(table.header[at]) != "id"]
        if by_name:
            best = max(by_name, key=lambda at: (len(looks[at].counts), not looks[at].holds_emails))
            names = [at for at in by_name if _asks_name(table.header[at], looks[at])]
            is_part = len(looks[best].counts) < rows and best in names
            return sorted(names) if is_part else [best]
        unknown = [
            at
            for at in range(asked[0])
            if at not in named and _differs(looks[at]) and 2 * len(looks[at].cells) > rows
        ]
        if len(unknown) > 1 and not usable:
            raise _unclear_respondents(table, unknown, asked)
        return unknown if len(unknown) == 1 else usable[:1]

    def rows(self, columns: Columns) -> Iterator[Row]:
        times, *rest = columns
        names, asked = rest[: -len(self._questions)], rest[-len(self._questions) :]
        for at, when in enumerate(times):
            self._row += 1
            named = [column[at].strip() for column in names]
            who = " ".join(filter(None, named[: self._names])) or f"respondent {self._row}"
            # not parts of a name: a student may be called Key
            is_expert = any(normalized(name) in EXPERTS for name in (who, *named[self._names :]))
            for question, answers in zip(self._questions, asked, strict=True):
                answer = _without_semicolon(tidy(answers[at]))
                if answer and is_expert:
                    yield "", question, "", when, answer
                elif answer:
                    yield who, question, answer, when, ""


def _without_semicolon(text: str) -> str:
    """Return an answer without the semicolon that Microsoft Forms puts after each of several."""
    return text.removesuffix(";") or text


def _may_be_question(look: ColumnContent) -> bool:
    """Return whether answers repeat, as those to a question do and names and remarks do not."""
    different, given = len(look.counts), len(look.cells)
    return different <= MOST_ANSWERS and (given < FEW_ROWS or 10 * different <= 7 * given)


def _differs(look: ColumnContent) -> bool:
    """Return whether almost all cells differ, as names do; sentences and numbers do not count."""
    almost_all = len(look.cells) > 1 and 10 * len(look.counts) >= 9 * len(look.cells)
    return almost_all and not (look.is_free_text or look.holds_dates or look.holds_measurements)


def _asks_name(question: str, look: ColumnContent) -> bool:
    """Return whether a question asks for the respondent's name, not for that of a thing."""
    words = set(re.findall(r"\w+", question.casefold()))
    return normalized(question) in _NAMES or bool(_NAMES & words and not _may_be_question(look))


def _marks_beside(header: Sequence[str], looks: Mapping[int, ColumnContent]) -> set[int]:
    """Return the columns with points for another one: ``Punkty: Is it a moth?`` or ``... [Pts]``.

    They are called like that one, with more, and have other texts.
    """
    by_name = {tidy(header[at]): at for at in looks}
    found = set()
    for name, at in by_name.items():
        ends = {name[mark.end() :] for mark in re.finditer(r" ?[-–—:：] ?", name)}
        ends.add(name.rpartition("[")[0].strip())
        of = [by_name[end] for end in ends if end in by_name]
        if any(not looks[at].counts.keys() & looks[other].counts.keys() for other in of):
            found.add(at)
    return found


def _alike(looks: Mapping[int, ColumnContent]) -> list[int]:
    """Return the columns that share their texts with others, if most do; otherwise all.

    So a question for the age, or one text in all rows, is not read as an answer. More than half
    of the different texts in common are enough, as some respondents may write their own,
    and so are nine of ten cells. Costs a few hundred texts per column.
    """
    texts = {at: {text.casefold() for text in look.counts} for at, look in looks.items()}
    columns = Counter(text for own in texts.values() for text in own)
    shared = [
        at
        for at, look in looks.items()
        if 2 * sum(1 for text in texts[at] if columns[text] > 1) > len(texts[at])
        or 10 * sum(n for text, n in look.counts.items() if columns[text.casefold()] > 1)
        >= 9 * len(look.cells)
    ]
    return shared if 2 * len(shared) > len(looks) else list(looks)


def _unclear_respondents(
    table: AbstractTable, unknown: Sequence[int], asked: Sequence[int]
) -> InputError:
    """Return the error for several columns that may name the respondents: three rows, the flag."""
    wanted = [unknown[0], asked[0]]
    rows = islice(
        (row for texts in table.chunks(wanted) for row in zip(*texts, strict=True)), SHOWN
    )
    cells = iter(distinct([cell.strip() for row in rows for cell in row]))
    shown = "; ".join(f"student {who!r}, answer {next(cells)!r}" for who in cells)
    table.dropped.clear()
    names = [table.header[at].strip() for at in unknown]
    return InputError(
        f"{table.path} looks like the answers to a form, but {quoted(names)} may each name the "
        f"respondents. To the question {quoted([table.header[asked[0]]])}, its first rows could be "
        f"read as {shown}. If that is right, add columns={{'student': {to_type(names[0])!r}}} "
        f"(--column student={to_type(names[0])!r}), else name another."
    )
