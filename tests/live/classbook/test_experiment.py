"""A lesson that compares ways of teaching: the split, the choices, and who takes part."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom.live import events
from homeroom.live.activities.insects import activity as insects
from homeroom.live.classbook import experiment
from homeroom.live.classbook.experiment import Experiment, arms_of
from homeroom.live.classbook.state import State
from homeroom.live.events import (
    Consented,
    Event,
    Focused,
    Joined,
    Opened,
    Overridden,
    PhaseBegan,
    PhaseUndone,
    Regrouped,
    ReviewSet,
    RoundBegan,
)
from homeroom.live.exports import experiment_of
from homeroom.live.refused import Refused
from homeroom.live.store import Stored
from homeroom.studies.experiment_log import read_logs
from tests.live.shown import board_of, report_of, view_of

SETTINGS = Experiment(("homeroom", "random"), explore=0.5, rounds=3, seed=7)
NewClass = Callable[..., Any]


def opened(settings: Experiment = SETTINGS) -> Opened:
    return Opened("5b", "insects", "ABC234", experiment=asdict(settings))


@pytest.fixture
def compared(new_class: NewClass) -> Callable[..., Any]:
    """Return a function that returns a class after the pre-test; student s0 does not take part."""

    def made(students: int = 9, settings: Experiment = SETTINGS, **more: Any) -> Any:
        log = new_class(students, **more)
        log.log[0] = replace(opened(settings), activity=log.activity.id)
        log.state = State.begin(log.activity).after_all(log.log)
        log.add(*(Consented(one, one != "s0") for one in log.state.here))
        log.add(PhaseBegan("pretest"))
        log.answer()
        return log

    return made


def taught(log: Any, rounds: int = 3) -> Any:
    log.add(PhaseBegan("teach"))
    for _ in range(rounds):
        log.answer()
    return log


def begun(log: Any) -> list[RoundBegan]:
    return [one for one in log.log if isinstance(one, RoundBegan) and one.reasons]


def test_the_split_is_balanced_by_the_pretest_and_logged(compared: Any) -> None:
    log = compared(21)
    log.add(PhaseBegan("teach"))
    (split,) = [one for one in log.log if isinstance(one, Regrouped)]
    assert split.how == "experiment"
    assert split.groups["s0"] == SETTINGS.rest
    assert Counter(arms_of(log.state).values()) == {"homeroom": 10, "random": 10}
    scores = experiment._scores(log.state)
    arms = arms_of(log.state)
    means = [np.mean([scores[s] for s, arm in arms.items() if arm == a]) for a in SETTINGS.arms]
    ordered = np.sort([scores[student] for student in arms])
    most = (ordered[1::2] - ordered[::2]).sum() / 10  # the pairs, all in the same direction
    assert abs(means[0] - means[1]) <= most + 1e-12


def test_every_block_of_scores_has_each_arm_once(compared: Any) -> None:
    log = compared(13, replace(SETTINGS, arms=("homeroom", "random", "easy-first")))
    log.add(PhaseBegan("teach"))
    scores, arms = experiment._scores(log.state), arms_of(log.state)
    levels = sorted(arms, key=lambda student: scores[student])
    for score in set(scores.values()):
        below = [arms[one] for one in levels if scores[one] < score]
        assert (
            max(Counter(below).values(), default=0)
            - min((Counter(below)[arm] for arm in SETTINGS.arms), default=0)
            <= 2
        )
    assert set(Counter(arms.values()).values()) == {4}


def test_the_split_follows_from_the_seed_and_differs_between_seeds(compared: Any) -> None:
    first, again, other = (
        arms_of(taught(compared(15, replace(SETTINGS, seed=seed)), 0).state) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_probabilities_are_exact(compared: Any) -> None:
    log = taught(compared())
    for began in begun(log):
        for group, arm in enumerate(SETTINGS.arms):
            reason = began.reasons[group]
            assert reason is not None
            explore = 1.0 if arm == "random" else 0.5
            same = began.items[group] == reason["choices"].get(arm)
            expected = explore / reason["allowed"] + (1 - explore) * same
            assert reason["probability"] == pytest.approx(expected, rel=1e-12)
            assert (reason["arm"], set(reason["choices"])) == (arm, {"homeroom"})
            assert set(reason["expected"]) == {"before", "item", "random", "homeroom"}


@pytest.mark.slow
def test_items_are_drawn_as_often_as_the_log_states(compared: Any) -> None:
    """Over many seeds, each rule's item is chosen as often as its probability."""
    log = compared()
    log.add(PhaseBegan("teach"))
    state = log.state
    before = replace(state, rounds=state.rounds[:-1])
    fresh = np.arange(6)
    found = [
        experiment.choice(
            before, log.state.beliefs_about_all, replace(SETTINGS, seed=seed), 0, fresh
        )
        for seed in range(300)
    ]
    wanted = found[0].reason["choices"]["homeroom"]  # type: ignore[index]  # it has one
    share = np.mean([one.item == wanted for one in found])
    chance = 0.5 / 6 + 0.5
    assert abs(share - chance) < 4 * np.sqrt(chance * (1 - chance) / 300)
    assert {one.item for one in found} == {log.space.ids[number] for number in fresh}


