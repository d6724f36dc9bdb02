"""Every judge, on tables for which its claim must hold, and on tables for which it must not."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from homeroom.studies import insects, letters, synthetic, trade_offs
from homeroom.studies import theorems as theory
from homeroom.studies.cells import run_cell
from homeroom.studies.claims import ClaimVerdict, Finding, PaperClaim, Tables
from homeroom.studies.figures import PaperPlan
from homeroom.studies.paper import CLAIMS, FIGURES, check_claims
from homeroom.studies.rows import Row
from homeroom.studies.settings import PaperSettings
from homeroom.studies.synthetic import NOISE_LAWS, RADII, RULES, counter_examples
from homeroom.studies.theorems import THEOREMS
from homeroom.studies.trade_offs import TIGHT_CLUSTERS_MIXED_RATES, mixtures, single_changes

Values = list[float]


def ways(places: Values, curves: dict[str, Values], kind: str = "", name: str = "") -> list[Row]:
    """Rows of T and S by way and seed, from curves called ``CT_T`` and so on."""
    names = {"CT": "CT", "OPT": "CTwP-Opt", "RAND": "CTwP-Rand", "IT": "IT"}
    rows = []
    for short, way in names.items():
        for i, place in enumerate(places):
            costs = {y: curves[f"{short}_{y}"][i] for y in ("T", "S")}
            rows += [
                {
                    "variation": name,
                    "kind": kind,
                    "diversity": place,
                    "seed": seed,
                    "way": way,
                    **costs,
                }
                for seed in range(2)
            ]
    return rows


def rules(different: dict[str, Values], same: dict[str, Values]) -> list[Row]:
    """Rows of lessons with different rules for class and groups, and with one rule for both."""
    curves = (different, same, same)
    return [
        row for rule, own in zip(RULES, curves, strict=True) for row in ways(D, own, "rates", rule)
    ]


def test_the_rules_are_judged_by_what_their_figure_measures() -> None:
    """Figure ``rules`` leaves out the ways of teaching that its claim does not compare."""
    settings = PaperSettings(students=30, dimensions=4, seeds=2)
    plan = PaperPlan(settings, quick=True)
    tables = {
        name: [row for cell in FIGURES[name].cells(plan) for row in run_cell(cell)[0]]
        for name in ("3b", "rules")
    }
    judged = next(claim for claim in CLAIMS if claim.needs == ("3b", "rules")).check(tables)
    assert judged.verdict is not ClaimVerdict.UNMEASURED, judged.evidence


def near_the_goal(together: float, alone: float) -> list[Row]:
    seen = {"CT": together, "IT": alone}
    where = {"kind": "near the goal", "variation": "", "diversity": 0.0, "seed": 0}
    return [{**where, "way": way, "T": 2 * one, "S": one} for way, one in seen.items()]


def rates_far_apart(together: int, alone: int) -> list[Row]:
    shown = {"CT": together, "IT": alone}
    where = {"kind": "rates far apart", "variation": "", "diversity": 0.0, "seed": 0}
    return [{**where, "way": way, "T": one, "S": one / 2} for way, one in shown.items()]


def lessons(errors: Values, bound: float = 1.0, **more: object) -> list[Row]:
    """Rows of a lesson's errors, with bounds that fall at the proved rate."""
    return [
        {
            "seed": seed,
            "round": i,
            "error": error,
            "bound": bound * errors[0] * PROVED**i,
            **more,
        }
        for seed in range(2)
        for i, error in enumerate(errors)
    ]


def curve(x: str, y: str, values: dict[float, float | None], **more: object) -> list[Row]:
    return [{x: place, y: v, "seed": s, **more} for place, v in values.items() for s in range(2)]


PROVED = 0.9856
GEOMETRIC = list(0.9 ** np.arange(40.0))
SLOW = list(1.0 / (1.0 + np.arange(200.0)))
SUBLINEAR: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "1/t": lambda t: 26 / (1 + t / 100),
    "1/t^3": lambda t: 26 / (1 + t / 50) ** 3,
    "1/t^2": lambda t: 26 / (1 + t / 10) ** 2,
    "exp(-sqrt t)": lambda t: 26 * np.exp(-0.45 * np.sqrt(t)),
}
LENGTHS = (150, 250)
"""Rounds of a lesson in figure 3a, and of one for the theorems."""
D = [0.0, 0.25, 0.5]
AS_DESCRIBED = {
    "CT_T": [100.0, 100.0, 180.0],
    "CT_S": [100.0, 100.0, 180.0],
    "OPT_T": [100.0, 120.0, 160.0],
    "OPT_S": [100.0, 60.0, 50.0],
    "RAND_T": [100.0, 150.0, 300.0],
    "RAND_S": [100.0, 90.0, 90.0],
    "IT_T": [1500.0, 700.0, 500.0],
    "IT_S": [5.0, 3.0, 2.0],
}
GROUPS_USELESS = {**AS_DESCRIBED, "OPT_T": [100.0, 200.0, 360.0], "OPT_S": [100.0, 110.0, 190.0]}
K = [1.0, 5.0, 10.0]
KNOWING = {
    **AS_DESCRIBED,
    "CT_T": [7.0, 26.0, 46.0],
    "CT_S": [7.0, 26.0, 46.0],
    "OPT_T": [7.0, 35.0, 70.0],
    "OPT_S": [7.0, 7.0, 7.0],
    "RAND_T": [7.0, 100.0, 400.0],
    "RAND_S": [7.0, 20.0, 40.0],
    "IT_T": [1500.0] * 3,
    "IT_S": [5.0] * 3,
}

