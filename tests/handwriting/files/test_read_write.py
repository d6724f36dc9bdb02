from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from homeroom._checks import InputError
from homeroom.handwriting import Ink, Stroke, model_letter, read_ink, sheet, write_ink
from homeroom.handwriting.files.inkml import InkMl
from homeroom.handwriting.files.read_write import FORMATS, InkJsonLines, SvgSheet

FORMAT = InkJsonLines()


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
        ('{"strokes": []}', r"line 1: `strokes` must contain at least one stroke"),
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
def test_an_invalid_letter_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        FORMAT.read(text)


def test_a_drawing_is_a_sheet() -> None:
    inks = [model_letter("a"), model_letter("b")]
    assert "".join(SvgSheet().write(inks)) == sheet(inks)


def test_a_drawing_is_not_ink() -> None:
    text = sheet([model_letter("a")])
    assert SvgSheet().recognises(text)
    assert not InkMl().recognises(text)
    with pytest.raises(ValueError, match=r"SVG is a picture of ink, .* store .jsonl or .inkml"):
        SvgSheet().read(text)


NUMBERS = st.floats(-1e6, 1e6) | st.floats(-1e99, 1e99)
WORDS = st.text(min_size=1, max_size=8).filter(lambda t: t.isprintable() and t == t.strip())


@st.composite
def stroke(draw: st.DrawFn) -> Stroke:
    points = draw(arrays(np.float64, st.tuples(st.integers(1, 6), st.just(2)), elements=NUMBERS))
    clock = arrays(np.float64, len(points), elements=st.floats(0, 1e6))
    press = arrays(np.float64, len(points), elements=st.floats(0, 1))
    times = np.sort(draw(clock)) if draw(st.booleans()) else None
    felt = draw(press) if draw(st.booleans()) else None
    return Stroke(points, times, felt)


def after(strokes: list[Stroke]) -> tuple[Stroke, ...]:
    """Return the strokes with times one after the other."""
    now, moved = 0.0, []
    for one in strokes:
        times = None if one.times is None else np.maximum(one.times + now, now)
        now = now if times is None else times[-1]
        moved.append(Stroke(one.points, times, one.pressures))
    return tuple(moved)


@st.composite
def ink(draw: st.DrawFn) -> Ink:
    strokes = draw(st.lists(stroke(), min_size=1, max_size=3))
    return Ink(after(strokes), draw(st.none() | WORDS), draw(st.none() | WORDS))


def round_trip(inks: list[Ink], name: str) -> list[Ink]:
    with tempfile.TemporaryDirectory() as folder:
        write_ink(inks, Path(folder) / name)
        assert [path.name for path in Path(folder).iterdir()] == [name]
        return read_ink(Path(folder) / name)


def assert_same(one: Ink, other: Ink) -> None:
    assert (one.letter, one.writer) == (other.letter, other.writer)
    assert len(one.strokes) == len(other.strokes)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.points, b.points)
        for name in ("times", "pressures"):
            before, again = getattr(a, name), getattr(b, name)
            assert (before is None) == (again is None), name
            if before is not None:
                np.testing.assert_array_equal(before, again)


def assert_all_same(inks: list[Ink], others: list[Ink]) -> None:
    assert len(inks) == len(others)
    for one, other in zip(inks, others, strict=True):
        assert_same(one, other)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x.jsonl", "x.inkml"])
@settings(deadline=None, max_examples=50)
@given(inks=st.lists(ink(), min_size=1, max_size=3))
def test_lossless_formats_keep_everything_exactly(name: str, inks: list[Ink]) -> None:
    assert_all_same(inks, round_trip(inks, name))


