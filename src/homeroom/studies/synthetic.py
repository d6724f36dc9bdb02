"""Section 6.1: synthetic classes, their lessons, figures 2 to 3d, and the claims about them.

An experiment returns one row per observation. ``T`` is the number of examples that the teacher
shows in all, ``S`` the number that a student sees on average. CT teaches the class together, CTwP
in groups, IT one by one (see :mod:`homeroom.studies.claims`). The docstring of a judge states what
it checks. Dₓ is the radius of the ball of examples, δ the length of the error in an observed state.

The figures ``who``, ``dip``, ``knowledge-t`` and ``knowledge-s`` show what the paper describes but
does not print, ``rules`` how much depends on the magnitude rules: how long the examples are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom._arrays import Floats
from homeroom.advice import certify
from homeroom.classroom import Classroom, project
from homeroom.goals import AverageGoal
from homeroom.groups import AbstractGrouping, AsGiven, AtRandom, ByRate, Individuals, WholeClass
from homeroom.lessons import Lesson, Record, StoppedBecause, teach
from homeroom.observers import NoisyStates
from homeroom.plots import COLOURS, figure
from homeroom.plots.curves import draw_goal
from homeroom.plots.style import DASHES, QUIET, look
from homeroom.pools import AbstractPool
from homeroom.studies.cells import ExperimentCell
from homeroom.studies.claims import (
    ClaimVerdict,
    Finding,
    Tables,
    UnmeasuredError,
    curve_of,
    diversities_of,
    error_descents,
    fewer_for_students,
    fewer_for_the_teacher,
    individuals_are_best,
    means_of,
    paper_claim,
    verdict,
)
from homeroom.studies.figures import (
    LAMBDAS,
    PAGE,
    WAY_COLOURS,
    WAY_DASHES,
    WIDE_LAMBDAS,
    PaperFigure,
    PaperPlan,
    curve_panel,
    draw_band,
    draw_bands,
    draw_costs,
    draw_trade_off,
    paper_figure,
    plain_log,
)
from homeroom.studies.rows import (
    Row,
    Rows,
    column,
    interval_half_width,
    mean_curve,
    ranks,
    seeds_of,
    where,
)
from homeroom.studies.settings import PaperSettings
from homeroom.teachers import ClassroomTeacher, PoolTeacher

LIMIT = 5_000
"""The number of rounds after which a lesson that has not reached its goal is abandoned."""

PLANE_GROUPS = np.repeat([0, 1], 6)
"""The group of each student in figure 2."""


PLANE_ROUNDS = (0, 1, 2, 6)
"""The rounds that figure 2 shows; by the last, all students have reached the target."""

PLANE_WAYS: dict[str, AbstractGrouping] = {
    "individually": Individuals(),
    "whole class": WholeClass(),
    "two groups": AsGiven(PLANE_GROUPS),
}
"""The ways of teaching in figure 2, in the plane."""


PLANE_MARKERS = ("o", "^")

ARROW = 0.9
"""The length of an example's arrow in figure 2."""

POINTS = 11
"""How many diversities figures 3b, 3c and 3e have."""

WIDE_DIVERSITIES = (0.0, 0.25, 0.5, 0.7, 1.0, 1.5, 2.0)

RULES = {
    "class static, groups dynamic": "whole_magnitude=static, group_magnitude=dynamic",
    "static for both": "whole_magnitude=static, group_magnitude=static",
    "dynamic for both": "whole_magnitude=dynamic, group_magnitude=dynamic",
}
"""The magnitude rules for the whole class and for groups that figure ``rules`` compares."""

RULES_SEEDS, NOISE_SEEDS = 5, 10
"""The number of classes, of twenty, for figure ``rules``, and for figure 3d."""

DELTAS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)
"""The lengths of the error in each state in figure 3d."""

RADII = ("example_radius=2", "example_radius=3", "example_radius=10")
"""The radii of the ball of examples in figure ``dip``."""

DIP_SEEDS = 5

RATE_DIVERSITY = "diversity of rates"

CLUSTERS = "clusters of prior knowledge"


FOUR_WAYS = ("CT", "CTwP-Opt", "CTwP-Rand", "IT")
"""The ways of teaching: the whole class, groups, random groups, individuals."""

UNREACHED: Row = {"T": None, "S": None}
"""The costs of a lesson that did not reach its goal."""

FOUR_STUDENTS = ("slow, far", "fast, far", "slow, near", "fast, near")
"""The students whose errors figure 3a shows."""

NOISE_LAWS = ("noise=sphere", "noise=normal")
"""The laws of the noise that figure ``sensitivity`` compares."""


def paper_class(settings: PaperSettings, seed: int) -> Classroom:
    """Return the class of figures 3a and 3d: rates between 0.05 and 0.25 by default."""
    return _draw_class(settings, settings.mixed_slowest, settings.mixed_fastest, seed)


