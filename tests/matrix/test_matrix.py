"""The benchmark of teachers: its cells, its summary, and who takes part."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from homeroom import InputError, _plugins
from homeroom.matrix import LEARNERS, TASKS, TEACHERS, CellResult, Chosen, measured, summarised
from homeroom.matrix.lesson_cells import CHECKPOINTS, ROUNDS, lesson_row
from homeroom.matrix.summary import cell_result, column_ranks, columns_of, ratios
from homeroom.matrix.tasks import learner_for, task_from_seed
from homeroom.paper import CellStore


def test_there_are_enough_teachers_learners_and_tasks() -> None:
    assert (len(TEACHERS), len(LEARNERS), len(TASKS)) >= (16, 8, 6)
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
            with pytest.raises(InputError, match=r"answers of this task are numbers|3 classes"):
                learner_for(text, setting)
            continue
        assert learner_for(text, setting).loss.outputs == setting.loss.outputs
    assert learner_for("forgetting", task_from_seed("facts", 0)).forgets
    assert learner_for("ridge", task_from_seed("facts", 0)).forgets


def test_a_lesson_reports_when_the_goal_was_reached_and_the_errors_on_the_way() -> None:
    row = lesson_row("pool:magnitude=best", "gradient:loss=squared", "directions", 0)
    assert 1 < row["T"] < ROUNDS
    assert row["S"] == row["T"]
    assert len(row["errors"]) == len(CHECKPOINTS)
    assert row["errors"][-1] <= 0.3 < row["errors"][0]
    missed = lesson_row("uncertainty", "gradient:loss=squared", "directions", 0)
    assert missed["T"] is None
    assert missed["stopped"] == "the limit of rounds was reached before the goal"


def test_in_groups_a_student_sees_fewer_examples_than_the_teacher_shows() -> None:
    row = lesson_row("pool:magnitude=best", "gradient:loss=squared", "mixed", 0)
    assert row["S"] < row["T"]


@pytest.mark.parametrize(
    ("teacher", "learner", "task", "reason"),
    [
        ("strict", "gradient", "ball", "compares the items of a pool, but Ball cannot be listed"),
        ("mean", "gradient", "directions", "takes no pool and would make up examples"),
        ("planned", "gradient", "facts", "what AccuracyGoal minimises"),
        ("random", "gradient:loss=logistic", "ball", "answers of this task are numbers"),
        (
            "random",
            "gradient:loss=squared",
            "classes",
            "This task has 3 classes, but the loss Squared has 1 output",
        ),
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
    by_name = {one.teacher: one for one in summarised(results)}
    assert by_name["fast"].rank == 2.0
    assert by_name["fast"].fails == 0.5
    assert (by_name["fast"].worst, by_name["fast"].worst_at) == (4.0, ("l2", "t"))
    assert by_name["slow"].worst == 4.0
    assert by_name["odd"].columns == 1


def test_lessons_are_stored_and_not_taught_again(tmp_path: Path) -> None:
    chosen = Chosen.of(["static", "random"], ["squared"], ["directions"], seeds=2)
    with ThreadPoolExecutor(1) as executor:
        first, lessons = measured(chosen, CellStore(tmp_path), executor)
        stored = (tmp_path / "cells.jsonl").read_bytes()
        again, _ = measured(chosen, CellStore(tmp_path), executor)
    assert again == first
    assert (tmp_path / "cells.jsonl").read_bytes() == stored
    assert len(lessons) == 4
    assert {result.teacher for result in first} == {"static", "random"}


def test_the_assumed_learners_have_their_names_in_the_report() -> None:
    assumed = Chosen.of(["static", "STRICT", "minimax batch", "random"]).assumed
    assert assumed == {
        "static": {"squared", "logistic"},
        "STRICT": {"hypotheses"},
        "minimax batch": {"ridge"},
        "random": set(),
    }


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"tasks": ["dogs"]}, "no task called 'dogs': choose from ball"),
        ({"teachers": ["beste"]}, "no teacher called 'beste'"),
        ({"learners": ["ridg"]}, "no learner called 'ridg': did you mean 'ridge'"),
        ({"seeds": 0}, "--seeds must be from 1 to 1000, but is 0"),
        ({"only": "no-such-package"}, "No installed package called 'no-such-package'"),
    ],
)
def test_names_that_do_not_exist_are_one_sentence(asked: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match=why):
        Chosen.of(**asked)  # type: ignore[arg-type]
