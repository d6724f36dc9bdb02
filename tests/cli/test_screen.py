"""What is printed: reports, errors, notes and progress bars."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from homeroom.cli.output import (
    fraction_bar,
    lesson_bar,
    lesson_bars,
    print_command,
    print_error,
    show,
    sparkline,
    warnings_as_notes,
)
from homeroom.cli.report import CommandReport, Curve, Facts, Part, Sentence, Table
from homeroom.lessons import Progress


def test_an_error_is_one_line_however_long(capsys: pytest.CaptureFixture[str]) -> None:
    print_error("word " * 60 + "\n[red]end[/red]")
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert printed.endswith("word [red]end[/red]\n")


def test_a_warning_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings_as_notes():
        for _ in range(3):
            warnings.warn("The pool is poor.", stacklevel=1)
    assert capsys.readouterr().err == "Note: The pool is poor.\n"


def shown(*parts: Part) -> CommandReport:
    report = CommandReport("A title", {"answer": 42})
    report.add(*parts)
    return report


def test_with_json_only_the_document_and_the_remarks_are_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = shown(
        Sentence("A sentence."),
        Sentence("A remark.", remark=True),
        Sentence("On the page only.", on_screen=False),
        Table(("a", "b"), [("1", "2")], best=[(0, 1)]),
    )
    show(report, json=True)
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"answer": 42}
    assert printed.err == "A remark.\n"
    show(report, json=False)
    printed = capsys.readouterr()
    assert "A title" in printed.out
    assert "A sentence." in printed.out
    assert "2*" in printed.out
    assert "remark" not in printed.out
    assert "page" not in printed.out
    assert printed.err == "A remark.\n"


def test_facts_in_sequence_are_aligned_with_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    curve = Curve(np.array([100.0, 1.0]))
    show(
        shown(Facts([("a", "1"), ("error", curve)], main=True), Facts([("long", "2")])), json=False
    )
    assert "  a        1" in (lines := capsys.readouterr().out.splitlines())[2]
    assert "  error    100 → 1   █▁" in lines[3]
    assert "  long     2" in lines[4]


def test_a_long_table_is_cut_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    show(shown(Table(("a",), [("1",), ("2",), ("3",)], most=1)), json=False)
    printed = capsys.readouterr().out
    assert "... and 2 more; --json has all." in printed
    assert "2 \n" not in printed


def test_a_flat_or_empty_curve_can_be_drawn_too() -> None:
    assert sparkline([1.0, 1.0]) == "▁▁"
    assert sparkline([0.0]) == ""
    assert len(sparkline(np.geomspace(1, 1e-9, 500))) == 32


def test_the_bar_is_on_stderr_and_only_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = Progress(group=1, groups=3, rounds=64, error=0.5, done=0.5)
    with lesson_bar("Teaching") as report:
        report(now)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with lesson_bar("Teaching") as report:
        report(now)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Teaching" in printed.err


def test_reading_has_its_own_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with lesson_bars("Teaching") as (_, count):
        pass
    assert "Reading" not in capsys.readouterr().err
    with lesson_bars("Teaching") as (_, count):
        count(3, 12)
    printed = capsys.readouterr().err
    assert "Reading" in printed
    assert "piece 3 of 12" in printed


def test_text_is_printed_as_it_is_whatever_signs_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    report = shown(
        Facts([("[b]", "an item [/b] and :smile:")]),
        Table(("group", "[i]"), [("[/b]", "2")], bars=[1.0]),
        Sentence("[/i]"),
    )
    show(report, json=False)
    printed = capsys.readouterr().out
    for text in ("an item [/b] and :smile:", "[b]", "[/i]", "[i]"):
        assert text in printed
    assert printed.count("[/b]") == 2


@pytest.mark.parametrize("width", [24, 40, 80])
def test_a_narrow_window_cuts_off_neither_numbers_nor_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    header = ("way", "groups", "cheapest for λ", "S", "T + 1000 S")
    rows = [("whole class", "1", "up to 0.25", "99.5", "99599.5"), ("by rate", "3", "", "3", "4")]
    table = Table(header, rows, best=[(0, 4)], bars=(1.0, 0.5))
    show(shown(table, Facts([("error", "█" * 32)])), json=False)
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert max(map(len, printed.splitlines())) <= width
    for word in {"99599.5*", *(word for cell in (*header, *rows[0][:4]) for word in cell.split())}:
        assert word in printed
    assert printed.partition("error")[2].count("█") == 32


def test_a_bar_is_as_long_as_its_share_and_left_out_where_there_is_no_space(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for width, longest in ((60, 30), (23, 8), (16, 0)):
        monkeypatch.setenv("COLUMNS", str(width))
        show(shown(Table(("a", "b"), [("1", "1234567")] * 2, bars=(1.0, 0.5))), json=False)
        bars = [line.count("█") for line in capsys.readouterr().out.splitlines() if "123" in line]
        assert bars == [longest, longest // 2]


def test_a_command_to_type_stays_in_one_piece(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    print_command("some/long/folder/homeroom serve --demo")
    assert capsys.readouterr().out == "  some/long/folder/homeroom serve --demo\n"


def test_off_a_terminal_no_bar_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with fraction_bar("Reading") as progress:
        progress(0.5)
        progress(1.0)
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_the_bar_shows_how_much_is_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with fraction_bar("Reading") as progress:
        progress(1.0)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Reading" in err
    assert "100 %" in err
