"""Section 6.3: classes of children who learn to write a letter, and their lessons.

The paper's 1014 children are not public. The children here are simulated, with habits; everything
else is done as with any ink: only the scores of a child's letters are known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom.classroom import Classroom
from homeroom.goals import AverageGoal
from homeroom.groups import AbstractGrouping, AsGiven, WholeClass
from homeroom.handwriting.generators import KINDS, Child, Kinematic
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letter_pool import LetterPool, LetterTeacher
from homeroom.handwriting.letters import model_letter, school_letter
from homeroom.handwriting.pupils import Pupil, kinds_of, pupils, to_classroom
from homeroom.handwriting.scores import FEATURES
from homeroom.handwriting.scores.scales import FULL_ROTATION
from homeroom.learners import GradientLearner
from homeroom.lessons import Record, StoppedBecause, teach
from homeroom.paper.lessons_synthetic import four_ways
from homeroom.paper.rows import Row
from homeroom.paper.settings import PaperSettings

TYPES = tuple(KINDS)
DIVERSITIES = tuple(range(1, len(TYPES) + 1))
TRIES = 5
"""How often each child writes the letter."""

LIMIT = 2_000
"""The number of rounds after which a lesson that has not reached its goal is abandoned."""

WORD, WORD_TYPE = "nao", "shaky+rotated"
"""The word of figure 1b, and the type of child that writes it."""

INTERACTIONS = 5
"""Interactions of the robot and the child in figure 1b."""

SHOWN_NEXT = 10
"""The number of letters from which figure 1b takes the one most like the child's: those from the
round of an interaction on, or the last ones of the lesson."""

CHILDREN = 20
"""The number of children from which figure 1b takes the one with the greatest defects."""

WORD_GOAL = 0.1
"""The goal of figure 1b, as a fraction of that of the other figures: the child writes well at the
end."""


@dataclass(frozen=True, eq=False)
class HandwritingClass:
    """A class of children, and the letters that they can be shown.

    Parameters
    ----------
    children
        The children with their letters.
    types
        The type that each child was simulated with.
    pool
        The letters that the teacher chooses from.
    room
        The children as a class.
    """

    children: tuple[Pupil, ...]
    types: npt.NDArray[np.str_]
    pool: LetterPool
    room: Classroom


@lru_cache(maxsize=24)  # a pool takes half a second, and the figures share theirs
def _pool(letter: str, form: str, size: int, generator: str, seed: int) -> LetterPool:
    """Return a pool of generated letters, in a form of the letter."""
    model = school_letter(letter) if form == "school" else None
    return LetterPool.make(letter, size, generator=generator, model=model, seed=seed)


def _form(settings: PaperSettings) -> str:
    """Return the form of the letters: a network writes only the one that it has learnt."""
    return "Hershey" if settings.pen_generator == "lstm" else settings.pen_form


def _model(letter: str, form: str) -> Ink:
    """Return the model of a letter in a form, ``"school"`` or ``"Hershey"``."""
    return school_letter(letter) if form == "school" else model_letter(letter)


def model_for(settings: PaperSettings, letter: str) -> Ink:
    """Return the model letter."""
    return _model(letter, _form(settings))


def pool_for(settings: PaperSettings, seed: int, letter: str | None = None) -> LetterPool:
    """Return the letters that a class of this seed can be shown."""
    letter = letter or settings.pen_letter
    pool = _pool(letter, _form(settings), settings.pen_pool, settings.pen_generator, seed)
    return replace(pool, best=settings.pen_best, sharpness=settings.pen_sharpness)


def child_of(kind: str, number: int, seed: int) -> Child:
    """Return a simulated child of a type, different for every number and seed."""
    return Child.of(kind, seed * 1000 + number)


def class_of_children(
    settings: PaperSettings, diversity: int, seed: int, letter: str | None = None
) -> HandwritingClass:
    """Return a class with ``diversity`` random types of children, the same number of each."""
    letter = letter or settings.pen_letter
    pool = pool_for(settings, seed, letter)
    children, types = _children(
        letter, _form(settings), settings.pen_children, diversity=diversity, seed=seed
    )
    room = to_classroom(children, pool, settings.pen_rate)
    return HandwritingClass(children, types, pool, room)


@lru_cache(maxsize=64)  # they take a quarter of a second, and the figures share theirs
def _children(
    letter: str, form: str, number: int, *, diversity: int, seed: int
) -> tuple[tuple[Pupil, ...], npt.NDArray[np.str_]]:
    """Return children of ``diversity`` random types with their letters, and their types."""
    rng = np.random.default_rng(seed)
    present = sorted(rng.choice(TYPES, diversity, replace=False).tolist(), key=TYPES.index)
    types = np.array(present)[np.arange(number) * diversity // number]
    model = _model(letter, form)
    writers = [child_of(kind, place, seed) for place, kind in enumerate(types.tolist())]
    return tuple(pupils(_tries(writers, letter, model, seed), model)), types


def _tries(writers: list[Child], letter: str, model: Ink, seed: int) -> dict[str, list[Ink]]:
    """Return each child's letters, written in one call: ten times as fast as one by one."""
    knobs = [one for child in writers for one in child.knobs(TRIES, seed)]
    inks = Kinematic(model).write(letter, knobs, seed)
    return {
        child.name: inks[number * TRIES : (number + 1) * TRIES]
        for number, child in enumerate(writers)
    }


