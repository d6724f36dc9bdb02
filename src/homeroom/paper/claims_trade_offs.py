"""The claims about which way is cheapest, and how they depend on the open choices.

``T`` counts examples shown by the teacher, ``S`` those that a student sees on average. CT teaches
the class together, CTwP in groups, IT one by one (see :mod:`homeroom.paper.claims`). A trade-off
diagram shows which way has the lowest cost T + λ S, by diversity and by the weight λ. The docstring
of a judge states what it checks.
"""

from __future__ import annotations

from homeroom.paper.claims import (
    ClaimVerdict,
    Finding,
    PaperClaim,
    Tables,
    UnmeasuredError,
    diversities_of,
    fewer_for_students,
    fewer_for_the_teacher,
    individuals_are_best,
    means_of,
    verdict,
)
from homeroom.paper.drawing import WAY_NAMES, WIDE_LAMBDAS
from homeroom.paper.rows import Rows, mean_curve, where
from homeroom.paper.sensitivity import (
    OPEN_CHOICES,
    TIGHT_CLUSTERS_MIXED_RATES,
    mixtures,
    region_shares,
    regions_as_described,
    single_changes,
)


def regions_of_rates(tables: Tables) -> Finding:
    """The regions of figure 3e are as described, with our defaults and in every variation."""
    return _regions(tables["3e"], tables["sensitivity"], "rates")


def regions_of_knowledge(tables: Tables) -> Finding:
    """The regions of figure 3f are as described, with our defaults and in every variation."""
    return _regions(tables["3f"], tables["sensitivity"], "knowledge")


def _regions(rows: Rows, varied: Rows, kind: str) -> Finding:
    """Judge whether a trade-off diagram has the described regions, for all open choices."""
    means_of(rows, "T")  # refuses a diagram without information
    whole, groups, alone = region_shares(rows, kind)
    by_default = regions_as_described(rows, kind)
    singles, mixed = _measured_variations(varied, kind)
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
        f"changes of one open choice{_listed(' (not for {})', failing)}, and for "
        f"{good} of {len(mixed)} mixtures of such changes"
        f"{_count_without(failing, mixed, described)}"
    )


def _measured_variations(rows: Rows, kind: str) -> tuple[list[str], list[str]]:
    """Return the measured changes of one open choice, and the measured mixtures of changes."""
    measured = {row["variation"] for row in rows if row["kind"] == kind}
    singles = [name for name in single_changes(kind) if name in measured]
    return singles, [name for name in mixtures(kind) if name in measured]


def _listed(text: str, names: list[str]) -> str:
    """Return the text with the names filled in; nothing without names."""
    return text.format(", ".join(names)) if names else ""


def _count_without(failing: list[str], mixed: list[str], described: dict[str, bool]) -> str:
    """Return, in words, how many mixtures without the failing changes are as described.

    The text is empty if there are no such changes.
    """
    own = [described[mix] for mix in mixed if not set(failing) & set(mix.split(", "))]
    return f" ({sum(own)} of the {len(own)} without these changes)" if failing else ""


def groups_in_most_regimes(tables: Tables) -> Finding:
    """Groups are cheapest on over half of the diagram, with our defaults and in every variation."""
    means_of(tables["3f"], "T")  # refuses a diagram without information
    whole, groups, alone = region_shares(tables["3f"], "knowledge")
    varied = where(tables["sensitivity"], kind="knowledge")
    singles, mixed = _measured_variations(varied, "knowledge")
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


def one_group_at_zero(tables: Tables) -> Finding:
    """Neither the groups by rate nor two students taught apart need fewer examples in all."""
    ratios = {}
    for figure, kind in (("3b", "rates"), ("knowledge-t", "knowledge")):
        means, places = means_of(tables[figure], "T"), diversities_of(tables[figure])
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
        f"of the open choices{_listed(' (beaten with {})', bad[:3])}{counter_example}"
    )


def _individuals_see_fewest(rows: Rows) -> bool:
    """Return whether ``S`` of individuals is lowest at every diversity."""
    means = {way: mean_curve(where(rows, way=way), "diversity", "S")[1] for way in WAY_NAMES}
    return all(bool((means["IT"] <= means[way] + 1e-9).all()) for way in WAY_NAMES)


CLAIMS = (
    PaperClaim(
        "Diverse rates: CT is cheapest at low diversity and low λ, IT at high λ, CTwP-Opt between",
        "section 6.1, figure 3e",
        ("3e", "sensitivity"),
        regions_of_rates,
    ),
    PaperClaim(
        "Diverse knowledge: the results are the same as with rates",
        "section 6.1, figure 3f",
        ("3f", "sensitivity"),
        regions_of_knowledge,
    ),
    PaperClaim(
        "Diverse knowledge: CTwP-Opt outperforms in most regimes",
        "section 6.1, figure 3f",
        ("3f", "sensitivity"),
        groups_in_most_regimes,
    ),
    PaperClaim(
        "Diverse knowledge: teacher's and students' curves behave as with diverse rates",
        "section 6.1 (stated, not drawn)",
        ("knowledge-t", "knowledge-s", "sensitivity"),
        knowledge_behaves_like_rates,
    ),
    PaperClaim(
        "With λ = 0 one group is optimal",
        "section 5",
        ("3b", "knowledge-t", "sensitivity"),
        one_group_at_zero,
    ),
    PaperClaim(
        "With λ = ∞ individual teaching is optimal",
        "section 5",
        ("3c", "sensitivity"),
        individuals_at_infinity,
    ),
)
