"""Simulated students: they join, answer from what they have in mind, and learn.

They use the same calls as everybody else. What they have in mind is known to nobody but them.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.live.activities.space import Space
from homeroom.live.hub import Listener
from homeroom.live.presence import Seat
from homeroom.live.refused import Refused
from homeroom.live.school import School

NAMES = (
    "Ada", "Ben", "Chloé", "Davi", "Emre", "Fatou", "Goran", "Hana", "Ines", "Jonas", "Kemal",
    "Lena", "Mina", "Noor", "Olga", "Paulo", "Quinn", "Rosa", "Sami", "Tuva", "Umar", "Vera",
    "Wen", "Xenia", "Yusuf", "Zoë",
)  # fmt: skip

THINKING = (0.6, 2.5)
"""The shortest and the longest time, in seconds, that somebody thinks about an item."""


@dataclass(eq=False)
class Mind:
    """What one student knows, and how she learns: ``w - rate (<w, x> - <w*, x>) x``.

    Parameters
    ----------
    space
        Where the items lie.
    state
        What she has in mind, shape ``(dimensions,)``.
    rate
        How fast she learns.
    rng
        Where chance comes from.
    """

    space: Space
    state: Floats
    rate: float
    rng: np.random.Generator

    @classmethod
    def some(cls, space: Space, rng: np.random.Generator) -> Mind:
        """Return somebody: she knows something else than the target, and learns at her pace."""
        state = space.target + rng.normal(0.0, 0.6, space.dimensions)
        return cls(space, state, float(rng.uniform(0.15, 0.6)), rng)

    def answers(self, item: str) -> int:
        """Return 1 or -1: yes with probability ``Phi(<w, x> / sigma)``."""
        x = self.space.rows[self.space.number[item]]
        return 1 if self.rng.random() < ndtr(self.state @ x / self.space.sigma) else -1

    def learns(self, item: str) -> None:
        """Take in an example."""
        x = self.space.rows[self.space.number[item]]
        self.state = self.state - self.rate * (x @ (self.state - self.space.target)) * x


async def attend(
    school: School, class_id: str, name: str, seed: int, thinking: tuple[float, float] = THINKING
) -> None:
    """Be a student of a class until it is over: look, think, answer, learn.

    Parameters
    ----------
    school
        The school.
    class_id
        The class.
    name
        What she is called.
    seed
        Who she is.
    thinking
        The shortest and the longest time that she thinks about an item.
    """
    live = await school.find(class_id)
    space = live.book.state.activity.space
    if space is None:
        raise InputError("Simulated students need an activity with a map, such as the insects.")
    rng = np.random.default_rng(seed)
    mind = Mind.some(space, rng)
    seat, _ = await school.join(class_id, name)
    listener = school.hub.add(Listener(*seat))
    try:
        while await listener.wait() and seat.student in live.book.state.people:
            view = json.loads(await live.view(seat.student))
            if view["item"] is not None and not view["paused"]:
                await asyncio.sleep(rng.uniform(*thinking))
                await _answer(school, seat, mind, view)
    finally:
        school.hub.remove(listener)


async def _answer(school: School, seat: Seat, mind: Mind, view: dict[str, object]) -> None:
    item = view["item"]
    assert isinstance(item, dict)
    assert isinstance(view["round"], int)
    try:
        await school.answer(seat, view["round"], item["id"], mind.answers(item["id"]))
    except Refused:  # the class went on, or is paused
        return
    if view["phase"] == "teach":
        mind.learns(item["id"])


async def crowd(school: School, class_id: str, count: int) -> None:
    """Let a whole class come in one after the other, and attend."""
    tasks = []
    for number in range(count):
        turn, place = divmod(number, len(NAMES))
        name = NAMES[place] + (f" {turn + 1}" if turn else "")
        tasks.append(asyncio.create_task(attend(school, class_id, name, number)))
        await asyncio.sleep(0.15)
    await asyncio.gather(*tasks)
