"""The answers of a class as rows: CSV for a spreadsheet, and the log of an experiment."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from homeroom.live.activities.base import WRITING
from homeroom.live.classbook.experiment import Experiment, arms_of
from homeroom.live.classbook.state import EXPERIMENT, State
from homeroom.live.events import Answered, Regrouped, RoundBegan, Wrote
from homeroom.live.refused import Refused
from homeroom.live.store.store import Stored, lessons_in
from homeroom.studies.experiment_log import (
    ExperimentAnswer,
    ExperimentChoice,
    ExperimentLesson,
    write_log,
)

# The columns of the CSV file, in a class that answers and in one that writes.
ANSWERS = ("student", "name", "phase", "round", "item", "answer", "label", "right", "time")
LETTERS = ("student", "name", "round", "distortion", "rotation", "shakiness", "time", "form")

BYTE_ORDER_MARK = "\ufeff"

LONGEST_FILE_NAME = 60
# German letters as they are spelled in ASCII.
SPELLED = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}
)


class AnswerRow(NamedTuple):
    """One answer: the student, the item, its label (the right answer) if known, and the time.

    ``at`` is the time in seconds since 1970, ``version`` the number of the event.
    """

    student: str
    name: str
    phase: str
    round: int
    item: str
    answer: int
    label: int | None
    at: float
    version: int

    @property
    def right(self) -> bool | None:
        """Whether the answer was right; ``None`` if the item has no label."""
        return None if self.label is None else self.answer == self.label


def answers(state: State, stored: Sequence[Stored]) -> Iterator[AnswerRow]:
    """Yield the answers that count, in order of time; those that came too late are left out."""
    phases = {done.number: done for done in state.rounds}
    for one in lessons_in(stored)[-1]:
        event = one.event
        if not isinstance(event, Answered):
            continue
        done = phases.get(event.round)
        if done is None or done.answers.get((event.student, event.item)) != event.answer:
            continue
        yield AnswerRow(
            event.student,
            state.people[event.student].name,
            done.phase,
            event.round,
            event.item,
            event.answer,
            state.activity.labels.get(event.item),
            one.at,
            one.version,
        )


def clock(at: float) -> str:
    """Return a time in UTC as ISO 8601 text.

    >>> clock(0.5)
    '1970-01-01T00:00:00.500Z'
    """
    when = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    return when.replace("+00:00", "Z")


def csv_of(state: State, stored: Sequence[Stored]) -> str:
    """Return one row per answer, or per letter in a class that writes.

    The text begins with a byte-order mark, without which Excel does not read it as UTF-8.
    """
    file = io.StringIO(newline="")
    file.write(BYTE_ORDER_MARK)
    writer = csv.writer(file)
    if state.activity.kind == WRITING:
        writer.writerow(LETTERS)
        writer.writerows([safe(cell) for cell in row] for row in _letters(state, stored))
    else:
        writer.writerow(ANSWERS)
        writer.writerows([safe(cell) for cell in row] for row in _answers(state, stored))
    return file.getvalue()


def _answers(state: State, stored: Sequence[Stored]) -> list[tuple[Any, ...]]:
    """Return the rows of the CSV file of a class that answers."""
    word = state.activity.word
    return [
        (
            row.student,
            row.name,
            row.phase,
            row.round,
            row.item,
            word(row.answer, row.item),
            "" if row.label is None else word(row.label, row.item),
            "" if row.right is None else int(row.right),
            clock(row.at),
        )
        for row in answers(state, stored)
    ]


def _letters(state: State, stored: Sequence[Stored]) -> list[tuple[Any, ...]]:
    """Return the rows of the CSV file of a class that writes."""
    return [
        (
            one.event.student,
            state.people[one.event.student].name,
            one.event.round,
            *(one.event.scores.get(name, "") for name in LETTERS[3:6]),
            clock(one.at),
            one.event.form,
        )
        for one in lessons_in(stored)[-1]
        if isinstance(one.event, Wrote) and one.event.student in state.people
    ]


def inkml_of(state: State, stored: Sequence[Stored]) -> str:
    """Return the letters of a lesson as InkML, with the students' names as writers.

    ``homeroom write score`` reads it. A class that does not write has no letters.
    """
    from homeroom.handwriting.files.inkml import InkMl
    from homeroom.live.classbook.writing import ink_of

    people, letter = state.people, state.activity.letter
    inks = [
        replace(ink_of(one.event.strokes, letter or ""), writer=people[one.event.student].name)
        for one in lessons_in(stored)[-1]
        if isinstance(one.event, Wrote) and one.event.student in people
    ]
    return "".join(InkMl().write(inks))


def experiment_of(state: State, stored: Sequence[Stored], *, class_id: str = "") -> str:
    """Return the log of an experiment, which ``homeroom evaluate`` reads.

    It has the students who take part, under pseudonyms; nothing of any other student is in it.
    A lesson that is not an experiment has none.
    """
    lesson, about = experiment_lesson(state, stored, class_id)
    return write_log(lesson, **about)


def experiment_lesson(
    state: State, stored: Sequence[Stored], class_id: str = ""
) -> tuple[ExperimentLesson, dict[str, Any]]:
    """Return the experiment of a lesson, and what else the first line of its log states."""
    experiment = Experiment.of(state.opened)
    if experiment is None:
        raise Refused("no_experiment")
    arms, events = arms_of(state), lessons_in(stored)[-1]
    began, kept = events[0].at, {done.number: done for done in state.rounds}
    key = hashlib.sha256(b"pseudonyms " + state.codes.key).digest()
    choices = [
        choice
        for one in events
        if isinstance(event := one.event, RoundBegan) and event.round in kept
        for choice in _choices(event, experiment, round(one.at - began, 3))
    ]
    given = [
        ExperimentAnswer(
            arms[row.student],
            hashlib.blake2s(row.student.encode(), key=key, digest_size=8).hexdigest(),
            "lesson" if row.phase == "teach" else row.phase,
            row.round,
            row.item,
            row.answer,
            row.right,
            round(row.at - began, 3),
        )
        for row in answers(state, stored)
        if row.student in arms
    ]
    students = {arm: list(arms.values()).count(arm) for arm in experiment.arms}
    at_split = [
        group
        for one in events
        if isinstance(event := one.event, Regrouped) and event.how == EXPERIMENT
        for group in event.groups.values()
    ]
    withdrew = {
        arm: max(0, at_split.count(number) - students[arm])
        for number, arm in enumerate(experiment.arms)
    }
    lesson = ExperimentLesson(
        class_id or "class",
        state.lesson,
        experiment.arms,
        experiment.explore,
        choices,
        given,
        students,
        withdrew,
    )
    about = {
        "activity": state.activity.id,
        "rounds": experiment.rounds,
        "seed": experiment.seed,
        "not_taking_part": len(state.joined) - len(arms),
    }
    return lesson, about


def _choices(event: RoundBegan, experiment: Experiment, at: float) -> Iterator[ExperimentChoice]:
    """Yield the choice of each arm in a round; the teacher's own choice has no probability."""
    for arm, item, reason in zip(experiment.arms, event.items, event.reasons, strict=False):
        if item is not None and reason is not None:
            yield ExperimentChoice(
                arm,
                event.round,
                item,
                reason.get("allowed", 1),
                reason.get("probability"),
                reason.get("choices", {}),
                reason.get("expected", {}),
                at,
            )


def safe(cell: Any) -> Any:
    """Return a cell that spreadsheets do not read as a formula.

    >>> safe("=cmd()"), safe("Ada"), safe(-1)
    ("'=cmd()", 'Ada', -1)
    """
    risky = isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r")
    return f"'{cell}" if risky else cell


def file_name(name: str, day: date, ending: str) -> str:
    """Return a file name with the class and the day, in ASCII letters and digits.

    Parameters
    ----------
    name
        The name of the class.
    day
        The day of its last event.
    ending
        The ending of the file.

    >>> file_name("4b, Schüler am Dienstag", date(2025, 6, 15), "csv")
    '4b-Schueler-am-Dienstag-2025-06-15.csv'
    >>> file_name("三年级", date(2025, 6, 15), "xapi.jsonl")
    'class-2025-06-15.xapi.jsonl'
    """
    spelled = unicodedata.normalize("NFC", name).translate(SPELLED)
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    words = "-".join(re.findall(r"[A-Za-z0-9]+", plain))[:LONGEST_FILE_NAME].strip("-")
    return f"{words or 'class'}-{day.isoformat()}.{ending}"
