"""The rules for events; each refusal gives its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from homeroom.live.activities.base import Activity, Item
from homeroom.live.activities.catalogue import letter_activity as letter
from homeroom.live.classbook.state import State
from homeroom.live.events import (
    MOST_STUDENTS,
    PHASES,
    Answered,
    Closed,
    Enrolled,
    Event,
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
    Skipped,
    Wrote,
)
from homeroom.live.messages.common import Phase
from homeroom.live.refused import Refused

Make = Callable[..., Any]


def refused(state: State, event: Event, match: str, status: int = 409) -> None:
    with pytest.raises(Refused, match=match) as caught:
        event.check(state)
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("opened", "match"),
    [
        (Opened("", "insects", "A"), "A class needs a name of one line"),
        (Opened("a\nb", "insects", "A"), "A class needs a name of one line"),
        (Opened("x" * 81, "insects", "A"), "with up to 80 characters"),
        (Opened("5b", "insects", "A", goal=0.0), r"The goal must be above 0, such as 0\.1"),
        (Opened("5b", "insects", "A", goal=float("nan")), "The goal must be above 0"),
        (Opened("5b", "insects", "A", retention_days=0), "Data can be kept for 1 to 3650 days"),
        (Opened("5b", "insects", "A", pretest=0), "A test must have 1 to 100 items, but has 0"),
    ],
)
def test_a_class_is_created_with_valid_settings(
    new_class: Make, opened: Opened, match: str
) -> None:
    refused(new_class(0).state, opened, match, 422)


@pytest.mark.parametrize("event", [Joined, Enrolled])
def test_names_are_one_line_and_unique(new_class: Make, event: Any) -> None:
    state = new_class(1).state
    event("new", "Zoë O'Neil-Šimić").check(state)
    refused(state, event("new", "  "), "must have at least one letter", 422)
    refused(state, event("new", "a\x00b"), "must have at least one letter and be written on", 422)
    refused(state, event("new", "x" * 41), "up to 40 letters, but has 41", 422)
    refused(
        state, event("new", "NAME of s0 "), "A student of this class is already called NAME of s0"
    )
    refused(state, event("new", "na\u200dme of s0"), "A student of this class is already called")
    refused(state, event("new", "\u200d"), "must have at least one letter", 422)
    refused(state, event("new", "a\u202eb"), "must have at least one letter", 422)
    event("new", "\u0645\u06cc\u200c\u0646\u0627").check(state)  # Persian
    event("new", "\U0001f469\u200d\U0001f393").check(state)  # an emoji in two parts


def test_joining_twice_is_allowed(new_class: Make) -> None:
    Joined("s0", "Name of s0").check(new_class(1).state)


def test_a_class_can_be_full(new_class: Make) -> None:
    one = new_class(0)
    for number in range(MOST_STUDENTS):
        one.state = one.state.after(Enrolled(f"r{number}", f"N{number}"))
    refused(one.state, Joined("one more", "One more"), "The class is full: it has 1000 students")
    Joined("r7", "N7").check(one.state)


def test_a_student_who_never_joined_cannot_leave(new_class: Make) -> None:
    state = new_class(1).state.after(Enrolled("r1", "Ada"))
    for event in (Left("x"), Returned("x"), Left("r1"), Regrouped("so", {"x": 1})):
        refused(state, event, "There is no such student in this class", 404)
    Left("s0").check(state)


def test_phases_have_names_and_an_order(new_class: Make) -> None:
    one = new_class(1)
    refused(
        one.state,
        PhaseBegan(cast("Phase", "recess")),
        "has the phases lobby, .*, but not 'recess'",
        422,
    )
    PhaseBegan("posttest").check(one.state)
    one.add(PhaseBegan("teach"))
    for phase in PHASES[:2]:
        refused(one.state, PhaseBegan(phase), "The lesson has already begun: create a new class")
    for phase in PHASES[2:]:
        PhaseBegan(phase).check(one.state)


def test_a_writing_class_has_no_tests() -> None:
    activity = letter("f")
    assert activity is not None
    state = State.begin(activity).after(Opened("5b", "letter-f", "A"))
    refused(state, PhaseBegan("pretest"), "This class writes letters")
    PhaseBegan("teach").check(state)


def test_a_lesson_without_a_map_needs_answers(new_class: Make) -> None:
    items = tuple(Item(f"i{n}", 1 if n % 2 else -1, "text") for n in range(8))
    state = State.begin(Activity("a", "A", items)).after(Opened("5b", "a", "A"))
    refused(state, PhaseBegan("teach"), "The map of this activity is made from the answers to its")


def test_only_the_present_question_can_be_answered(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    item = one.begun().items[0]
    other = "insect-001" if item != "insect-001" else "insect-002"
    Answered("s0", 1, item, 1).check(one.state)
    refused(one.state, Answered("x", 1, item, 1), "There is no such student in this class", 404)
    refused(
        one.state,
        Answered("s0", 1, item, 2),
        "An answer to this item must be 1 or -1, but is 2",
        422,
    )
    refused(one.state, Answered("s0", 2, item, 1), "Round 2 is over")
    refused(one.state, Answered("s0", 1, other, 1), "This item is not being asked now", 404)
    refused(
        one.state.after(Paused(True)),
        Answered("s0", 1, item, 1),
        "The class is paused: wait until it continues",
    )
    refused(one.state.after(Left("s0")), Answered("s0", 1, item, 1), "You have left this class")
    one.add(Closed(1))
    refused(one.state, Answered("s0", 1, item, 1), "Round 1 is over")


def test_only_the_present_example_can_be_skipped(new_class: Make) -> None:
    one = new_class(1)
    one.add(PhaseBegan("pretest"))
    refused(one.state, Skipped(0), "No example is being shown that could be skipped")
    one.add(PhaseBegan("teach"))
    Skipped(1).check(one.state)
    refused(one.state, Closed(2), "Round 2 is over")


def test_the_teacher_chooses_among_items_that_can_be_shown(new_class: Make) -> None:
    one = new_class(1)
    refused(one.state, Overridden("insect-001"), "Items can be chosen during the lesson")
    one.add(PhaseBegan("teach"))
    Overridden("insect-001").check(one.state)
    refused(one.state, Overridden("wasp"), "The activity has no item 'wasp'", 404)
    items = (*one.activity.items, Item("riddle", None, "?"))
    known = Activity("a", "A", items, places=one.activity.places, target=one.activity.target)
    state = State.begin(known).after(Opened("5b", "a", "A")).after(PhaseBegan("teach"))
    refused(state, Overridden("riddle"), "'riddle' cannot be shown: its label is not known")


def test_letters_are_written_in_classes_that_write(new_class: Make) -> None:
    wrote = Wrote("s0", 1, (({"x": 0.0, "y": 0.0, "t": 0.0},),), {})
    refused(new_class(1).state, wrote, "This class does not write letters", 404)
    activity = letter("f")
    assert activity is not None
    state = State.begin(activity).after(Opened("5b", "letter-f", "A")).after(Joined("s0", "Ada"))
    refused(state, wrote, "The class is not writing now: wait until it continues")
    wrote.check(state.after(PhaseBegan("teach")))


def test_letters_are_written_in_order_and_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    activity = letter("f")
    assert activity is not None
    state = State.begin(activity).after(Opened("5b", "letter-f", "A")).after(Joined("s0", "Ada"))
    state = state.after(PhaseBegan("teach"))
    first, second, third = (Wrote("s0", number, (), {}) for number in (1, 2, 3))
    refused(state, second, "Letter 2 is too early: the next one is letter 1")
    state = state.after(first).after(second)
    monkeypatch.setattr("homeroom.live.events.MOST_LETTERS", 2)
    second.check(state)  # sent again
    refused(state, third, "A student can write up to 2 letters in one class")


def test_events_of_the_class_itself_are_not_refused(new_class: Make) -> None:
    one = new_class(1)
    one.add(PhaseBegan("teach"))
    one.begun().check(one.state)


def test_a_locked_class_refuses_new_students(new_class: Make) -> None:
    one = new_class(1)
    one.add(Enrolled("s8", "Zoë"), Locked(True))
    for newcomer in (Joined("s9", "Ada"), Joined("s8", "Zoë")):
        with pytest.raises(Refused, match="class is locked"):
            newcomer.check(one.state)
    Joined("s0", "Name of s0").check(one.state)
    Reseated("s0").check(one.state)
    one.add(Locked(False))
    Joined("s9", "Ada").check(one.state)


def test_only_students_of_the_class_are_removed_or_given_a_seat(new_class: Make) -> None:
    one = new_class(2)
    one.add(Enrolled("s8", "Zoë"))
    Removed(("s8", "stranger")).check(one.state)
    Reseated("s8").check(one.state)
    strangers: list[Event] = [Removed(("stranger",)), Removed(()), Reseated("stranger")]
    for event in strangers:
        with pytest.raises(Refused, match="There is no such student in this class"):
            event.check(one.state)
    one.add(Removed(("s1",)))
    gone: list[Event] = [Reseated("s1"), Left("s1"), Answered("s1", 1, "x", 1)]
    for event in gone:
        with pytest.raises(Refused, match="Your teacher has removed you from this class"):
            event.check(one.state)


@pytest.mark.parametrize(
    ("event", "matters"),
    [
        (Locked(True), True),
        (Locked(False), False),
        (Joined("s1", "Cy"), True),
        (Joined("s2", " aDA"), True),
        (Enrolled("s2", "Ada"), True),
        (Enrolled("s2", "Ben"), False),
        (Removed(("s1", "s2")), True),
        (Removed(("s2",)), True),  # the log has other ids for students who were removed
        (Reseated("s1"), True),
        (Left("s1"), False),
    ],
)
def test_events_that_may_prevent_joining(event: Event, matters: bool) -> None:
    assert event.may_prevent(Joined("s1", "Ada"), nearly_full=False) is matters
