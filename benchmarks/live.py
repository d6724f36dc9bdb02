"""A class of 300 with five options on the loopback: every answer is acknowledged and counted once.

The server is a separate process; this process simulates the students' pages, on the same two
cores.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.timing import Line
from homeroom.live.activities import catalogue, leaves
from homeroom.live.classbook.state import State
from homeroom.live.events import Answered
from homeroom.live.live_class import item_key
from homeroom.live.store import open_store

STUDENTS = int(os.environ.get("LIVE_STUDENTS", "300"))
ROUNDS = int(os.environ.get("LIVE_ROUNDS", "30"))
ACTIVITY = os.environ.get("LIVE_ACTIVITY", leaves.ID)
"""What the class is taught: with five options per item by default."""

SECONDS = 3.0
"""All students answer within this many seconds of the start of a round."""

LONGEST = 300.0
"""Seconds after which the benchmark gives up."""


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "class.db"
        found = asyncio.run(asyncio.wait_for(_lesson(place), LONGEST))
        with open_store(str(place)) as store:
            class_id = store.classes()[0].id
            stored = [one.event for one in store.events(class_id)]
            key = item_key(store, class_id)  # students see the codes of items
    code_of = State.begin(catalogue.BUILT_IN[ACTIVITY](), key).codes.code_of
    kept = Counter((e.student, e.round, code_of[e.item]) for e in stored if isinstance(e, Answered))
    lost = sum(answer not in kept for answer in found.acknowledged)
    who = f"{STUDENTS} students, {ROUNDS} rounds, {ACTIVITY}"
    yield Line("the first page", found.first_page, "allowed", 2.0, 1.0)
    yield Line(f"acknowledged within, 95 % of {len(found.waits)}", found.slow(95), who, 0.1, 1.0)
    yield Line("acknowledged within, 99 %", found.slow(99), who, 0.1)
    yield Line("next example after the last answer, worst round", max(found.nexts), who, 0.5, 1.0)
    yield Line(
        "next example after the last answer, median", float(np.median(found.nexts)), who, 0.5, 1.0
    )
    missing = STUDENTS * ROUNDS - len(found.acknowledged)
    yield Line("answers not acknowledged", missing, who, 1.0, 0.0, unit="")
    yield Line("answers lost", lost, who, 1.0, 0.0, unit="")
    yield Line("answers counted twice", sum(kept.values()) - len(kept), who, 1.0, 0.0, unit="")
    yield Line("errors", len(found.errors), who, 1.0, 0.0, unit="")


@dataclass
class Found:
    """What was measured in a lesson."""

    first_page: float = 0.0
    waits: list[float] = field(default_factory=list)
    acknowledged: list[tuple[str, int, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    last_answer: dict[int, float] = field(default_factory=dict)
    seen: dict[int, list[float]] = field(default_factory=dict)

    def slow(self, percent: float) -> float:
        """Return the time within which this percentage was acknowledged."""
        return float(np.percentile(self.waits, percent))

    @property
    def nexts(self) -> list[float]:
        """How long after a round's last answer the last student saw the next example."""
        return [
            max(self.seen[number + 1]) - self.last_answer[number]
            for number in range(1, ROUNDS)
            if number + 1 in self.seen
        ]


async def _lesson(place: Path) -> Found:
    found = Found()
    with serving(place) as (host, port, token, began, _):
        teacher = Caller(host, port)
        await teacher.get("/")
        found.first_page = time.perf_counter() - began
        await teacher.post("/api/teacher/first", {"password": "a password", "setup_token": token})
        wish = {"name": "large", "activity": ACTIVITY, "goal": 1e-4}
        made = await teacher.post("/api/classes", wish)
        phones = [Phone(Caller(host, port), found) for _ in range(STUDENTS)]
        for start in range(0, STUDENTS, 20):
            some = phones[start : start + 20]
            await asyncio.gather(*(one.join(made["code"]) for one in some))
        tasks = [asyncio.create_task(phone.attend()) for phone in phones]
        board = asyncio.create_task(_watch(teacher, made["class"]))
        await teacher.post(f"/api/classes/{made['class']}/phase", {"phase": "teach"})
        await asyncio.gather(*tasks)
        board.cancel()
        for caller in (teacher, *(phone.caller for phone in phones)):
            caller.close()
    return found


async def _watch(teacher: Caller, class_id: str) -> None:
    """Act as the teacher's page, which gets the whole board five times per second."""
    async with teacher.line(f"?class={class_id}") as line:
        async for _ in line:
            pass


