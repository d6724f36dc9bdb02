"""The limit beyond which an ink fits no form of a letter, chosen from simulated ink alone.

The generator's letters with the largest distortion that it writes should have scores, nine of ten:
the limit is that quantile of their distances. The table shows what else is within a limit: letters
of any distortion, and what is not the letter: another letter, two joined letters, or a scribble, a
smooth random line. The limit with the least sum of both errors is lower; with it, most letters of
the largest distortion would have no scores.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.real_letters import scores_of
from benchmarks.timing import Line
from homeroom._arrays import Floats
from homeroom.handwriting import Ink, Kinematic, Ranges, Stroke, forms_of
from homeroom.handwriting.generators.knobs import LIMITS as LIMITS_OF_KNOBS
from homeroom.handwriting.scores.form_choice import UNRECOGNISABLE, choose_forms

LETTERS = string.ascii_lowercase
EACH = 40
"""Inks of each kind per letter."""

WAVES = 6
"""The number of waves of a scribble, about those of a letter; longer ones are larger."""

KNOBS = Ranges(distortion=(0.0, 0.95), shakiness=(0.0, 0.65))
LIMITS = np.round(np.arange(0.2, 0.81, 0.05), 2)


def lines(seed: int = 0) -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    rng = np.random.default_rng(seed)
    found = {kind: np.sort(_distances(kind, rng)) for kind in _KINDS}
    own, _, *others = found.values()
    wrong = np.array([_wrong(own, others, limit) for limit in LIMITS])
    print(_as_text(found), end="\n\n")
    print(f"The least sum of both errors is at a limit of {LIMITS[wrong.argmin()]:g}.\n")
    for kind in ("the letter", "two joined letters"):
        print(f"With scores, as a word has none: {kind}, {_scored(kind, rng):.1%}.")
    print()
    chosen = float(np.quantile(found[WORST], 0.9))
    yield Line(
        "difference of the limit from the chosen one",
        abs(UNRECOGNISABLE - chosen),
        "rounding of the chosen one",
        0.025,
        1.0,
        unit="",
    )


def _wrong(own: Floats, others: Sequence[Floats], limit: float) -> float:
    """Return the fraction of letters beyond a limit, and of others within it, added up."""
    return float((own > limit).mean() + np.mean([(other <= limit).mean() for other in others]))


def _as_text(found: dict[str, Floats]) -> str:
    head = ["limit", *(f"{kind}, within" for kind in found)]
    rows = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for limit in LIMITS:
        cells = [f"{(one <= limit).mean():.2f}" for one in found.values()]
        rows.append(f"| {limit:g} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _distances(kind: str, rng: np.random.Generator) -> Floats:
    """Return how far inks are from the best form of each letter, in RMS radii."""
    found = []
    for letter in LETTERS:
        inks = _KINDS[kind](letter, rng)
        found.append(choose_forms(inks, forms_of(letter)).reading.form)
    return np.concatenate(found)


def _scored(kind: str, rng: np.random.Generator) -> float:
    """Return the fraction of inks that have scores."""
    found = scores_of({letter: _KINDS[kind](letter, rng) for letter in LETTERS})
    return float(np.mean([one.fits for some in found.values() for one in some]))


def _own(letter: str, rng: np.random.Generator) -> list[Ink]:
    return _written([letter] * EACH, KNOBS, rng)


def _worst(letter: str, rng: np.random.Generator) -> list[Ink]:
    largest = LIMITS_OF_KNOBS["distortion"][1]
    return _written([letter] * EACH, replace(KNOBS, distortion=largest), rng)


def _another(letter: str, rng: np.random.Generator) -> list[Ink]:
    others = [one for one in LETTERS if one != letter]
    return _written(rng.choice(others, EACH).tolist(), KNOBS, rng)


def _two(letter: str, rng: np.random.Generator) -> list[Ink]:
    pairs = [letter + other for other in rng.choice(list(LETTERS), EACH).tolist()]
    return _written(pairs, Ranges(), rng)


def _written(letters: Sequence[str], ranges: Ranges, rng: np.random.Generator) -> list[Ink]:
    """Return letters, each in one of its forms at random."""
    inks = []
    for letter, knobs in zip(letters, ranges.draw(len(letters), _seed(rng)), strict=True):
        forms = list(forms_of(letter).values())
        form = forms[int(rng.integers(len(forms)))]
        inks += Kinematic(form).write(letter, [knobs], _seed(rng))
    return inks


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _scribble(_letter: str, rng: np.random.Generator) -> list[Ink]:
    along = np.linspace(0.0, np.pi, 120)
    waves = np.cos(np.outer(along, np.arange(1, WAVES + 1)))
    sizes = rng.standard_normal((EACH, WAVES, 2)) / np.arange(1, WAVES + 1)[:, None]
    return [Ink((Stroke(waves @ one),)) for one in sizes]


WORST = f"the letter with a distortion of {LIMITS_OF_KNOBS['distortion'][1]:g}"

_KINDS = {
    "the letter": _own,
    WORST: _worst,
    "another letter": _another,
    "two joined letters": _two,
    "a scribble": _scribble,
}
