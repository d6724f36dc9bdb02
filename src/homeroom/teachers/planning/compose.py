"""A whole lesson from nothing: first drafts, and the best that can be made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from homeroom._arrays import Floats
from homeroom.moments.representatives import StandIns
from homeroom.pools import Ball
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.draft import Draft
from homeroom.teachers.planning.greedy import greedy
from homeroom.teachers.planning.shorten import EACH, THOROUGH, Desk
from homeroom.teachers.planning.transients import MOST_GUARDED, AbstractWalk

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

SEQUELS = 8
"""How often a lesson along the axes that misses the goal is continued along new ones."""

LONGER = 2.0
"""How much longer a lesson along the axes may get while it misses the goal."""


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
        best = self._along_axes(at_most)
        for magnitude, longest in self._rules():
            rounds = len(best.xs) if best.reached else at_most
            best = min(best, self._step_by_step(magnitude, longest, rounds), key=_rank)
        return best

    def _rules(self) -> Iterator[tuple[str, float]]:
        """Yield the classroom teacher's rules: how lengths are chosen, and the greatest."""
        longest = self.desk.longest
        safe = min(longest, self.desk.safe)
        yield "joint", longest
        if safe < longest:
            yield "dynamic", longest
        yield from (("joint", safe), ("dynamic", safe), ("static", safe))

    def shortest(self, first: Draft) -> Draft:
        """Return the shortest lesson found, never longer than the first draft."""
        desk, axes = self.desk, self._start(len(first.xs))
        along_axes = axes.reached and len(axes.xs) <= len(first.xs)
        found = desk.shortened(axes if along_axes else first) or first
        for start in self._best_starts(len(found.xs)):
            better = self._if_promising(start, found)
            if better is not None and self._is_clearly_better(better, found):
                found = desk.shortened(better) or better
        return self._finished(found)

    def best_of_length(self, first: Draft) -> Draft:
        """Return the lesson found that comes closest, no longer than the first draft."""
        rounds = len(first.xs)
        starts = [self._start(rounds), first, *self._best_starts(rounds)]
        return min((self.desk.polished(start, THOROUGH) for start in starts), key=_rank)

    def renewed(self, known: Floats, first: Draft) -> Draft:
        """Return the shortest lesson that an older one leads to, never longer than the first draft.

        What the older one lacks is added step by step.
        """
        desk = self.desk
        draft = desk.polished(desk.draft(known, longer=True), EACH)
        if not draft.reached:
            more = self._sequel(draft, len(first.xs))
            draft = desk.draft(np.concatenate([draft.xs, more]), longer=True)
        found = desk.shortened(draft)
        return min((one for one in (found, first) if one is not None), key=_rank)

    def _sequel(self, draft: Draft, at_most: int) -> Floats:
        """Return what could follow a lesson: steps along the axes of the class as it is then."""
        desk = self.desk
        gaps = desk.rehearsal.gaps_after(draft.xs)
        axes = Axes(replace(desk.rehearsal.stand_ins, gaps=gaps), desk.longest**2)
        return axes.draft(max(1, self._rounds_along(axes, at_most)))

    def _start(self, rounds: int) -> Draft:
        """Return the lesson along the axes, in the order that suits the limits."""
        desk, axes = self.desk, self.axes
        gentle = desk.draft(axes.draft(rounds), longer=True)
        if gentle.score <= CLEARLY * axes.errors[min(rounds, len(axes.errors) - 1)]:
            return gentle
        walk = desk.limits.walk(desk.longest**2)
        other = desk.draft(axes.interleaved(rounds, walk), longer=True)
        return min(gentle, other, key=_rank)

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
        """Return the start polished thoroughly, unless it is far behind."""
        desk = self.desk
        if not start.score < PROMISING * max(best.score, desk.rehearsal.aim.limit):
            return None
        return desk.polished(start, THOROUGH - EACH)

    def _is_clearly_better(self, draft: Draft, than: Draft) -> bool:
        """Tell whether a lesson from another start is worth changing over to."""
        return replace(draft, score=CLEARLY * draft.score).rank < than.rank

    def _finished(self, found: Draft) -> Draft:
        """Return the lesson polished thoroughly, and shorter if that makes room for it."""
        desk = self.desk
        done = desk.settled(found)
        shorter = desk.shortened(desk.without(done, 1)) if len(done.xs) > 1 else None
        if shorter is None or done.rank < shorter.rank:
            return done
        return desk.settled(shorter)

    def _along_axes(self, at_most: int) -> Draft:
        """Return the shortest lesson along the axes that reaches the goal within the limit."""
        desk = self.desk
        rounds = self._rounds_along(self.axes, at_most)
        draft = self._start(rounds)
        most = min(at_most, int(LONGER * rounds) + 1)
        # A goal that looks at single students needs a few more than the mean says.
        while not draft.reached and rounds < min(most, len(self.axes.order)):
            rounds = min(most, rounds + 1 + rounds // 16)
            draft = self._start(rounds)
        # Where limits took some of the effect away, further lessons make up for it.
        for _ in range(SEQUELS):
            if draft.reached or len(draft.xs) >= at_most:
                break
            more = self._sequel(draft, at_most - len(draft.xs))
            draft = min(desk.draft(np.concatenate([draft.xs, more]), longer=True), draft, key=_rank)
        return draft

    def _rounds_along(self, axes: Axes, at_most: int) -> int:
        """Return how many steps along axes bring the mean down to what the goal allows."""
        limit, rounds = self.desk.rehearsal.aim.limit, 0
        # No goal holds while the mean is above what it allows a single student.
        while rounds < at_most and axes.errors[min(rounds, len(axes.errors) - 1)] > limit:
            rounds += 1
            axes.grow(rounds)
            if len(axes.order) < rounds:
                return len(axes.order)
        return rounds

    def _step_by_step(self, magnitude: str, longest: float, at_most: int) -> Draft:
        desk = self.desk
        walk = desk.limits.walk(longest**2)
        xs = self._greedy(desk.rehearsal.stand_ins, magnitude, longest, at_most, walk)
        return desk.draft(xs)

    def _greedy(
        self,
        stand_ins: StandIns,
        magnitude: str,
        longest: float,
        at_most: int,
        walk: AbstractWalk,
    ) -> Floats:
        if longest > self.desk.safe:
            at_most = min(at_most, MOST_GUARDED)
        aim = self.desk.rehearsal.aim
        shown = greedy(
            stand_ins, aim, Ball(), magnitude, longest=longest, at_most=at_most, walk=walk
        )
        return shown.xs


def _rank(draft: Draft) -> tuple[bool, int, float]:
    return draft.rank
