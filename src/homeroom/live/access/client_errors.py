"""What clients did wrong, counted: a line in the log for each would let anyone fill the disk."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable

log = logging.getLogger("homeroom.live")

REPORT_SECONDS = 60.0
"""Seconds between two lines in the log."""


class ClientErrors:
    """Counts errors of clients, and writes the counts to the log, at most once per minute.

    Parameters
    ----------
    clock
        Returns the time in seconds.

    Attributes
    ----------
    counts
        The number of errors since the start, by kind.

    Examples
    --------
    >>> errors = ClientErrors()
    >>> errors.count("flood")
    >>> errors.counts["flood"]
    1
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.counts: Counter[str] = Counter()
        self._clock = clock
        self._next = clock() + REPORT_SECONDS

    def count(self, kind: str) -> None:
        """Count an error."""
        self.counts[kind] += 1
        if self._clock() >= self._next:
            self._next = self._clock() + REPORT_SECONDS
            all_kinds = ", ".join(f"{kind} {count}" for kind, count in self.counts.most_common())
            log.warning(
                "Connections closed because of their clients, since the start: %s", all_kinds
            )
