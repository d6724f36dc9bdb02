"""The teacher's classes: creating, showing and deleting them, and controlling a lesson."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query, Request, Response
from starlette.datastructures import UploadFile

from homeroom.live import events
from homeroom.live.activities import catalogue
from homeroom.live.activities.base import QUIZ
from homeroom.live.classbook.regroup import split_class
from homeroom.live.classbook.writing import show_letters
from homeroom.live.exports.table import clock
from homeroom.live.hub import Seat
from homeroom.live.ids import new_id
from homeroom.live.live_class import LiveClass
from homeroom.live.messages.common import RequestModel, to_json
from homeroom.live.messages.requests import (
    LockClass,
    NewClass,
    NewPhase,
    NewTimer,
    NextItem,
    NextLesson,
    PauseClass,
    PauseTimer,
    PresentRound,
    Regroup,
    Review,
    StudentIds,
)
from homeroom.live.messages.responses import (
    ClassChoice,
    Classes,
    ClassLine,
    CreatedClass,
    OfferedSeat,
    Ok,
    RosterResult,
    SplitCosts,
)
from homeroom.live.messages.views import Board, ClassLetters, History
from homeroom.live.refused import Refused
from homeroom.live.registry import SEAT_SECONDS, ClassRegistry
from homeroom.live.roster import MOST, names_in
from homeroom.live.routes.dependencies import (
    OF_CHANGES,
    ClassId,
    Registry,
    Server,
    StudentId,
    Teacher,
    TeacherRoute,
    refusals,
)
from homeroom.live.routes.downloads import address_of, qr_rows
from homeroom.live.store import ClassRow
from homeroom.tables.one_roster import LONGEST_ID

routes = APIRouter(prefix="/api/classes", tags=["classes"], route_class=TeacherRoute)


@routes.get("", responses=refusals(401))
def listed(_teacher: Teacher, registry: Registry) -> Classes:
    """List all classes, the one with the newest lesson first."""
    return Classes(classes=[_line(registry, row) for row in registry.store.classes()])


def _line(registry: ClassRegistry, row: ClassRow) -> ClassLine:
    """Return what the list of classes shows of one."""
    summary, activity = registry.summary(row), catalogue.find(registry.store, row.activity)
    return ClassLine(
        class_=row.id,
        name=row.name,
        activity=row.activity,
        activity_name=activity.name if activity else row.activity,
        kind=activity.kind if activity else QUIZ,
        phase=summary.phase,
        students=len(summary.students),
        code=row.code,
        lessons=row.lessons,
        created=clock(row.created),
        last=clock(row.last),
    )


@routes.post("", status_code=201, responses=refusals(*OF_CHANGES, 401, 404))
async def make(body: NewClass, _teacher: Teacher, registry: Registry) -> CreatedClass:
    """Create a class; students join it with its code."""
    class_id, code = await registry.create(
        body.name.strip(),
        body.activity,
        body.goal,
        body.retention_days,
        reveal=body.reveal,
        discussion=body.discussion,
        timer=events.TIMER if body.timer is None else body.timer,
        experiment=None if body.experiment is None else body.experiment.model_dump(),
        form=body.form,
    )
    return CreatedClass(class_=class_id, code=code)


@routes.delete("", responses=refusals(401, 403))
async def delete_all(_teacher: Teacher, registry: Registry) -> Ok:
    """Delete all classes with all data of their students; activities stay."""
    await asyncio.to_thread(registry.store.delete_everything)
    return Ok()


@routes.get("/{class_id}", response_model=Board, responses=refusals(401, 404, 422))
async def board(class_id: ClassId, _teacher: Teacher, registry: Registry) -> Response:
    """Return everything that the teacher's page shows of a class."""
    return await _show(registry, class_id)


@routes.delete("/{class_id}", responses=refusals(401, 403, 404, 422))
async def delete(class_id: ClassId, _teacher: Teacher, registry: Registry) -> Ok:
    """Delete a class with all data of its students."""
    if not await asyncio.to_thread(registry.store.delete_class, class_id):
        raise Refused("no_class")
    return Ok()


MOST_FILES = 20
"""Files of an export that may be sent: only four of them are read."""

# The body of a request with a class list, for OpenAPI: a CSV file, a zip, or several files.
A_FILE = {"type": "string", "format": "binary"}
SEVERAL = {"type": "object", "properties": {"files": {"type": "array", "items": A_FILE}}}
SENT = {
    "text/csv": {"schema": {"type": "string"}},
    "application/zip": {"schema": A_FILE},
    "multipart/form-data": {"schema": SEVERAL},
}
ROSTER = {"requestBody": {"required": True, "content": SENT}}


