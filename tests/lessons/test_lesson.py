from __future__ import annotations

import numpy as np
import pytest

from homeroom import (
    AsGiven,
    AtRandom,
    AverageGoal,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    ItemPool,
    Lesson,
    Observation,
    RandomTeacher,
    RateHistory,
    StochasticRateLearner,
    StoppedBecause,
    teach,
)
from homeroom.engines import MAY_MOVE_AWAY
from homeroom.observers import AbstractObserver, Outcome


@pytest.fixture
def room() -> Classroom:
    return Classroom.sample(students=12, dimensions=3)


def test_a_class_at_the_target_needs_no_example() -> None:
    room = Classroom([[1.0, 0.1], [1.0, -0.1]], rates=[0.1, 0.2], target=[1.0, 0.0])
    lesson = Lesson(room)
    assert lesson.ask() is None
    record = lesson.record()
    assert (record.rounds, record.workload) == (0, 0.0)
    assert record.stopped_because is StoppedBecause.GOAL
    np.testing.assert_allclose(record.errors, [0.01])
    assert record.examples.xs.shape == (0, 2)
    np.testing.assert_allclose(record.final_states, room.states)


def test_the_goal_in_the_last_round_counts(room: Classroom) -> None:
    needed = teach(room).rounds
    assert teach(room, max_rounds=needed).stopped_because is StoppedBecause.GOAL
    assert teach(room, max_rounds=needed - 1).stopped_because is StoppedBecause.ROUNDS


def test_a_lesson_in_progress_is_open(room: Classroom) -> None:
    lesson = Lesson(room)
    assert lesson.record().stopped_because is StoppedBecause.OPEN
    lesson.ask()
    lesson.tell()
    assert lesson.record().rounds == 1


@pytest.mark.slow
def test_a_class_that_diverges_is_a_result() -> None:
    """No warning about overflow; one about long examples, which are counted."""
    room = Classroom.sample(students=4, dimensions=2, rates=(5.0, 9.0))
    teacher = RandomTeacher(ItemPool([[1.0, 1.0], [-1.0, 1.0]]))
    with pytest.warns(UserWarning, match="above 2") as said:
        record = teach(room, teacher=teacher, max_rounds=5000, groups=AsGiven([0, 0, 1, 1]))
    assert len(said) == 1
    assert record.stopped_because is StoppedBecause.DIVERGED
    assert record.counts[MAY_MOVE_AWAY] == record.rounds < 5000
    lesson = Lesson(room, teacher=teacher, max_rounds=5000)
    with pytest.warns(UserWarning, match="above 2"):
        lesson.ask()
    while lesson.ask() is not None:
        lesson.tell()
    assert lesson.record().stopped_because is StoppedBecause.DIVERGED


def test_long_examples_are_counted_and_warned_about_once() -> None:
    """And the fastest student does move away, as the warning states."""
    room = Classroom([[8.0, 0.0], [0.0, 1.0], [0.3, 1.0]], [0.1, 0.1, 0.9], [0.0, 0.0])
    with pytest.warns(UserWarning, match="above 2") as said:
        record = teach(room, teacher=ClassroomTeacher("joint"), watch=[2])
    assert len(said) == 1
    lengths = (record.examples.xs**2).sum(axis=1)
    assert record.counts[MAY_MOVE_AWAY] == (0.9 * lengths > 2).sum() > 0
    assert record.watched_errors.max() > record.watched_errors[0, 0]
    safe = teach(room, teacher=ClassroomTeacher("joint", safe=True), watch=[2])
    assert MAY_MOVE_AWAY not in safe.counts
    assert safe.watched_errors.max() == safe.watched_errors[0, 0]


def test_several_groups_are_asked_side_by_side(room: Classroom) -> None:
    lesson = Lesson(room, groups=AsGiven([0] * 6 + [1] * 6), goal=EveryoneGoal(0.5))
    asked = lesson.ask()
    assert isinstance(asked, tuple)
    assert len(asked) == 2
    rounds = 0
    while (asked := lesson.ask()) is not None:
        assert isinstance(asked, tuple)
        lesson.tell()
        rounds += 1
    record = lesson.record()
    assert rounds == record.transcript.rounds.max()
    assert record.rounds == record.transcript.rounds.sum()


