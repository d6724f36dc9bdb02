"""Only our own pages may change something: what comes from another site's page is turned away."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from homeroom.live.refused import Refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class OwnPagesOnly:
    """Turns away calls that change something, and WebSockets, unless ``Origin`` is this server.

    Browsers send ``Origin`` with each of them, and no page can forge it.

    Parameters
    ----------
    app
        What is guarded.
    origin
        Where people reach this server, if that is not the host they ask for: behind a proxy.
    """

    def __init__(self, app: ASGIApp, origin: str | None = None) -> None:
        self._app, self._origin = app, origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        guarded = scope["type"] == "websocket" or (
            scope["type"] == "http" and scope["method"] not in SAFE
        )
        if not guarded or self._own(dict(scope["headers"])):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403, "reason": "another origin"})
        else:
            from starlette.responses import JSONResponse

            refused = Refused("foreign_page")
            await JSONResponse(refused.problem, refused.status)(scope, receive, send)

    def _own(self, headers: dict[bytes, bytes]) -> bool:
        origin = headers.get(b"origin", b"").decode("latin-1")
        if self._origin is not None and origin == self._origin:
            return True
        host = headers.get(b"host", b"").decode("latin-1")
        return bool(host) and origin_host(origin) == host.lower()


def origin_host(origin: str) -> str | None:
    """Return the host, and the port if one is named, of an ``Origin`` header.

    >>> origin_host("http://127.0.0.1:8000"), origin_host("null")
    ('127.0.0.1:8000', None)
    """
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") and parts.netloc else None
