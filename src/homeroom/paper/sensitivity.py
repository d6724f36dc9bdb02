"""How the trade-off diagrams depend on what the paper leaves open: vary one choice, or several."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from homeroom._arrays import Floats
from homeroom.paper.drawing import (
    COMPARED,
    LAMBDAS,
    PAGE,
    WAY_NAMES,
    WIDE_LAMBDAS,
    draw_regions,
    shade,
)
from homeroom.paper.experiment_cells import ExperimentCell
from homeroom.paper.figure import PaperFigure, PaperPlan
from homeroom.paper.rows import Rows, cheapest_way, mean_curve, where
from homeroom.plots import figure
from homeroom.plots.style import look

WHOLE, GROUPS, ALONE = range(len(COMPARED))
"""The ways of teaching, as indices into ``COMPARED``."""

DEFAULTS = "our defaults"

BOTH = {
    "target_length": ("0", "3"),
    "whole_magnitude": ("dynamic",),
    "group_magnitude": ("static", "joint"),
    "stop": ("class",),
}
"""The open choices of both diagrams, with alternative values."""

OPEN_CHOICES = {
    "rates": {
        "rate_law": ("log-uniform",),
        "states": ("uniform",),
        "spread": ("0.3", "3"),
        "dimensions": ("10",),
        "state_radius": ("4",),
        **BOTH,
    },
    "knowledge": {
        "centre": ("1", "6"),
        "cluster_spread": ("0.03", "0.3", "1"),
        "knowledge_rate": ("0.05", "0.25"),
        "knowledge_width": ("0.15", "0.5"),
        "state_radius": ("2.5",),
        **BOTH,
    },
}
"""The choices that the paper leaves open, by diagram, with alternative values."""

TIGHT_CLUSTERS_MIXED_RATES = tuple(
    f"cluster_spread={spread}, knowledge_width={width}"
    for spread in ("0.03", "0.1", "0.3")
    for width in ("0", "0.15", "0.5", "1")
)
"""Combinations for which groups may help the teacher even though prior knowledge is diverse."""

NOISE_LAWS = ("noise=sphere", "noise=normal")
DELTAS = (0.0, 2.5, 5.0)
PLACES = {"rates": (0.0, 0.1, 0.25, 0.5), "knowledge": (1, 3, 6, 10)}
"""The diversities that are measured for each diagram."""

DIVERSITY_INPUT = {"rates": "diversities", "knowledge": "clusters"}
"""The input of the experiment that has the diversities."""

SEEDS = 2
MIXTURES = 24
COLUMNS = 6


def weights_for(kind: str) -> Floats:
    """Return the weights lambda over which a diagram is drawn."""
    return LAMBDAS if kind == "rates" else WIDE_LAMBDAS


def regions_as_described(rows: Rows, kind: str) -> bool:
    """Return whether a diagram, of the kind "rates" or "knowledge", is as the paper describes it.

    The whole class is cheapest at the lowest diversity and weight and, at that weight, strictly
    cheaper than groups somewhere (with a single group, both cost the same). Individuals are
    cheapest at the highest weight for every diversity, groups somewhere at the highest diversity.
    With a growing weight, the cheapest way never changes from individuals back to groups, or from
    groups back to the whole class.
    """
    if not rows:
        return False
    _, best = cheapest_way(rows, weights_for(kind), COMPARED)
    return bool(
        best[0, 0] == WHOLE
        and ((best[0] == WHOLE) & _whole_beats_groups(rows, kind)).any()
        and (best[-1] == ALONE).all()
        and (best[:, -1] == GROUPS).any()
        and (np.diff(best, axis=0) >= 0).all()
    )


def _whole_beats_groups(rows: Rows, kind: str) -> np.ndarray:
    """Return at which diversities the whole class is strictly cheaper, at the lowest weight."""
    whole, groups = (
        mean_curve(own, "diversity", "T")[1]
        + weights_for(kind)[0] * mean_curve(own, "diversity", "S")[1]
        for own in (where(rows, way=COMPARED[way]) for way in (WHOLE, GROUPS))
    )
    beats: np.ndarray = whole < groups - 1e-9
    return beats


def region_shares(rows: Rows, kind: str) -> tuple[float, float, float]:
    """Return the fraction of the diagram on which each way is cheapest.

    Classes with one cluster are not counted, as groups and whole class are then the same. The
    fractions are NaN if nothing is left to count.
    """
    places, best = cheapest_way(rows, weights_for(kind), COMPARED)
    counted = best[:, places > 1] if kind == "knowledge" else best
    if not counted.size:
        return math.nan, math.nan, math.nan
    whole, groups, alone = (float((counted == way).mean()) for way in (WHOLE, GROUPS, ALONE))
    return whole, groups, alone


def single_changes(kind: str) -> list[str]:
    """Return every variation that changes one open choice."""
    return [f"{name}={value}" for name, values in OPEN_CHOICES[kind].items() for value in values]


def mixtures(kind: str, count: int = MIXTURES) -> list[str]:
    """Return variations that change several choices, each with probability one half."""
    rng = np.random.default_rng(0)
    mixed = []
    for _ in range(count):
        changed = [
            f"{name}={rng.choice(values)}"
            for name, values in OPEN_CHOICES[kind].items()
            if rng.random() < 0.5
        ]
        mixed.append(", ".join(changed) or DEFAULTS)
    return list(dict.fromkeys(mixed))


def _cells(plan: PaperPlan) -> list[ExperimentCell]:
    """Return the cells of all variations, of the laws of noise, and of the counter-examples."""
    seeds = plan.few(SEEDS)
    noise = [
        cell
        for law in NOISE_LAWS
        for cell in plan.cells(
            "noisy_states", seeds=seeds, change=law, variation=[law], delta=DELTAS
        )
    ]
    counter_examples = plan.cells("counter_examples", seeds=seeds[:1])
    return (
        noise
        + counter_examples
        + [
            cell
            for kind in OPEN_CHOICES
            for seed in seeds
            for variation in _variations(kind, plan)
            for cell in _variation_cells(plan, kind, variation, seed)
        ]
    )


def _variations(kind: str, plan: PaperPlan) -> list[str]:
    """Return all variations of a diagram that are measured; fewer for a quick run."""
    every = [DEFAULTS, *single_changes(kind), *mixtures(kind, 2 if plan.quick else MIXTURES)]
    if kind == "knowledge":
        every += TIGHT_CLUSTERS_MIXED_RATES[:: 3 if plan.quick else 1]
    return list(dict.fromkeys(every))


def _variation_cells(plan: PaperPlan, kind: str, variation: str, seed: int) -> list[ExperimentCell]:
    """Return the cells of one variation of a diagram, for one class."""
    change = "" if variation == DEFAULTS else variation
    settings = plan.settings.changed(change) if change else plan.settings
    places = [
        place
        for place in (PLACES[kind][:: len(PLACES[kind]) - 1] if plan.quick else PLACES[kind])
        if kind == "rates" or place <= settings.knowledge_dimensions
    ]
    inputs = {DIVERSITY_INPUT[kind]: [places]}
    return plan.cells(kind, seeds=[seed], change=change, variation=[variation], **inputs)


def _draw(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw one trade-off diagram per variation."""
    shown = {kind: [DEFAULTS, *single_changes(kind)] for kind in OPEN_CHOICES}
    lines = {kind: -(-len(own) // COLUMNS) for kind, own in shown.items()}
    with look():
        drawn = figure(PAGE, 0.6 + 1.3 * sum(lines.values()))
        panels = drawn.subplots(sum(lines.values()), COLUMNS, squeeze=False)
        for kind, block in zip(OPEN_CHOICES, np.split(panels, [lines["rates"]]), strict=True):
            for ax in block.flat[len(shown[kind]) :]:
                ax.set_axis_off()
            for number, (ax, variation) in enumerate(zip(block.flat, shown[kind], strict=False)):
                _draw_panel(ax, where(rows, kind=kind, variation=variation), kind, variation)
                if number % COLUMNS == 0:
                    ax.set_ylabel(f"{kind}\nweight λ")
                else:
                    ax.tick_params(labelleft=False)
        drawn.legend(
            handles=[Patch(color=shade(way), label=WAY_NAMES[way]) for way in COMPARED],
            loc="outside upper center",
            ncols=3,
        )
        drawn.supxlabel(
            "diversity of rates (above), clusters of prior knowledge (below)", fontsize=9
        )
    return drawn


def _draw_panel(ax: Axes, rows: Rows, kind: str, variation: str) -> None:
    """Draw the diagram of one variation; a cross marks one that is not as described."""
    draw_regions(ax, rows, weights_for(kind), COMPARED, named=False)
    ax.minorticks_off()
    ax.set_yticks([0.1, 10.0, 1000.0] if kind == "knowledge" else [0.1, 1.0, 10.0, 100.0])
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_xticks([min(PLACES[kind]), max(PLACES[kind])])
    ax.tick_params(labelsize=7, length=2)
    ax.set_title(variation.replace("=", "\n= ").replace("our ", "our\n"), fontsize=7.5)
    if not regions_as_described(rows, kind):
        ax.annotate(
            "×", (0.97, 0.02), xycoords="axes fraction", ha="right", va="bottom", fontsize=14
        )


SENSITIVITY = PaperFigure(
    "sensitivity",
    "The cheapest way of teaching as in figures 3e (rates) and 3f (knowledge), with one open "
    "choice changed at a time: the weight λ against the diversity. A cross marks diagrams whose "
    "regions differ from the paper's description.",
    _cells,
    _draw,
    broad=True,
)
