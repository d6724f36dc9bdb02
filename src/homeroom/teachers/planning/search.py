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
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from homeroom._arrays import Floats
from homeroom.teachers.planning import simulation as simulating
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.greedy import teach_greedily
from homeroom.teachers.planning.population import Population
from homeroom.teachers.planning.request import BUDGET, Budget, Request
from homeroom.teachers.planning.simulation import Excess, Simulation
from homeroom.teachers.planning.transients import LONG, Watched

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


def best_of(*drafts: PlanDraft) -> PlanDraft:
    """Return the best draft; of equals the first."""
    return min(drafts, key=lambda draft: draft.rank)


class Drafter:
    """Makes lessons that keep the limits, polishes them, and shortens them.

    Parameters
    ----------
    simulation
        The class.
    request
        What the lesson must satisfy.
    """

    def __init__(self, simulation: Simulation, request: Request) -> None:
        self.simulation, self.request, self.budget = simulation, request, Budget(request)
        self.watched = Watched.none(simulation.representatives.dimensions)

    def draft(self, xs: Floats, *, longer: bool = False) -> PlanDraft:
        """Return the lesson, changed to keep the limits and cut where it reaches the goal.

        With ``longer``, keeping the limits may add rounds. Rows that forced a change are watched
        from then on, unless these would be too many.
        """
        walk = self.request.limits.walk(self.request.longest**2)
        if np.vecdot(xs, xs).max(initial=0.0) * walk.reach > LONG:
            self.budget.left -= len(xs) * self.request.limits.cost
            xs, forced = walk.keep(xs, longer=longer)
            both = self.watched | forced
            if len(both.rates) <= MOST_WATCHED * self.simulation.rows:
                self.watched = both
        xs = xs[: self.request.at_most]
        objective, rounds, reached = self.simulation.objective, len(xs), False
        for number, squared in enumerate(self.simulation.squared_along(xs)):
            score, reached = objective.score(squared), objective.is_reached(squared)
            if reached:
                rounds = number
                break
        return PlanDraft(xs[:rounds], score, reached)

    def polish(self, draft: PlanDraft, steps: int, enough: float = 0.0) -> PlanDraft:
        """Return the lesson after some steps of polishing, never worse than before.

        There are fewer steps if the budget is spent, or once the score is below ``enough``.
        """
        rounds = max(1, len(draft.xs))
        watched = Excess(self.watched, self.simulation.representatives.dimensions)
        cost = self.simulation.cost(rounds) + watched.cost(rounds)
        steps = min(steps, int(self.budget.left / cost))
        if steps < 1 or not len(draft.xs):
            return draft
        polished = simulating.polish(
            self.simulation,
            draft.xs,
            self.request.longest,
            steps=steps,
            enough=enough,
            watched=self.watched,
        )
        self.budget.left -= polished.tried * cost
        self.budget.report(len(draft.xs))
        return best_of(self.draft(polished.xs), draft)

    def shorten(self, draft: PlanDraft) -> PlanDraft | None:
        """Leave out examples; return the shortest lesson found that reaches the goal, if any."""
        # `failed` is the longest lesson that missed the goal: the search continues above it.
        best, failed = self.polish_to_goal(draft), 0
        while best is not None and len(best.xs) > failed + 1 and self.budget.left > 0.0:
            most = (len(best.xs) - failed) // 2 if failed else len(best.xs) - 1
            shorter = self.leave_out(best, min(max(1, self._count_dispensable(best)), most))
            better = self.polish_to_goal(shorter)
            if better is None:
                failed = len(shorter.xs)
            best = better or best
        return best

    def polish_to_goal(self, draft: PlanDraft) -> PlanDraft | None:
        """Return the lesson polished until it reaches the goal; ``None`` if that seems hopeless."""
        limit = self.simulation.objective.limit
        for number in range(MOST_POLISHES):
            before = draft.score
            draft = self.polish(draft, FEW_STEPS, limit if number else 0.0)
            if draft.reached:
                return draft
            gained, needed = math.log(before / draft.score), math.log(draft.score / limit)
            if needed > MOST_MISSING * gained:
                break
        return None

    def _count_dispensable(self, draft: PlanDraft) -> int:
        """Return how many examples could be left out if the lesson is polished again.

        It assumes that each example lowers the logarithm of the score by the same amount.
        """
        limit, start = self.simulation.objective.limit, self.simulation.at_start
        if not 0.0 < draft.score < limit < start:
            return 1
        fall = math.log(start / draft.score) / len(draft.xs)
        return int(OPTIMISM * math.log(limit / draft.score) / fall)

    def leave_out(self, draft: PlanDraft, number: int) -> PlanDraft:
        """Return the lesson without ``number`` of the examples that matter least."""
        kept = np.arange(len(draft.xs))
        at_once = -(-number // REMOVALS)
        while number > 0:
            some = kept[:: max(1, len(kept) // COMPARED)]
            scores = [self.simulation.score(draft.xs[kept[kept != one]]) for one in some]
            self.budget.left -= FORWARD_COST * len(some) * self.simulation.cost(len(kept))
            least = some[np.argsort(scores, kind="stable")[: min(at_once, number)]]
            kept = np.setdiff1d(kept, least)
            number -= len(least)
        return self.draft(draft.xs[kept])


class PlanSearch:
    """Searches for the shortest lesson for a class.

    Parameters
    ----------
    population
        The class.
    request
        What the lesson must satisfy.
    rng
        Draws random directions.
    """

    def __init__(self, population: Population, request: Request, rng: np.random.Generator) -> None:
        self.simulation, self.request, self.rng = population.simulate(request.goal), request, rng
        self.drafter = Drafter(self.simulation, request)
        self.axes = Axes(population.representatives, request.ceiling)

    def make_first_draft(self) -> PlanDraft:
        """Return the shortest lesson without polishing: along the axes, or chosen step by step.

        If none reaches the goal in time, return the one that comes closest.
        """
        best = self.draft_along_axes()
        for magnitude, longest in self._rules():
            best = best_of(best, self.draft_step_by_step(magnitude, longest, best))
        return best

    def _rules(self) -> Iterator[tuple[str, float]]:
        """Yield the classroom teacher's rules: the magnitude, and the limit on the length."""
        longest, safe = self.request.longest, self.request.safe_length
        yield "joint", longest
        if longest**2 * self.simulation.representatives.fastest <= 1.0:
            return  # by every rule, all examples are as long as allowed
        if safe < longest:
            yield from (("dynamic", longest), ("joint", safe))
        yield from (("dynamic", safe), ("static", safe))

    def draft_step_by_step(
        self, magnitude: str, longest: float, best: PlanDraft | None = None
    ) -> PlanDraft:
        """Return the classroom teacher's lesson within the limits, no longer than the best one."""
        at_most = len(best.xs) if best is not None and best.reached else self.request.at_most
        shown = teach_greedily(self.simulation, self.request, magnitude, longest, at_most)
        return self.drafter.draft(shown.xs)

    def find_shortest(self, first: PlanDraft) -> PlanDraft:
        """Return the shortest lesson found, never longer than the first draft."""
        drafter, axes = self.drafter, self._draft_steps(len(first.xs))
        along_axes = axes.reached and len(axes.xs) <= len(first.xs)
        best = drafter.shorten(axes if along_axes else first) or first
        for start in self._draft_at_random(len(best.xs)):
            # A start whose score is far above the best is not polished thoroughly.
            if start.score < PROMISING * max(best.score, self.simulation.objective.limit):
                better = drafter.polish(start, MANY_STEPS - FEW_STEPS)
                if replace(better, score=CLEARLY * better.score).rank < best.rank:
                    best = drafter.shorten(better) or better
        done = drafter.polish(best, MANY_STEPS)
        shorter = drafter.shorten(drafter.leave_out(done, 1)) if len(done.xs) > 1 else None
        if shorter is None or done.rank < shorter.rank:
            return done
        return drafter.polish(shorter, MANY_STEPS)

    def find_closest(self, first: PlanDraft) -> PlanDraft:
        """Return the lesson that comes closest to the goal, no longer than the first draft."""
        rounds = len(first.xs)
        starts = [self._draft_steps(rounds), first, *self._draft_at_random(rounds)]
        return best_of(*(self.drafter.polish(start, MANY_STEPS) for start in starts))

    def renew(self, rest: Floats, first: PlanDraft) -> PlanDraft:
        """Return the shortest lesson found from the rest of an earlier one.

        It is never longer than the first draft. If the rest misses the goal, examples are added.
        """
        drafter = self.drafter
        draft = drafter.polish(drafter.draft(rest, longer=True), FEW_STEPS)
        if not draft.reached:
            draft = self._extend(draft, len(first.xs))
        shorter = drafter.shorten(draft)
        return first if shorter is None else best_of(shorter, first)

    def _extend(self, draft: PlanDraft, at_most: int) -> PlanDraft:
        """Return the lesson with more examples, along the axes that the class has after it."""
        gaps = self.simulation.gaps_after(draft.xs)
        rows = replace(self.simulation.representatives, gaps=gaps)
        axes = Axes(rows, self.request.longest**2)
        more = axes.draft(max(1, self._count_steps(axes, at_most)))
        return self.drafter.draft(np.concatenate([draft.xs, more]), longer=True)

    def _draft_steps(self, rounds: int) -> PlanDraft:
        """Return the lesson along the axes, in the better of two orders.

        The shortest steps come first, or always the longest step that keeps the limits.
        """
        drafter, axes, limits = self.drafter, self.axes, self.request.limits
        gentle = drafter.draft(axes.draft(rounds), longer=True)
        cost = rounds * len(axes.directions) * limits.cost
        expected = axes.errors[min(rounds, len(axes.errors) - 1)]
        if gentle.score <= CLEARLY * expected or cost > INTERLEAVING_BUDGET:
            return gentle
        xs = axes.interleaved(rounds, limits.walk(self.request.longest**2))
        return best_of(gentle, drafter.draft(xs, longer=True))

    def _draft_at_random(self, rounds: int) -> list[PlanDraft]:
        """Return lessons in random directions, polished a little, best first.

        Every second one has random lengths too.
        """
        small = self.simulation.cost(rounds) < SMALL
        drafts = []
        for number in range(MORE_STARTS if small else STARTS):
            xs = self.axes.scattered(rounds, self.rng)
            if number % 2:
                lengths = np.linalg.norm(xs, axis=1, keepdims=True)
                longer = np.exp(0.3 * self.rng.standard_normal((len(xs), 1)))
                xs *= np.minimum(longer, self.request.longest / lengths)
            drafts.append(self.drafter.polish(self.drafter.draft(xs), FEW_STEPS))
        return sorted(drafts, key=lambda draft: draft.rank)[:FINALISTS]

    def draft_along_axes(self) -> PlanDraft:
        """Return the shortest lesson along the axes that reaches the goal within the limit."""
        at_most = self.request.at_most
        rounds = self._count_steps(self.axes, at_most)
        draft = self._draft_steps(rounds)
        most = min(at_most, int(MOST_LENGTHENING * rounds) + 1)
        # A goal for every student needs a few more rounds than a goal for the mean.
        while not draft.reached and rounds < min(most, len(self.axes.order)):
            rounds = min(most, rounds + 1 + rounds // 16)
            draft = self._draft_steps(rounds)
        # If the limits reduced the effect, more examples make up for it.
        for _ in range(MOST_CONTINUATIONS):
            if draft.reached or len(draft.xs) >= at_most:
                break
            draft = best_of(self._extend(draft, at_most - len(draft.xs)), draft)
        return draft

    def _count_steps(self, axes: Axes, at_most: int) -> int:
        """Return how many steps along the axes lower the mean error to the limit of the goal."""
        limit, rounds = self.simulation.objective.limit, 0
        # No goal is reached while the mean is above the limit for a single student.
        while rounds < at_most and axes.errors[min(rounds, len(axes.errors) - 1)] > limit:
            rounds += 1
            axes.grow(rounds)
            if len(axes.order) < rounds:
                return len(axes.order)
        return rounds
