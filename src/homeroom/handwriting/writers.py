"""Who writes the letters: a generator by its name, or a network of your own by its file."""

from __future__ import annotations

from typing import Any

from homeroom._checks import InputError
from homeroom.handwriting.generators import Kinematic, Ranges, generate
from homeroom.handwriting.ink import Ink


def written(
    letter: str,
    n: int,
    seed: int = 0,
    *,
    generator: str = "kinematic",
    model: Ink | None = None,
    **settings: Any,
) -> list[Ink]:
    """Return so many letters.

    Parameters
    ----------
    letter, n, seed, settings
        As for :func:`homeroom.handwriting.generate`.
    generator
        As there, or the file of a network that was trained on other ink, ending in ``.npz``.
    model
        A letter to write like, instead of the shipped one.

    Examples
    --------
    >>> written("f", 2, rotation=20)[0].letter
    'f'
    """
    if model is not None:
        if generator != "kinematic":
            raise InputError(
                f"The generator {generator} only writes letters that it has learnt; for a model of "
                "your own take the generator kinematic."
            )
        return Kinematic(model).write(letter, Ranges(**settings).draw(n, seed), seed)
    if not generator.lower().endswith(".npz"):
        return generate(letter, n, seed, generator=generator, **settings)
    from homeroom.handwriting.generators.lstm import LetterModel

    inks: list[Ink] = LetterModel.load(generator).sample(letter, n, seed, **settings)
    return inks
