"""A pool of letters, the rule that separates good letters from bad ones, and a teacher for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError, positive, whole
from homeroom.classroom import Classroom, Example
from homeroom.handwriting.generators.dispatch import generate_letters
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import FEATURES
from homeroom.handwriting.scores.measurement import read
from homeroom.learners import AbstractLoss
from homeroom.moments import Observation
from homeroom.pools import ItemPool
from homeroom.teachers import AbstractTeacher, PoolTeacher

WORST_QUANTILE = 0.95
"""The quantile of each score in the pool that is normalised to 1; greater scores are cut off."""

BEST, SHARPNESS = 0.1, 3.0
"""The default fraction of good letters, and how sharply the target separates them from bad."""

LETTERS_IN_POOL = 1000


@dataclass(frozen=True, eq=False)
class LetterPool:
    """Letters with their scores, and the rule that separates good letters from bad ones.

    A letter is the example ``sharpness * (d, r, s, 1)``: its three normalised scores and a
    constant. It is good if the average of the three is below the limit. The target
    ``(-1, -1, -1, 3 limit)`` is the same rule: it is positive for good letters.

    Parameters
    ----------
    inks
        The letters.
    scores
        Their distortion, rotation and shakiness, defects from 0 to 1, shape ``(letters, 3)``.
    model
        The model letter.
    best
        The fraction of the letters, those with the lowest average, that are labelled good. If more
        letters share the lowest average, all of them are good.
    sharpness
        How sharply the target separates good from bad: a letter whose three defects sum to
        ``3 limit + 1`` is bad with probability ``1 / (1 + exp(-sharpness))``.

    Attributes
    ----------
    worst
        The score of each defect that is normalised to 1, shape ``(3,)``.
    limit
        The average of the normalised scores below which a letter is good.
    """

    inks: tuple[Ink, ...]
    scores: Floats
    model: Ink
    best: float = BEST
    sharpness: float = SHARPNESS
    worst: Floats = field(init=False)
    limit: float = field(init=False)

    def __post_init__(self) -> None:
        scores = _arrays.freeze(np.array(self.scores, dtype=np.float64))
        if scores.shape != (len(self.inks), len(FEATURES)) or len(self.inks) < 2:
            raise InputError(
                "A pool needs at least two letters, with three scores each, but it has "
                f"{len(self.inks)} letters and scores of shape {scores.shape}."
            )
        valid = (np.isfinite(scores) & (scores >= 0)).all(axis=1)
        if not valid.all():
            row = int(valid.argmin())
            raise InputError(
                f"`scores` must be numbers of at least 0, but letter {row} (counted from 0) has "
                f"{scores[row].tolist()}."
            )
        object.__setattr__(self, "scores", scores)
        if not 0 < self.best < 1:
            raise InputError(f"`best` must be a fraction between 0 and 1, but is {self.best}.")
        positive(self.sharpness, "sharpness", example="3")
        worst = np.quantile(scores, WORST_QUANTILE, axis=0)
        if not (worst > 0).any():
            raise InputError(
                "No letter of the pool has any defect, so no child can learn to avoid it. "
                "Use letters that differ more."
            )
        # A defect that almost no letter has, such as the rotation of a round o, is not rescaled.
        object.__setattr__(self, "worst", np.where(worst > 0, worst, 1.0))
        object.__setattr__(self, "limit", _limit(self.normalised.mean(axis=1), self.best))

    @classmethod
    def make(
        cls,
        letter: str,
        size: int = LETTERS_IN_POOL,
        *,
        generator: str = "kinematic",
        model: Ink | None = None,
        seed: int = 0,
        best: float = BEST,
        sharpness: float = SHARPNESS,
    ) -> LetterPool:
        """Return a pool of generated letters.

        Parameters
        ----------
        letter
            The letter, such as ``"a"``.
        size
            The number of letters, at least 20.
        generator
            ``"kinematic"``, ``"lstm"``, or the file of your own network.
        model
            The model letter, by default the shipped one.
        seed
            The same seed gives the same letters.
        best, sharpness
            As for :class:`LetterPool`.
        """
        size = whole(size, "size", at_least=20)
        inks = generate_letters(letter, size, seed, generator=generator, model=model)
        model = model_letter(letter) if model is None else model
        return cls(tuple(inks), read(inks, model).table, model, best, sharpness)

    def __len__(self) -> int:
        return len(self.inks)

    def normalise(self, scores: npt.ArrayLike) -> Floats:
        """Return scores relative to ``worst``, cut off at 1; the last axis has the defects."""
        normalised: Floats = np.minimum(1.0, np.asarray(scores, dtype=np.float64) / self.worst)
        return normalised

    @cached_property
    def normalised(self) -> Floats:
        """The normalised scores of the letters, shape ``(letters, 3)``."""
        return self.normalise(self.scores)

    @cached_property
    def good(self) -> npt.NDArray[np.bool_]:
        """Whether each letter is good, shape ``(letters,)``."""
        averages: Floats = self.normalised.mean(axis=1)
        return averages < self.limit

    @property
    def target(self) -> Floats:
        """The rule behind good and bad, shape ``(4,)``."""
        return np.array([-1.0, -1.0, -1.0, len(FEATURES) * self.limit])

    @cached_property
    def items(self) -> ItemPool:
        """The letters as examples, labelled +1 if good and -1 if bad."""
        rows = np.column_stack([self.normalised, np.ones(len(self))])
        return ItemPool(self.sharpness * rows, labels=np.where(self.good, 1.0, -1.0))

    def beliefs(self, scores: npt.ArrayLike) -> Floats:
        """Return the states of children who write with these scores, shape ``(children, 4)``.

        A child who shows nothing of a defect gives it the target's weight, -1; a child who shows
        all of it gives it weight 0. The letters do not show how strict a child is, so the last
        coordinate is that of the target.
        """
        avoided = 1.0 - self.normalise(np.atleast_2d(scores))
        return np.column_stack([avoided * self.target[:-1], np.full(len(avoided), self.target[-1])])


def _limit(averages: Floats, best: float) -> float:
    """Return the average below which the best letters are."""
    limit, lowest = float(np.quantile(averages, best)), averages.min()
    if lowest < limit:
        return limit
    above = averages[averages > lowest]
    if not above.size:
        raise InputError(
            "All letters of the pool are equally good, so no child can learn to tell them apart. "
            "Use letters that differ more."
        )
    return float(lowest + above.min()) / 2


@dataclass(frozen=True)
class LetterTeacher(AbstractTeacher):
    """The pool teacher (appendix C of the paper), with a random part of the pool in each round.

    A real generator never writes the same letter twice, but a teacher with a fixed pool repeats a
    few letters. So this teacher draws part of the pool at random in each round, and shows the
    letter of that part that helps most. If none of them helps, it uses the whole pool.

    Parameters
    ----------
    letters
        The pool.
    looks_at
        The number of letters drawn in each round.
    """

    letters: LetterPool
    looks_at: int = 100

    def __post_init__(self) -> None:
        whole(self.looks_at, "looks_at", at_least=1)

    def prepare(self, room: Classroom, loss: AbstractLoss) -> LetterTeacher:
        PoolTeacher(self.letters.items).prepare(room, loss)
        return self

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        letters = self._fitting(seen)
        example = PoolTeacher(self._draw(letters, rng)).choose(seen, rng)
        return PoolTeacher(letters).choose(seen, rng) if example is None else example

    def _fitting(self, seen: Observation) -> ItemPool:
        """Return the letters that are not longer than the class's examples may be."""
        letters = self.letters.items
        longest = (seen.example_radius * (1 + 1e-9)) ** 2
        return letters.only(np.flatnonzero(letters.squared_lengths <= longest))

    def _draw(self, letters: ItemPool, rng: np.random.Generator) -> ItemPool:
        """Return some of these letters, drawn at random; they keep their numbers in the pool."""
        return letters.only(letters.numbers[rng.permutation(len(letters))[: self.looks_at]])
