"""The letters that a teacher may show: how good each is, and the rule behind good and bad."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError, positive, whole
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import FEATURES, score_all
from homeroom.handwriting.writers import written
from homeroom.pools import ItemPool

WORST = 0.95
"""Of the letters in a pool this share has a normalised score below 1; the others are cut off."""

BEST, SHARPNESS = 0.1, 3.0
LETTERS_IN_POOL = 1000


@dataclass(frozen=True, eq=False)
class LetterPool:
    """Letters with their scores, and the rule that tells good ones from bad ones.

    A letter is the example ``sharpness * (d, r, s, 1)``: its three normalised scores and a
    constant. It is good if the average of the three is below the limit. So the rule behind the
    label is the target ``(-1, -1, -1, 3 limit)``: all three defects count alike.

    Parameters
    ----------
    inks
        The letters.
    scores
        Their distortion, rotation and shakiness, defects from 0 to 1, shape ``(letters, 3)``.
    model
        The letter as it should be.
    best
        The share of the letters, those with the lowest average, that is called good.
    sharpness
        How sure the target is of good and bad: a letter that is worse by 1 than the limit, all
        defects together, is bad with a probability of 1 / (1 + exp(-sharpness)).

    Attributes
    ----------
    worst
        The score of each defect that counts as 1, shape ``(3,)``: few letters are worse.
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
        scores = _arrays.frozen(np.array(self.scores, dtype=np.float64))
        if scores.shape != (len(self.inks), len(FEATURES)) or len(self.inks) < 2:
            raise InputError(
                "A pool needs two letters at least, and three scores for each, but it has "
                f"{len(self.inks)} letters and scores of shape {scores.shape}."
            )
        object.__setattr__(self, "scores", scores)
        if not 0 < self.best < 1:
            raise InputError(f"`best` must be a share between 0 and 1, but is {self.best}.")
        positive(self.sharpness, "sharpness", example="3")
        worst = np.quantile(scores, WORST, axis=0)
        if not (worst > 0).all():
            least = FEATURES[int(worst.argmin())]
            raise InputError(
                f"No letter of the pool has any {least}, so that nobody can learn to avoid it. "
                "Take letters that differ more."
            )
        object.__setattr__(self, "worst", worst)
        averages = self.normalise(scores).mean(axis=1)
        object.__setattr__(self, "limit", float(np.quantile(averages, self.best)))

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
            Which letter.
        size
            How many.
        generator
            Who writes them: ``"kinematic"``, ``"lstm"``, or the file of a network of your own.
        model
            The letter as it should be, if it is not the shipped one.
        seed
            The same seed gives the same letters.
        best, sharpness
            What is called good, and how surely, as above.
        """
        size = whole(size, "size", at_least=20)
        inks = written(letter, size, seed, generator=generator, model=model)
        model = model_letter(letter) if model is None else model
        return cls(tuple(inks), score_all(inks, model), model, best, sharpness)

    def __len__(self) -> int:
        return len(self.inks)

    def normalise(self, scores: npt.ArrayLike) -> Floats:
        """Return scores as parts of what is bad in this pool, from 0 to 1, of any shape."""
        normalised: Floats = np.minimum(1.0, np.asarray(scores, dtype=np.float64) / self.worst)
        return normalised

    @cached_property
    def normalised(self) -> Floats:
        """The letters' normalised scores, shape ``(letters, 3)``."""
        return self.normalise(self.scores)

    @cached_property
    def good(self) -> npt.NDArray[np.bool_]:
        """Which letters are good, shape ``(letters,)``."""
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
        """Return what children believe who write with these scores, shape ``(children, 4)``.

        A child counts a defect as much as it avoids it: who writes without it counts it as the
        target does, who writes with all of it does not count it at all. What a child's letters do
        not show is how strict it is, so that number is the target's.
        """
        avoided = 1.0 - self.normalise(np.atleast_2d(scores))
        return np.column_stack([avoided * self.target[:-1], np.full(len(avoided), self.target[-1])])
