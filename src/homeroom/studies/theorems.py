"""Sections 3 and 4 and the appendices: lessons that test the theorems, figures, and the claims.

The figures are not in the paper: bounds, noise, pools, and how the rounds scale. W is the moment
matrix of the class: its top eigenvector is the direction of the next example. ``T`` is the number
of examples that the teacher shows, ``None`` if the lesson did not reach its goal; k is the number
of directions in which the class errs, N the number of students, and ε the accepted error. The
docstring of a judge states what it checks.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from homeroom.advice import certify, richness
from homeroom.classroom import project
from homeroom.goals import AverageGoal
from homeroom.learners import LangevinLearner, StochasticRateLearner
from homeroom.lessons import teach
from homeroom.observers import NoisyMoments, NoisyStates, RateHistory
from homeroom.plots import COLOURS, figure
from homeroom.plots.curves import draw_goal
from homeroom.plots.style import DASHES, QUIET, look
from homeroom.pools import DirectionPool, ItemPool
from homeroom.studies.cells import ExperimentCell
from homeroom.studies.claims import (
    Finding,
    Tables,
    UnmeasuredError,
    curve_of,
    error_descents,
    paper_claim,
    straightness,
    verdict,
)
from homeroom.studies.figures import (
    EXAMPLES_IN_ALL,
    PAGE,
    WAY_COLOURS,
    PaperPlan,
    curve_panel,
    draw_band,
    draw_bands,
    paper_figure,
    plain_log,
)
from homeroom.studies.rows import Row, Rows, column, fit_line, mean_curve, seeds_of, where
from homeroom.studies.settings import PaperSettings
from homeroom.studies.synthetic import (
    class_in_a_subspace,
    lesson,
    paper_class,
    rounds_to_goal,
    teach_whole_class,
)
from homeroom.teachers import (
    AbstractTeacher,
    ClassroomTeacher,
    MeanTeacher,
    PoolTeacher,
    RandomTeacher,
)

THEOREMS = {
    "average": "Theorem 1, on average",
    "everyone": "Theorem 1, everyone",
    "noisy states": "Theorem 2, noisy states",
    "random rates": "Theorem 3, random rates",
    "noisy W": "appendix A.1, noisy W",
    "Langevin": "appendix A.2, Langevin",
    "pool": "appendix C, a pool",
}
"""The theorems by a short name, in the order of the paper."""

ON_AVERAGE = ("random rates", "Langevin")
"""The theorems about an expected error."""

SIGMA, DELTA = 0.05, 1e-3
"""The spread of random rates, and the noise of W, in :func:`theorem`."""

POOL_SIZE = 1000
"""The number of directions in the pool of :func:`theorem`."""

LONG_LESSON = 5_000
"""The largest number of rounds of a lesson that must reach its goal."""


SIGMAS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2)

DELTAS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)

BETAS = (1e2, 1e3, 1e4, 1e5)

LANGEVIN_ROUNDS = 600

SLOW_SEEDS, FEWER_SEEDS = 5, 10
"""How many of every twenty classes are taught: in slow experiments, and in those whose intervals
are narrow."""

POOL_SIZES = (20, 40, 80, 160, 400, 1000)

RANKS = (1, 2, 4, 8, 12, 16, 20, 25)

ACCURACIES = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5)

CLASS_SIZES = (30, 100, 300, 1000, 3000, 10_000)

TEACHERS = ("CT", "random direction", "random item")

BOUND_ROUNDS, BOUND_SEEDS = 250, 3

MEAN_ROUNDS = 300

BOUND_LINE = (0, (4, 3))
"""The dashes of lines that are not measured."""

WEIGHTS = {"history": "by past draws", "known": "by known means"}
"""How a teacher weighs students with random rates."""


def theorem(settings: PaperSettings, name: str, rounds: int, seed: int) -> list[Row]:
    """Teach for some rounds under a theorem's assumptions; return its bound with each error."""
    if name == "pool":  # a thousand directions are rich in ten dimensions, and poor in more
        settings = replace(settings, dimensions=settings.knowledge_dimensions)
    room = paper_class(settings, seed)
    rng = np.random.default_rng(seed + 10_000)
    directions = rng.standard_normal((POOL_SIZE, settings.dimensions))
    # The noise is so small that the proved floor is near the goal: with more noise the bound would
    # be loose.
    assumed: dict[str, dict[str, Any]] = {
        "noisy states": {"observer": NoisyStates(1e-4)},
        "random rates": {
            "learner": StochasticRateLearner(SIGMA),
            "observer": RateHistory(SIGMA, weights="known"),
        },
        "noisy W": {"observer": NoisyMoments(DELTA)},
        "Langevin": {"learner": LangevinLearner(1e4)},
        "pool": {"teacher": PoolTeacher(DirectionPool(directions))},
    }
    options = assumed.get(name, {})
    goal = AverageGoal(0.01 * settings.eps)
    if name == "pool":  # its bound comes from the complete lesson, which must reach its goal
        rounds = LONG_LESSON
    record = teach(room, goal=goal, max_rounds=rounds, seed=seed, **options)
    proved = certify(room, goal=goal, record=record if name == "pool" else None, **options)
    # No student is farther away than all together: |e_j|^2 <= N mean |e|^2.
    errors, factor = record.errors, 1
    if name == "everyone":
        errors, factor = record.transcript.farthest(0) ** 2, room.students
    return [
        {
            "theorem": name,
            "seed": seed,
            "round": number,
            "error": float(error),
            "bound": factor * proved.bound(number),
        }
        for number, error in enumerate(errors)
    ]


