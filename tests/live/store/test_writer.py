"""One thread writes, and takes along all that waits."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from homeroom.live.store.base import Job, Notice
from homeroom.live.store.writer import MOST, Writer, nobody

NO_CURSOR: Any = None


@dataclass
class Given:
    """A job that gives a number."""

    number: int

    def __call__(self, _: Any) -> int:
        return self.number


class Ledger:
    """A database that remembers how many jobs each transaction had; the first waits for a sign."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.begun, self.go = threading.Event(), threading.Event()
        self.told: list[Notice] = []

    def transact(self, jobs: Sequence[Job[Any]]) -> list[Any]:
        self.begun.set()
        self.go.wait(60)
        given = [job(NO_CURSOR) for job in jobs]
        self.sizes.append(len(jobs))
        return given

    def tell(self, notices: Sequence[Notice]) -> None:
        self.told += notices


def test_what_waits_while_a_commit_is_under_way_goes_into_the_next() -> None:
    ledger = Ledger()
    writer = Writer(ledger.transact, ledger.tell)
    first = writer.put(lambda _: 0, nobody)
    assert ledger.begun.wait(60)
    rest = [writer.put(Given(number), nobody) for number in range(1, 100)]
    ledger.go.set()
    assert [future.result(60) for future in (first, *rest)] == list(range(100))
    writer.close()
    assert ledger.sizes == [1, 99]


def test_a_transaction_does_not_grow_without_bound() -> None:
    ledger = Ledger()
    writer = Writer(ledger.transact, ledger.tell)
    futures = [writer.put(lambda _: None, nobody) for _ in range(2 * MOST + 5)]
    ledger.go.set()
    writer.close()
    assert all(future.done() for future in futures)
    assert max(ledger.sizes) <= MOST


def test_a_job_that_fails_fails_alone() -> None:
    def fails(_: Any) -> None:
        raise ValueError("not this one")

    ledger = Ledger()
    writer = Writer(ledger.transact, ledger.tell)
    jobs: list[Job[Any]] = [lambda _: "before", fails, lambda _: "after"]
    futures = [writer.put(job, lambda given: [Notice(given, 1)]) for job in jobs]
    ledger.go.set()
    writer.close()
    assert (futures[0].result(), futures[2].result()) == ("before", "after")
    with pytest.raises(ValueError, match="not this one"):
        futures[1].result()
    assert ledger.told == [Notice("before", 1), Notice("after", 1)]


def test_closing_twice_is_closing_once() -> None:
    ledger = Ledger()
    ledger.go.set()
    writer = Writer(ledger.transact, ledger.tell)
    writer.close()
    writer.close()
    with pytest.raises(RuntimeError, match="The store is closed"):
        writer.put(lambda _: None, nobody)