@settings(deadline=None, max_examples=50)
@given(text=st.text(max_size=60) | st.binary(max_size=60))
@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_any_file_is_read_or_refused(form: Any, text: str | bytes) -> None:
    """The only exception is ValueError, with one sentence about that file."""
    suffix = form.suffixes[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
        refusal = ""
        try:
            assert read_ink(path)
        except ValueError as reason:
            refusal = str(reason)
    assert not refusal or str(path) in refusal
    assert "\n" not in refusal


@settings(deadline=None, max_examples=50)
@given(
    cut=st.integers(0, 400), dropped=st.integers(0, 40), put=st.sampled_from(["", "x", " ", "9"])
)
@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_damaged_file_is_read_or_refused(form: Any, cut: int, dropped: int, put: str) -> None:
    whole = "".join(form.write([Ink((Stroke([[1, 2], [3, 4]], [0.0, 0.5], [0, 1]),), "f", "Ada")]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"f{form.suffixes[0]}"
        path.write_text(whole[:cut] + put + whole[cut + dropped :], encoding="utf-8")
        refusal = ""
        try:
            assert read_ink(path)
        except ValueError as reason:
            refusal = str(reason)
    assert not refusal or str(path) in refusal
    assert "\n" not in refusal


def test_the_content_determines_the_format(tmp_path: Path) -> None:
    for form in FORMATS[:-1]:
        timed = Ink((Stroke([[1, 2], [3, 4]], [0.0, 0.5]),), letter="f")
        write_ink([timed], tmp_path / f"f{form.suffixes[0]}")
        (tmp_path / f"f{form.suffixes[0]}").rename(tmp_path / "f.ink")
        (again,) = read_ink(tmp_path / "f.ink")
        np.testing.assert_array_equal(again.points, [[1, 2], [3, 4]])
        assert again.letter == "f"


def test_a_file_with_a_letter_keeps_it(tmp_path: Path) -> None:
    write_ink([model_letter("a")], tmp_path / "b.jsonl")
    assert read_ink(tmp_path / "b.jsonl", letter="c")[0].letter == "a"


def test_y_may_grow_the_other_way(tmp_path: Path) -> None:
    path = tmp_path / "digits.jsonl"
    path.write_text('{"strokes": [{"points": [[1, 2]]}]}', encoding="utf-8")
    np.testing.assert_array_equal(read_ink(path, letter="1")[0].points, [[1, 2]])
    (turned,) = read_ink(path, letter="1", y_up=True)
    np.testing.assert_array_equal(turned.points, [[1, -2]])
    assert turned.letter == "1"


def test_text_of_windows_is_read(tmp_path: Path) -> None:
    text = '{"strokes": [{"points": [[1, 2]]}], "letter": "ñ"}\r\n'
    for encoding in ("utf-8-sig", "utf-16"):
        (tmp_path / "x.jsonl").write_bytes(text.encode(encoding))
        assert read_ink(tmp_path / "x.jsonl")[0].letter == "ñ"


REFUSED: list[tuple[str, bytes, str]] = [
    ("x.jsonl", b"", r"x.jsonl is empty"),
    ("x.inkml", b" \n\n", r"x.inkml is empty"),
    ("x.inkml", b"<ink/>", r"cannot be read as ink: it contains no stroke"),
    (
        "x.bin",
        b"\x89PNG\r\n\x1a\n\x00\x00",
        r"scans and photos of letters cannot be read",
    ),
    (
        "x.jsonl",
        b"\x00\x01\x02",
        r"as ink: it must be text, but has zero bytes in it",
    ),
    ("x.txt", '{"letter": "ñ"}'.encode("latin-1"), r"it must be text in UTF-8, but is not"),
    ("x.csv", b"hello, world\n", r"it must be InkML, or JSON lines"),
    ("x.unipen", b".VERSION 1.0\n", r"it must be InkML, or JSON lines"),
    ("x.jsonl", b"hello\n", r"cannot be read as ink: line 1 must be one JSON object"),
    ("x.inkml", b"hello\n", r"cannot be read as ink: it is not well-formed XML"),
    ("x.svg", b"<svg/>", r"cannot be read as ink: SVG is a picture of ink"),
]


@pytest.mark.parametrize(
    ("name", "data", "sentence"), REFUSED, ids=[f"{i}-{r[0]}" for i, r in enumerate(REFUSED)]
)
def test_a_file_without_ink_is_refused(
    tmp_path: Path, name: str, data: bytes, sentence: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ValueError, match=sentence):
        read_ink(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="There is no file"):
        read_ink(tmp_path / "x.jsonl")


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "x.jsonl").open("wb") as file:
        file.truncate(1 << 40)  # a hole, not a tebibyte
    start = time.process_time()
    with pytest.raises(ValueError, match=r"x.jsonl has 1048576 MiB"):
        read_ink(tmp_path / "x.jsonl")
    assert time.process_time() - start < 1.0  # of processor time, independent of other processes


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".jsonl", ".inkml"])
def test_a_million_points_are_refused_in_one_sentence(tmp_path: Path, suffix: str) -> None:
    pairs = 1_000_000
    text = {
        ".jsonl": '{"strokes": [{"points": [' + "[0, 1]," * (pairs - 1) + "[0, 1]]}]}",
        ".inkml": "<ink><trace>" + "0 1," * (pairs - 1) + "0 1</trace></ink>",
    }[suffix]
    (tmp_path / f"x{suffix}").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="at most 100,000 points, but this one has 1,000,000"):
        read_ink(tmp_path / f"x{suffix}")


