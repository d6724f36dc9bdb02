"""A result described once: as text, as JSON, as an HTML page and as files."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from homeroom import Classroom, LargeClass, PoolTeacher, _plugins, teach
from homeroom.cli.files import new_folder
from homeroom.cli.output import (
    count_bars,
    fraction_bar,
    lesson_bars,
    print_error,
    show,
    sparkline,
    warnings_as_notes,
)
from homeroom.cli.result import (
    Curve,
    Result,
    as_json,
    class_as_values,
    class_in_words,
    ending,
    engine_in_words,
    four_students,
    plans_in_words,
    setting_in_words,
    student_in_words,
    students_called,
)
from homeroom.lessons import Progress
from homeroom.pools import ItemPool
from tests.bad_input import refuse
from tests.cli.conftest import Homeroom
from tests.pages import read_page

Printed = Callable[[Result], str]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Print a result as text."""

    def run(result: Result) -> str:
        show(result, json=False)
        return capsys.readouterr().out

    return run


@pytest.fixture
def result() -> Result:
    """A result with every kind of part."""
    made = Result("A lesson & more", {"answer": 42, "bad": math.nan})
    made.facts([("error", Curve(np.array([100.0, 1.0])))], main=True)
    made.facts([("a", 1), ("[b]", "an item [/b] and :smile:")])
    made.facts([])
    made.heading("Groups")
    made.table(("group", "rounds"), [(1, "5"), ("2", None)], best=[(0, 1)], bars=(0.5, 1.0))
    made.chart("bars", lambda ax: ax.plot([1, 2]), "Bars of <all> groups.")
    made.sentence("Shown.", "dim")
    made.sentence("A remark.", remark=True)
    made.sentence("On the page only.", on_screen=False)
    return made


def test_a_page_has_every_part_in_order(result: Result, tmp_path: Path) -> None:
    result.files["note.txt"] = Path.touch
    result.write_into(tmp_path)
    names = {"bars.svg", "bars.png", "note.txt", "report.html", "result.json"}
    assert {path.name for path in tmp_path.iterdir()} == names
    page = read_page(tmp_path / "report.html")
    kinds = [part["kind"] for part in page["parts"]]
    assert kinds == ["numbers", "table", "heading", "table", "gallery", "text", "text", "text"]
    numbers, facts, _, table, gallery, *texts = page["parts"]
    assert numbers["named"] == [["error", "100 → 1"]]
    assert facts["rows"] == [["a", "1"], ["[b]", "an item [/b] and :smile:"]]
    assert (table["rows"], table["best"]) == ([["1", "5"], ["2", "–"]], [[0, 1]])
    assert gallery["pictures"][0]["caption"] == "Bars of <all> groups."
    assert [part["text"] for part in texts] == ["Shown.", "A remark.", "On the page only."]


def test_the_screen_has_every_part_but_those_of_the_page(
    result: Result, capsys: pytest.CaptureFixture[str]
) -> None:
    show(result, json=False)
    out, err = capsys.readouterr()
    lines = [line for line in out.splitlines() if line.strip()]
    assert lines[0] == "A lesson & more"
    assert lines[1].startswith("  error    100 → 1   █▁")
    assert lines[2].startswith("  a        1")  # facts in sequence are aligned
    assert "an item [/b] and :smile:" in lines[3]
    assert "5*" in lines[7]
    assert [line.count("█") for line in lines[7:9]] == [15, 30]
    assert lines[-1] == "Shown."
    assert (out.count("remark"), out.count("page"), err) == (0, 0, "A remark.\n")


def test_with_json_only_the_document_and_the_remarks_are_printed(
    result: Result, capsys: pytest.CaptureFixture[str]
) -> None:
    show(result, json=True)
    out, err = capsys.readouterr()
    assert json.loads(out) == {"answer": 42, "bad": None}
    assert err == "A remark.\n"


def test_numbers_that_json_does_not_know_become_null() -> None:
    document = {"a": math.nan, "b": [math.inf, 1.5], "c": np.array([1, 2]), "d": np.float64(2.5)}
    assert json.loads(as_json(document)) == {"a": None, "b": [None, 1.5], "c": [1, 2], "d": 2.5}


def test_a_long_table_is_cut_and_says_so(printed: Printed, tmp_path: Path) -> None:
    result = Result("Students", {})
    result.table(("student",), [(number,) for number in range(130)], most=1)
    text = printed(result)
    assert "... and 129 more; --json has all." in text
    assert "1 \n" not in text
    result.write_into(tmp_path)
    table, text = read_page(tmp_path / "report.html")["parts"]
    assert len(table["rows"]) == 100
    assert text["text"].startswith("30 more rows")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["teach", "compare", "group", "certify"])
