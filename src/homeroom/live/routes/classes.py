"""The teacher's classes: making them, looking at them, deleting them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.datastructures import UploadFile

from homeroom.crowd.reading.one_roster import LONGEST_ID
from homeroom.live.activities import catalogue
from homeroom.live.activities.base import QUIZ
from homeroom.live.events import Enrolled, new_id
from homeroom.live.live_class import LiveClass
from homeroom.live.messages.board import Board
from homeroom.live.messages.said import NewClass
from homeroom.live.messages.told import (
    Classes,
    ClassesOffered,
    ClassLine,
    MadeClass,
    Ok,
    Roster,
    Ways,
)
from homeroom.live.messages.view import Letters
from homeroom.live.refused import Refused
from homeroom.live.registry import ClassRegistry
from homeroom.live.roster import MOST, names_in
from homeroom.live.routes.answers import CHANGES, may
from homeroom.live.routes.who import ClassId, Registry, Teacher, TeachersOnly
from homeroom.live.store import ClassRow

routes = APIRouter(prefix="/api/classes", tags=["classes"], route_class=TeachersOnly)


@routes.get("", responses=may(401))
def listed(_teacher: Teacher, registry: Registry) -> Classes:
    """List all classes, the newest first."""
    return Classes(classes=[_line(registry, row) for row in registry.store.classes()])


def _line(registry: ClassRegistry, row: ClassRow) -> ClassLine:
    summary, activity = registry.summary(row), catalogue.find(registry.store, row.activity)
    line = {
        "class": row.id,
        "name": row.name,
        "activity": row.activity,
        "activity_name": activity.name if activity else row.activity,
        "kind": activity.kind if activity else QUIZ,
        "phase": summary.phase,
        "students": len(summary.students),
        "code": row.code,
    }
    return ClassLine.model_validate(line)


@routes.post("", status_code=201, responses=may(*CHANGES, 401, 404))
async def make(said: NewClass, _teacher: Teacher, registry: Registry) -> MadeClass:
    """Make a class; students join it with its code."""
    class_id, code = await registry.create(
        said.name.strip(), said.activity, said.goal, said.retention_days
    )
    return MadeClass.model_validate({"class": class_id, "code": code})


@routes.delete("", responses=may(401, 403))
async def delete_all(_teacher: Teacher, registry: Registry) -> Ok:
    """Delete every class with all that is known of its students; activities stay."""
    await asyncio.to_thread(registry.store.delete_everything)
    return Ok()


@routes.get("/{class_id}", response_model=Board, responses=may(401, 404, 422))
async def board(class_id: ClassId, _teacher: Teacher, registry: Registry) -> Response:
    """Return all that the teacher's page shows of a class."""
    live = await (await registry.find(class_id)).fresh()
    return _json(await asyncio.to_thread(live.board))


@routes.delete("/{class_id}", responses=may(401, 403, 404, 422))
async def delete(class_id: ClassId, _teacher: Teacher, registry: Registry) -> Ok:
    """Delete a class with all that is known of its students."""
    if not await asyncio.to_thread(registry.store.delete_class, class_id):
        raise Refused("no_class")
    return Ok()


MOST_FILES = 20
"""How many files of an export may be sent: only four of them count."""

A_FILE = {"type": "string", "format": "binary"}
SEVERAL = {"type": "object", "properties": {"files": {"type": "array", "items": A_FILE}}}
SENT = {
    "text/csv": {"schema": {"type": "string"}},
    "application/zip": {"schema": A_FILE},
    "multipart/form-data": {"schema": SEVERAL},
}
ROSTER = {"requestBody": {"required": True, "content": SENT}}


CHOOSE: dict[int | str, dict[str, Any]] = {
    409: {"model": ClassesOffered, "description": "Choose a class of the export first."}
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


@routes.post("/{class_id}/roster", responses=may(*CHANGES, 401, 404) | CHOOSE, openapi_extra=ROSTER)
async def roster(
    class_id: ClassId,
    request: Request,
    _teacher: Teacher,
    registry: Registry,
    chosen: Chosen = None,
) -> Roster:
    """Enrol the names of a CSV file (with a column ``name``, or just names), or of OneRoster.

    That is its ``users.csv``, with ``roles.csv`` beside it, or the zip of an export. If there are
    several classes in it (``classes.csv``, ``enrollments.csv``), nobody is enrolled before one is
    chosen: the answer lists them, and the same is sent again with the class.
    """
    names = await asyncio.to_thread(names_in, await _sent(request), chosen)
    live = await registry.find(class_id)
    async with live.enrolling:
        added = await _enrolled(registry, live, names)
    return Roster(students=len(names), added=added)


async def _enrolled(registry: ClassRegistry, live: LiveClass, names: Sequence[str]) -> int:
    """Put those who are not in a class yet on its list; return how many they are."""
    known = {one.name.casefold() for one in live.book.state.people.values()}
    events = [Enrolled(new_id(), name) for name in names if name.casefold() not in known]
    if (all_of_them := len(known) + len(events)) > MOST:
        raise Refused("class_too_large", most=MOST, students=all_of_them)
    for event in events:
        await asyncio.to_thread(live.book.check, event)
    stored = [asyncio.wrap_future(registry.store.append(live.id, event)) for event in events]
    await asyncio.gather(*stored)
    await asyncio.to_thread(live.catch_up)
    return len(events)


async def _sent(request: Request) -> bytes | dict[str, bytes]:
    """Return the file that was sent; of several, each by its name."""
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


@routes.get("/{class_id}/frontier", responses=may(401, 404, 409, 422))
async def frontier(
    class_id: ClassId, _teacher: Teacher, registry: Registry, lam: Lam = 0.5
) -> Ways:
    """Return what each way to split the class would cost teacher and students."""
    live = await registry.find(class_id)
    return Ways(**await asyncio.to_thread(live.ways, lam))


@routes.get("/{class_id}/letters", response_model=Letters, responses=may(401, 404, 409, 422))
async def letters(class_id: ClassId, _teacher: Teacher, registry: Registry) -> Response:
    """Return what the children of a writing class wrote, over time."""
    live = await registry.find(class_id)
    return _json(await asyncio.to_thread(live.letters))


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")
