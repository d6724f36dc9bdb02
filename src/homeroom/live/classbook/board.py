"""What the teacher's page shows of a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote

from homeroom.lessons import StoppedBecause
from homeroom.live.activities.base import Activity, Item
from homeroom.live.activities.space import Space
from homeroom.live.classbook.choosing import sentence
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import EXPERIMENT, State, Student
from homeroom.live.messages import views
from homeroom.live.messages.common import AnswerNumber, Place

COLOURS = 8
"""The number of group colours on the page; further groups repeat them."""

STOPPED = {one.value: one.name.lower() for one in StoppedBecause}
"""A short name for each reason why a lesson ends."""


def show_board(
    state: State,
    class_id: str,
    *,
    trouble: views.Trouble | None = None,
    seconds_left: int | None = None,
) -> views.Board:
    """Return all that the teacher's page shows of a class.

    Parameters
    ----------
    state
        The class.
    class_id
        Its id in addresses.
    trouble
        Why it cannot continue, if it cannot.
    seconds_left
        The seconds left of the countdown.
    """
    opened = state.opened
    assert opened is not None
    return views.Board(
        class_=class_id,
        name=opened.name,
        activity=state.activity.id,
        activity_name=state.activity.name,
        kind=state.activity.kind,
        phase=state.phase,
        paused=state.paused,
        locked=state.locked,
        round=state.last_round,
        version=state.version,
        students=list_students(state),
        items=[show_item(state, item) for item in state.activity.items],
        target=_target(state),
        regions=_regions(state),
        errors=list_errors(state),
        goal=opened.goal,
        knows=class_knows(state, state.here),
        reveal=opened.reveal,
        discussion=opened.discussion,
        timer=opened.timer,
        timer_paused=state.now is not None and state.now.timer_paused,
        seconds_left=seconds_left,
        revealed=state.in_discussion is not None,
        undo=state.before.phase if state.before is not None and state.can_undo else None,
        resting=[one for one in state.here if state.is_resting(one)],
        review=state.review,
        next=_largest_groups_item(state),
        last=last_examples(state),
        groups=list_groups(state),
        how=state.how,
        counts=_counts(state),
        lesson=state.lesson,
        code=opened.code,
        retention_days=opened.retention_days,
        trouble=trouble,
        finished=_reasons_to_stop(state),
        experiment=_experiment(state),
        form=opened.form,
    )


def list_errors(state: State) -> list[views.ErrorPoint]:
    """Return the class's error after each round."""
    return [views.ErrorPoint(**point._asdict()) for point in state.errors]


def _experiment(state: State) -> views.BoardExperiment | None:
    """Return the arms of an experiment, and how many students chose to take part."""
    settings = None if state.opened is None else state.opened.experiment
    if settings is None:
        return None
    split = state.how == EXPERIMENT
    sizes = Counter(state.groups.values()) if split else Counter[int]()
    chosen = Counter(state.consents.get(student) for student in state.joined)
    return views.BoardExperiment(
        arms=[
            views.BoardArm(arm=arm, group=group_name(number), students=sizes[number])
            for number, arm in enumerate(settings["arms"])
        ],
        explore=settings["explore"],
        rounds=settings["rounds"],
        agreed=chosen[True],
        declined=chosen[False],
        undecided=chosen[None],
        split=split,
    )


def picture_of(activity: Activity, item: Item, code: str | None = None) -> str | None:
    """Return the address of an item's picture: under its id, or for students under its code."""
    if not item.picture:
        return None
    name = quote(item.id if code is None else code, safe="")
    return f"/api/activities/{quote(activity.id, safe='')}/items/{name}/picture"


def group_name(number: int) -> str:
    """Return the name of a group, the same in every language.

    >>> group_name(0), group_name(25), group_name(26)
    ('A', 'Z', 'A2')
    """
    turn, letter = divmod(number, 26)
    return chr(ord("A") + letter) + (str(turn + 1) if turn else "")


def list_groups(state: State) -> list[views.BoardGroup]:
    """Return the groups with the present item of each, and why it was chosen."""
    return [
        views.BoardGroup(
            name=group_name(number),
            size=len(members),
            colour=number % COLOURS,
            next=_present_item(state, number),
        )
        for number, members in enumerate(state.members)
    ]


