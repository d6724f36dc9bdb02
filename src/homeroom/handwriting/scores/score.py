"""Score how well a letter is written: three defects, inspired by the BHK. Not a diagnosis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError, InputTypeError
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.letters import forms_of, model_from
from homeroom.handwriting.scores.form_choice import FormChoice, choose_forms
from homeroom.handwriting.scores.measurement import IN_MEMORY
from homeroom.handwriting.scores.registration import (
    TRACE_POINTS,
    standardise,
    stroke_lines,
    trace_letters,
)
from homeroom.handwriting.scores.scales import tremor_share

DOT_REASON = "is a single dot: the pen never moves, so there is no form to compare with a model"


def as_letters(inks: Any) -> list[Ink]:
    """Return the letters as a list; dots are allowed."""
    if isinstance(inks, Ink):
        raise InputTypeError("`inks` must be a list of letters, but is one letter: write [ink].")
    found = list(inks)
    for ink in found:
        if not isinstance(ink, Ink):
            raise InputTypeError(f"`inks` must contain Ink objects, but has {type(ink).__name__}.")
    return found


MOST_STROKES = 12
"""The most strokes of a letter; a word or a page has more."""

LONGEST = 38.0
"""The longest line of a letter, in standard deviations of its points.

Measured: people's letters have up to 30, the shaken forms up to 35, words of six letters from 39.
"""

LEAST_BREADTH = 0.2
"""The least standard deviation across a line, as a fraction of that along it: tremor is less."""

LENGTH_POINTS = 400
"""The number of points at which the length of a line is measured: a coarse line has no tremor."""

PAGE_REASON = "so it is a word or a page: split it into its letters, one ink per letter"


def why_not_scorable(ink: Ink) -> str:
    """Return why an ink has no scores, as the end of a sentence; empty if it is a letter."""
    return why_each_not_scorable([ink])[0]


def why_each_not_scorable(inks: Sequence[Ink]) -> list[str]:
    """Return why each of many inks has no scores, as the ends of sentences."""
    if not inks:
        return []
    lengths = _standard_lengths([ink if has_line(ink) else _ANY_LINE for ink in inks])
    return [_reason(ink, length) for ink, length in zip(inks, lengths.tolist(), strict=True)]


def _reason(ink: Ink, length: float) -> str:
    """Return why an ink has no scores; ``length`` is from :func:`_standard_lengths`."""
    if not has_line(ink):
        return DOT_REASON
    if len(ink.strokes) > MOST_STROKES:
        return f"has more than {MOST_STROKES} strokes, {PAGE_REASON}"
    return f"has a much longer line than any letter, {PAGE_REASON}" if length > LONGEST else ""


# Stands in for a dot, whose line has no length.
_ANY_LINE = Ink((Stroke([[0.0, 0.0], [1.0, 1.0]]),))


def _standard_lengths(inks: Sequence[Ink]) -> Floats:
    """Return the length of each letter's line, in standard deviations of its points.

    Each direction has its own deviation, so the line of a long word is as long as that of many
    letters on top of each other. Cost: about 0.05 ms per letter.
    """
    found = np.empty(len(inks))
    for start in range(0, len(inks), IN_MEMORY):
        own = [stroke_lines(ink, joined=True) for ink in inks[start : start + IN_MEMORY]]
        points, _ = standardise(trace_letters(own, np.array([LENGTH_POINTS])))
        xy = np.stack([points.real, points.imag], axis=-1).swapaxes(0, 1)
        values, axes = np.linalg.eigh(xy.swapaxes(1, 2) @ xy / LENGTH_POINTS)
        spread = np.sqrt(np.maximum(values, LEAST_BREADTH**2 * values[:, 1:]))
        steps = np.diff(xy, axis=1) @ axes / spread[:, None, :]
        found[start : start + len(own)] = np.hypot(steps[..., 0], steps[..., 1]).sum(axis=1)
    return found


def scorable_letters(inks: Any) -> list[Ink]:
    """Return the letters as a list; refuse a dot, a word and a page."""
    found = as_letters(inks)
    if not found:
        raise InputError("`inks` must contain at least one letter, but is empty.")
    for at, reason in enumerate(why_each_not_scorable(found)):
        if reason:
            which = "" if len(found) == 1 else f" number {at}, counted from 0,"
            raise InputError(f"The letter{which} {reason}. Leave it out.")
    return found


Model: TypeAlias = "Ink | str | Mapping[str, Ink]"
"""What letters are compared with: one model, a letter's shipped forms, or other forms by name."""


