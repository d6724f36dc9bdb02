"""A teacher of your own: a class with two methods, or you yourself, by asking and telling."""

from dataclasses import dataclass

import numpy as np

from homeroom import Classroom, Example, Lesson, Observation, teach
from homeroom.learners import AbstractLoss
from homeroom.teachers import AbstractTeacher


@dataclass(frozen=True)
class ForTheFarthest(AbstractTeacher):
    """Shows what helps the student who is farthest away."""

    def prepare(self, room: Classroom, loss: AbstractLoss) -> AbstractTeacher:
        return self

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        gap = seen.gaps[(seen.gaps**2).sum(axis=1).argmax()]
        return seen.example(gap * (seen.gentle_g / (gap @ gap)) ** 0.5)


room = Classroom.sample(students=60, dimensions=6, seed=4)
print(f"for the farthest: {teach(room, teacher=ForTheFarthest()).rounds} rounds")
print(f"for everybody:    {teach(room).rounds} rounds")

lesson = Lesson(room)  # the same loop by hand: ask for an example, tell what came of it
while (example := lesson.ask()) is not None:
    lesson.tell()  # or tell(states=...), with what real students did
print(f"asked and told:   {lesson.record().rounds} rounds")
