from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from homeroom import Classroom
from homeroom.crowd import Embedding
from homeroom.lessons import Record

if TYPE_CHECKING:
    from tests.cli.conftest import Homeroom

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


def test_the_crowd_shows_its_commands(homeroom: Homeroom) -> None:
    ran = homeroom("crowd")
    assert ran.code == 0
    for command in ("embed", "groups", "teach", "map"):
        assert command in ran.out


def test_embed_shows_what_was_read_and_the_map(homeroom: Homeroom, asked: list[object]) -> None:
    ran = homeroom("crowd", "embed", *asked)
    assert ran.code == 0
    assert "student from 'worker', item from 'picture', answer from 'vote'" in ran.out
    assert "a straight rule that fits 30 of 30 labels" in ran.out


@pytest.mark.slow
def test_embed_chooses_the_number_of_dimensions(homeroom: Homeroom, asked: list[object]) -> None:
    document = homeroom("crowd", "embed", *asked[:-2], "--json").document
    assert document["map"]["dimensions"] == 2
    assert set(document["map"]["held_out"]) >= {"1", "2"}
    assert re.search(
        r"held-out answers: \S+ with none", homeroom("crowd", "embed", *asked[:-2]).out
    )


def test_embed_writes_the_map_its_tables_and_a_class(
    homeroom: Homeroom, asked: list[object], tmp_path: Path
) -> None:
    out = tmp_path / "crowd"
    document = homeroom("crowd", "embed", *asked, "--out", out, "--json").document
    names = {"embedding.npz", "items.csv", "people.csv", "consensus.csv", "class.npz"}
    assert {file.name for file in out.iterdir()} == names | {"report.html", "result.json"}
    found = Embedding.load(out / "embedding.npz")
    with (out / "items.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows] == list(found.item_names)
    np.testing.assert_allclose([float(row["x1"]) for row in rows], found.items[:, 0])
    variance = found.uncertainty.items[:, 1, 1]
    np.testing.assert_allclose([float(row["sd_x2"]) ** 2 for row in rows], variance)
    with (out / "people.csv").open(newline="") as file:
        spread = [float(row["sd_threshold"]) for row in csv.DictReader(file)]
    np.testing.assert_allclose(np.square(spread), found.uncertainty.people[:, 2, 2])
    assert [person["deviation"][2] for person in document["people"]] == spread
    assert {row["label"] for row in rows} == {"1", "-1"}
    assert sum(int(row["answers"]) for row in rows) == document["answers"]["answers"]
    room = Classroom.load(out / "class.npz")
    assert (room.students, room.dimensions) == (40, 3)
    assert homeroom("teach", out / "class.npz").code == 0


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
    assert len(document["groups"]) == 2
    wrong = [{item[:-2] for item in group["wrongly_yes"]} for group in document["groups"]]
    assert sorted(map(sorted, wrong)) == [[], ["wasp"]]
    with (out / "groups.csv").open(newline="") as file:
        group_of = {row["student"]: int(row["group"]) for row in csv.DictReader(file)}
    assert group_of == document["group_of"]
    assert len({group_of[f"p{person}"] for person in range(0, 40, 2)}) == 1
    page = (out / "report.html").read_text()
    assert "What the groups believe" in page
    assert "<svg" in page
    said = homeroom("crowd", "groups", *asked).out
    assert "2 groups of like-minded annotators" in said
    assert "takes 10 items wrongly for 'bee'" in said


def test_the_number_of_groups_can_be_set(homeroom: Homeroom, asked: list[object]) -> None:
    document = homeroom("crowd", "groups", *asked, "--k", 3, "--json").document
    assert len(document["groups"]) == 3
    said = " ".join(homeroom("crowd", "groups", *asked, "--k", 1).out.split())
    assert "All annotators are in one group" in said
    assert "as with k=2 (--k 2)" in said


@pytest.mark.slow
def test_teach_lists_what_to_show_to_each_group(homeroom: Homeroom, asked: list[object]) -> None:
    ran = homeroom("crowd", "teach", *asked)
    assert ran.code == 0
    assert "What to show, in this order" in ran.out
    assert "the whole class" in ran.out
    document = homeroom("crowd", "teach", *asked, "--json").document
    confused = max(document["groups"], key=lambda group: len(group["wrongly_yes"]))
    assert confused["shown"][0]["item"].startswith("wasp")
    assert confused["shown"][0]["answer"] == "other"
    assert document["class"]["reached"]
    assert document["by_group"]["rounds"] == sum(one["rounds"] for one in document["groups"])


def test_teach_writes_the_lesson_as_a_table_and_as_a_page(
    homeroom: Homeroom, asked: list[object], tmp_path: Path
) -> None:
    out = tmp_path / "lesson"
    document = homeroom("crowd", "teach", *asked, "--fixed", "--out", out, "--json").document
    with (out / "lesson.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for name, shown in (
        ("class", document["class"]["shown"]),
        ("1", document["groups"][0]["shown"]),
    ):
        mine = [row for row in rows if row["group"] == name]
        assert [row["item"] for row in mine] == [one["item"] for one in shown]
        assert [int(row["round"]) for row in mine] == list(range(1, len(shown) + 1))
    assert Record.load(out / "record-class.npz").rounds == document["class"]["rounds"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Which items to show" in page
    assert page.count("Mind: ") == len(document["map"]["warnings"])


def test_teach_writes_a_table_for_each_group_and_training_items(
    homeroom: Homeroom, asked: list[object], tmp_path: Path
) -> None:
    out = tmp_path / "lesson"
    document = homeroom("crowd", "teach", *asked, "--out", out, "--json").document
    with (out / "groups.csv").open(newline="") as file:
        group_of = {row["student"]: row["group"] for row in csv.DictReader(file)}
    named: dict[str, str] = {}
    for number, group in enumerate(document["groups"], start=1):
        with (out / f"group-{number}.csv").open(newline="") as file:
            members = list(csv.DictReader(file))
        assert len(members) == group["people"]
        named |= {row["student"]: str(number) for row in members}
        assert all(0 <= float(row["share that agrees with the expert"]) <= 1 for row in members)
    assert named == group_of
    page = (out / "report.html").read_text(encoding="utf-8")
    assert all(name in page for name in group_of)
    with (out / "training.csv").open(newline="") as file:
        training = list(csv.DictReader(file))
    shown = {one["item"]: one["answer"] for one in document["class"]["shown"]}
    for group in document["groups"]:
        shown |= {one["item"]: one["answer"] for one in group["shown"]}
    assert {row["image"] for row in training} == set(shown)
    for row in training:
        assert (row["#training_subject"], row["#feedback_1_id"]) == ("true", "1")
        assert shown[row["image"]] in row["#feedback_1_successMessage"]
        assert shown[row["image"]] in row["#feedback_1_failureMessage"]
        assert row["#feedback_1_answer"] in ("0", "1")


@pytest.mark.slow
def test_teach_reports_a_missed_goal(homeroom: Homeroom, asked: list[object]) -> None:
    ran = homeroom("crowd", "teach", *asked, "--max-rounds", 2)
    assert ran.code == 0
    assert ran.out.count("Not learnt: stopped because the limit of rounds") == 2


def test_a_single_group_is_the_class(homeroom: Homeroom, asked: list[object]) -> None:
    said = homeroom("crowd", "teach", *asked, "--k", 1, "--max-rounds", 2).out
    assert said.count("Not learnt") == 1
    assert "in groups" not in said


@pytest.mark.slow
def test_a_goal_that_needs_answers_is_not_offered_and_refused_before_the_work(
    homeroom: Homeroom,
) -> None:
    assert "mastery" not in homeroom("crowd", "teach", "--help").out
    refused = homeroom("crowd", "teach", "no-such-file.csv", "--goal", "mastery")
    assert refused.code == 2
    assert "needs answers during the lesson" in refused.err


def test_the_goal_may_say_how_close_it_is(homeroom: Homeroom, asked: list[object]) -> None:
    goals = (
        ("--goal", "average"),
        ("--goal", "average:eps=0.2"),
        ("--eps", 0.2),
        ("--goal", "everyone:eps=0.7"),
    )
    usual, named, given, everyone = (
        homeroom("crowd", "teach", *asked, *goal, "--json").document for goal in goals
    )
    assert usual == named == given
    assert everyone["settings"]["goal"] == {"name": "everyone", "eps": 0.7}


@pytest.mark.slow
def test_a_lesson_that_no_student_needs_is_empty(homeroom: Homeroom, asked: list[object]) -> None:
    learnt = homeroom("crowd", "teach", *asked, "--eps", 1e6).out
    assert "nothing: the goal is reached already" in learnt
    unlearnt = homeroom("crowd", "teach", *asked, "--eps", 1e-6, "--max-rounds", 0).out
    assert "nothing: the limit of rounds was reached before the goal" in unlearnt
    assert "the goal is reached already" not in unlearnt


@pytest.mark.slow
def test_the_map_is_a_page_with_pictures(
    homeroom: Homeroom, asked: list[object], tmp_path: Path
) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    for item in ITEMS[:5]:
        Image.new("RGB", (20, 20), "orange").save(photos / f"{item}.png")
    out = tmp_path / "map.html"
    ran = homeroom("crowd", "map", *asked, "--pictures", photos, "--out", out)
    assert ran.code == 0
    assert f"The map is at {out}" in " ".join(ran.out.split())
    html = out.read_text(encoding="utf-8")
    assert html.count("<image ") == 5
    assert html.count('class="item"') == 30
    again = homeroom("crowd", "map", *asked, "--out", out, "--force", "--json")
    assert again.document["out"] == str(out)


def test_a_roster_names_the_annotators(
    homeroom: Homeroom, asked: list[object], tmp_path: Path
) -> None:
    users = tmp_path / "users.csv"
    users.write_text("sourcedId,givenName,familyName\np0,Ada,Lovelace\n")
    document = homeroom("crowd", "embed", *asked, "--roster", users, "--json").document
    assert document["people"][0]["person"] == "Ada Lovelace"


def test_one_class_of_a_roster_names_the_annotators(
    homeroom: Homeroom, asked: list[object], tmp_path: Path
) -> None:
    export = tmp_path / "export"
    export.mkdir()
    (export / "users.csv").write_text("sourcedId,givenName\np0,Ada\np1,Ben\n")
    (export / "classes.csv").write_text("sourcedId,title,classCode\nc1,Maths,7B\nc2,Art,7A\n")
    (export / "enrollments.csv").write_text(
        "classSourcedId,userSourcedId,role\nc1,p1,student\nc2,p0,student\n"
    )
    options = ["--roster", export, "--class", "7b", "--json"]
    document = homeroom("crowd", "embed", *asked, *options).document
    assert [one["person"] for one in document["people"][:2]] == ["p0", "Ben"]
    assert "names of students in the class '7b' only" in document["answers"]["notes"]
    ran = homeroom("crowd", "embed", *asked, "--roster", export, "--class", "8c")
    assert (ran.code, ran.out) == (2, "")
    assert "has no class '8c'" in ran.err
    assert "its classes are 'Maths', 'Art': choose one of them." in ran.err


def test_a_class_without_a_roster_is_refused_before_anything_is_read(homeroom: Homeroom) -> None:
    ran = homeroom("crowd", "embed", "none.csv", "--class", "7b")
    assert (ran.code, ran.out) == (2, "")
    assert "--class chooses a class of a roster, but there is no --roster: add the " in ran.err
    assert "as in --roster export.zip." in ran.err


def test_the_first_answer_can_be_kept(homeroom: Homeroom, table: Path) -> None:
    lines = table.read_text().splitlines()
    turned = [line.rpartition(",")[0] + ",bee" for line in lines[1:]]
    table.write_text("\n".join([*lines, *turned]) + "\n")
    options = ["--positive", "bee", "--dimensions", 1, "--keep", "first", "--json"]
    found = homeroom("crowd", "embed", table, *options).document["answers"]
    assert found["yes"] == sum(line.endswith(",bee") for line in lines)
    (what,) = found["dropped"]
    assert what.endswith("of which the first is kept")


def test_columns_can_be_named(homeroom: Homeroom, table: Path) -> None:
    table.write_text(table.read_text().replace("worker,picture,vote", "a,b,c"))
    named = ["--column", "student=a", "--column", "item=b", "--column", "answer=c"]
    ran = homeroom("crowd", "embed", table, *named, "--positive", "bee", "--dimensions", 1)
    assert ran.code == 0
    assert "no label for any item" in ran.out
    assert "none, as no item has an expert's label" in ran.out


@pytest.mark.slow
def test_labels_that_no_straight_rule_fits_are_counted(
    homeroom: Homeroom, asked: list[object], experts: Path
) -> None:
    experts.write_text(experts.read_text().replace("moth-3,moth", "moth-3,bee"))
    ran = homeroom("crowd", "teach", *asked)
    assert ran.code == 0
    assert "1 item of 30 contradicts the most probable one" in ran.err
    assert "Never shown: 1 item whose expert's label contradicts the rule" in ran.out


@pytest.mark.slow
def test_labels_that_contradict_the_rule_are_counted(
    homeroom: Homeroom, asked: list[object], table: Path, experts: Path
) -> None:
    """Every second item is a bee: whatever the rule, some contradict it, and are never shown."""
    rows = (f"{item},{'other' if number % 2 else 'bee'}" for number, item in enumerate(ITEMS))
    experts.write_text("item,label\n" + "\n".join(rows))
    out = ["--out", table.with_name("map.html")]
    for command in ("embed", "groups", "teach", "map"):
        ran = homeroom("crowd", command, *asked, *(out if command == "map" else []))
        assert ran.code == 0
        found = re.search(r"(\d+) items of 30 contradict the most probable one", ran.err)
        assert found
        assert int(found[1]) > 5
        if command == "teach":
            assert f"Never shown: {found[1]} items whose expert's label contradicts" in ran.out


@pytest.mark.parametrize("command", ["embed", "groups", "map"])
def test_items_without_answers_are_counted(
    homeroom: Homeroom, tmp_path: Path, command: str
) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("student,a,b,c\nA,1,0,\nB,0,1,\nC,1,1,NA\n")
    out = ["--out", tmp_path / "map.html"] if command == "map" else []
    ran = homeroom("crowd", command, path, "--dimensions", 1, *out)
    assert ran.code == 0
    assert "items without an answer: 1" in ran.out


@pytest.mark.parametrize("command", ["embed", "groups", "teach", "map"])
@pytest.mark.parametrize(
    ("name", "start", "sentence"),
    [
        ("answers.csv", b"student,item,answer\n" + b"A,a,1\n" * 300_000, "more than the limit of"),
        (
            "answers.csv",
            b"student,item,answer\n",
            "is not text: it contains bytes that text never has",
        ),
        ("answers.jsonl", b"{}\n", "is not text: it contains bytes that text never has"),
        ("answers.parquet", b"PAR1", "it is damaged or cut off"),
    ],
)
def test_two_gigabytes_are_one_sentence(
    homeroom: Homeroom, tmp_path: Path, *, command: str, name: str, start: bytes, sentence: str
) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(start)
        file.truncate(2 << 30)  # a hole, which fills no disk
    ran = homeroom("crowd", command, path)
    assert ran.code == 2
    assert ran.out == ""
    assert sentence in ran.err
    assert len(ran.err.strip().splitlines()) == 1


BAD: list[tuple[list[object], str]] = [
    (["--column", "student"], "--column names a column, as in student=Pupil"),
    (["--column", "item=a", "--column", "item=b"], "--column names the item twice"),
    (["--max-gib", 0], "--max-gib must be positive and finite, but is 0.0"),
    (["--seed", -1], "--seed must not be negative"),
    (["--dimensions", 0], "`dimensions` must be at least 1"),
    (["--k", 0], "`k` must be at least 1"),
    (["--keep", "best"], "`keep` must be 'last' or 'first' (--keep), but is 'best'"),
    (["--positive", "ant"], "`positive` must be one of the answers in"),
]


@pytest.mark.parametrize(("options", "sentence"), BAD, ids=[row[1] for row in BAD])
def test_bad_options_are_one_sentence(
    homeroom: Homeroom, table: Path, options: list[object], sentence: str
) -> None:
    ran = homeroom("crowd", "groups", table, "--positive", "bee", *options)
    assert ran.code == 2
    assert ran.out == ""
    assert sentence in ran.err
    assert len(ran.err.strip().splitlines()) == 1


IMPOSSIBLE = {
    "embed groups teach map --dimensions 0": "`dimensions` must be at least 1, but is 0.",
    "embed groups teach map --seed -1": "--seed must not be negative",
    "embed groups teach map --previous no.npz": "There is no file no.npz.",
    f"embed groups teach map --previous {__file__}": "--previous must be an embedding.npz, written",
    "groups teach map --k 0": "`k` must be at least 1, but is 0.",
    "groups teach map --k -3": "`k` must be at least 1, but is -3.",
    "teach --max-rounds -1": "`max_rounds` must be at least 0, but is -1.",
}


@pytest.mark.parametrize(
    ("command", "options", "sentence"),
    [
        (command, words.split()[-2:], sentence)
        for words, sentence in IMPOSSIBLE.items()
        for command in words.split()[:-2]
    ],
)
def test_impossible_options_are_refused_before_anything_is_read(
    homeroom: Homeroom, command: str, options: list[str], sentence: str
) -> None:
    ran = homeroom("crowd", command, "no-such-file.csv", *options)
    assert ran.code == 2
    assert ran.out == ""
    assert sentence in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_words_that_count_as_the_same_answer_are_listed(homeroom: Homeroom, tmp_path: Path) -> None:
    words = ("yes", "true", "1", "no", "unsure", '"skipped, late"', "?")
    rows = [f"p{at % 4},i{at // 4},{words[at % 7]}" for at in range(24)]
    path = tmp_path / "mixed.csv"
    path.write_text("\n".join(["student,item,answer", *rows]))
    options = [path, "--positive", "yes", "--missing", "unsure,?", "--missing", "skipped, late"]
    options += ["--dimensions", 1]
    read = homeroom("crowd", "embed", *options, "--json").document["answers"]
    assert (read["answers"], read["yes"]) == (15, 12)
    assert read["merged"] == {
        "yes": {"yes": 4, "true": 4, "1": 4},
        "no answer": {"unsure": 3, "skipped, late": 3, "?": 3},
    }
    assert "'yes' (4), 'true' (4), '1' (4) as 'yes'" in homeroom("crowd", "embed", *options).out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--missing", "other,unsrue"],
            "`missing` (--missing) names 'unsrue', but the answers in {} are 'bee', 'other': check "
            "the spelling, or leave it out.",
        ),
        (
            ["--missing", "other,BEE"],
            "`positive` (--positive) and `missing` (--missing) both name 'bee': it counts either "
            "as yes or as no answer, so leave it out of one of them.",
        ),
    ],
)
def test_words_for_no_answer_must_occur_and_not_mean_yes(
    homeroom: Homeroom, table: Path, options: list[str], sentence: str
) -> None:
    ran = homeroom("crowd", "embed", table, "--positive", "bee", *options)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == sentence.format(table) + "\n"


