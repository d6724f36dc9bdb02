"""Where work runs: in processes here, or on a Dask cluster, running or temporary."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated, Any

from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom.classroom.runners import check_workers
from homeroom.cli.command import Bounds

TIMEOUT = 5.0
"""Seconds to wait for a scheduler to answer, and for it to have workers."""


@dataclass(frozen=True, kw_only=True)
class WorkOptions:
    """Where the work runs.

    Parameters
    ----------
    workers
        The number of processes; the numbers are the same. [default: one per core]
    scheduler : ADDRESS
        Run on the Dask cluster of this scheduler instead.
    """

    workers: Annotated[int | None, Bounds(1)] = None
    scheduler: str | None = None

    @contextmanager
    def start(self) -> Iterator[Executor]:
        """Yield processes on this machine, one per core unless given, or a cluster's workers."""
        from homeroom.studies.cells import processes

        if self.scheduler is not None:
            with connect(self.scheduler) as client:
                yield client.get_executor()
            return
        with processes(self.workers or os.cpu_count() or 1) as executor:
            yield executor


def has_dask() -> bool:
    """Return whether dask.distributed is installed."""
    try:
        return find_spec("distributed") is not None
    except ValueError:  # it is marked as missing in sys.modules
        return False


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # pragma: no cover - on systems without affinity


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Yield a client of the scheduler at this address after checking its workers."""
    distributed = _import_distributed("A Dask scheduler")
    with _silence_dask():
        _check_scheduler(distributed, address)
        try:
            client = distributed.Client(address, timeout=TIMEOUT, set_as_default=False)
        except OSError as reason:  # it answered a moment ago
            raise _no_scheduler(address, reason) from None
        with client:
            _check_workers(client, address)
            yield client


def _check_scheduler(distributed: Any, address: str) -> None:
    """Raise an error if no scheduler answers at an address, before a client is made for it.

    A client waits forever where something other than a scheduler listens. A client that fails to
    start may also deadlock with the next one when it is garbage-collected.
    """

    async def ask() -> None:
        safety = distributed.Security().get_connection_args("client")
        async with distributed.rpc(address, timeout=TIMEOUT, connection_args=safety) as there:
            kind = (await there.identity())["type"]
        if kind != "Scheduler":
            raise InputError(f"it is a {kind.lower()}")

    async def ask_with_timeout() -> None:
        try:
            await asyncio.wait_for(ask(), 2 * TIMEOUT)
        except TimeoutError:
            raise TimeoutError(f"no answer within {2 * TIMEOUT:.0f} seconds") from None

    try:
        asyncio.run(ask_with_timeout())
    except Exception as reason:  # noqa: BLE001 - whatever it is, it becomes the reason
        raise _no_scheduler(address, reason) from None


def _no_scheduler(address: str, reason: BaseException) -> InputError:
    return InputError(f"No Dask scheduler answers at {address}: {_one_line(reason)}.")


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """Start a cluster on this machine, one process per worker, and yield a client of it."""
    distributed = _import_distributed("A cluster of several workers")
    with (
        _silence_dask(),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _import_distributed(what: str) -> Any:
    """Return dask.distributed, or raise an error that says what needs it."""
    with needs(f"{what} needs dask", "dask"):
        import distributed
    return distributed


def _check_workers(client: Any, address: str) -> None:
    """Raise an error if workers are missing or have another homeroom.

    Dask itself warns of other versions of Python, NumPy and its own packages.
    """
    try:
        client.wait_for_workers(1, timeout=TIMEOUT)
    except TimeoutError:
        raise InputError(
            f"The Dask scheduler at {address} has no workers: start one with "
            f"'dask worker {address}'."
        ) from None
    check_workers(client)


@contextmanager
def _silence_dask() -> Iterator[None]:
    """Keep Dask's log messages off the screen; errors that matter are raised."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _one_line(reason: BaseException) -> str:
    return " ".join(str(reason).split()).rstrip(".") or type(reason).__name__
