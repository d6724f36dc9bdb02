"""Children and what their letters say of them: who has which difficulties, and who is alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.handwriting.generators import KINDS
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letter_pool import LetterPool
from homeroom.handwriting.scores import FEATURES, Scores, checks, score_each

RATE = 0.05
"""How fast children learn: as all learners in section 6.2; in 6.3 the paper says "constant"."""

_DOT = f"This {checks.DOT}. It does not count."


@dataclass(frozen=True, eq=False)
class Pupil:
    """A child, and how well it writes a letter.

    Parameters
    ----------
    name
        Who it is.
    inks
        Its tries at the letter, as far as they can be scored.
    scores
        Their distortion, rotation and shakiness, shape ``(tries, 3)``.
    notes
        What is to be minded about a try, by its place among all that it wrote: mirror writing,
        another letter, or a mere dot, which does not count.
    leans
        How far its letters are turned on average, in degrees, positive to the right.
    """

    name: str
    inks: tuple[Ink, ...]
    scores: Floats
    notes: Mapping[int, str] = field(default_factory=dict)
    leans: float = 0.0

    @property
    def said(self) -> list[str]:
        """What is to be minded, in sentences, with the numbers of the tries counted from 1."""
        found: dict[str, list[int]] = {}
        for place, note in self.notes.items():
            found.setdefault(note, []).append(place + 1)
        return [f"{_letters(numbers)} of {self.name}: {note}" for note, numbers in found.items()]

    @property
    def mean(self) -> Floats:
        """The scores' mean over the tries, shape ``(3,)``."""
        mean: Floats = self.scores.mean(axis=0)
        return mean


def _letters(numbers: list[int]) -> str:
    """Return which letters are meant: a few by number, or how many.

    >>> _letters([2]), _letters([2, 3, 7]), _letters(list(range(9)))
    ('Letter 2', 'Letters 2, 3, 7', '9 letters')
    """
    if len(numbers) > 6:
        return f"{len(numbers)} letters"
    return f"Letter{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def pupils(letters: Mapping[str, Sequence[Ink]], model: Ink) -> list[Pupil]:
    """Return the children with their scores, from each one's tries at a letter.

    A try that is a mere dot has no scores: it does not count, and the child's notes say so.

    Parameters
    ----------
    letters
        Each child's tries, by its name.
    model
        The letter as it should be.

    Examples
    --------
    >>> from homeroom.handwriting import Child, model_letter
    >>> child = Child.of("shaky+rotated", seed=3)
    >>> ada = pupils({"Ada": child.write("f", tries=4)}, model_letter("f"))[0]
    >>> ada.scores.shape, [name for name, value in zip(FEATURES, ada.mean) if value > 0.3]
    ((4, 3), ['rotation', 'shakiness'])
    """
    if not letters:
        raise InputError("A class needs somebody in it, but no child has written a letter.")
    lines = {name: _lines(name, tries) for name, tries in letters.items()}
    scores = iter(score_each([ink for own in lines.values() for ink in own.values()], model))
    return [
        _pupil(name, letters[name], dict(zip(own, islice(scores, len(own)), strict=True)))
        for name, own in lines.items()
    ]


def _lines(name: str, tries: Sequence[Ink]) -> dict[int, Ink]:
    """Return a child's tries that are more than a dot, by their places."""
    found = {place: ink for place, ink in enumerate(checks.given(tries)) if checks.moves(ink)}
    if not found:
        what = "nothing but dots" if tries else "no letter"
        raise InputError(f"{name} has written {what}: leave the child out.")
    return found


def _pupil(name: str, tries: Sequence[Ink], scores: Mapping[int, Scores]) -> Pupil:
    notes = {place: scores[place].note if place in scores else _DOT for place in range(len(tries))}
    return Pupil(
        name,
        tuple(tries[place] for place in scores),
        np.array([one.vector for one in scores.values()]),
        {place: note for place, note in notes.items() if note},
        float(np.mean([one.angle for one in scores.values()])),
    )


def by_writer(inks: Iterable[Ink], unnamed: str) -> dict[str, list[Ink]]:
    """Return letters by who wrote them; those of nobody in particular are ``unnamed``'s."""
    found: dict[str, list[Ink]] = {}
    for ink in inks:
        found.setdefault(ink.writer or unnamed, []).append(ink)
    return found


def kinds_of(children: Sequence[Pupil], pool: LetterPool) -> npt.NDArray[np.str_]:
    """Return each child's type: poor in two defects, and least so in the third."""
    scores = pool.normalise([child.mean for child in children])
    least = {defect: kind for kind, poor in KINDS.items() for defect in set(FEATURES) - set(poor)}
    names = np.array([least[defect] for defect in FEATURES])
    found: npt.NDArray[np.str_] = names[scores.argmin(axis=1)]
    return found


def to_classroom(children: Sequence[Pupil], pool: LetterPool, rate: float = RATE) -> Classroom:
    """Return the children as a class to be taught the rule behind good and bad letters."""
    return Classroom(
        pool.beliefs([child.mean for child in children]),
        np.full(len(children), float(rate)),
        pool.target,
        example_radius=pool.sharpness * float(np.sqrt(len(FEATURES) + 1)),  # no letter is longer
        names=[child.name for child in children],
    )
