"""Classes of simulated students who learn, taught only through events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from homeroom.live.activities.base import Activity
from homeroom.live.activities.insects import activity as insects
from homeroom.live.activities.space import Space
from homeroom.live.classbook.proposals import propose
from homeroom.live.classbook.state import State
from homeroom.live.events import Answered, Event, Joined, Opened, RoundBegan


class SimulatedClass:
    """A class with its log; ``states`` holds the true states, which the class does not see."""

    def __init__(
        self, students: int, *, goal: float = 0.1, activity: Activity | None = None, seed: int = 0
    ) -> None:
        self.activity = insects() if activity is None else activity
        known = insects().space
        assert known is not None
        self.space: Space = known
        self.rng = np.random.default_rng(seed)
        self.states: dict[str, Any] = {}
        self.rates: dict[str, float] = {}
        self.log: list[Event] = []
        self.state = State.begin(self.activity)
        self.add(Opened("5b", self.activity.id, "ABC234", goal=goal))
        for number in range(students):
            self.join(f"s{number}")

    def add(self, *events: Event) -> None:
        """Add events, and let the class continue by itself."""
        for event in events:
            self.log.append(event)
            self.state = self.state.after(event)
        while (proposed := propose(self.state)) is not None:
            self.log.append(proposed)
            self.state = self.state.after(proposed)

    def join(self, student: str) -> None:
        """Add a student whose state differs from the target."""
        away = 0.8 * self.rng.standard_normal(self.space.dimensions)
        self.states[student] = self.space.target + away
        self.rates[student] = float(np.exp(self.rng.uniform(np.log(0.1), np.log(0.6))))
        self.add(Joined(student, f"Name of {student}"))

    def says(self, student: str, item: str) -> int:
        """Return the answer of a student."""
        x = self.space.rows[self.space.row_of[item]]
        noise = self.space.sigma * self.rng.standard_normal()
        return 1 if self.states[student] @ x + noise > 0 else -1

    def answer(self, students: Iterable[str] | None = None) -> None:
        """Let these students (all by default) answer their questions, and learn."""
        now = self.state.now
        assert now is not None
        for student in self.state.here if students is None else students:
            for item in now.open_items(student):
                self.add(Answered(student, now.number, item, self.says(student, item)))
                if not now.is_test:
                    self.learn(student, item)

    def learn(self, student: str, item: str) -> None:
        """Let a student learn from an example."""
        x, w = self.space.rows[self.space.row_of[item]], self.states[student]
        self.states[student] = w - self.rates[student] * ((w - self.space.target) @ x) * x

    def code(self, item: str) -> str:
        """Return the code by which students know an item."""
        return self.state.codes.code_of[item]

    def begun(self) -> RoundBegan:
        """Return the last round that began."""
        return next(event for event in reversed(self.log) if isinstance(event, RoundBegan))


@pytest.fixture
def new_class() -> Callable[..., SimulatedClass]:
    """Return the constructor of a class."""
    return SimulatedClass
