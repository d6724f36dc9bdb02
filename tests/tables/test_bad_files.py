"""Bad files of every format end in one sentence: never in a traceback, never with half a result."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from homeroom import Answers
from homeroom._checks import InputError
from tests.tables.test_exports import (
    NINE,
    ZOONIVERSE,
    google_form,
    label_studio_json,
    mechanical_turk,
    question,
    text_of,
    zooniverse,
    zooniverse_row,
)

DEEP = "[" * 100_000


def zooniverse_with(annotations: str, data: str = "{}", rows: int = 12) -> bytes:
    """Return an export whose cells of JSON are these texts."""
    lines: list[list[object]] = [list(ZOONIVERSE.split(","))]
    for number in range(rows):
        row = zooniverse_row(number, f"p{number % 4}", "moth-1.jpg", [question("Yes")])
        row[11], row[12] = annotations, data
        lines.append(row)
    return text_of(lines).encode()


def task(**given: object) -> bytes:
    """Return an export of Label Studio with one task, which lacks or distorts something."""
    whole = {"id": 1, "data": {"image": "a.jpg"}, "annotations": []}
    return json.dumps([{**whole, **given}]).encode()


def turk(answer: str, header: str = "HITId,WorkerId,Input.image,Answer.taskAnswers") -> bytes:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(header.split(","))
    writer.writerows([f"H{n % 3}", f"W{n % 4}", f"{n % 3}.jpg", answer] for n in range(12))
    return file.getvalue().encode()


def form(*columns: str, rows: int = 8) -> bytes:
    lines = [["Timestamp", *(f"q{number}" for number in range(len(columns)))]]
    lines += [[f"2025/11/16 9:0{n}:00", *columns] for n in range(rows)]
    return text_of(lines).encode()


WRITTEN: dict[str, tuple[str, bytes]] = {
    "annotations that are no JSON": ("a.csv", zooniverse_with("no json")),
    "annotations cut off": ("a.csv", zooniverse_with('[{"task": "T0", "value":')),
    "annotations nested without end": ("a.csv", zooniverse_with(DEEP[:50_000])),
    "annotations as a number": ("a.csv", zooniverse_with("7")),
    "annotations as a text": ("a.csv", zooniverse_with('"T0"')),
    "annotations as null": ("a.csv", zooniverse_with("null")),
    "annotations as an object": ("a.csv", zooniverse_with('{"task": "T0"}')),
    "no annotations": ("a.csv", zooniverse_with("[]")),
    "annotations without a task": ("a.csv", zooniverse_with('[{"value": "Yes"}]')),
    "a list of numbers": ("a.csv", zooniverse_with("[1, 2]")),
    "only drawings": ("a.csv", zooniverse_with('[{"task": "T0", "value": [{"x": 1, "y": 2}]}]')),
    "no value": ("a.csv", zooniverse_with('[{"task": "T0", "value": null}]')),
    "blank cells": ("a.csv", zooniverse_with("", "")),
    "an export with no row": ("a.csv", ZOONIVERSE.encode()),
    "an export with a header cut off": ("a.csv", ZOONIVERSE.encode()[:150]),
    "tasks in tasks in tasks": (
        "a.csv",
        zooniverse_with('[{"task":"C","value":' * 9 + "[]" + "}]" * 9),
    ),
    "subject data that are no JSON": ("a.csv", zooniverse_with("[]", DEEP[:1000])),
    "an open quotation mark": ("a.csv", zooniverse_with("[]") + b'"never closed'),
    "no JSON at all": ("a.json", b"not json"),
    "JSON cut off": ("a.json", b'[{"id": 1, "data"'),
    "JSON nested without end": ("a.json", DEEP.encode()),
    "a JSON number": ("a.json", b"7"),
    "a JSON object": ("a.json", b'{"a": 1}'),
    "a JSON list of numbers": ("a.json", b"[1, 2, 3]"),
    "an empty JSON list": ("a.json", b"[]"),
    "an empty JSON object": ("a.json", b"[{}]"),
    "an empty JSON file": ("a.json", b""),
    "JSON in an unknown encoding": ("a.json", b'[{"a": "\xff\xfe\x00"}]'),
    "JSON with zero bytes": ("a.json", b"[{}]\0\0"),
    "data as a list": ("a.json", task(data=[1])),
    "data as null": ("a.json", task(data=None)),
    "annotations as text": ("a.json", task(annotations="x")),
    "annotations of numbers": ("a.json", task(annotations=[1, 2])),
    "annotations that are empty": ("a.json", task()),
    "an annotation without a result": ("a.json", task(annotations=[{"id": 1}])),
    "a result as text": ("a.json", task(annotations=[{"id": 1, "result": "x"}])),
    "a result of numbers": ("a.json", task(annotations=[{"id": 1, "result": [1]}])),
    "a result without a value": ("a.json", task(annotations=[{"id": 1, "result": [{}]}])),
    "flat objects without answers": ("a.json", b'[{"a": 1}, {"a": 2}]'),
    "objects in cells": ("a.json", b'[{"student": {"a": 1}, "item": [1], "answer": {"b": 2}}]'),
    "answers of a task that are no JSON": ("a.csv", turk("no json")),
    "answers of a task as a number": ("a.csv", turk("7")),
    "answers of a task that are blank": ("a.csv", turk("")),
    "answers of a task nested without end": ("a.csv", turk(DEEP[:50_000])),
    "answers of a task as a list": ("a.csv", turk("[[1]]")),
    "a batch without inputs": ("a.csv", turk("x", "HITId,WorkerId,Title,Answer.comment")),
    "a batch with no row": ("a.csv", b"HITId,WorkerId,Input.image,Answer.moth\n"),
    "a form with free text only": ("a.csv", form(*["a text of several words"] * 3, rows=1)),
    "a form without answers": ("a.csv", form("", "", "")),
    "a form with one row": ("a.csv", form("a", "b", rows=1)),
    "a form with a header only": ("a.csv", form("a", "b", rows=0)),
    "an empty file": ("a.csv", b""),
    "only a byte order mark": ("a.csv", b"\xef\xbb\xbf"),
    "blank lines": ("a.csv", b"\n\n\n"),
    "one column": ("a.csv", b"answer\nyes\nno\n"),
    "unknown columns": ("a.csv", b"a;b;c\n1;2;3\n"),
    "all columns the same": ("a.csv", b"x;x;x\n" + b"1;1;1\n" * 20),
    "only times": ("a.csv", b"a,b,c\n" + b"2025-11-16,2025-11-16,2025-11-16\n" * 9),
    "too few columns": ("a.csv", b"student,answer\nAda,yes\n"),
    "zero bytes": ("a.csv", b"student,item\0,answer\n"),
    "an endless line": ("a.csv", b"x" * 5_000_000),
    "an endless cell": ("a.csv", b'student,item,answer\nAda,"' + b"x" * 200_000 + b'",yes\n'),
    "a thousand answers": (
        "a.csv",
        b"student,item,answer\n" + b"".join(b"p,i,%d\n" % n for n in range(3000)),
    ),
    "an endless answer": (
        "a.csv",
        b"student,item,answer\nAda,moth,%s\nBen,moth,b\n" % (b"x" * 9000),
    ),
    "an endless name of a column": ("a.csv", b"%s,b,c\n1,2,3\n" % (b"x" * 9000)),
    "a spreadsheet that is text": ("a.xlsx", b"student,item,answer\n"),
    "a spreadsheet that is empty": ("a.xlsx", b""),
    "a spreadsheet that is a cut zip": ("a.ods", b"PK\x03\x04\x14\x00"),
    "a spreadsheet with a password": ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)),
    "a word document": ("a.docx", b"PK\x03\x04"),
    "an old spreadsheet": ("a.xls", b"\xd0\xcf\x11\xe0"),
    "a picture": ("a.csv", b"\x89PNG\r\n\x1a\n\0\0\0"),
    "JSON lines that are no objects": ("a.jsonl", b"[1]\n[2]\n"),
    "JSON lines cut off": ("a.jsonl", b'{"student": "Ada", "item"\n'),
}


def cut_files(folder: Path) -> Iterator[Path]:
    """Yield exports that end in the middle, at several places."""
    for make in NINE:
        whole = make(folder)
        data = whole.read_bytes()
        for part in (0.02, 0.4, 0.97):
            cut = folder / f"cut-{part}-{whole.name}"
            cut.write_bytes(data[: int(part * len(data))])
            yield cut


@pytest.mark.parametrize("what", WRITTEN)
def test_a_bad_file_is_refused_in_one_sentence(what: str, tmp_path: Path) -> None:
    name, data = WRITTEN[what]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as refused:
        Answers.read(path)
    sentence = str(refused.value)
    assert name in sentence or "answers" in sentence
    assert len(sentence) < 1500
    assert "\n" not in sentence


def test_a_file_that_is_cut_off_is_read_up_to_there_or_refused(tmp_path: Path) -> None:
    refused = 0
    for path in cut_files(tmp_path):
        try:
            answers = Answers.read(path)
        except InputError:
            refused += 1
        else:
            assert 0 < len(answers) <= 48
    assert refused >= 9


WRONG = {
    "an unknown task": (zooniverse, {"task": "T9"}),
    "an unknown workflow": (zooniverse, {"workflow": "7"}),
    "a task that is blank": (zooniverse, {"task": ""}),
    "a workflow of another program": (label_studio_json, {"workflow": "1"}),
    "an unknown choice": (label_studio_json, {"task": "wasp"}),
    "a task of a form": (google_form, {"task": "q1"}),
    "an unknown column of a form": (google_form, {"columns": {"student": "Pupil"}}),
    "an unknown answer": (mechanical_turk, {"positive": "maybe"}),
    "an unknown encoding": (zooniverse, {"encoding": "klingon"}),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_choice_is_refused_in_one_sentence(what: str, tmp_path: Path) -> None:
    make, options = WRONG[what]
    with pytest.raises(InputError) as refused:
        Answers.read(make(tmp_path), **options)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


def test_there_are_ninety_bad_inputs() -> None:
    assert len(WRITTEN) + 3 * len(NINE) + len(WRONG) >= 90
