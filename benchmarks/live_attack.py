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
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
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


LOG_BYTES = 100_000
"""The most that the server may write to its log during the turns of an attack."""


@dataclass
class Compared:
    """What was measured without an attacker (first) and with one (second), in all turns."""

    acknowledged: list[int] = field(default_factory=lambda: [0, 0])
    cpu_seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    log_bytes: int = 0
    memory_bytes: int = 0

    @property
    def kept(self) -> float:
        """The fraction of the acknowledgements that remained."""
        return self.acknowledged[1] / max(self.acknowledged[0], 1)


def lines() -> Iterator[Line]:
    """Measure every attack."""
    for name in attackers.ATTACKS:
        found = asyncio.run(compared(name))
        alone, attacked = found.acknowledged
        measured = TURNS * SECONDS
        yield Line(
            f"one acknowledgement every: {name}",
            measured / max(attacked, 1),
            "without an attacker",
            measured / max(alone, 1),
            1 / KEPT,
        )
        before, during = (seconds / measured for seconds in found.cpu_seconds)
        yield Line(f"server's CPU time per second: {name}", during, "without an attacker", before)
        yield Line(f"bytes in the log: {name}", found.log_bytes, "allowed", LOG_BYTES, 1.0, unit="")


async def compared(name: str) -> Compared:
    """Return what was measured without an attacker, and with one."""
    found = Compared()
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("wb") as log:
        with serving(Path(folder) / "class.db", log=log) as server:
            host, port, token, *_ = server
            teacher = Caller(host, port)
            first = {"password": "a password", "setup_token": token}
            await teacher.post("/api/teacher/first", first)
            target = await _target(teacher)
            for _ in range(TURNS):
                for attacked in (False, True):
                    async with _class(teacher) as acknowledged:
                        attacking = _attacker(name, target) if attacked else nullcontext()
                        async with attacking:
                            await _measure(found, attacked, acknowledged, server.pid)
            found.memory_bytes = _memory(server.pid)
            teacher.close()
            await asyncio.sleep(0)  # lets the transports close
        found.log_bytes = log.seek(0, os.SEEK_END)
    return found


async def _target(teacher: Caller) -> attackers.Target:
    """Return what an attacker knows: a projector, and a student, of another class."""
    made = await teacher.post("/api/classes", {"name": "6a", "activity": "insects"})
    student = Caller(teacher.host, teacher.port)
    await student.post("/api/join", {"code": made["code"], "nickname": "attacker"})
    student.close()
    return attackers.Target(teacher.host, teacher.port, made["class"], student.cookie)


async def _measure(found: Compared, attacked: bool, acknowledged: list[float], server: int) -> None:
    """Count the answers that are acknowledged in a turn, from one second on."""
    await asyncio.sleep(1.0)
    before, worked = len(acknowledged), _cpu_seconds(server)
    await asyncio.sleep(SECONDS)
    found.acknowledged[attacked] += len(acknowledged) - before
    found.cpu_seconds[attacked] += _cpu_seconds(server) - worked


def _cpu_seconds(process: int) -> float:
    """Return the CPU time of a process so far; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(process: int) -> int:
    """Return the largest memory of a process so far; 0 where the system does not say."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


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
async def _attacker(name: str, target: attackers.Target) -> AsyncIterator[None]:
    """Run an attacker in a separate process."""
    known = (target.host, str(target.port), target.board, target.cookie)
    command = (sys.executable, attackers.__file__, name, *known)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    await process.stdout.readline()  # it takes a while to start
    try:
        yield
    finally:
        process.kill()
        await process.wait()
