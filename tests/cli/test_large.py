"""``homeroom teach`` on classes that are read in pieces, and the Dask clusters that read them."""

from __future__ import annotations

import logging
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import Classroom, Record, teach
from homeroom.classroom import OneByOne, opening
from homeroom.classroom.pieces import parquet as parquet_pieces
from homeroom.cli import cluster
from homeroom.cli import teach as large
from homeroom.cli.cluster import connect, cores, has_dask, local_cluster
from homeroom.engines.costs import FEWEST
from tests.bad_input import refuse as refuse_call
from tests.cli.conftest import Homeroom, list_names, refuse

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("distributed")

pytestmark = [
    # What Dask leaves open when its cluster is gone is Dask's: it is closed a moment later.
    pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning"),
    pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning"),
]

ROOM = Classroom.sample(students=600, dimensions=3, rates=(0.1, 0.5))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A class of twelve pieces in a Parquet file."""
    monkeypatch.setattr(parquet_pieces, "PIECE_BYTES", 8 * 3 * 50)
    path = tmp_path / "class.parquet"
    ROOM.save(path)
    parquet.write_table(parquet.read_table(path), path, row_group_size=50)
    return path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read in pieces, and by which runner."""
    seen: list[str] = []
    find = opening.find

    def watch(source: Any, *more: Any) -> Any:
        seen.append(Path(source).suffix)
        return find(source, *more)

    @contextmanager
    def start(workers: int) -> Iterator[str]:
        seen.append(f"{workers} workers")
        yield ""

    monkeypatch.setattr(opening, "find", watch)
    monkeypatch.setattr(large, "local_cluster", start)
    monkeypatch.setattr(large, "OnDask", lambda _, progress: OneByOne(progress))
    monkeypatch.setattr(large, "cores", lambda: 3)
    return seen


@pytest.mark.parametrize(
    ("line", "changes", "expected"),
    [
        ("class.parquet", {}, []),
        ("class.parquet", {"_memory": lambda: 10_000}, [".parquet"]),
        ("class.npz", {"_memory": lambda: 10_000}, [".npz"]),
        ("class.csv", {"_memory": lambda: 10_000}, []),
        ("class.parquet --engine exact", {"_memory": lambda: 10_000}, []),
        ("class.parquet --groups by-rate", {"_memory": lambda: 10_000}, []),
        ("class.parquet --watch 3", {"_memory": lambda: 10_000}, []),
        ("class.parquet --engine sketch", {"LARGE": 1000}, [".parquet", "3 workers"]),
        ("class.parquet --engine sketch", {"LARGE": 1000, "has_dask": lambda: False}, [".parquet"]),
        ("class.parquet --engine sketch --workers 5", {"LARGE": 1000}, [".parquet", "5 workers"]),
        ("folder", {}, [""]),
    ],
)
def test_a_class_is_read_in_pieces_only_if_it_must_be(  # noqa: PLR0917 - fixtures
    homeroom: Homeroom,
    table: Path,
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    changes: dict[str, Any],
    expected: list[str],
) -> None:
    monkeypatch.chdir(table.parent)
    ROOM.save("class.npz")
    ROOM.save("class.csv")
    Path("folder").mkdir()
    ROOM.save("folder/part.parquet")
    for name, value in changes.items():
        monkeypatch.setattr(large, name, value)
    ran = homeroom("teach", *line.split(), "--json")
    assert opened == expected
    if "--" not in line:
        assert ran.document["lesson"]["rounds"] == teach(ROOM).rounds


