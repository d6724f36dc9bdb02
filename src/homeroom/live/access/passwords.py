"""The teacher's password, and limits on wrong codes, passwords, joins and letters.

The password is chosen once, kept as an Argon2 hash, and checked in a separate thread. Attempts are
counted by address and by device.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Generic, NamedTuple, TypeVar

from homeroom.live.access.credentials import Device
from homeroom.live.refused import Refused
from homeroom.live.settings import Hashing, ServerSettings
from homeroom.live.store import EventStore


class AttemptLimit:
    """Counts attempts by address or device, in moving windows of time.

    Parameters
    ----------
    what
        The name of what is counted, for the refusal.
    allowed
        The limits, such as ``"30/minute;300/hour"``.
    refusal
        The code of the ``Refused`` error when a limit is exceeded.
    """

    def __init__(self, what: str, allowed: str, refusal: str = "too_often") -> None:
        from limits import parse_many
        from limits.storage import MemoryStorage
        from limits.strategies import MovingWindowRateLimiter

        self._what, self._allowed, self._refusal = what, parse_many(allowed), refusal
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def check(self, source: str) -> None:
        """Raise ``Refused`` if a source (an address or a device) has made too many attempts."""
        key = network(source)
        if not all(self._limiter.test(limit, self._what, key) for limit in self._allowed):
            raise Refused(self._refusal, what=self._what)

    def count(self, source: str) -> None:
        """Count an attempt."""
        for limit in self._allowed:
            self._limiter.hit(limit, self._what, network(source))

    def check_and_count(self, source: str) -> None:
        """Count an attempt, or raise ``Refused`` if the source has made too many.

        A refused attempt is not counted.
        """
        self.check(source)
        self.count(source)

    def reset(self, source: str) -> None:
        """Forget the attempts of a source."""
        for limit in self._allowed:
            self._limiter.clear(limit, self._what, network(source))


Source = TypeVar("Source")


class Turns(Generic[Source]):
    """Spreads the requests of each source over time: a few at once, then one after another.

    Parameters
    ----------
    seconds
        Seconds between two requests of one source.
    at_once
        How many a source may send without waiting, if it has sent none for long.
    """

    def __init__(self, seconds: float, *, at_once: int) -> None:
        self._seconds, self._early = seconds, (at_once - 1) * seconds
        self._next: dict[Source, float] = {}

    async def wait(self, source: Source) -> None:
        """Wait for the turn of a source, which is after its earlier requests."""
        now = time.monotonic()
        turn = max(self._next.get(source, 0.0), now)
        self._next = {other: at for other, at in self._next.items() if at > now}
        self._next[source] = turn + self._seconds
        await asyncio.sleep(max(0.0, turn - now - self._early))


class Caller(NamedTuple):
    """The sender of a request: the address, and the device if the request has our cookie."""

    address: str
    device: Device | None = None

    @property
    def password_key(self) -> str:
        """The key for counting password attempts: the id of a teacher's device, or the address.

        So wrong guesses by others at the same address do not lock the teacher out.
        """
        return self.device.id if self.device and self.device.is_teachers else self.address


class WrongCodes:
    """Limits wrong codes, with which students join a class or get their seat back.

    A school often shares one address, so devices are counted separately:

    - A device on which a student has joined, or a teacher has signed in, has its own limit only, so
      others cannot lock it out.
    - A new device, which has our cookie but no role yet, has its own limit and shares a second one
      with all new devices at its address.
    - A caller without our cookie is counted by its address.

    Parameters
    ----------
    settings
        The limits.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self._of_address = AttemptLimit("codes", settings.wrong_codes)
        self._of_device = AttemptLimit("codes", settings.wrong_codes_per_device)
        self._of_new_devices = AttemptLimit("codes", settings.wrong_codes_new_devices)

    def check(self, caller: Caller) -> None:
        """Raise ``Refused`` if a caller has sent too many."""
        for limit, source in self._limits(caller):
            limit.check(source)

    def count(self, caller: Caller) -> None:
        """Count a wrong code."""
        for limit, source in self._limits(caller):
            limit.count(source)

    def _limits(self, caller: Caller) -> Iterator[tuple[AttemptLimit, str]]:
        """Yield the limits that apply to a caller, each with the source that it counts by."""
        if caller.device is None:
            yield self._of_address, caller.address
            return
        yield self._of_device, caller.device.id
        if not caller.device.role:
            yield self._of_new_devices, caller.address


def network(address: str) -> str:
    """Return the network of an address: the first 64 bits of IPv6.

    All addresses that share them usually have one owner.

    IPv4 addresses, and texts that are no address, are returned as they are.

    >>> network("192.0.2.7"), network("::ffff:192.0.2.7"), network("2001:db8::7")
    ('192.0.2.7', '192.0.2.7', '2001:db8::/64')
    """
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if isinstance(known, IPv6Address) and known.ipv4_mapped is not None:
        known = known.ipv4_mapped
    if isinstance(known, IPv6Address):
        return str(ip_network((known, 64), strict=False))
    return str(known)


T = TypeVar("T")

SHORTEST, LONGEST = 8, 200
"""The limits on the length of a password."""

WAITING, WAITING_KNOWN = 8, 16
"""How many checks may run or wait; the second for a device on which a teacher has signed in."""

LOW_PRIORITY = 10
"""The priority of the thread that checks passwords, from 0 (as the others) to 19 (the lowest)."""

PASSWORD = "password"
NO_PASSWORD = ""
"""The setting of the store with the hash of the password, and its value without a password."""


class Passwords:
    """Sets and checks the teacher's password. Slow on purpose: call it through `in_turn`.

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
        """Return ``check(*given)``, run in the thread of this object.

        It runs after the checks that were queued before. A check takes a tenth of a second and much
        memory. Only one runs at a time, so that the other cores stay free for the classes. Raises
        ``Refused`` if too many run or wait.

        Parameters
        ----------
        check, given
            The method, and its arguments.
        known
            Whether a teacher has signed in on the caller's device before: they may wait in a longer
            queue, so that guesses of others do not keep them out.
        """
        if self._waiting >= (WAITING_KNOWN if known else WAITING):
            raise Refused("passwords_busy")
        running = self._thread.submit(check, *given)
        self._waiting += 1
        done = asyncio.wrap_future(running)
        loop = asyncio.get_running_loop()
        running.add_done_callback(lambda _: loop.call_soon_threadsafe(self._count_down))
        return await asyncio.shield(done)

    def _count_down(self) -> None:
        """Note that a check has ended."""
        self._waiting -= 1

    def close(self) -> None:
        """Wait for the check that is running, and cancel the others.

        Their callers get ``CancelledError``.
        """
        self._thread.shutdown(cancel_futures=True)

    @property
    def chosen(self) -> bool:
        """Whether there is a password."""
        return bool(self._store.setting(PASSWORD))

    def choose_first(self, password: str, token: str) -> None:
        """Set the password if there is none, with the token of the link that the server printed."""
        if self.chosen:
            raise Refused("password_chosen")
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            raise Refused("old_link")
        if not SHORTEST <= len(password) <= LONGEST:
            raise Refused(
                "password_length", shortest=SHORTEST, longest=LONGEST, letters=len(password)
            )
        hashed = self._hasher.hash(password)
        was_removed = self._store.setting(PASSWORD) == NO_PASSWORD
        # Of two requests at once, the first sets it.
        if not self._store.set_setting(PASSWORD, hashed, only_if_new=not was_removed):
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
    store.set_setting(PASSWORD, NO_PASSWORD)
