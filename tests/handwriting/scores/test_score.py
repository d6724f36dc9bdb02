"""Letters that can be scored, the three scores, and the most typical letter."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.files import read_ink
from homeroom.handwriting.generators import Kinematic, Knobs, Ranges
from homeroom.handwriting.generators.knobs import knob_columns
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.scores import FEATURES, score, score_all, score_each, typical
from homeroom.handwriting.scores.score import as_model, scorable_letters

DOT = Ink((Stroke([[1, 2]]), Stroke([[3, 4], [3, 4]])))
LINE = Ink((Stroke([[0, 0], [1, 1]]),))


def test_letters_with_a_line_are_accepted() -> None:
    assert scorable_letters((LINE,)) == [LINE]


@pytest.mark.parametrize(
    ("given", "kind", "sentence"),
    [
        (LINE, TypeError, r"one letter: write \[ink\]"),
        ([], ValueError, "at least one letter, but is empty"),
        (["f"], TypeError, "must contain Ink objects, but has str"),
        ([DOT], ValueError, "The letter is a single dot: the pen never moves"),
        ([LINE, DOT], ValueError, "The letter number 1, counted from 0, is a single dot"),
    ],
)
def test_an_invalid_letter_is_refused(given: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        scorable_letters(given)


def test_a_model_can_be_given_by_its_name() -> None:
    assert as_model("f") is model_letter("f")
    assert as_model(LINE) is LINE


def test_an_invalid_model_is_refused() -> None:
    with pytest.raises(TypeError, match="must be an Ink or the name of a letter"):
        as_model(3)
    with pytest.raises(ValueError, match="`model` is a single dot"):
        as_model(DOT)


DATA = Path(__file__).parents[4] / "shared" / "data" / "ink"


def turn(degrees: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s], [s, c]])


@pytest.mark.parametrize("letter", LETTERS)
def test_the_model_has_no_defect(letter: str) -> None:
    found = score(model_letter(letter), letter)
    assert found.vector.tolist() == [0.0, 0.0, 0.0]
    assert found.average == found.angle == found.slant == 0.0
    assert (found.mirrored, found.reversed, found.note) == (False, False, "")


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("degrees", [-35.0, 20.0])
def test_a_rotation_is_given_in_degrees(letter: str, degrees: float) -> None:
    turned = model_letter(letter).moved(8 * turn(degrees), np.array([40.0, 3.0]))
    found = score(turned, letter)
    assert found.angle == pytest.approx(degrees, abs=1e-6)
    assert found.distortion == found.shakiness == 0.0


def test_an_f_written_at_twenty_degrees_measures_twenty() -> None:
    inks = Kinematic().write("f", [Knobs(rotation=20.0, tempo=tempo) for tempo in (0.85, 1, 1.18)])
    for found in score_each(inks, "f"):
        assert found.angle == pytest.approx(20.0, abs=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("letter", LETTERS)
def test_each_score_follows_its_own_knob_and_no_other(letter: str) -> None:
    """With random knobs, Spearman's correlation is at least .88 with its own, at most .15 else."""
    knobs = Ranges().draw(1000, (1, ord(letter)))
    found = score_all(Kinematic().write(letter, knobs), letter)
    dials = knob_columns(knobs)
    truth = [dials["distortion"], np.abs(dials["rotation"]), dials["shakiness"]]
    others = [np.abs(dials["shear"]), dials["shear"], dials["aspect"], dials["size"]]
    for at, name in enumerate(FEATURES):
        own, *rest = (
            abs(spearmanr(found[:, at], knob).statistic)
            for knob in (truth[at], *truth[:at], *truth[at + 1 :], *others)
        )
        assert own >= 0.88, name
        assert max(rest) <= 0.15, name


