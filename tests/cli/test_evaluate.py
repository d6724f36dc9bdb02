"""``homeroom evaluate``: logs of experiments in, differences and effects out."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.experiments import ChoiceStudy, Study
from homeroom.cli.evaluate import describe_difference
from homeroom.studies.arm_comparison import compare_gains
from homeroom.studies.experiment_log import ExperimentAnswer, ExperimentLesson, read_logs, write_log
from tests.cli.conftest import Homeroom, list_names, refuse


def with_tests(lesson: ExperimentLesson, gains: dict[str, list[float]]) -> ExperimentLesson:
    """Return a lesson with tests of 20 questions that have about these gains."""
    answers = [
        ExperimentAnswer(arm, f"{arm} {number}", phase, 0, f"{question}", 1, question < right)
        for arm, part in gains.items()
        for number, gain in enumerate(part)
        for phase, right in (("pretest", 8), ("posttest", 8 + round(20 * gain)))
        for question in range(20)
    ]
    return replace(lesson, answers=(*lesson.answers, *answers))


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The logs of eight classes."""
    rng = np.random.default_rng(4)
    lessons = ChoiceStudy(classes=8, rounds=40, effect=0.1).lessons(rng)
    gains = Study(sizes=(16,) * 8, difference=0.1).gains(rng)
    folder = tmp_path_factory.mktemp("logs")
    paths = []
    for lesson, (_, arms) in zip(lessons, gains, strict=True):
        made = with_tests(lesson, {arm: part.tolist() for arm, part in arms.items()})
        paths.append(folder / f"{lesson.classroom}.jsonl".replace(" ", "-"))
        paths[-1].write_text(write_log(made), encoding="utf-8")
    return paths


def test_several_classes_are_pooled(homeroom: Homeroom, logs: list[Path]) -> None:
    ran = homeroom("evaluate", *logs, "--json", "--ahead", 1)
    assert ran.code == 0
    (compared,) = ran.document["comparisons"]
    assert (compared["arm"], compared["other"]) == ("homeroom", "random")
    assert compared["over"] == "classes"
    assert compared["low"] < 0.1 < compared["high"]
    assert len(compared["classes"]) == 8
    one = next(part for part in ran.document["choices"] if part["taught_by"] == "homeroom")
    assert one["effective"] > 100
    assert one["doubly_robust"][2] < 0.1 * 11 / 12 < one["doubly_robust"][3]


def test_the_text_states_which_students_the_interval_describes(
    homeroom: Homeroom, logs: list[Path]
) -> None:
    several = homeroom("evaluate", *logs, "--difference", 0.05).text
    assert "points, over 8 classes" in several
    assert re.search(r"classes to show \+5.0 about \d+, with probability 0.8", several)
    single = homeroom("evaluate", logs[0]).text
    assert "for the students of this class only" in single
    assert "at least" in single
    assert "no estimate, as" in single


def test_students_without_both_tests_are_stated_by_arm(
    homeroom: Homeroom, logs: list[Path], tmp_path: Path
) -> None:
    (lesson,) = read_logs(logs[:1])
    arms = {"homeroom": 8, "random": 8}
    lesson = replace(lesson, students=arms, withdrew={"random": 2})
    path = tmp_path / "log.jsonl"
    path.write_text(write_log(lesson), encoding="utf-8")
    assert "homeroom 8 of 8, random 8 of 10" in homeroom("evaluate", path).text
    assert homeroom("evaluate", path, "--json").document["assigned"] == {**arms, "random": 10}
    assert "took both tests: " not in homeroom("evaluate", logs[0]).out  # not known


@pytest.mark.slow
def test_the_same_seed_gives_the_same_result(homeroom: Homeroom, logs: list[Path]) -> None:
    first, again = (homeroom("evaluate", *logs, "--json", "--seed", 3) for _ in range(2))
    assert first.out == again.out


def test_a_folder_gets_the_report_and_the_differences(
    homeroom: Homeroom, logs: list[Path], tmp_path: Path
) -> None:
    ran = homeroom("evaluate", *logs[:3], "--out", tmp_path / "found")
    assert ran.code == 0
    assert list_names(tmp_path / "found") == {
        "differences-random.png",
        "differences-random.svg",
        "differences.csv",
        "report.html",
        "result.json",
    }
    rows = (tmp_path / "found" / "differences.csv").read_text().splitlines()
    assert rows[0].startswith("compared with,classroom,students")
    assert len(rows) == 4


def test_too_few_choices_are_refused_in_a_sentence(homeroom: Homeroom, tmp_path: Path) -> None:
    lessons = ChoiceStudy(classes=2, rounds=8, explore=0.1).lessons(np.random.default_rng(0))
    path = tmp_path / "log.jsonl"
    path.write_text("".join(map(write_log, lessons)))
    ran = homeroom("evaluate", path)
    assert ran.code == 0
    assert "and 30 are needed" in ran.text
    assert ran.text.count("No class has students of two arms") == 1


def test_a_hostile_file_is_one_sentence_and_leaves_no_folder(
    homeroom: Homeroom, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\x1b]0;title\x07" * 1000)
    ran = homeroom("evaluate", path, "--out", tmp_path / "found")
    refuse(ran, "log.jsonl")
    assert "\x1b" not in ran.err
    assert not (tmp_path / "found").exists()
    path.write_text(write_log(ExperimentLesson("5b", 1, ("homeroom", "random"))))
    refuse(homeroom("evaluate", path), "no estimate")


def test_equal_differences_of_classes_have_no_interval() -> None:
    same = [(name, {"homeroom": [0.2, 0.2], "random": [0.5, 0.5]}) for name in ("5a", "5b")]
    for lessons in (same, same[:1]):
        pair = compare_gains(lessons, "homeroom", "random")
        assert pair is not None
        facts = dict(describe_difference(pair, None))
        assert facts["difference"] == "-30.0 points"
        assert facts["95 % interval"].startswith("none")
        assert facts["classes to show -30.0"] == "not known"
