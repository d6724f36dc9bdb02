"""After any events in any order, a class is consistent and can be rebuilt."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from homeroom.live.activities.base import Activity, Item
from homeroom.live.classbook.proposals import propose
from homeroom.live.classbook.state import State
from homeroom.live.events import (
    PHASES,
    Answered,
    Closed,
    CountdownBegan,
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
    TimerPaused,
    TimerSet,
    without_identity,
)
from homeroom.live.exports import csv_of, json_of, report_of, xapi_of
from homeroom.live.ids import anonymous_id
from homeroom.live.refused import Refused
from homeroom.live.store import Stored
from tests.live.shown import board_of, view_of

PLACES = {f"i{n}": (float(n % 5 - 2) + 0.3, float(n % 3 - 1)) for n in range(15)}
ITEMS = tuple(Item(item, 1 if x > 0 else -1) for item, (x, _) in PLACES.items())
ACTIVITY = Activity("a", "A", ITEMS, places=PLACES, target=(2.0, 0.1, 0.0))

students = st.sampled_from([f"s{n}" for n in range(5)])
items = st.sampled_from([*PLACES, "no such item"])
rounds = st.integers(-1, 6)
events = st.one_of(
    st.builds(Joined, students, st.just("Name")),
    st.builds(Enrolled, students, st.just("Name")),
    st.builds(Left, students),
    st.builds(Returned, students),
    st.builds(Reseated, students),
    st.builds(Removed, st.lists(students, max_size=3).map(tuple)),
    st.builds(Locked, st.booleans()),
    st.builds(PhaseBegan, st.sampled_from(PHASES)),
    st.builds(Answered, students, rounds, items, st.sampled_from([1, -1, 0])),
    st.builds(Closed, rounds),
    st.builds(Skipped, rounds),
    st.builds(TimerSet, st.sampled_from([0.0, 20.0])),
    st.builds(TimerPaused, rounds, st.booleans()),
    st.builds(CountdownBegan, rounds, st.just(20.0)),
    st.builds(Overridden, items),
    st.builds(Paused, st.booleans()),
    st.builds(Regrouped, st.just("so"), st.dictionaries(students, st.integers(0, 3))),
    st.just("all answer"),
)


def happened(given: list[Any]) -> tuple[State, list[Event]]:
    """Return the class after some events, and its log with its own events."""
    state, log = State.begin(ACTIVITY), []

    def add(event: Event) -> None:
        nonlocal state
        state = state.after(event)
        log.append(event)

    add(Opened("5b", "a", "A", pretest=3, goal=0.05))
    for event in given:
        now = state.now
        if isinstance(event, str):
            asked = (
                []
                if now is None
                else [
                    (student, item) for student in now.members for item in now.open_items(student)
                ]
            )
            for student, item in asked:
                add(Answered(student, state.last_round, item, 1))
        else:
            add(event)
        for _ in range(3):  # nothing makes it propose for ever
            proposed = propose(state)
            if proposed is None:
                break
            add(proposed)
        else:
            raise AssertionError("The class continues by itself without end.")
    return state, log


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(events, max_size=25))
def test_any_events_in_any_order_leave_a_class_that_can_be_shown_and_rebuilt(
    given: list[Any],
) -> None:
    state, log = happened([Joined("s0", "Name"), PhaseBegan("teach"), *given])
    board = board_of(state, "c")
    assert board["version"] == len(log)
    for student in state.joined:
        view_of(state, student)
    stored = [Stored(event, number, float(number)) for number, event in enumerate(log, start=1)]
    for made in (csv_of, json_of, report_of, xapi_of):
        assert made(state, stored) is not None  # also without students student were removed
    again = State.begin(ACTIVITY).after_all(log)
    assert board_of(again, "c") == board
    ids = {one: anonymous_id(one) for one in state.removed - state.people.keys()}
    erased = [without_identity(event, ids) for event in log]
    assert board_of(State.begin(ACTIVITY).after_all(erased), "c") == board
    for number, event in enumerate(log[:-1]):
        if number % 5 == 0:
            with suppress(Refused):
                event.check(state)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(events, max_size=25))
def test_no_student_is_counted_twice_and_no_absent_student_is_asked(given: list[Any]) -> None:
    state, _ = happened([Joined("s0", "Name"), PhaseBegan("pretest"), *given])
    assert sum(len(group) for group in state.members) == len(state.here)
    numbers = [done.number for done in state.rounds]
    assert numbers == sorted(set(numbers))
    for student in state.joined:
        view = view_of(state, student)
        if not state.people[student].here:
            assert view["item"] is None
    if state.beliefs is not None:
        heard = sum(len(done.answers) for done in state.rounds if done is not state.now)
        assert (state.beliefs.memory.answers != 0).sum() == heard
    for done in state.rounds:
        assert not {student for student, _ in done.answers} - state.people.keys()
