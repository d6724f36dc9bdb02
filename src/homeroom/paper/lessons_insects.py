"""Section 6.2: classes drawn from a crowd that was asked about insects, and their lessons.

The crowd is treated like any other data: the map, the hypotheses of the annotators and the target
come from the answers alone. Only the paper's types of learners, P1 to P4, are determined from the
species: by which species a hypothesis calls butterflies.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.crowd import insects as insect_pictures
from homeroom.crowd.embedding import Embedding
from homeroom.crowd.insects import ANNOTATOR_TYPES as CLUSTERS
from homeroom.crowd.insects import SPECIES, Insects
from homeroom.goals import AverageGoal
from homeroom.groups import AsGiven, WholeClass
from homeroom.lessons import teach
from homeroom.paper.lessons_synthetic import TaughtClass, teach_four_ways
from homeroom.paper.rows import Row
from homeroom.paper.settings import PaperSettings
from homeroom.pools import DirectionPool
from homeroom.teachers import PoolTeacher

DIMENSIONS = 2
"""The paper's map is a plane."""

MISTAKES = {cluster.name: cluster.mistake for cluster in CLUSTERS}
"""The types of learners, and the mistake that each makes."""

LEARNER_TYPES = tuple(MISTAKES)
"""The names of the types: P1 to P4."""

DIVERSITIES = tuple(range(1, len(LEARNER_TYPES) + 1))
"""The numbers of types in a class."""


@dataclass(frozen=True, eq=False)
class InsectCrowd:
    """The annotators and insects of a crowd on its map.

    Parameters
    ----------
    insects
        The insects that the annotators were asked about.
    places
        Where the insects lie on the map, shape ``(insects, 2)``.
    states
        The hypothesis of each annotator, shape ``(annotators, 3)``. The last coordinate is a bias:
        an insect is a butterfly if ``<state, (place, 1)> > 0``.
    target
        The hypothesis to be taught, the expert's rule, shape ``(3,)``.
    pool
        The directions of all ``(place, 1)``.
    types
        The type that each annotator's hypothesis resembles most, P1 to P4; ``insects.types`` has
        those that were simulated.
    """

    insects: Insects
    places: Floats
    states: Floats
    target: Floats
    pool: DirectionPool
    types: npt.NDArray[np.str_]


@cache  # a fit takes half a second, and the figures share theirs
def crowd_from_seed(seed: int) -> InsectCrowd:
    """Simulate a crowd that answers about insects, fit a map to its answers, and return both."""
    simulated = insect_pictures.make(seed)
    fitted = Embedding.fit(simulated.answers, dimensions=DIMENSIONS, seed=seed)
    room = fitted.to_classroom(rate=1.0, example_radius=1.0)
    types = types_of(room.states, fitted.items, simulated)
    return InsectCrowd(simulated, fitted.items, room.states, room.target, fitted.pool(), types)


def crowd_for(settings: PaperSettings, seed: int) -> InsectCrowd:
    """Return the crowd that a class of this seed is drawn from."""
    return crowd_from_seed(settings.insects + seed)


def types_of(states: Floats, places: Floats, simulated: Insects) -> npt.NDArray[np.str_]:
    """Return the type of each hypothesis.

    It is the type whose butterflies agree best with the shares of each species that the hypothesis
    calls butterflies.

    Parameters
    ----------
    states
        Hypotheses, shape ``(annotators, 3)``.
    places
        Where the insects lie, shape ``(insects, 2)``.
    simulated
        The insects.
    """
    yes = states[:, :-1] @ places.T + states[:, -1:] > 0
    species = np.array(simulated.species)
    shares = np.column_stack([yes[:, species == one.short].mean(axis=1) for one in SPECIES])
    typical = np.array([[one.short in type_.butterflies for one in SPECIES] for type_ in CLUSTERS])
    distances = ((shares[:, None, :] - typical[None, :, :]) ** 2).sum(axis=2)
    nearest: npt.NDArray[np.str_] = np.array(LEARNER_TYPES)[distances.argmin(axis=1)]
    return nearest


