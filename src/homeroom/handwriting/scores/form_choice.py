"""Choose the form of each letter: the one that its line fits best.

A letter is measured relative to one of several forms. The fit of a form is the distance of the line
from it, with a price on rotations that are rarely meant, and on strokes that do not correspond. A
mirror image is considered only for letters that fit no form well. It must fit a form well, and
clearly better than every form as it is. A *hand* is all letters of one child: they get the same
form, from the first few. Among the hands that are compared together, frequent forms are more
probable than rare ones: a class has usually learnt one form, and a rotated letter can resemble
another form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.scores.measurement import (
    Bools,
    Reading,
    Traced,
    Tracer,
    in_order,
    read_together,
)

UNRECOGNISABLE = 0.5
"""The distance from a form, in RMS radii, beyond which a letter is barely recognisable.

Of the generator's letters with a distortion of 0.95, the largest that it writes, nine of ten are
within it (``python -m benchmarks fit-limit``, which also has other limits).
"""

USUAL_TURN = np.radians(45.0)
"""The largest usual rotation."""

TURN_PRICES = (0.08, 0.25)
"""The prices of a rotation, and of its part beyond the usual, in RMS radii per radian."""

STROKE_PRICE = 0.04
"""The price of each stroke too many or too few, in RMS radii."""

CANDIDATES = 5
"""Forms per letter that are compared exactly, the best by a rough comparison."""

CLOSE = 2.0
"""Only forms whose rough fit is within this factor of the best are compared exactly."""

SUSPICIOUS = 0.2
"""A letter with a fit below this is never read as a mirror image; a mirror image must be below."""

CLEARLY_BETTER = 0.5
"""The fit of a mirror image as a fraction of the best upright fit, at most."""

FIRST_LETTERS = 5
"""The number of a child's letters from which their form is chosen."""


FIT_SCALE, DEGREES = 0.1, 3.0
"""The usual fit of the right form, and the degrees of freedom: the tails are those of a t
distribution."""

EM_STEPS = 8
"""The number of steps in which the frequencies of forms are estimated."""


@dataclass(frozen=True, eq=False)
class FormChoice:
    """The form of each letter, and the measurements relative to it.

    Parameters
    ----------
    names
        The name of the form of each letter.
    fit
        How well each letter fits its form: the distance in RMS radii, with the prices.
    reading
        The measurements of each letter relative to its form.
    fits
        Whether each letter is close enough to its form to be scored.
    """

    names: tuple[str, ...]
    fit: Floats
    reading: Reading
    fits: Bools


def choose_forms(
    inks: Sequence[Ink], forms: Mapping[str, Ink], hands: npt.ArrayLike | None = None
) -> FormChoice:
    """Return the form that each letter fits best, and its measurements.

    ``hands`` has the number of the child for each letter; all letters of a child get the form that
    fits the first few best, except those that do not look like it but like another form. By default
    each letter has its own form.

    Cost: a rough comparison with every form, and an exact one with about three.
    """
    own = np.arange(len(inks)) if hands is None else np.unique(hands, return_inverse=True)[1]
    models = list(forms.values())
    chosen = _best_upright(inks, models, own)
    unlike = np.flatnonzero(chosen.reading.form > UNRECOGNISABLE)
    if len(unlike):
        other = _best_upright([inks[i] for i in unlike.tolist()], models, None)
        chosen = chosen.replaced(unlike, other, other.reading.form <= UNRECOGNISABLE)
    odd = np.flatnonzero(chosen.fit > SUSPICIOUS)
    if len(odd):
        mirrored = _clearly_mirrored(inks, models, odd)
        needed = np.minimum(SUSPICIOUS, CLEARLY_BETTER * chosen.fit[odd])
        chosen = chosen.replaced(odd, mirrored, mirrored.fit < needed)
    names = list(forms)
    return FormChoice(
        tuple(names[k] for k in chosen.forms.tolist()),
        chosen.fit,
        chosen.reading,
        chosen.reading.form <= UNRECOGNISABLE,
    )


@dataclass(frozen=True, eq=False)
class _Chosen:
    """The index of the form of each letter, the fit, and the measurements."""

    forms: Ints
    fit: Floats
    reading: Reading

    def replaced(self, where: Ints, other: _Chosen, better: Bools) -> _Chosen:
        """Return the choice with another one for some letters, those at ``where[better]``."""
        columns = []
        for name in Reading.__dataclass_fields__:
            column = getattr(self.reading, name).copy()
            column[where[better]] = getattr(other.reading, name)[better]
            columns.append(column)
        forms, fit = self.forms.copy(), self.fit.copy()
        forms[where[better]], fit[where[better]] = other.forms[better], other.fit[better]
        return _Chosen(forms, fit, Reading(*columns))


