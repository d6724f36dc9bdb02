"""Which students press one button instead of reading, and which may be guessing honestly.

Two explanations of a student's answers are compared. A student who presses one button presses it
with a constant chance, whatever the item. An honest student answers as a student of this class who
is somewhat better or worse than the others; or as the other students did; or at random, because
they know nothing yet. None of the honest ones prefers a button, so that "thinks everything is a
butterfly" does not explain a student who always presses the first one.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, expit, logit, logsumexp

from homeroom._arrays import Floats, Ints
from homeroom.people.laws import Bools, ClassAnswers

ODDS = 50.0
"""A student is reported if pressing one button explains their answers this many times better."""

ANSWERS = 12
"""The number of answers before a student may be reported."""

ABILITIES = np.linspace(-3.0, 3.0, 13)
"""How much better than the class a student may be, in logits; standard normal at first."""


class Presses:
    """What the students' answers say about reading, as sums that do not grow with the lesson.

    Parameters
    ----------
    students
        Their number.
    buttons
        The largest number of answers to an item.
    """

    def __init__(self, students: int, buttons: int) -> None:
        prior = -0.5 * ABILITIES**2
        self.able: Floats = np.tile(prior - logsumexp(prior), (students, 1))
        self.alike, self.random = np.zeros(students), np.zeros(students)
        self.answers: Ints = np.zeros(students, dtype=np.int64)
        # For each button: how often it was pressed, how often another one where it was possible,
        # and the log-probability of those other ones.
        self.pressed, self.missed = np.zeros((students, buttons)), np.zeros((students, buttons))
        self.others = np.zeros((students, buttons))

    def hear(self, answers: ClassAnswers, options: int, chances: Floats) -> None:
        """Hear the answers to an item that the laws expect to be right with these chances."""
        given, heard = np.where(answers.heard, answers.given, -1.0), answers.heard
        # The class without the student: the mean chance of the others.
        others = (chances.sum() - chances) / max(1, len(chances) - 1)
        likely = expit(logit(np.clip(others, 0.02, 0.98))[:, None] + ABILITIES)
        wrong = (1.0 - likely) / max(1, options - 1)
        said = np.log(np.where(answers.right[:, None], likely, wrong))
        self.able += np.where(heard[:, None], said, 0.0)
        total = np.log(options + heard.sum() - 1.0)
        for button in range(self.pressed.shape[1]):
            hit = given == button
            self.alike += np.where(hit, np.log(np.maximum(hit.sum(), 1.0)) - total, 0.0)
            self.pressed[:, button] += hit
            there = button < options
            self.missed[:, button] += heard & ~hit & there
            rest = -np.log(max(1, options - 1)) if there else -np.log(options)
            self.others[:, button] += np.where(heard & ~hit, rest, 0.0)
        self.random -= np.where(heard, np.log(options), 0.0)
        self.answers += heard

    def add_student(self) -> None:
        """Add a student who has not answered yet."""
        new = Presses(1, self.pressed.shape[1])
        for name, values in vars(self).items():
            setattr(self, name, np.concatenate([values, getattr(new, name)]))

    def keep_students(self, rows: Ints) -> None:
        """Keep some of the students, in this order."""
        for name, values in vars(self).items():
            setattr(self, name, values[rows])

    def find_pressers(self) -> Bools:
        """Return the students whose answers look unrelated to the questions."""
        buttons = betaln(1.0 + self.pressed, 1.0 + self.missed) + self.others
        pressing = logsumexp(buttons, axis=1) - np.log(buttons.shape[1])
        honest = np.stack([logsumexp(self.able, axis=1), self.alike, self.random])
        odds = pressing - (logsumexp(honest, axis=0) - np.log(len(honest)))
        return np.asarray((odds >= np.log(ODDS)) & (self.answers >= ANSWERS))

    def find_readers(self) -> Bools:
        """Return the students whose answers show that they read, as often as random ones do not."""
        reads = np.logaddexp(logsumexp(self.able, axis=1), self.alike) - np.log(2.0)
        return np.asarray(reads - self.random >= np.log(ODDS))