INSECTS = {
    "CT_T": [9.0, 14.0, 17.0],
    "CT_S": [9.0, 14.0, 17.0],
    "OPT_T": [9.0, 18.0, 24.0],
    "OPT_S": [9.0, 9.0, 9.0],
    "RAND_T": [9.0, 30.0, 65.0],
    "RAND_S": [9.0, 14.0, 16.0],
    "IT_T": [420.0, 430.0, 440.0],
    "IT_S": [7.0, 7.1, 7.3],
}
KINDS = [1.0, 2.0, 4.0]

GROUPS_DEAR = {**KNOWING, "OPT_T": [7.0, 900.0, 900.0]}


def varied(curves: dict[str, Values], *, rates: bool = True) -> list[Row]:
    kind, places = ("rates", D) if rates else ("knowledge", K)
    names = [*single_changes(kind), *mixtures(kind)]
    return [row for name in names for row in ways(places, curves, kind, name)]


def mixed_up(curves: dict[str, Values], odd: dict[str, Values], kind: str) -> list[Row]:
    """Every single change has the first curves, every mixture the odd ones."""
    places = D if kind == "rates" else K
    return [
        row
        for names, drawn in ((single_changes(kind), curves), (mixtures(kind), odd))
        for name in names
        for row in ways(places, drawn, kind, name)
    ]


BOTH_VARIED = varied(AS_DESCRIBED) + varied(KNOWING, rates=False)
TIGHT = [
    row
    for name in TIGHT_CLUSTERS_MIXED_RATES
    for row in ways(K, {**KNOWING, "OPT_T": [7.0, 20.0, 40.0]}, "knowledge", name)
]


def who(rate: float, distance: float) -> list[Row]:
    rng = np.random.default_rng(0)
    rates, distances = rng.random(50), rng.random(50)
    return [
        {"seed": 0, "rate": r, "distance": d, "rounds": rate * r + distance * d}
        for r, d in zip(rates, distances, strict=True)
    ]


def noisy(*rounds: float | None, alone: float = 1300.0) -> list[Row]:
    noise = [
        {"kind": "noise", "variation": "", "delta": d, "seed": s, "T": None if t is None else t + s}
        for d, t in zip((0.0, 2.0, 5.0), rounds, strict=True)
        for s in range(3)
    ]
    return noise + [{"seed": s, "T": alone} for s in range(3)]


def dip(paper: Values, wide: Values) -> list[Row]:
    return [
        {"variation": radius, "diversity": x, "seed": 0, "T": value}
        for radius, values in zip(RADII, (paper, wide, wide), strict=True)
        for x, value in zip((0.0, 0.05, 0.1, 0.15, 0.2), values, strict=True)
    ]


def bounds(times: float, errors: Values = GEOMETRIC) -> list[Row]:
    return [row for name in THEOREMS for row in lessons(errors, times, theorem=name)]


def eps_curve(who: str, law: Callable[[float], float]) -> list[Row]:
    return curve("eps", "T", {e: law(e) for e in (1.0, 0.1, 0.01, 0.001)}, who=who)


def log_law(eps: float) -> float:
    return 10 + 5 * float(np.log(1 / eps))


def inverse_law(eps: float) -> float:
    return 10 + 3 / eps


def square_law(eps: float) -> float:
    return 10 + 3 / eps**2


TEACHER = eps_curve("CT", log_law)
SCALING = {
    "rank": curve("rank", "T", {1: 5, 5: 25, 10: 50}),
    "accuracy": TEACHER,
    "size": curve("students", "T", {30: 90, 300: 150, 10_000: 155}),
}


def random_teachers(law: Callable[[float], float], other: Callable[[float], float]) -> list[Row]:
    return TEACHER + eps_curve("random direction", law) + eps_curve("random item", other)


def drawn_rates(last: float | None) -> list[Row]:
    return [
        row
        for weights in ("history", "known")
        for row in curve("sigma", "T", {0.0: 150, 0.2: last}, weights=weights)
    ]


def langevin(power: float, times: float) -> list[Row]:
    return [
        {"beta": b, "seed": 0, "left": b**power, "bound": times * b**power} for b in (1e2, 1e3, 1e4)
    ]


def pools(first: float, last: float, rich: float = 0.9) -> list[Row]:
    return [
        {"items": 20, "seed": 0, "T": first, "free": 50, "richness": 0.1, "angle": 0.1},
        {"items": 1000, "seed": 0, "T": last, "free": 50, "richness": rich, "angle": rich},
    ]


def shown(**lessons: str) -> list[Row]:
    """Rows of the examples of each lesson, one letter per example: c, t, r, p."""
    species = {one[0]: one for one in ("cmoth", "tmoth", "rbfly", "pbfly")}
    return [
        {"seed": seed, "who": who, "round": number, "item": 0, "species": species[letter]}
        for seed in range(2)
        for who, letters in lessons.items()
        for number, letter in enumerate(letters)
    ]


def written(who: str, ends: dict[str, tuple[float, float]], **where: str) -> list[Row]:
    """Rows of letters whose scores change linearly from one end to the other; the mean is 0.5."""
    return [
        {
            "seed": seed,
            "who": who,
            "letter": "f",
            "variation": "",
            **where,
            "round": number,
            "good": False,
            **{name: a + (b - a) * number / 11 for name, (a, b) in ends.items()},
            **{f"usual_{name}": 0.5 for name in ends},
        }
        for seed in range(2)
        for number in range(12)
    ]


