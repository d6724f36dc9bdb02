"""What section 6.1 says about its classes, and what was measured."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

from homeroom._arrays import Floats
from homeroom.paper.claim import Finding, Tables, claim, verdict
from homeroom.paper.dip import RADII
from homeroom.paper.drawing import band, column, straight_line, where
from homeroom.paper.figure import Rows
from homeroom.paper.rates import HEAVIER
from homeroom.paper.regions import regions_as_told, shares
from homeroom.paper.sensitivity import (
    NOISE_LAWS,
    OPEN,
    TIGHT_AND_MIXED,
    mixtures,
    one_at_a_time,
)

ALL_WAYS = ("CT", "CTwP-Opt", "CTwP-Rand", "IT")


def seeds_of(rows: Rows) -> list[int]:
    """Return the seeds that the rows come from."""
    return sorted({row["seed"] for row in rows})


@claim("CT exhibits linear convergence", "section 6.1, figure 3a", needs=("3a",))
def linear_convergence(tables: Tables) -> Finding:
    """A straight line on the logarithmic scale, and no round that brings nothing."""
    fits, worst, rounds = [], 0.0, []
    for seed in seeds_of(tables["3a"]):
        errors = column(where(tables["3a"], seed=seed), "error")
        fits.append(straight_line(np.arange(len(errors), dtype=float), np.log(errors))[2])
        worst = max(worst, float((errors[1:] / errors[:-1]).max()))
        rounds.append(len(errors) - 1)
    return verdict(holds=min(fits) > 0.9 and worst < 1.0), (
        f"log error against rounds is a straight line with R² ≥ {min(fits):.3f} in each of "
        f"{len(fits)} classes ({min(rounds)} to {max(rounds)} rounds); no round leaves more than "
        f"{worst:.3f} of the error"
    )


@claim(
    "The slower the learners and the further away they are, the longer they take",
    "section 6.1, figure 3a",
    needs=("who",),
)
def who_takes_longer(tables: Tables) -> Finding:
    """A regression of ranks on both: the signs, in every class."""
    slopes = []
    for seed in seeds_of(tables["who"]):
        rows = where(tables["who"], seed=seed)
        rate, distance, rounds = (
            _ranks(column(rows, name)) for name in ("rate", "distance", "rounds")
        )
        predictors = np.column_stack([rate, distance, np.ones(len(rows))])
        slopes.append(np.linalg.lstsq(predictors, rounds, rcond=None)[0][:2])
    by_rate, by_distance = np.array(slopes).T
    slower, farther = bool((by_rate < 0).all()), bool((by_distance > 0).all())
    return verdict(holds=slower and farther, partly=slower or farther), (
        f"rank regression of a student's rounds: {by_rate.mean():+.2f} on her rate, "
        f"{by_distance.mean():+.2f} on her distance (means over {len(slopes)} classes; the signs "
        f"are {'the same' if slower and farther else 'not the same'} in all)"
    )


def _ranks(values: Floats) -> Floats:
    """Return the rank of each value; equal ones share the mean of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return ranks


@claim(
    "Noise in the states raises the rounds, which stay significantly below noise-free IT",
    "section 6.1, figure 3d",
    needs=("3d",),
)
def noise_hurts_but_little(tables: Tables) -> Finding:
    """More rounds with the most noise than with none, class by class, and half of IT's at most."""
    noisy = [row for row in tables["3d"] if "delta" in row]
    alone = float(column([row for row in tables["3d"] if "delta" not in row], "T").mean())
    deltas, rounds, _ = band(noisy, "delta", "T")
    more = column(where(noisy, delta=deltas[-1]), "T") - column(where(noisy, delta=0.0), "T")
    laws = [
        f"{law.partition('=')[2]} {band(own, 'delta', 'T')[1][-1]:.0f}"
        for law in NOISE_LAWS
        if (own := where(tables.get("sensitivity", []), variation=law))
    ]
    return verdict(holds=_at_least(more) > 0 and float(rounds.max()) < alone / 2), (
        f"T = {rounds[0]:.0f} without noise, {rounds[-1]:.0f} at δ = {deltas[-1]:g} "
        f"({more.mean():+.0f}, at least {_at_least(more):+.0f} with 97.5 % confidence); "
        f"individuals without noise {alone:.0f}"
        + (f"; by the law of the noise at the highest δ: {', '.join(laws)}" if laws else "")
    )


def _at_least(values: Floats) -> float:
    """Return the lower end of the mean's 95 % confidence interval; of one value, itself."""
    if len(values) == 1:
        return float(values[0])
    quantile = float(stdtrit(len(values) - 1, 0.975))
    return float(values.mean() - quantile * values.std(ddof=1) / math.sqrt(len(values)))


