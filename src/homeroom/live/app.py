"""The live classroom as an ASGI application."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from homeroom import _plugins
from homeroom.live.access.middleware import BodySizeLimit, OriginCheck, SecurityHeaders
from homeroom.live.activities import Upload, insects
from homeroom.live.refused import Refused
from homeroom.live.registry import ClassRegistry
from homeroom.live.routes import (
    activities,
    classes,
    downloads,
    pages,
    students,
    teacher,
)
from homeroom.live.routes.dependencies import ServerState
from homeroom.live.settings import ServerSettings
from homeroom.live.store import EventStore, open_store

log = logging.getLogger("homeroom.live")

HOUR = 3600.0
SWEEP_SECONDS, SWEEPS = 5.0, 6.0
"""The most seconds between two searches for absent students, and how many there are at least before
a student counts as absent: servers inform each other at each of them."""

DEMO_DISCUSSION = 4.0
"""Seconds for which the solution is shown in the demo class."""

ROUTERS = (
    students.routes,
    pages.websocket_routes,
    teacher.routes,
    activities.routes,
    classes.routes,
    classes.lesson_routes,
    downloads.routes,
    pages.projector_routes,
    downloads.everything,
    activities.uploads,
)
"""The routes of the API, in the order in which they are tried."""

EXTRA = "extra_forbidden"
"""The validation error for an unknown field, whose name comes from the caller."""


def create_app(
    settings: ServerSettings = ServerSettings(), store: EventStore | None = None
) -> FastAPI:
    """Return the application: the pages, the API, and the WebSocket that keeps pages up to date.

    Parameters
    ----------
    settings
        How it is run.
    store
        An open store that is used instead of ``settings.database``, and stays open.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        """Open the store, run the tasks of the server, and close everything at the end."""
        with ExitStack() as opened:
            kept = store
            if kept is None:
                own = await asyncio.to_thread(open_store, settings.database)
                kept = opened.enter_context(own)
            registry = ClassRegistry(kept)
            app.state.server = ServerState(settings, registry)
            await asyncio.to_thread(_add_activities, kept, settings.activities)
            tasks = [asyncio.create_task(_purge_hourly(registry))]
            if settings.demo:
                from homeroom.live.simulated import crowd

                class_id, app.state.demo_code = await registry.create(
                    "Demo class", insects.ID, reveal="all", discussion=DEMO_DISCUSSION
                )
                tasks.append(asyncio.create_task(crowd(registry, class_id, settings.demo)))
            if settings.away_after:
                tasks.append(asyncio.create_task(_sweep(registry, settings.away_after)))
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                app.state.server.passwords.close()
                await registry.close()

    app = FastAPI(
        title="homeroom",
        version=_plugins.version(),
        description="The live classroom. A refusal is one sentence, in `detail`, with a `code` and "
        "the `values` to show it in another language.",
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,  # these pages would load scripts from other servers
        redoc_url=None,
        routes=[route for router in ROUTERS for route in router.routes],  # not built per app
    )
    pages.add_pages(app, settings.static)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _failed)
    app.add_middleware(BodySizeLimit)
    app.add_middleware(OriginCheck, origin=settings.origin)
    app.add_middleware(SecurityHeaders)
    return app


def _add_activities(store: EventStore, uploads: Sequence[Upload]) -> None:
    """Add the activities that are not in the store yet."""
    for activity, pictures in uploads:
        if store.activity(activity.id) is None:
            store.save_activity(activity, pictures)


async def _purge_hourly(registry: ClassRegistry) -> None:
    """Delete classes whose retention time is over, every hour."""
    while True:
        try:
            await asyncio.to_thread(registry.store.purge)
        except Exception:  # it is tried again
            log.exception("Expired classes could not be deleted")
        await asyncio.sleep(HOUR)


async def _sweep(registry: ClassRegistry, after: float) -> None:
    """Count students without an open page as absent after a while."""
    while True:
        await asyncio.sleep(min(SWEEP_SECONDS, after / SWEEPS))
        try:
            await registry.sweep(after)
        except Exception:  # it is tried again
            log.exception("Absent students could not be determined")


async def _refused(_request: Request, why: Any) -> Response:
    """Answer a refusal, or an error of the framework such as 404, with its sentence."""
    if isinstance(why, Refused):
        return JSONResponse(why.problem, why.status, why.headers)
    malformed = why.status_code == HTTPStatus.BAD_REQUEST
    refused = Refused("not_readable") if malformed else Refused("no_such_call")
    problem = {**refused.problem, "detail": str(why.detail)}
    return JSONResponse(problem, why.status_code, why.headers)


async def _invalid(_request: Request, why: Any) -> Response:
    """Answer which part of a request is invalid, without repeating what was sent."""
    first = why.errors()[0]
    known = first["loc"][1:-1] if first["type"] == EXTRA else first["loc"][1:]
    where = ".".join(str(part) for part in known if isinstance(part, str))
    message = str(first["msg"]).rstrip(".")
    refused = Refused("not_understood", what=f"{where}: {message}" if where else message)
    return JSONResponse(refused.problem, refused.status)


async def _failed(_request: Request, _why: Exception) -> Response:
    """Answer that the server failed; the details are in the log."""
    refused = Refused("failed")
    return JSONResponse(refused.problem, refused.status)