FALLS, RISES, LITTLE, MUCH = (0.8, 0.3), (0.3, 0.8), (0.1, 0.1), (0.6, 0.6)
SCORES = {
    "shaky+rotated": ("shakiness", "rotation", "distortion"),
    "distorted+shaky": ("distortion", "shakiness", "rotation"),
    "distorted+rotated": ("distortion", "rotation", "shakiness"),
}


def typical(
    first: tuple[float, float],
    second: tuple[float, float],
    spared: tuple[float, float],
    kinds: tuple[str, ...] = tuple(SCORES),
    **where: str,
) -> list[Row]:
    """Rows of lessons for the types of children: two defects, and the spared one."""
    return [
        row
        for kind in kinds
        for row in written(
            kind, dict(zip(SCORES[kind], (first, second, spared), strict=True)), **where
        )
    ]


def every_letter(*lessons: list[Row]) -> list[Row]:
    return [row for own in lessons for row in own]


def one_seed(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["seed"] == 0]


def other_seed(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["seed"] == 1]


def judged(claim: PaperClaim, tables: Tables) -> Finding:
    """Verdict and evidence for a claim."""
    checked = claim.check(tables)
    return checked.verdict, checked.evidence


@dataclass(frozen=True)
class Case:
    """A claim, and tables for which the claim holds, fails, or holds in part."""

    claim: PaperClaim
    good: Tables
    bad: Tables
    between: Tables | None = None


