"""What tests of several rooms share."""

from __future__ import annotations

import gc
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Laws are tried on the same cases in every run, and may take their time.
settings.register_profile("laws", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("laws")


@pytest.fixture(scope="session")
def dask_cluster() -> Iterator[Any]:
    """A Dask cluster of processes with one thread each, started once for all tests of a process."""
    distributed = pytest.importorskip("distributed")
    import dask

    settings = {
        "distributed.comm.timeouts.connect": "10s",  # a worker that was killed never answers
        "distributed.deploy.lost-worker-timeout": "10m",  # a busy machine restarts it late
    }
    with dask.config.set(settings), pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[1])  # so that workers find the tests
        cluster = distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        )
        yield cluster
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Dask leaves sockets open, and closes them later
            cluster.close()
            gc.collect()


@pytest.fixture
def two_workers(dask_cluster: Any) -> Any:
    """The Dask cluster with two workers, whatever the test before did to them."""
    dask_cluster.scale(2)
    dask_cluster.wait_for_workers(2, timeout=120)
    return dask_cluster
