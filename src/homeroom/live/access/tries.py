"""How many wrong codes and passwords an address or a device may send, and how many may join."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple

from homeroom.live.access.sessions import Device
from homeroom.live.refused import Refused
from homeroom.live.settings import Settings


class Tries:
    """Counts by address or device: wrong tries only, or everything that is taken.

    Parameters
    ----------
    what
        What is counted: the name of the counter.
    allowed
        How many, such as ``"30/minute;300/hour"``.
    refusal
        The code of the refusal of one too many.
    """

    def __init__(self, what: str, allowed: str, refusal: str = "too_often") -> None:
        from limits import parse_many
        from limits.storage import MemoryStorage
        from limits.strategies import MovingWindowRateLimiter

        self._what, self._allowed, self._refusal = what, parse_many(allowed), refusal
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def check(self, address: str) -> None:
        """Refuse an address that was wrong too often, whatever it sends now."""
        who = network(address)
        if not all(self._limiter.test(limit, self._what, who) for limit in self._allowed):
            raise Refused(self._refusal, what=self._what)

    def take(self, address: str) -> None:
        """Count one more, unless there were too many."""
        self.check(address)
        self.wrong(address)

    def forgive(self, address: str) -> None:
        """Forget what an address did wrong."""
        for limit in self._allowed:
            self._limiter.clear(limit, self._what, network(address))

    def wrong(self, address: str) -> None:
        """Count a wrong try."""
        for limit in self._allowed:
            self._limiter.hit(limit, self._what, network(address))


class Caller(NamedTuple):
    """Who calls: the address, and the device if it has a cookie of ours."""

    address: str
    device: Device | None = None


class WrongCodes:
    """Counts wrong codes, by address and by device: a school shares one address.

    A device on which a student has joined, or a teacher has signed in, is counted alone, and so is
    not locked out by others. Any other device with a cookie of ours is counted alone and together
    with the new devices at its address; a caller without a cookie, by its address.

    Parameters
    ----------
    settings
        The limits.
    """

    def __init__(self, settings: Settings) -> None:
        self._of_address = Tries("codes", settings.wrong_codes)
        self._of_device = Tries("codes", settings.wrong_codes_per_device)
        self._of_new_devices = Tries("codes", settings.wrong_codes_new_devices)

    def check(self, caller: Caller) -> None:
        """Refuse a caller that sent too many, whatever it sends now."""
        for tries, counted in self._counts(caller):
            tries.check(counted)

    def wrong(self, caller: Caller) -> None:
        """Count a wrong code."""
        for tries, counted in self._counts(caller):
            tries.wrong(counted)

    def _counts(self, caller: Caller) -> Iterator[tuple[Tries, str]]:
        if caller.device is None:
            yield self._of_address, caller.address
            return
        yield self._of_device, caller.device.id
        if not caller.device.role:
            yield self._of_new_devices, caller.address


class WrongPasswords:
    """Counts passwords that are tried: by address, but alone where a teacher has signed in before.

    Parameters
    ----------
    allowed
        How many, such as ``"10/minute;100/hour"``.
    """

    def __init__(self, allowed: str) -> None:
        self._tries = Tries("passwords", allowed)

    def take(self, caller: Caller) -> None:
        """Count a try before it is checked, unless there were too many."""
        self._tries.take(_guesser(caller))

    def forgive(self, caller: Caller) -> None:
        """Forget the tries of a caller that knew the password."""
        self._tries.forgive(_guesser(caller))


def _guesser(caller: Caller) -> str:
    device = caller.device
    return device.id if device is not None and device.is_teachers else caller.address


def network(address: str) -> str:
    """Return what addresses of one owner have in common: of IPv6 addresses, the first 64 bits.

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
