"""Fixtures for the tests of several packages."""

from __future__ import annotations

import gc
import logging
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from homeroom.crowd import Answers

Write = Callable[..., Path]
Rows = Callable[["Answers"], list[tuple[str, str, bool]]]

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


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file, and return its path."""

    def written(text: str, name: str = "answers.csv", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return written


@pytest.fixture
def rows() -> Rows:
    """Return answers as rows: annotator, item, whether yes."""

    def listed(answers: Answers) -> list[tuple[str, str, bool]]:
        codes = zip(
            answers.person.tolist(), answers.item.tolist(), answers.yes.tolist(), strict=True
        )
        return [(answers.people[p], answers.items[i], yes) for p, i, yes in codes]

    return listed