def test_scores_are_close_to_the_knobs() -> None:
    knobs = [Knobs(distortion=0.4), Knobs(rotation=22.5), Knobs(shakiness=0.4)]
    found = np.stack([score_all(Kinematic().write(x, knobs), x) for x in "afgmn"]).mean(axis=0)
    np.testing.assert_allclose(np.diag(found), [0.4, 0.5, 0.4], atol=0.08)
    assert found[~np.eye(3, dtype=bool)].max() < 0.15


def test_thousands_of_letters_take_a_moment() -> None:
    inks = Kinematic().write("f", Ranges().draw(2000))
    score_all(inks[:10], "f")
    start = time.process_time()
    score_all(inks, "f")
    assert time.process_time() - start < 4.0  # of work; 0.4 s on an idle core


def test_many_letters_have_the_scores_that_each_has_alone() -> None:
    inks = Kinematic().write("k", Ranges().draw(5))
    np.testing.assert_allclose(
        score_all(inks, "k"), [score(ink, "k").vector for ink in inks], atol=1e-6
    )


def test_a_backward_letter_is_recognised() -> None:
    back = Ink((Stroke(model_letter("f").points[::-1]),))
    found = score(back, "f")
    assert found.reversed
    assert "from its end to its start" in found.note
    assert found.distortion < 0.01


def test_a_mirrored_letter_is_recognised() -> None:
    mirrored = model_letter("f").moved(np.diag([-1.0, 1.0]), np.zeros(2))
    found = score(mirrored, "f")
    assert found.mirrored
    assert "mirror writing: the scores" in found.note
    both = score(Ink((Stroke(mirrored.points[::-1]),)), "f")
    assert both.mirrored
    assert both.reversed
    assert "mirror writing, traced" in both.note


@pytest.mark.parametrize(("letter", "other"), [("a", "m"), ("f", "o"), ("3", "k")])
def test_another_letter_does_not_look_like_the_model(letter: str, other: str) -> None:
    found = score(model_letter(letter), other)
    assert "does not look like the model" in found.note
    assert found.distortion > 0.9


def test_almost_no_correct_letter_is_taken_for_another() -> None:
    for letter in "aefm8":
        found = score_each(Kinematic().write(letter, Ranges().draw(200)), letter)
        assert sum(bool(one.note) for one in found) <= 2


def test_times_give_the_fraction_of_tremor() -> None:
    shaky = Kinematic().write("m", [Knobs(shakiness=0.5)])[0]
    assert 0.0 < (score(shaky, "m").tremor or 0.0) < 1.0
    assert score(model_letter("m"), "m").tremor is None


@pytest.mark.skipif(not DATA.is_dir(), reason="the letters of real people are not here")
@pytest.mark.parametrize("letter", ["e", "f", "m"])
def test_letters_written_badly_on_purpose_are_worse_than_adults(letter: str) -> None:
    """Relative to the adults' most typical letter, in each score and on average."""
    adults, bad = (read_ink(DATA / kind / f"{letter}.dat") for kind in ("uji", "bad"))
    model = typical(adults)
    good, worse = (score_all(inks, model).mean(axis=0) for inks in (adults, bad))
    assert (worse > good + 0.1).all()


def test_it_is_the_least_distorted_one() -> None:
    levels = [0.6, 0.5, 0.0, 0.55, 0.6, 0.5]
    inks = Kinematic().write("g", [Knobs(distortion=level) for level in levels])
    chosen, best = typical(inks).points, inks[2].points
    np.testing.assert_allclose(chosen[[0, -1]], best[[0, -1]], atol=0.05)
    assert score(typical(inks), "g").distortion < 0.1


def test_a_few_outliers_do_not_matter() -> None:
    inks = Kinematic().write("g", Ranges(distortion=0.2).draw(9))
    others = Kinematic().write("m", [Knobs()] * 3)
    assert score(typical([*inks, *others]), "g").distortion < 0.4


def test_an_empty_list_has_no_typical_letter() -> None:
    with pytest.raises(ValueError, match="at least one letter"):
        typical([])
