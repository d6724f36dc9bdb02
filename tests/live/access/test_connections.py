"""What a connection may do before its request is complete, on a real server with small limits."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
import uvicorn

from homeroom.live.access.connections import (
    SLACK,
    SWEEP_SECONDS,
    BoundedHttpProtocol,
    ConnectionLimits,
    bounded_protocol,
)
from homeroom.live.access.middleware import BODY_BYTES

GET = b"GET / HTTP/1.1\r\nHost: school\r\n\r\n"
BEGUN = b"GET / HTTP/1.1\r\nHost: school\r\n"
POST = b"POST / HTTP/1.1\r\nHost: school\r\n"
ENOUGH = 30.0
"""Seconds after which something that should happen soon has not."""


async def count_body(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the length of the body; at once, if the path is ``/at-once``."""
    if scope["type"] != "http":
        return
    length, more = 0, scope["path"] != "/at-once"
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length += len(message["body"])
        more = message["more_body"]
    body = str(length).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Server:
    """A server in a thread."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.protocol: type[BoundedHttpProtocol] = bounded_protocol(limits)
        config = uvicorn.Config(
            count_body, http=self.protocol, lifespan="off", log_level="critical"
        )
        self._server = uvicorn.Server(config)
        self._bound = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._server.run, args=([self._bound],))
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def connect(self, sent: bytes = b"") -> socket.socket:
        """Open a connection, and send something."""
        connection = socket.create_connection(self._bound.getsockname(), timeout=ENOUGH)
        connection.sendall(sent)
        return connection

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._bound.close()


Serve = Callable[..., Server]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers with their own limits."""
    running: list[Server] = []

    def start(**limits: Any) -> Server:
        running.append(Server(ConnectionLimits(**{"pause": 0.0, **limits})))
        return running[-1]

    yield start
    for server in running:
        server.stop()


def rest(connection: socket.socket) -> bytes:
    """Return everything that is received until the server closes the connection."""
    received = b""
    with closing(connection):
        try:
            while data := connection.recv(65536):
                received += data
        except ConnectionError:
            pass  # it was closed while we were still sending
    return received


def flooded(connection: socket.socket, data: bytes) -> int:
    """Send the same again and again until the server closes; return how many bytes it took."""
    sent = 0
    try:
        while sent < 100_000_000:
            connection.sendall(data)
            sent += len(data)
    except OSError:
        pass
    connection.close()
    return sent


def answered(server: Server) -> bool:
    """Return whether the server answers a complete request."""
    return first(server.connect(GET)).startswith(b"HTTP/1.1 200 OK")


def first(connection: socket.socket) -> bytes:
    """Return what is received first, and close the connection."""
    with closing(connection):
        return connection.recv(1000)


@pytest.mark.parametrize(
    "begin",
    [
        b"GET / HTTP/1.1\r\nX-Long: ",
        b"GET /",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: ",
    ],
    ids=["header", "address", "chunk extension", "trailer"],
)
def test_an_endless_request_is_cut_off(serve: Serve, begin: bytes) -> None:
    server = serve()
    taken = flooded(server.connect(begin), b"a" * 65536)
    assert taken < 20_000_000  # what the buffers of the network take, and not 100 MB
    assert answered(server)


def test_complete_headers_that_are_too_large_are_refused(serve: Serve) -> None:
    server = serve(head_bytes=1000)
    assert b" 200 OK" in first(server.connect(BEGUN + b"X: " + b"a" * 900 + b"\r\n\r\n"))
    refused = rest(server.connect(BEGUN + b"X: " + b"a" * 1100 + b"\r\n\r\n"))
    assert refused.startswith(b"HTTP/1.1 431 ")
    assert refused.endswith(b"The headers of this request are too large.")
    many = BEGUN + b"".join(b"X-%d: 1\r\n" % number for number in range(200))
    assert rest(server.connect(many)).startswith(b"HTTP/1.1 431 ")


def test_lines_without_a_request_are_cut_off(serve: Serve) -> None:
    server = serve(head_bytes=1000)
    rest(server.connect(b"\r\n" * 1000))
    assert answered(server)


