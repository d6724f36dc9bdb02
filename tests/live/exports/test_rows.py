"""Answers with all that belongs to them."""

from __future__ import annotations

from typing import Any

from homeroom.live.exports.rows import answers, clock


def test_answers_come_in_order_and_late_ones_not_at_all(taught: Any) -> None:
    found = list(answers(taught.book, taught.stored))
    assert [said.version for said in found] == sorted(said.version for said in found)
    assert not any(said.item == "insect-001" and said.round == 1 for said in found)
    first = found[0]
    assert (first.student, first.name, first.phase, first.round) == ("s0", "Ada", "pretest", 0)
    assert first.right is False
    assert first._replace(label=None).right is None


def test_times_are_in_greenwich() -> None:
    assert clock(1_700_000_000.25) == "2023-11-14T22:13:20.250Z"
