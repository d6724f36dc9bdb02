import warnings

import numpy as np
import pytest

from homeroom import AverageGoal, ByRate, ClassroomTeacher, Lesson, RandomTeacher, teach
from homeroom.paper import Cell, Settings
from homeroom.paper.cells import run_cell
from homeroom.paper.classes import class_with_diverse_rates, mixed_class
from homeroom.paper.experiments import against_eps, rates, theorem, whole_class
from homeroom.paper.proved import THEOREMS

TINY = Settings(students=20, dimensions=3, knowledge_dimensions=3)


def test_the_four_ways_are_what_teach_gives() -> None:
    room = class_with_diverse_rates(TINY, 0.4, 1)
    rows = {row["way"]: row for row in rates(TINY.as_json(), 0.4, 1)}
    grouped = teach(room, teacher=ClassroomTeacher("dynamic"), groups=ByRate(), seed=1)
    assert (rows["CTwP-Opt"]["T"], rows["CTwP-Opt"]["S"]) == (grouped.rounds, grouped.workload)
    assert rows["CT"]["T"] == teach(room).rounds == whole_class(TINY.as_json(), 0.4, 1, "")[0]["T"]


def test_groups_that_stop_together_stop_when_the_class_is_there() -> None:
    """Taught side by side, example by example, until the class's mean is at the goal."""
    settings = TINY.changed("stop=class")
    room = class_with_diverse_rates(settings, 0.4, 1)
    row = next(r for r in rates(settings.as_json(), 0.4, 1) if r["way"] == "CTwP-Opt")
    lesson = Lesson(
        room,
        teacher=ClassroomTeacher("dynamic"),
        groups=ByRate(),
        goal=AverageGoal(1e-9),
        seed=1,
    )
    number, groups = 0, len(lesson.parts)
    while np.mean(np.sum((lesson.record().final_states - room.target) ** 2, axis=1)) > 0.1:
        lesson.ask()
        lesson.tell()
        number += 1
    assert groups > 1
    assert (row["T"], row["S"]) == (groups * number, number)


def test_one_lesson_tells_the_rounds_for_every_accuracy() -> None:
    rows = against_eps(TINY.as_json(), [0.1, 0.01], "random direction", 2)
    room = mixed_class(TINY, 2)
    for row in rows:
        record = teach(room, teacher=RandomTeacher(), goal=AverageGoal(row["eps"]), seed=2)
        assert row["T"] == record.rounds


@pytest.mark.parametrize("name", THEOREMS)
def test_lessons_stay_below_what_is_proved(name: str) -> None:
    rows = theorem(TINY.as_json(), name, 30, 0)
    assert all(row["error"] <= row["bound"] * (1 + 1e-9) for row in rows)


def test_a_lesson_that_fails_has_no_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("homeroom.paper.experiments.LIMIT", 2)
    rows = rates(TINY.as_json(), 0.4, 1)
    assert {row["T"] for row in rows if row["way"] == "CT"} == {None}
    assert whole_class(TINY.as_json(), 0.4, 1, "")[0]["T"] is None


def test_a_cell_is_silent_about_students_who_move_away() -> None:
    """The warning is there, and a cell keeps it to itself, and no other."""
    settings = Settings(students=40, dimensions=3, eps=1e-6, whole_magnitude="dynamic")
    room = class_with_diverse_rates(settings, 4.0, 0)
    with pytest.warns(UserWarning, match=r"rate \* \|x\|\^2 is .* above 2"):
        teach(room, teacher=ClassroomTeacher("dynamic"), goal=AverageGoal(1e-6))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_cell(Cell.of("rates", settings=settings.as_json(), diversity=4.0, seed=0))
