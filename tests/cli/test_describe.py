import math
from dataclasses import replace

from homeroom import Classroom, LargeClass, PoolTeacher, _plugins, teach
from homeroom.cli.describe import (
    class_as_values,
    class_in_words,
    engine_in_words,
    plans_in_words,
    record_as_values,
    thing_in_words,
)
from homeroom.pools import ItemPool


def test_one_student_in_one_dimension_is_singular() -> None:
    room = Classroom([[1.0]], [0.5], [0.0])
    assert class_in_words(room) == "1 student, 1 dimension, rates 0.5 to 0.5"


def test_a_thing_in_a_thing_is_named() -> None:
    described = _plugins.describe(PoolTeacher(ItemPool([[1.0]]), safe=True))
    assert thing_in_words(described) == "pool (pool items, magnitude static, safe)"


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


def test_the_engine_is_told_with_what_is_known_of_its_error() -> None:
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
    record.settings["plans"][0]["worst_transient"] = 1.25
    assert plans_in_words(record) == [
        ("planned", f"{record.rounds} rounds (3 plans)"),
        ("farthest on the way as planned, for one at the start", "1.25"),
    ]
    assert plans_in_words(teach(room)) == []