@claim(
    "The dip at diversity 0.15 is due to the value of D_X",
    "section 6.1, figures 3b and 3c",
    needs=("dip",),
)
def the_dip(tables: Tables) -> Finding:
    """The lowest point is inside the curve at 0.15, and goes to 0 with a wider ball."""
    curves = {
        radius: band(where(tables["dip"], variation=radius), "diversity", "T") for radius in RADII
    }
    diversities, rounds, _ = curves[RADII[0]]
    lowest = {radius: float(diversities[curve[1].argmin()]) for radius, curve in curves.items()}
    step = float(np.diff(diversities).min()) + 1e-9
    dips = bool(0 < rounds.argmin() < len(rounds) - 1) and abs(lowest[RADII[0]] - 0.15) <= step
    gone = lowest[RADII[-1]] == diversities[0]
    told = ", ".join(f"{low:g} with D_X = {radius[15:]}" for radius, low in lowest.items())
    return verdict(holds=dips and gone and bool(np.isfinite(rounds).all())), (
        f"the whole class needs fewest examples at diversity {told}; with D_X = 2 it needs "
        f"{rounds[0]:.0f} at 0, {rounds.min():.0f} at the dip and {rounds[-1]:.0f} at "
        f"{diversities[-1]:g}. The ball limits everybody while 1/(0.1 + diversity) > D_X²"
    )


def means_of(rows: Rows, y: str) -> dict[str, Floats]:
    """Return each way's means over diversity."""
    return {way: band(where(rows, way=way), "diversity", y)[1] for way in ALL_WAYS}


def _places(rows: Rows) -> Floats:
    return np.unique(column(rows, "diversity"))


@claim(
    "CTwP-Opt consistently outperforms CT for the students",
    "section 6.1, figure 3c",
    needs=("3c",),
)
def groups_help_students(tables: Tables) -> Finding:
    """Nowhere more examples for a student, and fewer wherever there is more than one group."""
    return _fewer_for_students(tables["3c"], "diversity {:g}")


def _fewer_for_students(rows: Rows, at: str) -> Finding:
    means, places = means_of(rows, "S"), _places(rows)
    fewer = means["CTwP-Opt"] < means["CT"] - 1e-9
    never_more = bool((means["CTwP-Opt"] <= means["CT"] + 1e-9).all())
    start = f"from {at.format(places[fewer.argmax()])} on" if fewer.any() else "nowhere"
    return verdict(holds=never_more and bool(fewer[-1]), partly=bool(fewer[-1])), (
        f"S is lower {start}, {'nowhere higher' if never_more else 'but elsewhere higher'}: "
        f"{means['CTwP-Opt'][-1]:.0f} against {means['CT'][-1]:.0f} at {at.format(places[-1])}"
    )


@claim(
    "For a class with low diversity, partitioning is costly",
    "section 6.1, figure 3b",
    needs=("3b",),
)
def groups_cost_at_first(tables: Tables) -> Finding:
    """In the lower half of the diversities, groups never need fewer, and somewhere more."""
    means, places = means_of(tables["3b"], "T"), _places(tables["3b"])
    low = places <= places[-1] / 2
    ratio = (means["CTwP-Opt"] / means["CT"])[low]
    worst = int(ratio.argmax())
    return verdict(
        holds=bool((ratio > 1 - 1e-9).all() and ratio.max() > 1), partly=ratio[0] >= 1
    ), (
        f"up to diversity {places[low][-1]:g} groups need {ratio.min():.2f} to {ratio.max():.2f} "
        f"of the whole class's examples (most at {places[worst]:g}; where all rates lie within "
        "a factor of two there is one group, and no difference)"
    )


@claim(
    "As diversity increases, partitioning is beneficial from the teacher's perspective",
    "section 6.1, figure 3b",
    needs=("3b",),
)
def groups_help_the_teacher(tables: Tables) -> Finding:
    """Fewer examples in all, from some diversity on."""
    return _fewer_for_the_teacher(tables["3b"], "diversity {:g}")


def _fewer_for_the_teacher(rows: Rows, at: str) -> Finding:
    means, places = means_of(rows, "T"), _places(rows)
    fewer = means["CTwP-Opt"] < means["CT"] - 1e-9
    told = "never need fewer" if not fewer.any() else "need fewer, but not in the end"
    if fewer[-1]:
        told = f"need fewer from {at.format(places[_since(fewer)])} on"
    return verdict(holds=bool(fewer[-1]), partly=bool(fewer.any())), (
        f"groups {told}: T = {means['CTwP-Opt'][-1]:.0f} against {means['CT'][-1]:.0f} at "
        f"{at.format(places[-1])}"
    )


