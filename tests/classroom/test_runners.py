"""Runners: one piece after the other, or on a Dask cluster."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from homeroom import Classroom, LargeClass, teach
from homeroom.classroom import AbstractPiece, OnDask, OneByOne, runners
from homeroom.classroom.pieces import parquet as parquet_pieces
from homeroom.classroom.runners import total_of
from tests.bad_input import refuse

PIECES: Any = range(1, 20)


def part(piece: Any) -> float:
    return float(0.1 / piece)


def test_the_total_is_added_in_the_order_of_all_runners() -> None:
    assert OneByOne().total(part, PIECES) == total_of(map(part, PIECES), len(PIECES))


def test_progress_is_reported_after_each_piece() -> None:
    reports: list[tuple[int, int]] = []
    OneByOne(lambda done, of: reports.append((done, of))).total(part, PIECES)
    assert reports == [(done, 19) for done in range(1, 20)]


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
    monkeypatch.setattr(parquet_pieces, "PIECE_BYTES", 8 * 4 * 200)
    sampled = Classroom.sample(students=5000, dimensions=4, rates=(0.1, 0.5))
    sampled.save(tmp_path / "whole.parquet")
    table = parquet.read_table(tmp_path / "whole.parquet")
    parquet.write_table(table, tmp_path / "class.parquet", row_group_size=200)
    large = LargeClass.open(tmp_path / "class.parquet")
    assert len(large.pieces) == 25
    return large


def on(client: Any, room: LargeClass, **options: Any) -> LargeClass:
    return LargeClass(room.pieces, room.target, runner=OnDask(client, **options))


@pytest.mark.slow
def test_the_bits_are_those_of_one_process(client: Any, room: LargeClass) -> None:
    reports: list[tuple[int, int]] = []
    runner = OnDask(client, lambda done, of: reports.append((done, of)))
    found = runner.total(moments, room.pieces)
    assert found.tolist() == OneByOne().total(moments, room.pieces).tolist()
    assert reports[-1] == (25, 25)
    assert reports == sorted(reports)


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


@pytest.mark.slow
def test_the_workers_keep_nothing(client: Any, room: LargeClass) -> None:
    OnDask(client).total(moments, room.pieces)
    next(OnDask(client).each(moments, room.pieces))
    deadline = time.monotonic() + 60
    while any(client.has_what().values()):
        assert time.monotonic() < deadline, client.has_what()
        time.sleep(0.05)


@pytest.mark.slow
def test_the_error_of_a_piece_arrives_unchanged(client: Any, tmp_path: Path) -> None:
    path = tmp_path / "states.npy"
    states = np.ones((4000, 2))
    states[3000, 1] = np.nan
    np.save(path, states)
    np.save(tmp_path / "rates.npy", np.full(4000, 0.1))
    bad = LargeClass.open(tmp_path, target=[0.0, 0.0], runner=OnDask(client))
    refuse(lambda: teach(bad), "row 3001")
    path.unlink()
    refuse(lambda: teach(bad), "states.npy")


@pytest.mark.slow
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

    def read(self, part: str) -> Iterator[Any]:
        os.kill(os.getpid(), signal.SIGKILL)
        yield


class Foreign(AbstractPiece):
    """A piece that needs a module that the workers lack."""

    def read(self, part: str) -> Iterator[Any]:
        raise ModuleNotFoundError("No module named 'elsewhere'")


@pytest.mark.slow
def test_a_missing_dependency_of_a_piece_is_one_sentence(client: Any) -> None:
    refuse(lambda: OnDask(client).total(moments, [Foreign()]), "'elsewhere'")


@pytest.mark.slow
def test_a_piece_that_kills_every_worker_is_one_sentence(
    client: Any, two_workers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two_workers.scheduler, "allowed_failures", 1)
    refuse(lambda: OnDask(client).total(moments, [Deadly()]), "workers")


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


@pytest.mark.slow
def test_workers_with_another_homeroom_or_none_are_refused(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.wait_for_workers(1, timeout=120)
    refuse(lambda: runners.check_workers(client, "9.9"), "homeroom")
    monkeypatch.setattr(runners, "version", no_version)
    refuse(lambda: runners.check_workers(client), "worker")


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
    refuse(lambda: OnDask(client).total(moments, room.pieces), "cluster")


@pytest.mark.slow
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

        refuse(
            lambda: OnDask(client, close).total(partial(moments, pause=0.05), room.pieces),
            "connection",
        )
