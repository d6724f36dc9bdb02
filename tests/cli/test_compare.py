"""``homeroom compare``, ``certify`` and ``demo``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from homeroom import Classroom, ClassroomTeacher, certify, compare, frontier, teach
from homeroom.cli.certify import draw_bound
from homeroom.cli.compare import add_frontier
from homeroom.cli.demo import LAMBDAS, WAYS, find_command
from homeroom.cli.result import Chart, Result
from homeroom.plots import panel, picture
from tests.cli.conftest import Homeroom, list_names
from tests.pages import parts_of


def test_the_table_marks_the_best_way_for_each_weight(homeroom: Homeroom) -> None:
    ran = homeroom("compare", "--lambdas", "0,100", "--no-frontier")
    table = compare(Classroom.sample(), lambdas=(0, 100), frontier=False)
    for way in table.ways:
        assert way.name in ran.out
        assert f"{way.cost(100):.0f}" in ran.out
    assert ran.out.count("*") == 2
    for lam in (0, 100):
        assert f"{table.best(lam).cost(lam):.0f}*" in ran.out
        assert re.search(rf"{table.best(lam).name} +best at λ = {lam}", ran.out)


def test_the_json_is_the_comparison_that_python_makes(homeroom: Homeroom, pupils: Path) -> None:
    document = homeroom("compare", pupils, "--lambdas", "0,10", "--json").document
    table = compare(Classroom.load(pupils), lambdas=(0, 10))
    assert [way["name"] for way in document["ways"]] == [way.name for way in table.ways]
    for found, way in zip(document["ways"], table.ways, strict=True):
        assert (found["rounds"], found["workload"]) == (way.rounds, way.workload)
        assert found["costs"] == [way.cost(0), way.cost(10)]
    best = [{"lambda": lam, "way": table.best(lam).name} for lam in (0, 10)]
    assert document["best"] == best


@pytest.mark.slow
def test_what_more_groups_gain_is_shown(homeroom: Homeroom, pupils: Path, tmp_path: Path) -> None:
    ran = homeroom("compare", pupils, "--lambdas", "0,2,10", "--out", tmp_path / "ways")
    ways = frontier(Classroom.load(pupils))
    found = ran.out.partition("What more groups gain")[2]
    for split, _, _ in ways.corners[:25]:
        assert f"{split.rounds}  {split.workload:.2f}" in found
    document = homeroom("compare", pupils, "--json").document
    assert [split["rounds"] for split in document["frontier"]] == ways.rounds.tolist()
    assert [split["alone"] for split in document["frontier"]] == [split.alone for split in ways]
    best_from = [split["best_from_lambda"] for split in document["frontier"]]
    assert [lam for lam in best_from if lam is not None] == [start for _, start, _ in ways.corners]
    names = {"cost.svg", "cost.png", "frontier.svg", "frontier.png", "report.html", "result.json"}
    assert list_names(tmp_path / "ways") == names
    assert parts_of(tmp_path / "ways" / "report.html", "table")[1]["best"]


def test_the_ways_and_the_search_can_be_chosen(homeroom: Homeroom, pupils: Path) -> None:
    line = ("compare", pupils, "--way", "whole", "--way", "by-knowledge:k=2")
    document = homeroom(*line, "--json").document
    assert [(way["name"], way["groups"]) for way in document["ways"]] == [
        ("whole", 1),
        ("by-knowledge:k=2", 2),
    ]
    assert document["frontier"] is None
    assert homeroom(*line, "--frontier", "--json").document["frontier"]
    assert homeroom("compare", pupils, "--no-frontier", "--json").document["frontier"] is None
    best = ("compare", pupils, "--way", "best:lam=3,by=both,cells=6", "--json")
    (way,) = homeroom(*best).document["ways"]
    assert way["settings"]["groups"]["by"] == "both"
    assert way["groups"] > 1


def test_a_way_that_missed_the_goal_has_no_cost_and_a_remark(homeroom: Homeroom) -> None:
    ran = homeroom("compare", "--max-rounds", 40, "--no-frontier")
    assert ran.code == 0
    assert "whole class, by rate, at random" in ran.err
    assert re.search(r"individuals +best at λ = 0", ran.out)
    assert "–" in ran.out
    none = homeroom("compare", "--max-rounds", 0, "--no-frontier")
    assert none.code == 0
    assert "best at" not in none.out
    document = homeroom("compare", "--max-rounds", 0, "--no-frontier", "--json").document
    assert document["best"] == []


def test_a_cost_of_four_and_a_half_is_not_four(homeroom: Homeroom) -> None:
    line = "compare --students 2 --dimensions 1 --rates 0.5 0.5 --eps 2 --lambdas 0.5 --no-frontier"
    costs = [way["costs"][0] for way in homeroom(*line.split(), "--json").document["ways"]]
    assert any(cost % 1 for cost in costs)
    out = homeroom(*line.split()).out
    for cost in costs:
        assert re.search(rf" {cost:g}\*?[ \n]", out)


def test_the_frontier_is_drawn_with_the_ways_that_were_compared() -> None:
    table = compare(Classroom.sample(students=30, dimensions=3, rates=(0.05, 0.5)))
    assert table.frontier is not None
    result = Result("Ways", {})
    add_frontier(result, table, table.frontier)
    (chart,) = [part for part in result.parts if isinstance(part, Chart)]
    (ax,) = picture(chart.draw).axes
    names = {text.get_text() for text in ax.texts}
    assert {"whole class", "by rate", "at random", "individuals"} <= names
    assert {split.short for split, _, _ in table.frontier.corners} & names


def test_a_proof_is_shown_next_to_the_simulation(homeroom: Homeroom) -> None:
    ran = homeroom("certify")
    assert f"proved enough    {certify(Classroom.sample()).rounds}" in ran.out
    assert f"simulated        {teach(Classroom.sample()).rounds}" in ran.out
    assert "Theorem 1" in ran.out


def test_groups_are_certified_one_by_one(homeroom: Homeroom, pupils: Path) -> None:
    line = ("certify", pupils, "--groups", "by-rate")
    document = homeroom(*line, "--json").document
    certificate = document["certificate"]
    assert certificate["after_the_lesson"] is False
    assert certificate["rounds"] == sum(part["rounds"] for part in certificate["groups"])
    assert certificate["rounds"] >= document["simulation"]["rounds"]
    assert "group  students  proved  simulated" in homeroom(*line).out


def test_a_pool_is_certified_after_the_lesson(
    homeroom: Homeroom, pupils: Path, tmp_path: Path
) -> None:
    np.save(tmp_path / "items.npy", np.eye(3))
    line = ("certify", pupils, "--pool", tmp_path / "items.npy")
    certificate = homeroom(*line, "--json").document["certificate"]
    assert certificate["after_the_lesson"] is True
    assert certificate["rounds"] > 0
    assert "after the lesson" in homeroom(*line).out


def test_where_nothing_is_proved_the_reason_is_shown(homeroom: Homeroom, tmp_path: Path) -> None:
    out = tmp_path / "none"
    ran = homeroom("certify", "--observer", "noisy-moments:delta=1", "--out", out)
    assert "proved enough    none" in ran.out
    assert "noise may leave" in ran.out
    assert parts_of(out / "report.html", "gallery") == []


def test_students_who_learn_at_random_are_certified_by_their_expected_error(
    homeroom: Homeroom,
) -> None:
    line = ("certify", "--students", 20, "--dimensions", 2, "--learner", "langevin:beta=1e5")
    assert "proved enough for the expected error" in homeroom(*line).text
    assert homeroom(*line, "--json").document["certificate"]["in_expectation"] is True


def test_the_bound_is_drawn_to_its_end_at_some_of_its_rounds() -> None:
    for rates, points in (((0.05, 0.25), None), ((1e-9, 2e-9), 501)):
        room = Classroom.sample(students=3, dimensions=2, rates=rates)
        certificate, record = certify(room), teach(room, max_rounds=10)
        last = certificate.rounds
        assert last is not None
        ax = panel()[1]
        draw_bound(ax, certificate, record)
        proved, simulated, _ = ax.get_lines()
        rounds, bound = np.asarray(proved.get_xdata()), np.asarray(proved.get_ydata())
        assert rounds.tolist() == sorted(set(rounds.tolist()))
        assert (rounds[0], rounds[-1], len(rounds)) == (0, last, points or last + 1)
        assert bound[7] == certificate.bound(int(rounds[7]))
        assert len(np.asarray(simulated.get_xdata())) == len(record.errors)
        assert ax.get_xlim() == (0, last)


@pytest.mark.slow
def test_the_demo_compares_three_ways_and_writes_a_report(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = homeroom("demo").out
    teacher = ClassroomTeacher("dynamic")
    table = compare(Classroom.sample(), ways=WAYS, lambdas=LAMBDAS, teacher=teacher)
    assert {table.best(lam).name for lam in LAMBDAS} == set(WAYS)  # each is best for some weight
    for way in table.ways:
        assert re.search(rf"{way.name} +{way.groups} +{way.rounds} +{way.workload:.1f}", out)
    assert "demo-report/report.html" in out
    assert "homeroom serve --demo\n" in out
    document = json.loads((tmp_path / "demo-report" / "result.json").read_text())
    assert [way["rounds"] for way in document["ways"]] == [way.rounds for way in table.ways]
    assert len(parts_of(tmp_path / "demo-report" / "report.html", "gallery")) == 4
    assert homeroom("teach", "demo-report/class.csv").code == 0


@pytest.mark.parametrize(
    ("called", "on_path", "again"),
    [
        ("bin/homeroom", True, "homeroom"),
        ("bin/homeroom", False, "bin/homeroom"),
        ("homeroom/__main__.py", False, "bin/python -m homeroom"),
        ("ipykernel", False, "homeroom"),
    ],
)
def test_the_demo_says_how_to_call_the_command_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: str, on_path: bool, again: str
) -> None:
    place = tmp_path / called
    place.parent.mkdir(exist_ok=True)
    place.touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("shutil.which", lambda _: str(place) if on_path else None)
    monkeypatch.setattr("sys.argv", [str(place)])
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python"))
    assert find_command() == again
