"""A whole lesson from nothing: first drafts, and the best that can be made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from homeroom._arrays import Floats
from homeroom.moments.representatives import StandIns
from homeroom.pools import Ball
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.calm import worst_transient
from homeroom.teachers.planning.draft import Draft
from homeroom.teachers.planning.greedy import greedy
from homeroom.teachers.planning.shorten import EACH, THOROUGH, Desk

STARTS = 2
"""Starts in random directions, besides the one along the class's own."""

MORE_STARTS = 16
"""The same for small problems, where they cost next to nothing."""

SMALL = 1.5e6
"""Multiplications for a lesson up to which a problem is small."""

FINALISTS = 3
"""Of these, how many are polished thoroughly."""

PROMISING = 1.3
"""A start is given up if this many times the best is left after the first steps."""

CLEARLY = 1.01
"""A lesson from another start must leave this many times less to be preferred."""


BEARABLE = 2.0
"""Where rounds are too few for the goal, nobody is taken past this many times her first distance.

Up to there, the lesson that comes closest counts: one on which nobody ever moves away can leave
much more."""


class Composer:
    """Writes the shortest lesson for a class that it can find.

    Parameters
    ----------
    desk
        Where lessons are tried out.
    axes
        The class's own directions.
    rng
        Where random directions come from.
    """

    def __init__(self, desk: Desk, axes: Axes, rng: np.random.Generator) -> None:
        self.desk, self.axes, self.rng = desk, axes, rng

    def first_draft(self, at_most: int) -> Draft:
        """Return the shortest lesson that needs no polishing: along the axes, or step by step.

        If none reaches the goal in time, the one that comes closest to it.
        """
        drafts = [self._along_axes(at_most)]
        for magnitude in ("joint", "dynamic", "static"):
            best = min(drafts, key=_rank)
            drafts.append(self._step_by_step(magnitude, len(best.xs)))
        return min(drafts, key=_rank)

    def shortest(self, first: Draft) -> Draft:
        """Return the shortest lesson found, never longer than the first draft."""
        desk, axes = self.desk, self._start(len(first.xs))
        found = desk.shortened(axes if axes.reached else first) or first
        for start in self._best_starts(len(found.xs)):
            better = self._if_promising(start, found)
            if better is not None and self._is_clearly_better(better, found):
                found = desk.shortened(better) or better
        return self._finished(found)

    def best_of_length(self, first: Draft) -> Draft:
        """Return the lesson found that comes closest, no longer than the first draft.

        If it throws somebody far off on the way, the closest of those that do not.
        """
        desk, rounds = self.desk, len(first.xs)
        starts = [self._start(rounds), first, *self._best_starts(rounds)]
        found = [desk.polished(start, THOROUGH) for start in starts]
        closest = min(found, key=_rank)
        if worst_transient(desk.rehearsal, closest.xs) <= BEARABLE:
            return closest
        return min(*map(desk.calmed, found), first, key=desk.rank)

    def renewed(self, known: Floats, first: Draft) -> Draft:
        """Return the shortest lesson that an older one leads to, never longer than the first draft.

        What the older one lacks is added step by step.
        """
        desk = self.desk
        draft = desk.polished(desk.draft(known), EACH)
        if not draft.reached:
            draft = desk.draft(np.concatenate([draft.xs, self._sequel(draft, len(first.xs))]))
        found = desk.shortened(draft)
        return min((one for one in (found, first) if one is not None), key=_rank)

    def _sequel(self, draft: Draft, at_most: int) -> Floats:
        """Return what the classroom teacher would show after a lesson."""
        rehearsal = self.desk.rehearsal
        later = replace(rehearsal.stand_ins, gaps=rehearsal.gaps_after(draft.xs))
        return self._greedy(later, "joint", at_most)

    def _start(self, rounds: int) -> Draft:
        return self.desk.draft(self.axes.draft(rounds))

    def _best_starts(self, rounds: int) -> list[Draft]:
        """Return lessons in random directions, polished a little, the best of them first."""
        desk = self.desk
        small = desk.rehearsal.cost(rounds) < SMALL
        tried = [
            desk.polished(start, EACH)
            for start in self._random_starts(rounds, MORE_STARTS if small else STARTS)
        ]
        return sorted(tried, key=_rank)[:FINALISTS]

    def _random_starts(self, rounds: int, number: int) -> Iterator[Draft]:
        """Yield lessons in random directions, every other one with other lengths as well."""
        for place in range(number):
            xs = self.axes.scattered(rounds, self.rng)
            if place % 2:
                lengths = np.linalg.norm(xs, axis=1, keepdims=True)
                longer = np.exp(0.3 * self.rng.standard_normal((len(xs), 1)))
                xs *= np.minimum(longer, self.desk.longest / lengths)
            yield self.desk.draft(xs)

    def _if_promising(self, start: Draft, best: Draft) -> Draft | None:
        """Return the start polished thoroughly and calmed, unless it is far behind."""
        desk = self.desk
        if not start.score < PROMISING * max(best.score, desk.rehearsal.aim.limit):
            return None
        return desk.calmed(desk.polished(start, THOROUGH - EACH))

    def _is_clearly_better(self, draft: Draft, than: Draft) -> bool:
        """Tell whether a lesson from another start is worth changing over to."""
        worse = replace(draft, score=CLEARLY * draft.score)
        return self.desk.rank(worse) < self.desk.rank(than)

    def _finished(self, found: Draft) -> Draft:
        """Return the lesson polished thoroughly, and shorter if that makes room for it."""
        desk = self.desk
        done = desk.settled(found)
        shorter = desk.shortened(desk.without(done, 1)) if len(done.xs) > 1 else None
        if shorter is None or desk.rank(done) < desk.rank(shorter):
            return done
        return desk.settled(shorter)

    def _along_axes(self, at_most: int) -> Draft:
        """Return the shortest lesson along the axes that reaches the goal within the limit."""
        desk, axes = self.desk, self.axes
        limit, rounds = desk.rehearsal.aim.limit, 0
        # No goal holds while the mean is above what it asks of a single student.
        while rounds < at_most and axes.errors[min(rounds, len(axes.errors) - 1)] > limit:
            rounds += 1
            axes.grow(rounds)
            if len(axes.order) < rounds:
                break
        high = desk.draft(axes.draft(rounds))
        while not high.reached and rounds < min(at_most, len(axes.order) + 1):
            rounds = min(at_most, rounds + 1 + rounds // 16)
            high = desk.draft(axes.draft(rounds))
        return high

    def _step_by_step(self, magnitude: str, at_most: int) -> Draft:
        return self.desk.draft(self._greedy(self.desk.rehearsal.stand_ins, magnitude, at_most))

    def _greedy(self, stand_ins: StandIns, magnitude: str, at_most: int) -> Floats:
        aim, longest = self.desk.rehearsal.aim, self.desk.longest
        return greedy(stand_ins, aim, Ball(), magnitude, longest=longest, at_most=at_most).xs


def _rank(draft: Draft) -> tuple[bool, int, float]:
    return draft.rank