def class_knows(state: State, students: Sequence[str]) -> views.ChanceBand | None:
    """Return the share of right answers expected of some students, with its credible interval.

    ``None`` before the first answers: a prior is not what a class knows.
    """
    known = None if state.beliefs is None else state.beliefs.share_right(students)
    return None if known is None else views.ChanceBand(**known)


def list_students(state: State) -> list[views.BoardStudent]:
    """Return what the page shows of each student, with their last choice."""
    shown = (done for done in reversed(state.rounds) if not done.is_test and done.is_revealed)
    last = next(shown, None)
    counts = Counter(student for done in state.rounds for student, _ in done.answers)
    counts.update(wrote.student for wrote in state.wrote)
    return [_student(state, one, last, counts[one.id]) for one in state.people.values()]


def _student(state: State, one: Student, last: Round | None, answers: int) -> views.BoardStudent:
    """Return what the page shows of one student.

    ``last`` is the last round of the lesson whose right answer was shown, and ``answers`` is how
    many answers or letters they have given.
    """
    now, beliefs = state.latest, state.beliefs
    asked = () if now is None else now.items_of(one.id)
    left = () if now is None else now.open_items(one.id)
    known = None if beliefs is None else beliefs.summaries.get(one.id)
    heard = beliefs is not None and one.id in beliefs.heard
    suspected = known is not None and not known.honest
    item = None if last is None else next(iter(last.items_of(one.id)), None)
    answer = None if last is None or item is None else last.answers.get((one.id, item))
    label = None if item is None else state.activity.labels.get(item)
    return views.BoardStudent(
        id=one.id,
        name=one.name,
        here=one.here,
        joined=one.joined,
        signed_out=one.signed_out,
        answered=now is not None and one.id in now.members and not left,
        asked=len(asked),
        done=len(asked) - len(left),
        choice=None if answer is None else state.activity.word(answer, item),
        right=None if answer is None or label is None else answer == label,
        answers=answers,
        p_right=views.ChanceBand(**known.p_right) if known is not None and heard else None,
        state=known and known.state,
        ellipse=known and known.ellipse,
        group=state.group_of(one.id) if one.joined else None,
        rate_words=known and known.rate_words,
        honest=known and known.honest,
        same_button=_same_button(state, one.id) if suspected else None,
        hasty=known.hasty if known is not None and suspected else None,
    )


def _same_button(state: State, student: str) -> int:
    """Return how often a student pressed their most frequent button."""
    pressed = Counter(
        state.activity.values(item).index(answer)
        for done in state.rounds
        for (one, item), answer in done.answers.items()
        if one == student
    )
    return max(pressed.values(), default=0)


def show_item(state: State, item: Item) -> views.BoardItem:
    """Return an item for the teacher: its picture or text, its label, its place on the map."""
    place = (state.places or {}).get(item.id)
    return views.BoardItem(
        id=item.id,
        place=None if place is None else _first_two(place),
        label=state.activity.right_word(item.id),
        picture=picture_of(state.activity, item),
        text=item.text,
        question=item.question,
        species=item.species,
        usable=state.usable(item.id),
    )


def _first_two(place: Sequence[float]) -> Place:
    """Return the first two coordinates of a place; a missing second one is 0."""
    x, y = (*place, 0.0)[:2]
    return x, y


def _target(state: State) -> views.TargetLine | None:
    """Return the rule as a line on the map, ``<normal, place> = offset``, and as a state."""
    if not isinstance(state.space, Space):
        return None
    normal = _first_two(state.space.target[:-1].tolist())
    return views.TargetLine(normal=normal, offset=-float(state.space.target[-1]), state=normal)


def _regions(state: State) -> list[views.MapRegion]:
    """Return the region of each answer on the map, if there are more than two answers."""
    plane, word = state.activity.plane, state.activity.word
    regions = () if plane is None else plane.regions
    return [
        views.MapRegion(label=word(one.label), normal=one.normal, offset=one.offset)
        for one in regions
    ]


def _largest_groups_item(state: State) -> views.PresentItem | None:
    """Return the present item of the largest group, and why it was chosen."""
    order = sorted(range(len(state.members)), key=lambda group: -len(state.members[group]))
    shown = (_present_item(state, group) for group in order)
    return next((one for one in shown if one is not None), None)


