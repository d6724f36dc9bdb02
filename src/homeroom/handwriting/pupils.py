"""The children of a class: their scores, their types, and the side to which they lean."""

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
from homeroom.handwriting.scores import FEATURES, Scores, score_each
from homeroom.handwriting.scores.score import DOT_REASON, as_letters, has_line

CLEAR_LEAN = 5.0
"""The least average lean in degrees that counts as leaning to a side."""


def side_of(leans: Sequence[float]) -> int:
    """Return the side to which children lean on average: 1 right, -1 left, 0 neither.

    >>> side_of([20.0, 25.0, -3.0]), side_of([-20.0]), side_of([20.0, -20.0])
    (1, -1, 0)
    """
    mean = float(np.mean(leans))
    return 0 if abs(mean) < CLEAR_LEAN else int(np.sign(mean))


def leaning(inks: Sequence[Ink], model: Ink, side: int) -> list[Ink]:
    """Return the letters, rotated so that each leans to the given side by as much as before.

    The scores do not distinguish sides, so they stay the same. Side 0 changes nothing.
    """
    if side == 0 or not inks:
        return list(inks)
    angles = [one.angle for one in score_each(inks, model)]
    return [
        ink if side * angle >= 0 else _turned(ink, -2 * angle)
        for ink, angle in zip(inks, angles, strict=True)
    ]


def _turned(ink: Ink, degrees: float) -> Ink:
    """Return a letter rotated to the right about its centre."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = np.array([[cos, -sin], [sin, cos]])  # y grows downwards
    middle = ink.points.mean(axis=0)
    return ink.moved(matrix, middle - matrix @ middle)


RATE = 0.05
"""The learning rate of children: that of section 6.2; section 6.3 only says "constant"."""

_DOT = f"This {DOT_REASON}. It does not count."


@dataclass(frozen=True, eq=False)
class Pupil:
    """A child, with the scores of its tries at a letter.

    Parameters
    ----------
    name
        The name of the child.
    inks
        Its tries at the letter that can be scored.
    scores
        Their distortion, rotation and shakiness, shape ``(tries, 3)``.
    notes
        Remarks by the index of the try: mirror writing, another letter, or a dot, which does not
        count.
    leans
        The average rotation of its letters in degrees, positive to the right.
    """

    name: str
    inks: tuple[Ink, ...]
    scores: Floats
    notes: Mapping[int, str] = field(default_factory=dict)
    leans: float = 0.0

    @property
    def said(self) -> list[str]:
        """The remarks as sentences, with the numbers of the tries counted from 1."""
        found: dict[str, list[int]] = {}
        for place, note in self.notes.items():
            found.setdefault(note, []).append(place + 1)
        return [
            f"{_letter_numbers(numbers)} of {self.name}: {note}" for note, numbers in found.items()
        ]

    @property
    def mean(self) -> Floats:
        """The mean of the scores over the tries, shape ``(3,)``."""
        mean: Floats = self.scores.mean(axis=0)
        return mean


def _letter_numbers(numbers: list[int]) -> str:
    """Return a few numbers of letters, or how many there are, in words.

    >>> _letter_numbers([2]), _letter_numbers([2, 3, 7]), _letter_numbers(list(range(9)))
    ('Letter 2', 'Letters 2, 3, 7', '9 letters')
    """
    if len(numbers) > 6:
        return f"{len(numbers)} letters"
    return f"Letter{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def pupils(letters: Mapping[str, Sequence[Ink]], model: Ink) -> list[Pupil]:
    """Return the children with the scores of their tries at a letter.

    A try that is only a dot has no scores: it does not count, and the child's notes state that.

    Parameters
    ----------
    letters
        The tries by the name of the child.
    model
        The model letter.

    Examples
    --------
    >>> from homeroom.handwriting import Child, model_letter
    >>> child = Child.of("shaky+rotated", seed=3)
    >>> ada = pupils({"Ada": child.write("f", tries=4)}, model_letter("f"))[0]
    >>> ada.scores.shape, [name for name, value in zip(FEATURES, ada.mean) if value > 0.3]
    ((4, 3), ['rotation', 'shakiness'])
    """
    if not letters:
        raise InputError("A class needs at least one child, but no child has written a letter.")
    lines = {name: _tries_with_lines(name, tries) for name, tries in letters.items()}
    scores = iter(score_each([ink for own in lines.values() for ink in own.values()], model))
    return [
        _pupil(name, letters[name], dict(zip(own, islice(scores, len(own)), strict=True)))
        for name, own in lines.items()
    ]


def _tries_with_lines(name: str, tries: Sequence[Ink]) -> dict[int, Ink]:
    """Return the tries that are more than a dot, by index."""
    found = {place: ink for place, ink in enumerate(as_letters(tries)) if has_line(ink)}
    if not found:
        what = "only dots" if tries else "no letter"
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
    """Return letters by writer; ``unnamed`` is the writer of letters without one."""
    found: dict[str, list[Ink]] = {}
    for ink in inks:
        found.setdefault(ink.writer or unnamed, []).append(ink)
    return found


def kinds_of(children: Sequence[Pupil], pool: LetterPool) -> npt.NDArray[np.str_]:
    """Return the type of each child: the two defects that are greatest."""
    scores = pool.normalise([child.mean for child in children])
    least = {defect: kind for kind, poor in KINDS.items() for defect in set(FEATURES) - set(poor)}
    names = np.array([least[defect] for defect in FEATURES])
    found: npt.NDArray[np.str_] = names[scores.argmin(axis=1)]
    return found


def to_classroom(children: Sequence[Pupil], pool: LetterPool, rate: float = RATE) -> Classroom:
    """Return the children as a class that learns the rule behind good and bad letters."""
    return Classroom(
        pool.beliefs([child.mean for child in children]),
        np.full(len(children), float(rate)),
        pool.target,
        example_radius=pool.sharpness
        * float(np.sqrt(len(FEATURES) + 1)),  # the longest possible letter
        names=[child.name for child in children],
    )