def pen_samples(settings: PaperSettings, seed: int) -> list[Row]:
    """Return the scores of the letters that children of each type write (figures 5a to 5c)."""
    made = class_of_children(settings, len(TYPES), seed)
    found = kinds_of(made.children, made.pool)
    return [
        {
            "seed": seed,
            "type": str(kind),
            "found": str(own),
            "child": number,
            "try": try_,
            **_scores(made.pool.normalise(score)),
        }
        for number, (child, kind, own) in enumerate(
            zip(made.children, made.types, found, strict=True)
        )
        for try_, score in enumerate(child.scores)
    ]


def pen_shown(
    settings: PaperSettings, seed: int, letter: str | None = None, variation: str = ""
) -> list[Row]:
    """Teach a class of all three types as a whole and by type; return the letters shown."""
    made = class_of_children(settings, len(TYPES), seed, letter)
    together = _teach(settings, made, WholeClass(), seed)
    by_type = _teach(settings, made, AsGiven(made.types), seed)
    lessons = {"CT": together, **dict(zip(sorted(TYPES), by_type.groups, strict=True))}
    where = {"variation": variation, "seed": seed, "letter": letter or settings.pen_letter}
    return [
        {**where, "who": who, "round": number, **_letter_shown(made.pool, item)}
        for who, record in lessons.items()
        for number, item in enumerate(record.examples.items.tolist())
    ]


