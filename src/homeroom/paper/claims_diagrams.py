"""Which way is cheapest, by diversity and weight, and what becomes of it in other classes."""

from __future__ import annotations

from homeroom.paper.claim import Finding, Tables, Verdict, claim, verdict
from homeroom.paper.claim_readings import ALL_WAYS, means_of, places_of
from homeroom.paper.claims_classes import alone_is_best, fewer_for_students, fewer_for_the_teacher
from homeroom.paper.drawing import band, where
from homeroom.paper.figure import Rows
from homeroom.paper.rates import HEAVIER
from homeroom.paper.regions import regions_as_told, shares
from homeroom.paper.sensitivity import OPEN, TIGHT_AND_MIXED, mixtures, one_at_a_time


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
    means_of(rows, "T")  # refuses a diagram that says nothing
    whole, groups, alone = shares(rows, kind)
    told = regions_as_told(rows, kind)
    singles, mixed = _varied(varied, kind)
    as_told = {
        name: regions_as_told(where(varied, kind=kind, variation=name), kind)
        for name in (*singles, *mixed)
    }
    odd = [name for name in singles if not as_told[name]]
    good = sum(as_told[name] for name in mixed)
    everywhere = bool(singles and mixed) and all(as_told.values())
    return verdict(holds=told and everywhere, partly=told), (
        f"at our defaults the regions lie {'as told' if told else 'otherwise'}: whole class / "
        f"groups / individuals are cheapest on {whole:.0%} / {groups:.0%} / {alone:.0%} of the "
        f"diagram. They lie as told for {len(singles) - len(odd)} of {len(singles)} changes of one "
        f"open choice{f' (not for {_listed(odd)})' if odd else ''}, and for {good} of "
        f"{len(mixed)} mixtures of such changes{_without(odd, mixed, as_told)}"
    )


def _varied(rows: Rows, kind: str) -> tuple[list[str], list[str]]:
    """Return the changes of one open choice that were measured, and the mixtures of such."""
    measured = {row["variation"] for row in rows if row["kind"] == kind}
    singles = [name for name in one_at_a_time(kind) if name in measured]
    return singles, [name for name in mixtures(kind) if name in measured]


def _listed(names: list[str]) -> str:
    return ", ".join(names)


def _without(odd: list[str], mixed: list[str], as_told: dict[str, bool]) -> str:
    """Tell how many of the mixtures that leave the odd choices alone lie as told."""
    own = [as_told[mix] for mix in mixed if not set(odd) & set(mix.split(", "))]
    return f" ({sum(own)} of the {len(own)} that leave these alone)" if odd else ""


@claim(
    "Diverse knowledge: CTwP-Opt outperforms in most regimes",
    "section 6.1, figure 3f",
    needs=("3f", "sensitivity"),
)
def groups_in_most_regimes(tables: Tables) -> Finding:
    """Cheapest on more than half of the diagram, at our defaults and in every variation."""
    means_of(tables["3f"], "T")  # refuses a diagram that says nothing
    whole, groups, alone = shares(tables["3f"], "knowledge")
    varied = where(tables["sensitivity"], kind="knowledge")
    singles, mixed = _varied(varied, "knowledge")
    most = [
        shares(where(varied, variation=name), "knowledge")[1] > 0.5 for name in (*singles, *mixed)
    ]
    return verdict(holds=groups > 0.5 and bool(most) and all(most), partly=groups > 0.5), (
        f"with two clusters or more, groups are cheapest on {groups:.0%} of the diagram "
        f"(whole class {whole:.0%}, individuals {alone:.0%}), and on more than half of it for "
        f"{sum(most)} of {len(most)} variations and mixtures of the open choices. All this depends "
        f"on the window of λ, which is our choice: {HEAVIER[0]:g} to {HEAVIER[-1]:g} on a "
        "logarithmic scale"
    )


