from __future__ import annotations

import sys

import numpy as np
import pytest

from homeroom import AsGiven, Classroom, Individuals, ItemPool, PoolTeacher, teach

pytest.importorskip("pandas")


@pytest.fixture
def room() -> Classroom:
    return Classroom.sample(students=8, dimensions=2)


def test_there_is_one_row_per_round_and_one_for_the_start(room: Classroom) -> None:
    record = teach(room, teacher=PoolTeacher(ItemPool(np.eye(2))))
    frame = record.to_frame()
    assert list(frame) == ["group", "round", "error", "farthest", "item", "y", "x1", "x2"]
    assert len(frame) == record.rounds + 1
    assert frame["round"].tolist() == list(range(record.rounds + 1))
    np.testing.assert_array_equal(frame["error"], record.errors)
    np.testing.assert_array_equal(frame[["x1", "x2"]].to_numpy()[1:], record.examples.xs)
    np.testing.assert_array_equal(frame["item"].to_numpy()[1:], record.examples.items)
    np.testing.assert_array_equal(frame["y"].to_numpy()[1:], record.examples.ys)
    assert frame.loc[0, ["y", "x1", "x2"]].isna().all()
    assert frame.loc[0, "item"] == -1


@pytest.mark.parametrize("alone", [False, True])
def test_groups_follow_each_other(room: Classroom, alone: bool) -> None:
    groups = Individuals() if alone else AsGiven([0, 1, 2, 2, 1, 0, 0, 0])
    record = teach(room, groups=groups)
    frame = record.to_frame()
    assert len(frame) == record.rounds + len(record.groups)
    for number, group in enumerate(record.groups):
        part = frame[frame["group"] == number]
        np.testing.assert_allclose(part["error"], group.errors)
        np.testing.assert_allclose(part["farthest"], group.transcript.farthest(0))
        np.testing.assert_allclose(part["x1"].to_numpy()[1:], group.examples.xs[:, 0])


def test_a_lesson_of_no_rounds_is_one_row(room: Classroom) -> None:
    frame = teach(room, max_rounds=0).to_frame()
    assert len(frame) == 1
    assert list(frame)[-2:] == ["x1", "x2"]


def test_without_pandas_the_error_names_the_install_command(
    room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    record = teach(room)
    with pytest.raises(ImportError, match=r"Tables need pandas: pip install 'homeroom\[frames\]'"):
        record.to_frame()