def pen_costs(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach classes of one to three types of children in the four ways."""
    rows: list[Row] = []
    for diversity in DIVERSITIES:
        made = class_of_children(settings, diversity, seed)
        for way, groups in four_ways(AsGiven(made.types), diversity).items():
            record = _teach(settings, made, groups, seed)
            reached = record.stopped_because is StoppedBecause.GOAL
            costs = (record.rounds, record.workload) if reached else (None, None)
            where = {"diversity": diversity, "seed": seed, "way": way}
            rows.append({**where, "T": costs[0], "S": costs[1]})
    return rows


def pen_word(settings: PaperSettings, seed: int) -> list[Row]:
    """Teach one child to write a word, letter by letter; return how both write (figure 1b)."""
    return [
        row
        for place, letter in enumerate(WORD)
        for row in _interactions(settings, letter, place, seed)
    ]


def _interactions(settings: PaperSettings, letter: str, place: int, seed: int) -> list[Row]:
    """Teach one letter of the word to a child; return the letters of both at each interaction."""
    pool = pool_for(settings, seed, letter)
    writer = tuple(pupils(_tries([_plainest_child(seed)], letter, pool.model, seed), pool.model))
    room = to_classroom(writer, pool, settings.pen_rate)
    alone = HandwritingClass(writer, np.array([WORD_TYPE]), pool, room)
    long = replace(settings, pen_eps=WORD_GOAL * settings.pen_eps)
    record = _teach(long, alone, WholeClass(), seed)
    states = _states(room.states[0], record, settings)
    items = record.examples.items
    rows: list[Row] = []
    for interaction, start in enumerate(_even_progress(states, pool)):
        own = states[start]
        first = max(0, min(start, len(items) - SHOWN_NEXT))
        number = _letter_like_the_childs(pool, items[first : first + SHOWN_NEXT], own)
        rows.append(
            {
                "seed": seed,
                "letter": letter,
                "place": place,
                "talk": interaction,
                "round": int(start),
                "item": number,
                **{f"child_{name}": value for name, value in _writes(own, pool).items()},
            }
        )
    return rows


def _even_progress(states: Floats, pool: LetterPool) -> list[int]:
    """Return the rounds of the interactions: the child's letters improve by the same each time."""
    defects = np.array([np.mean(list(_writes(state, pool).values())) for state in states])
    levels = np.linspace(defects[0], defects.min(), INTERACTIONS)
    return [int((defects <= level + 1e-9).argmax()) for level in levels]


def _plainest_child(seed: int) -> Child:
    """Return the child of the word's type with the greatest defects, of ``CHILDREN`` children."""
    several = [child_of(WORD_TYPE, number, seed) for number in range(CHILDREN)]
    return max(
        several,
        key=lambda child: child.habits.shakiness + child.habits.rotation / FULL_ROTATION,
    )


def _letter_like_the_childs(pool: LetterPool, items: npt.NDArray[Any], state: Floats) -> int | None:
    """Return the item whose scores are closest to the child's; ``None`` without items."""
    if not len(items):
        return None
    own = pool.normalise(list(_writes(state, pool).values()))
    distances = ((pool.normalised[items] - own) ** 2).sum(axis=1)
    return int(items[distances.argmin()])


def _states(start: Floats, record: Record, settings: PaperSettings) -> Floats:
    """Return the child's state after each letter, shape ``(max(1, rounds), 4)``."""
    learner = GradientLearner(settings.pen_loss)
    states = [start]
    rates = np.array([settings.pen_rate])
    for x, y in zip(record.examples.xs, record.examples.ys, strict=True):
        step = learner.step(
            states[-1][None, :],
            rates,
            x,
            np.asarray(y),
            state_radius=np.inf,
            rng=np.random.default_rng(0),
        )
        states.append(np.asarray(step.states)[0])
    return np.array(states[1:] or states)


def _writes(state: Floats, pool: LetterPool) -> Row:
    """Return the scores of the letters of a child who avoids defects as its state weighs them."""
    scores = np.clip(1.0 + state[:-1], 0.0, 1.0) * pool.worst
    return {name: float(score) for name, score in zip(FEATURES, scores, strict=True)}


def _teach(
    settings: PaperSettings, made: HandwritingClass, groups: AbstractGrouping, seed: int
) -> Record:
    """Teach a class of children in groups, and return the record."""
    return teach(
        made.room,
        teacher=LetterTeacher(made.pool),
        learner=GradientLearner(settings.pen_loss),
        goal=AverageGoal(settings.pen_eps),
        groups=groups,
        max_rounds=LIMIT,
        seed=seed,
    )


def _letter_shown(pool: LetterPool, item: int) -> Row:
    """Return the columns of a letter: its scores, and the mean scores of the pool (usual)."""
    usual = _scores(pool.normalised.mean(axis=0))
    return {
        "item": item,
        "good": bool(pool.good[item]),
        **_scores(pool.normalised[item]),
        **{f"usual_{name}": value for name, value in usual.items()},
    }


def _scores(values: Floats) -> Row:
    """Return three scores as columns of a row."""
    return {name: round(float(value), 6) for name, value in zip(FEATURES, values, strict=True)}
