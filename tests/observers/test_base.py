"""What happened in a round."""

import numpy as np

from homeroom import Classroom, EveryoneGoal, Observation, teach
from homeroom.lessons import StoppedBecause
from homeroom.observers import AbstractExaminer, Outcome


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
