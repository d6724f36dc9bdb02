import warnings

import numpy as np
import pytest

from homeroom import AverageGoal, ByRate, ClassroomTeacher, Lesson, RandomTeacher, teach
from homeroom.studies.cells import ExperimentCell, run_cell
from homeroom.studies.settings import PaperSettings
from homeroom.studies.synthetic import (
    class_in_a_subspace,
    class_with_diverse_knowledge,
    class_with_diverse_rates,
    paper_class,
    rates,
    whole_class,
)
from homeroom.studies.theorems import THEOREMS, against_eps, theorem

TINY = PaperSettings(students=20, dimensions=3, knowledge_dimensions=3)


def test_the_class_of_figure_3a_has_the_size_and_rates_of_the_paper() -> None:
    room = paper_class(PaperSettings(), 0)
    assert room.states.shape == (300, 25)
    assert 0.05 <= room.rates.min() < room.rates.max() <= 0.25
    assert np.linalg.norm(room.target) == pytest.approx(1.0)


def test_diversity_is_the_width_of_the_rates() -> None:
    assert np.ptp(class_with_diverse_rates(PaperSettings(), 0.0, 0).rates) == 0.0
    wide = class_with_diverse_rates(PaperSettings(), 0.5, 0).rates
    assert 0.1 <= wide.min() < 0.12
    assert 0.58 < wide.max() <= 0.6


@pytest.mark.parametrize("law", ["normal", "uniform"])
def test_both_laws_have_the_same_spread(law: str) -> None:
    states = paper_class(PaperSettings(states=law, spread=2.0), 0).states
    assert states.std() == pytest.approx(2.0, rel=0.03)
    assert (np.abs(states).max() <= np.sqrt(12.0)) == (law == "uniform")


def test_a_ball_contains_states_and_target() -> None:
    room = paper_class(PaperSettings(state_radius=2.0, target_length=3.0), 0)
    assert np.linalg.norm(room.states, axis=1).max() <= 2.0 + 1e-9
    assert np.linalg.norm(room.target) == pytest.approx(2.0)


def test_each_cluster_lies_on_its_own_axis() -> None:
    room, cluster_of = class_with_diverse_knowledge(PaperSettings(), 3, 0)
    assert np.bincount(cluster_of).tolist() == [100, 100, 100]
    for cluster in range(3):
        centre = room.states[cluster_of == cluster].mean(axis=0)
        assert centre[cluster] == pytest.approx(3.0, abs=0.1)
        assert np.abs(np.delete(centre, cluster)).max() < 0.1
    assert np.ptp(room.rates) == 0.0
    wide, _ = class_with_diverse_knowledge(PaperSettings(knowledge_width=0.5), 3, 0)
    assert 0.4 < np.ptp(wide.rates) < 0.5


def test_a_class_can_err_in_few_directions() -> None:
    room = class_in_a_subspace(PaperSettings(), 4, 0)
    assert np.linalg.matrix_rank(room.states - room.target) == 4


def test_the_four_ways_agree_with_teach() -> None:
    room = class_with_diverse_rates(TINY, 0.4, 1)
    rows = {row["way"]: row for row in rates(TINY, [0.4], 1)}
    grouped = teach(room, teacher=ClassroomTeacher("dynamic"), groups=ByRate(), seed=1)
    assert (rows["CTwP-Opt"]["T"], rows["CTwP-Opt"]["S"]) == (grouped.rounds, grouped.workload)
    assert rows["CT"]["T"] == teach(room).rounds == whole_class(TINY, 0.4, 1, "")[0]["T"]


def test_groups_that_stop_together_stop_when_the_class_reaches_its_goal() -> None:
    """One example per group and round, until the mean error of the class is at the goal."""
    settings = TINY.change("stop=class")
    room = class_with_diverse_rates(settings, 0.4, 1)
    row = next(r for r in rates(settings, [0.4], 1) if r["way"] == "CTwP-Opt")
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


def test_one_lesson_gives_the_rounds_for_every_accuracy() -> None:
    rows = against_eps(TINY, [0.1, 0.01], "random direction", 2)
    room = paper_class(TINY, 2)
    for row in rows:
        record = teach(room, teacher=RandomTeacher(), goal=AverageGoal(row["eps"]), seed=2)
        assert row["T"] == record.rounds


@pytest.mark.parametrize("name", THEOREMS)
def test_lessons_stay_below_the_bound(name: str) -> None:
    rows = theorem(TINY, name, 30, 0)
    assert all(row["error"] <= row["bound"] * (1 + 1e-9) for row in rows)


def test_a_lesson_that_fails_has_no_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("homeroom.studies.synthetic.LIMIT", 2)
    rows = rates(TINY, [0.4], 1)
    assert {row["T"] for row in rows if row["way"] == "CT"} == {None}
    assert whole_class(TINY, 0.4, 1, "")[0]["T"] is None


def test_a_cell_suppresses_the_warning_about_students_who_move_away() -> None:
    """Teaching warns; a cell suppresses this warning and no other."""
    settings = PaperSettings(students=40, dimensions=3, eps=1e-6, whole_magnitude="dynamic")
    room = class_with_diverse_rates(settings, 4.0, 0)
    with pytest.warns(UserWarning, match=r"rate \* \|x\|\^2 is .* above 2"):
        teach(room, teacher=ClassroomTeacher("dynamic"), goal=AverageGoal(1e-6))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inputs = {"settings": settings.as_json(), "diversity": 4.0, "seed": 0, "variation": ""}
        run_cell(ExperimentCell.of(whole_class, **inputs))
