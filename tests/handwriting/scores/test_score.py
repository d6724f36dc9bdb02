"""Letters that can be scored, the three scores, and the most typical letter."""

from __future__ import annotations

import string
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from benchmarks.ink_formats import read_letters
from homeroom._arrays import Floats
from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators import Kinematic, Knobs, Ranges, generate
from homeroom.handwriting.generators.knobs import knob_columns
from homeroom.handwriting.letters import ALPHABET, LETTERS, forms_of, model_letter
from homeroom.handwriting.scores import (
    FEATURES,
    Scores,
    form_choice,
    score,
    score_all,
    score_each,
    typical,
)
from homeroom.handwriting.scores.form_choice import UNRECOGNISABLE, choose_forms
from homeroom.handwriting.scores.score import (
    NO_FORM,
    WORD,
    as_forms,
    scorable_letters,
    why_not_scorable,
)

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
        ([Ink(LINE.strokes * 13)], ValueError, "more than 12 strokes, so it is a word or a page"),
        ([LINE, DOT], ValueError, "The letter number 1, counted from 0, is a single dot"),
    ],
)
def test_an_invalid_letter_is_refused(given: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        scorable_letters(given)


def page(lines: int, letters: int, traces: int) -> Ink:
    """Lines of letters, written without lifting the pen, or only a few times."""
    place = np.array([1.5, 2.5])
    text = [
        ink.points + place * [column, line]
        for line in range(lines)
        for column, letter in enumerate("handwriting"[:letters])
        for ink in Kinematic().write(letter, [Knobs(distortion=0.2)], line)
    ]
    parts = np.array_split(np.arange(len(text)), traces)
    return Ink(tuple(Stroke(np.concatenate([text[i] for i in part])) for part in parts))


@pytest.mark.parametrize(
    ("lines", "letters", "traces"), [(1, 8, 1), (1, 11, 2), (3, 6, 1), (3, 6, 3), (9, 11, 1)]
)
def test_a_page_in_one_trace_or_a_few_is_refused(lines: int, letters: int, traces: int) -> None:
    with pytest.raises(ValueError, match="longer line than any letter, so it is a word or a page"):
        score(page(lines, letters, traces), "m")


@pytest.mark.slow
def test_no_form_is_taken_for_a_page_however_shaky() -> None:
    forms = [form for letter in ALPHABET for form in forms_of(letter).values()]
    shaky = [Kinematic(form).write("x", [Knobs(shakiness=0.9)])[0] for form in forms[::3]]
    assert scorable_letters(forms) == forms
    assert scorable_letters(shaky) == shaky


def test_forms_are_a_letters_name_one_model_or_several() -> None:
    assert as_forms("f") is forms_of("f")
    assert list(as_forms(LINE).values()) == [LINE]
    assert as_forms({"mine": LINE}) == {"mine": LINE}


def test_an_invalid_model_is_refused() -> None:
    for wrong in (3, {}, {"mine": 3}):
        with pytest.raises(TypeError, match="must be an Ink, the name of a letter"):
            as_forms(wrong)
    for dots in (DOT, {"a line": LINE, "a dot": DOT}):
        with pytest.raises(ValueError, match="`model` is a single dot"):
            as_forms(dots)


DATA = Path(__file__).parents[4] / "shared" / "data" / "ink"


def turn(degrees: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s], [s, c]])


@pytest.mark.parametrize("letter", LETTERS)
def test_the_model_has_no_defect(letter: str) -> None:
    found = score(model_letter(letter), letter)
    assert found.form == "cursive (Hershey)"
    assert found.vector.tolist() == [0.0, 0.0, 0.0]
    assert found.average == found.angle == found.slant == 0.0
    assert (found.mirrored, found.reversed, found.note) == (False, False, "")


@pytest.mark.slow
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


