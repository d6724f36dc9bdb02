"""The claims of section 6.1 about the synthetic classes (figures 3a to 3d).

``T`` counts examples shown by the teacher, ``S`` those that a student sees on average. CT teaches
the class together, CTwP in groups, IT one by one (see :mod:`homeroom.paper.claims`). The docstring
of a judge states what it checks. Dₓ is the radius of the ball of examples, δ the length of the
error in an observed state.
"""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats
from homeroom.paper.claims import (
    ClaimVerdict,
    Finding,
    PaperClaim,
    Tables,
    UnmeasuredError,
    curve_of,
    diversities_of,
    error_descents,
    fewer_for_students,
    fewer_for_the_teacher,
    individuals_are_best,
    means_of,
    verdict,
)
from homeroom.paper.figures_synthetic import RADII, RULES
from homeroom.paper.rows import (
    Rows,
    column,
    interval_half_width,
    mean_curve,
    ranks,
    seeds_of,
    where,
)
from homeroom.paper.sensitivity import NOISE_LAWS


def linear_convergence(tables: Tables) -> Finding:
    """A geometric fall, and no round slower than the theorem proves."""
    fall = error_descents(tables["3a"])
    proved = bool((fall.worst <= fall.proved + 1e-9).all())
    return verdict(holds=fall.steady and proved), (
        f"{fall}; no round leaves more than {fall.worst.max():.4f}, which is "
        f"{'within' if proved else 'more than'} the theorem's r"
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


def groups_help_students(tables: Tables) -> Finding:
    """No more examples per student at any diversity, and fewer at the highest."""
    return fewer_for_students(tables["3c"], "diversity {:g}")


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


def individuals_are_best_for_students(tables: Tables) -> Finding:
    """Fewer examples per student than in any other way, at every diversity."""
    return individuals_are_best(tables["3c"])


def homogeneous_beats_random(tables: Tables) -> Finding:
    """Fewer examples in all than the same number of random groups, wherever there are groups."""
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
        f"where the two differ, random groups need {' and '.join(found)} as many examples as "
        "homogeneous groups"
    )


CLAIMS = (
    PaperClaim(
        "CT exhibits linear convergence", "section 6.1, figure 3a", ("3a",), linear_convergence
    ),
    PaperClaim(
        "The slower the learners and the further away they are, the longer they take",
        "section 6.1, figure 3a",
        ("who",),
        slow_and_far_take_longer,
    ),
    PaperClaim(
        "Noise in the states raises the rounds, which stay significantly below noise-free IT",
        "section 6.1, figure 3d",
        ("3d",),
        noise_costs_little,
    ),
    PaperClaim(
        "The dip at diversity 0.15 is due to the value of Dₓ",
        "section 6.1, figures 3b and 3c",
        ("dip",),
        dip_is_due_to_the_ball,
    ),
    PaperClaim(
        "CTwP-Opt consistently outperforms CT for the students",
        "section 6.1, figure 3c",
        ("3c",),
        groups_help_students,
    ),
    PaperClaim(
        "For a class with low diversity, partitioning is costly",
        "section 6.1, figure 3b",
        ("3b",),
        groups_cost_at_low_diversity,
    ),
    PaperClaim(
        "As diversity increases, partitioning is beneficial from the teacher's perspective",
        "section 6.1, figure 3b",
        ("3b", "rules"),
        groups_help_the_teacher,
    ),
    PaperClaim(
        "IT performs best for the students",
        "section 6.1, figure 3c",
        ("3c",),
        individuals_are_best_for_students,
    ),
    PaperClaim(
        "Homogeneous groups beat random ones",
        "section 6.1, figures 3b and 3c (drawn, not stated)",
        ("3b", "knowledge-t"),
        homogeneous_beats_random,
    ),
)
