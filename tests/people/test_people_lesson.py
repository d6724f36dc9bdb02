"""A lesson for people: what holds for every class, the log, and bad input."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import InputError, PeopleLesson
from homeroom._arrays import Floats, Ints

RNG_SEED = 5


def make_map(items: int = 24, classes: int = 2, seed: int = 0) -> tuple[Ints, Floats]:
    """Return labels and features of clusters."""
    rng = np.random.default_rng(seed)
    labels = np.arange(items) % classes
    return labels, labels[:, None] + 0.3 * rng.standard_normal((items, 2))


def teach(lesson: PeopleLesson, share: float, rounds: int, seed: int = RNG_SEED) -> list[int]:
    """Teach a class whose answers are right with a constant chance; return the items asked."""
    rng, asked = np.random.default_rng(seed), []
    while len(lesson.shown) < rounds and (item := lesson.ask()) is not None:
        asked.append(item)
        label = lesson.log["settings"]["labels"][item]
        options = lesson.log["settings"]["answers"][item]
        right = rng.random(len(lesson.students)) < share
        lesson.tell(np.where(right, label, (label + 1) % options))
    return asked


def states_of(lesson: PeopleLesson) -> list[Any]:
    """Return all numbers that describe what a lesson believes."""
    weights = [law.weights.tolist() for law in lesson._bank.laws.values()]
    return [*lesson.knows[:3], lesson.knows.students.tolist(), lesson.law_weights, weights]


# ---------------------------------------------------------------- the course of a lesson


def test_the_pretest_comes_first_and_shows_nothing() -> None:
    labels, features = make_map()
    lesson = PeopleLesson(labels, features, students=4, pretest=6)
    tested = []
    while lesson.in_pretest:
        item = lesson.ask()
        assert item is not None
        tested.append(item)
        assert lesson.ask() == item  # the same until it is answered
        assert "pre-test" in lesson.reason
        lesson.tell([0, 1, 0, -1])
    assert len(set(tested)) == 6
    assert np.bincount(labels[tested]).tolist() == [3, 3]  # classes in turn
    assert lesson.shown == ()
    shown = set(teach(lesson, 0.6, 15))
    assert not shown & set(tested)  # on a map, items of the pre-test stay out


def test_an_item_is_not_repeated_before_its_pause() -> None:
    lesson = PeopleLesson(np.arange(12) % 3, students=5, pretest=0, repeat_after=4)
    asked = teach(lesson, 0.5, 40)
    for place in range(len(asked)):
        assert asked[place] not in asked[max(0, place - 4) : place]


def test_a_pause_longer_than_the_list_leaves_the_item_shown_longest_ago() -> None:
    lesson = PeopleLesson([0, 1, 0], students=3, pretest=0, repeat_after=50)
    asked = teach(lesson, 0.4, 9)
    assert asked[:3] == asked[3:6] == asked[6:9]


def test_a_class_that_knows_everything_is_soon_done_and_one_at_chance_never() -> None:
    labels, features = make_map(40)
    for items in (features, None):
        perfect = PeopleLesson(labels, items, students=30)
        teach(perfect, 1.0, 20)
        assert perfect.done
        assert perfect.ask() is None
        assert perfect.knows.mean > 0.93
        guessing = PeopleLesson(labels, items, students=30)
        teach(guessing, 0.5, 20)
        assert not guessing.done
        assert guessing.knows.low < 0.55


def test_silent_students_change_nothing_but_time() -> None:
    labels, features = make_map()
    lesson = PeopleLesson(labels, features, students=3, pretest=0)
    before = [law.weights.copy() for law in lesson._bank.laws.values()]
    lesson.ask()
    lesson.tell([-1, np.nan, None])
    for law, weights in zip(lesson._bank.laws.values(), before, strict=True):
        np.testing.assert_allclose(law.weights, weights, rtol=1e-9)


def test_answers_by_name_are_answers_in_order() -> None:
    one = PeopleLesson([0, 1, 2], students=["Ada", "Ben", "Cem"], pretest=0)
    other = PeopleLesson([0, 1, 2], students=["Ada", "Ben", "Cem"], pretest=0)
    one.tell([2, -1, 1], item=1)
    other.tell({"Cem": 1, "Ada": 2}, item=1)
    assert states_of(one) == states_of(other)


def test_students_join_and_leave() -> None:
    labels, features = make_map()
    lesson = PeopleLesson(labels, features, students=["Ada", "Ben"], pretest=2)
    teach(lesson, 0.9, 6)
    lesson.add("Cem")
    assert list(lesson.students) == ["Ada", "Ben", "Cem"]
    width = np.diff(lesson.knows.students[:, 1:], axis=1)[:, 0]
    assert width[2] > width[:2].max()  # about Cem, little is known
    lesson.tell([0, 0, 1], item=3)
    lesson.remove("Ada")
    assert list(lesson.students) == ["Ben", "Cem"]
    assert lesson.knows.students.shape == (2, 3)
    lesson.remove("Ben")
    lesson.remove("Cem")
    assert not lesson.done
    assert 0 <= lesson.knows.low <= lesson.knows.high <= 1
    assert lesson.ask() is not None
    lesson.tell([])
    lesson.add("Dua")
    assert lesson.knows.students.shape == (1, 3)


def test_a_student_who_left_counts_no_longer() -> None:
    lesson = PeopleLesson(np.arange(20) % 2, students=["good", "bad"], pretest=0)
    for item in range(15):
        label = item % 2
        lesson.tell([label, 1 - label], item=item)
    both = lesson.knows.mean
    assert lesson.knows.students[0, 0] > lesson.knows.students[1, 0] + 0.1
    lesson.remove("bad")
    assert lesson.knows.mean > both


def test_earlier_answers_are_heard_as_answers() -> None:
    answers = [(name, item, item % 2) for item in range(8) for name in ("Ada", "Ben")]
    lesson = PeopleLesson(np.arange(10) % 2, students=["Ada", "Ben"], before=answers, pretest=0)
    empty = PeopleLesson(np.arange(10) % 2, students=["Ada", "Ben"], pretest=0)
    for item in range(8):
        empty._bank.hear(item, empty._task.read_answers([item % 2] * 2, item, empty.students))
    assert states_of(lesson) == states_of(empty)
    assert lesson.knows.mean > 0.8
    assert lesson.shown == ()


def test_items_of_a_kind_belong_together() -> None:
    labels = np.arange(24) % 4
    kinds = [f"kind {item % 6}" for item in range(24)]
    lesson = PeopleLesson(labels, students=20, kinds=kinds, pretest=0)
    rng, known = np.random.default_rng(0), np.zeros((20, 6), dtype=bool)
    while len(lesson.shown) < 25 and (item := lesson.ask()) is not None:
        right = known[:, item % 6] | (rng.random(20) < 0.25)
        lesson.tell(np.where(right, labels[item], (labels[item] + 1) % 4))
        known[:, item % 6] |= rng.random(20) < 0.7
    assert max(lesson.law_weights, key=lesson.law_weights.__getitem__) == "kinds"


def test_time_between_rounds_is_forgetting() -> None:
    def teach_list(pause: float) -> float:
        lesson = PeopleLesson(np.arange(10), students=10, pretest=0)
        rng = np.random.default_rng(0)
        for number in range(20):  # right only if shown within the last five rounds
            item = number % 10 if number < 10 else (number - 10) % 5
            right = rng.random(10) < (0.9 if number >= 10 else 0.1)
            lesson.tell(np.where(right, item, (item + 1) % 10), item=item, at=30.0 * number)
        lesson.tell(np.full(10, -1), item=9, at=600.0 + pause)
        return lesson.knows.mean

    assert teach_list(10_000_000.0) < teach_list(30.0)


def test_the_number_of_answers_may_differ_between_items() -> None:
    labels, features = make_map(24, 3)
    options = np.where(np.arange(24) % 2, 3, 5)
    for items in (features, None):
        lesson = PeopleLesson(labels, items, students=6, answers=options)
        teach(lesson, 0.7, 12)
        assert 0.3 < lesson.knows.mean < 0.95
        with pytest.raises(InputError, match="given"):
            lesson.tell([4] * 6, item=1)
        lesson.tell([4] * 6, item=0)


def test_which_wrong_answer_was_given_counts_on_a_map() -> None:
    labels, features = make_map(30, 3)
    near, far = (PeopleLesson(labels, features, students=1, pretest=0) for _ in range(2))
    for item in (0, 3, 6, 9):  # class 0; class 1 is nearer than class 2
        near.tell([1], item=item)
        far.tell([2], item=item)
    assert not np.array_equal(near._bank.laws["rule"].weights, far._bank.laws["rule"].weights)
    assert near.law_weights == pytest.approx(near.law_weights)


def test_a_beginner_class_on_a_map_is_shown_all_classes_early() -> None:
    labels, features = make_map(40, 4)
    lesson = PeopleLesson(labels, features, students=10, pretest=0)
    asked = teach(lesson, 0.25, 6)
    assert set(labels[asked]) == {0, 1, 2, 3}


# ---------------------------------------------------------------- numbers on a scale


def teach_numbers(learn: float, rounds: int = 40) -> tuple[PeopleLesson, float]:
    """Return a lesson for grades, and the true root mean squared difference at its end."""
    rng = np.random.default_rng(2)
    features = rng.standard_normal((30, 2))
    labels = np.round(3.0 + features[:, 0], 1)
    lesson = PeopleLesson(labels, features, students=20, pretest=5)
    spread = 1.0
    while len(lesson.shown) < rounds and (item := lesson.ask()) is not None:
        pretest = lesson.in_pretest
        lesson.tell(labels[item] + spread * rng.standard_normal(20))
        spread *= 1.0 if pretest else 1.0 - learn
    return lesson, spread


@pytest.mark.parametrize("learn", [0.0, 0.03])
def test_numbers_on_a_scale_are_judged_by_their_difference(learn: float) -> None:
    lesson, truth = teach_numbers(learn)
    assert lesson.knows.low <= truth <= lesson.knows.high
    assert lesson.knows.mean == pytest.approx(truth, rel=0.35)
    assert lesson.knows.students.shape == (20, 3)
    assert lesson.done == (lesson.ask() is None)
    assert "whole list" in lesson.reason or lesson.done


def test_numbers_are_done_when_they_are_close_and_lists_of_numbers_work() -> None:
    labels = np.linspace(1.0, 6.0, 20)
    lesson = PeopleLesson(labels, students=8, pretest=4)
    for _ in range(30):
        item = lesson.ask()
        if item is None:
            break
        lesson.tell(labels[item] + np.linspace(-0.1, 0.1, 8))
    assert lesson.done
    assert lesson.knows.high < 0.5
    for answer in (np.inf, 1e101):
        with pytest.raises(InputError, match="`given`"):
            lesson.tell([answer] * 8, item=0)
    lesson.tell([1e99, -1e99, *labels[:6]], item=0)  # far off, but an answer
    assert np.isfinite(lesson.knows.students).all()
    assert lesson.knows.high < 1e3


def test_equal_numbers_and_students_who_join_late_are_no_special_case() -> None:
    lesson = PeopleLesson([2.0, 2.0, 2.0], [[1.0], [1.0], [1.0]], students=2, pretest=0)
    for _ in range(3):
        lesson.ask()
        lesson.tell([2.0, 2.1])
    before = lesson.knows.mean
    lesson.add("Cem")
    assert 0.0 <= lesson.knows.students[2, 1] < lesson.knows.students[2, 2]
    assert before > 0.0


# ---------------------------------------------------------------- log


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_a_replay_is_the_same_lesson_bit_for_bit(data: st.DataObject) -> None:
    """Whatever happened: the replay has the same beliefs, and continues in the same way."""
    labels, features = make_map(12, data.draw(st.integers(2, 4)))
    numbers = data.draw(st.booleans())
    right: Any = labels + 0.5 if numbers else labels
    items = features if data.draw(st.booleans()) else None
    lesson = PeopleLesson(right, items, students=["Ada", "Ben"], pretest=3, seed=7)
    names, seconds = 0, 0.0
    for _ in range(data.draw(st.integers(0, 12))):
        step = data.draw(st.sampled_from(["ask", "tell", "tell", "other", "add", "remove", "time"]))
        answers = [data.draw(st.integers(-1, 1)) for _ in lesson.students]
        if step == "ask":
            lesson.ask()
        elif step == "tell" and lesson.ask() is not None:
            lesson.tell(answers)
        elif step == "other":
            lesson.tell(answers, item=data.draw(st.integers(0, 11)))
        elif step == "time":
            seconds += data.draw(st.floats(0.0, 1e5))
            lesson.tell(answers, item=0, at=seconds)
        elif step == "add":
            names += 1
            lesson.add(f"new {names}")
        elif step == "remove" and lesson.students:
            lesson.remove(lesson.students[0])
    text = json.dumps(lesson.log, allow_nan=False)
    again = PeopleLesson.replay(text)
    assert states_of(again) == states_of(lesson)
    assert (again.students, again.shown) == (lesson.students, lesson.shown)
    assert (again.in_pretest, again.done) == (lesson.in_pretest, lesson.done)
    assert again.log == lesson.log == json.loads(text)
    restored = PeopleLesson.restore(lesson.snapshot())
    assert states_of(restored) == states_of(lesson)
    assert restored.log == lesson.log
    assert restored.pressers == lesson.pressers
    assert restored.ask() == again.ask() == lesson.ask()
    assert restored.reason == again.reason == lesson.reason
    for one in (restored, lesson):
        one.tell([1] * len(lesson.students), item=1)
    assert states_of(restored) == states_of(lesson)


def test_a_snapshot_of_something_else_is_refused() -> None:
    lesson = PeopleLesson([0, 1, 0], students=2)
    whole = lesson.snapshot()
    kept = dict(np.load(io.BytesIO(whole)))
    for name in kept:
        with io.BytesIO() as file:
            np.savez(file, **{each: kept[each] for each in kept if each != name})
            with pytest.raises(InputError, match="`snapshot`"):
                PeopleLesson.restore(file.getvalue())
    for bad in (b"", b"no archive", whole[:-50]):
        with pytest.raises(InputError, match="`snapshot`"):
            PeopleLesson.restore(bad)


def test_many_rounds_and_students_restore_bit_for_bit_and_fit_into_two_megabytes() -> None:
    labels, features = make_map(500, 4)
    lesson = PeopleLesson(labels, features, students=300, pretest=5)
    teach(lesson, 0.7, 20)
    snapshot = lesson.snapshot()
    assert len(snapshot) < 2_000_000
    again = PeopleLesson.restore(snapshot)
    assert states_of(again) == states_of(lesson)
    assert again.ask() == lesson.ask()


def test_the_log_is_a_copy_and_holds_settings() -> None:
    before = [(1, 3, 0)]
    lesson = PeopleLesson(
        [0, 1, 0, 1], students=3, kinds=[0, 0, 1, 1], before=before, goal=0.8, repeat_after=1
    )
    lesson.ask()
    lesson.log["events"].clear()
    assert len(lesson.log["events"]) == 1
    assert PeopleLesson.replay(lesson.log).log == lesson.log
    assert lesson.log["settings"]["goal"] == 0.8


BAD_LOGS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no log": lambda log: {},
    "no JSON": lambda log: "{",
    "a list": lambda log: [1],
    "nothing": lambda log: None,
    "another format": lambda log: log | {"format": "other"},
    "a later version": lambda log: log | {"version": 2},
    "no settings": lambda log: log | {"settings": None},
    "other settings": lambda log: log | {"settings": {"rooms": 3}},
    "bad settings": lambda log: log | {"settings": log["settings"] | {"labels": ["x"]}},
    "events as text": lambda log: log | {"events": "ask"},
    "an event as a number": lambda log: log | {"events": [3]},
    "an unknown event": lambda log: log | {"events": [{"sing": 1}]},
    "an unknown item": lambda log: log | {"events": [{"ask": 99, "why": "chosen"}]},
    "an unknown reason": lambda log: log | {"events": [{"ask": 0, "why": "because"}]},
    "too few answers": lambda log: log | {"events": [{"tell": [0], "item": 0}]},
    "no item": lambda log: log | {"events": [{"tell": [0, 0]}]},
    "a student twice": lambda log: log | {"events": [{"add": 0}]},
}


@pytest.mark.parametrize("change", BAD_LOGS.values(), ids=BAD_LOGS.keys())
def test_a_bad_log_is_refused(change: Callable[[dict[str, Any]], Any]) -> None:
    log = PeopleLesson([0, 1, 0], students=2).log
    with pytest.raises(InputError):
        PeopleLesson.replay(change(log))


# ---------------------------------------------------------------- bad input

BAD: list[tuple[str, dict[str, Any]]] = [
    ("labels", {"labels": []}),
    ("labels", {"labels": ["a", "b"]}),
    ("labels", {"labels": [[0, 1]]}),
    ("labels", {"labels": [-1, 1]}),
    ("labels", {"labels": [0.5, np.nan]}),
    ("labels", {"labels": [1.5, 0.5], "answers": 3}),
    ("labels", {"labels": [0, 10_000]}),
    ("labels", {"labels": [1e200, 1.0]}),
    ("labels", {"labels": None}),
    ("items", {"items": [[1.0], [2.0]]}),
    ("items", {"items": [1.0, 2.0, 3.0]}),
    ("items", {"items": [[1.0], [np.inf], [2.0]]}),
    ("items", {"items": [["a"], ["b"], ["c"]]}),
    ("items", {"items": [[1e200], [0.0], [1.0]]}),
    ("students", {"students": -1}),
    ("students", {"students": 2.5}),
    ("students", {"students": "Ada"}),
    ("students", {"students": None}),
    ("students", {"students": ["Ada", "Ada"]}),
    ("students", {"students": ["Ada", None]}),
    ("students", {"students": 10**9}),
    ("answers", {"answers": 1}),
    ("answers", {"answers": "four"}),
    ("answers", {"answers": [2, 2]}),
    ("answers", {"answers": [2, 1, 2]}),
    ("answers", {"answers": [2.0, 2.0, 2.0]}),
    ("pretest", {"pretest": -1}),
    ("pretest", {"pretest": 1.5}),
    ("kinds", {"kinds": [0, 1]}),
    ("kinds", {"kinds": [None, 1, {}]}),
    ("goal", {"goal": 0}),
    ("goal", {"goal": 1.0}),
    ("goal", {"goal": "high"}),
    ("before", {"before": [(0, 1)]}),
    ("before", {"before": 7}),
    ("before", {"before": [(9, 0, 1)]}),
    ("item", {"before": [(0, 9, 1)]}),
    ("given", {"before": [(0, 0, 5)]}),
    ("before", {"before": [(0, 0, "x")]}),
    ("repeat_after", {"repeat_after": -2}),
    ("seed", {"seed": -1}),
    ("seed", {"seed": "x"}),
]


@pytest.mark.parametrize(("name", "wrong"), BAD, ids=str)
def test_a_bad_argument_is_named(name: str, wrong: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"labels": [0, 1, 0], "students": 3} | wrong
    with pytest.raises(InputError, match=f"`{name}`"):
        PeopleLesson(**arguments)


@pytest.mark.parametrize(
    "answers",
    [
        [0, 1],
        [0, 1, 2],
        [0, 1, -2],
        [0, 1, 0.5],
        [0, 1, np.inf],
        ["0", "1", "0"],
        [True, False, True],
        [[0, 1, 0]],
        [0, [1], 0],
        None,
        3,
        {"Eve": 1},
        [0, 10**400, 0],
    ],
    ids=str,
)
def test_bad_answers_are_refused_and_change_nothing(answers: Any) -> None:
    lesson = PeopleLesson([0, 1, 0], students=["Ada", "Ben", "Cem"], pretest=0)
    lesson.ask()
    before, log = states_of(lesson), lesson.log
    with pytest.raises(InputError, match="`given`"):
        lesson.tell(answers)
    assert states_of(lesson) == before
    assert lesson.log == log


def test_other_bad_calls_are_refused() -> None:
    lesson = PeopleLesson([0, 1, 0], students=["Ada"], pretest=0)
    with pytest.raises(InputError, match="ask"):
        lesson.tell([0])
    for item in (3, -1, 1.0, "0", True):
        with pytest.raises(InputError, match="`item`"):
            lesson.tell([0], item=item)  # type: ignore[arg-type]
    lesson.tell([0], item=0, at=100.0)
    for at in (99.0, np.nan, "now"):
        with pytest.raises(InputError, match="`at`"):
            lesson.tell([0], item=0, at=at)  # type: ignore[arg-type]
    for name in ("Ada", None, "", 1.5):
        with pytest.raises(InputError, match="`student`"):
            lesson.add(name)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="`student`"):
        lesson.remove("Ben")


# ---------------------------------------------------------------- cost


def measure_round(lesson: PeopleLesson, rng: np.random.Generator) -> float:
    """Return the processor time of a round."""
    start = time.process_time()
    lesson.ask()
    lesson.tell(rng.integers(0, 2, len(lesson.students)))
    return time.process_time() - start


@pytest.mark.slow
@pytest.mark.parametrize("on_map", [True, False])
def test_round_100_costs_about_as_much_as_round_10(on_map: bool) -> None:
    rng = np.random.default_rng(0)
    labels, features = make_map(300)
    lesson = PeopleLesson(labels, features if on_map else None, students=150, pretest=0)
    times = [measure_round(lesson, rng) for _ in range(105)]
    assert np.min(times[95:]) <= 1.5 * np.min(times[6:16])
