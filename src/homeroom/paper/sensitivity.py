"""Do the diagrams depend on what the paper leaves open? Vary each choice, and all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import PAGE, WAY_NAMES, draw_regions, shade, where
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import COMPARED
from homeroom.paper.regions import regions_as_told, weights_for
from homeroom.plots import figure
from homeroom.plots.style import look

DEFAULTS = "our defaults"

BOTH = {
    "target_length": ("0", "3"),
    "whole_magnitude": ("dynamic",),
    "group_magnitude": ("static", "joint"),
    "stop": ("class",),
}
OPEN = {
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
"""The choices that the paper leaves open, by diagram, and what else one could have chosen."""

TIGHT_AND_MIXED = tuple(
    f"cluster_spread={spread}, knowledge_width={width}"
    for spread in ("0.03", "0.1", "0.3")
    for width in ("0", "0.15", "0.5", "1")
)
"""Where do groups help the teacher, if knowledge is diverse? In some corner of these two."""

NOISE_LAWS = ("noise=sphere", "noise=normal")
DELTAS = (0.0, 2.5, 5.0)
PLACES = {"rates": (0.0, 0.1, 0.25, 0.5), "knowledge": (1, 3, 6, 10)}
ACROSS = {"rates": "diversity", "knowledge": "clusters"}
SEEDS = 3
MIXTURES = 24
COLUMNS = 6


class Sensitivity(AbstractFigure):
    """The cheapest way for every variation of the open choices."""

    name = "sensitivity"
    broad = True
    caption = (
        "The cheapest way of teaching as in figures 3e (rates) and 3f (knowledge), with one open "
        "choice changed at a time; up the weight λ, across the diversity. A cross marks diagrams "
        "whose regions do not lie as the paper tells."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        seeds = plan.few(SEEDS)[: 1 if plan.quick else None]
        noise = [
            Cell.of(
                "noisy_states",
                settings=plan.settings.changed(law).for_a_class(),
                variation=law,
                delta=delta,
                seed=seed,
            )
            for law in NOISE_LAWS
            for delta in DELTAS
            for seed in seeds
        ]
        return noise + [
            cell
            for kind in OPEN
            for seed in seeds
            for variation in _variations(kind, plan)
            for cell in _cells(plan, kind, variation, seed)
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        shown = [(kind, one) for kind in OPEN for one in (DEFAULTS, *one_at_a_time(kind))]
        lines = {kind: -(-sum(k == kind for k, _ in shown) // COLUMNS) for kind in OPEN}
        with look():
            drawn = figure(PAGE, 0.6 + 1.3 * sum(lines.values()))
            panels = drawn.subplots(sum(lines.values()), COLUMNS, squeeze=False)
            for kind, block in zip(OPEN, np.split(panels, [lines["rates"]]), strict=True):
                own = [one for k, one in shown if k == kind]
                for ax in block.flat[len(own) :]:
                    ax.set_axis_off()
                for number, (ax, variation) in enumerate(zip(block.flat, own, strict=False)):
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


def one_at_a_time(kind: str) -> list[str]:
    """Return every variation that changes one open choice."""
    return [f"{name}={value}" for name, values in OPEN[kind].items() for value in values]


def mixtures(kind: str, count: int = MIXTURES) -> list[str]:
    """Return variations that change several open choices at once, each by the toss of a coin."""
    rng = np.random.default_rng(0)
    mixed = []
    for _ in range(count):
        changed = [
            f"{name}={rng.choice(values)}"
            for name, values in OPEN[kind].items()
            if rng.random() < 0.5
        ]
        mixed.append(", ".join(changed) or DEFAULTS)
    return list(dict.fromkeys(mixed))


def _variations(kind: str, plan: Plan) -> Iterator[str]:
    every = [DEFAULTS, *one_at_a_time(kind), *mixtures(kind, 2 if plan.quick else MIXTURES)]
    if kind == "knowledge":
        every += TIGHT_AND_MIXED
    yield from dict.fromkeys(every)


def _cells(plan: Plan, kind: str, variation: str, seed: int) -> list[Cell]:
    settings = plan.settings
    if variation != DEFAULTS:
        settings = settings.changed(variation)
    places: Sequence[float] = [
        place
        for place in (PLACES[kind][:: len(PLACES[kind]) - 1] if plan.quick else PLACES[kind])
        if kind == "rates" or place <= settings.knowledge_dimensions
    ]
    return [
        Cell.of(
            kind,
            settings=settings.for_a_class(),
            variation=variation,
            seed=seed,
            **{ACROSS[kind]: place},
        )
        for place in places
    ]


def _draw_panel(ax: Axes, rows: Rows, kind: str, variation: str) -> None:
    draw_regions(ax, rows, weights_for(kind), COMPARED, named=False)
    ax.minorticks_off()
    ax.set_yticks([0.1, 10.0, 1000.0] if kind == "knowledge" else [0.1, 1.0, 10.0, 100.0])
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_xticks([min(PLACES[kind]), max(PLACES[kind])])
    ax.tick_params(labelsize=7, length=2)
    told = regions_as_told(rows, kind)
    ax.set_title(variation.replace("=", "\n= ").replace("our ", "our\n"), fontsize=7.5)
    if not told:
        ax.annotate(
            "×", (0.97, 0.02), xycoords="axes fraction", ha="right", va="bottom", fontsize=14
        )
