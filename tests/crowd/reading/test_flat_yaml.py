from __future__ import annotations

import time
from pathlib import Path

import pytest

from homeroom.crowd.reading.flat_yaml import Pairs, yaml_pairs

LABELS = Path("labels.yaml")

READ: list[tuple[str, Pairs]] = [
    ("", ()),
    ("tiger moth: 1\nwasp: 0\n", (("tiger moth", "1"), ("wasp", "0"))),
    ("--- \r\nmoth: 1\r\n\r\n  # why: so\r\nwasp : -1 # why", (("moth", "1"), ("wasp", "-1"))),
    ("a:b: 1\nhttp://x y: 0\nc#d: ", (("a:b", "1"), ("http://x y", "0"), ("c#d", ""))),
    ('Dee\'s "x", Jr.: 1\nx: a, b', (('Dee\'s "x", Jr.', "1"), ("x", "a, b"))),
    ("'it''s: 1': 1\n\"a \\\"b\\\" # \\u00e4\": 'no'", (("it's: 1", "1"), ('a "b" # ä', "no"))),
    ("{tiger moth: 1,\n# a note\nwasp: , bee:}", (("tiger moth", "1"), ("wasp", ""), ("bee", ""))),
    ("{\"moth\":1, 'a, b' :0,}", (("moth", "1"), ("a, b", "0"))),
    (
        "version: 2\nlabels: # by Ada\n\n  tiger moth: 1\n  wasp: 0\nkinds: {red moth: 7}",
        (
            ("version", "2"),
            ("labels", (("tiger moth", "1"), ("wasp", "0"))),
            ("kinds", (("red moth", "7"),)),
        ),
    ),
    ("{labels: {moth: 1}}", (("labels", (("moth", "1"),)),)),
]


@pytest.mark.parametrize(("text", "pairs"), READ, ids=[repr(text) for text, _ in READ])
def test_pairs_are_read_as_yaml_has_them(text: str, pairs: Pairs) -> None:
    assert yaml_pairs(LABELS, text) == pairs


REFUSED = {
    "- moth: 1": 1,
    "moth: 1\nwasp": 2,
    "moth:1": 1,
    "{moth:1}": 1,
    "{moth: 1\n": 1,
    "{moth: 1}\nwasp: 0": 2,
    "{moth: 1}}": 1,
    "{moth: '1' x}": 1,
    "{,}": 1,
    "# a note\nmoth: [1]": 2,
    "moth: &one 1": 1,
    "moth: *one": 1,
    "moth: |\n  1": 1,
    "moth: a: b": 1,
    "moth: 1\n wasp: 0": 2,
    "\tmoth: 1": 1,
    "moth: 'a\n  b'": 1,
    '"\\x": 1': 1,
    "--- moth: 1": 1,
    "a:\n  b:\n    c: 1": 3,
    "{a: {b: {c: 1}}}": 1,
}


@pytest.mark.parametrize("text", REFUSED, ids=repr)
def test_what_is_more_than_pairs_is_refused_with_its_line(text: str) -> None:
    said = rf"labels.yaml cannot be read as labels from line {REFUSED[text]} on: .* tiger moth: 1"
    with pytest.raises(ValueError, match=said):
        yaml_pairs(LABELS, text)


@pytest.mark.parametrize(
    "text",
    ["a" + " " * 300_000 + "#x", '"' + "\\" * 300_001, "{a: " * 100_000, "{" + " #" * 200_000],
    ids=["blanks", "backslashes", "braces", "comments"],
)
def test_what_fits_nothing_is_refused_soon(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ValueError, match="cannot be read as labels from line 1 on"):
        yaml_pairs(LABELS, text)
    assert time.process_time() - start < 1.0  # of work, whatever the neighbours do
