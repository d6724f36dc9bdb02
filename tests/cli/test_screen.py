import json
import math
import warnings

import numpy as np
import pytest
from rich.text import Text

from homeroom.cli.screen import (
    Screen,
    as_json,
    progress_bar,
    progress_bars,
    say_error,
    sparkline,
    warnings_as_sentences,
)
from homeroom.lessons import Progress


def test_numbers_that_json_does_not_know_become_null() -> None:
    document = {"a": math.nan, "b": [math.inf, 1.5], "c": np.array([1, 2]), "d": np.float64(2.5)}
    assert json.loads(as_json(document)) == {"a": None, "b": [None, 1.5], "c": [1, 2], "d": 2.5}


def test_an_error_is_one_line_however_long(capsys: pytest.CaptureFixture[str]) -> None:
    say_error("word " * 60 + "\n[red]end[/red]")
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.endswith("word [red]end[/red]\n")


def test_a_warning_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings_as_sentences():
        for _ in range(3):
            warnings.warn("The pool is poor.", stacklevel=1)
    assert capsys.readouterr().err == "Note: The pool is poor.\n"


def test_with_json_the_screen_is_silent_but_for_the_document(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for as_document in (True, False):
        screen = Screen(as_json=as_document)
        screen.title("A title")
        screen.say("A sentence.")
        screen.table(("a", "b"), [("1", "2")], best=[(0, 1)])
        screen.result({"answer": 42})
    said = capsys.readouterr().out
    assert json.loads(said[: said.index("}") + 1]) == {"answer": 42}
    assert "A sentence." in said
    assert "2*" in said


def test_a_flat_or_empty_curve_can_be_drawn_too() -> None:
    assert sparkline([1.0, 1.0]) == "▁▁"
    assert sparkline([0.0]) == ""
    assert len(sparkline(np.geomspace(1, 1e-9, 500))) == 32


def test_the_bar_is_on_stderr_and_only_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = Progress(group=1, groups=3, rounds=64, error=0.5, done=0.5)
    with progress_bar("Teaching") as report:
        report(now)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress_bar("Teaching") as report:
        report(now)
    said = capsys.readouterr()
    assert said.out == ""
    assert "Teaching" in said.err


def test_reading_has_a_bar_of_its_own_while_it_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress_bars("Teaching") as (_, count):
        pass
    assert "Reading" not in capsys.readouterr().err
    with progress_bars("Teaching") as (_, count):
        count(3, 12)
    said = capsys.readouterr().err
    assert "Reading" in said
    assert "piece 3 of 12" in said


def test_facts_and_bars_are_shown_as_they_are_whatever_they_are_called(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen = Screen(as_json=False)
    screen.facts([("[b]", "an item [/b] and :smile:"), ("", Text("[/i]"))])
    screen.table(("group", "[i]"), [("[/b]", "2")], bars=[1.0])
    said = capsys.readouterr().out
    assert "an item [/b] and :smile:" in said
    assert "[b]" in said
    assert "[/i]" in said
    assert said.count("[/b]") == 2


@pytest.mark.parametrize("width", [24, 40, 80])
def test_a_narrow_window_cuts_off_neither_numbers_nor_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    header = ("way", "groups", "cheapest for λ", "S", "T + 1000 S")
    rows = [("whole class", "1", "up to 0.25", "99.5", "99599.5"), ("by rate", "3", "", "3", "4")]
    screen = Screen(as_json=False)
    screen.table(header, rows, best=[(0, 4)], bars=(1.0, 0.5))
    screen.facts([("error", "█" * 32)])
    said = capsys.readouterr().out
    assert "…" not in said
    assert max(map(len, said.splitlines())) <= width
    for word in {"99599.5*", *(word for cell in (*header, *rows[0][:4]) for word in cell.split())}:
        assert word in said
    assert said.partition("error")[2].count("█") == 32


def test_a_bar_is_as_long_as_its_share_and_left_out_where_there_is_no_space(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for width, longest in ((60, 30), (23, 8), (16, 0)):
        monkeypatch.setenv("COLUMNS", str(width))
        Screen(as_json=False).table(("a", "b"), [("1", "1234567")] * 2, bars=(1.0, 0.5))
        bars = [line.count("█") for line in capsys.readouterr().out.splitlines() if "123" in line]
        assert bars == [longest, longest // 2]


def test_a_command_to_type_stays_in_one_piece(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    Screen(as_json=False).command("some/long/folder/homeroom serve --demo")
    assert capsys.readouterr().out == "  some/long/folder/homeroom serve --demo\n"
