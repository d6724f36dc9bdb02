"""Generate letters with a generator given by name, or with a network given by its file."""

from __future__ import annotations

from typing import Any

from homeroom._checks import InputError, InputTypeError, whole
from homeroom.handwriting.generators.kinematic import Kinematic
from homeroom.handwriting.generators.knobs import KNOBS, Ranges
from homeroom.handwriting.ink import Ink

GENERATORS = ("kinematic", "lstm")
"""The generators that ship with homeroom."""


def generate(
    letter: str, n: int = 1, seed: int = 0, *, generator: str = "kinematic", **settings: Any
) -> list[Ink]:
    """Return ``n`` handwritten letters, each different.

    Parameters
    ----------
    letter
        The letter.
    n
        The number of letters.
    seed
        The same seed gives the same letters.
    generator
        ``"kinematic"``, a pen that follows the laws of movement and its knobs exactly; or
        ``"lstm"``, a network trained on such letters.
    settings
        The knobs: distortion, rotation, shakiness, shear, aspect, size, tempo, each a number or a
        range (low, high) to draw from. By default they are drawn as in the corpus (see
        :class:`Ranges`). ``"lstm"`` also accepts ``bias``, see ``LetterModel.sample``.

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


def generate_letters(
    letter: str,
    n: int,
    seed: int = 0,
    *,
    generator: str = "kinematic",
    model: Ink | None = None,
    **settings: Any,
) -> list[Ink]:
    """Return ``n`` letters from a generator, from a network in a file, or after a model letter.

    Parameters
    ----------
    letter, n, seed, settings
        As for :func:`homeroom.handwriting.generate`.
    generator
        As there, or the ``.npz`` file of a network that was trained on other ink.
    model
        The model letter, by default the shipped one.

    Examples
    --------
    >>> generate_letters("f", 2, rotation=20)[0].letter
    'f'
    """
    if model is not None:
        if generator != "kinematic":
            raise InputError(
                f"The generator {generator} only writes letters that it has learnt; use the "
                "generator kinematic for your own model."
            )
        return Kinematic(model).write(letter, Ranges(**settings).draw(n, seed), seed)
    if not generator.lower().endswith(".npz"):
        return generate(letter, n, seed, generator=generator, **settings)
    from homeroom.handwriting.generators.lstm import LetterModel

    inks: list[Ink] = LetterModel.load(generator).sample(letter, n, seed, **settings)
    return inks
