from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom import ByRate, Classroom, EveryoneGoal, frontier, teach
from homeroom.cli.group import groups_chart

if TYPE_CHECKING:
    from tests.cli.conftest import Homeroom


def test_each_group_has_its_size_its_rates_and_its_rounds(homeroom: Homeroom) -> None:
    room = Classroom.sample()
    document = homeroom("group", "--json").document
    record = teach(room, groups=ByRate())
    rates = np.asarray(room.rates)
    assert [one["rounds"] for one in document["groups"]] == record.transcript.rounds.tolist()
    for number, one in enumerate(document["groups"]):
        mine = rates[record.group_of == number]
        assert one["students"] == len(mine)
        assert (one["slowest_rate"], one["fastest_rate"]) == (mine.min(), mine.max())
    assert document["group_of"] == (record.group_of + 1).tolist()


@pytest.mark.slow
def test_the_best_groups_have_a_name(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("group", pupils, "--groups", "best:lam=3", "--goal", "everyone", "--json")
    split = frontier(Classroom.load(pupils), goal=EveryoneGoal()).best(3.0)
    assert ran.document["group_of"] == (split.group_of + 1).tolist()
    assert ran.document["settings"]["groups"]["lam"] == 3
    assert (
        "best (lam 3, by rate, cells 24)" in homeroom("group", pupils, "--groups", "best:lam=3").out
    )


def test_the_rounds_are_bars(homeroom: Homeroom) -> None:
    ran = homeroom("group")
    bars = [line.count("█") for line in ran.out.splitlines() if "█" in line]
    assert len(bars) == 3
    assert bars[0] == 30
    assert bars == sorted(bars, reverse=True)


def test_the_screen_shows_only_some_of_many_groups(homeroom: Homeroom) -> None:
    ran = homeroom("group", "--students", 50, "--dimensions", 3, "--groups", "individuals")
    assert "... and 30 more; --json has all." in ran.out


def test_a_class_at_its_goal_needs_no_rounds(homeroom: Homeroom) -> None:
    ran = homeroom("group", "--students", 4, "--dimensions", 2, "--eps", 1e6)
    assert ran.code == 0
    assert "█" not in ran.out
    assert "rounds, T      0" in ran.out


@pytest.mark.slow
def test_names_with_blanks_and_quotes_find_their_group_again(
    homeroom: Homeroom, tmp_path: Path
) -> None:
    names = ["Ada ", " Ben", 'Cleo "C"', "Dee, Jr."]
    drawn = Classroom.sample(students=4, dimensions=2, rates=(0.1, 0.9))
    path, out = tmp_path / "pupils.csv", tmp_path / "groups"
    Classroom(drawn.states, drawn.rates, drawn.target, names=names).save(path)
    document = homeroom("group", path, "--out", out, "--json").document
    again = homeroom("teach", path, "--groups", out / "groups.csv", "--json").document
    assert again["rounds_by_group"] == [one["rounds"] for one in document["groups"]]
    assert len(again["rounds_by_group"]) > 1


def test_the_folder_lists_the_group_of_each_student(
    homeroom: Homeroom, pupils: Path, tmp_path: Path
) -> None:
    out = tmp_path / "groups"
    document = homeroom("group", pupils, "--out", out, "--json").document
    names = {"groups.csv", "groups.svg", "groups.png", "record.npz", "report.html", "result.json"}
    assert {file.name for file in out.iterdir()} == names
    with (out / "groups.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["student"] for row in rows] == [f"pupil {number}" for number in range(24)]
    assert [int(row["group"]) for row in rows] == document["group_of"]


def test_the_chart_shows_the_groups_that_need_most_first() -> None:
    record = teach(Classroom.sample(students=60, dimensions=3, rates=(0.1, 0.9)), groups=ByRate())
    (ax,) = groups_chart(record).draw().axes
    heights = [int(text.get_text()) for text in ax.texts]
    assert heights == sorted(record.transcript.rounds.tolist(), reverse=True)
