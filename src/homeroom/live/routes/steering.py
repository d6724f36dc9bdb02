"""What the teacher does in a class that goes on."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request

from homeroom.live.events import Closed, Locked, Overridden, Paused, PhaseBegan, Removed, Skipped
from homeroom.live.messages.said import Door, NewPhase, Override, Pause, Regroup, Students
from homeroom.live.messages.told import Done, OfferedSeat
from homeroom.live.presence import Seat
from homeroom.live.registry import SEAT_SECONDS, ClassRegistry
from homeroom.live.routes.answers import CHANGES, may
from homeroom.live.routes.downloads import address_of
from homeroom.live.routes.who import (
    ClassId,
    Registry,
    StudentId,
    Teacher,
    TeachersOnly,
    TheOffice,
)

routes = APIRouter(
    prefix="/api/classes/{class_id}",
    tags=["steering"],
    responses=may(*CHANGES, 401, 404, 409, 410),
    route_class=TeachersOnly,
)


@routes.post("/phase")
async def phase(class_id: ClassId, said: NewPhase, _teacher: Teacher, registry: Registry) -> Done:
    """Begin the pre-test, the lesson, the post-test; or end the class."""
    return Done(version=await registry.act(class_id, PhaseBegan(said.phase)))


@routes.post("/pause")
async def pause(class_id: ClassId, said: Pause, _teacher: Teacher, registry: Registry) -> Done:
    """Stop for a while, or go on."""
    return Done(version=await registry.act(class_id, Paused(said.paused)))


@routes.post("/skip")
async def skip(class_id: ClassId, _teacher: Teacher, registry: Registry) -> Done:
    """Pass over the present item."""
    number = await _round(registry, class_id)
    return Done(version=await registry.act(class_id, Skipped(number)))


@routes.post("/close-round")
async def close_round(class_id: ClassId, _teacher: Teacher, registry: Registry) -> Done:
    """Go on without the answers that are missing."""
    number = await _round(registry, class_id)
    return Done(version=await registry.act(class_id, Closed(number)))


@routes.post("/override")
async def override(
    class_id: ClassId, said: Override, _teacher: Teacher, registry: Registry
) -> Done:
    """Choose what is shown next."""
    return Done(version=await registry.act(class_id, Overridden(said.item)))


@routes.post("/regroup")
async def regroup(class_id: ClassId, said: Regroup, _teacher: Teacher, registry: Registry) -> Done:
    """Split the class anew: best for ``lam``, or by a rule; together, if neither is said."""
    live = await registry.find(class_id)
    event = await asyncio.to_thread(live.book.regrouping, lam=said.lam, groups=said.groups)
    return Done(version=await registry.act(class_id, event))


@routes.post("/students/{student_id}/leave")
async def leave(
    class_id: ClassId, student_id: StudentId, _teacher: Teacher, registry: Registry
) -> Done:
    """Wait no more for a student; whoever opens the page again is back."""
    return Done(version=await registry.leave(Seat(class_id, student_id)))


@routes.post("/lock")
async def lock(class_id: ClassId, said: Door, _teacher: Teacher, registry: Registry) -> Done:
    """Close the door to all who are not in the class yet, or open it."""
    return Done(version=await registry.act(class_id, Locked(said.locked)))


@routes.post("/remove")
async def remove(class_id: ClassId, said: Students, _teacher: Teacher, registry: Registry) -> Done:
    """Remove students: nothing of them counts any more, and their names are free."""
    return Done(version=await registry.act(class_id, Removed(tuple(said.students))))


@routes.post("/students/{student_id}/seat")
async def offer_seat(
    class_id: ClassId,
    student_id: StudentId,
    request: Request,
    _teacher: Teacher,
    office: TheOffice,
) -> OfferedSeat:
    """Make a code with which a student who lost her page gets her seat back, once."""
    import segno

    code = await office.registry.offer_seat(Seat(class_id, student_id))
    link = f"{address_of(request, office.settings)}/?code={code}"
    drawn = ["".join(map(str, row)) for row in segno.make(link, micro=False).matrix]
    return OfferedSeat(code=code, minutes=round(SEAT_SECONDS / 60), link=link, qr=drawn)


async def _round(registry: ClassRegistry, class_id: str) -> int:
    return (await registry.find(class_id)).book.state.last_round
