"""The fewest examples that still reach the goal.

A polished lesson has something to spare: leave out what is missed least, polish again, and so on
until the goal is out of reach. Polishing goes on where it stopped, so each further example costs
little. Lessons along the class's own directions are where this starts; lessons in random directions
with the same lengths may end better, as a direction can then have a fraction of a step.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from homeroom._arrays import Floats
from homeroom.teachers.planning.calm import CALM, gentler, worst_transient
from homeroom.teachers.planning.draft import Draft
from homeroom.teachers.planning.polish import polish
from homeroom.teachers.planning.rehearsal import Rehearsal

EACH = 100
"""Steps of polishing after something was left out."""

CHANCES = 6
"""How often a lesson is polished for so many steps before its number of rounds is given up."""

HOPE = 2.5
"""It is given up sooner if it needs this many times what the last steps gained."""

OPTIMISM = 1.3
"""How many examples are left out for each that could be: polishing goes on."""

THOROUGH = 600
"""Steps of polishing for a lesson whose number of rounds stays."""

BUDGET = 1e11
"""Multiplications for a whole plan: five to ten seconds on one core."""

CALMING = 4
"""How often limits are drawn tighter for a lesson that throws somebody off."""

WEIGHED = 32
"""Of about how many examples those to be left out are chosen."""

SITTINGS = 4
"""In how many goes examples are left out: after each, it is asked again what is missed least."""

FORWARD = 0.4
"""What a lesson alone costs, for one with its slope."""


class Desk:
    """Where lessons are written, tried out and shortened.

    Parameters
    ----------
    rehearsal
        The class.
    longest
        No example is longer than this.
    budget
        Multiplications to spend on polishing.
    report
        Called now and then with how much of that is spent, and the rounds of the draft at hand.
    """

    def __init__(
        self,
        rehearsal: Rehearsal,
        longest: float,
        budget: float,
        report: Callable[[float, int], None],
    ) -> None:
        self.rehearsal, self.longest = rehearsal, longest
        self._budget = self._left = budget
        self._report = report

    def draft(self, xs: Floats, limits: Floats | None = None) -> Draft:
        """Return a lesson with what it leaves, worked out one example after the other.

        Where it reaches the goal, it ends.
        """
        aim, rounds, reached = self.rehearsal.aim, len(xs), False
        limits = np.full(len(xs), self.longest) if limits is None else limits
        for number, squared in enumerate(self.rehearsal.squared_along(xs)):
            score, reached = aim.score(squared), aim.reached(squared)
            if reached:
                rounds = number
                break
        return Draft(xs[:rounds], limits[:rounds], score, reached)

    def polished(self, draft: Draft, steps: int, enough: float = 0.0) -> Draft:
        """Return the lesson after some steps of polishing, as far as the budget goes."""
        cost = self.rehearsal.cost(max(1, len(draft.xs)))
        steps = min(steps, int(self._left / cost))
        if steps < 1 or not len(draft.xs):
            return draft
        found = polish(self.rehearsal, draft.xs, draft.limits, steps=steps, enough=enough)
        self._left -= found.tried * cost
        self._report(min(1.0, 1.0 - self._left / self._budget), len(draft.xs))
        return min(self.draft(found.xs, draft.limits), draft, key=lambda one: one.rank)

    def shortened(self, draft: Draft) -> Draft | None:
        """Return the shortest lesson that reaches the goal, found by leaving out; else ``None``."""
        found, failed = self.brought_home(draft), 0
        while found is not None and len(found.xs) > failed + 1 and self._left > 0.0:
            most = (len(found.xs) - failed) // 2 if failed else len(found.xs) - 1
            shorter = self.without(found, min(max(1, self._to_spare(found)), most))
            better = self.brought_home(shorter)
            if better is None:
                failed = len(shorter.xs)
            found = better or found
        return found

    def brought_home(self, draft: Draft) -> Draft | None:
        """Return the lesson polished until it reaches the goal, ``None`` if that seems hopeless."""
        limit = self.rehearsal.aim.limit
        for number in range(CHANCES):
            before = draft.score
            draft = self.calmed(self.polished(draft, EACH, limit if number else 0.0))
            if draft.reached:
                return draft
            gained, needed = math.log(before / draft.score), math.log(draft.score / limit)
            if needed > HOPE * gained:
                break
        return None

    def _to_spare(self, draft: Draft) -> int:
        """Return how many examples the lesson could do without, once it is polished again."""
        aim = self.rehearsal.aim
        start = self.rehearsal.at_start
        if not 0.0 < draft.score < aim.limit < start:
            return 1
        fall = math.log(start / draft.score) / len(draft.xs)
        return int(OPTIMISM * math.log(aim.limit / draft.score) / fall)

    def without(self, draft: Draft, number: int) -> Draft:
        """Return the lesson without some examples that are missed least."""
        kept = np.arange(len(draft.xs))
        at_once = -(-number // SITTINGS)
        while number > 0:
            some = kept[:: max(1, len(kept) // WEIGHED)]
            scores = [self.rehearsal.score(draft.xs[kept[kept != one]]) for one in some]
            self._left -= FORWARD * len(some) * self.rehearsal.cost(len(kept))
            missed_least = some[np.argsort(scores, kind="stable")[: min(at_once, number)]]
            kept = np.setdiff1d(kept, missed_least)
            number -= len(missed_least)
        return self.draft(draft.xs[kept], draft.limits[kept])

    def calmed(self, draft: Draft) -> Draft:
        """Return the lesson with nobody thrown off on the way, if that can be had."""
        if not len(self.rehearsal.aim.own):
            return draft
        for _ in range(CALMING):
            if self.is_calm(draft):
                break
            limits = gentler(self.rehearsal, draft.xs, draft.limits)
            lengths = np.linalg.norm(draft.xs, axis=1)
            shorter = draft.xs * np.minimum(1.0, limits / np.maximum(lengths, 1e-300))[:, None]
            draft = self.polished(self.draft(shorter, limits), EACH)
        return draft

    def is_calm(self, draft: Draft) -> bool:
        """Tell whether nobody is ever farther than at the start."""
        return worst_transient(self.rehearsal, draft.xs) <= CALM

    def settled(self, draft: Draft) -> Draft:
        """Return the lesson polished thoroughly and calmed, if that makes it no worse."""
        return min(self.calmed(self.polished(draft, THOROUGH)), draft, key=self.rank)

    def rank(self, draft: Draft) -> tuple[bool, bool, int, float]:
        """Return what makes a lesson better: the goal, calm, few rounds, then what it leaves."""
        missed, rounds, score = draft.rank
        return (missed, not self.is_calm(draft), rounds, score)
