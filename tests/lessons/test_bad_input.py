"""Bad input to lessons: the error names the setting, or the component and what it lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AtRandom,
    AttentionLearner,
    Classroom,
    ClassroomTeacher,
    ExactObserver,
    Example,
    GradientLearner,
    LargeClass,
    Lesson,
    NoisyMoments,
    PlannedTeacher,
    PoolTeacher,
    QuizObserver,
    certify,
    teach,
)
from homeroom.goals import AbstractGoal, ClassProgress, MasteryGoal
from homeroom.groups import AbstractGrouping
from homeroom.learners import Step
from homeroom.lessons import save_students
from homeroom.observers import NOISELESS, AbstractExaminer
from homeroom.pools import ItemPool
from homeroom.teachers import AbstractTeacher
from tests.bad_input import refuse

ROOM = Classroom.sample(students=12, dimensions=3)
LARGE = LargeClass.open((ROOM.states, ROOM.rates), target=ROOM.target)
SMALL = LargeClass.open((ROOM.states, ROOM.rates), target=ROOM.target, state_radius=1.5)
IN_A_BALL = Classroom.sample(students=3, dimensions=2, state_radius=2.0)
LABELLED = PoolTeacher(ItemPool(np.eye(3), labels=[1.0, -1.0, 1.0]))


class OtherGoal(AbstractGoal):
    """A goal on two distances, which is no power mean."""

    def reached(self, progress: ClassProgress) -> bool:
        return progress.mean_squared <= 0.1 and progress.farthest <= 1.0


class Most(OtherGoal):
    """It declares that it needs the states of the students."""

    needs_students = True


class Teacher(AbstractTeacher):
    """It declares nothing."""

    def choose(self, seen: Any, rng: np.random.Generator) -> Any:
        return seen.example(np.eye(seen.width)[0])


class Learner(GradientLearner):
    """It declares no noise."""

    noise = None


class Observer(ExactObserver):
    """It declares nothing."""

    needs_students = True
    error_bounds = None  # type: ignore[assignment]


class Estimating(AbstractExaminer):
    """Estimates the progress by two numbers, and what students know not at all."""

    needs_students = False
    error_bounds = NOISELESS

    def begin(self, room: Classroom) -> None:
        return None

    def observe(self, truth: Any, memory: None, rng: np.random.Generator) -> Any:
        return truth

    def remember(self, memory: None, outcome: Any) -> None:
        return None

    def judged(self, memory: None) -> Any:
        return 1.0, 1.0


class Split(AbstractGrouping):
    """No groups."""

    def split(self, room: Classroom, rng: np.random.Generator) -> Any:
        raise NotImplementedError


def mine(base: type, method: str, change: Callable[..., Any]) -> Any:
    """Return a component of a class ``Mine`` with another method."""
    return type("Mine", (base,), {method: lambda self, *given: change(*given)})()


SETTINGS: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (("max_rounds", "-1"), {"max_rounds": -1}),
    (("engine", "quantum", "sketch"), {"engine": "quantum"}),
    (("watch", "12", "11"), {"watch": [12]}),
    (("watch", "-1"), {"watch": [-1]}),
    (("watch", "1.5"), {"watch": [1.5]}),
    (("watch", "groups"), {"watch": [1], "groups": AtRandom(k=2)}),
    (("clasroom", "'classroom'"), {"teacher": "clasroom"}),
    (("`teacher`",), {"teacher": ClassroomTeacher}),
    (("`goal`", "0.1"), {"goal": 0.1}),
    (("`groups`",), {"groups": 3}),
    (("`observer`",), {"observer": None}),
    (("learner", "logistic"), {"learner": "logistic"}),
    (("groups", "[0, 4]"), {"groups": mine(Split, "split", lambda *_: np.arange(12) // 6 * 4)}),
    (("groups", "-1"), {"groups": mine(Split, "split", lambda *_: np.arange(12) // 6 - 1)}),
    (("12 students", "(2,)"), {"groups": mine(Split, "split", lambda *_: np.arange(2))}),
    (("whole", "float64"), {"groups": mine(Split, "split", lambda *_: np.zeros(12))}),
    (("Learner", "`noise`"), {"learner": Learner(), "engine": "sketch"}),
    (("Observer", "`needs_students`"), {"observer": Observer(), "engine": "sketch"}),
    (("Teacher", "`needs_students`"), {"teacher": Teacher(), "engine": "sketch"}),
    (("PoolTeacher", "`needs_students`"), {"teacher": LABELLED, "engine": "sketch"}),
    (("Most", "`needs_students`"), {"goal": Most(), "engine": "sketch"}),
    (("MasteryGoal", "observer"), {"goal": MasteryGoal()}),
    (("MasteryGoal", "observer"), {"goal": MasteryGoal(), "observer": Estimating()}),
    (("OtherGoal", "`DistanceGoal`"), {"teacher": PlannedTeacher(), "goal": OtherGoal()}),
    (
        ("Absolute", "`is_quadratic`"),
        {"teacher": PlannedTeacher(), "learner": GradientLearner("absolute")},
    ),
    (("`noise`",), {"teacher": PlannedTeacher(), "observer": NoisyMoments(0.1)}),
    (("QuizObserver", "`is_live`"), {"observer": QuizObserver(live=True)}),
    (("`noise`",), {"learner": AttentionLearner(0.5), "verify": True, "engine": "sketch"}),
    (("judged", "0.5"), {"observer": mine(Estimating, "judged", lambda *_: 0.5)}),
]


@pytest.mark.parametrize(("named", "settings"), SETTINGS, ids=range(len(SETTINGS)))
def test_bad_settings_are_named(named: tuple[str, ...], settings: dict[str, Any]) -> None:
    refuse(lambda: teach(ROOM, **settings), *named)


SEEN: list[tuple[str, Callable[[Any], Any]]] = [
    ("Observation", lambda seen: seen.gaps),
    ("`gaps`", lambda seen: seen.seen_with(gaps=np.nan * seen.gaps)),
    ("`rates`", lambda seen: seen.seen_with(gaps=seen.gaps[1:])),
    ("rate", lambda seen: seen.seen_with(rates=0.0 * seen.rates)),
    ("`noise`", lambda seen: seen.seen_with(noise=np.ones(3))),
    ("symmetric", lambda seen: seen.seen_with(noise=np.triu(np.ones((3, 3))))),
]
CHOSEN: list[tuple[str, Callable[[Any], Any]]] = [
    ("Example", lambda seen: np.ones(3)),
    ("(4,)", lambda seen: seen.example(np.ones(4))),
    ("list", lambda seen: seen.example([1.0, 0.0, 0.0])),
    ("3 finite", lambda seen: Example(np.ones(2), 1.0)),
    ("nan", lambda seen: seen.example(np.array([np.nan, 0.0, 0.0]))),
    ("inf", lambda seen: Example(np.ones(3) / 3, np.inf)),
    ("example_radius", lambda seen: seen.example(np.array([3.0, 0.0, 0.0]))),
]
STEPS: list[tuple[str, Callable[..., Any]]] = [
    ("Step(states, rates, memory)", lambda states, rates, *_: states),
    ("`states`", lambda states, rates, *_: Step(states[:4], rates)),
    ("`rates`", lambda states, rates, *_: Step(states, 0.1)),
]


@pytest.mark.parametrize("groups", ["whole", "individuals"])
@pytest.mark.parametrize(("named", "seen"), SEEN, ids=range(len(SEEN)))
def test_an_observation_that_is_none_of_the_class_is_named(
    named: str, seen: Callable[[Any], Any], groups: str
) -> None:
    observer = mine(Observer, "observe", lambda truth, *_: seen(truth))
    refuse(lambda: teach(ROOM, observer=observer, groups=groups), "Mine.observe", named)


@pytest.mark.parametrize(("named", "chosen"), CHOSEN, ids=range(len(CHOSEN)))
def test_an_example_that_does_not_fit_the_class_is_named(
    named: str, chosen: Callable[[Any], Any]
) -> None:
    teacher = mine(Teacher, "choose", lambda seen, _: chosen(seen))
    refuse(lambda: teach(ROOM, teacher=teacher), named)


@pytest.mark.parametrize(("named", "step"), STEPS, ids=range(len(STEPS)))
def test_a_step_that_does_not_fit_the_class_is_named(named: str, step: Callable[..., Any]) -> None:
    refuse(lambda: teach(ROOM, learner=mine(Learner, "step", step)), "Mine.step", named)


@pytest.mark.parametrize(
    ("named", "settings"),
    [
        ("`is_quadratic`", {"learner": GradientLearner("absolute")}),
        ("`DistanceGoal`", {"goal": OtherGoal()}),
        ("`rule`", {"teacher": LABELLED}),
        ("`rule`", {"teacher": Teacher()}),
        ("`noise`", {"learner": Learner()}),
        ("`error_bounds`", {"observer": Observer()}),
        ("`judged`", {"observer": Estimating(), "groups": "individuals"}),
    ],
)
def test_a_certificate_names_the_capability_that_is_missing(
    named: str, settings: dict[str, Any]
) -> None:
    certificate = certify(ROOM, **settings)
    assert certificate.rounds is None
    assert named in certificate.why


@pytest.mark.parametrize("groups", ["whole", "at-random:k=2"])
def test_states_that_do_not_fit_are_refused_and_nothing_happens(groups: str) -> None:
    lesson = Lesson(ROOM, groups=groups)
    refuse(lesson.tell, "ask()")
    lesson.ask()
    for states, named in (
        (np.zeros((11, 3)), "(12, 3)"),
        (np.zeros((12, 2)), "(12, 2)"),
        (np.zeros(12), "(students, dimensions)"),
        (np.full((12, 3), np.nan), "finite"),
    ):
        refuse(lambda states=states: lesson.tell(states=states), "`states`", named)  # type: ignore[misc]  # a default binds it
    refuse(lambda: lesson.tell(answers=["yes"]), "`answers`", "12")
    assert lesson.record().rounds == 0
    lesson.tell()
    refuse(lesson.tell, "ask()")


def test_states_outside_the_ball_are_refused() -> None:
    lesson = Lesson(IN_A_BALL)
    lesson.ask()
    refuse(lambda: lesson.tell(states=np.full((3, 2), 5.0)), "`states`", "state_radius")


def test_what_a_class_that_is_read_piece_by_piece_cannot_do_is_named(tmp_path: Any) -> None:
    refuse(lambda: Lesson(LARGE, groups="by-rate"), "piece by piece")
    refuse(lambda: Lesson(ROOM, engine="sketch", nodes=34), "nodes", "odd", "34")
    refuse(lambda: Lesson(LARGE, watch=[0]), "`watch`")
    refuse(lambda: Lesson(LARGE, engine="exact"), "exact", "memory")
    refuse(lambda: Lesson(SMALL).ask(), "round 0")
    refuse(lambda: Lesson(np.eye(3)), "`room`", "ndarray")  # type: ignore[arg-type]  # the mistake
    lesson = Lesson(LARGE)
    lesson.ask()
    refuse(lambda: lesson.tell(states=ROOM.states), "tell()")
    lesson.tell()
    assert lesson.record().group_of.shape == (12,)
    random = teach(ROOM, learner="langevin:beta=1e6", engine="sketch", max_rounds=5)
    refuse(lambda: save_students(ROOM, random, tmp_path / "students.csv"), "at random")
    refuse(lambda: save_students(ROOM, teach(ROOM), tmp_path / "students.txt"), ".parquet")
    assert not list(tmp_path.iterdir())
