"""Why an item is shown, in one sentence."""

from __future__ import annotations

from homeroom.live.classbook.explanation import TEACHER, reason_of, sentence


def test_the_reason_for_a_choice_has_numbers() -> None:
    text = sentence(reason_of(wrong=3.4, of=5, off=0.123))
    assert text == ("About 3 of 5 would get it wrong.")


def test_no_number_is_given_when_almost_no_student_is_wrong() -> None:
    text = sentence(reason_of(wrong=0.4, of=5, off=0.1))
    assert text == "Almost no student would get it wrong."


def test_a_choice_of_the_teacher_is_marked() -> None:
    assert sentence({**reason_of(wrong=3.4, of=5, off=0.1), **TEACHER}) == "The teacher chose it."


def test_a_test_has_no_reason() -> None:
    assert sentence(None) == ""
