"""What the tests of the command share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from homeroom import Classroom
from homeroom.cli import run


class Ran(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document on stdout, which must be all there is."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    @property
    def text(self) -> str:
        """What was printed, with single spaces."""
        return " ".join(self.out.split())


Homeroom = Callable[..., Ran]


@pytest.fixture
def homeroom(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Homeroom:
    """Run the command as a user would, in a window of 100 columns."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "dumb")

    def ran(*arguments: object) -> Ran:
        code = run([str(argument) for argument in arguments])
        return Ran(code, *capsys.readouterr())

    return ran


@pytest.fixture
def pupils(tmp_path: Path) -> Path:
    """A class file with named students."""
    path = tmp_path / "pupils.csv"
    sampled = Classroom.sample(students=24, dimensions=3, rates=(0.1, 0.5))
    names = [f"pupil {number}" for number in range(24)]
    Classroom(sampled.states, sampled.rates, sampled.target, names=names).save(path)
    return path


def refuse(ran: Ran, *named: str) -> None:
    """Check that a command was refused in one line that names these words, and printed nothing."""
    assert (ran.code, ran.out) == (2, ""), ran
    assert len(ran.err.strip().splitlines()) == 1, ran.err
    assert "Traceback" not in ran.err
    for word in named:
        assert word in ran.err, ran.err


def list_names(folder: Path) -> set[str]:
    """Return the names of the files in a folder."""
    return {path.name for path in folder.iterdir()}
