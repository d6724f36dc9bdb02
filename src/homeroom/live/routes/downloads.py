"""What a teacher can take away: tables, a report to print, the way in as a QR code."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Sequence
from typing import Any

from fastapi import APIRouter, Request, Response

from homeroom.live.classbook import ClassBook
from homeroom.live.routes.answers import may
from homeroom.live.routes.who import ClassId, Teacher, TheOffice, TheSchool
from homeroom.live.school import School
from homeroom.live.settings import Settings
from homeroom.live.store import Stored

routes = APIRouter(prefix="/api/classes/{class_id}", tags=["downloads"])

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")


def _file(media: str) -> dict[str, Any]:
    """Return the arguments of a route that gives a file."""
    content = {media: {"schema": {"type": "object" if media.endswith("/json") else "string"}}}
    found: dict[int | str, dict[str, Any]] = {200: {"description": "The file.", "content": content}}
    return {"response_class": Response, "responses": {**may(401, 404, 422), **found}}


@routes.get("/export.csv", **_file("text/csv"))
async def export_csv(class_id: ClassId, _teacher: Teacher, school: TheSchool) -> Response:
    """Return every answer as a table."""
    from homeroom.live.exports import csv_of

    return _attached(await _made(school, class_id, csv_of), "text/csv; charset=utf-8", "csv")


@routes.get("/export.json", **_file("application/json"))
async def export_json(class_id: ClassId, _teacher: Teacher, school: TheSchool) -> Response:
    """Return everything that is known of the class."""
    from homeroom.live.exports import json_of

    return _attached(await _made(school, class_id, json_of), "application/json", "json")


@routes.get("/export.xapi.jsonl", **_file("application/jsonl"))
async def export_xapi(
    class_id: ClassId, request: Request, _teacher: Teacher, office: TheOffice
) -> Response:
    """Return every answer as an xAPI statement, one in each line."""
    from homeroom.live.exports import xapi_of

    home = address_of(request, office.settings)

    def made(book: ClassBook, stored: Sequence[Stored]) -> str:
        return xapi_of(book, stored, home=home, class_id=class_id)

    return _attached(await _made(office.school, class_id, made), "application/jsonl", "xapi.jsonl")


@routes.get("/report", **_file("text/html"))
async def report(class_id: ClassId, _teacher: Teacher, school: TheSchool) -> Response:
    """Return a report to be printed."""
    from homeroom.live.exports import policy_of, report_of

    page = await _made(school, class_id, report_of)
    headers = {"content-security-policy": policy_of(page)}
    return Response(page, media_type="text/html", headers=headers)


@routes.get("/qr.svg", **_file("image/svg+xml"))
async def qr(class_id: ClassId, request: Request, _teacher: Teacher, office: TheOffice) -> Response:
    """Return the link to join with as a QR code."""
    import segno

    opened = (await office.school.find(class_id)).book.state.opened
    assert opened is not None
    drawn = io.BytesIO()
    link = f"{address_of(request, office.settings)}/?code={opened.code}"
    segno.make(link, micro=False).save(drawn, kind="svg", scale=8, border=2, light="#fff")
    return Response(drawn.getvalue(), media_type="image/svg+xml")


def address_of(request: Request, settings: Settings) -> str:
    """Return where phones reach this server."""
    if settings.origin is not None:
        return settings.origin
    if settings.phones is not None and request.url.hostname in LOOPBACK:
        return settings.phones
    return f"{request.url.scheme}://{request.url.netloc}"


async def _made(
    school: School, class_id: str, make: Callable[[ClassBook, Sequence[Stored]], str]
) -> str:
    live = await school.find(class_id)

    def made() -> str:
        book = live.catch_up()
        return make(book, school.store.events(class_id)[: book.version])

    return await asyncio.to_thread(made)


def _attached(text: str, media: str, ending: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="class.{ending}"'}
    return Response(text, media_type=media, headers=headers)
