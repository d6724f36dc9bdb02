"""The answers of a class as rows and as CSV, and the name of the file."""

from __future__ import annotations

import csv
import io
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from homeroom.cli import run
from homeroom.handwriting import Child, read_ink
from homeroom.live.activities.catalogue import letter_activity as activity
from homeroom.live.classbook.state import State
from homeroom.live.events import Event, Joined, Opened, PhaseBegan, Removed, Wrote
from homeroom.live.exports import csv_of, file_name, inkml_of, xapi_of
from homeroom.live.exports.table import ANSWERS, answers, clock
from homeroom.live.store import Stored
from tests.live.shown import report_of, strokes_sent


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def test_every_answer_that_counts_has_a_row(taught: Any) -> None:
    text = csv_of(taught.state, taught.stored)
    assert text.splitlines()[0] == "\ufeff" + ",".join(ANSWERS)  # Excel needs the mark
    found = rows(text)
    assert len(found) == 3 * (3 + 4 + 3)
    assert {row["phase"] for row in found} == {"pretest", "teach", "posttest"}
    for row in found:
        right = row["answer"] == row["label"]
        assert row["right"] == str(int(right))
        assert row["time"].startswith("2023-11-14T22:1")
    lesson = [row for row in found if row["phase"] == "teach"]
    assert {row["student"] for row in lesson if row["right"] == "0"} == {"s2"}


def test_no_cell_is_a_formula(taught: Any) -> None:
    names = {row["name"] for row in rows(csv_of(taught.state, taught.stored))}
    assert names == {"Ada", "'=HYPERLINK(1)", "<script>alert(1)</script>"}


def test_letters_have_rows_with_their_scores() -> None:
    made = activity("f")
    assert made is not None
    scores = {"distortion": 0.1, "rotation": 0.2, "shakiness": 0.3}
    wrote = Wrote("s1", 1, (({"x": 0.0, "y": 0.0, "t": 0.0},),), scores, "print")
    events: list[Event] = [
        Opened("2a", "letter-f", "A"),
        Joined("s1", "Ada"),
        PhaseBegan("teach"),
        wrote,
    ]
    stored = [Stored(event, number + 1, 0.0) for number, event in enumerate(events)]
    found = rows(csv_of(State.begin(made).after_all(events), stored))
    assert found == [
        {
            "student": "s1",
            "name": "Ada",
            "round": "1",
            "distortion": "0.1",
            "rotation": "0.2",
            "shakiness": "0.3",
            "time": "1970-01-01T00:00:00.000Z",
            "form": "print",
        }
    ]


def test_a_removed_student_is_in_no_export(taught: Any) -> None:
    made = activity("f")
    assert made is not None
    wrote = Wrote("s1", 1, (({"x": 0.0, "y": 0.0, "t": 0.0},),), {"distortion": 0.1})
    events: list[Event] = [Opened("2a", "letter-f", "A"), Joined("s1", "Ada"), PhaseBegan("teach")]
    events += [wrote, Removed(("s1",))]
    stored = [Stored(event, number + 1, 0.0) for number, event in enumerate(events)]
    state = State.begin(made).after_all(events)
    assert rows(csv_of(state, stored)) == []
    assert xapi_of(state, stored) == ""
    taught.add(Removed(("s0",)))
    assert "Ada" not in csv_of(taught.state, taught.stored) + xapi_of(taught.state, taught.stored)
    assert len(report_of(taught.state, taught.stored)["students"]) == 2


def test_answers_are_in_order_of_time_without_late_ones(taught: Any) -> None:
    found = list(answers(taught.state, taught.stored))
    assert [row.version for row in found] == sorted(row.version for row in found)
    assert not any(row.item == "insect-001" and row.round == 1 for row in found)
    first = found[0]
    assert (first.student, first.name, first.phase, first.round) == ("s0", "Ada", "pretest", 0)
    assert first.right is False
    assert first._replace(label=None).right is None


def test_times_are_in_utc() -> None:
    assert clock(1_700_000_000.25) == "2023-11-14T22:13:20.250Z"


DAY = date(2026, 3, 4)


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("4b, Tuesday", "4b-Tuesday"),
        ("Ängste & Flüße", "Aengste-Fluesse"),
        ("Année 2", "Annee-2"),
        ('a"; filename="b\r\nx', "a-filename-b-x"),
        ("../../etc/passwd", "etc-passwd"),
        ("三年级", "class"),
        ("   ", "class"),
        ("x" * 200, "x" * 60),
        ("x" * 59 + " y", "x" * 59),
    ],
)
def test_a_file_name_is_ascii_letters_and_digits(name: str, called: str) -> None:
    assert file_name(name, DAY, "csv") == f"{called}-2026-03-04.csv"


def test_letters_are_exported_as_ink_that_can_be_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = activity("f")
    assert made is not None
    inks = Child.of("shaky+rotated", 1).write("f", tries=3)
    events: list[Event] = [
        Opened("2a", "letter-f", "A"),
        Joined("s1", "Ada <b>"),
        PhaseBegan("teach"),
    ]
    for number, ink in enumerate(inks, start=1):
        strokes = tuple(map(tuple, strokes_sent(ink)))
        events.append(Wrote("s1", number, strokes, {"distortion": 0.1}))
    stored = [Stored(event, number + 1, 0.0) for number, event in enumerate(events)]
    path = tmp_path / "letters.inkml"
    path.write_text(inkml_of(State.begin(made).after_all(events), stored), encoding="utf-8")
    found = read_ink(path)
    assert [(ink.letter, ink.writer) for ink in found] == [("f", "Ada <b>")] * 3
    assert found[0].points.shape == inks[0].points.shape
    assert run(["write", "score", str(path)]) == 0
    assert "Ada <b>" in capsys.readouterr().out
    events.append(Removed(("s1",)))
    stored.append(Stored(events[-1], len(events), 0.0))
    assert "Ada" not in inkml_of(State.begin(made).after_all(events), stored)


def test_a_class_that_does_not_write_has_no_letters(taught: Any) -> None:
    assert "<trace" not in inkml_of(taught.state, taught.stored)