def test_all_arms_see_the_same_number_of_items_and_the_lesson_ends(compared: Any) -> None:
    log = taught(compared())
    assert log.state.finished is not None
    assert len(begun(log)) == 3
    for began in begun(log):
        assert None not in began.items[:2]


@pytest.mark.parametrize(
    "arm",
    ["easy-first", "mean", "pool", "classroom:magnitude=dynamic", "planned", "strict", "leitner"],
)
def test_any_registered_teacher_can_be_an_arm(compared: Any, arm: str) -> None:
    settings = replace(SETTINGS, arms=("homeroom", arm), explore=0.0, rounds=2)
    settings.check(insects())
    log = taught(compared(5, settings), 2)
    for began in begun(log):
        reason = began.reasons[1]
        assert reason is not None
        assert began.items[1] == reason["choices"][arm]
        assert reason["probability"] == 1.0


def test_easy_items_come_first_and_are_not_repeated(compared: Any) -> None:
    settings = replace(SETTINGS, arms=("easy-first", "random"), explore=0.0, rounds=4)
    log = taught(compared(7, settings), 4)
    items = [began.items[0] for began in begun(log)]
    assert len(set(items)) == 4


@pytest.mark.slow
def test_a_list_of_facts_can_be_compared(compared: Any) -> None:
    plain = replace(insects(), id="facts", places=None, target=None, facts=True)
    assert plain.space is None
    settings = replace(SETTINGS, arms=("homeroom", "random", "easy-first"))
    log = taught(compared(7, settings, activity=plain))
    reasons = [reason for began in begun(log) for reason in began.reasons[:3] if reason]
    assert all(reason["allowed"] > 100 for reason in reasons)
    with pytest.raises(Refused, match="'mean' cannot be compared in this activity"):
        replace(SETTINGS, arms=("homeroom", "mean")).check(plain)


def test_students_who_do_not_take_part_are_taught_but_not_exported(
    compared: Any, tmp_path: Path
) -> None:
    log = taught(compared())
    log.add(PhaseBegan("posttest"))
    log.answer()
    stored = [Stored(event, n + 1, 1.7e9 + n) for n, event in enumerate(log.log)]
    assert log.state.groups["s0"] == SETTINGS.rest
    assert all(began.items[2] is not None for began in begun(log))
    text = experiment_of(log.state, stored, class_id="c1")
    path = tmp_path / "log.jsonl"
    path.write_text(text)
    (lesson,) = read_logs([path])
    assert len({one.student for one in lesson.answers}) == 8
    assert len(lesson.choices) == 2 * 3
    assert Counter(lesson.students) == {"homeroom": 4, "random": 4}
    assert sum(map(len, lesson.gains.values())) == 8
    assert not any(one in text for one in ("Name of", '"s1"', "5b"))
    report = report_of(log.state, stored)["experiment"]
    assert [arm["tested"] for arm in report["arms"]] == [4, 4]
    assert report["not_taking_part"] == 1
    (difference,) = report["differences"]
    ours, theirs = (np.mean(lesson.gains[arm]) for arm in SETTINGS.arms)
    assert difference["difference"] == pytest.approx(ours - theirs)
    assert difference["low"] < difference["difference"] < difference["high"]


def test_a_student_who_withdraws_leaves_arm_and_export(compared: Any) -> None:
    log = taught(compared(), 2)
    student = next(one for one, arm in arms_of(log.state).items() if arm == "random")
    log.add(Consented(student, False))
    assert log.state.groups[student] == SETTINGS.rest
    assert student not in arms_of(log.state)
    log.answer()
    stored = [Stored(event, n + 1, 1.7e9 + n) for n, event in enumerate(log.log)]
    lines = list(map(json.loads, experiment_of(log.state, stored).splitlines()))
    assert len({one["student"] for one in lines if one["kind"] == "answer"}) == 7
    assert lines[0]["students"] == {"homeroom": 4, "random": 3}
    assert lines[0]["withdrew"] == {"homeroom": 0, "random": 1}
    log.add(Consented(student, True))  # too late: the arms are as they were drawn
    assert student not in arms_of(log.state)