CHOOSE: dict[int | str, dict[str, Any]] = {
    409: {"model": ClassChoice, "description": "Choose a class of the export first."}
}

Chosen = Annotated[
    str | None,
    Query(
        alias="class",
        min_length=1,
        max_length=LONGEST_ID,
        description="The sourcedId of the class of an export whose names are wanted.",
    ),
]


@routes.post(
    "/{class_id}/roster", responses=refusals(*OF_CHANGES, 401, 404) | CHOOSE, openapi_extra=ROSTER
)
async def roster(
    class_id: ClassId,
    request: Request,
    _teacher: Teacher,
    registry: Registry,
    chosen: Chosen = None,
) -> RosterResult:
    """Enrol the names of a CSV file (with a column ``name``, or just names), or of OneRoster.

    Of OneRoster, send ``users.csv`` with ``roles.csv``, or the zip of an export. If it has several
    classes (``classes.csv``, ``enrollments.csv``), no student is enrolled before one is chosen: the
    answer lists them, and the same request is sent again with the class.
    """
    names = await asyncio.to_thread(names_in, await _sent(request), chosen)
    live = await registry.find(class_id)
    async with live.enrolling:
        added = await _enrolled(registry, live, names)
    return RosterResult(students=len(names), added=added)


async def _enrolled(registry: ClassRegistry, live: LiveClass, names: Sequence[str]) -> int:
    """Enrol the students who are not in a class yet; return how many they are."""
    known = {one.name.casefold() for one in live.state.people.values()}
    names = [name for name in names if name.casefold() not in known]
    if (students := len(known) + len(names)) > MOST:
        raise Refused("class_too_large", most=MOST, students=students)
    enrolled = [events.Enrolled(new_id(), name) for name in names]
    for event in enrolled:
        await asyncio.to_thread(event.check, live.state)
    stored = [asyncio.wrap_future(registry.store.append(live.id, event)) for event in enrolled]
    await asyncio.gather(*stored)
    await asyncio.to_thread(live.catch_up)
    return len(names)


async def _sent(request: Request) -> bytes | dict[str, bytes]:
    """Return the file that was sent, or several files by name."""
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        return await request.body()
    files: dict[str, bytes] = {}
    async with request.form(max_files=MOST_FILES) as form:
        for part in form.getlist("files"):
            if isinstance(part, UploadFile):
                name = part.filename or ""
                if name in files:
                    raise Refused("file_twice", name=name[:80])
                files[name] = await part.read()
    return next(iter(files.values())) if len(files) == 1 else files


Lam = Annotated[float, Query(ge=0, le=1e9, allow_inf_nan=False)]
"""The value of the students' time relative to the teacher's."""


@routes.get("/{class_id}/frontier", responses=refusals(401, 404, 409, 422))
async def frontier(
    class_id: ClassId, _teacher: Teacher, registry: Registry, lam: Lam = 0.5
) -> SplitCosts:
    """Return what each way to split the class costs the teacher and the students."""
    live = await registry.find(class_id)
    return await asyncio.to_thread(live.ways, lam)


@routes.get(
    "/{class_id}/letters", response_model=ClassLetters, responses=refusals(401, 404, 409, 422)
)
async def letters(class_id: ClassId, _teacher: Teacher, registry: Registry) -> Response:
    """Return the letters of a writing class, over time."""
    live = await registry.find(class_id)
    return _json(to_json(await asyncio.to_thread(show_letters, live.state)))


def _json(text: str) -> Response:
    """Return a response from JSON text."""
    return Response(text, media_type="application/json")


@routes.get("/{class_id}/history", responses=refusals(401, 404, 422))
async def history(class_id: ClassId, _teacher: Teacher, registry: Registry) -> History:
    """Return the lessons of a class, with the answers of each student and to each item."""
    from homeroom.live.exports.history import history_of

    live = await registry.find(class_id)

    def compute() -> History:
        find = partial(catalogue.find, registry.store)
        return history_of(live.catch_up(), registry.store.events(class_id), find)

    return await asyncio.to_thread(compute)


STEERING = refusals(*OF_CHANGES, 401, 404, 409, 410)
A_BOARD: dict[int | str, dict[str, Any]] = {200: {"model": Board, "description": "The new board."}}

lesson_routes = APIRouter(
    prefix="/api/classes/{class_id}",
    tags=["steering"],
    responses={**STEERING, **A_BOARD},
    route_class=TeacherRoute,
    default_response_class=Response,
)


class Command(NamedTuple):
    """What a teacher can do in a lesson: the address, the body, the event, and what it does.

    The fields of the body are those of the event.
    """

    path: str
    body: type[RequestModel]
    event: type[events.Event]
    summary: str


