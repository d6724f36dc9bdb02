"""Records in files: the same after saving; damaged and hostile files are refused."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AsGiven,
    Classroom,
    Individuals,
    ItemPool,
    NoisyStates,
    PoolTeacher,
    Record,
    StochasticRateLearner,
    teach,
)
from homeroom._arrays import to_numpy
from tests.bad_input import refuse

DATA = Path(__file__).parents[1] / "data"
RECORDS: dict[str, Callable[[Classroom], Record]] = {
    "whole": teach,
    "watched": lambda room: teach(room, watch=[1, 3]),
    "groups": lambda room: teach(room, groups=AsGiven([0, 1, 0, 1, 1, 0])),
    "closed form": lambda room: teach(room, groups=Individuals()),
    "tutored": lambda room: teach(
        room, groups=Individuals(), teacher=PoolTeacher(ItemPool(np.eye(3)))
    ),
    "counts": lambda room: teach(
        room,
        learner=StochasticRateLearner(0.2),
        observer=NoisyStates(0.1),
        max_rounds=20,
        seed=np.random.default_rng(1),
    ),
    "planned": lambda room: teach(room, teacher="planned:polish=false", groups="by-rate"),
    "sketched": lambda room: teach(room, engine="sketch", verify=True),
    "nothing": lambda room: teach(room, max_rounds=0),
}


@pytest.fixture
def room() -> Classroom:
    return Classroom.sample(students=6, dimensions=3)


@pytest.fixture
def path(room: Classroom, tmp_path: Path) -> Path:
    teach(room).save(tmp_path / "lesson.npz")
    return tmp_path / "lesson.npz"


@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_is_the_same_after_saving_bit_for_bit(
    kind: str, room: Classroom, tmp_path: Path
) -> None:
    record = RECORDS[kind](room)
    record.save(tmp_path / "lesson.npz")
    loaded = Record.load(tmp_path / "lesson.npz")
    assert type(loaded.transcript) is type(record.transcript)
    for name, array in record.transcript.arrays().items():
        np.testing.assert_array_equal(loaded.transcript.arrays()[name], array, strict=True)
    for name in ("group_of", "final_states", "watched", "watched_errors", "errors"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(record, name), strict=True)
    for part, other in zip(loaded.examples, record.examples, strict=True):
        np.testing.assert_array_equal(part, other, strict=True)
    results = ("plans", "nodes", "handed_over", "in_expectation", "goal_by", "verified")
    for name in ("settings", "counts", "engine", "error_estimate", "rounds", "workload", *results):
        assert getattr(loaded, name) == getattr(record, name)
    assert loaded.stopped_because is record.stopped_because
    assert repr(loaded) == repr(record)
    with np.load(tmp_path / "lesson.npz", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype != object for name in arrays.files)
        assert ("group_of" in arrays.files) == (len(record.groups) > 1)


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
def test_a_record_of_any_library_is_saved(library: str, room: Classroom, tmp_path: Path) -> None:
    xp = pytest.importorskip(library)
    there = Classroom(*(xp.asarray(np.array(a)) for a in (room.states, room.rates, room.target)))
    record = teach(there)
    record.save(tmp_path / "lesson.npz")
    loaded = Record.load(tmp_path / "lesson.npz")
    np.testing.assert_array_equal(loaded.final_states, to_numpy(record.final_states))


def test_a_lesson_without_single_students_can_be_saved(room: Classroom, tmp_path: Path) -> None:
    record = teach(room, engine="sketch", learner="langevin:beta=1e4")
    record.save(tmp_path / "lesson.npz")
    loaded = Record.load(tmp_path / "lesson.npz")
    np.testing.assert_array_equal(loaded.errors, record.errors)
    refuse(lambda: loaded.final_states, "single students")


def test_a_save_that_fails_leaves_the_old_file(
    room: Classroom, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    refuse(lambda: teach(room).save(path.with_suffix(".json")), "lesson.json", ".npz")
    monkeypatch.setattr(np, "savez", full)
    refuse(lambda: teach(room, max_rounds=1).save(path), "lesson.npz", "No space left")
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]  # noqa: PTH208 - hidden files count too


# Files that are damaged, hostile, or not records of a lesson


def test_files_that_are_no_records_are_refused(room: Classroom, path: Path) -> None:
    whole = path.read_bytes()
    shortened = [whole[: int(part * len(whole))] for part in (0.0, 0.1, 0.5, 0.9, 0.999)]
    for content in (*shortened, b"hello", pickle.dumps({"a": 1}), b"PK\x03\x04" + bytes(200)):
        path.write_bytes(content)
        refuse(lambda: Record.load(path), "lesson.npz", "damaged")
    refuse(lambda: Record.load(path.with_name("gone.npz")), "gone.npz")
    room.save(path)
    refuse(lambda: Record.load(path), "'record'")
    for name in ("sketched", "planned"):
        old = DATA / "0.1" / f"lesson-{name}.npz"
        refuse(lambda old=old: Record.load(old), "version 0.2")  # type: ignore[misc]  # a default binds it


def test_a_flipped_byte_anywhere_is_refused_or_harmless(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    for place in range(0, len(whole), 37):
        whole[place] ^= 0xFF
        path.write_bytes(whole)
        with suppress(ValueError):  # anything else is a failure
            Record.load(path)
        whole[place] ^= 0xFF


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.trace,))


def test_a_pickle_inside_is_refused_and_not_run(path: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    rewrite(path, group_of=np.array([Bomb(trace)], dtype=object))
    refuse(lambda: Record.load(path), "group_of.npy")
    assert not trace.exists()


def rewrite(path: Path, **changes: Any) -> None:
    """Write the file again with other arrays; ``None`` leaves one out."""
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    arrays |= changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


def encode(text: str) -> Any:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def change_description(path: Path, **changes: Any) -> None:
    """Write the file again with another description."""
    with np.load(path) as stored:
        rest = json.loads(bytes(stored["record"]))
    rewrite(path, record=encode(json.dumps(rest | changes)))


ONE: dict[str, Any] = {"watch": [1]}
GROUPS: dict[str, Any] = {"groups": AsGiven([0, 0, 0, 1, 1, 1])}
ALONE: dict[str, Any] = {"groups": "individuals"}
NUMBERS = "numbers of rounds"
ARRAYS: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({}, "record", {"record": None}),
    ({}, "final_states", {"final_states": None}),
    ({}, "rounds", {"transcript_rounds": None}),
    ({}, "`xs` has 2 rows", {"transcript_xs": np.zeros((2, 3))}),
    ({}, "`all_errors` has 1 row", {"transcript_all_errors": np.zeros(1)}),
    ({}, "`final_states` has 2 rows", {"final_states": np.zeros((2, 3))}),
    ({}, "group", {"group_of": np.full(6, 3)}),
    ({}, "group", {"group_of": np.full(6, -1)}),
    ({}, "reasons", {"transcript_stops": np.array([17])}),
    ({}, "`rounds` is 0-dimensional", {"transcript_rounds": np.array(3)}),
    ({}, "`rounds` is 1-dimensional of float64", {"transcript_rounds": np.array([1.5])}),
    ({}, "`ys`", {"transcript_ys": np.array(["a"])}),
    ({}, "`watched_errors`", {"watched": np.array([0]), "watched_errors": np.zeros((1, 1))}),
    ({}, "more", {"transcript_more": np.zeros(1)}),
    ({}, NUMBERS, {"transcript_rounds": np.array([-1])}),
    ({}, NUMBERS, {"transcript_rounds": np.array([2**54])}),
    (
        {},
        NUMBERS,
        {
            "transcript_rounds": np.array([2**63, 2**63 + 7], dtype=np.uint64),
            "group_of": np.zeros(6, dtype=int),
        },
    ),
    ({}, "students", {"group_of": np.zeros(0, dtype=int), "final_states": np.zeros((0, 3))}),
    ({}, "`final_states` is 4-dimensional", {"final_states": np.zeros((6, 1, 1, 3))}),
    ({}, "`final_states` has 0 columns", {"final_states": np.zeros((6, 0))}),
    ({}, "`watched_errors` has 0 columns", {"watched": np.array([0])}),
    ({}, "`watched_errors` has 2 columns", {"watched_errors": np.zeros((3, 2))}),
    (ONE, "student", {"watched": np.array([-1])}),
    (ONE, "student", {"watched": np.array([6])}),
    (GROUPS, "group", {"group_of": np.zeros(6, dtype=int)}),
    (GROUPS, "group", {"group_of": None}),
    (ALONE, NUMBERS, {"transcript_rounds": np.full(6, 2**53)}),
    (ALONE, "`gaps` has 2 columns", {"transcript_gaps": np.zeros((6, 2))}),
    (ALONE, "`target` has 2 rows", {"transcript_target": np.zeros(2)}),
    (ALONE, "`group_of`", {"group_of": np.zeros(5, dtype=int), "final_states": np.zeros((5, 3))}),
    ({}, "list", {"record": encode("[1, 2]")}),
    ({}, "record", {"record": encode("{")}),
    ({}, "record", {"record": encode("[" * 200_000)}),
]


@pytest.mark.parametrize(("settings", "named", "changes"), ARRAYS, ids=range(len(ARRAYS)))
def test_arrays_that_do_not_belong_together_are_refused(
    room: Classroom, path: Path, settings: dict[str, Any], named: str, changes: dict[str, Any]
) -> None:
    teach(room, **settings).save(path)
    rewrite(path, **changes)
    refuse(lambda: Record.load(path), named)


def test_endless_individual_lessons_are_read_and_described_in_one_line(
    room: Classroom, path: Path
) -> None:
    teach(room, **ALONE).save(path)
    rewrite(path, transcript_rounds=np.full(6, 10**9, dtype=np.uint32))
    assert repr(Record.load(path)).startswith("Record(6000000000 rounds for 6 students in 6 groups")


DESCRIPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("format 2", {"format": 2}),
    ("'sung'", {"transcript": "sung"}),
    ("[]", {"transcript": []}),
    ("settings", {"settings": 3}),
    ("counts", {"counts": {"a": "b"}}),
    ("goal", {"settings": {"goal": [1]}}),
    ("goal", {"settings": {"goal": "average"}}),
    ("goal", {"settings": {"goal": {"eps": 0.1}}}),
    ("`eps`", {"settings": {"goal": {"name": "average", "eps": "x"}}}),
    ("`eps`", {"settings": {"goal": {"name": "average", "eps": -1}}}),
    ("`eps`", {"settings": {"goal": {"name": "average", "eps": 10**400}}}),
    ("`eps`", {"settings": {"goal": {"name": "everyone", "eps": -1}}}),
    ("engine", {"engine": 3}),
    ("`students`", {"students": 0}),
    ("`error_estimate`", {"error_estimate": "z"}),
    ("table", {"results": []}),
    ("table", {"results": {"surprise": 1}}),
    ("plans", {"results": {"plans": [1]}}),
    ("plans", {"results": {"plans": {"rounds": 1}}}),
    ("texts", {"results": {"handed_over": [1]}}),
    ("`nodes`", {"results": {"nodes": 0}}),
    ("`nodes`", {"results": {"nodes": "many"}}),
    ("numbers", {"results": {"verified": [1.0]}}),
    ("numbers", {"results": {"verified": {"error": "small"}}}),
    ("`farthest`", {"results": {"verified": {"error": 1.0}}}),
    ("text", {"results": {"goal_by": 3}}),
    ("true or false", {"results": {"in_expectation": 1}}),
]


@pytest.mark.parametrize(("named", "changes"), DESCRIPTIONS, ids=range(len(DESCRIPTIONS)))
def test_a_description_that_makes_no_sense_is_refused(
    path: Path, named: str, changes: dict[str, Any]
) -> None:
    change_description(path, **changes)
    refuse(lambda: Record.load(path), "lesson.npz", named)


@pytest.mark.parametrize("kind", ["axes", "straight", "written"])
def test_a_record_of_0_2_says_the_same(kind: str, tmp_path: Path) -> None:
    """Lessons in closed form with several outputs ("axes") are expanded; rounding may differ."""
    expected = json.loads((DATA / "0.2" / "lessons.json").read_text())[kind]
    record = Record.load(DATA / "0.2" / f"lesson-{kind}.npz")
    record.save(tmp_path / "again.npz")
    for found in (record, Record.load(tmp_path / "again.npz")):
        assert found.rounds == expected["rounds"]
        assert found.transcript.rounds.tolist() == expected["group_rounds"]
        assert found.stopped_because.value == expected["stopped"]
        np.testing.assert_allclose(found.errors, expected["errors"], rtol=1e-12)
        for group, errors in zip(found.groups, expected["group_errors"], strict=True):
            np.testing.assert_allclose(group.errors, errors, rtol=1e-12, atol=1e-15)
        for part, values in found.examples._asdict().items():
            np.testing.assert_allclose(values, expected[part], rtol=1e-12, atol=1e-15)
        np.testing.assert_array_equal(found.final_states, expected["final_states"])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("counts", lambda a: a + 1),
        ("directions", lambda a: a[:, :, [0, 1, 2, 0]]),
        ("squares", lambda a: a[:, :1]),
        ("g", lambda a: a[:-1]),
    ],
)
def test_lessons_in_closed_form_of_0_2_that_do_not_belong_together_are_refused(
    name: str, change: Callable[[Any], Any], tmp_path: Path
) -> None:
    path = tmp_path / "lesson.npz"
    path.write_bytes((DATA / "0.2" / "lesson-axes.npz").read_bytes())
    with np.load(path) as stored:
        array = stored[f"transcript_{name}"]
    rewrite(path, **{f"transcript_{name}": change(array)})
    refuse(lambda: Record.load(path), "lesson.npz")
