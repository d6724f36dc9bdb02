"""Sections 5 and 6.1: which way of teaching is cheapest, and how it depends on the open choices.

``T`` counts examples shown by the teacher, ``S`` those that a student sees on average. CT teaches
the class together, CTwP in groups, IT one by one (see :mod:`homeroom.studies.claims`). A trade-off
diagram shows which way has the lowest cost T + λ S, by diversity and by the weight λ. Figure
``sensitivity`` varies what the paper leaves open: one choice, or several. The docstring of a judge
states what it checks.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from homeroom._arrays import Floats
from homeroom.plots import figure
from homeroom.plots.style import look
from homeroom.studies.cells import ExperimentCell
from homeroom.studies.claims import (
    ClaimVerdict,
    Finding,
    Tables,
    UnmeasuredError,
    diversities_of,
    fewer_for_students,
    fewer_for_the_teacher,
    individuals_are_best,
    means_of,
    paper_claim,
    verdict,
)
from homeroom.studies.figures import (
    COMPARED,
    LAMBDAS,
    PAGE,
    WAY_NAMES,
    WIDE_LAMBDAS,
    PaperPlan,
    draw_regions,
    paper_figure,
    shade,
)
from homeroom.studies.rows import Rows, cheapest_way, mean_curve, where
from homeroom.studies.synthetic import (
    NOISE_LAWS,
    counter_examples,
    knowledge,
    noisy_states,
    rates,
)

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

DELTAS = (0.0, 2.5, 5.0)

PLACES = {"rates": (0.0, 0.1, 0.25, 0.5), "knowledge": (1, 3, 6, 10)}
"""The diversities that are measured for each diagram."""


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
    return (
        plan.variations(noisy_states, NOISE_LAWS, seeds=seeds, delta=DELTAS)
        + plan.cells(counter_examples, seeds=seeds[:1])
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
    changes = {variation: "" if variation == DEFAULTS else variation}
    places = PLACES[kind][:: len(PLACES[kind]) - 1] if plan.quick else PLACES[kind]
    if kind == "rates":
        return plan.variations(rates, changes, seeds=[seed], diversities=[places])
    most = plan.settings.change(changes[variation]).knowledge_dimensions
    clusters = [place for place in places if place <= most]
    return plan.variations(knowledge, changes, seeds=[seed], clusters=[clusters])


@paper_figure(
    "sensitivity", _cells, broad=True, summary="every choice that the paper leaves open, varied"
)
def figure_sensitivity(rows: Rows, _plan: PaperPlan) -> Figure:
    """Draw one trade-off diagram per variation.

    The cheapest way of teaching as in figures 3e (rates) and 3f (knowledge), with one open choice
    changed at a time: the weight λ against the diversity. A cross marks diagrams whose regions
    differ from the paper's description.
    """
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


@paper_claim(
    "Diverse rates: CT is cheapest at low diversity and low λ, IT at high λ, CTwP-Opt between",
    "section 6.1, figure 3e",
    *("3e", "sensitivity"),
)
def regions_of_rates(tables: Tables) -> Finding:
    """The regions of figure 3e are as described, with our defaults and in every variation."""
    return _regions(tables["3e"], tables["sensitivity"], "rates")


@paper_claim(
    "Diverse knowledge: the results are the same as with rates",
    "section 6.1, figure 3f",
    *("3f", "sensitivity"),
)
def regions_of_knowledge(tables: Tables) -> Finding:
    """The regions of figure 3f are as described, with our defaults and in every variation."""
    return _regions(tables["3f"], tables["sensitivity"], "knowledge")


def _regions(rows: Rows, varied: Rows, kind: str) -> Finding:
    """Judge whether a trade-off diagram has the described regions, for all open choices."""
    means_of(rows, "T")  # refuses a diagram without information
    whole, groups, alone = region_shares(rows, kind)
    by_default = regions_as_described(rows, kind)
    singles, mixed = _split_variations(varied, kind)
    described = {
        name: regions_as_described(where(varied, kind=kind, variation=name), kind)
        for name in (*singles, *mixed)
    }
    failing = [name for name in singles if not described[name]]
    good = sum(described[name] for name in mixed)
    everywhere = bool(singles and mixed) and all(described.values())
    return verdict(holds=by_default and everywhere, partly=by_default), (
        f"with our defaults the regions are {'' if by_default else 'not '}as described: whole "
        f"class / groups / individuals are cheapest on {whole:.0%} / {groups:.0%} / {alone:.0%} of "
        f"the diagram. They are as described for {len(singles) - len(failing)} of {len(singles)} "
        f"changes of one open choice{_list(' (not for {})', failing)}, and for "
        f"{good} of {len(mixed)} mixtures of such changes"
        f"{_count_without(failing, mixed, described)}"
    )


def _split_variations(rows: Rows, kind: str) -> tuple[list[str], list[str]]:
    """Return the measured changes of one open choice, and the measured mixtures of changes."""
    measured = {row["variation"] for row in rows if row["kind"] == kind}
    singles = [name for name in single_changes(kind) if name in measured]
    return singles, [name for name in mixtures(kind) if name in measured]


def _list(text: str, names: list[str]) -> str:
    """Return the text with the names filled in; nothing without names."""
    return text.format(", ".join(names)) if names else ""


def _count_without(failing: list[str], mixed: list[str], described: dict[str, bool]) -> str:
    """Return, in words, how many mixtures without the failing changes are as described.

    The text is empty if there are no such changes.
    """
    own = [described[mix] for mix in mixed if not set(failing) & set(mix.split(", "))]
    return f" ({sum(own)} of the {len(own)} without these changes)" if failing else ""


@paper_claim(
    "Diverse knowledge: CTwP-Opt outperforms in most regimes",
    "section 6.1, figure 3f",
    *("3f", "sensitivity"),
)
def groups_in_most_regimes(tables: Tables) -> Finding:
    """Groups are cheapest on over half of the diagram, with our defaults and in every variation."""
    means_of(tables["3f"], "T")  # refuses a diagram without information
    whole, groups, alone = region_shares(tables["3f"], "knowledge")
    varied = where(tables["sensitivity"], kind="knowledge")
    singles, mixed = _split_variations(varied, "knowledge")
    most = [
        region_shares(where(varied, variation=name), "knowledge")[1] > 0.5
        for name in (*singles, *mixed)
    ]
    return verdict(holds=groups > 0.5 and bool(most) and all(most), partly=groups > 0.5), (
        f"with two or more clusters, groups are cheapest on {groups:.0%} of the diagram "
        f"(whole class {whole:.0%}, individuals {alone:.0%}), and on more than half of it for "
        f"{sum(most)} of {len(most)} variations and mixtures of the open choices. This depends "
        f"on the range of λ, which is our choice: {WIDE_LAMBDAS[0]:g} to {WIDE_LAMBDAS[-1]:g} on a "
        "logarithmic scale"
    )


@paper_claim(
    "Diverse knowledge: teacher's and students' curves behave as with diverse rates",
    "section 6.1 (stated, not drawn)",
    *("knowledge-t", "knowledge-s", "sensitivity"),
)
def knowledge_behaves_like_rates(tables: Tables) -> Finding:
    """Groups need fewer examples for students, individuals the fewest, and groups for the teacher.

    The claim holds partly if the teacher gains only in some variations.
    """
    students = fewer_for_students(tables["knowledge-s"], "{:g} clusters")
    alone = individuals_are_best(tables["knowledge-s"])
    teacher = fewer_for_the_teacher(tables["knowledge-t"], "{:g} clusters")
    for_students = students[0] is alone[0] is ClaimVerdict.HOLDS
    varied = where(tables["sensitivity"], kind="knowledge")
    measured = [name for name in TIGHT_CLUSTERS_MIXED_RATES if where(varied, variation=name)]
    won = [name for name in measured if _groups_win(where(varied, variation=name))]
    which = f" ({'; '.join(won)})" if won else ""
    choices = (
        f". Of {len(measured)} combinations of cluster_spread and knowledge_width, groups need "
        f"fewer at the highest diversity for {len(won)}{which}"
    )
    return verdict(
        holds=for_students and teacher[0] is ClaimVerdict.HOLDS, partly=for_students and bool(won)
    ), (f"students: {students[1]}; {alone[1]}. Teacher: {teacher[1]}{choices if measured else ''}")


def _groups_win(rows: Rows) -> bool:
    """Return whether ``T`` of the groups is below that of the class at the highest diversity."""
    groups, whole = (
        mean_curve(where(rows, way=way), "diversity", "T")[1] for way in ("CTwP-Opt", "CT")
    )
    return bool(groups[-1] < whole[-1])


@paper_claim("With λ = 0 one group is optimal", "section 5", *("3b", "knowledge-t", "sensitivity"))
def one_group_at_zero(tables: Tables) -> Finding:
    """Neither the groups by rate nor two students taught apart need fewer examples in all."""
    ratios = {}
    for name, kind in (("3b", "rates"), ("knowledge-t", "knowledge")):
        means, places = means_of(tables[name], "T"), diversities_of(tables[name])
        ratio = means["CTwP-Opt"] / means["CT"]
        ratios[kind] = (float(ratio.min()), float(places[ratio.argmin()]))
    found = "; ".join(
        f"{kind}: {ratio:.2f} at diversity {place:g}" for kind, (ratio, place) in ratios.items()
    )
    never_fewer = all(ratio >= 1.0 for ratio, _ in ratios.values())
    two = {row["way"]: row["T"] for row in where(tables["sensitivity"], kind="rates far apart")}
    counter_example = bool(two) and two["IT"] < two["CT"]
    erratum = (
        "There is no proof, and a counter-example: two students with rates 0.1 and 5, both taught "
        f"with the static magnitude, need {two['CT']} examples together and {two['IT']} apart "
        "(erratum 7)"
        if counter_example
        else "There is no proof"
    )
    return verdict(holds=never_fewer and bool(two) and not counter_example, partly=never_fewer), (
        f"smallest ratio of the examples for groups to those for the whole class: {found}. "
        f"{_both_dynamic(tables['sensitivity'])}{erratum}"
    )


def _both_dynamic(varied: Rows) -> str:
    """Return a sentence on the same comparison if the whole class has the dynamic magnitude, too.

    The groups always have it. The text is empty if it was not measured.
    """
    rows = where(varied, kind="rates", variation="whole_magnitude=dynamic")
    if len(diversities_of(rows)) < 2:
        return ""
    means = means_of(rows, "T")
    least = float((means["CTwP-Opt"] / means["CT"]).min())
    return (
        f"For these classes (rates up to diversity {diversities_of(rows).max():g}) it "
        f"{'holds' if least >= 1.0 else 'does not hold either'} if "
        f"the whole class is also taught with the dynamic magnitude: {least:.2f}. "
    )


@paper_claim("With λ = ∞ individual teaching is optimal", "section 5", *("3c", "sensitivity"))
def individuals_at_infinity(tables: Tables) -> Finding:
    """No way has a lower ``S`` than individuals: with our defaults, and in every variation."""
    varied = [row for row in tables["sensitivity"] if row["kind"] in OPEN_CHOICES]
    names = sorted({(row["kind"], row["variation"]) for row in varied})
    bad = [
        f"{kind} {name}"
        for kind, name in names
        if not _individuals_see_fewest(where(varied, kind=kind, variation=name))
    ]
    means_of(tables["3c"], "S")  # refuses a diagram without information
    here = _individuals_see_fewest(tables["3c"])
    near = {row["way"]: row["S"] for row in where(tables["sensitivity"], kind="near the goal")}
    if not near:
        raise UnmeasuredError("two students near the goal were not measured")
    fewer_together = near["CT"] < near["IT"]
    counter_example = (
        f". But a group stops when its mean is at the goal: two students near it see S = "
        f"{near['CT']:g} as a class and {near['IT']:g} individually (erratum 8)"
        if fewer_together
        else ""
    )
    return verdict(holds=here and not bad and not fewer_together, partly=here), (
        f"S of individuals is {'lowest' if here else 'not lowest'} at every diversity of figure "
        f"3c, and never beaten in {len(names) - len(bad)} of {len(names)} variations and mixtures "
        f"of the open choices{_list(' (beaten with {})', bad[:3])}{counter_example}"
    )


def _individuals_see_fewest(rows: Rows) -> bool:
    """Return whether ``S`` of individuals is lowest at every diversity."""
    means = {way: mean_curve(where(rows, way=way), "diversity", "S")[1] for way in WAY_NAMES}
    return all(bool((means["IT"] <= means[way] + 1e-9).all()) for way in WAY_NAMES)
