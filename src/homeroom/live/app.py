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
from homeroom.live.access.middleware import (
    REFUSAL_SECONDS,
    BodySizeLimit,
    OriginCheck,
    SecurityHeaders,
    content_length,
)
from homeroom.live.activities import Upload, insects
from homeroom.live.messages.common import EXTRA
from homeroom.live.refused import CODES, Refused
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
"""The longest time between two checks for absent students, in seconds, and the smallest number of
checks before a student counts as absent. At each check, the server processes inform each other."""

SMALL_BYTES = 2000
"""Bytes of a body that is read quickly, whatever is in it."""

DEMO_DISCUSSION = 4.0
"""Seconds for which the solution is shown in the demo class."""

ROUTERS = (
    students.routes,
    students.letters,
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


def create_app(
    settings: ServerSettings = ServerSettings(), store: EventStore | None = None
) -> FastAPI:
    """Return the application: the pages, the API, and the WebSocket that keeps pages up to date.

    Parameters
    ----------
    settings
        The settings of the server.
    store
        An open store that is used instead of ``settings.database``, and stays open.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        """Open the store and run the background tasks, until the server stops."""
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
        routes=[route for router in ROUTERS for route in router.routes],  # shared by all apps
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
    for activity, pictures, _ in uploads:
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
    """Count students as absent who had no open page for ``after`` seconds, again and again."""
    while True:
        await asyncio.sleep(min(SWEEP_SECONDS, after / SWEEPS))
        try:
            await registry.sweep(after)
        except Exception:  # it is tried again
            log.exception("Absent students could not be determined")


async def _refused(_request: Request, why: Any) -> Response:
    """Return the response to a refusal, or to an HTTP error such as an unknown address."""
    if isinstance(why, Refused):
        return JSONResponse(why.problem, why.status, why.headers)
    malformed = why.status_code == HTTPStatus.BAD_REQUEST
    refused = Refused("not_readable") if malformed else Refused("no_such_call")
    problem = {**refused.problem, "detail": str(why.detail)}
    return JSONResponse(problem, why.status_code, why.headers)


async def _invalid(request: Request, why: Any) -> Response:
    """Return a response that names the invalid part of a request, without repeating its value.

    A large body took long to read, so the client waits before it can send another.
    """
    if content_length(request.scope) > SMALL_BYTES or "transfer-encoding" in request.headers:
        await asyncio.sleep(REFUSAL_SECONDS)
    first = why.errors()[0]
    if first["type"] in CODES["refused"]:  # with its own sentence
        refused = Refused(first["type"], **first["ctx"])
        return JSONResponse(refused.problem, refused.status)
    # The caller chose the name of an unknown field, so it is not repeated.
    known = first["loc"][1:-1] if first["type"] == EXTRA else first["loc"][1:]
    where = ".".join(str(part) for part in known if isinstance(part, str))
    message = str(first["msg"]).rstrip(".")
    refused = Refused("not_understood", what=f"{where}: {message}" if where else message)
    return JSONResponse(refused.problem, refused.status)


async def _failed(_request: Request, _why: Exception) -> Response:
    """Return the response to an unexpected error; the details are only in the log."""
    refused = Refused("failed")
    return JSONResponse(refused.problem, refused.status)
