"""What the pages of students and the projector show.

A student's page shows their own answers, and nothing about other students. The projector shows
nothing about a single student, and no answer too early.
"""

from __future__ import annotations

from urllib.parse import quote

from homeroom.live.activities.base import Item
from homeroom.live.classbook.board import group_name, list_options, picture_of, tally
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import EXPERIMENT, State
from homeroom.live.messages import views


def show_student(
    state: State, student: str, *, seconds_left: int | None = None
) -> views.StudentView:
    """Return all that a student's page shows.

    Labels are left out in tests, and until the student has answered. Items have codes instead of
    their ids (:class:`~homeroom.live.classbook.state.ItemCodes`). ``seconds_left`` are the seconds
    left of the countdown.
    """
    known = state.require_joined(student)
    now = state.now
    left = () if now is None or not known.here else now.open_items(student)
    answered = now is not None and bool(now.items_of(student)) and not left
    if now is not None and now.ended is not None:
        left = ()  # too late to answer
    return views.StudentView(
        class_name="" if state.opened is None else state.opened.name,
        kind=state.activity.kind,
        activity=state.activity.id,
        activity_name=state.activity.name,
        phase=state.phase,
        paused=state.paused,
        lesson=state.lesson,
        round=state.last_round if state.activity.letter is None else state.next_letter(student),
        version=state.version,
        student=student,
        nickname=known.name,
        here=known.here,
        item=question(state, left[0]) if left else None,
        seconds_left=seconds_left,
        left=len(left),
        answered=answered,
        feedback=_feedback(state, student),
        example=_previous_example(state, student),
        finished=state.finished is not None,
        resting=state.is_resting(student),
        progress=progress(state, student, hide_unseen=True),
        writing=_writing(state, student),
        group=_group(state, student),
        experiment=_experiment(state, student),
    )


def _group(state: State, student: str) -> str | None:
    """Return the name of a student's group; in an experiment nothing says who is in which arm."""
    if len(state.members) < 2 or state.how == EXPERIMENT:
        return None
    return group_name(state.group_of(student))


def _experiment(state: State, student: str) -> views.StudentExperiment | None:
    """Return whether a student agreed to take part, and whether the experiment has begun."""
    if not state.is_experiment:
        return None
    agrees = state.consents.get(student)
    return views.StudentExperiment(agrees=agrees, begun=state.how == EXPERIMENT)


def _writing(state: State, student: str) -> views.WritingSheet | None:
    if state.activity.letter is None:
        return None
    from homeroom.live.classbook import writing  # here: it takes long to import

    return writing.show_sheet(state, student)


def progress(state: State, student: str, *, hide_unseen: bool = False) -> views.StudentProgress:
    """Return how many answers a student has given, and how many of them were right.

    ``judged`` is the number of answers that ``right`` counts: an item without a label has no right
    answer, and ``hide_unseen`` leaves out the answers of the present round until the student sees
    what is right, so also those of a test that is not over. ``rounds`` is the number of rounds of
    the lesson in which the student answered.
    """
    answered = judged = right = rounds = 0
    for done in state.rounds:
        pairs = [(item, done.answers.get((student, item))) for item in done.items_of(student)]
        given = [(item, answer) for item, answer in pairs if answer is not None]
        answered += len(given)
        rounds += bool(given) and not done.is_test
        if not (hide_unseen and done is state.now and student not in done.shown):
            labels = state.activity.labels
            known = [(item, answer) for item, answer in given if item in labels]
            judged += len(known)
            right += sum(answer == labels[item] for item, answer in known)
    return views.StudentProgress(answered=answered, judged=judged, right=right, rounds=rounds)


def question(state: State, item: str) -> views.AskedItem:
    """Return an item as students see it, with its question and its options."""
    activity = state.activity
    return views.AskedItem(
        **dict(_looks(state, activity.item_of[item])),
        question=activity.question_of(item),
        options=list_options(activity, item),
    )


def _looks(state: State, item: Item) -> views.ShownItem:
    """Return the code, the picture and the text of an item, without its label."""
    code = state.codes.code_of[item.id]
    picture = picture_of(state.activity, item, code)
    return views.ShownItem(id=code, picture=picture, text=item.text)


def _feedback(state: State, student: str) -> views.Feedback | None:
    """Return the result of the present round, or of the last one when the lesson is over."""
    done = state.latest
    return None if done is None else _result(state, done, student)


def _previous_example(state: State, student: str) -> views.PreviousExample | None:
    """Return the last example that the student has seen before the present one."""
    for done in reversed(state.rounds):
        result = None if done is state.now else _result(state, done, student)
        if result is not None:
            item = _looks(state, state.activity.item_of[done.shown[student]])
            return views.PreviousExample(item=item, **dict(result))
    return None


def _result(state: State, done: Round, student: str) -> views.Feedback | None:
    """Return the label of the item that a round has shown a student, and whether they knew it."""
    item = done.shown.get(student)
    if item is None:
        return None
    shown, answer = state.activity.item_of[item], done.answers.get((student, item))
    return views.Feedback(
        round=done.number,
        right=None if answer is None else answer == shown.label,
        label=state.activity.right_word(item),
        explanation=shown.explanation,
        species=shown.species,
    )


def show_projector(
    state: State, class_id: str, *, seconds_left: int | None = None
) -> views.Projector:
    """Return all that the projector shows: the question, and after the reveal all answers to it.

    Parameters
    ----------
    state
        The class.
    class_id
        Its id in addresses.
    seconds_left
        The seconds left of the countdown.
    """
    opened, now = state.opened, state.latest
    assert opened is not None
    asked = [] if now is None else [one for one in now.members if now.items_of(one)]
    return views.Projector(
        name=opened.name,
        activity=state.activity.id,
        activity_name=state.activity.name,
        kind=state.activity.kind,
        letter=state.activity.letter,
        phase=state.phase,
        paused=state.paused,
        locked=state.locked,
        round=state.last_round,
        version=state.version,
        here=len(state.here),
        asked=len(asked),
        answered=0 if now is None else sum(not now.open_items(one) for one in asked),
        items=[] if now is None or now.is_test else _projected_items(state, now, class_id),
        seconds_left=seconds_left,
        finished=state.finished is not None,
    )


def on_projector(state: State) -> frozenset[str]:
    """Return the items that the projector shows, or has just shown: a picture may come late."""
    rounds = [one for one in state.rounds[-2:] if not one.is_test]
    return frozenset(item for one in rounds for item in one.items if item is not None)


def _projected_items(state: State, now: Round, class_id: str) -> list[views.ProjectedItem]:
    """Return the question of each group, and its result once the right answer is shown."""
    shown = []
    for group, item in enumerate(now.items):
        if item is None:
            continue
        asked = question(state, item)
        if asked.picture is not None:
            code = quote(asked.id, safe="")
            asked.picture = f"/api/board/{quote(class_id, safe='')}/items/{code}/picture"
        name = group_name(group) if len(now.items) > 1 else None
        result = _projected_result(state, now, group) if now.is_revealed else None
        shown.append(views.ProjectedItem(**dict(asked), group=name, result=result))
    return shown


def _projected_result(state: State, done: Round, group: int) -> views.ProjectedResult:
    """Return how often a group chose each answer, the right one, and why it is right."""
    item = state.activity.item_of[str(done.items[group])]
    return views.ProjectedResult(
        **dict(tally(state, done, group)),
        label=state.activity.right_word(item.id),
        explanation=item.explanation,
        species=item.species,
    )
