"""What a teacher can download: exports, the report, and the link to join as a QR code."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypeAlias, TypeVar
from urllib.parse import urlsplit

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from homeroom.live.classbook.state import State
from homeroom.live.events import Removed
from homeroom.live.live_class import rebuild
from homeroom.live.messages.common import to_json
from homeroom.live.messages.responses import Restored
from homeroom.live.messages.views import Report
from homeroom.live.registry import ClassRegistry
from homeroom.live.routes.dependencies import (
    OF_CHANGES,
    ClassId,
    Registry,
    Server,
    Teacher,
    TeacherRoute,
    refusals,
)
from homeroom.live.settings import ServerSettings
from homeroom.live.store import Stored
from homeroom.live.store.store import until_lesson

routes = APIRouter(prefix="/api/classes/{class_id}", tags=["downloads"])

Lesson = Annotated[
    int | None, Query(ge=1, le=100_000, description="The lesson; the present one by default.")
]

BACKUP = "application/octet-stream"
"""The media type of a backup."""


def _file(media: str, *more: int) -> dict[str, Any]:
    """Return the arguments of a route for a file of type ``media``, with ``more`` refusals."""
    content = {media: {"schema": {"type": "object" if media.endswith("/json") else "string"}}}
    found: dict[int | str, dict[str, Any]] = {200: {"description": "The file.", "content": content}}
    return {"response_class": Response, "responses": {**refusals(401, 404, 422, *more), **found}}


@routes.get("/export.csv", **_file("text/csv"))
async def export_csv(
    class_id: ClassId, _teacher: Teacher, registry: Registry, lesson: Lesson = None
) -> Response:
    """Return the answers of a lesson as CSV, or in a class that writes the letters' scores."""
    from homeroom.live.exports import csv_of

    return await _download(
        registry, class_id, csv_of, "text/csv; charset=utf-8", "csv", lesson=lesson
    )


@routes.get("/export.json", **_file("application/json"))
async def export_json(class_id: ClassId, _teacher: Teacher, registry: Registry) -> Response:
    """Return all data of the class."""
    from homeroom.live.exports import json_of

    return await _download(registry, class_id, json_of, "application/json", "json")


@routes.get("/export.inkml", **_file("application/inkml+xml"))
async def export_inkml(
    class_id: ClassId, _teacher: Teacher, registry: Registry, lesson: Lesson = None
) -> Response:
    """Return the letters of a lesson as InkML, which ``homeroom write score`` reads."""
    from homeroom.live.exports import inkml_of

    return await _download(
        registry, class_id, inkml_of, "application/inkml+xml", "inkml", lesson=lesson
    )


@routes.get("/export.xapi.jsonl", **_file("application/jsonl"))
async def export_xapi(
    class_id: ClassId, request: Request, _teacher: Teacher, server: Server, lesson: Lesson = None
) -> Response:
    """Return every answer of a lesson as an xAPI statement, one per line."""
    from homeroom.live.exports import xapi_of

    home = address_of(request, server.settings)

    def made(state: State, stored: Sequence[Stored]) -> str:
        return xapi_of(state, stored, home=home, class_id=class_id)

    return await _download(
        server.registry, class_id, made, "application/jsonl", "xapi.jsonl", lesson=lesson
    )


@routes.get("/export.experiment.jsonl", **_file("application/jsonl", 409))
async def export_experiment(
    class_id: ClassId, _teacher: Teacher, registry: Registry, lesson: Lesson = None
) -> Response:
    """Return the log of an experiment, which ``homeroom evaluate`` reads."""
    from homeroom.live.exports import experiment_of

    made = partial(experiment_of, class_id=class_id)
    return await _download(
        registry, class_id, made, "application/jsonl", "experiment.jsonl", lesson=lesson
    )


@routes.get("/report", response_model=Report, responses=refusals(401, 404, 422))
async def report(
    class_id: ClassId, _teacher: Teacher, registry: Registry, lesson: Lesson = None
) -> Response:
    """Return the data of the report on a lesson; the page puts it into words."""
    from homeroom.live.exports import report_of

    report, *_ = await _from_class(registry, class_id, report_of, lesson)
    return Response(to_json(report), media_type="application/json")


@routes.get("/qr.svg", **_file("image/svg+xml"))
async def qr(class_id: ClassId, request: Request, _teacher: Teacher, server: Server) -> Response:
    """Return the link to join with as a QR code."""
    import segno

    opened = (await server.registry.find(class_id)).state.opened
    assert opened is not None
    drawn = io.BytesIO()
    link = f"{address_of(request, server.settings)}/?code={opened.code}"
    segno.make(link, micro=False).save(drawn, kind="svg", scale=8, border=2, light="#fff")
    return Response(drawn.getvalue(), media_type="image/svg+xml")