CASES = [
    Case(
        synthetic.linear_convergence,
        {"3a": lessons(GEOMETRIC)},
        {"3a": lessons(SLOW)},
    ),
    Case(
        synthetic.slow_and_far_take_longer,
        {"who": who(-5, 1)},
        {"who": who(5, -1)},
        {"who": who(-5, -1)},
    ),
    Case(
        synthetic.noise_costs_little,
        {"3d": noisy(150, 170, 190)},
        {"3d": noisy(150, 500, 900)},
    ),
    Case(
        synthetic.noise_costs_little,
        {
            "3d": noisy(150, 170, 190),
            "sensitivity": [
                {"kind": "noise", "variation": law, "delta": 5.0, "seed": 0, "T": 190}
                for law in NOISE_LAWS
            ],
        },
        {"3d": noisy(190, 170, 150)},
    ),
    Case(
        synthetic.dip_is_due_to_the_ball,
        {"dip": dip([130, 105, 92, 83, 99], [25, 48, 66, 82, 98])},
        {"dip": dip([130, 105, 92, 83, 99], [130, 105, 92, 83, 99])},
    ),
    Case(
        synthetic.dip_is_due_to_the_ball,
        {"dip": dip([130, 105, 92, 83, 99], [25, 48, 66, 82, 98])},
        {"dip": dip([80, 85, 92, 93, 99], [25, 48, 66, 82, 98])},
    ),
    Case(
        synthetic.groups_help_students,
        {"3c": ways(D, AS_DESCRIBED)},
        {"3c": ways(D, GROUPS_USELESS)},
        {"3c": ways(D, {**AS_DESCRIBED, "OPT_S": [100.0, 120.0, 50.0]})},
    ),
    Case(
        synthetic.groups_cost_at_low_diversity,
        {"3b": ways(D, AS_DESCRIBED)},
        {"3b": ways(D, {**AS_DESCRIBED, "OPT_T": [90.0, 80.0, 70.0]})},
        {"3b": ways(D, {**AS_DESCRIBED, "OPT_T": [100.0, 80.0, 70.0]})},
    ),
    *(
        Case(
            synthetic.groups_help_the_teacher,
            {"3b": ways(D, AS_DESCRIBED), "rules": rules(AS_DESCRIBED, AS_DESCRIBED)},
            {"3b": ways(D, GROUPS_USELESS), "rules": rules(GROUPS_USELESS, GROUPS_USELESS)},
            {"3b": ways(D, one_rule), "rules": rules(one_rule, other_rule)},
        )
        for one_rule, other_rule in (
            (AS_DESCRIBED, GROUPS_USELESS),
            (GROUPS_USELESS, AS_DESCRIBED),
            ({**AS_DESCRIBED, "OPT_T": [100.0, 80.0, 300.0]}, GROUPS_USELESS),
        )
    ),
    Case(
        synthetic.individuals_are_best_for_students,
        {"3c": ways(D, AS_DESCRIBED)},
        {"3c": ways(D, {**AS_DESCRIBED, "IT_S": [200.0, 200.0, 200.0]})},
        {"3c": ways(D, {**AS_DESCRIBED, "IT_S": [5.0, 3.0, 200.0]})},
    ),
    Case(
        synthetic.homogeneous_beats_random,
        {"3b": ways(D, AS_DESCRIBED), "knowledge-t": ways(K, KNOWING)},
        {
            "3b": ways(D, {**AS_DESCRIBED, "RAND_T": [100.0, 90.0, 90.0]}),
            "knowledge-t": ways(K, {**KNOWING, "RAND_T": [7.0, 20.0, 30.0]}),
        },
        {
            "3b": ways(D, AS_DESCRIBED),
            "knowledge-t": ways(K, {**KNOWING, "RAND_T": [7.0, 20.0, 30.0]}),
        },
    ),
    Case(
        synthetic.homogeneous_beats_random,
        {"3b": ways(D, AS_DESCRIBED), "knowledge-t": ways(K, KNOWING)},
        {
            "3b": ways(D, {**AS_DESCRIBED, "RAND_T": AS_DESCRIBED["OPT_T"]}),
            "knowledge-t": ways(K, KNOWING),
        },
    ),
    Case(
        trade_offs.regions_of_rates,
        {"3e": ways(D, AS_DESCRIBED), "sensitivity": varied(AS_DESCRIBED)},
        {"3e": ways(D, GROUPS_USELESS), "sensitivity": varied(GROUPS_USELESS)},
        {"3e": ways(D, AS_DESCRIBED), "sensitivity": varied(GROUPS_USELESS)},
    ),
    Case(
        trade_offs.regions_of_rates,
        {"3e": ways(D, AS_DESCRIBED), "sensitivity": varied(AS_DESCRIBED)},
        {"3e": ways(D, GROUPS_USELESS), "sensitivity": varied(AS_DESCRIBED)},
        {
            "3e": ways(D, AS_DESCRIBED),
            "sensitivity": mixed_up(AS_DESCRIBED, GROUPS_USELESS, "rates"),
        },
    ),
    Case(
        trade_offs.regions_of_knowledge,
        {"3f": ways(K, KNOWING), "sensitivity": varied(KNOWING, rates=False)},
        {
            "3f": ways(K, {**KNOWING, "IT_S": [1e5] * 3}),
            "sensitivity": varied({**KNOWING, "IT_S": [1e5] * 3}, rates=False),
        },
        {
            "3f": ways(K, KNOWING),
            "sensitivity": mixed_up(KNOWING, {**KNOWING, "IT_S": [1e5] * 3}, "knowledge"),
        },
    ),
    Case(
        trade_offs.groups_in_most_regimes,
        {"3f": ways(K, KNOWING), "sensitivity": varied(KNOWING, rates=False)},
        {"3f": ways(K, GROUPS_DEAR), "sensitivity": varied(KNOWING, rates=False)},
        {
            "3f": ways(K, KNOWING),
            "sensitivity": mixed_up(KNOWING, GROUPS_DEAR, "knowledge"),
        },
    ),
    Case(
        trade_offs.knowledge_behaves_like_rates,
        {
            "knowledge-t": ways(K, {**KNOWING, "OPT_T": [7.0, 20.0, 40.0]}),
            "knowledge-s": ways(K, KNOWING),
            "sensitivity": [],
        },
        {
            "knowledge-t": ways(K, KNOWING),
            "knowledge-s": ways(K, {**KNOWING, "OPT_S": [7.0, 30.0, 50.0], "IT_S": [90.0] * 3}),
            "sensitivity": TIGHT,
        },
        {
            "knowledge-t": ways(K, KNOWING),
            "knowledge-s": ways(K, KNOWING),
            "sensitivity": TIGHT,
        },
    ),
    Case(
        trade_offs.one_group_at_zero,
        {
            "3b": ways(D, GROUPS_USELESS),
            "knowledge-t": ways(K, KNOWING),
            "sensitivity": varied(GROUPS_USELESS) + rates_far_apart(6, 98),
        },
        {
            "3b": ways(D, AS_DESCRIBED),
            "knowledge-t": ways(K, KNOWING),
            "sensitivity": varied(GROUPS_USELESS) + rates_far_apart(6, 98),
        },
        {
            "3b": ways(D, GROUPS_USELESS),
            "knowledge-t": ways(K, KNOWING),
            "sensitivity": varied(GROUPS_USELESS) + rates_far_apart(98, 6),
        },
    ),
    Case(
        trade_offs.individuals_at_infinity,
        {"3c": ways(D, AS_DESCRIBED), "sensitivity": BOTH_VARIED + near_the_goal(0.5, 0.5)},
        {
            "3c": ways(D, {**AS_DESCRIBED, "IT_S": [500.0] * 3}),
            "sensitivity": BOTH_VARIED + near_the_goal(0.5, 0.5),
        },
        {
            "3c": ways(D, AS_DESCRIBED),
            "sensitivity": varied({**AS_DESCRIBED, "IT_S": [500.0] * 3}) + near_the_goal(0.5, 0.5),
        },
    ),
    Case(
        trade_offs.individuals_at_infinity,
        {"3c": ways(D, AS_DESCRIBED), "sensitivity": BOTH_VARIED + near_the_goal(0.5, 0.4)},
        {
            "3c": ways(D, {**AS_DESCRIBED, "IT_S": [500.0] * 3}),
            "sensitivity": BOTH_VARIED + near_the_goal(0.0, 0.5),
        },
        {"3c": ways(D, AS_DESCRIBED), "sensitivity": BOTH_VARIED + near_the_goal(0.0, 0.5)},
    ),
    Case(
        insects.whole_class_needs_fewest,
        {"4d": ways(KINDS, INSECTS)},
        {"4d": ways(KINDS, {**INSECTS, "OPT_T": [9.0, 13.0, 16.0]})},
        {"4d": ways(KINDS, {**INSECTS, "OPT_T": [9.0, 18.0, 40.0]})},
    ),
    Case(
        insects.whole_class_needs_fewest,
        {"4d": ways(KINDS, INSECTS)},
        {"4d": ways(KINDS, {**INSECTS, "IT_T": [420.0, 430.0, 60.0]})},
    ),
    Case(
        insects.whole_class_needs_fewest,
        {"4d": ways(KINDS, INSECTS)},
        {"4d": ways(KINDS, {**INSECTS, "RAND_T": [9.0, 30.0, 16.0]})},
    ),
    Case(
        insects.groups_are_better_for_students,
        {"4e": ways(KINDS, INSECTS)},
        {"4e": ways(KINDS, {**INSECTS, "OPT_S": [9.0, 13.0, 16.0], "IT_S": [20.0] * 3})},
        {"4e": ways(KINDS, {**INSECTS, "OPT_S": [9.0, 13.0, 16.0]})},
    ),
    Case(
        insects.groups_are_better_for_students,
        {"4e": ways(KINDS, INSECTS)},
        {"4e": ways(KINDS, {**INSECTS, "OPT_S": [9.0, 9.0, 16.0], "IT_S": [20.0] * 3})},
        {"4e": ways(KINDS, {**INSECTS, "IT_S": [7.0, 20.0, 7.0]})},
    ),
    Case(
        insects.groups_are_cheapest_at_high_diversity,
        {"4f": ways(KINDS, {**INSECTS, "OPT_T": [9.0, 20.0, 24.0]})},
        {"4f": ways(KINDS, {**INSECTS, "OPT_T": [9.0, 900.0, 900.0]})},
        {"4f": ways(KINDS, {**INSECTS, "OPT_T": [9.0, 200.0, 100.0]})},  # it grows, but is small
    ),
    Case(
        insects.groups_are_cheapest_at_high_diversity,
        {"4f": ways(KINDS, {**INSECTS, "OPT_T": [9.0, 20.0, 24.0]})},
        {"4f": ways(KINDS, {**INSECTS, "OPT_T": [9.0, 14.5, 24.0]})},  # the share falls after two
    ),
    Case(
        insects.whole_class_starts_with_a_tiger_moth,
        {"4c": shown(CT="tprt")},
        {"4c": shown(CT="rtpt")},
        {"4c": one_seed(shown(CT="tprt")) + other_seed(shown(CT="ptrt"))},
    ),
    Case(
        insects.p1_is_shown_tiger_moths,
        {"4c": shown(CT="tp", P1="ttpt", P2="rr", P3="pp", P4="tp")},
        {"4c": shown(CT="tp", P1="pptp", P2="rr", P3="pp", P4="tp")},
        {"4c": shown(CT="tp", P1="tppp", P2="rr", P3="pp", P4="tp")},
    ),
    *(
        Case(
            judge,
            {figure: typical(FALLS, FALLS, LITTLE)},
            {figure: typical(FALLS, RISES, MUCH)},
            {figure: typical(*between)},
        )
        for judge, figure in (
            (letters.letters_for_shaky_and_rotated, "6a"),
            (letters.letters_for_distorted_and_shaky, "6b"),
            (letters.letters_for_distorted_and_rotated, "6c"),
        )
        for between in ((FALLS, RISES, LITTLE), (MUCH, FALLS, LITTLE), (FALLS, FALLS, MUCH))
    ),
    Case(
        letters.other_letters_are_alike,
        {"letters": every_letter(*(typical(FALLS, FALLS, LITTLE, letter=one) for one in "ae"))},
        {"letters": every_letter(*(typical(RISES, FALLS, LITTLE, letter=one) for one in "ae"))},
        {
            "letters": every_letter(
                *(typical(FALLS, FALLS, LITTLE, letter=one) for one in "ae"),
                typical(RISES, FALLS, LITTLE, letter="o"),
            )
        },
    ),
    Case(
        letters.open_choices_do_not_matter,
        {"letters": typical(FALLS, FALLS, LITTLE, variation="pen_eps=0.1")},
        {"letters": typical(RISES, FALLS, LITTLE, variation="pen_eps=0.1")},
        {
            "letters": every_letter(
                typical(FALLS, FALLS, LITTLE, variation="pen_eps=0.1"),
                typical(FALLS, FALLS, MUCH, ("shaky+rotated",), variation="pen_loss=hinge"),
            )
        },
    ),
    Case(
        letters.costs_are_as_for_insects,
        {"6e": ways(KINDS, INSECTS), "6f": ways(KINDS, INSECTS)},
        {
            "6e": ways(KINDS, {**INSECTS, "IT_T": [10.0, 20.0, 30.0]}),
            "6f": ways(KINDS, {**INSECTS, "OPT_S": [9.0, 13.0, 16.0], "IT_S": [20.0] * 3}),
        },
        {
            "6e": ways(KINDS, INSECTS),
            "6f": ways(KINDS, {**INSECTS, "OPT_S": [9.0, 13.0, 16.0]}),
        },
    ),
    Case(
        theory.rank_and_accuracy,
        SCALING,
        {
            **SCALING,
            "rank": curve("rank", "T", {1: 5, 5: 125, 10: 2500}),
            "size": curve("students", "T", {30: 90, 300: 150, 10_000: 1500}),
        },
        {**SCALING, "size": curve("students", "T", {30: 90, 300: 150, 10_000: 1500})},
    ),
    Case(
        theory.below_the_bounds,
        {"bounds": bounds(2.0)},
        {"bounds": bounds(0.9)},  # broken in the first round
        {"bounds": [*bounds(2.0)[:-1], {**bounds(2.0)[-1], "error": 9.0}]},
    ),
    Case(
        theory.the_mean_stalls,
        {"mean": [{"seed": 0, "round": i, "error": e} for i, e in enumerate((1, 0.95, 0.93))]},
        {"mean": [{"seed": 0, "error": e} for e in (1.0, 0.5, 0.01)]},
        {
            "mean": [
                {"seed": seed, "error": e}
                for seed, errors in enumerate(((1.0, 0.95, 0.93), (1.0, 0.5, 0.01)))
                for e in errors
            ]
        },
    ),
    Case(
        theory.random_examples,
        {"accuracy": random_teachers(log_law, inverse_law)},
        {"accuracy": random_teachers(square_law, square_law)},
        {"accuracy": random_teachers(log_law, square_law)},
    ),
    Case(
        theory.random_rates_converge,
        {"random-rates": drawn_rates(700), "bounds": bounds(2.0)},
        {"random-rates": drawn_rates(None), "bounds": bounds(2.0, SLOW)},
        {"random-rates": drawn_rates(None), "bounds": bounds(2.0)},
    ),
    Case(
        theory.noisy_w_converges,
        {"noisy-w": curve("delta", "T", {0.0: 150, 0.4: 190}), "bounds": bounds(2.0)},
        {"noisy-w": curve("delta", "T", {0.0: 150, 0.4: None}), "bounds": bounds(2.0, SLOW)},
        {"noisy-w": curve("delta", "T", {0.0: 150, 0.4: None}), "bounds": bounds(2.0)},
    ),
    Case(
        theory.langevin_floor,
        {"langevin": langevin(-1, 5)},
        {"langevin": langevin(-1, 0.5)},
        {"langevin": langevin(-0.3, 5)},
    ),
    Case(
        theory.rich_pools_suffice,
        {"pool": pools(150, 51)},
        {"pool": pools(150, 90)},
        {"pool": pools(150, 51, rich=0.05)},
    ),
]