def class_of_types(
    settings: PaperSettings, diversity: int, seed: int
) -> tuple[Classroom, npt.NDArray[np.str_]]:
    """Return a class with ``diversity`` types of learners, and the type of each student.

    Every seed has its own crowd. The types are drawn at random, and so are the annotators of each
    type, with replacement and a small noise. The types have equally many students, up to one.
    """
    crowd = crowd_for(settings, seed)
    rng = np.random.default_rng(seed)
    present = sorted(rng.choice(LEARNER_TYPES, diversity, replace=False).tolist())
    type_index = np.arange(settings.crowd_students) * diversity // settings.crowd_students
    types = np.array(present)[type_index]
    chosen = np.concatenate(
        [rng.choice(_of_type(crowd, one), count) for one, count in Counter(types.tolist()).items()]
    )
    noise = settings.crowd_noise * rng.standard_normal((len(chosen), len(crowd.target)))
    room = Classroom(
        crowd.states[chosen] + noise,
        np.full(len(chosen), settings.crowd_rate),
        crowd.target,
        example_radius=settings.crowd_radius,
    )
    return room, types


def _of_type(crowd: InsectCrowd, kind: str) -> npt.NDArray[np.int64]:
    """Return the indices of the annotators of a type."""
    found = np.flatnonzero(crowd.types == kind)
    if not len(found):
        raise InputError(
            f"The crowd with seed {crowd.insects.seed} (the setting `insects` plus the seed of the "
            f"class) has no annotator of type {kind}: change the setting `insects`."
        )
    return found


def insects(settings: PaperSettings, seed: int, variation: str = "") -> list[Row]:
    """Teach classes of one to four types of learners in the four ways (figures 4d, 4e, 4f).

    The rows are those of :func:`teach_four_ways`.
    """
    items, at_goal = crowd_for(settings, seed).pool, replace(settings, eps=settings.crowd_eps)
    classes = []
    for diversity in DIVERSITIES:
        room, types = class_of_types(settings, diversity, seed)
        where = {"variation": variation, "diversity": diversity}
        classes.append(TaughtClass(room, AsGiven(types), where))
    return teach_four_ways(at_goal, classes, seed, items)


def insect_map(settings: PaperSettings, seed: int) -> list[Row]:
    """Return one row per insect with its place, and one per annotator and target with its line.

    They are drawn in figures 4a and 4b. The columns keep the names of earlier files.
    """
    crowd = crowd_for(settings, seed)
    insects = [
        {"kind": "insect", "who": name, "type": species, "x": float(x), "y": float(y)}
        for name, species, (x, y) in zip(
            crowd.insects.names, crowd.insects.species, crowd.places, strict=True
        )
    ]
    annotators = [
        {"kind": "worker", "who": who, "type": str(kind), "school": cluster, **_line(state)}
        for who, kind, cluster, state in zip(
            crowd.insects.answers.people,
            crowd.types,
            crowd.insects.types,
            crowd.states,
            strict=True,
        )
    ]
    return [*insects, *annotators, {"kind": "target", "who": "target", **_line(crowd.target)}]


def _line(state: Floats) -> dict[str, float]:
    """Return a hypothesis as columns of a row: the line ``x * x1 + y * x2 + bias = 0``."""
    x, y, bias = (float(value) for value in state)
    return {"x": x, "y": y, "bias": bias}


def insects_shown(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach a class of all four types as a whole and by type; return the examples (figure 4c)."""
    crowd = crowd_for(settings, seed)
    room, types = class_of_types(settings, len(LEARNER_TYPES), seed)
    teacher, goal = PoolTeacher(crowd.pool), AverageGoal(settings.crowd_eps)
    together = teach(room, teacher=teacher, goal=goal, groups=WholeClass())
    by_type = teach(room, teacher=teacher, goal=goal, groups=AsGiven(types))
    lessons = {"CT": together, **dict(zip(sorted(LEARNER_TYPES), by_type.groups, strict=True))}
    return [
        {
            "seed": seed,
            "who": who,
            "round": number,
            "item": item,
            "species": crowd.insects.species[item],
        }
        for who, record in lessons.items()
        for number, item in enumerate(record.examples.items.tolist())
    ]
