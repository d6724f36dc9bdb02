"""The pages built from ``web/``, the WebSocket that updates them, and what the projector gets."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse, PlainTextResponse
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from homeroom.live.access.credentials import DEVICE, STUDENT, TEACHER
from homeroom.live.activities import catalogue
from homeroom.live.classbook.view import on_projector
from homeroom.live.hub import OpenPage
from homeroom.live.live_class import LiveClass
from homeroom.live.messages.responses import JoinLink
from homeroom.live.messages.views import Projector
from homeroom.live.refused import Refused
from homeroom.live.routes.activities import PICTURE, as_response
from homeroom.live.routes.dependencies import ClassId, Registry, Server, ServerState, refusals
from homeroom.live.routes.downloads import address_of, is_local, qr_rows
from homeroom.live.settings import NOT_BUILT

PAGES = (
    "/",
    "/student",
    "/write",
    "/board/{class_id}",
    "/teacher",
    "/teacher/first",
    "/teacher/activities",
    "/teacher/activities/{activity_id}",
    "/teacher/activities/{activity_id}/copy",
    "/teacher/classes/{class_id}",
    "/teacher/classes/{class_id}/letters",
    "/teacher/classes/{class_id}/report",
    "/teacher/classes/{class_id}/history",
)
"""The addresses of the pages. All return the same file, which reads its address."""


class HashedFiles(StaticFiles):
    """Files whose names change with their content: browsers may cache them for ever."""

    def file_response(self, *args: Any, **named: Any) -> Response:
        answer = super().file_response(*args, **named)
        answer.headers["cache-control"] = "public, max-age=31536000, immutable"
        return answer


def add_pages(app: FastAPI, static: Path) -> None:
    """Serve the pages, their scripts and their styles."""

    def page(request: Request) -> Response:
        """Return the one file of all pages, and the cookie of a new device."""
        index = static / "index.html"
        if not index.is_file():
            return PlainTextResponse(NOT_BUILT, 503)
        response = FileResponse(index, headers={"cache-control": "no-cache"})
        server: ServerState = request.app.state.server
        server.remember(response, server.devices.of(request.cookies.get(DEVICE, "")))
        return response

    for path in PAGES:
        app.add_route(path, page, include_in_schema=False)
    if static.is_dir():
        assets = HashedFiles(directory=static / "assets", check_dir=False)
        app.mount("/assets", GZipMiddleware(assets), name="assets")
        app.mount("/", StaticFiles(directory=static), name="static")


websocket_routes = APIRouter()

# The codes with which a WebSocket is closed.
UNKNOWN = 4401  # no valid cookie
OVER = 4404  # the class does not exist, or the teacher signed out
TOO_MANY_PAGES = 4429
BOARD_SECONDS = 0.2
"""Seconds between two views for the teacher's page or the projector: at most five per second."""


@websocket_routes.websocket("/api/live")
async def live(socket: WebSocket) -> None:
    """Send ``{"version", "view"}`` at once and after every change, until the page is closed.

    With ``?class=ID`` the teacher's board, with ``?board=ID`` the projector's view, else the
    student's own. Pages send only "ping".
    """
    with suppress(WebSocketDisconnect):  # the page was closed before it was opened
        await _open_page(socket)


async def _open_page(socket: WebSocket) -> None:
    """Send views to a page that has a right to them; close the others."""
    server: ServerState = socket.app.state.server
    try:
        page = await _page_of(server, socket)
        if page is None:
            await socket.close(UNKNOWN)
            return
        shown = await server.registry.find(page.class_id)
    except Refused:
        await socket.close(OVER)
        return
    if server.registry.hub.is_full(page):
        await socket.close(TOO_MANY_PAGES)
        return
    await socket.accept()
    server.registry.hub.add(page)
    try:
        if not await _has_seat(server, socket, page):
            await socket.close(UNKNOWN)
            return
        async with anyio.create_task_group() as both:
            both.start_soon(_receive, socket, both.cancel_scope)
            await _send_views(socket, page, shown)
            both.cancel_scope.cancel()
    finally:
        server.registry.hub.remove(page)