@pytest.mark.slow
def test_thousands_of_letters_take_a_moment() -> None:
    inks = Kinematic().write("f", Ranges().draw(2000))
    score_all(inks[:10], "f")
    start = time.process_time()
    score_all(inks, "f")
    assert time.process_time() - start < 4.0  # of work; 0.4 s on an idle core


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["a", "f", "ä", "E", "4"])
def test_one_letter_takes_at_most_fifteen_milliseconds(letter: str) -> None:
    """Of work, once its forms are ready; these letters have many forms, or several strokes."""
    forms = forms_of(letter).values()
    inks = [Kinematic(form).write(letter, Ranges(rotation=40).draw(1))[0] for form in forms]
    for ink in inks:
        score(ink, letter)
        assert min(_seconds(ink, letter) for _ in range(5)) < 0.015


def _seconds(ink: Ink, letter: str) -> float:
    start = time.process_time()
    score(ink, letter)
    return time.process_time() - start


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
    assert not found.fits
    assert found.note.startswith("This does not look like any form of the model")
    assert np.isnan([*found.vector, found.average, found.angle, found.slant]).all()
    assert not found.mirrored
    assert not found.form
    assert np.isnan(score_all([model_letter(letter)], other)).all()


@pytest.mark.parametrize("letter", "aehkn7")
def test_a_letter_that_is_turned_over_is_not_written_well(letter: str) -> None:
    """No map may reflect a form: a letter with its top below is another letter, or none."""
    over = model_letter(letter, "print").moved(np.diag([1.0, -1.0]), np.zeros(2))
    found = score(over, letter)
    assert not found.fits or found.distortion > 0.8


@pytest.mark.parametrize(("letter", "other", "form"), [("M", "W", "print round"), ("b", "p", None)])
def test_a_letter_does_not_fit_the_one_that_it_is_when_turned_over(
    letter: str, other: str, form: str | None
) -> None:
    found = score(model_letter(letter, form), other)
    assert not found.fits or found.distortion > 0.8


@pytest.mark.slow
def test_almost_no_correct_letter_is_taken_for_another() -> None:
    for letter in "aefm8":
        found = score_each(Kinematic().write(letter, Ranges().draw(200)), letter)
        assert sum(bool(one.note) for one in found) <= 2


@pytest.mark.slow
@pytest.mark.parametrize("letter", ALPHABET)
def test_every_form_is_recognised_as_itself(letter: str) -> None:
    """No form is so close to another form of its letter that they are mistaken."""
    forms = forms_of(letter)
    for name, found in zip(forms, score_each(list(forms.values()), letter), strict=True):
        assert found.form == name
        assert found.average == 0.0
        assert found.note == ""


def test_the_letters_of_a_writer_are_compared_with_one_form() -> None:
    """The form is chosen from the first letters, unless a later one looks only like another."""
    plain, cursive = model_letter("n", "print"), model_letter("n", "cursive")
    tries = [plain, plain, plain, cursive]
    ada = score_each([replace(ink, writer="Ada") for ink in tries], "n")
    assert [one.form for one in ada] == ["print"] * 3 + ["cursive"]
    assert ada[3].average < 0.05
    # A distorted letter that fits another form better still looks like the usual one.
    alike = forms_of("s")
    mixed = [alike["print"]] * 3 + [alike["print with a wide foot"]]
    bea = score_each([replace(ink, writer="Bea") for ink in mixed], "s")
    assert len({one.form for one in bea}) == 1
    assert all(one.fits for one in bea)


def test_a_round_letter_has_no_rotation() -> None:
    ring = model_letter("o", "print")
    found = score(ring.moved(turn(30.0), np.zeros(2)), {"print": ring})
    assert np.isnan(found.angle)
    assert found.rotation == 0.0
    assert found.fits


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["n", "m", "a", "x", "8", "0", "A", "M", "T"])
def test_an_upright_form_is_never_mirror_writing(letter: str) -> None:
    """Even if its mirror image fits as well, or almost."""
    for form in forms_of(letter).values():
        found = score_each(Kinematic(form).write(letter, Ranges().draw(20)), letter)
        assert not any(one.mirrored for one in found)


@pytest.mark.parametrize(
    ("letter", "usual", "other"),
    [("v", "cursive", "print"), ("o", "print with a loop", "print"), ("8", "print", "cursive")],
)
def test_another_form_than_usual_is_not_mirror_writing(letter: str, usual: str, other: str) -> None:
    """Its mirror image fits better than the usual form does, but not better than every form."""
    inks = [*[model_letter(letter, usual)] * 5, model_letter(letter, other)]
    last = score_each([replace(ink, writer="Ada") for ink in inks], letter)[5]
    assert not last.mirrored