def is_local(address: str) -> bool:
    """Return whether an address is a loopback address, which no other device can open.

    >>> is_local("http://127.0.0.1:8000"), is_local("http://192.168.0.7:8000")
    (True, False)
    """
    name = urlsplit(address).hostname or ""
    try:
        host = ip_address(name)
    except ValueError:
        return name == "localhost"
    if isinstance(host, IPv6Address):
        host = host.ipv4_mapped or host
    return host.is_loopback or host.is_unspecified


def qr_rows(address: str, code: str) -> list[str]:
    """Return the link with a code as the rows of a QR code, 1 where it is dark.

    Empty if no other device could open the link.
    """
    import segno

    if is_local(address):
        return []
    drawn = segno.make(f"{address}/?code={code}", micro=False).matrix
    return ["".join(map(str, row)) for row in drawn]


everything = APIRouter(prefix="/api", tags=["downloads"], route_class=TeacherRoute)

A_BACKUP: dict[str, Any] = {BACKUP: {"schema": {"type": "string", "format": "binary"}}}


@everything.get(
    "/backup",
    response_class=Response,
    responses={**refusals(401), 200: {"description": "The backup.", "content": A_BACKUP}},
)
async def backup(_teacher: Teacher, registry: Registry) -> Response:
    """Return all classes and activities in one file, without the password."""
    from homeroom.live.backup import back_up

    folder = await asyncio.to_thread(TemporaryDirectory)
    try:
        path = Path(folder.name) / "backup.db"
        await asyncio.to_thread(back_up, registry.store, path)
    except BaseException:
        folder.cleanup()
        raise
    named = f"homeroom-{datetime.now().astimezone().date().isoformat()}.db"
    return FileResponse(
        path, media_type=BACKUP, filename=named, background=BackgroundTask(folder.cleanup)
    )


@everything.post(
    "/restore",
    responses=refusals(*OF_CHANGES, 401, 409),
    openapi_extra={"requestBody": {"required": True, "content": A_BACKUP}},
)
async def restore(request: Request, _teacher: Teacher, registry: Registry) -> Restored:
    """Add the classes and activities of a backup that are not here."""
    from homeroom.live.backup import restore as add

    with TemporaryDirectory() as folder:
        path = Path(folder) / "backup.db"
        with path.open("wb") as file:
            async for part in request.stream():
                await asyncio.to_thread(file.write, part)
        counts = await asyncio.to_thread(add, registry.store, path)
    return Restored(**counts._asdict())


def address_of(request: Request, settings: ServerSettings) -> str:
    """Return the address for links to this server.

    The public one, else the one in the local network if the request came from this machine, else
    the one that the request used. It may be local: see :func:`is_local`.
    """
    if settings.origin is not None:
        return settings.origin
    if settings.phones is not None and is_local(str(request.url)):
        return settings.phones
    return f"{request.url.scheme}://{request.url.netloc}"


Made = TypeVar("Made")
Make: TypeAlias = Callable[[State, Sequence[Stored]], Made]
"""Makes something from a class and the stored events behind it."""


async def _from_class(
    registry: ClassRegistry, class_id: str, make: Make[Made], lesson: int | None = None
) -> tuple[Made, str, Stored]:
    """Return ``make(state, log)`` for a class, its name, and the last event of the log.

    Computed in a thread. ``lesson`` selects an earlier lesson: state and log are then those at its
    end, but without the students who have been removed since.
    """
    live = await registry.find(class_id)

    def made() -> tuple[Made, str, Stored]:
        state = live.catch_up()
        assert state.opened is not None
        name = state.opened.name
        stored: Sequence[Stored] = registry.store.events(class_id)[: state.version]
        if lesson is not None and lesson != state.lesson:
            removed = Removed(tuple(state.removed))
            stored = until_lesson(stored, lesson)
            state = rebuild(registry.store, class_id, [one.event for one in stored]).after(removed)
        return make(state, stored), name, stored[-1]

    return await asyncio.to_thread(made)


async def _download(
    registry: ClassRegistry,
    class_id: str,
    make: Make[str],
    media: str,
    ending: str,
    *,
    lesson: int | None = None,
) -> Response:
    """Return the text that ``make`` returns as a download of media type ``media``.

    Its file name has the name of the class, the day of the last event, and ``ending``.
    """
    from homeroom.live.exports import file_name

    text, name, last = await _from_class(registry, class_id, make, lesson)
    named = file_name(name, datetime.fromtimestamp(last.at).astimezone().date(), ending)
    headers = {"content-disposition": f'attachment; filename="{named}"'}
    return Response(text, media_type=media, headers=headers)