def _present_item(state: State, group: int) -> views.PresentItem | None:
    """Return the item of a group in the present round, and why it was chosen."""
    now = state.now if state.phase == "teach" else None
    if now is None or group >= len(now.items) or now.items[group] is None:
        return None
    item = state.activity.item_of[str(now.items[group])]
    reason = now.reasons[group] if group < len(now.reasons) else None
    return views.PresentItem(
        item=item.id,
        label=state.activity.right_word(item.id),
        why=sentence(reason),
        reason=reason_in_words(state, item.id, reason),
        group=group_name(group) if len(state.members) > 1 else None,
        explanation=item.explanation,
        question=item.question,
        species=item.species,
        options=list_options(state.activity, item.id),
        result=tally(state, now, group) if now.is_revealed else None,
    )


def list_options(activity: Activity, item: str) -> list[views.Option]:
    """Return the answers to an item, with their words."""
    pairs = zip(activity.values(item), activity.options_of(item), strict=True)
    return [views.Option(value=cast("AnswerNumber", value), label=word) for value, word in pairs]


def answers_of(done: Round, group: int) -> list[int]:
    """Return the answers of a group in a round of the lesson."""
    return [
        answer for (student, _), answer in done.answers.items() if done.members[student] == group
    ]


def tally(state: State, done: Round, group: int) -> views.Tally:
    """Return how often a group chose each answer, and which one is right."""
    item, counts = str(done.items[group]), Counter(answers_of(done, group))
    return views.Tally(
        counts=[counts[value] for value in state.activity.values(item)],
        right=cast("AnswerNumber | None", state.activity.item_of[item].label),
    )


def reason_in_words(
    state: State, item: str, reason: Mapping[str, Any] | None
) -> views.ChoiceReason | None:
    """Return the reason, with the word for the expected wrong answer as ``"instead"``.

    It is the other of two answers, or the most frequent wrong one if the reason has its number.
    """
    if reason is None:
        return None
    label, values = state.activity.labels.get(item), state.activity.values(item)
    number = reason.get("answer")
    if number is not None and 0 < number <= len(values):
        instead: str | None = state.activity.word(values[number - 1], item)
    else:
        wrong = label is not None and len(values) <= 2
        instead = state.activity.word(-(label or 0), item) if wrong else None
    return views.ChoiceReason(**{**reason, "instead": instead})


def last_examples(state: State) -> list[views.LastExample]:
    """Return what each group saw in the last round that is over, and how many were right."""
    over = (done for done in reversed(state.rounds) if done is not state.now and done.shown)
    done, activity = next(over, None), state.activity
    return [
        views.LastExample(
            group=group_name(group) if len(done.items) > 1 else None,
            item=item,
            label=activity.right_word(item),
            explanation=activity.item_of[item].explanation,
            species=activity.item_of[item].species,
            answers=len(answers_of(done, group)),
            right=answers_of(done, group).count(activity.labels[item]),
            reason=reason_in_words(state, item, reason),
            question=activity.item_of[item].question,
            options=list_options(activity, item),
            result=tally(state, done, group),
        )
        for group, item, reason in ([] if done is None else shown_items(done))
        if done is not None and item in activity.labels
    ]


def shown_items(done: Round) -> Iterator[tuple[int, str, Mapping[str, Any] | None]]:
    """Yield the groups with an item in a round of the lesson, the item, and why it was chosen."""
    for group, item in enumerate(done.items):
        if item is not None:
            yield group, item, done.reasons[group] if group < len(done.reasons) else None


def _reasons_to_stop(state: State) -> list[str] | None:
    """Return why there is no next example, as short names that the pages translate."""
    if state.finished is None:
        return None
    return [STOPPED[why] for why in state.finished.why if why in STOPPED] or ["no_students"]


def _counts(state: State) -> views.BoardCounts:
    """Return the numbers of students and answers."""
    now, here, labels = state.latest, state.here, state.activity.labels
    waiting = 0 if now is None else sum(1 for student in here if now.open_items(student))
    given = [
        answer == labels.get(item)
        for done in state.rounds
        for (_, item), answer in done.answers.items()
    ]
    return views.BoardCounts(
        students=len(state.people),
        here=len(here),
        answered=0 if now is None else len(here) - waiting,
        waiting=waiting,
        answers=len(given),
        right=sum(given),
    )
