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


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
def test_a_record_of_any_library_is_saved(library: str, room: Classroom, tmp_path: Path) -> None:
    xp = pytest.importorskip(library)
    there = Classroom(*(xp.asarray(np.array(a)) for a in (room.states, room.rates, room.target)))
    record = teach(there)
    record.save(tmp_path / "lesson.npz")
    loaded = Record.load(tmp_path / "lesson.npz")
    np.testing.assert_array_equal(loaded.final_states, to_numpy(record.final_states))


def test_a_file_holds_no_pickle(path: Path) -> None:
    with np.load(path, allow_pickle=False) as arrays:
        assert all(arrays[name].dtype != object for name in arrays.files)
        assert json.loads(bytes(arrays["record"]))["format"] == 1


def test_other_endings_are_refused_and_nothing_is_written(room: Classroom, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"lesson\.json must end in \.npz"):
        teach(room).save(tmp_path / "lesson.json")
    assert not list(tmp_path.iterdir())


def test_a_save_that_fails_leaves_the_old_file(
    room: Classroom, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(ValueError, match=r"lesson\.npz cannot be written: No space left"):
        teach(room, max_rounds=1).save(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]  # noqa: PTH208 - hidden files count too


def test_a_missing_file_is_reported_as_missing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no file .*gone\.npz"):
        Record.load(tmp_path / "gone.npz")


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused(path: Path, part: float) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: int(part * len(whole))])
    with pytest.raises(ValueError, match=r"lesson\.npz cannot be read: it is damaged or cut off"):
        Record.load(path)


def test_a_flipped_byte_anywhere_is_refused_or_harmless(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    for place in range(0, len(whole), 37):
        whole[place] ^= 0xFF
        path.write_bytes(whole)
        with suppress(ValueError):  # anything else is a failure
            Record.load(path)
        whole[place] ^= 0xFF


@pytest.mark.parametrize(
    "content", [b"", b"hello", pickle.dumps({"a": 1}), b"PK\x03\x04" + bytes(200)]
)
def test_a_file_that_is_not_an_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"odd\.npz cannot be read: it is damaged"):
        Record.load(tmp_path / "odd.npz")


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.trace,))


def test_a_pickle_inside_is_refused_and_not_run(path: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    rewrite(path, group_of=np.array([Bomb(trace)], dtype=object))
    with pytest.raises(ValueError, match=r"group_of\.npy holds Python objects"):
        Record.load(path)
    assert not trace.exists()


def rewrite(path: Path, **changes: Any) -> None:
    """Write the file again with other arrays; ``None`` leaves one out."""
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    arrays |= changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


def with_json(path: Path, text: str | None = None, **changes: Any) -> None:
    with np.load(path) as stored:
        rest = json.loads(bytes(stored["record"]))
    text = json.dumps(rest | changes) if text is None else text
    rewrite(path, record=np.frombuffer(text.encode(), dtype=np.uint8))


def test_a_whole_class_is_kept_as_a_number(path: Path) -> None:
    """A single group takes no space in the file, nor in memory."""
    with np.load(path) as stored:
        assert "group_of" not in stored.files
    assert Record.load(path).group_of.tolist() == [0] * 6
    with_json(path, students=0)
    with pytest.raises(ValueError, match="`students` must be at least 1 and at most"):
        Record.load(path)


def test_several_groups_need_the_group_of_each_student(room: Classroom, tmp_path: Path) -> None:
    teach(room, groups="at-random:k=2").save(tmp_path / "lesson.npz")
    rewrite(tmp_path / "lesson.npz", group_of=None)
    with pytest.raises(ValueError, match="does not state which student was in which group"):
        Record.load(tmp_path / "lesson.npz")


def test_a_lesson_without_single_students_can_be_saved(room: Classroom, tmp_path: Path) -> None:
    record = teach(room, engine="sketch", learner="langevin:beta=1e4")
    record.save(tmp_path / "lesson.npz")
    loaded = Record.load(tmp_path / "lesson.npz")
    np.testing.assert_array_equal(loaded.errors, record.errors)
    with pytest.raises(ValueError, match="This lesson followed no single students"):
        _ = loaded.final_states


@pytest.mark.parametrize("name", ["record", "final_states", "transcript_rounds"])
def test_a_missing_array_is_named(path: Path, name: str) -> None:
    rewrite(path, **{name: None})
    with pytest.raises(
        ValueError, match=rf"not a record of a lesson: .*{name.removeprefix('transcript_')}"
    ):
        Record.load(path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"transcript_xs": np.zeros((2, 3))}, r"`xs` has 2 rows where \d+ belong"),
        ({"transcript_all_errors": np.zeros(1)}, r"`all_errors` has 1 row where \d+ belong"),
        ({"final_states": np.zeros((2, 3))}, "`final_states` has 2 rows where 6 belong"),
        ({"group_of": np.full(6, 3)}, "it names a group that does not exist"),
        ({"group_of": np.full(6, -1)}, "it names a group that does not exist"),
        ({"transcript_stops": np.array([17])}, "its reasons make no sense"),
        ({"transcript_rounds": np.array(3)}, "`rounds` is 0-dimensional of int64, where 1 and"),
        ({"transcript_rounds": np.array([1.5])}, "`rounds` is 1-dimensional of float64, where"),
        ({"transcript_ys": np.array(["a"])}, "`ys` is 1-dimensional of <U1, where 1 and float64"),
        ({"watched": np.array([0]), "watched_errors": np.zeros((1, 1))}, "`watched_errors` has 1"),
        ({"transcript_more": np.zeros(1)}, "is not a record of a lesson: .*more"),
        ({"transcript_rounds": np.array([-1])}, "its numbers of rounds or its reasons make no"),
        ({"transcript_rounds": np.array([2**54])}, "its numbers of rounds or its reasons make no"),
        (
            {
                "transcript_rounds": np.array([2**63, 2**63 + 7], dtype=np.uint64),
                "group_of": np.zeros(6, dtype=int),
            },
            "its numbers of rounds or its reasons make no sense",
        ),
        (
            {"group_of": np.zeros(0, dtype=int), "final_states": np.zeros((0, 3))},
            "it has no students",
        ),
        ({"final_states": np.zeros((6, 0))}, "`final_states` has 0 columns where 1 belong"),
        ({"watched": np.array([0])}, "`watched_errors` has 0 columns where 1 belong"),
        ({"watched_errors": np.zeros((3, 2))}, "`watched_errors` has 2 columns where 0 belong"),
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(
    path: Path, changes: dict[str, Any], reason: str
) -> None:
    rewrite(path, **changes)
    with pytest.raises(ValueError, match=reason):
        Record.load(path)


