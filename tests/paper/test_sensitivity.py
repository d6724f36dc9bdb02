from homeroom.paper import Plan, Row, Settings
from homeroom.paper.regions import regions_as_told, shares
from homeroom.paper.sensitivity import DEFAULTS, OPEN, Sensitivity, mixtures, one_at_a_time

Costs = dict[str, list[tuple[float, float]]]

CT, OPT, IT = "CT", "CTwP-Opt", "IT"


def diagram(costs: Costs) -> list[Row]:
    return [
        {"way": way, "diversity": place, "seed": 0, "T": T, "S": S}
        for way, values in costs.items()
        for place, (T, S) in enumerate(values)
    ]


TOLD: Costs = {
    CT: [(10, 10), (90, 90)],
    OPT: [(12, 5), (80, 20)],
    IT: [(300, 1), (300, 1)],
}


def test_every_open_choice_is_varied() -> None:
    """What the paper leaves open: a setting of its own, and another value for it here."""
    varied = {name for kind in OPEN for name in OPEN[kind]}
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
    laws = {cell.inputs for cell in Sensitivity().cells(Plan(Settings(), quick=True))}
    assert any('"noise": "normal"' in inputs for inputs in laws)


def test_no_variation_is_our_default() -> None:
    for kind in OPEN:
        for variation in one_at_a_time(kind):
            assert Settings().changed(variation) != Settings(), variation


def test_mixtures_are_the_same_every_time_and_can_be_set() -> None:
    for kind in OPEN:
        mixed = mixtures(kind)
        assert mixed == mixtures(kind)
        assert mixtures(kind, 4) == mixed[:4]
        for mixture in mixed:
            if mixture != DEFAULTS:
                Settings().changed(mixture)


def test_regions_as_the_paper_tells_are_recognised() -> None:
    assert regions_as_told(diagram(TOLD), "rates")


def test_regions_that_lie_otherwise_are_recognised() -> None:
    never_groups: Costs = {**TOLD, OPT: [(10, 10), (200, 90)]}
    never_alone: Costs = {**TOLD, IT: [(300, 50), (300, 50)]}
    never_whole: Costs = {**TOLD, OPT: [(5, 5), (80, 20)]}
    assert not regions_as_told(diagram(never_groups), "rates")
    assert not regions_as_told(diagram(never_alone), "rates")
    assert not regions_as_told(diagram(never_whole), "rates")


def test_shares_add_up_and_leave_out_the_single_cluster() -> None:
    rows = [{**row, "diversity": 1 + row["diversity"]} for row in diagram(TOLD)]
    whole, groups, alone = shares(rows, "knowledge")
    assert whole + groups + alone == 1.0
    # 90 + 90 λ > 80 + 20 λ always, and 80 + 20 λ > 300 + λ from 220 / 19 on.
    assert whole == 0.0
    assert 0.4 < groups < 0.55
