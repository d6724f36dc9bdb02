"""The log of an experiment: what is written is read again, and anything else is refused."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from homeroom import InputError
from homeroom.studies import experiment_log as logs
from homeroom.studies.experiment_log import (
    ExperimentAnswer,
    ExperimentChoice,
    ExperimentLesson,
    read_logs,
    write_log,
)

ARMS = ("homeroom", "random")


def a_lesson(classroom: str = "5b") -> ExperimentLesson:
    choice = ExperimentChoice(
        "random", 1, "moth", 12, 1 / 12, {"homeroom": "fly"}, {"before": 0.5}, 3.0
    )
    answers = [
        ExperimentAnswer("random", "s1", "pretest", 0, "fly", 1, True, 1.0),
        ExperimentAnswer("random", "s1", "lesson", 1, "moth", -1, False, 4.0),
        ExperimentAnswer("random", "s1", "posttest", 9, "fly", 1, None, 9.0),
    ]
    return ExperimentLesson(classroom, 1, ARMS, 0.2, (choice,), tuple(answers), {"random": 1})


def lines_of(lesson: ExperimentLesson) -> list[dict[str, Any]]:
    return [json.loads(line) for line in write_log(lesson).splitlines()]


def test_a_log_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(write_log(a_lesson(), activity="insects"), encoding="utf-8")
    assert read_logs([path]) == [a_lesson()]


def test_a_file_may_hold_several_classes_and_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("\ufeff" + write_log(a_lesson("a")) + "\n" + write_log(a_lesson("b")))
    assert [lesson.classroom for lesson in read_logs([path])] == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"classroom": "5\xa0b"}, "class"),
        ({"arms": ("homeroom", "\u200b")}, "arms"),
        ({"choices": [a_lesson().choices[0]._replace(item="")]}, "item"),
        ({"answers": [a_lesson().answers[0]._replace(student="x" * 201)]}, "student"),
    ],
)
def test_a_text_that_could_not_be_read_is_not_written(change: dict[str, Any], name: str) -> None:
    with pytest.raises(InputError, match=f'"{name}"'):
        write_log(replace(a_lesson(), **change))


def test_only_students_with_both_tests_have_a_gain() -> None:
    answers = [
        ExperimentAnswer("homeroom", "s1", "pretest", 0, "fly", 1, False),
        ExperimentAnswer("homeroom", "s1", "pretest", 0, "moth", 1, True),
        ExperimentAnswer("homeroom", "s1", "posttest", 5, "fly", 1, True),
        ExperimentAnswer("homeroom", "s2", "pretest", 0, "fly", 1, True),
    ]
    assert ExperimentLesson("5b", 1, ARMS, answers=answers).gains == {
        "homeroom": [0.5],
        "random": [],
    }


REFUSED: dict[str, tuple[int, dict[str, Any], str]] = {
    "another format": (0, {"format": "homeroom class, version 1"}, '"format"'),
    "one arm": (0, {"arms": ["homeroom"]}, '"arms"'),
    "equal arms": (0, {"arms": ["random", "random"]}, '"arms"'),
    "control characters": (0, {"class": "5b\x1b[31m"}, '"class"'),
    "zero-width characters": (0, {"class": "5\u200bb"}, "'5\\u200bb'"),
    "a share above 1": (0, {"explore": 1.5}, '"explore"'),
    "a share of 401 digits": (0, {"explore": 10**400}, '"explore"'),
    "students of no arm": (0, {"students": {"x" * 300: 1}}, '"students"'),
    "withdrew from no arm": (0, {"withdrew": {"best": 1}}, '"withdrew"'),
    "students as text": (0, {"students": {"random": "1"}}, '"random"'),
    "no probability": (2, {"probability": 0}, '"probability"'),
    "probability above 1": (2, {"probability": 1.01}, '"probability"'),
    "probability as text": (2, {"probability": "1"}, '"probability"'),
    "infinite": (2, {"probability": float("inf")}, '"probability"'),
    "nothing allowed": (2, {"allowed": 0}, '"allowed"'),
    "true is not a number": (2, {"round": True}, '"round"'),
    "unknown arm": (2, {"arm": "best"}, "'best'"),
    "choices in a list": (2, {"choices": []}, '"choices"'),
    "a time of 401 digits": (2, {"time": 10**400}, '"time"'),
    "a time that is not a number": (2, {"time": float("nan")}, '"time"'),
    "a gain of 401 digits": (2, {"expected": {"random": -(10**400)}}, '"random"'),
    "unknown phase": (3, {"phase": "teach"}, '"phase"'),
    "right as number": (3, {"right": 1}, '"right"'),
    "two arms": (3, {"arm": "homeroom"}, "'s1' is in two arms"),
    "answered twice": (3, {"phase": "pretest", "round": 0, "item": "fly"}, "'s1' is given twice"),
    "unknown kind": (3, {"kind": "joined"}, '"kind"'),
    "another class": (3, {"class": "6a"}, "'6a'"),
    "long item": (3, {"item": "x" * 201}, '"item"'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_line_that_does_not_fit_is_refused_with_file_line_and_entry(
    name: str, tmp_path: Path
) -> None:
    place, change, entry = REFUSED[name]
    lines = lines_of(a_lesson())
    lines[place] |= change
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(InputError, match=f"log.jsonl, line {place + 1}: .*{re.escape(entry)}"):
        read_logs([path])


@pytest.mark.parametrize("text", ["[1]", "{", "5", '{"kind": NaN', "[" * 20_000, "\x00\xff"])
def test_a_line_that_is_not_json_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="line 1 is not a JSON object"):
        read_logs([path])


def test_large_files_and_long_lines_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(" " * (logs.LONGEST_LINE + 1))
    with pytest.raises(InputError, match="line 1 has more than 50000 bytes"):
        read_logs([path])
    monkeypatch.setattr(logs, "MOST_BYTES", 1 << 10)
    with pytest.raises(InputError, match="a log may have 0"):
        read_logs([path])


def test_a_log_given_twice_an_empty_one_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(write_log(a_lesson()))
    with pytest.raises(InputError, match="is given twice: leave one out"):
        read_logs([path, path])
    path.write_text("\n \n")
    with pytest.raises(InputError, match="The logs are empty"):
        read_logs([path])
    with pytest.raises(InputError, match="There is no file"):
        read_logs([tmp_path / "none.jsonl"])
