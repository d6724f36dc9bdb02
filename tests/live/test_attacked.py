"""A class continues while an attacker at the same address keeps the server busy."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks import live_attack
from benchmarks.attackers import ATTACKS
from tests.live.test_killed import Server, begin_lesson, wait_for_round

MEMORY_BYTES = 400_000_000
"""A server of a class needs half of this; the attackers send gigabytes."""


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path / "class.db")


@pytest.mark.slow
def test_answers_are_acknowledged_during_an_attack(
    server: Server,
) -> None:
    over = threading.Event()

    def flood() -> None:
        while not over.is_set():
            with suppress(OSError), socket.create_connection(("127.0.0.1", server.port)) as line:
                line.sendall(b"GET / HTTP/1.1\r\nX-Long: ")
                while not over.is_set():
                    line.sendall(b"a" * 65_536)

    def guess() -> None:
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            body = b'{"password": "a guess"}'
            head = (
                f"POST /api/teacher/sign-in HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                f"Origin: {server.base}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n"
            )
            with suppress(OSError):
                while not over.is_set():
                    line.sendall(head.encode() + body)
                    line.recv(10_000)

    server.start()
    attackers = [threading.Thread(target=work, daemon=True) for work in (flood, guess, guess)]
    try:
        _, pupils = begin_lesson(server, 3)
        for thread in (*attackers, *pupils):
            thread.start()
        wait_for_round(pupils, 4)
        for pupil in pupils:
            pupil.enough.set()
            pupil.join()
            assert len(pupil.acknowledged) >= 3
    finally:
        over.set()
        server.kill()


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attacker_leaves_a_class_its_acknowledgements(attack: str) -> None:
    """At least half of those per second, while other tests use the cores; 4 % without limits.

    On idle cores the limit is four fifths: ``python -m benchmarks live-attack``.
    """
    found = asyncio.run(live_attack.compared(attack))
    assert found.kept >= 0.5
    assert found.log_bytes <= live_attack.LOG_BYTES
    assert found.memory_bytes <= MEMORY_BYTES
