"""Limits on HTTP connections: how large, how slow and how many unfinished requests may be.

uvicorn alone waits for the end of a header without limit, and the cost of collecting it grows with
the square of its length, so that one connection can occupy the whole server. Connections that
become WebSockets have the limits of :mod:`homeroom.live.access.websockets` from then on.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from homeroom.live.access.client_errors import ClientErrors
from homeroom.live.access.middleware import body_limit
from homeroom.live.access.passwords import network
from homeroom.live.access.websockets import BoundedWebSocketProtocol, OpenSockets

SWEEP_SECONDS = 0.5
"""Seconds between two checks for requests that take too long."""

SLACK = 512 * 1024
"""Bytes beyond a body's limit that are read, so that the application can refuse it first."""

PER_BODY_BYTE = 8
"""Bytes of chunk sizes that may come with each byte of a body."""

TOO_EARLY = "A WebSocket begins when the requests before it are answered."
TOO_LARGE = "The headers of this request are too large."
TOO_LONG = "The body of this request is too large."
TOO_MANY = "Too many requests are unfinished: send this one again."
TOO_SLOW = "This request took too long to arrive."


@dataclass(frozen=True)
class ConnectionLimits:
    """Limits on a connection before its request is complete, and on a WebSocket.

    Parameters
    ----------
    head_bytes
        Bytes of a request's first line and headers together.
    head_seconds
        Seconds from the beginning of a request, or of a connection, to the end of the headers.
    body_seconds, body_rate
        Seconds that a body may take, and one more for each ``body_rate`` bytes received.
    per_address, grace
        Unfinished requests of one address that are older than ``grace`` seconds; the slowest are
        closed. Complete requests are not limited, nor many at the same instant: a school shares one
        address.
    total
        Unfinished requests of all addresses, of any age.
    pipelined
        Requests that may be sent on one connection before the first is answered; browsers send one.
    pause, paused
        Seconds for which a connection that broke a limit is kept, unread, before it is closed, so
        that a client which connects again at once is slowed down; and how many are kept so.
    socket_bytes, socket_seconds
        Bytes that a page may send over its WebSocket in this many seconds. A page sends 10 bytes
        every 20 seconds, and as many in answer to the server.
    unread_seconds, linger_seconds
        Seconds for which a page may leave its views unread, when more than a buffer of them waits;
        and seconds for which a closed connection waits until the rest is read.
    proxies
        Addresses and networks of proxies, which send the requests of many people: only ``total``
        holds for them. ``"*"`` stands for all addresses.
    """

    head_bytes: int = 32 * 1024
    head_seconds: float = 10.0
    body_seconds: float = 15.0
    body_rate: float = 16 * 1024
    per_address: int = 64
    grace: float = 2.0
    total: int = 2048
    pipelined: int = 4
    pause: float = 2.0
    paused: int = 256
    socket_bytes: int = 1000
    socket_seconds: float = 10.0
    unread_seconds: float = 30.0
    linger_seconds: float = 5.0
    proxies: frozenset[str] = frozenset()

    def trusts(self, address: str) -> bool:
        """Return whether an address, or the network that stands for it, is that of a proxy."""
        if "*" in self.proxies:
            return True
        try:
            own = ip_network(address, strict=False)
        except ValueError:  # a name, such as that of a test client
            return address in self.proxies
        return any(_holds(proxy, own) for proxy in self.proxies)


def _holds(proxy: str, own: IPv4Network | IPv6Network) -> bool:
    """Return whether a proxy's address or network contains, or lies in, a network."""
    try:
        known = ip_network(proxy, strict=False)
    except ValueError:
        return False
    return known.version == own.version and known.overlaps(own)


