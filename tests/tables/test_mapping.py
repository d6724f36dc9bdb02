from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from homeroom.tables import mapping
from homeroom.tables.mapping import Pairs, read_pairs, yaml_pairs

LABELS = Path("labels.yaml")

READ: list[tuple[str, Pairs]] = [
    ("", ()),
    ("tiger moth: 1\nwasp: 0\n", (("tiger moth", "1"), ("wasp", "0"))),
    ("--- \r\nmoth: 1\r\n\r\n  # why: so\r\nwasp : -1 # why", (("moth", "1"), ("wasp", "-1"))),
    ("a:b: 1\nhttp://x y: 0\nc#d: ", (("a:b", "1"), ("http://x y", "0"), ("c#d", ""))),
    ('Dee\'s "x", Jr.: 1\nx: a, b', (('Dee\'s "x", Jr.', "1"), ("x", "a, b"))),
    ("'it''s: 1': 1\n\"a \\\"b\\\" # \\u00e4\": 'no'", (("it's: 1", "1"), ('a "b" # ä', "no"))),
    ("{tiger moth: 1,\n# a note\nwasp: , bee: }", (("tiger moth", "1"), ("wasp", ""), ("bee", ""))),
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
def test_pairs_are_read_as_yaml_defines_them(text: str, pairs: Pairs) -> None:
    assert yaml_pairs(LABELS, text) == pairs


REFUSED = {
    "- moth: 1": 1,
    "moth: 1\nwasp": 2,
    "moth:1": 1,
    "{moth: 1\n": 1,
    "{moth: 1}\nwasp: 0": 2,
    "{moth: 1}}": 1,
    "{moth: '1' x}": 1,
    "{,}": 1,
    "# a note\nmoth: [1]": 2,
    "moth: &one 1": 1,
    "a: &x {b: 1}\nc: *x": 1,
    "a: !!int 1": 1,
    "!!python/object:os.system {a: 1}": 1,
    "a: 1\n---\nb: 2": 2,
    "? [a]\n: 1": 1,
    "a: \x07": 1,
    "~": 1,
    "moth: *one": 1,
    "moth: a: b": 1,
    "moth: 1\n wasp: 0": 2,
    "\tmoth: 1": 1,
    '"\\x": 1': 1,
    "--- moth: 1": 1,
    "a:\n  b:\n    c: 1": 3,
    "{a: {b: {c: 1}}}": 1,
}


@pytest.mark.parametrize("text", REFUSED, ids=repr)
def test_anything_but_pairs_is_refused_with_its_line(text: str) -> None:
    said = rf"labels.yaml cannot be read as labels from line {REFUSED[text]} on: .* tiger moth: 1"
    with pytest.raises(ValueError, match=said):
        yaml_pairs(LABELS, text)


@pytest.mark.parametrize(
    "text",
    ["a" + " " * 300_000 + "#x", '"' + "\\" * 300_001, "{a: " * 100_000, "{" + " #" * 200_000],
    ids=["blanks", "backslashes", "braces", "comments"],
)
def test_malformed_text_is_refused_quickly(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ValueError, match="cannot be read as labels from line 1 on"):
        yaml_pairs(LABELS, text)
    assert time.process_time() - start < 1.0  # CPU time, not affected by other processes


def test_values_stay_as_they_are_written() -> None:
    """YAML would read these as true, 8, a date and a base-60 number."""
    text = "a: yes\nb: 010\nc: 2024-01-01\nd: 1:30\na: no"
    assert [value for _, value in yaml_pairs(LABELS, text)] == text.replace("\n", ": ").split(": ")[
        1::2
    ]


def test_aliases_cannot_multiply_a_small_file() -> None:
    """Nine levels of ten aliases each would be 10^9 values."""
    levels = [
        "a: &a [1]",
        *(
            f"{chr(98 + k)}: &{chr(98 + k)} [{', '.join(['*' + chr(97 + k)] * 10)}]"
            for k in range(9)
        ),
    ]
    with pytest.raises(ValueError, match=r"from line 1 on: .* without lists, anchors and tags"):
        yaml_pairs(LABELS, "\n".join(levels))


def test_a_mapping_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapping, "MAX_YAML", 3)
    for name, text in (("labels.yaml", "moth: 1"), ("labels.json", '{"moth": 1}')):
        (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match="is too large for a mapping of items to labels"):
        read_pairs(tmp_path / "labels.yaml")
    assert read_pairs(tmp_path / "labels.json") == (("moth", "1"),)


def test_without_pyyaml_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match=r"Labels in YAML need PyYAML: pip install 'homeroom\[ya"):
        yaml_pairs(LABELS, "moth: 1")
