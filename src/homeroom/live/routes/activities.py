"""The activities that classes can be taught."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Path, Response, UploadFile

from homeroom.live.access.middleware import PICTURE_POLICY
from homeroom.live.activities import catalogue
from homeroom.live.activities.base import Activity, Picture
from homeroom.live.classbook.board import picture_of
from homeroom.live.hub import Seat
from homeroom.live.messages.responses import (
    Activities,
    ActivityItem,
    ActivityLine,
    ActivityPage,
    Ok,
)
from homeroom.live.refused import Refused
from homeroom.live.registry import ClassRegistry
from homeroom.live.routes.dependencies import (
    OF_CHANGES,
    ActivityId,
    MaybeSeat,
    Registry,
    Session,
    Teacher,
    TeacherRoute,
    refusals,
)
from homeroom.live.store import EventStore

routes = APIRouter(prefix="/api/activities", tags=["activities"])


@routes.get("", responses=refusals(401))
def listed(_teacher: Teacher, registry: Registry) -> Activities:
    """List all activities."""
    return Activities(activities=[_line(one) for one in catalogue.listed(registry.store)])


def _line(one: Activity) -> ActivityLine:
    """Return an activity as an entry of the list of activities."""
    return ActivityLine(
        id=one.id,
        name=one.name,
        kind=one.kind,
        items=len(one.items),
        built_in=one.built_in,
        mapped=one.places is not None,
        question=one.question,
    )


@routes.get("/{activity_id}", responses=refusals(401, 404, 422))
def look(activity_id: ActivityId, _teacher: Teacher, registry: Registry) -> ActivityPage:
    """Return an activity with its items and the right answers."""
    found = catalogue.find(registry.store, activity_id)
    if found is None:
        raise Refused("no_activity")
    items = [
        ActivityItem(
            id=item.id,
            label=found.right_word(item.id) or None,
            text=item.text,
            picture=picture_of(found, item),
            explanation=item.explanation,
            question=item.question,
            options=list(item.options),
        )
        for item in found.items
    ]
    return ActivityPage(
        id=found.id,
        name=found.name,
        kind=found.kind,
        built_in=found.built_in,
        question=found.question,
        options=list(found.words),
        facts=found.facts,
        mapped=found.places is not None,
        items=items,
    )


Files = Annotated[list[UploadFile], File(description="A zip, or a table and pictures.")]
Name = Annotated[str, Form(min_length=1, max_length=80, pattern=r"\S")]

Question = Annotated[str, Form(max_length=200, description="What is asked of every item.")]


uploads = APIRouter(prefix="/api/activities", tags=["activities"], route_class=TeacherRoute)


Base = Annotated[
    str,
    Form(
        pattern=r"^[0-9a-z-]{0,40}$",
        description="An activity whose pictures are kept for items without a new one.",
    ),
]
Replace = Annotated[bool, Form(description="Whether the new activity replaces that one.")]


@uploads.post("", status_code=201, responses=refusals(*OF_CHANGES, 401, 404, 409))
async def upload(  # noqa: PLR0917 - the fields of a form
    name: Name,
    files: Files,
    _teacher: Teacher,
    registry: Registry,
    question: Question = "",
    base: Base = "",
    replace: Replace = False,
) -> ActivityLine:
    """Add an activity: a zip, or a table (CSV, spreadsheet, GIFT, Aiken, XML) with pictures.

    An activity that is replaced stays with the classes that have used it.
    """
    from homeroom.live.activities.reading import read_upload

    came = [(file.filename or "", await file.read()) for file in files]
    store = registry.store
    if base:
        came += await asyncio.to_thread(_pictures_of, store, base, came)
    activity, pictures, skipped = await asyncio.to_thread(
        read_upload, came, name=name.strip(), question=question.strip()
    )
    instead = base if replace and base not in catalogue.BUILT_IN else None
    await asyncio.to_thread(store.save_activity, activity, pictures, instead_of=instead)
    return _line(activity).model_copy(update={"skipped": list(skipped)})


def _pictures_of(
    store: EventStore, base: str, came: Sequence[tuple[str, bytes]]
) -> list[tuple[str, bytes]]:
    """Return the pictures of an activity as files (name, content).

    Items with a new picture in ``came``, the files that were sent, are left out.
    """
    found = catalogue.find(store, base)
    if found is None:
        raise Refused("no_activity")
    if found.places is not None:
        raise Refused("activity_mapped")
    new = {PurePosixPath(name).stem.casefold() for name, _ in came}
    return [
        (f"{item}.{one.media.rpartition('/')[2]}", one.data)
        for item, one in store.pictures(base).items()
        if item.casefold() not in new
    ]


@routes.delete("/{activity_id}", responses=refusals(401, 403, 404, 409, 422))
def delete(activity_id: ActivityId, _teacher: Teacher, registry: Registry) -> Ok:
    """Delete an activity that no class uses."""
    found = catalogue.find(registry.store, activity_id)
    if found is None:
        raise Refused("no_activity")
    if found.built_in:
        raise Refused("activity_stays")
    registry.store.delete_activity(activity_id)
    return Ok()


PICTURE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The picture.",
        "content": {
            media: {"schema": {"type": "string", "format": "binary"}}
            for media in ("image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp")
        },
    }
}


@routes.get(
    "/{activity_id}/items/{item:path}/picture",
    response_class=Response,
    responses={**refusals(401, 404, 422), **PICTURE},
)
async def picture(
    activity_id: ActivityId,
    item: Annotated[str, Path(max_length=200, description="The item.")],
    session: Session,
    seat: MaybeSeat,
    registry: Registry,
) -> Response:
    """Return an item's picture: to the teacher by the item's id, to students by its code."""
    if session is None and seat is None:
        raise Refused("join_first")
    named = None
    if seat is not None:
        named = await _item_with_code(item, activity_id, seat, registry)
    if named is None and session is None:
        raise Refused("no_picture")
    return as_response(
        await asyncio.to_thread(catalogue.picture, registry.store, activity_id, named or item)
    )


def as_response(drawn: Picture | None) -> Response:
    """Return a picture as a response that cannot do anything but show it."""
    if drawn is None:
        raise Refused("no_picture")
    headers = {"content-security-policy": PICTURE_POLICY, "cache-control": "private, max-age=3600"}
    return Response(drawn.data, media_type=drawn.media, headers=headers)


async def _item_with_code(
    code: str, activity_id: str, seat: Seat, registry: ClassRegistry
) -> str | None:
    """Return the id of the item that a student of its class knows by a code."""
    try:
        live = await (await registry.find(seat.class_id)).fresh(seat.student)
    except Refused:
        return None  # the class was deleted
    state = live.state
    if state.activity.id != activity_id or seat.student not in state.people:
        return None
    return state.codes.item_of.get(code)
