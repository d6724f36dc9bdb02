"""The claims of the theorems, and of remarks about random examples and the mean gap.

T is the number of examples that the teacher shows, k the number of directions in which the class
errs, N the number of students, and ε the accepted error. The docstring of a judge states what it
checks.
"""

from __future__ import annotations

import numpy as np

from homeroom.paper.claims import (
    Finding,
    PaperClaim,
    Tables,
    UnmeasuredError,
    curve_of,
    error_descents,
    straightness,
    verdict,
)
from homeroom.paper.figures_theory import TEACHERS, taught_along_the_mean
from homeroom.paper.lessons_theory import DELTA, ON_AVERAGE, SIGMA, THEOREMS
from homeroom.paper.rows import Rows, column, fit_line, mean_curve, seeds_of, where


def rank_and_accuracy(tables: Tables) -> Finding:
    """Check that T is linear in k and in log 1/ε, and stops growing with N.

    Both R² must be above 0.98, and T must grow by less than 10 % from 300 students to the largest
    class.
    """
    ranks, rounds = curve_of(tables["rank"], "rank", "T", least=3)
    by_rank = straightness(ranks, rounds, "rank")
    eps, needed = curve_of(where(tables["accuracy"], who="CT"), "eps", "T", least=3)
    by_eps = straightness(np.log(1 / eps), needed, "eps")
    sizes, large = curve_of(tables["size"], "students", "T")
    first = min(int(np.argmax(sizes >= min(300, sizes[-1]))), len(sizes) - 2)
    growth, last = large[-1] / large[first] - 1, large[-1] / large[-2] - 1
    fits = by_rank > 0.98 and by_eps > 0.98
    return verdict(holds=bool(fits and growth < 0.1), partly=bool(fits or growth < 0.1)), (
        f"T against k is straight with R² = {by_rank:.4f}, against log(1/ε) with {by_eps:.4f}; "
        f"from {sizes[first]:.0f} to {sizes[-1]:.0f} students T changes by {growth:+.1%}, in the "
        f"last step, from {sizes[-2]:.0f}, by {last:+.1%} "
        f"(a class of {sizes[0]:.0f} needs {large[0] / large[-1]:.0%} of what the largest needs)"
    )


def below_the_bounds(tables: Tables) -> Finding:
    """Check that the error is below its bound in every round of every lesson.

    For a bound on an expected error, the mean over the lessons must be below it.
    """
    found, good = [], []
    for name in THEOREMS:
        ratios = _error_over_bound(where(tables["bounds"], theorem=name), mean=name in ON_AVERAGE)
        if not ratios or min(len(ratio) for ratio in ratios) < 2:
            raise UnmeasuredError(f"a lesson for the theorem on {name} has no rounds")
        good.append(all(bool((ratio <= 1 + 1e-9).all()) for ratio in ratios))
        found.append(f"{name} {max(float(ratio[len(ratio) // 2]) for ratio in ratios):.2g}")
    return verdict(holds=all(good), partly=any(good)), (
        f"below the bound in every round for {sum(good)} of {len(good)} theorems; largest error "
        f"relative to the bound halfway through the lesson: {', '.join(found)}"
    )


def _error_over_bound(rows: Rows, *, mean: bool) -> list[np.ndarray]:
    """Return the ratio of error to bound in each round of each lesson, or the ratio of the means.

    Means are taken over the rounds that all lessons have.
    """
    lessons = [where(rows, seed=seed) for seed in seeds_of(rows)]
    if not mean or not lessons:
        return [column(lesson, "error") / column(lesson, "bound") for lesson in lessons]
    shortest = min(len(lesson) for lesson in lessons)
    errors, bounds = (
        np.array([column(lesson[:shortest], name) for lesson in lessons]).mean(axis=0)
        for name in ("error", "bound")
    )
    return [np.asarray(errors / bounds)]


def the_mean_stalls(tables: Tables) -> Finding:
    """Check that more than half of the error is left at the end of every lesson."""
    left, rounds = [], []
    along_the_mean = taught_along_the_mean(tables["mean"])
    if not tables["mean"]:
        raise UnmeasuredError("no lesson was measured")
    for seed in seeds_of(tables["mean"]):
        errors = column(where(along_the_mean, seed=seed), "error")
        if len(errors) < 2 or errors[0] == 0:
            raise UnmeasuredError("a lesson has no rounds, or no initial error")
        left.append(float(errors[-1] / errors[0]))
        rounds.append(len(errors) - 1)
    return verdict(holds=min(left) > 0.5, partly=max(left) > 0.5), (
        f"after {min(rounds)} to {max(rounds)} rounds the lesson is stuck with {min(left):.0%} to "
        f"{max(left):.0%} of the error left"
    )


def random_examples(tables: Tables) -> Finding:
    """Check that T is closer to linear in 1/ε than in log(1/ε), by R², for both random teachers."""
    found, inverse = [], []
    for who in TEACHERS[1:]:
        eps, rounds = curve_of(where(tables["accuracy"], who=who), "eps", "T", least=3)
        if not np.isfinite(rounds).all():
            raise UnmeasuredError("a lesson did not reach its goal")
        by_log = straightness(np.log(1 / eps), rounds, "eps")
        by_inverse = straightness(1 / eps, rounds, "eps")
        inverse.append(by_inverse > by_log)
        found.append(f"{who}: R² = {by_log:.3f} on log(1/ε), {by_inverse:.3f} on 1/ε")
    result = (
        "O(log 1/ε) for random examples too, because the target itself labels them: every example "
        "helps a little, and the error falls geometrically"
        if not any(inverse)
        else "O(1/ε) " + ("for both" if all(inverse) else "for one of the two")
    )
    return verdict(holds=all(inverse), partly=any(inverse)), f"{'; '.join(found)}: {result}"


