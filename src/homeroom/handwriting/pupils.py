"""The children of a class: their scores, their types, and the side to which they lean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.handwriting.generators import KINDS
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letter_pool import LetterPool
from homeroom.handwriting.scores import FEATURES, Scores
from homeroom.handwriting.scores.score import (
    Model,
    as_letters,
    has_line,
    scores_by_appearance,
    why_each_not_scorable,
)

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
    angles = np.nan_to_num([one.angle for one in scores_by_appearance(inks, model)]).tolist()
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


@dataclass(frozen=True, eq=False)
class Pupil:
    """A child, with the scores of its tries at a letter.

    All tries are compared with the form that fits the first few best.

    Parameters
    ----------
    name
        The name of the child.
    inks
        Its tries at the letter that have scores.
    scores
        Their distortion, rotation and shakiness, shape ``(tries, 3)``.
    notes
        Remarks by the index of the try: mirror writing, or a letter that does not count, because it
        fits no form or is a dot.
    leans
        The average rotation of its letters in degrees, positive to the right.
    form
        The name of the child's form of the letter; empty for a single model.
    """

    name: str
    inks: tuple[Ink, ...]
    scores: Floats
    notes: Mapping[int, str] = field(default_factory=dict)
    leans: float = 0.0
    form: str = ""

    @property
    def remarks(self) -> list[str]:
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


def pupils(
    letters: Mapping[str, Sequence[Ink]],
    model: Model,
    *,
    leave_out: Callable[[str], None] | None = None,
) -> list[Pupil]:
    """Return the children with the scores of their tries at a letter.

    A try that fits no form, or is only a dot, has no scores: it does not count, and the child's
    notes state that.

    Parameters
    ----------
    letters
        The tries by the name of the child.
    model
        The name of a letter, a model letter, or forms by name: each child gets the form that fits
        its first letters best.
    leave_out
        Called with a sentence for each child without scores. By default they are refused.

    Examples
    --------
    >>> from homeroom.handwriting import Child
    >>> child = Child.of("shaky+rotated", seed=3)
    >>> ada = pupils({"Ada": child.write("f", tries=4)}, "f")[0]
    >>> ada.form, [name for name, value in zip(FEATURES, ada.mean) if value > 0.3]
    ('cursive (Hershey)', ['rotation', 'shakiness'])
    """
    if not letters:
        raise InputError("A class needs at least one child, but no child has written a letter.")
    every = [
        replace(ink, writer=name) for name, tries in letters.items() for ink in as_letters(tries)
    ]
    reasons = why_each_not_scorable(every)
    inks = [ink for ink, reason in zip(every, reasons, strict=True) if not reason]
    scores = iter(scores_by_appearance(inks, model) if inks else [])
    found, of_tries = [], iter(reasons)
    for name, tries in letters.items():
        why = list(islice(of_tries, len(tries)))
        scored = {at: next(scores) for at, reason in enumerate(why) if not reason}
        if any(one.fits for one in scored.values()):
            found.append(_pupil(name, tries, scored, why))
        else:
            _leave_out(name, tries, scored, leave_out)
    if not found:
        raise InputError("There is no child to teach: no letter could be scored.")
    return found


def _leave_out(
    name: str,
    tries: Sequence[Ink],
    scored: Mapping[int, Scores],
    leave_out: Callable[[str], None] | None,
) -> None:
    """Report or refuse a child without scores; ``scored`` has the tries that fit no form."""
    odd = "only dots" if not any(map(has_line, tries)) else "pages, but no single letter"
    what = "nothing that looks like the letter" if scored else odd if tries else "no letter"
    if leave_out is None:
        raise InputError(f"{name} has written {what}: leave the child out.")
    leave_out(f"{name} has written {what}.")


def _pupil(
    name: str, tries: Sequence[Ink], scores: Mapping[int, Scores], why: Sequence[str]
) -> Pupil:
    """Return a child from its tries.

    ``scores`` are by index of the try; ``why`` states why a try has none, or is empty.
    """
    notes = {
        place: f"This {reason}. It does not count." if reason else scores[place].note
        for place, reason in enumerate(why)
    }
    fitting = {place: one for place, one in scores.items() if one.fits}
    angles = [one.angle for one in fitting.values() if not np.isnan(one.angle)]
    return Pupil(
        name,
        tuple(tries[place] for place in fitting),
        np.array([one.vector for one in fitting.values()]),
        {place: note for place, note in notes.items() if note},
        float(np.mean(angles)) if angles else 0.0,
        Counter(one.form for one in fitting.values()).most_common(1)[0][0],
    )


def common_form(children: Sequence[Pupil]) -> str:
    """Return the form that most children have; the first of several.

    >>> rows = np.zeros((1, 3))
    >>> common_form([Pupil(form, (), rows, form=form) for form in ("print", "cursive", "print")])
    'print'
    """
    return Counter(child.form for child in children).most_common(1)[0][0]


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


NO_TYPE = "no clear type"
"""The type of children whose letters do not support one."""

CLEAR = 0.9
"""The least probability of a type that is shown."""

USUAL_SPREAD, USUAL_TRIES = 0.15, 4.0
"""A guess of the standard deviation of normalised scores between a child's tries, and the number of
tries that it counts for."""


def certainty_of_kinds(children: Sequence[Pupil], pool: LetterPool) -> Floats:
    """Return the probability that the least defect of each child is really below the next one.

    The type of a child is given by its least defect. With few tries that vary, the order of the
    defects is a matter of chance. The probability is that of a t test between the two least
    defects, on the tries of the child; ``USUAL_SPREAD`` stands in for tries that are missing. The
    test has two sides, because the same tries decide which of the two is the least.
    """
    found = []
    for child in children:
        tries = pool.normalise(child.scores)
        least, next_, _ = np.argsort(tries.mean(axis=0), kind="stable")
        apart = tries[:, next_] - tries[:, least]
        squares = ((apart - apart.mean()) ** 2).sum() + 2.0 * USUAL_TRIES * USUAL_SPREAD**2
        freedom = len(apart) - 1 + USUAL_TRIES
        t = apart.mean() / np.sqrt(squares / freedom / len(apart))
        found.append(2.0 * stdtr(freedom, t) - 1.0)
    return np.array(found)


def clear_kinds(
    children: Sequence[Pupil], pool: LetterPool, at_least: float = CLEAR
) -> npt.NDArray[np.str_]:
    """Return the type of each child, or ``NO_TYPE`` where the letters do not support one."""
    certain = certainty_of_kinds(children, pool) >= at_least
    return np.where(certain, kinds_of(children, pool), NO_TYPE)


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
