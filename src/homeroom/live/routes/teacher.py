"""Signing in and out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from fastapi import APIRouter, Request, Response

from homeroom.live.access.attempts import Caller
from homeroom.live.access.credentials import HOURS_12, TEACHER, delete_cookie, put_cookie
from homeroom.live.messages.said import FirstPassword, Password
from homeroom.live.messages.told import Me, Ok
from homeroom.live.refused import Refused
from homeroom.live.routes.answers import CHANGES, may
from homeroom.live.routes.downloads import address_of
from homeroom.live.routes.who import Office, Session, TheCaller, TheOffice

Checked = TypeVar("Checked")

routes = APIRouter(prefix="/api/teacher", tags=["teacher"])


@routes.get("/me", responses=may(), response_model_exclude_none=True)
def me(request: Request, session: Session, office: TheOffice) -> Me:
    """Say whether the teacher is signed in."""
    me = Me(signed_in=session is not None, first=not office.passwords.chosen)
    address = address_of(request, office.settings)
    if me.signed_in and address != f"{request.url.scheme}://{request.url.netloc}":
        me.address = address
    return me


@routes.post("/first", responses=may(*CHANGES, 409, 429))
async def first(
    said: FirstPassword, response: Response, office: TheOffice, caller: TheCaller
) -> Ok:
    """Choose the password, once, with the token of the link printed at the start; sign in."""
    choose = office.passwords.choose_first
    await _in_turn(office, caller, choose, said.password, said.setup_token)
    return _signed_in(office, response, caller)


@routes.post("/sign-in", responses=may(*CHANGES, 401, 429))
async def sign_in(said: Password, response: Response, office: TheOffice, caller: TheCaller) -> Ok:
    """Sign in; the session is a new one, whatever cookie came."""
    if not await _in_turn(office, caller, office.passwords.right, said.password):
        raise Refused("wrong_password")
    return _signed_in(office, response, caller)


@routes.post("/sign-out", responses=may(403))
async def sign_out(session: Session, response: Response, office: TheOffice) -> Ok:
    """Sign out: the session counts no more, wherever its cookie may be."""
    if session is not None:
        await asyncio.to_thread(office.sessions.end, session)
        office.registry.hub.close_pages(session=session)
    delete_cookie(response, TEACHER, secure=office.settings.secure)
    return Ok()


async def _in_turn(
    office: Office, caller: Caller, check: Callable[..., Checked], *given: str
) -> Checked:
    """Check a password when it is its turn; count the try first, so that few of many get one."""
    known = caller.device is not None and caller.device.is_teachers
    async with office.slow_refusals():
        office.wrong_passwords.take(caller)
        return await office.passwords.in_turn(check, *given, known=known)


def _signed_in(office: Office, response: Response, caller: Caller) -> Ok:
    office.wrong_passwords.reset(caller)
    cookie = office.sessions.begin()
    put_cookie(response, TEACHER, cookie, max_age=HOURS_12, secure=office.settings.secure)
    office.remember(response, caller.device, "teacher")
    return Ok()
