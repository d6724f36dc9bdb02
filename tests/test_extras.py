"""Optional libraries that are missing."""

from __future__ import annotations

import sys

import pytest

import homeroom
from homeroom._extras import needs


def test_a_missing_library_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    sentence = r"Tables need pandas: pip install 'homeroom\[frames\]'\."
    with pytest.raises(homeroom.MissingExtraError, match=sentence) as raised:
        homeroom.teach(homeroom.Classroom.sample(students=2, dimensions=1)).to_frame()
    assert isinstance(raised.value, ImportError)
    assert isinstance(raised.value, homeroom.InputError)


def test_the_error_may_name_an_alternative() -> None:
    with (
        pytest.raises(ImportError, match=r"pip install 'homeroom\[a\]', or use \.csv\."),
        needs("This needs it", "a", otherwise="use .csv"),
    ):
        raise ImportError


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), needs("This needs it", "a"):
        raise KeyError
