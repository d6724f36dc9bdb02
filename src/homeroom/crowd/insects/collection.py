"""The whole collection: 160 insects, what is true of them, and what 67 workers said."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError, whole
from homeroom._files import replacing
from homeroom.crowd.answers import Answers
from homeroom.crowd.insects.drawing import draw
from homeroom.crowd.insects.pixels import as_pixels
from homeroom.crowd.insects.shapes import Shape
from homeroom.crowd.insects.species import FEATURES, SPECIES, AbstractSpecies, Look
from homeroom.crowd.insects.svg import as_svg
from homeroom.crowd.insects.workers import ask

OF_EACH = 40
"""How many insects of each species there are, as in the paper."""

SPREADS = (0.10, 0.06, 0.10, 0.10)
"""How much insects of a species differ in each feature."""


@dataclass(frozen=True, eq=False)
class Insects:
    """Drawn insects, and what people say of them; made by ``make``.

    Parameters
    ----------
    seed
        What they were made from.
    names
        What each is called: a number, species by species. No name says what it is.
    species
        What each is, by the paper's names: cmoth, tmoth, rbfly, pbfly.
    features
        Shape ``(insects, 4)``, from 0 to 1: how broad its wings are, how clubbed its antennae, how
        large its eyespots, how strong its stripes.
    answers
        What the workers said of each ("is it a butterfly?"), with the truth as expert labels.
    schools
        The school of thought of each worker, P1 to P4.
    tones
        How much lighter or darker each one is than its species.
    """

    seed: int
    names: tuple[str, ...]
    species: tuple[str, ...]
    features: Floats
    answers: Answers
    schools: tuple[str, ...]
    tones: Floats = field(repr=False)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def labels(self) -> Floats:
        """The truth: +1 for a butterfly, -1 for a moth, shape ``(insects,)``."""
        return self.answers.labels

    def shapes(self, insect: int) -> list[Shape]:
        """Return the drawing of an insect, counted from 0, as shapes."""
        number = whole(insect, "insect", at_least=0, at_most=len(self) - 1)
        rng = np.random.default_rng([self.seed, 2, number])
        wings, antennae, eyespots, stripes = self.features[number].tolist()
        look = Look(wings, antennae, eyespots, stripes, float(self.tones[number]), rng)
        return draw(_called(self.species[number]), look)

    def svg(self, insect: int) -> str:
        """Return the drawing of an insect as the text of an SVG file."""
        return as_svg(self.shapes(insect), name=self.names[insect])

    def pixels(self, insect: int, size: int = 200) -> npt.NDArray[np.uint8]:
        """Return the drawing of an insect as ``(size, size, 4)`` bytes: red, green, blue, alpha."""
        return as_pixels(self.shapes(insect), whole(size, "size", at_least=1, at_most=4096))

    def save(self, folder: str | PathLike[str], *, png: int | None = None) -> None:
        """Write the collection as anybody's data: a picture of each insect, and three tables.

        ``answers.csv`` (``student, item, answer``) and ``labels.csv`` (``item, label``) say yes for
        a butterfly; ``features.csv`` has what is true of each insect.

        Parameters
        ----------
        folder
            Where; it is made if it is not there.
        png
            Write pictures of this many pixels a side beside the SVG files.
        """
        place = Path(folder)
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as why:
            raise InputError(f"{place} cannot be written: {why.strerror}.") from None
        self._write_pictures(place, png)
        said = ("no", "yes")
        answers = self.answers
        write = zip(
            answers.person.tolist(), answers.item.tolist(), answers.yes.tolist(), strict=True
        )
        _write_table(
            place / "answers.csv",
            ("student", "item", "answer"),
            ((answers.people[who], answers.items[what], said[yes]) for who, what, yes in write),
        )
        _write_table(
            place / "labels.csv",
            ("item", "label"),
            (
                (name, said[int(label > 0)])
                for name, label in zip(self.names, self.labels.tolist(), strict=True)
            ),
        )
        _write_table(
            place / "features.csv",
            ("item", "species", *FEATURES),
            (
                (name, species, *(f"{value:.4f}" for value in row))
                for name, species, row in zip(self.names, self.species, self.features, strict=True)
            ),
        )

    def _write_pictures(self, place: Path, png: int | None) -> None:
        for number, name in enumerate(self.names):
            with replacing(place / f"{name}.svg") as path:
                path.write_text(self.svg(number), encoding="utf-8")
            if png is not None:
                from matplotlib.image import imsave

                pixels = self.pixels(number, png)
                with replacing(place / f"{name}.png") as path:
                    imsave(path, pixels)

    def __repr__(self) -> str:
        return f"Insects({len(self)} of {len(set(self.species))} species, {self.answers!r})"


def make(seed: int = 0) -> Insects:
    """Draw 160 insects, 40 of each of four species, and ask 67 workers about them.

    The paper's own pictures and answers are not public; these have the same species, and workers
    of the same four schools of thought (section 6.2).

    Examples
    --------
    >>> insects = make()
    >>> insects
    Insects(160 of 4 species, Answers(10720 answers of 67 people to 160 items))
    >>> insects.species[0], insects.svg(0)[:4]
    ('cmoth', '<svg')
    """
    whole(seed, "seed", at_least=0)
    every = [species for species in SPECIES for _ in range(OF_EACH)]
    rng = np.random.default_rng([seed, 0])
    typical = np.array([species.typical for species in every])
    features = np.clip(typical + SPREADS * rng.standard_normal(typical.shape), 0.0, 1.0)
    tones = np.clip(0.06 * rng.standard_normal(len(every)), -0.15, 0.15)
    schools, yes = ask(features, np.random.default_rng([seed, 1]))
    names = tuple(f"insect-{number:03}" for number in range(1, len(every) + 1))
    return Insects(
        seed,
        names,
        tuple(species.short for species in every),
        _arrays.frozen(features),
        _answers(names, every, yes),
        tuple(school.name for school in schools),
        _arrays.frozen(tones),
    )


def _answers(
    names: Sequence[str], every: Sequence[AbstractSpecies], yes: npt.NDArray[np.bool_]
) -> Answers:
    """Return what every worker said of every insect, with the truth beside it."""
    people = tuple(f"worker-{number:02}" for number in range(1, len(yes) + 1))
    who, what = np.indices(yes.shape, dtype=np.int32)
    labels = np.array([1.0 if species.kind == "butterfly" else -1.0 for species in every])
    return Answers(people, tuple(names), who.ravel(), what.ravel(), yes.ravel(), labels)


def _called(short: str) -> AbstractSpecies:
    return next(species for species in SPECIES if species.short == short)


def _write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with (
        replacing(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
