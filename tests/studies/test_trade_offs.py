import math

from homeroom.studies.figures import PaperPlan
from homeroom.studies.paper import FIGURES
from homeroom.studies.rows import Row
from homeroom.studies.settings import PaperSettings
from homeroom.studies.trade_offs import (
    DEFAULTS,
    OPEN_CHOICES,
    mixtures,
    region_shares,
    regions_as_described,
    single_changes,
)

Costs = dict[str, list[tuple[float, float]]]

CT, OPT, IT = "CT", "CTwP-Opt", "IT"


def diagram(costs: Costs) -> list[Row]:
    return [
        {"way": way, "diversity": place, "seed": 0, "T": T, "S": S}
        for way, values in costs.items()
        for place, (T, S) in enumerate(values)
    ]


DESCRIBED: Costs = {
    CT: [(10, 10), (90, 90)],
    OPT: [(12, 5), (80, 20)],
    IT: [(300, 1), (300, 1)],
}


def test_every_open_choice_is_varied() -> None:
    """Each open choice is a setting with an alternative value."""
    varied = {name for kind in OPEN_CHOICES for name in OPEN_CHOICES[kind]}
    assert varied == {
        "rate_law",
        "states",
        "spread",
        "dimensions",
        "state_radius",
        "target_length",
        "whole_magnitude",
        "group_magnitude",
        "stop",
        "centre",
        "cluster_spread",
        "knowledge_rate",
        "knowledge_width",
    }
    laws = {
        cell.inputs for cell in FIGURES["sensitivity"].cells(PaperPlan(PaperSettings(), quick=True))
    }
    assert any('"noise": "normal"' in inputs for inputs in laws)


def test_no_variation_is_our_default() -> None:
    for kind in OPEN_CHOICES:
        for variation in single_changes(kind):
            assert PaperSettings().change(variation) != PaperSettings(), variation


def test_mixtures_are_reproducible_and_valid() -> None:
    for kind in OPEN_CHOICES:
        mixed = mixtures(kind)
        assert mixed == mixtures(kind)
        assert mixtures(kind, 4) == mixed[:4]
        for mixture in mixed:
            if mixture != DEFAULTS:
                PaperSettings().change(mixture)


def test_regions_as_described_are_recognised() -> None:
    assert regions_as_described(diagram(DESCRIBED), "rates")


def test_other_regions_are_recognised() -> None:
    never_groups: Costs = {**DESCRIBED, OPT: [(10, 10), (200, 90)]}
    never_alone: Costs = {**DESCRIBED, IT: [(300, 50), (300, 50)]}
    never_whole: Costs = {**DESCRIBED, OPT: [(5, 5), (80, 20)]}
    assert not regions_as_described(diagram(never_groups), "rates")
    assert not regions_as_described(diagram(never_alone), "rates")
    assert not regions_as_described(diagram(never_whole), "rates")


def test_shares_add_up_without_the_single_cluster() -> None:
    rows = [{**row, "diversity": 1 + row["diversity"]} for row in diagram(DESCRIBED)]
    whole, groups, alone = region_shares(rows, "knowledge")
    assert whole + groups + alone == 1.0
    # 90 + 90 λ > 80 + 20 λ always, and 80 + 20 λ > 300 + λ from 220 / 19 on.
    assert whole == 0.0
    assert 0.4 < groups < 0.55


WHOLE = [100.0, 100.0, 180.0]
GROUPS = [100.0, 120.0, 160.0]


def class_diagram(groups: list[float], places: tuple[float, ...] = (0.0, 0.25, 0.5)) -> list[Row]:
    """T and S of three ways; ``groups`` is the T of groups."""
    curves: Costs = {
        CT: list(zip(WHOLE, WHOLE, strict=True)),
        OPT: list(zip(groups, [100.0, 60.0, 50.0], strict=True)),
        IT: [(1500.0, 5.0), (700.0, 3.0), (500.0, 2.0)],
    }
    return [
        {**row, "diversity": places[row["diversity"]]}
        for row in diagram(curves)
        if row["diversity"] < len(places)
    ]


def test_a_single_group_is_not_a_win_for_the_whole_class() -> None:
    """At the lowest diversity both cost the same, and elsewhere groups cost less."""
    assert not regions_as_described(class_diagram([100.0, 90.0, 160.0]), "rates")


def test_an_empty_diagram_has_no_regions_and_no_shares() -> None:
    assert not regions_as_described([], "knowledge")
    assert all(
        math.isnan(share) for share in region_shares(class_diagram(GROUPS, (1,)), "knowledge")
    )
    assert sum(region_shares(class_diagram(GROUPS, (1, 5, 10)), "knowledge")) == 1.0