def test_lines_after_a_request_do_not_keep_a_connection_open(serve: Serve) -> None:
    """An empty line stops uvicorn's own timer without beginning a request."""
    server = serve(head_seconds=0.2)
    connection = server.connect(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    assert connection.recv(4096).startswith(b"HTTP/1.1 ")
    connection.sendall(b"\r\n")
    rest(connection)
    assert len(server.protocol.unfinished) == 0


@pytest.mark.parametrize("sent", [b"", b"G", BEGUN, POST + b"Content-Length: 9\r\n\r\n1"])
def test_a_request_that_never_completes_is_dropped(serve: Serve, sent: bytes) -> None:
    server = serve(head_seconds=0.2, body_seconds=0.2)
    received = rest(server.connect(sent))
    assert received == b"" if not sent else received.startswith(b"HTTP/1.1 408 ")
    assert len(server.protocol.unfinished) == 0


def test_a_request_that_arrives_too_slowly_is_dropped(serve: Serve) -> None:
    server = serve(head_seconds=0.5)
    connection = server.connect(BEGUN)
    began = time.monotonic()
    while time.monotonic() < began + ENOUGH:
        try:
            connection.sendall(b"X: 1\r\n")
        except OSError:
            break
        time.sleep(0.05)
    connection.close()
    assert time.monotonic() < began + ENOUGH


def test_a_large_body_may_take_long(serve: Serve) -> None:
    """The rate is limited, not the duration."""
    server = serve(body_seconds=0.1, body_rate=1000)
    large = b"POST /api/classes HTTP/1.1\r\nHost: school\r\n"
    connection = server.connect(large + b"Content-Length: 900000\r\n\r\n")
    for _ in range(9):
        connection.sendall(b"a" * 100_000)
        time.sleep(0.1)
    assert first(connection).endswith(b"900000")


def test_the_slowest_unfinished_request_of_an_address_is_dropped_first(serve: Serve) -> None:
    server = serve(per_address=3, grace=0.0)
    connections = []
    for _ in range(5):
        connections.append(server.connect(BEGUN))
        time.sleep(0.02)
    for old in connections[:2]:
        assert rest(old).startswith(b"HTTP/1.1 408 ")
    for new in connections[2:]:
        new.sendall(b"\r\n")
        assert first(new).startswith(b"HTTP/1.1 200 OK")


def test_complete_requests_of_an_address_are_not_limited(serve: Serve) -> None:
    """A school shares one address: pages keep their connections between two requests."""
    server = serve(per_address=3, grace=0.0)
    connections = []
    for _ in range(20):
        connections.append(server.connect(GET))
        assert connections[-1].recv(1000).startswith(b"HTTP/1.1 200 OK")
    for connection in connections:
        connection.sendall(GET)
        assert first(connection).startswith(b"HTTP/1.1 200 OK")


def test_many_requests_may_begin_at_the_same_instant(serve: Serve) -> None:
    """As a school does at the beginning of a round."""
    server = serve(per_address=3, grace=60.0)
    connections = [server.connect(BEGUN) for _ in range(100)]
    time.sleep(2 * SWEEP_SECONDS)
    for connection in connections:
        connection.sendall(b"\r\n")
        assert first(connection).startswith(b"HTTP/1.1 200 OK")


def test_complete_requests_are_answered_beside_unfinished_ones(serve: Serve) -> None:
    server = serve(per_address=3, grace=0.0)
    attackers = [server.connect(BEGUN) for _ in range(30)]
    assert all(answered(server) for _ in range(10))
    for attacker in attackers:
        attacker.close()


@pytest.mark.parametrize("proxies", [{"127.0.0.1"}, {"127.0.0.0/8", "localhost"}, {"*"}])
def test_a_proxy_is_not_limited_as_one_address(serve: Serve, proxies: set[str]) -> None:
    server = serve(per_address=3, grace=0.0, total=10, proxies=frozenset(proxies))
    connections = [server.connect(BEGUN) for _ in range(8)]
    time.sleep(2 * SWEEP_SECONDS)
    for connection in connections:
        connection.sendall(b"\r\n")
        assert first(connection).startswith(b"HTTP/1.1 200 OK")


def test_unfinished_requests_are_limited_in_total(serve: Serve) -> None:
    server = serve(total=4, proxies=frozenset({"127.0.0.1"}))
    connections = [server.connect(BEGUN) for _ in range(20)]
    assert answered(server)
    assert len(server.protocol.unfinished) <= 4
    for connection in connections:
        connection.close()


def test_a_body_that_is_too_large_is_cut_off_even_after_the_answer(serve: Serve) -> None:
    head = b"POST /at-once HTTP/1.1\r\nHost: school\r\nContent-Length: 90000000\r\n\r\n"
    connection = serve().connect(head)
    assert connection.recv(1000).startswith(b"HTTP/1.1 200 OK")
    assert flooded(connection, b"a" * 65536) < BODY_BYTES + SLACK + 20_000_000


def test_many_requests_at_once_on_one_connection_are_refused(serve: Serve) -> None:
    server = serve(pipelined=3)
    received = rest(server.connect(50 * GET))
    assert received.count(b" 200 OK") <= 4
    assert answered(server)


def test_a_connection_that_exceeds_a_limit_is_closed_after_a_pause(serve: Serve) -> None:
    server = serve(head_bytes=1000, pause=0.6, paused=1)  # timers may be a millisecond early
    began = time.monotonic()
    held = server.connect(BEGUN + b"X: " + b"a" * 2000)
    assert held.recv(1000).startswith(b"HTTP/1.1 431 ")
    at_once = rest(server.connect(BEGUN + b"X: " + b"a" * 2000))
    assert at_once.startswith(b"HTTP/1.1 431 ")
    rest(held)
    assert time.monotonic() - began >= 0.5
