from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom import Classroom, DirectionPool, PoolTeacher, Record, teach

if TYPE_CHECKING:
    from tests.cli.conftest import Homeroom


def test_the_paper_s_class_needs_154_rounds(homeroom: Homeroom) -> None:
    ran = homeroom("teach")
    assert ran.code == 0
    assert ran.err == ""
    assert "300 students, 25 dimensions" in ran.out
    assert "154" in ran.out
    assert "✓ Stopped because the goal was reached." in ran.out


def test_four_students_who_differ_are_watched(homeroom: Homeroom) -> None:
    ran = homeroom("teach", "--students", 40, "--dimensions", 3)
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
    for states in ((), ("--column", "states=Algebra, Geometrie")):
        ran = homeroom("teach", tmp_path / "other.csv", *names, *states, "--json")
        assert ran.code == 0
        assert ran.document["errors"] == expected["errors"]
        assert ran.document["watched"] == expected["watched"]


def test_the_same_seed_gives_the_same_document(homeroom: Homeroom) -> None:
    line = ("teach", "--students", 30, "--dimensions", 4, "--json", "--seed", 5)
    noisy = (*line, "--observer", "noisy-states:delta=0.3")
    assert homeroom(*noisy).out == homeroom(*noisy).out
    assert homeroom(*noisy).out != homeroom(*noisy, "--seed", 6).out


def test_the_class_and_the_lesson_may_have_seeds_of_their_own(homeroom: Homeroom) -> None:
    line = ("teach", "--students", 30, "--dimensions", 4, "--json")
    one = homeroom(*line, "--sample-seed", 1, "--seed", 2).document
    two = homeroom(*line, "--sample-seed", 1, "--seed", 3).document
    assert one["class"] == two["class"]
    assert one["class"]["error"] == Classroom.sample(30, 4, seed=1).error


def test_a_missed_goal_is_a_result_and_is_reported(homeroom: Homeroom) -> None:
    ran = homeroom("teach", "--max-rounds", 5)
    assert ran.code == 0
    assert "✗ Not learnt: stopped because the limit of rounds was reached" in ran.out
    ran = homeroom("teach", "--max-rounds", 5, "--groups", "by-rate")
    assert "(3 of 3 groups)" in ran.out
    ran = homeroom("teach", "--max-rounds", 5, "--json")
    assert ran.code == 0
    assert ran.document["lesson"]["reached"] is False


@pytest.mark.slow
def test_a_goal_that_rounding_may_hide_is_said_to_be_missed(
    homeroom: Homeroom, tmp_path: Path
) -> None:
    """Rates 200 times apart, and examples without a limit; see ``docs/how-it-works.md``."""
    rng = np.random.default_rng(0)
    states, rates = rng.standard_normal((30, 6)), 200.0 ** -rng.random(30)
    Classroom(states, rates, np.zeros(6)).save(tmp_path / "far-apart.npz")
    joint = ("teach", tmp_path / "far-apart.npz", "--teacher", "classroom:magnitude=joint")
    line = (*joint, "--goal", "everyone:eps=0.3", "--example-radius", 20)
    why = "rounding errors have grown so large that the goal may have been missed"
    ran = homeroom(*line, "--verify", "--out", tmp_path / "out")
    said = " ".join(ran.out.split())
    assert f"✗ Not learnt: stopped because {why}." in said
    assert "exact, off by at most" in said
    pages = [page.read_text("utf-8") for page in (tmp_path / "out").glob("*.html")]
    assert any(why in page for page in pages)
    lesson = homeroom(*line, "--verify", "--json").document["lesson"]
    assert (lesson["reached"], lesson["stopped_because"]) == (False, why)
    off = abs(lesson["verified"]["error"] - lesson["error_after"])
    assert 1e3 < off <= lesson["error_estimate"]


def test_the_chosen_options_are_shown(homeroom: Homeroom, pupils: Path) -> None:
    line = (
        "--teacher classroom:magnitude=joint,safe=true --goal everyone --eps 0.3 --groups by-rate"
    )
    more = "--observer noisy-states:delta=0.01 --learner langevin:beta=1e6"
    ran = homeroom("teach", pupils, *line.split(), *more.split())
    assert ran.code == 0
    for words in (
        "classroom (magnitude joint, safe)",
        "everyone (eps 0.3)",
        "by-rate",
        "noisy-states (delta 0.01",
        "langevin (beta 1e+06, loss squared)",
        "group  students  rounds",
    ):
        assert words in ran.out


