"""What the routes depend on: the server's state, the caller, and the refusals of the API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Path, Request, Response
from fastapi.routing import APIRoute
from fastapi.security import APIKeyCookie

from homeroom.live.access.credentials import (
    DAYS_30,
    DEVICE,
    STUDENT,
    TEACHER,
    Device,
    Devices,
    Sessions,
    put_cookie,
)
from homeroom.live.access.middleware import BODY_BYTES
from homeroom.live.access.passwords import AttemptLimit, Caller, Passwords, Turns, WrongCodes
from homeroom.live.hub import Seat
from homeroom.live.messages.common import Problem
from homeroom.live.refused import RETRY_SECONDS, Refused
from homeroom.live.registry import ClassRegistry
from homeroom.live.settings import ServerSettings

teacher_cookie = APIKeyCookie(name=TEACHER, scheme_name="teacher", auto_error=False)
student_cookie = APIKeyCookie(name=STUDENT, scheme_name="student", auto_error=False)

LETTER_SECONDS, LETTERS_AT_ONCE = 0.5, 6
"""Seconds between two letters of one student, and how many may come without waiting. Nobody writes
faster; reading a letter of thousands of points takes 20 ms, for which all classes wait."""


class ServerState:
    """What the routes need: the settings, the classes, and access control."""

    def __init__(self, settings: ServerSettings, registry: ClassRegistry) -> None:
        self.settings, self.registry = settings, registry
        self.passwords = Passwords(registry.store, settings.setup_token, settings.hashing)
        self.sessions = Sessions(registry.store)
        self.devices = Devices(registry.store)
        self.wrong_codes = WrongCodes(settings)
        self.trying_codes = asyncio.Lock()
        self.joins = AttemptLimit("joins", settings.joins, refusal="too_many_came")
        self.letters: Turns[Seat] = Turns(LETTER_SECONDS, at_once=LETTERS_AT_ONCE)
        self.wrong_passwords = AttemptLimit("passwords", settings.wrong_passwords)

    def remember(self, response: Response, device: Device | None, role: str = "") -> None:
        """Set the cookie of a device, unless it has one in this role; ``None`` is a new device."""
        if device is None or (role and device.role != role):
            cookie = self.devices.cookie(device, role)
            put_cookie(response, DEVICE, cookie, max_age=DAYS_30, secure=self.settings.secure)

    @asynccontextmanager
    async def slow_refusals(self) -> AsyncIterator[None]:
        """Delay the refusals of callers with too many attempts, so that they make fewer."""
        try:
            yield
        except Refused as why:
            if why.code in RETRY_SECONDS:
                await asyncio.sleep(self.settings.refusal_seconds)
            raise


# Routes get the results of these functions as arguments. FastAPI runs functions that are not
# `async` in a thread: these are quick, except that of the session, which reads the store.


async def _server(request: Request) -> ServerState:
    server: ServerState = request.app.state.server
    return server


async def _registry(request: Request) -> ClassRegistry:
    return (await _server(request)).registry


def _session(
    request: Request, cookie: Annotated[str | None, Depends(teacher_cookie)]
) -> str | None:
    """Return the id of the teacher's session; ``None`` without a valid cookie."""
    if cookie is None:
        return None
    server: ServerState = request.app.state.server
    return server.sessions.of(cookie)


async def _teacher(session: Annotated[str | None, Depends(_session)]) -> str:
    """Return the id of the teacher's session; refuse other callers."""
    if session is None:
        raise Refused("sign_in_first")
    return session


async def _seat(
    request: Request, cookie: Annotated[str | None, Depends(student_cookie)]
) -> Seat | None:
    """Return the seat of the student who sends a request; ``None`` without a valid cookie."""
    return None if cookie is None else await (await _registry(request)).seat_of(cookie)


async def _student(request: Request, seat: Annotated[Seat | None, Depends(_seat)]) -> Seat:
    """Return the seat of a student, who counts as seen; refuse other callers."""
    if seat is None:
        raise Refused("join_first")
    (await _registry(request)).presence.seen(seat)
    return seat


async def _caller(request: Request) -> Caller:
    """Return the address and the device from which a request comes."""
    server = await _server(request)
    address = request.client.host if request.client else ""
    return Caller(address, server.devices.of(request.cookies.get(DEVICE, "")))


class LargeRequest(Request):
    """A request whose JSON, if it is large, is parsed in a thread."""

    async def json(self) -> Any:
        """Return the parsed body."""
        body = await self.body()
        if len(body) <= BODY_BYTES:
            return await super().json()
        return await asyncio.to_thread(json.loads, body)


class TeacherRoute(APIRoute):
    """A route that checks the teacher's session before it reads the body: an upload is large."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def check_first(request: Request) -> Response:
            cookie = request.cookies.get(TEACHER)
            await _teacher(await asyncio.to_thread(_session, request, cookie))
            return await handler(LargeRequest(request.scope, request.receive))

        return check_first


class InkRoute(APIRoute):
    """A route that checks the student, and lets them wait for a turn, before it reads a letter."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def check_first(request: Request) -> Response:
            seat = await _student(request, await _seat(request, request.cookies.get(STUDENT)))
            server: ServerState = request.app.state.server
            await server.letters.wait(seat)
            return await handler(LargeRequest(request.scope, request.receive))

        return check_first


Server: TypeAlias = Annotated[ServerState, Depends(_server)]
Registry: TypeAlias = Annotated[ClassRegistry, Depends(_registry)]
Session: TypeAlias = Annotated[str | None, Depends(_session)]
Teacher: TypeAlias = Annotated[str, Depends(_teacher)]
MaybeSeat: TypeAlias = Annotated[Seat | None, Depends(_seat)]
Student: TypeAlias = Annotated[Seat, Depends(_student)]
TheCaller: TypeAlias = Annotated[Caller, Depends(_caller)]
ClassId: TypeAlias = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The class.")]
StudentId: TypeAlias = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The student.")]
ActivityId: TypeAlias = Annotated[
    str, Path(pattern=r"^[0-9a-z-]{1,100}$", description="The activity.")
]


# What the status of a refusal means, for OpenAPI.
REFUSALS = {
    400: "The request cannot be read.",
    401: "Not signed in, or not in a class.",
    403: "Not from a page of this server, or the wrong token.",
    404: "Not found.",
    405: "Method not allowed.",
    409: "Not possible now.",
    410: "The teacher has removed this student.",
    413: "Too large.",
    422: "Invalid.",
    429: "Too many attempts: wait.",
    503: "The database does not respond: try again.",
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI description of the refusals of a route; 503 is possible everywhere.

    >>> sorted(refusals(404, 422))
    [404, 422, 503]
    """
    described: dict[int | str, dict[str, Any]] = {
        status: {"content": A_PROBLEM, "description": REFUSALS[status]} for status in statuses
    }
    return {**described, 503: {"model": Problem, "description": REFUSALS[503]}}


A_PROBLEM = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
"""The body of a refusal. Only 503 names the model itself: FastAPI would build a field for each of
300 refusals, which slows the start of the server."""


OF_CHANGES = (400, 403, 413, 422)
"""The refusals of every request that changes something."""
