import math

from homeroom.paper import Row
from homeroom.paper.regions import regions_as_told, shares

WHOLE = [100.0, 100.0, 180.0]
GROUPS = [100.0, 120.0, 160.0]


def diagram(groups: list[float], places: tuple[float, ...] = (0.0, 0.25, 0.5)) -> list[Row]:
    """T and S of three ways, where groups need so many examples in all."""
    curves = {
        "CT": (WHOLE, WHOLE),
        "CTwP-Opt": (groups, [100.0, 60.0, 50.0]),
        "IT": ([1500.0, 700.0, 500.0], [5.0, 3.0, 2.0]),
    }
    return [
        {"diversity": place, "seed": 0, "way": way, "T": all_told[i], "S": each[i]}
        for way, (all_told, each) in curves.items()
        for i, place in enumerate(places)
    ]


def test_the_regions_are_recognised() -> None:
    assert regions_as_told(diagram(GROUPS), "rates")


def test_where_there_is_one_group_the_whole_class_has_not_won() -> None:
    """At the lowest diversity both cost the same, and elsewhere groups cost less."""
    assert not regions_as_told(diagram([100.0, 90.0, 160.0]), "rates")


def test_a_diagram_without_columns_has_no_regions_and_no_shares() -> None:
    assert not regions_as_told([], "knowledge")
    assert all(math.isnan(share) for share in shares(diagram(GROUPS, (1,)), "knowledge"))
    assert sum(shares(diagram(GROUPS, (1, 5, 10)), "knowledge")) == 1.0
