"""A class with more than two answers, or with options of each item."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from homeroom.live.activities.base import Activity, Item
from homeroom.live.classbook.proposals import propose
from homeroom.live.classbook.regroup import MOST_DIMENSIONS, estimate, split_class
from homeroom.live.classbook.state import State
from homeroom.live.events import Answered, Event, Joined, Opened, Overridden, PhaseBegan, Removed
from homeroom.live.exports.table import csv_of
from homeroom.live.messages.common import Phase
from homeroom.live.refused import Refused
from homeroom.live.store.store import Stored
from homeroom.observers import QuizState
from tests.live.shown import board_of, splits_of, view_of

LEAVES = Activity(
    "leaves",
    "Leaves",
    tuple(Item(f"leaf-{n}", 1 + n % 5, f"leaf {n}") for n in range(10)),
    options=("ash", "beech", "elm", "lime", "oak"),
)
FACTS = Activity(
    "facts",
    "Capitals",
    (
        Item("France", 3, question="The capital of France?", options=("Lyon", "Nice", "Paris")),
        Item("Spain", -1, options=("Seville", "Madrid")),
        Item("Peru", 1, options=("Lima", "Cusco", "Ica", "Puno")),
        Item("Chile", 2, options=("Arica", "Santiago", "Lota", "Talca")),
    ),
    facts=True,
)


class Taught:
    """A class of two or more students with its log."""

    def __init__(self, activity: Activity, phase: Phase, more: int = 0) -> None:
        self.state = State.begin(activity)
        self.log: list[Event] = []
        self.add(Opened("5b", activity.id, "ABC234"), Joined("s0", "Ada"), Joined("s1", "Ben"))
        self.add(*(Joined(f"s{2 + number}", f"Cem {number}") for number in range(more)))
        self.add(PhaseBegan(phase))

    def add(self, *events: Event) -> None:
        """Check and add events, and let the class continue by itself."""
        for event in events:
            event.check(self.state)
            self._add(event)
            while (proposed := propose(self.state)) is not None:
                self._add(proposed)

    def _add(self, event: Event) -> None:
        self.log.append(event)
        self.state = self.state.after(event)

    @property
    def item(self) -> str:
        """The item of the present round."""
        now = self.state.now
        assert now is not None
        return str(now.items[0])

    def answer(self, *values: int) -> None:
        """Let the students answer the present item."""
        number, item = self.state.last_round, self.item
        for student, value in enumerate(values):
            self.add(Answered(f"s{student}", number, item, value))


def test_a_student_sees_all_options_and_answers_with_any_of_them() -> None:
    one = Taught(LEAVES, "teach")
    view = view_of(one.state, "s0")
    assert view["item"]["options"] == [
        {"value": 1 + place, "label": word} for place, word in enumerate(LEAVES.options)
    ]
    assert view["item"]["question"] is None  # the pages have a plain one
    asked = one.item
    one.answer(4, 5)
    assert one.state.rounds[0].answers[("s1", asked)] == 5
    with pytest.raises(Refused, match="must be 1, 2, 3, 4 or 5, but is 6"):
        one.answer(6)


def test_each_fact_has_its_own_options_and_question() -> None:
    one = Taught(FACTS, "teach")
    one.add(Overridden("Spain"))
    asked = view_of(one.state, "s0")["item"]
    assert [option["value"] for option in asked["options"]] == [1, -1]
    with pytest.raises(Refused, match="must be 1 or -1, but is 3"):
        one.answer(3)
    one.add(Overridden("France"))
    assert view_of(one.state, "s0")["item"]["question"] == "The capital of France?"
    one.answer(3, 1)
    last = board_of(one.state)["last"][0]
    assert (last["label"], last["right"], last["answers"]) == ("Paris", 1, 2)


def test_a_lesson_of_facts_ends_when_all_are_known() -> None:
    one = Taught(FACTS, "teach")
    shown: list[str] = []
    while one.state.finished is None and len(shown) < 3 * len(FACTS.items):
        shown.append(one.item)
        one.answer(*2 * [FACTS.labels[one.item]])
    assert board_of(one.state)["finished"] == ["goal"]
    assert sorted(shown[:4]) == sorted(FACTS.labels)  # each once before one comes again


@pytest.mark.parametrize("activity", [LEAVES, FACTS], ids=["kinds", "facts"])
def test_beliefs_follow_from_the_log(activity: Activity) -> None:
    one = Taught(activity, "teach")
    for place in range(7):
        one.state.prepare()  # makes no difference
        one.answer(activity.labels[one.item], activity.values(one.item)[place % 2])
    beliefs = one.state.beliefs_about_all
    again = State.begin(activity).after_all(one.log).beliefs_about_all
    assert beliefs is not None
    assert again is not None
    np.testing.assert_array_equal(again.memory.bank.means, beliefs.memory.bank.means)
    np.testing.assert_array_equal(again.memory.knows.draws, beliefs.memory.knows.draws)
    right = beliefs.memory.knows.students
    assert right[0].middle > right[1].middle


def test_students_may_join_and_be_removed_while_the_answer_model_is_estimated() -> None:
    """The log gives the same beliefs again, whatever was prepared in the meantime."""
    one = Taught(LEAVES, "teach", more=2)
    for place in range(8):
        one.state.prepare()
        if place == 5:  # the estimate from the first five rounds takes effect after the seventh
            one.add(Joined("s4", "Dot"))
        if place == 6:
            one.add(Removed(("s3", "s4")), Joined("s5", "Eve"))
        for student in one.state.here:
            value = 1 + (place * int(student[1])) % 5
            one.add(Answered(student, one.state.last_round, one.item, value))
    beliefs, again = (
        one.state.beliefs_about_all,
        State.begin(LEAVES).after_all(one.log).beliefs_about_all,
    )
    assert beliefs is not None
    assert again is not None
    assert again.students == beliefs.students == ("s0", "s1", "s2", "s5")
    assert again.memory.assumed == beliefs.memory.assumed
    np.testing.assert_array_equal(again.memory.bank.means, beliefs.memory.bank.means)


def test_the_next_item_does_not_wait_for_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    one, go = Taught(LEAVES, "teach"), threading.Event()

    def slow(self: QuizState) -> QuizState:
        assert go.wait(60)
        return self

    monkeypatch.setattr(QuizState, "revised", slow)
    for _ in range(5):
        one.answer(1, 2)
    preparing = threading.Thread(target=one.state.prepare)
    preparing.start()
    one.answer(1, 2)  # the sixth item is over, and the seventh chosen
    assert one.state.last_round == 7
    assert preparing.is_alive()
    go.set()
    preparing.join()


def test_the_board_shows_what_each_student_knows_without_a_map() -> None:
    one = Taught(LEAVES, "teach")
    one.answer(LEAVES.labels[one.item], 1)
    board = board_of(one.state)
    assert board["target"] is None
    assert 0 < board["knows"]["middle"] < 1
    for student in board["students"]:
        assert student["state"] is None
        assert student["ellipse"] is None
        assert 0 < student["p_right"]["middle"] < 1
        assert student["honest"]
    assert "off" not in board["next"]["reason"]


@pytest.mark.parametrize("activity", [LEAVES, FACTS], ids=["kinds", "facts"])
def test_a_class_is_split_by_what_students_know_and_each_group_has_its_item(
    activity: Activity,
) -> None:
    """Half of the class is always right, the others always give one wrong answer."""
    one = Taught(activity, "teach", more=6)
    for _ in range(6):
        right, other = activity.labels[one.item], activity.values(one.item)[0]
        other = activity.values(one.item)[1] if other == right else other
        one.answer(*4 * [right], *4 * [other])
    split = splits_of(one.state, lam=1.0)
    assert split["now"]["together"] == 1
    assert split["now"]["rounds"] > 0
    rounds, work = ([way[part] for way in split["ways"]] for part in ("rounds", "workload"))
    assert rounds == sorted(rounds)
    assert work == sorted(work, reverse=True)
    assert work[-1] < work[0]  # the students who know it need not see it again
    event = split_class(one.state, groups="by-knowledge:k=2")
    know, not_yet = ({event.groups[f"s{n}"] for n in some} for some in (range(4), range(4, 8)))
    assert len(know) == len(not_yet) == 1
    assert know != not_yet
    one.add(event)
    one.answer(*2 * [activity.labels[one.item]])
    assert [group["name"] for group in board_of(one.state)["groups"]] == ["A", "B"]
    assert split_class(one.state, lam=1000.0).how == "best:lam=1000"


def test_splits_of_a_class_agree_with_what_the_page_says_it_knows() -> None:
    one = Taught(FACTS, "teach")
    for _ in range(5):
        one.answer(FACTS.labels[one.item], FACTS.values(one.item)[0])
    beliefs = one.state.beliefs_about_all
    assert beliefs is not None
    now = estimate(beliefs, one.state.here)
    right = beliefs.memory.right(np.arange(len(FACTS.items))).mean()
    assert now.wrong(1.0) == pytest.approx(1.0 - right, abs=0.01)
    assert now.wrong(0.0) < 0.02


def test_a_long_list_of_facts_is_compared_in_parts() -> None:
    items = tuple(Item(f"fact {n}", 1, options=("a", "b", "c")) for n in range(100))
    one = Taught(Activity("many", "Facts", items, facts=True), "teach", more=2)
    one.answer(1, 2, 1, 3)
    beliefs = one.state.beliefs_about_all
    assert beliefs is not None
    now = estimate(beliefs, one.state.here)
    assert now.classroom.dimensions == MOST_DIMENSIONS
    assert (now.rows**2).sum() == pytest.approx(
        sum(1 / size for size in [3] * 20 + [2] * 20)  # 100 facts in 40 parts
    )
    assert len(set(split_class(one.state, groups="by-knowledge:k=2").groups.values())) == 2


MANY = Activity(
    "trees",
    "Trees",
    tuple(Item(f"tree-{n}", 1 + n % 4, f"tree {n}") for n in range(40)),
    options=("ash", "beech", "elm", "oak"),
)


def test_a_class_that_knows_all_kinds_is_done_soon() -> None:
    one = Taught(MANY, "teach", more=10)
    rounds = 0
    while one.state.finished is None and rounds < 20:
        one.answer(*12 * [MANY.labels[one.item]])
        rounds += 1
    assert board_of(one.state)["finished"] == ["goal"]


def test_the_reason_names_what_most_students_would_say_instead() -> None:
    """All take ash for beech, and know the others."""
    one = Taught(MANY, "teach", more=10)
    reasons = {}
    for _ in range(12):
        reasons[one.item] = board_of(one.state)["next"]["reason"]
        one.answer(*12 * [2 if MANY.labels[one.item] == 1 else MANY.labels[one.item]])
    last = next(item for item in reversed(reasons) if MANY.labels[item] == 1)
    assert reasons[last]["instead"] == "beech"
    assert 4 < reasons[last]["said"] <= reasons[last]["wrong"] + 0.1


def test_a_class_with_options_has_a_pre_test_and_a_post_test() -> None:
    one = Taught(LEAVES, "pretest")
    while view_of(one.state, "s0")["item"] is not None:
        code = view_of(one.state, "s0")["item"]["id"]
        one.add(Answered("s0", 0, one.state.codes.item_of[code], 2))
    assert view_of(one.state, "s0")["progress"]["answered"] == 10
    one.add(PhaseBegan("teach"))
    assert LEAVES.labels[one.item] != 2  # the student is right on the others
    one.add(PhaseBegan("posttest"))
    assert one.state.rounds[-1].items == one.state.rounds[0].items[::-1]


def test_exports_have_the_words_of_each_item() -> None:
    one = Taught(FACTS, "teach")
    one.add(Overridden("Peru"))
    one.answer(4)
    stored = [Stored(event, n + 1, 0.0) for n, event in enumerate(one.log)]
    assert ",Peru,Puno,Lima,0," in csv_of(one.state, stored)


@pytest.mark.parametrize(("facts", "each"), [(30, 30), (31, 20)])
def test_a_short_list_of_facts_is_asked_as_a_whole(facts: int, each: int) -> None:
    items = tuple(Item(f"thing {number}", 1, options=("a", "b")) for number in range(facts))
    one = Taught(Activity("many", "Facts", items, facts=True), "pretest", more=20)
    assert {view_of(one.state, student)["left"] for student in ("s0", "s1", "s20")} == {each}
