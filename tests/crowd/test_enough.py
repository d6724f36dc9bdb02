from __future__ import annotations

import pytest

from homeroom.crowd import Answers
from homeroom.crowd.enough import refuse_too_little


def test_two_people_two_items_and_both_answers_are_enough() -> None:
    refuse_too_little(Answers.from_arrays(["Ada", "Ben"], ["moth", "wasp"], [1, 0]))


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (Answers.from_arrays([], [], []), r"There are no answers: a map needs some of two people"),
        (
            Answers.from_arrays(["Ada", "Ada"], ["moth", "wasp"], [1, 0]),
            r"All answers are of one person \('Ada'\), but a map shows how people differ",
        ),
        (
            Answers.from_arrays(["Ada", "Ben"], ["moth", "moth"], [1, 0]),
            r"All answers are to one item \('moth'\), but a map shows how items differ",
        ),
        (
            Answers.from_arrays(["Ada", "Ben"], ["moth", "wasp"], [1, 1], positive="moth"),
            r"All 2 answers are 'moth', so that nothing tells people or items apart",
        ),
        (
            Answers.from_arrays(["Ada", "Ben"], ["moth", "wasp"], [0, 0]),
            r"All 2 answers are 'no', so that nothing tells people or items apart",
        ),
    ],
)
def test_too_little_is_said_in_one_sentence(answers: Answers, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        refuse_too_little(answers)


def test_a_path_is_no_answers() -> None:
    with pytest.raises(TypeError, match=r"as Answers.read\('answers.csv'\) gives them, but is str"):
        refuse_too_little("answers.csv")  # type: ignore[arg-type]
