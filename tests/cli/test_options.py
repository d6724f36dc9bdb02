"""Options that several commands share."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    ByKnowledge,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    PoolTeacher,
    RandomTeacher,
)
from homeroom.cli.options import ClassOptions, LessonOptions, fields_as_options, grouping
from homeroom.pools import ItemPool

GIB = 1 << 30


def test_a_class_is_drawn_as_in_python() -> None:
    drawn = ClassOptions(students=7, dimensions=2, rates=(0.1, 0.2), seed=3).room()
    same = Classroom.sample(7, 2, (0.1, 0.2), 3)
    np.testing.assert_array_equal(drawn.states, same.states)
    np.testing.assert_array_equal(drawn.rates, same.rates)


def test_a_target_may_have_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("student,rate,w1\nAda,0.2,1.0\n")
    (tmp_path / "target.csv").write_text("student,w1\ntarget,0.5\n")
    room = ClassOptions(file=tmp_path / "class.csv", target=tmp_path / "target.csv").room()
    assert np.asarray(room.target).tolist() == [0.5]


def test_short_texts_and_plain_options_mean_the_same() -> None:
    usual = LessonOptions().settings(GIB)
    assert usual["teacher"] == ClassroomTeacher()
    assert usual["goal"] == AverageGoal(0.1)
    assert LessonOptions(magnitude="joint").settings(GIB)["teacher"] == ClassroomTeacher("joint")
    assert LessonOptions(goal="everyone", eps=0.2).settings(GIB)["goal"] == EveryoneGoal(0.2)
    text = LessonOptions(teacher="classroom:magnitude=joint", goal="everyone:eps=0.2")
    assert text.settings(GIB)["teacher"] == ClassroomTeacher("joint")
    assert text.settings(GIB)["goal"] == EveryoneGoal(0.2)


def test_a_pool_goes_to_any_teacher_who_takes_one(tmp_path: Path) -> None:
    np.save(tmp_path / "items.npy", np.eye(2))
    for text, kind in (
        (None, PoolTeacher),
        ("pool:safe=true", PoolTeacher),
        ("random", RandomTeacher),
    ):
        options = LessonOptions(teacher=text, pool=tmp_path / "items.npy")
        teacher = options.settings(GIB)["teacher"]
        assert isinstance(teacher, kind)
        assert isinstance(teacher.pool, ItemPool)
    with pytest.raises(ValueError, match=r"'mean' cannot be read: .*'pool'; mean takes nothing"):
        LessonOptions(teacher="mean", pool=tmp_path / "items.npy").settings(GIB)


def test_a_setting_is_given_once() -> None:
    with pytest.raises(ValueError, match="magnitude is given twice"):
        LessonOptions(teacher="classroom:magnitude=joint", magnitude="static").settings(GIB)


def test_a_grouping_is_a_short_text() -> None:
    assert grouping("by-knowledge:k=3", Classroom.sample(students=5)) == ByKnowledge(3)


@dataclass(frozen=True)
class Size:
    width: int = 2
    height: int = 3


@dataclass(frozen=True)
class Required:
    width: int
    height: int = 3


def test_fields_become_options_and_come_back_as_the_dataclass() -> None:
    seen: list[object] = []

    def command(size: Size, unit: str = "m") -> None:
        seen.extend([size, unit])

    fields_as_options(command)(width=5, height=3, unit="km")
    assert seen == [Size(5, 3), "km"]
    parameters = inspect.signature(fields_as_options(command)).parameters
    assert list(parameters) == ["width", "height", "unit", "debug"]
    assert parameters["height"].default == 3
    assert parameters["unit"].annotation is str


def test_an_unknown_option_is_refused() -> None:
    def command(size: Size) -> None:
        del size

    with pytest.raises(TypeError, match="depth"):
        fields_as_options(command)(depth=1)


def test_a_field_without_a_default_must_be_given() -> None:
    def command(size: Required) -> None:
        del size

    parameters = inspect.signature(fields_as_options(command)).parameters
    assert parameters["width"].default is inspect.Parameter.empty
    assert parameters["height"].default == 3


@pytest.mark.parametrize("name", ["pool", "strict"])
def test_a_teacher_that_needs_a_pool_asks_for_it(name: str) -> None:
    """By the settings that it takes, so that teachers of other packages ask as well."""
    with pytest.raises(ValueError, match=f"The teacher '{name}' shows the items of a pool: name"):
        LessonOptions(teacher=name).settings(2**20)
