"""What the paper proves or says in passing, and what was measured."""

from __future__ import annotations

import numpy as np

from homeroom.paper.claim import Finding, Tables, UnmeasuredError, claim, verdict
from homeroom.paper.claim_readings import curve_of, descents, seeds_of, straightness
from homeroom.paper.drawing import band, column, straight_line, where
from homeroom.paper.figure import Rows
from homeroom.paper.proved import ON_AVERAGE, THEOREMS
from homeroom.paper.scaling import TEACHERS
from homeroom.paper.stall import by_mean


@claim(
    "O(k log 1/ε) examples are enough, whatever the number of students",
    "section 3, Theorem 1",
    needs=("rank", "accuracy", "size"),
)
def rank_and_accuracy(tables: Tables) -> Finding:
    """Straight lines in k and in log 1/ε, and no growth with N once N is well above k."""
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


@claim(
    "The error stays below what the theorems prove, in every round",
    "sections 3 and 4, appendices A and C (bounds corrected)",
    needs=("bounds",),
)
def below_the_bounds(tables: Tables) -> Finding:
    """Every class in every round; where the theorem is about an expectation, the mean of them."""
    found, good = [], []
    for name in THEOREMS:
        ratios = _error_over_bound(where(tables["bounds"], theorem=name), mean=name in ON_AVERAGE)
        if not ratios or min(len(ratio) for ratio in ratios) < 2:
            raise UnmeasuredError(f"a lesson of the theorem on {name} has no rounds")
        good.append(all(bool((ratio <= 1 + 1e-9).all()) for ratio in ratios))
        found.append(f"{name} {max(float(ratio[len(ratio) // 2]) for ratio in ratios):.2g}")
    return verdict(holds=all(good), partly=any(good)), (
        f"below the bound in every round for {sum(good)} of {len(good)} theorems; error as a part "
        f"of the bound halfway through the lesson, at the most: {', '.join(found)}"
    )


