"""The teacher's password: signing in and out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from fastapi import APIRouter, Request, Response

from homeroom.live.access.credentials import HOURS_12, TEACHER, delete_cookie, put_cookie
from homeroom.live.access.passwords import Caller
from homeroom.live.messages.requests import FirstPassword, SignIn
from homeroom.live.messages.responses import Me, Ok
from homeroom.live.refused import Refused
from homeroom.live.routes.dependencies import (
    OF_CHANGES,
    Server,
    ServerState,
    Session,
    TheCaller,
    refusals,
)
from homeroom.live.routes.downloads import address_of, is_local

Checked = TypeVar("Checked")

routes = APIRouter(prefix="/api/teacher", tags=["teacher"])


@routes.get("/me", responses=refusals(), response_model_exclude_none=True)
def me(request: Request, session: Session, server: Server) -> Me:
    """Return whether the teacher is signed in and whether the password is still to be chosen.

    A teacher who is signed in also gets the address for phones, and whether it is local.
    """
    me = Me(signed_in=session is not None, first=not server.passwords.chosen)
    address = address_of(request, server.settings)
    if me.signed_in and address != f"{request.url.scheme}://{request.url.netloc}":
        me.address = address
    if me.signed_in:
        me.local = is_local(address)
    return me


@routes.post("/first", responses=refusals(*OF_CHANGES, 409, 429))
async def choose_first_password(
    body: FirstPassword, response: Response, server: Server, caller: TheCaller
) -> Ok:
    """Set the first password, with the token of the link that the server printed, and sign in."""
    choose = server.passwords.choose_first
    await _check_password(server, caller, choose, body.password, body.setup_token)
    return _begin_session(server, response, caller)


@routes.post("/sign-in", responses=refusals(*OF_CHANGES, 401, 429))
async def sign_in(body: SignIn, response: Response, server: Server, caller: TheCaller) -> Ok:
    """Sign in, always with a new session."""
    if not await _check_password(server, caller, server.passwords.right, body.password):
        raise Refused("wrong_password")
    return _begin_session(server, response, caller)


@routes.post("/sign-out", responses=refusals(403))
async def sign_out(session: Session, response: Response, server: Server) -> Ok:
    """End the teacher's session: close its pages and make copies of its cookie invalid."""
    if session is not None:
        await asyncio.to_thread(server.sessions.end, session)
        server.registry.hub.close_pages(session=session)
    delete_cookie(response, TEACHER, secure=server.settings.secure)
    return Ok()


async def _check_password(
    server: ServerState, caller: Caller, check: Callable[..., Checked], *given: str
) -> Checked:
    """Return ``check(*given)``, after the checks that were sent before.

    The attempt is counted before the check, so that many requests at once cannot exceed the limit.
    A caller over the limit is refused after a delay.
    """
    known = caller.device is not None and caller.device.is_teachers
    async with server.slow_refusals():
        server.wrong_passwords.check_and_count(caller.password_key)
        return await server.passwords.in_turn(check, *given, known=known)


def _begin_session(server: ServerState, response: Response, caller: Caller) -> Ok:
    """Begin a session: forget the wrong attempts, and set the cookies of session and device."""
    server.wrong_passwords.reset(caller.password_key)
    cookie = server.sessions.begin()
    put_cookie(response, TEACHER, cookie, max_age=HOURS_12, secure=server.settings.secure)
    server.remember(response, caller.device, "teacher")
    return Ok()
