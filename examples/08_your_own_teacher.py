"""Your own teacher: a class with one method, or the loop of ask() and tell() by hand."""

from dataclasses import dataclass

import numpy as np

from homeroom import Classroom, Example, Lesson, Observation, teach
from homeroom.teachers import AbstractTeacher


@dataclass(frozen=True)
class ForTheFarthest(AbstractTeacher):
    """Shows the gap of the student who is farthest away."""

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        gap = seen.gaps[(seen.gaps**2).sum(axis=1).argmax()]
        return seen.example(gap * (seen.gentle_g / (gap @ gap)) ** 0.5)


room = Classroom.sample(students=60, dimensions=6, seed=4)
print(f"for the farthest: {teach(room, teacher=ForTheFarthest()).rounds} rounds")
print(f"for the class:    {teach(room).rounds} rounds")

lesson = Lesson(room)  # the same loop by hand
while (example := lesson.ask()) is not None:
    lesson.tell()  # or tell(states=...) with the states of real students
print(f"ask and tell:     {lesson.record().rounds} rounds")