class Phone:
    """A student's page: it sees the item, answers within three seconds, and looks again."""

    def __init__(self, caller: Caller, found: Found) -> None:
        self.caller, self.found, self.student = caller, found, ""

    async def join(self, code: str) -> None:
        """Join the class."""
        name = f"student {id(self)}"
        self.student = (await self.caller.post("/api/join", {"code": code, "nickname": name}))[
            "student"
        ]

    async def attend(self) -> None:
        """Answer every round until the last."""
        done = 0
        async with self.caller.line() as line:
            async for text in line:
                view = json.loads(text)["view"]
                if view["item"] is None or view["round"] <= done:
                    if view["finished"]:
                        self.found.errors.append("the class was over too early")
                        return
                    continue
                done = view["round"]
                self.found.seen.setdefault(done, []).append(time.perf_counter())
                await asyncio.sleep(random.uniform(0.0, SECONDS))
                await self._answer(done, view["item"])
                if done == ROUNDS:
                    return

    async def _answer(self, number: int, asked: dict[str, Any]) -> None:
        item, chosen = asked["id"], random.choice(asked["options"])
        said = {"round": number, "item": item, "answer": chosen["value"]}
        began = time.perf_counter()
        try:
            await self.caller.post("/api/answers", said)
        except OSError as why:
            self.found.errors.append(str(why))
            return
        now = time.perf_counter()
        self.found.waits.append(now - began)
        self.found.acknowledged.append((self.student, number, item))
        self.found.last_answer[number] = max(began, self.found.last_answer.get(number, 0.0))
        await self.caller.get("/api/me")


class Caller:
    """A minimal browser: one connection for calls, one cookie, one WebSocket."""

    def __init__(self, host: str, port: int, *, source: str | None = None) -> None:
        self.host, self.port, self.cookie = host, port, ""
        self._source = None if source is None else (source, 0)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    def close(self) -> None:
        """Close the connection for calls."""
        if self._streams is not None:
            self._streams[1].close()

    async def get(self, path: str) -> Any:
        """Return the response of the server."""
        return await self._call("GET", path, b"")

    async def post(self, path: str, said: Any) -> Any:
        """Send a message, and return the response."""
        return await self._call("POST", path, json.dumps(said).encode())

    async def upload(self, path: str, said: dict[str, str], file: tuple[str, bytes]) -> Any:
        """Send a form with a file, and return the response."""
        part = "--form\r\nContent-Disposition: form-data; "
        parts = [f'{part}name="{name}"\r\n\r\n{text}\r\n' for name, text in said.items()]
        parts.append(f'{part}name="files"; filename="{file[0]}"\r\n\r\n')
        body = "".join(parts).encode() + file[1] + b"\r\n--form--\r\n"
        return await self._call("POST", path, body, "multipart/form-data; boundary=form")

    @asynccontextmanager
    async def line(self, query: str = "") -> AsyncIterator[ClientConnection]:
        """Yield the WebSocket."""
        address = f"ws://{self.host}:{self.port}/api/live{query}"
        origin: Any = f"http://{self.host}:{self.port}"
        async with connect(
            address,
            origin=origin,
            additional_headers={"Cookie": self.cookie},
            compression=None,
            max_size=None,
        ) as line:
            yield line

    async def _call(
        self, method: str, path: str, body: bytes, kind: str = "application/json"
    ) -> Any:
        if self._streams is None or self._streams[0].at_eof():  # closed after a long silence
            self.close()
            self._streams = await asyncio.open_connection(
                self.host, self.port, local_addr=self._source
            )
        reader, writer = self._streams
        here = f"{self.host}:{self.port}"
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: {here}\r\nOrigin: http://{here}\r\n"
            f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
            f"Cookie: {self.cookie}\r\n\r\n".encode()
            + body
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        text = await reader.readexactly(int(length.group(1)) if length else 0)
        cookie = re.search(r"set-cookie: ([^;]+)", head, re.IGNORECASE)
        self.cookie = cookie.group(1) if cookie else self.cookie
        if not head.startswith("HTTP/1.1 2"):
            raise OSError(f"{method} {path}: {head.splitlines()[0]} {text[:200]!r}")
        return json.loads(text) if "application/json" in head else text


class Serving(NamedTuple):
    """A server that runs: where, the token of the first password, when it began, its process."""

    host: str
    port: int
    token: str
    began: float
    pid: int


class serving:  # noqa: N801 - used as a function
    """A separate server, killed at the end; its log goes to ``log``, or where ours goes."""

    def __init__(self, place: Path, port: int = 0, *, log: BinaryIO | None = None) -> None:
        self._place, self._port, self._log = place, port, log

    def __enter__(self) -> Serving:
        began = time.perf_counter()
        code = "from homeroom.cli import main; main()"
        command = ["serve", "--database", str(self._place), "--port", str(self._port)]
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, *command],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        assert self._process.stdout is not None
        token = address = ""
        for line in self._process.stdout:
            address = address or "".join(re.findall(r"open at http://(\S+)", line))
            token = token or "".join(re.findall(r"token=(\S+)", line))
            if line.startswith("Stop"):
                break
        host, _, port = address.rpartition(":")
        return Serving(host, int(port), token, began, self._process.pid)

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
