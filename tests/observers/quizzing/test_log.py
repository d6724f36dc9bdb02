"""What happened, written down so that it can be read again."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from homeroom.observers.quizzing.log import (
    Asked,
    Event,
    Shown,
    answer_matrix,
    plain,
    read,
    sheets_to_matrix,
)

HUGE = 10**400
"""A whole number that JSON may have, but that is no float."""


def test_a_log_survives_json() -> None:
    log: list[Event] = [
        Asked(np.array([3, 1]), np.array([[1.0, -1.0], [0.0, 1.0]])),
        Shown(np.array([0.1, 1 / 3]), 0.7),
    ]
    again = read(json.loads(json.dumps(plain(log))), students=2, items=4, dimensions=2)
    assert plain(again) == plain(log)
    assert isinstance(again[1], Shown)
    np.testing.assert_array_equal(again[1].x, [0.1, 1 / 3])


@pytest.mark.parametrize("entry", [5, "asked", {}, {"asked": [1]}, {"shown": [0.0, 1.0]}])
def test_an_invalid_entry_is_refused(entry: Any) -> None:
    with pytest.raises(ValueError, match=r"`log` must have entries such as .* but entry 0 is"):
        read([entry], students=2, items=4, dimensions=2)


def test_an_example_of_another_space_is_refused() -> None:
    with pytest.raises(ValueError, match=r"in `log` must have 2 numbers, but has shape \(3,\)"):
        read([{"shown": [1, 2, 3], "label": 0}], students=2, items=4, dimensions=2)


@pytest.mark.parametrize(
    ("shown", "label"),
    [
        ([1, "x"], 0),
        ([1, np.nan], 0),
        ([1, HUGE], 0),
        ("ab", 0),
        ([1, 2], "x"),
        ([1, 2], np.inf),
        ([1, 2], HUGE),
        ([1, 2], None),
    ],
)
def test_an_example_that_is_not_numbers_is_refused(shown: Any, label: Any) -> None:
    with pytest.raises(ValueError, match="and its label must be finite numbers, but among them is"):
        read([{"shown": shown, "label": label}], students=3, items=4, dimensions=2)


def test_an_example_with_several_labels_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has one label, but it has shape \(2,\)"):
        read([{"shown": [1, 2], "label": [0, 1]}], students=3, items=4, dimensions=2)


@pytest.mark.parametrize("log", [7, {"asked": [1]}])
def test_a_log_that_is_not_a_list_is_refused(log: Any) -> None:
    with pytest.raises(ValueError, match=r"`log` must be a list, as QuizObserver.log_of\(...\)"):
        read(log, students=2, items=4, dimensions=2)


@pytest.mark.parametrize("asked", [[4], [-1], [0.5], [[1]], ["1"]])
def test_unknown_items_are_refused(asked: Any) -> None:
    with pytest.raises(ValueError, match="Items are numbered 0 to 3, but"):
        read([{"asked": asked, "answers": [[1], [1]]}], students=2, items=4, dimensions=2)


def test_answers_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"each of the 3 students .* items \[7\], but has shape"):
        answer_matrix([[1], [1]], np.array([7]), 3)


@pytest.mark.parametrize("answers", [[["yes"], ["no"]], [[1], [1, 1]], [[1], [HUGE]]])
def test_answers_that_are_not_numbers_are_refused(answers: Any) -> None:
    with pytest.raises(ValueError, match="must be rows of equal length with 1 for yes"):
        answer_matrix(answers, np.array([7]), 2)


def test_invalid_answers_are_refused() -> None:
    with pytest.raises(ValueError, match=r"1 for yes, -1 for no or 0 for none, but 2 was given"):
        answer_matrix([[1], [2]], np.array([7]), 2)
    with pytest.raises(ValueError, match=r"or 0 for none, but 3 was given"):
        sheets_to_matrix([{1: 3}], 5)
    with pytest.raises(ValueError, match=r"1 for yes, -1 for no or None, but among them are"):
        sheets_to_matrix([{1: "yes"}], 5)
    with pytest.raises(ValueError, match=r"1 for yes, -1 for no or None, but among them are"):
        sheets_to_matrix([{1: HUGE}], 5)


def test_missing_answers_may_be_nan() -> None:
    np.testing.assert_array_equal(answer_matrix([[np.nan], [-1]], np.array([7]), 2), [[0], [-1]])


def test_sheets_may_be_empty_and_have_any_items() -> None:
    asked = sheets_to_matrix([None, {3: 0, 0: True}, {}, {3: None, 1: -1}], items=5)
    np.testing.assert_array_equal(asked.items, [0, 1, 3])
    np.testing.assert_array_equal(asked.answers, [[0, 0, 0], [1, 0, -1], [0, 0, 0], [0, -1, 0]])
    assert sheets_to_matrix([None, None], items=5).answers.shape == (2, 0)


def test_a_sheet_with_an_unknown_item_is_refused() -> None:
    with pytest.raises(ValueError, match="Items are numbered 0 to 4, but"):
        sheets_to_matrix([{9: 1}], 5)


def test_each_student_may_have_been_shown_something_else() -> None:
    own = {"shown": [[0.6, 0.8], [0.0, 0.0]], "label": [0.5, 0.0]}
    (event,) = read([json.loads(json.dumps(own))], students=2, items=4, dimensions=2)
    assert isinstance(event, Shown)
    np.testing.assert_array_equal(event.x, own["shown"])
    assert plain([event]) == [own]


@pytest.mark.parametrize("label", [0.5, [0.5], [[0.5], [0.5]]])
def test_individual_examples_need_labels(label: Any) -> None:
    with pytest.raises(ValueError, match="needs 2 labels, but these have shape"):
        read([{"shown": [[1, 2], [3, 4]], "label": label}], students=2, items=4, dimensions=2)
