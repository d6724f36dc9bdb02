"""How much of the package one reader has to know: modules on a path, and checks of classes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import homeroom
import homeroom.cli
from benchmarks.code import CalledModules, component_checks
from homeroom import Classroom


@pytest.mark.usefixtures("capsys")
def test_teaching_a_table_calls_functions_of_at_most_30_modules(tmp_path: Path) -> None:
    """Measured from the start of the command, when everything is imported. 39 in version 0.1."""
    Classroom.sample(students=30, dimensions=3).save(tmp_path / "students.csv")
    called = CalledModules("cli/teach.py", "teach")
    before = sys.getprofile()
    sys.setprofile(called)
    try:
        homeroom.cli.run(["teach", str(tmp_path / "students.csv")])
    finally:
        sys.setprofile(before)
    assert "lessons/lesson.py" in called.modules
    assert len(called.modules) <= 30, sorted(called.modules)


@pytest.mark.slow
def test_components_are_asked_what_they_can_do_not_what_they_are() -> None:
    """At most 10 tests for a concrete teacher, learner, observer, goal or pool. 64 in 0.1."""
    found = component_checks()
    assert len(found) <= 10, found


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(teacher, MyTeacher)",
        "isinstance(teacher, (int, MyTeacher))",
        "isinstance(teacher, int | other.MyTeacher)",
        "type(teacher) is MyTeacher",
        "teacher.__class__ == MyTeacher",
        "type(teacher) in KNOWN",
        "KNOWN = (MyTeacher, int)",
        "KNOWN = {MyTeacher: 1}",
        "KNOWN = {'mine': MyTeacher}",
        "match teacher:\n    case MyTeacher():\n        pass",
        "settings['teacher']['name'] == 'classroom'",
        "goal.get('name') != 'average'",
    ],
)
def test_every_kind_of_check_is_counted(code: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class MyTeacher(AbstractTeacher):\n    pass\n", "utf-8")
    known = "KNOWN = [MyTeacher]\n" if code == "type(teacher) in KNOWN" else ""
    (tmp_path / "other.py").write_text(f"{known}{code}\n", "utf-8")
    assert len(component_checks(tmp_path)) == 1


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(teacher, AbstractTeacher)",
        "isinstance(goal, DistanceGoal)",
        "def teach(teacher: MyTeacher = MyTeacher()) -> MyTeacher: ...",
        "class Other(MyTeacher): ...",
        "teacher.name == 'mine'",
    ],
)
def test_only_checks_of_components_are_counted(code: str, tmp_path: Path) -> None:
    bases = {"MyTeacher": "AbstractTeacher", "DistanceGoal": "AbstractGoal"}
    classes = "".join(f"class {name}({base}): ...\n" for name, base in bases.items())
    (tmp_path / "mine.py").write_text(classes, "utf-8")
    (tmp_path / "other.py").write_text(f"{code}\n", "utf-8")
    assert component_checks(tmp_path) == []
