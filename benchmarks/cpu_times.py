"""The tests that need the most processor time: ``python -m pytest -n 0 -p benchmarks.cpu_times``.

Unlike ``--durations``, this does not depend on what else the machine does. Child processes count
for the test during which they end; what a session shares ends with its last test.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

LONGEST = 30
_seconds: dict[str, float] = {}


def _now() -> float:
    """Return the user and system seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Add up what a test takes with its set-up and teardown."""
    before = _now()
    try:
        return (yield)
    finally:
        _seconds[item.nodeid] = _now() - before


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the longest."""
    total = sum(_seconds.values())
    terminalreporter.section(f"processor time: {total:.0f} s for {len(_seconds)} tests")
    for name, seconds in sorted(_seconds.items(), key=lambda one: -one[1])[:LONGEST]:
        terminalreporter.write_line(f"{seconds:6.1f} s  {name}")
