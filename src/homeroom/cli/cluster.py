"""Dask clusters: one that runs already, or one that is started on this machine for a while."""

from __future__ import annotations

import asyncio
import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom.classroom.runners.on_dask import check_workers

TIMEOUT = 5.0
"""Seconds after which a scheduler that does not answer, or has no workers, is given up."""

MATTERS = ("python", "dask", "distributed", "numpy", "pyarrow")
"""What should be the same everywhere, apart from homeroom, which must be."""


def has_dask() -> bool:
    """Tell whether Dask's clusters are installed."""
    try:
        return find_spec("distributed") is not None
    except ValueError:  # what is known as missing
        return False


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # pragma: no cover - where the system does not tell


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Give a client of the scheduler at this address, once its workers can do our work."""
    distributed = _distributed("A Dask scheduler")
    with _quiet():
        _check_scheduler(distributed, address)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its versions: said in a sentence of our own
            try:
                client = distributed.Client(address, timeout=TIMEOUT, set_as_default=False)
            except OSError as reason:  # it answered a moment ago
                raise _no_scheduler(address, reason) from None
        with client:
            _check_workers(client, address)
            yield client


def _check_scheduler(distributed: Any, address: str) -> None:
    """Refuse an address where no scheduler answers, before a client is made for it.

    A client waits forever where something else than a scheduler listens and says nothing. One
    that fails stays half made until it is collected, and if that happens while another starts,
    both wait for one lock.
    """

    async def ask() -> None:
        safety = distributed.Security().get_connection_args("client")
        async with distributed.rpc(address, timeout=TIMEOUT, connection_args=safety) as there:
            kind = (await there.identity())["type"]
        if kind != "Scheduler":
            raise InputError(f"it is a {kind.lower()}")

    async def ask_for_a_while() -> None:
        try:
            await asyncio.wait_for(ask(), 2 * TIMEOUT)
        except TimeoutError:
            raise TimeoutError(f"it says nothing for {2 * TIMEOUT:.0f} seconds") from None

    try:
        asyncio.run(ask_for_a_while())
    except Exception as reason:  # noqa: BLE001 - whatever it is, it goes into a sentence
        raise _no_scheduler(address, reason) from None


def _no_scheduler(address: str, reason: BaseException) -> InputError:
    return InputError(f"No Dask scheduler answers at {address}: {_line(reason)}.")


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """Start a cluster on this machine, a process for each worker, and give a client of it."""
    distributed = _distributed("A cluster of several workers")
    with (
        _quiet(),
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


def _distributed(what: str) -> Any:
    with needs(f"{what} needs dask", "dask"):
        import distributed
    return distributed


def _check_workers(client: Any, address: str) -> None:
    """Refuse workers that are missing or have another homeroom; tell what else differs."""
    try:
        client.wait_for_workers(1, timeout=TIMEOUT)
    except TimeoutError:
        raise InputError(
            f"The Dask scheduler at {address} has no workers: start one with "
            f"'dask worker {address}'."
        ) from None
    check_workers(client)
    _tell_differences(client.get_versions(check=False))


def _tell_differences(versions: dict[str, Any]) -> None:
    """Warn of other versions of what need not, but should be the same."""
    ours = versions["client"]["packages"]
    theirs = [versions["scheduler"], *versions["workers"].values()]
    for name in MATTERS:
        others = {str(each["packages"].get(name)) for each in theirs} - {str(ours.get(name))}
        if others:
            warnings.warn(
                f"The Dask cluster has {name} {', '.join(sorted(others))}, but here it is "
                f"{ours.get(name)}: that may fail, or round otherwise.",
                stacklevel=2,
            )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Dask logs off the screen: what matters is said in a sentence of our own."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _line(reason: BaseException) -> str:
    return " ".join(str(reason).split()).rstrip(".") or type(reason).__name__
