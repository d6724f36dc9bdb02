from typing import Any

import pytest

from homeroom.classroom import OneByOne
from homeroom.classroom.runners.base import total_of

PIECES: Any = range(1, 20)


def part(piece: Any) -> float:
    return float(0.1 / piece)


def test_the_total_is_added_in_the_order_of_all_runners() -> None:
    assert OneByOne().total(part, PIECES) == total_of(map(part, PIECES), len(PIECES))


def test_progress_is_told_after_each_piece() -> None:
    told: list[tuple[int, int]] = []
    OneByOne(lambda done, of: told.append((done, of))).total(part, PIECES)
    assert told == [(done, 19) for done in range(1, 20)]


def test_each_is_worked_out_when_it_is_asked_for() -> None:
    begun: list[Any] = []
    results = OneByOne().each(begun.append, PIECES)
    next(results)
    next(results)
    assert begun == [1, 2]


def test_what_a_piece_refuses_is_raised() -> None:
    def refuse(piece: Any) -> int:
        raise ValueError(f"row {piece} is bad")

    with pytest.raises(ValueError, match="row 1 is bad"):
        OneByOne().total(refuse, PIECES)
