"""What is measured of children who learn to write: their letters, what is shown, its costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom.goals import AverageGoal
from homeroom.groups import AbstractGrouping, AsGiven, AtRandom, Individuals, WholeClass
from homeroom.handwriting.letter_pool import LetterPool
from homeroom.handwriting.letter_teacher import LetterTeacher
from homeroom.handwriting.pupils import kinds_of, pupils, to_classroom
from homeroom.handwriting.scores import FEATURES
from homeroom.learners import GradientLearner
from homeroom.lessons import Record, StoppedBecause, teach
from homeroom.paper.cells import Row
from homeroom.paper.pen_class import (
    DIVERSITIES,
    TRIES,
    TYPES,
    PenClass,
    child_of,
    class_of_children,
    pool_for,
)
from homeroom.paper.settings import Settings

LIMIT = 2_000
"""Rounds after which a lesson that does not come to its goal is given up."""

WORD, WHO = "nao", "shaky+rotated"
TALKS = 5
"""Interactions of the robot and the child in figure 1b."""


def pen_samples(settings: dict[str, Any], seed: int) -> list[Row]:
    """Return the scores of some children of each type (figures 5a to 5c)."""
    made = class_of_children(Settings.from_json(settings), len(TYPES), seed)
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
    settings: dict[str, Any], seed: int, letter: str | None = None, variation: str = ""
) -> list[Row]:
    """Teach a class of all three types together and by type, and note what is shown."""
    chosen = Settings.from_json(settings)
    made = class_of_children(chosen, len(TYPES), seed, letter)
    together = _taught(chosen, made, WholeClass(), seed)
    by_type = _taught(chosen, made, AsGiven(made.types), seed)
    lessons = {"CT": together, **dict(zip(sorted(TYPES), by_type.groups, strict=True))}
    where = {"variation": variation, "seed": seed, "letter": letter or chosen.pen_letter}
    return [
        {**where, "who": who, "round": number, **_shown(made.pool, item)}
        for who, record in lessons.items()
        for number, item in enumerate(record.examples.items.tolist())
    ]


def pen_costs(settings: dict[str, Any], seed: int) -> list[Row]:
    """Teach classes of one to three types of children in the four ways."""
    chosen = Settings.from_json(settings)
    rows: list[Row] = []
    for diversity in DIVERSITIES:
        made = class_of_children(chosen, diversity, seed)
        ways: dict[str, AbstractGrouping] = {
            "CT": WholeClass(),
            "CTwP-Opt": AsGiven(made.types),
            "CTwP-Rand": AtRandom(diversity),
            "IT": Individuals(),
        }
        for way, groups in ways.items():
            record = _taught(chosen, made, groups, seed)
            there = record.stopped_because is StoppedBecause.GOAL
            costs = {"T": record.rounds, "S": record.workload} if there else {"T": None, "S": None}
            rows.append({"diversity": diversity, "seed": seed, "way": way, **costs})
    return rows


def pen_word(settings: dict[str, Any], seed: int) -> list[Row]:
    """Teach one child to write a word, letter by letter, and note how both write (figure 1b)."""
    chosen = Settings.from_json(settings)
    return [row for place, letter in enumerate(WORD) for row in _talk(chosen, letter, place, seed)]


def _talk(settings: Settings, letter: str, place: int, seed: int) -> list[Row]:
    pool = pool_for(settings, seed, letter)
    child = child_of(WHO, 0, seed)
    own = pupils({child.name: child.write(letter, TRIES, seed)}, pool.model)
    room = to_classroom(own, pool, settings.pen_rate)
    record = teach(
        room,
        teacher=LetterTeacher(pool),
        learner=GradientLearner(settings.pen_loss),
        goal=AverageGoal(settings.pen_eps),
        max_rounds=LIMIT,
        seed=seed,
    )
    states = _states(room.states[0], record, settings)
    rounds = np.linspace(0, max(0, record.rounds - 1), TALKS).round().astype(int)
    items = record.examples.items
    return [
        {
            "seed": seed,
            "letter": letter,
            "place": place,
            "talk": talk,
            "round": int(number),
            "item": int(items[number]) if len(items) else None,
            **{f"child_{name}": value for name, value in _written(states[number], pool).items()},
        }
        for talk, number in enumerate(rounds.tolist())
    ]


def _states(start: Floats, record: Record, settings: Settings) -> Floats:
    """Return what the child believes when it has seen each letter, shape ``(rounds + 1, 4)``."""
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


def _written(state: Floats, pool: LetterPool) -> Row:
    """Return the scores of letters by a child who avoids a defect as much as it counts it."""
    scores = np.clip(1.0 + state[:-1], 0.0, 1.0) * pool.worst
    return {name: float(score) for name, score in zip(FEATURES, scores, strict=True)}


def _taught(settings: Settings, made: PenClass, groups: AbstractGrouping, seed: int) -> Record:
    return teach(
        made.room,
        teacher=LetterTeacher(made.pool),
        learner=GradientLearner(settings.pen_loss),
        goal=AverageGoal(settings.pen_eps),
        groups=groups,
        max_rounds=LIMIT,
        seed=seed,
    )


def _shown(pool: LetterPool, item: int) -> Row:
    usual = {
        f"usual_{name}": value for name, value in _scores(pool.normalised.mean(axis=0)).items()
    }
    return {"item": item, "good": bool(pool.good[item]), **_scores(pool.normalised[item]), **usual}


def _scores(values: Floats) -> Row:
    return {name: round(float(value), 6) for name, value in zip(FEATURES, values, strict=True)}
