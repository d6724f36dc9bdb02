"""One thread that writes, and puts everything that waits into one transaction (group commit).

A commit waits for the disk; while it does, further jobs gather, and the next commit takes them all.
So three hundred answers in the same instant cost a few commits, not three hundred.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from homeroom.live.store.base import Job, Notice

log = logging.getLogger(__name__)

MOST = 512
"""How many jobs go into one transaction at most."""


@dataclass(eq=False)
class Waiting:
    """A job and who waits for it."""

    job: Job[Any]
    notices: Callable[[Any], list[Notice]]
    done: Future[Any] = field(default_factory=Future)


class Writer:
    """The thread that does jobs, several in one transaction.

    Parameters
    ----------
    transact
        Does jobs in one transaction and returns what they gave once it is on the disk; raises and
        leaves nothing behind if one of them fails.
    tell
        Called after a commit with what changed.
    """

    def __init__(
        self,
        transact: Callable[[Sequence[Job[Any]]], list[Any]],
        tell: Callable[[Sequence[Notice]], None],
    ) -> None:
        self._transact = transact
        self._tell = tell
        self._queue: queue.SimpleQueue[Waiting | None] = queue.SimpleQueue()
        self._open = True
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="homeroom-writer", daemon=True)
        self._thread.start()

    def put(self, job: Job[Any], notices: Callable[[Any], list[Notice]]) -> Future[Any]:
        """Return what a job gives, as soon as it is on the disk."""
        waiting = Waiting(job, notices)
        # Whoever asked may go away, but what was asked for is done: it cannot be cancelled.
        waiting.done.set_running_or_notify_cancel()
        with self._lock:
            if not self._open:
                raise RuntimeError("The store is closed.")
            self._queue.put(waiting)
        return waiting.done

    def close(self) -> None:
        """Do what waits, and stop."""
        with self._lock:
            if not self._open:
                return
            self._open = False
            self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            batch, last = self._batch()
            if batch:
                self._commit(batch)
            if last:
                return

    def _batch(self) -> tuple[list[Waiting], bool]:
        """Return all jobs that wait by now, and whether they are the last."""
        batch: list[Waiting] = []
        one = self._queue.get()
        while one is not None:
            batch.append(one)
            if len(batch) == MOST:
                return batch, False
            try:
                one = self._queue.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit(self, batch: list[Waiting]) -> None:
        try:
            given = self._transact([waiting.job for waiting in batch])
        except Exception as why:  # noqa: BLE001 - whoever waits is told, whatever it was
            if len(batch) == 1:
                batch[0].done.set_exception(why)
                return
            for waiting in batch:  # one of them is to blame: each on its own
                self._commit([waiting])
            return
        notices = [
            notice
            for waiting, result in zip(batch, given, strict=True)
            for notice in waiting.notices(result)
        ]
        for waiting, result in zip(batch, given, strict=True):
            waiting.done.set_result(result)
        try:
            self._tell(notices)
        except Exception:  # a listener's fault is no reason to stop writing
            log.exception("A listener failed.")


def nobody(_given: Any) -> list[Notice]:
    """Return that nobody is to be told."""
    return []
