"""Section 6.2: a crowd that was asked about insects, its classes, figures 4a to 4f, and the claims.

The crowd is treated like any other data: the map, the hypotheses of the annotators and the target
come from the answers alone. Only the paper's types of learners, P1 to P4, are determined from the
species: by which species a hypothesis calls butterflies.

``T`` counts examples shown by the teacher, ``S`` those that a student sees on average. CT teaches
the class together, CTwP in groups, IT one by one (see :mod:`homeroom.studies.claims`). The
docstring of a judge states what it checks.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom._arrays import Floats
from homeroom._checks import InputError, counted
from homeroom.classroom import Classroom
from homeroom.crowd import insects as insect_pictures
from homeroom.crowd.embedding import Embedding
from homeroom.crowd.insects import ANNOTATOR_TYPES as CLUSTERS
from homeroom.crowd.insects import SPECIES, Insects
from homeroom.goals import AverageGoal
from homeroom.groups import AsGiven, WholeClass
from homeroom.lessons import teach
from homeroom.plots import COLOURS, figure
from homeroom.plots.style import DASHES, look
from homeroom.pools import DirectionPool
from homeroom.studies.cells import ExperimentCell
from homeroom.studies.claims import (
    ClaimVerdict,
    Finding,
    Tables,
    UnmeasuredError,
    diversities_of,
    individuals_are_best,
    means_of,
    paper_claim,
    verdict,
)
from homeroom.studies.figures import (
    COLUMN,
    COMPARED,
    PAGE,
    WIDE_LAMBDAS,
    PaperFigure,
    PaperPlan,
    curve_panel,
    draw_costs,
    draw_trade_off,
    draw_ways,
    paper_figure,
)
from homeroom.studies.rows import Row, Rows, cheapest_way, column, mean_curve, seeds_of, where
from homeroom.studies.settings import PaperSettings
from homeroom.studies.synthetic import TaughtClass, teach_four_ways
from homeroom.teachers import PoolTeacher

DIMENSIONS = 2
"""The paper's map is a plane."""

MISTAKES = {cluster.name: cluster.mistake for cluster in CLUSTERS}
"""The types of learners, and the mistake that each makes."""

LEARNER_TYPES = tuple(MISTAKES)
"""The names of the types: P1 to P4."""

DIVERSITIES = tuple(range(1, len(LEARNER_TYPES) + 1))
"""The numbers of types in a class."""


MARKS = {"cmoth": "v", "tmoth": "^", "rbfly": "s", "pbfly": "o"}
"""The marker of each species."""

SPECIES_COLOURS = {name: COLOURS[i] for name, i in zip(MARKS, (4, 1, 5, 0), strict=True)}
"""Warm colours for moths, cool ones for butterflies."""

SPECIES_NAMES = {species.short: species.name for species in SPECIES}

X_LABEL, Y_LABEL = "first coordinate of the map", "second coordinate"

MARGIN = 0.12
"""The space around the insects on the map, as a fraction of their extent."""

BACKGROUND = np.array([0.985, 0.98, 0.965])
"""The background colour of thumbnails."""

PIXELS = 160
"""The side of a picture in figure 4a, in pixels."""

LEARNERS_SHOWN = 3
"""How many learners of each type figure 4b shows, as in the paper."""

SPACING = 5
"""Figure 4c shows every fifth round: the paper shows two of every ten."""

THUMBNAILS = 24
"""The most pictures per row in figure 4c (20 in the paper); longer lessons skip more rounds."""

SHOWN_RADIUS = "crowd_radius=1"
"""With this radius, which the paper does not state, figure 4c has about as many pictures."""

RADII = ("crowd_radius=1", "crowd_radius=2", "crowd_radius=4")

RADII_SEEDS = 3

SIDE, GAP = 80, 24
"""The side of a thumbnail in figure 4c, and the space between rows, in pixels."""

SHOWN_SEEDS = 5

LESSONS = {"CT": "whole class (CT)", **MISTAKES}

LEARNER_TYPE_COUNT = "types of learners in the class"


A_FEW_MORE = 1.5
"""The largest ratio that counts as a few more examples."""

MANY_MORE = 3.0
"""The smallest ratio that counts as many more examples."""

CONSIDERABLY_BETTER = 0.75
"""The largest fraction of the examples that counts as considerably better."""


