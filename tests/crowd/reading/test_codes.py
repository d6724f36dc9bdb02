from __future__ import annotations

from pathlib import Path

import pytest

from homeroom.crowd.reading.codes import GAPS, NO, YES, meaning

TABLE = Path("x.csv")


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("1", "0"),
        ("1.0", "0.0"),
        ("+1", "-1"),
        ("TRUE", "FALSE"),
        ("Yes", "no"),
        ("y", "N"),
        ("correct", "incorrect"),
    ],
)
def test_the_usual_pairs_are_known(yes: str, no: str) -> None:
    assert meaning(TABLE, [no, yes, ""]).yes == {yes: True, no: False, "": None}


def test_words_keep_their_names() -> None:
    meant = meaning(TABLE, ["Duck", "goose"], positive="duck")
    assert (meant.positive, meant.negative) == ("Duck", "goose")
    assert not meant.against_the_rest


def test_left_and_right_are_not_right_and_wrong() -> None:
    with pytest.raises(ValueError, match=r"'left', 'right', of which it cannot be told which"):
        meaning(TABLE, ["left", "right"])
    assert not meaning(TABLE, ["left", "right"], positive="right").right_or_wrong
    assert meaning(TABLE, ["right", "wrong"]).right_or_wrong


def test_one_answer_alone_is_known_only_if_its_meaning_is() -> None:
    assert meaning(TABLE, ["0"]).yes == {"0": False}
    with pytest.raises(ValueError, match=r"has the answers 'duck', of which it cannot be told"):
        meaning(TABLE, ["duck"])


def test_two_ways_to_say_no_are_not_yes_and_no() -> None:
    with pytest.raises(ValueError, match=r"'-1', '0', of which it cannot be told"):
        meaning(TABLE, ["-1", "0"])


def test_no_text_means_two_things() -> None:
    assert not YES & NO
    assert not GAPS & (YES | NO)
