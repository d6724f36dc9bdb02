import numpy as np
import pytest

from homeroom import Classroom
from homeroom.cli.students import named, selected, who_in_words


def test_the_selected_are_as_slow_as_fast_as_near_and_as_far_as_they_are_called() -> None:
    room = Classroom.sample(students=80, dimensions=5)
    rates, distances = np.asarray(room.rates), np.asarray(room.squared_distances)
    chosen = selected(room)
    assert len(set(chosen.values())) == 4
    for pace in ("slow", "fast"):
        near, far = chosen[f"{pace}, near"], chosen[f"{pace}, far"]
        assert distances[near] < distances[far]
    slow = max(rates[chosen["slow, near"]], rates[chosen["slow, far"]])
    fast = min(rates[chosen["fast, near"]], rates[chosen["fast, far"]])
    assert slow <= np.quantile(rates, 0.26) < np.quantile(rates, 0.74) <= fast


@pytest.mark.parametrize("students", [1, 2, 4, 5, 6, 7, 8])
def test_small_classes_are_no_trouble(students: int) -> None:
    chosen = selected(Classroom.sample(students=students, dimensions=2))
    assert 1 <= len(chosen) <= 4
    assert all(0 <= student < students for student in chosen.values())


def test_in_a_small_class_those_who_share_a_name_are_all_there() -> None:
    twins = Classroom([[0.0], [1.0]], [0.1, 0.1], [0.5], names=["Ada", "Ada"])
    assert selected(twins) == {"student 0": 0, "student 1": 1}
    with pytest.raises(ValueError, match=r"students 0 and 1 .* are both called 'Ada'"):
        named(twins, ["Ada"])


def test_a_name_is_said_once() -> None:
    room = Classroom([[0.0], [1.0]], [0.1, 0.1], [0.5], names=["Ada", " Ben "])
    assert who_in_words(room, "student Ada", 0) == "Ada"
    assert [who_in_words(room, who, 1) for who in named(room, ["Ben"])] == ["Ben"]
    assert who_in_words(room, "slow, near", 0) == "slow, near: Ada"


def test_students_are_named_by_name_or_by_number() -> None:
    room = Classroom([[0.0], [1.0]], [0.1, 0.1], [0.5], names=["Ada", "Ben"])
    assert named(room, ["Ben"]) == {"student Ben": 1}
    assert named(Classroom.sample(students=3), ["2", "0"]) == {"student 2": 2, "student 0": 0}
    with pytest.raises(ValueError, match="--watch names 'Zoe', but there is no such student"):
        named(room, ["Zoe"])
