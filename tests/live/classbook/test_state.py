"""A class at one moment."""

from __future__ import annotations

from homeroom.live.activities.insects import activity
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import RoundError, State, Student

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
