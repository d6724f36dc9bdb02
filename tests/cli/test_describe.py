"""Classes, students and lessons in words and as plain values."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from homeroom import Classroom, LargeClass, PoolTeacher, _plugins, teach
from homeroom.cli.report import (
    class_as_values,
    class_in_words,
    engine_in_words,
    four_students,
    plans_in_words,
    record_as_values,
    setting_in_words,
    student_in_words,
    students_called,
)
from homeroom.pools import ItemPool


def test_one_student_in_one_dimension_is_singular() -> None:
    room = Classroom([[1.0]], [0.5], [0.0])
    assert class_in_words(room) == "1 student, 1 dimension, rates 0.5 to 0.5"


def test_a_nested_setting_is_named() -> None:
    described = _plugins.describe(PoolTeacher(ItemPool([[1.0]]), safe=True))
    assert setting_in_words(described) == "pool (pool items, magnitude static, safe)"


def test_a_record_in_values_is_its_record() -> None:
    record = teach(Classroom.sample(students=10, dimensions=2), max_rounds=1)
    values = record_as_values(record)
    assert values["rounds"] == 1
    assert values["reached"] is False
    assert values["stopped_because"] == record.stopped_because.value
    assert values["error_after"] == record.errors[-1]


def test_a_class_on_disk_is_as_large_as_its_lesson_found() -> None:
    room = Classroom.sample(students=70, dimensions=2, rates=(0.1, 0.5))
    for rates, between in ((None, ""), ((0.05, 0.75), ", rates 0.05 to 0.75")):
        large = LargeClass.open((room.states, room.rates), target=room.target, rates=rates)
        record = teach(large)
        assert class_in_words(large, record) == f"70 students, 2 dimensions{between}"
        values = class_as_values(large, record)
        assert values["error"] == record.errors[0]
        assert values["slowest_rate"] == (None if rates is None else rates[0])


def test_the_engine_is_shown_with_its_error_estimate() -> None:
    room = Classroom.sample(students=70, dimensions=2, rates=(0.1, 0.5))
    assert engine_in_words(teach(room)) == [("engine", "exact")]
    record = teach(room, engine="sketch", verify=True)
    (_, engine), (name, verified) = engine_in_words(record)
    assert engine.startswith(f"sketch, {record.settings['nodes']} nodes, off by at most ")
    assert (name, verified[:9]) == ("verified", "error 0.0")


def test_an_exact_engine_that_rounding_put_off_says_by_how_much() -> None:
    record = teach(Classroom.sample(students=10, dimensions=2))
    doubtful = replace(record, error_estimate=0.25)
    assert engine_in_words(doubtful) == [("engine", "exact, off by at most 2.5e-01")]
    endless = replace(record, error_estimate=math.inf)
    assert engine_in_words(endless) == [("engine", "exact, off by at most inf")]


def test_plans_of_all_groups_are_added_up() -> None:
    room = Classroom.sample(students=30, dimensions=2, rates=(0.1, 0.6))
    record = teach(room, teacher="planned:polish=false", groups="by-rate")
    first, *others = record.plans
    record = replace(record, plans=[{**first, "worst_transient": 1.25}, *others])
    assert plans_in_words(record) == [
        ("planned", f"{record.rounds} rounds (3 plans)"),
        ("farthest on the way", "1.25 times as far as at the start, as planned"),
    ]
    assert plans_in_words(teach(room)) == []


def test_the_four_students_are_as_slow_fast_near_and_far_as_they_are_called() -> None:
    room = Classroom.sample(students=80, dimensions=5)
    rates, distances = np.asarray(room.rates), np.asarray(room.squared_distances)
    chosen = four_students(room)
    assert len(set(chosen.values())) == 4
    for speed in ("slow", "fast"):
        near, far = chosen[f"{speed}, near"], chosen[f"{speed}, far"]
        assert distances[near] < distances[far]
    slow = max(rates[chosen["slow, near"]], rates[chosen["slow, far"]])
    fast = min(rates[chosen["fast, near"]], rates[chosen["fast, far"]])
    assert slow <= np.quantile(rates, 0.26) < np.quantile(rates, 0.74) <= fast


@pytest.mark.parametrize("students", [1, 2, 4, 5, 6, 7, 8])
def test_small_classes_are_no_trouble(students: int) -> None:
    chosen = four_students(Classroom.sample(students=students, dimensions=2))
    assert 1 <= len(chosen) <= 4
    assert all(0 <= student < students for student in chosen.values())


def test_students_who_are_all_alike_are_chosen_once_each() -> None:
    alike = Classroom(np.ones((8, 2)), np.full(8, 0.1), np.zeros(2))
    assert sorted(four_students(alike).values()) == [0, 1, 6, 7]


def test_in_a_small_class_students_who_share_a_name_are_all_shown() -> None:
    twins = Classroom([[0.0], [1.0]], [0.1, 0.1], [0.5], names=["Ada", "Ada"])
    assert four_students(twins) == {"student 0": 0, "student 1": 1}
    with pytest.raises(ValueError, match=r"students 0 and 1 .* are both called 'Ada'"):
        students_called(twins, ["Ada"])


def test_a_name_is_shown_once() -> None:
    room = Classroom([[0.0], [1.0]], [0.1, 0.1], [0.5], names=["Ada", " Ben "])
    assert student_in_words(room, "student Ada", 0) == "Ada"
    assert [student_in_words(room, who, 1) for who in students_called(room, ["Ben"])] == ["Ben"]
    assert student_in_words(room, "slow, near", 0) == "slow, near: Ada"


def test_students_are_named_by_name_or_by_number() -> None:
    room = Classroom([[0.0], [1.0]], [0.1, 0.1], [0.5], names=["Ada", "Ben"])
    assert students_called(room, ["Ben"]) == {"student Ben": 1}
    assert students_called(Classroom.sample(students=3), ["2", "0"]) == {
        "student 2": 2,
        "student 0": 0,
    }
    with pytest.raises(ValueError, match=r"there is no such student: they are Ada, Ben\.$"):
        students_called(room, ["Zoe"])
    with pytest.raises(ValueError, match=r"they are 0, 1, 2, \.\.\. \(5 in all\)\.$"):
        students_called(Classroom.sample(students=5), ["Zoe"])
