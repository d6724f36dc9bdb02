"""A class of 30 answers while an attacker at the same address keeps the server busy.

The same class is measured in turns without and with the attacker, so that other work of the machine
affects both alike. The server, the attacker and the class are three processes; the attacker has
a low priority, as its own work would be done by another machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks import attackers
from benchmarks.live import Caller, serving
from benchmarks.timing import Line

STUDENTS = 30
THINKING = 0.5
"""The most seconds that a student takes to answer."""

TURNS = int(os.environ.get("ATTACK_TURNS", "4"))
SECONDS = float(os.environ.get("ATTACK_SECONDS", "5"))
"""How often the class is measured with each attacker and without, and for how long each time."""

KEPT = 0.8
"""The smallest fraction of acknowledgements per second that must remain during an attack."""


def lines() -> Iterator[Line]:
    """Measure every attack."""
    for name in attackers.ATTACKS:
        alone, attacked = asyncio.run(compared(name))
        measured = TURNS * SECONDS
        yield Line(
            f"one acknowledgement every: {name}",
            measured / max(attacked, 1),
            "without an attacker",
            measured / max(alone, 1),
            1 / KEPT,
        )


async def compared(name: str) -> tuple[int, int]:
    """Return how many answers were acknowledged without an attacker, and with one."""
    counts = [0, 0]
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "class.db") as server:
        host, port, token, _ = server
        teacher = Caller(host, port)
        await teacher.post("/api/teacher/first", {"password": "a password", "setup_token": token})
        for _ in range(TURNS):
            for attacked in (False, True):
                async with _class(teacher) as acknowledged:
                    if attacked:
                        async with _attacker(name, host, port):
                            counts[1] += await _count(acknowledged)
                    else:
                        counts[0] += await _count(acknowledged)
        teacher.close()
        await asyncio.sleep(0)  # lets the transports close
    return counts[0], counts[1]


async def _count(acknowledged: list[float]) -> int:
    """Return how many answers are acknowledged in a turn, from one second on."""
    await asyncio.sleep(1.0)
    before = len(acknowledged)
    await asyncio.sleep(SECONDS)
    return len(acknowledged) - before


@asynccontextmanager
async def _class(teacher: Caller) -> AsyncIterator[list[float]]:
    """Give a class that answers, and the times at which its answers were acknowledged."""
    made = await teacher.post("/api/classes", {"name": "5b", "activity": "insects", "goal": 1e-4})
    acknowledged: list[float] = []
    callers = [Caller(teacher.host, teacher.port) for _ in range(STUDENTS)]
    for number, caller in enumerate(callers):
        await caller.post("/api/join", {"code": made["code"], "nickname": f"student {number}"})
    tasks = [asyncio.create_task(_student(caller, acknowledged)) for caller in callers]
    await teacher.post(f"/api/classes/{made['class']}/phase", {"phase": "teach"})
    try:
        yield acknowledged
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for caller in callers:
            caller.close()
        await teacher.post(f"/api/classes/{made['class']}/phase", {"phase": "done"})


async def _student(caller: Caller, acknowledged: list[float]) -> None:
    """Answer every example within half a second of seeing it."""
    done = 0
    async with caller.line() as line:
        async for text in line:
            view = json.loads(text)["view"]
            if view["item"] is None or view["round"] <= done:
                continue
            done = view["round"]
            await asyncio.sleep(random.uniform(0.0, THINKING))
            said = {"round": done, "item": view["item"]["id"], "answer": random.choice((1, -1))}
            await caller.post("/api/answers", said)
            acknowledged.append(time.perf_counter())


@asynccontextmanager
async def _attacker(name: str, host: str, port: int) -> AsyncIterator[None]:
    """Run an attacker in a separate process."""
    command = (sys.executable, attackers.__file__, name, host, str(port))
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    await process.stdout.readline()  # it takes a while to start
    try:
        yield
    finally:
        process.kill()
        await process.wait()
