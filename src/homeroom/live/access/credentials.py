"""Signed cookies, the tickets of students (their cookies' content), and codes to join with."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from dataclasses import dataclass
from typing import Any

from homeroom.live.store import EventStore

TEACHER, STUDENT, DEVICE = "homeroom_teacher", "homeroom_student", "homeroom_device"
"""The names of the cookies."""

HOURS_12 = 12 * 3600
DAYS_30 = 30 * 24 * 3600
SECRET, SIGNED_OUT = "secret", "signed-out"
"""The settings of the store with the secret that signs cookies, and with the ended sessions."""

CODE_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without 0, 1, I and O, which are hard to tell apart."""

CODE_LENGTH = 6
"""Characters of the code of a class. There are a billion such codes."""

SEAT_CODE_LENGTH = 8
"""Characters of a seat code: longer, so that people can tell it from the code of a class."""


class Sessions:
    """The teacher's sessions.

    A cookie holds the signed id of a session and the time at which it began. The store holds the
    secret and the sessions that have ended, so that every process knows every session.

    Parameters
    ----------
    store
        The store with the secret.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._signer = _signer(store, TEACHER)

    def begin(self) -> str:
        """Return the cookie of a new session."""
        return str(self._signer.dumps(secrets.token_hex(16)))

    def of(self, cookie: str) -> str | None:
        """Return the session that a cookie belongs to, if it is valid."""
        from itsdangerous import BadData

        try:
            session = self._signer.loads(cookie, max_age=HOURS_12)
        except BadData:
            return None
        return None if str(session) in self._ended() else str(session)

    def end(self, session: str) -> None:
        """End a session: its cookie is no longer valid anywhere."""
        now = time.time()
        kept = {one: at for one, at in self._ended().items() if at > now - HOURS_12}
        self._store.set_setting(SIGNED_OUT, json.dumps({**kept, session: now}))

    def _ended(self) -> dict[str, float]:
        """Return the sessions that were ended, with the times."""
        ended: dict[str, float] = json.loads(self._store.setting(SIGNED_OUT) or "{}")
        return ended


def end_all_sessions(store: EventStore) -> None:
    """End every session of the teacher, by a new secret."""
    store.set_setting(SECRET, secrets.token_urlsafe(32))


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
    """Distinguishes the devices at one address, so that one does not lock out the others.

    Parameters
    ----------
    store
        The store with the secret that signs the cookies.
    """

    def __init__(self, store: EventStore) -> None:
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


def _signer(store: EventStore, purpose: str) -> Any:
    """Return what signs the cookies of a purpose, with the secret of this store."""
    from itsdangerous import URLSafeTimedSerializer

    store.set_setting(SECRET, secrets.token_urlsafe(32), only_if_new=True)
    return URLSafeTimedSerializer(store.setting(SECRET) or "", salt=purpose)


def new_ticket() -> str:
    """Return the content of a student's cookie: 192 random bits."""
    return secrets.token_urlsafe(24)


def hash_of(secret: str) -> str:
    """Return the hash of a ticket or a code: all that the store keeps of it.

    >>> len(hash_of("a ticket"))
    64
    """
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def new_code(length: int = CODE_LENGTH) -> str:
    """Return a random code that is short enough to be read out."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(length))


def normal_code(text: str) -> str:
    """Return a code as it is stored, however it was typed.

    >>> normal_code(" abc-234 ")
    'ABC234'
    """
    return "".join(letter for letter in text.upper() if letter in CODE_ALPHABET)


def put_cookie(response: Any, name: str, value: str, *, max_age: int, secure: bool) -> None:
    """Set a cookie that scripts cannot read and other sites cannot send."""
    response.set_cookie(
        name, value, max_age=max_age, path="/", httponly=True, samesite="lax", secure=secure
    )


def delete_cookie(response: Any, name: str, *, secure: bool) -> None:
    """Delete a cookie."""
    response.delete_cookie(name, path="/", httponly=True, samesite="lax", secure=secure)
