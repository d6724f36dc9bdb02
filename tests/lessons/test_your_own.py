"""Components of your own, through the same interfaces as ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    Classroom,
    Example,
    GradientLearner,
    Individuals,
    InputError,
    ItemPool,
    MeanTeacher,
    MomentumLearner,
    Observation,
    PoolTeacher,
    Record,
    StoppedBecause,
    teach,
)
from homeroom._arrays import Array, Floats, Ints
from homeroom.goals import AbstractGoal, ClassProgress
from homeroom.groups import AbstractGrouping
from homeroom.learners import AbstractLearner, AbstractLoss, Squared, Step
from homeroom.lessons import Progress
from homeroom.observers import AbstractObserver, Outcome
from homeroom.pools import AbstractPool, Candidates, Pick, SeesMoments
from homeroom.teachers import AbstractPlanner, AbstractTeacher, Choices, Task


@dataclass(frozen=True)
class OneAfterTheOther(AbstractTeacher):
    """Shows the axes in turn, starting where the class is farthest off."""

    length: float = 1.0

    def prepare(self, room: Classroom, loss: AbstractLoss) -> OneAfterTheOther:
        return self

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        axis = int(np.abs(seen.gaps).sum(axis=0).argmax())
        return seen.example(self.length * np.eye(seen.width)[axis])


@dataclass(frozen=True)
class InTurn(AbstractTeacher, AbstractPlanner):
    """Shows the axes in turn, wherever the class is; the course is the number of the next axis."""

    def prepare(self, room: Classroom, loss: AbstractLoss) -> InTurn:
        return self

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        raise NotImplementedError  # a planner follows its course instead

    def follow(
        self, course: int | None, seen: Observation, task: Task, rng: np.random.Generator
    ) -> tuple[Example | None, int]:
        axis = 0 if course is None else course
        if course is None:
            task.report(0.5, task.rounds_left)
        example = seen.example(np.eye(seen.width)[axis % seen.width])
        return (None if axis == 7 else example), axis + 1

    def describe(self, course: int) -> dict[str, Any]:
        return {"axes": course}


@dataclass(frozen=True)
class Sleepy(AbstractLearner):
    """Students who miss every example with some chance."""

    chance: float
    loss: AbstractLoss = Squared()

    @property
    def shrinks_gaps(self) -> bool:
        return False

    def step(
        self,
        states: Array,
        rates: Array,
        x: Array,
        y: Array,
        *,
        state_radius: float,
        rng: np.random.Generator,
    ) -> Step:
        awake = rates * (rng.random(rates.shape) >= self.chance)
        plain = GradientLearner(self.loss)
        return plain.step(states, awake, x, y, state_radius=state_radius, rng=rng)


@dataclass(frozen=True)
class SeesSome(AbstractObserver):
    """The teacher observes only every second student."""

    def begin(self, room: Classroom) -> None:
        return None

    def observe(self, truth: Observation, memory: Any, rng: np.random.Generator) -> Observation:
        return truth.seen_with(gaps=truth.gaps[::2], rates=truth.rates[::2])

    def remember(self, memory: Any, outcome: Outcome) -> None:
        return None


@dataclass(frozen=True)
class FastAndSlow(AbstractGrouping):
    """Two halves."""

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        return np.asarray(room.rates > np.median(room.rates), dtype=np.int64)


@dataclass(frozen=True)
class Axes(AbstractPool):
    """Only the axes, at any length; they are not listed."""

    @property
    def rescalable(self) -> bool:
        return True

    @property
    def labels(self) -> None:
        return None

    def best(self, moments: SeesMoments, g: float) -> Pick:
        helps = np.diag(moments.weigh(g))
        axis = int(helps.argmax())
        return Pick(np.eye(len(helps))[axis], g, axis, float(helps[axis]))

    def candidates(self, radius: float) -> Candidates | None:
        return None

    def draw(self, count: int, dimensions: int, rng: np.random.Generator) -> Candidates:
        axes = rng.integers(dimensions, size=count)
        return Candidates(np.eye(dimensions)[axes], axes, None)

    def fit(self, dimensions: int, radius: float) -> Axes:
        return self

    def untaught(self, dimensions: int) -> Floats:
        return np.empty((dimensions, 0))


@dataclass(frozen=True)
class MostOfThem(AbstractGoal):
    """The farthest may lag behind by a factor."""

    eps: float
    factor: float = 3.0

    def reached(self, mean_squared: float, farthest: float) -> bool:
        return mean_squared <= self.eps and farthest**2 <= self.factor * self.eps

    @property
    def alone(self) -> float:
        return self.eps


@pytest.fixture
def room() -> Classroom:
    return Classroom.sample(students=10, dimensions=3)


@pytest.mark.parametrize(
    "settings",
    [
        {"teacher": OneAfterTheOther()},
        {"teacher": OneAfterTheOther(), "groups": Individuals()},
        {"learner": Sleepy(0.3)},
        {"learner": Sleepy(0.3), "groups": Individuals()},
        {"observer": SeesSome(), "goal": AverageGoal(1.0)},
        {"groups": FastAndSlow()},
        {"teacher": PoolTeacher(Axes())},
        {"teacher": PoolTeacher(Axes(), "joint"), "groups": Individuals()},
        {"goal": MostOfThem(0.1)},
        {"goal": MostOfThem(0.1), "groups": Individuals()},
    ],
    ids=lambda settings: " ".join(type(part).__name__ for part in settings.values()),
)
def test_your_own_part_teaches_and_is_recorded(
    settings: dict[str, Any], room: Classroom, tmp_path: Path
) -> None:
    record = teach(room, **settings, max_rounds=2000)
    assert record.stopped_because is StoppedBecause.GOAL
    assert record.rounds > 0
    for kind, part in settings.items():
        if type(part).__module__ == __name__:
            assert record.settings[kind]["name"] == f"{__name__}:{type(part).__qualname__}"
    record.save(tmp_path / "lesson.npz")
    assert Record.load(tmp_path / "lesson.npz").settings == record.settings


@pytest.mark.slow
def test_a_loss_of_your_own_is_a_function(room: Classroom) -> None:
    """Huber's: a slope is all that is needed."""
    learner = GradientLearner(lambda scores, labels: np.clip(scores - labels, -0.5, 0.5))
    record = teach(room, learner=learner)
    assert record.stopped_because is StoppedBecause.GOAL
    assert record.rounds >= teach(room).rounds