@claim(
    "Diverse knowledge: teacher's and students' curves behave as with diverse rates",
    "section 6.1 (said, not drawn)",
    needs=("knowledge-t", "knowledge-s", "sensitivity"),
)
def knowledge_behaves_alike(tables: Tables) -> Finding:
    """Groups help students, individuals most; and groups help the teacher, here or somewhere."""
    students = fewer_for_students(tables["knowledge-s"], "{:g} clusters")
    alone = alone_is_best(tables["knowledge-s"])
    teacher = fewer_for_the_teacher(tables["knowledge-t"], "{:g} clusters")
    for_students = students[0] is alone[0] is Verdict.HOLDS
    varied = where(tables["sensitivity"], kind="knowledge")
    counted = [name for name in TIGHT_AND_MIXED if where(varied, variation=name)]
    corner = [name for name in counted if _groups_win(where(varied, variation=name))]
    return verdict(
        holds=for_students and teacher[0] is Verdict.HOLDS, partly=for_students and bool(corner)
    ), (
        f"students: {students[1]}; {alone[1]}. Teacher: {teacher[1]}"
        f"{_turns(corner, len(counted)) if counted else ''}"
    )


def _turns(corner: list[str], counted: int) -> str:
    """Tell for how many of the counted choices groups help the teacher, and for which."""
    which = f" ({'; '.join(corner)})" if corner else ""
    return (
        f". Of {counted} choices of cluster_spread and knowledge_width, groups need fewer in the "
        f"end for {len(corner)}{which}"
    )


def _groups_win(rows: Rows) -> bool:
    """Tell whether groups need fewer examples in all at the most clusters."""
    groups, whole = (band(where(rows, way=way), "diversity", "T")[1] for way in ("CTwP-Opt", "CT"))
    return bool(groups[-1] < whole[-1])


@claim("With λ = 0 one group is optimal", "section 5", needs=("3b", "knowledge-t", "sensitivity"))
def one_group_at_zero(tables: Tables) -> Finding:
    """No grouping needs fewer examples in all than the whole class."""
    ratios = {}
    for figure, kind in (("3b", "rates"), ("knowledge-t", "knowledge")):
        means, places = means_of(tables[figure], "T"), places_of(tables[figure])
        ratio = means["CTwP-Opt"] / means["CT"]
        ratios[kind] = (float(ratio.min()), float(places[ratio.argmin()]))
    found = "; ".join(
        f"{kind}: {ratio:.2f} at diversity {place:g}" for kind, (ratio, place) in ratios.items()
    )
    return verdict(holds=all(ratio >= 1.0 for ratio, _ in ratios.values())), (
        f"examples that groups need for one of the whole class's, at the least: {found}. "
        f"{_both_dynamic(tables['sensitivity'])}Nothing proves it: of two students with rates 0.1 "
        "and 5, both taught with the static magnitude, the class needs 98 examples together and "
        "6 apart (erratum 7)"
    )


def _both_dynamic(varied: Rows) -> str:
    """Tell what becomes of diverse rates if the whole class, too, has the dynamic magnitude."""
    rows = where(varied, kind="rates", variation="whole_magnitude=dynamic")
    if len(places_of(rows)) < 2:
        return ""
    means = means_of(rows, "T")
    least = float((means["CTwP-Opt"] / means["CT"]).min())
    return (
        f"For these classes (rates) it {'holds' if least >= 1.0 else 'does not hold either'} if "
        f"the whole class, too, is taught with the dynamic magnitude: {least:.2f}. "
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
    means_of(tables["3c"], "S")  # refuses a diagram that says nothing
    here = _never_more_alone(tables["3c"])
    return verdict(holds=here and not bad, partly=here), (
        f"S is {'lowest' if here else 'not lowest'} alone at every diversity of figure 3c, and "
        f"never beaten in {len(names) - len(bad)} of {len(names)} variations and mixtures of the "
        f"open choices{f' (beaten with {_listed(bad[:3])})' if bad else ''}"
    )


def _never_more_alone(rows: Rows) -> bool:
    means = {way: band(where(rows, way=way), "diversity", "S")[1] for way in ALL_WAYS}
    return all(bool((means["IT"] <= means[way] + 1e-9).all()) for way in ALL_WAYS)