def test_watched_students_are_in_the_class(room: Classroom, path: Path) -> None:
    teach(room, watch=[1]).save(path)
    for student in (-1, 6):
        rewrite(path, watched=np.array([student]))
        with pytest.raises(ValueError, match="it watches a student who does not exist"):
            Record.load(path)


def test_every_group_has_a_student(room: Classroom, path: Path) -> None:
    teach(room, groups=AsGiven([0, 0, 0, 1, 1, 1])).save(path)
    rewrite(path, group_of=np.zeros(6, dtype=int))
    with pytest.raises(ValueError, match="one of its groups has no students"):
        Record.load(path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"transcript_rounds": np.full(6, 2**53)}, "its numbers of rounds or its reasons make no"),
        ({"transcript_gaps": np.zeros((6, 2))}, "`gaps` has 2 columns where 3 belong"),
        ({"transcript_target": np.zeros(2)}, "`target` has 2 rows where 3 belong"),
        (
            {"group_of": np.zeros(5, dtype=int), "final_states": np.zeros((5, 3))},
            "`group_of` has 5 rows where 6 belong",
        ),
    ],
)
def test_individual_lessons_that_do_not_belong_together_are_refused(
    room: Classroom, path: Path, changes: dict[str, Any], reason: str
) -> None:
    teach(room, groups=Individuals()).save(path)
    rewrite(path, **changes)
    with pytest.raises(ValueError, match=reason):
        Record.load(path)


