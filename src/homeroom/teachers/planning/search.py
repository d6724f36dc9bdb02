"""Search for the shortest lesson that reaches the goal: draft, polish, leave out examples, repeat.

To polish a lesson is to optimise all its examples together. After polishing, a lesson's error is
below the goal. So the examples that matter least are left out, the others are polished again, and
so on until the goal is out of reach. Polishing continues where it stopped, so leaving out one more
example costs little. The search starts from lessons along the principal directions of the class.
Lessons in random directions with the same lengths may end better, as a direction can then have a
fraction of a step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from homeroom._arrays import Floats
from homeroom.pools import Ball
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.greedy import greedy
from homeroom.teachers.planning.simulation import Excess, Simulation, polish
from homeroom.teachers.planning.transients import (
    LONG,
    MOST_GUARDED,
    AbstractLimits,
    Watched,
)

FEW_STEPS = 100
"""Steps of polishing after examples were left out."""

MOST_POLISHES = 6
"""How often a lesson is polished before its number of rounds is given up."""

MOST_MISSING = 2.5
"""It is given up sooner if it is farther from the goal than this multiple of its last gain.

Both are measured as logarithms of the score.
"""

OPTIMISM = 1.3
"""The factor by which more examples are left out than the score allows.

Polishing the others makes up for some.
"""

MANY_STEPS = 600
"""Steps of polishing for a lesson whose number of rounds is final."""

BUDGET = 1e11
"""Multiplications for a whole plan, which take five to ten seconds on one core."""

MOST_WATCHED = 2.0
"""The most rows that are watched, as a multiple of the rows of the class.

