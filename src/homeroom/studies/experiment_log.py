"""The log of an experiment, one JSON object per line: written by a live class, read with limits."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from homeroom._checks import InputError
from homeroom._files import reading

FORMAT = "homeroom experiment, version 1"
PHASES = ("pretest", "lesson", "posttest")

MOST_BYTES = 256 << 20
"""The largest log that is read: 256 MiB."""

LONGEST_LINE = 50_000
LONGEST_TEXT = 200
MOST_ARMS = 10
MOST_ROUNDS = 100_000


class ExperimentChoice(NamedTuple):
    """An item that was chosen for an arm.

    Parameters
    ----------
    arm, round
        The arm whose students saw the item, and the number of the round.
    item
        The item that was chosen.
    allowed
        The number of items that could have been chosen.
    probability
        The probability with which this item was chosen; ``None`` if the teacher chose it.
    choices
        The item that each arm's rule would choose here, by arm; none for an arm that chooses at
        random.
    expected
        Predictions of the fitted learner. ``before`` is the share of right answers now. All other
        entries are increases of that share: after ``item`` (the chosen one), after an allowed item
        at random (``random``), and after each arm's choice, by arm. Empty if it was not recorded.
    time
        Seconds since the lesson began.
    """

    arm: str
    round: int
    item: str
    allowed: int
    probability: float | None
    choices: Mapping[str, str]
    expected: Mapping[str, float]
    time: float = 0.0


class ExperimentAnswer(NamedTuple):
    """An answer of a student who takes part.

    ``phase`` is one of ``PHASES``, ``answer`` the number of the answer (1 or -1 for yes or no), and
    ``time`` the seconds since the lesson began. ``right`` is ``None`` for an item without a label.
    """

    arm: str
    student: str
    phase: str
    round: int
    item: str
    answer: int
    right: bool | None
    time: float = 0.0


@dataclass(frozen=True)
class ExperimentLesson:
    """One lesson of a class that was split into arms.

    Parameters
    ----------
    classroom
        The class.
    lesson
        The number of its lesson.
    arms
        The ways of teaching.
    explore
        The share of choices that were made at random.
    choices, answers
        What was chosen and answered.
    students, withdrew
        The number of students per arm who take part, and who were in the arm at the split but
        withdrew since.
    """

    classroom: str
    lesson: int
    arms: tuple[str, ...]
    explore: float = 0.0
    choices: Sequence[ExperimentChoice] = ()
    answers: Sequence[ExperimentAnswer] = ()
    students: Mapping[str, int] = field(default_factory=dict)
    withdrew: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def gains(self) -> dict[str, list[float]]:
        """The gain of each student who took both tests, by arm: post-test minus pre-test.

        A score is a student's share of right answers in a test.
        """
        right: dict[tuple[str, str], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
        for one in self.answers:
            if one.right is not None and one.phase != "lesson":
                right[one.arm, one.student][one.phase].append(one.right)
        found: dict[str, list[float]] = {arm: [] for arm in self.arms}
        for (arm, _), tests in right.items():
            if len(tests) == 2:
                shares = {phase: sum(given) / len(given) for phase, given in tests.items()}
                found[arm].append(shares["posttest"] - shares["pretest"])
        return found


def write_log(lesson: ExperimentLesson, **about: Any) -> str:
    """Return the log of a lesson as text, one JSON object per line.

    ``about`` adds entries to the first line.

    Raises
    ------
    InputError
        If the name of a class, arm, student or item is a text that :func:`read_logs` refuses.
    """
    place = {"class": lesson.classroom, "lesson": lesson.lesson}
    head = {
        "kind": "experiment",
        "format": FORMAT,
        **place,
        "arms": list(lesson.arms),
        "explore": lesson.explore,
        "students": dict(lesson.students),
        "withdrew": dict(lesson.withdrew),
        **about,
    }
    choices = [{"kind": "choice", **place, **one._asdict()} for one in lesson.choices]
    answers = [{"kind": "answer", **place, **one._asdict()} for one in lesson.answers]
    later = sorted(choices + answers, key=lambda one: one["time"])
    try:
        for arm in lesson.arms:
            _text({"arms": arm}, "arms")
        for line in [head, *later]:
            for name in ("class", "arm", "student", "item"):
                if name in line:
                    _text(line, name)
    except _LineError as why:
        raise InputError(f"The lesson cannot be written: {why}") from None
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in [head, *later])


def read_logs(paths: Iterable[Path]) -> list[ExperimentLesson]:
    """Return the lessons of some logs; a file may hold the logs of several classes.

    Raises
    ------
    InputError
        If a file is not such a log, in one sentence with the file and the line.
    """
    lessons: dict[tuple[str, int], _Draft] = {}
    for path in paths:
        for number, values in _lines(path):
            try:
                _add_line(values, lessons)
            except _LineError as why:
                raise InputError(f"{path}, line {number}: {why}") from None
    if not lessons:
        raise InputError("The logs are empty: download one from the report of an experiment.")
    return [draft.lesson() for draft in lessons.values()]


class _LineError(Exception):
    """What is wrong with a line; the message does not name the file and the line."""


@dataclass
class _Draft:
    """A lesson of which some lines have been read.

    Choices have the key (arm, round), answers (student, phase, round, item). ``arm_of`` is the arm
    of each student.
    """

    head: ExperimentLesson
    choices: dict[tuple[str, int], ExperimentChoice] = field(default_factory=dict)
    answers: dict[tuple[str, str, int, str], ExperimentAnswer] = field(default_factory=dict)
    arm_of: dict[str, str] = field(default_factory=dict)

    def lesson(self) -> ExperimentLesson:
        """Return the lesson with all lines read so far."""
        choices, answers = tuple(self.choices.values()), tuple(self.answers.values())
        return replace(self.head, choices=choices, answers=answers)


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the JSON object of each line of a log, within limits."""
    with reading(path):
        if (size := path.stat().st_size) > MOST_BYTES:
            raise InputError(
                f"{path} has {size / 2**20:.0f} MiB, but a log may have {MOST_BYTES >> 20}: give "
                "the logs of single classes as several files."
            )
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(raw) > LONGEST_LINE:
                    raise InputError(
                        f"{path}, line {number} has more than {LONGEST_LINE} bytes: it is not "
                        "the log of an experiment."
                    )
                if raw.strip():
                    yield number, _object(path, number, raw)


