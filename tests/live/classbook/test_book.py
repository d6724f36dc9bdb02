"""A class is determined by its events: the same events give the same class, bit for bit."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from homeroom.learners import Squared
from homeroom.live.activities.catalogue import letter_activity as letter
from homeroom.live.activities.space import Space
from homeroom.live.classbook.choosing import fresh_items
from homeroom.live.classbook.proposals import propose
from homeroom.live.classbook.regroup import split_class
from homeroom.live.classbook.state import State
from homeroom.live.events import (
    Answered,
    Closed,
    Enrolled,
    Finished,
    Joined,
    Left,
    Locked,
    Opened,
    Overridden,
    Paused,
    PhaseBegan,
    Regrouped,
    Removed,
    Reseated,
    Returned,
    RoundBegan,
    Skipped,
    Wrote,
    from_json,
    to_json,
)
from homeroom.live.refused import Refused
from homeroom.moments import ItemOutlook, Observation
from homeroom.observers import QuizState
from homeroom.pools import ItemPool
from homeroom.teachers import PoolTeacher
from tests.live.shown import board_of, view_of

Make = Callable[..., Any]


def eventful(new_class: Make) -> Any:
    """Return a class with all kinds of events."""
    one = new_class(8)
    one.add(PhaseBegan("pretest"))
    one.answer(["s0", "s1", "s2", "s3", "s4"])  # three answer nothing
    one.join("late")
    one.add(PhaseBegan("teach"))
    one.answer()
    one.add(Left("s1"))
    one.answer(["s0", "s2"])
    one.add(Closed(one.state.last_round))
    one.join("later")
    one.answer()
    one.add(Skipped(one.state.last_round))
    one.add(Paused(True), Paused(False))
    one.add(Overridden(one.space.ids[100]))
    one.answer()
    one.add(Returned("s1"))
    one.answer()
    one.add(split_class(one.state, groups="by-knowledge:k=2"))
    for _ in range(4):
        one.answer()
    one.join("latest")
    one.answer()
    one.add(Locked(True), Removed(("s3", "s5")), Reseated("s1"), Locked(False))
    for _ in range(6):  # and over the next estimate of what the class is like
        one.answer()
    one.add(PhaseBegan("posttest"))
    one.answer()
    one.add(PhaseBegan("done"))
    return one


@pytest.mark.slow
def test_a_class_that_is_rebuilt_from_its_log_is_the_same_bit_for_bit(new_class: Make) -> None:
    one = eventful(new_class)
    log = [from_json(json.loads(json.dumps(to_json(event)))) for event in one.log]
    again = State.begin(one.activity).after_all(log)
    assert again.version == one.state.version == len(one.log)
    assert board_of(again, "c") == board_of(one.state, "c")
    for student in one.state.people:
        assert view_of(again, student) == view_of(one.state, student)
    bank, other = one.state.beliefs_about_all.memory.bank, again.beliefs.memory.bank  # type: ignore[union-attr]
    for name in ("means", "covariances", "evidence", "usual"):
        assert np.array_equal(getattr(bank, name), getattr(other, name))
    assert again.beliefs.memory.assumed == one.state.beliefs.memory.assumed  # type: ignore[union-attr]


@pytest.mark.slow
def test_a_class_rebuilt_at_any_moment_continues_in_the_same_way(new_class: Make) -> None:
    log = eventful(new_class).log
    activity = eventful(new_class).activity
    for cut in range(2, len(log), 17):
        state = State.begin(activity).after_all(log[:cut])
        proposed = propose(state)
        if isinstance(log[cut], RoundBegan | Finished):
            assert proposed == log[cut]
        else:
            assert proposed is None


def test_a_book_does_not_change_when_something_happens_after_it(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    before, board = one.state, board_of(one.state, "c")
    one.answer()
    assert board_of(before, "c") == board
    assert board_of(one.state, "c") != board


def test_one_group_gets_the_items_that_the_pool_teacher_chooses(new_class: Make) -> None:
    one = new_class(6)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    space = one.space
    fresh = fresh_items(space, list(one.state.rounds[0].items))
    teacher = PoolTeacher(ItemPool(space.rows).only(fresh), repeat_after=None)
    shown: list[int] = []
    for _ in range(7):
        outlook = outlook_of(one.state.beliefs.memory)
        seen = replace(unobserved(space), shown=shown, outlook=outlook)
        example = teacher.choose(seen, np.random.default_rng(0))
        assert example is not None
        assert example.item is not None
        item = space.ids[example.item]
        assert one.begun().items == (item,)
        shown.append(example.item)
        one.answer()
        knows = one.state.beliefs.memory.knows.of_class
        assert one.state.errors[-1].total == pytest.approx(1.0 - knows.low)


def outlook_of(memory: QuizState) -> ItemOutlook:
    """Return what is expected of the items."""
    return ItemOutlook(
        lambda items: memory.right(items)[memory.trusted],
        memory.helps,
        lambda: memory.setup.coverage,
    )


def unobserved(space: Space) -> Observation:
    """Return an observation of a class whose states are not known."""
    nothing = np.zeros((0, space.dimensions))
    return Observation(space.target, space.longest, np.inf, Squared(), nothing, np.zeros(0))


def test_a_lesson_of_an_earlier_version_continues(new_class: Make) -> None:
    """Its log has items that were chosen in another way, with reasons that lack the new parts."""
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    one.log.pop()  # the first round
    labels = one.space.labels
    ambiguous = np.argsort(np.abs(one.space.rows @ one.space.target))
    yes = [one.space.ids[number] for number in ambiguous if labels[number] > 0][:3]
    for number, item in enumerate(yes, start=1):
        reason = {"by": "lesson", "wrong": 1.5, "of": 3, "off": 0.1, "unseen": True}
        one.log.append(RoundBegan(number, (item,), (reason,)))
        one.log += [Answered(student, number, item, 1) for student in one.states]
    state = State.begin(one.activity).after_all(one.log)
    assert len(state.rounds) == 3
    begun = propose(state)
    assert isinstance(begun, RoundBegan)
    (item,), (why,) = begun.items, begun.reasons
    assert why is not None
    assert (labels[one.space.row_of[str(item)]], why["cover"]) == (-1, "typical")
    waiting = State.begin(one.activity).after_all(
        one.log[:-2]
    )  # two students have not answered yet
    assert propose(waiting) is None
    assert board_of(waiting, "c")["next"]["why"].startswith("About 2 of 3 would get it wrong.")


@pytest.mark.slow
def test_a_class_learns_until_the_goal_is_reached(new_class: Make) -> None:
    one = new_class(12, goal=0.15)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    before = true_error(one)
    while one.state.finished is None:
        one.answer()
    assert one.log[-1] == Finished(one.state.last_round, ("the goal was reached",))
    assert one.state.errors[-1].total <= 0.15
    assert true_error(one) < 0.35 * before
    assert board_of(one.state, "c")["finished"] == ["goal"]
    view = view_of(one.state, "s0")
    assert view["finished"] is True
    last = one.state.rounds[-1]
    item = one.activity.item_of[last.shown["s0"]]
    assert view["feedback"]["right"] is (last.answers["s0", item.id] == item.label)
    assert view["feedback"]["label"] == one.activity.word(item.label)
    assert view["feedback"]["explanation"] == item.explanation
    (shown,) = board_of(one.state, "c")["last"]
    assert (shown["item"], shown["label"]) == (item.id, view["feedback"]["label"])
    assert shown["explanation"] == item.explanation
    counts = board_of(one.state, "c")["counts"]
    assert (counts["answered"], counts["waiting"]) == (12, 0)
    assert all(student["answered"] for student in board_of(one.state, "c")["students"])
    right = sum(answer == item.label for answer in last.answers.values())
    assert (shown["answers"], shown["right"]) == (12, right)


def true_error(one: Any) -> float:
    gaps = np.array([state - one.space.target for state in one.states.values()])
    return float((gaps * gaps).sum(axis=1).mean())


@pytest.mark.slow
def test_the_next_example_for_300_students_takes_less_than_half_a_second(new_class: Make) -> None:
    one = new_class(300)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    took = []
    for _ in range(6):  # in the fifth, all assumptions are estimated again
        now = one.state.now
        assert now is not None
        for student in one.state.here:
            item = now.open_items(student)[0]
            one.state = one.state.after(
                Answered(student, now.number, item, one.says(student, item))
            )
            one.learn(student, item)
        start = time.process_time()
        one.add()
        took.append(time.process_time() - start)
    assert one.state.last_round == 7
    assert max(took) < 0.5, took


def test_a_student_who_joins_late_starts_from_the_prior_and_changes_no_other(
    new_class: Make,
) -> None:
    one = new_class(5)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    one.answer()
    before = one.state.beliefs.memory
    one.join("late")
    now = one.state.now
    assert now.items_of("late") == now.items_of("s0")  # they see the present item at once
    late = one.state.beliefs_about_all.memory
    assert np.array_equal(late.bank.means[:5], before.bank.means)
    assert np.allclose(late.belief.means[5], before.prior.mean)
    assert np.array_equal(late.bank.covariances[5, 3], before.prior.covariance)
    assert late.log[-1].x.shape == (6, 3)
    assert not late.log[-1].x[5].any()
    assert late.log[-1].x[:5].any(axis=1).all()
    one.answer()
    assert one.state.last_round == now.number + 1  # the round waited for them
    assert one.state.beliefs.students[5] == "late"
    assert not np.allclose(one.state.beliefs.memory.belief.means[5], before.prior.mean)


def test_a_student_who_left_is_not_waited_for_and_returns_unchanged(
    new_class: Make,
) -> None:
    one = new_class(4)
    one.add(PhaseBegan("teach"))
    one.answer(["s0", "s1", "s2"])
    number = one.state.last_round
    one.add(Left("s3"))  # the only one student was waited for
    assert one.state.last_round == number + 1
    before = one.state.beliefs.memory.bank.means[3].copy()
    one.answer()
    one.answer()
    assert np.array_equal(one.state.beliefs.memory.bank.means[3], before)
    assert one.state.members == (("s0", "s1", "s2"),)
    assert one.begun().reasons[0]["of"] == 3
    one.add(Returned("s3"))
    assert one.state.now.open_items("s3")
    one.answer()
    assert (one.state.beliefs.memory.bank.means[3] != before).any()


def test_closing_a_round_shows_the_example_to_students_who_did_not_answer(
    new_class: Make,
) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    one.answer(["s0"])
    item = one.begun().items[0]
    one.add(Closed(1))
    assert one.state.last_round == 2
    state = one.state.beliefs.memory
    assert state.log[0].answers[:, 0].tolist()[1:] == [0.0, 0.0]
    assert state.log[1].x.shape == (3,)  # shown to all students
    example = view_of(one.state, "s1")["example"]
    assert (example["item"]["id"], example["right"]) == (one.code(item), None)


def test_a_skipped_item_counts_only_for_students_who_saw_the_label(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    item = one.begun().items[0]
    one.answer(["s0"])
    one.add(Skipped(1))
    assert one.state.last_round == 2
    assert one.begun().items[0] != item
    shown = one.state.beliefs.memory.log[1]
    assert shown.x.any(axis=1).tolist() == [True, False, False]
    assert view_of(one.state, "s1")["example"] is None
    assert view_of(one.state, "s0")["example"]["item"]["id"] == one.code(item)


def test_skipping_an_item_without_answers_changes_no_belief(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    one.add(Skipped(1))
    assert one.state.beliefs.memory.log == ()
    assert one.state.last_round == 2


def test_a_skipped_item_is_not_used_up(new_class: Make) -> None:
    """It is set aside for some rounds; then it can be chosen again."""
    one = new_class(2, goal=1e-6)
    one.add(PhaseBegan("teach"))
    skipped = one.begun().items[0]
    one.add(Skipped(1))
    for _ in range(5):
        assert one.begun().items[0] != skipped
        assert one.state.just_skipped == (skipped,)
        one.answer()
    assert one.state.just_skipped == ()
    seen = [done.shown["s0"] for done in one.state.rounds if done.shown]
    assert len(seen) == 5
    assert one.space.row_of[skipped] in fresh_items(one.space, ())


def test_a_round_that_the_next_phase_cuts_short_was_shown_to_those_who_answered(
    new_class: Make,
) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    one.answer(["s0"])
    one.add(PhaseBegan("posttest"))
    shown = one.state.beliefs.memory.log[1]
    assert shown.x.any(axis=1).tolist() == [True, False, False]
    assert view_of(one.state, "s0")["example"] is not None
    assert view_of(one.state, "s1")["example"] is None


def test_no_student_sees_an_item_again_after_regrouping(new_class: Make) -> None:
    """Groups are numbered from 0 again: what counts is what their members have seen."""
    one = new_class(6, goal=1e-6)
    one.add(PhaseBegan("teach"))
    splits = [(0, 0, 0, 1, 1, 1), (1, 1, 1, 0, 0, 0), (0, 1, 0, 1, 0, 1), (0, 0, 0, 0, 0, 0)]
    for split in splits:
        one.add(Regrouped("by hand", {f"s{n}": group for n, group in enumerate(split)}))
        for _ in range(3):
            one.answer()
    for student in one.states:
        seen = [done.shown[student] for done in one.state.rounds if student in done.shown]
        assert len(seen) == len(set(seen)) == 12


def test_the_teacher_may_choose_the_next_item(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    one.add(Overridden("insect-100"))
    assert one.begun() == one.log[-1]
    assert one.begun().items == ("insect-100",)
    assert board_of(one.state, "c")["next"]["why"] == "The teacher chose it."
    one.answer()
    assert one.begun().items != ("insect-100",)


def test_a_paused_class_continues_when_it_is_resumed(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    one.answer(["s0"])
    one.add(Paused(True))
    one.state = one.state.after(Left("s1"))
    assert propose(one.state) is None
    one.log.append(Left("s1"))
    one.add(Paused(False))
    assert one.state.last_round == 2


def test_each_group_is_shown_its_own_item(new_class: Make) -> None:
    one = new_class(10)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    one.answer()
    regrouped = split_class(one.state, groups="by-knowledge:k=2")
    one.add(regrouped)
    one.answer()
    proposed = one.log.pop()
    assert isinstance(proposed, RoundBegan)
    other = next(item for item in one.space.ids if item not in proposed.items)
    begun = replace(proposed, items=(proposed.items[0], other))
    one.log.append(begun)
    one.state = State.begin(one.activity).after_all(one.log)
    groups = board_of(one.state, "c")["groups"]
    assert [group["name"] for group in groups] == ["A", "B"]
    assert sum(group["size"] for group in groups) == 10
    for student, group in regrouped.groups.items():
        assert view_of(one.state, student)["item"]["id"] == one.code(begun.items[group])
        assert view_of(one.state, student)["group"] == "AB"[group]
    one.answer()
    shown = one.state.beliefs.memory.log[-1]
    assert shown.x.shape == (10, 3)
    expected = [one.space.rows[one.space.row_of[begun.items[g]]] for g in regrouped.groups.values()]
    assert np.array_equal(shown.x, np.array(expected))


def test_an_empty_group_is_not_waited_for(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    one.add(Regrouped("as you like", {"s0": 0, "s1": 1, "s2": 1}))
    one.answer()
    assert None not in one.begun().items
    one.add(Left("s0"))
    one.answer()
    assert one.begun().items[0] is None
    assert one.begun().items[1] is not None


def test_students_who_join_late_are_put_into_the_largest_group(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    one.add(Regrouped("as you like", {"s0": 0, "s1": 1, "s2": 1}))
    one.answer()
    one.join("late")
    assert one.state.group_of("late") == 1
    assert view_of(one.state, "late")["item"]["id"] == one.code(one.begun().items[1])


def test_the_post_test_asks_the_pre_test_again_and_none_of_it_was_shown(new_class: Make) -> None:
    one = new_class(4)
    one.add(PhaseBegan("pretest"))
    asked = one.begun()
    assert asked.round == 0
    assert len(set(asked.items)) == 10
    one.answer()
    one.add(PhaseBegan("teach"))
    for _ in range(6):
        one.answer()
    one.add(PhaseBegan("posttest"))
    again = one.begun()
    assert sorted(again.items) == sorted(asked.items)
    shown = {item for done in one.state.rounds if done.phase == "teach" for item in done.items}
    assert not shown & set(asked.items)
    errors = len(one.state.errors)
    one.answer()
    one.add(PhaseBegan("done"))
    assert len(one.state.errors) == errors + 1


def test_a_post_test_without_a_pre_test_asks_what_was_not_shown(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    for _ in range(3):
        one.answer()
    one.add(PhaseBegan("posttest"))
    shown = {item for done in one.state.rounds for item in done.shown.values()}
    assert len(shown) == 3
    assert len(one.begun().items) == 10
    assert not shown & set(one.begun().items)


def test_the_length_of_the_pre_test_can_be_chosen(new_class: Make) -> None:
    one = new_class(2)
    opened = one.log[0]
    log = [type(opened)("5b", "insects", "ABC234", pretest=3), *one.log[1:], PhaseBegan("pretest")]
    begun = propose(State.begin(one.activity).after_all(log))
    assert isinstance(begun, RoundBegan)
    assert len(begun.items) == 3


@pytest.mark.slow
def test_an_item_is_repeated_only_after_five_others(new_class: Make) -> None:
    one = new_class(2, goal=1e-6)
    one.add(PhaseBegan("teach"))
    for _ in range(25):
        one.answer()
    shown = [event.items[0] for event in one.log if isinstance(event, RoundBegan)]
    assert len(shown) == 26
    assert all(len(set(shown[at : at + 6])) == 6 for at in range(21))


def test_only_the_first_answer_counts_and_late_ones_change_nothing(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    item = one.begun().items[0]
    one.add(Answered("s0", 1, item, 1))
    before = one.state.rounds
    one.add(Answered("s0", 1, item, -1), Answered("s1", 1, "insect-001", 1))
    one.add(Answered("s1", 7, item, 1), Answered("stranger", 1, item, 1))
    assert one.state.rounds == before
    assert one.state.has_answer("s0", 1, item)
    assert not one.state.has_answer("s1", 1, item)
    one.add(Closed(1), Answered("s1", 1, item, 1))
    assert not one.state.has_answer("s1", 1, item)


def test_a_round_out_of_place_is_not_begun(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    begun = one.begun()
    one.add(begun)
    assert len(one.state.rounds) == 1


def test_a_student_on_the_class_list_takes_their_seat(new_class: Make) -> None:
    one = new_class(1)
    one.add(Enrolled("r1", "Ada Lovelace"), Enrolled("r2", "Grace Hopper"))
    assert one.state.here == ("s0",)
    assert one.state.find_seat(" ada lovelace ") == "r1"
    one.add(Joined("r1", "ada lovelace"))
    assert one.state.people["r1"].name == "Ada Lovelace"
    assert one.state.find_seat("Ada Lovelace") is None
    assert one.state.here == ("s0", "r1")
    board = {student["id"]: student for student in board_of(one.state, "c")["students"]}
    assert (board["r2"]["here"], board["r2"]["joined"], board["r2"]["group"]) == (
        False,
        False,
        None,
    )


@pytest.mark.slow
def test_a_lesson_that_was_over_continues_for_a_student_who_joins_late(new_class: Make) -> None:
    one = new_class(2, goal=0.2)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    while one.state.finished is None:
        one.answer()
    for number in range(8):
        one.join(f"late{number}")
    assert one.state.finished is None
    assert one.state.now.open_items("late0")


def test_a_lesson_ends_again_after_a_student_has_joined_when_an_estimate_is_due(
    new_class: Make,
) -> None:
    one = new_class(1, goal=0.9)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    one.join("late")
    assert [type(event) for event in one.log[-3:]] == [Finished, Joined, Finished]
    assert one.state.beliefs.students == ("s0", "late")
    assert one.state.errors[-1].total > 0.0


def test_nothing_is_proposed_for_an_empty_class(new_class: Make) -> None:
    one = new_class(0)
    for phase in ("pretest", "teach", "posttest"):
        one.add(PhaseBegan(phase))
        assert propose(one.state) is None
    one = new_class(1)
    one.add(PhaseBegan("teach"), Left("s0"))
    assert propose(one.state) is None
    assert board_of(one.state, "c")["students"][0]["here"] is False


def test_a_removed_student_is_not_counted_nor_waited_for_and_their_name_is_free(
    new_class: Make,
) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    one.answer()
    one.answer(["s0", "s2"])
    number = one.state.last_round
    one.add(Removed(("s1", "stranger")))
    state = one.state
    assert state.last_round == number + 1  # no other answer was missing
    assert list(state.people) == ["s0", "s2"]
    assert {student for done in state.rounds for student, _ in done.answers} == {"s0", "s2"}
    assert state.beliefs.students == ("s0", "s2")
    assert board_of(one.state, "c")["counts"]["answers"] == 4
    one.add(Answered("s1", state.last_round, state.rounds[-1].items[0], 1), Returned("s1"))
    assert list(one.state.people) == ["s0", "s2"]
    Joined("s9", "Name of s1").check(one.state)
    for _ in range(7):
        one.answer()
    with pytest.raises(Refused, match="Your teacher has removed you from this class"):
        view_of(one.state, "s1")


def test_a_class_continues_as_if_a_removed_student_had_never_joined(new_class: Make) -> None:
    """Removed before anything was shown, a student leaves no trace in what is chosen."""
    one, other = new_class(4), new_class(4)
    one.add(Removed(("s3",)))
    other.state = State.begin(other.activity).after_all(other.log[:-1])
    for each in (one, other):
        each.add(PhaseBegan("teach"))
        for number in range(6):
            for student in ("s0", "s1", "s2"):
                item = each.begun().items[0]
                each.add(Answered(student, number + 1, item, 1 if number % 2 else -1))
    assert one.state.rounds == other.state.rounds
    assert one.state.errors == other.state.errors


def test_a_class_starts_again_after_all_students_are_removed(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    one.answer()
    one.add(Removed(("s0", "s1")))
    assert propose(one.state) is None
    one.add(PhaseBegan("posttest"), PhaseBegan("teach"))
    one.join("s2")
    one.answer()
    assert one.state.beliefs.students == ("s2",)


def test_a_student_who_gets_the_seat_back_keeps_their_answers(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    one.answer()
    before = one.state.rounds[0].answers
    one.add(Left("s0"), Reseated("s0"), Reseated("stranger"))
    assert one.state.here == ("s0", "s1")
    assert one.state.rounds[0].answers == before
    one.add(Enrolled("s7", "Zoë"), Reseated("s7"))
    assert one.state.people["s7"].joined


def test_letters_of_a_removed_student_are_gone() -> None:
    activity = letter("a")
    assert activity is not None
    state = State.begin(activity).after_all(
        [Opened("1a", "letter-a", "ABC234"), Joined("s1", "Ada"), Joined("s2", "Ben")]
    )
    stroke = (({"x": 0.0, "y": 0.0, "t": 0.0}, {"x": 1.0, "y": 1.0, "t": 1.0}),)
    scores = {"distortion": 0.1, "rotation": 0.1, "shakiness": 0.1}
    for student in ("s1", "s2"):
        state = state.after(Wrote(student, 1, stroke, scores))
    state = state.after(Removed(("s1",))).after(Wrote("s1", 2, stroke, scores))
    assert [wrote.student for wrote in state.wrote] == ["s2"]
    assert [one["answers"] for one in board_of(state)["students"]] == [1]
