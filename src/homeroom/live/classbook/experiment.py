"""A lesson that compares ways of teaching: its arms, their students, and what each arm shows."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from homeroom import _plugins
from homeroom._arrays import Floats, Ints
from homeroom.lessons import StoppedBecause, observe_nothing
from homeroom.live.activities.base import WRITING, Activity
from homeroom.live.activities.space import Space
from homeroom.live.classbook.choosing import NO_GOAL, ItemChoice, lesson_reason, next_item
from homeroom.live.classbook.class_beliefs import ClassBeliefs
from homeroom.live.classbook.regroup import estimate
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import EXPERIMENT, State
from homeroom.live.events import Opened, Regrouped
from homeroom.live.refused import Refused
from homeroom.observers.base import looked
from homeroom.people_order import pause_for
from homeroom.pools import ItemPool
from homeroom.teachers import AbstractTeacher

HOMEROOM, RANDOM, EASY_FIRST = "homeroom", "random", "easy-first"
MOST_ARMS, LONGEST_ARM = 4, 60
"""The largest number of arms, and of characters in the name of one."""

MOST_ROUNDS = 200
"""The largest number of items that each arm is shown."""


@dataclass(frozen=True)
class Experiment:
    """The settings of a lesson that compares ways of teaching.

    Parameters
    ----------
    arms
        The ways: ``"homeroom"``, ``"random"`` (an allowed item at random), ``"easy-first"``, or a
        registered teacher such as ``"mean"``.
    explore
        The share of choices that are made at random in every arm.
    rounds
        The number of items that each arm is shown. It is the same for all arms, so they differ
        only in which items they show.
    seed
        The seed of the split and of all choices.
    """

    arms: tuple[str, ...] = (HOMEROOM, RANDOM)
    explore: float = 0.1
    rounds: int = 15
    seed: int = 0

    @classmethod
    def of(cls, opened: Opened | None) -> Experiment | None:
        """Return the experiment of a lesson, if it is one."""
        if opened is None or opened.experiment is None:
            return None
        return cls(**opened.experiment)

    @property
    def rest(self) -> int:
        """The number of the group that does not take part, and that homeroom teaches."""
        return len(self.arms)

    def check(self, activity: Activity) -> None:
        """Refuse settings that are out of range, or that the activity does not allow."""
        if activity.kind == WRITING:
            raise Refused("experiment_writing")
        different = len(set(self.arms)) == len(self.arms)
        if not 2 <= len(self.arms) <= MOST_ARMS or not different:
            raise Refused("experiment_arms", most=MOST_ARMS)
        if not 0 <= self.explore <= 1 or not 1 <= self.rounds <= MOST_ROUNDS:
            raise Refused("experiment_settings", most=MOST_ROUNDS)
        for arm in self.arms:
            if arm in (HOMEROOM, RANDOM, EASY_FIRST):
                continue
            if not activity.has_rule or len(arm) > LONGEST_ARM:
                raise Refused("experiment_arm", arm=arm[:LONGEST_ARM])
            try:
                _teacher(arm, ItemPool(np.eye(2)))
            except (TypeError, ValueError):
                raise Refused("experiment_arm", arm=arm[:LONGEST_ARM]) from None


def arms_of(state: State) -> dict[str, str]:
    """Return the arm of each student who takes part, once the class is split.

    Students take part if they agreed before the split, and have not withdrawn since.
    """
    experiment = Experiment.of(state.opened)
    if experiment is None or state.how != EXPERIMENT:
        return {}
    return {
        student: experiment.arms[group]
        for student, group in state.groups.items()
        if group < experiment.rest and state.consents.get(student) and student in state.people
    }


def split(state: State, experiment: Experiment) -> Regrouped:
    """Return the event that splits the class at random into arms, balanced by the pre-test.

    The students who agreed and have a score in the pre-test are sorted by score, ties at random.
    With k arms, each block of k neighbours is spread over the arms at random. All other students
    form one more group.
    """
    scores = _scores(state)
    part = [one for one in state.here if state.consents.get(one) and one in scores]
    rng = np.random.default_rng([experiment.seed, 0])
    ties = rng.permutation(len(part))
    order = sorted(range(len(part)), key=lambda place: (scores[part[place]], ties[place]))
    groups = dict.fromkeys(state.here, experiment.rest)
    for start in range(0, len(order), experiment.rest):
        block = order[start : start + experiment.rest]
        arms = rng.permutation(experiment.rest)
        groups |= {part[place]: int(arm) for place, arm in zip(block, arms, strict=False)}
    return Regrouped(EXPERIMENT, groups)


def _scores(state: State) -> dict[str, float]:
    """Return each student's share of right answers in the pre-test."""
    labels = state.activity.labels
    right: dict[str, list[bool]] = {}
    for done in state.rounds:
        if done.phase == "pretest":
            for (student, item), answer in done.answers.items():
                if item in labels:
                    right.setdefault(student, []).append(answer == labels[item])
    return {student: sum(given) / len(given) for student, given in right.items()}


