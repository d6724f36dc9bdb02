"""What was shown to whom and how far it brought them: plain arrays, for any number of groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints


class StoppedBecause(Enum):
    """Why a lesson came to its end; not converging is a result too."""

    GOAL = "the goal was reached"
    ROUNDS = "the limit of rounds was reached before the goal"
    STUCK = "no example in reach brings the class closer"
    DIVERGED = "the class moved away from the target without bound"
    OPEN = "the lesson is still going on"


CODES = tuple(StoppedBecause)
"""The reasons in the order of the numbers that stand for them in arrays."""


class Examples(NamedTuple):
    """Examples in the order they were shown, a row each.

    ``xs`` has shape ``(examples, dimensions)``; ``ys``, ``items`` (-1: made up) and ``groups`` one
    number an example.
    """

    xs: Floats
    ys: Floats
    items: Ints
    groups: Ints


class AbstractTranscript(ABC):
    """What was shown to each group, and how far it brought them."""

    rounds: Ints
    """How many examples each group was shown, shape ``(groups,)``."""

    stops: Ints
    """Why each group stopped, as a place in ``CODES``, shape ``(groups,)``."""

    @abstractmethod
    def errors(self, group: int) -> Floats:
        """Return a group's mean squared distance at the start and after each round."""

    @abstractmethod
    def farthest(self, group: int) -> Floats:
        """Return the distance of a group's farthest student at the start and after each round."""

    @abstractmethod
    def examples(self, groups: Sequence[int] | Ints) -> Examples:
        """Return what was shown to these groups, one group after the other."""

    @abstractmethod
    def errors_at(self, number: int) -> Floats:
        """Return every group's mean squared distance after that many rounds (or its last)."""

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """Return everything as named arrays, for a file."""


@dataclass(frozen=True, eq=False)
class Transcript(AbstractTranscript):
    """Every example written down, groups one after the other.

    Parameters
    ----------
    rounds, stops
        Shape ``(groups,)``.
    all_errors, all_farthest
        ``rounds + 1`` numbers a group.
    xs, ys, items
        ``rounds`` rows a group.
    """

    rounds: Ints
    stops: Ints
    all_errors: Floats
    all_farthest: Floats
    xs: Floats
    ys: Floats
    items: Ints

    def errors(self, group: int) -> Floats:
        return self.all_errors[self._span(group, 1)]

    def farthest(self, group: int) -> Floats:
        return self.all_farthest[self._span(group, 1)]

    def examples(self, groups: Sequence[int] | Ints) -> Examples:
        if len(groups) == len(self.rounds):
            owner = np.repeat(np.arange(len(self.rounds)), self.rounds)
            return Examples(self.xs, self.ys, self.items, owner)
        spans = [self._span(int(group), 0) for group in groups]
        return Examples(
            np.concatenate([self.xs[span] for span in spans]),
            np.concatenate([self.ys[span] for span in spans]),
            np.concatenate([self.items[span] for span in spans]),
            np.repeat(np.asarray(groups), self.rounds[np.asarray(groups)]),
        )

    def errors_at(self, number: int) -> Floats:
        first = np.cumsum(self.rounds + 1) - (self.rounds + 1)
        errors: Floats = self.all_errors[first + np.minimum(number, self.rounds)]
        return errors

    def arrays(self) -> dict[str, np.ndarray]:
        return {
            "rounds": self.rounds,
            "stops": self.stops,
            "all_errors": self.all_errors,
            "all_farthest": self.all_farthest,
            "xs": self.xs,
            "ys": self.ys,
            "items": self.items,
        }

    def _span(self, group: int, extra: int) -> slice:
        before = int(self.rounds[:group].sum()) + extra * group
        return slice(before, before + int(self.rounds[group]) + extra)


@dataclass(frozen=True, eq=False)
class StraightTranscript(AbstractTranscript):
    """Individual lessons in closed form, each example worked out when somebody asks for it.

    Parameters
    ----------
    rounds, stops
        Shape ``(students,)``.
    gaps
        Where each student started, ``states - target``, shape ``(students, dimensions)``.
    target
        Shape ``(dimensions,)``.
    g
        The squared magnitude of each student's examples.
    shrink
        What each example leaves of her distance.
    """

    rounds: Ints
    stops: Ints
    gaps: Floats
    target: Floats
    g: Floats
    shrink: Floats

    def errors(self, group: int) -> Floats:
        start = float(self.gaps[group] @ self.gaps[group])
        steps: Floats = start * self.shrink[group] ** (2.0 * np.arange(self.rounds[group] + 1))
        return steps

    def farthest(self, group: int) -> Floats:
        return np.sqrt(self.errors(group))

    def examples(self, groups: Sequence[int] | Ints) -> Examples:
        who = np.repeat(np.asarray(groups, dtype=np.int64), self.rounds[np.asarray(groups)])
        gaps = self.gaps[who]
        lengths = np.sqrt((gaps * gaps).sum(axis=1))
        # The sign that is fixed for eigenvectors: the largest entry is positive.
        sign = np.where(gaps.max(axis=1, initial=0.0) >= -gaps.min(axis=1, initial=0.0), 1.0, -1.0)
        xs = gaps * (sign * np.sqrt(self.g[who]) / lengths)[:, None]
        return Examples(xs, xs @ self.target, np.full(len(who), -1, dtype=np.int64), who)

    def errors_at(self, number: int) -> Floats:
        shown = np.minimum(number, self.rounds)
        errors: Floats = (self.gaps * self.gaps).sum(axis=1) * self.shrink ** (2.0 * shown)
        return errors

    def arrays(self) -> dict[str, np.ndarray]:
        return {
            "rounds": self.rounds,
            "stops": self.stops,
            "gaps": self.gaps,
            "target": self.target,
            "g": self.g,
            "shrink": self.shrink,
        }


KINDS: dict[str, type[Transcript] | type[StraightTranscript]] = {
    "written": Transcript,
    "straight": StraightTranscript,
}