@pytest.fixture
def few(tmp_path: Path) -> list[object]:
    """Answers that say nothing about any item."""
    path, labels = tmp_path / "few.csv", tmp_path / "few-labels.csv"
    rows = [f"p{person},i{item},{(person + item) % 2}" for person in range(4) for item in range(3)]
    path.write_text("\n".join(["student,item,answer", *rows]))
    labels.write_text("item,label\ni0,1\ni1,0")
    return [path, "--labels", labels]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["groups", "teach", "map"])
def test_answers_that_support_no_map_are_refused_in_one_sentence(
    homeroom: Homeroom, few: list[object], command: str
) -> None:
    ran = homeroom("crowd", command, *few)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        "The answers support no map, only how often each annotator says yes: "
    )
    assert len(ran.err.strip().splitlines()) == 1


@pytest.mark.slow
def test_embed_reports_that_answers_support_no_map(
    homeroom: Homeroom, few: list[object], tmp_path: Path
) -> None:
    ran = homeroom("crowd", "embed", *few, "--out", tmp_path / "out")
    assert ran.code == 0
    assert "Note: There is no map: 1 axis would predict held-out answers better" in ran.err
    assert "none, as the answers support no map" in ran.out
    assert Embedding.load(tmp_path / "out" / "embedding.npz").dimensions == 0
    assert (tmp_path / "out" / "items.csv").read_text().startswith("item,label,answers,yes\n")
    assert not (tmp_path / "out" / "class.npz").exists()