COMMANDS = (
    Command("phase", NewPhase, events.PhaseBegan, "Begin a test or the lesson, or end the class."),
    Command("focus", StudentIds, events.Focused, "Continue with some students; others pause."),
    Command("review", Review, events.ReviewSet, "Let students who have finished review, or pause."),
    Command("continue", PresentRound, events.Continued, "End the discussion of the present item."),
    Command("pause", PauseClass, events.Paused, "Pause the class, or resume it."),
    Command("skip", PresentRound, events.Skipped, "Skip the present item."),
    Command("close-round", PresentRound, events.Closed, "Show the right answer now."),
    Command("timer", NewTimer, events.TimerSet, "Set how long the last students may answer."),
    Command("pause-timer", PauseTimer, events.TimerPaused, "Stop or restart the countdown."),
    Command("override", NextItem, events.Overridden, "Choose the item that is shown next."),
    Command("lock", LockClass, events.Locked, "Refuse new students, or admit them again."),
)
"""The commands that are one event each; all return the new board."""


async def _act(registry: ClassRegistry, class_id: str, event: events.Event) -> Response:
    """Store an event, and return the board after it."""
    await registry.act(class_id, event)
    return await _show(registry, class_id)


async def _show(registry: ClassRegistry, class_id: str) -> Response:
    """Return the board of a class as a response."""
    live = await (await registry.find(class_id)).fresh()
    return _json(await asyncio.to_thread(live.board))


def _add_command(command: Command) -> None:
    """Add the route of a command."""

    async def handle(
        class_id: ClassId, _teacher: Teacher, registry: Registry, body: RequestModel
    ) -> Response:
        event = events.from_json({**body.model_dump(), "kind": command.event.__name__.lower()})
        return await _act(registry, class_id, event)

    handle.__annotations__["body"] = command.body
    lesson_routes.post(f"/{command.path}", name=command.path, summary=command.summary)(handle)


for _command in COMMANDS:
    _add_command(_command)


@lesson_routes.post("/undo-phase")
async def undo_phase(class_id: ClassId, _teacher: Teacher, registry: Registry) -> Response:
    """Return to the previous phase, while students have finished nothing in this one."""
    return await _act(registry, class_id, events.PhaseUndone())


@lesson_routes.post("/lessons")
async def teach_again(
    class_id: ClassId, body: NextLesson, _teacher: Teacher, registry: Registry
) -> Response:
    """Begin the next lesson of the class: its students and its code stay."""
    settings = body.model_dump(exclude={"activity"}, exclude_none=True)
    await registry.teach_again(class_id, body.activity, settings)
    return await _show(registry, class_id)


@lesson_routes.post("/sign-out")
async def sign_out(
    class_id: ClassId, body: StudentIds, _teacher: Teacher, registry: Registry
) -> Response:
    """Sign students out, as on shared devices: they can join again with their names."""
    await registry.sign_out(class_id, body.students)
    return await _show(registry, class_id)


@lesson_routes.post("/regroup")
async def regroup(
    class_id: ClassId, body: Regroup, _teacher: Teacher, registry: Registry
) -> Response:
    """Split the class: best for ``lam``, or by a rule; into one group if neither is given."""
    live = await registry.find(class_id)
    event = await asyncio.to_thread(split_class, live.state, lam=body.lam, groups=body.groups)
    return await _act(registry, class_id, event)


@lesson_routes.post("/students/{student_id}/leave")
async def leave(
    class_id: ClassId, student_id: StudentId, _teacher: Teacher, registry: Registry
) -> Response:
    """Stop waiting for a student; they take part again as soon as they open the page."""
    await registry.leave(Seat(class_id, student_id))
    return await _show(registry, class_id)


@lesson_routes.post("/remove")
async def remove(
    class_id: ClassId, body: StudentIds, _teacher: Teacher, registry: Registry
) -> Response:
    """Remove students: their answers no longer count, and their names are free.

    Their names and handwriting are erased for good; only backups made before still have them.
    """
    await registry.remove(class_id, body.students)
    return await _show(registry, class_id)


@routes.post(
    "/{class_id}/students/{student_id}/seat",
    tags=["steering"],
    responses=STEERING,
)
async def offer_seat(
    class_id: ClassId,
    student_id: StudentId,
    request: Request,
    _teacher: Teacher,
    server: Server,
) -> OfferedSeat:
    """Create a code with which a student who lost their page gets their seat back, once."""
    code = await server.registry.offer_seat(Seat(class_id, student_id))
    address = address_of(request, server.settings)
    return OfferedSeat(
        code=code,
        minutes=round(SEAT_SECONDS / 60),
        link=f"{address}/?code={code}",
        qr=qr_rows(address, code),
    )