def class_with_diverse_rates(settings: PaperSettings, diversity: float, seed: int) -> Classroom:
    """Return a class whose rates lie between the slowest and the slowest plus ``diversity``."""
    return _draw_class(settings, settings.slowest, settings.slowest + diversity, seed)


def _draw_class(settings: PaperSettings, low: float, high: float, seed: int) -> Classroom:
    """Return a class with rates drawn between two limits, as the settings describe it."""
    # The order of the draws is fixed: rates, target, states.
    rng = np.random.default_rng(seed)
    draws = rng.random(settings.students)
    if settings.rate_law == "log-uniform":
        rates = low * (high / low) ** draws
    else:
        rates = low + (high - low) * draws
    target = _draw_target(settings, settings.dimensions, rng)
    shape = (settings.students, settings.dimensions)
    if settings.states == "uniform":  # on a cube with the same standard deviation
        states = math.sqrt(12.0) * settings.spread * (rng.random(shape) - 0.5)
    else:
        states = settings.spread * rng.standard_normal(shape)
    return _classroom(settings, states, rates, target)


def _draw_target(settings: PaperSettings, dimensions: int, rng: np.random.Generator) -> Floats:
    """Return a target with a random direction."""
    target = rng.standard_normal(dimensions)
    length: float = settings.target_length / math.sqrt(float(target @ target))
    return length * target


def class_in_a_subspace(settings: PaperSettings, rank: int, seed: int) -> Classroom:
    """Return a class with equal rates that errs in only ``rank`` directions."""
    rng = np.random.default_rng(seed)
    target = _draw_target(settings, settings.dimensions, rng)
    gaps = settings.spread * rng.standard_normal((settings.students, rank))
    basis = np.linalg.qr(rng.standard_normal((settings.dimensions, rank)))[0]
    rates = np.full(settings.students, settings.slowest)
    return _classroom(settings, target + gaps @ basis.T, rates, target)


def class_with_diverse_knowledge(
    settings: PaperSettings, clusters: int, seed: int
) -> tuple[Classroom, np.ndarray]:
    """Return a class in clusters, each centred on its own axis, and the cluster of each student."""
    rng = np.random.default_rng(seed)
    students, dimensions = settings.students, settings.knowledge_dimensions
    target = _draw_target(settings, dimensions, rng)
    cluster_of = np.arange(students) * clusters // students
    states = settings.cluster_spread * rng.standard_normal((students, dimensions))
    states[np.arange(students), cluster_of] += settings.centre
    rates = settings.knowledge_rate + settings.knowledge_width * rng.random(students)
    return _classroom(settings, states, rates, target), cluster_of


def _classroom(
    settings: PaperSettings, states: np.ndarray, rates: np.ndarray, target: np.ndarray
) -> Classroom:
    """Return a class; states and target are projected into the ball of states."""
    radius = settings.state_radius
    return Classroom(
        project(states, radius),
        rates,
        project(target[None], radius)[0],
        state_radius=radius,
        example_radius=settings.example_radius,
    )


def rates(
    settings: PaperSettings,
    diversities: Sequence[float],
    seed: int,
    variation: str = "",
    ways: Sequence[str] = FOUR_WAYS,
) -> list[Row]:
    """Teach classes with diverse rates in some of the four ways (figures 3b, 3c, 3e)."""
    classes = [
        TaughtClass(
            class_with_diverse_rates(settings, width, seed),
            ByRate(),
            {"variation": variation, "kind": "rates", "diversity": width},
        )
        for width in diversities
    ]
    return teach_four_ways(settings, classes, seed, ways=ways)


def knowledge(
    settings: PaperSettings,
    clusters: Sequence[int],
    seed: int,
    variation: str = "",
    ways: Sequence[str] = FOUR_WAYS,
) -> list[Row]:
    """Teach classes with diverse prior knowledge in some of the four ways (figure 3f)."""
    classes = []
    for count in clusters:
        room, cluster_of = class_with_diverse_knowledge(settings, count, seed)
        where = {"variation": variation, "kind": "knowledge", "diversity": count}
        classes.append(TaughtClass(room, AsGiven(cluster_of), where))
    return teach_four_ways(settings, classes, seed, ways=ways)


def whole_class(settings: PaperSettings, diversity: float, seed: int, variation: str) -> list[Row]:
    """Teach a class with diverse rates as a whole (the dip of figures 3b and 3c)."""
    room = class_with_diverse_rates(settings, diversity, seed)
    where = {"variation": variation, "diversity": diversity, "seed": seed}
    return [{**where, "T": rounds_to_goal(teach_whole_class(settings, room))}]


