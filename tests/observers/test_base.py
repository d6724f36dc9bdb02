"""What happened in a round."""

import numpy as np
import pytest

from homeroom import Classroom, EveryoneGoal, Observation, teach
from homeroom.lessons import StoppedBecause
from homeroom.observers import AbstractExaminer, AbstractObserver, Outcome


def test_an_outcome_needs_only_the_rates() -> None:
    outcome = Outcome(np.ones(3))
    assert outcome.example is None
    assert outcome.answers is None
    with pytest.raises(AttributeError, match="cannot assign"):
        outcome.answers = 1  # type: ignore[misc]


def test_an_observer_must_implement_begin_observe_and_remember() -> None:
    class Blind(AbstractObserver):
        pass

    with pytest.raises(TypeError, match=r"abstract methods '?begin'?, '?observe'?, '?remember'?"):
        Blind()  # type: ignore[abstract]


class TheirWord(AbstractExaminer):
    """Believes a class that says it is done after two rounds."""

    def begin(self, room: Classroom) -> int:
        return 0

    def observe(self, truth: Observation, memory: int, rng: np.random.Generator) -> Observation:
        return truth

    def remember(self, memory: int, outcome: Outcome) -> int:
        return memory + 1

    def judged(self, memory: int) -> tuple[float, float] | None:
        return None if memory == 1 else (2.0 - memory, 5.0)


def test_a_lesson_is_over_when_the_examiner_estimates_the_goal_reached() -> None:
    """Without an estimate, the distances of the students are used."""
    room = Classroom.sample(5, 2)
    record = teach(room, observer=TheirWord())
    assert record.stopped_because is StoppedBecause.GOAL
    np.testing.assert_allclose(record.errors, [2.0, teach(room).errors[1], 0.0])
    assert teach(room, observer=TheirWord(), goal=EveryoneGoal(4.0), max_rounds=3).rounds == 1


def test_an_examiner_must_judge() -> None:
    class Silent(AbstractExaminer):
        pass

    with pytest.raises(TypeError, match=r"abstract methods .*judged"):
        Silent()  # type: ignore[abstract]
