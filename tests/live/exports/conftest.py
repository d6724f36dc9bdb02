"""A small class after a lesson, and its log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from homeroom.live.activities.base import Activity
from homeroom.live.activities.insects import activity
from homeroom.live.classbook.proposals import propose
from homeroom.live.classbook.state import State
from homeroom.live.events import Answered, Event, Joined, Opened, PhaseBegan
from homeroom.live.store import Stored

NAMES = ("Ada", "=HYPERLINK(1)", "<script>alert(1)</script>")


class Log:
    """A class with its log; one event per second."""

    def __init__(self, taught: Activity) -> None:
        self.state = State.begin(taught)
        self.stored: list[Stored] = []

    def add(self, *events: Event) -> None:
        for event in events:
            self._put(event)
            while (proposed := propose(self.state)) is not None:
                self._put(proposed)

    def _put(self, event: Event) -> None:
        self.state = self.state.after(event)
        self.stored.append(Stored(event, self.state.version, 1.7e9 + self.state.version))

    def answer(self, says: Callable[[str, int], int]) -> None:
        now = self.state.now
        assert now is not None
        for student in self.state.here:
            for item in now.open_items(student):
                label = self.state.activity.labels[item]
                self.add(Answered(student, now.number, item, says(student, label)))


@pytest.fixture
def taught() -> Log:
    """Return a class of three: two always right in the lesson, one never."""
    log = Log(replace(activity(), name="Moths & butterflies"))
    log.add(Opened("5b <i>", "insects", "ABC234", goal=1e-9, pretest=3))
    log.add(*(Joined(f"s{number}", name) for number, name in enumerate(NAMES)))
    log.add(PhaseBegan("pretest"))
    log.answer(lambda _, label: -label)
    log.add(PhaseBegan("teach"))
    for _ in range(4):
        log.answer(lambda student, label: -label if student == "s2" else label)
    log.add(PhaseBegan("posttest"))
    log.answer(lambda _, label: label)
    log.add(Answered("s0", 1, "insect-001", 1))  # far too late
    log.add(PhaseBegan("done"))
    return log


Export = Callable[[State, Sequence[Stored]], str]
