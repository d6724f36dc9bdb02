from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke, model_letter, sheet
from homeroom.handwriting.svg import path_of

SVG = "{http://www.w3.org/2000/svg}"


def letters_of(text: str) -> list[ET.Element]:
    return ET.fromstring(text).findall(f"{SVG}g[@stroke]/{SVG}path")


def box(path: ET.Element) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.array(re.findall(r"-?[\d.]+", path.attrib["d"]), dtype=float).reshape(-1, 2)
    return numbers.min(axis=0), numbers.max(axis=0)


def test_a_dot_is_a_line_of_length_zero() -> None:
    assert path_of(Stroke([[1, 2]])) == "M1 2L1 2"


def test_a_path_has_two_decimals_without_trailing_zeros() -> None:
    assert path_of(Stroke([[0.123456, -0.001], [100.0, 10.0]])) == "M0.12 0L100 10"


def test_every_letter_lies_in_its_own_cell() -> None:
    rng = np.random.default_rng(0)
    inks = [Ink((Stroke(rng.normal(5, 10.0**power, (9, 2))),)) for power in range(-3, 4)]
    text = sheet(inks, columns=3, captions=[])
    size = float(ET.fromstring(text).attrib["width"])
    width = (size - 32) / 3
    for at, path in enumerate(letters_of(text)):
        low, high = box(path)
        row, column = divmod(at, 3)
        assert 16 + column * width < low[0] < high[0] < 16 + (column + 1) * width
        assert 16 + row * width < low[1] < high[1] < 16 + (row + 1) * width
        assert max(high - low) == pytest.approx(104.0, abs=0.1)


def test_ruled_letters_share_a_scale_and_a_baseline() -> None:
    half = model_letter("a").moved(0.5 * np.eye(2), np.zeros(2))
    text = sheet([model_letter("a"), half, model_letter("l")], columns=3, ruled=True)
    (low, high), (small_low, small_high), _ = map(box, letters_of(text))
    assert high[1] == pytest.approx(small_high[1], abs=0.5)
    assert (high - low)[1] == pytest.approx(2 * (small_high - small_low)[1], abs=0.1)


def test_captions_have_letter_and_writer_and_are_escaped() -> None:
    inks = [Ink((Stroke([[0, 0], [1, 1]]),), letter="<", writer="Ada & Ben")]
    root = ET.fromstring(sheet(inks, title='A "sheet" of <'))
    assert [text.text for text in root.iter(f"{SVG}text")] == ['A "sheet" of <', "< · Ada & Ben"]


def test_captions_can_be_given_or_left_out() -> None:
    inks = [model_letter("a"), model_letter("b")]
    given = ET.fromstring(sheet(inks, captions=["0.1", "0.2"]))
    assert [text.text for text in given.iter(f"{SVG}text")] == ["0.1", "0.2"]
    assert not list(ET.fromstring(sheet(inks, captions=[])).iter(f"{SVG}text"))


def test_captions_must_fit_the_letters() -> None:
    with pytest.raises(ValueError, match="one text per letter, 2 in all, but there are 1"):
        sheet([model_letter("a")] * 2, captions=["a"])


def test_an_empty_sheet_is_refused() -> None:
    with pytest.raises(ValueError, match="A sheet needs at least one letter"):
        sheet([])


def test_a_letter_of_one_dot_can_be_drawn() -> None:
    (path,) = letters_of(sheet([Ink((Stroke([[7, 7]]),))]))
    assert path.attrib["d"] == "M80 80L80 80"
