from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom import (
    AsGiven,
    AtRandom,
    AverageGoal,
    ByRate,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    Example,
    GradientLearner,
    ItemPool,
    LargeClass,
    Lesson,
    Observation,
    RandomTeacher,
    RateHistory,
    StochasticRateLearner,
    StoppedBecause,
    teach,
)
from homeroom.engines import MAY_MOVE_AWAY
from homeroom.groups import AbstractGrouping
from homeroom.observers import AbstractObserver, Outcome


@pytest.fixture
def room() -> Classroom:
    return Classroom.sample(students=12, dimensions=3)


def replay(room: Classroom, xs: np.ndarray, ys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Show the examples again to the students, by the definition; return errors and states."""
    states, errors = np.array(room.states), [room.error]
    for x, y in zip(xs, ys, strict=True):
        states = states - (room.rates * (states @ x - y))[:, None] * x
        errors.append(float(((states - room.target) ** 2).sum(axis=1).mean()))
    return np.array(errors), states


@pytest.mark.parametrize("magnitude", ["static", "joint"])
@pytest.mark.parametrize("eps", [0.1, 1e-12])
def test_the_errors_are_those_of_a_replay(room: Classroom, magnitude: str, eps: float) -> None:
    """Also over hundreds of rounds and many powers of ten, where rounding could add up."""
    record = teach(room, teacher=ClassroomTeacher(magnitude), goal=AverageGoal(eps), watch=[0, 5])
    assert record.stopped_because is StoppedBecause.GOAL
    errors, states = replay(room, record.examples.xs, record.examples.ys)
    np.testing.assert_allclose(record.errors, errors, rtol=1e-4)
    np.testing.assert_allclose(record.final_states, states, atol=1e-9)
    assert record.errors[-1] == pytest.approx(errors[-1], rel=1e-4)
    last = ((states - room.target) ** 2).sum(axis=1)
    np.testing.assert_allclose(record.watched_errors[-1], last[[0, 5]], rtol=1e-4, atol=1e-30)
    assert record.transcript.farthest(0)[-1] == pytest.approx(np.sqrt(last.max()), rel=1e-4)


def test_the_lesson_does_not_change_the_class(room: Classroom) -> None:
    before = np.array(room.states), np.array(room.rates), np.array(room.target)
    teach(room)
    for array, was in zip((room.states, room.rates, room.target), before, strict=True):
        np.testing.assert_array_equal(array, was)


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


def test_no_rounds_at_all_is_a_limit_too(room: Classroom) -> None:
    record = teach(room, max_rounds=0)
    assert record.rounds == 0
    assert record.stopped_because is StoppedBecause.ROUNDS


def test_the_limit_stops_a_lesson(room: Classroom) -> None:
    record = teach(room, max_rounds=2)
    assert record.rounds == 2
    assert record.stopped_because is StoppedBecause.ROUNDS
    assert len(record.errors) == 3


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
    with pytest.warns(UserWarning, match=r"rate \* \|x\|\^2 is .* above 2") as said:
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
    with pytest.warns(UserWarning, match=r"groups=ByRate\(\), or use safe=True") as said:
        record = teach(room, teacher=ClassroomTeacher("joint"), watch=[2])
    assert len(said) == 1
    lengths = (record.examples.xs**2).sum(axis=1)
    assert record.counts[MAY_MOVE_AWAY] == (0.9 * lengths > 2).sum() > 0
    assert record.watched_errors.max() > record.watched_errors[0, 0]
    safe = teach(room, teacher=ClassroomTeacher("joint", safe=True), watch=[2])
    assert MAY_MOVE_AWAY not in safe.counts
    assert safe.watched_errors.max() == safe.watched_errors[0, 0]


def test_groups_by_rate_never_have_long_examples() -> None:
    room = Classroom.sample(rates=(0.05, 0.9))
    record = teach(room, teacher=ClassroomTeacher("dynamic"), groups=ByRate())
    assert MAY_MOVE_AWAY not in record.counts


def test_watched_students_are_kept_from_the_start(room: Classroom) -> None:
    record = teach(room, watch=[3, 1])
    assert record.watched.tolist() == [3, 1]
    assert record.watched_errors.shape == (record.rounds + 1, 2)
    np.testing.assert_allclose(record.watched_errors[0], room.squared_distances[[3, 1]])


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


def test_telling_without_asking_is_refused(room: Classroom) -> None:
    lesson = Lesson(room)
    with pytest.raises(ValueError, match=r"No example is waiting .* call ask\(\) first"):
        lesson.tell()
    with pytest.raises(ValueError, match=r"No example is waiting .* call ask\(\) first"):
        lesson.parts[0].tell()
    lesson.ask()
    lesson.tell()
    with pytest.raises(ValueError, match="No example is waiting"):
        lesson.tell()


@pytest.mark.parametrize(
    ("states", "reason"),
    [
        (np.zeros((11, 3)), r"`states` must have shape \(12, 3\), one row for each student, but"),
        (np.zeros((12, 2)), r"`states` must have shape \(12, 3\).*has shape \(12, 2\)"),
        (np.zeros(12), r"`states` must have shape \(students, dimensions\)"),
        (np.full((12, 3), np.nan), r"`states` must be finite"),
    ],
)
@pytest.mark.parametrize("groups", ["whole", "at-random:k=2"])
def test_states_that_do_not_fit_are_refused_and_nothing_happens(
    room: Classroom, states: np.ndarray, reason: str, groups: str
) -> None:
    lesson = Lesson(room, groups=groups)
    lesson.ask()
    with pytest.raises(ValueError, match=reason):
        lesson.tell(states=states)
    assert lesson.record().rounds == 0
    lesson.tell()


def test_states_outside_the_ball_are_refused() -> None:
    room = Classroom.sample(students=3, dimensions=2, state_radius=2.0)
    lesson = Lesson(room)
    lesson.ask()
    with pytest.raises(ValueError, match=r"`states` must lie within state_radius=2.0"):
        lesson.tell(states=np.full((3, 2), 5.0))


def test_bad_settings_are_refused(room: Classroom) -> None:
    with pytest.raises(ValueError, match="`max_rounds` must be at least 0, but is -1"):
        Lesson(room, max_rounds=-1)
    with pytest.raises(ValueError, match=r"`engine` must be one of auto, .*but is 'quantum'"):
        Lesson(room, engine="quantum")
    with pytest.raises(ValueError, match=r"`watch` must name students 0 to 11, but names \[12\]"):
        Lesson(room, watch=[12])
    with pytest.raises(ValueError, match="`watch` must be at least 0, but is -1"):
        Lesson(room, watch=[-1])
    with pytest.raises(TypeError, match=r"`watch` must be a whole number, but is 1\.5"):
        Lesson(room, watch=[1.5])  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"`watch` needs a single group; look at record\.groups"):
        Lesson(room, watch=[1], groups=AtRandom(k=2))


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


def test_a_projection_keeps_all_students_in_the_ball() -> None:
    room = Classroom.sample(
        students=20, dimensions=3, rates=(0.1, 0.9), state_radius=1.2, spread=2.0
    )
    states = np.array(room.states)
    record = teach(room, teacher=ClassroomTeacher("static"), max_rounds=30)
    for x, y in zip(record.examples.xs, record.examples.ys, strict=True):
        states = states - (room.rates * (states @ x - y))[:, None] * x
        lengths = np.linalg.norm(states, axis=1, keepdims=True)
        states = states * np.minimum(1.0, 1.2 / lengths)
    np.testing.assert_allclose(record.final_states, states, atol=1e-9)


def test_an_example_is_what_is_asked_for(room: Classroom) -> None:
    example = Lesson(room, learner=GradientLearner("squared")).ask()
    assert isinstance(example, Example)
    assert example.item is None
    assert example.y == pytest.approx(float(room.target @ example.x))


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (
            {"teacher": "clasroom"},
            "There is no teacher called 'clasroom': did you mean 'classroom'",
        ),
        ({"teacher": ClassroomTeacher}, "`teacher` must be a teacher or a text such as"),
        ({"goal": 0.1}, "`goal` must be a goal or a text such as 'accuracy', but is 0.1"),
        ({"groups": 3}, "`groups` must be a grouping or a text such as"),
        ({"observer": None}, "`observer` must be an observer or a text such as"),
        ({"learner": "logistic"}, "There is no learner called 'logistic'"),
    ],
)
def test_invalid_parts_of_a_lesson_are_refused(
    room: Classroom, wrong: dict[str, Any], reason: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=reason):
        Lesson(room, **wrong)


def test_a_lesson_needs_a_class() -> None:
    with pytest.raises(TypeError, match=r"`room` must be a Classroom, but is ndarray"):
        Lesson(np.eye(3))  # type: ignore[arg-type]  # what a user might try


def test_parts_may_be_given_by_their_short_text(room: Classroom) -> None:
    by_text = teach(room, teacher="classroom:magnitude=joint", groups="at-random:k=2", seed=3)
    by_thing = teach(room, teacher=ClassroomTeacher("joint"), groups=AtRandom(2), seed=3)
    assert by_text.settings == by_thing.settings
    np.testing.assert_array_equal(by_text.examples.xs, by_thing.examples.xs)


class OwnSplit(AbstractGrouping):
    def __init__(self, split: Any) -> None:
        self.found = np.asarray(split)

    def split(self, room: Classroom, rng: np.random.Generator) -> Any:
        return self.found


@pytest.mark.parametrize(
    ("split", "reason"),
    [
        ([0, 0, 0, 0, 4], r"must number its groups 0, 1, ... and leave none empty, .* \[0, 4\]"),
        ([0, -1, 0, 0, 1], "must number its groups 0, 1, ..."),
        ([0, 1], r"a whole number for each of the 5 students, but returned shape \(2,\)"),
        ([0.0, 1.0, 0.0, 1.0, 0.0], "a whole number for each of the 5 students.*of float64"),
    ],
)
def test_a_split_that_is_not_a_partition_is_refused(split: list[float], reason: str) -> None:
    room = Classroom.sample(students=5, dimensions=2)
    with pytest.raises(ValueError, match=reason):
        Lesson(room, groups=OwnSplit(split))


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
    with pytest.raises(ValueError, match="`answers` must have one entry for each of the 12"):
        lesson.tell(answers=["yes"])


def test_nodes_must_be_odd(room: Classroom) -> None:
    with pytest.raises(ValueError, match="`nodes` must be odd, but is 34"):
        Lesson(room, engine="sketch", nodes=34)


def large(room: Classroom) -> LargeClass:
    return LargeClass.open((room.states, room.rates), target=room.target)


def test_a_class_that_is_read_piece_by_piece_accepts_no_results(room: Classroom) -> None:
    lesson = Lesson(large(room))
    lesson.ask()
    with pytest.raises(ValueError, match="learns by simulation: tell\\(\\) takes nothing"):
        lesson.tell(states=room.states)
    lesson.tell()
    assert lesson.record().group_of.shape == (room.students,)


def test_a_class_that_is_read_piece_by_piece_is_taught_as_a_whole(room: Classroom) -> None:
    with pytest.raises(ValueError, match="is read piece by piece is taught as a whole"):
        Lesson(large(room), groups="by-rate")
    with pytest.raises(ValueError, match="`watch` needs a class in memory"):
        Lesson(large(room), watch=[0])
    with pytest.raises(
        ValueError, match="The exact engine needs the class in memory, but this one"
    ):
        Lesson(large(room), engine="exact")


def test_a_class_that_is_read_piece_by_piece_stays_away_from_the_edge(room: Classroom) -> None:
    small = LargeClass.open((room.states, room.rates), target=room.target, state_radius=1.5)
    with pytest.raises(ValueError, match="cannot continue after round 0: students may come to the"):
        Lesson(small).ask()
