"""The measurement of people's letters, ``benchmarks/real_letters.py``, on generated ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import real_letters
from homeroom.handwriting import Ink, Stroke, generate, write_ink


def test_a_letter_is_that_of_the_file_or_else_of_its_name(tmp_path: Path) -> None:
    dot = Ink((Stroke([[0.0, 0.0]]),))
    write_ink([*generate("a", 2), *generate("B", 1)], tmp_path / "some.jsonl")
    write_ink([dot], tmp_path / "70.jsonl")
    write_ink([Ink(dot.strokes, letter="?")], tmp_path / "other.jsonl")
    found = real_letters.letters_in(tmp_path)
    assert {letter: len(inks) for letter, inks in found.items()} == {"7": 1, "B": 1, "a": 2}
    scores = real_letters.scores_of(found)
    assert [one.fits for one in scores["a"]] == [True, True]
    assert not scores["7"][0].fits  # a dot counts as a letter without a form


def test_every_bad_letter_is_compared_with_the_good_ones() -> None:
    good, bad = np.array([0.1, 0.3]), np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(real_letters.placements(good, bad), [0.5, 0.75, 1.0])
    assert real_letters.auc(good, bad) == pytest.approx(0.75)


@pytest.mark.slow
def test_letters_of_any_case_and_digits_are_measured_without_bad_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for letter in "gQ7":
        write_ink(generate(letter, 4, rotation=(-5, 5)), tmp_path / f"{letter}.jsonl")
    found = {line.what: line for line in real_letters.lines(tmp_path)}
    assert all(line.ok for line in found.values())
    for kind in ("lower-case letters", "capitals", "digits"):
        assert f"adults' letters that fit another letter best, {kind}" in found
    assert "| 0.35 |" in capsys.readouterr().out


@pytest.mark.slow
def test_forms_whose_absence_costs_most_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, distortion in (("uji", 0.2), ("bad", 0.6)):
        (tmp_path / folder).mkdir()
        for letter in "af":
            inks = generate(letter, 5, distortion=distortion, shakiness=distortion)
            write_ink(inks, tmp_path / folder / f"{letter}.jsonl")
    found = {line.what: line for line in real_letters.lines(tmp_path)}
    assert found["shipped forms, all: letters of 2 not worse if bad"].ours == 0
    assert "Left out: " in capsys.readouterr().out
    lost = found["without 7 forms, adults' letters without a fitting form"].ours
    assert lost >= found["adults' letters without a fitting form"].ours