def test_individuals_are_taught_from_a_user_defined_pool(room: Classroom) -> None:
    record = teach(room, teacher=PoolTeacher(Axes()), groups=Individuals())
    assert (np.count_nonzero(record.examples.xs, axis=1) == 1).all()
    one = teach(room.subset([4]), teacher=PoolTeacher(Axes()))
    np.testing.assert_allclose(record.groups[4].errors, one.errors, atol=1e-12)


def test_a_pool_that_cannot_be_listed_needs_the_squared_loss(room: Classroom) -> None:
    with pytest.raises(ValueError, match=r"Axes lists no candidates to try out.*loss is Hinge"):
        teach(room, teacher=PoolTeacher(Axes()), learner=GradientLearner("hinge"))


def test_an_observer_of_your_own_may_wrap_another(room: Classroom) -> None:
    """All gaps are observed at half their length. Their directions stay the same."""

    @dataclass(frozen=True)
    class Glasses(SeesSome):
        def observe(self, truth: Observation, memory: Any, rng: np.random.Generator) -> Observation:
            return replace(truth, gaps=0.5 * truth.gaps, ready=None)

    np.testing.assert_allclose(
        teach(room, observer=Glasses()).errors, teach(room).errors, rtol=1e-9
    )


def test_a_planner_gets_its_course_back_for_each_group() -> None:
    room = Classroom.sample(students=12, dimensions=3)
    said: list[Progress] = []
    record = teach(
        room,
        teacher=InTurn(),
        groups="by-rate",
        goal=AverageGoal(1e-9),
        max_rounds=20,
        progress=said.append,
    )
    for group in record.groups:
        np.testing.assert_array_equal(group.examples.xs, np.eye(3)[[0, 1, 2, 0, 1, 2, 0]])
        assert group.stopped_because is StoppedBecause.STUCK
    assert record.plans == ({"axes": 8},) * len(record.groups)
    assert [now.planned for now in said] == [20] * len(record.groups)
    assert [now.group for now in said] == list(range(len(record.groups)))


def test_a_planner_of_version_0_1_describes_its_course_as_before() -> None:
    """There, ``describe`` was called ``told``; without either, a planner is incomplete."""

    def told(self: Any, course: int) -> dict[str, Any]:
        return {"axes of old": course}

    members = {name: vars(InTurn)[name] for name in ("prepare", "choose", "follow")}
    bases = (AbstractTeacher, AbstractPlanner)
    with pytest.raises(TypeError, match=r"abstract method '?describe"):
        type("Incomplete", bases, members)()
    old = type("Old", bases, members | {"told": told})()
    room = Classroom.sample(students=12, dimensions=3)
    record = teach(room, teacher=old, goal=AverageGoal(1e-9), max_rounds=20)
    assert record.plans == ({"axes of old": 8},)


