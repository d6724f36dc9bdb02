"""The next event that a class itself causes: a test, the next items, or the end of the lesson."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from homeroom.lessons import StoppedBecause
from homeroom.live.activities.base import WRITING
from homeroom.live.activities.space import Space
from homeroom.live.classbook import experiment, learned_map
from homeroom.live.classbook.choosing import (
    NO_GOAL,
    REVIEW,
    TEACHER,
    ItemChoice,
    fresh_items,
    next_item,
    pretest_items,
    reason_for,
    some_items,
)
from homeroom.live.classbook.rounds import TESTS, Round
from homeroom.live.classbook.state import EXPERIMENT, State
from homeroom.live.events import CountdownBegan, Event, Finished, MapDrawn, RoundBegan

MOST_ROUNDS = 200
"""The largest number of examples that a class is shown."""

ASKED = 20
"""The number of items that each student is asked, when there is no map to choose them with."""

WHOLE = 30
"""A list of up to this many facts is asked as a whole: those that a student missed come first."""

ANSWERS = 10
"""About how many answers an item needs to be placed on the map."""


def propose(state: State) -> Event | None:
    """Return the next event that the class itself causes, or ``None`` while it waits.

    The event takes effect when it is in the log. For 300 students and the built-in insects, most of
    the cost is the estimate of what they know.
    """
    waiting = state.opened is None or state.activity.kind == WRITING or state.paused
    if waiting or not state.taught:
        return None
    if state.phase in TESTS:
        begun = bool(state.rounds) and state.rounds[-1].phase == state.phase
        return None if begun else _begin_test(state)
    if state.phase != "teach" or state.finished is not None:
        return None
    if state.space is None and state.activity.has_rule:
        return MapDrawn(*learned_map.estimate(state))
    if state.now is not None and not state.now.over:
        return _begin_countdown(state, state.now)
    compared = experiment.Experiment.of(state.opened)
    if compared is not None and state.how != EXPERIMENT:
        return experiment.split(state, compared)
    return _continue_lesson(state)


def _begin_countdown(state: State, now: Round) -> CountdownBegan | None:
    """Return the event that limits the time of the last students, or ``None`` if it is not due.

    If the teacher shows the right answer, it is the teacher who waits or not.
    """
    seconds = 0.0 if state.opened is None else state.opened.timer
    if not seconds or now.timer_paused or now.countdown is not None or now.reveal == "teacher":
        return None
    return CountdownBegan(now.number, seconds) if now.almost_all_answered else None


def _begin_test(state: State) -> RoundBegan:
    """Return the event that begins a test, with its items."""
    opened, beliefs, number = state.opened, state.beliefs_about_all, state.next_round
    assert opened is not None
    before = next((done for done in state.rounds if done.phase == "pretest"), None)
    if before is not None and state.phase == "posttest":
        return RoundBegan(number, before.items[::-1], each=before.each)
    if beliefs is None or not isinstance(state.space, Space):
        return _begin_first_test(state)
    if state.phase == "pretest":
        items = pretest_items(beliefs, seed=opened.seed)
    else:
        shown = {item for done in state.rounds for item in done.shown.values()}
        fresh = [item for item in beliefs.space.ids if item not in shown]
        count = opened.pretest or max(10, 2 * beliefs.space.dimensions)
        items = some_items(fresh or beliefs.space.ids, count, seed=opened.seed)
    return RoundBegan(number, state.codes.shuffle(items))


def _begin_first_test(state: State) -> RoundBegan:
    """Return the event that begins the pre-test of an activity without a map.

    Each student is asked some of the items, so that the class covers as many items as possible,
    each with enough answers. A short list of facts is asked as a whole.
    """
    assert state.opened is not None
    count, facts = len(state.activity.labels), state.activity.facts
    each = state.opened.pretest or (count if facts and count <= WHOLE else ASKED)
    several = max(each, each * len(state.here) // ANSWERS)
    items = some_items(tuple(state.activity.labels), several, seed=state.opened.seed)
    return RoundBegan(state.next_round, state.codes.shuffle(items), each=each)


def _continue_lesson(state: State) -> RoundBegan | Finished:
    """Return the next item of each group, or that the lesson is over, and why."""
    taken = state.after_round
    # Students who review are the last group; they do not keep the lesson from ending.
    taught = len(state.members) - bool(state.reviewers)
    choices = [choose(taken, group) for group in range(taught)]
    if not any(choice.item for choice in choices) and taken.beliefs is not None:
        taken = state.after_estimates
        choices = [choose(taken, group) for group in range(taught)]
    if not any(choice.item for choice in choices):
        why = tuple(choice.stopped for choice in choices if choice.stopped)
        return Finished(state.last_round, tuple(dict.fromkeys(why)))
    if state.review:
        choices += [ItemChoice(None, None)] * (len(state.members) - taught)
        choices = [
            one if one.item else choose(taken, group, review=True)
            for group, one in enumerate(choices)
        ]
    items = tuple(choice.item for choice in choices)
    return RoundBegan(state.next_round, items, tuple(choice.reason for choice in choices))


def choose(state: State, group: int, *, review: bool = False) -> ItemChoice:
    """Return the next item of a group, and the reason.

    With ``review``, a group that has reached the goal gets the item that it knows least surely.
    """
    beliefs, members = state.beliefs_about_all, state.members[group]
    if not members:
        return ItemChoice(None, None)
    compared = experiment.Experiment.of(state.opened) if state.how == EXPERIMENT else None
    if beliefs is None:
        return ItemChoice(None, None, StoppedBecause.STUCK.value)  # no item has a right answer
    assert state.opened is not None
    row_of = beliefs.space.row_of
    if state.forced is not None and state.forced in row_of:
        reason = reason_for(beliefs, beliefs.memory_of(members), row_of[state.forced])
        return ItemChoice(state.forced, {**reason, **TEACHER})
    rounds = [done.shown for done in state.rounds if done.shown]
    shown = [
        item
        for items in rounds
        for item in dict.fromkeys(items[one] for one in members if one in items)
    ]
    tested = [item for done in state.rounds if done.is_test for item in done.items if item]
    fresh = fresh_items(beliefs.space, tested, state.just_skipped)
    if compared is not None:
        choice = experiment.choice(state, beliefs, compared, group, fresh)
        return _note_new(choice, rounds, members)
    choice = next_item(
        beliefs,
        members,
        goal=NO_GOAL if review else state.opened.goal,
        fresh=fresh,
        rounds=max(0, MOST_ROUNDS - len(rounds)),
        shown=[row_of[item] for item in shown if item in row_of],
    )
    choice = _note_new(choice, rounds, members)
    if not review or choice.reason is None:
        return choice
    return choice._replace(reason={**choice.reason, **REVIEW})


def _note_new(
    choice: ItemChoice, shown: Sequence[Mapping[str, str]], members: Sequence[str]
) -> ItemChoice:
    """Return a choice whose reason states whether no student of the group has seen the item.

    ``shown`` has, for each round, the item that each student was shown.
    """
    if choice.item is None or choice.reason is None:
        return choice
    seen = any(items.get(one) == choice.item for items in shown for one in members)
    return choice._replace(reason={**choice.reason, "unseen": not seen})
