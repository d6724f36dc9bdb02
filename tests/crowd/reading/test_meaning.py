from __future__ import annotations

from pathlib import Path

import pytest

from homeroom.crowd.reading.meaning import GAPS, NO, YES, meaning_of

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
    assert meaning_of(TABLE, [no, yes, ""]).yes == {yes: True, no: False, "": None}


def test_words_keep_their_names() -> None:
    meant = meaning_of(TABLE, ["Duck", "goose"], positive="duck")
    assert (meant.positive, meant.negative) == ("Duck", "goose")
    assert not meant.against_the_rest


def test_left_and_right_are_not_right_and_wrong() -> None:
    assert meaning_of(TABLE, ["left", "right"]).classes == ("left", "right")
    assert meaning_of(TABLE, ["left", "right"]).is_arbitrary
    assert not meaning_of(TABLE, ["left", "right"], positive="right").right_or_wrong
    assert meaning_of(TABLE, ["right", "wrong"]).right_or_wrong


@pytest.mark.parametrize(
    ("thing", "other"), [("Moth", "Not a moth"), ("moth", "No moth"), ("Falter", "kein Falter")]
)
def test_of_an_answer_and_its_denial_the_first_means_yes(thing: str, other: str) -> None:
    meant = meaning_of(TABLE, [other, thing, "unsure"])
    assert (meant.positive, meant.negative) == (thing, other)
    assert meant.yes == {other: False, thing: True, "unsure": None}


def test_one_answer_alone_is_known_only_if_its_meaning_is() -> None:
    assert meaning_of(TABLE, ["0"]).yes == {"0": False}
    with pytest.raises(ValueError, match=r"has the answers 'duck', and it is not known"):
        meaning_of(TABLE, ["duck"])


def test_two_ways_to_say_no_are_not_yes_and_no() -> None:
    with pytest.raises(ValueError, match=r"'-1', '0', and it is not known"):
        meaning_of(TABLE, ["-1", "0"])


def test_no_word_has_two_meanings() -> None:
    assert not YES & NO
    assert not GAPS & (YES | NO)


def test_the_positive_answer_keeps_its_synonyms() -> None:
    """With positive="yes", version 0.1 counted true, 1 and y as no."""
    texts = ["yes", "true", "1", "y", "no", "FALSE", "0", "n"]
    meant = meaning_of(TABLE, texts, positive="yes")
    assert [meant.yes[text] for text in texts] == [True] * 4 + [False] * 4
    assert (meant.positive, meant.negative) == ("yes", "no")
    assert not meant.against_the_rest
    turned = meaning_of(TABLE, texts, positive="no")
    assert [turned.yes[text] for text in texts] == [False] * 4 + [True] * 4
    assert (turned.positive, turned.negative) == ("no", "not no")


def test_choices_are_not_synonyms() -> None:
    """A number next to other numbers, and a letter next to other letters, is one of several."""
    meant = meaning_of(TABLE, ["yes", "1", "2", "3"], positive="yes")
    assert [text for text, yes in meant.yes.items() if yes] == ["yes"]
    meant = meaning_of(TABLE, ["yes", "true", "x", "y"], positive="yes")
    assert [text for text, yes in meant.yes.items() if yes] == ["yes", "true"]
    meant = meaning_of(TABLE, ["n", "f", "s"], positive="n")
    assert [text for text, yes in meant.yes.items() if yes] == ["n"]
    assert meaning_of(TABLE, ["0", "-1"], positive="0").yes == {"0": True, "-1": False}


def test_more_words_may_mean_no_answer() -> None:
    meant = meaning_of(TABLE, ["yes", "no", "Unsure", "99"], missing=["unsure", "99"])
    assert meant.yes == {"yes": True, "no": False, "Unsure": None, "99": None}
    with pytest.raises(
        ValueError, match=r"`positive` must be one of the answers .*but is 'unsure'"
    ):
        meaning_of(TABLE, ["yes", "no", "unsure"], positive="unsure", missing=["unsure"])


@pytest.mark.parametrize(
    ("yes", "no", "unsure"),
    [
        ("Yes", "No", "Not sure"),
        ("ja", "nein", "weiß nicht"),
        ("Oui", "Non", "Je ne sais pas"),
        ("sí", "no", "no sé"),
        ("tak", "nie", "nie wiem"),
        ("да", "нет", "не знаю"),
        ("はい", "いいえ", "わからない"),
    ],
)
def test_yes_no_and_not_sure_are_known_in_several_languages(yes: str, no: str, unsure: str) -> None:
    meant = meaning_of(TABLE, [yes, no, unsure])
    assert meant.yes == {yes: True, no: False, unsure: None}
    assert meant.classes == ("no", "yes")


def test_an_annotator_who_is_not_sure_said_neither_of_two_names() -> None:
    meant = meaning_of(TABLE, ["moth", "wasp", "I don’t know"], positive="moth")
    assert meant.yes == {"moth": True, "wasp": False, "I don’t know": None}
    assert meaning_of(TABLE, ["sure", "unsure"], positive="unsure").yes["unsure"]


@pytest.mark.parametrize(
    "text",
    [
        "I am not sure, too dark",
        "Unsure / can't see",
        "Yes, but I'm not completely sure",
        "maybe",
        "Ich weiß nicht",
        "暗くてわからない",
    ],
)
def test_words_of_doubt_are_found_within_answers(text: str) -> None:
    text = f"{text} (3)"
    assert meaning_of(TABLE, ["moth", "wasp", "unsure", text]).doubts == [text]
    assert meaning_of(TABLE, ["moth", text], positive="moth").doubts == [text]
    assert meaning_of(TABLE, ["moth", text], positive="moth", missing=[text]).doubts == []


def test_other_answers_have_no_words_of_doubt() -> None:
    texts = ["yes", "no", "unsure", "assured", "Surely a moth", "non solo", "too dark"]
    assert meaning_of(TABLE, texts).doubts == []


def test_words_for_no_answer_must_occur_in_the_table() -> None:
    with pytest.raises(ValueError, match=r"`missing` .*names 'unsrue', but the answers in .*'yes'"):
        meaning_of(TABLE, ["yes", "no", "unsure"], missing=["unsrue", "no"])
    assert meaning_of(TABLE, ["yes", "no"], missing=["NA", ""]).yes == {"yes": True, "no": False}


def test_merged_words_are_listed_with_counts() -> None:
    counts = {"yes": 5, "1": 3, "1.0": 1, "no": 4, "?": 2, "": 9}
    assert meaning_of(TABLE, list(counts)).merged(counts) == {
        "yes": {"yes": 5, "1": 4},
        "no answer": {"?": 2},
    }
    assert meaning_of(TABLE, ["1", "0", ""]).merged({"1": 2, "0": 1, "": 1}) == {}
