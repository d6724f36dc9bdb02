from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from homeroom import Classroom, compare, frontier

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
    for told, way in zip(document["ways"], table.ways, strict=True):
        assert told["rounds"] == way.rounds
        assert told["workload"] == way.workload
        assert told["costs"] == [way.cost(0), way.cost(10)]
    assert document["best"] == [
        {"lambda": 0.0, "way": table.best(0).name},
        {"lambda": 10.0, "way": table.best(10).name},
    ]


def test_what_more_groups_buy_is_told(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("compare", pupils, "--lambdas", "0,2,10")
    ways = frontier(Classroom.load(pupils))
    assert ran.code == 0
    told = ran.out.partition("What more groups buy")[2]
    for split, _, _ in ways.corners:
        assert f"{split.rounds}  {split.workload:.2f}" in told
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
    assert "What more groups buy" not in homeroom(*named).out


def test_a_way_may_be_the_best_groups(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("compare", pupils, "--way", "best:lam=3,by=both,cells=6", "--json")
    assert ran.document["ways"][0]["settings"]["groups"]["by"] == "both"
    assert ran.document["ways"][0]["groups"] > 1


def test_the_ways_can_be_chosen(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("compare", pupils, "--way", "whole", "--way", "by-knowledge:k=2", "--json")
    assert [way["name"] for way in ran.document["ways"]] == ["whole", "by-knowledge:k=2"]
    assert [way["groups"] for way in ran.document["ways"]] == [1, 2]


def test_a_way_that_did_not_arrive_has_no_cost_and_that_is_said(homeroom: Homeroom) -> None:
    ran = homeroom("compare", "--max-rounds", 40, "--no-frontier")
    assert ran.code == 0
    assert "goal was not reached by whole class, by rate, at random, so they have" in ran.err
    assert "individuals    best at λ = 0" in ran.out
    assert "–" in ran.out


@pytest.mark.parametrize("as_json", [False, True], ids=["read", "json"])
def test_no_way_arriving_is_a_result_too(homeroom: Homeroom, tmp_path: Path, as_json: bool) -> None:
    out = tmp_path / "none"
    ran = homeroom("compare", "--max-rounds", 0, "--out", out, *(["--json"] if as_json else []))
    assert ran.code == 0
    assert "best at" not in ran.out
    assert json.loads((out / "result.json").read_text())["best"] == []
    assert "The goal was not reached" in (out / "report.html").read_text()


def test_the_folder_holds_everything(homeroom: Homeroom, pupils: Path, tmp_path: Path) -> None:
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
