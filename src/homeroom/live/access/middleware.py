"""ASGI middleware: limits on request bodies, the origin check, and security headers."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from homeroom.live.refused import Refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_BYTES = 16_000
"""Bytes of a request that anyone may send: a code and a name, or an answer."""

INK_BYTES = 200_000
"""Bytes of a handwritten letter: a few thousand points."""

TEACHER_BYTES = 1_000_000
"""Bytes of an ordinary request of a teacher, whose session is checked before the body is read."""

ROSTER_BYTES = 20_000_000
"""Bytes of a class list: a school may have thousands of students, each in a dozen classes."""

UPLOAD_BYTES = 50_000_000
"""Bytes of an activity with its pictures."""

BACKUP_BYTES = 500_000_000
"""Bytes of a backup; it is written to the disk as it arrives."""

REFUSAL_SECONDS = 0.5
"""Seconds before a body that is too large, or a request of another site, is refused. So a client
that sends one after another does not occupy the server."""

LARGE_BODIES = {
    r"/api/activities": UPLOAD_BYTES,
    r"/api/classes/[^/]+/roster": ROSTER_BYTES,
    r"/api/restore": BACKUP_BYTES,
    r"/api/ink": INK_BYTES,
    r"/api/(activities|classes)(/.*)?": TEACHER_BYTES,
}
"""The requests that may be larger, by path; the first pattern that matches counts."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
"""The content security policy of the pages: no inline code, nothing from other servers."""

PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The policy of pictures: an SVG file that is opened by itself runs no scripts."""

# Without cross-origin-opener-policy: over plain http from another machine, as phones connect,
# browsers ignore it and print a warning on every page.
SECURITY_HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class BodySizeLimit:
    """Refuses a request whose body is larger than :func:`body_limit` allows for its path.

    It counts the bytes while they arrive, so no body over the limit is ever in memory as a whole.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = body_limit(scope["path"])
        declared, received, began = content_length(scope), 0, False

        async def receive_counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            # To the application, a body that is too large looks like a lost connection.
            return {"type": "http.disconnect"} if received > most else message

        async def send_unless_refused(message: Message) -> None:
            nonlocal began
            # Drop the application's response to a body that was cut off. A response that began
            # before is completed.
            if began or received <= most:
                began = True
                await send(message)

        if declared <= most:
            try:
                await self._app(scope, receive_counted, send_unless_refused)
            except ClientDisconnect:
                if began or received <= most:
                    raise
        if max(declared, received) > most and not began:
            await asyncio.sleep(REFUSAL_SECONDS)
            refused = Refused("too_large", most=most / 1e6)
            answer = JSONResponse(refused.problem, refused.status, {"connection": "close"})
            await answer(scope, receive, send)


def body_limit(path: str) -> int:
    """Return how many bytes the body of a request may have.

    >>> body_limit("/api/join"), body_limit("/api/classes/0123456789abcdef/phase")
    (16000, 1000000)
    """
    return next(
        (most for pattern, most in LARGE_BODIES.items() if re.fullmatch(pattern, path)), BODY_BYTES
    )


def content_length(scope: Scope) -> int:
    """Return the length that a request declares; 0 if it declares none."""
    length = dict(scope["headers"]).get(b"content-length", b"")
    return int(length[:20]) if length.isdigit() else 0  # int refuses thousands of digits


class OriginCheck:
    """Refuses WebSockets and requests that change something unless ``Origin`` is this server.

    Browsers send ``Origin`` with each of them, and a page cannot forge it.

    Parameters
    ----------
    app
        The application behind it.
    origin
        The public address of this server, such as https://school.example, if a proxy in front of
        it changes the ``Host`` header; ``None`` otherwise.
    """

    def __init__(self, app: ASGIApp, origin: str | None = None) -> None:
        self._app, self._origin = app, origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        checked = scope["type"] == "websocket" or (
            scope["type"] == "http" and scope["method"] not in SAFE_METHODS
        )
        if not checked or self._is_own(dict(scope["headers"])):
            await self._app(scope, receive, send)
            return
        await asyncio.sleep(REFUSAL_SECONDS)
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403, "reason": "another origin"})
        else:
            refused = Refused("foreign_page")
            await JSONResponse(refused.problem, refused.status)(scope, receive, send)

    def _is_own(self, headers: dict[bytes, bytes]) -> bool:
        """Return whether the ``Origin`` of a request is this server."""
        origin = headers.get(b"origin", b"").decode("latin-1")
        if self._origin is not None and origin == self._origin:
            return True
        host = headers.get(b"host", b"").decode("latin-1")
        return bool(host) and origin_host(origin) == host.lower()


def origin_host(origin: str) -> str | None:
    """Return the host of an ``Origin`` header, with the port if one is given.

    >>> origin_host("http://127.0.0.1:8000"), origin_host("null")
    ('127.0.0.1:8000', None)
    """
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") and parts.netloc else None


class SecurityHeaders:
    """Adds the security headers that an answer does not set itself.

    Browsers and proxies must not cache answers of the API unless the route permits it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        wanted = dict(SECURITY_HEADERS)
        if scope["path"].startswith("/api"):
            wanted["cache-control"] = "no-store"

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.get("headers", ())
                present = {name.lower() for name, _ in headers}
                message["headers"] = [
                    *headers,
                    *(
                        (name.encode(), value.encode())
                        for name, value in wanted.items()
                        if name.encode() not in present
                    ),
                ]
            await send(message)

        await self._app(scope, receive, send_with_headers)
