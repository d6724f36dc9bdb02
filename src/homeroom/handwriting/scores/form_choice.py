"""Choose the form of each letter: the one that its line fits best.

A letter is measured relative to one of several forms. Its *misfit* is the distance of the line from
the form, with a price on rotations that are rarely meant, and on strokes that do not correspond. A
mirror image is considered only for letters that fit no form well. It must fit a form well, and
clearly better than the letter itself fits any form. A *hand* is all letters of one child: they get
the same form, from the first few. Among the hands that are compared together, frequent forms are
more probable than rare ones: a class has usually learnt one form, and a rotated letter can resemble
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
"""Only forms whose rough misfit is within this factor of the lowest are compared exactly."""

SUSPICIOUS = 0.2
"""A letter is read as mirror writing only if its misfit is above this for every form, and that of
its mirror image is below."""

CLEARLY_BETTER = 0.5
"""The misfit of a mirror image as a fraction of the lowest misfit of the letter itself, at most."""

FIRST_LETTERS = 5
"""The number of a child's letters from which their form is chosen."""

USUAL_MISFIT, TAIL_EXPONENT = 0.1, 3.0
"""The usual misfit of the right form, and how fast its likelihood falls: as that of a t
distribution with five degrees of freedom, ``(5 + 1) / 2 = 3``."""

EM_STEPS = 8
"""The number of steps in which the frequencies of forms are estimated."""


@dataclass(frozen=True, eq=False)
class FormChoice:
    """The form of each letter, and the measurements relative to it.

    Parameters
    ----------
    names
        The name of the form of each letter.
    misfit
        The distance of each letter from its form in RMS radii, plus the prices; lower is better.
    reading
        The measurements of each letter relative to its form.
    recognisable
        Whether each letter is close enough to its form to be scored.
    """

    names: tuple[str, ...]
    misfit: Floats
    reading: Reading
    recognisable: Bools


def choose_forms(
    inks: Sequence[Ink], forms: Mapping[str, Ink], hands: npt.ArrayLike | None = None
) -> FormChoice:
    """Return the form that each letter fits best, and its measurements.

    Cost: a rough comparison with every form, and an exact one with about three.

    Parameters
    ----------
    inks
        The letters, at least one.
    forms
        The forms of the letter by name.
    hands
        The number of the child who wrote each letter. All letters of a child get the form that fits
        the first few best, except those that do not look like it but like another form. By default
        every letter counts as that of another child. Forms of many children are preferred.
    """
    models = list(forms.values())
    children = np.arange(len(inks)) if hands is None else np.unique(hands, return_inverse=True)[1]
    chosen = _best_upright(inks, models, children)
    unlike = np.flatnonzero(chosen.reading.form > UNRECOGNISABLE)
    if len(unlike):
        other = _best_upright([inks[i] for i in unlike.tolist()], models, None)
        chosen = chosen.replaced(unlike, other, other.reading.form <= UNRECOGNISABLE)
    odd = np.flatnonzero(chosen.misfit > SUSPICIOUS)
    if len(odd):
        upright = _best_upright([inks[i] for i in odd.tolist()], models, None).misfit
        mirrored = _best_mirrored(inks, models, odd)
        better = mirrored.misfit < np.minimum(SUSPICIOUS, CLEARLY_BETTER * upright)
        chosen = chosen.replaced(odd, mirrored, (upright > SUSPICIOUS) & better)
    names = list(forms)
    return FormChoice(
        tuple(names[k] for k in chosen.forms.tolist()),
        chosen.misfit,
        chosen.reading,
        chosen.reading.form <= UNRECOGNISABLE,
    )


@dataclass(frozen=True, eq=False)
class _Chosen:
    """The index of the form of each letter, the misfit, and the measurements."""

    forms: Ints
    misfit: Floats
    reading: Reading

    def replaced(self, where: Ints, other: _Chosen, better: Bools) -> _Chosen:
        """Return the choice with ``other`` at the indices ``where[better]``.

        ``other`` and ``better`` have one entry per index in ``where``.
        """
        columns = []
        for name in Reading.__dataclass_fields__:
            column = getattr(self.reading, name).copy()
            column[where[better]] = getattr(other.reading, name)[better]
            columns.append(column)
        forms, misfit = self.forms.copy(), self.misfit.copy()
        forms[where[better]], misfit[where[better]] = other.forms[better], other.misfit[better]
        return _Chosen(forms, misfit, Reading(*columns))


def _best_upright(
    inks: Sequence[Ink], models: Sequence[Ink], children: Ints | None, most: int = CANDIDATES
) -> _Chosen:
    """Return the best form of each letter, without mirror images.

    ``children`` has the number of each letter's child, from 0: all letters of a child get one form,
    and frequent forms are preferred. With ``None``, each letter gets the form with the lowest
    misfit. At most ``most`` forms are compared exactly.
    """
    hands = np.arange(len(inks)) if children is None else children
    tracer = Tracer(inks, mirror=False)
    traced = [tracer.along(model) for model in models]
    prices = np.stack([_stroke_prices(inks, model) for model in models])
    early = _is_among_first(hands)
    candidates = _candidates(_rough_misfits(traced, len(inks)) + prices, hands, early, most)
    misfits = np.full((len(models), len(inks)), np.inf)
    wanted = [
        (k, some.subset(candidates[k, some.where]))
        for k, of_form in enumerate(traced)
        for some in of_form
        if candidates[k, some.where].any()
    ]
    found = read_together([some for _, some in wanted])
    for (k, some), read in zip(wanted, found, strict=True):
        misfits[k, some.where] = read.form + _turn_prices(read) + prices[k, some.where]
    costs = _sums(_costs(misfits), hands, early)
    forms = (costs.argmin(axis=0) if children is None else _most_probable(costs))[hands]
    chosen = [
        (some.where[forms[some.where] == k], read.subset(forms[some.where] == k))
        for (k, some), read in zip(wanted, found, strict=True)
    ]
    return _Chosen(forms, misfits[forms, np.arange(len(inks))], in_order(chosen))


def _rough_misfits(traced: Sequence[Sequence[Traced]], letters: int) -> Floats:
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


def _sums(values: Floats, hands: Ints, early: Bools) -> Floats:
    """Return the sum over the first letters of each hand, ``(forms, hands)``."""
    sums = np.zeros((int(hands.max()) + 1, len(values)))
    np.add.at(sums, hands[early], values[:, early].T)
    return sums.T


def _costs(misfits: Floats) -> Floats:
    """Return the negative log likelihood of each form for each letter, up to a constant.

    Its tails are heavy, so that one odd letter does not decide the form of a hand.
    """
    costs: Floats = TAIL_EXPONENT * np.log1p((misfits / USUAL_MISFIT) ** 2)
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


def _best_mirrored(inks: Sequence[Ink], models: Sequence[Ink], odd: Ints) -> _Chosen:
    """Return the best forms of the mirror images of the letters with the indices ``odd``."""
    flip = np.diag([-1.0, 1.0])
    images = [inks[i].moved(flip, np.zeros(2)) for i in odd]
    found = _best_upright(images, models, np.arange(len(odd)), most=2)
    seen = found.reading
    reading = replace(
        seen, turn=-seen.turn, shear=-seen.shear, mirrored=np.ones(len(odd), dtype=bool)
    )
    return replace(found, reading=reading)
