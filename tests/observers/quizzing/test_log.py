"""What happened, written down so that it can be read again."""

from __future__ import annotations

import json

import numpy as np

from homeroom.observers.quizzing.log import (
    Shown,
    plain,
    read,
    sheets_to_matrix,
)


def test_sheets_may_be_empty_and_have_any_items() -> None:
    asked = sheets_to_matrix([None, {3: 0, 0: True}, {}, {3: None, 1: -1}], items=5)
    np.testing.assert_array_equal(asked.items, [0, 1, 3])
    np.testing.assert_array_equal(asked.answers, [[0, 0, 0], [1, 0, -1], [0, 0, 0], [0, -1, 0]])
    assert sheets_to_matrix([None, None], items=5).answers.shape == (2, 0)


def test_each_student_may_have_been_shown_something_else() -> None:
    own = {"shown": [[0.6, 0.8], [0.0, 0.0]], "label": [0.5, 0.0]}
    (event,) = read([json.loads(json.dumps(own))], students=2, items=4, dimensions=2)
    assert isinstance(event, Shown)
    np.testing.assert_array_equal(event.x, own["shown"])
    assert plain([event]) == [own]