@pytest.mark.parametrize("letter", "rszRkE")
def test_a_mirrored_letter_of_a_child_is_recognised(letter: str) -> None:
    model = model_letter(letter)
    inks = [*[model] * 5, model.moved(np.diag([-1.0, 1.0]), np.zeros(2))]
    found = score_each([replace(ink, writer="Ada") for ink in inks], letter)
    assert [one.mirrored for one in found] == [False] * 5 + [True]


def test_times_give_the_fraction_of_tremor() -> None:
    shaky = Kinematic().write("m", [Knobs(shakiness=0.5)])[0]
    assert 0.0 < (score(shaky, "m").tremor or 0.0) < 1.0
    assert score(model_letter("m"), "m").tremor is None


@pytest.fixture(scope="module")
def people() -> dict[str, dict[str, list[Ink]]]:
    """Letters of adults, and letters written badly on purpose."""
    if not DATA.is_dir():
        pytest.skip("the letters of real people are not here")
    return {kind: by_letter(DATA / kind) for kind in ("uji", "bad")}


@pytest.mark.slow
@pytest.mark.parametrize("unfitting", [1.0, None])
def test_letters_written_badly_on_purpose_are_worse(
    people: dict[str, dict[str, list[Ink]]], unfitting: float | None
) -> None:
    """With the shipped forms, and a limit of the fit from generated letters.

    Letters that fit no form count as the worst, or are left out.
    """
    areas = []
    for letter, inks in people["bad"].items():
        good, worse = (
            averages(score_each(some, letter), unfitting) for some in (people["uji"][letter], inks)
        )
        assert worse.mean() > good.mean(), letter
        areas.append((worse[:, None] > good).mean() + 0.5 * (worse[:, None] == good).mean())
    assert np.mean(areas) >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0.3, 0.35, 0.6])
