"""One round: its questions, its answers, and the labels that students see."""

from __future__ import annotations

from dataclasses import replace

from homeroom.live.classbook.rounds import Round

TEACH = Round(3, "teach", ("moth", "wasp", None), members={"ada": 0, "ben": 1, "cy": 2})
TEST = Round(0, "pretest", ("moth", "wasp"), members={"ada": 0, "ben": 0})


def test_a_group_is_asked_its_own_item() -> None:
    assert TEACH.items_of("ada") == ("moth",)
    assert TEACH.items_of("ben") == ("wasp",)
    assert TEACH.items_of("cy") == ()  # their group is done
    assert TEACH.items_of("stranger") == ()


def test_a_test_asks_all_students_all_items() -> None:
    assert TEST.items_of("ben") == ("moth", "wasp")
    assert TEST.add_answer("ben", "moth", 1).open_items("ben") == ("wasp",)


def test_a_round_is_over_when_all_have_answered() -> None:
    half = TEACH.add_answer("ada", "moth", 1)
    assert not half.over
    assert half.add_answer("ben", "wasp", -1).over
    assert replace(half, ended="closed").over
    assert not Round(1, "teach", ("moth",)).over  # no student is there yet


def test_only_the_first_answer_counts() -> None:
    first = TEACH.add_answer("ada", "moth", 1)
    assert first.add_answer("ada", "moth", -1) is first


def test_a_student_who_leaves_is_not_waited_for_but_their_answers_stay() -> None:
    assert TEACH.stop_waiting_for("ada").members == {"ben": 1, "cy": 2}
    answered = TEACH.add_answer("ada", "moth", 1)
    assert answered.stop_waiting_for("ada") is answered
    half = TEST.add_answer("ada", "moth", 1).stop_waiting_for("ada")
    assert half.members == {"ben": 0}
    assert half.answers == {("ada", "moth"): 1}


def test_labels_are_seen_by_all_unless_the_round_was_skipped() -> None:
    half = TEACH.add_answer("ada", "moth", 1)
    closed, skipped = replace(half, ended="closed"), replace(half, ended="skipped")
    assert closed.shown == {"ada": "moth", "ben": "wasp"}
    assert skipped.shown == half.shown == {"ada": "moth"}


def test_labels_are_never_seen_in_a_test() -> None:
    assert TEST.add_answer("ada", "moth", 1).shown == {}


def test_a_student_may_join_late() -> None:
    assert TEACH.add_student("dee", 1).items_of("dee") == ("wasp",)


def test_a_late_student_whose_group_has_no_item_gets_that_of_the_largest_group() -> None:
    most = Round(3, "teach", ("moth", "wasp", None), members={"ada": 0, "ben": 1, "cy": 1})
    for group in (2, 7):
        assert most.add_student("dee", group).items_of("dee") == ("wasp",)


def test_a_test_may_ask_each_student_some_of_its_items() -> None:
    items = tuple(f"i{number}" for number in range(30))
    members = dict.fromkeys((f"student {number}" for number in range(40)), 0)
    test = Round(0, "pretest", items, members=members, each=8)
    asked = {student: test.items_of(student) for student in members}
    assert {len(set(some)) for some in asked.values()} == {8}
    assert set().union(*asked.values()) == set(items)
    fewer = Round(0, "pretest", items, members={"student 7": 0}, each=8)
    assert fewer.items_of("student 7") == asked["student 7"]
    assert (
        Round(0, "pretest", items[:5], members=members, each=8).items_of("student 7") == items[:5]
    )
