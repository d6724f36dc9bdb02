"""Why an item is shown, in one sentence."""

from __future__ import annotations

from homeroom.live.classbook.why import TEACHER, reason_of, sentence


def test_a_choice_of_the_lesson_is_told_in_numbers() -> None:
    said = sentence(reason_of(wrong=3.4, of=5, off=0.123))
    assert said == (
        "About 3 of 5 would get it wrong; no other takes more off the error than its 12 %."
    )


def test_nobody_is_not_counted() -> None:
    said = sentence(reason_of(wrong=0.4, of=5, off=0.1))
    assert said.startswith("Hardly anybody would get it wrong; no other ")


def test_a_choice_of_the_teacher_is_hers() -> None:
    assert sentence({**reason_of(wrong=3.4, of=5, off=0.1), **TEACHER}) == "The teacher chose it."


def test_a_test_has_no_reason() -> None:
    assert sentence(None) == ""
