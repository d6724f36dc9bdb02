from pathlib import Path

import numpy as np
import pytest

from homeroom import Classroom, LangevinLearner, LargeClass, Record, teach


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=700, dimensions=4, rates=(0.1, 2.0), seed=3)


@pytest.mark.parametrize("engine", ["sketch", "exact"])
@pytest.mark.parametrize("groups", ["whole", "by-rate"])
def test_the_second_pass_finds_the_distances_of_all_students(
    room: Classroom, engine: str, groups: str
) -> None:
    record = teach(room, engine=engine, groups=groups, verify=True)
    distances = np.linalg.norm(record.final_states - room.target, axis=1)
    assert record.verified is not None
    assert record.verified["error"] == pytest.approx((distances**2).mean(), rel=1e-12)
    assert record.verified["farthest"] == pytest.approx(distances.max(), rel=1e-12)
    assert record.verified["error"] == pytest.approx(record.errors[-1], rel=1e-9)


def test_a_class_that_is_read_piece_by_piece_is_read_once_more(room: Classroom) -> None:
    large = LargeClass.open((room.states, room.rates), target=room.target)
    record, held = teach(large, verify=True), teach(room, engine="sketch", verify=True)
    assert record.verified is not None
    assert held.verified is not None
    assert record.rounds == held.rounds
    assert record.verified["error"] == pytest.approx(held.verified["error"], rel=1e-12)
    assert record.verified["farthest"] == pytest.approx(held.verified["farthest"], rel=1e-12)


def test_it_is_done_only_on_request(room: Classroom, tmp_path: Path) -> None:
    assert teach(room).verified is None
    record = teach(room, verify=True)
    record.save(tmp_path / "lesson.npz")
    assert Record.load(tmp_path / "lesson.npz").verified == record.verified


def test_random_learning_cannot_be_verified(room: Classroom) -> None:
    with pytest.raises(ValueError, match="these students learn at random and would not end"):
        teach(room, learner=LangevinLearner(1e4), verify=True)


@pytest.mark.parametrize("groups", ["whole", "by-rate"])
def test_single_precision_students_are_verified_in_double(groups: str) -> None:
    """Far from zero, float32 would lose what is left of the error."""
    rng = np.random.default_rng(0)
    states = (1000 + rng.standard_normal((200, 3))).astype(np.float32)
    rates = (0.1 + rng.random(200)).astype(np.float32)
    room = Classroom(states, rates, np.full(3, 1000, dtype=np.float32))
    record = teach(room, engine="sketch", goal="average:eps=1e-5", groups=groups, verify=True)
    double = Classroom(*(np.asarray(part, np.float64) for part in (states, rates, room.target)))
    expected = teach(double, engine="sketch", goal="average:eps=1e-5", groups=groups, verify=True)
    assert record.verified is not None
    assert expected.verified is not None
    assert record.verified["error"] == pytest.approx(expected.verified["error"], rel=1e-9)
    assert record.verified["error"] == pytest.approx(record.errors[-1], rel=1e-9)