def as_forms(asked: Any) -> Mapping[str, Ink]:
    """Return the forms, given as the name of a shipped letter, as one model, or by their names."""
    if isinstance(asked, str):
        return forms_of(asked)
    forms = asked if isinstance(asked, Mapping) else {"": asked}
    if not forms or not all(isinstance(one, Ink) for one in forms.values()):
        raise InputTypeError(
            f"`model` must be an Ink, the name of a letter, as in score(ink, 'f'), or a dict of "
            f"forms, but is {asked!r}."
        )
    if not all(map(has_line, forms.values())):
        raise InputError("`model` is a single dot: nothing can be compared with it.")
    return forms


def has_line(ink: Ink) -> bool:
    """Return whether a stroke has two different points."""
    return any(len(stroke) > 1 and np.ptp(stroke.points, axis=0).any() for stroke in ink)


FEATURES = ("distortion", "rotation", "shakiness")
"""The names of the three scores, in order."""


@dataclass(frozen=True)
class Scores:
    """How much a letter differs from its form: 0 is as in the form, 1 is the worst.

    If the letter fits no form, all numbers are withheld: they are NaN, and ``note`` states it.

    The scores are inspired by features of the BHK, a scale for children's handwriting. They are not
    a diagnosis: they describe the appearance of a single letter.

    Parameters
    ----------
    distortion
        The error of the form, independent of place, size, slant, width and rotation.
    rotation
        The rotation, as a fraction of 45 degrees.
    shakiness
        The tremor of the line.
    angle
        The rotation in degrees, positive to the right; NaN if the form is round and shows none.
    slant
        The slant of the downstrokes relative to the form, in degrees, positive to the right.
    mirrored
        Whether it is in mirror writing; the scores are then those of its mirror image.
    reversed
        Whether it, or one of its strokes, was written from its end to its start.
    tremor
        The fraction of 4 to 12 hertz in the pen's movement; ``None`` without suitable times.
    note
        A remark in a sentence; usually empty.
    form
        The name of the form that the letter was compared with; empty for a single model.
    """

    distortion: float
    rotation: float
    shakiness: float
    angle: float
    slant: float
    mirrored: bool = False
    reversed: bool = False
    tremor: float | None = None
    note: str = ""
    form: str = ""

    @property
    def fits(self) -> bool:
        """Whether the letter fits a form, so that it has scores."""
        return not np.isnan(self.distortion)

    @property
    def vector(self) -> Floats:
        """The three scores as an array, in the order of ``FEATURES``."""
        return np.array([self.distortion, self.rotation, self.shakiness])

    @property
    def average(self) -> float:
        """The mean of the three."""
        return (self.distortion + self.rotation + self.shakiness) / 3.0


def score(ink: Ink, model: Model) -> Scores:
    """Return the scores of a letter relative to the form that it fits best.

    ``model`` is the name of a shipped letter, one model, or a dict of forms by name.

    Examples
    --------
    >>> from homeroom.handwriting.generators import generate
    >>> from homeroom.handwriting.letters import model_letter
    >>> score(model_letter("f", "print"), "f").form
    'print'
    >>> turned = generate("f", rotation=20, distortion=0, shakiness=0, shear=0)[0]
    >>> found = score(turned, "f")
    >>> round(found.angle), round(found.rotation, 2), found.form
    (20, 0.45, 'cursive (Hershey)')
    """
    return score_each([ink], model)[0]


def score_each(inks: Sequence[Ink], model: Model) -> list[Scores]:
    """Return the full scores of many letters.

    Letters that name their writer are compared with the form of that writer's first letters; each
    other letter is compared with the form that it fits best.
    """
    letters = scorable_letters(inks)
    scores = scores_by_appearance(letters, model)
    return [
        replace(one, tremor=tremor_share(ink)) for one, ink in zip(scores, letters, strict=True)
    ]


def scores_by_appearance(letters: Sequence[Ink], model: Model) -> list[Scores]:
    """Return the scores of letters that can be scored, without the tremor in time."""
    forms = as_forms(model)
    found = choose_forms(letters, forms, hands_of(letters))
    words = _are_words(letters, forms, found)
    return [_scores(found, i, is_word=bool(words[i])) for i in range(len(letters))]