def test_bad_letters_are_worse_with_other_limits_of_the_fit(
    people: dict[str, dict[str, list[Ink]]], limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A letter that fits no form counts as the worst."""
    monkeypatch.setattr(form_choice, "UNRECOGNISABLE", limit)
    areas = []
    unfitting = []
    for letter, inks in people["bad"].items():
        usual = score_each(people["uji"][letter], letter)
        good, worse = averages(usual, 1.0), averages(score_each(inks, letter), 1.0)
        assert worse.mean() > good.mean(), letter
        areas.append((worse[:, None] > good).mean() + 0.5 * (worse[:, None] == good).mean())
        unfitting += [not one.fits for one in usual]
    assert np.mean(areas) >= 0.8
    assert np.mean(unfitting) <= 0.1


@pytest.mark.slow
def test_letters_of_adults_fit_upright_forms(people: dict[str, dict[str, list[Ink]]]) -> None:
    every = [one for letter, inks in people["uji"].items() for one in score_each(inks, letter)]
    assert np.mean([not one.fits for one in every]) <= 0.1
    assert np.mean([one.mirrored for one in every]) <= 0.01
    assert np.nanmedian([abs(one.angle) for one in every]) <= 12


@pytest.mark.slow
def test_letters_of_adults_fit_their_own_letter_best(
    people: dict[str, dict[str, list[Ink]]],
) -> None:
    inks = [ink for some in people["uji"].values() for ink in some[::4]]
    fits = [choose_forms(inks, forms_of(letter)).misfit for letter in string.ascii_lowercase]
    best = np.argmin(fits, axis=0)
    own = [string.ascii_lowercase[k] == ink.letter for k, ink in zip(best, inks, strict=True)]
    assert np.mean(own) >= 0.65


@pytest.mark.slow
def test_a_page_of_a_hundred_letters_takes_two_seconds(
    people: dict[str, dict[str, list[Ink]]],
) -> None:
    page = {letter: inks[:8] for letter, inks in people["uji"].items()}
    for letter, inks in page.items():
        score(inks[0], letter)
    start = time.process_time()
    found = [score(ink, letter) for letter, inks in page.items() for ink in inks]
    used = time.process_time() - start
    assert used / len(found) < 0.02  # of work: 0.2 ms per letter and form if scored together


def by_letter(folder: Path) -> dict[str, list[Ink]]:
    found: dict[str, list[Ink]] = {}
    for path in sorted(folder.glob("*.dat")):
        found.setdefault(path.stem[0], []).extend(read_letters(path, letter=path.stem[0]))
    return found


def averages(scores: list[Scores], unfitting: float | None) -> Floats:
    """Return the average scores, with this value for letters that fit no form, or without them."""
    rows = [one.average if one.fits else unfitting for one in scores]
    return np.array([row for row in rows if row is not None])


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


def test_a_letter_can_be_compared_with_a_straight_model() -> None:
    """Such a model leaves the errors of slant and rotation without a limit."""
    straight = Ink((Stroke([[0.0, 0.0], [0.0, 1.0]]),))
    letters = generate("t", 40, seed=11) + generate("g", 40, seed=11)
    assert score_all(letters, straight).shape == (80, 3)
    assert score_all(letters, "l").shape == (80, 3)


def joined(word: str) -> Ink:
    """Return a word in one line: the letters one after the other."""
    parts, right = [], 0.0
    for letter in word:
        points = model_letter(letter).points
        parts.append(points - [points[:, 0].min() - right, 0.0])
        right += float(np.ptp(points[:, 0])) + 0.1
    return Ink((Stroke(np.concatenate(parts)),))


def test_few_short_words_in_one_line_have_scores() -> None:
    """Words of three to five letters: most are withheld with a sentence, or refused."""
    words = ["and", "bob", "cat", "sun", "wave", "moon", "tree", "hello", "llama", "robot"]
    inks = {word: ink for word in words if not why_not_scorable(ink := joined(word))}
    found = [score(ink, letter) for word, ink in inks.items() for letter in (word[0], "m")]
    assert all("no scores" in one.note for one in found if not one.fits)
    assert sum(one.fits for one in found) <= 0.2 * 2 * len(words)


def test_no_generated_letter_is_taken_for_a_word() -> None:
    for letter in LETTERS[::4]:
        inks = generate(letter, 30, seed=5)
        assert not any("word" in one.note for one in score_each(inks, letter))


def test_generated_letters_fit_a_form_and_few_other_inks_do() -> None:
    """The limit of the fit separates letters from joined letters and from smooth random lines."""
    rng = np.random.default_rng(7)
    waves = np.cos(np.outer(np.linspace(0.0, np.pi, 120), np.arange(1, 7)))
    fits: dict[str, list[bool]] = {"letter": [], "joined": [], "scribble": []}
    notes = set()
    for number, letter in enumerate(string.ascii_lowercase):
        sizes = rng.standard_normal((6, 6, 2)) / np.arange(1, 7)[:, None]
        inks = {
            "letter": generate(letter, 6, seed=number, distortion=(0.0, 0.95)),
            "joined": [generate(letter + other, seed=number)[0] for other in "acflnu"],
            "scribble": [Ink((Stroke(waves @ size),)) for size in sizes],
        }
        for kind, some in inks.items():
            found = score_each(some, letter)
            fits[kind] += [one.fits for one in found]
            notes |= {one.note for one in found if not one.fits}
    assert notes == {NO_FORM, WORD}
    assert np.mean(fits["letter"]) >= 0.95
    assert np.mean(fits["joined"]) <= 0.05
    assert np.mean(fits["scribble"]) <= 0.3


def test_nine_of_ten_letters_with_the_strongest_distortion_fit_a_form() -> None:
    """The limit of the fit: nine of ten of the most distorted generated letters are within it."""
    inks = {letter: generate(letter, 20, seed=7, distortion=0.95) for letter in LETTERS[::3]}
    distances = [choose_forms(own, forms_of(letter)).reading.form for letter, own in inks.items()]
    assert np.quantile(np.concatenate(distances), 0.9) == pytest.approx(UNRECOGNISABLE, abs=0.06)
