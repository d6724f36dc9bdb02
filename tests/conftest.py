"""What tests of several rooms share."""

from __future__ import annotations

import logging
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


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Any]:
    """A Dask cluster of two workers, each a process with one thread."""
    distributed = pytest.importorskip("distributed")
    import dask

    # Who asks a worker that has been killed soon gives up.
    soon = dask.config.set({"distributed.comm.timeouts.connect": "10s"})
    with soon, pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[1])  # so that workers find the tests
        with distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster:
            yield cluster


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