def test_students_without_a_choice_and_late_ones_do_not_take_part(compared: Any) -> None:
    log = compared()
    log.add(Joined("new", "New"))
    log.add(PhaseBegan("teach"))
    log.add(Joined("late", "Late"), Consented("late", True))
    assert not {"new", "late"} & arms_of(log.state).keys()
    assert log.state.group_of("late") == SETTINGS.rest
    assert log.state.members[SETTINGS.rest] == ("s0", "new", "late")


def test_a_class_in_which_no_student_takes_part_is_taught(new_class: NewClass) -> None:
    log = new_class(3)
    log.log[0] = opened()
    log.state = State.begin(log.activity).after_all(log.log)
    log.add(PhaseBegan("pretest"))
    log.answer()
    taught(log)
    assert [began.items[:2] for began in begun(log)] == [(None, None)] * 3
    assert log.state.finished is not None


def test_an_item_of_the_teacher_has_no_probability(compared: Any) -> None:
    log = taught(compared(), 1)
    log.add(Overridden("insect-010"))
    log.answer()
    stored = [Stored(event, n + 1, 1.7e9 + n) for n, event in enumerate(log.log)]
    lines = list(map(json.loads, experiment_of(log.state, stored).splitlines()))
    chosen = [one for one in lines if one["kind"] == "choice" and one["item"] == "insect-010"]
    assert chosen
    assert all(one["probability"] is None for one in chosen)


def test_the_class_is_the_same_when_it_is_rebuilt_from_its_log(compared: Any) -> None:
    log = taught(compared())
    plain = [json.loads(json.dumps(events.to_json(one))) for one in log.log]
    again = State.begin(log.activity).after_all(list(map(events.from_json, plain)))
    assert board_of(again) == board_of(log.state)
    assert view_of(again, "s1") == view_of(log.state, "s1")


def test_an_undone_lesson_is_split_again(compared: Any) -> None:
    log = compared()
    log.add(PhaseBegan("teach"), PhaseUndone())
    assert log.state.how == "whole"
    log.add(Consented("s0", True), PhaseBegan("teach"))
    assert "s0" in arms_of(log.state)


def test_pages_show_no_arm_to_students(compared: Any) -> None:
    log = taught(compared(), 1)
    view = view_of(log.state, "s1")
    assert view["group"] is None
    assert view["experiment"] == {"agrees": True, "begun": True}
    board = board_of(log.state)["experiment"]
    assert (board["agreed"], board["declined"], board["undecided"]) == (8, 1, 0)
    assert [arm["students"] for arm in board["arms"]] == [4, 4]


def test_what_does_not_fit_an_experiment_is_refused(compared: Any, new_class: NewClass) -> None:
    log = new_class(2)
    with pytest.raises(Refused, match="not an experiment"):
        Consented("s0", True).check(log.state)
    log.log[0] = opened()
    log.state = State.begin(log.activity).after_all(log.log)
    with pytest.raises(Refused, match="begin the pre-test first"):
        PhaseBegan("teach").check(log.state)
    for event in (Regrouped("whole", {"s0": 0}), Focused(("s0",)), ReviewSet(True)):
        with pytest.raises(Refused, match="its groups are the ways of teaching"):
            event.check(log.state)


@pytest.mark.parametrize(
    "change",
    [
        {"arms": ("homeroom",)},
        {"arms": ("random", "random")},
        {"arms": ("homeroom", "no-such-teacher")},
        {"arms": ("homeroom", "mean:what=1")},
        {"arms": ("homeroom", "x" * 61)},
        {"explore": 1.1},
        {"explore": float("nan")},
        {"rounds": 0},
        {"rounds": 201},
    ],
)
def test_settings_that_cannot_be_used_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        replace(SETTINGS, **change).check(insects())


def test_lessons_without_an_experiment_are_stored_as_before() -> None:
    plain = events.to_json(Opened("5b", "insects", "ABC234"))
    assert "experiment" not in plain
    event: Event = opened()
    assert events.from_json(json.loads(json.dumps(events.to_json(event)))) == event