def _named(case: Case) -> str:
    return f"{case.claim.judge.__name__}-{CASES.index(case)}"


@pytest.mark.parametrize("case", CASES, ids=_named)
def test_a_claim_holds_on_good_tables(case: Case) -> None:
    verdict, evidence = judged(case.claim, case.good)
    assert verdict is ClaimVerdict.HOLDS, evidence
    assert "nan" not in evidence


@pytest.mark.parametrize("case", CASES, ids=_named)
def test_a_claim_fails_on_bad_tables(case: Case) -> None:
    verdict, evidence = judged(case.claim, case.bad)
    assert verdict is ClaimVerdict.FAILS, evidence


@pytest.mark.parametrize("case", [case for case in CASES if case.between], ids=_named)
def test_a_claim_that_holds_in_part_has_a_condition(case: Case) -> None:
    assert case.between is not None
    verdict, evidence = judged(case.claim, case.between)
    assert verdict is ClaimVerdict.CONDITION, evidence


def test_every_claim_is_tested_here() -> None:
    assert {claim.text for claim in CLAIMS} == {case.claim.text for case in CASES}


def test_every_judge_that_knows_conditions_is_tested_with_one() -> None:
    between = {case.claim.text for case in CASES if case.between}
    between |= {
        synthetic.linear_convergence.text,
        synthetic.noise_costs_little.text,
        synthetic.dip_is_due_to_the_ball.text,
    }
    assert {claim.text for claim in CLAIMS} == between


