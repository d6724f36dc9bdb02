"""The claims of section 6.2 about insects, and the classes drawn from the crowd.

``T`` counts examples shown by the teacher, ``S`` those that a student sees on average. CT teaches
the class together, CTwP in groups, IT one by one (see :mod:`homeroom.paper.claims`). P1 to P4 are
the types of learners. The docstring of a judge states what it checks.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from homeroom.paper.claims import (
    ClaimVerdict,
    Finding,
    PaperClaim,
    Tables,
    UnmeasuredError,
    diversities_of,
    individuals_are_best,
    means_of,
    verdict,
)
from homeroom.paper.drawing import COMPARED, WIDE_LAMBDAS
from homeroom.paper.figures_insects import RADII, SPECIES_NAMES
from homeroom.paper.lessons_insects import LEARNER_TYPES
from homeroom.paper.rows import Rows, cheapest_way, mean_curve, seeds_of, where

A_FEW_MORE = 1.5
"""The largest ratio that counts as a few more examples."""

MANY_MORE = 3.0
"""The smallest ratio that counts as many more examples."""

CONSIDERABLY_BETTER = 0.75
"""The largest fraction of the examples that counts as considerably better."""


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


def whole_class_starts_with_a_tiger_moth(tables: Tables) -> Finding:
    """The first example is a tiger moth in every class."""
    first = [lesson[0] for lesson in _lessons(tables["4c"], "CT")]
    tigers = first.count("tmoth")
    return verdict(holds=tigers == len(first), partly=tigers > 0), (
        f"{tigers} of {len(first)} classes of all four types start with a tiger moth "
        f"({_count_species(first)})"
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


CLAIMS = (
    PaperClaim(
        "Insects: CT needs fewest examples in all, CTwP-Opt only a few more, IT many more",
        "section 6.2, figure 4d",
        ("4d",),
        whole_class_needs_fewest,
    ),
    PaperClaim(
        "Insects: IT is best for the students, CTwP-Opt considerably better than CT",
        "section 6.2, figure 4e",
        ("4e",),
        groups_are_better_for_students,
    ),
    PaperClaim(
        "Insects: as diversity increases, CTwP-Opt outperforms the others in total cost",
        "section 6.2, figure 4f",
        ("4f",),
        groups_are_cheapest_at_high_diversity,
    ),
    PaperClaim(
        "Insects: the first example for the whole class is a tiger moth",
        "section 6.2, figure 4c",
        ("4c",),
        whole_class_starts_with_a_tiger_moth,
    ),
    PaperClaim(
        "Insects: learners who take tiger moths for butterflies (P1) are shown tiger moths first",
        "section 6.2, figure 4c",
        ("4c",),
        p1_is_shown_tiger_moths,
    ),
)