class Options(NamedTuple):
    """What a group may be shown now.

    ``items`` are all allowed items. For each, ``right`` is the expected share of right answers, and
    ``gains`` is by how much showing it is expected to raise that share. ``wanted`` is the position
    of the item that each arm's rule would show, by the rule's name.
    """

    items: tuple[str, ...]
    right: Floats
    gains: Floats
    wanted: Mapping[str, int]


def choice(
    state: State,
    beliefs: ClassBeliefs,
    experiment: Experiment,
    group: int,
    fresh: Ints,
) -> ItemChoice:
    """Return the next item of an arm, with its exact probability under the arm's policy.

    With probability ``explore`` it is an allowed item at random, otherwise the item of the arm's
    rule. The reason holds the probability, the number of allowed items, the choice of every
    arm's rule, and the expected gains. Students who do not take part get homeroom's item.

    Parameters
    ----------
    state, beliefs, experiment
        The class, the beliefs about its students, and the settings.
    group
        The number of the arm; the last group does not take part.
    fresh
        The numbers of the items that may be shown.
    """
    members, number = state.members[group], state.next_round
    taught = [done for done in state.rounds if done.phase == "teach" and done.shown]
    if len(taught) >= experiment.rounds:
        return ItemChoice(None, None, StoppedBecause.ROUNDS.value)
    takes_part = group < experiment.rest
    rules = experiment.arms if takes_part else (HOMEROOM,)
    arm = rules[group] if takes_part else HOMEROOM
    rng = np.random.default_rng([experiment.seed, 1, number, group])
    if isinstance(beliefs.space, Space):
        options = _options_on_map(state, beliefs, members, fresh, rules)
    else:
        options = _options_without_map(state, beliefs, members, fresh, rules)
    count = len(options.items)
    explore = 1.0 if arm == RANDOM else experiment.explore if takes_part else 0.0
    drawn = int(rng.integers(count))
    wanted = options.wanted.get(arm, drawn)
    chosen = drawn if rng.random() < explore else wanted
    probability = explore / count + (1.0 - explore) * (chosen == wanted)
    before = float(options.right.mean())
    gains = {rule: float(options.gains[place]) for rule, place in options.wanted.items()}
    reason = lesson_reason(
        wrong=len(members) * (1.0 - float(options.right[chosen])), of=len(members)
    )
    noted: dict[str, Any] = {
        "arm": arm,
        "allowed": count,
        "probability": probability,
        "choices": {rule: options.items[place] for rule, place in options.wanted.items()},
        "expected": {
            "before": before,
            "item": float(options.gains[chosen]),
            RANDOM: float(options.gains.mean()),
            **gains,
        },
    }
    return ItemChoice(options.items[chosen], {**reason, **noted} if takes_part else reason)


def _options_without_map(
    state: State,
    beliefs: ClassBeliefs,
    members: Sequence[str],
    fresh: Ints,
    rules: Sequence[str],
) -> Options:
    """Return the options without a map, where showing an item is assumed to teach it completely.

    ``rules`` are the names of the rules whose choices are wanted.
    """
    line, allowed = _list_allowed(state, beliefs, members, fresh)
    right = beliefs.memory_of(members).right(allowed).mean(axis=0)
    items = tuple(beliefs.space.ids[number] for number in allowed)
    wanted: dict[str, int] = {}
    if HOMEROOM in rules:
        best = next_item(beliefs, members, goal=NO_GOAL, fresh=fresh, rounds=1, shown=line).item
        wanted[HOMEROOM] = items.index(best) if best in items else int(right.argmin())
    if EASY_FIRST in rules:
        wanted[EASY_FIRST] = _easiest_item(right, _unseen(items, state.rounds, members))
    return Options(items, right, (1.0 - right) / len(beliefs.space.ids), wanted)


