"""Runners: one piece after the other, or on a Dask cluster."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import Classroom, LargeClass, teach
from homeroom.classroom import AbstractPiece, AbstractRunner, OnDask, OneByOne, runners
from homeroom.classroom.pieces import parquet as parquet_pieces
from homeroom.classroom.runners import STRAND, strands, total_of


def test_an_abstract_runner_cannot_be_instantiated() -> None:
    with pytest.raises(TypeError, match="abstract"):
        AbstractRunner()  # type: ignore[abstract]


@pytest.mark.parametrize("count", [1, STRAND, STRAND + 1, 3 * STRAND - 1])
def test_strands_are_the_pieces_in_order(count: int) -> None:
    found = list(strands(range(count)))
    assert [piece for strand in found for piece in strand] == list(range(count))
    assert all(len(strand) == STRAND for strand in found[:-1])


def test_a_total_adds_strand_by_strand() -> None:
    parts = np.random.default_rng(0).standard_normal(21).tolist()
    first, second, third = (sum(parts[a + 1 : a + 8], parts[a]) for a in (0, 8, 16))
    assert total_of(parts, 21) == (first + second) + third


def test_a_total_keeps_the_order() -> None:
    assert total_of([[i] for i in range(30)], 30) == [[i][0] for i in range(30)]


PIECES: Any = range(1, 20)


def part(piece: Any) -> float:
    return float(0.1 / piece)


def test_the_total_is_added_in_the_order_of_all_runners() -> None:
    assert OneByOne().total(part, PIECES) == total_of(map(part, PIECES), len(PIECES))


def test_progress_is_reported_after_each_piece() -> None:
    reports: list[tuple[int, int]] = []
    OneByOne(lambda done, of: reports.append((done, of))).total(part, PIECES)
    assert reports == [(done, 19) for done in range(1, 20)]


def test_each_piece_is_computed_on_demand() -> None:
    begun: list[Any] = []
    results = OneByOne().each(begun.append, PIECES)
    next(results)
    next(results)
    assert begun == [1, 2]


def test_the_error_of_a_piece_is_raised() -> None:
    def refuse(piece: Any) -> int:
        raise ValueError(f"row {piece} is bad")

    with pytest.raises(ValueError, match="row 1 is bad"):
        OneByOne().total(refuse, PIECES)


distributed = pytest.importorskip("distributed")

pytestmark = [
    # Dask leaves connections open when its cluster is gone, and closes them later.
    pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning"),
    pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def connection(dask_cluster: Any) -> Iterator[Any]:
    with distributed.Client(dask_cluster) as client:
        yield client


@pytest.fixture
def client(connection: Any, two_workers: Any) -> Any:
    """A client of a cluster with two workers."""
    return connection


def moments(piece: AbstractPiece, *, pause: float = 0.0) -> Any:
    """Sums whose last bits depend on the order in which they are added."""
    time.sleep(pause)
    return sum(
        np.array([b.states.sum(), (b.rates[:, None] * b.states).sum()]) for b in piece.blocks()
    )


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LargeClass:
    """A class of twenty-five pieces in one Parquet file."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(parquet_pieces, "PIECE_BYTES", 8 * 4 * 200)
    sampled = Classroom.sample(students=5000, dimensions=4, rates=(0.1, 0.5))
    sampled.save(tmp_path / "whole.parquet")
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(tmp_path / "whole.parquet")
    pyarrow.parquet.write_table(table, tmp_path / "class.parquet", row_group_size=200)
    large = LargeClass.open(tmp_path / "class.parquet")
    assert len(large.pieces) == 25
    return large


def on(client: Any, room: LargeClass, **options: Any) -> LargeClass:
    return LargeClass(room.pieces, room.target, runner=OnDask(client, **options))


def test_the_bits_are_those_of_one_process(client: Any, room: LargeClass) -> None:
    reports: list[tuple[int, int]] = []
    runner = OnDask(client, lambda done, of: reports.append((done, of)))
    found = runner.total(moments, room.pieces)
    assert found.tolist() == OneByOne().total(moments, room.pieces).tolist()
    assert reports[-1] == (25, 25)
    assert reports == sorted(reports)


def test_pieces_come_in_order(client: Any, room: LargeClass) -> None:
    found = [one.tolist() for one in OnDask(client).each(moments, room.pieces)]
    assert found == [moments(piece).tolist() for piece in room.pieces]


@pytest.mark.slow
def test_a_lesson_is_the_same_to_the_last_bit(client: Any, room: LargeClass) -> None:
    here, there = (teach(each, verify=True) for each in (room, on(client, room)))
    np.testing.assert_array_equal(here.examples.xs, there.examples.xs)
    np.testing.assert_array_equal(here.errors, there.errors)
    assert here.verified == there.verified


@pytest.mark.slow
def test_a_worker_killed_during_a_pass_does_not_change_the_result(
    client: Any, room: LargeClass
) -> None:
    slow = partial(moments, pause=0.1)
    pids = sorted(client.run(os.getpid).values())
    killed: list[int] = []

    def kill_one(done: int, of: int) -> None:
        if 5 <= done < of and not killed:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    found = OnDask(client, kill_one).total(slow, room.pieces)
    assert killed, "the pass was over before a worker could be killed"
    assert found.tolist() == OneByOne().total(moments, room.pieces).tolist()
    client.wait_for_workers(2, timeout=120)
    assert pids[0] not in client.run(os.getpid).values()