def test_screen_page_and_json_agree(homeroom: Homeroom, tmp_path: Path, command: str) -> None:
    """All three come from one result: a number of the JSON document is in the text and the page."""
    line = (command, "--students", 8, "--dimensions", 2)
    text = homeroom(*line, "--out", tmp_path / "out").out
    document = json.loads((tmp_path / "out" / "result.json").read_text())
    assert document == homeroom(*line, "--json").document
    page = (tmp_path / "out" / "report.html").read_text()
    lesson = document.get("lesson") or document.get("simulation") or document["ways"][0]
    for number in (str(lesson["rounds"]), f"{document['class']['slowest_rate']:.3g}"):
        assert number in text
        assert number in page


@pytest.mark.parametrize("width", [24, 40, 80])
def test_a_narrow_window_cuts_off_neither_numbers_nor_words(
    printed: Printed, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    header = ("way", "groups", "cheapest for λ", "S", "T + 1000 S")
    rows = [("whole class", 1, "up to 0.25", "99.5", "99599.5"), ("by rate", 3, "", "3", "4")]
    result = Result("Ways", {})
    result.table(header, rows, best=[(0, 4)], bars=(1.0, 0.5))
    result.facts([("error", "█" * 32)])
    text = printed(result)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    words = (word for cell in (*header, *rows[0][:4]) for word in str(cell).split())
    assert {"99599.5*", *words} <= set(text.replace(":", " ").split())
    assert text.partition("error")[2].count("█") == 32


def test_a_bar_is_as_long_as_its_share_and_left_out_where_there_is_no_space(
    printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    for width, longest in ((60, 30), (23, 8), (16, 0)):
        monkeypatch.setenv("COLUMNS", str(width))
        result = Result("Bars", {})
        result.table(("a", "b"), [("1", "1234567")] * 2, bars=(1.0, 0.5))
        lines = printed(result).splitlines()
        bars = [line.count("█") for line in lines if "123" in line]
        assert bars == [longest, longest // 2]


def test_a_curve_is_drawn_in_one_line() -> None:
    assert sparkline([1.0, 1.0]) == "▁▁"
    assert sparkline([0.0]) == ""
    assert sparkline([100.0, 0.0, math.inf, 1.0]) == "█▁"
    assert len(sparkline(np.geomspace(1, 1e-9, 500))) == 32


def test_errors_and_notes_are_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    print_error("word " * 60 + "\n[red]end[/red]")
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert printed.endswith("word [red]end[/red]\n")
    with warnings_as_notes():
        for _ in range(3):
            warnings.warn("The pool is poor.", stacklevel=1)
    assert capsys.readouterr().err == "Note: The pool is poor.\n"


@pytest.mark.parametrize("terminal", [False, True])
def test_bars_are_on_stderr_and_only_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    if terminal:
        for name, value in {"TERM": "xterm", "TTY_COMPATIBLE": "1", "FORCE_COLOR": "1"}.items():
            monkeypatch.setenv(name, value)
    with lesson_bars("Teaching") as (report, _):
        report(Progress(group=1, groups=3, rounds=64, error=0.5, done=0.5))
    out, first = capsys.readouterr()
    assert (out, "Reading" in first) == ("", False)
    with lesson_bars("Teaching") as (_, count):
        count(3, 12)
    with fraction_bar("Fitting") as progress:
        progress(1.0)
    with count_bars("measuring", "drawing") as advance:
        advance("drawing", 3, 4)
    printed = capsys.readouterr().err
    words = ("Teaching", "Reading", "piece 3 of 12", "Fitting", "100 %", "measuring", "3/4")
    assert [word in printed for word in words] == [terminal] * len(words)
    assert ("Teaching" in first) is terminal


def fill(out: Path, *, force: bool = True) -> None:
    with new_folder(out, force=force) as folder:
        (folder / "a.txt").write_text("new")
        (folder / "part").mkdir()
        (folder / "part" / "b.txt").write_text("new")


def test_a_folder_appears_complete_and_keeps_its_other_files(tmp_path: Path) -> None:
    out = tmp_path / "x" / "y"
    fill(out)
    usual = tmp_path / "usual"
    usual.mkdir()
    assert out.stat().st_mode == usual.stat().st_mode
    (out / "mine.txt").write_text("mine")
    (out / "a.txt").write_text("old")
    refuse(lambda: fill(out, force=False), "--force")
    fill(out)
    texts = {path.name: path.read_text() for path in out.rglob("*.txt")}
    assert texts == {"a.txt": "new", "b.txt": "new", "mine.txt": "mine"}
    (usual / ".DS_Store").touch()  # hidden files are not in the way
    fill(usual, force=False)


@pytest.mark.parametrize("exists", [True, False], ids=["existing", "new"])
def test_a_failure_leaves_nothing_behind(tmp_path: Path, exists: bool) -> None:
    out = tmp_path / "out"
    if exists:
        out.mkdir()

    def fail() -> None:
        with new_folder(out, force=False) as folder:
            (folder / "a.txt").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(out.iterdir() if exists else tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    refuse(lambda: fill(tmp_path / "out"), "--out", "Permission denied")
    tmp_path.chmod(0o700)


def test_a_missed_goal_is_a_warning() -> None:
    room = Classroom.sample(students=4, dimensions=2)
    assert ending(teach(room)).style == "good"
    missed = ending(teach(room, max_rounds=1, goal="average:eps=1e-9", groups="individuals"))
    assert missed.style == "warning"
    assert missed.text.endswith("(4 of 4 groups).")


def test_a_class_is_described_by_its_size_and_rates() -> None:
    assert class_in_words(Classroom([[1.0]], [0.5], [0.0])) == (
        "1 student, 1 dimension, rates 0.5 to 0.5"
    )
    room = Classroom.sample(students=70, dimensions=2, rates=(0.1, 0.5))
    for rates, between in ((None, ""), ((0.05, 0.75), ", rates 0.05 to 0.75")):
        large = LargeClass.open((room.states, room.rates), target=room.target, rates=rates)
        record = teach(large)
        assert class_in_words(large, record) == f"70 students, 2 dimensions{between}"
        values = class_as_values(large, record)
        assert values["error"] == record.errors[0]
        assert values["slowest_rate"] == (None if rates is None else rates[0])


def test_a_setting_is_described_with_those_inside_it() -> None:
    described = _plugins.describe(PoolTeacher(ItemPool([[1.0]]), safe=True))
    assert setting_in_words(described) == "pool (pool items, magnitude static, safe)"


def test_the_engine_is_shown_with_its_error_estimate() -> None:
    room = Classroom.sample(students=70, dimensions=2, rates=(0.1, 0.5))
    exact = teach(room)
    assert engine_in_words(exact) == [("engine", "exact")]
    for estimate, text in ((0.25, "2.5e-01"), (math.inf, "inf")):
        doubtful = replace(exact, error_estimate=estimate)
        assert engine_in_words(doubtful) == [("engine", f"exact, off by at most {text}")]
    record = teach(room, engine="sketch", verify=True)
    (_, engine), (name, verified) = engine_in_words(record)
    assert engine.startswith(f"sketch, {record.nodes} nodes, off by at most ")
    assert (name, verified[:9]) == ("verified", "error 0.0")


def test_plans_of_all_groups_are_added_up() -> None:
    room = Classroom.sample(students=30, dimensions=2, rates=(0.1, 0.6))
    record = teach(room, teacher="planned:polish=false", groups="by-rate")
    first, *others = record.plans
    record = replace(record, plans=[{**first, "worst_transient": 1.25}, *others])
    (_, planned), (_, farthest) = plans_in_words(record)
    assert planned == f"{record.rounds} rounds (3 plans)"
    assert farthest.startswith("1.25 times")
    assert plans_in_words(teach(room)) == []


def test_the_four_students_are_as_slow_fast_near_and_far_as_they_are_called() -> None:
    room = Classroom.sample(students=80, dimensions=5)
    rates, distances = np.asarray(room.rates), np.asarray(room.squared_distances)
    chosen = four_students(room)
    assert len(set(chosen.values())) == 4
    for speed in ("slow", "fast"):
        assert distances[chosen[f"{speed}, near"]] < distances[chosen[f"{speed}, far"]]
    slow = max(rates[chosen["slow, near"]], rates[chosen["slow, far"]])
    fast = min(rates[chosen["fast, near"]], rates[chosen["fast, far"]])
    assert slow <= np.quantile(rates, 0.26) < np.quantile(rates, 0.74) <= fast


def test_small_classes_and_students_who_are_alike_are_no_trouble() -> None:
    for students in (1, 2, 4, 5, 6, 7, 8):
        chosen = four_students(Classroom.sample(students=students, dimensions=2))
        assert 1 <= len(chosen) <= 4
        assert all(0 <= student < students for student in chosen.values())
    alike = Classroom(np.ones((8, 2)), np.full(8, 0.1), np.zeros(2))
    assert sorted(four_students(alike).values()) == [0, 1, 6, 7]


def test_students_are_named_by_name_or_by_number() -> None:
    room = Classroom([[0.0], [1.0]], [0.1, 0.1], [0.5], names=["Ada", " Ben "])
    assert students_called(room, ["Ben"]) == {"student Ben": 1}
    numbers = students_called(Classroom.sample(students=3), ["2", "0"])
    assert numbers == {"student 2": 2, "student 0": 0}
    assert student_in_words(room, "student Ben", 1) == "Ben"
    assert student_in_words(room, "slow, near", 0) == "slow, near: Ada"
    refuse(lambda: students_called(room, ["Zoe"]), "Ada, Ben.")
    refuse(lambda: students_called(Classroom.sample(students=5), ["Zoe"]), "(5 in all)")
    twins = Classroom([[0.0], [1.0]], [0.1, 0.1], [0.5], names=["Ada", "Ada"])
    assert four_students(twins) == {"student 0": 0, "student 1": 1}
    refuse(lambda: students_called(twins, ["Ada"]), "0 and 1", "'Ada'")
