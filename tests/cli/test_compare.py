from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from homeroom import Classroom, compare, frontier
from homeroom.cli.compare import add_frontier, comparison_table, frontier_table
from homeroom.cli.report import CommandReport

if TYPE_CHECKING:
    from tests.cli.conftest import Homeroom


def test_the_table_marks_the_best_way_for_each_weight(homeroom: Homeroom) -> None:
    ran = homeroom("compare", "--lambdas", "0,100", "--no-frontier")
    table = compare(Classroom.sample(), lambdas=(0, 100), frontier=False)
    assert ran.code == 0
    for way in table.ways:
        assert way.name in ran.out
        assert f"{way.cost(100):.0f}" in ran.out
    assert f"{table.best(0).cost(0):.0f}*" in ran.out
    assert f"{table.best(0).name}    best at λ = 0" in ran.out
    assert f"{table.best(100).name}    best at λ = 100" in ran.out


def test_the_json_is_the_comparison_that_python_makes(homeroom: Homeroom, pupils: Path) -> None:
    document = homeroom("compare", pupils, "--lambdas", "0,10", "--json").document
    table = compare(Classroom.load(pupils), lambdas=(0, 10))
    assert [way["name"] for way in document["ways"]] == [way.name for way in table.ways]
    for found, way in zip(document["ways"], table.ways, strict=True):
        assert found["rounds"] == way.rounds
        assert found["workload"] == way.workload
        assert found["costs"] == [way.cost(0), way.cost(10)]
    assert document["best"] == [
        {"lambda": 0.0, "way": table.best(0).name},
        {"lambda": 10.0, "way": table.best(10).name},
    ]


@pytest.mark.slow
def test_what_more_groups_gain_is_shown(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("compare", pupils, "--lambdas", "0,2,10")
    ways = frontier(Classroom.load(pupils))
    assert ran.code == 0
    found = ran.out.partition("What more groups gain")[2]
    for split, _, _ in ways.corners:
        assert f"{split.rounds}  {split.workload:.2f}" in found
    document = homeroom("compare", pupils, "--json").document
    assert [split["rounds"] for split in document["frontier"]] == ways.rounds.tolist()
    assert [split["alone"] for split in document["frontier"]] == [split.alone for split in ways]
    best_from = [s["best_from_lambda"] for s in document["frontier"]]
    assert [lam for lam in best_from if lam is not None] == [start for _, start, _ in ways.corners]


def test_the_search_can_be_asked_for_and_left_out(homeroom: Homeroom, pupils: Path) -> None:
    named = ("compare", pupils, "--way", "whole")
    assert homeroom(*named, "--json").document["frontier"] is None
    assert homeroom(*named, "--frontier", "--json").document["frontier"]
    assert homeroom("compare", pupils, "--no-frontier", "--json").document["frontier"] is None
    assert "What more groups gain" not in homeroom(*named).out


def test_a_way_may_be_the_best_groups(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("compare", pupils, "--way", "best:lam=3,by=both,cells=6", "--json")
    assert ran.document["ways"][0]["settings"]["groups"]["by"] == "both"
    assert ran.document["ways"][0]["groups"] > 1


def test_the_ways_can_be_chosen(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("compare", pupils, "--way", "whole", "--way", "by-knowledge:k=2", "--json")
    assert [way["name"] for way in ran.document["ways"]] == ["whole", "by-knowledge:k=2"]
    assert [way["groups"] for way in ran.document["ways"]] == [1, 2]


def test_a_way_that_missed_the_goal_has_no_cost_and_a_note(homeroom: Homeroom) -> None:
    ran = homeroom("compare", "--max-rounds", 40, "--no-frontier")
    assert ran.code == 0
    assert "goal was not reached by whole class, by rate, at random, so they have" in ran.err
    assert "individuals    best at λ = 0" in ran.out
    assert "–" in ran.out


@pytest.mark.slow
@pytest.mark.parametrize("as_json", [False, True], ids=["read", "json"])
def test_all_ways_missing_the_goal_is_a_result_too(
    homeroom: Homeroom, tmp_path: Path, as_json: bool
) -> None:
    out = tmp_path / "none"
    ran = homeroom("compare", "--max-rounds", 0, "--out", out, *(["--json"] if as_json else []))
    assert ran.code == 0
    assert "best at" not in ran.out
    assert json.loads((out / "result.json").read_text())["best"] == []
    assert "the goal was not reached by" in (out / "report.html").read_text()


@pytest.mark.slow
def test_the_folder_holds_all_files(homeroom: Homeroom, pupils: Path, tmp_path: Path) -> None:
    ran = homeroom("compare", pupils, "--out", tmp_path / "ways")
    assert ran.code == 0
    names = {file.name for file in (tmp_path / "ways").iterdir()}
    assert names == {
        *("cost.svg", "cost.png", "frontier.svg", "frontier.png"),
        *("report.html", "result.json"),
    }
    assert 'class="best"' in (tmp_path / "ways" / "report.html").read_text()


def test_a_cost_of_four_and_a_half_is_not_four(homeroom: Homeroom) -> None:
    line = "compare --students 2 --dimensions 1 --rates 0.5 0.5 --eps 2 --lambdas 0.5 --no-frontier"
    ran = homeroom(*line.split(), "--json")
    costs = [way["costs"][0] for way in ran.document["ways"]]
    assert any(cost % 1 for cost in costs)
    out = homeroom(*line.split()).out
    for cost in costs:
        assert re.search(rf" {cost:g}\*?[ \n]", out)


def test_the_best_cells_are_the_comparison_s_best() -> None:
    table = compare(Classroom.sample(students=30, dimensions=3), lambdas=(0, 1000))
    _, rows, best = comparison_table(table)
    assert [rows[row][0] for row, column in sorted(best, key=lambda cell: cell[1])] == [
        table.best(0).name,
        table.best(1000).name,
    ]


@pytest.mark.parametrize(("most", "rows"), [(6, 5), (7, 7)])
def test_a_long_table_of_splits_leaves_out_its_middle(
    most: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homeroom.cli.compare.MOST_CORNERS", most)
    splits = frontier(Classroom.sample(students=60, dimensions=4, rates=(0.01, 0.2)))
    assert len(splits.corners) > 7
    table = frontier_table(splits)
    assert len(table.rows) == rows
    assert table.rows[rows // 2][0] == "..."
    assert all(len(row) == len(table.header) for row in table.rows)
    assert (table.rows[0][2], table.rows[-1][2]) == (str(splits.rounds[0]), str(splits.rounds[-1]))


def test_the_frontier_is_drawn_with_the_ways_that_were_compared() -> None:
    table = compare(Classroom.sample(students=30, dimensions=3, rates=(0.05, 0.5)))
    assert table.frontier is not None
    report = CommandReport("Ways", {})
    add_frontier(report, table, table.frontier)
    (chart,) = report.charts
    (ax,) = chart.draw().axes
    names = {text.get_text() for text in ax.texts}
    assert {"whole class", "by rate", "at random", "individuals", "all alone"} <= names
