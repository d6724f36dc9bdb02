"""What the tests of the search for groups share: foresight, and trying everything instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

from homeroom import Classroom, Lesson, teach
from homeroom.advice.foresight import Foresight
from homeroom.advice.parts import parts_of
from homeroom.advice.ways import Ways

Pairs: TypeAlias = list[tuple[int, int]]
Foresee: TypeAlias = Callable[..., Foresight]


@pytest.fixture
def foresee() -> Foresee:
    """Return what foresees the groups of a class, cut into cells."""

    def made(room: Classroom, by: str = "rate", cells: int = 24, **settings: Any) -> Foresight:
        parts = parts_of(room, by, cells, np.random.default_rng(0))
        return Foresight(room, Lesson(room, **settings), parts)

    return made


class Brute:
    """What groupings cost, each group taught in earnest."""

    def __init__(self, room: Classroom, **settings: Any) -> None:
        self.room, self.settings = room, settings
        self.known: dict[tuple[int, ...], int] = {}

    def rounds(self, members: tuple[int, ...]) -> int:
        """Return what one group needs."""
        if members not in self.known:
            record = teach(self.room.subset(np.array(members)), **self.settings)
            self.known[members] = record.rounds
        return self.known[members]

    def pair(self, groups: list[tuple[int, ...]]) -> tuple[int, int]:
        """Return rounds and work of a grouping."""
        return (
            sum(self.rounds(group) for group in groups),
            sum(len(group) * self.rounds(group) for group in groups),
        )

    @staticmethod
    def undominated(pairs: set[tuple[int, int]]) -> Pairs:
        """Return the pairs that no other beats."""
        best: Pairs = []
        for rounds, work in sorted(pairs):
            if not best or work < best[-1][1]:
                best.append((rounds, work))
        return best

    @staticmethod
    def pairs_of(ways: Ways) -> Pairs:
        """Return rounds and work of each way."""
        return list(zip(ways.rounds.tolist(), ways.work.tolist(), strict=True))


@pytest.fixture
def brute() -> type[Brute]:
    """Return what teaches every group in earnest."""
    return Brute
