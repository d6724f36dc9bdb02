"""The collection: 160 drawn insects, their true species, and the answers of 67 annotators.

The annotators are simulated, of four types. They say of every insect whether it is a butterfly. All
look at the same two features: how much an insect is built like a butterfly (broad wings, clubbed
antennae), and how bold its pattern is (eyespots, stripes). Annotators weigh the two differently,
have different thresholds, and make random errors::

    yes  if  care * (<direction, place> - bar) + noise > 0,   noise ~ N(0, 1)
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError, whole
from homeroom._files import replacing
from homeroom.crowd.answers import Answers
from homeroom.crowd.insects.shapes import Shape, as_pixels, as_svg
from homeroom.crowd.insects.species import FEATURES, SPECIES, AbstractSpecies, Look, draw

ANNOTATORS = 67
"""The number of annotators, as in the paper."""

CENTRE = np.array([1.025, 0.675])
HALF = np.array([0.6, 0.325])
"""They put the typical insects of the four species at the corners of a square from -1 to 1."""

ANGLE_SPREAD, BAR_SPREAD = 0.15, 0.12
"""How much annotators of a type differ in angle (radians) and bar: standard deviations."""
CARE, CARE_SPREAD = 2.5, 0.2
"""The median of annotators' care, and the standard deviation of its logarithm."""


@dataclass(frozen=True)
class AnnotatorType:
    """A type of annotators, who share a mistake.

    Parameters
    ----------
    name
        Its name in the paper.
    mistake
        What these annotators wrongly believe.
    angle
        What these annotators look at, in degrees: 0 is only the build, 90 only the pattern.
    bar
        The threshold along that direction beyond which they say butterfly.
    butterflies
        The species that they call butterflies, by the paper's names.
    """

    name: str
    mistake: str
    angle: float
    bar: float
    butterflies: tuple[str, ...]


ANNOTATOR_TYPES = (
    AnnotatorType("P1", "tiger moths are butterflies", 45.0, -0.72, ("tmoth", "rbfly", "pbfly")),
    AnnotatorType("P2", "ringlets are moths", 45.0, 0.75, ("pbfly",)),
    AnnotatorType("P3", "peacocks are moths", -45.0, 0.72, ("rbfly",)),
    AnnotatorType(
        "P4", "all moths are butterflies", 10.0, -1.6, ("cmoth", "tmoth", "rbfly", "pbfly")
    ),
)


def places_of(features: Floats) -> Floats:
    """Return the places of insects on the map of the annotators, shape ``(insects, 2)``.

    Parameters
    ----------
    features
        Shape ``(insects, 4)``: wings, antennae, eyespots, stripes.
    """
    build, pattern = features[:, 0] + features[:, 1], features[:, 2] + features[:, 3]
    places: Floats = (np.column_stack([build, pattern]) - CENTRE) / HALF
    return places


