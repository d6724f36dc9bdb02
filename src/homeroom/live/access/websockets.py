"""Limits on WebSockets: how much a page may send, and for how long it may leave views unread.

uvicorn alone parses whatever arrives and answers each PING at once, whether the answers are read or
not, so that one connection can occupy the whole server and its memory.
"""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode

from homeroom.live.access.client_errors import ClientErrors

SWEEP_SECONDS = 1.0
"""Seconds between two checks for connections that are not read."""


class SocketLimits(Protocol):
    """The limits of a WebSocket: fields of :class:`~.connections.ConnectionLimits`."""

    @property
    def socket_bytes(self) -> int: ...
    @property
    def socket_seconds(self) -> float: ...
    @property
    def unread_seconds(self) -> float: ...
    @property
    def linger_seconds(self) -> float: ...


class LaterClosing(Protocol):
    """Closes connections that broke a limit: :class:`~.connections.UnfinishedRequests`."""

    def close_later(self, connection: Any) -> None: ...


class OpenSockets:
    """The WebSockets of one server. Used in the event loop only.

    Parameters
    ----------
    limits
        The limits.
    closing
        Closes those that broke a limit.
    errors
        Counts what clients did wrong.
    """

    def __init__(self, limits: SocketLimits, closing: LaterClosing, errors: ClientErrors) -> None:
        self.limits, self.closing, self.errors = limits, closing, errors
        self._open: set[BoundedWebSocketProtocol] = set()
        self._sweeping = False

    def __len__(self) -> int:
        return len(self._open)

    def add(self, connection: BoundedWebSocketProtocol) -> None:
        """Add a connection, which is watched until it is closed."""
        self._open.add(connection)
        if not self._sweeping:
            self._sweeping = True
            connection.loop.call_later(SWEEP_SECONDS, self._sweep, connection.loop)

    def discard(self, connection: BoundedWebSocketProtocol) -> None:
        """Remove a connection that is closed."""
        self._open.discard(connection)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """Drop connections that were not read for too long, and schedule the next check."""
        now = loop.time()
        for connection in tuple(self._open):
            if connection.unread(now):
                self.errors.count("unread")
                connection.transport.abort()
        self._sweeping = bool(self._open)
        if self._sweeping:
            loop.call_later(SWEEP_SECONDS, self._sweep, loop)


class BoundedWebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol with limits. Each server has its own subclass.

    Bytes are counted before they are parsed. Each frame has at least six, so this bounds the number
    of frames as well, and with it the answers to PINGs.

    Attributes
    ----------
    sockets
        The WebSockets of the server.
    """

    sockets: OpenSockets

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._limits = self.sockets.limits
        self._requested = self._refused = False
        self._since, self._bytes = self.loop.time(), 0  # what arrived in the present interval
        self._full_since: float | None = None  # when the write buffer became full
        self._closing_since: float | None = None

    # Callbacks of asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.sockets.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.sockets.discard(self)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        self._full_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._full_since = None
        if not self._refused:
            super().resume_writing()

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if not self._requested:  # the request, which is complete and within its own limits
            self._requested = True
        elif self._exceeds(len(data)):
            self._refuse()
            return
        super().data_received(data)

    def send_receive_event_to_app(self) -> None:
        """Give a message to the application, unless it is not text: then close."""
        if self.curr_msg_data_type == "text" and not _is_text(b"".join(self.frames)):
            self.frames = []
            self.sockets.errors.count("not text")
            self.conn.fail(CloseCode.INVALID_DATA)
            self.handle_parser_exception()
            return
        super().send_receive_event_to_app()

    def _exceeds(self, arrived: int) -> bool:
        """Return whether too many bytes have arrived in the present interval."""
        now = self.loop.time()
        if now - self._since > self._limits.socket_seconds:
            self._since, self._bytes = now, 0
        self._bytes += arrived
        return self._bytes > self._limits.socket_bytes

    def _refuse(self) -> None:
        """Read and write nothing more, and close after a pause.

        Until then the page counts as open, so that the same student cannot open many.
        """
        self._refused = True
        self.sockets.errors.count("flood")
        self.writable.clear()  # the application waits, until the connection is lost
        self.transport.pause_reading()
        self.sockets.closing.close_later(self)

    def unread(self, now: float) -> bool:
        """Return whether the client has left for too long what it was sent, or the end, unread."""
        if self._closing_since is None and self.transport.is_closing():
            self._closing_since = now
        full, closing = self._full_since, self._closing_since
        return (full is not None and now - full > self._limits.unread_seconds) or (
            closing is not None and now - closing > self._limits.linger_seconds
        )


def _is_text(data: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