@pytest.mark.parametrize("command", ["groups", "teach", "map"])
def test_more_groups_than_annotators_are_refused_before_a_map_is_fitted(
    homeroom: Homeroom, asked: list[object], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Embedding, "fit", None)
    ran = homeroom("crowd", command, *asked, "--k", 41)
    assert ran.code == 2
    assert ran.err.strip() == "`k` must be at least 1 and at most 40, but is 41."


@pytest.mark.parametrize("command", ["embed", "groups", "teach", "map"])
def test_quotation_marks_may_be_letters(
    homeroom: Homeroom, asked: list[object], table: Path, experts: Path, command: str
) -> None:
    for file in (table, experts):
        file.write_text(file.read_text().replace("bee-1", '"bee" 1'))
    ran = homeroom("crowd", command, *asked)
    assert ran.code == 2
    assert "experts.csv cannot be read as a table from line 3 on" in ran.err
    assert "quotes=False (--no-quotes)" in ran.err
    out = ["--out", table.with_name("map.html")] if command == "map" else []
    ran = homeroom("crowd", command, *asked, "--no-quotes", "--json", *out)
    assert ran.code == 0
    assert ran.document["answers"]["items"] == 30
    assert ran.document["answers"]["labelled"] == 30


def test_a_roster_that_is_too_large_is_one_sentence(
    homeroom: Homeroom, asked: list[object], tmp_path: Path
) -> None:
    users = tmp_path / "users.csv"
    users.write_text("sourcedId,givenName,familyName\n" + "p0,Ada,Lovelace\n" * 100_000)
    with users.open("r+b") as file:
        file.truncate(2 << 30)  # a hole, which fills no disk
    ran = homeroom("crowd", "embed", *asked, "--roster", users)
    assert ran.code == 2
    assert ran.out == ""
    assert f"{users} would fill " in ran.err
    assert "more than the limit of 4.0 GiB" in ran.err
    assert len(ran.err.strip().splitlines()) == 1


