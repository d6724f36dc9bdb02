"""The pages themselves, as the front end's build left them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from homeroom.live.access.credentials import DEVICE
from homeroom.live.routes.who import Office
from homeroom.live.settings import NOT_BUILT

PAGES = (
    "/",
    "/student",
    "/write",
    "/teacher",
    "/teacher/first",
    "/teacher/classes/{class_id}",
    "/teacher/classes/{class_id}/letters",
    "/teacher/classes/{class_id}/report",
)
"""All are one page, which looks at its address."""


class Hashed(StaticFiles):
    """Files whose names change with what is in them: a browser keeps them for good."""

    def file_response(self, *args: Any, **named: Any) -> Response:
        answer = super().file_response(*args, **named)
        answer.headers["cache-control"] = "public, max-age=31536000, immutable"
        return answer


def add_pages(app: FastAPI, static: Path) -> None:
    """Serve the pages, their scripts and their styles."""

    def page(request: Request) -> Response:
        index = static / "index.html"
        if not index.is_file():
            return PlainTextResponse(NOT_BUILT, 503)
        response = FileResponse(index, headers={"cache-control": "no-cache"})
        office: Office = request.app.state.office
        office.remember(response, office.devices.of(request.cookies.get(DEVICE, "")))
        return response

    for path in PAGES:
        app.add_route(path, page, include_in_schema=False)
    if static.is_dir():
        assets = Hashed(directory=static / "assets", check_dir=False)
        app.mount("/assets", GZipMiddleware(assets), name="assets")
        app.mount("/", StaticFiles(directory=static), name="static")
