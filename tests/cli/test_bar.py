from __future__ import annotations

import pytest

from homeroom.cli.bar import fraction_bar


def test_off_a_terminal_the_bar_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with fraction_bar("Reading") as tell:
        tell(0.5)
        tell(1.0)
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_it_says_how_much_is_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with fraction_bar("Reading") as tell:
        tell(1.0)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Reading" in err
    assert "100 %" in err