@dataclass(frozen=True, eq=False)
class InsectCrowd:
    """The annotators and insects of a crowd on its map.

    Parameters
    ----------
    insects
        The insects that the annotators were asked about.
    places
        Where the insects lie on the map, shape ``(insects, 2)``.
    states
        The hypothesis of each annotator, shape ``(annotators, 3)``. The last coordinate is a bias:
        an insect is a butterfly if ``<state, (place, 1)> > 0``.
    target
        The hypothesis to be taught, the expert's rule, shape ``(3,)``.
    pool
        The directions of all ``(place, 1)``.
    types
        The type that each annotator's hypothesis resembles most, P1 to P4; ``insects.types`` has
        those that were simulated.
    """

    insects: Insects
    places: Floats
    states: Floats
    target: Floats
    pool: DirectionPool
    types: npt.NDArray[np.str_]


@cache  # a fit takes half a second, and the figures share theirs
def crowd_from_seed(seed: int) -> InsectCrowd:
    """Simulate a crowd that answers about insects, fit a map to its answers, and return both."""
    simulated = insect_pictures.make(seed)
    fitted = Embedding.fit(simulated.answers, dimensions=DIMENSIONS, seed=seed)
    room = fitted.to_classroom(rate=1.0, example_radius=1.0)
    types = types_of(room.states, fitted.items, simulated)
    return InsectCrowd(simulated, fitted.items, room.states, room.target, fitted.pool(), types)


def crowd_for(settings: PaperSettings, seed: int) -> InsectCrowd:
    """Return the crowd that a class of this seed is drawn from."""
    return crowd_from_seed(settings.insects + seed)


def types_of(states: Floats, places: Floats, simulated: Insects) -> npt.NDArray[np.str_]:
    """Return the type of each hypothesis.

    It is the type whose butterflies agree best with the shares of each species that the hypothesis
    calls butterflies.

    Parameters
    ----------
    states
        Hypotheses, shape ``(annotators, 3)``.
    places
        Where the insects lie, shape ``(insects, 2)``.
    simulated
        The insects.
    """
    yes = states[:, :-1] @ places.T + states[:, -1:] > 0
    species = np.array(simulated.species)
    shares = np.column_stack([yes[:, species == one.short].mean(axis=1) for one in SPECIES])
    typical = np.array([[one.short in type_.butterflies for one in SPECIES] for type_ in CLUSTERS])
    distances = ((shares[:, None, :] - typical[None, :, :]) ** 2).sum(axis=2)
    nearest: npt.NDArray[np.str_] = np.array(LEARNER_TYPES)[distances.argmin(axis=1)]
    return nearest


def class_of_types(
    settings: PaperSettings, diversity: int, seed: int
) -> tuple[Classroom, npt.NDArray[np.str_]]:
    """Return a class with ``diversity`` types of learners, and the type of each student.

    Every seed has its own crowd. The types are drawn at random, and so are the annotators of each
    type, with replacement and a small noise. The types have equally many students, up to one.
    """
    crowd = crowd_for(settings, seed)
    rng = np.random.default_rng(seed)
    present = sorted(rng.choice(LEARNER_TYPES, diversity, replace=False).tolist())
    type_index = np.arange(settings.crowd_students) * diversity // settings.crowd_students
    types = np.array(present)[type_index]
    chosen = np.concatenate(
        [rng.choice(_of_type(crowd, one), count) for one, count in Counter(types.tolist()).items()]
    )
    noise = settings.crowd_noise * rng.standard_normal((len(chosen), len(crowd.target)))
    room = Classroom(
        crowd.states[chosen] + noise,
        np.full(len(chosen), settings.crowd_rate),
        crowd.target,
        example_radius=settings.crowd_radius,
    )
    return room, types


def _of_type(crowd: InsectCrowd, kind: str) -> npt.NDArray[np.int64]:
    """Return the indices of the annotators of a type."""
    found = np.flatnonzero(crowd.types == kind)
    if not len(found):
        raise InputError(
            f"The crowd with seed {crowd.insects.seed} (the setting `insects` plus the seed of the "
            f"class) has no annotator of type {kind}: change the setting `insects`."
        )
    return found


