from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from homeroom.handwriting.files import read_ink, write_ink
from homeroom.handwriting.generators import Child, generate
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.scores import score as score_one
from tests.cli.conftest import Homeroom, refuse

CHILDREN = {"ada": "shaky+rotated", "ben": "distorted+shaky", "cleo": "distorted+rotated"}


@pytest.fixture
def children(tmp_path: Path) -> list[Path]:
    """Three children's letters, in a file each."""
    paths = []
    for number, (name, kind) in enumerate(CHILDREN.items()):
        path = tmp_path / f"{name}.jsonl"
        inks = Child.of(kind, number).write("f", 4)
        write_ink([replace(ink, writer=None) for ink in inks], path)
        paths.append(path)
    return paths


def test_score_shows_the_scores_of_each_letter(homeroom: Homeroom, children: list[Path]) -> None:
    ran = homeroom("write", "score", children[0])
    assert ran.code == 0
    assert "not a diagnosis" in ran.out
    first = score_one(read_ink(children[0])[0], model_letter("f"))
    (row,) = (line for line in ran.out.splitlines() if "1: f" in line)
    for value in (first.distortion, first.rotation, first.shakiness, first.average):
        assert f"{value:.2f}" in row
    assert f"{first.angle:+.0f}°" in row


def test_score_as_json_has_everything(homeroom: Homeroom, children: list[Path]) -> None:
    document = homeroom("write", "score", children[1], "--json").document
    inks = read_ink(children[1])
    assert len(document["letters"]) == len(inks) == 4
    for found, ink in zip(document["letters"], inks, strict=True):
        one = score_one(ink, model_letter("f"))
        assert found["letter"] == "f"
        assert found["distortion"] == pytest.approx(one.distortion)
        assert found["angle"] == pytest.approx(one.angle)
        assert found["mirrored"] is False
    mean = np.mean([one["shakiness"] for one in document["letters"]])
    assert document["mean"]["shakiness"] == pytest.approx(mean)


def test_letters_are_compared_with_a_teachers_model(homeroom: Homeroom, tmp_path: Path) -> None:
    (turned,) = generate("l", 1, rotation=20, distortion=0, shakiness=0, shear=0, aspect=1)
    write_ink([turned], tmp_path / "mine.jsonl")
    scored = ("write", "score", tmp_path / "mine.jsonl", "--json")
    usual = homeroom(*scored).document["letters"][0]
    own = homeroom(*scored, "--model", tmp_path / "mine.jsonl").document["letters"][0]
    assert usual["angle"] == pytest.approx(20, abs=1.5)
    assert own["angle"] == pytest.approx(0, abs=1)


def test_a_mirrored_letter_is_pointed_out(homeroom: Homeroom, tmp_path: Path) -> None:
    mirrored = model_letter("f").moved(np.diag([-1.0, 1.0]), np.zeros(2))
    write_ink([mirrored], tmp_path / "ink.jsonl")
    assert "1: This is mirror writing" in homeroom("write", "score", tmp_path / "ink.jsonl").out


def test_letters_that_look_upside_down_are_pointed_out(homeroom: Homeroom, tmp_path: Path) -> None:
    over = [model_letter(one).moved(np.diag([1.0, -1.0]), np.zeros(2)) for one in "bdfghk"]
    write_ink(over, tmp_path / "ink.jsonl")
    assert "add --y-up" in " ".join(homeroom("write", "score", tmp_path / "ink.jsonl").out.split())
    ran = homeroom("write", "score", tmp_path / "ink.jsonl", "--y-up")
    assert "--y-up" not in ran.out
    assert "average 0.00" in ran.out