def score_all(inks: Sequence[Ink], model: Model) -> Floats:
    """Return distortion, rotation and shakiness of many letters, shape ``(letters, 3)``.

    The rows of letters that fit no form are NaN. About 0.2 ms per letter and form.

    >>> from homeroom.handwriting.generators import generate
    >>> score_all(generate("a", 3, rotation=(-40, 40)), "a").shape
    (3, 3)
    """
    letters = scorable_letters(inks)
    forms = as_forms(model)
    found = choose_forms(letters, forms, hands_of(letters))
    scored = found.recognisable & ~_are_words(letters, forms, found)
    table: Floats = np.where(scored[:, None], found.reading.table, np.nan)
    return table


def hands_of(inks: Sequence[Ink]) -> list[int]:
    """Return a number per letter: the same for the letters of one writer, unless unnamed.

    >>> from homeroom.handwriting import Ink, Stroke
    >>> line = (Stroke([[0, 0], [1, 1]]),)
    >>> hands_of([Ink(line, writer=name) for name in ("Ada", None, "Ada", None)])
    [0, 1, 0, 3]
    """
    first: dict[str, int] = {}
    return [
        i if ink.writer is None else first.setdefault(ink.writer, i) for i, ink in enumerate(inks)
    ]


WORD_FIT, WORD_LENGTH = 0.3, 1.1
"""A word is farther than ``WORD_FIT`` from its form, in RMS radii, and its line is more than
``WORD_LENGTH`` times as long as that of every form.

Of 1040 generated letters with distortions up to 0.95, one is. Of two joined letters in one line,
one in six is within the limit of a fit, and one in thirty has scores with this rule.
"""


def _are_words(
    inks: Sequence[Ink], forms: Mapping[str, Ink], found: FormChoice
) -> npt.NDArray[np.bool_]:
    """Return which inks are several letters in one line, though they resemble a form."""
    words = np.asarray(found.recognisable & (found.reading.form > WORD_FIT))
    odd = np.flatnonzero(words)
    if len(odd):
        longest = _standard_lengths(list(forms.values())).max()
        words[odd] = _standard_lengths([inks[i] for i in odd.tolist()]) > WORD_LENGTH * longest
    return words


def _scores(found: FormChoice, i: int, *, is_word: bool) -> Scores:
    """Return the scores of letter ``i``; NaN if it fits no form or is a word."""
    seen, nan = found.reading, float("nan")
    if is_word or not found.recognisable[i]:
        return Scores(nan, nan, nan, nan, nan, note=WORD if is_word else NO_FORM)
    distortion, rotation, shakiness = seen.table[i].tolist()
    mirrored, backwards = bool(seen.mirrored[i]), bool(seen.backwards[i])
    return Scores(
        distortion,
        rotation,
        shakiness,
        float(np.degrees(seen.turn[i])),
        float(np.degrees(np.arctan(seen.shear[i]))),
        mirrored,
        backwards,
        note=_note(mirrored, backwards),
        form=found.names[i],
    )


WORD = (
    "The line is longer than that of this letter in any form: is it a word? Split it into its "
    "letters. It has no scores."
)

NO_FORM = (
    "This does not look like any form of the model: is it another letter, another style, "
    "or a word? It has no scores."
)


def _note(mirrored: bool, backwards: bool) -> str:
    """Return the remark on mirror writing and backward strokes; empty for neither."""
    if mirrored and backwards:
        return "This is mirror writing, traced from its end to its start."
    if mirrored:
        return "This is mirror writing: the scores are those of its mirror image."
    if backwards:
        return (
            "This was traced from its end to its start: it looks right, but was written backwards."
        )
    return ""


def typical(inks: Sequence[Ink]) -> Ink:
    """Return the most typical of many letters, as a model.

    It is one of the given letters, the one with the greatest median similarity to all: unlike a
    mean, it has a real form, and a few outliers do not matter. Place, size and rotation do not
    count.

    Examples
    --------
    >>> from homeroom.handwriting.generators import generate
    >>> tries = generate("f", 20, distortion=(0.0, 0.6), rotation=0)
    >>> from homeroom.handwriting.scores import score
    >>> score(typical(tries), "f").distortion < 0.3
    True
    """
    checked = scorable_letters(inks)
    counts = np.array([TRACE_POINTS])
    points, _ = standardise(
        trace_letters([stroke_lines(ink, joined=True) for ink in checked], counts)
    )
    alike = np.abs(points.conj().T @ points)
    return model_from(checked[int(np.median(alike, axis=0).argmax())])
