"""The teacher who looks at some fresh letters each round, and shows the best of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from homeroom._checks import whole
from homeroom.classroom import Classroom, Example
from homeroom.handwriting.letter_pool import LetterPool
from homeroom.learners import AbstractLoss
from homeroom.moments import Observation
from homeroom.pools import ItemPool
from homeroom.teachers import AbstractTeacher, PoolTeacher
from homeroom.teachers.base import AbstractTutor, Choices


@dataclass(frozen=True)
class LetterTeacher(AbstractTeacher, AbstractTutor):
    """The pool teacher (appendix C), who sees other letters of the pool in each round.

    A generator never writes the same letter twice. A teacher who could always choose from the same
    letters would show the same few again and again; this one draws some of the pool by lot, as if
    they had just been written, and shows the one that helps most. If none of them helps she looks
    at the whole pool.

    Parameters
    ----------
    letters
        The pool.
    looks_at
        How many letters she looks at in a round.
    """

    letters: LetterPool
    looks_at: int = 100

    def __post_init__(self) -> None:
        whole(self.looks_at, "looks_at", at_least=1)

    def prepare(self, room: Classroom, loss: AbstractLoss) -> LetterTeacher:
        PoolTeacher(self.letters.items).prepare(room, loss)
        return self

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        chosen, rows = self._some(rng)
        example = PoolTeacher(chosen).choose(seen, rng)
        if example is None:
            return PoolTeacher(self.letters.items).choose(seen, rng)
        return replace(example, item=int(rows[example.item or 0]))

    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        chosen, rows = self._some(rng)
        found = PoolTeacher(chosen).choose_each(seen, rng)
        some = found._replace(items=np.where(found.items < 0, -1, rows[found.items]))
        none = ~np.any(some.xs, axis=1)
        if not none.any():
            return some
        every = PoolTeacher(self.letters.items).choose_each(seen, rng)
        return Choices(
            np.where(none[:, None], every.xs, some.xs),
            np.where(none, every.ys, some.ys),
            np.where(none, every.items, some.items),
        )

    def _some(self, rng: np.random.Generator) -> tuple[ItemPool, np.ndarray]:
        items = self.letters.items
        rows = np.sort(rng.permutation(len(items))[: self.looks_at])
        assert items.labels is not None
        return ItemPool(items.items[rows], items.labels[rows]), rows
