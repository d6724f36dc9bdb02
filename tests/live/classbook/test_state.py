"""A class at one moment."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

from homeroom.live.activities.insects import activity
from homeroom.live.classbook.proposals import propose
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import ItemCodes, RoundError, State, Student
from homeroom.live.events import Closed, Event, Joined, Opened, PhaseBegan, RoundBegan
from tests.live.shown import view_of

PEOPLE = {
    name: Student(name, name.title(), here=here, joined=joined)
    for name, here, joined in (
        ("ada", True, True),
        ("ben", False, True),
        ("cy", True, True),
        ("dee", False, False),
        ("eve", True, True),
    )
}
STATE = State(activity(), people=PEOPLE, groups={"ada": 1, "ben": 0, "cy": 0, "eve": 1})


def test_students_who_are_here_and_who_ever_joined() -> None:
    assert STATE.here == ("ada", "cy", "eve")
    assert STATE.joined == ("ada", "ben", "cy", "eve")


def test_groups_contain_only_students_who_are_here() -> None:
    assert STATE.members == (("cy",), ("ada", "eve"))
    assert STATE.usual_group == 1
    assert STATE.group_of("new student") == 1


def test_a_class_that_was_never_split_has_one_group() -> None:
    assert State(activity(), people=PEOPLE).members == (("ada", "cy", "eve"),)
    assert State(activity()).members == ((),)


def test_the_present_round_belongs_to_the_phase_and_is_not_over() -> None:
    test, first = Round(0, "pretest", ("a",)), Round(1, "teach", ("b",))
    state = State(activity(), phase="teach", rounds=(test,))
    assert (state.now, state.next_round) == (None, 1)
    state = State(activity(), phase="teach", rounds=(test, first))
    assert (state.now, state.next_round) == (first, 2)
    point = RoundError(1, 0.5, 0.1, 0.3, 0.7)
    over = State(activity(), phase="teach", rounds=(test, first), errors=(point,))
    assert over.now is None


def test_the_pre_test_is_round_zero() -> None:
    assert State(activity(), phase="pretest").next_round == 0
    assert State(activity(), phase="teach").next_round == 1


Make = Callable[..., Any]
LABELS = activity().labels


def ranks_differ(items: Sequence[str]) -> bool:
    """Return whether the ranks of the two labels differ, at the level 0.001."""
    labels = np.array([LABELS[item] for item in items])
    yes, no = np.flatnonzero(labels > 0), np.flatnonzero(labels < 0)
    return bool(mannwhitneyu(yes, no).pvalue < 0.001)


def test_ids_of_the_insects_give_the_answer_away_and_their_codes_do_not() -> None:
    assert ranks_differ(sorted(LABELS))
    for key in range(20):
        codes = ItemCodes(tuple(LABELS), b"%d" % key)
        assert not ranks_differ(codes.shuffle(LABELS))


def test_every_item_has_its_own_code_that_leads_back() -> None:
    codes = ItemCodes(tuple(LABELS), b"secret")
    assert len(codes.item_of) == len(LABELS)
    assert all(codes.item_of[code] == item for item, code in codes.code_of.items())
    other = ItemCodes(tuple(LABELS), b"another class")
    assert not codes.item_of.keys() & other.item_of.keys()


def test_a_test_asks_in_an_order_that_differs_between_classes() -> None:
    log: list[Event] = [Opened("5b", "insects", "ABC234"), Joined("s0", "Ada")]
    log.append(PhaseBegan("pretest"))
    asked: list[tuple[str, ...]] = []
    for key in range(9):
        began = propose(State.begin(activity(), b"%d" % key).after_all(log))
        assert isinstance(began, RoundBegan)
        asked.append(tuple(item for item in began.items if item is not None))
    assert len(set(asked)) == 9
    assert len({frozenset(items) for items in asked}) == 1
    assert {LABELS[items[0]] for items in asked} == {1, -1}


def test_no_id_of_an_item_is_in_any_view(new_class: Make) -> None:
    one = new_class(2, goal=1e-6)
    views = []
    for phase in ("pretest", "teach", "posttest", "done"):
        one.add(PhaseBegan(phase))
        for _ in range(3):
            views.append(json.dumps(view_of(one.state, "s0")))
            if one.state.now is not None:
                one.answer(["s0"])
                views.append(json.dumps(view_of(one.state, "s0")))
            if phase == "teach":
                one.add(Closed(one.state.last_round))
    assert len(views) > 12
    for item in one.activity.item_of:
        assert not any(item in view for view in views)
    assert any(one.code(one.begun().items[0]) in view for view in views)
