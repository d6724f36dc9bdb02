"""Section 6.2: insects, a crowd's answers, the map made of them, and classes drawn from the crowd.

Everything is done as with anybody's data: the map, the people's hypotheses and the target come from
the answers alone. Only whom the paper would call a learner of type P1 to P4 is read off the
species: by what somebody's hypothesis says of each.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.crowd import insects
from homeroom.crowd.embedding import Embedding
from homeroom.crowd.insects import SCHOOLS, SPECIES, Insects
from homeroom.paper.settings import Settings
from homeroom.pools import DirectionPool

DIMENSIONS = 2
"""The paper's map is a plane."""

TYPES = tuple(school.name for school in SCHOOLS)
DIVERSITIES = tuple(range(1, len(TYPES) + 1))


@dataclass(frozen=True, eq=False)
class Crowd:
    """A crowd on its map.

    Parameters
    ----------
    insects
        What they were asked about.
    places
        Where the insects lie on the map, shape ``(insects, 2)``.
    states
        Each worker's hypothesis, shape ``(workers, 3)``; the last number is her bias, so that she
        calls a butterfly what has ``<state, (place, 1)> > 0``.
    target
        The best such rule, shape ``(3,)``.
    pool
        The directions of all ``(place, 1)``.
    types
        The type of each worker, P1 to P4, by what her hypothesis says of the species.
    """

    insects: Insects
    places: Floats
    states: Floats
    target: Floats
    pool: DirectionPool
    types: npt.NDArray[np.str_]


@cache  # a fit takes half a second, and the figures share theirs
def crowd_of(seed: int) -> Crowd:
    """Return the crowd that was asked about the insects of this seed."""
    made = insects.make(seed)
    fitted = Embedding.fit(made.answers, dimensions=DIMENSIONS, seed=seed)
    room = fitted.to_classroom(rate=1.0, example_radius=1.0)
    types = types_of(room.states, fitted.items, made)
    return Crowd(made, fitted.items, room.states, room.target, fitted.pool(), types)


def crowd_for(settings: Settings, seed: int) -> Crowd:
    """Return the crowd that a class of this seed is drawn from."""
    return crowd_of(settings.insects + seed)


def types_of(states: Floats, places: Floats, made: Insects) -> npt.NDArray[np.str_]:
    """Return the type whose answers about the species each hypothesis comes closest to.

    Parameters
    ----------
    states
        Hypotheses, shape ``(people, 3)``.
    places
        Where the insects lie, shape ``(insects, 2)``.
    made
        The insects.
    """
    yes = states[:, :-1] @ places.T + states[:, -1:] > 0
    species = np.array(made.species)
    said = np.column_stack([yes[:, species == one.short].mean(axis=1) for one in SPECIES])
    told = np.array([[one.short in school.butterflies for one in SPECIES] for school in SCHOOLS])
    distances = ((said[:, None, :] - told[None, :, :]) ** 2).sum(axis=2)
    nearest: npt.NDArray[np.str_] = np.array(TYPES)[distances.argmin(axis=1)]
    return nearest


def class_of_types(
    settings: Settings, diversity: int, seed: int
) -> tuple[Classroom, npt.NDArray[np.str_]]:
    """Return a class with so many types of learners, equally many of each, and everybody's type.

    Every seed has a crowd of its own. Which types is drawn by lot, and so are the workers of each,
    with a small noise.
    """
    crowd = crowd_for(settings, seed)
    rng = np.random.default_rng(seed)
    present = sorted(rng.choice(TYPES, diversity, replace=False).tolist())
    number = np.arange(settings.crowd_students) * diversity // settings.crowd_students
    types = np.array(present)[number]
    workers = np.concatenate(
        [rng.choice(_workers(crowd, one), count) for one, count in Counter(types.tolist()).items()]
    )
    noise = settings.crowd_noise * rng.standard_normal((len(workers), len(crowd.target)))
    room = Classroom(
        crowd.states[workers] + noise,
        np.full(len(workers), settings.crowd_rate),
        crowd.target,
        example_radius=settings.example_radius,
    )
    return room, types


def _workers(crowd: Crowd, kind: str) -> npt.NDArray[np.int64]:
    found = np.flatnonzero(crowd.types == kind)
    if not len(found):
        raise InputError(
            f"Nobody in the crowd of insects={crowd.insects.seed} thinks like {kind}: choose "
            "another crowd, as with insects=0."
        )
    return found
