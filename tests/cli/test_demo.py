from __future__ import annotations

import base64
import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from homeroom import Classroom, ClassroomTeacher, Record, compare
from homeroom.cli import run
from homeroom.cli.demo import LAMBDAS, WAYS

if TYPE_CHECKING:
    from tests.cli.conftest import Homeroom


@pytest.fixture(scope="module")
def ran_here(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What the demo says, and the folder it leaves."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as said:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "100")
        assert run(["demo"]) == 0
    return said.getvalue(), folder / "demo-report"


@pytest.mark.slow
def test_the_demo_compares_three_ways_and_says_where_the_report_is(
    ran_here: tuple[str, Path],
) -> None:
    out, folder = ran_here
    table = compare(
        Classroom.sample(), ways=WAYS, lambdas=LAMBDAS, teacher=ClassroomTeacher("dynamic")
    )
    assert {table.best(lam).name for lam in LAMBDAS} == set(WAYS)  # each is best for some weight
    for way in table.ways:
        assert re.search(rf"{way.name} +{way.groups} +{way.rounds} +{way.workload:.1f}", out)
    assert "The report is at demo-report/report.html" in out
    assert "To watch a class being taught live, in a browser:\n  homeroom serve --demo\n" in out
    assert out.count("serve --demo") == 1
    document = json.loads((folder / "result.json").read_text())
    assert [way["rounds"] for way in document["ways"]] == [way.rounds for way in table.ways]


@pytest.mark.slow
def test_the_report_is_one_file_with_its_pictures_in_it(ran_here: tuple[str, Path]) -> None:
    _, folder = ran_here
    page = (folder / "report.html").read_text()
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert len(pictures) == 4
    for picture in pictures:
        assert ET.fromstring(base64.b64decode(picture)).tag.endswith("svg")
    assert not re.search(r'(src|href)="(?!data:)', page)  # nothing is fetched from elsewhere


@pytest.mark.slow
def test_what_the_demo_leaves_can_be_used(ran_here: tuple[str, Path], homeroom: Homeroom) -> None:
    _, folder = ran_here
    assert Record.load(folder / "record.npz").rounds == 154
    assert homeroom("teach", folder / "class.csv", "--json").document["lesson"]["rounds"] == 154


@pytest.mark.slow
@pytest.mark.parametrize(
    ("called", "again"),
    [
        (".venv/bin/homeroom", ".venv/bin/homeroom serve --demo"),
        ("homeroom/__main__.py", "bin/python -m homeroom serve --demo"),
    ],
)
def test_the_demo_shows_how_to_call_homeroom_where_it_is_not_on_the_path(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: str, again: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.argv", [str(tmp_path / called), "demo"])
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python"))
    assert f"in a browser:\n  {again}\n" in homeroom("demo").out


@pytest.mark.slow
def test_the_demo_as_json_is_one_document(homeroom: Homeroom, tmp_path: Path) -> None:
    ran = homeroom("demo", "--json", "--seed", 1, "--out", tmp_path / "demo")
    assert ran.code == 0
    assert ran.document["class"]["error"] == Classroom.sample(seed=1).error


def test_make_demo_does_not_repeat_what_the_demo_says() -> None:
    makefile = Path(__file__).parents[2] / "Makefile"
    recipe = makefile.read_text().partition("\ndemo:")[2].partition("\n\n")[0]
    assert "homeroom demo --force" in recipe
    assert "serve" not in recipe