def simulate_answers(
    features: Floats, rng: np.random.Generator
) -> tuple[tuple[AnnotatorType, ...], npt.NDArray[np.bool_]]:
    """Simulate 67 annotators.

    Return the type of each, and whether each says butterfly, shape ``(annotators, insects)``.
    ``features`` are those of the insects, shape ``(insects, 4)``.
    """
    order = rng.permutation(ANNOTATORS)
    number_of_types = len(ANNOTATOR_TYPES)
    types = tuple(
        ANNOTATOR_TYPES[number * number_of_types // ANNOTATORS] for number in order.tolist()
    )
    angles = np.radians([one.angle for one in types])
    angles += ANGLE_SPREAD * rng.standard_normal(ANNOTATORS)
    bars = np.array([one.bar for one in types]) + BAR_SPREAD * rng.standard_normal(ANNOTATORS)
    care = CARE * np.exp(CARE_SPREAD * rng.standard_normal(ANNOTATORS))
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    margins = care[:, None] * (directions @ places_of(features).T - bars[:, None])
    yes: npt.NDArray[np.bool_] = margins + rng.standard_normal(margins.shape) > 0
    return types, yes


OF_EACH = 40
"""The number of insects per species, as in the paper."""

SPREADS = (0.10, 0.06, 0.10, 0.10)
"""The standard deviation of each feature within a species."""


@dataclass(frozen=True, eq=False)
class Insects:
    """Drawn insects, and the answers of annotators to them; create them with ``make``.

    Parameters
    ----------
    seed
        The seed that they were drawn with.
    names
        ``insect-001``, ``insect-002``, ..., sorted by species; the name does not contain the
        species.
    species
        The species of each insect, by the paper's names: cmoth, tmoth, rbfly, pbfly.
    features
        Shape ``(insects, 4)``, from 0 to 1: how broad its wings are, how clubbed its antennae, how
        large its eyespots, how strong its stripes.
    answers
        The answers to "is it a butterfly?", with the truth as expert labels.
    types
        The type of each annotator, P1 to P4.
    tones
        How much lighter or darker each insect is than is typical of its species.
    """

    seed: int
    names: tuple[str, ...]
    species: tuple[str, ...]
    features: Floats
    answers: Answers
    types: tuple[str, ...]
    tones: Floats

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
        return draw(_species_called(self.species[number]), look)

    def svg(self, insect: int) -> str:
        """Return the drawing of an insect as the text of an SVG file."""
        return as_svg(self.shapes(insect), name=self.names[insect])

    def pixels(self, insect: int, size: int = 200) -> npt.NDArray[np.uint8]:
        """Return the drawing of an insect as ``(size, size, 4)`` bytes: red, green, blue, alpha."""
        return as_pixels(self.shapes(insect), whole(size, "size", at_least=1, at_most=4096))

    def save(self, folder: str | PathLike[str], *, png: int | None = None) -> None:
        """Write the collection to files: one picture per insect, and three tables.

        In ``answers.csv`` (``student, item, answer``) and ``labels.csv`` (``item, label``), yes is
        a butterfly; ``features.csv`` has the species and features of each insect.

        Parameters
        ----------
        folder
            The folder, which is created if it does not exist.
        png
            Also write PNG files with this many pixels per side.
        """
        if png is not None:
            whole(png, "png", at_least=1, at_most=4096)
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
        """Write an SVG file per insect, and with ``png`` a PNG file of this size."""
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
    """Draw 160 insects, 40 of each of four species, and ask 67 simulated annotators about them.

    The paper's own pictures and answers are not public. These have the same species, and annotators
    of the same four types (section 6.2).

    Examples
    --------
    >>> insects = make()
    >>> insects
    Insects(160 of 4 species, Answers(10720 answers of 67 annotators to 160 items))
    >>> insects.species[0], insects.svg(0)[:4]
    ('cmoth', '<svg')
    """
    whole(seed, "seed", at_least=0)
    every = [species for species in SPECIES for _ in range(OF_EACH)]
    rng = np.random.default_rng([seed, 0])
    typical = np.array([species.typical for species in every])
    features = np.clip(typical + SPREADS * rng.standard_normal(typical.shape), 0.0, 1.0)
    tones = np.clip(0.06 * rng.standard_normal(len(every)), -0.15, 0.15)
    types, yes = simulate_answers(features, np.random.default_rng([seed, 1]))
    names = tuple(f"insect-{number:03}" for number in range(1, len(every) + 1))
    return Insects(
        seed,
        names,
        tuple(species.short for species in every),
        _arrays.freeze(features),
        _answers(names, every, yes),
        tuple(one.name for one in types),
        _arrays.freeze(tones),
    )


def _answers(
    names: Sequence[str], every: Sequence[AbstractSpecies], yes: npt.NDArray[np.bool_]
) -> Answers:
    """Return the answers of every annotator to every insect, with the truth as labels."""
    people = tuple(f"worker-{number:02}" for number in range(1, len(yes) + 1))
    who, what = np.indices(yes.shape, dtype=np.int32)
    labels = np.array([1.0 if species.kind == "butterfly" else -1.0 for species in every])
    return Answers(people, tuple(names), who.ravel(), what.ravel(), yes.ravel(), labels)


def _species_called(short: str) -> AbstractSpecies:
    return next(species for species in SPECIES if species.short == short)


def _write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