def test_every_claim_has_a_text_a_place_and_figures() -> None:
    for claim in CLAIMS:
        assert claim.text
        assert claim.place.startswith(("section", "appendix"))
        assert claim.judge.__doc__
        assert set(claim.needs) <= set(FIGURES)


def test_a_failed_lesson_counts_against_a_claim() -> None:
    assert (
        judged(synthetic.noise_costs_little, {"3d": noisy(150, 170, None)})[0] is ClaimVerdict.FAILS
    )
    broken = {**SCALING, "rank": curve("rank", "T", {1: 5, 5: None, 10: 50})}
    assert judged(theory.rank_and_accuracy, broken)[0] is not ClaimVerdict.HOLDS


def test_an_upper_bound_that_is_not_tight_holds() -> None:
    """O(1/ε) is an upper bound: needing fewer rounds does not contradict it."""
    tight = judged(theory.random_examples, {"accuracy": random_teachers(inverse_law, inverse_law)})
    loose = judged(theory.random_examples, {"accuracy": random_teachers(log_law, log_law)})
    assert tight[0] is loose[0] is ClaimVerdict.HOLDS
    assert "not tight" in loose[1]
    assert "not tight" not in tight[1]


def test_random_examples_are_not_judged_by_unfinished_lessons() -> None:
    unfinished = curve("eps", "T", {1.0: 10, 0.1: 40, 0.01: None}, who="random item")
    rows = TEACHER + eps_curve("random direction", inverse_law) + unfinished
    found = judged(theory.random_examples, {"accuracy": rows})
    assert found == (ClaimVerdict.UNMEASURED, "a lesson did not reach its goal")


def test_a_small_pool_that_never_reaches_the_goal_is_worse_than_a_large_one() -> None:
    small, large = pools(200, 55)
    found, evidence = judged(theory.rich_pools_suffice, {"pool": [{**small, "T": None}, large]})
    assert found is ClaimVerdict.HOLDS
    assert "T = (unfinished)" in evidence