BAD_LESSONS: list[tuple[list[object], str]] = [
    ([], "the crowd's consensus is not a target"),
    (["--rate", 0], "`rate` must be positive and finite, but is 0.0. Try rate=0.05"),
    (["--rate", "nan"], "`rate` must be positive and finite, but is nan"),
    (["--example-radius", -1], "`example_radius` must be positive and finite, but is -1.0"),
    (
        ["--magnitude", "huge"],
        "`magnitude` must be one of static, dynamic, joint, best, but is 'huge'",
    ),
]


@pytest.mark.parametrize(("options", "sentence"), BAD_LESSONS, ids=[row[1] for row in BAD_LESSONS])
def test_answers_that_cannot_be_taught_are_refused_before_a_map_is_fitted(
    homeroom: Homeroom,
    table: Path,
    options: list[object],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Embedding, "fit", None)
    ran = homeroom("crowd", "teach", table, "--positive", "bee", *options)
    assert ran.code == 2
    assert ran.out == ""
    assert sentence in ran.err


TABLES = {
    "": "is empty: it needs a header",
    "student,item,answer\n": "has no answers",
    "student,item,answer\nA,a,1\nA,b,0\n": "All answers are of one annotator ('A')",
    "student,item,answer\nA,a,1\nB,a,0\n": "All answers are to one item ('a')",
    "student,item,answer\nA,a,1\nB,b,1\n": "All 2 answers are 'yes'",
    "student,item,answer\nA,a,x\nB,b,y\n": "and it is not known which means yes",
    "student,item,answer\n" + "".join(f"A,i{n},{n}\n" for n in range(51)): "at most 50",
}


