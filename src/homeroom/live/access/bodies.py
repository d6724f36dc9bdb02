"""How much anybody may send."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from homeroom.live.refused import Refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST = 1_000_000
"""Bytes of an ordinary call: a letter of some thousand points."""

MOST_ROSTER = 20_000_000
"""Bytes of a class list: the export of a school of thousands, each in a dozen classes."""

MOST_UPLOAD = 50_000_000
"""Bytes of an activity with its pictures."""

LARGE = {r"/api/activities": MOST_UPLOAD, r"/api/classes/[^/]+/roster": MOST_ROSTER}
"""Calls of teachers that may bring more."""


class SmallBodies:
    """Refuses calls that send more than they need, before they are in memory."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = allowed(scope["path"])
        came = announced(scope)
        began = False

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            return {"type": "http.disconnect"} if came > most else message

        async def noticed(message: Message) -> None:
            nonlocal began
            if came <= most:  # else whatever is said of the half that was read is not wanted
                began = True
                await send(message)

        if came <= most:
            came = 0
            await self._app(scope, counted, noticed)
        if came > most and not began:
            from starlette.responses import JSONResponse

            refused = Refused("too_large", most=most / 1e6)
            answer = JSONResponse(refused.problem, refused.status, {"connection": "close"})
            await answer(scope, receive, send)


def allowed(path: str) -> int:
    """Return how many bytes a call may bring."""
    return next((most for way, most in LARGE.items() if re.fullmatch(way, path)), MOST)


def announced(scope: Scope) -> int:
    """Return how many bytes a call says it brings; 0 if it does not."""
    length = dict(scope["headers"]).get(b"content-length", b"")
    return int(length) if length.isdigit() else 0
