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
from typing import TYPE_CHECKING

import numpy as np
import pytest
import typer
from rich.text import Text

import homeroom.cli.app as cli_app
from homeroom import Classroom, InputError

if TYPE_CHECKING:
    from tests.cli.conftest import Homeroom

GOOD = "student,rate,w1,w2\nAda,0.2,1.0,0.5\nBen,0.1,0.0,0.3\ntarget,,0.6,0.8\n"


def test_without_arguments_it_lists_the_commands(homeroom: Homeroom) -> None:
    ran = homeroom()
    assert ran.code == 0
    for command in ("demo", "teach", "compare", "group", "certify"):
        assert re.search(rf"\b{command} +[A-Z]", ran.out)


def test_the_version_is_the_package_s(homeroom: Homeroom) -> None:
    assert homeroom("--version").out == f"homeroom {version('homeroom')}\n"


@pytest.mark.slow
def test_a_python_that_has_homeroom_can_run_it() -> None:
    command = [sys.executable, "-m", "homeroom", "teach", "missing.csv"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("There is no file missing.csv")


@pytest.mark.parametrize("command", ["demo", "teach", "compare", "group", "certify"])
def test_the_help_of_every_command_has_an_example(homeroom: Homeroom, command: str) -> None:
    ran = homeroom(command, "--help")
    assert ran.code == 0
    assert f"$ homeroom {command}" in ran.out
    for option in ("--json", "--seed", "--out"):
        assert option in ran.out


def test_help_fits_a_narrow_screen() -> None:
    """Typer keeps the line breaks of a description, so that a longer line leaves a word alone."""
    lines = [line for text in descriptions(cli_app.app) for line in text.splitlines()]
    assert len(lines) > 100
    assert [line for line in lines if len(Text.from_markup(line)) > 78] == []


def descriptions(commands: typer.Typer) -> Iterator[str]:
    """What every command, and every command of a group, says of itself."""
    for command in commands.registered_commands:
        yield inspect.cleandoc(command.help or inspect.getdoc(command.callback) or "")
    for group in commands.registered_groups:
        assert group.typer_instance is not None
        yield from descriptions(group.typer_instance)


def test_help_shows_brackets(homeroom: Homeroom) -> None:
    assert "pip install 'homeroom[train]'" in homeroom("write", "train", "--help").out


BAD = [
    ("teach missing.csv", "There is no file missing.csv"),
    ("teach pupils.txt", "must end in .npz, .csv or .parquet"),
    ("teach negative.csv", "`rates` must be positive, but student 1 has -0.1"),
    ("teach nan.csv", "`states` must be finite"),
    ("teach cut.npz", "damaged or cut off"),
    ("teach shapes.npz", "`rates` must have one number for each student"),
    ("teach good.csv --max-gib 1e-9", "more than the limit"),
    ("teach good.csv --max-gib 0", "--max-gib must be positive and finite, but is 0.0"),
    ("teach good.csv --students 4", "--students is for a class drawn at random"),
    ("teach good.csv --sample-seed 4", "--sample-seed is for a class drawn at random"),
    ("teach --target good.csv", "--target needs a class file"),
    ("teach --students 100000000 --dimensions 1000", "would fill 745.1 GiB of memory"),
    ("teach --students 0", "`students` must be at least 1"),
    ("teach --dimensions 0", "`dimensions` must be at least 1"),
    ("teach --rates 0.2 0.1", "low first"),
    ("teach --rates 0 0.1", "two positive numbers"),
    ("teach --example-radius 0", "`example_radius` must be positive"),
    ("teach --state-radius -1", "`state_radius` must be positive"),
    ("teach good.csv --state-radius 0.5", "`target` must lie within state_radius"),
    ("teach --max-rounds -1", "`max_rounds` must be at least 0"),
    ("teach --eps 0", "`eps` must be positive and finite, but is 0"),
    ("teach --eps nan", "`eps` must be positive and finite, but is nan"),
    ("teach --goal average:eps=0.1 --eps 0.2", "eps is given twice"),
    ("teach --goal avrage", "did you mean 'average'"),
    ("teach --teacher clasroom", "did you mean 'classroom'"),
    ("teach --teacher classroom:magnitude=loud", "`magnitude` must be one of"),
    ("teach --teacher classroom:volume=9", "unexpected keyword argument 'volume'"),
    ("teach --teacher pool", "name it with --pool FILE"),
    ("teach --rescalable", "name it with --pool FILE"),
    ("teach --groups by-knowledge:k=0", "`k` must be at least 1"),
    ("teach --groups missing.csv", "There is no file missing.csv"),
    ("teach --observer noisy-states", "missing a required argument: 'delta'"),
    ("teach --learner gradient:loss=huber", "There is no loss called 'huber'"),
    ("teach --seed -1", "must not be negative: try --seed 0"),
    ("teach --seed many", "Invalid value for '--seed'.*See homeroom teach --help"),
    ("teach --volume 9", "No such option: --volume.*See homeroom teach --help"),
    ("tech", "No such command 'tech'. Did you mean 'teach', 'bench'\\? See homeroom --help"),
    ("teach good.csv --pool wide.npy", "`items` must have 2 columns"),
    ("teach good.csv --watch Zoe", "names 'Zoe', but there is no such student: they are Ada, Ben"),
    ("teach good.csv --watch Ada --groups by-rate", "`watch` needs a single group"),
    ("teach good.csv --out good.csv", "--out must name a folder, but good.csv is a file"),
    ("teach good.csv --out good.csv/inside", "--out must name a folder, but good.csv is a file"),
    ("teach good.csv --out /proc/lesson", "--out cannot be written: /proc says"),
    ("compare --lambdas 1,x", "--lambdas must be numbers separated by commas"),
    ("compare --lambdas=,", "--lambdas must be numbers separated by commas"),
    ("compare --lambdas=-1", "`lambdas` must be finite and not negative"),
    ("compare --lambdas inf", "`lambdas` must be finite and not negative, but one is inf"),
    ("compare --way by-luck", "There is no grouping called 'by-luck'"),
    ("compare --way whole --way whole", "--way whole is given twice: leave one out"),
    ("group --groups as-given", "write them into a table .* as in --groups groups.csv"),
    ("teach --groups as-given:labels=1", "write them into a table .* as in --groups groups.csv"),
    ("teach mixed.csv", "numbers with a comma .'0,2'. and with a point .'1.0'."),
    ("teach good.csv --column speed=rate", "can name student, rate, states, but names 'speed'"),
    ("teach good.csv --column rate", "--column names a column, as in rate=Speed, but is 'rate'"),
    ("teach --column rate=Speed", "--column needs a class file: name the FILE too"),
    ("teach good.csv --groups long.csv", "has two rows for 'Ada'"),
    ("teach huge.csv", "squared distances fit into float64"),
    ("certify --teacher clasroom", "did you mean 'classroom'"),
    ("demo --seed -1", "--seed must not be negative: try --seed 0"),
    ("demo --out good.csv", "--out must name a folder, but good.csv is a file"),
]


@pytest.mark.parametrize(("line", "sentence"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_one_sentence_and_code_2_with_nothing_written(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(GOOD)
    Path("pupils.txt").write_text(GOOD)
    Path("negative.csv").write_text(GOOD.replace("Ben,0.1", "Ben,-0.1"))
    Path("nan.csv").write_text(GOOD.replace("0.5", "nan"))
    Path("huge.csv").write_text(GOOD.replace("0.5", "1e200"))
    Path("mixed.csv").write_text(GOOD.replace(",", ";").replace("0.2", "0,2"))
    Path("long.csv").write_text("student,group\nAda,1\nAda,2\nBen,1\n")
    Classroom.load("good.csv").save("whole.npz")
    Path("cut.npz").write_bytes(Path("whole.npz").read_bytes()[:-200])
    np.savez("shapes.npz", states=np.zeros((4, 2)), rates=np.ones(3), target=np.zeros(2))
    np.save("wide.npy", np.eye(4))
    before = sorted(tmp_path.rglob("*"))

    ran = homeroom(*line.split())

    assert ran.code == 2
    assert ran.out == ""
    assert re.search(sentence, ran.err)
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    assert sorted(tmp_path.rglob("*")) == before


def test_an_interrupt_is_quiet_and_leaves_nothing(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("homeroom.cli.teach.teach_class", interrupted)
    ran = homeroom("teach", "--students", 5, "--out", tmp_path / "lesson")
    assert ran == (130, "", "")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_outside_a_command_is_quiet_too(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_app, "app", interrupted)
    assert homeroom("teach") == (130, "", "")


class Broken:
    """Stands for a function that raises."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, *_: object, **__: object) -> None:
        raise self.error


@pytest.mark.parametrize(
    "error",
    [
        ValueError("ours"),
        TypeError("ours"),
        LookupError("ours"),
        ImportError("ours"),
        ZeroDivisionError("ours"),
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


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (InputError("Give a rate."), "Give a rate.\n"),
        (MemoryError(), "There is not enough memory for this: use fewer students.\n"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_about_the_input_is_one_sentence(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str
) -> None:
    monkeypatch.setattr("homeroom.cli.teach.teach_class", Broken(error))
    ran = homeroom("teach", "--students", 5)
    assert ran.code == 2
    assert ran.err.startswith(sentence)
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "line",
    [
        "--debug teach missing.csv",
        "teach --debug missing.csv",
        "teach missing.csv --debug",
        "crowd embed missing.csv --debug",
        "teach --volume 9 --debug",
    ],
)
def test_debug_shows_the_traceback_of_bad_input_too(homeroom: Homeroom, line: str) -> None:
    ran = homeroom(*line.split())
    assert ran.code == 2
    assert ran.err.startswith("Traceback (most recent call last):")
    sentence = "No such option: --volume" if "volume" in line else "There is no file missing.csv."
    assert ran.err.splitlines()[-1].startswith(sentence)


def test_every_command_offers_debug(homeroom: Homeroom) -> None:
    for command in ("", "teach", "serve", "crowd teach", "write score"):
        assert "--debug" in homeroom(*command.split(), "--help").out


FILES = [
    "teach FILE.csv",
    "teach FILE.npz",
    "teach FILE.parquet",
    "teach good.csv --target FILE.npy",
    "teach good.csv --pool FILE.npy",
    "teach good.csv --pool FILE.npz",
    "teach good.csv --pool FILE.csv",
    "teach good.csv --groups FILE.csv",
    "crowd embed FILE.csv",
    "crowd embed FILE.jsonl",
    "crowd embed FILE.parquet",
    "crowd embed answers.csv --labels FILE.json",
    "crowd embed answers.csv --roster FILE.zip",
    "crowd embed answers.csv --previous FILE.npz",
    "write score FILE.inkml",
    "write score FILE.jsonl",
    "write score FILE.dat --letter f",
    "write score FILE.svc --letter f",
    "write score ink.jsonl --model FILE.inkml",
]


@pytest.mark.parametrize("line", FILES)
@pytest.mark.parametrize("kind", ["missing", "folder", "noise", "latin", "x" * 300])
def test_a_file_that_cannot_be_read_is_one_sentence(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(GOOD)
    Path("answers.csv").write_text("student,item,answer\nAda,moth,yes\nBen,moth,no\n")
    Path("ink.jsonl").write_text('{"letter": "f", "strokes": [{"points": [[0, 0], [1, 2]]}]}\n')
    line = line.replace("FILE", kind)
    (name,) = re.findall(rf"{kind}\.\w+", line)
    if kind == "folder":
        Path(name).mkdir()
    elif kind == "noise":
        Path(name).write_bytes(np.random.default_rng(0).bytes(500))
    elif kind == "latin":
        Path(name).write_bytes("Ä\u00a0;ö\n1;ü".encode("latin-1"))
    ran = homeroom(*line.split())
    assert ran.code == 2
    assert name.partition(".")[0] in ran.err
    assert ran.err.count("\n") == 1


def test_an_unreadable_file_inside_a_named_folder_is_one_sentence(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = str(tmp_path / "class" / "part.csv")
    error = PermissionError(13, "Permission denied", inside)
    monkeypatch.setattr(Classroom, "load", Broken(error))
    ran = homeroom("teach", tmp_path / "class")
    assert ran == (2, "", f"{inside} cannot be used: Permission denied.\n")


@pytest.mark.slow
def test_a_full_disk_is_one_sentence(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(28, "No space left on device")
    monkeypatch.setattr("homeroom.lessons.Record.save", Broken(full))
    out = tmp_path / "lesson"
    ran = homeroom("teach", "--students", 5, "--out", out)
    assert ran == (2, "", f"--out {out} cannot be written: No space left on device.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_reader_that_closes_early_ends_the_command_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "homeroom", "teach", "--students", "5", "--json"]
    ran = subprocess.run(
        command, stdout=write, stderr=subprocess.PIPE, text=True, check=False, timeout=120
    )
    os.close(write)
    assert (ran.returncode, ran.stderr) == (1, "")


@pytest.mark.slow
def test_the_installed_command_works_and_starts_without_matplotlib() -> None:
    program = (
        "import sys, homeroom.cli\n"
        "assert 'matplotlib' not in sys.modules and 'pandas' not in sys.modules\n"
        "sys.argv = ['homeroom', 'teach', '--students', '5', '--dimensions', '2', '--json']\n"
        "homeroom.cli.main()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    assert '"reached": true' in ran.stdout
    assert ran.stderr == ""


@pytest.mark.slow
def test_a_terminal_that_knows_only_ascii_shows_question_marks() -> None:
    program = "import sys, homeroom.cli; homeroom.cli.main()"
    ran = subprocess.run(
        [sys.executable, "-c", program, "teach", "--students", "5", "--dimensions", "2"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"PYTHONIOENCODING": "ascii"},
    )
    assert ran.returncode == 0, ran.stderr
    assert "Stopped because the goal was reached" in ran.stdout


@pytest.mark.parametrize("command", ["", "teach", "compare", "serve", "crowd", "write train"])
def test_the_help_shows_no_type_for_flags(homeroom: Homeroom, command: str) -> None:
    said = homeroom(*command.split(), "--help").out
    assert "--help" in said
    assert "bool" not in said


def test_a_folder_is_not_called_a_missing_file(homeroom: Homeroom, tmp_path: Path) -> None:
    folder = tmp_path / "pool.npz"
    folder.mkdir()
    sentence = f"{folder} is a folder, but a file is needed.\n"
    for arguments in (("teach", "--pool", folder), ("compare", folder), ("crowd", "embed", folder)):
        assert homeroom(*arguments).err == sentence
