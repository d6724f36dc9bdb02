"""Readers of tables of people; bad files are refused with a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks import people
from benchmarks.people_data import (
    read_cat_unlearn,
    read_classes,
    read_shepard,
    read_skills,
)
from benchmarks.people_models import base_rate
from benchmarks.people_parts import Part

CLASSES = (
    "learner,trial,phase,item,truth,answer\n"
    "0,0,teach,a,1,0\n0,1,test,b,0,0\n1,0,teach,b,0,0\n1,1,test,a,1,-1\n"
)
SHEPARD = (
    "learner,block,trial,condition,feature1,feature2,feature3,answer,truth\n"
    "3,0,0,1,1,1,1,1,1\n3,0,1,1,0,1,0,1,0\n3,1,0,1,1,0,0,0,1\n4,0,0,1,0,0,0,0,0\n"
)
SKILLS = "user_id\titem_id\ttimestamp\tcorrect\tskill_id\n" + "".join(
    f"{user}\t{trial}\t0\t{(user + trial) % 2}\t{trial % 2}\n"
    for user in range(6)
    for trial in range(4)
)


def _file(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_classes_are_marked_and_only_test_trials_are_scored(tmp_path: Path) -> None:
    data = read_classes(_file(tmp_path, CLASSES))
    assert data.said.tolist() == [[-1, 1], [1, 0]]
    assert data.scored.tolist() == [[False, True], [False, False]]
    assert data.chosen is not None
    assert data.chosen.tolist() == [[0, 0], [0, -1]]
    assert data.marked


def test_each_block_of_a_person_is_a_sequence(tmp_path: Path) -> None:
    data = read_shepard(_file(tmp_path, SHEPARD))
    assert data.person.tolist() == [0, 0, 1]
    assert data.said.tolist() == [[1, 1], [-1, 0], [-1, 0]]
    assert data.marks.tolist() == [[1, -1], [-1, 0], [1, 0]]
    assert data.item[0].tolist() == [7, 2]
    assert (data.x[0] ** 2).sum(axis=1) == pytest.approx(1.0)


def test_an_answer_that_is_neither_category_is_none(tmp_path: Path) -> None:
    head = "subject,trial,cat,x,y,resp\n"
    _file(tmp_path, head + "1,0,A,10,20,A\n1,1,B,30,10,107\n", "sub_1_data.csv")
    _file(tmp_path, head + "2,0,B,20,20,A\n", "sub_2_data.csv")
    data = read_cat_unlearn(tmp_path)
    assert data.said.tolist() == [[1, 0], [1, 0]]
    assert data.marks.tolist() == [[1, 0], [-1, 0]]


def test_the_people_with_the_most_answers_are_used(tmp_path: Path) -> None:
    more = SKILLS + "9\t0\t0\t1\t0\n"  # one answer only
    _file(tmp_path, more, "preprocessed_data.csv")
    data = read_skills(tmp_path, people=10, trials=3)
    assert data.said.shape == (6, 3)
    assert data.said[0].tolist() == [-1, 1, -1]
    assert data.skills == 2


def test_two_parts_are_one_table(tmp_path: Path) -> None:
    _file(tmp_path, SKILLS, "preprocessed_data_train.csv")
    _file(tmp_path, SKILLS.replace("\n", "\n1", 24)[:-1], "preprocessed_data_test.csv")
    assert read_skills(tmp_path, people=20, trials=4).said.shape == (12, 4)


def test_times_of_answers_are_read_in_days(tmp_path: Path) -> None:
    rows = [f"{user}\t{n}\t{43200 * n}\t1\t0\n" for user in range(6) for n in range(2)]
    text = SKILLS.splitlines()[0] + "\n" + "".join(rows)
    _file(tmp_path, text, "preprocessed_data_test.csv")
    data = read_skills(tmp_path, people=10, trials=2, part="test", timed=True)
    assert data.when is not None
    assert data.when.tolist() == [[0.0, 0.5]] * 6
    assert data.at(1).tolist() == [0.5] * 6
    assert data._replace(when=None).at(1).tolist() == [1.0] * 6
    assert data.some(np.array([0, 2])).when is not None


def _write_skills(folder: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        f"{user}\t{trial}\t0\t{rng.integers(2)}\t{trial % 2}\n"
        for user in range(8)
        for trial in range(40)
    ]
    (folder / "assistments09").mkdir()
    _file(
        folder / "assistments09",
        SKILLS.splitlines()[0] + "\n" + "".join(rows),
        "preprocessed_data.csv",
    )


def _brief(monkeypatch: pytest.MonkeyPatch) -> None:
    brief = people.SETS["assistments09"]._replace(
        folds=2, steps=(1,), variants={}, others={"base rate": base_rate}, limit=9.0
    )
    monkeypatch.setitem(people.SETS, "assistments09", brief)


def test_another_number_of_students_and_other_folds_can_be_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def done(parts: list[Part], workers: int, folder: Path | None) -> Iterator[object]:
        seen.append((len(parts[0].data.said), [part.test.tolist() for part in parts[:1]]))
        assert (workers, folder) == (3, None)
        for part in parts:
            yield {people.OURS: np.full(part.data.some(part.test).said.shape, 0.5)}

    _write_skills(tmp_path)
    _brief(monkeypatch)
    monkeypatch.setattr(people, "done", done)
    given = [str(tmp_path), "--only", "assistments09", "--workers", "3"]
    assert people.main(given) == 0
    assert people.main([*given, "--people", "6", "--fold-seed", "3"]) == 0
    expected = np.random.default_rng(3).permutation(6) % 2 == 0
    assert [number for number, _ in seen] == [8, 6]
    assert seen[1][1] == [expected.tolist()]
    assert people.main([*given, "--people", "-1"]) == 2
    for wrong in ("--fold-seed", "-1"), ("--workers", "0"):
        with pytest.raises(SystemExit, match="2"):
            people.main([*given, *wrong])


@pytest.mark.slow
def test_the_command_prints_a_table_and_writes_json_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _write_skills(tmp_path)
    _brief(monkeypatch)
    out = tmp_path / "out"
    given = [str(tmp_path), "--only", "assistments09", "--out", str(out), "--workers", "1"]
    assert people.main(given) == 0
    assert "ASSISTments 2009: 8 people" in capsys.readouterr().out
    assert {path.name for path in out.iterdir()} == {
        "parts",
        "people.json",
        "calibration.svg",
        "calibration.png",
    }
