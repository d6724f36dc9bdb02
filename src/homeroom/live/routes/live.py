"""The line down to the pages: what there is to see, as soon as it is new."""

from __future__ import annotations

import asyncio

import anyio
from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from homeroom.live.access.credentials import STUDENT, TEACHER
from homeroom.live.hub import OpenPage
from homeroom.live.live_class import LiveClass
from homeroom.live.refused import Refused
from homeroom.live.routes.who import Office

routes = APIRouter()

UNKNOWN = 4401
OVER = 4404
CROWDED = 4429
BOARDS = 0.2
"""Seconds between two boards: a teacher sees no more than five a second."""


@routes.websocket("/api/live")
async def live(socket: WebSocket) -> None:
    """Send ``{"version", "view"}`` at once and after every change, until somebody leaves.

    With ``?class=ID`` the teacher's board, else the student's own view. Pages say only "ping".
    """
    office: Office = socket.app.state.office
    try:
        listener = await _who(office, socket)
        if listener is None:
            await socket.close(UNKNOWN)
            return
        shown = await office.registry.find(listener.class_id)
    except Refused:
        await socket.close(OVER)
        return
    if office.registry.hub.is_full(listener):
        await socket.close(CROWDED)
        return
    await socket.accept()
    office.registry.hub.add(listener)
    try:
        if not await _still(office, socket, listener):
            await socket.close(UNKNOWN)
            return
        async with anyio.create_task_group() as both:
            both.start_soon(_hear, socket, both.cancel_scope)
            await _tell(socket, listener, shown)
            both.cancel_scope.cancel()
    finally:
        office.registry.hub.remove(listener)


async def _who(office: Office, socket: WebSocket) -> OpenPage | None:
    class_id = socket.query_params.get("class")
    if class_id is None:
        seat = await office.registry.seat_of(socket.cookies.get(STUDENT, ""))
        if seat is None:
            return None
        await office.registry.welcome(seat)
        return OpenPage(*seat)
    cookie = socket.cookies.get(TEACHER, "")
    session = await asyncio.to_thread(office.sessions.of, cookie)
    return None if session is None else OpenPage(class_id, session=session)


async def _still(office: Office, socket: WebSocket, listener: OpenPage) -> bool:
    """Tell whether a student has her seat still: while she came in, another may have got it."""
    if listener.student is None:
        return True
    return await office.registry.seat_of(socket.cookies.get(STUDENT, "")) is not None


async def _tell(socket: WebSocket, listener: OpenPage, shown: LiveClass) -> None:
    try:
        while await listener.wait():
            if listener.student is None:
                await socket.send_text(_message(await asyncio.to_thread(shown.board), shown))
                await asyncio.sleep(BOARDS)
            else:
                await socket.send_text(_message(await shown.view(listener.student), shown))
        await socket.close(OVER if listener.student is None else UNKNOWN)
    except Refused:
        await socket.close(UNKNOWN)  # removed just now
    except (WebSocketDisconnect, RuntimeError):
        pass  # the page was closed


def _message(view: str, shown: LiveClass) -> str:
    return f'{{"version":{shown.book.version},"view":{view}}}'


async def _hear(socket: WebSocket, scope: anyio.CancelScope) -> None:
    try:
        while True:
            await socket.receive_text()
            await socket.send_text('{"pong":true}')
    except (WebSocketDisconnect, RuntimeError, KeyError):
        scope.cancel()  # gone, or sent something that no page sends
