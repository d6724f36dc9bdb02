"""Bad input to observers: the error names the argument."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom import (
    Classroom,
    GradientLearner,
    Lesson,
    MasteryGoal,
    NoisyMoments,
    NoisyStates,
    QuizObserver,
    RateHistory,
    teach,
)
from homeroom.observers.quizzing.log import answer_matrix, read, sheets_to_matrix
from tests.bad_input import refuse

HUGE = 10**400
FEATURES = np.random.default_rng(0).standard_normal((20, 3))
ROOM, OUTPUTS = Classroom.sample(4, 3), Classroom.sample(4, 3, outputs=5)
EASY = [0.5, -0.5, 0.0, 1.0]
BAD = (-0.1, math.nan, math.inf)

NUMBERS: list[tuple[str, Callable[[], object]]] = [
    *(("`delta`", lambda bad=bad: NoisyStates(bad)) for bad in BAD),
    *(("`delta`", lambda bad=bad: NoisyMoments(bad)) for bad in BAD),
    *(("`sigma`", lambda bad=bad: RateHistory(bad)) for bad in BAD),
    ("`law`", lambda: NoisyStates(0.5, law="cube")),
    ("`weights`", lambda: RateHistory(0.1, weights="guess")),
    ("`of`", lambda: MasteryGoal(of="all")),
    ("`share`", lambda: MasteryGoal(1.5)),
    ("`sure`", lambda: MasteryGoal(sure=0.0)),
    ("squared loss", lambda: teach(ROOM, observer="quiz", learner=GradientLearner("logistic"))),
    ("teach()", lambda: teach(ROOM, observer=QuizObserver(live=True))),
    ("`students`", lambda: QuizObserver(keys=[1, 2, 3], live=True).begin_with(None, 0)),
    ("`level`", lambda: quiz().begin(ROOM).chances([0], level=90)),
    ("numbered", lambda: quiz().begin(ROOM).chances([200])),
    ("`student`", lambda: quiz().begin(ROOM).outline(4)),
    ("`student`", lambda: quiz().begin(ROOM).outline(-1)),
    ("`axes`", lambda: quiz().begin(ROOM).outline(0, axes=(0, 3))),
    ("`level`", lambda: quiz().begin(ROOM).outline(0, level=0.0)),
]

SETTINGS: list[tuple[str, Classroom, dict[str, Any]]] = [
    ("`items`", ROOM, {"items": np.eye(2)}),
    ("`answers`", ROOM, {"answers": -1}),
    ("`pretest`", ROOM, {"pretest": 1.5}),
    ("`sigma`", ROOM, {"sigma": 0.0}),
    ("`lapse`", ROOM, {"lapse": -0.1}),
    ("less than 1", ROOM, {"lapse": 0.5, "guess": 0.3, "slip": 0.2}),
    ("`attention`", ROOM, {"attention": 1.5}),
    ("`drift`", ROOM, {"drift": -1.0}),
    ("`radius`", ROOM, {"radius": 0.0}),
    ("`revise_every`", ROOM, {"revise_every": -5}),
    ("`random_every`", ROOM, {"random_every": 0.5}),
    ("`live`", ROOM, {"live": 1}),
    ("`item_memory`", ROOM, {"item_memory": -0.1}),
    ("`usual_rates`", ROOM, {"usual_rates": (0.2,)}),
    ("`usual_rates`", ROOM, {"usual_rates": (0.2, 0.0)}),
    ("0.6", ROOM, {"usual_rates": (0.5, 0.6)}),
    ("several", ROOM, {"keys": [1, 2, 3]}),
    ("`keys`", OUTPUTS, {"keys": [1, 2], "items": np.eye(3)[:2]}),
    ("`marked`", OUTPUTS, {"marked": True}),
    ("item_memory", OUTPUTS, {"item_memory": np.inf}),
    ("`easy`", ROOM, {"easy": [1.0]}),
    ("`easy`", ROOM, {"easy": [np.nan] * 20}),
    ("`easy`", ROOM, {"easy": EASY, "items": None}),
    ("`skills`", ROOM, {"skills": [-1] * 20}),
    ("`skills`", ROOM, {"skills": [0.5] * 20}),
    ("`skills`", ROOM, {"skills": [9999] * 20}),
    ("`skills`", ROOM, {"practice": (0.1, 0.0)}),
    ("`practice`", ROOM, {"practice": (0.1,), "skills": [0] * 20}),
]

SHOWN = {"shown": [1.0, 0.0, 0.0], "label": 1.0}
LOGS: list[tuple[str, Any]] = [
    ("`log`", 7),
    ("`log`", {"asked": [1]}),
    *(("`log`", [bad]) for bad in (5, "asked", {}, {"asked": [1]}, {"shown": [0.0, 1.0, 2.0]})),
    ("`log`", [{"shown": [1, 2], "label": 0}]),
    *(("number", [SHOWN | {"shown": bad}]) for bad in ([1, "x", 0], [1, np.nan, 0], [1, HUGE, 0])),
    *(("number", [SHOWN | {"label": bad}]) for bad in ("x", np.inf, HUGE, None)),
    ("label", [SHOWN | {"label": [0, 1]}]),
    ("label", [{"shown": [[1, 2, 3]] * 4, "label": 0.5}]),
    ("label", [{"shown": [[1, 2, 3]] * 4, "label": [0.5]}]),
    ("numbered", [SHOWN | {"item": 20}]),
    ("number", [SHOWN | {"item": [1, 2]}]),
    ("number", [SHOWN | {"item": 0.5}]),
    *(("`log`", [SHOWN | {"at": bad}]) for bad in (HUGE, "noon", math.nan)),
]

ANSWERS: list[tuple[str, Callable[[], object]]] = [
    *(
        ("nswer", lambda bad=bad: answer_matrix(bad, np.array([7]), 2))
        for bad in ([["yes"], ["no"]], [[1], [1, 1]], [[1], [HUGE]], [[1], [2]])
    ),
    ("3", lambda: answer_matrix([[1], [1]], np.array([7]), 3)),
    ("given", lambda: sheets_to_matrix([{1: 3}], 5)),
    ("among", lambda: sheets_to_matrix([{1: "yes"}], 5)),
    ("among", lambda: sheets_to_matrix([{1: HUGE}], 5)),
    ("numbered", lambda: sheets_to_matrix([{9: 1}], 5)),
    (
        "numbered",
        lambda: read([{"asked": [9], "answers": [[1]]}], students=1, items=4, dimensions=2),
    ),
]


def quiz(**settings: Any) -> QuizObserver:
    return QuizObserver(**({"items": FEATURES} | settings))


@pytest.mark.parametrize(("named", "call"), NUMBERS + ANSWERS, ids=range(len(NUMBERS + ANSWERS)))
def test_bad_input_is_named(named: str, call: Callable[[], object]) -> None:
    refuse(call, named)


@pytest.mark.parametrize(("named", "room", "settings"), SETTINGS, ids=range(len(SETTINGS)))
def test_a_bad_setting_of_a_quiz_is_named(
    named: str, room: Classroom, settings: dict[str, Any]
) -> None:
    usual: dict[str, Any] = {} if room is OUTPUTS or "keys" in settings else {"items": FEATURES}
    refuse(lambda: QuizObserver(**(usual | settings)).begin(room), named)


@pytest.mark.parametrize(("named", "log"), LOGS, ids=range(len(LOGS)))
def test_a_bad_log_is_named(named: str, log: Any) -> None:
    refuse(lambda: quiz(live=True, log=log).begin(ROOM), named)


def test_answers_to_a_simulation_are_refused() -> None:
    lesson = Lesson(ROOM, observer=QuizObserver())
    lesson.ask()
    refuse(lambda: lesson.tell(answers=np.ones((4, 2))), "live=True")