def _object(path: Path, number: int, raw: bytes) -> dict[str, Any]:
    """Return the JSON object of a line."""
    try:
        values = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise InputError(
            f"{path}, line {number} is not a JSON object: a log of an experiment has one per line."
        )
    return values


def _add_line(values: Mapping[str, Any], lessons: dict[tuple[str, int], _Draft]) -> None:
    """Add what a line describes to the lessons that were read so far."""
    kind = values.get("kind")
    place = (_text(values, "class"), _whole(values, "lesson", 1, MOST_ROUNDS))
    if kind == "experiment":
        if place in lessons:
            raise _LineError(
                f"class {place[0]!r}, lesson {place[1]} is given twice: leave one out."
            )
        lessons[place] = _Draft(_head(values, place))
        return
    if place not in lessons:
        raise _LineError(
            f"the line of class {place[0]!r}, lesson {place[1]} that begins its log "
            f'("kind": "experiment") is missing before this one.'
        )
    draft = lessons[place]
    if kind == "choice":
        choice = _choice(values, draft.head.arms)
        if draft.choices.setdefault((choice.arm, choice.round), choice) is not choice:
            raise _LineError(f"round {choice.round} of the arm {choice.arm!r} is given twice.")
    elif kind == "answer":
        answer = _answer(values, draft.head.arms)
        if draft.arm_of.setdefault(answer.student, answer.arm) != answer.arm:
            raise _LineError(f"the student {answer.student!r} is in two arms.")
        key = (answer.student, answer.phase, answer.round, answer.item)
        if draft.answers.setdefault(key, answer) is not answer:
            raise _LineError(f"an answer of the student {answer.student!r} is given twice.")
    else:
        raise _LineError(
            f'"kind" must be "experiment", "choice" or "answer", but is {_short(kind)}.'
        )


def _head(values: Mapping[str, Any], place: tuple[str, int]) -> ExperimentLesson:
    """Return the lesson that the first line of a log describes, without choices and answers."""
    if values.get("format") != FORMAT:
        raise _LineError(f'"format" must be {FORMAT!r}, but is {_short(values.get("format"))}.')
    arms = values.get("arms")
    if not isinstance(arms, list) or not 2 <= len(arms) <= MOST_ARMS:
        raise _LineError(f'"arms" must be a list of 2 to {MOST_ARMS} ways of teaching.')
    names = tuple(_text({"arms": arm}, "arms") for arm in arms)
    if len(set(names)) < len(names):
        raise _LineError('"arms" must be different from each other.')
    explore = _number(values, "explore", 0.0, 1.0, missing=0.0)
    students, withdrew = (_counts(values, name, names) for name in ("students", "withdrew"))
    return ExperimentLesson(*place, names, explore, students=students, withdrew=withdrew)


