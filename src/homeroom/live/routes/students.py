"""What students do: join, look, answer, leave."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from fastapi import APIRouter, Response

from homeroom.live.access.attempts import Caller
from homeroom.live.access.credentials import DAYS_30, STUDENT, Device, put_cookie
from homeroom.live.classbook.rules import seated
from homeroom.live.messages.said import Answer, Join, SeatCode
from homeroom.live.messages.told import Acknowledged, Joined, Ok
from homeroom.live.messages.view import View
from homeroom.live.refused import Refused
from homeroom.live.registry import Ticket
from homeroom.live.routes.answers import CHANGES, may
from homeroom.live.routes.who import (
    MaybeSeat,
    Office,
    Registry,
    Student,
    TheCaller,
    TheOffice,
)

Found = TypeVar("Found")

routes = APIRouter(prefix="/api", tags=["students"])


@routes.post("/join", responses=may(*CHANGES, 404, 409, 410, 429))
async def join(
    said: Join,
    response: Response,
    office: TheOffice,
    before: MaybeSeat,
    caller: TheCaller,
) -> Joined:
    """Join a class with its code and a name."""
    class_id = await _looked_up(office.registry.class_of, said.code, office, caller)
    async with office.slow_refusals():
        office.joins.take(caller.address)
    ticket = await office.registry.join(class_id, said.nickname, before)
    return await _seated(ticket, response, office, caller.device)


@routes.post("/seat", responses=may(*CHANGES, 404, 409, 410, 429))
async def take_seat(
    said: SeatCode, response: Response, office: TheOffice, caller: TheCaller
) -> Joined:
    """Take one's seat again, with a code that the teacher shows; it is valid once."""
    seat = await _looked_up(office.registry.seat_for, said.code, office, caller)
    ticket = await office.registry.take_seat(seat, said.code)
    return await _seated(ticket, response, office, caller.device)


async def _seated(
    ticket: Ticket, response: Response, office: Office, device: Device | None
) -> Joined:
    """Send a ticket as a cookie, and return whose seat it is for."""
    seat, secret = ticket
    put_cookie(response, STUDENT, secret, max_age=DAYS_30, secure=office.settings.secure)
    if device is None or not device.role:  # a teacher's stays a teacher's
        office.remember(response, device, "student")
    state = (await office.registry.find(seat.class_id)).book.state
    told = {
        "student": seat.student,
        "nickname": seated(state, seat.student).name,
        "kind": state.activity.kind,
    }
    return Joined.model_validate(told)


async def _looked_up(
    look: Callable[[str], Awaitable[Found]], code: str, office: Office, caller: Caller
) -> Found:
    """Return what a code is for; one at a time, so that of a thousand at once few are looked up."""
    async with office.slow_refusals():
        office.wrong_codes.check(caller)
    async with office.trying_codes:
        office.wrong_codes.check(caller)
        try:
            return await look(code)
        except Refused:
            office.wrong_codes.count(caller)
            raise


@routes.get("/me", response_model=View, responses=may(401, 404, 410))
async def me(seat: Student, registry: Registry) -> Response:
    """Return all that this student's page shows."""
    live = await (await registry.find(seat.class_id)).fresh(seat.student)
    return Response(await live.view(seat.student), media_type="application/json")


@routes.post("/answers", responses=may(*CHANGES, 401, 404, 409, 410))
async def answers(said: Answer, seat: Student, registry: Registry) -> Acknowledged:
    """Keep an answer: it is on the disk when this returns, and counts once however often sent."""
    codes = (await registry.find(seat.class_id)).book.state.codes
    item = codes.item_of.get(said.item, "")  # not an item: refused as one that is not asked
    version = await registry.answer(seat, said.round, item, int(said.answer))
    return Acknowledged(version=version)


@routes.post("/leave", responses=may(403, 401, 404, 409, 410))
async def leave(seat: Student, registry: Registry) -> Ok:
    """Go away; whoever opens the page again is back."""
    await registry.leave(seat)
    return Ok()
