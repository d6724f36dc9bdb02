"""The examples and errors of a lesson as plain arrays, for any number of groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints


class StoppedBecause(Enum):
    """Why a lesson ended; not converging is a result too."""

    GOAL = "the goal was reached"
    ROUNDS = "the limit of rounds was reached before the goal"
    STUCK = "no example in reach brings the class closer"
    DIVERGED = "the class moved away from the target without bound"
    OPEN = "the lesson is still in progress"
    ROUNDING = "rounding errors have grown so large that the goal may have been missed"


CODES = tuple(StoppedBecause)
"""The reasons, in the order of their codes in arrays; new ones go to the end."""


class Examples(NamedTuple):
    """Examples in the order they were shown, one row each.

    ``xs`` has shape ``(examples, dimensions)``; ``ys``, ``items`` (-1: synthesised) and ``groups``
    have one number per example. With the squared loss and several outputs, ``ys`` has shape
    ``(examples, outputs)``.
    """

    xs: Floats
    ys: Floats
    items: Ints
    groups: Ints


class AbstractTranscript(ABC):
    """The examples and the errors of each group."""

    rounds: Ints
    """How many examples each group was shown, shape ``(groups,)``."""

    stops: Ints
    """Why each group stopped, as an index into ``CODES``, shape ``(groups,)``."""

    @abstractmethod
    def errors(self, group: int) -> Floats:
        """Return a group's mean squared distance at the start and after each round."""

    @abstractmethod
    def farthest(self, group: int) -> Floats:
        """Return the distance of a group's farthest student at the start and after each round."""

    @abstractmethod
    def examples(self, groups: Sequence[int] | Ints) -> Examples:
        """Return the examples of these groups, one group after the other."""

    @abstractmethod
    def errors_at(self, number: int) -> Floats:
        """Return every group's mean squared distance after that many rounds (or its last)."""

    @abstractmethod
    def side_by_side(self, shares: Floats) -> Floats:
        """Return the mean of the groups' errors at the start and after each round.

        ``shares`` are the groups' weights, shape ``(groups,)``. All groups are taught at the same
        time, and one that is done keeps its error. Cost: O(the sum of all rounds), not O(groups *
        rounds).
        """

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """Return everything as named arrays, for a file."""


@dataclass(frozen=True, eq=False)
class Transcript(AbstractTranscript):
    """Every example, groups one after the other.

    Parameters
    ----------
    rounds, stops
        Shape ``(groups,)``.
    all_errors, all_farthest
        ``rounds + 1`` numbers per group.
    xs, ys, items
        ``rounds`` rows per group.
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
        errors: Floats = self.all_errors[self._first + np.minimum(number, self.rounds)]
        return errors

    def side_by_side(self, shares: Floats) -> Floats:
        number = np.arange(len(self.all_errors)) - np.repeat(self._first, self.rounds + 1)
        weighed = np.repeat(shares, self.rounds + 1) * self.all_errors
        errors = np.bincount(number, weighed).astype(np.float64)
        last = weighed[self._first + self.rounds]
        errors[1:] += np.cumsum(np.bincount(self.rounds, last))[:-1]  # of the groups that are done
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
        """Return a group's rows: of the errors with ``extra`` 1, of the examples with 0."""
        first = int(self._first[group]) - (0 if extra else group)
        return slice(first, first + int(self.rounds[group]) + extra)

    @cached_property
    def _first(self) -> Ints:
        """Where the errors of each group begin."""
        return np.cumsum(self.rounds + 1) - (self.rounds + 1)


@dataclass(frozen=True, eq=False)
class StraightTranscript(AbstractTranscript):
    """Individual lessons in closed form; examples are computed on demand.

    Every group is one student. All examples of a student point along the gap at the start.

    Parameters
    ----------
    rounds, stops
        Shape ``(students,)``.
    gaps
        The gaps at the start, ``states - target``, shape ``(students, dimensions)``.
    target
        Shape ``(dimensions,)``.
    g
        The squared magnitude of each student's examples.
    shrink
        The fraction of the distance that remains after each example.
    """

    rounds: Ints
    stops: Ints
    gaps: Floats
    target: Floats
    g: Floats
    shrink: Floats

    def errors(self, group: int) -> Floats:
        number = np.arange(self.rounds[group] + 1)
        steps: Floats = self._squared[group] * self.shrink[group] ** (2.0 * number)
        return steps

    def farthest(self, group: int) -> Floats:
        return np.sqrt(self.errors(group))

    def examples(self, groups: Sequence[int] | Ints) -> Examples:
        who = np.repeat(np.asarray(groups, dtype=np.int64), self.rounds[np.asarray(groups)])
        lengths = self._signs[who] * np.sqrt(self.g[who] / self._squared[who])
        xs = lengths[:, None] * self.gaps[who]
        return Examples(xs, xs @ self.target, np.full(len(who), -1, dtype=np.int64), who)

    def errors_at(self, number: int) -> Floats:
        shown = np.minimum(number, self.rounds)
        errors: Floats = self._squared * self.shrink ** (2.0 * shown)
        return errors

    def side_by_side(self, shares: Floats) -> Floats:
        order = np.argsort(-self.rounds, kind="stable")
        rounds, shrink = self.rounds[order], self.shrink[order]
        start, last = shares * self._squared, shares * self.errors_at(int(rounds[0]))
        start, done = start[order], np.cumsum(last[order][::-1])[::-1]
        errors = np.zeros(int(rounds[0]) + 1)
        for number in range(len(errors)):
            # The first ones have at least this many rounds; the others are done.
            learning = int(np.searchsorted(-rounds, -number, side="right"))
            errors[number] = start[:learning] @ shrink[:learning] ** (2.0 * number)
            if learning < len(rounds):
                errors[number] += done[learning]
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

    @cached_property
    def _squared(self) -> Floats:
        """Each student's squared distance at the start."""
        squared: Floats = _arrays.sum_squares(self.gaps)
        return squared

    @cached_property
    def _signs(self) -> Floats:
        """The sign of each student's examples, +1 or -1, by the package's convention."""
        signs: Floats = _arrays.signs(self.gaps)
        return signs


KINDS: dict[str, type[Transcript] | type[StraightTranscript]] = {
    "written": Transcript,
    "straight": StraightTranscript,
    "axes": Transcript,
}
"""The kinds of transcripts, by their names in files."""
