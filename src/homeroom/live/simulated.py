"""Simulated students, who join, answer and learn.

They use the same calls as real students; the server does not see their states.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.live.activities.space import Space
from homeroom.live.hub import OpenPage, Seat
from homeroom.live.refused import Refused
from homeroom.live.registry import ClassRegistry

NAMES = (
    "Ada", "Ben", "Chloé", "Davi", "Emre", "Fatou", "Goran", "Hana", "Ines", "Jonas", "Kemal",
    "Lena", "Mina", "Noor", "Olga", "Paulo", "Quinn", "Rosa", "Sami", "Tuva", "Umar", "Vera",
    "Wen", "Xenia", "Yusuf", "Zoë",
)  # fmt: skip

THINKING = (0.6, 2.5)
"""The shortest and the longest time, in seconds, before a student answers."""

AGAIN = 1.0
"""Seconds before an answer that could not be stored is sent again."""


@dataclass(eq=False)
class Mind:
    """The state of one student, who learns by gradient steps ``w - rate (<w, x> - <w*, x>) x``.

    ``x`` is the item and ``w*`` the target.

    Parameters
    ----------
    space
        The items and the target.
    state
        The student's state ``w``, shape ``(dimensions,)``.
    rate
        The learning rate.
    rng
        The random generator.
    """

    space: Space
    state: Floats
    rate: float
    rng: np.random.Generator

    @classmethod
    def some(cls, space: Space, rng: np.random.Generator) -> Mind:
        """Return a student with a random state around the target and a random learning rate."""
        state = space.target + rng.normal(0.0, 0.6, space.dimensions)
        return cls(space, state, float(rng.uniform(0.15, 0.6)), rng)

    def answers(self, item: str) -> int:
        """Return 1 (yes) with probability ``Phi(<w, x> / sigma)``, else -1.

        ``Phi`` is the normal distribution function.
        """
        x = self.space.rows[self.space.row_of[item]]
        return 1 if self.rng.random() < ndtr(self.state @ x / self.space.sigma) else -1

    def learns(self, item: str) -> None:
        """Learn from an example."""
        x = self.space.rows[self.space.row_of[item]]
        self.state = self.state - self.rate * (x @ (self.state - self.space.target)) * x


async def attend(
    registry: ClassRegistry,
    class_id: str,
    name: str,
    seed: int,
    thinking: tuple[float, float] = THINKING,
) -> None:
    """Attend a class as a student until it is over: look, think, answer, learn.

    Parameters
    ----------
    registry
        The classes of this server.
    class_id
        The class.
    name
        The student's name.
    seed
        The seed of the student's state, rate and answers.
    thinking
        The shortest and the longest time before the student answers, in seconds.
    """
    live = await registry.find(class_id)
    space = live.state.activity.space
    if space is None:
        raise InputError("Simulated students need an activity with a map, such as the insects.")
    rng = np.random.default_rng(seed)
    mind = Mind.some(space, rng)
    seat, _ = await registry.join(class_id, name)
    listener = registry.hub.add(OpenPage(*seat))
    try:
        while await listener.wait() and seat.student in live.state.people:
            view = json.loads(await live.view(seat.student))
            if view["item"] is not None and not view["paused"]:
                await asyncio.sleep(rng.uniform(*thinking))
                await _answer(registry, seat, mind, view)
    finally:
        registry.hub.remove(listener)


async def _answer(registry: ClassRegistry, seat: Seat, mind: Mind, view: dict[str, object]) -> None:
    """Answer the item of a view, and learn from it."""
    shown = view["item"]
    assert isinstance(shown, dict)
    assert isinstance(view["round"], int)
    item = (await registry.find(seat.class_id)).state.codes.item_of.get(shown["id"])
    if item is None:  # the next lesson has begun
        return
    answer = mind.answers(item)
    while True:
        try:
            await registry.answer(seat, view["round"], item, answer)
            break
        except Refused:  # the class has continued, or is paused
            return
        except registry.store.errors:  # as a page does: send it again
            await asyncio.sleep(AGAIN)
    if view["phase"] == "teach":
        mind.learns(item)


async def _attend_if_admitted(registry: ClassRegistry, class_id: str, name: str, seed: int) -> None:
    """Attend a class, unless the name is taken or the class is locked."""
    with suppress(Refused):
        await attend(registry, class_id, name, seed)


async def crowd(registry: ClassRegistry, class_id: str, count: int) -> None:
    """Let ``count`` simulated students join, one after the other, and attend the class."""
    async with asyncio.TaskGroup() as students:  # all leave if the server stops while they join
        for number in range(count):
            turn, place = divmod(number, len(NAMES))
            name = NAMES[place] + (f" {turn + 1}" if turn else "")
            students.create_task(_attend_if_admitted(registry, class_id, name, number))
            await asyncio.sleep(0.15)
