"""Cookies: signed ones for the teacher and for devices, and a random ticket for each student."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from dataclasses import dataclass
from typing import Any

from homeroom.live.store import Store

TEACHER, STUDENT, DEVICE = "homeroom_teacher", "homeroom_student", "homeroom_device"
"""The cookies' names."""

HOURS_12 = 12 * 3600
DAYS_30 = 30 * 24 * 3600
SECRET, SIGNED_OUT = "secret", "signed-out"


class Sessions:
    """Who is signed in as the teacher.

    A cookie holds a session's number and when it was begun, signed; the store holds the secret, and
    the sessions that were ended. So every process knows every session.

    Parameters
    ----------
    store
        Where the secret is kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._signer = _signer(store, TEACHER)

    def begin(self) -> str:
        """Return the cookie of a new session; a cookie that came with the request plays no part."""
        return str(self._signer.dumps(secrets.token_hex(16)))

    def of(self, cookie: str) -> str | None:
        """Return the session that a cookie belongs to, if that still counts."""
        from itsdangerous import BadData

        try:
            session = self._signer.loads(cookie, max_age=HOURS_12)
        except BadData:
            return None
        return None if str(session) in self._ended() else str(session)

    def end(self, session: str) -> None:
        """End a session, wherever its cookie may be."""
        now = time.time()
        kept = {one: at for one, at in self._ended().items() if at > now - HOURS_12}
        self._store.set_setting(SIGNED_OUT, json.dumps({**kept, session: now}))

    def _ended(self) -> dict[str, float]:
        ended: dict[str, float] = json.loads(self._store.setting(SIGNED_OUT) or "{}")
        return ended


@dataclass(frozen=True)
class Device:
    """A browser, by the random id in its cookie.

    Parameters
    ----------
    id
        The id.
    role
        ``"teacher"`` if a teacher has signed in on it, ``"student"`` if a student has joined a
        class on it; else empty.
    """

    id: str
    role: str = ""

    @property
    def is_teachers(self) -> bool:
        """Whether a teacher has signed in on it."""
        return self.role == "teacher"


class Devices:
    """Tells devices at one address apart, so that one does not lock out the others.

    Parameters
    ----------
    store
        Where the secret is kept that signs the cookies.
    """

    def __init__(self, store: Store) -> None:
        self._signer = _signer(store, DEVICE)

    def cookie(self, device: Device | None = None, role: str = "") -> str:
        """Return the cookie of a device, which may be a new one, in a role."""
        known = device or Device(secrets.token_hex(8))
        return str(self._signer.dumps([known.id, role or known.role]))

    def of(self, cookie: str) -> Device | None:
        """Return the device that a cookie belongs to."""
        from itsdangerous import BadData

        try:
            number, role = self._signer.loads(cookie, max_age=DAYS_30)
        except BadData:
            return None
        return Device(number, role)


def _signer(store: Store, purpose: str) -> Any:
    """Return what signs the cookies of a purpose, with the secret of this store."""
    from itsdangerous import URLSafeTimedSerializer

    store.set_setting(SECRET, secrets.token_urlsafe(32), only_if_new=True)
    return URLSafeTimedSerializer(store.setting(SECRET) or "", salt=purpose)


def end_all_sessions(store: Store) -> None:
    """End every teacher's session: nothing that was signed so far counts any more."""
    store.set_setting(SECRET, secrets.token_urlsafe(32))


def new_ticket() -> str:
    """Return what a student's cookie holds: 192 bits that nobody can guess."""
    return secrets.token_urlsafe(24)


def hash_of(ticket: str) -> str:
    """Return what the store keeps of a ticket; the ticket cannot be told from it.

    >>> len(hash_of("a ticket"))
    64
    """
    return hashlib.sha256(ticket.encode("utf-8", "replace")).hexdigest()


def put_cookie(response: Any, name: str, value: str, *, max_age: int, secure: bool) -> None:
    """Send a cookie that scripts cannot read and other sites cannot send."""
    response.set_cookie(
        name, value, max_age=max_age, path="/", httponly=True, samesite="lax", secure=secure
    )


def take_cookie(response: Any, name: str, *, secure: bool) -> None:
    """Take a cookie back."""
    response.delete_cookie(name, path="/", httponly=True, samesite="lax", secure=secure)
