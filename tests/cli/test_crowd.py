from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from homeroom import Answers, Classroom
from homeroom.cli.crowd import GroupedCrowd, group_files
from homeroom.crowd import Embedding
from homeroom.lessons import Record
from tests.cli.conftest import Homeroom, Ran, list_names, refuse
from tests.pages import parts_of

KINDS = ("bee", "wasp", "moth")
ITEMS = [f"{kind}-{number}" for kind in KINDS for number in range(10)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Answers of 40 people to "is it a bee?", where half of them take wasps for bees."""
    rng = np.random.default_rng(0)
    lines = ["worker,picture,vote"]
    for person in range(40):
        for item in ITEMS:
            yes = item.startswith("bee") or (person % 2 and item.startswith("wasp"))
            if rng.random() < 0.9:
                said = bool(yes) ^ bool(rng.random() < 0.05)
                lines.append(f"p{person},{item},{'bee' if said else 'other'}")
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def experts(tmp_path: Path) -> Path:
    """The expert's labels, by species."""
    path = tmp_path / "experts.csv"
    path.write_text("item,label\n" + "\n".join(f"{item},{item[:-2]}" for item in ITEMS))
    return path


@pytest.fixture
def asked(table: Path, experts: Path) -> list[object]:
    """The options that say how to read the table."""
    read = [table, "--positive", "bee", "--labels", experts, "--label-yes", "bee"]
    return [*read, "--dimensions", 2]


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_embed_shows_what_was_read_and_the_map(homeroom: Homeroom, asked: list[object]) -> None:
    ran = homeroom("crowd", "embed", *asked)
    assert "student from 'worker', item from 'picture', answer from 'vote'" in ran.text
    assert "fits 30 of 30 labels" in ran.text


@pytest.mark.slow
def test_embed_chooses_the_number_of_dimensions(homeroom: Homeroom, asked: list[object]) -> None:
    document = homeroom("crowd", "embed", *asked[:-2], "--json").document
    assert document["map"]["dimensions"] == 2
    assert set(document["map"]["held_out"]) >= {"1", "2"}
    assert "with none" in homeroom("crowd", "embed", *asked[:-2]).text


def test_embed_writes_the_map_its_tables_and_a_class(
    homeroom: Homeroom, asked: list[object], tmp_path: Path
) -> None:
    out = tmp_path / "crowd"
    document = homeroom("crowd", "embed", *asked, "--out", out, "--json").document
    names = {"embedding.npz", "items.csv", "people.csv", "consensus.csv", "class.npz"}
    assert list_names(out) == names | {"report.html", "result.json"}
    found = Embedding.load(out / "embedding.npz")
    rows = read_rows(out / "items.csv")
    assert [row["item"] for row in rows] == list(found.item_names)
    np.testing.assert_allclose([float(row["x1"]) for row in rows], found.items[:, 0])
    variance = found.uncertainty.items[:, 1, 1]
    np.testing.assert_allclose([float(row["sd_x2"]) ** 2 for row in rows], variance)
    assert {row["label"] for row in rows} == {"1", "-1"}
    assert sum(int(row["answers"]) for row in rows) == document["answers"]["answers"]
    assert sum(int(row["yes"]) for row in rows) == document["answers"]["yes"]
    spread = [float(row["sd_threshold"]) for row in read_rows(out / "people.csv")]
    np.testing.assert_allclose(np.square(spread), found.uncertainty.people[:, 2, 2])
    assert [person["deviation"][2] for person in document["people"]] == spread
    room = Classroom.load(out / "class.npz")
    assert (room.students, room.dimensions) == (40, 3)


def test_a_map_keeps_the_orientation_of_the_previous_one(
    homeroom: Homeroom, asked: list[object], tmp_path: Path
) -> None:
    first = tmp_path / "first"
    before = homeroom("crowd", "embed", *asked, "--out", first, "--json").document
    previous = ["--previous", first / "embedding.npz"]
    after = homeroom("crowd", "embed", *asked, *previous, "--json").document
    places = [[one["place"] for one in run["items"]] for run in (before, after)]
    np.testing.assert_allclose(places[0], places[1], atol=1e-4)


@pytest.mark.slow
def test_groups_are_found_and_described(
    homeroom: Homeroom, asked: list[object], tmp_path: Path
) -> None:
    out = tmp_path / "groups"
    document = homeroom("crowd", "groups", *asked, "--out", out, "--json").document
    wrong = [{item[:-2] for item in group["wrongly_yes"]} for group in document["groups"]]
    assert sorted(map(sorted, wrong)) == [[], ["wasp"]]
    group_of = {row["student"]: int(row["group"]) for row in read_rows(out / "groups.csv")}
    assert group_of == document["group_of"]
    assert len({group_of[f"p{person}"] for person in range(0, 40, 2)}) == 1
    (shown,) = parts_of(out / "report.html", "map")
    assert len(shown["groups"]) == 2
    assert "takes 10 items wrongly for 'bee'" in homeroom("crowd", "groups", *asked).text


def test_the_number_of_groups_can_be_set(homeroom: Homeroom, asked: list[object]) -> None:
    document = homeroom("crowd", "groups", *asked, "--k", 3, "--json").document
    assert len(document["groups"]) == 3
    assert "--k 2" in homeroom("crowd", "groups", *asked, "--k", 1).text


def test_tables_of_groups_count_answers_of_several_classes(tmp_path: Path) -> None:
    answers = Answers.from_arrays(
        ["Ada", "Ada", "Ben", "Ben"],
        ["a", "b", "a", "b"],
        ["owl", "kite", "gull", "kite"],
        labels={"a": "owl"},
    )
    fitted: Any = type("Map", (), {"person_names": answers.people})
    files = group_files(GroupedCrowd(answers, fitted, np.array([0, 1]), [], {}))
    assert list(files) == ["groups.csv", "group-1.csv", "group-2.csv"]
    for name, write in files.items():
        write(tmp_path / name)
    lines = [(tmp_path / name).read_text().splitlines()[1] for name in files]
    assert lines == ["Ada,1", "Ada,2,1,1.000", "Ben,2,1,0.000"]


@pytest.fixture
def taught(homeroom: Homeroom, asked: list[object], tmp_path: Path) -> tuple[Ran, Path]:
    """The lesson for two groups, and its folder."""
    out = tmp_path / "lesson"
    return homeroom("crowd", "teach", *asked, "--k", 2, "--out", out, "--json"), out


def test_a_lesson_is_written_as_tables_and_a_page(taught: tuple[Ran, Path]) -> None:
    document, out = taught[0].document, taught[1]
    confused = max(document["groups"], key=lambda group: len(group["wrongly_yes"]))
    assert confused["shown"][0]["item"].startswith("wasp")
    assert confused["shown"][0]["answer"] == "other"
    assert document["class"]["reached"]
    assert document["by_group"]["rounds"] == sum(one["rounds"] for one in document["groups"])
    assert Record.load(out / "record-class.npz").rounds == document["class"]["rounds"]
    rows = read_rows(out / "lesson.csv")
    for name, shown in {"class": document["class"], "1": document["groups"][0]}.items():
        mine = [row for row in rows if row["group"] == name]
        assert [row["item"] for row in mine] == [one["item"] for one in shown["shown"]]
        assert [int(row["round"]) for row in mine] == list(range(1, len(mine) + 1))
    group_of = {row["student"]: row["group"] for row in read_rows(out / "groups.csv")}
    members = {
        row["student"]: str(number)
        for number in (1, 2)
        for row in read_rows(out / f"group-{number}.csv")
    }
    assert members == group_of
    page = (out / "report.html").read_text(encoding="utf-8")
    assert all(name in page for name in group_of)
    assert page.count("Mind: ") == len(document["map"]["warnings"])


def test_training_items_have_the_place_of_their_answer(taught: tuple[Ran, Path]) -> None:
    """Zooniverse counts answers from 0; of two answers, yes comes first."""
    document, training = taught[0].document, read_rows(taught[1] / "training.csv")
    lessons = [document["class"], *document["groups"]]
    shown = {one["item"]: one["answer"] for lesson in lessons for one in lesson["shown"]}
    assert {row["image"] for row in training} == set(shown)
    for row in training:
        answer = shown[row["image"]]
        assert (row["#training_subject"], row["#feedback_1_id"]) == ("true", "1")
        assert row["#feedback_1_answer"] == ("0" if answer == "bee" else "1")
        assert repr(answer) in row["#feedback_1_successMessage"]
        assert repr(answer) in row["#feedback_1_failureMessage"]


@pytest.mark.slow
def test_the_screen_lists_the_first_items(homeroom: Homeroom, asked: list[object]) -> None:
    ran = homeroom("crowd", "teach", *asked, "--k", 2)
    lines = [line for line in ran.out.splitlines() if line.startswith(("  class", "  group"))]
    assert len(lines) >= 3
    document = homeroom("crowd", "teach", *asked, "--k", 2, "--json").document
    assert f"{document['class']['shown'][0]['item']} (" in ran.text
    assert "and 20 more" in homeroom("crowd", "teach", *asked, "--k", 1, "--eps", 0.01).text


@pytest.mark.slow
def test_a_missed_goal_is_reported_once_per_lesson(homeroom: Homeroom, asked: list[object]) -> None:
    short = ("crowd", "teach", *asked, "--max-rounds", 2)
    assert homeroom(*short).out.count("Not learnt") == 2
    single = homeroom(*short, "--k", 1).out  # a single group is the class
    assert single.count("Not learnt") == 1
    assert "in groups" not in single


def test_the_goal_may_say_how_close_it_is(homeroom: Homeroom, asked: list[object]) -> None:
    goals = ("--goal average", "--goal average:eps=0.2", "--eps 0.2", "--goal everyone:eps=0.7")
    usual, named, plain, everyone = (
        homeroom("crowd", "teach", *asked, *goal.split(), "--json").document for goal in goals
    )
    assert usual == named == plain
    assert everyone["settings"]["goal"] == {"name": "everyone", "eps": 0.7}


@pytest.mark.slow
def test_a_lesson_that_no_student_needs_is_empty(homeroom: Homeroom, asked: list[object]) -> None:
    learnt = homeroom("crowd", "teach", *asked, "--eps", 1e6).text
    assert "nothing: the goal is reached already" in learnt
    unlearnt = homeroom("crowd", "teach", *asked, "--eps", 1e-6, "--max-rounds", 0).text
    assert "nothing: the limit of rounds" in unlearnt


@pytest.mark.slow
def test_the_map_is_a_page_with_pictures(
    homeroom: Homeroom, asked: list[object], tmp_path: Path
) -> None:
    photos, out = tmp_path / "photos", tmp_path / "map.html"
    photos.mkdir()
    for item in ITEMS[:5]:
        Image.new("RGB", (20, 20), "orange").save(photos / f"{item}.png")
    assert homeroom("crowd", "map", *asked, "--pictures", photos, "--out", out).code == 0
    (shown,) = parts_of(out, "map")
    assert len(shown["items"]) == 30
    assert sum(item["picture"] is not None for item in shown["items"]) == 5


def test_how_a_table_is_read_can_be_set(homeroom: Homeroom, table: Path) -> None:
    """Which of two answers is kept, and columns with other names."""
    lines = table.read_text().splitlines()
    turned = [line.rpartition(",")[0] + ",bee" for line in lines[1:]]
    table.write_text("\n".join(["a,b,c", *lines[1:], *turned]) + "\n")
    options = "--column student=a --column item=b --column answer=c --positive bee --keep first"
    line = ("crowd", "embed", table, *options.split(), "--dimensions", 1)
    found = homeroom(*line, "--json").document["answers"]
    assert found["yes"] == sum(one.endswith(",bee") for one in lines)
    assert next(iter(found["dropped"])).endswith("the first is kept")
    assert "no item has an expert's label" in homeroom(*line).text


def test_words_that_count_as_the_same_answer_are_listed(homeroom: Homeroom, tmp_path: Path) -> None:
    words = ("yes", "true", "1", "no", "unsure", '"skipped, late"', "?")
    rows = [f"p{at % 4},i{at // 4},{words[at % 7]}" for at in range(24)]
    path = tmp_path / "mixed.csv"
    path.write_text("\n".join(["student,item,answer", *rows]))
    options = [path, "--positive", "yes", "--missing", "unsure,?", "--missing", "skipped, late"]
    read = homeroom("crowd", "embed", *options, "--dimensions", 1, "--json").document["answers"]
    assert (read["answers"], read["yes"]) == (15, 12)
    assert read["merged"] == {
        "yes": {"yes": 4, "true": 4, "1": 4},
        "no answer": {"unsure": 3, "skipped, late": 3, "?": 3},
    }


@pytest.mark.slow
def test_items_that_contradict_the_rule_are_exceptions(
    homeroom: Homeroom, asked: list[object], experts: Path, tmp_path: Path
) -> None:
    experts.write_text(experts.read_text().replace("moth-3,moth", "moth-3,bee"))
    out = ["--out", tmp_path / "lesson"]
    ran = homeroom("crowd", "teach", *asked, *out, "--json")
    assert "1 item of 30" in ran.err
    assert ran.document["exceptions"] == [{"item": "moth-3", "answer": "bee"}]
    assert read_rows(tmp_path / "lesson" / "exceptions.csv")[0]["item"] == "moth-3"
    assert "moth-3" in {row["image"] for row in read_rows(tmp_path / "lesson" / "training.csv")}


@pytest.mark.parametrize("command", ["embed", "groups", "map"])
def test_items_without_answers_are_counted(
    homeroom: Homeroom, tmp_path: Path, command: str
) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("student,a,b,c\nA,1,0,\nB,0,1,\nC,1,1,NA\n")
    ran = homeroom("crowd", command, path, "--dimensions", 1, "--out", tmp_path / "map.html")
    assert "items without an answer: 1" in ran.text


@pytest.mark.slow
def test_answers_may_support_no_map(homeroom: Homeroom, tmp_path: Path) -> None:
    """They say nothing about any item; only ``embed`` has a result then."""
    path, labels, out = (tmp_path / name for name in ("few.csv", "labels.csv", "out"))
    rows = [f"p{person},i{item},{(person + item) % 2}" for person in range(4) for item in range(3)]
    path.write_text("\n".join(["student,item,answer", *rows]))
    labels.write_text("item,label\ni0,1\ni1,0")
    for command in ("groups", "teach", "map"):
        refuse(homeroom("crowd", command, path, "--labels", labels), "no map")
    ran = homeroom("crowd", "embed", path, "--labels", labels, "--out", out)
    assert "no map" in ran.err
    assert "none, as the answers support no map" in ran.text
    assert Embedding.load(out / "embedding.npz").dimensions == 0
    assert (out / "items.csv").read_text().startswith("item,label,answers,yes\n")
    assert not (out / "class.npz").exists()


def test_quotation_marks_may_be_letters(
    homeroom: Homeroom, asked: list[object], table: Path, experts: Path
) -> None:
    for file in (table, experts):
        file.write_text(file.read_text().replace("bee-1", '"bee" 1'))
    refuse(homeroom("crowd", "embed", *asked), "experts.csv", "line 3", "--no-quotes")
    answers = homeroom("crowd", "embed", *asked, "--no-quotes", "--json").document["answers"]
    assert (answers["items"], answers["labelled"]) == (30, 30)
