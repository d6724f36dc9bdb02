"""The teacher's password: chosen once, kept as an Argon2 hash."""

from __future__ import annotations

import secrets
import threading

from homeroom.live.refused import Refused
from homeroom.live.settings import Hashing
from homeroom.live.store import Store

SHORTEST, LONGEST = 8, 200
AT_ONCE = 2
"""How many passwords are checked at the same time: each takes a good deal of memory."""

PASSWORD = "password"
NONE = ""


class Passwords:
    """Chooses and checks the teacher's password. Slow on purpose: never in the event loop.

    Parameters
    ----------
    store
        Where the hash is kept.
    setup_token
        What the first password is chosen with.
    hashing
        What a check costs.
    """

    def __init__(self, store: Store, setup_token: str, hashing: Hashing = Hashing()) -> None:
        from argon2 import PasswordHasher

        self._store, self._token = store, setup_token
        self._hasher = PasswordHasher(hashing.passes, hashing.memory, hashing.lanes)
        self._turns = threading.BoundedSemaphore(AT_ONCE)

    @property
    def chosen(self) -> bool:
        """Whether there is a password."""
        return bool(self._store.setting(PASSWORD))

    def choose_first(self, password: str, token: str) -> None:
        """Choose the password, with the token of the link that was printed at the start."""
        if self.chosen:
            raise Refused("password_chosen")
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            raise Refused("old_link")
        if not SHORTEST <= len(password) <= LONGEST:
            raise Refused(
                "password_length", shortest=SHORTEST, longest=LONGEST, letters=len(password)
            )
        with self._turns:
            hashed = self._hasher.hash(password)
        forgotten = self._store.setting(PASSWORD) == NONE
        if not self._store.set_setting(PASSWORD, hashed, only_if_new=not forgotten):
            raise Refused("password_chosen")

    def right(self, password: str) -> bool:
        """Tell whether this is the password."""
        from argon2.exceptions import InvalidHashError, VerificationError

        hashed = self._store.setting(PASSWORD)
        if not hashed or len(password) > LONGEST:
            return False
        with self._turns:
            try:
                return self._hasher.verify(hashed, password)
            except (VerificationError, InvalidHashError):
                return False


def forget_password(store: Store) -> None:
    """Let the password be chosen anew."""
    store.set_setting(PASSWORD, NONE)