def test_one_class_gives_a_verdict_but_no_interval() -> None:
    alone = [row for row in noisy(150, 170, 190) if row["seed"] == 0]
    verdict, evidence = judged(synthetic.noise_costs_little, {"3d": alone})
    assert verdict is ClaimVerdict.HOLDS
    assert "one class, no interval" in evidence
    assert "confidence" not in evidence


@pytest.mark.parametrize("rounds", LENGTHS)
@pytest.mark.parametrize("law", SUBLINEAR)
def test_a_sublinear_fall_is_not_linear_convergence(law: str, rounds: int) -> None:
    errors = list(SUBLINEAR[law](np.arange(rounds + 1.0)))
    tables = {
        "3a": lessons(errors),
        "bounds": bounds(2.0, errors),
        "random-rates": drawn_rates(700),
        "noisy-w": curve("delta", "T", {0.0: 150, 0.4: 190}),
    }
    for judge in (
        synthetic.linear_convergence,
        theory.random_rates_converge,
        theory.noisy_w_converges,
    ):
        verdict, evidence = judged(judge, tables)
        assert verdict is ClaimVerdict.FAILS, evidence


@pytest.mark.parametrize("rounds", LENGTHS)
def test_a_geometric_fall_that_starts_faster_is_linear_convergence(rounds: int) -> None:
    """As measured: fast students first, then the slow ones."""
    t = np.arange(rounds + 1.0)
    errors = list(18 * 0.90**t + 8 * 0.975**t)
    verdict, evidence = judged(synthetic.linear_convergence, {"3a": lessons(errors)})
    assert verdict is ClaimVerdict.HOLDS, evidence
    assert "r = 0.9856" in evidence


def test_a_single_round_slower_than_proved_refutes_the_claim() -> None:
    errors = [*0.96 ** np.arange(100.0)]
    errors[50:] = [error * 0.99 / 0.96 for error in errors[50:]]
    verdict, evidence = judged(synthetic.linear_convergence, {"3a": lessons(errors)})
    assert verdict is ClaimVerdict.FAILS
    assert "no round leaves more than 0.9900, which is more than the theorem's r" in evidence


def test_every_round_of_the_longest_lesson_is_compared_with_the_bound() -> None:
    """A round that the other lessons do not have counts, except for means."""
    rows = bounds(2.0)
    last = rows[-1]
    late = {**last, "theorem": "average", "round": last["round"] + 1, "error": 99.0}
    assert judged(theory.below_the_bounds, {"bounds": [*rows, late]})[0] is ClaimVerdict.CONDITION
    late["theorem"] = "random rates"
    assert judged(theory.below_the_bounds, {"bounds": [*rows, late]})[0] is ClaimVerdict.HOLDS


@pytest.mark.parametrize("score", ["shakiness", "rotation"])
def test_letters_that_improve_only_through_good_ones_have_a_condition(
    score: str,
) -> None:
    """All letters together improve, but those to be corrected do not."""
    falling = typical(FALLS, FALLS, LITTLE)
    mixed = [
        {**row, "good": row["round"] % 2 == 1, score: 0.8 if row["round"] % 2 == 0 else row[score]}
        for row in falling
    ]
    assert judged(letters.letters_for_shaky_and_rotated, {"6a": falling})[0] is ClaimVerdict.HOLDS
    verdict, evidence = judged(letters.letters_for_shaky_and_rotated, {"6a": mixed})
    assert verdict is ClaimVerdict.CONDITION
    assert re.search(rf"letters to be corrected, .*{score} goes from 0.80 to 0.80", evidence)


def test_combinations_that_were_not_measured_are_not_mentioned() -> None:
    tables = {
        "knowledge-t": ways(K, KNOWING),
        "knowledge-s": ways(K, KNOWING),
        "sensitivity": list[Row](),
    }
    verdict, evidence = judged(trade_offs.knowledge_behaves_like_rates, tables)
    assert verdict is ClaimVerdict.FAILS
    assert "cluster_spread" not in evidence


def test_one_group_is_refuted_with_the_erratum() -> None:
    tables = {
        "3b": ways(D, AS_DESCRIBED),
        "knowledge-t": ways(K, KNOWING),
        "sensitivity": varied(GROUPS_USELESS) + rates_far_apart(97, 5),
    }
    evidence = judged(trade_offs.one_group_at_zero, tables)[1]
    assert "rates: 0.89 at diversity 0.5" in evidence
    assert "it holds if the whole class is also taught with the dynamic magnitude" in evidence
    assert "97 examples together and 5 apart (erratum 7)" in evidence
    either = judged(trade_offs.one_group_at_zero, {**tables, "sensitivity": varied(AS_DESCRIBED)})[
        1
    ]
    assert "it does not hold either if the whole class" in either
    assert "dynamic" not in judged(trade_offs.one_group_at_zero, {**tables, "sensitivity": []})[1]


def test_the_counter_examples_are_those_of_the_errata() -> None:
    """Erratum 7: 98 examples together, 6 apart. Erratum 8: S = 0 together, 0.5 individually."""
    rows = counter_examples(PaperSettings(), 0)
    assert [row["T"] for row in rows if row["kind"] == "rates far apart"] == [98, 6]
    assert [row["S"] for row in rows if row["kind"] == "near the goal"] == [0.0, 0.5]


def test_without_students_near_the_goal_individual_teaching_is_not_judged() -> None:
    tables = {"3c": ways(D, AS_DESCRIBED), "sensitivity": BOTH_VARIED}
    judged_claim = trade_offs.individuals_at_infinity.check(tables)
    assert judged_claim.verdict is ClaimVerdict.UNMEASURED
    assert "near the goal" in judged_claim.evidence


