from __future__ import annotations

import pytest

from homeroom.handwriting.files.json_lines import JsonLines

FORMAT = JsonLines()


def test_a_line_is_a_letter() -> None:
    text = (
        '{"letter": "l", "writer": "Ada", "school": "x", "strokes": '
        '[{"points": [[0, 0], [3, 4]], "times": [0, 0.5], "pressures": [1, 0]}]}\n'
        '\n{"strokes": [{"points": [[1, 2]]}, {"points": [[5, 6]]}]}\n'
    )
    first, second = FORMAT.read(text)
    assert repr(first) == "Ink('l', 1 stroke, 2 points, 0.5 s)"
    assert first.writer == "Ada"
    assert repr(second) == "Ink(2 strokes, 2 points)"
    assert FORMAT.recognises(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", r"line 1 must be one JSON object for one letter, but is not valid JSON \(Expecting"),
        ("[" * 100_000, r"line 1 must be one JSON object .* not valid JSON"),
        ("[]", r"line 1 must be a JSON object with a list of strokes, as in"),
        ("{}", r"with a list of strokes"),
        ('\n{"strokes": 3}', r"line 2 must be a JSON object with a list of strokes"),
        ('{"strokes": [[1, 2]]}', r"with a list of strokes"),
        ('{"strokes": []}', r"line 1: `strokes` must hold at least one stroke"),
        ('{"strokes": [{}]}', r"line 1: A stroke must have at least one point"),
        ('{"strokes": [{"points": []}]}', r"line 1: A stroke must have at least one point"),
        ('{"strokes": [{"points": [[NaN, 0]]}]}', r"line 1: `points` must be finite"),
        ('{"strokes": [{"points": [[1e999, 0]]}]}', r"line 1: `points` must be finite"),
        ('{"strokes": [{"points": [["a", 0]]}]}', r"line 1: `points` must be numbers"),
        ('{"strokes": [{"points": [[0, 0]], "times": "soon"}]}', r"line 1: `times` must be num"),
        ('{"strokes": [{"points": [[0, 0]]}], "letter": 3}', r"`letter` must be a text or None"),
        ('{"strokes": [{"points": [[' + "9" * 5000 + ", 0]]}]}", r"line 1 must be one JSON"),
    ],
    ids=str,
)
def test_what_is_no_letter_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        FORMAT.read(text)