def test_forms_are_learnt_from_files_with_y_upwards(homeroom: Homeroom, tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    over = [ink.moved(np.diag([1.0, -1.0]), np.zeros(2)) for ink in generate("f", 6, shakiness=0)]
    write_ink(over, tmp_path / "class" / "ink.jsonl")
    forms = tmp_path / "forms.jsonl"
    homeroom("write", "forms", tmp_path / "class", "--y-up", "--out", forms)
    assert score_one(read_ink(forms)[0], "f").distortion < 0.8


def test_many_letters_are_not_all_printed(homeroom: Homeroom, tmp_path: Path) -> None:
    write_ink(generate("o", 45), tmp_path / "ink.jsonl")
    ran = homeroom("write", "score", tmp_path / "ink.jsonl")
    assert "... and 5 more; --json has all." in ran.out
    assert "41: o" not in ran.out


@pytest.mark.parametrize("letter", ["Q", "Ä", "ü", "ß", "7"])
def test_capitals_umlauts_and_digits_are_written_and_scored(
    homeroom: Homeroom, tmp_path: Path, letter: str
) -> None:
    out = tmp_path / "letters.inkml"
    assert homeroom("write", "generate", letter, "-n", 2, "--out", out).code == 0
    ran = homeroom("write", "score", out)
    assert ran.code == 0
    assert f"2: {letter} " in ran.out


@pytest.mark.parametrize("ending", ["svg", "jsonl", "inkml"])
def test_generate_writes_a_sheet_or_ink(homeroom: Homeroom, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"sheet.{ending}"
    ran = homeroom("write", "generate", "f", "-n", 5, "--seed", 3, "--out", out)
    assert ran.code == 0
    assert f"Written: {out}" in ran.out.replace("\n", "")
    if ending == "svg":
        assert out.read_text().startswith("<")
    else:
        inks, usual = read_ink(out), generate("f", 5, 3)
        for one, other in zip(inks, usual, strict=True):
            np.testing.assert_allclose(one.points, other.points)


def test_knobs_are_numbers_or_ranges(homeroom: Homeroom) -> None:
    settings = ("--rotation", "-20:-10", "--shakiness", "0", "--distortion", "0", "--shear", "0")
    document = homeroom("write", "generate", "m", "-n", 8, *settings, "--json").document
    scores = np.array(document["scores"])
    assert scores.shape == (8, 3)
    assert (scores[:, 1] > 8 / 45).all()
    assert (scores[:, 1] < 22 / 45).all()
    assert scores[:, [0, 2]].max() < 0.1
    np.testing.assert_allclose(document["mean"], scores.mean(axis=0))


def test_a_lesson_is_a_page_and_letters_for_a_robot(
    homeroom: Homeroom, children: list[Path], tmp_path: Path
) -> None:
    out, robot = tmp_path / "lesson.html", tmp_path / "robot.json"
    asked = ("--pool", 200, "--out", out, "--trajectories", robot, "--height", 15)
    ran = homeroom("write", "lesson", *children, *asked)
    for name, kind in CHILDREN.items():
        assert re.search(rf"{name} .*{re.escape(kind)}", ran.out)
    assert all(name in out.read_text(encoding="utf-8") for name in CHILDREN)
    document = homeroom("write", "lesson", *children, *asked, "--force", "--json").document
    assert [child["type"] for child in document["children"]] == list(CHILDREN.values())
    assert document["lessons"][0]["for"] == "the whole class"
    found = json.loads(robot.read_text())
    assert [len(one["letters"]) for one in found["lessons"]] == [
        len(one["letters"]) for one in document["lessons"]
    ]


def test_one_file_may_hold_many_children(homeroom: Homeroom, tmp_path: Path) -> None:
    inks = [ink for kind in CHILDREN.values() for ink in Child.of(kind).write("a", 2)]
    write_ink([*inks, *generate("b", 3)], tmp_path / "class.jsonl")
    asked = ("--letter", "a", "--pool", 200, "--out", tmp_path / "x.html", "--json")
    document = homeroom("write", "lesson", tmp_path / "class.jsonl", *asked).document
    assert [(one["child"], one["letters"]) for one in document["children"]] == [
        (f"{kind} 0", 2) for kind in CHILDREN.values()
    ]


@pytest.mark.slow
def test_files_of_one_name_are_of_two_children(homeroom: Homeroom, tmp_path: Path) -> None:
    for folder, kind in (("3a", "shaky+rotated"), ("3b", "distorted+shaky")):
        (tmp_path / folder).mkdir()
        inks = [replace(ink, writer=None) for ink in Child.of(kind).write("f", 2)]
        write_ink(inks, tmp_path / folder / "ada.jsonl")
    paths = [tmp_path / folder / "ada.jsonl" for folder in ("3a", "3b")]
    asked = ("--pool", 60, "--out", tmp_path / "x.html", "--json")
    document = homeroom("write", "lesson", *paths, *asked).document
    assert [one["child"] for one in document["children"]] == ["3a/ada.jsonl", "3b/ada.jsonl"]


def test_remarks_about_letters_are_shown(homeroom: Homeroom, tmp_path: Path) -> None:
    mirrored = model_letter("f").moved(np.diag([-1.0, 1.0]), np.zeros(2))
    write_ink([model_letter("f"), mirrored, mirrored], tmp_path / "ada.jsonl")
    out = tmp_path / "x.html"
    ran = homeroom("write", "lesson", tmp_path / "ada.jsonl", "--pool", 60, "--out", out)
    said = "Letters 2, 3 of ada: This is mirror writing"
    assert said in ran.out
    assert said in out.read_text(encoding="utf-8")


def test_a_lesson_may_follow_a_teachers_letter_and_be_cut_short(
    homeroom: Homeroom, children: list[Path], tmp_path: Path
) -> None:
    write_ink([model_letter("f")], tmp_path / "mine.jsonl")
    asked = ("--pool", 100, "--model", tmp_path / "mine.jsonl", "--out", tmp_path / "x.html")
    ran = homeroom("write", "lesson", *children, *asked, "--max-rounds", 2)
    assert "form 'mine'" in ran.out
    assert "Not learnt" in ran.out


def with_bad_letters(path: Path, unnamed: bool = False) -> None:
    """Write five letters of which two can be scored; the others cannot, each for its own reason."""
    good = [replace(ink, writer=None) for ink in Child.of("shaky+rotated").write("f", 2)]
    dot = Ink((Stroke([[1, 1], [1, 1]]),), letter="f")
    odd = replace(good[0], letter=None if unnamed else "é")
    write_ink([good[0], dot, odd, good[1]], path)
    with path.open("a") as file:
        file.write('{"letter": "f", "strokes": [{"points": []}]}\n')


def test_letters_that_cannot_be_scored_are_listed_and_the_rest_is_scored(
    homeroom: Homeroom, tmp_path: Path
) -> None:
    path = tmp_path / "class.jsonl"
    with_bad_letters(path)
    ran = homeroom("write", "score", path)
    assert ran.code == 0
    said = ran.err.splitlines()
    assert len(said) == 3
    assert "class.jsonl, line 5" in said[0]
    assert "class.jsonl, letter 2" in said[1]
    assert "'é'" in said[2]
    assert [number for number in range(1, 6) if f"{number}: f" in ran.out] == [1, 4]
    found = homeroom("write", "score", path, "--json").document
    assert [one["number"] for one in found["letters"]] == [1, 4]
    assert [f"Left out: {sentence}" for sentence in found["left_out"]] == said
    mean = np.mean([one["rotation"] for one in found["letters"]])
    assert found["mean"]["rotation"] == pytest.approx(mean)


def test_letters_without_a_name_do_not_hide_the_others(homeroom: Homeroom, tmp_path: Path) -> None:
    with_bad_letters(tmp_path / "class.jsonl", unnamed=True)
    ran = homeroom("write", "score", tmp_path / "class.jsonl")
    assert ran.code == 0
    assert "1 letter without a name: add --letter" in ran.err


def test_many_that_cannot_be_scored_are_counted(homeroom: Homeroom, tmp_path: Path) -> None:
    write_ink(generate("f", 2), tmp_path / "f.jsonl")
    with (tmp_path / "f.jsonl").open("a") as file:
        file.write("no letter\n" * 30)
    ran = homeroom("write", "score", tmp_path / "f.jsonl")
    assert ran.code == 0
    assert len(ran.err.splitlines()) == 11
    assert ran.err.splitlines()[-1] == "Left out: 20 more; --json has all."


def test_a_lesson_is_made_from_what_can_be_scored(
    homeroom: Homeroom, children: list[Path], tmp_path: Path
) -> None:
    with_bad_letters(children[0])
    write_ink([Ink((Stroke([[1, 1]]),), letter="f")], tmp_path / "dora.jsonl")
    out = tmp_path / "x.html"
    asked = ("--letter", "f", "--pool", 60, "--out", out)
    ran = homeroom("write", "lesson", *children, tmp_path / "dora.jsonl", *asked, "--json")
    assert ran.code == 0
    said = ran.err.splitlines()
    assert len(said) == 2
    assert "ada.jsonl, line 5" in said[0]
    assert "dora" in said[1]
    assert [f"Left out: {sentence}" for sentence in ran.document["left_out"]] == said
    ada, *others = ran.document["children"]
    assert (ada["child"], ada["letters"], len(others)) == ("ada", 2, 2)
    assert f"Letter 2 of ada: {ada['notes']['2']}" in out.read_text(encoding="utf-8")


def test_without_torch_the_error_names_the_install_command(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    refuse(homeroom("write", "train", tmp_path), "homeroom[train]")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "known"), [([], LETTERS), (["--from-scratch"], ("l",)), (["--anew"], ("l",))]
)
def test_train_learns_from_a_folder(
    homeroom: Homeroom, tmp_path: Path, how: list[str], known: tuple[str, ...]
) -> None:
    """A few steps on a few letters: a file that can be loaded, and what was left out is said."""
    pytest.importorskip("torch")
    folder = tmp_path / "ink"
    folder.mkdir()
    write_ink(generate("l", 12), folder / "l.jsonl")
    write_ink([replace(model_letter("f"), letter=None)], folder / "unnamed.jsonl")
    (folder / "notes.txt").write_text("no ink at all")
    write_ink([Ink((Stroke([[1, 1]]),), letter="l"), model_letter("l")], folder / "dot.jsonl")
    with (folder / "dot.jsonl").open("a") as file:
        file.write('{"letter": "l", "strokes": []}\n')
    out = tmp_path / "ours.npz"
    asked = ("--out", out, "--steps", 2, "--batch", 4, "--device", "cpu", "--json")
    ran = homeroom("write", "train", folder, *asked, *how)
    assert ran.code == 0, ran.err
    assert ran.document["letters"] == ["l"]
    assert ran.document["inks"] == 13
    assert "dot.jsonl, line 3" in ran.err
    assert len(ran.document["left_out"]) == len(ran.err.splitlines()) == 4
    assert "notes.txt" in ran.err
    from homeroom.handwriting.generators.lstm import LetterModel

    assert LetterModel.load(out).letters == known


def test_forms_are_learned_from_a_folder(homeroom: Homeroom, tmp_path: Path) -> None:
    folder, out = tmp_path / "ink", tmp_path / "forms.jsonl"
    folder.mkdir()
    write_ink(generate("f", 6, distortion=0.1, rotation=0), folder / "f.jsonl")
    ran = homeroom("write", "forms", folder, "--out", out)
    assert ran.code == 0
    assert "form 1 (6 of 6 letters)" in ran.out
    found = homeroom("write", "score", folder / "f.jsonl", "--forms", out, "--json").document
    assert {one["form"] for one in found["letters"]} == {"form 1 (6 of 6 letters)"}


def test_a_letter_that_fits_no_form_has_no_numbers(homeroom: Homeroom, tmp_path: Path) -> None:
    write_ink([replace(model_letter("m"), letter="o"), model_letter("o")], tmp_path / "o.jsonl")
    document = homeroom("write", "score", tmp_path / "o.jsonl", "--json").document
    none, good = document["letters"]
    assert none["distortion"] is none["average"] is none["angle"] is None
    assert none["note"]
    assert document["mean"]["distortion"] == good["distortion"]
    assert "fits none" in homeroom("write", "score", tmp_path / "o.jsonl").out
