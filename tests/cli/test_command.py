"""How a function becomes a command, and options that several commands share."""

from __future__ import annotations

import inspect
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
import typer

from homeroom import AverageGoal, Classroom, ClassroomTeacher, EveryoneGoal, PoolTeacher
from homeroom.cli.command import Bounds, command, make_command, read_help, take_options
from homeroom.cli.options import ClassOptions, LessonOptions, numbers_or_file
from homeroom.cli.result import Result
from homeroom.pools import ItemPool
from tests.cli.conftest import Homeroom, list_names, refuse


@dataclass
class Size:
    """The size.

    Parameters
    ----------
    width
        How wide,
        in metres.
    height : --tall, -t NUMBER
        How high. [default: as high as wide]
    """

    width: int
    _: KW_ONLY
    height: Annotated[int | None, Bounds(1, 9)] = None


@command(texts=lambda: {"units": "m, km"})
def area(size: Size, *, unit: str = "m", loud: bool = False, plain: bool = True) -> Result:
    """Return an area.

    Parameters
    ----------
    unit
        One of {units}.
    loud
        Print it twice.
    plain
        Print it in colours.
    """
    values = {"area": size.width * (size.height or size.width), "unit": unit}
    return Result("Area", values | {"loud": loud, "plain": plain})


def run_area(*arguments: str) -> Any:
    return make_command("area", area)(args=list(arguments), standalone_mode=False)


def test_a_docstring_describes_options() -> None:
    about, parameters = read_help(Size)
    assert about == "The size."
    assert parameters["width"].text == "How wide, in metres."
    height = parameters["height"]
    assert height == (("--tall", "-t"), "NUMBER", "How high.", "as high as wide")


def test_parameters_are_arguments_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_area("5", "-t", "3", "--loud", "--no-plain", "--json") == 0
    printed = capsys.readouterr().out
    for text in ('"area": 15', '"unit": "m"', '"loud": true', '"plain": false'):
        assert text in printed


@pytest.mark.parametrize("line", ["", "5 --tall 0", "5 --tall 10", "5 6", "5 --plain"])
def test_what_the_function_does_not_take_is_refused(line: str) -> None:
    with pytest.raises(typer.TyperException):
        run_area(*line.split())


def test_the_help_is_completed_when_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    run_area("--help")
    printed = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for text in ("One of m, km.", "The size", "[default: (as high as wide)]", "Return an area."):
        assert text in printed
    assert "Parameters" not in printed


def test_an_option_without_a_parameter_is_a_mistake() -> None:
    with pytest.raises(TypeError):
        take_options(area)(width=1, depth=1, json=True, out=None, force=False)
    assert inspect.signature(take_options(area)).parameters["width"].default is inspect._empty


def test_results_are_written_where_out_says(homeroom: Homeroom, tmp_path: Path) -> None:
    """A folder of files, a file, or what the command writes itself; replaced only by force."""
    sheet, folder = tmp_path / "sheet.svg", tmp_path / "lesson"
    for line, out in (
        (("write", "generate", "f", "-n", 1), sheet),
        (("teach", "--students", 3, "--dimensions", 1), folder),
    ):
        ran = homeroom(*line, "--out", out)
        assert ran.code == 0
        written = out / "report.html" if out is folder else out
        assert f"Written: {written}" in ran.out.replace("\n", "")
        before = written.read_bytes()
        refuse(homeroom(*line, "--out", out), "--force")
        assert written.read_bytes() == before
        again = homeroom(*line, "--out", out, "--force", "--json")
        assert again.code == 0
        assert again.document.get("out", str(out)) == str(out)
    assert sheet.read_text().startswith("<svg")
    names = {"record.npz", "error.svg", "error.png", "report.html", "result.json"}
    assert list_names(folder) == names


def test_a_class_is_drawn_as_in_python() -> None:
    drawn = ClassOptions(students=7, dimensions=2, rates=(0.1, 0.2), seed=3).room()
    same = Classroom.sample(7, 2, (0.1, 0.2), 3)
    np.testing.assert_array_equal(drawn.states, same.states)
    np.testing.assert_array_equal(drawn.rates, same.rates)


def test_a_target_is_a_file_or_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("class.csv").write_text("student,rate,w1\nAda,0.2,1.0\n")
    Path("target.csv").write_text("student,w1\ntarget,0.5\n")
    for text, target in (("target.csv", [0.5]), ("0.5", [0.5]), ("-1e-1", [-0.1])):
        room = ClassOptions(file=Path("class.csv"), target=text).room()
        assert np.asarray(room.target).tolist() == target
    Path("1").write_text("")
    assert numbers_or_file("1") == Path("1")
    assert numbers_or_file("1, 2") == [1.0, 2.0]


def test_components_are_made_from_their_options(tmp_path: Path) -> None:
    made = LessonOptions(magnitude="joint", goal="everyone", eps=0.3, max_rounds=5).settings()
    assert made["teacher"] == ClassroomTeacher("joint")
    assert (made["goal"], made["max_rounds"]) == (EveryoneGoal(0.3), 5)
    np.save(tmp_path / "items.npy", np.eye(2))
    made = LessonOptions(pool=tmp_path / "items.npy").settings()
    assert isinstance(made["teacher"], PoolTeacher)
    assert isinstance(made["teacher"].pool, ItemPool)
    assert made["goal"] == AverageGoal(0.1)