# --- mistakes: one sentence each ------------------------------------------------------------------


@dataclass(frozen=True)
class Plain(AbstractLearner):
    """The gradient learner, written again."""

    loss: AbstractLoss = Squared()
    shrinks_gaps: bool = False

    def step(self, states: Any, rates: Any, x: Any, y: Any, **more: Any) -> Step:
        return GradientLearner(self.loss).step(states, rates, x, y, **more)


@dataclass(frozen=True)
class ByStates(AbstractGoal):
    """A goal on the states, which does not declare that it needs them."""

    def reached(self, progress: ClassProgress) -> bool:
        assert progress.states is not None
        return bool(np.abs(progress.states() - progress.target).max() < 0.1)


def changed(base: type, **members: Any) -> Any:
    """Return an object of a class that differs in some members."""
    return type("Mine", (base,), members)()


def choosing(choose: Callable[[Any], Any]) -> Any:
    return changed(OneAfterTheOther, choose=lambda self, seen, rng: choose(seen))


def stepping(step: Callable[..., Any]) -> Any:
    return changed(Plain, step=lambda self, states, rates, *args, **more: step(states, rates))


def memoryless(
    self: Any, states: Any, rates: Any, x: Any, y: Any, *, state_radius: float, rng: Any
) -> Step:
    return Step(states, rates)


def forgetting(self: Any, states: Any, rates: Any, *args: Any, **more: Any) -> Step:
    return Step(states, rates)


