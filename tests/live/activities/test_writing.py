"""Activities in which a letter is written."""

from __future__ import annotations

from homeroom.live.activities.writing import LETTERS, activity


def test_there_is_one_for_each_letter() -> None:
    ids = [one.id for letter in LETTERS if (one := activity(letter)) is not None]
    assert ids[:2] == ["letter-a", "letter-b"]
    assert len(ids) == 26
    made = activity("f")
    assert made is not None
    assert (made.kind, made.letter, made.built_in) == ("writing", "f", True)
    assert activity("<") is None