def test_endless_individual_lessons_are_read_and_described_in_one_line(
    room: Classroom, path: Path
) -> None:
    teach(room, groups=Individuals()).save(path)
    rewrite(path, transcript_rounds=np.full(6, 10**9, dtype=np.uint32))
    assert repr(Record.load(path)).startswith("Record(6000000000 rounds for 6 students in 6 groups")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"format": 2}, "it has format 2, but this version reads 1"),
        ({"transcript": "sung"}, "its transcript is of no known kind, but 'sung'"),
        ({"transcript": []}, r"its transcript is of no known kind, but \[\]"),
        ({"settings": 3}, "its settings and counts must be tables"),
        ({"counts": {"a": "b"}}, "its counts must be whole numbers"),
        ({"settings": {"goal": [1]}}, "its goal must be a table with a name"),
        ({"settings": {"goal": "average"}}, "its goal must be a table with a name"),
        ({"settings": {"goal": {"eps": 0.1}}}, "its goal must be a table with a name"),
        ({"settings": {"goal": {"name": "average", "eps": "x"}}}, "`eps` must be a number"),
        ({"settings": {"goal": {"name": "average", "eps": -1}}}, "`eps` must be positive"),
        ({"settings": {"goal": {"name": "average", "eps": 10**400}}}, "`eps` must be a number"),
        ({"settings": {"goal": {"name": "everyone", "eps": -1}}}, "`eps` must be positive"),
        ({"engine": 3}, "its engine must be a name, but is 3"),
        ({"error_estimate": "z"}, "`error_estimate` must be a number, but is 'z'"),
        ({"text": "[1, 2]"}, "is not a record of a lesson: list indices"),
        ({"text": "{"}, "is not a record of a lesson: Expecting"),
        ({"text": "[" * 200_000}, "is not a record of a lesson"),
    ],
)
def test_a_description_that_makes_no_sense_is_refused(
    path: Path, changes: dict[str, Any], reason: str
) -> None:
    with_json(path, **changes)
    with pytest.raises(ValueError, match=reason):
        Record.load(path)


def test_a_class_is_not_a_record(room: Classroom, tmp_path: Path) -> None:
    room.save(tmp_path / "class.npz")
    with pytest.raises(
        ValueError, match=r"class\.npz is not a record of a lesson: it has no 'record'"
    ):
        Record.load(tmp_path / "class.npz")


OLD = Path(__file__).parents[1] / "data" / "0.1"


def test_a_record_of_0_1_has_its_results_in_fields() -> None:
    """0.1 kept them among the settings."""
    sketched = Record.load(OLD / "lesson-sketched.npz")
    assert (sketched.engine, sketched.nodes, sketched.rounds) == ("sketch", 12, 25)
    assert sketched.verified == {"error": 0.01842664707732401, "farthest": 0.2838800830630408}
    assert (sketched.handed_over, sketched.in_expectation, sketched.plans) == ((), False, ())
    assert sketched.goal_by == "students * mean |e|^2 <= eps^2, which is enough"
    assert {"nodes", "verified", "handed_over", "everyone_by"} & set(sketched.settings) == set()
    planned = Record.load(OLD / "lesson-planned.npz")
    assert [plan["rounds"] for plan in planned.plans] == [9, 2, 3]
    assert planned.groups[1].rounds == 2
    assert planned.settings["teacher"]["name"] == "planned"


def test_results_are_still_found_where_0_1_kept_them(tmp_path: Path) -> None:
    sketched = Record.load(OLD / "lesson-sketched.npz")
    assert sketched.settings["nodes"] == 12
    assert sketched.settings["verified"] == sketched.verified
    assert sketched.settings["handed_over"] == []
    with pytest.raises(KeyError, match="plans"):
        sketched.settings["plans"]
    sketched.save(tmp_path / "again.npz")
    again = Record.load(tmp_path / "again.npz")
    assert again.settings == sketched.settings
    for name in ("nodes", "handed_over", "in_expectation", "goal_by", "verified", "engine"):
        assert getattr(again, name) == getattr(sketched, name)


@pytest.mark.parametrize(
    ("results", "why"),
    [
        ([], "a table of known names"),
        ({"surprise": 1}, "a table of known names"),
        ({"plans": [1]}, "plans must be a list of tables"),
        ({"plans": {"rounds": 1}}, "plans must be a list of tables"),
        ({"handed_over": [1]}, "must be texts"),
        ({"nodes": 0}, "`nodes`"),
        ({"nodes": "many"}, "`nodes`"),
        ({"verified": [1.0]}, "must be numbers"),
        ({"verified": {"error": "small"}}, "must be numbers"),
        ({"verified": {"error": 1.0}}, "`error` and `farthest`"),
        ({"goal_by": 3}, "must be a text"),
        ({"in_expectation": 1}, "true or false"),
    ],
)
def test_results_of_the_wrong_kind_are_refused(path: Path, results: Any, why: str) -> None:
    with np.load(path) as file:
        arrays = dict(file)
    rest = json.loads(bytes(arrays["record"])) | {"results": results}
    arrays["record"] = np.frombuffer(json.dumps(rest).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=f"is not a record of a lesson: .*{why}"):
        Record.load(path)
