"""What a page may send over its WebSocket, on a real server with small limits."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import uvicorn

from homeroom.live.access.connections import BoundedHttpProtocol, ConnectionLimits, bounded_protocol

ENOUGH = 30.0
"""Seconds after which something that should happen soon has not."""

LARGE = 16_000_000
"""Bytes that the buffers of the network do not take."""

UPGRADE = (
    b"Host: school\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)

TEXT, CONTINUED, PING, PONG = 1, 0, 9, 10


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer every text; on other paths, send without end, or much and then nothing more."""
    if scope["type"] != "websocket":
        await asyncio.sleep(0.05)
        await send({"type": "http.response.start", "status": 204})
        await send({"type": "http.response.body"})
        return
    await receive()
    await send({"type": "websocket.accept"})
    if scope["path"] == "/large":
        await send({"type": "websocket.send", "bytes": bytes(LARGE)})
        return
    while scope["path"] == "/endless":
        await send({"type": "websocket.send", "bytes": bytes(100_000)})
    while (await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": "pong"})


class Server:
    """A server in a thread."""

    def __init__(self, **limits: Any) -> None:
        self.protocol: type[BoundedHttpProtocol] = bounded_protocol(
            ConnectionLimits(**{"pause": 0.0, **limits})
        )
        config = uvicorn.Config(
            app,
            http=self.protocol,
            lifespan="off",
            log_level="error",
            ws="websockets-sansio",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._bound = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._server.run, args=([self._bound],))
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    @property
    def errors(self) -> dict[str, int]:
        return self.protocol.unfinished.errors.counts

    @property
    def open_sockets(self) -> int:
        return len(self.protocol.websocket_class.sockets)

    def connect(self) -> socket.socket:
        return socket.create_connection(self._bound.getsockname(), timeout=ENOUGH)

    def upgrade(self, path: str = "/") -> socket.socket:
        """Open a WebSocket."""
        connection = self.connect()
        connection.sendall(b"GET %b HTTP/1.1\r\n" % path.encode() + UPGRADE)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += connection.recv(1)
        assert head.startswith(b"HTTP/1.1 101 ")
        return connection

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._bound.close()


@pytest.fixture
def serve() -> Iterator[type[Server]]:
    """Start servers with their own limits."""
    running: list[Server] = []

    class Started(Server):
        def __init__(self, **limits: Any) -> None:
            super().__init__(**limits)
            running.append(self)

    yield Started
    for server in running:
        server.stop()


def frame(opcode: int, payload: bytes = b"", *, last: bool = True) -> bytes:
    """Return a frame with fewer than 126 bytes, masked with zeros."""
    return bytes((0x80 * last | opcode, 0x80 | len(payload), 0, 0, 0, 0)) + payload


def flooded(connection: socket.socket, data: bytes) -> int:
    """Send the same again and again until the server closes; return how many bytes it took."""
    sent = 0
    with connection, suppress(OSError):
        while sent < 100_000_000:
            connection.sendall(data)
            sent += len(data)
    return sent


def wait_until_closed(server: Server) -> None:
    until = time.monotonic() + ENOUGH
    while server.open_sockets:
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize(
    "sent",
    [
        frame(PING),
        frame(PING, b"x" * 125),
        frame(PONG),
        frame(TEXT, b"ping"),
        frame(TEXT, b"", last=False) + frame(CONTINUED, b"", last=False) * 1000,
    ],
    ids=["ping", "long ping", "pong", "text", "parts"],
)
def test_a_page_that_sends_without_end_is_closed(serve: type[Server], sent: bytes) -> None:
    server = serve()
    taken = flooded(server.upgrade(), sent * (60_000 // len(sent)))
    assert taken < 20_000_000  # what the buffers of the network take, and not 100 MB
    wait_until_closed(server)
    assert server.errors["flood"] == 1


def test_a_flood_is_not_parsed_and_counts_as_an_open_page_until_it_is_closed(
    serve: type[Server],
) -> None:
    server = serve(pause=0.6)
    began = time.monotonic()
    with server.upgrade() as connection:
        connection.sendall(frame(PING) * 1000)
        while not server.errors["flood"]:
            time.sleep(0.01)
        assert server.open_sockets == 1
        assert connection.recv(100) == b""  # no answers
    assert time.monotonic() - began >= 0.5  # timers may be a millisecond early
    wait_until_closed(server)


def test_an_ordinary_page_may_send_for_as_long_as_it_likes(serve: type[Server]) -> None:
    server = serve(socket_bytes=100, socket_seconds=0.2)
    with server.upgrade() as connection:
        for _ in range(15):
            connection.sendall(frame(TEXT, b"ping"))
            assert connection.recv(100).endswith(b"pong")
            time.sleep(0.05)
    assert not server.errors


def test_a_page_that_reads_nothing_is_closed(serve: type[Server]) -> None:
    server = serve(unread_seconds=0.2)
    with server.upgrade("/endless"):
        wait_until_closed(server)
    assert server.errors["unread"] == 1


def test_a_closed_page_that_does_not_read_the_rest_is_dropped(serve: type[Server]) -> None:
    server = serve(unread_seconds=ENOUGH, linger_seconds=0.2)
    with server.upgrade("/large"):
        wait_until_closed(server)


def test_invalid_text_is_closed_and_counted_but_not_printed(
    serve: type[Server], capfd: pytest.CaptureFixture[str]
) -> None:
    server = serve()
    with server.upgrade() as connection:
        connection.sendall(frame(TEXT, b"\xff"))
        assert connection.recv(100)[2:4] == (1007).to_bytes(2)
    wait_until_closed(server)
    assert server.errors["not text"] == 1
    assert capfd.readouterr().err == ""


def test_requests_whose_client_leaves_print_nothing(
    serve: type[Server], capfd: pytest.CaptureFixture[str]
) -> None:
    server = serve()
    get = b"GET / HTTP/1.1\r\nHost: school\r\n\r\n"
    for requests in (3, 40):
        for _ in range(10):
            with server.connect() as connection:
                connection.sendall(get * requests)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1" + bytes(7))
        with server.connect() as connection:  # after these
            connection.sendall(get)
            assert connection.recv(1000).startswith(b"HTTP/1.1 204 ")
    time.sleep(0.3)
    assert capfd.readouterr().err == ""


def test_a_websocket_must_wait_for_the_requests_before_it(serve: type[Server]) -> None:
    with serve().connect() as connection:
        get = b"GET / HTTP/1.1\r\n"
        connection.sendall(get + b"Host: school\r\n\r\n" + get + UPGRADE)
        assert connection.recv(1000) == b""