def test_the_workers_keep_nothing(client: Any, room: LargeClass) -> None:
    OnDask(client).total(moments, room.pieces)
    next(OnDask(client).each(moments, room.pieces))
    deadline = time.monotonic() + 60
    while any(client.has_what().values()):
        assert time.monotonic() < deadline, client.has_what()
        time.sleep(0.05)


def test_the_error_of_a_piece_arrives_unchanged(client: Any, tmp_path: Path) -> None:
    path = tmp_path / "states.npy"
    states = np.ones((4000, 2))
    states[3000, 1] = np.nan
    np.save(path, states)
    np.save(tmp_path / "rates.npy", np.full(4000, 0.1))
    bad = LargeClass.open(tmp_path, target=[0.0, 0.0], runner=OnDask(client))
    with pytest.raises(ValueError, match=r"row 3001 of .* has nan in column 2"):
        teach(bad)
    path.unlink()
    with pytest.raises(ValueError, match=r"There is no file .*states\.npy\. The Dask workers must"):
        teach(bad)


def test_pieces_of_a_collection_are_worked_on_where_they_are(client: Any) -> None:
    da = pytest.importorskip("dask.array")
    sampled = Classroom.sample(students=3000, dimensions=3, rates=(0.1, 0.5))
    states, rates = (
        client.persist(da.from_array(part, chunks=250)) for part in (sampled.states, sampled.rates)
    )
    large = LargeClass.open({"states": states, "rates": rates}, target=sampled.target)
    assert isinstance(large.runner, OnDask)
    assert large.runner.client is client
    np.testing.assert_allclose(teach(large).errors, teach(sampled, engine="exact").errors)


class Deadly(AbstractPiece):
    """A piece that no worker survives."""

    def blocks(self) -> Iterator[Any]:
        os.kill(os.getpid(), signal.SIGKILL)
        yield

    def rates(self) -> Iterator[Any]:
        yield from self.blocks()


class Foreign(AbstractPiece):
    """A piece that needs a module that the workers lack."""

    def blocks(self) -> Iterator[Any]:
        raise ModuleNotFoundError("No module named 'elsewhere'")

    def rates(self) -> Iterator[Any]:
        yield from self.blocks()


def test_a_missing_dependency_of_a_piece_is_one_sentence(client: Any) -> None:
    with pytest.raises(
        ValueError, match=r"cannot do this work \(No module named 'elsewhere'\): in"
    ):
        OnDask(client).total(moments, [Foreign()])


@pytest.mark.slow
def test_a_piece_that_kills_every_worker_is_one_sentence(
    client: Any, two_workers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two_workers.scheduler, "allowed_failures", 1)
    with pytest.raises(
        ValueError, match=r"Dask workers died 2 times over the same piece of the cl"
    ):
        OnDask(client).total(moments, [Deadly()])


@pytest.mark.slow
def test_a_worker_that_dies_while_it_is_asked_is_not_blamed_for_its_version(client: Any) -> None:
    client.wait_for_workers(2, timeout=120)
    pid = next(iter(client.run(os.getpid).values()))
    os.kill(pid, signal.SIGSTOP)  # so that it does not answer any more
    dies = threading.Timer(0.5, os.kill, (pid, signal.SIGKILL))
    dies.start()
    runners.check_workers(client)
    dies.join()
    client.wait_for_workers(2, timeout=120)


def no_version(_: str) -> str:
    raise ImportError("No package metadata was found for homeroom")


def test_workers_with_another_homeroom_or_none_are_refused(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.wait_for_workers(1, timeout=120)
    ours = version("homeroom")
    with pytest.raises(
        ValueError, match=rf"Dask worker tcp.* has homeroom {ours}, but 9\.9 is need"
    ):
        runners.check_workers(client, "9.9")
    monkeypatch.setattr(runners, "version", no_version)
    with pytest.raises(
        ValueError, match=rf"Dask worker tcp.* has no homeroom, but {ours} is needed"
    ):
        runners.check_workers(client)


@pytest.mark.slow
def test_a_cluster_that_has_lost_its_workers_is_given_up(
    client: Any, two_workers: Any, room: LargeClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runners, "WITHOUT_WORKERS", 1.0)
    two_workers.scale(0)
    deadline = time.monotonic() + 120
    while client.scheduler_info()["workers"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    with pytest.raises(ValueError, match=r"The Dask cluster has had no worker for 1 seconds: sta"):
        OnDask(client).total(moments, room.pieces)


def test_a_scheduler_lost_during_a_pass_is_one_sentence(room: LargeClass) -> None:
    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):

        def close(done: int, of: int) -> None:
            if done:
                cluster.close()

        with pytest.raises(
            ValueError, match=r"connection to the Dask scheduler was lost in the mi"
        ):
            OnDask(client, close).total(partial(moments, pause=0.05), room.pieces)
