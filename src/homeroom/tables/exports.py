"""Exports of other programs, read as tables of annotators, items and answers.

Zooniverse's classifications, Label Studio's annotations, Mechanical Turk's batches and others have
one row per annotation, with the answers as JSON or in many columns. ``programs.toml`` describes
each: the columns by which it is recognised, and where its parts are. The result is a table of
student, item, answer, time and label.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from homeroom._checks import InputError
from homeroom.tables.columns import (
    MOST_ANSWERS,
    aliases,
    contents,
    find_column,
    normalized,
    normalized_header,
)
from homeroom.tables.nested import answers_in, file_in, person_in
from homeroom.tables.table import Table, distinct, quoted, shell_word, to_column, to_type
from homeroom.tables.text import tidy

HEADER = ("student", "item", "answer", "time", "label")

SHOWN = 3
"""How many rows an error shows as they were understood."""

UNREADABLE = "rows whose JSON cannot be read"
OTHERS = "rows of other workflows, or without an answer to the task"
COMPUTED = "rows that are computed from others, such as an average"
NOT_DONE = "rows that were skipped, cancelled or rejected"
"""Reasons for which rows are left out."""

TRUE = frozenset({"true", "1", "yes", "t", "x"})
REJECTED = frozenset(
    {"rejected", "reject", "declined", "expired", "abandoned", "returned", "spam", "invalid"}
    | {"cancelled", "canceled", "skipped", "skip", "ignored", "not approved", "disapproved"}
)
"""What a column of states says of an answer that does not count."""

CHOICE = "choice"
"""The name given to the question whose choices are switches."""


@dataclass(frozen=True)
class Program:
    """How one program exports answers; ``programs.toml`` explains the fields."""

    name: str
    columns: Sequence[str]
    answer: Sequence[str]
    student: Sequence[str] = ()
    join: Sequence[str] = ()
    item: Sequence[str] = ()
    id: str = ""
    time: str = ""
    label: str = ""
    gold: str = ""
    only: Sequence[str] = ()
    workflow: Sequence[str] = ()
    about: Sequence[str] = ()
    json: bool = False
    wide: bool = False

    def find(self, header: Sequence[str], patterns: Sequence[str]) -> list[int]:
        """Return the columns with one of these names, in the order of the patterns."""
        known = [at for pattern in patterns for at in _matches(header, pattern)]
        return list(dict.fromkeys(known))

    def fits(self, header: Sequence[str]) -> bool:
        """Return whether a table has the columns by which the program is recognised."""
        return all(self.find(header, one.split("|")) for one in self.columns)


def _matches(header: Sequence[str], pattern: str) -> list[int]:
    """Return the columns that a pattern matches; names that begin with ``_`` must be exact."""
    start = pattern.casefold().removesuffix("*")
    spelt = [tidy(name).casefold() for name in header]
    if pattern.endswith("*"):
        return [at for at, name in enumerate(spelt) if name.startswith(start) and name != start]
    if pattern.startswith("_"):
        return [at for at, name in enumerate(spelt) if name == start]
    place = find_column(header, [pattern])
    return [] if place is None else [place]


@cache
def programs() -> tuple[Program, ...]:
    """Return the programs whose exports are known."""
    text = files("homeroom.tables").joinpath("programs.toml").read_text("utf-8")
    return tuple(Program(**about) for about in tomllib.loads(text)["program"])


def as_answers(table: Table, *, workflow: str | None = None, task: str | None = None) -> Table:
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
    program = next((one for one in programs() if one.fits(table.header)), None)
    for option, value in (("workflow", workflow), ("task", task)):
        if value is not None and (
            program is None or (option == "workflow" and not program.workflow)
        ):
            known = [one.name for one in programs() if option == "task" or one.workflow]
            raise InputError(
                f"`{option}` (--{option}) chooses from an export of {' or '.join(known)}, but "
                f"{table.path} is none: leave it out."
            )
    return table if program is None else _Export(table, program, workflow).answers(task)


class _Export:
    """An export of a program whose parts have been found.

    ``table`` has the rows that count. ``answer_places`` are the columns of answers and
    ``item_places`` those that may name the item, best first.
    """

    def __init__(self, table: Table, program: Program, workflow: str | None) -> None:
        table = _of_workflow(table, program, workflow)
        table = _accepted(table, program)
        header = table.header
        self.program = program
        self.answer_places = program.find(header, program.answer)
        self.item_places = program.find(header, program.item)
        if program.answer[0] == "*":
            self.answer_places, self.item_places = _data_columns(table, program)
        used = {*self.answer_places, *self.item_places, *program.find(header, program.student)}
        self.table = without_rejected(table, used)
        self.students = self._students()
        computed = [normalized(name) in aliases("rows")["summary"] for name in self.students]
        if program.wide and any(computed):
            self.table = self.table.keep(~np.array(computed, dtype=bool), COMPUTED)
            self.students = self._students()
        self.times = self._column(program.time)
        gold = self._column(program.gold)
        self.is_gold = [text.casefold() in TRUE for text in gold]

    def _column(self, *names: str) -> list[str]:
        """Return the texts of the first of these columns that exists; blanks if none does."""
        places = self.program.find(self.table.header, [name for name in names if name])
        return self.table.texts(places[0]) if places else [""] * self.table.rows

    def _students(self) -> list[str]:
        """Return the annotator of each row: the first column with a name, or several joined."""
        find, header = self.program.find, self.table.header
        parts = find(header, self.program.join)
        names = [
            " ".join(filter(None, row)) for row in zip(*map(self.table.texts, parts), strict=True)
        ]
        if parts and len(set(names)) == len(names):
            return names
        places = find(header, self.program.student) or parts
        rows = zip(*map(self.table.texts, places), strict=True)
        return [person_in(next(filter(None, row), "")) for row in rows]

    def answers(self, task: str | None) -> Table:
        """Return the table of annotators, items and answers."""
        tasks = self._tasks()
        if self.program.wide:
            return self._melt(tasks)
        if pairs := _pair_items(self.table.header, self.item_places, tasks):
            named = [(name, self._names(at)) for name, at in pairs.items()]
            return self._result(named, tasks, f"tasks {quoted(list(pairs))}")
        items = self._names(self._best_item())
        tasks.examples = list(zip(self.students, items, strict=True))[:SHOWN]
        chosen = tasks.choose(task)
        label = tasks.labels.get(chosen, "")
        about = f"task {chosen}{f' ({label[:60]})' if label else ''}"
        return self._result([(chosen, items)], tasks, about)

    def _tasks(self) -> Tasks:
        """Return the answers of all rows by task."""
        tasks = Tasks(self.table.path, self.table.rows)
        prefixes = [pattern[:-1] for pattern in self.program.answer if pattern[-1] == "*"]
        for at in self.answer_places:
            name = tidy(self.table.header[at])
            for prefix in filter(None, prefixes):
                if not self.program.wide and name.casefold().startswith(prefix):
                    name = name[len(prefix) :]
            known = {
                text: answers_in(name, text, is_json=self.program.json)
                for text in dict.fromkeys(self.table.texts(at))
            }
            for row, text in enumerate(self.table.texts(at)):
                tasks.add(row, known[text])
        tasks.merge_buttons()
        return tasks

    def _best_item(self) -> int | None:
        """Return the column that names the item: the only one, or one of files or numbers."""
        looks = contents(self.table, self.item_places)
        by_look = [
            at for at, look in zip(self.item_places, looks, strict=True) if look.looks_like_items
        ]
        filled = [at for at, look in zip(self.item_places, looks, strict=True) if look.cells]
        if by_look:
            return by_look[0]
        is_listed = self.program.item and not self.program.item[0].endswith("*")
        return filled[0] if filled and (is_listed or len(filled) == 1) else None

    def _names(self, at: int | None) -> list[str]:
        """Return short names of items: files, with the id where two would be the same."""
        numbers = self._column(self.program.id)
        texts = numbers if at is None else self.table.texts(at)
        if at is not None and not any(numbers):
            numbers = texts
        of_number: dict[str, str] = {}
        number_of: dict[str, str] = {}
        for number, text in zip(numbers, texts, strict=True):
            if number not in of_number:
                name = file_in(text) or number
                if number_of.setdefault(name, number) != number:
                    name = f"{name} ({number})"
                of_number[number] = name
        return [of_number[number] for number in numbers]

    def _melt(self, tasks: Tasks) -> Table:
        """Return the table of answers of an export in which each column of answers is an item."""
        find, header = self.program.find, self.table.header
        questions = dict(enumerate(find(header, self.program.item)))
        labels = dict(enumerate(find(header, self.program.label.split("|"))))
        named, expert = [], {}
        for number, task in enumerate(tasks.columns):
            texts = (
                {*self.table.texts(questions[number])} - {"", "-"} if number in questions else ()
            )
            name = next(iter(texts)) if len(texts) == 1 else task
            named.append((task, [name] * self.table.rows))
            if number in labels:
                expert[task] = self.table.texts(labels[number])
        return self._result(named, tasks, f"{len(named)} questions", expert)

    def _result(
        self,
        named: Sequence[tuple[str, Sequence[str]]],
        tasks: Tasks,
        about: str,
        expert: Mapping[str, Sequence[str]] | None = None,
    ) -> Table:
        """Return the answers to some tasks, each given with the items of all rows."""
        rows: list[tuple[str, str, str, str, str]] = []
        for task, items in named:
            answers = tasks.columns[task]
            labels = (expert or {}).get(task) or self._column(self.program.label.format(task))
            every = zip(
                self.students, items, answers, self.times, labels, self.is_gold, strict=True
            )
            for who, item, answer, when, label, is_gold in every:
                if answer is not None and is_gold:
                    rows.append(("", item, "", when, answer))
                elif answer is not None and (who or answer):
                    rows.append((who, item, answer, when, label))
        missing = sum(
            1 for n in range(self.table.rows) if all(tasks.columns[t][n] is None for t, _ in named)
        )
        unread = Counter({UNREADABLE: tasks.unread, OTHERS: missing - tasks.unread})
        notes = [*self.table.notes, f"read as an export of {self.program.name}", about]
        return Table.of_rows(
            self.table.path,
            HEADER,
            rows,
            notes=notes,
            dropped=self.table.dropped + unread,
            program=self.program.name,
        )


def _accepted(table: Table, program: Program) -> Table:
    """Return the rows of a program in which a suggested answer was accepted.

    If there is only one suggestion, rows in which it was rejected answer no.
    """
    places = program.find(table.header, program.only[:1])
    if not places:
        return table
    words = [text.casefold() for text in table.texts(places[0])]
    given = program.find(table.header, program.answer)
    suggested = {text for at in given for text in table.texts(at)} - {""}
    if len(suggested) < 2 and {program.only[1], "reject"} <= {*words}:
        yes_or_no = {program.only[1]: "yes", "reject": "no"}
        columns = list(table.columns)
        for at in given:
            columns[at] = to_column([yes_or_no.get(word, "") for word in words])
        return replace(table, columns=columns)
    return table.keep(np.array([word == program.only[1] for word in words], dtype=bool), NOT_DONE)


def _of_workflow(table: Table, program: Program, chosen: str | None) -> Table:
    """Return the rows of the workflow that is meant: as given by id or name, or the only one."""
    places = program.find(table.header, program.workflow)
    if not places:
        return table
    ids, *names = map(table.texts, places)
    known = dict(zip(ids, names[0] if names else ids, strict=True))
    listed = ", ".join(f"{number} ({name[:60]})" for number, name in islice(known.items(), 12))
    if chosen is None:
        if len(known) > 1:
            first = to_type(next(iter(known)))
            raise InputError(
                f"{table.path} has classifications of several workflows: {listed}. Choose one, as "
                f"in workflow={first!r} (--workflow {shell_word(first)})."
            )
        return table
    word = chosen.strip().casefold()
    meant = [n for n, name in known.items() if word in (n.casefold(), name.casefold())]
    if not meant:
        raise InputError(
            f"{table.path} has no workflow {chosen[:60]!r} (--workflow): it has {listed or 'none'}."
        )
    return table.keep(np.array([number == meant[0] for number in ids], dtype=bool), OTHERS)


def _data_columns(table: Table, program: Program) -> tuple[list[int], list[int]]:
    """Return the columns of answers and of items, where all that are not named may be either.

    With a column for the expert's label, as in ``kind`` and ``kind_gold``, the answers are those
    that have one. Otherwise data of an item are the same in all rows of the item.
    """
    header = table.header
    if "{}" in program.label:
        names = {tidy(name) for name in header}
        asked = [at for at, n in enumerate(header) if program.label.format(tidy(n)) in names]
        if len(asked) != 1:
            others = [tidy(name) for name in header if not name.startswith("_")]
            first = to_type(([tidy(header[at]) for at in asked] or others or ["..."])[0])
            raise InputError(
                f"{table.path} looks like a report of {program.name}, but does not show which of "
                f"{quoted(others)} holds the answers: name it, as in columns={{'answer': "
                f"{first!r}}} (--column answer={first!r})."
            )
        return asked, program.find(header, program.item)
    named = (program.id, program.time, program.gold, *program.student, *program.about)
    about = {normalized(name) for name in named}
    rest = [at for at, name in enumerate(normalized_header(header)) if name not in about]
    looks = dict(zip(rest, contents(table, rest), strict=True))
    rest = [at for at in rest if looks[at].cells and not looks[at].is_free_text]
    fixed = _fixed_by(table, program.find(header, [program.id])[0], rest)
    items = sorted(
        fixed or [at for at in rest if looks[at].looks_like_items],
        key=lambda at: (looks[at].looks_like_items, len(looks[at].counts)),
        reverse=True,
    )[: None if fixed else 1]
    return [at for at in rest if at not in items] or rest[1:], items[:1]


def _fixed_by(table: Table, key: int, wanted: Sequence[int]) -> list[int]:
    """Return the columns with the same text in all rows with the same key; none if keys differ."""
    keys = table.texts(key)
    if len(set(keys)) == len(keys):
        return []
    return [
        at for at in wanted if len({*zip(keys, table.texts(at), strict=True)}) == len(set(keys))
    ]


def _pair_items(header: Sequence[str], items: Sequence[int], tasks: Tasks) -> dict[str, int]:
    """Return the item's column of each task where both are numbered, as in image1 and class1."""
    numbered = {number[0]: at for at in items if (number := re.search(r"\d+$", tidy(header[at])))}
    answers = {
        task: number[0] for task in tasks.with_few_answers if (number := re.search(r"\d+$", task))
    }
    if len(answers) < 2 or sorted(numbered) != sorted(answers.values()):
        return {}
    return {task: numbered[number] for task, number in answers.items()}