def _error_over_bound(rows: Rows, *, mean: bool) -> list[np.ndarray]:
    """Return the ratio of error to bound in each round of each lesson, or that of the means.

    Means are taken over the rounds that every lesson has.
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


@claim(
    "Along the mean gap, students converge on a plane and not to the target",
    "section 3 (a remark in the source)",
    needs=("mean",),
)
def the_mean_stalls(tables: Tables) -> Finding:
    """More than half of the error is left when no example helps the mean any more."""
    left, rounds = [], []
    if not tables["mean"]:
        raise UnmeasuredError("no lesson was measured")
    for seed in seeds_of(tables["mean"]):
        errors = column(where(by_mean(tables["mean"]), seed=seed), "error")
        if len(errors) < 2 or errors[0] == 0:
            raise UnmeasuredError("some lesson has no rounds, or no error to begin with")
        left.append(float(errors[-1] / errors[0]))
        rounds.append(len(errors) - 1)
    return verdict(holds=min(left) > 0.5, partly=max(left) > 0.5), (
        f"after {min(rounds)} to {max(rounds)} rounds the lesson is stuck with {min(left):.0%} to "
        f"{max(left):.0%} of the error left"
    )


@claim(
    "Random examples need O(1/ε) rounds, where a teacher needs O(log 1/ε)",
    "section 1, after Liu et al. (2017)",
    needs=("accuracy",),
)
def random_examples(tables: Tables) -> Finding:
    """Which of log(1/ε) and 1/ε the rounds follow more closely."""
    found, inverse = [], []
    for who in TEACHERS[1:]:
        eps, rounds = curve_of(where(tables["accuracy"], who=who), "eps", "T", least=3)
        by_log = straightness(np.log(1 / eps), rounds, "eps")
        by_inverse = straightness(1 / eps, rounds, "eps")
        inverse.append(by_inverse > by_log)
        found.append(f"{who}: R² = {by_log:.3f} on log(1/ε), {by_inverse:.3f} on 1/ε")
    told = (
        "O(log 1/ε) for random examples too, as labels are the target's own: every example helps "
        "a little, and the error falls geometrically"
        if not any(inverse)
        else "O(1/ε) " + ("for both" if all(inverse) else "for one of them")
    )
    return verdict(holds=all(inverse), partly=any(inverse)), f"{'; '.join(found)}: {told}"


@claim(
    "A class with random rates can be taught with linear convergence",
    "section 4.2, Theorem 3",
    needs=("random-rates", "bounds"),
)
def random_rates_converge(tables: Tables) -> Finding:
    """Every lesson comes to its goal, and the error falls geometrically."""
    found, reached = [], True
    for weights, name in (("history", "past draws"), ("known", "known means")):
        rows = where(tables["random-rates"], weights=weights)
        sigmas, rounds = curve_of(rows, "sigma", "T")
        reached &= bool(np.isfinite(rounds).all())
        found.append(f"by {name} T = {rounds[0]:.0f} to {rounds[-1]:.0f}")
    fall = descents(where(tables["bounds"], theorem="random rates"))
    return verdict(holds=reached and fall.steady, partly=fall.steady), (
        f"{'every' if reached else 'not every'} lesson came to its goal, σ from {sigmas[0]:g} to "
        f"{sigmas[-1]:g}; weighing {', '.join(found)}. At σ = 0.05 {fall}"
    )


@claim(
    "A class whose W is seen through noise can be taught with linear convergence",
    "appendix A.1",
    needs=("noisy-w", "bounds"),
)
def noisy_w_converges(tables: Tables) -> Finding:
    """Every lesson comes to its goal, and the error falls geometrically."""
    deltas, rounds = curve_of(tables["noisy-w"], "delta", "T")
    reached = bool(np.isfinite(rounds).all())
    fall = descents(where(tables["bounds"], theorem="noisy W"))
    return verdict(holds=reached and fall.steady, partly=fall.steady), (
        f"{'every' if reached else 'not every'} lesson came to its goal: T = {rounds[0]:.0f} "
        f"without noise, {rounds[-1]:.0f} at δ = {deltas[-1]:g}. At δ = 0.001 {fall}"
    )


@claim(
    "Langevin students come to rest below a floor of order 1/β",
    "appendix A.2",
    needs=("langevin",),
)
def langevin_floor(tables: Tables) -> Finding:
    """Below the proved floor on average, and falling with 1/β."""
    betas, left = curve_of(tables["langevin"], "beta", "left", least=3)
    bounds = band(tables["langevin"], "beta", "bound")[1]
    ratios = left / bounds
    slope = straight_line(np.log(betas), np.log(left))[0]
    below = bool((ratios <= 1).all())
    return verdict(holds=below and abs(slope + 1) < 0.25, partly=below), (
        f"the error that stays is {ratios.min():.2g} to {ratios.max():.2g} of the proved bound, "
        f"and falls as β to the power {slope:.2f}, from {left[0]:.2g} at β = {betas[0]:.0e} to "
        f"{left[-1]:.2g} at {betas[-1]:.0e}"
    )


@claim("A rich enough pool is as good as making examples up", "appendix C", needs=("pool",))
def rich_pools_suffice(tables: Tables) -> Finding:
    """From the largest pool at most a fifth more rounds, and the more the poorer the pool."""
    items, rounds = curve_of(tables["pool"], "items", "T")
    free = float(band(tables["pool"], "items", "free")[1].mean())
    rich = band(tables["pool"], "items", "richness")[1]
    near = bool(rounds[-1] < 1.2 * free)
    return verdict(
        holds=near and bool(rich[-1] > rich[0] and rounds[0] > rounds[-1]), partly=near
    ), (
        f"with {items[0]:.0f} directions (richness {rich[0]:.2f}) T = {rounds[0]:.0f}, with "
        f"{items[-1]:.0f} ({rich[-1]:.2f}) T = {rounds[-1]:.0f}; made up freely {free:.0f}"
    )