async def _page_of(server: ServerState, socket: WebSocket) -> OpenPage | None:
    """Return the page that opens a WebSocket; ``None`` without a valid cookie."""
    if (projected := socket.query_params.get("board")) is not None:
        return OpenPage(projected)
    class_id = socket.query_params.get("class")
    if class_id is None:
        seat = await server.registry.seat_of(socket.cookies.get(STUDENT, ""))
        if seat is None:
            return None
        await server.registry.welcome(seat)
        return OpenPage(*seat)
    cookie = socket.cookies.get(TEACHER, "")
    session = await asyncio.to_thread(server.sessions.of, cookie)
    return None if session is None else OpenPage(class_id, session=session)


async def _has_seat(server: ServerState, socket: WebSocket, page: OpenPage) -> bool:
    """Return whether a student still has their seat, which another may have got meanwhile."""
    if page.student is None:
        return True
    return await server.registry.seat_of(socket.cookies.get(STUDENT, "")) is not None


async def _send_views(socket: WebSocket, page: OpenPage, shown: LiveClass) -> None:
    """Send the present view, and a new one after each change, until the page is closed."""
    try:
        while await page.wait():
            if page.student is None:
                made = shown.projector if page.session is None else shown.board
                await socket.send_text(_message(await asyncio.to_thread(made), shown))
                await asyncio.sleep(BOARD_SECONDS)
            else:
                await socket.send_text(_message(await shown.view(page.student), shown))
        await socket.close(OVER if page.student is None else UNKNOWN)
    except Refused:
        await socket.close(UNKNOWN)  # removed just now
    except (WebSocketDisconnect, RuntimeError):
        pass  # the page was closed


def _message(view: str, shown: LiveClass) -> str:
    """Return the message to a page: a view in JSON, and the version of the class."""
    return f'{{"version":{shown.state.version},"view":{view}}}'


async def _receive(socket: WebSocket, scope: anyio.CancelScope) -> None:
    """Answer the pings of a page; cancel ``scope`` when the page is closed."""
    try:
        while True:
            await socket.receive_text()
            await socket.send_text('{"pong":true}')
    except (WebSocketDisconnect, RuntimeError, KeyError):
        scope.cancel()  # the page was closed, or sent something that is not text


projector_routes = APIRouter(prefix="/api/board/{class_id}", tags=["projector"])


@projector_routes.get("", response_model=Projector, responses=refusals(404, 422))
async def board(class_id: ClassId, registry: Registry) -> Response:
    """Return everything that the projector shows of a class."""
    live = await (await registry.find(class_id)).fresh()
    text = await asyncio.to_thread(live.projector)
    return Response(text, media_type="application/json")


@projector_routes.get("/join", responses=refusals(404, 422))
async def join(class_id: ClassId, request: Request, server: Server) -> JoinLink:
    """Return how students join: the code, the address, and the link as a QR code."""
    opened = (await server.registry.find(class_id)).state.opened
    assert opened is not None
    address = address_of(request, server.settings)
    rows = qr_rows(address, opened.code)
    return JoinLink(code=opened.code, address=address, local=is_local(address), qr=rows)


@projector_routes.get(
    "/items/{item}/picture",
    response_class=Response,
    responses={**refusals(404, 422), **PICTURE},
)
async def picture(
    class_id: ClassId,
    item: Annotated[str, PathParameter(max_length=200, description="The item's code.")],
    registry: Registry,
) -> Response:
    """Return the picture of an item that is on the projector now."""
    state = (await (await registry.find(class_id)).fresh()).state
    named = state.codes.item_of.get(item)
    if named is None or named not in on_projector(state):
        raise Refused("no_picture")
    return as_response(
        await asyncio.to_thread(catalogue.picture, registry.store, state.activity.id, named)
    )