def _list_allowed(
    state: State, beliefs: ClassBeliefs, members: Sequence[str], fresh: Ints
) -> tuple[list[int], Ints]:
    """Return the items that a group was shown, in order, and those of ``fresh`` it may be shown.

    Items that were shown too recently may not be shown. Both are numbers of items.
    """
    number_of = beliefs.space.row_of
    line = [
        number_of[item]
        for done in state.rounds
        for item in dict.fromkeys(done.shown[one] for one in members if one in done.shown)
        if item in number_of
    ]
    among = [number for number in line if number in set(fresh.tolist())]
    pause = pause_for(len(fresh))
    allowed = np.setdiff1d(fresh, among[-pause:] if pause else [])
    return line, allowed if len(allowed) else fresh


def _options_on_map(
    state: State,
    beliefs: ClassBeliefs,
    members: Sequence[str],
    fresh: Ints,
    rules: Sequence[str],
) -> Options:
    """Return the options on a map.

    The gain of an item is the expected reduction of the error, as a fraction of it, times the
    expected share of wrong answers. ``rules`` are the names of the rules whose choices are wanted.
    """
    space, memory = beliefs.space, beliefs.memory_of(members)
    assert isinstance(space, Space)
    line, allowed = _list_allowed(state, beliefs, members, fresh)
    right = memory.right(allowed).mean(axis=0)
    rows = space.rows[allowed]
    helps = memory.moments().helps(rows, (rows * rows).sum(axis=1)) / memory.error.total
    gains = np.clip(helps, -1.0, 1.0) * (1.0 - right.mean())
    items = tuple(space.ids[number] for number in allowed)
    truth = replace(observe_nothing(space.target, example_radius=space.longest), shown=line)
    wanted: dict[str, int] = {}
    for rule in rules:
        if rule == EASY_FIRST:
            wanted[rule] = _easiest_item(right, _unseen(items, state.rounds, members))
        elif rule == HOMEROOM:
            best = next_item(beliefs, members, goal=NO_GOAL, fresh=fresh, rounds=1, shown=line).item
            wanted[rule] = items.index(best) if best in items else int(right.argmin())
        elif rule != RANDOM:
            teacher = _teacher(rule, ItemPool(space.rows).only(allowed))
            teacher = teacher.prepare(estimate(beliefs, tuple(members)).classroom, truth.loss)
            seen, _ = looked(beliefs.quiz, truth, memory, np.random.default_rng(0))
            # Plans are not among the events from which a class is restored: one example alone.
            example = teacher.choose(seen, np.random.default_rng([0, state.next_round]))
            if example is None:  # none helps: the item that the fewest know
                wanted[rule] = int(right.argmin())
            elif example.item is not None and example.item in allowed:
                wanted[rule] = int(np.flatnonzero(allowed == example.item)[0])
            else:  # not one of the items: take the item with the closest direction
                x = np.asarray(example.x, dtype=np.float64)
                wanted[rule] = int(np.abs(rows @ x / np.linalg.norm(rows, axis=1)).argmax())
    return Options(items, right, gains, wanted)


def _unseen(items: Sequence[str], rounds: Sequence[Round], members: Sequence[str]) -> Floats:
    """Return 1.0 for each item that no member was shown yet, else 0.0, shape ``(items,)``."""
    seen = {done.shown[one] for done in rounds for one in members if one in done.shown}
    return np.array([float(item not in seen) for item in items])


def _easiest_item(right: Floats, new: Floats) -> int:
    """Return the position of the item most likely to be known; new items come first."""
    return int((right + new).argmax())


def _teacher(text: str, pool: ItemPool) -> AbstractTeacher:
    """Return the registered teacher with this name and settings, such as ``"mean"``.

    A teacher that takes a pool of items gets ``pool``.
    """
    cls = _plugins.find("teachers", text.partition(":")[0].strip())
    takes_pool = "pool" in inspect.signature(cls).parameters
    made = _plugins.make("teachers", text, **({"pool": pool} if takes_pool else {}))
    teacher: AbstractTeacher = _plugins.resolve("teachers", made, AbstractTeacher)
    return teacher