def test_a_file_s_radii_can_be_changed(homeroom: Homeroom, pupils: Path) -> None:
    ran = homeroom("teach", pupils, "--json", "--example-radius", 1.5, "--state-radius", 9)
    assert ran.document["class"]["example_radius"] == 1.5
    assert ran.document["class"]["state_radius"] == 9.0


@pytest.mark.parametrize("ending", [".npy", ".npz", ".csv"])
def test_a_pool_comes_from_a_file(
    homeroom: Homeroom, pupils: Path, tmp_path: Path, ending: str
) -> None:
    items = np.random.default_rng(0).uniform(-1, 1, size=(20, 3))
    path = tmp_path / f"items{ending}"
    if ending == ".npy":
        np.save(path, items)
    elif ending == ".npz":
        np.savez(path, items=items)
    else:
        np.savetxt(path, items, delimiter=",", header="x1,x2,x3", comments="", fmt="%.17g")
    line = ("teach", pupils, "--pool", path, "--rescalable", "--magnitude", "dynamic", "--json")
    record = teach(Classroom.load(pupils), teacher=PoolTeacher(DirectionPool(items), "dynamic"))
    assert homeroom(*line).document["lesson"]["rounds"] == record.rounds


def test_a_poor_pool_is_a_warning_in_one_sentence(
    homeroom: Homeroom, pupils: Path, tmp_path: Path
) -> None:
    np.save(tmp_path / "poor.npy", np.eye(3)[:2])
    ran = homeroom("teach", pupils, "--pool", tmp_path / "poor.npy", "--max-rounds", 30, "--json")
    assert ran.code == 0
    assert ran.err.startswith("Note: The pool cannot teach 1 of 3 directions")
    assert ran.err.count("\n") == 1
    assert ran.document["lesson"]["reached"] is False


@pytest.mark.slow
def test_the_folder_holds_everything(homeroom: Homeroom, pupils: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "lesson"
    ran = homeroom("teach", pupils, "--out", out, "--json")
    names = {"record.npz", "error.svg", "error.png", "report.html", "result.json"}
    assert {file.name for file in out.iterdir()} == names
    assert json.loads((out / "result.json").read_text()) == ran.document
    assert Record.load(out / "record.npz").rounds == ran.document["lesson"]["rounds"]
    page = (out / "report.html").read_text()
    assert page.count("<img ") == 1
    assert "the goal was reached" in page
    assert "slow, near" in page
    assert str(out) not in ran.out


@pytest.mark.slow
def test_a_lesson_in_groups_has_bars(homeroom: Homeroom, pupils: Path, tmp_path: Path) -> None:
    out = tmp_path / "lesson"
    ran = homeroom("teach", pupils, "--groups", "by-rate", "--out", out)
    assert f"The report is at {out / 'report.html'}" in ran.out.replace("\n", "")
    assert (out / "groups.svg").exists()
    assert (out / "report.html").read_text().count("<img ") == 2


@pytest.mark.slow
def test_groups_can_come_from_a_file(homeroom: Homeroom, pupils: Path, tmp_path: Path) -> None:
    homeroom("group", pupils, "--groups", "by-knowledge:k=3", "--out", tmp_path / "g")
    again = homeroom("teach", pupils, "--groups", tmp_path / "g" / "groups.csv", "--json").document
    first = homeroom("teach", pupils, "--groups", "by-knowledge:k=3", "--json").document
    assert again["rounds_by_group"] == first["rounds_by_group"]


def test_a_planned_lesson_reports_its_plan(homeroom: Homeroom) -> None:
    line = ("teach", "--students", 20, "--dimensions", 2, "--rates", 0.1, 0.6)
    ran = homeroom(*line, "--teacher", "planned:polish=false")
    rounds = teach(Classroom.sample(20, 2, (0.1, 0.6)), teacher="planned:polish=false").rounds
    assert ran.code == 0
    assert f"{rounds} rounds (1 plan)" in ran.out
    assert "farthest on the way" in ran.out
    (plan,) = homeroom(*line, "--teacher", "planned", "--json").document["settings"]["plans"]
    assert plan["rounds"] <= rounds


def test_the_help_names_the_planned_teacher(homeroom: Homeroom) -> None:
    assert "planned" in homeroom("teach", "--help").out


@pytest.mark.slow
def test_a_pool_can_be_planned_with(homeroom: Homeroom, tmp_path: Path) -> None:
    np.save(tmp_path / "items.npy", 1.5 * np.eye(2))
    line = ("teach", "--students", 20, "--dimensions", 2, "--pool", tmp_path / "items.npy")
    document = homeroom(*line, "--teacher", "planned", "--json").document
    assert document["settings"]["teacher"]["name"] == "planned"
    assert document["lesson"]["reached"]