def lesson(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach the class of figure 3a; return its error, that of four students, and the bound."""
    room = put_four_students(paper_class(settings, seed))
    record = teach(
        room,
        teacher=ClassroomTeacher(settings.whole_magnitude),
        goal=AverageGoal(settings.eps),
        watch=[number % room.students for number in range(len(FOUR_STUDENTS))],
    )
    proved = certify(room, goal=AverageGoal(settings.eps))
    return [
        {
            "seed": seed,
            "round": number,
            "error": float(error),
            "bound": proved.bound(number),
            **dict(zip(FOUR_STUDENTS, watched.tolist(), strict=True)),
        }
        for number, (error, watched) in enumerate(
            zip(record.errors, record.watched_errors, strict=True)
        )
    ]


def put_four_students(room: Classroom) -> Classroom:
    """Return a class whose first four students are those of the paper's source.

    Two start at the same place far from the target, two at the same place near it. Of each pair,
    one has the rate 0.05 and the other 0.15.
    """
    by_distance = np.argsort(room.squared_distances)
    far, near = (by_distance[int(share * (room.students - 1))] for share in (0.9, 0.1))
    states, rates = np.array(room.states), np.array(room.rates)
    starts, slow_and_fast = [states[far], states[near]], [0.05, 0.15]
    chosen = min(len(FOUR_STUDENTS), room.students)
    states[:chosen] = np.repeat(starts, 2, axis=0)[:chosen]
    rates[:chosen] = np.tile(slow_and_fast, 2)[:chosen]
    return replace(room, states=states, rates=rates)


def counter_examples(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach two students together and individually, for errata 7 and 8 of the paper.

    "rates far apart": with the static magnitude for both, the fast student keeps it small for the
    slow one. "near the goal": the squared distances are 1.1 and 0.5 times the goal, so the mean is
    within it, and one student is not.
    """
    near = Classroom(np.sqrt(settings.eps * np.array([[1.1], [0.5]])), [0.1, 0.1], [0.0])
    apart = Classroom(np.eye(2), [0.1, 5.0], np.zeros(2))
    static = replace(settings, whole_magnitude="static", group_magnitude="static", eps=0.01)
    classes = (("near the goal", near, settings), ("rates far apart", apart, static))
    where = {"variation": "", "diversity": 0.0, "seed": seed}
    return [
        {**where, "kind": kind, "way": way, **teach_one_way(how, room, groups, way, seed)}
        for kind, room, how in classes
        for way, groups in (("CT", WholeClass()), ("IT", Individuals()))
    ]


def noisy_states(
    settings: PaperSettings, delta: float, seed: int, variation: str = ""
) -> list[Row]:
    """Teach with noisy observations of the states (figure 3d)."""
    room = paper_class(settings, seed)
    observer = NoisyStates(delta, law=settings.noise)
    record = teach_whole_class(settings, room, observer=observer, seed=seed)
    where = {"variation": variation, "kind": "noise", "delta": delta}
    return [{**where, "seed": seed, "T": rounds_to_goal(record)}]


def individually(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach the students of figures 3a and 3d individually, with exact observations."""
    alone = teach_one_way(settings, paper_class(settings, seed), Individuals(), "IT", seed)
    return [{"seed": seed, "T": alone["T"]}]


def who_takes_longer(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach the class of figure 3a; return after how many rounds each student reached the goal."""
    room = paper_class(settings, seed)
    record = teach_whole_class(settings, room, watch=range(room.students))
    reached = record.watched_errors <= settings.eps
    rounds = np.where(reached.any(axis=0), reached.argmax(axis=0), len(reached))
    return [
        {"seed": seed, "rate": float(rate), "distance": float(distance), "rounds": int(number)}
        for rate, distance, number in zip(
            room.rates, np.sqrt(room.squared_distances), rounds, strict=True
        )
    ]


def three_ways(seed: int) -> list[Row]:
    """Teach twelve students in the plane in three ways; return their paths and the examples."""
    rng = np.random.default_rng(seed)
    centres = np.array([[2.4, 0.5], [-0.6, 2.0]])[PLANE_GROUPS]
    room = Classroom(centres + 0.28 * rng.standard_normal((12, 2)), np.full(12, 0.15), [0.0, 0.0])
    rows: list[Row] = []
    for way, groups in PLANE_WAYS.items():
        lesson = Lesson(room, groups=groups, max_rounds=PLANE_ROUNDS[-1])
        number = 0
        rows += _places("student", room.states, way, number)
        while (asked := lesson.ask()) is not None:
            shown = asked if isinstance(asked, tuple) else (asked,)
            rows += _places(
                "example", [None if one is None else one.x for one in shown], way, number
            )
            lesson.tell()
            number += 1
            rows += _places("student", lesson.record().final_states, way, number)
    return rows


def _places(
    kind: str, points: Sequence[Floats | None] | Floats, way: str, number: int
) -> list[Row]:
    """Return one row per point of the plane: students, or the examples of the groups."""
    return [
        {"way": way, "kind": kind, "who": who, "round": number, "x": point[0], "y": point[1]}
        for who, point in enumerate(np.asarray(one).tolist() for one in points)
        if point is not None
    ]


def teach_whole_class(settings: PaperSettings, room: Classroom, **options: Any) -> Record:
    """Teach a class as a whole; ``options`` are those of :func:`homeroom.teach`."""
    options.setdefault("teacher", ClassroomTeacher(settings.whole_magnitude))
    options.setdefault("max_rounds", LIMIT)
    return teach(room, goal=AverageGoal(settings.eps), **options)


def rounds_to_goal(record: Record) -> int | None:
    """Return the number of rounds of a lesson, or ``None`` if it did not reach its goal."""
    return record.rounds if record.stopped_because is StoppedBecause.GOAL else None


def four_ways(groups: AbstractGrouping, count: int) -> dict[str, AbstractGrouping]:
    """Return the groupings that are compared: ``groups``, and random groups of the same number."""
    return {
        "CT": WholeClass(),
        "CTwP-Opt": groups,
        "CTwP-Rand": AtRandom(count),
        "IT": Individuals(),
    }


@dataclass(frozen=True, eq=False)
class TaughtClass:
    """A class that is taught in several ways, its groups, and the columns of all its rows."""

    room: Classroom
    groups: AbstractGrouping
    where: Row


def teach_four_ways(
    settings: PaperSettings,
    classes: Sequence[TaughtClass],
    seed: int,
    items: AbstractPool | None = None,
    ways: Sequence[str] = FOUR_WAYS,
) -> list[Row]:
    """Teach classes in the four ways; return one row per class and way.

    Examples are free vectors, or ``items`` if given. ``ways`` are those that are measured.
    """
    rows: list[Row] = []
    for own in classes:
        count = int(own.groups.split(own.room, np.random.default_rng(seed)).max()) + 1
        splits = four_ways(own.groups, count)
        rows += [
            {
                **own.where,
                "seed": seed,
                "way": way,
                **teach_one_way(settings, own.room, splits[way], way, seed, items),
            }
            for way in ways
        ]
    return rows


def teach_one_way(  # noqa: PLR0917 - what a lesson consists of
    settings: PaperSettings,
    room: Classroom,
    groups: AbstractGrouping,
    way: str,
    seed: int,
    items: AbstractPool | None = None,
) -> Row:
    """Return ``T`` and ``S`` of a class in one way, by the rule for groups of ``settings.stop``."""
    grouped = way.startswith("CTwP")
    rule = settings.group_magnitude if grouped else settings.whole_magnitude
    own = settings.stop == "own" or way == "CT"
    record = teach(
        room,
        teacher=ClassroomTeacher(rule) if items is None else PoolTeacher(items, rule),
        # To stop all groups together, teach each for longer, and cut where the mean error of the
        # class reaches the goal. At 1e-4 of the goal, a group no longer changes that mean.
        goal=AverageGoal(settings.eps if own else 1e-4 * settings.eps),
        groups=groups,
        seed=seed,
        max_rounds=LIMIT,
    )
    return costs_of(record, None if own else settings.eps)


def costs_of(record: Record, eps: float | None = None) -> Row:
    """Return ``T`` and ``S`` of a lesson.

    Each group stops at its own goal; with ``eps``, all stop when the class reaches it.
    """
    if record.stopped_because is not StoppedBecause.GOAL:
        return UNREACHED
    if eps is None:
        return {"T": record.rounds, "S": record.workload}
    rounds = int(np.argmax(record.errors <= eps))
    return {"T": rounds * len(record.sizes), "S": float(rounds)}


@paper_figure("2", lambda _plan: [ExperimentCell.of(three_ways, seed=0)], broad=True)
def figure_2(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw one line of panels per way of teaching, one panel per round.

    Twelve students on their way to the target (star). An example pulls along one line (arrows).
    Each student who sees it moves along that line, farther if their error is larger. Taught
    individually, students move straight to the target, but the teacher needs many examples. Taught
    as a whole class, few examples are enough, but students take detours. Two groups lie in between.
    """
    titles = ("at the start", "after 1 round", "after 2 rounds", "at the end")
    with look():
        drawn = figure(PAGE, 4.4)
        panels = drawn.subplots(len(PLANE_WAYS), len(PLANE_ROUNDS), sharex=True, sharey=True)
        for line, way in zip(panels, PLANE_WAYS, strict=True):
            own = where(rows, way=way)
            for ax, number in zip(line, PLANE_ROUNDS, strict=True):
                _draw_round(ax, own, number)
            line[0].set_ylabel(_way_label(own, way), rotation=0, ha="right", va="center")
        for ax, title in zip(panels[0], titles, strict=True):
            ax.set_title(title)
        panels[0, 0].annotate("target", (0, 0), (6, -11), textcoords="offset points")
    return drawn


def _way_label(rows: Rows, way: str) -> str:
    """Return a way's name, and what it costs the teacher and the students."""
    shown = where(rows, kind="example")
    if way == "individually":
        seen = len(shown) / len(PLANE_GROUPS)
    else:
        per_group = [len(where(shown, who=group)) for group in range(2)]
        seen = per_group[0] if way == "whole class" else float(np.mean(per_group))
    return f"{way}\n{len(shown)} examples,\n{seen:g} per student"


def _draw_round(ax: Axes, rows: Rows, number: int) -> None:
    """Draw the students after a round, their paths so far, and the examples of that round."""
    for student, group in enumerate(PLANE_GROUPS):
        colour = COLOURS[int(group)]
        path = [
            (row["x"], row["y"])
            for row in where(rows, kind="student", who=student)
            if row["round"] <= number
        ]
        ax.plot(*np.array(path).T, color=colour, lw=0.8, alpha=0.55)
        ax.plot(*path[-1], PLANE_MARKERS[int(group)], color=colour, markersize=4)
    if 0 < number < PLANE_ROUNDS[-1]:
        for row in where(rows, kind="example", round=number - 1):
            _draw_example(ax, row)
    ax.plot(0, 0, "*", color="black", markersize=9)
    ax.set_aspect("equal")
    ax.set_xlim(-1.5, 3.3)
    ax.set_ylim(-1.1, 2.9)
    ax.set_xticks([])
    ax.set_yticks([])


def _draw_example(ax: Axes, row: Row) -> None:
    """Draw the line along which an example moves students."""
    length = float(np.hypot(row["x"], row["y"])) or 1.0
    x, y = ARROW * row["x"] / length, ARROW * row["y"] / length
    arrow = {"arrowstyle": "<->", "color": QUIET, "lw": 0.6, "mutation_scale": 6}
    ax.annotate("", (x, y), (-x, -y), arrowprops={**arrow, "shrinkA": 0, "shrinkB": 0})


@paper_figure("3a", lambda plan: plan.cells(lesson))
def figure_3a(rows: Rows, plan: PaperPlan) -> Figure:
    """Draw the error of the first class and of four students, against rounds.

    Squared distance to the target against rounds, for the first class until it reaches its goal and
    for four of its students: two start at the same place far from the target, two near it, and of
    each pair one has the rate 0.05 and the other 0.15. Shaded: the middle 95 % of all classes,
    until the first of them has reached the goal.
    """
    first = where(rows, seed=plan.seeds[0])
    lessons = [column(where(rows, seed=seed), "error") for seed in plan.seeds]
    shortest = min(len(lesson) for lesson in lessons)
    low, high = np.quantile([lesson[:shortest] for lesson in lessons], [0.025, 0.975], axis=0)
    up = "squared distance to the target"
    with curve_panel("rounds", up, legend=3, height=2.9) as (drawn, ax):
        ax.fill_between(np.arange(len(low)), low, high, color=COLOURS[0], alpha=0.2, lw=0)
        ax.plot(lessons[0], color=COLOURS[0], lw=2.4, label="class average")
        for colour, dashes, student in zip(COLOURS[1:], DASHES, FOUR_STUDENTS, strict=False):
            values = column(first, student)
            values = np.where(values > 0, values, np.nan)
            ax.plot(values, color=colour, ls=dashes, lw=1.1, label=student)
        draw_goal(ax, plan.settings.eps)
        plain_log(ax, "y")
        ax.set_ylim(bottom=1e-4 * plan.settings.eps)
    return drawn


def _diversities(plan: PaperPlan) -> list[float]:
    """Return evenly spaced diversities of rates, from 0 to the greatest of the settings."""
    step = plan.settings.greatest_diversity / (POINTS - 1)
    return [round(step * i, 6) for i in range(POINTS)]


def rates_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells that figures 3b, 3c and 3e share."""
    return plan.cells(rates, diversities=[list(plan.thin(_diversities(plan)))])


def _knowledge_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells that figures 3f, knowledge-t and knowledge-s share."""
    clusters = plan.thin(range(1, plan.settings.knowledge_dimensions + 1))
    return plan.cells(knowledge, clusters=[list(clusters)])


figure_3b = PaperFigure(
    "3b",
    "Examples the teacher needs in all, against the diversity of rates (mean over seeds, 95 % "
    "confidence band). With the static magnitude the whole class dips at 0.15, where the ball "
    "stops limiting the magnitude.",
    rates_cells,
    partial(draw_costs, cost="T", across=RATE_DIVERSITY),
)
figure_3c = PaperFigure(
    "3c",
    "Examples a student sees on average, against the diversity of rates (mean over seeds, 95 % "
    "confidence band).",
    rates_cells,
    partial(draw_costs, cost="S", across=RATE_DIVERSITY),
)


def _noise_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure 3d: individuals without noise, and the class with noise."""
    seeds = plan.few(NOISE_SEEDS)
    noisy = plan.cells(noisy_states, seeds=seeds, delta=plan.thin(DELTAS))
    return plan.cells(individually, seeds=seeds) + noisy


@paper_figure("3d", _noise_cells)
def figure_3d(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw examples needed against the noise in the states.

    Examples the teacher needs if each state is observed with an error of length δ (mean over seeds,
    95 % confidence band). The other line is individual teaching without noise.
    """
    noisy = [row for row in rows if "delta" in row]
    alone = column([row for row in rows if "delta" not in row], "T").mean()
    with curve_panel("length of the error in each state, δ", log="y") as (drawn, ax):
        draw_band(ax, noisy, "delta", "T", label="whole class (CT)", colour=WAY_COLOURS["CT"])
        colour, line = WAY_COLOURS["IT"], WAY_DASHES["IT"]
        ax.axhline(alone, color=colour, ls=line, label="individuals, no noise (IT)")
    return drawn


figure_3e = PaperFigure(
    "3e",
    "The cheapest way of teaching, by the diversity of rates and the weight λ in T + λ S.",
    rates_cells,
    partial(draw_trade_off, lambdas=LAMBDAS, across=RATE_DIVERSITY),
)
figure_3f = PaperFigure(
    "3f",
    "The cheapest way of teaching, by the number of clusters and the weight λ in T + λ S.",
    _knowledge_cells,
    partial(draw_trade_off, lambdas=WIDE_LAMBDAS, across=CLUSTERS),
)


@paper_figure(
    "who",
    lambda plan: plan.cells(who_takes_longer, seeds=plan.seeds[:5]),
    summary="which students take longer",
)
def figure_who(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw the rounds of each student against their learning rate.

    The number of rounds after which each student was within the goal, against their learning rate;
    darker students started farther from the target. Students who had not reached the goal when the
    lesson ended are at the top.
    """
    across = "learning rate of the student"
    with curve_panel(across, "rounds until the goal", legend=0) as (drawn, ax):
        dots = ax.scatter(
            column(rows, "rate"),
            column(rows, "rounds"),
            c=column(rows, "distance"),
            cmap="cividis_r",
            s=7,
            linewidths=0,
            rasterized=True,
        )
        drawn.colorbar(dots, label="distance at the start")
    return drawn


def _dip_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``dip``."""
    diversities = _diversities(plan)
    return plan.variations(whole_class, RADII, seeds=plan.few(DIP_SEEDS), diversity=diversities)


@paper_figure("dip", _dip_cells, summary="why the whole class dips at diversity 0.15")
def figure_dip(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw examples for the whole class against diversity, by radius.

    Examples the whole class needs with the static magnitude, for three radii Dₓ of the ball of
    examples. The ball limits the magnitude for all students up to a diversity of 1/Dₓ² minus the
    slowest rate: with 0.1, that is 0.15 for the paper's Dₓ = 2, 0.01 for 3, and never for 10.
    """
    labels = {radius: f"$D_X$ = {radius.partition('=')[2]}" for radius in RADII}
    with curve_panel(RATE_DIVERSITY, legend=3) as (drawn, ax):
        draw_bands(ax, rows, "diversity", "T", by="variation", labels=labels)
        ax.set_ylim(bottom=0)
    return drawn


def _rules_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure ``rules``."""
    return plan.variations(
        rates,
        RULES,
        seeds=plan.few(RULES_SEEDS),
        diversities=[list(plan.thin(WIDE_DIVERSITIES))],
        ways=[("CT", "CTwP-Opt")],
    )


@paper_figure("rules", _rules_cells, summary="groups and class with one rule for the magnitude")
def figure_rules(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw examples for groups relative to the class, by magnitude rules.

    Examples the teacher needs for groups, as a fraction of those for the whole class, if both have
    the same magnitude rule and if they have different ones (mean over seeds, 95 % confidence band).
    Below the line, groups need fewer. Not in the paper.
    """
    whole = {_where(row): row["T"] for row in where(rows, way="CT")}
    ratios = [
        {**row, "ratio": row["T"] / whole[_where(row)] if row["T"] and whole[_where(row)] else None}
        for row in where(rows, way="CTwP-Opt")
    ]
    up = "examples for groups, as a\nfraction of those for the class"
    with curve_panel(RATE_DIVERSITY, up, legend=1) as (drawn, ax):
        labels = dict(zip(RULES, RULES, strict=True))
        draw_bands(ax, ratios, "diversity", "ratio", by="variation", labels=labels)
        ax.axhline(1.0, color=QUIET, lw=0.8)
        ax.set_ylim(bottom=0)
    return drawn


def _where(row: Row) -> tuple[object, ...]:
    """Return which class a row is about, and how it was taught."""
    return row["variation"], row["diversity"], row["seed"]


figure_knowledge_t = PaperFigure(
    "knowledge-t",
    "Examples the teacher needs in all, against the number of clusters of prior knowledge "
    "(described in section 6.1, not printed there).",
    _knowledge_cells,
    partial(draw_costs, cost="T", across=CLUSTERS),
    summary="diverse knowledge: examples the teacher shows",
)
figure_knowledge_s = PaperFigure(
    "knowledge-s",
    "Examples a student sees on average, against the number of clusters of prior knowledge "
    "(described in section 6.1, not printed there).",
    _knowledge_cells,
    partial(draw_costs, cost="S", across=CLUSTERS),
    summary="diverse knowledge: examples a student sees",
)


@paper_claim("CT exhibits linear convergence", "section 6.1, figure 3a", "3a")
def linear_convergence(tables: Tables) -> Finding:
    """A geometric fall, and no round slower than the theorem proves."""
    fall = error_descents(tables["3a"])
    proved = bool((fall.worst <= fall.proved + 1e-9).all())
    return verdict(holds=fall.steady and proved), (
        f"{fall}; no round leaves more than {fall.worst.max():.4f}, which is "
        f"{'within' if proved else 'more than'} the theorem's r"
    )


@paper_claim(
    "The slower the learners and the further away they are, the longer they take",
    "section 6.1, figure 3a",
    "who",
)
def slow_and_far_take_longer(tables: Tables) -> Finding:
    """A rank regression on rate and distance has the claimed signs in every class."""
    slopes = []
    if not tables["who"]:
        raise UnmeasuredError("no students were measured")
    for seed in seeds_of(tables["who"]):
        rows = where(tables["who"], seed=seed)
        values = [column(rows, name) for name in ("rate", "distance", "rounds")]
        if any(np.ptp(one) == 0 for one in values):
            raise UnmeasuredError("all students have the same rate, distance or number of rounds")
        rate, distance, rounds = (ranks(one) for one in values)
        predictors = np.column_stack([rate, distance, np.ones(len(rows))])
        slopes.append(np.linalg.lstsq(predictors, rounds, rcond=None)[0][:2])
    by_rate, by_distance = np.array(slopes).T
    slower, farther = bool((by_rate < 0).all()), bool((by_distance > 0).all())
    return verdict(holds=slower and farther, partly=slower or farther), (
        f"rank regression of a student's rounds: {by_rate.mean():+.2f} on the learning rate, "
        f"{by_distance.mean():+.2f} on the distance (means over {len(slopes)} classes; the signs "
        f"are {'the same' if slower and farther else 'not the same'} in all)"
    )


@paper_claim(
    "Noise in the states raises the rounds, which stay significantly below noise-free IT",
    "section 6.1, figure 3d",
    "3d",
)
def noise_costs_little(tables: Tables) -> Finding:
    """More rounds with the most noise than with none, and at most half of those of individuals."""
    noisy = [row for row in tables["3d"] if "delta" in row]
    individuals = column([row for row in tables["3d"] if "delta" not in row], "T")
    deltas, rounds = curve_of(noisy, "delta", "T")
    if not individuals.any():
        raise UnmeasuredError("individuals need no examples, or were not measured")
    alone = float(individuals.mean())
    more = _rounds_by_class(noisy, deltas[-1]) - _rounds_by_class(noisy, deltas[0])
    laws = [
        f"{law.partition('=')[2]} {mean_curve(own, 'delta', 'T')[1][-1]:.0f}"
        for law in NOISE_LAWS
        if (own := where(tables.get("sensitivity", []), variation=law))
    ]
    return verdict(holds=_lower_limit(more) > 0 and float(rounds.max()) < alone / 2), (
        f"T = {rounds[0]:.0f} without noise, {rounds[-1]:.0f} at δ = {deltas[-1]:g} "
        f"({more.mean():+.0f}, {_confidence(more)}); individuals without noise {alone:.0f}"
        + (f"; by the law of the noise at the highest δ: {', '.join(laws)}" if laws else "")
    )


def _rounds_by_class(rows: Rows, delta: float) -> Floats:
    """Return T at one noise level for every class, in the order of the seeds."""
    return mean_curve(where(rows, delta=delta), "seed", "T")[1]


def _confidence(values: Floats) -> str:
    """Return the lower limit of the mean in words, for the evidence."""
    if len(values) == 1:
        return "one class, no interval"
    return f"at least {_lower_limit(values):+.0f} with 97.5 % confidence"


def _lower_limit(values: Floats) -> float:
    """Return the lower end of the mean's 95 % confidence interval; a single value as it is."""
    half = interval_half_width(values) if len(values) > 1 else 0.0
    return float(values.mean() - half)


@paper_claim(
    "The dip at diversity 0.15 is due to the value of Dₓ", "section 6.1, figures 3b and 3c", "dip"
)
def dip_is_due_to_the_ball(tables: Tables) -> Finding:
    """The lowest point is inside the curve at 0.15, and moves to 0 with a larger ball."""
    curves = {
        radius: curve_of(where(tables["dip"], variation=radius), "diversity", "T", least=3)
        for radius in RADII
    }
    diversities, rounds = curves[RADII[0]]
    sizes = [radius.partition("=")[2] for radius in RADII]
    lowest = [float(places[curve.argmin()]) for places, curve in curves.values()]
    step = float(np.diff(diversities).min()) + 1e-9
    dips = bool(0 < rounds.argmin() < len(rounds) - 1) and abs(lowest[0] - 0.15) <= step
    gone = lowest[-1] == diversities[0]
    found = ", ".join(f"{low:g} with Dₓ = {size}" for low, size in zip(lowest, sizes, strict=True))
    return verdict(holds=dips and gone and bool(np.isfinite(rounds).all())), (
        f"the whole class needs fewest examples at diversity {found}; with Dₓ = {sizes[0]} it "
        f"needs {rounds[0]:.0f} at 0, {rounds.min():.0f} at the dip and {rounds[-1]:.0f} at "
        f"{diversities[-1]:g}. The ball limits the magnitude for all students while "
        "1/(slowest rate + diversity) > Dₓ²"
    )


@paper_claim(
    "CTwP-Opt consistently outperforms CT for the students", "section 6.1, figure 3c", "3c"
)
def groups_help_students(tables: Tables) -> Finding:
    """No more examples per student at any diversity, and fewer at the highest."""
    return fewer_for_students(tables["3c"], "diversity {:g}")


@paper_claim(
    "For a class with low diversity, partitioning is costly", "section 6.1, figure 3b", "3b"
)
def groups_cost_at_low_diversity(tables: Tables) -> Finding:
    """In the lower half of the diversities, groups never need fewer, and somewhere more."""
    means, places = means_of(tables["3b"], "T"), diversities_of(tables["3b"])
    low = places <= places[-1] / 2
    ratio = (means["CTwP-Opt"] / means["CT"])[low]
    worst = int(ratio.argmax())
    return verdict(
        holds=bool((ratio > 1 - 1e-9).all() and ratio.max() > 1), partly=ratio[0] >= 1
    ), (
        f"up to diversity {places[low][-1]:g} groups need {ratio.min():.2f} to {ratio.max():.2f} "
        f"times as many examples as the whole class (most at {places[worst]:g}; if all rates lie "
        "within a factor of two there is one group, and no difference)"
    )


@paper_claim(
    "As diversity increases, partitioning is beneficial from the teacher's perspective",
    "section 6.1, figure 3b",
    *("3b", "rules"),
)
def groups_help_the_teacher(tables: Tables) -> Finding:
    """Fewer examples in all at the end of figure 3b's axis, also with one rule for both."""
    by_default, evidence = fewer_for_the_teacher(tables["3b"], "diversity {:g}")
    end, at = diversities_of(tables["3b"])[-1], "diversity {:g}"
    by_rule = {rule: where(tables["rules"], variation=rule) for rule in RULES}
    texts = [f"{rule}: {fewer_for_the_teacher(own, at)[1]}" for rule, own in by_rule.items()]
    there = [
        fewer_for_the_teacher([row for row in own if row["diversity"] <= end], at)[0]
        for own in by_rule.values()
    ]
    every = [by_default, *there]
    return verdict(
        holds=all(one is ClaimVerdict.HOLDS for one in every),
        partly=any(one is not ClaimVerdict.FAILS for one in every),
    ), (
        f"as in figure 3b, {evidence}. It depends on the magnitude rules, and on how far the axis "
        f"goes: {'; '.join(texts)}"
    )


@paper_claim("IT performs best for the students", "section 6.1, figure 3c", "3c")
def individuals_are_best_for_students(tables: Tables) -> Finding:
    """Fewer examples per student than in any other way, at every diversity."""
    return individuals_are_best(tables["3c"])


@paper_claim(
    "Homogeneous groups beat random ones",
    "section 6.1, figures 3b and 3c (drawn, not stated)",
    *("3b", "knowledge-t"),
)
def homogeneous_beats_random(tables: Tables) -> Finding:
    """Fewer examples in all than the same number of random groups, wherever there are groups."""
    found, least = [], []
    for name, kind in (("3b", "rates"), ("knowledge-t", "knowledge")):
        means = means_of(tables[name], "T")
        ratio = means["CTwP-Rand"] / means["CTwP-Opt"]
        ratio = ratio[means["CTwP-Rand"] != means["CTwP-Opt"]]
        if not len(ratio):
            return verdict(holds=False), f"{kind}: random groups need the same everywhere"
        least.append(float(ratio.min()))
        found.append(f"{ratio.min():.2f} to {ratio.max():.2f} times ({kind})")
    return verdict(holds=min(least) > 1.0, partly=max(least) > 1.0), (
        f"where the two differ, random groups need {' and '.join(found)} as many examples as "
        "homogeneous groups"
    )
