"""Fixtures for the group search: the rounds of groups, and brute force."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

from homeroom import Classroom, Lesson, teach
from homeroom.advice.group_rounds import GroupRounds, parts_of
from homeroom.advice.pareto import ParetoSet

Pairs: TypeAlias = list[tuple[int, int]]
MakeGroupRounds: TypeAlias = Callable[..., GroupRounds]


@pytest.fixture
def group_rounds_for() -> MakeGroupRounds:
    """Return a function that makes the group rounds of a class."""

    def made(room: Classroom, by: str = "rate", cells: int = 24, **settings: Any) -> GroupRounds:
        parts = parts_of(room, by, cells, np.random.default_rng(0))
        return GroupRounds(room, Lesson(room, **settings), parts)

    return made


class Brute:
    """The cost of groupings, each group taught as a lesson."""

    def __init__(self, room: Classroom, **settings: Any) -> None:
        self.room, self.settings = room, settings
        self.known: dict[tuple[int, ...], int] = {}

    def rounds(self, members: tuple[int, ...]) -> int:
        """Return the rounds of one group."""
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
        """Return the undominated pairs."""
        best: Pairs = []
        for rounds, work in sorted(pairs):
            if not best or work < best[-1][1]:
                best.append((rounds, work))
        return best

    @staticmethod
    def pairs_of(ways: ParetoSet) -> Pairs:
        """Return rounds and work of each split."""
        return list(zip(ways.rounds.tolist(), ways.work.tolist(), strict=True))


@pytest.fixture
def brute() -> type[Brute]:
    """Return the class that teaches every group as a lesson."""
    return Brute
