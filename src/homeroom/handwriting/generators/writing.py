"""One verb for all generators."""

from __future__ import annotations

from typing import Any

from homeroom._checks import InputError, InputTypeError, whole
from homeroom.handwriting.generators.base import KNOBS, Ranges
from homeroom.handwriting.generators.kinematic import Kinematic
from homeroom.handwriting.ink import Ink

GENERATORS = ("kinematic", "lstm")
"""The generators that ship with homeroom."""


def generate(
    letter: str, n: int = 1, seed: int = 0, *, generator: str = "kinematic", **settings: Any
) -> list[Ink]:
    """Return so many handwritten letters, each different.

    Parameters
    ----------
    letter
        Which letter.
    n
        How many.
    seed
        The same seed gives the same letters.
    generator
        ``"kinematic"``, a pen moved by the laws of movement, which does exactly what its knobs
        say; or ``"lstm"``, a network that learned from such letters.
    settings
        The knobs: distortion, rotation, shakiness, shear, aspect, size, tempo, each a number or a
        range (low, high) to draw from; what is not given is drawn as in the corpus (see
        :class:`Ranges`). For ``"lstm"`` also ``bias``, see ``LetterModel.sample``.

    Examples
    --------
    >>> generate("f", 2, rotation=20, shakiness=(0.1, 0.3))[1].letter
    'f'
    """
    count = whole(n, "n", at_least=1)
    if generator not in GENERATORS:
        raise InputError(f"`generator` must be {' or '.join(GENERATORS)}, but is {generator!r}.")
    if generator == "lstm":
        return _by_network(letter, count, seed, settings)
    for name in settings.keys() - set(KNOBS):
        raise InputTypeError(f"`{name}` is not a knob: choose from {', '.join(KNOBS)}.")
    return Kinematic().write(letter, Ranges(**settings).draw(count, seed), seed)


def _by_network(letter: str, n: int, seed: int, settings: dict[str, Any]) -> list[Ink]:
    from homeroom.handwriting.generators.lstm import LetterModel

    found: list[Ink] = LetterModel.load().sample(letter, n, seed, **settings)
    return found
