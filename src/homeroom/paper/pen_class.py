"""Section 6.3: letters to choose from, children who write, and classes of three types of them.

The paper's 1014 children are not public: ours are simulated, with habits, and everything else is
done as with anybody's ink. What is known of a child are the scores of its letters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from homeroom.classroom import Classroom
from homeroom.handwriting.generators import KINDS, Child, Kinematic
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letter_pool import LetterPool
from homeroom.handwriting.pupils import Pupil, pupils, to_classroom
from homeroom.paper.settings import Settings

TYPES = tuple(KINDS)
DIVERSITIES = tuple(range(1, len(TYPES) + 1))
TRIES = 5
"""How often each child writes the letter."""


@dataclass(frozen=True, eq=False)
class PenClass:
    """A class of children, the letters they may be shown, and who is of which type.

    Parameters
    ----------
    children
        The children with their letters.
    types
        The type that each was simulated with.
    pool
        The letters.
    room
        The children as a class.
    """

    children: tuple[Pupil, ...]
    types: npt.NDArray[np.str_]
    pool: LetterPool
    room: Classroom


@lru_cache(maxsize=8)  # a pool takes half a second, and the figures share theirs
def _pool(letter: str, size: int, generator: str, seed: int) -> LetterPool:
    return LetterPool.make(letter, size, generator=generator, seed=seed)


def pool_for(settings: Settings, seed: int, letter: str | None = None) -> LetterPool:
    """Return the letters that a class of this seed is shown."""
    letter = letter or settings.pen_letter
    pool = _pool(letter, settings.pen_pool, settings.pen_generator, seed)
    return replace(pool, best=settings.pen_best, sharpness=settings.pen_sharpness)


def child_of(kind: str, number: int, seed: int) -> Child:
    """Return a simulated child of a type; no two numbers or seeds have the same."""
    return Child.of(kind, seed * 1000 + number)


def class_of_children(
    settings: Settings, diversity: int, seed: int, letter: str | None = None
) -> PenClass:
    """Return a class with so many types of children, equally many of each, drawn by lot."""
    letter = letter or settings.pen_letter
    rng = np.random.default_rng(seed)
    present = sorted(rng.choice(TYPES, diversity, replace=False).tolist(), key=TYPES.index)
    place = np.arange(settings.pen_children) * diversity // settings.pen_children
    types = np.array(present)[place]
    pool = pool_for(settings, seed, letter)
    everybody = [child_of(kind, number, seed) for number, kind in enumerate(types.tolist())]
    children = pupils(_tries(everybody, letter, seed), pool.model)
    return PenClass(tuple(children), types, pool, to_classroom(children, pool, settings.pen_rate))


def _tries(everybody: list[Child], letter: str, seed: int) -> dict[str, list[Ink]]:
    """Return each child's letters, all written at once: ten times as fast as one by one."""
    knobs = [one for child in everybody for one in child.knobs(TRIES, seed)]
    inks = Kinematic().write(letter, knobs, seed)
    return {
        child.name: inks[number * TRIES : (number + 1) * TRIES]
        for number, child in enumerate(everybody)
    }
