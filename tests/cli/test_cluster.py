"""Dask clusters as the command meets them."""

from __future__ import annotations

import logging
import socket
import sys
import threading
import time
import warnings
from typing import Any

import pytest

from homeroom.cli import cluster
from homeroom.cli.cluster import connected, cores, has_dask, local_cluster

pytest.importorskip("distributed")

pytestmark = [
    # What Dask leaves open when its cluster is gone is Dask's: it is closed a moment later.
    pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning"),
    pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("tcp://127.0.0.1:1", "Timed out trying to connect to tcp://127.0.0.1:1 after 1 s"),
        ("nonsense", "missing port number in address 'nonsense'"),
        ("foo://127.0.0.1:1", "unknown address scheme 'foo'"),
        ("", "missing port number in address ''"),
    ],
)
def test_an_address_that_is_none_is_one_sentence(
    address: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "TIMEOUT", 1.0)
    sentence = rf"No Dask scheduler answers at {address}: ({why}|no answer).*\.$"
    with pytest.raises(ValueError, match=sentence), connected(address):
        raise AssertionError("it is connected")
    assert logging.getLogger("distributed").isEnabledFor(logging.CRITICAL)


def test_a_listener_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "TIMEOUT", 0.5)
    threads = set(threading.enumerate())
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        start = time.monotonic()
        with (
            pytest.raises(ValueError, match=r"127\.0\.0\.1:\d+: no answer within 1 seconds\.$"),
            connected(f"tcp://127.0.0.1:{listener.getsockname()[1]}"),
        ):
            raise AssertionError("it is connected")
        assert time.monotonic() - start < 60
        assert set(threading.enumerate()) <= threads  # nothing half made is left


@pytest.mark.slow
def test_a_local_cluster_starts_and_stops() -> None:
    threads = set(threading.enumerate())
    with local_cluster(1) as client:
        assert list(client.nthreads().values()) == [1]
        address = client.scheduler.address
        with connected(address) as another:
            assert another.submit(sum, [1, 2]).result() == 3
        [worker] = client.nthreads()
        with (
            pytest.raises(ValueError, match=rf"No Dask scheduler answers at {worker}: it is a wo"),
            connected(worker),
        ):
            raise AssertionError("it is connected")
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
        with (
            pytest.raises(ValueError, match=rf"{address} has no workers: start one with 'dask wo"),
            connected(address),
        ):
            raise AssertionError("it has workers")


def test_a_scheduler_that_stops_while_a_client_starts_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import distributed

    def late(*_: Any, **__: Any) -> None:
        raise OSError("Timed out trying to connect.")

    monkeypatch.setattr(cluster, "_check_scheduler", lambda *_: None)
    monkeypatch.setattr(distributed, "Client", late)
    with (
        pytest.raises(ValueError, match=r"answers at tcp://a:1: Timed out trying to connect\.$"),
        connected("tcp://a:1"),
    ):
        raise AssertionError("it is connected")


def test_each_other_version_is_warned_of_once() -> None:
    ours = {"python": "3.11", "numpy": "2.4", "dask": "1"}
    versions: dict[str, Any] = {
        "client": {"packages": ours},
        "scheduler": {"packages": ours},
        "workers": {"a": {"packages": ours | {"numpy": "2.3"}}, "b": {"packages": ours}},
    }
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        cluster._warn_of_versions(versions)
    [one] = said
    assert str(one.message).startswith("The Dask cluster has numpy 2.3, but here it is 2.4: ")


def test_without_dask_the_error_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_dask()
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert not has_dask()
    with (
        pytest.raises(ValueError, match=r"A cluster of several workers needs dask: pip install"),
        local_cluster(2),
    ):
        raise AssertionError("there is none")


def test_cores_are_counted() -> None:
    assert cores() >= 1
