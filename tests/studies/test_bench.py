"""The benchmark of teachers: its cells, its summary, and who takes part."""

from __future__ import annotations

import json
import warnings
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, InputError, RandomTeacher, Record, _plugins, teach
from homeroom.goals import AbstractGoal
from homeroom.learners import AbstractLoss, ForgettingLearner
from homeroom.studies import bench_lessons
from homeroom.studies.bench import Chosen, find_assumed, load_results, measure
from homeroom.studies.bench_lessons import CHECKPOINTS, ROUNDS, lesson_row
from homeroom.studies.bench_report import document, heat_map, page
from homeroom.studies.bench_results import (
    CellResult,
    cell_result,
    column_ranks,
    columns_of,
    list_unreached,
    ratios,
    summarise,
)
from homeroom.studies.bench_tasks import LEARNERS, TASKS, TEACHERS, learner_for, task_from_seed
from homeroom.studies.cells import CellStore


def test_there_are_enough_teachers_learners_and_tasks() -> None:
    assert len(TEACHERS) >= 16
    assert len(LEARNERS) >= 8
    assert len(TASKS) >= 6
    for kind, texts in (("teachers", TEACHERS), ("learners", LEARNERS)):
        for text in texts.values():
            assert text.partition(":")[0] in _plugins.names(kind)


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_the_same_for_the_same_seed_and_its_error_is_what_the_goal_limits(
    task: str,
) -> None:
    one, again, other = TASKS[task](1), TASKS[task](1), TASKS[task](2)
    np.testing.assert_array_equal(one.room.states, again.room.states)
    assert not np.array_equal(one.room.states, other.room.states)
    assert one.error(one.room.states) > 0.1
    assert one.error(np.tile(one.room.target, (one.room.students, 1))) == 0.0
    if one.test is None:
        assert one.error(one.room.states) == pytest.approx(one.room.error)


@pytest.mark.parametrize("task", TASKS)
def test_every_learner_fits_a_task_or_says_why_not(task: str) -> None:
    setting = task_from_seed(task, 0)
    unfit = {"classes": "squared", "categories": "", "insects": "", "facts": ""}
    for name, text in LEARNERS.items():
        if name == unfit.get(task, "logistic"):
            with pytest.raises(InputError, match=r"numbers|3 classes"):
                learner_for(text, setting)
            continue
        assert learner_for(text, setting).loss.outputs == setting.loss.outputs


@pytest.mark.parametrize("name", ["forgetting", "ridge"])
def test_students_forget_facts(name: str) -> None:
    """Once, also those who forget anyway."""
    found = learner_for(LEARNERS[name], task_from_seed("facts", 0))
    assert isinstance(found, ForgettingLearner)
    assert not isinstance(found.learner, ForgettingLearner)


def test_a_lesson_reports_when_the_goal_was_reached_and_the_errors_on_the_way() -> None:
    row = lesson_row("pool:magnitude=best", "gradient:loss=squared", "directions", 0)
    assert 1 < row["T"] < ROUNDS
    assert row["S"] == row["T"]
    assert len(row["errors"]) == len(CHECKPOINTS)
    assert row["errors"][-1] <= 0.3 < row["errors"][0]
    missed = lesson_row("uncertainty", "gradient:loss=squared", "directions", 0)
    assert missed["T"] is None
    assert missed["stopped"] == "the limit of rounds was reached before the goal"


@pytest.mark.parametrize(("task", "learner"), [("directions", "squared"), ("mixed", "ridge")])
def test_a_class_is_taught_on_after_its_goal(task: str, learner: str) -> None:
    """T is that of a lesson that stops at its goal; the last error that of one without a goal."""
    setting, text = task_from_seed(task, 3), LEARNERS[learner]
    row = lesson_row("random", text, task, 3)

    def taught(goal: AbstractGoal) -> Record:
        return teach(
            setting.room, teacher=RandomTeacher(setting.pool), learner=learner_for(text, setting),
            groups=setting.groups, goal=goal, max_rounds=ROUNDS, engine="exact", seed=3,
        )  # fmt: skip

    to_the_goal, to_the_end = taught(setting.goal), taught(AverageGoal(1e-12))
    assert row["T"] == to_the_goal.rounds
    assert row["S"] == pytest.approx(to_the_goal.workload)
    assert row["errors"][-1] == pytest.approx(to_the_end.errors[-1], rel=1e-3)
    assert row["errors"][-1] < 0.5 * to_the_goal.errors[-1]