def test_ink_can_be_written_from_right_to_left(tmp_path: Path) -> None:
    backwards = Ink((Stroke([[9, 0], [0, 0]]),), letter="-")
    write_ink([backwards], tmp_path / "x.jsonl")
    np.testing.assert_array_equal(read_ink(tmp_path / "x.jsonl")[0].points, [[9, 0], [0, 0]])


def test_an_unknown_ending_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must end in one of .inkml, .jsonl, .* ends in 'nothing"):
        write_ink([model_letter("a")], tmp_path / "x")


def test_an_empty_list_of_ink_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="There is no ink to write into"):
        write_ink([], tmp_path / "x.jsonl")


def test_no_partial_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text("old", encoding="utf-8")

    def write_half(*_: object) -> Iterator[str]:
        yield "half"
        raise InputError("the disk is full")

    monkeypatch.setattr(InkJsonLines, "write", write_half)
    with pytest.raises(ValueError, match="the disk is full"):
        write_ink([model_letter("a")], path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is a folder: give a file of ink in it"):
        read_ink(tmp_path)


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be written: No such file or directory"):
        write_ink([model_letter("a")], tmp_path / "no" / "x.jsonl")


def test_one_ink_need_not_be_a_list(tmp_path: Path) -> None:
    write_ink(model_letter("a"), tmp_path / "x.inkml")
    assert_same(read_ink(tmp_path / "x.inkml")[0], model_letter("a"))


def test_a_sheet_has_the_given_title_and_captions(tmp_path: Path) -> None:
    inks = [model_letter("a"), model_letter("b")]
    write_ink(inks, tmp_path / "x.svg", captions=["1", "2"], title="two", ruled=True)
    written = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert written == sheet(inks, captions=["1", "2"], title="two", ruled=True)


def test_only_sheets_have_captions(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"`captions`, `title` and `ruled` are for .svg, but"):
        write_ink([model_letter("a")], tmp_path / "x.jsonl", ruled=True)


GOOD = [[0, 0], [3, 4]]
ONE_WRONG = {
    "x.jsonl": (
        '{"strokes": [{"points": [[0, 0], [3, 4]]}]}\n'
        '{"strokes": [{"points": [[0, 0]]}, {"points": []}]}\n'
        '{"strokes": [{"points": [[0, 0], [3, 4]]}]}\n',
        "line 2: A stroke must have at least one point",
    ),
    "x.inkml": (
        "<ink><traceGroup><trace>0 0, 3 4</trace></traceGroup>"
        "<traceGroup><trace></trace><trace>1 1</trace></traceGroup>"
        "<traceGroup><trace>0 0, 3 4</trace></traceGroup></ink>",
        "trace 2 must have at least one point, but is empty",
    ),
}


@pytest.mark.parametrize("name", ONE_WRONG)
def test_one_wrong_letter_is_refused_or_left_out(tmp_path: Path, name: str) -> None:
    path, (text, sentence) = tmp_path / name, ONE_WRONG[name]
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"{name} cannot be read as ink: {sentence}"):
        read_ink(path)
    reported: list[str] = []
    inks = read_ink(path, leave_out=reported.append)
    assert [ink.points.tolist() for ink in inks] == [GOOD, GOOD]
    (said,) = reported
    assert said.startswith(f"{path}, {sentence}")


def test_where_no_letter_can_be_read_nothing_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("{}\n" * 3, encoding="utf-8")
    reported: list[str] = []
    with pytest.raises(
        ValueError, match=r"x.jsonl cannot be read as ink: line 1 must be a JSON object"
    ):
        read_ink(tmp_path / "x.jsonl", leave_out=reported.append)
    assert not reported


def test_a_file_with_too_many_unreadable_letters_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("{}\n" * 2000, encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"more than 1,000 letters are unreadable; the first: line 1 m"
    ):
        read_ink(tmp_path / "x.jsonl", leave_out=print)


def test_a_malicious_document_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.inkml").write_text(
        '<!DOCTYPE ink [<!ENTITY a "a">]><ink><trace>0 0, 3 4</trace></ink>', encoding="utf-8"
    )
    with pytest.raises(ValueError, match="it declares a document type or entities"):
        read_ink(tmp_path / "x.inkml", leave_out=print)


@pytest.mark.parametrize(
    "start",
    [
        b"\xff\xd8\xff\xe0 a photo",
        b"\x89PNG\r\n\x1a\n",
        b"%PDF-1.7",
        b"\0\0\0\x18ftypheic",
        b"RIFF\0\0\0\0WEBP",
        b"II*\0",
    ],
)
def test_a_photo_is_refused_with_what_to_do_instead(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "page.jpg"
    path.write_bytes(start + bytes(100))
    with pytest.raises(ValueError, match=r"scans and photos of letters cannot be read.*inkml file"):
        read_ink(path)
