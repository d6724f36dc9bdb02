from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom.crowd import Answers
from homeroom.crowd.answers import REPEATED, UNANSWERED_LABELS

if TYPE_CHECKING:
    from tests.conftest import Write

LAST = REPEATED.format(kept="last")

YES, NO = True, False


def three() -> Answers:
    return Answers.from_arrays(
        ["Ada", "Ada", "Ben"], ["moth", "wasp", "moth"], [YES, NO, NO], labels={"moth": 1}
    )


def test_names_are_in_the_order_of_their_first_appearance() -> None:
    answers = Answers.from_arrays(["z", "a", "z"], [9, 3, 3], [1, 0, 1])
    assert answers.people == ("z", "a")
    assert answers.items == ("9", "3")
    assert answers.person.tolist() == [0, 1, 0]
    assert answers.item.tolist() == [0, 1, 1]
    assert len(answers) == 3


def test_numbers_are_packed_and_cannot_be_changed() -> None:
    answers = three()
    packed = (answers.person, answers.item, answers.yes)
    assert [str(array.dtype) for array in packed] == ["int32", "int32", "bool"]
    with pytest.raises(ValueError, match="read-only"):
        answers.yes[0] = False


def test_answers_can_be_sent_to_another_process() -> None:
    again = pickle.loads(pickle.dumps(three()))
    assert again.people == three().people
    np.testing.assert_array_equal(again.yes, three().yes)


def test_labels_are_known_or_not() -> None:
    assert three().labels[0] == 1
    assert np.isnan(three().labels[1])


def test_a_label_of_an_unanswered_item_is_counted() -> None:
    answers = Answers.from_arrays(["Ada"], ["moth"], [YES], labels={"moth": 1, "bee": -1})
    assert answers.dropped == {UNANSWERED_LABELS: 1}


def test_the_last_of_two_rows_counts() -> None:
    answers = Answers.from_arrays(["Ada", "Ben", "Ada"], ["moth"] * 3, [YES, YES, NO])
    assert answers.person.tolist() == [1, 0]
    assert answers.yes.tolist() == [YES, NO]
    assert answers.dropped == {LAST: 1}


def test_the_later_of_two_answers_with_times_counts() -> None:
    answers = Answers.from_arrays(
        ["Ada", "Ada", "Ada"], ["moth"] * 3, [YES, NO, NO], times=[30.0, 20.0, np.nan]
    )
    assert answers.yes.tolist() == [YES]
    assert answers.times is not None
    assert answers.times.tolist() == [30.0]


def test_the_order_and_repetition_of_rows_do_not_matter() -> None:
    """Neither the order of the rows nor exact repetitions matter."""
    rng = np.random.default_rng(0)
    pairs = [(p, i) for p in range(6) for i in range(8) if rng.random() < 0.7]
    rows = [(f"p{p}", f"i{i}", bool(rng.random() < 0.5)) for p, i in pairs]
    again = [*rows, *rows[::2]]
    shuffled = [again[k] for k in rng.permutation(len(again))]
    first = Answers.from_arrays(*zip(*rows, strict=True))
    second = Answers.from_arrays(*zip(*shuffled, strict=True))
    assert as_set(first) == as_set(second)
    assert second.dropped == {LAST: len(rows[::2])}


def as_set(answers: Answers) -> set[tuple[str, str, bool]]:
    return {
        (answers.people[p], answers.items[i], y)
        for p, i, y in zip(
            answers.person.tolist(), answers.item.tolist(), answers.yes.tolist(), strict=True
        )
    }


def test_a_subset_keeps_order_labels_and_unanswered_items() -> None:
    some = three().subset(people=[1], items=[1, 0])
    assert some.people == ("Ben",)
    assert some.items == ("wasp", "moth")
    assert some.item.tolist() == [1]
    assert np.isnan(some.labels[0])
    assert some.labels[1] == 1
    assert three().subset().people == ("Ada", "Ben")


def test_a_subset_keeps_times() -> None:
    timed = Answers.from_arrays(["Ada", "Ben"], [1, 1], [1, 0], times=[5.0, 6.0])
    assert timed.subset(people=[1]).times == np.array([6.0])


def test_the_summary_lists_contents_and_dropped_rows() -> None:
    answers = Answers.from_arrays(
        ["Ada", "Ada", "Ben", "Ben"],
        ["moth", "wasp", "moth", "moth"],
        [YES, NO, NO, NO],
        labels={"moth": 1, "bee": 1},
        positive="moth",
        negative="wasp",
    )
    said = answers.summary()
    assert ("annotators", "2, with 1 to 2 answers each") in said
    assert ("items", "2, with 1 to 2 answers each") in said
    assert ("answers", "3 (75 % of all pairs), of which 1 'moth' and 2 'wasp'") in said
    assert ("expert", "1 item 'moth', 0 'wasp', 1 without a label") in said
    assert ("dropped", f"{LAST}: 1") in said
    assert ("dropped", f"{UNANSWERED_LABELS}: 1") in said


def test_the_summary_of_no_answers_is_not_an_error() -> None:
    assert ("answers", "0 (none), of which 0 'yes' and 0 'no'") in three().subset([], []).summary()


def test_the_summary_states_that_there_are_no_labels() -> None:
    assert ("expert", "no label for any item") in Answers.from_arrays([1], [1], [1]).summary()


def test_lists_must_be_equally_long() -> None:
    with pytest.raises(ValueError, match=r"equally long, but have 2, 1 and 2 entries"):
        Answers.from_arrays(["Ada", "Ben"], ["moth"], [1, 0])


def test_a_text_is_not_a_list_of_names() -> None:
    with pytest.raises(TypeError, match="`person` must be a list of names"):
        Answers.from_arrays("Ada", ["moth"], [1])


def test_words_that_begin_alike_are_shown_apart(write: Write) -> None:
    long = "this is a rather long answer that ends in "
    table = "student,item,answer\n" + "".join(
        f"p{number},i,{long}{'abc'[number % 3]}\n" for number in range(9)
    )
    answers = Answers.read(write(table), positive=f"{long}a")
    merged = dict(answers.summary())
    assert any("ends in b" in words and "ends in c" in words for words in merged.values())
