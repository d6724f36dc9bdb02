"""What section 6.2 says about insects and the crowd's classes, and what was measured."""

from __future__ import annotations

from collections import Counter

import numpy as np

from homeroom.paper.claim import Finding, Tables, UnmeasuredError, Verdict, claim, verdict
from homeroom.paper.claim_readings import means_of, places_of, seeds_of
from homeroom.paper.claims_classes import alone_is_best
from homeroom.paper.drawing import cheapest, where
from homeroom.paper.figure import Rows
from homeroom.paper.insect_crowd import TYPES
from homeroom.paper.insect_drawing import NAMES
from homeroom.paper.rates import COMPARED, HEAVIER

A_FEW_MORE = 1.5
"""Up to half as many again are a few more."""

MANY_MORE = 3.0
CONSIDERABLY = 0.75
"""A quarter less is considerably better."""


@claim(
    "Insects: CT needs fewest examples in all, CTwP-Opt only a few more, IT many more",
    "section 6.2, figure 4d",
    needs=("4d",),
)
def whole_class_needs_fewest(tables: Tables) -> Finding:
    """The whole class fewest at every diversity, groups half as many again, individuals thrice."""
    means, places = means_of(tables["4d"], "T"), places_of(tables["4d"])
    groups, alone = means["CTwP-Opt"] / means["CT"], means["IT"] / means["CT"]
    others = np.minimum(means["CTwP-Opt"], np.minimum(means["CTwP-Rand"], means["IT"]))
    fewest = bool((means["CT"] <= others + 1e-9).all())
    few = bool((groups <= A_FEW_MORE).all())
    many = bool((means["IT"] >= MANY_MORE * np.maximum(means["CT"], means["CTwP-Opt"])).all())
    return verdict(holds=fewest and few and many, partly=fewest and many), (
        f"the whole class needs {'fewest' if fewest else 'not fewest'} at every diversity; groups "
        f"need {groups.min():.2f} to {groups.max():.2f} times as many ({A_FEW_MORE:g} is asked), "
        f"individuals {alone.min():.0f} to {alone.max():.0f} times: T = {means['CT'][-1]:.0f}, "
        f"{means['CTwP-Opt'][-1]:.0f} and {means['IT'][-1]:.0f} at {places[-1]:g} types"
    )


@claim(
    "Insects: IT is best for the students, CTwP-Opt considerably better than CT",
    "section 6.2, figure 4e",
    needs=("4e",),
)
def groups_are_better_for_students(tables: Tables) -> Finding:
    """Fewest alone, and a quarter less in groups than together where types are mixed."""
    alone, told = alone_is_best(tables["4e"])
    means, places = means_of(tables["4e"], "S"), places_of(tables["4e"])
    share = (means["CTwP-Opt"] / means["CT"])[places > 1]
    better = bool((share <= CONSIDERABLY).all())
    return verdict(
        holds=alone is Verdict.HOLDS and better,
        partly=alone is Verdict.HOLDS or better,
    ), (
        f"with two types or more a student in a group sees {share.min():.2f} to {share.max():.2f} "
        f"of the whole class's examples ({CONSIDERABLY:g} is asked); {told}"
    )


@claim(
    "Insects: as diversity increases, CTwP-Opt outperforms the others in total cost",
    "section 6.2, figure 4f",
    needs=("4f",),
)
def groups_are_cheapest_in_the_end(tables: Tables) -> Finding:
    """At the highest diversity cheapest for more weights than any other way, and than at first."""
    means_of(tables["4f"], "T")  # refuses a diagram that says nothing
    places, best = cheapest(tables["4f"], HEAVIER, COMPARED)
    shares = np.array([(best == way).mean(axis=0) for way in range(len(COMPARED))])
    whole, groups, alone = shares
    most = bool(groups[-1] > max(whole[-1], alone[-1]))
    more = bool(groups[-1] > groups[0])
    return verdict(holds=most and more, partly=bool(groups[-1] > 0)), (
        f"with {places[-1]:g} types groups are cheapest for {groups[-1]:.0%} of the weights λ "
        f"(whole class {whole[-1]:.0%}, individuals {alone[-1]:.0%}), with {places[0]:g} for "
        f"{groups[0]:.0%}; this depends on the window of λ, which is our choice: {HEAVIER[0]:g} to "
        f"{HEAVIER[-1]:g} on a logarithmic scale"
    )


@claim(
    "Insects: the first example for the whole class is a tiger moth",
    "section 6.2, figure 4c",
    needs=("4c",),
)
def the_class_begins_with_a_tiger_moth(tables: Tables) -> Finding:
    """So in every class that was drawn."""
    first = [lesson[0] for lesson in _lessons(tables["4c"], "CT")]
    tigers = first.count("tmoth")
    return verdict(holds=tigers == len(first), partly=tigers > 0), (
        f"of {len(first)} classes of all four types {tigers} begin with a tiger moth "
        f"({_counted(first)})"
    )


@claim(
    "Insects: learners who take tiger moths for butterflies (P1) are shown tiger moths first",
    "section 6.2, figure 4c",
    needs=("4c",),
)
def p1_is_shown_tiger_moths(tables: Tables) -> Finding:
    """Their first example is one, and no other species is shown more often, in every class."""
    lessons = _lessons(tables["4c"], "P1")
    begins = [lesson[0] == "tmoth" for lesson in lessons]
    mostly = [Counter(lesson).most_common(1)[0][0] == "tmoth" for lesson in lessons]
    shown = [species == "tmoth" for lesson in lessons for species in lesson]
    others = ", ".join(
        f"{kind} {_counted([lesson[0] for lesson in _lessons(tables['4c'], kind)])}"
        for kind in TYPES[1:]
    )
    return verdict(holds=all(begins) and all(mostly), partly=all(begins) or all(mostly)), (
        f"{sum(begins)} of {len(begins)} such groups are shown a tiger moth first, and "
        f"{np.mean(shown):.0%} of what they are shown are tiger moths; the others begin with: "
        f"{others}"
    )


def _lessons(rows: Rows, who: str) -> list[list[str]]:
    """Return the species that were shown, in their order, in the lesson of every class."""
    lessons = [
        [row["species"] for row in where(rows, seed=seed, who=who)] for seed in seeds_of(rows)
    ]
    if not lessons or min(len(lesson) for lesson in lessons) < 2:
        raise UnmeasuredError(f"some lesson of {who} has less than two examples")
    return lessons


def _counted(species: list[str]) -> str:
    return ", ".join(f"{NAMES[one]} {many}" for one, many in Counter(species).most_common())