def _since(flags: np.ndarray) -> int:
    """Return where the last unbroken run of true flags begins."""
    return len(flags) - int(np.argmin([*flags[::-1], False]))


@claim("IT performs best for the students", "section 6.1, figure 3c", needs=("3c",))
def alone_is_best_for_students(tables: Tables) -> Finding:
    """Fewer examples for a student than in any other way, at every diversity."""
    return _alone_is_best(tables["3c"])


def _alone_is_best(rows: Rows) -> Finding:
    means = means_of(rows, "S")
    others = np.minimum(means["CT"], np.minimum(means["CTwP-Opt"], means["CTwP-Rand"]))
    ratio = others / means["IT"]
    return verdict(holds=bool((ratio > 1).all()), partly=bool((ratio > 1).any())), (
        f"the next best way takes a student {ratio.min():.1f} to {ratio.max():.1f} times as many "
        f"examples, by diversity (at the highest S = {means['IT'][-1]:.1f} alone)"
    )


@claim(
    "Homogeneous groups beat random ones",
    "section 6.1, figures 3b and 3c (drawn, not said)",
    needs=("3b", "knowledge-t"),
)
def homogeneous_beats_random(tables: Tables) -> Finding:
    """Fewer examples in all than as many random groups, wherever there are groups."""
    found, least = [], []
    for figure, kind in (("3b", "rates"), ("knowledge-t", "knowledge")):
        means = means_of(tables[figure], "T")
        ratio = means["CTwP-Rand"] / means["CTwP-Opt"]
        ratio = ratio[means["CTwP-Rand"] != means["CTwP-Opt"]]
        if not len(ratio):
            return verdict(holds=False), f"{kind}: random groups need the same everywhere"
        least.append(float(ratio.min()))
        found.append(f"{ratio.min():.2f} to {ratio.max():.2f} times ({kind})")
    return verdict(holds=min(least) > 1.0, partly=max(least) > 1.0), (
        f"where the two differ, random groups need {' and '.join(found)} the examples of "
        "homogeneous ones"
    )


@claim(
    "Diverse rates: CT is cheapest at low diversity and low λ, IT at high λ, CTwP-Opt between",
    "section 6.1, figure 3e",
    needs=("3e", "sensitivity"),
)
def regions_of_rates(tables: Tables) -> Finding:
    """As told at our defaults, and for every variation of the open choices."""
    return _regions(tables["3e"], tables["sensitivity"], "rates")


@claim(
    "Diverse knowledge: the results are the same as with rates",
    "section 6.1, figure 3f",
    needs=("3f", "sensitivity"),
)
def regions_of_knowledge(tables: Tables) -> Finding:
    """As told at our defaults, and for every variation of the open choices."""
    return _regions(tables["3f"], tables["sensitivity"], "knowledge")


def _regions(rows: Rows, varied: Rows, kind: str) -> Finding:
    whole, groups, alone = shares(rows, kind)
    told = regions_as_told(rows, kind)
    measured = {row["variation"] for row in varied if row["kind"] == kind}
    as_told = {
        name: regions_as_told(where(varied, kind=kind, variation=name), kind) for name in measured
    }
    singles = [name for name in one_at_a_time(kind) if name in measured]
    mixed = [name for name in mixtures(kind) if name in measured]
    odd = [name for name in singles if not as_told[name]]
    good = sum(as_told[name] for name in mixed)
    return verdict(holds=told and not odd, partly=told or len(odd) < len(singles)), (
        f"at our defaults the regions lie {'as told' if told else 'otherwise'}: whole class / "
        f"groups / individuals are cheapest on {whole:.0%} / {groups:.0%} / {alone:.0%} of the "
        f"diagram. They lie as told for {len(singles) - len(odd)} of {len(singles)} changes of one "
        f"open choice{f' (not for {_listed(odd)})' if odd else ''}, and for {good} of "
        f"{len(mixed)} mixtures of such changes{_without(odd, mixed, as_told)}"
    )


def _listed(names: list[str]) -> str:
    return ", ".join(names)


def _without(odd: list[str], mixed: list[str], as_told: dict[str, bool]) -> str:
    """Tell how many of the mixtures that leave the odd choices alone lie as told."""
    own = [as_told[mix] for mix in mixed if not set(odd) & set(mix.split(", "))]
    return f" ({sum(own)} of the {len(own)} that leave these alone)" if odd else ""


