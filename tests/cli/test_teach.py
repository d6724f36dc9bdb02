from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from homeroom import ByRate, Classroom, DirectionPool, EveryoneGoal, PoolTeacher, frontier, teach
from homeroom.cli.group import groups_chart
from homeroom.plots import picture
from tests.cli.conftest import Homeroom, list_names
from tests.pages import parts_of

SMALL = ("--students", 30, "--dimensions", 4)


def test_the_paper_s_class_needs_154_rounds(homeroom: Homeroom) -> None:
    ran = homeroom("teach")
    assert (ran.code, ran.err) == (0, "")
    assert "300 students, 25 dimensions" in ran.out
    assert "154" in ran.out
    assert "✓" in ran.out
    for who in ("slow, near: ", "slow, far: ", "fast, near: ", "fast, far: "):
        assert who in ran.out


def test_the_json_is_the_lesson_that_python_holds(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("teach", pupils, "--json", "--seed", 3, "--watch", "pupil 2,pupil 7")
    record = teach(Classroom.load(pupils), seed=3, watch=[2, 7])
    assert ran.document["lesson"]["rounds"] == record.rounds
    assert ran.document["lesson"]["reached"] is True
    assert ran.document["errors"] == record.errors.tolist()
    assert [one["student"] for one in ran.document["watched"]] == ["pupil 2", "pupil 7"]
    assert ran.document["watched"][1]["errors"] == record.watched_errors[:, 1].tolist()
    assert ran.document["class"]["state_radius"] is None  # infinite, which JSON does not know
    assert ran.document["settings"]["seed"] == 3


def test_a_table_of_a_spreadsheet_in_another_language_is_the_same_class(
    homeroom: Homeroom, tmp_path: Path
) -> None:
    usual = "student,rate,w1,w2\nAda,0.2,1.0,0.5\nBen,0.1,0.0,0.3\ntarget,,0.6,0.8\n"
    other = "Kind;Tempo;Algebra;Geometrie\nAda;0,2;1,0;0,5\nBen;0,1;0,0;0,3\ntarget;;0,6;0,8\n"
    (tmp_path / "usual.csv").write_text(usual)
    (tmp_path / "other.csv").write_text(other, encoding="utf-8-sig")
    expected = homeroom("teach", tmp_path / "usual.csv", "--json").document
    names = ("--column", "student=Kind", "--column", "rate=Tempo")
    for more in ((), ("--column", "states=Algebra, Geometrie"), ("--target", "0.6,0.8")):
        ran = homeroom("teach", tmp_path / "other.csv", *names, *more, "--json")
        assert ran.document["errors"] == expected["errors"]
        assert ran.document["watched"] == expected["watched"]


def test_the_same_seed_gives_the_same_document(homeroom: Homeroom) -> None:
    noisy = ("teach", *SMALL, "--json", "--observer", "noisy-states:delta=0.3")
    first, again, other = (homeroom(*noisy, "--seed", seed).out for seed in (5, 5, 6))
    assert first == again != other


def test_the_class_and_the_lesson_may_have_seeds_of_their_own(homeroom: Homeroom) -> None:
    line = ("teach", *SMALL, "--json", "--sample-seed", 1, "--seed")
    one, two = (homeroom(*line, seed).document for seed in (2, 3))
    assert one["class"] == two["class"]
    assert one["class"]["error"] == Classroom.sample(30, 4, seed=1).error


def test_a_missed_goal_is_a_result_and_is_reported(homeroom: Homeroom) -> None:
    ran = homeroom("teach", "--max-rounds", 5, "--groups", "by-rate")
    assert ran.code == 0
    assert "✗ Not learnt" in ran.out
    assert "(3 of 3 groups)" in ran.out
    assert homeroom("teach", "--max-rounds", 5, "--json").document["lesson"]["reached"] is False


@pytest.mark.slow
def test_a_goal_that_rounding_may_hide_is_said_to_be_missed(
    homeroom: Homeroom, tmp_path: Path
) -> None:
    """Rates 200 times apart, and examples without a limit; see ``docs/how-it-works.md``."""
    rng = np.random.default_rng(0)
    states, rates = rng.standard_normal((30, 6)), 200.0 ** -rng.random(30)
    Classroom(states, rates, np.zeros(6)).save(tmp_path / "far-apart.npz")
    line = "--magnitude joint --goal everyone:eps=0.3 --example-radius 20 --verify --json"
    lesson = homeroom("teach", tmp_path / "far-apart.npz", *line.split()).document["lesson"]
    assert lesson["reached"] is False
    assert "rounding" in lesson["stopped_because"]
    assert lesson["error_estimate"] > 1e3


def test_only_unusual_settings_are_shown(homeroom: Homeroom, pupils: Path) -> None:
    line = (
        "--teacher classroom:magnitude=joint,safe=true --goal everyone --eps 0.3 --groups by-rate "
        "--observer noisy-states:delta=0.01 --learner langevin:beta=1e6"
    )
    ran = homeroom("teach", pupils, *line.split())
    for words in (
        "classroom (magnitude joint, safe)",
        "everyone (eps 0.3)",
        "by-rate",
        "noisy-states (delta 0.01",
        "langevin (beta 1e+06, loss squared)",
        "group  students  rounds",
    ):
        assert words in ran.out
    usual = homeroom("teach", pupils).out
    assert "observer" not in usual
    assert "learner" not in usual


def test_a_file_s_radii_can_be_changed(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("teach", pupils, "--json", "--example-radius", 1.5, "--state-radius", 9)
    assert ran.document["class"]["example_radius"] == 1.5
    assert ran.document["class"]["state_radius"] == 9.0


def test_a_pool_comes_from_a_file(homeroom: Homeroom, pupils: Path, tmp_path: Path) -> None:
    items = np.random.default_rng(0).uniform(-1, 1, size=(20, 3))
    np.savetxt(tmp_path / "items.csv", items, delimiter=",", fmt="%.17g")
    line = ("--pool", tmp_path / "items.csv", "--rescalable", "--magnitude", "dynamic", "--json")
    record = teach(Classroom.load(pupils), teacher=PoolTeacher(DirectionPool(items), "dynamic"))
    assert homeroom("teach", pupils, *line).document["lesson"]["rounds"] == record.rounds


def test_a_pool_may_have_a_registered_name(homeroom: Homeroom, pupils: Path) -> None:
    document = homeroom("teach", pupils, "--pool", "ball", "--json").document
    assert document["settings"]["teacher"]["pool"]["name"] == "ball"
    assert document["lesson"]["rounds"] == teach(Classroom.load(pupils)).rounds


def test_a_poor_pool_is_a_warning_in_one_sentence(
    homeroom: Homeroom, pupils: Path, tmp_path: Path
) -> None:
    np.save(tmp_path / "poor.npy", np.eye(3)[:2])
    ran = homeroom("teach", pupils, "--pool", tmp_path / "poor.npy", "--max-rounds", 30, "--json")
    assert ran.err.startswith("Note: ")
    assert ran.err.count("\n") == 1
    assert ran.document["lesson"]["reached"] is False


@pytest.mark.slow
def test_a_lesson_in_groups_from_a_file_has_bars(
    homeroom: Homeroom, pupils: Path, tmp_path: Path
) -> None:
    homeroom("group", pupils, "--groups", "by-knowledge:k=3", "--out", tmp_path / "g")
    line = ("--groups", tmp_path / "g" / "groups.csv", "--json", "--out", tmp_path / "out")
    again = homeroom("teach", pupils, *line).document
    first = homeroom("teach", pupils, "--groups", "by-knowledge:k=3", "--json").document
    assert again["rounds_by_group"] == first["rounds_by_group"]
    assert len(parts_of(tmp_path / "out" / "report.html", "gallery")) == 2


def test_a_planned_lesson_reports_its_plan(homeroom: Homeroom) -> None:
    line = ("teach", "--students", 20, "--dimensions", 2, "--rates", 0.1, 0.6)
    ran = homeroom(*line, "--teacher", "planned:polish=false")
    rounds = teach(Classroom.sample(20, 2, (0.1, 0.6)), teacher="planned:polish=false").rounds
    assert f"{rounds} rounds (1 plan)" in ran.out
    (plan,) = homeroom(*line, "--teacher", "planned", "--json").document["settings"]["plans"]
    assert plan["rounds"] <= rounds


def test_each_group_has_its_size_its_rates_and_its_rounds(homeroom: Homeroom) -> None:
    room = Classroom.sample()
    document = homeroom("group", "--json").document
    record = teach(room, groups=ByRate())
    rates = np.asarray(room.rates)
    assert [one["rounds"] for one in document["groups"]] == record.transcript.rounds.tolist()
    for number, one in enumerate(document["groups"]):
        mine = rates[record.group_of == number]
        assert (one["group"], one["students"]) == (number + 1, len(mine))
        assert (one["slowest_rate"], one["fastest_rate"]) == (mine.min(), mine.max())
    assert document["group_of"] == (record.group_of + 1).tolist()
    bars = [line.count("█") for line in homeroom("group").out.splitlines() if "█" in line]
    assert len(bars) == 3
    assert bars == sorted(bars, reverse=True)
    assert bars[0] == 30


@pytest.mark.slow
def test_the_best_groups_have_a_name(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("group", pupils, "--groups", "best:lam=3", "--goal", "everyone", "--json")
    split = frontier(Classroom.load(pupils), goal=EveryoneGoal()).best(3.0)
    assert ran.document["group_of"] == (split.group_of + 1).tolist()
    assert ran.document["settings"]["groups"]["lam"] == 3


def test_few_and_many_groups_are_shown(homeroom: Homeroom) -> None:
    many = homeroom("group", "--students", 50, "--dimensions", 3, "--groups", "individuals")
    assert "... and 30 more" in many.out
    reached = homeroom("group", "--students", 4, "--dimensions", 2, "--eps", 1e6)
    assert "█" not in reached.out
    assert "rounds, T      0" in reached.out


def test_names_with_blanks_and_quotes_find_their_group_again(
    homeroom: Homeroom, tmp_path: Path
) -> None:
    names = ["Ada ", " Ben", 'Cleo "C"', "Dee, Jr."]
    drawn = Classroom.sample(students=4, dimensions=2, rates=(0.1, 0.9))
    path, out = tmp_path / "pupils.csv", tmp_path / "groups"
    Classroom(drawn.states, drawn.rates, drawn.target, names=names).save(path)
    document = homeroom("group", path, "--out", out, "--json").document
    files = {"groups.csv", "groups.svg", "groups.png", "record.npz", "report.html", "result.json"}
    assert list_names(out) == files
    with (out / "groups.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["student"].strip() for row in rows] == [name.strip() for name in names]
    assert [int(row["group"]) for row in rows] == document["group_of"]
    again = homeroom("teach", path, "--groups", out / "groups.csv", "--json").document
    assert again["rounds_by_group"] == [one["rounds"] for one in document["groups"]]
    assert len(again["rounds_by_group"]) > 1


def test_the_chart_shows_the_groups_that_need_most_first() -> None:
    record = teach(Classroom.sample(students=60, dimensions=3, rates=(0.1, 0.9)), groups=ByRate())
    (ax,) = picture(groups_chart(record).draw).axes
    heights = [int(text.get_text()) for text in ax.texts]
    assert heights == sorted(record.transcript.rounds.tolist(), reverse=True)
