from homeroom import Classroom, PoolTeacher, _plugins, teach
from homeroom.cli.describe import class_in_words, record_as_values, thing_in_words
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
