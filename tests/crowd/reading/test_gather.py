from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from homeroom.crowd import Answers
from homeroom.crowd.reading.gather import Gathered

if TYPE_CHECKING:
    from tests.crowd.reading.conftest import Write


def test_more_answers_than_two_are_not_gathered_forever(write: Write) -> None:
    lines = "".join(f"p,i{k},text {k}\n" for k in range(20_000))
    with pytest.raises(ValueError, match="more than 1000 different answers, as 'text 0'"):
        Answers.read(write("student,item,answer\n" + lines))


def test_each_name_is_kept_once() -> None:
    gathered = Gathered(Path("x.csv"), 1 << 20)
    gathered.add(["Ada", " Ada", "Ben"], ["moth", "wasp", "moth"], ["1", "0", "1"])
    assert list(gathered.people) == ["Ada", "Ben"]
    taken = gathered.take()
    assert taken.person.tolist() == [0, 0, 1]
    assert [str(a.dtype) for a in (taken.person, taken.value)] == ["int32", "int16"]
    assert taken.times is None
    assert len(gathered.take().person) == 0  # what was taken is not kept twice


def test_many_long_names_fill_the_limit() -> None:
    gathered = Gathered(Path("x.csv"), 100_000)
    with pytest.raises(ValueError, match=r"x.csv would fill 0.0 GiB of memory, more than"):
        gathered.add([f"{k:0200d}" for k in range(1000)], ["moth"] * 1000, ["1"] * 1000)
