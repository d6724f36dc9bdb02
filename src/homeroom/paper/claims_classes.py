"""What section 6.1 says about its classes, and what was measured."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

from homeroom._arrays import Floats
from homeroom.paper.claim import Finding, Tables, UnmeasuredError, claim, verdict
from homeroom.paper.claim_readings import curve_of, descents, means_of, places_of, seeds_of
from homeroom.paper.dip import RADII
from homeroom.paper.drawing import band, column, where
from homeroom.paper.figure import Rows
from homeroom.paper.sensitivity import NOISE_LAWS


@claim("CT exhibits linear convergence", "section 6.1, figure 3a", needs=("3a",))
def linear_convergence(tables: Tables) -> Finding:
    """A geometric fall, and no round slower than the theorem proves."""
    fall = descents(tables["3a"])
    proved = bool((fall.worst <= fall.proved + 1e-9).all())
    return verdict(holds=fall.steady and proved), (
        f"{fall}; no round leaves more than {fall.worst.max():.4f}, which is "
        f"{'within' if proved else 'more than'} the theorem's r"
    )


@claim(
    "The slower the learners and the further away they are, the longer they take",
    "section 6.1, figure 3a",
    needs=("who",),
)
def who_takes_longer(tables: Tables) -> Finding:
    """A regression of ranks on both: the signs, in every class."""
    slopes = []
    if not tables["who"]:
        raise UnmeasuredError("no students were measured")
    for seed in seeds_of(tables["who"]):
        rows = where(tables["who"], seed=seed)
        values = [column(rows, name) for name in ("rate", "distance", "rounds")]
        if any(np.ptp(one) == 0 for one in values):
            raise UnmeasuredError("all have the same rate, distance or number of rounds")
        rate, distance, rounds = (_ranks(one) for one in values)
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
    individuals = column([row for row in tables["3d"] if "delta" not in row], "T")
    deltas, rounds = curve_of(noisy, "delta", "T")
    if not individuals.any():
        raise UnmeasuredError("individuals need no examples, or were not measured")
    alone = float(individuals.mean())
    more = _paired(noisy, deltas[-1]) - _paired(noisy, deltas[0])
    laws = [
        f"{law.partition('=')[2]} {band(own, 'delta', 'T')[1][-1]:.0f}"
        for law in NOISE_LAWS
        if (own := where(tables.get("sensitivity", []), variation=law))
    ]
    return verdict(holds=_at_least(more) > 0 and float(rounds.max()) < alone / 2), (
        f"T = {rounds[0]:.0f} without noise, {rounds[-1]:.0f} at δ = {deltas[-1]:g} "
        f"({more.mean():+.0f}, {_how_sure(more)}); individuals without noise {alone:.0f}"
        + (f"; by the law of the noise at the highest δ: {', '.join(laws)}" if laws else "")
    )


def _paired(rows: Rows, delta: float) -> Floats:
    """Return T at one size of the noise for every class, in the order of the seeds."""
    return band(where(rows, delta=delta), "seed", "T")[1]


def _how_sure(values: Floats) -> str:
    if len(values) == 1:
        return "one class, no interval"
    return f"at least {_at_least(values):+.0f} with 97.5 % confidence"


def _at_least(values: Floats) -> float:
    """Return the lower end of the mean's 95 % confidence interval; of one value, itself."""
    if len(values) == 1:
        return float(values[0])
    quantile = float(stdtrit(len(values) - 1, 0.975))
    return float(values.mean() - quantile * values.std(ddof=1) / math.sqrt(len(values)))


@claim(
    "The dip at diversity 0.15 is due to the value of Dₓ",
    "section 6.1, figures 3b and 3c",
    needs=("dip",),
)
def the_dip(tables: Tables) -> Finding:
    """The lowest point is inside the curve at 0.15, and goes to 0 with a wider ball."""
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
    told = ", ".join(f"{low:g} with Dₓ = {size}" for low, size in zip(lowest, sizes, strict=True))
    return verdict(holds=dips and gone and bool(np.isfinite(rounds).all())), (
        f"the whole class needs fewest examples at diversity {told}; with Dₓ = {sizes[0]} it needs "
        f"{rounds[0]:.0f} at 0, {rounds.min():.0f} at the dip and {rounds[-1]:.0f} at "
        f"{diversities[-1]:g}. The ball limits everybody while 1/(slowest rate + diversity) > Dₓ²"
    )


@claim(
    "CTwP-Opt consistently outperforms CT for the students",
    "section 6.1, figure 3c",
    needs=("3c",),
)
def groups_help_students(tables: Tables) -> Finding:
    """Nowhere more examples for a student, and fewer wherever there is more than one group."""
    return fewer_for_students(tables["3c"], "diversity {:g}")


def fewer_for_students(rows: Rows, at: str) -> Finding:
    """Compare S of groups with that of the whole class; ``at`` names a diversity."""
    means, places = means_of(rows, "S"), places_of(rows)
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
    means, places = means_of(tables["3b"], "T"), places_of(tables["3b"])
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
    return fewer_for_the_teacher(tables["3b"], "diversity {:g}")


def fewer_for_the_teacher(rows: Rows, at: str) -> Finding:
    """Compare T of groups with that of the whole class; ``at`` names a diversity."""
    means, places = means_of(rows, "T"), places_of(rows)
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
    return alone_is_best(tables["3c"])


def alone_is_best(rows: Rows) -> Finding:
    """Compare S of individuals with the best of the other ways."""
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