def test_states_from_outside_go_to_their_groups(room: Classroom) -> None:
    lesson = Lesson(room, groups=AsGiven([0, 1] * 6), goal=AverageGoal(1e-9))
    lesson.ask()
    outside = np.random.default_rng(0).standard_normal((12, 3))
    lesson.tell(states=outside.tolist())
    np.testing.assert_allclose(lesson.record().final_states, outside, atol=1e-12)


def test_the_settings_describe_the_lesson(room: Classroom) -> None:
    record = teach(room, goal=EveryoneGoal(0.3), groups=AtRandom(k=2), seed=7, max_rounds=9)
    assert record.settings["goal"] == {"name": "everyone", "eps": 0.3}
    assert record.settings["groups"] == {"name": "at-random", "k": 2}
    assert record.settings["learner"] == {"name": "gradient", "loss": {"name": "squared"}}
    assert (record.settings["seed"], record.settings["max_rounds"]) == (7, 9)
    assert record.settings["state_radius"] is None
    assert set(record.settings["versions"]) == {"homeroom", "numpy", "python"}


def test_a_generator_is_as_good_as_a_seed(room: Classroom) -> None:
    by_seed = teach(room, teacher=RandomTeacher(), seed=3, max_rounds=5)
    by_generator = teach(room, teacher=RandomTeacher(), seed=np.random.default_rng(3), max_rounds=5)
    np.testing.assert_array_equal(by_seed.examples.xs, by_generator.examples.xs)
    assert by_generator.settings["seed"] is None
    other = teach(room, teacher=RandomTeacher(), seed=4, max_rounds=5)
    assert (other.examples.xs != by_seed.examples.xs).any()


def test_notes_of_the_observer_are_counted(room: Classroom) -> None:
    """Rates that vary wildly: some estimated weights are negative, and some draws."""
    record = teach(
        room,
        learner=StochasticRateLearner(0.3),
        observer=RateHistory(0.3),
        max_rounds=30,
        seed=2,
    )
    assert record.counts["negative weights taken as zero"] > 0
    assert record.counts["negative rates drawn"] > 0


def test_a_student_with_a_negative_estimated_weight_is_still_taught() -> None:
    """For a single student only the known weight counts, and the lesson continues."""
    room = Classroom.sample(students=1, dimensions=3, rates=(0.05, 0.1))
    lessons = [
        teach(room, learner=StochasticRateLearner(0.2), observer=RateHistory(0.2), seed=seed)
        for seed in range(8)
    ]
    assert sum(record.counts.get("negative weights taken as zero", 0) for record in lessons) > 0
    assert {record.stopped_because for record in lessons} == {StoppedBecause.GOAL}


def test_given_states_may_have_another_library_and_precision(room: Classroom) -> None:
    """States from outside are converted to the library and the precision of the class."""
    torch = pytest.importorskip("torch")
    states = np.asarray(room.states) * 0.5
    for own, given in (
        (torch.asarray, states),
        (torch.asarray, states.tolist()),
        (lambda a: np.asarray(a, dtype=np.float32), torch.asarray(states)),
    ):
        parts = (own(np.array(part)) for part in (room.states, room.rates, room.target))
        lesson = Lesson(Classroom(*parts))
        lesson.ask()
        lesson.tell(states=given)
        after = lesson.record().final_states
        assert isinstance(lesson.room, Classroom)
        assert after.dtype == lesson.room.states.dtype
        np.testing.assert_allclose(np.asarray(after), states, rtol=1e-6)
        lesson.ask()
        lesson.tell()


class Recorder(AbstractObserver):
    """Observes everything, and remembers every outcome."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []

    def begin(self, room: Classroom) -> None:
        return None

    def observe(self, truth: Observation, memory: None, rng: np.random.Generator) -> Observation:
        return truth

    def remember(self, memory: None, outcome: Outcome) -> None:
        self.outcomes.append(outcome)


def test_answers_and_rates_reach_the_observer_group_by_group(room: Classroom) -> None:
    """Each group's observer receives the answers of its own students."""
    observer = Recorder()
    lesson = Lesson(room, groups=AtRandom(2), observer=observer)
    lesson.ask()
    answers = [f"answer {student}" for student in range(room.students)]
    lesson.tell(answers=answers, rates=np.arange(room.students) / 100 + 0.01)
    for group, outcome in enumerate(observer.outcomes):
        members = np.flatnonzero(lesson.group_of == group)
        assert outcome.answers == [answers[student] for student in members]
        np.testing.assert_allclose(outcome.rates, members / 100 + 0.01)
    lesson.ask()