def random_rates_converge(tables: Tables) -> Finding:
    """Check that every lesson with random rates reaches its goal, and falls geometrically.

    The goal is checked for all values of σ, the fall of the error for one (``SIGMA``).
    """
    found, reached = [], True
    for weights, name in (("history", "past draws"), ("known", "known means")):
        rows = where(tables["random-rates"], weights=weights)
        sigmas, rounds = curve_of(rows, "sigma", "T")
        reached &= bool(np.isfinite(rounds).all())
        found.append(f"by {name} T = {rounds[0]:.0f} to {rounds[-1]:.0f}")
    fall = error_descents(where(tables["bounds"], theorem="random rates"))
    return verdict(holds=reached and fall.steady, partly=fall.steady), (
        f"{'every' if reached else 'not every'} lesson reached its goal, σ from {sigmas[0]:g} to "
        f"{sigmas[-1]:g}; weighted {', '.join(found)}. At σ = {SIGMA:g} {fall}"
    )


def noisy_w_converges(tables: Tables) -> Finding:
    """Check that every lesson with a noisy W reaches its goal, and falls geometrically.

    The goal is checked for all values of δ, the fall of the error for one (``DELTA``).
    """
    deltas, rounds = curve_of(tables["noisy-w"], "delta", "T")
    reached = bool(np.isfinite(rounds).all())
    fall = error_descents(where(tables["bounds"], theorem="noisy W"))
    return verdict(holds=reached and fall.steady, partly=fall.steady), (
        f"{'every' if reached else 'not every'} lesson reached its goal: T = {rounds[0]:.0f} "
        f"without noise, {rounds[-1]:.0f} at δ = {deltas[-1]:g}. At δ = {DELTA:g} {fall}"
    )


def langevin_floor(tables: Tables) -> Finding:
    """Check that the mean remaining error is below its bound, and falls as 1/β.

    Its power of β must be within 0.25 of -1.
    """
    betas, left = curve_of(tables["langevin"], "beta", "left", least=3)
    bounds = mean_curve(tables["langevin"], "beta", "bound")[1]
    ratios = left / bounds
    slope = fit_line(np.log(betas), np.log(left))[0]
    below = bool((ratios <= 1).all())
    return verdict(holds=below and abs(slope + 1) < 0.25, partly=below), (
        f"the remaining error is {ratios.min():.2g} to {ratios.max():.2g} of the proved bound, "
        f"and falls as β to the power {slope:.2f}, from {left[0]:.2g} at β = {betas[0]:.0e} to "
        f"{left[-1]:.2g} at {betas[-1]:.0e}"
    )


def rich_pools_suffice(tables: Tables) -> Finding:
    """Check that the largest pool needs less than 20 % more rounds than free examples.

    The smallest pool must be less rich, and need more rounds than the largest or never reach the
    goal.
    """
    items, rounds = curve_of(tables["pool"], "items", "T")
    free = float(mean_curve(tables["pool"], "items", "free")[1].mean())
    rich, angle = (mean_curve(tables["pool"], "items", name)[1] for name in ("richness", "angle"))
    near = bool(rounds[-1] < 1.2 * free)
    return verdict(
        holds=near and bool(rich[-1] > rich[0] and not rounds[0] <= rounds[-1]), partly=near
    ), (
        f"with {items[0]:.0f} directions (richness {rich[0]:.2f}, by the paper's measure "
        f"{angle[0]:.2f}) T = {rounds[0]:.0f}, with {items[-1]:.0f} ({rich[-1]:.2f}, "
        f"{angle[-1]:.2f}) T = {rounds[-1]:.0f}; with free vectors {free:.0f}"
    )


CLAIMS = (
    PaperClaim(
        "O(k log 1/ε) examples are enough, whatever the number of students",
        "section 3, Theorem 1",
        ("rank", "accuracy", "size"),
        rank_and_accuracy,
    ),
    PaperClaim(
        "The error stays below what the theorems prove, in every round",
        "sections 3 and 4, appendices A and C (bounds corrected)",
        ("bounds",),
        below_the_bounds,
    ),
    PaperClaim(
        "Along the mean gap, students converge on a plane and not to the target",
        "section 3 (a remark in the source)",
        ("mean",),
        the_mean_stalls,
    ),
    PaperClaim(
        "Random examples need O(1/ε) rounds, where a teacher needs O(log 1/ε)",
        "section 1, after Liu et al. (2017)",
        ("accuracy",),
        random_examples,
    ),
    PaperClaim(
        "A class with random rates can be taught with linear convergence",
        "section 4.2, Theorem 3",
        ("random-rates", "bounds"),
        random_rates_converge,
    ),
    PaperClaim(
        "A class whose W is observed with noise can be taught with linear convergence",
        "appendix A.1",
        ("noisy-w", "bounds"),
        noisy_w_converges,
    ),
    PaperClaim(
        "The error of Langevin students settles below a bound of order 1/β",
        "appendix A.2",
        ("langevin",),
        langevin_floor,
    ),
    PaperClaim(
        "A rich enough pool is as good as free examples",
        "appendix C",
        ("pool",),
        rich_pools_suffice,
    ),
)