def insects(settings: PaperSettings, seed: int, variation: str = "") -> list[Row]:
    """Teach classes of one to four types of learners in the four ways (figures 4d, 4e, 4f).

    The rows are those of :func:`teach_four_ways`.
    """
    items, at_goal = crowd_for(settings, seed).pool, replace(settings, eps=settings.crowd_eps)
    classes = []
    for diversity in DIVERSITIES:
        room, types = class_of_types(settings, diversity, seed)
        where = {"variation": variation, "diversity": diversity}
        classes.append(TaughtClass(room, AsGiven(types), where))
    return teach_four_ways(at_goal, classes, seed, items)


def insect_map(settings: PaperSettings, seed: int) -> list[Row]:
    """Return one row per insect with its place, and one per annotator and target with its line.

    They are drawn in figures 4a and 4b. The columns keep the names of earlier files.
    """
    crowd = crowd_for(settings, seed)
    insects = [
        {"kind": "insect", "who": name, "type": species, "x": float(x), "y": float(y)}
        for name, species, (x, y) in zip(
            crowd.insects.names, crowd.insects.species, crowd.places, strict=True
        )
    ]
    annotators = [
        {"kind": "worker", "who": who, "type": str(kind), "school": cluster, **_line(state)}
        for who, kind, cluster, state in zip(
            crowd.insects.answers.people,
            crowd.types,
            crowd.insects.types,
            crowd.states,
            strict=True,
        )
    ]
    return [*insects, *annotators, {"kind": "target", "who": "target", **_line(crowd.target)}]


def _line(state: Floats) -> dict[str, float]:
    """Return a hypothesis as columns of a row: the line ``x * x1 + y * x2 + bias = 0``."""
    x, y, bias = (float(value) for value in state)
    return {"x": x, "y": y, "bias": bias}