def _counts(values: Mapping[str, Any], name: str, arms: Sequence[str]) -> dict[str, int]:
    """Return the number of students per arm in the entry ``name``, checked."""
    counts = values.get(name, {})
    if not isinstance(counts, dict) or not set(counts) <= set(arms):
        raise _LineError(f'"{name}" must be the number of students per arm: {", ".join(arms)}.')
    return {arm: _whole(counts, arm, 0, 1_000_000) for arm in counts}


def _choice(values: Mapping[str, Any], arms: Sequence[str]) -> ExperimentChoice:
    """Return the choice that a line describes."""
    probability = values.get("probability")
    if probability is not None:
        probability = _number(values, "probability", 0.0, 1.0)
        if probability == 0.0:
            raise _LineError('"probability" must be above 0, as the item was chosen.')
    choices = values.get("choices", {})
    expected = values.get("expected", {})
    for name, part in (("choices", choices), ("expected", expected)):
        if not isinstance(part, dict) or len(part) > MOST_ARMS + 3:  # arms, before, item, random
            raise _LineError(f'"{name}" must be an object with up to {MOST_ARMS + 3} entries.')
    return ExperimentChoice(
        _arm(values, arms),
        _whole(values, "round", 0, MOST_ROUNDS),
        _text(values, "item"),
        _whole(values, "allowed", 1, 1_000_000),
        probability,
        {str(arm): _text(choices, arm) for arm in choices},
        {str(name): _number(expected, name, -1.0, 1.0) for name in expected},
        _number(values, "time", -1e12, 1e12, missing=0.0),
    )


def _answer(values: Mapping[str, Any], arms: Sequence[str]) -> ExperimentAnswer:
    """Return the answer that a line describes."""
    phase, right = values.get("phase"), values.get("right")
    if phase not in PHASES:
        raise _LineError(f'"phase" must be one of {", ".join(PHASES)}, but is {_short(phase)}.')
    if right is not None and not isinstance(right, bool):
        raise _LineError(f'"right" must be true, false or null, but is {_short(right)}.')
    return ExperimentAnswer(
        _arm(values, arms),
        _text(values, "student"),
        phase,
        _whole(values, "round", 0, MOST_ROUNDS),
        _text(values, "item"),
        _whole(values, "answer", -1, 1000),
        right,
        _number(values, "time", -1e12, 1e12, missing=0.0),
    )


def _arm(values: Mapping[str, Any], arms: Sequence[str]) -> str:
    """Return the arm of a line, checked."""
    arm = _text(values, "arm")
    if arm not in arms:
        raise _LineError(f"the arm {arm!r} is not one of {', '.join(arms)}.")
    return arm


def _text(values: Mapping[str, Any], name: str) -> str:
    """Return the entry ``name`` of a line, a short printable text, checked."""
    text = values.get(name)
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST_TEXT or not text.isprintable():
        raise _LineError(
            f'"{name}" must be a text of 1 to {LONGEST_TEXT} printable characters, without '
            f"no-break spaces and zero-width characters, but is {_short(text)}."
        )
    return text


def _whole(values: Mapping[str, Any], name: str, low: int, high: int) -> int:
    """Return the entry ``name`` of a line, a whole number from ``low`` to ``high``, checked."""
    number = values.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or not low <= number <= high:
        raise _LineError(
            f'"{name}" must be a whole number from {low} to {high}, but is {_short(number)}.'
        )
    return number


def _number(
    values: Mapping[str, Any], name: str, low: float, high: float, missing: float | None = None
) -> float:
    """Return the entry ``name`` of a line, a number from ``low`` to ``high``, checked.

    ``missing`` is the value if the line has no such entry; without it, the entry is required.
    """
    number = values.get(name, missing)
    plain = isinstance(number, int | float) and not isinstance(number, bool)
    if not plain or not low <= number <= high:  # NaN fails this comparison
        raise _LineError(
            f'"{name}" must be a number from {low:g} to {high:g}, but is {_short(number)}.'
        )
    return float(number)


def _short(value: object) -> str:
    """Return a value as text of about 40 characters, for an error message."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