@pytest.mark.parametrize("text", TABLES, ids=list(TABLES.values()))
@pytest.mark.parametrize("command", ["embed", "groups", "teach", "map"])
def test_bad_tables_are_one_sentence(
    homeroom: Homeroom, tmp_path: Path, command: str, text: str
) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(text)
    ran = homeroom("crowd", command, path)
    assert ran.code == 2
    assert TABLES[text] in ran.err
    assert len(ran.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        ("map.png", "--out must end in .html or .htm, but is"),
        ("nowhere/map.html", "There is no folder"),
        ("folder.html", "--out must name a file, but"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_before_the_work(
    homeroom: Homeroom, table: Path, tmp_path: Path, out: str, sentence: str
) -> None:
    (tmp_path / "folder.html").mkdir()
    ran = homeroom("crowd", "map", table, "--out", tmp_path / out)
    assert ran.code == 2
    assert sentence in ran.err


def test_a_missing_file_is_one_sentence(homeroom: Homeroom, tmp_path: Path) -> None:
    ran = homeroom("crowd", "embed", tmp_path / "nothing.csv")
    assert ran.code == 2
    assert "There is no file" in ran.err
    assert "Missing argument 'ANSWERS'" in homeroom("crowd", "embed").err


def test_tables_of_groups_count_answers_of_several_classes(tmp_path: Path) -> None:
    from homeroom import Answers
    from homeroom.cli.crowd import group_tables

    answers = Answers.from_arrays(
        ["Ada", "Ada", "Ben", "Ben"],
        ["a", "b", "a", "b"],
        ["owl", "kite", "gull", "kite"],
        labels={"a": "owl"},
    )
    files = group_tables(answers, np.array([0, 1]))
    assert list(files) == ["group-1.csv", "group-2.csv"]
    for name, write in files.items():
        write(tmp_path / name)
    assert (tmp_path / "group-1.csv").read_text().splitlines()[1] == "Ada,2,1,1.000"
    assert (tmp_path / "group-2.csv").read_text().splitlines()[1] == "Ben,2,1,0.000"
