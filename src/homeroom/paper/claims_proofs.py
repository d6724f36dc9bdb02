"""What the paper proves or says in passing, and what was measured."""

from __future__ import annotations

import numpy as np

from homeroom.paper.claim import Finding, Tables, claim, verdict
from homeroom.paper.claims_classes import seeds_of
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
    ranks, rounds, _ = band(tables["rank"], "rank", "T")
    by_rank = straight_line(ranks, rounds)[2]
    eps, needed, _ = band(where(tables["accuracy"], who="CT"), "eps", "T")
    by_eps = straight_line(np.log(1 / eps), needed)[2]
    sizes, large, _ = band(tables["size"], "students", "T")
    first = int(np.argmax(sizes >= min(300, sizes[-1])))
    growth = large[-1] / large[first] - 1
    fits = by_rank > 0.98 and by_eps > 0.98
    return verdict(holds=bool(fits and growth < 0.1), partly=bool(fits or growth < 0.1)), (
        f"T against k is straight with R² = {by_rank:.4f}, against log(1/ε) with {by_eps:.4f}; "
        f"from {sizes[first]:.0f} to {sizes[-1]:.0f} students T changes by {growth:+.1%} "
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
        ratio = _error_over_bound(where(tables["bounds"], theorem=name), mean=name in ON_AVERAGE)
        good.append(bool(ratio.max() <= 1 + 1e-9))
        found.append(f"{name} {float(ratio[len(ratio) // 2]):.2g}")
    return verdict(holds=all(good), partly=any(good)), (
        f"below the bound in every round for {sum(good)} of {len(good)} theorems; error as a part "
        f"of the bound halfway through the lesson: {', '.join(found)}"
    )


def _error_over_bound(rows: Rows, *, mean: bool) -> np.ndarray:
    """Return the largest ratio of error to bound in each round, or that of the means."""
    lessons = [where(rows, seed=seed) for seed in seeds_of(rows)]
    shortest = min(len(lesson) for lesson in lessons)
    errors = np.array([column(lesson[:shortest], "error") for lesson in lessons])
    bounds = np.array([column(lesson[:shortest], "bound") for lesson in lessons])
    if mean:
        return np.asarray(errors.mean(axis=0) / bounds.mean(axis=0))
    return np.asarray((errors / bounds).max(axis=0))


@claim(
    "Along the mean gap, students converge on a plane and not to the target",
    "section 3 (a remark in the source)",
    needs=("mean",),
)
def the_mean_stalls(tables: Tables) -> Finding:
    """More than half of the error is left when no example helps the mean any more."""
    left, rounds = [], []
    for seed in seeds_of(tables["mean"]):
        errors = column(where(by_mean(tables["mean"]), seed=seed), "error")
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
        eps, rounds, _ = band(where(tables["accuracy"], who=who), "eps", "T")
        by_log = straight_line(np.log(1 / eps), rounds)[2]
        by_inverse = straight_line(1 / eps, rounds)[2]
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
    """Every lesson comes to its goal, and the error is a straight line on the log scale."""
    found, reached = [], True
    for weights, name in (("history", "past draws"), ("known", "known means")):
        sigmas, rounds, _ = band(where(tables["random-rates"], weights=weights), "sigma", "T")
        reached &= bool(np.isfinite(rounds).all())
        found.append(f"by {name} T = {rounds[0]:.0f} to {rounds[-1]:.0f}")
    fit = _straightness(where(tables["bounds"], theorem="random rates"))
    return verdict(holds=reached and fit > 0.9, partly=reached or fit > 0.9), (
        f"{'every' if reached else 'not every'} lesson came to its goal, σ from {sigmas[0]:g} to "
        f"{sigmas[-1]:g}; weighing {', '.join(found)}; log error against rounds is straight with "
        f"R² ≥ {fit:.3f} at σ = 0.05"
    )


def _straightness(rows: Rows) -> float:
    fits = []
    for seed in seeds_of(rows):
        errors = column(where(rows, seed=seed), "error")
        fits.append(straight_line(np.arange(len(errors), dtype=float), np.log(errors))[2])
    return min(fits)


@claim(
    "A class whose W is seen through noise can be taught with linear convergence",
    "appendix A.1",
    needs=("noisy-w", "bounds"),
)
def noisy_w_converges(tables: Tables) -> Finding:
    """Every lesson comes to its goal, and the error is a straight line on the log scale."""
    deltas, rounds, _ = band(tables["noisy-w"], "delta", "T")
    reached = bool(np.isfinite(rounds).all())
    fit = _straightness(where(tables["bounds"], theorem="noisy W"))
    return verdict(holds=reached and fit > 0.9, partly=reached or fit > 0.9), (
        f"{'every' if reached else 'not every'} lesson came to its goal: T = {rounds[0]:.0f} "
        f"without noise, {rounds[-1]:.0f} at δ = {deltas[-1]:g}; log error against rounds is "
        f"straight with R² ≥ {fit:.3f} at δ = 0.001"
    )


@claim(
    "Langevin students come to rest below a floor of order 1/β",
    "appendix A.2",
    needs=("langevin",),
)
def langevin_floor(tables: Tables) -> Finding:
    """Below the proved floor on average, and falling with 1/β."""
    betas, left, _ = band(tables["langevin"], "beta", "left")
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
    items, rounds, _ = band(tables["pool"], "items", "T")
    free = float(band(tables["pool"], "items", "free")[1].mean())
    rich = band(tables["pool"], "items", "richness")[1]
    near = bool(rounds[-1] < 1.2 * free)
    return verdict(
        holds=near and bool(rich[-1] > rich[0] and rounds[0] > rounds[-1]), partly=near
    ), (
        f"with {items[0]:.0f} directions (richness {rich[0]:.2f}) T = {rounds[0]:.0f}, with "
        f"{items[-1]:.0f} ({rich[-1]:.2f}) T = {rounds[-1]:.0f}; made up freely {free:.0f}"
    )