def _best_upright(
    inks: Sequence[Ink], models: Sequence[Ink], own: Ints | None, most: int = CANDIDATES
) -> _Chosen:
    """Return the best form of each hand, or of each letter by itself, without mirror images.

    ``own`` has the number of each letter's hand, or is None. ``most`` forms are compared exactly.
    """
    hands = np.arange(len(inks)) if own is None else own
    tracer = Tracer(inks, mirror=False)
    traced = [tracer.along(model) for model in models]
    prices = np.stack([_stroke_prices(inks, model) for model in models])
    early = _is_among_first(hands)
    candidates = _candidates(_rough_fits(traced, len(inks)) + prices, hands, early, most)
    fits = np.full((len(models), len(inks)), np.inf)
    wanted = [
        (k, some.subset(candidates[k, some.where]))
        for k, of_form in enumerate(traced)
        for some in of_form
        if candidates[k, some.where].any()
    ]
    found = read_together([some for _, some in wanted])
    for (k, some), read in zip(wanted, found, strict=True):
        fits[k, some.where] = read.form + _turn_prices(read) + prices[k, some.where]
    costs = _sums(_costs(fits), hands, early)
    forms = (costs.argmin(axis=0) if own is None else _most_probable(costs))[hands]
    chosen = [
        (some.where[forms[some.where] == k], read.subset(forms[some.where] == k))
        for (k, some), read in zip(wanted, found, strict=True)
    ]
    return _Chosen(forms, fits[forms, np.arange(len(inks))], in_order(chosen))


def _rough_fits(traced: Sequence[Sequence[Traced]], letters: int) -> Floats:
    """Return about how far each letter is from each form, ``(forms, letters)``."""
    rough = np.zeros((len(traced), letters))
    for k, of_form in enumerate(traced):
        for some in of_form:
            rough[k, some.where] = some.rough_fit()
    return rough


def _is_among_first(hands: Ints) -> Bools:
    """Return whether each letter is one of the first few of its hand."""
    order = np.argsort(hands, kind="stable")
    starts = np.searchsorted(hands[order], hands[order])
    early = np.empty(len(hands), dtype=bool)
    early[order] = np.arange(len(hands)) - starts < FIRST_LETTERS
    return early


def _candidates(rough: Floats, hands: Ints, early: Bools, most: int) -> Bools:
    """Return the forms that may be the best of each letter's hand, ``(forms, letters)``."""
    sums = _sums(rough, hands, early)
    rank = sums.argsort(axis=0, kind="stable").argsort(axis=0)
    close: Bools = (rank < most) & (sums <= CLOSE * sums.min(axis=0) + 1e-9)
    return close[:, hands]


def _sums(fits: Floats, hands: Ints, early: Bools) -> Floats:
    """Return the sum over the first letters of each hand, ``(forms, hands)``."""
    sums = np.zeros((int(hands.max()) + 1, len(fits)))
    np.add.at(sums, hands[early], fits[:, early].T)
    return sums.T


def _costs(fits: Floats) -> Floats:
    """Return negative log likelihoods with heavy tails: one odd letter does not decide."""
    costs: Floats = DEGREES * np.log1p((fits / FIT_SCALE) ** 2)
    return costs


def _most_probable(costs: Floats) -> Ints:
    """Return the form of each hand, given the costs ``(forms, hands)``.

    Forms that are frequent among the hands are more probable (the frequencies are estimated by EM,
    with one imagined hand of each form).
    """
    shares = np.full(len(costs), 1.0 / len(costs))
    likely = np.exp(costs.min(axis=0) - costs)
    for _ in range(EM_STEPS):
        probable = shares[:, None] * likely
        counts = (probable / probable.sum(axis=0)).sum(axis=1) + 1.0
        shares = counts / counts.sum()
    found: Ints = (shares[:, None] * likely).argmax(axis=0)
    return found


def _turn_prices(found: Reading) -> Floats:
    """Return the price of each letter's rotation, shape ``(letters,)``."""
    turn = np.nan_to_num(np.abs(found.turn))
    usual, unusual = TURN_PRICES
    prices: Floats = usual * turn + unusual * np.maximum(0.0, turn - USUAL_TURN)
    return prices


def _stroke_prices(inks: Sequence[Ink], model: Ink) -> Floats:
    """Return the price of each letter's strokes too many or too few, ``(letters,)``."""
    strokes = np.array([len(ink.strokes) for ink in inks])
    prices: Floats = STROKE_PRICE * np.abs(strokes - len(model.strokes))
    return prices


def _clearly_mirrored(inks: Sequence[Ink], models: Sequence[Ink], odd: Ints) -> _Chosen:
    """Return the best forms of the mirror images of the letters with the indices ``odd``."""
    flip = np.diag([-1.0, 1.0])
    images = [inks[i].moved(flip, np.zeros(2)) for i in odd]
    found = _best_upright(images, models, np.arange(len(odd)), most=2)
    seen = found.reading
    reading = replace(
        seen, turn=-seen.turn, shear=-seen.shear, mirrored=np.ones(len(odd), dtype=bool)
    )
    return replace(found, reading=reading)