def noisy_moments(settings: PaperSettings, delta: float, seed: int) -> list[Row]:
    """Teach with noisy observations of the matrix W (appendix A.1)."""
    room = paper_class(settings, seed)
    record = teach_whole_class(settings, room, observer=NoisyMoments(delta), seed=seed)
    return [{"delta": delta, "seed": seed, "T": rounds_to_goal(record)}]


def random_rates(settings: PaperSettings, sigma: float, weights: str, seed: int) -> list[Row]:
    """Teach students whose rates are random in every round (section 4.2)."""
    room = paper_class(settings, seed)
    record = teach_whole_class(
        settings,
        room,
        learner=StochasticRateLearner(sigma),
        observer=RateHistory(sigma, weights=weights),
        seed=seed,
    )
    return [{"sigma": sigma, "weights": weights, "seed": seed, "T": rounds_to_goal(record)}]


def langevin(settings: PaperSettings, beta: float, rounds: int, seed: int) -> list[Row]:
    """Teach Langevin students for a fixed number of rounds (appendix A.2)."""
    room = paper_class(settings, seed)
    learner = LangevinLearner(beta)
    record = teach(room, learner=learner, goal=AverageGoal(1e-300), max_rounds=rounds, seed=seed)
    reached = record.errors <= settings.eps
    proved = certify(room, learner=learner)
    return [
        {
            "beta": beta,
            "seed": seed,
            "T": int(np.argmax(reached)) if reached.any() else None,
            "left": float(record.errors[-rounds // 4 :].mean()),
            "bound": proved.bound(rounds - rounds // 4),
            "floor": proved.floor,
        }
    ]


def pool(settings: PaperSettings, items: int, seed: int) -> list[Row]:
    """Teach from a pool of random directions (appendix C)."""
    narrow = replace(settings, dimensions=settings.knowledge_dimensions)
    room = paper_class(narrow, seed)
    rng = np.random.default_rng(seed + 10_000)
    teacher = PoolTeacher(DirectionPool(rng.standard_normal((items, narrow.dimensions))))
    record = teach_whole_class(narrow, room, teacher=teacher)
    free = teach_whole_class(narrow, room)
    shares, angles = (richness(room, record, measure) for measure in ("effect", "angle"))
    some = len(shares) > 0  # the class may need no example
    return [
        {
            "items": items,
            "seed": seed,
            "T": rounds_to_goal(record),
            "free": rounds_to_goal(free),
            "richness": float(np.median(shares)) if some else None,
            "poorest": float(shares.min()) if some else None,
            "angle": float(np.median(angles)) if some else None,
        }
    ]


def against_rank(settings: PaperSettings, rank: int, seed: int) -> list[Row]:
    """Teach a class that errs in only ``rank`` directions, to the same accuracy in each."""
    room = class_in_a_subspace(settings, rank, seed)
    goal = AverageGoal(settings.eps * rank / settings.dimensions)
    record = teach(room, goal=goal)
    proved = certify(room, goal=goal).rounds
    return [{"rank": rank, "seed": seed, "T": rounds_to_goal(record), "bound": proved}]


def against_students(settings: PaperSettings, students: int, seed: int) -> list[Row]:
    """Teach a class of ``students`` students."""
    settings = replace(settings, students=students)
    record = teach_whole_class(settings, paper_class(settings, seed))
    return [{"students": students, "seed": seed, "T": rounds_to_goal(record)}]


def against_eps(settings: PaperSettings, accuracies: list[float], who: str, seed: int) -> list[Row]:
    """Teach to the highest accuracy; return the rounds that each accuracy took."""
    settings = replace(settings, eps=min(accuracies))
    room = paper_class(settings, seed)
    rng = np.random.default_rng(seed + 20_000)
    rows = rng.standard_normal((1000, settings.dimensions)) * math.sqrt(1.0 / settings.dimensions)
    teachers: dict[str, AbstractTeacher] = {
        "CT": ClassroomTeacher(settings.whole_magnitude),
        "random direction": RandomTeacher(),
        "random item": RandomTeacher(ItemPool(project(rows, settings.example_radius))),
    }
    record = teach_whole_class(settings, room, teacher=teachers[who], seed=seed, max_rounds=20_000)
    return [
        {
            "eps": eps,
            "who": who,
            "seed": seed,
            "T": int(np.argmax(record.errors <= eps)) if record.errors[-1] <= eps else None,
            "bound": certify(room, goal=AverageGoal(eps)).rounds if who == "CT" else None,
        }
        for eps in accuracies
    ]


def mean_direction(settings: PaperSettings, rounds: int, seed: int) -> list[Row]:
    """Teach along the mean gap for at most ``rounds`` rounds."""
    room = paper_class(settings, seed)
    record = teach_whole_class(settings, room, teacher=MeanTeacher(), max_rounds=rounds)
    return [
        {"seed": seed, "round": number, "error": float(error)}
        for number, error in enumerate(record.errors)
    ]


def _random_rates_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``random-rates``."""
    seeds, sigmas = plan.few(SLOW_SEEDS), plan.thin(SIGMAS)
    return plan.cells(random_rates, seeds=seeds, sigma=sigmas, weights=WEIGHTS)


@paper_figure("random-rates", _random_rates_cells, summary="rates that are random in every round")
def figure_random_rates(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw examples needed against the spread of the rates.

    Examples needed if every student draws a new rate in each round, N(rate, σ²), for a teacher who
    weighs students by past draws (as in the paper), and for one who weighs them by the known mean
    rates.
    """
    with curve_panel("standard deviation of the rates, σ") as (drawn, ax):
        for (weights, label), i, line in zip(WEIGHTS.items(), (4, 0), DASHES[1::-1], strict=True):
            own = where(rows, weights=weights)
            draw_band(ax, own, "sigma", "T", label=label, colour=COLOURS[i], line=line)
    return drawn


@paper_figure(
    "noisy-w",
    lambda plan: plan.cells(noisy_moments, seeds=plan.few(FEWER_SEEDS), delta=plan.thin(DELTAS)),
    summary="noise in the matrix W",
)
def figure_noisy_w(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw examples needed against the noise in the moment matrix W.

    Examples needed if the matrix W is observed with a symmetric error of operator norm δ, new in
    every round (mean over seeds, 95 % confidence band).
    """
    with curve_panel("operator norm of the error in W, δ", legend=0) as (drawn, ax):
        draw_band(ax, rows, "delta", "T", label="whole class (CT)", colour=WAY_COLOURS["CT"])
        ax.set_ylim(bottom=0)
    return drawn


def _langevin_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``langevin``."""
    seeds, betas = plan.few(SLOW_SEEDS), plan.thin(BETAS)
    return plan.cells(langevin, seeds=seeds, beta=betas, rounds=[LANGEVIN_ROUNDS])


@paper_figure("langevin", _langevin_cells, summary="students who drift at random")
def figure_langevin(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw the remaining error and its proved bound against the inverse temperature.

    The remaining error of the class after 600 rounds (mean of the last quarter) if students drift
    with inverse temperature β, and the theorem's bound above it.
    """
    up = "remaining mean\nsquared distance"
    with curve_panel("inverse temperature, β", up, log="xy") as (drawn, ax):
        places, floors, _ = mean_curve(rows, "beta", "floor")
        ax.plot(places, floors, color=QUIET, ls=BOUND_LINE, label="proved bound")
        draw_band(ax, rows, "beta", "left", label="measured", colour=COLOURS[0])
    return drawn


@paper_figure(
    "pool",
    lambda plan: plan.cells(pool, seeds=plan.few(FEWER_SEEDS), items=plan.thin(POOL_SIZES)),
    broad=True,
    summary="examples from a pool, and its richness",
)
def figure_pool(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw examples needed, and the richness, against the size of the pool.

    Left: examples needed from a rescalable pool of random directions, by its size. Right: the
    richness of the pool for the class, median over a lesson: the effect u'Wu / λ₁(W), which is our
    measure, and the paper's, cos² of the angle to the best direction.
    """
    with look():
        drawn = figure(PAGE, 2.5)
        left, right = drawn.subplots(1, 2)
        draw_band(left, rows, "items", "T", label="from the pool", colour=COLOURS[0])
        free = mean_curve(rows, "items", "free")[1].mean()
        left.axhline(free, color=QUIET, ls=BOUND_LINE, label="free vectors")
        left.set_ylabel(EXAMPLES_IN_ALL)
        left.set_ylim(bottom=0)
        left.legend()
        draw_band(right, rows, "items", "richness", label="effect (ours)", colour=COLOURS[0])
        angle = "cos² of the angle (paper)"
        draw_band(right, rows, "items", "angle", label=angle, colour=COLOURS[1], line=DASHES[1])
        right.legend()
        right.set_ylim(0, 1.03)
        right.set_ylabel("richness of the pool")
        for ax in (left, right):
            plain_log(ax, "x")
            ax.set_xlabel("directions in the pool")
    return drawn


def _rank_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``rank``.

    A class cannot err in more directions than it has dimensions or students.
    """
    most = min(plan.settings.dimensions, plan.settings.students)
    return plan.cells(against_rank, rank=plan.thin(np.unique(np.minimum(RANKS, most)).tolist()))


@paper_figure("rank", _rank_cells, summary="rounds by the directions of errors, k")
def figure_rank(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw examples needed against the number of directions, and the bound.

    Examples needed by a class with equal rates that errs in only k directions, to the same accuracy
    in each direction, and the bound of Theorem 1 above it.
    """
    with curve_panel("directions in which the class errs, k", legend=3) as (drawn, ax):
        places, bounds, _ = mean_curve(rows, "rank", "bound")
        ax.plot(places, bounds, color=QUIET, ls=BOUND_LINE, label="proved (Theorem 1)")
        draw_band(ax, rows, "rank", "T", label="measured", colour=COLOURS[0])
    return drawn


def _accuracy_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``accuracy``."""
    seeds = plan.few(SLOW_SEEDS)
    return plan.cells(against_eps, seeds=seeds, who=TEACHERS, accuracies=[list(ACCURACIES)])


@paper_figure("accuracy", _accuracy_cells, summary="rounds by the accuracy, 1/ε")
def figure_accuracy(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw examples needed by each teacher against the accuracy.

    Examples needed against the accuracy, on a logarithmic scale: a straight line is O(log 1/ε), a
    curve that bends upwards is more.
    """
    with curve_panel("accepted squared distance, ε", legend=3) as (drawn, ax):
        labels = dict(zip(TEACHERS, TEACHERS, strict=True))
        draw_bands(ax, rows, "eps", "T", by="who", labels=labels)
        plain_log(ax, "x")
        ax.invert_xaxis()
    return drawn


def _size_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``size``."""
    seeds, sizes = plan.few(FEWER_SEEDS), plan.thin(CLASS_SIZES)
    return plan.cells(against_students, seeds=seeds, students=sizes)


@paper_figure("size", _size_cells, summary="rounds by the number of students, N")
def figure_size(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw examples needed against the number of students.

    Examples needed against the number of students, all else being equal.
    """
    with curve_panel("students in the class, N", log="x", legend=0) as (drawn, ax):
        draw_band(ax, rows, "students", "T", label="whole class", colour=COLOURS[0])
        ax.set_ylim(bottom=0)
    return drawn


def _bounds_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``bounds``."""
    return plan.cells(theorem, seeds=plan.few(BOUND_SEEDS), name=THEOREMS, rounds=[BOUND_ROUNDS])


@paper_figure(
    "bounds", _bounds_cells, broad=True, summary="the theorems' bounds over measured curves"
)
def figure_bounds(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw one panel per theorem, with errors and bounds by round.

    The error of the class (for everyone: of the farthest student) in a lesson that satisfies the
    assumptions of each theorem, and the bound that the theorem, corrected where necessary, proves
    for it; one line per class.
    """
    with look():
        drawn = figure(PAGE, 3.6)
        panels = drawn.subplots(2, 4, sharex=True)
        for ax, (name, title) in zip(panels.flat, THEOREMS.items(), strict=False):
            own = where(rows, theorem=name)
            for seed in seeds_of(own):
                lesson = where(own, seed=seed)
                ax.plot(column(lesson, "bound"), color=QUIET, lw=1, ls=BOUND_LINE)
                ax.plot(column(lesson, "error"), color=COLOURS[0], lw=1)
            plain_log(ax, "y")
            ax.minorticks_off()
            ax.set_title(title.replace(", ", "\n"), fontsize=8)
        legend = panels.flat[-1]
        legend.set_axis_off()
        legend.plot([], [], color=QUIET, ls=BOUND_LINE, label="proved")
        legend.plot([], [], color=COLOURS[0], label="measured")
        legend.legend(loc="center")
        drawn.supxlabel("rounds", fontsize=9)
        drawn.supylabel("squared distance to the target", fontsize=9)
    return drawn


def _mean_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``mean``: lessons along the mean gap, and those of figure 3a."""
    return plan.cells(mean_direction, rounds=[MEAN_ROUNDS]) + plan.cells(lesson)


def keep_the_mean(rows: Rows) -> Rows:
    """Return the rows of lessons along the mean gap, which have no bound."""
    return [row for row in rows if "bound" not in row]


@paper_figure("mean", _mean_cells, summary="teaching along the mean gap stalls")
def figure_mean(rows: Rows, plan: PaperPlan) -> Figure:
    """Draw the error along the mean gap and along the best direction.

    The error of the class if the teacher treats the mean of the class as a single student (dashed),
    and if the teacher takes the best direction (solid); one line per class. Once the mean is right,
    no example moves it, and the lesson stops.
    """
    best = [row for row in rows if "bound" in row]
    with curve_panel("rounds", "mean squared distance", log="y") as (drawn, ax):
        for own, colour, dashes, label in (
            (keep_the_mean(rows), COLOURS[1], DASHES[1], "along the mean (stuck at ×)"),
            (best, COLOURS[0], DASHES[0], "best direction (CT)"),
        ):
            for seed in plan.seeds:
                errors = column(where(own, seed=seed), "error")
                ax.plot(errors, color=colour, ls=dashes, lw=0.8, alpha=0.7)
                if own is not best:
                    ax.plot(len(errors) - 1, errors[-1], "x", color=colour, markersize=5)
            ax.plot([], [], color=colour, ls=dashes, label=label)
        draw_goal(ax, plan.settings.eps)
    return drawn


@paper_claim(
    "O(k log 1/ε) examples are enough, whatever the number of students",
    "section 3, Theorem 1",
    *("rank", "accuracy", "size"),
)
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


@paper_claim(
    "The error stays below what the theorems prove, in every round",
    "sections 3 and 4, appendices A and C (bounds corrected)",
    "bounds",
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


@paper_claim(
    "Along the mean gap, students converge on a plane and not to the target",
    "section 3 (a remark in the source)",
    "mean",
)
def the_mean_stalls(tables: Tables) -> Finding:
    """Check that more than half of the error is left at the end of every lesson."""
    left, rounds = [], []
    along_the_mean = keep_the_mean(tables["mean"])
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


@paper_claim(
    "Random examples need at most O(1/ε) rounds (a teacher at most O(log 1/ε))",
    "section 1, after Liu et al. (2017)",
    "accuracy",
)
def random_examples(tables: Tables) -> Finding:
    """Check that T grows at most as 1/ε for both random teachers, and state what describes it best.

    O(1/ε) is an upper bound: a power of 1/ε up to 1.1 fits it. R² shows whether T is closer to
    linear in 1/ε or in log(1/ε).
    """
    found, bounded, inverse = [], [], []
    for who in TEACHERS[1:]:
        eps, rounds = curve_of(where(tables["accuracy"], who=who), "eps", "T", least=3)
        if not np.isfinite(rounds).all():
            raise UnmeasuredError("a lesson did not reach its goal")
        by_log = straightness(np.log(1 / eps), rounds, "eps")
        by_inverse = straightness(1 / eps, rounds, "eps")
        power = fit_line(np.log(1 / eps), np.log(np.maximum(rounds, 1.0)))[0]
        bounded.append(power <= 1.1)
        inverse.append(by_inverse > by_log)
        found.append(
            f"{who}: T grows as 1/ε to the power {power:.2f}; R² = {by_log:.3f} on log(1/ε), "
            f"{by_inverse:.3f} on 1/ε"
        )
    if not all(bounded):
        result = "faster than 1/ε " + ("for one of the two" if any(bounded) else "for both")
    elif any(inverse):
        result = "the bound is tight " + ("for both" if all(inverse) else "for one of the two")
    else:
        result = (
            "the bound is not tight here. Random examples need only O(log 1/ε) too, because the "
            "target itself labels them: every example helps a little, and the error falls "
            "geometrically"
        )
    return verdict(holds=all(bounded), partly=any(bounded)), f"{'; '.join(found)}: {result}"


@paper_claim(
    "A class with random rates can be taught with linear convergence",
    "section 4.2, Theorem 3",
    *("random-rates", "bounds"),
)
def random_rates_converge(tables: Tables) -> Finding:
    """Check that every lesson with random rates reaches its goal, and falls geometrically.

    The goal is checked for all values of σ, the fall of the error for one (``SIGMA``).
    """
    found, reached = [], True
    for weights, name in WEIGHTS.items():
        rows = where(tables["random-rates"], weights=weights)
        sigmas, rounds = curve_of(rows, "sigma", "T")
        reached &= bool(np.isfinite(rounds).all())
        found.append(f"{name} T = {rounds[0]:.0f} to {rounds[-1]:.0f}")
    fall = error_descents(where(tables["bounds"], theorem="random rates"))
    return verdict(holds=reached and fall.steady, partly=fall.steady), (
        f"{'every' if reached else 'not every'} lesson reached its goal, σ from {sigmas[0]:g} to "
        f"{sigmas[-1]:g}; weighted {', '.join(found)}. At σ = {SIGMA:g} {fall}"
    )


@paper_claim(
    "A class whose W is observed with noise can be taught with linear convergence",
    "appendix A.1",
    *("noisy-w", "bounds"),
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


@paper_claim(
    "The error of Langevin students settles below a bound of order 1/β", "appendix A.2", "langevin"
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


@paper_claim("A rich enough pool is as good as free examples", "appendix C", "pool")
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