FIRST = Example(np.array([1.0, 0.0, 0.0]), 0.0)
MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "array": (
        {"teacher": choosing(lambda seen: np.ones(3))},
        r"Mine\.choose must return an Example or None, but returned an array of shape \(3,\): seen",
    ),
    "width": (
        {"teacher": choosing(lambda seen: seen.example(np.ones(4)))},
        r"An example for this class has 3 numbers, .*, but x is an array of shape \(4,\)",
    ),
    "list": (
        {"teacher": choosing(lambda seen: seen.example([1.0, 0.0, 0.0]))},
        r"An example for this class has 3 numbers, .*, but x is list \[1\.0, 0\.0, 0\.0\]",
    ),
    "length": (
        {"teacher": choosing(lambda seen: Example(np.ones(2), 1.0))},
        r"Mine\.choose must return an example with 3 numbers, .* but x is an array of shape \(2,\)",
    ),
    "nan": (
        {"teacher": choosing(lambda seen: seen.example(np.array([np.nan, 0.0, 0.0])))},
        r"Mine\.choose must return finite numbers, but x is \[nan  0\.  0\.\].*: return None where",
    ),
    "label": (
        {"teacher": choosing(lambda seen: Example(np.ones(3) / 3, np.inf))},
        r"Mine\.choose must return finite numbers, but .* and y is inf",
    ),
    "too long": (
        {"teacher": choosing(lambda seen: seen.example(np.array([3.0, 0.0, 0.0])))},
        r"no longer than the class's example_radius, 2, but its length is 3",
    ),
    "course": (
        {"teacher": changed(InTurn, follow=lambda self, course, seen, task, rng: FIRST)},
        r"Mine\.follow must return an example and the course after it, but returned Example",
    ),
    "planned": (
        {"teacher": changed(InTurn, follow=lambda self, course, seen, task, rng: (FIRST.x, 0))},
        r"Mine\.follow must return an Example or None, but returned an array",
    ),
    "choices": (
        {
            "teacher": changed(MeanTeacher, choose_each=lambda self, seen, rng: seen.gaps),
            "groups": Individuals(),
        },
        r"Mine\.choose_each must return Choices\(xs, ys, items\), but returned an array of shape",
    ),
    "long choices": (
        {
            "teacher": changed(
                MeanTeacher,
                choose_each=lambda self, seen, rng: Choices(
                    9.0 + 0.0 * seen.gaps, seen.rates, np.arange(10)
                ),
            ),
            "groups": Individuals(),
        },
        r"Mine\.choose_each must return examples no longer than .* 2, but one has length 15\.58",
    ),
    "no step": (
        {"learner": stepping(lambda states, rates: states)},
        r"Mine\.step must return Step\(states, rates\), but returned an array of shape \(10, 3\)",
    ),
    "short step": (
        {"learner": stepping(lambda states, rates: Step(states[:4], rates))},
        r"Mine\.step must return `states` of shape \(10, 3\), but returned an array of shape \(4",
    ),
    "rates": (
        {"learner": stepping(lambda states, rates: Step(states, 0.1))},
        r"Mine\.step must return `rates` of shape \(10,\), but returned float 0\.1",
    ),
    "memory": (
        {"learner": changed(MomentumLearner, step=forgetting)},
        r"Mine\.begin returns a memory, but step returns None: return the memory after the step",
    ),
    "no argument for it": (
        {"learner": changed(Plain, begin=lambda self, room: 0, step=memoryless)},
        r"Mine\.begin returns a memory, but step does not take it: add the argument `memory` to "
        r"Mine\.step",
    ),
    "loss": (
        {"learner": changed(Plain, loss=None, __init__=lambda self: None)},
        r"Mine must have an attribute `loss`, such as Squared\(\), but has none",
    ),
    "observation": (
        {"observer": changed(SeesSome, observe=lambda self, truth, memory, rng: truth.gaps)},
        r"Mine\.observe must return an Observation, such as truth\.seen_with\(gaps=\.\.\.\), but",
    ),
    "needs, a method": (
        {"teacher": changed(OneAfterTheOther, needs=lambda self: frozenset({"moments"}))},
        r"Mine\.needs must be a property, but is a method: write @property in the line above",
    ),
    "needs, a word": (
        {"teacher": changed(OneAfterTheOther, needs=frozenset({"state"}))},
        r"Mine\.needs must have only the words 'moments', 'shown', 'states', but has 'state'",
    ),
    "provides, a text": (
        {"observer": changed(SeesSome, provides="moments")},
        r"Mine\.provides must be a set of words, such as frozenset\(\{'answers'\}\), but is 'mom",
    ),
    "shrinks_gaps, a method": (
        {"learner": changed(MomentumLearner, shrinks_gaps=lambda self: False)},
        r"Mine\.shrinks_gaps must be a property, but is a method",
    ),
    "states": (
        {"goal": ByStates()},
        r"ByStates uses the states of single students without declaring it: let its `needs`",
    ),
    "states of a sketch": (
        {"goal": ByStates(), "engine": "sketch"},
        r"ByStates uses the states of single students without declaring it: let its `needs`",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_an_author_is_one_sentence(mistake: str, room: Classroom) -> None:
    settings, sentence = MISTAKES[mistake]
    with pytest.raises(InputError, match=sentence):
        teach(room, **settings)


def test_an_observer_with_a_memory_teaches_individuals_as_each_alone(room: Classroom) -> None:
    """By default nothing is promised of an observer, so that individuals are not taught at once."""

    @dataclass(frozen=True)
    class Shown(SeesSome):
        def begin(self, room: Classroom) -> Any:
            return 0.0

        def observe(self, truth: Observation, memory: Any, rng: np.random.Generator) -> Observation:
            return truth.seen_with(rates=truth.rates * (1.0 + memory))

        def remember(self, memory: Any, outcome: Outcome) -> Any:
            assert outcome.example is not None
            return memory + float(outcome.example.x @ outcome.example.x)

    assert Shown().provides == frozenset()
    record = teach(room, observer=Shown(), groups=Individuals(), teacher=MeanTeacher())
    for student in (0, 7):
        one = teach(room.subset([student]), observer=Shown(), teacher=MeanTeacher())
        np.testing.assert_allclose(record.groups[student].errors, one.errors, atol=1e-12)


def test_individuals_in_step_pass_on_a_memory_from_looking(room: Classroom) -> None:
    @dataclass(frozen=True)
    class Looks(SeesSome):
        provides = frozenset({"states"})

        def begin(self, room: Classroom) -> Any:
            return 0

        def observe(self, truth: Observation, memory: Any, rng: np.random.Generator) -> Observation:
            return truth.seen_with(rates=truth.rates * (1 + memory), memory=memory + 1)

        def remember(self, memory: Any, outcome: Outcome) -> Any:
            return memory

    record = teach(room, observer=Looks(), groups=Individuals(), teacher=MeanTeacher())
    one = teach(room.subset([3]), observer=Looks(), teacher=MeanTeacher())
    np.testing.assert_allclose(record.groups[3].errors, one.errors, atol=1e-12)


@pytest.mark.parametrize("repeat_after", [None, 2])
def test_individuals_are_taught_by_a_pool_without_repetition(
    repeat_after: int | None, room: Classroom
) -> None:
    items = np.random.default_rng(1).standard_normal((9, 3))
    teacher = PoolTeacher(ItemPool(items / 2), repeat_after=repeat_after)
    record = teach(room, teacher=teacher, groups=Individuals(), max_rounds=20)
    one = teach(room.subset([3]), teacher=teacher, max_rounds=20)
    np.testing.assert_array_equal(record.groups[3].examples.items, one.examples.items)
    shown = one.examples.items.tolist()
    assert all(item not in shown[max(0, i - 2) : i] for i, item in enumerate(shown))
