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
from homeroom.teachers.planning.draft import Draft
from homeroom.teachers.planning.polish import polish
from homeroom.teachers.planning.rehearsal import Excess, Rehearsal
from homeroom.teachers.planning.transients import LONG, AbstractLimits, Watched

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

MOST_WATCHED = 2.0
"""Rows that are watched at most, as a multiple of the rows of the class."""

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
    limits
        How far students may be on the way.
    at_most
        How many rounds there may be.
    budget
        Multiplications to spend on polishing.
    report
        Called now and then with how much of that is spent, and the rounds of the draft at hand.
    """

    def __init__(
        self,
        rehearsal: Rehearsal,
        longest: float,
        limits: AbstractLimits,
        *,
        at_most: int,
        budget: float,
        report: Callable[[float, int], None],
    ) -> None:
        self.rehearsal, self.longest, self.limits = rehearsal, longest, limits
        self._at_most = at_most
        self.safe = min(longest, math.sqrt(limits.safe_g))
        """Up to this length no example moves a student away."""
        self.watched = Watched.none(rehearsal.stand_ins.gaps.shape[1])
        self._budget = self._left = budget
        self._report = report

    def draft(self, xs: Floats, *, longer: bool = False) -> Draft:
        """Return a lesson within its limits, worked out one example after the other.

        It ends where it reaches the goal, and may get longer to keep the limits if that is
        allowed. Rows for whose sake it was changed are watched from now on.
        """
        walk = self.limits.walk(self.longest**2)
        if np.vecdot(xs, xs).max(initial=0.0) * walk.reach > LONG:
            xs, found = walk.keep(xs, longer=longer)
            self._watch(found)
        xs = xs[: self._at_most]
        aim, rounds, reached = self.rehearsal.aim, len(xs), False
        for number, squared in enumerate(self.rehearsal.squared_along(xs)):
            score, reached = aim.score(squared), aim.reached(squared)
            if reached:
                rounds = number
                break
        return Draft(xs[:rounds], score, reached)

    def _watch(self, found: Watched) -> None:
        if len(found.rates):
            both = self.watched | found
            if len(both.rates) <= MOST_WATCHED * self.rehearsal.rows:
                self.watched = both

    def polished(self, draft: Draft, steps: int, enough: float = 0.0) -> Draft:
        """Return the lesson after some steps of polishing, as far as the budget goes."""
        rounds = max(1, len(draft.xs))
        cost = self.rehearsal.cost(rounds) + Excess(self.watched).cost(rounds)
        steps = min(steps, int(self._left / cost))
        if steps < 1 or not len(draft.xs):
            return draft
        found = polish(
            self.rehearsal,
            draft.xs,
            self.longest,
            steps=steps,
            enough=enough,
            watched=self.watched,
        )
        self._left -= found.tried * cost
        self._report(min(1.0, 1.0 - self._left / self._budget), len(draft.xs))
        return min(self.draft(found.xs), draft, key=lambda one: one.rank)

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
            draft = self.polished(draft, EACH, limit if number else 0.0)
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
        return self.draft(draft.xs[kept])

    def settled(self, draft: Draft) -> Draft:
        """Return the lesson polished thoroughly."""
        return self.polished(draft, THOROUGH)
