"""Exit codes: 0 with a result, 1 with a traceback, 2 with one sentence, 130 when interrupted."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

import homeroom.cli.app as cli_app
from homeroom import Classroom, InputError
from tests.cli.conftest import Homeroom, refuse


def list_commands(group: Any = cli_app.app, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each command, and each group of commands, with its name."""
    for word, command in group.commands.items():
        yield f"{name} {word}".strip(), command
        if hasattr(command, "commands"):
            yield from list_commands(command, word)


COMMANDS = dict(list_commands())
SINGLE = {name: command for name, command in COMMANDS.items() if not hasattr(command, "commands")}
WITHOUT_OUT = {"sample", "serve", "backup", "restore"}
WITHOUT_SEED = {
    "serve",
    "backup",
    "restore",
    "paper",
    "bench teachers",
    "write score",
    "write forms",
}


@pytest.mark.parametrize("name", ["", "crowd", "write", "bench"])
def test_without_a_command_a_group_lists_its_commands(homeroom: Homeroom, name: str) -> None:
    ran = homeroom(*name.split())
    assert ran.code == 0
    group = COMMANDS[name] if name else cli_app.app
    for command in group.commands:
        assert re.search(rf"\b{command} +[A-Z]", ran.out)


@pytest.mark.parametrize("name", SINGLE)
def test_the_help_of_every_command_is_complete(homeroom: Homeroom, name: str) -> None:
    """It has an example and the usual options, and no words that are still to be replaced."""
    ran = homeroom(*name.split(), "--help")
    assert (ran.code, ran.err) == (0, "")
    assert f"$ homeroom {name}" in ran.out
    assert not re.search(r"\{[a-z_]+\}|bool", ran.out)
    expected = {"--debug", "--json", "--out", "--seed"}
    expected -= {"--out"} if name in WITHOUT_OUT else set()
    expected -= {"--seed"} if name in WITHOUT_SEED else set()
    expected -= {"--json"} if name == "serve" else set()
    assert expected <= set(re.findall(r"--\w+", ran.out))


def test_help_fits_a_narrow_screen() -> None:
    """Typer keeps the line breaks of a description, so that a longer line leaves a word alone."""
    texts = [inspect.cleandoc(command.help) for command in COMMANDS.values()]
    lines = [line for text in texts for line in text.splitlines()]
    assert len(lines) > 100
    assert [line for line in lines if len(Text.from_markup(line)) > 78] == []


def test_help_shows_brackets_and_registered_names(homeroom: Homeroom) -> None:
    assert "homeroom[train]" in homeroom("write", "train", "--help").out
    assert "planned" in homeroom("teach", "--help").out
    assert "mastery" not in homeroom("crowd", "teach", "--help").out


def test_the_version_is_the_package_s(homeroom: Homeroom) -> None:
    assert homeroom("--version").out == f"homeroom {version('homeroom')}\n"


class Broken:
    """Stands for a function that raises."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, *_: object, **__: object) -> None:
        raise self.error


@pytest.mark.parametrize("place", ["homeroom.cli.teach.teach_class", "homeroom.cli.app.app"])
def test_an_interrupt_is_quiet_and_leaves_nothing(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr(place, Broken(KeyboardInterrupt()))
    ran = homeroom("teach", "--students", 5, "--out", tmp_path / "lesson")
    assert ran == (130, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "error",
    [
        *(kind("ours") for kind in (ValueError, TypeError, LookupError, ImportError)),
        FileNotFoundError(2, "No such file or directory", "/package/hershey.json"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_programming_error_is_not_shown_as_bad_input(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr("homeroom.cli.teach.teach_class", Broken(error))
    with pytest.raises(type(error)) as raised:
        homeroom("teach", "--students", 5)
    assert raised.value is error


def test_errors_about_the_input_are_one_sentence(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = str(tmp_path / "class" / "part.csv")
    for error, named in (
        (InputError("Give a rate."), "Give a rate."),
        (MemoryError(), "memory"),
        (PermissionError(13, "Permission denied", inside), inside),
    ):
        monkeypatch.setattr(Classroom, "load", Broken(error))
        refuse(homeroom("teach", tmp_path / "class"), named)


@pytest.mark.slow
def test_a_full_disk_is_one_sentence(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(28, "No space left on device")
    monkeypatch.setattr("homeroom.lessons.Record.save", Broken(full))
    refuse(homeroom("teach", "--students", 5, "--out", tmp_path / "lesson"), "--out", "space")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "line",
    [
        "--debug teach missing.csv",
        "teach --debug missing.csv",
        "crowd embed missing.csv --debug",
        "teach --missing 9 --debug",
    ],
)
def test_debug_shows_the_traceback_of_bad_input_too(homeroom: Homeroom, line: str) -> None:
    ran = homeroom(*line.split())
    assert ran.code == 2
    assert ran.err.startswith("Traceback (most recent call last):")
    assert "missing" in ran.err.splitlines()[-1]


def test_a_wrong_option_names_the_help(homeroom: Homeroom) -> None:
    assert homeroom("teach", "--volume", 9).err.endswith("See homeroom teach --help.\n")


def start(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command in another process."""
    command = [sys.executable, "-m", "homeroom", *arguments]
    usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 120}
    return subprocess.run(command, check=False, **{**usual, **options})


@pytest.mark.slow
def test_a_python_that_has_homeroom_can_run_it() -> None:
    ran = start("teach", "missing.csv")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "missing.csv" in ran.stderr


@pytest.mark.slow
def test_a_reader_that_closes_early_ends_the_command_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    ran = start("teach", "--students", "5", "--json", stdout=write)
    os.close(write)
    assert (ran.returncode, ran.stderr) == (1, "")


@pytest.mark.slow
def test_a_terminal_that_knows_only_ascii_shows_question_marks() -> None:
    ran = start("teach", "--students", "5", "--dimensions", "2", env={"PYTHONIOENCODING": "ascii"})
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "?" in ran.stdout


@pytest.mark.slow
def test_the_command_starts_without_heavy_libraries() -> None:
    program = (
        "import sys, homeroom.cli\n"
        "assert not {'matplotlib', 'pandas', 'numpy', 'rich.table'} & set(sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], check=False, timeout=120)
    assert ran.returncode == 0