def show_insects(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach a class of all four types as a whole and by type; return the examples (figure 4c)."""
    crowd = crowd_for(settings, seed)
    room, types = class_of_types(settings, len(LEARNER_TYPES), seed)
    teacher, goal = PoolTeacher(crowd.pool), AverageGoal(settings.crowd_eps)
    together = teach(room, teacher=teacher, goal=goal, groups=WholeClass())
    by_type = teach(room, teacher=teacher, goal=goal, groups=AsGiven(types))
    species = crowd.insects.species
    lessons = {"CT": together, **dict(zip(sorted(LEARNER_TYPES), by_type.groups, strict=True))}
    return [
        {**{"seed": seed, "who": who, "round": number, "item": item}, "species": species[item]}
        for who, record in lessons.items()
        for number, item in enumerate(record.examples.items.tolist())
    ]


def map_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cell that figures 4a and 4b share."""
    return plan.cells(insect_map, seeds=plan.seeds[:1])


def _draw_insects(ax: Axes, rows: Rows, *, size: float = 10.0) -> None:
    """Draw every insect at its place on the map."""
    for species, mark in MARKS.items():
        own = where(rows, kind="insect", type=species)
        ax.scatter(
            column(own, "x"),
            column(own, "y"),
            s=size,
            marker=mark,
            color=SPECIES_COLOURS[species],
            alpha=0.8,
            linewidths=0,
            label=SPECIES_NAMES[species],
        )


def _fit_axes(ax: Axes, rows: Rows) -> tuple[Floats, Floats]:
    """Fit the axes to the insects with equal scales; return the lower and the upper corner."""
    own = where(rows, kind="insect")
    points = np.column_stack([column(own, "x"), column(own, "y")])
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    reach = (1 + MARGIN) * float(np.ptp(points, axis=0).max()) / 2
    ax.set_xlim(middle[0] - reach, middle[0] + reach)
    ax.set_ylim(middle[1] - reach, middle[1] + reach)
    ax.set_aspect("equal")
    ax.grid(visible=False)
    return middle - reach, middle + reach


def clip_line(line: Floats, low: Floats, high: Floats) -> Floats:
    """Return the ends of the line ``<w, x> + bias = 0`` inside a rectangle, shape ``(2, 2)``.

    The result has no rows if the line lies outside.

    Parameters
    ----------
    line
        ``(w1, w2, bias)``.
    low, high
        The corners of the rectangle.
    """
    corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    heights = corners @ line[:2] + line[2]
    ends = []
    for i in range(4):
        j = (i + 1) % 4
        if (heights[i] > 0) != (heights[j] > 0):
            share = heights[i] / (heights[i] - heights[j])
            ends.append(corners[i] + share * (corners[j] - corners[i]))
    return np.reshape(ends, (-1, 2))


def _lines_of(rows: Rows) -> Floats:
    """Return the hypotheses in the rows, shape ``(rows, 3)``."""
    return np.column_stack([column(rows, name) for name in ("x", "y", "bias")])


def thumbnail(made: Insects, insect: int, pixels: int) -> Floats:
    """Return a picture of an insect on its background, ``(pixels, pixels, 3)`` from 0 to 1."""
    drawn = made.pixels(insect, pixels) / 255.0
    alpha = drawn[..., 3:]
    picture: Floats = alpha * drawn[..., :3] + (1.0 - alpha) * BACKGROUND
    return picture


@paper_figure("4a", map_cells)
def figure_4a(rows: Rows, plan: PaperPlan) -> Figure:
    """Draw one insect of each species (above), and the map with the target.

    160 insects on the map computed from the answers of 67 annotators (and from nothing else), and
    the target: the straight line that best separates butterflies (on the side of the arrow) from
    moths.
    """
    with look():
        drawn = figure(COLUMN, 4.5)
        legend, ax = drawn.subplots(2, 1, height_ratios=[1.0, 2.6])
        _draw_species(legend, plan.settings.insects + plan.seeds[0])
        low, high = _fit_axes(ax, rows)
        line = _lines_of(where(rows, kind="target"))[0]
        ends = clip_line(line, low, high)
        if len(ends):
            _draw_target(ax, line, ends, float(high[0] - low[0]))
        _draw_insects(ax, rows)
        ax.set_xlabel(X_LABEL)
        ax.set_ylabel(Y_LABEL)
    return drawn


def _draw_target(ax: Axes, line: Floats, ends: Floats, width: float) -> None:
    """Draw the target's line, and an arrow to the side of the butterflies."""
    ax.plot(*ends.T, color="black", lw=1.6)
    foot = ends.mean(axis=0)
    tip = foot + 0.11 * width * line[:2] / np.linalg.norm(line[:2])
    ax.annotate("", tip, foot, arrowprops={"arrowstyle": "-|>", "color": "black", "lw": 1.2})
    upper, lower = ends[np.argsort(-ends[:, 1])]
    slope = float(np.degrees(np.arctan2(*(upper - lower)[::-1])))
    ax.annotate(
        "target",
        lower + 0.08 * (upper - lower),
        (0, 2),
        textcoords="offset points",
        fontsize=8,
        rotation=slope - 180 if slope > 90 else slope,
        rotation_mode="anchor",
        ha="right" if slope > 90 else "left",
    )


def _draw_species(ax: Axes, seed: int) -> None:
    """Draw one insect of each species side by side, with name and mark."""
    made = insect_pictures.make(seed)
    ax.set_axis_off()
    ax.set_xlim(-0.5, 3.5)
    ax.set_ylim(-0.95, 0.5)
    ax.set_aspect("equal")
    for place, (species, mark) in enumerate(MARKS.items()):
        picture = thumbnail(made, made.species.index(species), PIXELS)
        ax.imshow(picture, extent=(place - 0.48, place + 0.48, -0.48, 0.48), interpolation="none")
        ax.plot(place - 0.38, 0.38, mark, color=SPECIES_COLOURS[species], markersize=4)
        name = SPECIES_NAMES[species].replace(" ", "\n")
        ax.annotate(name, (place, -0.52), ha="center", va="top", fontsize=7.5, linespacing=1.0)


@paper_figure("4b", map_cells)
def figure_4b(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw one panel per type of learners.

    The hypotheses of three learners of each of the four types: beyond the line, a learner sees
    butterflies; the region where all three agree is shaded (if the line lies outside the panel, the
    learner takes all insects for butterflies). Marks as in figure 4a; the grey line is the target.
    """
    with look():
        drawn = figure(COLUMN, 3.9)
        panels = drawn.subplots(2, 2, sharex=True, sharey=True)
        for ax, (kind, mistake) in zip(panels.flat, MISTAKES.items(), strict=True):
            _draw_type(ax, rows, kind)
            ax.set_title(f"{kind}:\n{mistake}", fontsize=7.2)
        drawn.supxlabel(X_LABEL, fontsize=9)
        drawn.supylabel(Y_LABEL, fontsize=9)
    return drawn


def _draw_type(ax: Axes, rows: Rows, kind: str) -> None:
    """Draw the lines of a few learners of one type, and the target's."""
    low, high = _fit_axes(ax, rows)
    for line in _lines_of(where(rows, kind="target")):
        ax.plot(*clip_line(line, low, high).T, color="#b0b0b0", lw=1.4)
    learners = _lines_of(where(rows, kind="worker", type=kind))[:LEARNERS_SHOWN]
    _shade_agreement(ax, learners, low, high)
    _draw_insects(ax, rows, size=4.0)
    for line, dashes in zip(learners, DASHES, strict=False):
        ax.plot(*clip_line(line, low, high).T, color="black", lw=1.0, ls=dashes)
    ax.tick_params(labelsize=7)


def _shade_agreement(ax: Axes, lines: Floats, low: Floats, high: Floats) -> None:
    """Shade the part of the map that all learners assign to butterflies."""
    x, y = (np.linspace(low[axis], high[axis], 200) for axis in range(2))
    across, up = np.meshgrid(x, y)
    yes = np.all([w1 * across + w2 * up + bias > 0 for w1, w2, bias in lines], axis=0)
    ax.contourf(x, y, yes, levels=[0.5, 1.5], colors=["#e9eef2"], zorder=0)


def _strip_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of figure 4c, with its own radius unless the user set one."""
    chosen = plan.settings.crowd_radius != PaperSettings.crowd_radius
    change = "" if chosen else SHOWN_RADIUS
    return plan.cells(show_insects, seeds=plan.few(SHOWN_SEEDS), change=change)


@paper_figure("4c", _strip_cells, broad=True)
def figure_4c(rows: Rows, plan: PaperPlan) -> Figure:
    """Draw the insects shown to the first class, one row per lesson.

    The examples that a class with 15 learners of each type is shown, every fifth round as in the
    paper: as a whole class, and each type separately until it has reached its goal. Here Dₓ = 1:
    the paper does not state it, and with 1 the lesson is about as long as there.
    """
    first = where(rows, seed=plan.seeds[0])
    longest = 1 + max((row["round"] for row in first), default=0)
    step = max(SPACING, math.ceil(longest / THUMBNAILS)) if longest > THUMBNAILS else 1
    rounds, tall = np.arange(0, longest, step), 1.0 + GAP / SIDE
    with look():
        drawn = figure(PAGE, 2.3)
        ax = drawn.add_subplot(anchor="N")
        strip = _thumbnails(first, plan.settings.insects + plan.seeds[0], rounds)
        ax.imshow(strip, extent=(0, len(rounds), tall * len(LESSONS), 0), interpolation="none")
        names = [_lesson_label(who, len(where(first, who=who))) for who in LESSONS]
        ax.set_yticks(tall * (np.arange(len(LESSONS)) + 0.5), names, fontsize=7.5)
        ax.set_xticks(np.arange(len(rounds)) + 0.5, [str(1 + one) for one in rounds])
        ax.tick_params(length=0, labelsize=7.5)
        ax.set_xlabel("round")
        ax.set_ylabel("who is taught")
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
    return drawn


def _lesson_label(who: str, examples: int) -> str:
    """Return who is taught and for how long, in two lines."""
    if who == "CT":
        return f"{LESSONS[who]},\n{counted(examples, 'example')}"
    return f"{who}, {counted(examples, 'example')}:\n{LESSONS[who]}"


def _thumbnails(rows: Rows, seed: int, rounds: np.ndarray) -> Floats:
    """Return all thumbnails as one picture: one row per lesson, one column per round."""
    made = insect_pictures.make(seed)
    strip = np.ones((len(LESSONS) * (SIDE + GAP), len(rounds) * SIDE, 3))
    seen: dict[int, Floats] = {}
    for line, who in enumerate(LESSONS):
        shown = {row["round"]: row["item"] for row in where(rows, who=who)}
        for place, number in enumerate(rounds.tolist()):
            if number not in shown:
                break
            item = shown[number]
            if item not in seen:
                seen[item] = thumbnail(made, item, SIDE - 2)
            top, left = line * (SIDE + GAP) + GAP // 2, place * SIDE + 1
            strip[top : top + SIDE - 2, left : left + SIDE - 2] = seen[item]
    return strip


def _cost_cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells that figures 4d, 4e and 4f share."""
    return plan.cells(insects)


figure_4d = PaperFigure(
    "4d",
    "Insects the teacher shows in all, against the number of types of learners among 60 (mean "
    "over seeds, 95 % confidence band); groups are by type.",
    _cost_cells,
    partial(draw_costs, cost="T", across=LEARNER_TYPE_COUNT),
)
figure_4e = PaperFigure(
    "4e",
    "Insects a student sees on average, against the number of types of learners among 60 (mean "
    "over seeds, 95 % confidence band).",
    _cost_cells,
    partial(draw_costs, cost="S", across=LEARNER_TYPE_COUNT),
)
figure_4f = PaperFigure(
    "4f",
    "The cheapest way of teaching, by the number of types of learners and the weight λ in T + λ S.",
    _cost_cells,
    partial(draw_trade_off, lambdas=WIDE_LAMBDAS, across=LEARNER_TYPE_COUNT),
)


@paper_figure(
    "4-radius",
    lambda plan: plan.variations(insects, RADII, seeds=plan.few(RADII_SEEDS)),
    summary="insects, by the radius of the ball of examples",
)
def figure_4_radius(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw examples needed against the radius of the ball of examples.

    Insects the teacher shows in all to a class of four types, against the radius Dₓ of the ball of
    examples, which the paper does not state for these classes (mean over seeds). Figures 4d to 4f
    have Dₓ = 2. Not in the paper.
    """
    own = [
        {**row, "radius": float(row["variation"].partition("=")[2])}
        for row in where(rows, diversity=len(MISTAKES))
    ]
    with curve_panel("radius of the ball of examples, $D_X$", log="y") as (drawn, ax):
        draw_ways(ax, own, "radius", "T")
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
    return drawn


@paper_claim(
    "Insects: CT needs fewest examples in all, CTwP-Opt only a few more, IT many more",
    "section 6.2, figure 4d",
    "4d",
)
def whole_class_needs_fewest(tables: Tables) -> Finding:
    """The whole class needs fewest at every diversity, groups a few more, individuals many more."""
    means, places = means_of(tables["4d"], "T"), diversities_of(tables["4d"])
    varied = [
        f"{mean_curve(own, 'diversity', 'T')[1][-1]:.0f} with Dₓ = {radius.partition('=')[2]}"
        for radius in RADII
        if (own := where(tables.get("4-radius", []), variation=radius, way="CT"))
    ]
    groups, alone = means["CTwP-Opt"] / means["CT"], means["IT"] / means["CT"]
    others = np.minimum(means["CTwP-Opt"], np.minimum(means["CTwP-Rand"], means["IT"]))
    fewest = bool((means["CT"] <= others + 1e-9).all())
    few = bool((groups <= A_FEW_MORE).all())
    many = bool((means["IT"] >= MANY_MORE * np.maximum(means["CT"], means["CTwP-Opt"])).all())
    return verdict(holds=fewest and few and many, partly=fewest and many), (
        f"the whole class {'needs' if fewest else 'does not need'} fewest at every diversity; "
        f"groups need {groups.min():.2f} to {groups.max():.2f} times as many (limit "
        f"{A_FEW_MORE:g}), individuals {alone.min():.0f} to {alone.max():.0f} times: T = "
        f"{means['CT'][-1]:.0f}, {means['CTwP-Opt'][-1]:.0f} and {means['IT'][-1]:.0f} with "
        f"{places[-1]:g} types"
        + (f". The paper does not state Dₓ: the class needs {', '.join(varied)}" if varied else "")
    )


@paper_claim(
    "Insects: IT is best for the students, CTwP-Opt considerably better than CT",
    "section 6.2, figure 4e",
    "4e",
)
def groups_are_better_for_students(tables: Tables) -> Finding:
    """Fewest for individuals; in groups a quarter fewer than in the whole class of mixed types."""
    alone, evidence = individuals_are_best(tables["4e"])
    means, places = means_of(tables["4e"], "S"), diversities_of(tables["4e"])
    share = (means["CTwP-Opt"] / means["CT"])[places > 1]
    better = bool((share <= CONSIDERABLY_BETTER).all())
    return verdict(
        holds=alone is ClaimVerdict.HOLDS and better,
        partly=alone is ClaimVerdict.HOLDS or better,
    ), (
        f"with two or more types a student in a group sees {share.min():.2f} to {share.max():.2f} "
        f"times as many examples as in the whole class (limit {CONSIDERABLY_BETTER:g}); {evidence}"
    )


@paper_claim(
    "Insects: as diversity increases, CTwP-Opt outperforms the others in total cost",
    "section 6.2, figure 4f",
    "4f",
)
def groups_are_cheapest_at_high_diversity(tables: Tables) -> Finding:
    """Groups are cheapest for more weights as types are added, and most often with all types.

    With one type, groups are the whole class: the trend starts at two. The claim is about the
    trend, so it does not hold where the share falls.
    """
    means_of(tables["4f"], "T")  # refuses a diagram without information
    places, best = cheapest_way(tables["4f"], WIDE_LAMBDAS, COMPARED)
    whole, groups, alone = ((best == way).mean(axis=0)[places > 1] for way in range(len(COMPARED)))
    if len(groups) < 2:
        raise UnmeasuredError("fewer than two diversities with more than one type were measured")
    most = bool(groups[-1] > max(whole[-1], alone[-1]))
    grows = bool((np.diff(groups) >= 0).all() and groups[-1] > groups[0])
    trend = ", ".join(f"{share:.0%}" for share in groups)
    types = ", ".join(f"{place:g}" for place in places[places > 1])
    return verdict(holds=most and grows, partly=grows), (
        f"groups are cheapest for {trend} of the weights λ with {types} types, so their share "
        f"{'grows' if grows else 'does not grow'} with diversity; with {places[-1]:g} types the "
        f"whole class is cheapest for {whole[-1]:.0%}, individuals for {alone[-1]:.0%}. This "
        f"depends on the range of λ, which is our choice: {WIDE_LAMBDAS[0]:g} to "
        f"{WIDE_LAMBDAS[-1]:g} on a logarithmic scale"
    )


@paper_claim(
    "Insects: the first example for the whole class is a tiger moth", "section 6.2, figure 4c", "4c"
)
def whole_class_starts_with_a_tiger_moth(tables: Tables) -> Finding:
    """The first example is a tiger moth in every class."""
    first = [lesson[0] for lesson in _lessons(tables["4c"], "CT")]
    tigers = first.count("tmoth")
    return verdict(holds=tigers == len(first), partly=tigers > 0), (
        f"{tigers} of {len(first)} classes of all four types start with a tiger moth "
        f"({_count_species(first)})"
    )


@paper_claim(
    "Insects: learners who take tiger moths for butterflies (P1) are shown tiger moths first",
    "section 6.2, figure 4c",
    "4c",
)
def p1_is_shown_tiger_moths(tables: Tables) -> Finding:
    """Their first example is one, and no other species is shown more often, in every class."""
    lessons = _lessons(tables["4c"], "P1")
    begins = [lesson[0] == "tmoth" for lesson in lessons]
    mostly = [Counter(lesson).most_common(1)[0][0] == "tmoth" for lesson in lessons]
    shown = [species == "tmoth" for lesson in lessons for species in lesson]
    others = ", ".join(
        f"{kind} {_count_species([lesson[0] for lesson in _lessons(tables['4c'], kind)])}"
        for kind in LEARNER_TYPES[1:]
    )
    return verdict(holds=all(begins) and all(mostly), partly=all(begins) or all(mostly)), (
        f"{sum(begins)} of {len(begins)} such groups are shown a tiger moth first, and "
        f"{np.mean(shown):.0%} of their examples are tiger moths; the others start with: {others}"
    )


def _lessons(rows: Rows, who: str) -> list[list[str]]:
    """Return the species that were shown, in order, in the lesson of every class."""
    lessons = [
        [row["species"] for row in where(rows, seed=seed, who=who)] for seed in seeds_of(rows)
    ]
    if not lessons or min(len(lesson) for lesson in lessons) < 2:
        raise UnmeasuredError(f"a lesson of {who} has fewer than two examples")
    return lessons


def _count_species(species: list[str]) -> str:
    """Return how often each species occurs, in words."""
    return ", ".join(f"{SPECIES_NAMES[one]} {many}" for one, many in Counter(species).most_common())