@claim(
    "Diverse knowledge: CTwP-Opt outperforms in most regimes",
    "section 6.1, figure 3f",
    needs=("3f",),
)
def groups_in_most_regimes(tables: Tables) -> Finding:
    """Cheapest on more than half of the diagram."""
    whole, groups, alone = shares(tables["3f"], "knowledge")
    return verdict(holds=groups > 0.5, partly=groups > max(whole, alone)), (
        f"with two clusters or more, groups are cheapest on {groups:.0%} of the diagram "
        f"(whole class {whole:.0%}, individuals {alone:.0%}), λ from {HEAVIER[0]:g} to "
        f"{HEAVIER[-1]:g} on a logarithmic scale"
    )


@claim(
    "Diverse knowledge: teacher's and students' curves behave as with diverse rates",
    "section 6.1 (said, not drawn)",
    needs=("knowledge-t", "knowledge-s", "sensitivity"),
)
def knowledge_behaves_alike(tables: Tables) -> Finding:
    """Groups help students, individuals most; and groups help the teacher in the end."""
    students = _fewer_for_students(tables["knowledge-s"], "{:g} clusters")
    alone = _alone_is_best(tables["knowledge-s"])
    teacher = _fewer_for_the_teacher(tables["knowledge-t"], "{:g} clusters")
    holds = [finding[0].value == "holds" for finding in (students, alone, teacher)]
    corner = [name for name in TIGHT_AND_MIXED if _groups_win(tables["sensitivity"], name)]
    counted = sum(
        bool(where(tables["sensitivity"], kind="knowledge", variation=name))
        for name in TIGHT_AND_MIXED
    )
    where_so = f" ({'; '.join(corner)})" if corner else ""
    return verdict(holds=all(holds), partly=any(holds)), (
        f"students: {students[1]}; {alone[1]}. Teacher: {teacher[1]}. Of {counted} choices of "
        f"cluster_spread and knowledge_width, groups need fewer in the end for {len(corner)}"
        f"{where_so}"
    )


def _groups_win(rows: Rows, variation: str) -> bool:
    """Tell whether groups need fewer examples in all at the most clusters."""
    own = where(rows, kind="knowledge", variation=variation)
    if not own:
        return False
    means = means_of(own, "T")
    return bool(means["CTwP-Opt"][-1] < means["CT"][-1])


@claim("With λ = 0 one group is optimal", "section 5", needs=("3b", "knowledge-t", "sensitivity"))
def one_group_at_zero(tables: Tables) -> Finding:
    """No grouping needs fewer examples in all than the whole class."""
    ratios = {}
    for figure, kind in (("3b", "rates"), ("knowledge-t", "knowledge")):
        means, places = means_of(tables[figure], "T"), _places(tables[figure])
        ratio = means["CTwP-Opt"] / means["CT"]
        ratios[kind] = (float(ratio.min()), float(places[ratio.argmin()]))
    varied = where(tables["sensitivity"], kind="rates", variation="whole_magnitude=dynamic")
    means = means_of(varied, "T")
    dynamic = float((means["CTwP-Opt"] / means["CT"]).min())
    found = "; ".join(
        f"{kind}: {ratio:.2f} at diversity {place:g}" for kind, (ratio, place) in ratios.items()
    )
    holds = all(ratio >= 1.0 for ratio, _ in ratios.values())
    return verdict(holds=holds, partly=dynamic >= 1.0), (
        f"examples that groups need for one of the whole class's, at the least: {found}. Rates: "
        f"{dynamic:.2f} if the whole class, too, is taught with the dynamic magnitude"
    )


@claim("With λ = ∞ individual teaching is optimal", "section 5", needs=("3c", "sensitivity"))
def alone_at_infinity(tables: Tables) -> Finding:
    """Nobody sees fewer examples than alone, at our defaults and in every variation."""
    kinds = [row for row in tables["sensitivity"] if row["kind"] in OPEN]
    names = sorted({(row["kind"], row["variation"]) for row in kinds})
    bad = [
        f"{kind} {name}"
        for kind, name in names
        if not _never_more_alone(where(kinds, kind=kind, variation=name))
    ]
    here = _never_more_alone(tables["3c"])
    return verdict(holds=here and not bad, partly=here), (
        f"S is {'lowest' if here else 'not lowest'} alone at every diversity of figure 3c, and "
        f"never beaten in {len(names) - len(bad)} of {len(names)} variations and mixtures of the "
        f"open choices{f' (beaten with {_listed(bad[:3])})' if bad else ''}"
    )


def _never_more_alone(rows: Rows) -> bool:
    means = means_of(rows, "S")
    return all(bool((means["IT"] <= means[way] + 1e-9).all()) for way in ALL_WAYS)
