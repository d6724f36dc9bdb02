"""What students do: join, look, answer, write, leave."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fastapi import APIRouter, Response

from homeroom.live import events
from homeroom.live.access.credentials import DAYS_30, STUDENT, Device, delete_cookie, put_cookie
from homeroom.live.access.passwords import Caller
from homeroom.live.classbook.writing import show_sheet, write_letter
from homeroom.live.messages.common import to_json
from homeroom.live.messages.requests import Answer, Consent, Join, SeatCode, WrittenLetter
from homeroom.live.messages.responses import JoinedClass, LetterResult, Ok
from homeroom.live.messages.views import StudentView
from homeroom.live.refused import Refused
from homeroom.live.registry import Ticket
from homeroom.live.routes.dependencies import (
    OF_CHANGES,
    InkRoute,
    MaybeSeat,
    Registry,
    Server,
    ServerState,
    Student,
    TheCaller,
    refusals,
)

Found = TypeVar("Found")

routes = APIRouter(prefix="/api", tags=["students"])
letters = APIRouter(prefix="/api", tags=["students"], route_class=InkRoute)


@routes.post("/join", responses=refusals(*OF_CHANGES, 404, 409, 410, 429))
async def join(
    body: Join,
    response: Response,
    server: Server,
    before: MaybeSeat,
    caller: TheCaller,
) -> JoinedClass:
    """Join a class with its code and a name."""
    class_id = await _looked_up(server.registry.class_of, body.code, server, caller)
    async with server.slow_refusals():
        server.joins.check_and_count(caller.address)
    ticket = await server.registry.join(class_id, body.nickname, before)
    return await _seated(ticket, response, server, caller.device)


@routes.post("/seat", responses=refusals(*OF_CHANGES, 404, 409, 410, 429))
async def take_seat(
    body: SeatCode, response: Response, server: Server, caller: TheCaller
) -> JoinedClass:
    """Take a seat again with a code that the teacher shows.

    The code is valid once; other devices of the student are signed out.
    """
    seat = await _looked_up(server.registry.seat_for, body.code, server, caller)
    ticket = await server.registry.take_seat(seat, body.code)
    return await _seated(ticket, response, server, caller.device)


async def _seated(
    ticket: Ticket, response: Response, server: ServerState, device: Device | None
) -> JoinedClass:
    """Set the cookies of a student who got a seat, and return the response.

    It has the student, their name, and the kind of activity.
    """
    seat, secret = ticket
    put_cookie(response, STUDENT, secret, max_age=DAYS_30, secure=server.settings.secure)
    if device is None or not device.role:  # a teacher's stays a teacher's
        server.remember(response, device, "student")
    state = (await server.registry.find(seat.class_id)).state
    name = state.require_joined(seat.student).name
    return JoinedClass(student=seat.student, nickname=name, kind=state.activity.kind)


async def _looked_up(
    look: Callable[[str], Awaitable[Found]], code: str, server: ServerState, caller: Caller
) -> Found:
    """Return what ``look`` finds for a code; a refused code is counted.

    Codes are looked up one at a time, which slows down guessing. Refuses callers with too many
    wrong codes. They are checked again after waiting for the lock, because other requests may have
    failed meanwhile.
    """
    async with server.slow_refusals():
        server.wrong_codes.check(caller)
    async with server.trying_codes:
        server.wrong_codes.check(caller)
        try:
            return await look(code)
        except Refused:
            server.wrong_codes.count(caller)
            raise


@routes.get("/me", response_model=StudentView, responses=refusals(401, 404, 410))
async def me(seat: Student, registry: Registry) -> Response:
    """Return everything that this student's page shows."""
    live = await (await registry.find(seat.class_id)).fresh(seat.student)
    return Response(await live.view(seat.student), media_type="application/json")


OF_A_STUDENT: dict[str, Any] = {
    "response_model": StudentView,
    "responses": refusals(*OF_CHANGES, 401, 404, 409, 410),
}


@routes.post("/answers", **OF_A_STUDENT)
async def answers(body: Answer, seat: Student, registry: Registry) -> Response:
    """Store an answer, on disk before this returns, and return what the page shows then.

    Only the first answer to an item in a round counts; later ones are acknowledged.
    """
    codes = (await registry.find(seat.class_id)).state.codes
    item = codes.item_of.get(body.item, "")  # not an item: refused as one that is not asked
    await registry.answer(seat, body.round, item, int(body.answer), body.seconds)
    return await me(seat, registry)


@routes.post("/consent", **OF_A_STUDENT)
async def consent(body: Consent, seat: Student, registry: Registry) -> Response:
    """Agree to take part in the experiment, or not; a student can withdraw at any time."""
    await registry.act(seat.class_id, events.Consented(seat.student, body.agrees))
    return await me(seat, registry)


@routes.post("/leave", responses=refusals(403, 401, 404, 409, 410))
async def leave(seat: Student, registry: Registry) -> Ok:
    """Leave the class; a student who opens the page again is back."""
    await registry.leave(seat)
    return Ok()


@routes.post("/sign-out", responses=refusals(403, 401, 404, 409, 410))
async def sign_out(seat: Student, response: Response, server: Server) -> Ok:
    """Sign out on this and all other devices; joining with the same name takes the seat again."""
    await server.registry.sign_out(seat.class_id, [seat.student])
    delete_cookie(response, STUDENT, secure=server.settings.secure)
    return Ok()


@letters.post(
    "/ink",
    tags=["writing"],
    response_model=LetterResult,
    responses=refusals(*OF_CHANGES, 401, 404, 409, 410),
)
async def ink(body: WrittenLetter, seat: Student, registry: Registry) -> Response:
    """Store a letter; return its scores and the letter that the robot writes next."""
    live = await registry.find(seat.class_id)
    strokes = [[point.model_dump() for point in stroke] for stroke in body.strokes]
    wrote = await asyncio.to_thread(write_letter, live.state, seat.student, strokes, body.round)
    await registry.act(seat.class_id, wrote)
    sheet = await asyncio.to_thread(show_sheet, live.state, seat.student)
    robot = None if sheet is None else sheet.robot
    result = LetterResult(scores=dict(wrote.scores), form=wrote.form, next=robot)
    return Response(to_json(result), media_type="application/json")
