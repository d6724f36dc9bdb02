"""The server is killed during a round: no acknowledged answer is lost, and the class continues."""

from __future__ import annotations

import random
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from homeroom.live.activities import catalogue, insects, leaves
from homeroom.live.classbook.state import State
from homeroom.live.events import Answered
from homeroom.live.live_class import item_key
from homeroom.live.store import open_store

STUDENTS = 6
LONGEST = 240.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """``homeroom serve`` in its own process, which can be killed and started again."""

    def __init__(self, place: Path) -> None:
        self.place, self.port, self.token = place, free_port(), ""
        self.base = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        code = "from homeroom.cli import main; main()"
        command = ["serve", "--database", str(self.place), "--port", str(self.port)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *command], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.token = "".join(re.findall(r"token=(\S+)", line)) or self.token
            if line.startswith("Stop"):
                return
        raise AssertionError("the server did not start")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Pupil(threading.Thread):
    """A student's page: answers, and sends an answer again until it is acknowledged."""

    def __init__(self, base: str, code: str, number: int) -> None:
        super().__init__(daemon=True)
        self.browser = httpx.Client(base_url=base, headers={"origin": base}, timeout=60)
        body = {"code": code, "nickname": f"student {number}"}
        self.id = self.browser.post("/api/join", json=body).raise_for_status().json()["student"]
        self.rng = random.Random(number)
        self.acknowledged: list[tuple[str, int, str, int]] = []
        self.round, self.enough = 0, threading.Event()

    def run(self) -> None:
        while not self.enough.is_set():
            try:
                view = self.browser.get("/api/me").raise_for_status().json()
                self.round = view["round"]
                if view["item"] is not None:
                    self.answer(view["round"], view["item"])
                time.sleep(0.02)
            except httpx.TransportError:
                time.sleep(0.05)  # the server is away
        self.browser.close()

    def answer(self, number: int, asked: dict[str, Any]) -> None:
        time.sleep(self.rng.uniform(0.0, 0.15))
        item, value = asked["id"], self.rng.choice(asked["options"])["value"]
        body = {"round": number, "item": item, "answer": value}
        while not self.enough.is_set():
            try:
                response = self.browser.post("/api/answers", json=body)
                break
            except httpx.TransportError:
                time.sleep(0.05)
        else:
            return
        assert response.json()["version"], response.text
        self.acknowledged.append((self.id, number, item, value))


def begin_lesson(
    server: Server, students: int, activity: str = insects.ID
) -> tuple[str, list[Pupil]]:
    """Create a class, let students join, and begin; return the class and its students."""
    head = {"origin": server.base}
    with httpx.Client(base_url=server.base, headers=head, timeout=60) as teacher:
        first = {"password": "correct horse", "setup_token": server.token}
        teacher.post("/api/teacher/first", json=first).raise_for_status()
        wish = {"name": "5b", "activity": activity, "goal": 1e-4}
        made = teacher.post("/api/classes", json=wish).json()
        pupils = [Pupil(server.base, made["code"], number) for number in range(students)]
        teacher.post(f"/api/classes/{made['class']}/phase", json={"phase": "teach"})
    return made["class"], pupils


def wait_for_round(pupils: list[Pupil], number: int) -> None:
    until = time.monotonic() + LONGEST
    while min(pupil.round for pupil in pupils) < number:
        assert time.monotonic() < until, f"the class stands still before round {number}"
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("kills", "activity"), [(2, insects.ID), (10, leaves.ID)])
def test_a_class_survives_the_server_being_killed(
    tmp_path: Path, kills: int, activity: str
) -> None:
    server, rng = Server(tmp_path / "class.db"), random.Random(kills)
    server.start()
    try:
        class_id, pupils = begin_lesson(server, STUDENTS, activity)
        for pupil in pupils:
            pupil.start()
        for _ in range(kills):
            wait_for_round(pupils, min(pupil.round for pupil in pupils) + 2)
            time.sleep(rng.uniform(0.0, 0.15))
            server.kill()
            server.start()  # no other request comes
        wait_for_round(pupils, min(pupil.round for pupil in pupils) + 2)
        for pupil in pupils:
            pupil.enough.set()
            pupil.join()
    finally:
        server.kill()
    check(server.place, class_id, pupils, activity)


def check(place: Path, class_id: str, pupils: list[Pupil], activity: str) -> None:
    """Assert that every acknowledged answer is in the log once, and in the class state."""
    with open_store(str(place)) as store:
        events = [stored.event for stored in store.events(class_id)]
        key = item_key(store, class_id)  # the students know items by their codes
    kept = Counter((e.student, e.round, e.item) for e in events if isinstance(e, Answered))
    body = {(e.student, e.round, e.item): e.answer for e in events if isinstance(e, Answered)}
    acknowledged = [one for pupil in pupils for one in pupil.acknowledged]
    assert len(acknowledged) > STUDENTS
    assert set(kept.values()) == {1}
    state = State.begin(catalogue.BUILT_IN[activity](), key).after_all(events)
    for student, number, code, value in acknowledged:
        item = state.codes.item_of[code]
        assert body[student, number, item] == value
        assert state.has_answer(student, number, item)
