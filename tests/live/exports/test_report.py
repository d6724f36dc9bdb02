"""The data of a class's report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from homeroom.handwriting import Child
from homeroom.live.activities.catalogue import letter_activity as letter
from homeroom.live.activities.insects import activity as insects
from homeroom.live.classbook.choosing import TEACHER
from homeroom.live.classbook.state import State
from homeroom.live.classbook.writing import write_letter
from homeroom.live.events import (
    Answered,
    Event,
    Joined,
    Opened,
    Overridden,
    PhaseBegan,
    Regrouped,
    RoundBegan,
    Skipped,
)
from homeroom.live.messages.views import Report
from homeroom.live.store import Stored
from tests.live.shown import report_of, strokes_sent, view_of


def reported(state: State, stored: list[Stored]) -> Any:
    """Return a report that matches its description."""
    report = report_of(state, stored)
    Report.model_validate(report)
    return report


def numbered(events: list[Event]) -> list[Stored]:
    return [Stored(event, place, 0.0) for place, event in enumerate(events, 1)]


def test_a_report_has_the_figures_of_the_class(taught: Any) -> None:
    report = reported(taught.state, taught.stored)
    assert (report["name"], report["activity"]) == ("5b <i>", "insects")
    assert report["counts"] == {"students": 3, "examples": 4, "letters": 0}  # one was only begun
    assert (report["before"], report["after"]) == (0.0, 1.0)
    assert report["began"] < report["last"]
    assert (report["retention_days"], report["goal"]) == (30, 1e-9)
    assert [point["round"] for point in report["errors"]] == [*range(7)]
    knows = report["knows"]
    assert 0 < knows["low"] < knows["middle"] < knows["high"] < 1
    ada = report["students"][0]
    assert (ada["name"], ada["answered"], ada["right"]) == ("Ada", 10, 7)
    assert 0 < ada["p_right"]["low"] < ada["p_right"]["high"] < 1
    assert report["writing"] is None


def test_examples_have_a_picture_and_a_reason(taught: Any) -> None:
    report = reported(taught.state, taught.stored)
    items = {item["id"]: item for item in report["items"]}
    assert [row["round"] for row in report["shown"]] == [1, 2, 3, 4, 5]
    for row in report["shown"][:4]:
        assert items[row["item"]]["picture"].endswith(f"{row['item']}/picture")
        assert items[row["item"]]["species"] in ("cmoth", "tmoth", "rbfly", "pbfly")
        assert (row["right"], row["answers"], row["group"]) == (2, 3, None)
        assert row["reason"]["of"] == 3
    assert items.keys() >= {row["item"] for row in report["shown"]}


def test_students_and_items_are_compared_before_and_after(taught: Any) -> None:
    report = reported(taught.state, taught.stored)
    for one in report["students"]:
        before, after, change = one["before"], one["after"], one["change"]
        if before and after:
            middle = after["right"] / after["answers"] - before["right"] / before["answers"]
            assert change["middle"] == pytest.approx(middle)
            assert change["low"] <= middle <= change["high"]
        else:
            assert change is None
        assert all(mixed["right"] != mixed["given"] for mixed in one["confuses"])
    answered = sum(one["answered"] for one in report["students"])
    parts = [one[part] for one in report["tested"] for part in ("before", "during", "after")]
    assert sum(part["answers"] for part in parts if part) == answered
    assert set(report["repeat"]["items"]) <= {one["item"] for one in report["tested"]}


def test_mix_ups_of_items_that_the_post_test_does_not_ask_are_listed(taught: Any) -> None:
    """One student was wrong about four items of the lesson, and no student in the post-test."""
    report = reported(taught.state, taught.stored)
    assert len(report["repeat"]["items"]) == 4
    assert sum(mixed["count"] for mixed in report["repeat"]["confusions"]) == 4
    mixed = [sum(mix["count"] for mix in one["confuses"]) for one in report["students"]]
    assert mixed == [0, 0, 4]


def test_the_interval_of_the_classs_change_has_only_possible_values(taught: Any) -> None:
    """Two students, one of whom learned everything and one nothing."""
    log = type(taught)(insects())
    log.add(Opened("5b", "insects", "A", pretest=3))
    log.add(Joined("s0", "Ada"), Joined("s1", "Ben"), PhaseBegan("pretest"))
    log.answer(lambda _, label: -label)
    log.add(PhaseBegan("teach"), PhaseBegan("posttest"))
    log.answer(lambda student, label: label if student == "s0" else -label)
    change = reported(log.state, log.stored)["change"]
    assert change == {"middle": 0.5, "low": -1.0, "high": 1.0}


def test_examples_that_the_teacher_chose_or_skipped_are_marked(taught: Any) -> None:
    log = type(taught)(insects())
    log.add(Opened("5b", "insects", "A"), Joined("s0", "Ada"), PhaseBegan("teach"))
    log.add(Skipped(1), Overridden("insect-100"))
    report = reported(log.state, log.stored)
    first, second, third = report["shown"]
    assert (first["skipped"], second["skipped"], third["skipped"]) == (True, True, False)
    assert report["counts"]["examples"] == 0  # no student has seen a label yet
    log.answer(lambda _, label: label)
    assert reported(log.state, log.stored)["counts"]["examples"] == 1
    assert (third["item"], third["reason"]["by"]) == ("insect-100", TEACHER["by"])


def test_a_round_that_the_next_phase_cuts_short_is_not_called_skipped(taught: Any) -> None:
    log = type(taught)(insects())
    log.add(Opened("5b", "insects", "A"), Joined("s0", "Ada"), PhaseBegan("teach"))
    log.add(PhaseBegan("posttest"))
    (row,) = reported(log.state, log.stored)["shown"]
    assert (row["skipped"], row["cut_short"]) == (False, True)


def test_right_answers_are_counted_during_a_test(taught: Any) -> None:
    log = type(taught)(insects())
    log.add(Opened("5b", "insects", "A"), Joined("s0", "Ada"), PhaseBegan("pretest"))
    first = log.state.now.open_items("s0")[0]
    log.add(Answered("s0", 0, first, insects().labels[first]))
    ada = reported(log.state, log.stored)["students"][0]
    assert (ada["answered"], ada["judged"], ada["right"]) == (1, 1, 1)
    assert view_of(log.state, "s0")["progress"]["right"] == 0


def test_groups_with_the_same_item_are_counted_separately() -> None:
    events: list[Event] = [Opened("5b", "insects", "A"), PhaseBegan("teach")]
    events += [Joined(f"s{number}", f"student {number}") for number in range(3)]
    events += [Regrouped("by hand", {"s0": 0, "s1": 1, "s2": 1})]
    events += [RoundBegan(1, ("insect-001", "insect-001"))]
    label = insects().labels["insect-001"]
    events += [Answered(f"s{number}", 1, "insect-001", label) for number in range(2)]
    events += [Answered("s2", 1, "insect-001", -label)]
    report = reported(State.begin(insects()).after_all(events), numbered(events))
    counted = [(row["group"], row["right"], row["answers"]) for row in report["shown"]]
    assert counted == [("A", 1, 1), ("B", 1, 2)]
    assert len(report["items"]) == 1


def test_an_empty_class_has_a_report() -> None:
    events: list[Event] = [Opened("5b", "insects", "A")]
    report = reported(State.begin(insects()).after_all(events), numbered(events))
    assert report["began"] == report["last"] == "1970-01-01T00:00:00.000Z"
    assert (report["before"], report["errors"], report["shown"]) == (None, [], [])


def test_answers_to_items_without_a_label_are_not_judged() -> None:
    unknown = replace(insects(), items=tuple(replace(item, label=None) for item in insects().items))
    events: list[Event] = [Opened("5b", "insects", "A"), Joined("s0", "Ada")]
    events += [PhaseBegan("pretest"), RoundBegan(0, ("insect-001",))]
    events += [Answered("s0", 0, "insect-001", 1)]
    state = State.begin(replace(unknown, places=None, target=None))
    for event in events:
        state = state.after(event)
    report = reported(state, numbered(events))
    assert report["before"] is None
    assert (report["students"][0]["answered"], report["students"][0]["judged"]) == (1, 0)


@pytest.mark.parametrize("tries", [1, 2])
def test_letters_are_reported_from_first_to_last(tries: int) -> None:
    made = letter("f")
    assert made is not None
    events: list[Event] = [Opened("2a", "letter-f", "A"), PhaseBegan("teach")]
    events += [Joined("s1", "Ada"), Joined("s2", "Ben")]
    state = State.begin(made).after_all(events)
    for seed in range(tries):
        ink = strokes_sent(Child.of("shaky+rotated", seed=seed).write("f", tries=1)[0])
        state = state.after(write_letter(state, "s1", ink))
    report = reported(state, numbered(events))
    assert report["counts"] == {"students": 2, "examples": 0, "letters": tries}
    ada, ben = report["writing"]["students"]
    assert ada["first"]["scores"] == dict(state.wrote[0].scores)
    assert (ada["letters"], ada["last"] is None) == (tries, tries == 1)
    assert (ben["letters"], ben["first"], ben["last"]) == (0, None, None)
    assert report["writing"]["letter"] == "f"
