"""The student's page shows their own answers, and nothing about other students."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from homeroom.live.activities.insects import activity as insects
from homeroom.live.classbook import proposals
from homeroom.live.classbook.choosing import ItemChoice
from homeroom.live.classbook.proposals import propose
from homeroom.live.classbook.state import State
from homeroom.live.classbook.view import on_projector
from homeroom.live.events import (
    Answered,
    Closed,
    Continued,
    Enrolled,
    Event,
    Finished,
    Focused,
    Joined,
    Left,
    Opened,
    Overridden,
    PhaseBegan,
    PhaseUndone,
    Regrouped,
    Removed,
    ReviewSet,
    Skipped,
    from_json,
    to_json,
)
from homeroom.live.messages.common import Reveal
from homeroom.live.refused import Refused
from tests.live.shown import board_of, projector_of, view_of

Make = Callable[..., Any]


def test_a_question_does_not_contain_its_answer(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    view = view_of(one.state, "s0")
    assert view["item"] == {
        "id": one.code(one.begun().items[0]),
        "picture": f"/api/activities/insects/items/{one.code(one.begun().items[0])}/picture",
        "text": None,
        "question": "Is it a butterfly or a moth?",
        "options": [{"value": 1, "label": "butterfly"}, {"value": -1, "label": "moth"}],
    }
    assert view["feedback"] is None
    assert view["example"] is None
    assert not view["answered"]


def test_a_student_sees_the_label_after_answering(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    item = one.begun().items[0]
    label = one.activity.labels[item]
    one.add(Answered("s0", 1, item, -label))
    view = view_of(one.state, "s0")
    assert view["answered"]
    assert view["item"] is None
    assert view["feedback"]["right"] is False
    assert view["feedback"]["label"] == one.activity.word(label)
    assert view["feedback"]["explanation"].startswith("This ")
    assert view["feedback"]["species"] in ("cmoth", "tmoth", "rbfly", "pbfly")
    assert view_of(one.state, "s1")["feedback"] is None
    one.add(Answered("s1", 1, item, label))
    after = view_of(one.state, "s0")
    assert after["item"]["id"] != one.code(item)
    assert after["example"]["item"]["id"] == one.code(item)
    assert after["example"]["right"] is False
    assert view_of(one.state, "s1")["example"]["right"] is True


def test_a_view_contains_nothing_about_other_students(new_class: Make) -> None:
    one = new_class(4)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    one.answer()
    text = json.dumps(view_of(one.state, "s0"))
    assert "Name of s0" in text
    for other in ("s1", "s2", "s3"):
        assert other not in text


def test_a_test_shows_no_labels(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("pretest"))
    assert view_of(one.state, "s0")["left"] == 10
    now = one.state.now
    first = now.open_items("s0")[0]
    one.add(Answered("s0", 0, first, one.activity.labels[first]))
    view = view_of(one.state, "s0")
    assert view["left"] == 9
    assert view["item"]["id"] == one.code(now.open_items("s0")[1])
    assert view["progress"] == {"answered": 1, "judged": 0, "right": 0, "rounds": 0}
    one.answer(["s0"])
    view = view_of(one.state, "s0")
    assert view["answered"]
    assert (view["item"], view["feedback"], view["example"]) == (None, None, None)
    one.add(PhaseBegan("teach"))
    assert view_of(one.state, "s0")["progress"]["right"] >= 1  # now that it is over


def test_progress_counts_the_students_own_answers(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    for _ in range(3):
        item = one.begun().items[0]
        label = one.activity.labels[item]
        number = one.state.last_round
        one.add(Answered("s0", number, item, label), Answered("s1", number, item, -label))
    three = {"answered": 3, "judged": 3, "rounds": 3}
    assert view_of(one.state, "s0")["progress"] == {**three, "right": 3}
    assert view_of(one.state, "s1")["progress"] == {**three, "right": 0}


def test_a_student_who_missed_a_round_sees_its_example(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    item = one.begun().items[0]
    one.answer(["s0"])
    one.add(Closed(1))
    example = view_of(one.state, "s1")["example"]
    seen = (example["item"]["id"], example["right"], example["round"])
    assert seen == (one.code(item), None, 1)


def test_a_student_who_left_is_asked_nothing(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"), Left("s0"))
    view = view_of(one.state, "s0")
    assert (view["here"], view["item"]) == (False, None)


def test_a_student_who_never_joined_has_no_view(new_class: Make) -> None:
    one = new_class(1)
    one.add(Enrolled("r1", "Ada"))
    for student in ("stranger", "r1"):
        with pytest.raises(Refused, match="There is no such student in this class"):
            view_of(one.state, student)


class Class:
    """A class of three students, taught only through events."""

    def __init__(self, reveal: Reveal = "all", phase: Any = "teach") -> None:
        self.state = State.begin(insects())
        self.add(Opened("5b", "insects", "ABC234", reveal=reveal, pretest=4))
        for name in ("Ada", "Ben", "Cem"):
            self.add(Joined(name.lower(), name))
        self.add(PhaseBegan(phase))

    def add(self, *events: Event) -> None:
        """Check and add events, and let the class continue unless something is discussed."""
        for event in events:
            event.check(self.state)
            self.state = self.state.after(from_json(json.loads(json.dumps(to_json(event)))))
            while self.state.in_discussion is None:
                proposed = propose(self.state)
                if proposed is None:
                    break
                self.state = self.state.after(proposed)

    @property
    def number(self) -> int:
        return self.state.last_round

    @property
    def item(self) -> str:
        return str(self.state.rounds[-1].items[0])

    def answers(self, *students: str, value: int = 1) -> None:
        for student in students:
            self.add(Answered(student, self.number, self.item, value))

    def sees(self, student: str) -> Any:
        """Return the label that a student sees of the present round."""
        return view_of(self.state, student)["feedback"]

    @property
    def shown(self) -> Any:
        return projector_of(self.state, "c1")


def test_the_solution_comes_when_all_have_answered() -> None:
    one = Class()
    one.answers("ada", "ben")
    assert one.sees("ada") is None
    assert not one.shown["items"][0]["result"]
    assert (one.shown["answered"], one.shown["asked"]) == (2, 3)
    one.answers("cem", value=-1)
    assert one.sees("ada")["label"] == one.shown["items"][0]["result"]["label"]
    assert one.shown["items"][0]["result"]["counts"] == [2, 1]
    number = one.number
    one.add(Continued(number))
    assert one.number == number + 1
    assert one.sees("ada") is None


def test_the_teacher_may_show_the_solution_before_all_have_answered() -> None:
    one = Class()
    one.answers("ada")
    one.add(Closed(one.number))
    assert one.sees("ben")["right"] is None
    assert sum(one.shown["items"][0]["result"]["counts"]) == 1
    with pytest.raises(Refused, match="is over"):
        one.answers("ben")


def test_the_solution_waits_for_the_teacher_if_they_want_to_show_it() -> None:
    one = Class("teacher")
    one.answers("ada", "ben", "cem")
    assert one.sees("ada") is None
    with pytest.raises(Refused, match="No right answer is being shown"):
        one.add(Continued(one.number))
    one.add(Closed(one.number))
    assert one.sees("ada") is not None
    assert propose(one.state) is None  # until the teacher continues
    number = one.number
    one.add(Continued(number))
    assert one.number == number + 1


def test_what_was_shown_counts_as_shown_when_the_teacher_skips_the_rest_of_the_discussion() -> None:
    one = Class("teacher")
    one.answers("ada", "ben", "cem")
    one.add(Closed(one.number), Skipped(one.number))
    assert set(one.state.rounds[-2].shown) == {"ada", "ben", "cem"}


def test_a_round_that_is_cut_short_before_the_reveal_was_shown_to_no_student() -> None:
    one = Class()
    one.answers("ada", "ben")
    one.add(PhaseBegan("posttest"))
    assert not one.state.rounds[0].shown


def test_a_student_who_joins_during_the_discussion_waits_for_the_next_item() -> None:
    one = Class()
    one.answers("ada", "ben", "cem")
    one.add(Joined("dora", "Dora"))
    assert view_of(one.state, "dora")["item"] is None
    assert one.state.in_discussion is not None  # still shown to the others
    one.add(Continued(one.number))
    assert view_of(one.state, "dora")["item"] is not None


def test_a_student_who_leaves_is_not_waited_for() -> None:
    one = Class()
    one.answers("ada", "ben")
    one.add(Left("cem"))
    assert one.sees("ada") is not None


def test_nothing_private_is_on_the_projector() -> None:
    """Neither names nor ids of students or items, nor what is right before the reveal."""
    one = Class()
    one.answers("ada")
    text = json.dumps(one.shown)
    for private in ("ada", "Ada", one.item, "explanation", "right"):
        assert private not in text
    assert on_projector(one.state) == {one.item}


@pytest.mark.parametrize("phase", ["lobby", "pretest", "posttest", "done"])
def test_the_projector_shows_no_item_outside_of_the_lesson(phase: str) -> None:
    one = Class(phase=phase)
    assert one.shown["items"] == []
    assert on_projector(one.state) == frozenset()


def test_a_phase_that_was_begun_by_mistake_is_undone() -> None:
    one = Class()
    one.answers("ada")
    before = one.state.rounds
    one.add(PhaseBegan("posttest"))
    test = one.state.rounds[-1]
    first = next(iter(test.items_of("ada")))
    one.add(Answered("ada", test.number, first, 1), Joined("dora", "Dora"), Left("cem"))
    one.add(PhaseUndone())
    state = one.state
    assert state.phase == "teach"
    assert state.rounds[-1].number == before[-1].number
    assert state.rounds[-1].answers == before[-1].answers
    assert view_of(one.state, "dora")["item"] is not None
    one.answers("ben", "dora")
    one.add(Continued(one.number))
    assert one.number == test.number + 1  # the store knows the number of the test already


def test_a_test_is_undone_and_begun_again_under_another_number() -> None:
    one = Class(phase="pretest")
    one.add(PhaseUndone(), PhaseBegan("pretest"))
    assert one.number == 1
    assert one.state.rounds[-1].is_test


def test_a_student_who_was_removed_meanwhile_stays_removed() -> None:
    one = Class()
    one.answers("ada")
    one.add(PhaseBegan("done"), Removed(("ada",)), PhaseUndone())
    assert one.state.phase == "teach"
    assert "ada" not in one.state.rounds[-1].members
    assert not one.state.rounds[-1].answers


def test_a_phase_in_which_students_have_finished_something_is_not_undone() -> None:
    one = Class()
    one.answers("ada", "ben", "cem")
    one.add(Continued(one.number))
    with pytest.raises(Refused, match="cannot be undone"):
        one.add(PhaseUndone())
    assert not one.state.can_undo
    lobby = State.begin(insects()).after(Opened("5b", "insects", "A"))
    assert not lobby.can_undo


def test_a_lesson_whose_solution_was_shown_is_not_undone() -> None:
    one = Class(reveal="teacher")
    one.answers("ada", "ben", "cem")
    assert one.state.can_undo
    one.add(Closed(one.number))
    assert one.state.in_discussion is not None
    assert not one.state.can_undo


@pytest.mark.parametrize("left", ["focus", "skip"])
def test_a_lesson_is_undone_after_a_round_in_which_nobody_saw_the_solution(left: str) -> None:
    one = Class(reveal="teacher")
    one.answers("ada")
    one.add(Focused(("ben",)) if left == "focus" else Skipped(one.number))
    assert one.state.can_undo
    one.add(PhaseUndone())
    assert one.state.phase != "teach"
    own = Class(reveal="own")
    own.answers("ada")
    own.add(Focused(("ben",)) if left == "focus" else Skipped(own.number))
    assert not own.state.can_undo


def test_the_lesson_continues_with_some_students_while_the_others_rest() -> None:
    one = Class()
    one.add(Overridden("insect-001"))
    one.state = one.state.after(Finished(one.number, ("the goal was reached",)))
    one.add(Focused(("ben",)))
    assert view_of(one.state, "ben")["item"] is not None
    assert view_of(one.state, "ada")["item"] is None
    assert board_of(one.state)["counts"]["waiting"] == 1
    one.answers("ben")
    assert one.sees("ben") is not None  # no other student is waited for
    one.add(PhaseBegan("posttest"))
    assert view_of(one.state, "ada")["item"] is not None


def test_students_who_are_done_pause_or_review() -> None:
    one = Class()
    one.add(Overridden("insect-001"))
    one.state = one.state.after(Finished(one.number, ("the goal was reached",)))
    one.add(Focused(("ben",)))
    assert set(board_of(one.state)["resting"]) == {"ada", "cem"}
    one.add(ReviewSet(True))
    one.answers("ben")
    one.add(Continued(one.number))
    board = board_of(one.state)
    assert (board["resting"], board["review"]) == ([], True)
    assert [group["size"] for group in board["groups"]] == [1, 2]
    assert board["groups"][1]["next"]["reason"]["by"] == "review"
    assert board["groups"][1]["next"]["why"].startswith("The group has reached its goal")
    assert view_of(one.state, "ada")["group"] == view_of(one.state, "cem")["group"] == "B"
    item = str(one.state.rounds[-1].items[1])
    one.add(Answered("ada", one.number, item, 1), Answered("cem", one.number, item, 1))
    one.answers("ben")
    one.add(ReviewSet(False), Continued(one.number))
    assert set(board_of(one.state)["resting"]) == {"ada", "cem"}
    assert not one.state.after(PhaseBegan("posttest")).review


def test_a_group_that_has_finished_rests_or_reviews(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first group is at the goal, the second is not: the lesson continues for both, or one."""
    chosen = proposals.choose

    def of_second(state: State, group: int, *, review: bool = False) -> Any:
        at_goal = ItemChoice(None, None, "the goal was reached")
        return at_goal if group == 0 and not review else chosen(state, group, review=review)

    monkeypatch.setattr(proposals, "choose", of_second)
    one = Class(reveal="own")
    one.add(Regrouped("by hand", {"ada": 0, "ben": 1, "cem": 1}))
    one.add(Overridden("insect-001"), Skipped(one.number + 1))
    assert board_of(one.state)["resting"] == ["ada"]
    assert view_of(one.state, "ada")["resting"]
    item = str(one.state.rounds[-1].items[1])
    one.add(Answered("ben", one.number, item, 1), Answered("cem", one.number, item, -1))
    one.add(Continued(one.number))
    [last] = board_of(one.state)["last"]
    assert (last["group"], last["result"]["counts"]) == ("B", [1, 1])
    one.add(ReviewSet(True), Skipped(one.number))
    assert view_of(one.state, "ada")["item"] is not None
    assert board_of(one.state)["groups"][0]["next"]["reason"]["by"] == "review"


def test_students_review_only_in_a_lesson() -> None:
    with pytest.raises(Refused, match="during the lesson: begin it first"):
        Class(phase="pretest").add(ReviewSet(True))
