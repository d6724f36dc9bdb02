from __future__ import annotations

import pytest

from homeroom.handwriting import model_letter, sheet
from homeroom.handwriting.files.drawing import Drawing
from homeroom.handwriting.files.inkml import InkMl


def test_a_drawing_is_a_sheet() -> None:
    inks = [model_letter("a"), model_letter("b")]
    assert "".join(Drawing().write(inks)) == sheet(inks)


def test_a_drawing_is_not_ink() -> None:
    text = sheet([model_letter("a")])
    assert Drawing().recognises(text)
    assert not InkMl().recognises(text)
    with pytest.raises(ValueError, match=r"SVG is a picture of ink, .* keep .jsonl or .inkml"):
        Drawing().read(text)