def test_the_lesson_is_that_of_the_class_in_memory(
    homeroom: Homeroom, table: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    line = ("teach", table, "--workers", 1, "--verify", "--out", out)
    ran = homeroom(*line, "--json")
    record = teach(ROOM, engine="exact")
    lesson = ran.document["lesson"]
    assert (lesson["rounds"], lesson["engine"]) == (record.rounds, "sketch")
    assert lesson["error_estimate"] <= 1e-9 * record.errors[-1]
    assert lesson["verified"]["error"] == pytest.approx(record.errors[-1], rel=1e-9)
    assert ran.document["class"]["students"] == 600
    assert ran.document["class"]["slowest_rate"] == ROOM.rates.min()
    assert ran.document["watched"] == []
    names = {"record.npz", "error.svg", "error.png", "report.html", "result.json"}
    assert list_names(out) == {*names, "students.parquet"}
    assert Record.load(out / "record.npz").verified == lesson["verified"]
    students = parquet.read_table(out / "students.parquet")
    assert students.column_names == ["student", "before", "after"]
    after = students.column("after").to_numpy()
    assert np.mean(after**2) == pytest.approx(record.errors[-1], rel=1e-9)
    screen = homeroom(*line[:5]).text
    assert "engine sketch, " in screen
    assert "verified error 0.0" in screen
    assert "600 students" in screen


@pytest.mark.slow
def test_a_class_in_memory_is_verified_too(
    homeroom: Homeroom, pupils: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ran = homeroom("teach", pupils, "--verify", "--groups", "by-rate", "--out", out, "--json")
    assert ran.document["lesson"]["verified"]["error"] <= 0.1
    students = parquet.read_table(out / "students.parquet")
    assert (students.num_rows, students["student"][0].as_py()) == (24, "pupil 0")


def test_the_hand_over_is_reported(homeroom: Homeroom, tmp_path: Path) -> None:
    rates = np.full(600, 0.1)
    rates[0] = 5.0  # for whom the others' examples are far too long
    room = Classroom(ROOM.states, rates, ROOM.target, state_radius=50.0)
    room.save(tmp_path / "room.npz")
    line = ("teach", tmp_path / "room.npz", "--engine", "sketch", "--magnitude", "dynamic")
    assert "handed over after round 0" in homeroom(*line, "--max-rounds", 20).text
    ran = homeroom(*line, "--workers", 1)
    assert (ran.code, ran.out) == (2, "")
    assert "round 0" in ran.err


def test_no_student_is_watched_where_a_sketch_is_faster(homeroom: Homeroom) -> None:
    line = ("teach", "--dimensions", 2, "--json", "--students")
    for students, more, engine, watched in (
        (FEWEST - 1, (), "exact", 4),
        (FEWEST, (), "sketch", 0),
        (FEWEST, ("--watch", "7"), "exact", 1),
    ):
        document = homeroom(*line, students, *more).document
        assert (document["lesson"]["engine"], len(document["watched"])) == (engine, watched)


@pytest.mark.slow
def test_a_cluster_gives_the_same_document_and_the_same_sentence(
    homeroom: Homeroom, table: Path, two_workers: Any, tmp_path: Path
) -> None:
    where = {"there": ("--scheduler", two_workers.scheduler_address), "here": ("--workers", 1)}
    line = ("teach", table, "--verify", "--json", "--out")
    there, here = (homeroom(*line, tmp_path / name, *how) for name, how in where.items())
    assert there.document == here.document
    tables = [parquet.read_table(tmp_path / name / "students.parquet") for name in where]
    assert tables[0].equals(tables[1])
    for how in where.values():
        ran = homeroom("teach", table, "--rate-range", 0.1, 0.45, "--out", tmp_path / "no", *how)
        refuse(ran, "`rates`", "class.parquet")
    assert not (tmp_path / "no").exists()


def change(name: str, value: Any) -> dict[str, Any]:
    """Return the columns of the class with one cell changed, or without a column."""
    columns = {"rate": ROOM.rates.tolist()}
    columns |= {f"w{i + 1}": ROOM.states[:, i].tolist() for i in range(3)}
    if value == "gone":
        del columns[name]
    else:
        columns[name][577] = value
    return columns


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("rate", "gone", "rate"),
        ("w2", "gone", "w1, w2"),
        ("w2", None, "w2"),
        ("rate", None, "rate"),
        ("w2", float("nan"), "row 578"),
        ("rate", 0.0, "row 578"),
        ("rate", 0.7, "row 578"),
    ],
)
def test_a_bad_row_is_refused_and_leaves_nothing(
    homeroom: Homeroom, tmp_path: Path, name: str, value: Any, named: str
) -> None:
    np.save(tmp_path / "target.npy", ROOM.target)
    path = tmp_path / "class.parquet"
    parquet.write_table(pyarrow.table(change(name, value)), path, row_group_size=50)
    line = (path, "--target", tmp_path / "target.npy", "--rate-range", 0.1, 0.5)
    refuse(homeroom("teach", *line, "--out", tmp_path / "out"), named)
    assert list_names(tmp_path) == {"class.parquet", "target.npy"}


@pytest.mark.parametrize("verify", [False, True])
def test_a_file_that_breaks_is_one_sentence_and_leaves_nothing(
    homeroom: Homeroom, table: Path, monkeypatch: pytest.MonkeyPatch, verify: bool
) -> None:
    """Before the lesson, or before the pass that verifies it."""
    content = table.read_bytes()[:-300]

    def teach_and_break(*arguments: Any, **more: Any) -> Record:
        record = teach(*arguments, **more)
        table.write_bytes(content)
        return record

    if verify:
        monkeypatch.setattr(large, "teach_class", teach_and_break)
    else:
        table.write_bytes(content)
    line = ("teach", table, "--workers", 1, "--verify", "--out", table.parent / "out")
    refuse(homeroom(*line), "class.parquet")
    assert list_names(table.parent) == {"class.parquet"}


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "foo://127.0.0.1:1", ""])
def test_an_address_without_a_scheduler_is_one_sentence(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "TIMEOUT", 1.0)
    refuse_call(lambda: connect(address).__enter__(), f"at {address}:")
    assert logging.getLogger("distributed").isEnabledFor(logging.CRITICAL)


def test_a_listener_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "TIMEOUT", 0.5)
    threads = set(threading.enumerate())
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        refuse_call(lambda: connect(address).__enter__(), address, "1 seconds")
        assert set(threading.enumerate()) <= threads  # nothing half made is left


@pytest.mark.slow
def test_a_local_cluster_starts_and_stops() -> None:
    threads = set(threading.enumerate())
    with local_cluster(1) as client:
        assert list(client.nthreads().values()) == [1]
        with connect(client.scheduler.address) as another:
            assert another.submit(sum, [1, 2]).result() == 3
        [worker] = client.nthreads()
        refuse_call(lambda: connect(worker).__enter__(), "it is a worker")
    deadline = time.monotonic() + 60
    while len(set(threading.enumerate()) - threads) > 1:  # one of Dask's own stays idle
        assert time.monotonic() < deadline, threading.enumerate()
        time.sleep(0.05)


def test_a_scheduler_without_workers_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    wait = distributed.Client.wait_for_workers
    monkeypatch.setattr(
        distributed.Client, "wait_for_workers", lambda self, count, timeout: wait(self, count, 0.5)
    )
    monkeypatch.setattr(cluster, "TIMEOUT", 60.0)
    with distributed.LocalCluster(
        n_workers=0, processes=False, host="127.0.0.1", protocol="tcp", dashboard_address=":0"
    ) as empty:
        address = empty.scheduler_address
        refuse_call(lambda: connect(address).__enter__(), f"dask worker {address}")


def test_without_dask_the_error_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_dask()
    assert cores() >= 1
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert not has_dask()
    refuse_call(lambda: local_cluster(2).__enter__(), "homeroom[dask]")
