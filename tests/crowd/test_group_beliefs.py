from __future__ import annotations

import math

import numpy as np
import pytest

from homeroom._arrays import Ints
from homeroom.crowd import Answers, Embedding, beliefs
from homeroom.crowd.group_beliefs import GroupBelief, belief_table

ITEMS = [f"{kind}{number}" for kind in ("moth", "wasp", "bee") for number in range(8)]


def two_groups(*, labelled: bool = True) -> tuple[Answers, Embedding, Ints]:
    """Return a crowd of which half takes wasps for bees."""
    rng = np.random.default_rng(0)
    rows = []
    for person in range(24):
        for item in ITEMS:
            yes = item.startswith("bee") or (person < 12 and item.startswith("wasp"))
            rows.append((f"p{person}", item, yes ^ bool(rng.random() < 0.03)))
    labels = {item: 1.0 if item.startswith("bee") else -1.0 for item in ITEMS}
    answers = Answers.from_arrays(*zip(*rows, strict=True), labels=labels if labelled else None)
    return answers, Embedding.fit(answers, dimensions=2), np.arange(24) // 12


def test_a_misconception_is_what_the_middle_of_a_group_gets_wrong() -> None:
    answers, found, groups = two_groups()
    first, second = beliefs(answers, found, groups)
    assert {item[:-1] for item in first.wrongly_yes} == {"wasp"}
    assert len(first.wrongly_yes) == 8
    assert first.wrongly_no == second.wrongly_yes == second.wrongly_no == ()
    assert (first.people, second.people) == (12, 12)
    assert second.in_words() == "has no clear misconception"


def test_guessing_among_classes_is_no_misconception() -> None:
    """Every answer of a group that guesses is a little more probable than some right one."""
    rng = np.random.default_rng(3)
    rows = [
        (f"p{person}", item, rng.choice(["bee", "bee", "moth", "wasp"]) if guess else item[:-1])
        for person in range(20)
        for item in ITEMS
        for guess in (person >= 12 or rng.random() < 0.1,)
    ]
    answers = Answers.from_arrays(
        *zip(*rows, strict=True), labels={item: item[:-1] for item in ITEMS}
    )
    found = Embedding.fit(answers, dimensions=2, starts=1)
    knowing, guessing = beliefs(answers, found, (np.arange(20) >= 12).astype(np.int64))
    assert knowing.in_words() == "has no clear misconception"
    assert guessing.confusions == ()
    assert guessing.in_words() == "gives no clear answer to 67 % of the items"


def test_shares_are_those_of_the_answers() -> None:
    answers, found, groups = two_groups()
    first, _ = beliefs(answers, found, groups)
    mine = groups[answers.person] == 0
    assert first.yes_share == pytest.approx(answers.yes[mine].mean())
    right = answers.yes[mine] == (answers.labels[answers.item[mine]] > 0)
    assert first.right_share == pytest.approx(right.mean())


def test_without_labels_groups_are_compared_with_each_other() -> None:
    answers, found, groups = two_groups(labelled=False)
    first, second = beliefs(answers, found, groups)
    assert math.isnan(first.right_share)
    assert {item[:-1] for item in first.more_yes} == {"wasp"}
    assert set(second.more_no) == set(first.more_yes)
    assert first.in_words("bee").startswith("says 'bee' to 8 items more than others (wasp")


def test_a_single_group_differs_from_no_other() -> None:
    answers, found, _ = two_groups(labelled=False)
    (all_together,) = beliefs(answers, found, np.zeros(24, dtype=np.int64))
    assert (all_together.more_yes, all_together.more_no) == ((), ())
    assert all_together.in_words() == "is like others"


def test_many_items_are_cut_short() -> None:
    belief = GroupBelief(1, 0.5, 0.5, (), tuple("abcdefg"))
    assert belief.in_words() == "takes 7 items wrongly for 'no' (a, b, c, d, e, ...)"


def test_the_table_has_one_row_per_group() -> None:
    answers, found, groups = two_groups()
    header, rows = belief_table(answers, beliefs(answers, found, groups))
    assert header == ("group", "annotators", "say 'yes'", "like the expert", "belief")
    assert [row[:2] for row in rows] == [("1", "12"), ("2", "12")]
    assert rows[0][2].endswith(" %")


def test_long_answers_that_begin_alike_differ_in_the_table() -> None:
    long = "This photograph shows an animal which "
    classes = (f"{long}looks left", f"{long}looks right", f"{long}sleeps")
    answers = Answers(
        people=("Ada",),
        items=("a", "b", "c"),
        person=np.zeros(3, dtype=np.int32),
        item=np.arange(3, dtype=np.int32),
        choices=np.arange(3, dtype=np.int8),
        classes=classes,
    )
    belief = GroupBelief(1, float("nan"), float("nan"), (), (), shares=(0.5, 0.4, 0.1))
    _, rows = belief_table(answers, [belief])
    assert "left" in rows[0][2]
    assert "right" in rows[0][2]


def test_one_group_without_labels_is_the_whole_crowd() -> None:
    answers, found, groups = two_groups(labelled=False)
    _, rows = belief_table(answers, beliefs(answers, found, np.zeros_like(groups)))
    assert [row[-1] for row in rows] == ["is the whole crowd"]