def without_rejected(table: Table, used: Sequence[int] | set[int]) -> Table:
    """Return the table without the rows that a column which is not used marks as rejected."""
    names, about = normalized_header(table.header), aliases("about")
    counted: npt.NDArray[np.bool_] = np.ones(table.rows, dtype=bool)
    for at, name in enumerate(names):
        words = REJECTED if name in about["status"] else TRUE if name in about["excluded"] else ()
        if words and at not in used:
            texts = (text.casefold() for text in table.texts(at))
            counted &= np.array([text not in words for text in texts], dtype=bool)
    return table if counted.all() else table.keep(counted, NOT_DONE)


@dataclass
class Tasks:
    """The answers in an export by task.

    Parameters
    ----------
    path, rows
        The file, for errors, and its number of rows.
    columns
        The answer in each row to each task; ``None`` if the row has none.
    labels
        The label of each task, which may be chosen instead of its name.
    examples
        The annotator and the item of a few rows, for errors.
    unread
        How many rows could not be read.
    """

    path: Path
    rows: int
    columns: dict[str, list[str | None]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    examples: list[tuple[str, str]] = field(default_factory=list)
    unread: int = 0

    def add(self, row: int, answers: Sequence[tuple[str, str, str]] | None) -> None:
        """Add the answers of a row; ``None`` if they cannot be read."""
        self.unread += answers is None
        for task, label, text in answers or ():
            if task not in self.columns:
                self.columns[task] = [None] * self.rows
                self.labels[task] = label
            self.columns[task][row] = text

    def merge_buttons(self) -> None:
        """Merge columns of true and false into one task per question.

        A radio button has one column per choice, with true in that of the choice. Switches of which
        exactly one is on in each row are the choices of one question.
        """
        flags = [
            task
            for task, texts in self.columns.items()
            if "." in task and {text.lower() for text in texts if text} <= {"true", "false"}
        ]
        of_question: dict[str, dict[str, list[bool]]] = {}
        for task in flags:
            question, _, choice = task.rpartition(".")
            is_on = [(text or "").lower() == "true" for text in self.columns[task]]
            question, choice = ("", question) if choice == "on" else (question, choice)
            of_question.setdefault(question, {})[choice] = is_on
        switches = of_question.pop("", {})
        on = np.array(list(switches.values())).sum(axis=0) if len(switches) > 1 else np.zeros(0)
        if len(on) and (on == 1).all():
            named = {"none of these" if name == "none" else name: n for name, n in switches.items()}
            of_question[CHOICE] = named
        else:
            self.columns |= {
                name: [str(is_on).lower() for is_on in texts] for name, texts in switches.items()
            }
        for task in flags:
            del self.columns[task]
        for question, choices in of_question.items():
            rows = zip(*choices.values(), strict=True)
            self.columns[question] = [
                " + ".join(name for name, is_on in zip(choices, row, strict=True) if is_on)
                for row in rows
            ]
        for task in [task for task in self.columns if task.endswith(".label")]:
            self.columns[task.removesuffix(".label")] = self.columns.pop(task)

    def counts(self, task: str) -> Counter[str]:
        """Return the answers to a task, with how often each occurs."""
        return Counter(text for text in self.columns[task] if text)

    @property
    def with_few_answers(self) -> list[str]:
        """The tasks that have answers, but no free text."""
        counts = {task: self.counts(task) for task in self.columns}
        return [task for task, own in counts.items() if own and not is_free_text(own)]

    @property
    def candidates(self) -> list[str]:
        """The tasks with a few answers each: no free text, no drawings.

        A task whose one answer is none of those to a task with several is left out, as a shortcut
        that was never used is.
        """
        few = {task: self.counts(task) for task in self.with_few_answers}
        varied = {task: own for task, own in few.items() if len(own) > 1}
        texts = {text for own in varied.values() for text in own}
        return [
            task for task, own in few.items() if task in varied or not varied or own.keys() & texts
        ]

    def choose(self, given: str | None) -> str:
        """Return the task that is meant: as given, or the only one."""
        if given is not None:
            for task in self.columns:
                names = (task.casefold(), self.labels.get(task, task).casefold())
                if given.strip().casefold() in names and given.strip():
                    return task
            raise InputError(
                f"{self.path} has no task {given[:60]!r} (--task): it has {self._list()}."
            )
        if len(self.candidates) == 1:
            return self.candidates[0]
        if not self.candidates:
            raise InputError(
                f"{self.path} has no question with a few answers to choose from: it has "
                f"{self._list() or 'no tasks'}."
            )
        first = to_type(self.candidates[0])
        raise InputError(
            f"{self.path} has answers to several tasks: {self._list()}. Its first rows are read "
            f"as {self._show()}. Choose a task, as in task={first!r} (--task {shell_word(first)})."
        )

    def _show(self) -> str:
        """Return the first rows, for an error message; different texts differ."""
        rows = [
            (*example, *(texts[n] or "" for texts in self.columns.values()))
            for n, example in enumerate(self.examples)
        ]
        cells = iter(distinct([text for row in rows for text in row]))
        return "; ".join(
            f"{next(cells)!r} on {next(cells)!r}: "
            + ", ".join(f"{task} = {next(cells)!r}" for task in self.columns)
            for _ in rows
        )

    def _list(self) -> str:
        """Return the first tasks, with some of their answers, for an error."""
        shown = []
        for task in islice(self.columns, 12):
            counts, label = self.counts(task), self.labels.get(task, "")
            texts = f"free text such as {quoted(list(counts), 1)}"
            if not is_free_text(counts):
                texts = quoted(list(counts), 4)
            shown.append(f"{task}{f' ({label[:60]})' if label else ''}: {texts}")
        return "; ".join(shown)


def is_free_text(counts: Counter[str]) -> bool:
    """Return whether answers are free text: many different ones, or sentences that rarely repeat.

    >>> (
    ...     is_free_text(Counter({"yes": 9, "no": 3})),
    ...     is_free_text(Counter(["it is too dark", "a small moth"])),
    ... )
    (False, True)
    """
    rare = 2 * len(counts) > counts.total()
    words = sum(len(text.split()) for text in counts) / max(1, len(counts))
    return len(counts) > MOST_ANSWERS or (rare and (words >= 3 or len(counts) > 10))
