"""The live classroom as one application."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from homeroom.live.access.middleware import BodySizeLimit, OriginCheck, SecurityHeaders
from homeroom.live.activities import Upload, insects
from homeroom.live.refused import Refused
from homeroom.live.routes import activities, classes, downloads, ink, live, steering, students
from homeroom.live.routes import teacher as teacher_routes
from homeroom.live.routes.pages import add_pages
from homeroom.live.routes.who import Office
from homeroom.live.school import School
from homeroom.live.settings import Settings
from homeroom.live.store import EventStore, open_store

log = logging.getLogger("homeroom.live")

HOUR = 3600.0
LOOKING, SOONER = 5.0, 6.0
"""The most seconds between two looks at who is missing, and how many looks there are at the least
before anybody counts as gone: servers tell each other at each look who is there."""

EXTRA = "extra_forbidden"
"""What is wrong with a part of a call that nobody asked for: its name is the caller's own."""


def create_app(settings: Settings = Settings(), store: EventStore | None = None) -> FastAPI:
    """Return the application: the pages, the API, and the WebSocket that keeps pages up to date.

    Parameters
    ----------
    settings
        How it is run.
    store
        An open store that is used instead of ``settings.database``, and stays open.
    """

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        with ExitStack() as opened:
            kept = store
            if kept is None:
                own = await asyncio.to_thread(open_store, settings.database)
                kept = opened.enter_context(own)
            school = School(kept)
            app.state.office = Office(settings, school)
            await asyncio.to_thread(_bring, kept, settings.activities)
            tasks = [asyncio.create_task(_tidy(school))]
            if settings.demo:
                from homeroom.live.simulated import crowd

                class_id, app.state.demo_code = await school.make("Demo class", insects.ID)
                tasks.append(asyncio.create_task(crowd(school, class_id, settings.demo)))
            if settings.away_after:
                tasks.append(asyncio.create_task(_look(school, settings.away_after)))
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                app.state.office.passwords.close()
                await school.close()

    app = FastAPI(
        title="homeroom",
        version=version("homeroom"),
        description="The live classroom. Every refusal is one sentence, in `detail`, with a `code` "
        "and the `values` to say it in another language.",
        lifespan=life,
        openapi_url="/api/openapi.json",
        docs_url=None,  # their pages load scripts from elsewhere
        redoc_url=None,
    )
    for part in (students, live, ink, teacher_routes, activities, classes, steering, downloads):
        app.include_router(part.routes)
    app.include_router(activities.uploads)
    add_pages(app, settings.static)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(Exception, _failed)
    app.add_middleware(BodySizeLimit)
    app.add_middleware(OriginCheck, origin=settings.origin)
    app.add_middleware(SecurityHeaders)
    return app


def _bring(store: EventStore, uploads: Sequence[Upload]) -> None:
    """Add the activities that are not there yet."""
    for activity, pictures in uploads:
        if store.activity(activity.id) is None:
            store.save_activity(activity, pictures)


async def _tidy(school: School) -> None:
    """Delete what was kept for long enough, every hour."""
    while True:
        try:
            await asyncio.to_thread(school.store.purge)
        except Exception:  # it is tried again
            log.exception("What was kept for long enough could not be deleted")
        await asyncio.sleep(HOUR)


async def _look(school: School, after: float) -> None:
    """Count as gone who has had no page open for a while."""
    while True:
        await asyncio.sleep(min(LOOKING, after / SOONER))
        try:
            await school.sweep(after)
        except Exception:  # it is tried again
            log.exception("Who is missing could not be told")


async def _refused(_request: Request, why: Any) -> Response:
    """Answer a refusal with its sentence."""
    if isinstance(why, Refused):
        return JSONResponse(why.problem, why.status, why.headers)
    unread = why.status_code == HTTPStatus.BAD_REQUEST
    problem = Refused("not_readable") if unread else Refused("no_such_call")
    said = {**problem.problem, "detail": str(why.detail)}
    return JSONResponse(said, why.status_code, why.headers)


async def _not_understood(_request: Request, why: Any) -> Response:
    """Say which part of a call was not as expected; never repeat what came."""
    first = why.errors()[0]
    known = first["loc"][1:-1] if first["type"] == EXTRA else first["loc"][1:]
    where = ".".join(str(part) for part in known if isinstance(part, str))
    said = str(first["msg"]).rstrip(".")
    refused = Refused("not_understood", what=f"{where}: {said}" if where else said)
    return JSONResponse(refused.problem, refused.status)


async def _failed(_request: Request, _why: Exception) -> Response:
    """Say that it was not the caller's fault; the log has the rest."""
    refused = Refused("failed")
    return JSONResponse(refused.problem, refused.status)