Rows are students or representatives. Polishing keeps the watched ones within their limits.
"""

COMPARED = 32
"""About how many examples are compared to choose those to leave out."""

REMOVALS = 4
"""Examples are left out in this many steps; after each, the others are compared again."""

FORWARD_COST = 0.4
"""The cost of simulating a lesson without its gradient, relative to the cost with it."""

STARTS = 2
"""How many random starts are tried, besides the one along the principal directions."""

MORE_STARTS = 16
"""How many random starts are tried for small problems, where they cost almost nothing."""

SMALL = 1.5e6
"""A problem is small if one lesson takes fewer multiplications than this."""

FINALISTS = 3
"""The number of random starts that are polished thoroughly."""

PROMISING = 1.3
"""A start is given up if its error after the first steps is this many times the best error."""

CLEARLY = 1.01
"""A lesson from another start must be better by this factor to be preferred."""

MOST_CONTINUATIONS = 8
"""How often a lesson along the axes that misses the goal is continued along new axes."""

INTERLEAVING_BUDGET = 0.3 * BUDGET
"""If it costs no more multiplications, steps are also tried in the order that suits the limits."""

MOST_LENGTHENING = 2.0
"""By which factor a lesson along the axes may get longer while it misses the goal."""


@dataclass(frozen=True, eq=False)
class PlanDraft:
    """A lesson that may become the plan.

    Parameters
    ----------
    xs
        Its examples, shape ``(rounds, dimensions)``.
    score
        The error after it, as the number that the goal limits.
    reached
        Whether it reaches the goal.
    """

    xs: Floats
    score: float
    reached: bool

    @property
    def rank(self) -> tuple[bool, int, float]:
        """The sort key, best first: whether it reaches the goal, then rounds, then the score."""
        return (not self.reached, len(self.xs) if self.reached else 0, self.score)


class Drafter:
    """Makes lessons that keep the limits, polishes them, and shortens them.

    Parameters
    ----------
    simulation
        The class.
    longest
        No example is longer than this.
    limits
        How far students may be during the lesson.
    at_most
        How many rounds there may be.
    budget
        Multiplications to spend on polishing.
    report
        Called with the part of the budget that is spent, and the rounds of the current draft.
    """

    def __init__(
        self,
        simulation: Simulation,
        longest: float,
        limits: AbstractLimits,
        *,
        at_most: int,
        budget: float,
        report: Callable[[float, int], None],
    ) -> None:
        self.simulation, self.longest, self.limits = simulation, longest, limits
        self._at_most = at_most
        self.safe = min(longest, math.sqrt(limits.safe_g))
        """Up to this length no example moves a student away."""
        self.watched = Watched.none(simulation.representatives.dimensions)
        self._budget = self._left = budget
        self._report = report

    def draft(self, xs: Floats, *, longer: bool = False) -> PlanDraft:
        """Return the lesson, changed to keep the limits and cut where it reaches the goal.

        With ``longer``, keeping the limits may add rounds. Rows that forced a change are watched
        from then on.
        """
        walk = self.limits.walk(self.longest**2)
        if np.vecdot(xs, xs).max(initial=0.0) * walk.reach > LONG:
            self._left -= len(xs) * self.limits.cost
            xs, found = walk.keep(xs, longer=longer)
            self._watch(found)
        xs = xs[: self._at_most]
        objective, rounds, reached = self.simulation.objective, len(xs), False
        for number, squared in enumerate(self.simulation.squared_along(xs)):
            score, reached = objective.score(squared), objective.reached(squared)
            if reached:
                rounds = number
                break
        return PlanDraft(xs[:rounds], score, reached)

    def _watch(self, found: Watched) -> None:
        """Watch further rows, unless these would be too many."""
        if len(found.rates):
            both = self.watched | found
            if len(both.rates) <= MOST_WATCHED * self.simulation.rows:
                self.watched = both

    def polished(self, draft: PlanDraft, steps: int, enough: float = 0.0) -> PlanDraft:
        """Return the lesson after some steps of polishing, never worse than before.

        There are fewer steps if the budget is spent, or once the score is below ``enough``.
        """
        rounds = max(1, len(draft.xs))
        watched = Excess(self.watched, self.simulation.representatives.dimensions)
        cost = self.simulation.cost(rounds) + watched.cost(rounds)
        steps = min(steps, int(self._left / cost))
        if steps < 1 or not len(draft.xs):
            return draft
        found = polish(
            self.simulation,
            draft.xs,
            self.longest,
            steps=steps,
            enough=enough,
            watched=self.watched,
        )
        self._left -= found.tried * cost
        self._report(min(1.0, 1.0 - self._left / self._budget), len(draft.xs))
        return min(self.draft(found.xs), draft, key=lambda one: one.rank)

    def shortened(self, draft: PlanDraft) -> PlanDraft | None:
        """Leave out examples; return the shortest lesson found that reaches the goal, if any."""
        # `failed` is the longest lesson that missed the goal: the search continues above it.
        found, failed = self.polished_to_goal(draft), 0
        while found is not None and len(found.xs) > failed + 1 and self._left > 0.0:
            most = (len(found.xs) - failed) // 2 if failed else len(found.xs) - 1
            shorter = self.without(found, min(max(1, self._dispensable(found)), most))
            better = self.polished_to_goal(shorter)
            if better is None:
                failed = len(shorter.xs)
            found = better or found
        return found

    def polished_to_goal(self, draft: PlanDraft) -> PlanDraft | None:
        """Return the lesson polished until it reaches the goal; ``None`` if that seems hopeless."""
        limit = self.simulation.objective.limit
        for number in range(MOST_POLISHES):
            before = draft.score
            draft = self.polished(draft, FEW_STEPS, limit if number else 0.0)
            if draft.reached:
                return draft
            gained, needed = math.log(before / draft.score), math.log(draft.score / limit)
            if needed > MOST_MISSING * gained:
                break
        return None

    def _dispensable(self, draft: PlanDraft) -> int:
        """Return how many examples could be left out if the lesson is polished again.

        It assumes that each example lowers the logarithm of the score by the same amount.
        """
        objective = self.simulation.objective
        start = self.simulation.at_start
        if not 0.0 < draft.score < objective.limit < start:
            return 1
        fall = math.log(start / draft.score) / len(draft.xs)
        return int(OPTIMISM * math.log(objective.limit / draft.score) / fall)

    def without(self, draft: PlanDraft, number: int) -> PlanDraft:
        """Return the lesson without ``number`` of the examples that matter least."""
        kept = np.arange(len(draft.xs))
        at_once = -(-number // REMOVALS)
        while number > 0:
            some = kept[:: max(1, len(kept) // COMPARED)]
            scores = [self.simulation.score(draft.xs[kept[kept != one]]) for one in some]
            self._left -= FORWARD_COST * len(some) * self.simulation.cost(len(kept))
            least = some[np.argsort(scores, kind="stable")[: min(at_once, number)]]
            kept = np.setdiff1d(kept, least)
            number -= len(least)
        return self.draft(draft.xs[kept])

    def settled(self, draft: PlanDraft) -> PlanDraft:
        """Return the lesson polished thoroughly."""
        return self.polished(draft, MANY_STEPS)


class PlanSearch:
    """Searches for the shortest lesson for a class.

    Parameters
    ----------
    drafter
        Makes and polishes drafts.
    axes
        The principal directions of the class.
    rng
        Draws random directions.
    """

    def __init__(self, drafter: Drafter, axes: Axes, rng: np.random.Generator) -> None:
        self.drafter, self.axes, self.rng = drafter, axes, rng

    def first_draft(self, at_most: int) -> PlanDraft:
        """Return the shortest lesson without polishing: along the axes, or chosen step by step.

        If none reaches the goal in time, return the one that comes closest.
        """
        best = self._along_axes(at_most)
        for magnitude, longest in self._rules():
            rounds = len(best.xs) if best.reached else at_most
            best = min(best, self._step_by_step(magnitude, longest, rounds), key=_rank)
        return best

    def _rules(self) -> Iterator[tuple[str, float]]:
        """Yield the classroom teacher's rules: the magnitude, and the limit on the length."""
        longest, safe = self.drafter.longest, self.drafter.safe
        yield "joint", longest
        if longest**2 * self.drafter.simulation.representatives.fastest <= 1.0:
            return  # by every rule, all examples are as long as allowed
        if safe < longest:
            yield from (("dynamic", longest), ("joint", safe))
        yield from (("dynamic", safe), ("static", safe))

    def shortest(self, first: PlanDraft) -> PlanDraft:
        """Return the shortest lesson found, never longer than the first draft."""
        drafter, axes = self.drafter, self._start(len(first.xs))
        along_axes = axes.reached and len(axes.xs) <= len(first.xs)
        found = drafter.shortened(axes if along_axes else first) or first
        for start in self._best_starts(len(found.xs)):
            better = self._if_promising(start, found)
            if better is not None and self._is_clearly_better(better, found):
                found = drafter.shortened(better) or better
        return self._finished(found)

    def best_of_length(self, first: PlanDraft) -> PlanDraft:
        """Return the lesson that comes closest to the goal, no longer than the first draft."""
        rounds = len(first.xs)
        starts = [self._start(rounds), first, *self._best_starts(rounds)]
        return min((self.drafter.polished(start, MANY_STEPS) for start in starts), key=_rank)

    def renewed(self, known: Floats, first: PlanDraft) -> PlanDraft:
        """Return the shortest lesson found from an earlier one, never longer than the first draft.

        If the earlier one misses the goal, examples are added.
        """
        drafter = self.drafter
        draft = drafter.polished(drafter.draft(known, longer=True), FEW_STEPS)
        if not draft.reached:
            more = self._continuation(draft, len(first.xs))
            draft = drafter.draft(np.concatenate([draft.xs, more]), longer=True)
        found = drafter.shortened(draft)
        return min((one for one in (found, first) if one is not None), key=_rank)

    def _continuation(self, draft: PlanDraft, at_most: int) -> Floats:
        """Return more examples, along the axes that the class has after a lesson."""
        drafter = self.drafter
        gaps = drafter.simulation.gaps_after(draft.xs)
        axes = Axes(replace(drafter.simulation.representatives, gaps=gaps), drafter.longest**2)
        return axes.draft(max(1, self._rounds_along(axes, at_most)))

    def _start(self, rounds: int) -> PlanDraft:
        """Return the lesson along the axes, in the better of two orders.

        The shortest steps come first, or always the longest step that keeps the limits.
        """
        drafter, axes = self.drafter, self.axes
        gentle = drafter.draft(axes.draft(rounds), longer=True)
        cost = rounds * len(axes.directions) * drafter.limits.cost
        expected = axes.errors[min(rounds, len(axes.errors) - 1)]
        if gentle.score <= CLEARLY * expected or cost > INTERLEAVING_BUDGET:
            return gentle
        walk = drafter.limits.walk(drafter.longest**2)
        other = drafter.draft(axes.interleaved(rounds, walk), longer=True)
        return min(gentle, other, key=_rank)

    def _best_starts(self, rounds: int) -> list[PlanDraft]:
        """Return lessons in random directions, polished a little, best first."""
        drafter = self.drafter
        small = drafter.simulation.cost(rounds) < SMALL
        tried = [
            drafter.polished(start, FEW_STEPS)
            for start in self._random_starts(rounds, MORE_STARTS if small else STARTS)
        ]
        return sorted(tried, key=_rank)[:FINALISTS]

    def _random_starts(self, rounds: int, number: int) -> Iterator[PlanDraft]:
        """Yield lessons in random directions; every second one has random lengths too."""
        for place in range(number):
            xs = self.axes.scattered(rounds, self.rng)
            if place % 2:
                lengths = np.linalg.norm(xs, axis=1, keepdims=True)
                longer = np.exp(0.3 * self.rng.standard_normal((len(xs), 1)))
                xs *= np.minimum(longer, self.drafter.longest / lengths)
            yield self.drafter.draft(xs)

    def _if_promising(self, start: PlanDraft, best: PlanDraft) -> PlanDraft | None:
        """Return the start polished thoroughly; ``None`` if its score is far above the best."""
        drafter = self.drafter
        if not start.score < PROMISING * max(best.score, drafter.simulation.objective.limit):
            return None
        return drafter.polished(start, MANY_STEPS - FEW_STEPS)

    def _is_clearly_better(self, draft: PlanDraft, than: PlanDraft) -> bool:
        """Return whether a lesson from another start should replace the best."""
        return replace(draft, score=CLEARLY * draft.score).rank < than.rank

    def _finished(self, found: PlanDraft) -> PlanDraft:
        """Return the lesson polished thoroughly, and shortened if possible."""
        drafter = self.drafter
        done = drafter.settled(found)
        shorter = drafter.shortened(drafter.without(done, 1)) if len(done.xs) > 1 else None
        if shorter is None or done.rank < shorter.rank:
            return done
        return drafter.settled(shorter)

    def _along_axes(self, at_most: int) -> PlanDraft:
        """Return the shortest lesson along the axes that reaches the goal within the limit."""
        drafter = self.drafter
        rounds = self._rounds_along(self.axes, at_most)
        draft = self._start(rounds)
        most = min(at_most, int(MOST_LENGTHENING * rounds) + 1)
        # A goal for every student needs a few more rounds than a goal for the mean.
        while not draft.reached and rounds < min(most, len(self.axes.order)):
            rounds = min(most, rounds + 1 + rounds // 16)
            draft = self._start(rounds)
        # If the limits reduced the effect, more examples make up for it.
        for _ in range(MOST_CONTINUATIONS):
            if draft.reached or len(draft.xs) >= at_most:
                break
            more = self._continuation(draft, at_most - len(draft.xs))
            draft = min(
                drafter.draft(np.concatenate([draft.xs, more]), longer=True), draft, key=_rank
            )
        return draft

    def _rounds_along(self, axes: Axes, at_most: int) -> int:
        """Return how many steps along the axes lower the mean error to the limit of the goal."""
        limit, rounds = self.drafter.simulation.objective.limit, 0
        # No goal is reached while the mean is above the limit for a single student.
        while rounds < at_most and axes.errors[min(rounds, len(axes.errors) - 1)] > limit:
            rounds += 1
            axes.grow(rounds)
            if len(axes.order) < rounds:
                return len(axes.order)
        return rounds

    def _step_by_step(self, magnitude: str, longest: float, at_most: int) -> PlanDraft:
        """Return the classroom teacher's lesson within the limits."""
        drafter = self.drafter
        simulation = drafter.simulation
        shown = greedy(
            simulation.representatives,
            simulation.objective,
            Ball(),
            magnitude,
            longest=longest,
            at_most=min(at_most, MOST_GUARDED) if longest > drafter.safe else at_most,
            walk=drafter.limits.walk(longest**2),
        )
        return drafter.draft(shown.xs)


def _rank(draft: PlanDraft) -> tuple[bool, int, float]:
    """Return the sort key of a draft, best first."""
    return draft.rank