def test_a_teacher_prepares_with_the_class_as_it_is_observed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No call of ``prepare`` gets the true class; in the insects states have noise."""
    given = []

    class Curious(RandomTeacher):
        def prepare(self, room: Classroom, loss: AbstractLoss) -> RandomTeacher:
            given.append(np.asarray(room.states))
            return super().prepare(room, loss)

    monkeypatch.setattr(bench_lessons, "teacher_for", lambda _text, pool: Curious(pool))
    for task, exact in (("insects", False), ("categories", True)):
        given.clear()
        lesson_row("curious", "gradient:loss=logistic", task, 0)
        truth = np.asarray(task_from_seed(task, 0).room.states)
        assert [bool(np.abs(states - truth).max() < 1e-9) for states in given] == [exact]


def test_in_groups_a_student_sees_fewer_examples_than_the_teacher_shows() -> None:
    row = lesson_row("pool:magnitude=best", "gradient:loss=squared", "mixed", 0)
    assert row["S"] < row["T"]


@pytest.mark.filterwarnings("ignore:PlannedTeacher plans with gradient steps:UserWarning")
@pytest.mark.parametrize(
    ("teacher", "learner", "task", "reason"),
    [
        ("strict", "gradient", "ball", "Ball cannot be listed"),
        ("mean", "gradient", "directions", "takes no pool"),
        ("planned", "gradient", "facts", "AccuracyGoal"),
        ("random", "gradient:loss=logistic", "ball", "numbers"),
        ("random", "gradient:loss=squared", "classes", "3 classes"),
    ],
)
def test_a_cell_that_makes_no_sense_has_the_reason(
    teacher: str, learner: str, task: str, reason: str
) -> None:
    row = lesson_row(teacher, learner, task, 0)
    assert set(row) == {"refused"}
    assert reason in row["refused"]


def rows(*rounds: int | None, error: float = 0.1) -> list[dict[str, object]]:
    errors = [error] * len(CHECKPOINTS)
    return [{"T": one, "S": one, "stopped": "", "errors": errors} for one in rounds]


def test_a_missed_goal_counts_as_twice_the_limit() -> None:
    result = cell_result("a", "l", "t", rows(10, 20, None))
    assert result.rounds == pytest.approx((10 + 20 + 2 * ROUNDS) / 3, rel=1e-3)
    assert result.reached == pytest.approx(2 / 3, rel=1e-3)
    assert result.workload == 15.0
    assert not result.fails
    assert result.rounds_half is not None
    assert cell_result("a", "l", "t", rows(10)).rounds_half is None
    for one in (result, cell_result("a", "l", "t", [{"refused": "no"}])):
        assert CellResult.from_json(json.loads(json.dumps(one.as_json(), allow_nan=False))) == one


def test_the_summary_has_ranks_worst_cases_and_failures() -> None:
    """By hand: three teachers in two columns; a third column is reached by none."""
    results = [
        cell_result("fast", "l1", "t", rows(10)),
        cell_result("slow", "l1", "t", rows(40)),
        cell_result("odd", "l1", "t", [{"refused": "no"}]),
        cell_result("fast", "l2", "t", rows(None)),
        cell_result("slow", "l2", "t", rows(50)),
        cell_result("odd", "l2", "t", rows(50)),
        cell_result("fast", "l3", "t", rows(None)),
    ]
    assert list(columns_of(results)) == [("l1", "t"), ("l2", "t")]
    second = columns_of(results)["l2", "t"]
    assert column_ranks(second) == {"fast": 3.0, "slow": 1.5, "odd": 1.5}
    assert ratios(second)["fast"] == 4.0
    by_name = {one.teacher: one for one in summarise(results)}
    assert by_name["fast"].median_rank == 2.0
    assert by_name["fast"].fails == 0.5
    assert (by_name["fast"].worst, by_name["fast"].worst_at) == (4.0, ("l2", "t"))
    assert by_name["slow"].worst == 4.0
    assert by_name["odd"].columns == 1


def test_lessons_are_stored_and_not_taught_again(tmp_path: Path) -> None:
    chosen = Chosen.of(["static", "random"], ["squared"], ["directions"], seeds=2)
    with ThreadPoolExecutor(1) as executor:
        first, lessons = measure(chosen, CellStore(tmp_path), executor)
        stored = (tmp_path / "cells.jsonl").read_bytes()
        again, _ = measure(chosen, CellStore(tmp_path), executor)
    assert again == first
    assert (tmp_path / "cells.jsonl").read_bytes() == stored
    assert len(lessons) == 4
    assert {result.teacher for result in first} == {"static", "random"}


def test_a_damaged_lesson_counts_as_missing(tmp_path: Path) -> None:
    chosen = Chosen.of(["random"], ["squared"], ["directions"], seeds=2)
    path = tmp_path / "cells.jsonl"
    with ThreadPoolExecutor(1) as executor:
        found, _ = measure(chosen, CellStore(tmp_path), executor)
        first, second = map(json.loads, path.read_text().splitlines())
        second["rows"][0]["T"] += 1
        path.write_text("\n".join([json.dumps(first), json.dumps(second), "[" * 10_000, "7", ""]))
        assert list(CellStore(tmp_path).rows) == [first["key"]]
        assert measure(chosen, CellStore(tmp_path), executor)[0] == found


def test_columns_that_no_teacher_reaches_are_listed() -> None:
    results = [
        cell_result("a", "l1", "ball", rows(10)),
        cell_result("a", "l2", "ball", rows(None)),
        cell_result("b", "l2", "ball", rows(None)),
        cell_result("b", "l3", "ball", [{"refused": "no"}]),
    ]
    assert list_unreached(results) == [("l2", "ball")]
    assert document(results, 1.0, 2.0)["unreached"] == [["l2", "ball"]]
    summary = summarise(results)
    text = page(results, summary, heat_map(results, summary, {}), 1.0).html()
    assert "not ranked: l2 with ball." in text


def test_teachers_that_are_equal_are_ranked_by_the_error_after_the_last_round() -> None:
    found = {
        name: cell_result(name, "l", "t", rows(9, error=error))
        for name, error in (("a", 0.2), ("b", 0.1), ("c", 0.2))
    }
    assert column_ranks(found) == {"a": 2.5, "b": 1.0, "c": 2.5}


@pytest.mark.parametrize(("teachers", "learners"), [(1, 1), (2, 2), (3, 5), (19, 20)])
def test_a_heat_map_is_never_too_small_and_dots_stay_under_crosses(
    teachers: int, learners: int
) -> None:
    results = [
        cell_result(f"t{one}", f"l{other}", "ball", rows(None if one else 10))
        for one in range(teachers)
        for other in range(learners)
    ]
    assumed = {f"t{one}": frozenset({"l0"}) for one in range(teachers)}
    drawn = heat_map(results, summarise(results), assumed)
    width, height = drawn.get_size_inches()
    assert width >= 4.0
    assert height >= 3.0
    markers = [line.get_marker() for line in drawn.axes[0].get_lines()]
    assert markers.count("o") == teachers
    assert markers.count("x") == (teachers - 1) * learners


CHECKED = {
    "directions": ("best", "planned", "random", "STRICT", "MaxGrad", "Leitner", "surrogate"),
    "facts": ("static", "imitation", "recall threshold", "forgetful greedy", "easy first"),
    "ball": ("dynamic", "mean", "omniscient", "label synthesis"),
    "categories": ("best", "uncertainty", "hard first", "STRICT"),
}


def test_the_shipped_results_are_those_of_this_version() -> None:
    """Twenty cells, each taught again; the minimax batch depends on a numerical search."""
    text = files("homeroom.studies").joinpath("bench_results.json").read_text(encoding="utf-8")
    stored = json.loads(text)
    assert stored["version"] == _plugins.version()
    assert stored["core_seconds"] > 0
    shipped = {(one.teacher, *one.column): one for one in load_results()}
    assert len(shipped) == len(TEACHERS) * len(LEARNERS) * len(TASKS)
    assert {one.seeds for one in shipped.values() if one.refused is None} == {5}
    for task, teachers in CHECKED.items():
        for teacher in teachers:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                lessons = [
                    lesson_row(TEACHERS[teacher], LEARNERS["squared"], task, seed)
                    for seed in range(5)
                ]
            again, then = (
                cell_result(teacher, "squared", task, lessons),
                shipped[teacher, "squared", task],
            )
            assert (again.rounds, again.reached) == (then.rounds, then.reached)
            assert again.workload == then.workload
            np.testing.assert_allclose(again.errors, then.errors, rtol=2e-3, atol=1e-9)
            assert again.errors_half is not None
            assert then.errors_half is not None


def test_the_assumed_learners_have_their_names_in_the_report() -> None:
    chosen = Chosen.of(["static", "STRICT", "minimax batch", "random"])
    assert find_assumed(chosen.teachers, chosen.learners) == {
        "static": {"squared", "logistic"},
        "STRICT": {"hypotheses"},
        "minimax batch": {"ridge"},
        "random": set(),
    }


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"tasks": ["dogs"]}, "task called 'dogs': choose from ball"),
        ({"teachers": ["beste"]}, "teacher called 'beste'"),
        ({"learners": ["ridg"]}, "learner called 'ridg': did you mean 'ridge'"),
        ({"seeds": 0}, "--seeds"),
        ({"teachers": ["best,"]}, "--teachers has an empty name: choose from static, dynamic"),
        ({"learners": [" "]}, "--learners has an empty name"),
        ({"teachers": ["pool:magnitude=nonsense"]}, "magnitude"),
        ({"teachers": ["random:speed=3"]}, "speed"),
        ({"learners": ["momentum:momentum=-3"]}, "momentum"),
        ({"teachers": ["leitner"], "only": "no-such-package"}, "'no-such-package'"),
        ({"only": "no-such-package"}, "'no-such-package'"),
    ],
)
def test_names_that_do_not_exist_are_one_sentence(asked: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match=why):
        Chosen.of(**asked)  # type: ignore[arg-type]
