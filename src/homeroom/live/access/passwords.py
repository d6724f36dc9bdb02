"""The teacher's password: chosen once, kept as an Argon2 hash, checked in a separate thread."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from homeroom.live.refused import Refused
from homeroom.live.settings import Hashing
from homeroom.live.store import EventStore

T = TypeVar("T")

SHORTEST, LONGEST = 8, 200
WAITING, WAITING_KNOWN = 8, 16
"""How many checks may wait, and how many if one is from a device on which a teacher signed in."""

LOW_PRIORITY = 10
"""The priority of the thread that checks passwords, from 0 (as the others) to 19 (the lowest)."""

PASSWORD = "password"
NONE = ""


class Passwords:
    """Chooses and checks the teacher's password. Slow on purpose: call it through `in_turn`.

    Parameters
    ----------
    store
        The store with the hash.
    setup_token
        The token with which the first password is chosen.
    hashing
        The cost of a check.
    """

    def __init__(self, store: EventStore, setup_token: str, hashing: Hashing = Hashing()) -> None:
        from argon2 import PasswordHasher

        self._store, self._token = store, setup_token
        self._hasher = PasswordHasher(hashing.passes, hashing.memory, hashing.lanes)
        self._thread = ThreadPoolExecutor(1, "homeroom-passwords", _yield_to_others)
        self._waiting = 0

    async def in_turn(self, check: Callable[..., T], *given: str, known: bool = False) -> T:
        """Run a method of this object in its thread, after those that wait.

        A check takes a tenth of a second and much memory. One at a time leaves the other cores and
        all other threads to the classes.

        Parameters
        ----------
        check, given
            The method, and its arguments.
        known
            Whether a teacher has signed in from this device before: guesses do not keep them out.
        """
        if self._waiting >= (WAITING_KNOWN if known else WAITING):
            raise Refused("passwords_busy")
        self._waiting += 1
        running = self._thread.submit(check, *given)
        done = asyncio.wrap_future(running)
        loop = asyncio.get_running_loop()
        running.add_done_callback(lambda _: loop.call_soon_threadsafe(self._checked))
        return await asyncio.shield(done)

    def _checked(self) -> None:
        self._waiting -= 1

    def close(self) -> None:
        """Wait for the check that is running; those that wait are given up."""
        self._thread.shutdown(cancel_futures=True)

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
        hashed = self._hasher.hash(password)
        forgotten = self._store.setting(PASSWORD) == NONE
        if not self._store.set_setting(PASSWORD, hashed, only_if_new=not forgotten):
            raise Refused("password_chosen")

    def right(self, password: str) -> bool:
        """Return whether this is the password."""
        from argon2.exceptions import InvalidHashError, VerificationError

        hashed = self._store.setting(PASSWORD)
        if not hashed or len(password) > LONGEST:
            return False
        try:
            return self._hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False


def _yield_to_others() -> None:
    """Lower the priority of this thread, where threads have priorities."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOW_PRIORITY)


def forget_password(store: EventStore) -> None:
    """Remove the password, so that another can be chosen."""
    store.set_setting(PASSWORD, NONE)