class UnfinishedRequests:
    """The connections whose request is not complete, of one server. Used in the event loop only.

    Parameters
    ----------
    limits
        The limits.

    Attributes
    ----------
    errors
        The number of connections that were closed because of their clients.
    """

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits, self.errors = limits, ClientErrors()
        # Dictionaries without values, as sets that keep their order; the first is by address.
        self._of: defaultdict[str, dict[BoundedHttpProtocol, None]] = defaultdict(dict)
        self._all: dict[BoundedHttpProtocol, None] = {}
        self._sweeping = False
        self._paused = 0

    def __contains__(self, connection: object) -> bool:
        return connection in self._all

    def __len__(self) -> int:
        return len(self._all)

    def add(self, connection: BoundedHttpProtocol) -> None:
        """Add a connection; the slowest one is closed for it if there are too many in all."""
        if connection in self._all:
            return
        if len(self._all) >= self.limits.total:
            _refuse_slowest(self._all, 1, connection.loop.time())
        self._of[connection.address][connection] = self._all[connection] = None
        if not self._sweeping:
            self._sweeping = True
            connection.loop.call_later(SWEEP_SECONDS, self._sweep, connection.loop)

    def discard(self, connection: BoundedHttpProtocol) -> None:
        """Remove a connection whose request is complete, or which is closed."""
        if self._all.pop(connection, connection) is None:
            same = self._of[connection.address]
            del same[connection]
            if not same:
                del self._of[connection.address]

    def close_later(self, connection: BoundedHttpProtocol | BoundedWebSocketProtocol) -> None:
        """Close a connection that broke a limit: after a pause, unless many wait for that."""
        if self._paused >= self.limits.paused:
            connection.transport.close()
            return

        def close() -> None:
            self._paused -= 1
            connection.transport.close()

        self._paused += 1
        connection.loop.call_later(self.limits.pause, close)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """Refuse requests that are too slow or too many, and schedule the next check."""
        now = loop.time()
        for connection in [one for one in self._all if one.overdue(now)]:
            connection.refuse(HTTPStatus.REQUEST_TIMEOUT, TOO_SLOW)
        for address, some in list(self._of.items()):
            if not self.limits.trusts(address):
                waited = [one for one in some if one.age(now) > self.limits.grace]
                _refuse_slowest(waited, len(waited) - self.limits.per_address, now)
        self._sweeping = bool(self._all)
        if self._sweeping:
            loop.call_later(SWEEP_SECONDS, self._sweep, loop)


def _refuse_slowest(some: Iterable[BoundedHttpProtocol], count: int, now: float) -> None:
    """Refuse the ``count`` requests that arrive at the lowest rates."""
    if count > 0:
        for connection in sorted(some, key=lambda one: one.rate(now))[:count]:
            connection.refuse(HTTPStatus.REQUEST_TIMEOUT, TOO_MANY)


class BoundedHttpProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol with :class:`ConnectionLimits`. Each server has its own subclass.

    Attributes
    ----------
    unfinished
        The connections of the server whose request is not complete.
    websocket_class
        The protocol of connections that become WebSockets, if the server has any.
    """

    unfinished: UnfinishedRequests
    websocket_class: type[BoundedWebSocketProtocol]

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        if self.ws_protocol_class is not None:
            self.ws_protocol_class = self.websocket_class
        self.address = ""
        self._cycles: list[RequestResponseCycle] = []  # not answered yet, the present one first
        self._limits = self.unfinished.limits
        self._in_head, self._refused = True, False
        self._began = self.loop.time()  # when the headers, or the body, began to arrive
        self._head_bytes = 0
        self._body_bytes = 0
        self._other_bytes = 0  # all bytes that are not of a body: headers, chunk sizes, trailers

    # Callbacks of asyncio and of the HTTP parser, in the order in which they are called.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = network(self.client[0]) if self.client else ""
        self.unfinished.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.unfinished.discard(self)
        self._disconnect()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if not self._unanswered() and self not in self.unfinished:
            # Any byte on an idle connection begins a request, even an empty line, which the parser
            # skips: uvicorn has just stopped its own timer.
            self._in_head, self._began = True, self.loop.time()
            self.unfinished.add(self)
        self._other_bytes += len(data)
        super().data_received(data)
        if self._other_bytes > self._limits.head_bytes + PER_BODY_BYTE * self._body_bytes:
            self.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, TOO_LARGE)

    def on_message_begin(self) -> None:
        if self._refused:
            return
        super().on_message_begin()
        if self not in self.unfinished:
            self._began = self.loop.time()
        self._in_head, self._head_bytes, self._body_bytes = True, 0, 0
        self.unfinished.add(self)

    def on_url(self, url: bytes) -> None:
        if self._refused:
            return
        self._head_bytes += len(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._refused:
            return
        self._head_bytes += len(name) + len(value)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._head_bytes > self._limits.head_bytes:
            self.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, TOO_LARGE)
        if self._refused:
            return
        self._in_head, self._began = False, self.loop.time()
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:  # unless it becomes a WebSocket
            self._cycles = [*self._unanswered(), self.cycle]
        if len(self.pipeline) > self._limits.pipelined:
            self.refuse(HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)

    def on_body(self, body: bytes) -> None:
        if self._refused:
            return
        self._other_bytes -= len(body)
        self._body_bytes += len(body)
        if self._body_bytes > body_limit(self.scope.get("path", "")) + SLACK:
            self.refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LONG)
        else:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if self._refused:
            return
        self._other_bytes = 0
        self.unfinished.discard(self)
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        if self._unanswered():
            self.refuse(HTTPStatus.BAD_REQUEST, TOO_EARLY)
        if self._refused:
            return
        self.unfinished.discard(self)
        super().handle_websocket_upgrade()

    def overdue(self, now: float) -> bool:
        """Return whether the request has taken too long so far."""
        if self.flow.read_paused:
            return False  # it is the application that has not caught up
        if self._in_head:
            return self.age(now) > self._limits.head_seconds
        longer = self._body_bytes / self._limits.body_rate
        return self.age(now) > self._limits.body_seconds + longer

    def age(self, now: float) -> float:
        """Return for how many seconds the headers, or the body, have been on their way."""
        return now - self._began

    def rate(self, now: float) -> float:
        """Return the bytes per second at which the request arrives; a new one counts as fast."""
        if self.flow.read_paused:
            return float("inf")
        return (self._body_bytes + 4096) / (self.age(now) + 0.05)

    def refuse(self, status: HTTPStatus, sentence: str) -> None:
        """Answer with a sentence if that is still possible, and close the connection."""
        if self._refused:
            return
        self._refused = True
        self.unfinished.errors.count(status.phrase)
        self.unfinished.discard(self)
        if self.transport.is_closing():
            return
        running = next(iter(self._unanswered()), None)
        too_late = running is not None and (self._in_head or running.response_started)
        silent = not self._other_bytes + self._body_bytes  # such as a browser's spare connection
        if not silent and not too_late:
            self._answer(status, sentence)
        self._disconnect()
        self.pipeline.clear()
        self._unset_keepalive_if_required()
        self.flow.pause_reading()
        if silent:
            self.transport.close()
        else:
            self.unfinished.close_later(self)

    def _unanswered(self) -> list[RequestResponseCycle]:
        """Return the requests that are not answered completely, the one in progress first."""
        return [one for one in self._cycles if not one.response_complete]

    def _disconnect(self) -> None:
        """Let all requests know that nobody waits for their answers.

        uvicorn does this for the last one only. The others would write to a closed connection,
        each with a traceback in the log.
        """
        for cycle in self._unanswered():
            cycle.disconnected = True
            cycle.message_event.set()

    def _answer(self, status: HTTPStatus, sentence: str) -> None:
        """Write a complete response with a sentence to the connection."""
        lines = (
            b"content-type: text/plain; charset=utf-8\r\n",
            b"content-length: %d\r\nconnection: close\r\n\r\n" % len(sentence),
        )
        self.transport.write(b"".join((STATUS_LINE[status], *lines, sentence.encode())))


def bounded_protocol(limits: ConnectionLimits = ConnectionLimits()) -> type[BoundedHttpProtocol]:
    """Return the protocol of one server, for the setting ``http`` of uvicorn."""
    unfinished = UnfinishedRequests(limits)
    sockets = OpenSockets(limits, unfinished, unfinished.errors)
    websocket = type("BoundedWebSocketProtocol", (BoundedWebSocketProtocol,), {"sockets": sockets})
    own = {"unfinished": unfinished, "websocket_class": websocket}
    return type("BoundedHttpProtocol", (BoundedHttpProtocol,), own)