EVIDENCE: list[tuple[PaperClaim, Tables, tuple[str, ...]]] = [
    (
        letters.other_letters_are_alike,
        {
            "letters": typical(FALLS, FALLS, LITTLE, letter="a")
            + typical(RISES, FALLS, LITTLE, letter="o")
        },
        ("3 of 6", "o shaky+rotated, o distorted+shaky, o distorted+rotated"),
    ),
    (
        insects.p1_is_shown_tiger_moths,
        {"4c": shown(CT="tp", P1="ttpt", P2="rr", P3="pp", P4="cp")},
        ("2 of 2", "75%", "P2 ringlet butterfly 2, P3 peacock butterfly 2, P4 caterpillar moth 2"),
    ),
    (
        insects.whole_class_starts_with_a_tiger_moth,
        {"4c": one_seed(shown(CT="tprt")) + other_seed(shown(CT="ptrt"))},
        ("1 of 2",),
    ),
    (
        trade_offs.groups_in_most_regimes,
        {"3f": ways(K, KNOWING), "sensitivity": mixed_up(KNOWING, GROUPS_DEAR, "knowledge")},
        ("16 of 40",),
    ),
    (theory.rank_and_accuracy, SCALING, ("from 300 to 10000", "+3.3%", "from 300, by +3.3%")),
    (
        synthetic.dip_is_due_to_the_ball,
        {"dip": dip([130, 105, 92, 83, 99], [25, 48, 66, 82, 98])},
        ("0.15 with Dₓ = 2, 0 with Dₓ = 3, 0 with Dₓ = 10",),
    ),
]


@pytest.mark.parametrize("case", EVIDENCE, ids=lambda case: case[0].judge.__name__)
def test_the_evidence_has_the_numbers(
    case: tuple[PaperClaim, Tables, tuple[str, ...]],
) -> None:
    claim, tables, numbers = case
    evidence = judged(claim, tables)[1]
    assert all(number in evidence for number in numbers), evidence


def nothing_needed(rows: list[Row]) -> list[Row]:
    """The same rows, as if every lesson had ended before its first round."""
    zero = dict.fromkeys(("T", "S", "free", "rounds", "left"), 0)
    first = {row["seed"]: row for row in reversed(rows)}
    kept = rows if any(set(zero) & set(row) for row in rows) else list(first.values())
    return [{name: zero.get(name, value) for name, value in row.items()} for row in kept]


ACROSS = ("diversity", "delta", "rank", "eps", "students", "sigma", "beta", "items", "round")


def one_place(rows: list[Row]) -> list[Row]:
    """The rows at the first point of every curve."""
    firsts = {x: min((row[x] for row in rows if x in row), default=None) for x in ACROSS}
    return [row for row in rows if all(row.get(x, firsts[x]) == firsts[x] for x in ACROSS)]


@pytest.mark.parametrize("case", CASES, ids=_named)
@pytest.mark.parametrize("poorer", [nothing_needed, one_place])
def test_a_table_without_information_is_not_measured(
    case: Case, poorer: Callable[[list[Row]], list[Row]]
) -> None:
    verdict, evidence = judged(
        case.claim, {name: poorer(list(own)) for name, own in case.good.items()}
    )
    if poorer is one_place and case.claim is synthetic.slow_and_far_take_longer:
        assert verdict is ClaimVerdict.HOLDS  # its students are not points of a curve
    else:
        assert verdict is ClaimVerdict.UNMEASURED, evidence
    assert "nan" not in evidence


@pytest.mark.parametrize("case", CASES, ids=_named)
def test_an_empty_table_is_not_measured(case: Case) -> None:
    verdict, evidence = judged(case.claim, {name: [] for name in case.good})
    assert verdict is ClaimVerdict.UNMEASURED, evidence


@pytest.mark.parametrize("case", CASES, ids=_named)
def test_one_seed_is_judged(case: Case) -> None:
    verdict, evidence = judged(
        case.claim, {name: one_seed(list(own)) for name, own in case.good.items()}
    )
    assert verdict is ClaimVerdict.HOLDS, evidence
    assert "nan" not in evidence


def test_a_missing_mean_is_reported_as_unfinished() -> None:
    evidence = judged(synthetic.noise_costs_little, {"3d": noisy(150, 170, None)})[1]
    assert "T = 150 without noise, (unfinished) at δ = 5" in evidence.replace("151", "150")
    assert "nan" not in evidence


@pytest.mark.slow
def test_only_claims_with_measurements_are_judged(tables: dict[str, list[Row]]) -> None:
    assert [claim.text for claim in check_claims({"3a": tables["3a"]})] == [
        "CT exhibits linear convergence"
    ]
    every = check_claims(tables)
    assert len(every) == len(CLAIMS)
    assert set(every[0].as_json()) == {"claim", "place", "verdict", "evidence", "quick"}


def test_the_verdicts_of_a_quick_run_are_marked() -> None:
    tables = {"mean": lessons([1.0, 0.9, 0.9])}
    (full,), (quick,) = check_claims(tables), check_claims(tables, quick=True)
    assert (full.as_json()["quick"], quick.as_json()["quick"]) == (False, True)
    assert full.verdict_text == full.verdict.value == quick.verdict.value != quick.verdict_text
